/* naive.c - naive Bayes: the condition of every attribute is the class of its row, and the class has none.
 *
 *   P(class, x1, x2, ...) = P(class) P(x1 | class) P(x2 | class) ...
 *
 * A row whose class is missing tells nothing of any of these, and is skipped. */
#include "model/model.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static crd_text column_name(const void *names, size_t i) {
    return ((const crd_i_schema *)names)->columns[i].name;
}

static crd_status fail_column(crd_error *error, crd_text name, const char *format) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_quote(name, quoted);
    crd_i_fail(error, CRD_ERROR_COLUMN, "%s '%s'", format, quoted);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

/* Tallies the classes, and gives each row's class in *conditions, which the caller frees. */
static crd_status tally_target(crd_model *model, const crd_frame *frame, int32_t **conditions, crd_error *error) {
    size_t target = model->schema->target;
    crd_i_variable *classes = &model->variables[target];
    const crd_i_column *column = crd_i_binding_column(&model->binding, frame, target);
    crd_text name = model->schema->columns[target].name;
    *conditions = NULL;
    if (column == NULL) return fail_column(error, name, "the rows have no target column");
    if (column->kind == CRD_KIND_NUMBER) return fail_column(error, name, "the target must be a category:");

    *conditions = crd_i_alloc(model->context, frame->rows, sizeof **conditions);
    if (*conditions == NULL) return crd_i_fail_memory(error);
    if (column->kind == CRD_KIND_NONE) {
        for (size_t row = 0; row < frame->rows; row++) (*conditions)[row] = CRD_I_CODE_MISSING;
        return CRD_OK;
    }
    const int32_t *codes = crd_i_binding_translate(&model->binding, frame, target, classes->values, NULL, NULL);
    if (codes == NULL) goto fail;
    if (frame->rows > 0) memcpy(*conditions, codes, frame->rows * sizeof **conditions);
    crd_i_cells cells = {.rows = frame->rows, .codes = codes};
    crd_i_groups all;
    bool added = crd_i_groups_init(&all, model->context, NULL, frame->rows) &&
                 classes->tally->type->extend(classes->tally, 1, crd_i_dictionary_size(classes->values)) &&
                 classes->tally->type->add(classes->tally, &cells, &all, NULL);
    crd_i_groups_clear(&all);
    if (!added) goto fail;
    return CRD_OK;

fail:
    crd_free(model->context, *conditions);
    *conditions = NULL;
    return crd_i_fail_memory(error);
}

/* Tables of counts are dense. One of more cells than this (2 GiB) is that of an identifier, whatever memory there is. */
static const size_t MOST_COUNTS = (size_t)1 << 28;

static crd_status check_size(const crd_model *model, size_t column, size_t classes, size_t values, crd_error *error) {
    if (values == 0 || classes <= MOST_COUNTS / values) return CRD_OK;
    char quoted[CRD_I_QUOTED_ROOM];
    crd_text name = model->schema->columns[column].name;
    crd_i_fail(error, CRD_ERROR_LIMIT,
               "'%s' has %zu values and the target %zu classes, too many for a table of counts: is one an identifier?",
               crd_i_quote(name, quoted), values, classes);
    crd_i_error_subject(error, name);
    return CRD_ERROR_LIMIT;
}

static bool any_present(const crd_i_column *column, size_t rows, const int32_t *conditions) {
    for (size_t row = 0; row < rows; row++)
        if (conditions[row] >= 0 && crd_i_column_present(column, row)) return true;
    return false;
}

static crd_status tally_attribute(crd_model *model, const crd_frame *frame, size_t i, const int32_t *conditions,
                                  const crd_i_groups *groups, crd_error *error) {
    const crd_i_column *column = crd_i_binding_column(&model->binding, frame, i);
    /* Only cells that count settle the kind of a column: the model must not depend on rows it did not learn. */
    if (column == NULL || !any_present(column, frame->rows, conditions)) return CRD_OK;
    crd_status status = crd_i_model_settle(model, i, column->kind, error);
    if (status != CRD_OK) return status;
    crd_i_variable *variable = &model->variables[i];
    crd_i_cells cells = {.rows = frame->rows, .numbers = column->numbers, .validity = column->validity};
    size_t values = 0;
    if (column->kind == CRD_KIND_CATEGORY) {
        cells.codes = crd_i_binding_translate(&model->binding, frame, i, variable->values, NULL, conditions);
        if (cells.codes == NULL) return crd_i_fail_memory(error);
        values = crd_i_dictionary_size(variable->values);
    }
    size_t classes = crd_i_dictionary_size(crd_i_model_target(model)->values);
    status = check_size(model, i, classes, values, error);
    if (status != CRD_OK) return status;
    if (!variable->tally->type->extend(variable->tally, classes, values) ||
        !variable->tally->type->add(variable->tally, &cells, groups, NULL))
        return crd_i_fail_memory(error);
    return CRD_OK;
}

crd_status crd_i_naive_tally(crd_model *model, const crd_frame *frame, crd_read_facts *facts, crd_error *error) {
    if (!crd_i_binding_bind(&model->binding, 0, frame, model->schema->count, column_name, model->schema))
        return crd_i_fail_memory(error);
    int32_t *conditions;
    crd_status status = tally_target(model, frame, &conditions, error);
    crd_i_groups groups = {.context = model->context};
    if (status == CRD_OK && !crd_i_groups_init(&groups, model->context, conditions, frame->rows))
        status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < model->schema->count; i++) {
        if (i == model->schema->target) continue;
        if (crd_i_context_cancelled(model->context)) status = crd_i_fail(error, CRD_ERROR_CANCELLED, "cancelled");
        else status = tally_attribute(model, frame, i, conditions, &groups, error);
    }
    for (size_t row = 0; status == CRD_OK && row < frame->rows; row++) {
        facts->rows += conditions[row] >= 0;
        facts->skipped += conditions[row] < 0;
    }
    crd_i_groups_clear(&groups);
    crd_free(model->context, conditions);
    return status;
}
