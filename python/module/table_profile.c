/* SPDX-License-Identifier: MIT */
/* table_profile.c - column types of tables: profiles of their values, and schemas as file texts. */
#include "module.h"

/* Returns the text of a schema file. */
static PyObject *schema_text(module_state *state, const crd_schema *schema) {
    char *text = NULL;
    size_t length = 0;
    crd_error error;
    if (crd_schema_encode(schema, &text, &length, &error) != CRD_OK) {
        raise_error(state, &error);
        return NULL;
    }
    PyObject *result = str_of((crd_text){text, length});
    crd_free(state->context, text);
    return result;
}

static crd_schema *schema_of(module_state *state, PyObject *object) {
    crd_text text;
    crd_schema *schema = NULL;
    crd_error error;
    if (text_of(object, "schema", false, &text) < 0) return NULL;
    if (crd_schema_decode(state->context, text.bytes, text.length, &schema, &error) != CRD_OK)
        raise_error(state, &error);
    return schema;
}

/* ---- Profiles ---- */

/* Returns the profile as a record with the keys of the command's verb schema. */
static PyObject *profile_record(module_state *state, const crd_schema *schema, const crd_profile *profile) {
    crd_result *result = result_begin(state);
    if (result == NULL) return NULL;
    crd_profile_report(profile, schema, result);
    crd_result_end(result);
    return result_record(result);
}

/* profile_table(reader, with_values=False, most_rows=0): the profile, and the text of the schema. */
static PyObject *profile_table(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *source;
    int with_values = 0;
    unsigned long long most = 0;
    if (!PyArg_ParseTuple(arguments, "O|pK", &source, &with_values, &most)) return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_profile *profile = NULL;
    crd_schema *schema = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_profile_create(state->context, reader, most, &profile, &call.error);
    if (status == CRD_OK) status = crd_schema_from_reader(reader, with_values, &schema, &call.error);
    int failed = call_end(&call, status);
    reader_done(source);
    PyObject *result = NULL;
    if (failed == 0) result = Py_BuildValue("NN", profile_record(state, schema, profile), schema_text(state, schema));
    crd_schema_destroy(schema);
    crd_profile_destroy(profile);
    return result;
}

/* ---- Schemas ---- */

/* schema_of_rows(reader, with_values=False) -> str: for a shard, this is the schema of a part. */
static PyObject *schema_of_rows(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *source;
    int with_values = 0;
    if (!PyArg_ParseTuple(arguments, "O|p", &source, &with_values)) return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_schema *schema = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_schema_from_rows(reader, with_values, &schema, &call.error);
    int failed = call_end(&call, status);
    reader_done(source);
    PyObject *result = failed == 0 ? schema_text(state, schema) : NULL;
    crd_schema_destroy(schema);
    return result;
}

/* complete_schema(text) -> str: the complete schema, after all parts were merged. */
static PyObject *complete_schema(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    crd_schema *schema = schema_of(state, argument);
    if (schema == NULL) return NULL;
    core_call call;
    call_begin(&call, state);
    const int failed = call_end(&call, crd_schema_complete(schema, &call.error));
    PyObject *result = failed == 0 ? schema_text(state, schema) : NULL;
    crd_schema_destroy(schema);
    return result;
}

/* schema_of_model(model, with_values=False) -> str */
static PyObject *schema_of_model(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *argument;
    int with_values = 0;
    if (!PyArg_ParseTuple(arguments, "O|p", &argument, &with_values) ||
        !check_type(state, argument, CORE_MODEL, "model"))
        return NULL;
    model_object *model = (model_object *)argument;
    crd_schema *schema = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_schema_from_model(model->model, with_values, &schema, &call.error);
        model_unlock(model);
    }
    PyObject *result = call_end(&call, status) < 0 ? NULL : schema_text(state, schema);
    crd_schema_destroy(schema);
    return result;
}

/* merge_schemas(first, second) -> str */
static PyObject *merge_schemas(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *first, *second, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "OO", &first, &second)) return NULL;
    crd_schema *merged = schema_of(state, first), *other = merged == NULL ? NULL : schema_of(state, second);
    crd_error error;
    if (other != NULL) {
        if (crd_schema_merge(merged, other, &error) == CRD_OK) result = schema_text(state, merged);
        else raise_error(state, &error);
    }
    crd_schema_destroy(merged);
    crd_schema_destroy(other);
    return result;
}

/* check_schema(text) -> str: the canonical text of a schema. */
static PyObject *check_schema(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    crd_schema *schema = schema_of(state, argument);
    PyObject *result = schema == NULL ? NULL : schema_text(state, schema);
    crd_schema_destroy(schema);
    return result;
}

PyMethodDef table_profile_functions[] = {
    {"profile_table", profile_table, METH_VARARGS,
     "profile_table(reader, with_values=False, most_rows=0) -> tuple[dict, str]"},
    {"schema_of_model", schema_of_model, METH_VARARGS, "schema_of_model(model, with_values=False) -> str"},
    {"schema_of_rows", schema_of_rows, METH_VARARGS, "schema_of_rows(reader, with_values=False) -> str"},
    {"complete_schema", complete_schema, METH_O, "complete_schema(text) -> str"},
    {"merge_schemas", merge_schemas, METH_VARARGS, "merge_schemas(first, second) -> str"},
    {"check_schema", check_schema, METH_O, "check_schema(text) -> str"},
    {NULL, NULL, 0, NULL},
};
