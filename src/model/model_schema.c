/* SPDX-License-Identifier: MIT */
/* model_schema.c - models made from schemas and the other way round, and a weight that comes later. */
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

/* The values that a model knows of a category: those declared, and those that were counted. */
static bool declare_known(const crd_model *model, size_t column, crd_i_schema *schema) {
    const crd_i_dictionary *values = model->variables[column].values;
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

static crd_status fail_weight(crd_text name, const char *what, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "'%s' %s", crd_i_quote(name, shown), what);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

crd_status crd_model_set_weight(crd_model *model, crd_text name, crd_error *error) {
    crd_i_schema *schema = model->schema;
    crd_status status = crd_i_model_check_of_rows(model, "weigh rows", error);
    if (status != CRD_OK) return status;
    if (name.length == 0 || memchr(name.bytes, '\0', name.length) != NULL)
        return fail_weight(name, "cannot be the weight: its name is empty, or has a NUL byte", error);
    if (schema->weight.name.bytes != NULL)
        return crd_text_equal(schema->weight.name, name) ? CRD_OK
                                                         : fail_weight(name, "would be a second weight", error);
    if (crd_i_schema_find(schema, name) != SIZE_MAX)
        return fail_weight(name, "is a column of the model, and cannot be its weight", error);
    if (!crd_i_schema_set_weight(schema, name, schema->width)) return crd_i_fail_memory(error);
    schema->width++;
    /* The columns that frames are bound to are one more. */
    crd_i_binding_clear(&model->binding);
    return CRD_OK;
}
