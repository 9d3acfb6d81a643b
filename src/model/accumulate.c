/* SPDX-License-Identifier: MIT */
/* accumulate.c - adds rows to the sufficient statistics of naive Bayes: the condition of every attribute is the class
 * of its row, and the class itself has no condition.
 *
 *   P(class, x1, x2, ...) = P(class) P(x1 | class) P(x2 | class) ...
 *
 * A row whose class is missing contributes to none of these factors and is skipped; so is a row of weight 0. A row of
 * weight w adds w where an unweighted row adds 1. If the schema has no target, all rows have one class.
 *
 * Contents:
 *   1. Weights and classes
 *   2. Model size
 *   3. Columns
 *   4. Frames
 *   5. Rows with class probabilities */
#include "model/accumulate.h"
#include "model/joint_tallies.h"
#include "model/model_parts.h"
#include "model/similar_classes.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/term_store.h"

#include <math.h>
#include <string.h>

/* ======== 1. Weights and classes ======== */

/* Returns the name of column i; after the last column, the name of the weight. */
static crd_text accumulate_column_name(const void *names, size_t i) {
    const crd_i_schema *schema = names;
    return i < schema->count ? schema->columns[i].name : schema->weight.name;
}

static crd_status accumulate_fail_column(crd_error *error, crd_text name, const char *format) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_quote(name, quoted);
    crd_i_fail(error, CRD_ERROR_COLUMN, "%s '%s'", format, quoted);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

static crd_status accumulate_fail_weight(crd_error *error, crd_text name, size_t row, const char *description) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_WEIGHT, "row %zu of the weight '%s' %s", row + 1, crd_i_quote(name, quoted),
               description);
    crd_i_error_subject(error, name);
    return CRD_ERROR_WEIGHT;
}

/* Finds the weight of each row; NULL if the model has no weight column. Missing and negative weights are errors. */
static crd_status accumulate_find_weights(const crd_model *model, const crd_frame *frame, const double **weights,
                                          crd_error *error) {
    crd_text name = model->schema->weight.name;
    *weights = NULL;
    if (name.bytes == NULL) return CRD_OK;
    const crd_i_column *column = crd_i_binding_column(&model->binding, frame, model->schema->count);
    if (column == NULL) return accumulate_fail_column(error, name, "the rows have no weight column");
    if (column->type == CRD_TYPE_CATEGORICAL || column->type == CRD_TYPE_TEXT)
        return accumulate_fail_column(error, name, "the weight must be a number:");
    for (size_t row = 0; row < frame->rows; row++) {
        if (!crd_i_column_present(column, row))
            return accumulate_fail_weight(error, name, row,
                                          "is missing: use 0 to ignore the row, or 1 to count it once");
        if (column->numbers[row] < 0)
            return accumulate_fail_weight(error, name, row,
                                          "is negative: a weight is the number of rows that a row counts as");
    }
    *weights = column->numbers;
    return CRD_OK;
}

/* Checks that rows whose class is specified by the caller have no class of their own. */
static crd_status check_without_class(const crd_model *model, const crd_frame *frame, const crd_i_column *column,
                                      crd_error *error) {
    char class[CRD_I_QUOTED_ROOM], target[CRD_I_QUOTED_ROOM];
    crd_text name = model->schema->columns[model->schema->target].name;
    for (size_t row = 0; column != NULL && column->type != CRD_TYPE_NONE && row < frame->rows; row++) {
        if (!crd_i_column_present(column, row)) continue;
        crd_i_fail(error, CRD_ERROR_COLUMN,
                   "the rows are assigned to class '%s', but have their own classes in column '%s'",
                   crd_i_quote(model->row_class, class), crd_i_quote(name, target));
        crd_i_error_subject(error, name);
        return CRD_ERROR_COLUMN;
    }
    return CRD_OK;
}

/* Finds the target column. The rows must have it, unless the schema has no target or the class was specified. In these
 * cases *out is NULL. */
static crd_status accumulate_find_target(const crd_model *model, const crd_frame *frame, const crd_i_column **out,
                                         crd_error *error) {
    const crd_i_schema *schema = model->schema;
    crd_text name = schema->columns[schema->target].name;
    *out = NULL;
    if (schema->lacks_target) return CRD_OK;
    const crd_i_column *column = crd_i_binding_column(&model->binding, frame, schema->target);
    if (model->row_class.bytes != NULL) return check_without_class(model, frame, column, error);
    *out = column;
    if (column == NULL) return accumulate_fail_column(error, name, "the rows have no target column");
    bool is_category = column->type == CRD_TYPE_CATEGORICAL || column->type == CRD_TYPE_NONE;
    return is_category ? CRD_OK : accumulate_fail_column(error, name, "the target must be a category:");
}

/* Returns the classes of the rows. `conditions` contains 0 for each row that counts. Without a target column all rows
 * have the same class. NULL: out of memory. */
static const int32_t *translate_classes(crd_model *model, const crd_frame *frame, const crd_i_column *column,
                                        int32_t *conditions) {
    crd_i_dictionary *classes = model->variables[model->schema->target].values;
    if (column != NULL)
        return crd_i_binding_translate(&model->binding, frame, model->schema->target, classes, NULL, conditions);
    const int32_t code =
        crd_i_dictionary_add(classes, model->row_class.bytes != NULL ? model->row_class : crd_text_of(""));
    for (size_t row = 0; code > 0 && row < frame->rows; row++)
        conditions[row] = conditions[row] < 0 ? conditions[row] : code;
    return code < 0 ? NULL : conditions;
}

/* Counts the classes, and sets *conditions to the class of each row. The caller frees *conditions. */
static crd_status tally_target(crd_model *model, const crd_frame *frame, const double *weights, int32_t **conditions,
                               crd_error *error) {
    crd_i_variable *classes = &model->variables[model->schema->target];
    const crd_i_column *column;
    *conditions = NULL;
    crd_status status = accumulate_find_target(model, frame, &column, error);
    if (status != CRD_OK) return status;

    *conditions = crd_i_alloc(model->context, frame->rows, sizeof **conditions);
    if (*conditions == NULL) return crd_i_fail_memory(error);
    bool is_empty = column != NULL && column->type == CRD_TYPE_NONE;
    for (size_t row = 0; row < frame->rows; row++) {
        bool counts = !is_empty && (weights == NULL || weights[row] > 0);
        (*conditions)[row] = counts ? 0 : CRD_I_CODE_MISSING;
    }
    if (is_empty) return CRD_OK;
    const int32_t *codes = translate_classes(model, frame, column, *conditions);
    if (codes == NULL) goto fail;
    if (frame->rows > 0 && codes != *conditions) memcpy(*conditions, codes, frame->rows * sizeof **conditions);
    crd_i_cells cells = {.rows = frame->rows, .codes = codes};
    crd_i_groups all;
    bool added = crd_i_groups_init(&all, model->context, NULL, weights, frame->rows) &&
                 classes->tally->type->extend(classes->tally, 1, crd_i_dictionary_size(classes->values)) &&
                 classes->tally->type->add(classes->tally, &cells, &all);
    crd_i_groups_clear(&all);
    if (!added) goto fail;
    return CRD_OK;

fail:
    crd_free(model->context, *conditions);
    *conditions = NULL;
    return crd_i_fail_memory(error);
}

/* ======== 2. Model size ======== */

/* Maximum number of counts and sums of all columns together: 2 GiB if they are small. A model that exceeds it probably
 * has an identifier among its columns or as its target, whatever memory is available. */
static const uint64_t MOST_NUMBERS = (uint64_t)1 << 28;

/* Returns the number of counts and sums that a variable stores. */
static uint64_t accumulate_size(const crd_i_variable *variable) {
    uint64_t size = variable->tally == NULL ? 0 : variable->tally->type->size(variable->tally);
    for (size_t i = 0; i < CRD_I_MOST_EXTRAS; i++)
        if (variable->extra[i] != NULL) size += variable->extra[i]->type->size(variable->extra[i]);
    return size;
}

/* Returns the size of a variable with this many classes and no new cells. Tallies of categories and texts grow only
 * with their cells. */
static uint64_t size_with(const crd_i_variable *variable, size_t classes) {
    const crd_i_tally *tally = variable->tally;
    uint64_t size = accumulate_size(variable);
    if (tally->type->type != CRD_TYPE_NUMERIC || tally->conditions == 0 || tally->conditions >= classes) return size;
    return size / tally->conditions * classes;
}

static uint64_t size_of_all(const crd_model *model) {
    uint64_t sum = 0;
    for (size_t i = 0; i < model->schema->count; i++) sum += accumulate_size(&model->variables[i]);
    return sum;
}

static crd_status check_size(const crd_model *model, uint64_t size, crd_error *error) {
    size_t classes = crd_i_dictionary_size(crd_i_model_target(model)->values), largest = 0;
    if (size <= MOST_NUMBERS) return CRD_OK;
    for (size_t i = 0; i < model->schema->count; i++)
        if (accumulate_size(&model->variables[i]) > accumulate_size(&model->variables[largest])) largest = i;
    char quoted[CRD_I_QUOTED_ROOM];
    crd_text name = model->schema->columns[largest].name;
    crd_i_fail(error, CRD_ERROR_LIMIT,
               "the columns need more than 2^28 counts and sums, most of them for column '%s', because the target has "
               "%zu class%s: is one an identifier?",
               crd_i_quote(name, quoted), classes, classes == 1 ? "" : "es");
    crd_i_error_subject(error, name);
    return CRD_ERROR_LIMIT;
}

crd_status crd_i_accumulate_check_sizes(const crd_model *model, crd_error *error) {
    return check_size(model, size_of_all(model), error);
}

/* ======== 3. Columns ======== */

static bool accumulate_any_present(const crd_i_column *column, size_t rows, const int32_t *conditions) {
    for (size_t row = 0; row < rows; row++)
        if (conditions[row] >= 0 && crd_i_column_present(column, row)) return true;
    return false;
}

/* Adds the buffered numbers to their tallies, and destroys the batch. */
static crd_status pour_numbers(crd_model *model, crd_error *error) {
    bool poured = model->batch == NULL || crd_i_batch_pour(model->batch);
    crd_i_batch_destroy(model->batch);
    model->batch = NULL;
    return poured ? CRD_OK : crd_i_fail_memory(error);
}

/* The state of one frame while it is added to the tallies. */
typedef struct accumulate_passage {
    const crd_frame *frame;
    const double *weights;     /* NULL: all 1 */
    const int32_t *conditions; /* one per row: its class */
    uint64_t size;             /* number of counts and sums that the model stores */
    bool rows_wait;            /* rows for the joint tallies may be buffered */
    bool numbers_wait;         /* numbers may be buffered in the model's batch */
    crd_i_groups *groups;      /* rows grouped by class; NULL until a column needs them */
    crd_i_offered offered;     /* cells for the joint tallies, if the model has any */
    crd_i_class_rows alike;    /* one weighted row per class; made when a constant column needs it */
} accumulate_passage;

static crd_i_groups *groups_of(crd_model *model, accumulate_passage *rows) {
    if (rows->groups == NULL &&
        crd_i_groups_make(&model->groups, model->context, rows->conditions, rows->weights, rows->frame->rows))
        rows->groups = &model->groups;
    return rows->groups;
}

static bool accumulate_add_cells(crd_model *model, accumulate_passage *rows, size_t column, const crd_i_cells *cells) {
    crd_i_tally *tally = model->variables[column].tally;
    if (tally->type->type == CRD_TYPE_NUMERIC && rows->numbers_wait) {
        if (model->batch == NULL) model->batch = crd_i_batch_create(model->context, crd_i_slicer_best());
        return model->batch != NULL && crd_i_batch_offer(model->batch, tally, cells);
    }
    const crd_i_groups *groups = groups_of(model, rows);
    return groups != NULL && tally->type->add(tally, cells, groups);
}

/* Adds the cells to the extra tallies. They are never buffered. */
static bool accumulate_add_extras(crd_model *model, accumulate_passage *rows, const crd_i_variable *variable,
                                  size_t classes, const crd_i_cells *cells) {
    for (size_t i = 0; i < CRD_I_MOST_EXTRAS; i++) {
        crd_i_tally *extra = variable->extra[i];
        if (extra == NULL) continue;
        const crd_i_groups *groups = groups_of(model, rows);
        if (groups == NULL || !extra->type->extend(extra, classes, 0) || !extra->type->add(extra, cells, groups))
            return false;
    }
    return true;
}

/* Sets the type of a column. */
static crd_status settle_type(crd_model *model, accumulate_passage *rows, size_t i, crd_column_type type,
                              crd_error *error) {
    const crd_i_variable *variable = &model->variables[i];
    crd_status status = CRD_OK;
    /* A tally whose numbers are all buffered looks empty. Flush first, so that its type is not replaced. */
    if (variable->tally != NULL && variable->tally->type->type != type) {
        status = crd_i_accumulate_flush(model, error);
        rows->groups = NULL;
    }
    return status == CRD_OK ? crd_i_model_settle(model, i, type, error) : status;
}

static bool accumulate_add_column(crd_model *model, accumulate_passage *rows, size_t i, const crd_i_column *column,
                                  size_t classes) {
    const crd_frame *frame = rows->frame;
    crd_i_variable *variable = &model->variables[i];
    crd_i_cells cells = {.rows = frame->rows, .numbers = column->numbers, .validity = column->validity};
    size_t values = 0;
    if (column->type == CRD_TYPE_CATEGORICAL) {
        cells.codes = crd_i_binding_translate(&model->binding, frame, i, variable->values, NULL, rows->conditions);
        if (cells.codes == NULL) return false;
        values = crd_i_dictionary_size(variable->values);
    }
    return variable->tally->type->extend(variable->tally, classes, values) &&
           accumulate_add_cells(model, rows, i, &cells) &&
           accumulate_add_extras(model, rows, variable, classes, &cells) &&
           (model->joint_tally_count == 0 || crd_i_offered_put(&rows->offered, i, &cells));
}

/* Adds texts row by row. */
static crd_status accumulate_add_texts(crd_model *model, accumulate_passage *rows, size_t i, const crd_i_column *column,
                                       size_t classes, crd_error *error) {
    crd_i_tally *tally = model->variables[i].tally;
    const crd_i_cells cells = {.rows = rows->frame->rows, .texts = column->texts, .are_bags = column->are_bags};
    if (!tally->type->extend(tally, classes, 0)) return crd_i_fail_memory(error);
    crd_status status = crd_i_terms_add(tally, &cells, rows->conditions, rows->weights, error);
    const crd_i_token_rules rules = crd_i_settings_token_rules(model->settings);
    if (status == CRD_OK && model->joint_tally_count > 0)
        status = crd_i_offered_put_texts(&rows->offered, i, &cells, rows->conditions, &rules, error);
    if (status != CRD_OK) crd_i_error_subject(error, model->schema->columns[i].name);
    return status;
}

/* Adds the cells of one attribute to its tallies. Fails if the model would become too large. */
static crd_status tally_attribute(crd_model *model, accumulate_passage *rows, size_t i, crd_error *error) {
    const crd_frame *frame = rows->frame;
    const crd_i_column *column = crd_i_binding_column(&model->binding, frame, i);
    if (column == NULL || column->type == CRD_TYPE_NONE || frame->rows == 0) return CRD_OK;
    if (column->is_constant && !crd_i_column_present(column, 0)) return CRD_OK;
    bool is_text = column->type == CRD_TYPE_TEXT;
    bool is_alike = column->is_constant && rows->weights == NULL && model->joint_tally_count == 0 && !is_text;
    size_t classes = crd_i_dictionary_size(crd_i_model_target(model)->values);
    if (is_alike && !crd_i_class_rows_make(&rows->alike, rows->conditions, frame->rows, classes))
        return crd_i_fail_memory(error);
    /* Only rows that count determine the type of a column. The model must not depend on rows that it did not learn. */
    if (is_alike ? rows->alike.count == 0 : !accumulate_any_present(column, frame->rows, rows->conditions))
        return CRD_OK;
    crd_status status = settle_type(model, rows, i, column->type, error);
    if (status != CRD_OK) return status;
    crd_i_variable *variable = &model->variables[i];
    uint64_t others = rows->size - accumulate_size(variable);
    status = check_size(model, others + size_with(variable, classes), error);
    if (status != CRD_OK) return status;
    if (is_text) {
        status = accumulate_add_texts(model, rows, i, column, classes, error);
        if (status != CRD_OK) return status;
    } else if (is_alike ? !crd_i_class_rows_add(&rows->alike, variable, column, classes)
                        : !accumulate_add_column(model, rows, i, column, classes)) {
        return crd_i_fail_memory(error);
    }
    rows->size = others + accumulate_size(variable);
    return check_size(model, rows->size, error);
}

static crd_status tally_attributes(crd_model *model, accumulate_passage *rows, crd_error *error) {
    const crd_i_schema *schema = model->schema;
    crd_status status = CRD_OK;
    rows->size = size_of_all(model);
    if (model->joint_tally_count > 0 &&
        !crd_i_offered_init(&rows->offered, model->context, rows->frame->rows, schema->count))
        return crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < schema->count; i++) {
        if (i == schema->target) continue;
        if (crd_i_context_cancelled(model->context)) status = crd_i_fail_cancelled(error);
        else status = tally_attribute(model, rows, i, error);
    }
    size_t classes = crd_i_dictionary_size(crd_i_model_target(model)->values);
    if (status == CRD_OK && model->batch != NULL && rows->numbers_wait &&
        !crd_i_batch_add_offered(model->batch, rows->frame->rows, rows->conditions, classes))
        status = crd_i_fail_memory(error);
    if (status != CRD_OK || model->joint_tally_count == 0) return status;
    return rows->rows_wait ? crd_i_joint_tallies_wait(model, &rows->offered, rows->conditions, error)
                           : crd_i_joint_tallies_add(model, &rows->offered, rows->conditions, rows->weights, error);
}

/* ======== 4. Frames ======== */

static void accumulate_count_rows(const accumulate_passage *rows, crd_read_facts *facts) {
    for (size_t row = 0; row < rows->frame->rows; row++) {
        facts->rows += rows->conditions[row] >= 0;
        bool is_weightless = rows->weights != NULL && rows->weights[row] == 0;
        facts->skipped += rows->conditions[row] < 0 && !is_weightless;
        facts->weightless += is_weightless;
    }
}

/* Returns whether most columns are constant. A batch adds every row of all its columns, which costs too much if most
 * columns have nothing new. */
static bool is_mostly_constant(const crd_frame *frame) {
    size_t constant = 0;
    for (size_t i = 0; i < frame->column_count; i++) constant += frame->columns[i].is_constant;
    return constant > frame->column_count / 2;
}

/* Adds the rows of a frame. Buffers them if numbers_wait is true and the rows have no weights. */
static crd_status accumulate_tally_frame(crd_model *model, const crd_frame *frame, bool numbers_wait,
                                         crd_read_facts *facts, crd_error *error) {
    const crd_i_schema *schema = model->schema;
    size_t columns = schema->count + (schema->weight.name.bytes != NULL);
    if (!crd_i_binding_bind(&model->binding, 0, frame, columns, accumulate_column_name, schema))
        return crd_i_fail_memory(error);
    crd_i_fit_cache_clear(&model->fitted);
    crd_i_model_drop_selection(model);
    accumulate_passage rows = {.frame = frame, .offered = {.context = model->context}};
    crd_i_class_rows_init(&rows.alike, model->context);
    int32_t *conditions = NULL;
    crd_status status = accumulate_find_weights(model, frame, &rows.weights, error);
    if (status == CRD_OK) status = tally_target(model, frame, rows.weights, &conditions, error);
    if (status == CRD_OK && rows.weights != NULL) status = crd_i_model_check_total(model, error);
    rows.conditions = conditions;
    rows.rows_wait = numbers_wait && rows.weights == NULL;
    rows.numbers_wait = rows.rows_wait && !is_mostly_constant(frame);
    if (status == CRD_OK) status = tally_attributes(model, &rows, error);
    if (status == CRD_OK) accumulate_count_rows(&rows, facts);
    crd_i_offered_clear(&rows.offered);
    crd_i_class_rows_clear(&rows.alike);
    crd_free(model->context, conditions);
    return status;
}

crd_status crd_i_accumulate_buffered(crd_model *model, const crd_frame *frame, crd_read_facts *facts,
                                     crd_error *error) {
    return accumulate_tally_frame(model, frame, true, facts, error);
}

crd_status crd_i_accumulate_flush(crd_model *model, crd_error *error) {
    crd_status status = pour_numbers(model, error);
    crd_i_groups_clear(&model->groups);
    if (status == CRD_OK) status = crd_i_joint_tallies_pour(model, error);
    crd_i_waiting_destroy(model->waiting);
    model->waiting = NULL;
    /* Each thread sorts its own texts here. */
    for (size_t i = 0; status == CRD_OK && i < model->schema->count; i++) {
        const crd_i_tally *tally = model->variables[i].tally;
        if (tally != NULL && tally->type->settle != NULL) status = tally->type->settle(tally, error);
    }
    return status;
}

/* With fewer rows, adding them directly to the tallies is faster than buffering. */
enum { FEW_ROWS = 32 };

crd_status crd_i_accumulate_frame(crd_model *model, const crd_frame *frame, crd_read_facts *facts, crd_error *error) {
    crd_status status = accumulate_tally_frame(model, frame, frame->rows >= FEW_ROWS, facts, error);
    return status == CRD_OK ? crd_i_accumulate_flush(model, error) : status;
}

/* ======== 5. Rows with class probabilities ======== */

/* Rows that are added to the model at once. */
enum { BUFFER_CELLS = 1 << 16, LEAST_ROWS = 64, MOST_ROWS = 4096 };

/* Name of a temporary weight column, for schemas without one. No column of a file has this name. It is removed after
 * training, so the model gives weight 1 to each row of later files. */
static const crd_text OWN_WEIGHT = {"\001", 1};

struct crd_i_weighted_rows {
    crd_context *context;
    crd_model *model;
    crd_frame *frame; /* the columns, the class and the weight of rows to be added, each as often as it has classes */
    size_t column_count, classes, capacity;
    double *shares; /* of one row */
    bool has_own_weight;
};

void crd_i_weighted_rows_destroy(crd_i_weighted_rows *rows) {
    if (rows == NULL) return;
    crd_frame_destroy(rows->frame);
    crd_model_destroy(rows->model);
    crd_free(rows->context, rows->shares);
    crd_free(rows->context, rows);
}

/* ---- Creation ---- */

/* Adds the columns of classes and weights, and allocates the cells of all columns. */
static crd_status weighted_rows_make_frame(crd_i_weighted_rows *rows, const crd_text *names, crd_error *error) {
    const crd_i_schema *schema = rows->model->schema;
    crd_frame *frame = rows->frame;
    crd_status status =
        crd_frame_add_codes(frame, schema->columns[schema->target].name, NULL, NULL, names, rows->classes, error);
    if (status == CRD_OK) status = crd_frame_add_numbers(frame, schema->weight.name, NULL, NULL, error);
    for (size_t i = 0; status == CRD_OK && i < frame->column_count; i++) {
        crd_i_column *column = &frame->columns[i];
        if (column->type == CRD_TYPE_NONE) continue;
        column->owned = crd_i_alloc(rows->context, rows->capacity,
                                    column->type == CRD_TYPE_NUMERIC ? sizeof(double) : sizeof(int32_t));
        if (column->owned == NULL) return crd_i_fail_memory(error);
        if (column->type == CRD_TYPE_NUMERIC) column->numbers = column->owned;
        else column->codes = column->owned;
    }
    return status;
}

crd_status crd_i_weighted_rows_create(crd_i_schema *schema, const crd_settings *settings, crd_frame *columns,
                                      const crd_text *names, size_t classes, crd_i_weighted_rows **out,
                                      crd_error *error) {
    crd_context *context = schema->context;
    const bool has_own_weight = schema->weight.name.bytes == NULL;
    crd_i_weighted_rows *rows = crd_i_alloc_zeroed(context, 1, sizeof *rows);
    *out = NULL;
    if (rows == NULL || (has_own_weight && !crd_i_schema_set_weight(schema, OWN_WEIGHT, 0))) {
        crd_i_schema_destroy(schema);
        crd_frame_destroy(columns);
        crd_free(context, rows);
        return crd_i_fail_memory(error);
    }
    rows->context = context;
    rows->frame = columns;
    rows->column_count = columns->column_count;
    rows->classes = classes;
    rows->has_own_weight = has_own_weight;
    const size_t capacity = BUFFER_CELLS / (rows->column_count + 2);
    rows->capacity = capacity < LEAST_ROWS ? LEAST_ROWS : capacity > MOST_ROWS ? MOST_ROWS : capacity;
    rows->shares = crd_i_alloc(context, classes, sizeof *rows->shares);
    crd_status status = crd_i_model_create(context, schema, settings, &rows->model, error);
    if (status == CRD_OK && rows->shares == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = weighted_rows_make_frame(rows, names, error);
    if (status == CRD_OK) *out = rows;
    else crd_i_weighted_rows_destroy(rows);
    return status;
}

/* ---- Rows ---- */

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
    if (rows->frame->rows == 0) return CRD_OK;
    const crd_status status = crd_i_accumulate_buffered(rows->model, rows->frame, &facts, error);
    rows->frame->rows = 0;
    return status;
}

static void weighted_rows_put(crd_i_weighted_rows *rows, const crd_i_weighted_cells *cells, size_t row, size_t k,
                              double weight) {
    const size_t index = rows->frame->rows++;
    crd_i_column *columns = rows->frame->columns;
    for (size_t c = 0; c < rows->column_count; c++) {
        if (columns[c].numbers != NULL) ((double *)columns[c].owned)[index] = cells->numbers[c][row];
        else if (columns[c].codes != NULL) ((int32_t *)columns[c].owned)[index] = cells->codes[c][row];
    }
    ((int32_t *)columns[rows->column_count].owned)[index] = (int32_t)k;
    ((double *)columns[rows->column_count + 1].owned)[index] = weight;
}

crd_status crd_i_weighted_rows_add(crd_i_weighted_rows *rows, const crd_i_weighted_cells *cells, const double *shares,
                                   size_t stride, crd_error *error) {
    for (size_t row = 0; row < cells->rows; row++) {
        if (!weighted_rows_round_shares(shares + row * stride, rows->classes, rows->shares)) continue;
        for (size_t k = 0; k < rows->classes; k++) {
            const double weight = cells->weights == NULL ? rows->shares[k] : cells->weights[row] * rows->shares[k];
            if (weight == 0) continue;
            weighted_rows_put(rows, cells, row, k, weight);
            if (rows->frame->rows < rows->capacity) continue;
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
    if (rows->has_own_weight) {
        crd_free(rows->context, (void *)rows->model->schema->weight.name.bytes);
        rows->model->schema->weight = (crd_i_schema_weight){{NULL, 0}, 0};
        crd_i_binding_clear(&rows->model->binding);
        rows->model->binding.context = rows->context;
    }
    *out = rows->model;
    rows->model = NULL;
    return CRD_OK;
}
