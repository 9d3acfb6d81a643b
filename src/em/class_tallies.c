/* SPDX-License-Identifier: MIT */
/* class_tallies.c - see class_tallies.h. */
#include "em/class_tallies.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/accumulate.h"
#include "model/model_create.h"

#include <math.h>

enum { CHUNK_CELLS = 1 << 16, LEAST_CHUNK = 64, MOST_CHUNK = 8192 };

/* Weights that are no column of files: without a name the model counts each further row once. No column has this name. */
static const crd_text OWN_WEIGHT = {"\001", 1};

typedef struct learner {
    const crd_i_case_table *table;
    const crd_i_class_weights *weights;
    crd_model *model;
    crd_frame *frame;
    size_t *columns; /* of the frame: those of the table; SIZE_MAX: target or weight */
    size_t chunk;
    int32_t *codes;         /* of every column of the table, chunk by chunk */
    int32_t *class_codes;   /* of the target */
    double *row_weights;    /* of the class at hand */
    double *logs, *factors; /* as filled in */
} learner;

/* ---- The frame ---- */

static crd_status add_column(learner *own, crd_text name, crd_error *error) {
    const size_t at = crd_i_case_table_find(own->table, name);
    if (at == SIZE_MAX) return CRD_OK;
    const crd_i_case_column *from = &own->table->columns[at];
    own->columns[crd_frame_column_count(own->frame)] = at;
    return from->kind == CRD_KIND_NUMBER
               ? crd_frame_add_numbers(own->frame, name, NULL, NULL, error)
               : crd_frame_add_codes(own->frame, name, NULL, NULL, from->states, from->state_count, error);
}

static crd_status make_frame(learner *own, crd_error *error) {
    const crd_i_schema *schema = own->model->schema;
    crd_context *context = own->table->context;
    const size_t columns = own->table->column_count;
    own->chunk = CHUNK_CELLS / (columns + own->weights->classes + 1);
    own->chunk = own->chunk < LEAST_CHUNK ? LEAST_CHUNK : own->chunk > MOST_CHUNK ? MOST_CHUNK : own->chunk;
    own->columns = crd_i_alloc(context, schema->count + 1, sizeof *own->columns);
    own->codes = crd_i_alloc(context, columns * own->chunk, sizeof *own->codes);
    own->class_codes = crd_i_alloc(context, own->chunk, sizeof *own->class_codes);
    own->row_weights = crd_i_alloc(context, own->chunk, sizeof *own->row_weights);
    own->logs = crd_i_alloc(context, own->chunk * own->weights->classes, sizeof *own->logs);
    own->factors = crd_i_alloc(context, own->chunk, sizeof *own->factors);
    if (own->columns == NULL || own->codes == NULL || own->class_codes == NULL || own->row_weights == NULL ||
        own->logs == NULL || own->factors == NULL)
        return crd_i_fail_memory(error);
    crd_status status = crd_frame_create(context, 0, &own->frame, error);
    for (size_t i = 0; status == CRD_OK && i < schema->count; i++)
        if (i != schema->target) status = add_column(own, schema->columns[i].name, error);
    if (status != CRD_OK) return status;
    own->columns[own->frame->column_count] = SIZE_MAX;
    status = crd_frame_add_codes(own->frame, schema->columns[schema->target].name, NULL, NULL, own->weights->names,
                                 own->weights->classes, error);
    return status == CRD_OK ? crd_frame_add_numbers(own->frame, schema->weight.name, NULL, NULL, error) : status;
}

static void destroy_learner(learner *own) {
    crd_context *context = own->table->context;
    crd_frame_destroy(own->frame);
    crd_free(context, own->columns);
    crd_free(context, own->codes);
    crd_free(context, own->class_codes);
    crd_free(context, own->row_weights);
    crd_free(context, own->logs);
    crd_free(context, own->factors);
}

/* ---- Rows ---- */

/* Log probabilities of a row become multiples of 2^-32 that sum to 1: what is rounded off goes to the most probable. */
static void round_shares(double *shares, size_t classes) {
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

static void load_chunk(learner *own, size_t from, size_t rows) {
    own->frame->rows = rows;
    for (size_t i = 0; own->columns[i] != SIZE_MAX; i++) {
        const crd_i_case_column *column = &own->table->columns[own->columns[i]];
        if (column->kind == CRD_KIND_NUMBER) {
            own->frame->columns[i].numbers = column->numbers + from;
            continue;
        }
        int32_t *codes = own->codes + own->columns[i] * own->chunk;
        for (size_t r = 0; r < rows; r++) {
            const uint32_t code = crd_i_case_code(column, from + r);
            codes[r] = code == CRD_I_CASE_MISSING32 ? -1 : (int32_t)code;
        }
        own->frame->columns[i].codes = codes;
    }
}

static crd_status learn_chunk(learner *own, size_t from, size_t rows, crd_error *error) {
    const size_t classes = own->weights->classes;
    crd_i_column *target = &own->frame->columns[own->frame->column_count - 2], *weight = target + 1;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    load_chunk(own, from, rows);
    crd_status status = own->weights->fill(own->weights->state, from, from + rows, own->logs, own->factors, error);
    if (status != CRD_OK) return status;
    for (size_t r = 0; r < rows; r++) round_shares(own->logs + r * classes, classes);
    target->codes = own->class_codes;
    weight->numbers = own->row_weights;
    for (size_t k = 0; status == CRD_OK && k < classes; k++) {
        for (size_t r = 0; r < rows; r++) {
            own->class_codes[r] = (int32_t)k;
            own->row_weights[r] =
                crd_i_case_weight(own->table, from + r) * own->factors[r] * own->logs[r * classes + k];
        }
        status = crd_i_accumulate_buffered(own->model, own->frame, &facts, error);
    }
    return status;
}

crd_status crd_i_class_tallies_learn(const crd_i_case_table *table, crd_i_schema *schema, const crd_settings *settings,
                                     const crd_i_class_weights *weights, crd_model **out, crd_error *error) {
    const bool has_weight = schema->weight.name.bytes != NULL;
    learner own = {.table = table, .weights = weights};
    *out = NULL;
    if (!has_weight && !crd_i_schema_set_weight(schema, OWN_WEIGHT, 0)) {
        crd_i_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    crd_status status = crd_i_model_create(table->context, schema, settings, &own.model, error);
    if (status == CRD_OK) status = make_frame(&own, error);
    for (size_t from = 0; status == CRD_OK && from < table->rows; from += own.chunk) {
        if (crd_i_context_cancelled(table->context)) status = crd_i_fail_cancelled(error);
        else status = learn_chunk(&own, from, table->rows - from < own.chunk ? table->rows - from : own.chunk, error);
    }
    if (status == CRD_OK) status = crd_i_accumulate_flush(own.model, error);
    if (status == CRD_OK && !has_weight) {
        crd_free(table->context, (void *)own.model->schema->weight.name.bytes);
        const crd_i_schema_weight none = {{NULL, 0}, 0};
        own.model->schema->weight = none;
        crd_i_binding_clear(&own.model->binding);
        own.model->binding.context = table->context;
    }
    if (status == CRD_OK) *out = own.model;
    else crd_model_destroy(own.model);
    destroy_learner(&own);
    return status;
}
