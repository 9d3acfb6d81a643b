/* SPDX-License-Identifier: MIT */
/* emission_sums.c - sums expected observations by class, and estimates a model from the sums. See hmm_training.h.
 *
 * Contents:
 *   1. Layout and addition
 *   2. M step
 *   3. Log prior density */
#include "sequence/train/hmm_training.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/simd/simd_trellis.h"
#include "model/column_family.h"
#include "sequence/pseudo_rows.h"

#include <math.h>
#include <string.h>

/* Statistics of a column. */
typedef enum crd_i_sum_form {
    CRD_I_SUM_NOTHING,  /* no value is present */
    CRD_I_SUM_CONSTANT, /* all values are equal: only the weights of the present values */
    CRD_I_SUM_NORMAL,   /* z and z^2, also for CRD_I_SUM_LOGNORMAL */
    CRD_I_SUM_LOGNORMAL,
    CRD_I_SUM_POISSON, /* z, also for CRD_I_SUM_EXPONENTIAL and CRD_I_SUM_BERNOULLI */
    CRD_I_SUM_EXPONENTIAL,
    CRD_I_SUM_BERNOULLI,
    CRD_I_SUM_CATEGORY, /* weight of each value */
    CRD_I_SUM_JOINT     /* part of a block, with its products */
} crd_i_sum_form;

typedef struct crd_i_summed_column {
    crd_i_sum_form form;
    const crd_i_observed_column *facts;
    bool is_log;           /* the family is lognormal */
    bool has_missing;      /* some values are missing; then the first statistic is the weight of the present values */
    size_t slot;           /* index of the first statistic */
    double center, factor; /* z = (x - center) factor; for the lognormal family, with log x instead of x */
} crd_i_summed_column;

/* Columns with a joint normal density. Statistics: z of each column, then the products of each column with itself and
 * with the later columns. */
typedef struct crd_i_summed_block {
    size_t *columns;
    size_t count, slot;
} crd_i_summed_block;

struct crd_i_emission_sums {
    crd_context *context;
    const crd_sequences *sequences;
    const crd_settings *settings; /* borrowed */
    size_t classes, stride;       /* the stride is `classes` rounded up to whole vectors */
    size_t slots;                 /* number of statistics; the first is the weight of all steps */
    crd_i_summed_column *columns;
    size_t column_count;
    crd_i_summed_block *blocks;
    size_t block_count;
    bool is_maximized;
    const crd_i_simd_trellis *lanes; /* SIMD implementation; results do not depend on it */
};

/* Returns the weight of the present values of a column in a class. */
static inline double summed_weight(const crd_i_emission_sums *layout, const crd_i_summed_column *column,
                                   const double *sums, size_t k) {
    return sums[(column->has_missing ? column->slot : 0) * layout->stride + k];
}
/* Returns statistic `i` of a column in a class, not counting the weight. */
static inline double summed_value(const crd_i_emission_sums *layout, const crd_i_summed_column *column,
                                  const double *sums, size_t i, size_t k) {
    return sums[(column->slot + column->has_missing + i) * layout->stride + k];
}

/* ======== 1. Layout and addition ======== */

enum { MOST_FEATURES = 16 };

/* Limit of the number of sums. Larger problems are rejected even if enough memory is free. */
static const size_t MOST_SUMS = (size_t)1 << 27;

/* Lower bound of the variance of z, as in the gaussian family if all values of a class are equal. Without it, a class
 * would shrink around one row. */
static const double LEAST_VARIANCE = 1e-9;

void crd_i_emission_sums_destroy(crd_i_emission_sums *layout) {
    if (layout == NULL) return;
    for (size_t b = 0; b < layout->block_count; b++) crd_free(layout->context, layout->blocks[b].columns);
    crd_free(layout->context, layout->blocks);
    crd_free(layout->context, layout->columns);
    crd_free(layout->context, layout);
}

/* ---- Forms ---- */

/* Returns whether the square of a deviation is a normal double. */
static bool is_usual(double deviation) {
    return deviation > 0x1p-500 && deviation < 0x1p500;
}

/* Finds the statistics of a column. Returns false if its density is not a function of sums, if some values are outside
 * the support of the family, or if sums would overflow. */
static bool find_form(const crd_i_family *family, const crd_i_observed_column *facts, crd_i_sum_form *form) {
    if (facts->type == CRD_TYPE_CATEGORICAL) *form = CRD_I_SUM_CATEGORY;
    else if (facts->type == CRD_TYPE_NONE || facts->present == 0) *form = CRD_I_SUM_NOTHING;
    else if (family == &crd_i_family_poisson) {
        *form = CRD_I_SUM_POISSON;
        return facts->greatest < 0x1p500 && !facts->has_negative && !facts->has_fraction;
    } else if (family == &crd_i_family_exponential) {
        *form = CRD_I_SUM_EXPONENTIAL;
        return facts->greatest < 0x1p500 && !facts->has_negative;
    } else if (family == &crd_i_family_bernoulli) {
        *form = CRD_I_SUM_BERNOULLI;
        return !facts->has_negative && !facts->has_fraction && !facts->has_above_one;
    } else if (family == &crd_i_family_gaussian) {
        *form = facts->least == facts->greatest ? CRD_I_SUM_CONSTANT : CRD_I_SUM_NORMAL;
        return *form == CRD_I_SUM_CONSTANT || is_usual(facts->deviation);
    } else if (family == &crd_i_family_lognormal) {
        *form = facts->least == facts->greatest ? CRD_I_SUM_CONSTANT : CRD_I_SUM_LOGNORMAL;
        return !facts->has_negative && !facts->has_zero &&
               (*form == CRD_I_SUM_CONSTANT || is_usual(facts->log_deviation));
    } else return false;
    return true;
}

static size_t emission_sums_slots(const crd_i_summed_column *column) {
    switch (column->form) {
    case CRD_I_SUM_NORMAL:
    case CRD_I_SUM_LOGNORMAL: return 2 + column->has_missing;
    case CRD_I_SUM_POISSON:
    case CRD_I_SUM_EXPONENTIAL:
    case CRD_I_SUM_BERNOULLI: return 1 + column->has_missing;
    case CRD_I_SUM_CATEGORY: return column->facts->values + column->has_missing;
    case CRD_I_SUM_CONSTANT: return column->has_missing;
    case CRD_I_SUM_NOTHING:
    case CRD_I_SUM_JOINT: break;
    }
    return 0;
}

static void emission_sums_find_scale(crd_i_summed_column *column) {
    const crd_i_observed_column *facts = column->facts;
    const bool is_log = column->is_log;
    const double deviation = is_log ? facts->log_deviation : facts->deviation;
    column->center = is_log ? facts->log_mean : facts->mean;
    column->factor = is_usual(deviation) ? 1 / deviation : 1;
}

/* ---- Joint normals ---- */

/* Makes a block of columns. Returns false unless all are numeric columns with normal densities and without missing
 * values. */
static bool emission_sums_take_block(crd_i_emission_sums *layout, const size_t *columns, size_t count) {
    crd_i_summed_block *summed = &layout->blocks[layout->block_count];
    for (size_t i = 0; i < count; i++) {
        crd_i_summed_column *column = &layout->columns[columns[i]];
        if ((column->form != CRD_I_SUM_NORMAL && column->form != CRD_I_SUM_CONSTANT) || column->has_missing)
            return false;
    }
    summed->columns = crd_i_alloc(layout->context, count, sizeof *summed->columns);
    if (summed->columns == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        if (layout->columns[columns[i]].form != CRD_I_SUM_NORMAL) continue; /* constant columns are excluded */
        layout->columns[columns[i]].form = CRD_I_SUM_JOINT;
        summed->columns[summed->count++] = columns[i];
    }
    layout->block_count++;
    return true;
}

static size_t named_column(const crd_sequences *sequences, crd_text name) {
    for (size_t c = 0; c < crd_sequences_column_count(sequences); c++)
        if (crd_text_equal(crd_sequences_column_name(sequences, c), name)) return c;
    return SIZE_MAX;
}

/* Finds the blocks that the settings specify. Returns false if sums do not suffice for some block. */
static bool find_blocks(crd_i_emission_sums *layout, const crd_settings *settings, size_t *workspace) {
    size_t count = 0, categories = 0;
    if (settings->joint == CRD_I_TOGETHER_NONE) return true;
    const bool is_stated =
        settings->covariance == CRD_I_COVARIANCE_DIAG ||
        ((settings->covariance == CRD_I_COVARIANCE_FULL || settings->covariance == CRD_I_COVARIANCE_TIED) &&
         !isnan(settings->covariance_shrinkage));
    if (!is_stated) return false;
    if (settings->joint == CRD_I_TOGETHER_BLOCKS) {
        for (size_t b = 0, i = 0; b < settings->joint_count; b++) {
            for (count = 0; i < settings->joint_ends[b]; i++) {
                workspace[count] = named_column(layout->sequences, crd_i_dictionary_text(settings->joint_columns, i));
                if (workspace[count++] == SIZE_MAX) return false;
            }
            if (!emission_sums_take_block(layout, workspace, count)) return false;
        }
        return true;
    }
    for (size_t c = 0; c < layout->column_count; c++) {
        categories += layout->columns[c].form == CRD_I_SUM_CATEGORY;
        if (layout->columns[c].facts->type == CRD_TYPE_NUMERIC) workspace[count++] = c;
    }
    if (settings->joint != CRD_I_TOGETHER_NUMBERS && categories > 1) return false;
    return settings->joint == CRD_I_TOGETHER_CATEGORIES || emission_sums_take_block(layout, workspace, count);
}

/* ---- Creation ---- */

/* Numbers the statistics. Returns false if there are too many. */
static bool number_slots(crd_i_emission_sums *layout) {
    layout->slots = 1;
    for (size_t c = 0; c < layout->column_count; c++) {
        crd_i_summed_column *column = &layout->columns[c];
        column->slot = layout->slots;
        layout->slots += emission_sums_slots(column);
    }
    for (size_t b = 0; b < layout->block_count; b++) {
        crd_i_summed_block *block = &layout->blocks[b];
        block->slot = layout->slots;
        layout->slots += block->count + block->count * (block->count + 1) / 2;
    }
    return layout->slots < MOST_SUMS / layout->stride;
}

/* Returns whether the M step maximizes likelihood times prior under the settings. */
static bool is_maximized(const crd_i_emission_sums *layout, const crd_settings *settings) {
    const bool is_smoothed = settings->smoothing != CRD_I_SMOOTHING_NONE && settings->smoothing_strength > 0;
    if (settings->sample_variance) return false;
    if (is_smoothed && (settings->share_classes || settings->share_attributes)) return false;
    /* Smoothing does not change covariances. */
    return layout->block_count == 0 ||
           (settings->covariance == CRD_I_COVARIANCE_DIAG ? !is_smoothed : settings->covariance_shrinkage == 0);
}

crd_status crd_i_emission_sums_create(const crd_sequences *sequences, const crd_i_observation_facts *facts,
                                      const crd_settings *settings, size_t classes, crd_i_emission_sums **out,
                                      crd_error *error) {
    crd_context *context = facts->context;
    const size_t columns = facts->column_count;
    crd_i_emission_sums *layout = crd_i_alloc_zeroed(context, 1, sizeof *layout);
    size_t *workspace = crd_i_alloc(context, columns, sizeof *workspace);
    bool is_enough = true;
    *out = NULL;
    if (layout != NULL) layout->context = context;
    if (layout == NULL || workspace == NULL) goto fail;
    layout->sequences = sequences;
    layout->settings = settings;
    layout->classes = classes;
    layout->stride = (classes + CRD_I_SIMD - 1) / CRD_I_SIMD * CRD_I_SIMD;
    layout->lanes = crd_i_simd_trellis_best();
    layout->columns = crd_i_alloc_zeroed(context, columns, sizeof *layout->columns);
    layout->blocks = crd_i_alloc_zeroed(context, settings->joint_count + 1, sizeof *layout->blocks);
    if (layout->columns == NULL || layout->blocks == NULL) goto fail;
    layout->column_count = columns;
    for (size_t c = 0; c < columns; c++) {
        crd_i_summed_column *column = &layout->columns[c];
        column->facts = &facts->columns[c];
        const crd_i_family *family =
            crd_i_column_family_family(settings, crd_sequences_column_name(sequences, c), column->facts->type);
        column->has_missing = column->facts->present < facts->steps;
        is_enough &= find_form(family, column->facts, &column->form);
        column->is_log = family == &crd_i_family_lognormal;
        emission_sums_find_scale(column);
    }
    is_enough = is_enough && find_blocks(layout, settings, workspace) && number_slots(layout);
    layout->is_maximized = is_maximized(layout, settings);
    crd_free(context, workspace);
    if (is_enough) *out = layout;
    else crd_i_emission_sums_destroy(layout);
    return CRD_OK;

fail:
    crd_free(context, workspace);
    crd_i_emission_sums_destroy(layout);
    return crd_i_fail_memory(error);
}

bool crd_i_emission_sums_are_maximized(const crd_i_emission_sums *layout) {
    return layout->is_maximized;
}

size_t crd_i_emission_sums_size(const crd_i_emission_sums *layout) {
    return layout->slots * layout->stride;
}

size_t crd_i_emission_sums_room(const crd_i_emission_sums *layout) {
    size_t widest = 0;
    for (size_t b = 0; b < layout->block_count; b++)
        if (layout->blocks[b].count > widest) widest = layout->blocks[b].count;
    return (MOST_FEATURES + widest) * CRD_I_BLOCK_STEPS;
}

/* ---- Adding steps ---- */

/* Functions of single steps, collected to be summed under all classes together. */
typedef struct sums_features {
    const crd_i_simd_trellis *lanes;
    const double *weights;
    size_t steps, stride, own_stride;
    size_t count;
    double *values; /* [feature * CRD_I_BLOCK_STEPS + step] */
    double *output[MOST_FEATURES];
} sums_features;

static void emission_sums_flush(sums_features *features) {
    features->lanes->sum(features->weights, features->stride, features->own_stride, features->steps, features->values,
                         CRD_I_BLOCK_STEPS, features->count, features->output);
    features->count = 0;
}

/* Returns room for the values of one more feature. */
static double *add_feature(sums_features *features, double *destination) {
    if (features->count == MOST_FEATURES) emission_sums_flush(features);
    features->output[features->count] = destination;
    return features->values + features->count++ * CRD_I_BLOCK_STEPS;
}

/* Computes z of numbers, 0 if missing. */
static void emission_sums_standardize(const crd_i_summed_column *column, const double *restrict numbers, size_t steps,
                                      double *restrict z) {
    const double center = column->center, factor = column->factor;
    if (column->form == CRD_I_SUM_LOGNORMAL) {
        for (size_t t = 0; t < steps; t++) z[t] = (crd_log(numbers[t]) - center) * factor;
    } else {
        for (size_t t = 0; t < steps; t++) z[t] = (numbers[t] - center) * factor;
    }
    for (size_t t = 0; column->has_missing && t < steps; t++) z[t] = z[t] == z[t] ? z[t] : 0;
}

static void emission_sums_square(const double *restrict z, size_t steps, double *restrict squares) {
    for (size_t t = 0; t < steps; t++) squares[t] = z[t] * z[t];
}

static void emission_sums_add_numbers(const crd_i_emission_sums *layout, const crd_i_summed_column *column,
                                      const double *numbers, sums_features *features, double *sums) {
    double *destination = sums + column->slot * layout->stride;
    if (column->has_missing) {
        double *present = add_feature(features, destination);
        for (size_t t = 0; t < features->steps; t++) present[t] = numbers[t] == numbers[t];
        destination += layout->stride;
    }
    if (column->form == CRD_I_SUM_CONSTANT) return;
    double *z = add_feature(features, destination);
    emission_sums_standardize(column, numbers, features->steps, z);
    if (column->form != CRD_I_SUM_NORMAL && column->form != CRD_I_SUM_LOGNORMAL) return;
    /* Adding a feature may flush the earlier ones, but their values stay in place. */
    double *squares = add_feature(features, destination + layout->stride);
    emission_sums_square(z, features->steps, squares);
}

static void emission_sums_add_codes(const crd_i_emission_sums *layout, const crd_i_summed_column *column,
                                    const int32_t *codes, const sums_features *features, double *sums) {
    double *present = sums + column->slot * layout->stride;
    double *destination = present + (column->has_missing ? layout->stride : 0);
    for (size_t t = 0; t < features->steps; t++) {
        if (codes[t] < 0) continue;
        const double *restrict w = features->weights + t * features->stride;
        double *restrict counts = destination + (size_t)codes[t] * layout->stride;
        for (size_t k = 0; k < layout->stride; k++) counts[k] += w[k];
        if (column->has_missing)
            for (size_t k = 0; k < layout->stride; k++) present[k] += w[k];
    }
}

/* Adds the values and products of a block of columns as features. */
static void emission_sums_add_joint(const crd_i_emission_sums *layout, const crd_i_summed_block *block,
                                    const crd_i_observation_block *observation, sums_features *features,
                                    double *workspace, double *sums) {
    double *destination = sums + block->slot * layout->stride;
    for (size_t i = 0; i < block->count; i++, destination += layout->stride) {
        const crd_i_summed_column *column = &layout->columns[block->columns[i]];
        const double *numbers = observation->numbers[block->columns[i]];
        double *z = workspace + i * CRD_I_BLOCK_STEPS;
        for (size_t t = 0; t < features->steps; t++) z[t] = (numbers[t] - column->center) * column->factor;
        memcpy(add_feature(features, destination), z, features->steps * sizeof *z);
    }
    for (size_t i = 0; i < block->count; i++)
        for (size_t j = i; j < block->count; j++, destination += layout->stride) {
            const double *restrict a = workspace + i * CRD_I_BLOCK_STEPS, *restrict b =
                                                                              workspace + j * CRD_I_BLOCK_STEPS;
            double *restrict values = add_feature(features, destination);
            for (size_t t = 0; t < features->steps; t++) values[t] = a[t] * b[t];
        }
}

void crd_i_emission_sums_add(const crd_i_emission_sums *layout, const crd_i_observation_block *block,
                             const double *weights, size_t stride, double *workspace, double *sums) {
    sums_features features = {.lanes = layout->lanes,
                              .weights = weights,
                              .steps = block->steps,
                              .stride = stride,
                              .own_stride = layout->stride,
                              .values = workspace};
    double *values = add_feature(&features, sums);
    for (size_t t = 0; t < features.steps; t++) values[t] = 1;
    for (size_t c = 0; c < layout->column_count; c++) {
        const crd_i_summed_column *column = &layout->columns[c];
        switch (column->form) {
        case CRD_I_SUM_NOTHING:
        case CRD_I_SUM_JOINT: break;
        case CRD_I_SUM_CATEGORY: emission_sums_add_codes(layout, column, block->codes[c], &features, sums); break;
        case CRD_I_SUM_CONSTANT:
        case CRD_I_SUM_NORMAL:
        case CRD_I_SUM_LOGNORMAL:
        case CRD_I_SUM_POISSON:
        case CRD_I_SUM_EXPONENTIAL:
        case CRD_I_SUM_BERNOULLI: emission_sums_add_numbers(layout, column, block->numbers[c], &features, sums); break;
        }
    }
    for (size_t b = 0; b < layout->block_count; b++)
        emission_sums_add_joint(layout, &layout->blocks[b], block, &features,
                                workspace + MOST_FEATURES * CRD_I_BLOCK_STEPS, sums);
    emission_sums_flush(&features);
}

/* ---- Sums of classes ---- */

double crd_i_emission_sums_total(const crd_i_emission_sums *layout, const double *sums, size_t k) {
    (void)layout; /* the first statistic */
    return sums[k];
}

/* Return the mean and the variance of z in a class with positive weight. The variance has a lower bound: a small
 * fraction of the whole column's variance. */
static double summed_mean(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums,
                          size_t k) {
    return summed_value(layout, column, sums, 0, k) / summed_weight(layout, column, sums, k);
}

static double summed_variance(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums,
                              size_t k) {
    const double mean = summed_mean(layout, column, sums, k);
    const double square = summed_value(layout, column, sums, 1, k) / summed_weight(layout, column, sums, k);
    return fmax(square - mean * mean, LEAST_VARIANCE);
}

void crd_i_emission_sums_perturb(const crd_i_emission_sums *layout, double (*factor)(void *state), void *state,
                                 double *sums) {
    for (size_t c = 0; c < layout->column_count; c++) {
        const crd_i_summed_column *column = &layout->columns[c];
        if (column->form != CRD_I_SUM_CATEGORY) continue;
        for (size_t k = 0; k < layout->classes; k++) {
            double *counts = sums + (column->slot + column->has_missing) * layout->stride + k, before = 0, after = 0;
            for (size_t v = 0; v < column->facts->values; v++) {
                before += counts[v * layout->stride];
                counts[v * layout->stride] *= factor(state);
                after += counts[v * layout->stride];
            }
            for (size_t v = 0; after > 0 && v < column->facts->values; v++)
                counts[v * layout->stride] *= before / after;
        }
    }
}

/* Returns the sum of a statistic over all classes. */
static double emission_sums_overall(const crd_i_emission_sums *layout, const double *statistic) {
    double sum = 0;
    for (size_t k = 0; k < layout->classes; k++) sum += statistic[k];
    return sum;
}

void crd_i_emission_sums_soften(const crd_i_emission_sums *layout, double share, size_t source, size_t target,
                                double *sums) {
    for (size_t c = 0; c < layout->column_count; c++) {
        const crd_i_summed_column *column = &layout->columns[c];
        if (column->form != CRD_I_SUM_CATEGORY && column->form != CRD_I_SUM_BERNOULLI &&
            column->form != CRD_I_SUM_POISSON && column->form != CRD_I_SUM_EXPONENTIAL)
            continue;
        const double *weights = sums + (column->has_missing ? column->slot : 0) * layout->stride;
        const double whole = emission_sums_overall(layout, weights);
        for (size_t s = column->has_missing; whole > 0 && s < emission_sums_slots(column); s++) {
            double *statistic = sums + (column->slot + s) * layout->stride;
            const double mean = emission_sums_overall(layout, statistic) / whole;
            for (size_t k = source; k < target; k++)
                statistic[k] = (1 - share) * statistic[k] + share * weights[k] * mean;
        }
    }
}

void crd_i_emission_sums_draw(const crd_i_emission_sums *layout, double (*factor)(void *state), void *state,
                              double *sums) {
    for (size_t c = 0; c < layout->column_count; c++) {
        const crd_i_summed_column *column = &layout->columns[c];
        if (column->form != CRD_I_SUM_CATEGORY) continue;
        for (size_t k = 0; k < layout->classes; k++) {
            double *counts = sums + (column->slot + column->has_missing) * layout->stride + k, sum = 0;
            for (size_t v = 0; v < column->facts->values; v++)
                sum += counts[v * layout->stride] = column->facts->counts[v] * factor(state);
            const double scale = sum > 0 ? summed_weight(layout, column, sums, k) / sum : 0;
            for (size_t v = 0; v < column->facts->values; v++) counts[v * layout->stride] *= scale;
        }
    }
}

/* Sets the statistics from `source` to `target` - 1 of a class to the plain ones, scaled by the weight. */
static void emission_sums_take_plain(const crd_i_emission_sums *layout, const double *plain, size_t source,
                                     size_t target, double scale, size_t k, double *sums) {
    for (size_t s = source; s < target; s++) sums[s * layout->stride + k] = scale * plain[s * layout->stride + k];
}

/* Makes value counts valid; they sum to the weight. */
static void mend_counts(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *plain,
                        double part, size_t k, double *sums) {
    const size_t first = column->slot + column->has_missing;
    double sum = 0;
    for (size_t v = first; v < first + column->facts->values; v++) {
        double *count = &sums[v * layout->stride + k];
        *count = fmax(*count, part * plain[v * layout->stride + k]);
        sum += *count;
    }
    const double scale = sum > 0 ? summed_weight(layout, column, sums, k) / sum : 0;
    for (size_t v = first; v < first + column->facts->values; v++) sums[v * layout->stride + k] *= scale;
}

/* Makes the statistics of a column in a class valid. */
static void mend_column(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *plain,
                        double part, size_t k, double *sums) {
    if (column->has_missing) {
        double *weight = &sums[column->slot * layout->stride + k];
        *weight = fmax(*weight, part * plain[column->slot * layout->stride + k]);
    }
    if (column->form == CRD_I_SUM_CATEGORY) mend_counts(layout, column, plain, part, k, sums);
    const double before = summed_weight(layout, column, plain, k);
    const double weight = summed_weight(layout, column, sums, k);
    const size_t first = column->slot + column->has_missing, slots = emission_sums_slots(column) - column->has_missing;
    if (column->form == CRD_I_SUM_CATEGORY || slots == 0 || !(before > 0) || !(weight > 0)) return;
    bool is_possible;
    if (slots == 2) {
        const double variance = summed_variance(layout, column, sums, k);
        is_possible = variance > part * summed_variance(layout, column, plain, k);
    } else {
        const double mean = column->center + summed_mean(layout, column, sums, k) / column->factor;
        is_possible = mean > column->facts->least && mean < column->facts->greatest;
    }
    if (!is_possible) emission_sums_take_plain(layout, plain, first, first + slots, weight / before, k, sums);
}

/* Makes the statistics of a block in a class valid: no variance may be too small. */
static void mend_block(const crd_i_emission_sums *layout, const crd_i_summed_block *block, const double *plain,
                       double part, size_t k, double *sums) {
    const size_t stride = layout->stride, D = block->count;
    const double before = plain[k], weight = sums[k];
    bool is_possible = true;
    if (!(before > 0) || !(weight > 0)) return;
    for (size_t i = 0, index = block->slot + D; i < D; index += D - i, i++) {
        const double m0 = plain[(block->slot + i) * stride + k] / before,
                     m = sums[(block->slot + i) * stride + k] / weight;
        const double v0 = plain[index * stride + k] / before - m0 * m0, v = sums[index * stride + k] / weight - m * m;
        is_possible = is_possible && v > part * v0;
    }
    if (!is_possible)
        emission_sums_take_plain(layout, plain, block->slot, block->slot + D + D * (D + 1) / 2, weight / before, k,
                                 sums);
}

void crd_i_emission_sums_mend(const crd_i_emission_sums *layout, const double *plain, double part, double *sums) {
    for (size_t k = 0; k < layout->classes; k++) {
        sums[k] = fmax(sums[k], part * plain[k]);
        for (size_t c = 0; c < layout->column_count; c++)
            mend_column(layout, &layout->columns[c], plain, part, k, sums);
        for (size_t b = 0; b < layout->block_count; b++) mend_block(layout, &layout->blocks[b], plain, part, k, sums);
    }
}

void crd_i_emission_sums_copy_class(const crd_i_emission_sums *layout, const double *source, size_t from_class,
                                    double *destination, size_t to_class) {
    for (size_t s = 0; s < layout->slots; s++)
        destination[s * layout->stride + to_class] = source[s * layout->stride + from_class];
}

/* ======== 2. M step ========
 *
 * The sums are converted to weights, means, variances and counts, and a model with these statistics is created
 * (pseudo_rows.h). With n_k = sum_t g_tk:
 *
 *   mean_k = sum_t g_tk x_t / n_k,   cov_k = sum_t g_tk x_t x_t' / n_k - mean_k mean_k',
 *   n_kv = sum_t g_tk [x_t = v]. */

typedef struct statistics_room {
    const crd_i_emission_sums *layout;
    const double *sums;
    double *weights;                  /* weights of the classes */
    crd_i_column_statistics *columns; /* statistics by schema column */
    double **owned;                   /* arrays of each column of the sequences, then of each block */
    crd_text **texts;
    size_t **places; /* for each block: the schema positions of its columns */
    crd_i_block_statistics *blocks;
} statistics_room;

/* ---- Columns ---- */

/* Computes the mean and the variance of a numeric column in a class. */
static void emission_model_fill_number(const statistics_room *workspace, const crd_i_summed_column *column, size_t k,
                                       double *mean, double *variance) {
    const crd_i_emission_sums *layout = workspace->layout;
    *mean = column->facts->least;
    *variance = 0;
    if (column->form == CRD_I_SUM_CONSTANT || !(summed_weight(layout, column, workspace->sums, k) > 0)) return;
    *mean = column->center + summed_mean(layout, column, workspace->sums, k) / column->factor;
    if (column->form == CRD_I_SUM_NORMAL || column->form == CRD_I_SUM_LOGNORMAL)
        *variance = summed_variance(layout, column, workspace->sums, k) / column->factor / column->factor;
    else *mean = fmin(fmax(*mean, column->facts->least), column->facts->greatest);
}

static bool describe_number(statistics_room *workspace, size_t c, crd_i_column_statistics *statistics) {
    const crd_i_emission_sums *layout = workspace->layout;
    const crd_i_summed_column *column = &layout->columns[c];
    const size_t classes = layout->classes;
    double *buffer = workspace->owned[c] = crd_i_alloc(layout->context, 3 * classes, sizeof *buffer);
    if (buffer == NULL) return false;
    for (size_t k = 0; k < classes; k++) {
        buffer[k] = summed_weight(layout, column, workspace->sums, k);
        emission_model_fill_number(workspace, column, k, &buffer[classes + k], &buffer[2 * classes + k]);
        if (column->form == CRD_I_SUM_CONSTANT && column->is_log) buffer[classes + k] = column->center;
    }
    statistics->cells = buffer;
    statistics->firsts = buffer + classes;
    statistics->seconds = buffer + 2 * classes;
    return true;
}

/* Collects the value counts of a categorical column. Returns false if out of memory. */
static bool describe_category(statistics_room *workspace, size_t c, crd_i_column_statistics *statistics) {
    const crd_i_emission_sums *layout = workspace->layout;
    const crd_i_summed_column *column = &layout->columns[c];
    const crd_i_dictionary *dictionary = crd_i_sequences_values(layout->sequences, c);
    const size_t classes = layout->classes, values = column->facts->values;
    double *buffer = workspace->owned[c] = crd_i_alloc(layout->context, classes * (values + 1), sizeof *buffer);
    crd_text *texts = workspace->texts[c] = crd_i_alloc(layout->context, values, sizeof *texts);
    if (buffer == NULL || texts == NULL) return false;
    for (size_t v = 0; v < values; v++) {
        texts[v] = crd_i_dictionary_text(dictionary, v);
        for (size_t k = 0; k < classes; k++)
            buffer[k * values + v] = summed_value(layout, column, workspace->sums, v, k);
    }
    statistics->counts = buffer;
    statistics->cells = buffer + classes * values;
    for (size_t k = 0; k < classes; k++)
        buffer[classes * values + k] = summed_weight(layout, column, workspace->sums, k);
    statistics->values = texts;
    statistics->value_count = values;
    return true;
}

/* ---- Blocks ---- */

/* Computes the mean vector and the covariance matrix of a block in a class. */
static void emission_model_fill_block(const statistics_room *workspace, const crd_i_summed_block *block, size_t k,
                                      double *means, double *covariance) {
    const size_t stride = workspace->layout->stride, D = block->count;
    const double n = workspace->sums[k], *source = workspace->sums + block->slot * stride + k,
                 *products = source + D * stride;
    for (size_t i = 0; i < D; i++)
        for (size_t j = i; j < D; j++, products += stride) {
            const crd_i_summed_column *a = &workspace->layout->columns[block->columns[i]];
            const crd_i_summed_column *b = &workspace->layout->columns[block->columns[j]];
            double z = n > 0 ? *products / n - source[i * stride] / n * (source[j * stride] / n) : 0;
            if (i == j) z = fmax(z, LEAST_VARIANCE);
            covariance[i * D + j] = covariance[j * D + i] = z / a->factor / b->factor;
        }
    for (size_t i = 0; i < D; i++) {
        const crd_i_summed_column *a = &workspace->layout->columns[block->columns[i]];
        means[i] = a->center + (n > 0 ? source[i * stride] / n / a->factor : 0);
    }
}

static bool describe_block(statistics_room *workspace, size_t b) {
    const crd_i_emission_sums *layout = workspace->layout;
    const crd_i_summed_block *block = &layout->blocks[b];
    const size_t D = block->count, classes = layout->classes;
    double *buffer = workspace->owned[layout->column_count + b] =
        crd_i_alloc(layout->context, classes * D * (D + 1), sizeof *buffer);
    workspace->places[b] = crd_i_alloc(layout->context, D, sizeof **workspace->places);
    if (buffer == NULL || workspace->places[b] == NULL) return false;
    for (size_t i = 0; i < D; i++)
        workspace->places[b][i] = crd_i_sequences_schema_column(layout->sequences, block->columns[i]);
    for (size_t k = 0; k < classes; k++)
        emission_model_fill_block(workspace, block, k, buffer + k * D, buffer + classes * D + k * D * D);
    workspace->blocks[b].columns = workspace->places[b];
    workspace->blocks[b].count = D;
    workspace->blocks[b].cells = workspace->weights;
    workspace->blocks[b].means = buffer;
    workspace->blocks[b].covariances = buffer + classes * D;
    return true;
}

/* ---- The model ---- */

/* Converts the sums of all columns and blocks. Returns false if out of memory. */
static bool emission_model_describe(statistics_room *workspace, size_t schema_columns) {
    const crd_i_emission_sums *layout = workspace->layout;
    crd_context *context = layout->context;
    const size_t columns = layout->column_count, blocks = layout->block_count;
    workspace->weights = crd_i_alloc(context, layout->classes, sizeof *workspace->weights);
    workspace->columns = crd_i_alloc_zeroed(context, schema_columns, sizeof *workspace->columns);
    workspace->owned = crd_i_alloc_zeroed(context, columns + blocks, sizeof *workspace->owned);
    workspace->texts = crd_i_alloc_zeroed(context, columns, sizeof *workspace->texts);
    workspace->places = crd_i_alloc_zeroed(context, blocks, sizeof *workspace->places);
    workspace->blocks = crd_i_alloc_zeroed(context, blocks, sizeof *workspace->blocks);
    if (workspace->weights == NULL || workspace->columns == NULL || workspace->owned == NULL ||
        workspace->texts == NULL || workspace->places == NULL || workspace->blocks == NULL)
        return false;
    for (size_t k = 0; k < layout->classes; k++) workspace->weights[k] = workspace->sums[k];
    for (size_t c = 0; c < columns; c++) {
        const crd_i_sum_form form = layout->columns[c].form;
        crd_i_column_statistics *statistics = &workspace->columns[crd_i_sequences_schema_column(layout->sequences, c)];
        if (form == CRD_I_SUM_NOTHING || form == CRD_I_SUM_JOINT) continue;
        if (!(form == CRD_I_SUM_CATEGORY ? describe_category(workspace, c, statistics)
                                         : describe_number(workspace, c, statistics)))
            return false;
    }
    for (size_t b = 0; b < blocks; b++)
        if (!describe_block(workspace, b)) return false;
    return true;
}

static void emission_model_clear(statistics_room *workspace) {
    crd_context *context = workspace->layout->context;
    const size_t columns = workspace->layout->column_count, blocks = workspace->layout->block_count;
    for (size_t i = 0; workspace->owned != NULL && i < columns + blocks; i++) crd_free(context, workspace->owned[i]);
    for (size_t c = 0; workspace->texts != NULL && c < columns; c++) crd_free(context, workspace->texts[c]);
    for (size_t b = 0; workspace->places != NULL && b < blocks; b++) crd_free(context, workspace->places[b]);
    crd_free(context, workspace->weights);
    crd_free(context, workspace->columns);
    crd_free(context, workspace->owned);
    crd_free(context, workspace->texts);
    crd_free(context, workspace->places);
    crd_free(context, workspace->blocks);
}

crd_status crd_i_emission_sums_model(const crd_i_emission_sums *layout, const double *sums, const crd_text *names,
                                     crd_i_schema *schema, const crd_settings *settings, crd_model **out,
                                     crd_error *error) {
    statistics_room workspace = {.layout = layout, .sums = sums};
    crd_status status;
    *out = NULL;
    if (emission_model_describe(&workspace, schema->count)) {
        const crd_i_class_statistics statistics = {.classes = layout->classes,
                                                   .names = names,
                                                   .rows = workspace.weights,
                                                   .columns = workspace.columns,
                                                   .blocks = workspace.blocks,
                                                   .block_count = layout->block_count};
        status = crd_i_model_of_statistics(layout->context, schema, settings, &statistics, out, error);
    } else {
        crd_i_schema_destroy(schema);
        status = crd_i_fail_memory(error);
    }
    emission_model_clear(&workspace);
    return status;
}

/* ======== 3. Log prior density ========
 *
 * With M or L pseudo-counts, a family's estimate is the posterior mode under a conjugate prior. The log prior
 * densities, up to constants, are
 *
 *   categorical, Bernoulli   sum_v a_v log p_v,   a_v = M / t, M times the overall share of v, or L
 *   normal, lognormal        -M / 2 (log s^2 + V / s^2),   V the variance of the whole column
 *   Poisson                  M (m0 log m - m),   m0 the overall mean
 *   exponential              -M (log m + m0 / m)
 *
 * where t is the number of values. So EM never decreases the sum of log likelihood and log prior (Dempster, Laird and
 * Rubin 1977). */

static bool is_m(const crd_settings *settings) {
    return settings->smoothing == CRD_I_SMOOTHING_M;
}

/* Returns the sum of a statistic over all classes. */
static double emission_prior_overall(const crd_i_emission_sums *layout, const double *statistic) {
    double sum = 0;
    for (size_t k = 0; k < layout->classes; k++) sum += statistic[k];
    return sum;
}

/* Returns the number of values that have a probability: those that occurred, and those that are declared. */
static size_t known_values(const crd_i_emission_sums *layout, size_t c, const double *counts) {
    const crd_i_summed_column *column = &layout->columns[c];
    const crd_i_dictionary *values = crd_i_sequences_values(layout->sequences, c);
    const crd_i_schema *schema = crd_i_sequences_schema(layout->sequences);
    const crd_i_dictionary *declared = schema->columns[crd_i_sequences_schema_column(layout->sequences, c)].values;
    size_t known = 0;
    for (size_t v = 0; v < column->facts->values; v++)
        known += emission_prior_overall(layout, counts + v * layout->stride) > 0;
    for (size_t v = 0; declared != NULL && v < crd_i_dictionary_size(declared); v++) {
        const int32_t code = crd_i_dictionary_find(values, crd_i_dictionary_text(declared, v));
        known += code < 0 || !(emission_prior_overall(layout, counts + (size_t)code * layout->stride) > 0);
    }
    return known;
}

/* Computes the Dirichlet prior of a categorical column. */
static double category_prior(const crd_i_emission_sums *layout, size_t c, const double *sums) {
    const crd_i_summed_column *column = &layout->columns[c];
    const crd_settings *settings = layout->settings;
    const double *counts = sums + (column->slot + column->has_missing) * layout->stride;
    const size_t known = known_values(layout, c, counts);
    const bool is_marginal = is_m(settings) && settings->smoothing_marginal;
    const double strength = settings->smoothing_strength;
    const double all = is_m(settings) ? strength : strength * (double)known;
    const double even = is_m(settings) ? strength / (double)known : strength;
    const double present =
        emission_prior_overall(layout, sums + (column->has_missing ? column->slot : 0) * layout->stride);
    double prior = 0;
    size_t met = 0;
    for (size_t v = 0; v < column->facts->values; v++) {
        const double *input = counts + v * layout->stride, whole = emission_prior_overall(layout, input);
        const double pseudo = is_marginal ? strength * whole / present : even;
        if (!(whole > 0)) continue;
        met++;
        for (size_t k = 0; k < layout->classes; k++)
            prior += pseudo * crd_log((input[k] + pseudo) / (summed_weight(layout, column, sums, k) + all));
    }
    for (size_t k = 0; !is_marginal && met < known && k < layout->classes; k++)
        prior += (double)(known - met) * even * crd_log(even / (summed_weight(layout, column, sums, k) + all));
    return prior;
}

/* Statistics of a numeric column over all classes. */
typedef struct whole_column {
    double mean, variance; /* of the standardized values z */
} whole_column;

static whole_column whole_of(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums) {
    const double *first = sums + (column->slot + column->has_missing) * layout->stride;
    const double n = emission_prior_overall(layout, sums + (column->has_missing ? column->slot : 0) * layout->stride);
    whole_column whole = {0, 1};
    if (!(n > 0)) return whole;
    whole.mean = emission_prior_overall(layout, first) / n;
    if (column->form == CRD_I_SUM_NORMAL || column->form == CRD_I_SUM_LOGNORMAL)
        whole.variance = emission_prior_overall(layout, first + layout->stride) / n - whole.mean * whole.mean;
    return whole;
}

static double bernoulli_prior(const crd_i_emission_sums *layout, const crd_i_summed_column *column,
                              const double *sums) {
    const crd_settings *settings = layout->settings;
    const double strength = settings->smoothing_strength;
    const double ones = column->center + whole_of(layout, column, sums).mean / column->factor;
    const double share = is_m(settings) && settings->smoothing_marginal ? fmin(fmax(ones, 0), 1) : 0.5;
    const double all = is_m(settings) ? strength : 2 * strength;
    double prior = 0;
    for (size_t k = 0; k < layout->classes; k++) {
        const double n = summed_weight(layout, column, sums, k);
        const double z = n > 0 ? summed_mean(layout, column, sums, k) : 0;
        const double p = (n * fmin(fmax(column->center + z / column->factor, 0), 1) + all * share) / (n + all);
        if (share > 0) prior += all * share * crd_log(p);
        if (share < 1) prior += all * (1 - share) * crd_log(1 - p);
    }
    return prior;
}

/* Computes the prior of a family that only M pseudo-counts affect. */
static double number_prior(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums) {
    const whole_column whole = whole_of(layout, column, sums);
    const double M = layout->settings->smoothing_strength, mean = column->center + whole.mean / column->factor;
    double prior = 0;
    for (size_t k = 0; k < layout->classes; k++) {
        const double n = summed_weight(layout, column, sums, k);
        const double z = n > 0 ? summed_mean(layout, column, sums, k) : 0;
        if (column->form == CRD_I_SUM_NORMAL || column->form == CRD_I_SUM_LOGNORMAL) {
            const double own = n > 0 ? summed_variance(layout, column, sums, k) : 0;
            const double variance = (n * own + M * whole.variance) / (n + M);
            prior -= M / 2 * (crd_log(variance) + whole.variance / variance);
            continue;
        }
        const double own = (n * (column->center + z / column->factor) + M * mean) / (n + M);
        if (!(own > 0) || !(mean > 0)) continue;
        if (column->form == CRD_I_SUM_POISSON) prior += M * (mean * crd_log(own) - own);
        else prior -= M * (crd_log(own) + mean / own);
    }
    return prior;
}

double crd_i_emission_sums_log_prior(const crd_i_emission_sums *layout, const double *sums) {
    const crd_settings *settings = layout->settings;
    double prior = 0;
    if (settings->smoothing == CRD_I_SMOOTHING_NONE || !(settings->smoothing_strength > 0)) return 0;
    for (size_t c = 0; c < layout->column_count; c++) {
        const crd_i_summed_column *column = &layout->columns[c];
        switch (column->form) {
        case CRD_I_SUM_CATEGORY: prior += category_prior(layout, c, sums); break;
        case CRD_I_SUM_BERNOULLI: prior += bernoulli_prior(layout, column, sums); break;
        case CRD_I_SUM_NORMAL:
        case CRD_I_SUM_LOGNORMAL:
        case CRD_I_SUM_POISSON:
        case CRD_I_SUM_EXPONENTIAL:
            if (is_m(settings)) prior += number_prior(layout, column, sums);
            break;
        case CRD_I_SUM_NOTHING:
        case CRD_I_SUM_CONSTANT:
        case CRD_I_SUM_JOINT: break;
        }
    }
    return prior;
}
