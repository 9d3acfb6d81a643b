/* SPDX-License-Identifier: MIT */
/* time_order.c - sorts rows by time. See sequences.h.
 *
 * Rows that are in order, the usual case, stay as they were read. Otherwise, rows are distributed to their sequences
 * with their times (16 bytes per row), each sequence is sorted, and the steps are written again in that order. If the
 * rows are in a file, it is mapped into memory for random access. */
#include "sequence/data/sequences.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of steps in one gap, and in all gaps together per table plus per row. More steps indicate a wrong unit
 * of the step, and a few rows must not fill a disk. */
static const double MOST_MISSING = 1e7, MOST_MISSING_PER_ROW = 1e3;

crd_status crd_i_time_gap(crd_i_gap_sums *sums, double before, double after, double step, uint64_t *missing,
                          crd_error *error) {
    static const char hint[] = "check the step, which has the unit of the times (seconds for dates)";
    const double steps = nearbyint((after - before) / step);
    *missing = steps >= 2 && steps <= MOST_MISSING ? (uint64_t)steps - 1 : 0;
    if (!(steps <= MOST_MISSING))
        return crd_i_fail(error, CRD_ERROR_LIMIT,
                          "this row is %.0f steps of %g after the row before it, more than %.0f: %s", steps, step,
                          MOST_MISSING, hint);
    sums->inserted += *missing;
    if ((double)sums->inserted <= MOST_MISSING + MOST_MISSING_PER_ROW * (double)sums->rows) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "more than %.0f steps of %g are missing between the rows of this table, and %.0f per row: %s",
                      MOST_MISSING, step, MOST_MISSING_PER_ROW, hint);
}

bool crd_i_time_order_begin_run(crd_i_time_order *order, crd_context *context, uint64_t row, size_t sequence,
                                bool is_new) {
    if (!crd_i_reserve(context, &order->runs, &order->run_capacity, order->run_count + 1, sizeof *order->runs))
        return false;
    if (is_new &&
        !crd_i_reserve(context, &order->latest_of, &order->latest_capacity, sequence + 1, sizeof *order->latest_of))
        return false;
    if (is_new) order->latest_of[sequence] = -INFINITY;
    order->sequence = sequence;
    order->runs[order->run_count++] = (crd_i_sequence_run){row, sequence};
    if (!is_new) order->is_mixed = true;
    order->has_latest = false;
    return true;
}

/* ---- Distances ---- */

/* Histogram of distances in steps. A distance below EXACT has its own bin. A larger distance shares its bin with the
 * distances that have the same EXACT_BITS leading bits. */
enum { EXACT_BITS = 12, EXACT = 1 << EXACT_BITS, HALF = EXACT / 2, LARGEST_BITS = 24 };
enum { DISTANCE_BINS = EXACT + (LARGEST_BITS - EXACT_BITS) * HALF };

static size_t distance_bin(uint64_t steps) {
    size_t shift = 0;
    while (steps >> shift >= EXACT) shift++;
    return shift * HALF + (size_t)(steps >> shift);
}

typedef struct distance_counts {
    uint64_t rows;
    double distance, steps; /* distance of the first row in the bin */
} distance_counts;

static void count_distance(distance_counts *bins, double distance, uint64_t steps) {
    distance_counts *bin = &bins[distance_bin(steps)];
    if (bin->rows++ > 0) return;
    bin->distance = distance;
    bin->steps = (double)steps;
}

static distance_counts median_distance(const distance_counts *bins, uint64_t count) {
    size_t bin = 0;
    uint64_t below = bins[0].rows;
    while (bin + 1 < DISTANCE_BINS && 2 * below <= count) below += bins[++bin].rows;
    return bins[bin];
}

/* ---- Sorting ---- */

typedef struct timed_row {
    double time;
    uint64_t row;
} timed_row;

static int by_time(const void *left, const void *right) {
    const timed_row *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static bool time_order_ascend(const timed_row *rows, size_t count) {
    size_t i = 1;
    while (i < count && rows[i].time >= rows[i - 1].time) i++;
    return i >= count;
}

/* The steps as they were read, for random access. */
typedef struct read_steps {
    const crd_sequences *sequences;
    const unsigned char *bytes;
} read_steps;

static const unsigned char *time_order_cell(const read_steps *read, size_t area, uint64_t row) {
    const crd_i_step_store *store = &read->sequences->store;
    uint64_t block = row / store->block_steps;
    size_t stride = crd_i_step_store_stride(store, block), width = crd_i_sequences_cell_bytes(read->sequences, area);
    return read->bytes + crd_i_step_store_offset(store, block) + store->offsets[area] * stride +
           (size_t)(row % store->block_steps) * width;
}

static double time_at(const read_steps *read, uint64_t row) {
    double time;
    memcpy(&time, time_order_cell(read, read->sequences->time_area, row), sizeof time);
    return time;
}

static uint64_t run_end(const crd_i_time_order *order, size_t run, const crd_sequences *read) {
    return run + 1 < order->run_count ? order->runs[run + 1].row : read->rows_read;
}

/* Computes where the rows of each sequence begin after distribution. `starts` has one entry more than there are
 * sequences. */
static void time_order_count_rows(const crd_i_time_order *order, const crd_sequences *sequences, uint64_t *starts) {
    memset(starts, 0, (sequences->count + 1) * sizeof *starts);
    for (size_t i = 0; i < order->run_count; i++)
        starts[order->runs[i].sequence] += run_end(order, i, sequences) - order->runs[i].row;
    uint64_t before = 0;
    for (size_t i = 0; i <= sequences->count; i++) {
        uint64_t length = starts[i];
        starts[i] = before;
        before += length;
    }
}

/* Sorts the rows by sequence, then by time. Returns NULL if out of memory. */
static timed_row *time_order_sort_rows(const crd_i_time_order *order, const read_steps *read, uint64_t *starts) {
    const crd_sequences *sequences = read->sequences;
    timed_row *rows = crd_i_alloc(sequences->context, (size_t)sequences->rows_read, sizeof *rows);
    if (rows == NULL) return NULL;
    /* Each start advances past the rows placed so far. At the end it is the start of the next sequence. */
    for (size_t i = 0; i < order->run_count; i++) {
        uint64_t *cursor = &starts[order->runs[i].sequence];
        for (uint64_t row = order->runs[i].row; row < run_end(order, i, sequences); row++)
            rows[(*cursor)++] = (timed_row){time_at(read, row), row};
    }
    for (size_t i = sequences->count; i > 0; i--) starts[i] = starts[i - 1];
    starts[0] = 0;
    for (size_t i = 0; i < sequences->count; i++) {
        size_t count = (size_t)(starts[i + 1] - starts[i]);
        if (!time_order_ascend(rows + starts[i], count)) qsort(rows + starts[i], count, sizeof *rows, by_time);
    }
    return rows;
}

/* ---- Writing in order ---- */

static void time_order_place_row(const crd_sequences *sequences, uint64_t row, crd_error *error) {
    const crd_i_line_run *run = crd_i_sequences_find_run(sequences, row);
    if (run != NULL) crd_i_error_place(error, sequences->columns->places[run->place], run->line + (row - run->row), 0);
}

static crd_status fail_equal(const crd_sequences *sequences, size_t sequence, uint64_t first, uint64_t second,
                             crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_text id = crd_sequences_id(sequences, sequence);
    const crd_i_line_run *run = crd_i_sequences_find_run(sequences, first);
    unsigned long long line = run == NULL ? 0 : (unsigned long long)(run->line + (first - run->row));
    crd_i_quote(id, shown);
    crd_i_fail(error, CRD_ERROR_SYNTAX, "the row has the same time as the row on line %llu%s%s%s", line,
               id.length == 0 ? "" : ", and both belong to the sequence '", id.length == 0 ? "" : shown,
               id.length == 0 ? "" : "'");
    time_order_place_row(sequences, second, error);
    return CRD_ERROR_SYNTAX;
}

static crd_status time_order_copy_row(const read_steps *read, uint64_t row, crd_sequences *into, crd_error *error) {
    crd_i_step_store *store = &into->store;
    size_t got, columns = into->columns->count;
    crd_status status = crd_i_step_store_room(store, 1, &got, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < columns + (into->label_area != SIZE_MAX); i++)
        memcpy(crd_i_sequences_cells(into, i), time_order_cell(read, i, row), crd_i_sequences_cell_bytes(into, i));
    memcpy(crd_i_sequences_cells(into, into->row_area), &row, sizeof row);
    if (into->inserted_area != SIZE_MAX) memset(crd_i_sequences_cells(into, into->inserted_area), 0, 1);
    return crd_i_step_store_advance(store, 1, error);
}

/* Writes the rows from `first` to `end` - 1 as a sequence, in sorted order, or as they were read if `sorted` is
 * NULL. */
static crd_status time_order_write_sequence(const read_steps *read, size_t sequence, const timed_row *sorted,
                                            uint64_t first, uint64_t end, double step, crd_i_gap_sums *sums,
                                            distance_counts *bins, crd_sequences *into, crd_error *error) {
    timed_row before = {0, 0};
    into->starts[sequence] = into->store.steps;
    for (uint64_t i = first; i < end; i++) {
        if (i % 65536 == 0 && crd_i_context_cancelled(into->context)) return crd_i_fail_cancelled(error);
        timed_row row = sorted != NULL ? sorted[i] : (timed_row){time_at(read, i), i};
        uint64_t missing = 0;
        crd_status status = CRD_OK;
        if (i > first && row.time == before.time)
            return fail_equal(read->sequences, sequence, before.row, row.row, error);
        if (i > first && step > 0) status = crd_i_time_gap(sums, before.time, row.time, step, &missing, error);
        if (status != CRD_OK) {
            time_order_place_row(read->sequences, row.row, error);
            return status;
        }
        if (i > first && step > 0) into->crowded += crd_i_time_is_crowded(before.time, row.time, step);
        if (i > first && step > 0) count_distance(bins, row.time - before.time, missing + 1);
        if (missing > 0) status = crd_i_row_source_insert(into, missing, error);
        if (status == CRD_OK) status = time_order_copy_row(read, row.row, into, error);
        if (status != CRD_OK) return status;
        before = row;
    }
    return CRD_OK;
}

/* Moves the ids, lines and texts to the result; they do not change. */
static void move_rest(crd_sequences *sequences, crd_sequences *target_sequences) {
    const crd_sequences other_sequences = *sequences;
    sequences->ids = (crd_i_buffer){.context = sequences->context};
    sequences->id_ends = NULL;
    sequences->runs = NULL;
    sequences->texts = sequences->text_ends = (crd_i_spool){.context = sequences->context};
    target_sequences->ids = other_sequences.ids;
    target_sequences->id_ends = other_sequences.id_ends;
    target_sequences->runs = other_sequences.runs;
    target_sequences->run_count = other_sequences.run_count;
    target_sequences->texts = other_sequences.texts;
    target_sequences->text_ends = other_sequences.text_ends;
    target_sequences->rows_read = other_sequences.rows_read;
}

/* Writes all sequences in order of time into `into`, and computes the median distance of rows. */
static crd_status time_order_write_all(const crd_i_time_order *order, double step, crd_sequences *read,
                                       crd_sequences *into, crd_error *error) {
    read_steps steps = {read, NULL};
    timed_row *sorted = NULL;
    crd_i_gap_sums sums = {0, read->store.steps};
    if (!crd_i_reserve(read->context, &into->starts, &into->starts_capacity, read->count + 1, sizeof *into->starts))
        return crd_i_fail_memory(error);
    crd_status status = crd_i_spool_map(&read->store.spool, &steps.bytes, error);
    if (status != CRD_OK) return status;
    distance_counts *bins = step > 0 ? crd_i_alloc_zeroed(read->context, DISTANCE_BINS, sizeof *bins) : NULL;
    if (step > 0 && bins == NULL) status = crd_i_fail_memory(error);
    time_order_count_rows(order, read, read->starts);
    if (status == CRD_OK && order->is_mixed) {
        sorted = time_order_sort_rows(order, &steps, read->starts);
        if (sorted == NULL) status = crd_i_fail_memory(error);
    }
    for (size_t i = 0; status == CRD_OK && i < read->count; i++) {
        status = time_order_write_sequence(&steps, i, sorted, read->starts[i], read->starts[i + 1], step, &sums, bins,
                                           into, error);
        into->count = i + 1;
    }
    if (status == CRD_OK && bins != NULL && read->rows_read > read->count) {
        const distance_counts median = median_distance(bins, read->rows_read - read->count);
        into->distance = median.distance;
        into->distance_steps = median.steps;
    }
    crd_free(read->context, bins);
    crd_free(read->context, sorted);
    crd_i_spool_unmap(&read->store.spool, steps.bytes);
    return status == CRD_OK ? crd_i_row_source_end(into, error) : status;
}

crd_status crd_i_time_order_apply(const crd_i_time_order *order, double step, crd_sequences **read, crd_error *error) {
    crd_sequences *sequences = *read, *target_sequences = NULL;
    if (!order->is_mixed && !order->has_gap) {
        time_order_count_rows(order, sequences, sequences->starts);
        sequences->crowded = order->crowded;
        return CRD_OK;
    }
    const crd_i_extra_areas extra = {.row = true, .inserted = step > 0};
    crd_status status = crd_i_row_source_begin_like(sequences, extra, &target_sequences, error);
    if (status != CRD_OK) return status;
    target_sequences->is_in_order = !order->is_mixed;
    status = time_order_write_all(order, step, sequences, target_sequences, error);
    if (status != CRD_OK) {
        crd_sequences_destroy(target_sequences);
        return status;
    }
    move_rest(sequences, target_sequences);
    crd_sequences_destroy(sequences);
    *read = target_sequences;
    return CRD_OK;
}
