/* SPDX-License-Identifier: MIT */
/* emission_sums.c - creates the layout of the sums, and adds steps to them. See emission_sums.h. */
#include "sequence/train/emission_sums_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "model/column_family.h"

#include <math.h>
#include <string.h>

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
    if (facts->kind == CRD_KIND_CATEGORY) *form = CRD_I_SUM_CATEGORY;
    else if (facts->kind == CRD_KIND_NONE || facts->present == 0) *form = CRD_I_SUM_NOTHING;
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
    column->centre = is_log ? facts->log_mean : facts->mean;
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
    const bool is_stated = settings->normal == CRD_I_NORMAL_DIAGONAL ||
                           ((settings->normal == CRD_I_NORMAL_FULL || settings->normal == CRD_I_NORMAL_SHARED) &&
                            !isnan(settings->normal_shrinkage));
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
        if (layout->columns[c].facts->kind == CRD_KIND_NUMBER) workspace[count++] = c;
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
static bool is_maximised(const crd_i_emission_sums *layout, const crd_settings *settings) {
    const bool is_smoothed = settings->smoothing != CRD_I_SMOOTHING_NONE && settings->smoothing_strength > 0;
    if (settings->sample_variance) return false;
    if (is_smoothed && (settings->share_classes || settings->share_attributes)) return false;
    /* Smoothing does not change covariances. */
    return layout->block_count == 0 ||
           (settings->normal == CRD_I_NORMAL_DIAGONAL ? !is_smoothed : settings->normal_shrinkage == 0);
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
            crd_i_column_family_family(settings, crd_sequences_column_name(sequences, c), column->facts->kind);
        column->has_missing = column->facts->present < facts->steps;
        is_enough &= find_form(family, column->facts, &column->form);
        column->is_log = family == &crd_i_family_lognormal;
        emission_sums_find_scale(column);
    }
    is_enough = is_enough && find_blocks(layout, settings, workspace) && number_slots(layout);
    layout->is_maximised = is_maximised(layout, settings);
    crd_free(context, workspace);
    if (is_enough) *out = layout;
    else crd_i_emission_sums_destroy(layout);
    return CRD_OK;

fail:
    crd_free(context, workspace);
    crd_i_emission_sums_destroy(layout);
    return crd_i_fail_memory(error);
}

bool crd_i_emission_sums_are_maximised(const crd_i_emission_sums *layout) {
    return layout->is_maximised;
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
static void emission_sums_standardise(const crd_i_summed_column *column, const double *restrict numbers, size_t steps,
                                      double *restrict z) {
    const double centre = column->centre, factor = column->factor;
    if (column->form == CRD_I_SUM_LOGNORMAL) {
        for (size_t t = 0; t < steps; t++) z[t] = (crd_log(numbers[t]) - centre) * factor;
    } else {
        for (size_t t = 0; t < steps; t++) z[t] = (numbers[t] - centre) * factor;
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
    emission_sums_standardise(column, numbers, features->steps, z);
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
        for (size_t t = 0; t < features->steps; t++) z[t] = (numbers[t] - column->centre) * column->factor;
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

double crd_i_summed_mean(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums,
                         size_t k) {
    return crd_i_summed_value(layout, column, sums, 0, k) / crd_i_summed_weight(layout, column, sums, k);
}

double crd_i_summed_variance(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums,
                             size_t k) {
    const double mean = crd_i_summed_mean(layout, column, sums, k);
    const double square = crd_i_summed_value(layout, column, sums, 1, k) / crd_i_summed_weight(layout, column, sums, k);
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
            const double scale = sum > 0 ? crd_i_summed_weight(layout, column, sums, k) / sum : 0;
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
    const double scale = sum > 0 ? crd_i_summed_weight(layout, column, sums, k) / sum : 0;
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
    const double before = crd_i_summed_weight(layout, column, plain, k);
    const double weight = crd_i_summed_weight(layout, column, sums, k);
    const size_t first = column->slot + column->has_missing, slots = emission_sums_slots(column) - column->has_missing;
    if (column->form == CRD_I_SUM_CATEGORY || slots == 0 || !(before > 0) || !(weight > 0)) return;
    bool is_possible;
    if (slots == 2) {
        const double variance = crd_i_summed_variance(layout, column, sums, k);
        is_possible = variance > part * crd_i_summed_variance(layout, column, plain, k);
    } else {
        const double mean = column->centre + crd_i_summed_mean(layout, column, sums, k) / column->factor;
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
