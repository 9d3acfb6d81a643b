/* SPDX-License-Identifier: MIT */
/* model_schema.c - converts schemas to models and models to schemas, and adds a weight to an existing model. */
#include "model/model_create.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/public_schema.h"

#include <string.h>

crd_status crd_model_create_from_schema(crd_context *context, const crd_schema *schema, const crd_settings *settings,
                                        crd_model **out, crd_error *error) {
    *out = NULL;
    if (schema->context != context)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the schema belongs to another context");
    crd_i_schema *columns = crd_i_schema_clone(schema->inner);
    return columns == NULL ? crd_i_fail_memory(error) : crd_i_model_create(context, columns, settings, out, error);
}

/* Declares the values of a category in the schema: the model's declared values and its counted values. */
static bool declare_known(const crd_model *model, size_t column, crd_i_schema *schema) {
    const crd_i_dictionary *values = crd_i_model_rows(model)->variables[column].values;
    for (size_t code = 0; values != NULL && code < crd_i_dictionary_size(values); code++)
        if (!crd_i_schema_declare(schema, column, crd_i_dictionary_text(values, code))) return false;
    return true;
}

crd_status crd_schema_from_model(const crd_model *model, int with_values, crd_schema **out, crd_error *error) {
    *out = NULL;
    crd_i_schema *schema = crd_i_schema_clone(model->schema);
    if (schema == NULL) return crd_i_fail_memory(error);
    bool done = true;
    for (size_t i = 0; done && i < schema->count; i++) {
        schema->columns[i].kind = crd_i_model_column_kind(model, i);
        if (with_values && schema->columns[i].kind == CRD_KIND_CATEGORY) done = declare_known(model, i, schema);
    }
    if (!done) {
        crd_i_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    crd_i_schema_drop_stand_in(schema);
    return crd_i_schema_wrap(schema, out, error);
}

static crd_status model_schema_fail_weight(crd_text name, const char *description, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "'%s' %s", crd_i_quote(name, shown), description);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

crd_status crd_model_set_weight(crd_model *model, crd_text name, crd_error *error) {
    crd_i_schema *schema = model->schema;
    crd_status status = crd_i_model_check_of_rows(model, "weigh rows", error);
    if (status != CRD_OK) return status;
    if (name.length == 0 || memchr(name.bytes, '\0', name.length) != NULL)
        return model_schema_fail_weight(name, "cannot be the weight: its name is empty, or has a NUL byte", error);
    if (schema->weight.name.bytes != NULL)
        return crd_text_equal(schema->weight.name, name)
                   ? CRD_OK
                   : model_schema_fail_weight(name, "would be a second weight", error);
    if (crd_i_schema_find(schema, name) != SIZE_MAX)
        return model_schema_fail_weight(name, "is a column of the model, and cannot be its weight", error);
    if (!crd_i_schema_set_weight(schema, name, schema->width)) return crd_i_fail_memory(error);
    schema->width++;
    /* The frames to bind now have one more column. */
    crd_i_binding_clear(&model->binding);
    return CRD_OK;
}

void crd_model_drop_declared_classes(crd_model *model) {
    if (model->schema->lacks_target) return;
    crd_i_schema_column *target = &model->schema->columns[model->schema->target];
    if (target->intervals.cuts != NULL) return; /* the declared values are the labels of the intervals */
    crd_i_dictionary_destroy(target->values);
    target->values = NULL;
}

crd_status crd_model_drop_declared_kind(crd_model *model, crd_text attribute, crd_error *error) {
    crd_status status = crd_i_model_check_of_rows(model, "drop a declared column type", error);
    if (status != CRD_OK) return status;
    size_t found = crd_i_schema_find(model->schema, attribute);
    if (found == SIZE_MAX || found == model->schema->target) {
        char shown[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_COLUMN, "the model has no attribute '%s'", crd_i_quote(attribute, shown));
        crd_i_error_subject(error, attribute);
        return CRD_ERROR_COLUMN;
    }
    crd_i_schema_column *column = &model->schema->columns[found];
    const bool declares_more =
        column->values != NULL || column->intervals.cuts != NULL || !crd_i_form_is_plain(column->form);
    if (!declares_more) column->kind = CRD_KIND_NONE;
    return CRD_OK;
}

crd_text crd_model_column_field(const crd_model *model, crd_text column) {
    size_t found = crd_i_schema_find(model->schema, column);
    crd_text field = {"", 0};
    if (found != SIZE_MAX && model->schema->columns[found].field.bytes != NULL)
        field = model->schema->columns[found].field;
    return field;
}

crd_status crd_model_read_cell(const crd_model *model, crd_text column, crd_text cell, crd_value *out,
                               crd_error *error) {
    const size_t found = crd_i_schema_find(model->schema, column);
    if (found == SIZE_MAX) return crd_i_fail(error, CRD_ERROR_COLUMN, "the column does not exist");
    crd_i_schema_column schema_column = model->schema->columns[found];
    if (crd_i_form_has_comma(schema_column.form)) schema_column.scale = crd_i_model_scale(model, found);
    return crd_i_schema_read_cell(model->context, &schema_column, crd_i_model_column_kind(model, found), cell, out,
                                  error);
}

size_t crd_model_format_number(const crd_model *model, crd_text column, double number, char buffer[CRD_CELL_ROOM]) {
    const size_t found = crd_i_schema_find(model->schema, column);
    const crd_i_form plain = {CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    return crd_i_form_write(found == SIZE_MAX ? plain : model->schema->columns[found].form, number, buffer);
}
