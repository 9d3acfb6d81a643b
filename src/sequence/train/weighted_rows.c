/* SPDX-License-Identifier: MIT */
/* weighted_rows.c - a model of weighted steps. See hmm_training.h. */
#include "sequence/data/sequences.h"
#include "sequence/train/hmm_training.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/accumulate.h"

#include "model/model_parts.h"

#include <math.h>

enum { ROWS = 4096 };

/* Name of a temporary weight column. No column of a file has this name. */
static const crd_text OWN_WEIGHT = {"\001", 1};

struct crd_i_weighted_rows {
    crd_context *context;
    crd_model *model;
    crd_frame *frame;
    size_t column_count, classes;
    size_t *places;   /* position in the frame of each column of the sequences; SIZE_MAX: none */
    double **numbers; /* ROWS values of each column; NULL: not numeric */
    int32_t **codes;
    int32_t *class_codes;
    double *weights, *shares;
    size_t rows;
};

void crd_i_weighted_rows_destroy(crd_i_weighted_rows *rows) {
    if (rows == NULL) return;
    crd_context *context = rows->context;
    crd_frame_destroy(rows->frame);
    crd_model_destroy(rows->model);
    for (size_t c = 0; rows->numbers != NULL && c < rows->column_count; c++) crd_free(context, rows->numbers[c]);
    for (size_t c = 0; rows->codes != NULL && c < rows->column_count; c++) crd_free(context, rows->codes[c]);
    crd_free(context, rows->places);
    crd_free(context, rows->numbers);
    crd_free(context, rows->codes);
    crd_free(context, rows->class_codes);
    crd_free(context, rows->weights);
    crd_free(context, rows->shares);
    crd_free(context, rows);
}

/* ---- Creation ---- */

static crd_status weighted_rows_add_column(crd_i_weighted_rows *rows, const crd_sequences *sequences, size_t c,
                                           crd_error *error) {
    const crd_text name = crd_sequences_column_name(sequences, c);
    const crd_i_dictionary *values = crd_i_sequences_values(sequences, c);
    rows->places[c] = rows->frame->column_count;
    if (crd_i_sequences_column_type(sequences, c) == CRD_TYPE_NUMERIC) {
        rows->numbers[c] = crd_i_alloc(rows->context, ROWS, sizeof **rows->numbers);
        if (rows->numbers[c] == NULL) return crd_i_fail_memory(error);
        return crd_frame_add_numbers(rows->frame, name, rows->numbers[c], NULL, error);
    }
    if (values == NULL) {
        rows->places[c] = SIZE_MAX;
        return CRD_OK;
    }
    rows->codes[c] = crd_i_alloc(rows->context, ROWS, sizeof **rows->codes);
    if (rows->codes[c] == NULL) return crd_i_fail_memory(error);
    const crd_i_column column = {
        .type = CRD_TYPE_CATEGORICAL, .codes = rows->codes[c], .dictionary = (crd_i_dictionary *)values};
    return crd_i_frame_add(rows->frame, name, &column, error);
}

static crd_status weighted_rows_make_frame(crd_i_weighted_rows *rows, const crd_sequences *sequences,
                                           const crd_text *names, crd_error *error) {
    const crd_i_schema *schema = rows->model->schema;
    crd_status status = crd_frame_create(rows->context, 0, &rows->frame, error);
    for (size_t c = 0; status == CRD_OK && c < rows->column_count; c++)
        status = weighted_rows_add_column(rows, sequences, c, error);
    if (status == CRD_OK)
        status = crd_frame_add_codes(rows->frame, schema->columns[schema->target].name, rows->class_codes, NULL, names,
                                     rows->classes, error);
    return status == CRD_OK ? crd_frame_add_numbers(rows->frame, schema->weight.name, rows->weights, NULL, error)
                            : status;
}

crd_status crd_i_weighted_rows_create(const crd_sequences *sequences, crd_i_schema *schema,
                                      const crd_settings *settings, const crd_text *names, size_t classes,
                                      crd_i_weighted_rows **out, crd_error *error) {
    crd_context *context = schema->context;
    const size_t columns = crd_sequences_column_count(sequences);
    crd_i_weighted_rows *rows = crd_i_alloc_zeroed(context, 1, sizeof *rows);
    *out = NULL;
    if (rows == NULL || !crd_i_schema_set_weight(schema, OWN_WEIGHT, 0)) {
        crd_i_schema_destroy(schema);
        crd_free(context, rows);
        return crd_i_fail_memory(error);
    }
    rows->context = context;
    rows->column_count = columns;
    rows->classes = classes;
    crd_status status = crd_i_model_create(context, schema, settings, &rows->model, error);
    rows->places = crd_i_alloc(context, columns, sizeof *rows->places);
    rows->numbers = crd_i_alloc_zeroed(context, columns, sizeof *rows->numbers);
    rows->codes = crd_i_alloc_zeroed(context, columns, sizeof *rows->codes);
    rows->class_codes = crd_i_alloc(context, ROWS, sizeof *rows->class_codes);
    rows->weights = crd_i_alloc(context, ROWS, sizeof *rows->weights);
    rows->shares = crd_i_alloc(context, classes, sizeof *rows->shares);
    if (status == CRD_OK && (rows->places == NULL || rows->numbers == NULL || rows->codes == NULL ||
                             rows->class_codes == NULL || rows->weights == NULL || rows->shares == NULL))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = weighted_rows_make_frame(rows, sequences, names, error);
    if (status == CRD_OK) *out = rows;
    else crd_i_weighted_rows_destroy(rows);
    return status;
}

/* ---- Steps ---- */

/* Rounds probabilities to multiples of 2^-32 that sum to 1. The most probable class absorbs the rounding error. Returns
 * false if all are 0. */
static bool weighted_rows_round_shares(const double *source, size_t classes, double *shares) {
    const double unit = 0x1p-32;
    size_t most = 0;
    double others = 0;
    for (size_t k = 1; k < classes; k++)
        if (source[k] > source[most]) most = k;
    if (!(source[most] > 0)) return false;
    for (size_t k = 0; k < classes; k++) {
        shares[k] = k == most ? 0 : floor(source[k] / unit + 0.5) * unit;
        others += shares[k];
    }
    shares[most] = fmax(1 - others, 0);
    return true;
}

static crd_status weighted_rows_learn(crd_i_weighted_rows *rows, crd_error *error) {
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    rows->frame->rows = rows->rows;
    rows->rows = 0;
    return rows->frame->rows == 0 ? CRD_OK : crd_i_accumulate_buffered(rows->model, rows->frame, &facts, error);
}

static void weighted_rows_put(crd_i_weighted_rows *rows, const crd_i_observation_block *block, size_t t, size_t k) {
    const size_t index = rows->rows++;
    for (size_t c = 0; c < rows->column_count; c++) {
        if (rows->numbers[c] != NULL) rows->numbers[c][index] = block->numbers[c][t];
        else if (rows->codes[c] != NULL) rows->codes[c][index] = block->codes[c][t];
    }
    rows->class_codes[index] = (int32_t)k;
    rows->weights[index] = rows->shares[k];
}

crd_status crd_i_weighted_rows_add(crd_i_weighted_rows *rows, const crd_i_observation_block *block,
                                   const double *weights, size_t stride, crd_error *error) {
    for (size_t t = 0; t < block->steps; t++) {
        if (!weighted_rows_round_shares(weights + t * stride, rows->classes, rows->shares)) continue;
        for (size_t k = 0; k < rows->classes; k++) {
            if (rows->shares[k] == 0) continue;
            weighted_rows_put(rows, block, t, k);
            if (rows->rows < ROWS) continue;
            const crd_status status = weighted_rows_learn(rows, error);
            if (status != CRD_OK) return status;
        }
    }
    return CRD_OK;
}

crd_status crd_i_weighted_rows_model(crd_i_weighted_rows *rows, crd_model **out, crd_error *error) {
    *out = NULL;
    crd_status status = weighted_rows_learn(rows, error);
    if (status == CRD_OK) status = crd_i_accumulate_flush(rows->model, error);
    if (status != CRD_OK) return status;
    crd_free(rows->context, (void *)rows->model->schema->weight.name.bytes);
    const crd_i_schema_weight none = {{NULL, 0}, 0};
    rows->model->schema->weight = none;
    crd_i_binding_clear(&rows->model->binding);
    rows->model->binding.context = rows->context;
    *out = rows->model;
    rows->model = NULL;
    return CRD_OK;
}
