/* SPDX-License-Identifier: MIT */
/* class_tallies.c - accumulates a model from class probabilities. See class_tallies.h. */
#include "em/class_tallies.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/accumulate.h"
#include "model/model_create.h"

#include <math.h>

enum { CHUNK_CELLS = 1 << 16, LEAST_CHUNK = 64, MOST_CHUNK = 8192 };

/* Name of a temporary weight column, for tables without one. No column of a file has this name. It is removed after
 * training, so the model gives weight 1 to each row of later files. */
static const crd_text OWN_WEIGHT = {"\001", 1};

typedef struct tallies_learner {
    const crd_i_case_table *table;
    const crd_i_class_weights *weights;
    crd_model *model;
    crd_frame *frame;
    /* for each frame column: the index of the table's column; SIZE_MAX: end of the table's columns (target and weight
     * follow) */
    size_t *columns;
    size_t chunk;
    int32_t *codes;         /* codes of one chunk for every column of the table */
    int32_t *class_codes;   /* target codes of one chunk */
    double *row_weights;    /* row weights in the current class */
    double *logs, *factors; /* filled by weights->fill: log probabilities and row factors */
} tallies_learner;

/* ---- The frame ---- */

static crd_status class_tallies_add_column(tallies_learner *learner, crd_text name, crd_error *error) {
    const size_t index = crd_i_case_table_find(learner->table, name);
    if (index == SIZE_MAX) return CRD_OK;
    const crd_i_case_column *column = &learner->table->columns[index];
    learner->columns[crd_frame_column_count(learner->frame)] = index;
    return column->kind == CRD_KIND_NUMBER
               ? crd_frame_add_numbers(learner->frame, name, NULL, NULL, error)
               : crd_frame_add_codes(learner->frame, name, NULL, NULL, column->states, column->state_count, error);
}

/* Creates the frame through which chunks are accumulated: the schema's columns, then the target, then the weight. */
static crd_status class_tallies_make_frame(tallies_learner *learner, crd_error *error) {
    const crd_i_schema *schema = learner->model->schema;
    crd_context *context = learner->table->context;
    const size_t columns = learner->table->column_count;
    learner->chunk = CHUNK_CELLS / (columns + learner->weights->classes + 1);
    learner->chunk = learner->chunk < LEAST_CHUNK  ? LEAST_CHUNK
                     : learner->chunk > MOST_CHUNK ? MOST_CHUNK
                                                   : learner->chunk;
    learner->columns = crd_i_alloc(context, schema->count + 1, sizeof *learner->columns);
    learner->codes = crd_i_alloc(context, columns * learner->chunk, sizeof *learner->codes);
    learner->class_codes = crd_i_alloc(context, learner->chunk, sizeof *learner->class_codes);
    learner->row_weights = crd_i_alloc(context, learner->chunk, sizeof *learner->row_weights);
    learner->logs = crd_i_alloc(context, learner->chunk * learner->weights->classes, sizeof *learner->logs);
    learner->factors = crd_i_alloc(context, learner->chunk, sizeof *learner->factors);
    if (learner->columns == NULL || learner->codes == NULL || learner->class_codes == NULL ||
        learner->row_weights == NULL || learner->logs == NULL || learner->factors == NULL)
        return crd_i_fail_memory(error);
    crd_status status = crd_frame_create(context, 0, &learner->frame, error);
    for (size_t i = 0; status == CRD_OK && i < schema->count; i++)
        if (i != schema->target) status = class_tallies_add_column(learner, schema->columns[i].name, error);
    if (status != CRD_OK) return status;
    learner->columns[learner->frame->column_count] = SIZE_MAX;
    status = crd_frame_add_codes(learner->frame, schema->columns[schema->target].name, NULL, NULL,
                                 learner->weights->names, learner->weights->classes, error);
    return status == CRD_OK ? crd_frame_add_numbers(learner->frame, schema->weight.name, NULL, NULL, error) : status;
}

static void destroy_learner(tallies_learner *learner) {
    crd_context *context = learner->table->context;
    crd_frame_destroy(learner->frame);
    crd_free(context, learner->columns);
    crd_free(context, learner->codes);
    crd_free(context, learner->class_codes);
    crd_free(context, learner->row_weights);
    crd_free(context, learner->logs);
    crd_free(context, learner->factors);
}

/* ---- Rows ---- */

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

/* Points the frame's columns at the table rows from `first`. Codes are converted into the buffer. */
static void load_chunk(tallies_learner *learner, size_t first, size_t rows) {
    learner->frame->rows = rows;
    for (size_t i = 0; learner->columns[i] != SIZE_MAX; i++) {
        const crd_i_case_column *column = &learner->table->columns[learner->columns[i]];
        if (column->kind == CRD_KIND_NUMBER) {
            learner->frame->columns[i].numbers = column->numbers + first;
            continue;
        }
        int32_t *codes = learner->codes + learner->columns[i] * learner->chunk;
        for (size_t r = 0; r < rows; r++) {
            const uint32_t code = crd_i_case_code(column, first + r);
            codes[r] = code == CRD_I_CASE_MISSING32 ? -1 : (int32_t)code;
        }
        learner->frame->columns[i].codes = codes;
    }
}

/* Accumulates the rows of a chunk once per class, with the row weight multiplied by the probability of the class. */
static crd_status learn_chunk(tallies_learner *learner, size_t first, size_t rows, crd_error *error) {
    const size_t classes = learner->weights->classes;
    crd_i_column *target = &learner->frame->columns[learner->frame->column_count - 2], *weight = target + 1;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    load_chunk(learner, first, rows);
    crd_status status =
        learner->weights->fill(learner->weights->state, first, first + rows, learner->logs, learner->factors, error);
    if (status != CRD_OK) return status;
    for (size_t r = 0; r < rows; r++) class_tallies_round_shares(learner->logs + r * classes, classes);
    target->codes = learner->class_codes;
    weight->numbers = learner->row_weights;
    for (size_t k = 0; status == CRD_OK && k < classes; k++) {
        for (size_t r = 0; r < rows; r++) {
            learner->class_codes[r] = (int32_t)k;
            learner->row_weights[r] =
                crd_i_case_weight(learner->table, first + r) * learner->factors[r] * learner->logs[r * classes + k];
        }
        status = crd_i_accumulate_buffered(learner->model, learner->frame, &facts, error);
    }
    return status;
}

crd_status crd_i_class_tallies_learn(const crd_i_case_table *table, crd_i_schema *schema, const crd_settings *settings,
                                     const crd_i_class_weights *weights, crd_model **out, crd_error *error) {
    const bool has_weight = schema->weight.name.bytes != NULL;
    tallies_learner learner = {.table = table, .weights = weights};
    *out = NULL;
    if (!has_weight && !crd_i_schema_set_weight(schema, OWN_WEIGHT, 0)) {
        crd_i_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    crd_status status = crd_i_model_create(table->context, schema, settings, &learner.model, error);
    if (status == CRD_OK) status = class_tallies_make_frame(&learner, error);
    for (size_t first = 0; status == CRD_OK && first < table->rows; first += learner.chunk) {
        if (crd_i_context_cancelled(table->context)) status = crd_i_fail_cancelled(error);
        else
            status = learn_chunk(&learner, first,
                                 table->rows - first < learner.chunk ? table->rows - first : learner.chunk, error);
    }
    if (status == CRD_OK) status = crd_i_accumulate_flush(learner.model, error);
    if (status == CRD_OK && !has_weight) {
        crd_free(table->context, (void *)learner.model->schema->weight.name.bytes);
        const crd_i_schema_weight none = {{NULL, 0}, 0};
        learner.model->schema->weight = none;
        crd_i_binding_clear(&learner.model->binding);
        learner.model->binding.context = table->context;
    }
    if (status == CRD_OK) *out = learner.model;
    else crd_model_destroy(learner.model);
    destroy_learner(&learner);
    return status;
}
