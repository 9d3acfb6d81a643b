/* SPDX-License-Identifier: MIT */
/* class_mixture.c - class mixtures: creation, the E step and the M step, distances, and models learned from class
 * probabilities. See class_mixture.h for the formulas.
 *
 * Contents:
 *   1. Creation
 *   2. The M step
 *   3. Rows
 *   4. Statistics
 *   5. The E step
 *   6. Posteriors
 *   7. Models from class probabilities
 *   8. EM runs */
#include "em/class_mixture.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "density/univariate/family.h"
#include "math/random.h"
#include "math/simd/simd_columns.h"
#include "model/accumulate.h"
#include "model/column_family.h"
#include "processes/group.h"

#include <math.h>
#include <string.h>

/* the members of a class mixture, and the layout of its statistics and parameters.
 *
 * Statistics: the weights of the classes, then the statistics of each column in turn.
 *   categorical column   counts[value][class]
 *   numeric column       weights[class], sums[class], sums of squares[class]
 *
 * Parameters: log P(k) of each class, then the parameters of each column in turn, and last the log prior density.
 *   categorical column   log P(value | class) as [class][value], with one extra entry per class, 0, for missing values
 *   numeric column       centers[class], rests[class] (always 0), slopes[class], tops[class]: the parabola
 *                        log p(z | class) = top - (slope (z - center))^2 */

typedef struct crd_i_mixture_column {
    size_t of; /* index of the column in the table */
    bool is_number;
    size_t states;               /* categorical column: the number of states */
    double differ;               /* categorical column: the probability that two random rows differ in it */
    double unit, center, factor; /* numeric column: standardization z = (x unit - center) factor */
    double log_factor;           /* numeric column: log of dz / dx */
    size_t statistics, parameters;
} crd_i_mixture_column;

struct crd_i_class_mixture {
    crd_context *context;
    const crd_i_simd_columns *lanes;
    size_t classes, column_count;
    crd_i_mixture_column *columns;
    size_t statistics, parameters;
    double *state;
    crd_i_smoothing smoothing;
    double strength;
    bool is_marginal;
    double min_sd;
};

/* ======== 1. Creation ======== */

enum { OF_NUMBER = 4 };

/* Limit of the length of the statistics array. Larger problems are rejected even if enough memory is free. */
static const size_t MOST_STATISTICS = (size_t)1 << 26;

/* Lower bound of a class variance as a fraction of the column's variance, in case no pseudo-counts bound it. */
static const double LEAST_VARIANCE = 1e-6;

static const double HALF_LOG_TWO_PI = 0x1.d67f1c864beb5p-1; /* log(2 pi) / 2 */
static const double SQRT_HALF = 0x1.6a09e667f3bcdp-1;

/* Finds the standardization of a numeric column: its weighted mean and standard deviation. Returns false if the column
 * has no spread and so cannot separate classes. */
static bool class_mixture_find_scale(const crd_i_case_table *table, crd_i_mixture_column *column) {
    const double *x = table->columns[column->of].numbers;
    double most = 0, total = 0, mean = 0, squares = 0;
    int exponent = 0;
    for (size_t i = 0; i < table->rows; i++)
        if (fabs(x[i]) > most) most = fabs(x[i]);
    frexp(most, &exponent);
    /* Values are scaled into [-1/2, 1/2], so their differences are at most 1. The unit is a power of two, so scaling is
     * exact. */
    column->unit = ldexp(1, exponent > -1022 ? -exponent - 1 : 1021);
    for (size_t i = 0; i < table->rows; i++) {
        if (x[i] != x[i]) continue;
        const double weight = crd_i_case_weight(table, i), start = x[i] * column->unit - mean;
        total += weight;
        mean += start * (weight / total);
        squares += weight * start * (x[i] * column->unit - mean);
    }
    const double deviation = total > 0 ? sqrt(squares / total) : 0;
    column->center = mean;
    if (!(deviation > 1e-12 * fabs(mean)) || !(deviation > 0x1p-500)) return false;
    column->factor = 1 / deviation;
    column->log_factor = crd_log(column->factor) + crd_log(column->unit);
    return true;
}

/* Computes the probability that two random rows differ in a categorical column: 1 - sum_v p_v^2. `shares` is scratch
 * space for the counts of the values. */
static void class_mixture_find_difference(const crd_i_case_table *table, crd_i_mixture_column *column, double *shares) {
    const crd_i_case_column *case_column = &table->columns[column->of];
    double total = 0, alike = 0;
    for (size_t v = 0; v < column->states; v++) shares[v] = 0;
    for (size_t i = 0; i < table->rows; i++) {
        const uint32_t code = crd_i_case_code(case_column, i);
        if (code == CRD_I_CASE_MISSING32) continue;
        shares[code] += crd_i_case_weight(table, i);
        total += crd_i_case_weight(table, i);
    }
    for (size_t v = 0; v < column->states; v++) alike += shares[v] / total * (shares[v] / total);
    column->differ = total > 0 ? 1 - alike : 0;
}

/* Selects the columns that can separate classes, and lays out their statistics and parameters. */
static crd_status describe_columns(crd_i_class_mixture *mixture, const crd_i_case_table *like, const bool *is_left_out,
                                   crd_error *error) {
    const size_t classes = mixture->classes;
    size_t most = 0;
    for (size_t c = 0; c < like->column_count; c++)
        if (like->columns[c].state_count > most) most = like->columns[c].state_count;
    double *shares = crd_i_alloc(mixture->context, most, sizeof *shares);
    if (shares == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    mixture->statistics = mixture->parameters = classes;
    for (size_t c = 0; status == CRD_OK && c < like->column_count; c++) {
        const crd_i_case_column *column = &like->columns[c];
        crd_i_mixture_column mixture_column = {.of = c,
                                               .is_number = column->type == CRD_TYPE_NUMERIC,
                                               .states = column->state_count,
                                               .statistics = mixture->statistics,
                                               .parameters = mixture->parameters};
        if (crd_i_context_cancelled(mixture->context)) status = crd_i_fail_cancelled(error);
        if (is_left_out != NULL && is_left_out[c]) continue;
        if (mixture_column.is_number ? !class_mixture_find_scale(like, &mixture_column) : mixture_column.states < 2)
            continue;
        if (!mixture_column.is_number) class_mixture_find_difference(like, &mixture_column, shares);
        if (mixture_column.states >= MOST_STATISTICS / classes - mixture->statistics / classes) {
            char quoted[CRD_I_QUOTED_ROOM];
            status = crd_i_fail(error, CRD_ERROR_LIMIT, "column '%s' has too many values, %zu, for %zu classes",
                                crd_i_quote(column->name, quoted), mixture_column.states, classes);
            crd_i_error_subject(error, column->name);
        }
        mixture->statistics += (mixture_column.is_number ? 3 : mixture_column.states) * classes;
        mixture->parameters += (mixture_column.is_number ? OF_NUMBER : mixture_column.states + 1) * classes;
        mixture->columns[mixture->column_count++] = mixture_column;
    }
    mixture->parameters++;
    crd_free(mixture->context, shares);
    return status;
}

/* Rejects settings that the M step does not implement: pooled variances, and families other than gaussian. */
static crd_status check_densities(const crd_i_case_table *table, const bool *is_left_out, const crd_settings *settings,
                                  crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (settings->share_classes || settings->share_attributes) {
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "EM over latent classes estimates a variance for each class and column: pool-variance must be none");
        crd_i_error_subject(error, crd_text_of("pool-variance"));
        return CRD_ERROR_SETTING;
    }
    for (size_t c = 0; c < table->column_count; c++) {
        const crd_i_case_column *column = &table->columns[c];
        if (column->type != CRD_TYPE_NUMERIC || (is_left_out != NULL && is_left_out[c])) continue;
        const crd_i_family *family = crd_i_column_family_family(settings, column->name, CRD_TYPE_NUMERIC);
        if (family == &crd_i_family_gaussian) continue;
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "EM over latent classes needs normal densities for numeric columns (family gaussian), but '%s' has "
                   "the family %s",
                   crd_i_quote(column->name, quoted), family->name);
        crd_i_error_subject(error, crd_text_of("family"));
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

crd_status crd_i_class_mixture_create(const crd_i_case_table *like, const bool *is_left_out, size_t classes,
                                      const crd_settings *settings, crd_i_class_mixture **out, crd_error *error) {
    crd_context *context = like->context;
    *out = NULL;
    crd_status status = check_densities(like, is_left_out, settings, error);
    if (status != CRD_OK) return status;
    crd_i_class_mixture *mixture = crd_i_alloc_zeroed(context, 1, sizeof *mixture);
    if (mixture == NULL) return crd_i_fail_memory(error);
    mixture->context = context;
    mixture->lanes = crd_i_simd_columns_best();
    mixture->classes = classes;
    mixture->smoothing = settings->smoothing_bdeu > 0 ? CRD_I_SMOOTHING_M : settings->smoothing;
    mixture->strength =
        settings->smoothing_bdeu > 0 ? settings->smoothing_bdeu / (double)classes : settings->smoothing_strength;
    mixture->is_marginal = settings->smoothing_marginal;
    mixture->min_sd = settings->min_sd;
    mixture->columns = crd_i_alloc_zeroed(context, like->column_count, sizeof *mixture->columns);
    status = mixture->columns == NULL ? crd_i_fail_memory(error) : describe_columns(mixture, like, is_left_out, error);
    if (status == CRD_OK) {
        mixture->state = crd_i_alloc_zeroed(context, mixture->parameters, sizeof *mixture->state);
        if (mixture->state == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) *out = mixture;
    else crd_i_class_mixture_destroy(mixture);
    return status;
}

void crd_i_class_mixture_destroy(crd_i_class_mixture *mixture) {
    if (mixture == NULL) return;
    crd_free(mixture->context, mixture->columns);
    crd_free(mixture->context, mixture->state);
    crd_free(mixture->context, mixture);
}

size_t crd_i_class_mixture_statistics(const crd_i_class_mixture *mixture) {
    return mixture->statistics;
}

size_t crd_i_class_mixture_parameters(const crd_i_class_mixture *mixture) {
    return mixture->parameters;
}

double *crd_i_class_mixture_state(crd_i_class_mixture *mixture) {
    return mixture->state;
}

/* ======== 2. The M step ======== */

/* Estimates P(v | k) of a categorical column from counts[value][class]. Returns the log prior density of the
 * estimates. */
static double estimate_category(crd_i_class_mixture *mixture, const crd_i_mixture_column *column,
                                const double *counts) {
    const size_t classes = mixture->classes, states = column->states;
    double *logs = mixture->state + column->parameters, total = 0, live = 0, prior = 0;
    /* Until the end of this function, the entries for missing values hold the sums of the classes. */
    for (size_t k = 0; k < classes; k++) logs[k * (states + 1) + states] = 0;
    for (size_t v = 0; v < states; v++) {
        double whole = 0;
        for (size_t k = 0; k < classes; k++) {
            logs[k * (states + 1) + states] += counts[v * classes + k];
            whole += counts[v * classes + k];
        }
        total += whole;
        live += whole > 0;
    }
    const double pseudo_sum = mixture->smoothing == CRD_I_SMOOTHING_M         ? mixture->strength
                              : mixture->smoothing == CRD_I_SMOOTHING_LAPLACE ? mixture->strength * live
                                                                              : 0;
    for (size_t v = 0; v < states; v++) {
        double whole = 0;
        for (size_t k = 0; k < classes; k++) whole += counts[v * classes + k];
        const double pseudo = pseudo_sum * (mixture->is_marginal ? whole / total : 1 / live);
        for (size_t k = 0; k < classes; k++) {
            double *input = logs + k * (states + 1), sum = input[states];
            /* A value without rows has factor 1, as in classifiers. A class without rows gets the overall
             * distribution. */
            if (!(whole > 0)) input[v] = 0;
            else if (sum + pseudo_sum > 0) input[v] = crd_log((counts[v * classes + k] + pseudo) / (sum + pseudo_sum));
            else input[v] = crd_log(whole / total);
            if (pseudo > 0 && whole > 0) prior += pseudo * input[v];
        }
    }
    for (size_t k = 0; k < classes; k++) logs[k * (states + 1) + states] = 0;
    return prior;
}

/* Estimates the mean and variance of each class in a numeric column, and stores them as parabolas. Returns the log
 * prior density of the estimates. */
static double estimate_number(crd_i_class_mixture *mixture, const crd_i_mixture_column *column, const double *sums) {
    const size_t classes = mixture->classes;
    double *centers = mixture->state + column->parameters, *slopes = centers + 2 * classes, *tops = slopes + classes;
    double n = 0, s = 0, q = 0, prior = 0;
    for (size_t k = 0; k < classes; k++) {
        n += sums[k];
        s += sums[classes + k];
        q += sums[2 * classes + k];
    }
    const double mean = n > 0 ? s / n : 0, whole = n > 0 ? fmax(q / n - mean * mean, 0) : 0;
    const double pseudo = mixture->smoothing == CRD_I_SMOOTHING_M ? mixture->strength : 0;
    const double least = fmin(mixture->min_sd * column->unit * column->factor, 0x1p500);
    for (size_t k = 0; k < classes; k++) {
        double center = mean, variance = whole;
        if (sums[k] > 0) {
            center = sums[classes + k] / sums[k];
            variance = fmax(sums[2 * classes + k] / sums[k] - center * center, 0);
            variance = (sums[k] * variance + pseudo * whole) / (sums[k] + pseudo);
        }
        variance = fmax(variance, fmax(least * least, LEAST_VARIANCE * whole));
        if (whole == 0) {
            /* These rows have no spread, so the column cannot separate the classes: its factor is 1. */
            centers[k] = slopes[k] = tops[k] = 0;
            continue;
        }
        centers[k] = center;
        slopes[k] = SQRT_HALF / sqrt(variance);
        tops[k] = -HALF_LOG_TWO_PI - crd_log(variance) / 2;
        prior -= pseudo / 2 * (crd_log(variance) + whole / variance);
    }
    return prior;
}

void crd_i_class_mixture_maximize(crd_i_class_mixture *mixture, const double *statistics) {
    double total = 0, prior = 0;
    for (size_t k = 0; k < mixture->classes; k++) total += statistics[k];
    for (size_t k = 0; k < mixture->classes; k++)
        mixture->state[k] = statistics[k] > 0 ? crd_log(statistics[k] / total) : -INFINITY;
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        const double *source = statistics + column->statistics;
        prior +=
            column->is_number ? estimate_number(mixture, column, source) : estimate_category(mixture, column, source);
    }
    mixture->state[mixture->parameters - 1] = prior;
}

/* Returns the complete-data log likelihood, sum_i w_i log P(class_i, x_i), of rows with known classes, from their
 * statistics. */
static double class_mixture_complete(const crd_i_class_mixture *mixture, const double *statistics) {
    const size_t classes = mixture->classes;
    double sum = 0;
    for (size_t k = 0; k < classes; k++)
        if (statistics[k] > 0) sum += statistics[k] * mixture->state[k];
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        const double *source = mixture->state + column->parameters, *input = statistics + column->statistics;
        for (size_t k = 0; column->is_number && k < classes; k++) {
            const double center = source[k], slope = source[2 * classes + k], n = input[k];
            const double squares = input[2 * classes + k] - 2 * center * input[classes + k] + n * center * center;
            sum += n * (source[3 * classes + k] + column->log_factor) - slope * slope * squares;
        }
        for (size_t v = 0; !column->is_number && v < column->states; v++)
            for (size_t k = 0; k < classes; k++)
                if (input[v * classes + k] > 0) sum += input[v * classes + k] * source[k * (column->states + 1) + v];
    }
    return sum;
}

double crd_i_class_mixture_free(const crd_i_class_mixture *mixture, const double *statistics) {
    double count = (double)mixture->classes - 1;
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        double live = 0;
        for (size_t v = 0; !column->is_number && v < column->states; v++) {
            double whole = 0;
            for (size_t k = 0; k < mixture->classes; k++)
                whole += statistics[column->statistics + v * mixture->classes + k];
            live += whole > 0;
        }
        count += (double)mixture->classes * (column->is_number ? 2 : fmax(live - 1, 0));
    }
    return count;
}

/* Returns the distance between rows a and b of a table, a sum over the columns. A numeric column contributes the
 * squared difference divided by the column's variance. A categorical column contributes 0 if the values are equal;
 * otherwise 2 / d, where d is the probability that two random rows differ. A column with a missing value contributes 2,
 * the expected contribution of two random rows. */
static double class_mixture_distance(const crd_i_class_mixture *mixture, const crd_i_case_table *table, size_t a,
                                     size_t b) {
    double sum = 0;
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        const crd_i_case_column *case_column = &table->columns[column->of];
        if (column->is_number) {
            const double z =
                (case_column->numbers[a] * column->unit - case_column->numbers[b] * column->unit) * column->factor;
            sum += z == z ? z * z : 2;
            continue;
        }
        const uint32_t first = crd_i_case_code(case_column, a), second = crd_i_case_code(case_column, b);
        if (first == CRD_I_CASE_MISSING32 || second == CRD_I_CASE_MISSING32) sum += 2;
        else if (first != second && column->differ > 0) sum += 2 / column->differ;
    }
    return sum;
}

/* ======== 3. Rows ========
 *
 * Statistics of known classes, the E step, and posteriors.
 *
 * Designed for tables with a million rows and a few columns. Rows are processed in blocks whose sums fit in the L1
 * cache, with several rows per SIMD vector (math/simd/simd_columns.h). Statistics are summed in LANES separate lanes. */

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
    const double unit = column->unit, center = column->center, factor = column->factor;
    for (size_t i = 0; i < target_block->rows; i++) target_block->numbers[i] = (x[i] * unit - center) * factor;
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

/* ======== 4. Statistics ======== */

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
            const double z = (case_column->numbers[i] * column->unit - column->center) * column->factor;
            if (z != z) continue;
            destination[classes[i]] += weight;
            destination[(size_t)classes[i] + mixture->classes] += weight * z;
            destination[(size_t)classes[i] + 2 * mixture->classes] += weight * z * z;
        }
    }
}

/* ======== 5. The E step ======== */

typedef struct rows_expectation {
    const crd_i_class_mixture *mixture;
    const crd_i_class_mixture_rows *rows;
    size_t chunks, chunk_rows;
    double *partial; /* for each chunk: its statistics, then its log likelihood */
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
        if (shared->rows->inverse_temperature != 1)
            for (size_t i = 0; i < BLOCK * mixture->classes; i++) work->sums[i] *= shared->rows->inverse_temperature;
        mixture_rows_conclude(mixture, work);
        mixture_rows_weigh(mixture, work);
        add_statistics(mixture, table, work, statistics);
        double evidence[LANES] = {0};
        for (size_t i = 0; i < work->rows; i++) evidence[i % LANES] += work->weights[i] * work->totals[i];
        log_likelihood += sum_of_lanes(evidence) / shared->rows->inverse_temperature;
    }
    statistics[mixture->statistics] = log_likelihood;
}

static crd_status expect_chunk(void *state, void *workspace, size_t chunk, crd_error *error) {
    rows_expectation *shared = state;
    block *work = workspace;
    if (work->memory == NULL && !init_block(work, shared->mixture)) return crd_i_fail_memory(error);
    mixture_rows_expect_chunk(shared, chunk, work);
    return CRD_OK;
}

static void clear_chunk_block(void *state, void *workspace) {
    clear_block(((rows_expectation *)state)->mixture, workspace);
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

/* Performs the E step: adds the expected statistics to `statistics` and sets *log_likelihood to sum_i w_i log
 * P(x_i). */
static crd_status class_mixture_expect(const crd_i_class_mixture *mixture, const crd_i_class_mixture_rows *rows,
                                       double *statistics, double *log_likelihood, crd_error *error) {
    rows_expectation shared = {.mixture = mixture, .rows = rows};
    const size_t width = mixture->statistics + 1;
    *log_likelihood = 0;
    divide_rows(&shared);
    shared.partial = crd_i_alloc_zeroed(mixture->context, shared.chunks * width, sizeof *shared.partial);
    crd_i_parallel_loop loop = {.state = &shared,
                                .items = shared.chunks,
                                .threads = rows->threads,
                                .work = expect_chunk,
                                .workspace_size = sizeof(block),
                                .clear = clear_chunk_block};
    crd_status status = shared.partial == NULL ? crd_i_group_fail(rows->table->group, crd_i_fail_memory(error), error)
                                               : crd_i_group_for(mixture->context, rows->table->group, &loop,
                                                                 shared.partial, width * sizeof *shared.partial, error);
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

/* ======== 6. Posteriors ======== */

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

/* ======== 7. Models from class probabilities ======== */

enum { CHUNK_CELLS = 1 << 16, LEAST_CHUNK = 64, MOST_CHUNK = 8192 };

/* A chunk of the rows of a case table. */
typedef struct class_chunk {
    const crd_i_case_table *table;
    size_t count, capacity; /* number of columns in the schema, and maximum number of rows */
    size_t *columns;        /* for each of these: the table's column */
    const double **numbers; /* cells of each column */
    const int32_t **codes;
    int32_t *code_cells;    /* codes of the chunk for every column */
    double *logs, *factors; /* filled by crd_i_class_weights: log probabilities and row factors */
} class_chunk;

static void class_chunk_clear(class_chunk *chunk) {
    crd_context *context = chunk->table->context;
    crd_free(context, chunk->columns);
    crd_free(context, chunk->numbers);
    crd_free(context, chunk->codes);
    crd_free(context, chunk->code_cells);
    crd_free(context, chunk->logs);
    crd_free(context, chunk->factors);
}

/* Allocates the chunk. *out is a frame without rows that has the columns of the chunk, in the schema's order. */
static crd_status class_chunk_init(class_chunk *chunk, const crd_i_schema *schema, size_t classes, crd_frame **out,
                                   crd_error *error) {
    const crd_i_case_table *table = chunk->table;
    crd_context *context = table->context;
    const size_t columns = table->column_count, rows = CHUNK_CELLS / (columns + classes + 1);
    chunk->capacity = rows < LEAST_CHUNK ? LEAST_CHUNK : rows > MOST_CHUNK ? MOST_CHUNK : rows;
    chunk->columns = crd_i_alloc(context, schema->count, sizeof *chunk->columns);
    chunk->numbers = crd_i_alloc_zeroed(context, schema->count, sizeof *chunk->numbers);
    chunk->codes = crd_i_alloc_zeroed(context, schema->count, sizeof *chunk->codes);
    chunk->code_cells = crd_i_alloc(context, columns * chunk->capacity, sizeof *chunk->code_cells);
    chunk->logs = crd_i_alloc(context, chunk->capacity * classes, sizeof *chunk->logs);
    chunk->factors = crd_i_alloc(context, chunk->capacity, sizeof *chunk->factors);
    *out = NULL;
    if (chunk->columns == NULL || chunk->numbers == NULL || chunk->codes == NULL || chunk->code_cells == NULL ||
        chunk->logs == NULL || chunk->factors == NULL)
        return crd_i_fail_memory(error);
    crd_status status = crd_frame_create(context, 0, out, error);
    for (size_t i = 0; status == CRD_OK && i < schema->count; i++) {
        const crd_text name = schema->columns[i].name;
        const size_t index = i == schema->target ? SIZE_MAX : crd_i_case_table_find(table, name);
        if (index == SIZE_MAX) continue;
        const crd_i_case_column *column = &table->columns[index];
        chunk->columns[chunk->count++] = index;
        status = column->type == CRD_TYPE_NUMERIC
                     ? crd_frame_add_numbers(*out, name, NULL, NULL, error)
                     : crd_frame_add_codes(*out, name, NULL, NULL, column->states, column->state_count, error);
    }
    return status;
}

/* Converts the log probabilities of a row into multiples of 2^-32 that sum to 1. The most probable class absorbs the
 * rounding error. */
static void class_tallies_round_shares(double *shares, size_t classes) {
    const double unit = 0x1p-32;
    size_t most = 0;
    double others = 0;
    for (size_t k = 1; k < classes; k++)
        if (shares[k] > shares[most]) most = k;
    for (size_t k = 0; k < classes; k++) {
        if (k == most) continue;
        shares[k] = floor(crd_exp(shares[k]) / unit + 0.5) * unit;
        others += shares[k];
    }
    shares[most] = fmax(1 - others, 0);
}

/* Adds the table's rows from `first` to `first` + `count` - 1. */
static crd_status class_chunk_learn(const class_chunk *chunk, const crd_i_class_weights *weights, size_t first,
                                    size_t count, crd_i_weighted_rows *rows, crd_error *error) {
    const size_t classes = weights->classes;
    const crd_i_weighted_cells cells = {count, chunk->numbers, chunk->codes, chunk->factors};
    for (size_t i = 0; i < chunk->count; i++) {
        const crd_i_case_column *column = &chunk->table->columns[chunk->columns[i]];
        int32_t *codes = chunk->code_cells + i * chunk->capacity;
        chunk->codes[i] = codes;
        if (column->type == CRD_TYPE_NUMERIC) chunk->numbers[i] = column->numbers + first;
        else
            for (size_t r = 0; r < count; r++) codes[r] = (int32_t)crd_i_case_code(column, first + r);
    }
    const crd_status status = weights->fill(weights->state, first, first + count, chunk->logs, chunk->factors, error);
    if (status != CRD_OK) return status;
    for (size_t r = 0; r < count; r++) {
        class_tallies_round_shares(chunk->logs + r * classes, classes);
        chunk->factors[r] *= crd_i_case_weight(chunk->table, first + r);
    }
    return crd_i_weighted_rows_add(rows, &cells, chunk->logs, classes, error);
}

crd_status crd_i_class_tallies_learn(const crd_i_case_table *table, crd_i_schema *schema, const crd_settings *settings,
                                     const crd_i_class_weights *weights, crd_model **out, crd_error *error) {
    class_chunk chunk = {.table = table};
    crd_i_weighted_rows *rows = NULL;
    crd_frame *columns;
    *out = NULL;
    crd_status status = class_chunk_init(&chunk, schema, weights->classes, &columns, error);
    if (status == CRD_OK) {
        status = crd_i_weighted_rows_create(schema, settings, columns, weights->names, weights->classes, &rows, error);
    } else {
        crd_frame_destroy(columns);
        crd_i_schema_destroy(schema);
    }
    for (size_t first = 0; status == CRD_OK && first < table->rows; first += chunk.capacity) {
        const size_t left = table->rows - first, count = left < chunk.capacity ? left : chunk.capacity;
        if (crd_i_context_cancelled(table->context)) status = crd_i_fail_cancelled(error);
        else status = class_chunk_learn(&chunk, weights, first, count, rows, error);
    }
    if (status == CRD_OK) status = crd_i_weighted_rows_model(rows, out, error);
    crd_i_weighted_rows_destroy(rows);
    class_chunk_clear(&chunk);
    return status;
}

/* ======== 8. EM runs ======== */

/* ---- Steps ---- */

typedef struct mixture_run {
    crd_i_class_mixture *mixture;
    const crd_i_class_mixture_rows *rows;
    const double *known;
    double *statistics;
} mixture_run;

static crd_status mixture_run_expect(void *state, crd_i_em_step *out, crd_error *error) {
    const mixture_run *run = state;
    const size_t count = crd_i_class_mixture_statistics(run->mixture);
    const size_t last = crd_i_class_mixture_parameters(run->mixture) - 1;
    if (run->known != NULL) memcpy(run->statistics, run->known, count * sizeof *run->known);
    else memset(run->statistics, 0, count * sizeof *run->statistics);
    crd_status status = class_mixture_expect(run->mixture, run->rows, run->statistics, &out->log_likelihood, error);
    if (status != CRD_OK) return status;
    if (run->known != NULL) out->log_likelihood += class_mixture_complete(run->mixture, run->known);
    out->objective = out->log_likelihood + crd_i_class_mixture_state(run->mixture)[last];
    return CRD_OK;
}

static void mixture_run_maximize(void *state) {
    const mixture_run *run = state;
    crd_i_class_mixture_maximize(run->mixture, run->statistics);
}

crd_status crd_i_mixture_fit_run(crd_i_class_mixture *mixture, const crd_i_class_mixture_rows *rows,
                                 const double *known, const crd_i_em_rule *rule, double *statistics,
                                 crd_i_em_trace *trace, crd_error *error) {
    mixture_run run = {mixture, rows, known, statistics};
    const crd_i_em_model model = {&run, mixture_run_expect, mixture_run_maximize, NULL};
    return crd_i_em_run(&model, rule, trace, error);
}

/* ---- Initialization ---- */

static double mixture_fit_weight(const crd_i_class_mixture_rows *rows, size_t row) {
    return rows->weights != NULL ? rows->weights[row] : crd_i_case_weight(rows->table, row);
}

/* Draws a row with probability proportional to its weight times its distance from the nearest seed. Without distances,
 * the probability is proportional to the weight. Returns SIZE_MAX if all of these products are 0. */
static size_t mixture_fit_draw_row(const crd_i_class_mixture_rows *rows, const double *distances, bool has_distances,
                                   double *cumulative, crd_i_random *random) {
    double sum = 0;
    for (size_t i = 0; i < rows->table->rows; i++) {
        sum += mixture_fit_weight(rows, i) * (has_distances ? distances[i] : 1);
        cumulative[i] = sum;
    }
    if (!(sum > 0)) return SIZE_MAX;
    return crd_i_random_choice(random, cumulative, rows->table->rows);
}

crd_status crd_i_mixture_fit_start(crd_i_class_mixture *mixture, size_t classes, const crd_i_class_mixture_rows *rows,
                                   uint64_t seed, uint64_t stream, crd_error *error) {
    const crd_i_case_table *table = rows->table;
    crd_context *context = table->context;
    crd_status status = CRD_OK;
    crd_i_random random = crd_i_random_at(seed, stream);
    double *distances = crd_i_alloc(context, table->rows, sizeof *distances);
    double *cumulative = crd_i_alloc(context, table->rows, sizeof *cumulative);
    int32_t *nearest = crd_i_alloc_zeroed(context, table->rows, sizeof *nearest);
    double *statistics = crd_i_alloc_zeroed(context, crd_i_class_mixture_statistics(mixture), sizeof *statistics);
    if (distances == NULL || cumulative == NULL || nearest == NULL || statistics == NULL) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    for (size_t k = 0; k < classes; k++) {
        const size_t chosen = mixture_fit_draw_row(rows, distances, k > 0, cumulative, &random);
        if (crd_i_context_cancelled(context)) {
            status = crd_i_fail_cancelled(error);
            goto done;
        }
        if (chosen == SIZE_MAX) break;
        for (size_t i = 0; i < table->rows; i++) {
            const double distance = class_mixture_distance(mixture, table, i, chosen);
            if (k > 0 && distance >= distances[i]) continue;
            distances[i] = distance;
            nearest[i] = (int32_t)k;
        }
    }
    crd_i_class_mixture_count(mixture, rows, nearest, statistics);
    crd_i_class_mixture_maximize(mixture, statistics);

done:
    status = crd_i_group_agree(table->group, status, error);
    crd_free(context, distances);
    crd_free(context, cumulative);
    crd_free(context, nearest);
    crd_free(context, statistics);
    return status;
}

/* ---- Row subsets ---- */

void crd_i_mixture_fit_part(const crd_i_case_table *table, size_t parts, size_t which, double *part) {
    size_t next = 0;
    for (size_t i = 0; i < table->rows; i++) {
        const double weight = crd_i_case_weight(table, i), each = floor(weight / (double)parts);
        double remainder = weight - each * (double)parts;
        part[i] = each;
        for (; remainder > 0; remainder -= 1, next = next + 1 == parts ? 0 : next + 1)
            if (next == which) part[i] += fmin(remainder, 1);
    }
}
