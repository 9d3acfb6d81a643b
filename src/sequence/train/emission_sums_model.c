/* SPDX-License-Identifier: MIT */
/* emission_sums_model.c - the M step of emission_sums.h: sums become weights, means, variances and counts, and a model that has
 * these (pseudo_rows.h). */
#include "sequence/train/emission_sums_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "sequence/pseudo_rows.h"

#include <math.h>
#include <string.h>

/* Of the variance of z, of a column in a joint normal: added, so that no combination of columns loses all of it. */
static const double LEAST_VARIANCE = 1e-9;

typedef struct statistics_room {
    const crd_i_emission_sums *layout;
    const double *sums;
    double *weights;                  /* of classes */
    crd_i_column_statistics *columns; /* of the schema */
    double **owned;                   /* of each column of the sequences, and behind them of each block */
    crd_text **texts;
    size_t **places; /* of each block, its columns in the schema */
    crd_i_block_statistics *blocks;
} statistics_room;

/* ---- Columns ---- */

static void fill_number(const statistics_room *of, const crd_i_summed_column *column, size_t k, double *mean,
                        double *variance) {
    const crd_i_emission_sums *layout = of->layout;
    *mean = column->facts->least;
    *variance = 0;
    if (column->form == CRD_I_SUM_CONSTANT || !(crd_i_summed_weight(layout, column, of->sums, k) > 0)) return;
    *mean = column->centre + crd_i_summed_mean(layout, column, of->sums, k) / column->factor;
    if (column->form == CRD_I_SUM_NORMAL || column->form == CRD_I_SUM_LOGNORMAL)
        *variance = crd_i_summed_variance(layout, column, of->sums, k) / column->factor / column->factor;
    else *mean = fmin(fmax(*mean, column->facts->least), column->facts->greatest);
}

static bool describe_number(statistics_room *of, size_t c, crd_i_column_statistics *to) {
    const crd_i_emission_sums *layout = of->layout;
    const crd_i_summed_column *column = &layout->columns[c];
    const size_t classes = layout->classes;
    double *room = of->owned[c] = crd_i_alloc(layout->context, 3 * classes, sizeof *room);
    if (room == NULL) return false;
    for (size_t k = 0; k < classes; k++) {
        room[k] = crd_i_summed_weight(layout, column, of->sums, k);
        fill_number(of, column, k, &room[classes + k], &room[2 * classes + k]);
        if (column->form == CRD_I_SUM_CONSTANT && column->is_log) room[classes + k] = column->centre;
    }
    to->cells = room;
    to->firsts = room + classes;
    to->seconds = room + 2 * classes;
    return true;
}

static bool describe_category(statistics_room *of, size_t c, crd_i_column_statistics *to) {
    const crd_i_emission_sums *layout = of->layout;
    const crd_i_summed_column *column = &layout->columns[c];
    const crd_i_dictionary *dictionary = crd_i_sequences_values(layout->sequences, c);
    const size_t classes = layout->classes, values = column->facts->values;
    double *room = of->owned[c] = crd_i_alloc(layout->context, classes * (values + 1), sizeof *room);
    crd_text *texts = of->texts[c] = crd_i_alloc(layout->context, values, sizeof *texts);
    if (room == NULL || texts == NULL) return false;
    for (size_t v = 0; v < values; v++) {
        texts[v] = crd_i_dictionary_text(dictionary, v);
        for (size_t k = 0; k < classes; k++) room[k * values + v] = crd_i_summed_value(layout, column, of->sums, v, k);
    }
    to->counts = room;
    to->cells = room + classes * values;
    for (size_t k = 0; k < classes; k++) room[classes * values + k] = crd_i_summed_weight(layout, column, of->sums, k);
    to->values = texts;
    to->value_count = values;
    return true;
}

/* ---- Blocks ---- */

static void fill_block(const statistics_room *of, const crd_i_summed_block *block, size_t k, double *means,
                       double *covariance) {
    const size_t stride = of->layout->stride, D = block->count;
    const double n = of->sums[k], *from = of->sums + block->slot * stride + k, *products = from + D * stride;
    for (size_t i = 0; i < D; i++)
        for (size_t j = i; j < D; j++, products += stride) {
            const crd_i_summed_column *a = &of->layout->columns[block->columns[i]];
            const crd_i_summed_column *b = &of->layout->columns[block->columns[j]];
            double z = n > 0 ? *products / n - from[i * stride] / n * (from[j * stride] / n) : 0;
            if (i == j) z = fmax(z, LEAST_VARIANCE);
            covariance[i * D + j] = covariance[j * D + i] = z / a->factor / b->factor;
        }
    for (size_t i = 0; i < D; i++) {
        const crd_i_summed_column *a = &of->layout->columns[block->columns[i]];
        means[i] = a->centre + (n > 0 ? from[i * stride] / n / a->factor : 0);
    }
}

static bool describe_block(statistics_room *of, size_t b) {
    const crd_i_emission_sums *layout = of->layout;
    const crd_i_summed_block *block = &layout->blocks[b];
    const size_t D = block->count, classes = layout->classes;
    double *room = of->owned[layout->column_count + b] =
        crd_i_alloc(layout->context, classes * D * (D + 1), sizeof *room);
    of->places[b] = crd_i_alloc(layout->context, D, sizeof **of->places);
    if (room == NULL || of->places[b] == NULL) return false;
    for (size_t i = 0; i < D; i++)
        of->places[b][i] = crd_i_sequences_schema_column(layout->sequences, block->columns[i]);
    for (size_t k = 0; k < classes; k++) fill_block(of, block, k, room + k * D, room + classes * D + k * D * D);
    of->blocks[b].columns = of->places[b];
    of->blocks[b].count = D;
    of->blocks[b].cells = of->weights;
    of->blocks[b].means = room;
    of->blocks[b].covariances = room + classes * D;
    return true;
}

/* ---- The model ---- */

static bool describe(statistics_room *of, size_t schema_columns) {
    const crd_i_emission_sums *layout = of->layout;
    crd_context *context = layout->context;
    const size_t columns = layout->column_count, blocks = layout->block_count;
    of->weights = crd_i_alloc(context, layout->classes, sizeof *of->weights);
    of->columns = crd_i_alloc_zeroed(context, schema_columns, sizeof *of->columns);
    of->owned = crd_i_alloc_zeroed(context, columns + blocks, sizeof *of->owned);
    of->texts = crd_i_alloc_zeroed(context, columns, sizeof *of->texts);
    of->places = crd_i_alloc_zeroed(context, blocks, sizeof *of->places);
    of->blocks = crd_i_alloc_zeroed(context, blocks, sizeof *of->blocks);
    if (of->weights == NULL || of->columns == NULL || of->owned == NULL || of->texts == NULL || of->places == NULL ||
        of->blocks == NULL)
        return false;
    for (size_t k = 0; k < layout->classes; k++) of->weights[k] = of->sums[k];
    for (size_t c = 0; c < columns; c++) {
        const crd_i_sum_form form = layout->columns[c].form;
        crd_i_column_statistics *to = &of->columns[crd_i_sequences_schema_column(layout->sequences, c)];
        if (form == CRD_I_SUM_NOTHING || form == CRD_I_SUM_JOINT) continue;
        if (!(form == CRD_I_SUM_CATEGORY ? describe_category(of, c, to) : describe_number(of, c, to))) return false;
    }
    for (size_t b = 0; b < blocks; b++)
        if (!describe_block(of, b)) return false;
    return true;
}

static void clear(statistics_room *of) {
    crd_context *context = of->layout->context;
    const size_t columns = of->layout->column_count, blocks = of->layout->block_count;
    for (size_t i = 0; of->owned != NULL && i < columns + blocks; i++) crd_free(context, of->owned[i]);
    for (size_t c = 0; of->texts != NULL && c < columns; c++) crd_free(context, of->texts[c]);
    for (size_t b = 0; of->places != NULL && b < blocks; b++) crd_free(context, of->places[b]);
    crd_free(context, of->weights);
    crd_free(context, of->columns);
    crd_free(context, of->owned);
    crd_free(context, of->texts);
    crd_free(context, of->places);
    crd_free(context, of->blocks);
}

crd_status crd_i_emission_sums_model(const crd_i_emission_sums *layout, const double *sums, const crd_text *names,
                                     crd_i_schema *schema, const crd_settings *settings, crd_model **out,
                                     crd_error *error) {
    statistics_room of = {.layout = layout, .sums = sums};
    crd_status status;
    *out = NULL;
    if (describe(&of, schema->count)) {
        const crd_i_class_statistics statistics = {.classes = layout->classes,
                                                   .names = names,
                                                   .rows = of.weights,
                                                   .columns = of.columns,
                                                   .blocks = of.blocks,
                                                   .block_count = layout->block_count};
        status = crd_i_model_of_statistics(layout->context, schema, settings, &statistics, out, error);
    } else {
        crd_i_schema_destroy(schema);
        status = crd_i_fail_memory(error);
    }
    clear(&of);
    return status;
}
