/* SPDX-License-Identifier: MIT */
/* time_order.h - rows of sequences in the order of their times, with steps between those that are further apart. */
#ifndef CRD_SEQUENCE_TIME_ORDER_H
#define CRD_SEQUENCE_TIME_ORDER_H

#include "sequence/data/sequence_rows.h"

/* The steps that were inserted into the sequences of a table, and the rows that it has so far. */
typedef struct crd_i_gap_sums {
    uint64_t inserted, rows;
} crd_i_gap_sums;

/* Computes how many steps are missing between two successive times of a sequence, and adds them to the sums. CRD_ERROR_LIMIT if they are too many
 * for one gap, or all of them for the rows. */
CRD_MUST_USE crd_status crd_i_time_gap(crd_i_gap_sums *sums, double before, double after, double step,
                                       uint64_t *missing, crd_error *error);

/* Whether they are less than half a step apart. */
static inline bool crd_i_time_is_crowded(double before, double after, double step) {
    return after - before < step / 2;
}

/* From `row` on, in the order of reading, rows are of that sequence. */
typedef struct crd_i_sequence_run {
    uint64_t row;
    size_t sequence;
} crd_i_sequence_run;

/* Rows that have been read, of sequences that may be mixed. Zero-initialised. */
typedef struct crd_i_time_order {
    crd_i_sequence_run *runs;
    size_t run_count, run_capacity;
    bool is_mixed;   /* a sequence has several runs, or times that do not ascend */
    bool has_latest; /* the time of the row before, of the same run */
    double latest;
    double *latest_of; /* the latest time of each sequence; owned until a batch takes it */
    size_t latest_capacity;
    size_t sequence;  /* of the run */
    bool has_gap;     /* between two rows of a run */
    uint64_t crowded; /* rows less than half a step behind the row before, where none is mixed */
} crd_i_time_order;

/* The next row is of that sequence, which is its first run or not, and has this time. */
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

/* All rows have been read, into `read`, which has ended but for its starts. It is the result, or is replaced by it. Equal times are
 * CRD_ERROR_SYNTAX. */
CRD_MUST_USE crd_status crd_i_time_order_apply(const crd_i_time_order *order, double step, crd_sequences **read,
                                               crd_error *error);

#endif
