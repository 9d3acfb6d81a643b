/* SPDX-License-Identifier: MIT */
/* class_mixture_rows.c - rows under a class mixture: statistics of known classes, the E step, posteriors. See
 * class_mixture.h.
 *
 * Designed for tables with a million rows and a few columns. Rows are processed in blocks whose sums fit in the L1
 * cache, with several rows per SIMD vector (math/simd/simd_columns.h). Statistics are summed in LANES separate
 * lanes. */
#include "em/class_mixture_internal.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { BLOCK = 128, MOST_CHUNKS = 64, CHUNK_ROWS = 4096, LANES = 4 };

/* Limit of the number of statistics of all chunks together. */
static const size_t MOST_PARTIAL = (size_t)1 << 23;

/* ---- A block of rows ---- */

typedef struct block {
    size_t rows, from;
    double *sums, *exponentials; /* [class][row], with stride BLOCK */
    double *greatest, *totals;   /* for each row: the maximum over the classes, and log P(x) */
    double *numbers, *weights;
    uint32_t *codes;
    double *memory;
} block;

/* Allocates the arrays of a block in one piece of aligned memory. Returns false if out of memory. */
static bool init_block(block *target_block, const crd_i_class_mixture *mixture) {
    const size_t table = BLOCK * mixture->classes;
    const block none = {0};
    *target_block = none;
    if (mixture->classes > SIZE_MAX / 64 / BLOCK) return false;
    target_block->memory = crd_i_alloc(mixture->context, 2 * table + 5 * BLOCK + CRD_I_SIMD_ALIGNMENT / sizeof(double),
                                       sizeof *target_block->memory);
    if (target_block->memory == NULL) return false;
    const size_t past = (uintptr_t)target_block->memory % CRD_I_SIMD_ALIGNMENT;
    double *next = (double *)((char *)target_block->memory + (CRD_I_SIMD_ALIGNMENT - past) % CRD_I_SIMD_ALIGNMENT);
    memset(next, 0, (2 * table + 5 * BLOCK) * sizeof *next);
    target_block->sums = next;
    target_block->exponentials = target_block->sums + table;
    target_block->greatest = target_block->exponentials + table;
    target_block->totals = target_block->greatest + BLOCK;
    target_block->numbers = target_block->totals + BLOCK;
    target_block->weights = target_block->numbers + BLOCK;
    target_block->codes = (uint32_t *)(target_block->weights + BLOCK);
    return true;
}

static void clear_block(const crd_i_class_mixture *mixture, block *source_block) {
    crd_free(mixture->context, source_block->memory);
}

/* Loads the standardized values z of the block's rows; NaN if a value is missing. */
static void mixture_rows_load_numbers(const crd_i_mixture_column *column, const crd_i_case_table *table,
                                      block *target_block) {
    const double *x = table->columns[column->of].numbers + target_block->from;
    const double unit = column->unit, centre = column->centre, factor = column->factor;
    for (size_t i = 0; i < target_block->rows; i++) target_block->numbers[i] = (x[i] * unit - centre) * factor;
}

/* Loads the codes of the block's rows. A missing value gets the code `states`, one past the last state. */
static void load_codes(const crd_i_mixture_column *column, const crd_i_case_table *table, block *target_block) {
    const crd_i_case_column *case_column = &table->columns[column->of];
    const uint32_t missing = (uint32_t)column->states;
    if (case_column->codes8 != NULL) {
        const uint8_t *codes = case_column->codes8 + target_block->from;
        for (size_t i = 0; i < target_block->rows; i++)
            target_block->codes[i] = codes[i] == CRD_I_CASE_MISSING8 ? missing : codes[i];
    } else {
        for (size_t i = 0; i < target_block->rows; i++) {
            const uint32_t code = crd_i_case_code(case_column, target_block->from + i);
            target_block->codes[i] = code == CRD_I_CASE_MISSING32 ? missing : code;
        }
    }
}

/* Computes log P(k, x) of each class and row into `sums`. */
static void mixture_rows_add_up(const crd_i_class_mixture *mixture, const crd_i_case_table *table,
                                block *target_block) {
    const size_t classes = mixture->classes;
    for (size_t k = 0; k < classes; k++)
        for (size_t i = 0; i < target_block->rows; i++) target_block->sums[k * BLOCK + i] = mixture->state[k];
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        const double *source = mixture->state + column->parameters;
        if (column->is_number) {
            const crd_i_parabolas parabolas = {classes, source, source + classes, source + 2 * classes,
                                               source + 3 * classes};
            mixture_rows_load_numbers(column, table, target_block);
            mixture->lanes->add_parabolas(&parabolas, target_block->numbers, target_block->rows,
                                          table->columns[column->of].has_missing, target_block->sums, BLOCK);
            continue;
        }
        load_codes(column, table, target_block);
        for (size_t k = 0; k < classes; k++) {
            const double *logs = source + k * (column->states + 1);
            double *sums = target_block->sums + k * BLOCK;
            for (size_t i = 0; i < target_block->rows; i++) sums[i] += logs[target_block->codes[i]];
        }
    }
}

/* Replaces the log joint densities in `sums` by log posteriors. Writes responsibilities to `exponentials` and log P(x)
 * to `totals`. */
static void mixture_rows_conclude(const crd_i_class_mixture *mixture, block *source_block) {
    mixture->lanes->conclude(source_block->sums, BLOCK, source_block->rows, mixture->classes, source_block->greatest,
                             source_block->exponentials, source_block->totals);
    mixture->lanes->share(source_block->exponentials, BLOCK, source_block->rows, mixture->classes,
                          source_block->totals);
    mixture->lanes->divide(source_block->sums, BLOCK, source_block->rows, mixture->classes, source_block->totals);
    for (size_t i = 0; i < source_block->rows; i++) source_block->totals[i] += source_block->greatest[i];
}

static void load_weights(const crd_i_class_mixture_rows *rows, block *target_block) {
    const double *source = rows->weights != NULL ? rows->weights : rows->table->weights;
    for (size_t i = 0; i < target_block->rows; i++)
        target_block->weights[i] = rows->scale * (source == NULL ? 1 : source[target_block->from + i]);
    /* Rows past the end have weight 0, so sums may run over whole vectors. */
    for (size_t i = target_block->rows; i < BLOCK; i++) target_block->weights[i] = 0;
}

/* ---- Statistics ---- */

static double sum_of_lanes(const double lanes[LANES]) {
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/* Adds sum w, sum w z and sum w z^2 of a block to a class's statistics. Missing values (NaN) are skipped. */
static void sum_numbers(const double *restrict weights, const double *restrict z, double *restrict destination,
                        size_t classes) {
    double n[LANES] = {0}, s[LANES] = {0}, q[LANES] = {0};
    for (size_t i = 0; i < BLOCK; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const double x = z[i + l], w = x == x ? weights[i + l] : 0, wx = w * (x == x ? x : 0);
            n[l] += w;
            s[l] += wx;
            q[l] += wx * (x == x ? x : 0);
        }
    destination[0] += sum_of_lanes(n);
    destination[classes] += sum_of_lanes(s);
    destination[2 * classes] += sum_of_lanes(q);
}

static double sum_weights(const double *weights) {
    double n[LANES] = {0};
    for (size_t i = 0; i < BLOCK; i += LANES)
        for (size_t l = 0; l < LANES; l++) n[l] += weights[i + l];
    return sum_of_lanes(n);
}

/* Adds the statistics of a block. `exponentials` holds the weight of each row in each class, 0 past the last row. */
static void add_statistics(const crd_i_class_mixture *mixture, const crd_i_case_table *table, block *source_block,
                           double *statistics) {
    const size_t classes = mixture->classes;
    for (size_t k = 0; k < classes; k++) statistics[k] += sum_weights(source_block->exponentials + k * BLOCK);
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        double *destination = statistics + column->statistics;
        if (column->is_number) {
            mixture_rows_load_numbers(column, table, source_block);
            for (size_t i = source_block->rows; i < BLOCK; i++) source_block->numbers[i] = 0;
            for (size_t k = 0; k < classes; k++)
                sum_numbers(source_block->exponentials + k * BLOCK, source_block->numbers, destination + k, classes);
            continue;
        }
        load_codes(column, table, source_block);
        for (size_t i = 0; i < source_block->rows; i++) {
            if (source_block->codes[i] == column->states) continue;
            double *counts = destination + source_block->codes[i] * classes;
            for (size_t k = 0; k < classes; k++) counts[k] += source_block->exponentials[k * BLOCK + i];
        }
    }
}

static void mixture_rows_weigh(const crd_i_class_mixture *mixture, block *source_block) {
    for (size_t k = 0; k < mixture->classes; k++)
        for (size_t i = 0; i < BLOCK; i++)
            source_block->exponentials[k * BLOCK + i] =
                i < source_block->rows ? source_block->exponentials[k * BLOCK + i] * source_block->weights[i] : 0;
}

void crd_i_class_mixture_count(const crd_i_class_mixture *mixture, const crd_i_class_mixture_rows *rows,
                               const int32_t *classes, double *statistics) {
    const crd_i_case_table *table = rows->table;
    const double *weights = rows->weights != NULL ? rows->weights : table->weights;
    for (size_t i = 0; i < table->rows; i++)
        if (classes[i] >= 0) statistics[classes[i]] += rows->scale * (weights == NULL ? 1 : weights[i]);
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        const crd_i_case_column *case_column = &table->columns[column->of];
        double *destination = statistics + column->statistics;
        for (size_t i = 0; i < table->rows; i++) {
            const double weight = rows->scale * (weights == NULL ? 1 : weights[i]);
            if (classes[i] < 0) continue;
            if (!column->is_number) {
                const uint32_t code = crd_i_case_code(case_column, i);
                if (code != CRD_I_CASE_MISSING32) destination[code * mixture->classes + (size_t)classes[i]] += weight;
                continue;
            }
            const double z = (case_column->numbers[i] * column->unit - column->centre) * column->factor;
            if (z != z) continue;
            destination[classes[i]] += weight;
            destination[(size_t)classes[i] + mixture->classes] += weight * z;
            destination[(size_t)classes[i] + 2 * mixture->classes] += weight * z * z;
        }
    }
}

/* ---- The E step ---- */

typedef struct rows_expectation {
    const crd_i_class_mixture *mixture;
    const crd_i_class_mixture_rows *rows;
    size_t chunks, chunk_rows;
    bool is_dealt;   /* true: the chunks are distributed over the processes of a group */
    double *partial; /* for each chunk: its statistics, then its log likelihood */
    atomic_size_t next;
    atomic_int status;
} rows_expectation;

/* Performs the E step for one chunk. Stores its statistics and log likelihood in its own part of `partial`. */
static void mixture_rows_expect_chunk(const rows_expectation *shared, size_t chunk, block *work) {
    const crd_i_class_mixture *mixture = shared->mixture;
    const crd_i_case_table *table = shared->rows->table;
    double *statistics = shared->partial + chunk * (mixture->statistics + 1), log_likelihood = 0;
    const size_t begin = chunk * shared->chunk_rows;
    const size_t end = table->rows - begin < shared->chunk_rows ? table->rows : begin + shared->chunk_rows;
    for (work->from = begin; work->from < end; work->from += work->rows) {
        work->rows = end - work->from < BLOCK ? end - work->from : BLOCK;
        load_weights(shared->rows, work);
        mixture_rows_add_up(mixture, table, work);
        if (shared->rows->temper != 1)
            for (size_t i = 0; i < BLOCK * mixture->classes; i++) work->sums[i] *= shared->rows->temper;
        mixture_rows_conclude(mixture, work);
        mixture_rows_weigh(mixture, work);
        add_statistics(mixture, table, work, statistics);
        double evidence[LANES] = {0};
        for (size_t i = 0; i < work->rows; i++) evidence[i % LANES] += work->weights[i] * work->totals[i];
        log_likelihood += sum_of_lanes(evidence) / shared->rows->temper;
    }
    statistics[mixture->statistics] = log_likelihood;
}

/* Thread function: takes chunks until none is left, or until some thread fails. */
static void expect_member(void *state, unsigned member) {
    rows_expectation *shared = state;
    block work;
    (void)member;
    int status = init_block(&work, shared->mixture) ? CRD_OK : CRD_ERROR_MEMORY;
    while (status == CRD_OK && atomic_load(&shared->status) == CRD_OK) {
        const size_t chunk = atomic_fetch_add(&shared->next, 1);
        if (chunk >= shared->chunks) break;
        if (shared->is_dealt && !crd_i_is_own_item(shared->mixture->context, chunk)) continue;
        if (crd_i_context_cancelled(shared->mixture->context)) status = CRD_ERROR_CANCELLED;
        else mixture_rows_expect_chunk(shared, chunk, &work);
    }
    if (status != CRD_OK) atomic_store(&shared->status, status);
    clear_block(shared->mixture, &work);
}

/* Divides the rows into chunks. Their size depends only on the problem, not on the number of threads. */
static void divide_rows(rows_expectation *shared) {
    const size_t rows = shared->rows->table->rows, most = MOST_PARTIAL / (shared->mixture->statistics + 1);
    shared->chunks = (rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
    if (shared->chunks > MOST_CHUNKS) shared->chunks = MOST_CHUNKS;
    if (shared->chunks > most) shared->chunks = most;
    if (shared->chunks < 1) shared->chunks = 1;
    shared->chunk_rows = (rows + shared->chunks - 1) / shared->chunks;
    shared->chunk_rows = (shared->chunk_rows + BLOCK - 1) / BLOCK * BLOCK;
    if (shared->chunk_rows == 0) shared->chunk_rows = BLOCK;
    shared->chunks = (rows + shared->chunk_rows - 1) / shared->chunk_rows;
}

static crd_status expect_chunks(rows_expectation *shared, crd_error *error) {
    unsigned threads = crd_i_thread_pool_size(shared->rows->threads);
    if (threads > shared->chunks) threads = (unsigned)shared->chunks;
    if (threads > 1) crd_i_thread_pool_run(shared->mixture->context, threads, expect_member, shared);
    else expect_member(shared, 0);
    const crd_status status = (crd_status)atomic_load(&shared->status);
    if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    return status == CRD_OK ? CRD_OK : crd_i_fail_cancelled(error);
}

crd_status crd_i_class_mixture_expect(const crd_i_class_mixture *mixture, const crd_i_class_mixture_rows *rows,
                                      double *statistics, double *log_likelihood, crd_error *error) {
    rows_expectation shared = {.mixture = mixture, .rows = rows};
    const size_t width = mixture->statistics + 1;
    *log_likelihood = 0;
    divide_rows(&shared);
    shared.is_dealt = rows->table->is_shared && shared.chunks > 1;
    atomic_init(&shared.next, 0);
    atomic_init(&shared.status, CRD_OK);
    shared.partial = crd_i_alloc_zeroed(mixture->context, shared.chunks * width, sizeof *shared.partial);
    crd_status status = shared.partial == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = expect_chunks(&shared, error);
    if (shared.is_dealt)
        status = crd_i_share_items(mixture->context, status, shared.partial, width * sizeof *shared.partial,
                                   shared.chunks, error);
    else if (rows->table->is_shared) status = crd_i_agree(mixture->context, status, error);
    double log_factors = 0;
    for (size_t chunk = 0; chunk < shared.chunks && status == CRD_OK; chunk++) {
        for (size_t i = 0; i < mixture->statistics; i++) statistics[i] += shared.partial[chunk * width + i];
        *log_likelihood += shared.partial[chunk * width + mixture->statistics];
        /* Change of variables: the density of z times dz / dx is the density of x. */
        for (size_t c = 0; c < mixture->column_count; c++) {
            const crd_i_mixture_column *column = &mixture->columns[c];
            const double *present = shared.partial + chunk * width + column->statistics;
            for (size_t k = 0; column->is_number && k < mixture->classes; k++)
                log_factors += column->log_factor * present[k];
        }
    }
    *log_likelihood += log_factors;
    crd_free(mixture->context, shared.partial);
    return status;
}

/* ---- Posteriors ---- */

crd_status crd_i_class_mixture_posteriors(const crd_i_class_mixture *mixture, const crd_i_case_table *table,
                                          size_t first, size_t limit, double *posteriors, double *evidence,
                                          crd_error *error) {
    block work;
    const size_t classes = mixture->classes;
    if (!init_block(&work, mixture)) return crd_i_fail_memory(error);
    for (work.from = first; work.from < limit; work.from += work.rows) {
        work.rows = limit - work.from < BLOCK ? limit - work.from : BLOCK;
        mixture_rows_add_up(mixture, table, &work);
        mixture_rows_conclude(mixture, &work);
        for (size_t i = 0; i < work.rows; i++)
            for (size_t k = 0; k < classes; k++)
                posteriors[(work.from - first + i) * classes + k] = work.sums[k * BLOCK + i];
        for (size_t i = 0; evidence != NULL && i < work.rows; i++) {
            double sum = work.totals[i];
            for (size_t c = 0; c < mixture->column_count; c++) {
                const crd_i_mixture_column *at = &mixture->columns[c];
                if (at->is_number && !isnan(table->columns[at->of].numbers[work.from + i])) sum += at->log_factor;
            }
            evidence[work.from - first + i] = sum;
        }
    }
    clear_block(mixture, &work);
    return CRD_OK;
}
