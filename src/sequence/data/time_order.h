/* SPDX-License-Identifier: MIT */
/* time_order.h - sorts the rows of sequences by time, and inserts steps where rows are more than one step apart. */
#ifndef CRD_SEQUENCE_TIME_ORDER_H
#define CRD_SEQUENCE_TIME_ORDER_H

#include "sequence/data/sequences.h"

/* Numbers of inserted steps and of rows of a table so far. */
typedef struct crd_i_gap_sums {
    uint64_t inserted, rows;
} crd_i_gap_sums;

/* Computes the number of missing steps between two successive times of a sequence, and adds it to the sums. Returns
 * CRD_ERROR_LIMIT if it is too large for one gap, or if the total is too large for the number of rows. */
CRD_MUST_USE crd_status crd_i_time_gap(crd_i_gap_sums *sums, double before, double after, double step,
                                       uint64_t *missing, crd_error *error);

/* Returns whether two times are less than half a step apart. */
static inline bool crd_i_time_is_crowded(double before, double after, double step) {
    return after - before < step / 2;
}

/* From `row` on, in reading order, rows belong to `sequence`. */
typedef struct crd_i_sequence_run {
    uint64_t row;
    size_t sequence;
} crd_i_sequence_run;

/* The rows read so far, whose sequences may be mixed. Initialize to zero. */
typedef struct crd_i_time_order {
    crd_i_sequence_run *runs;
    size_t run_count, run_capacity;
    bool is_mixed;   /* some sequence has several runs, or times that do not ascend */
    bool has_latest; /* `latest` is the time of the previous row of the same run */
    double latest;
    double *latest_of; /* latest time of each sequence; owned until a batch takes it */
    size_t latest_capacity;
    size_t sequence;  /* sequence of the current run */
    bool has_gap;     /* some gap between two rows of a run */
    uint64_t crowded; /* rows less than half a step after the previous row, if no rows are mixed */
} crd_i_time_order;

/* Begin a run of rows of a sequence (`is_new`: its first run), and add a row with its time. The former returns false if
 * out of memory. */
CRD_MUST_USE bool crd_i_time_order_begin_run(crd_i_time_order *order, crd_context *context, uint64_t row,
                                             size_t sequence, bool is_new);
static inline void crd_i_time_order_add(crd_i_time_order *order, double time, double step) {
    if (order->has_latest && !(time > order->latest)) order->is_mixed = true;
    if (order->has_latest && step > 0 && time - order->latest >= 1.5 * step) order->has_gap = true;
    if (order->has_latest && step > 0 && crd_i_time_is_crowded(order->latest, time, step)) order->crowded++;
    if (time > order->latest_of[order->sequence]) order->latest_of[order->sequence] = time;
    order->has_latest = true;
    order->latest = time;
}

/* Sorts the rows by time and inserts missing steps, after all rows have been read into *read. *read must be finished
 * except for its starts. It is either completed or replaced by the result. Equal times in a sequence are
 * CRD_ERROR_SYNTAX. */
CRD_MUST_USE crd_status crd_i_time_order_apply(const crd_i_time_order *order, double step, crd_sequences **read,
                                               crd_error *error);

#endif
