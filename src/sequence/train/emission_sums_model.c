/* SPDX-License-Identifier: MIT */
/* emission_sums_model.c - the M step of emission_sums.h: converts sums to weights, means, variances and counts, and
 * creates a model with these statistics (pseudo_rows.h). With n_k = sum_t g_tk:
 *
 *   mean_k = sum_t g_tk x_t / n_k,   cov_k = sum_t g_tk x_t x_t' / n_k - mean_k mean_k',   n_kv = sum_t g_tk [x_t =
 * v] */
#include "sequence/train/emission_sums_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "sequence/pseudo_rows.h"

#include <math.h>
#include <string.h>

/* Lower bound of the variance of z for a column of a joint normal density. */
static const double LEAST_VARIANCE = 1e-9;

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
    if (column->form == CRD_I_SUM_CONSTANT || !(crd_i_summed_weight(layout, column, workspace->sums, k) > 0)) return;
    *mean = column->centre + crd_i_summed_mean(layout, column, workspace->sums, k) / column->factor;
    if (column->form == CRD_I_SUM_NORMAL || column->form == CRD_I_SUM_LOGNORMAL)
        *variance = crd_i_summed_variance(layout, column, workspace->sums, k) / column->factor / column->factor;
    else *mean = fmin(fmax(*mean, column->facts->least), column->facts->greatest);
}

static bool describe_number(statistics_room *workspace, size_t c, crd_i_column_statistics *statistics) {
    const crd_i_emission_sums *layout = workspace->layout;
    const crd_i_summed_column *column = &layout->columns[c];
    const size_t classes = layout->classes;
    double *buffer = workspace->owned[c] = crd_i_alloc(layout->context, 3 * classes, sizeof *buffer);
    if (buffer == NULL) return false;
    for (size_t k = 0; k < classes; k++) {
        buffer[k] = crd_i_summed_weight(layout, column, workspace->sums, k);
        emission_model_fill_number(workspace, column, k, &buffer[classes + k], &buffer[2 * classes + k]);
        if (column->form == CRD_I_SUM_CONSTANT && column->is_log) buffer[classes + k] = column->centre;
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
            buffer[k * values + v] = crd_i_summed_value(layout, column, workspace->sums, v, k);
    }
    statistics->counts = buffer;
    statistics->cells = buffer + classes * values;
    for (size_t k = 0; k < classes; k++)
        buffer[classes * values + k] = crd_i_summed_weight(layout, column, workspace->sums, k);
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
        means[i] = a->centre + (n > 0 ? source[i * stride] / n / a->factor : 0);
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
