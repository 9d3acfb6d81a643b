/* SPDX-License-Identifier: MIT */
/* table_profile.c - column types of tables: profiles of their values, and schemas as file texts. */
#include "module.h"

#include <math.h>
#include <stdlib.h>

enum { QUANTILES = 5, FREQUENT_LISTED = 10 };
static const double LEVELS[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
static const char *const LEVEL_KEYS[QUANTILES] = {"quantile_5", "quantile_25", "median", "quantile_75", "quantile_95"};

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

static PyObject *frequent_of(const crd_profile *profile, size_t column, uint64_t present) {
    PyObject *list = PyList_New(0);
    crd_value value;
    uint64_t cells = 0;
    for (uint64_t rank = 0; list != NULL && rank < FREQUENT_LISTED; rank++) {
        if (!crd_profile_frequent(profile, column, rank, &value, &cells)) break;
        PyObject *row = Py_BuildValue("{s:N,s:K,s:d}", "value",
                                      value.type == CRD_TYPE_NUMERIC ? number_of(value.number) : str_of(value.text),
                                      "count", (unsigned long long)cells, "share", (double)cells / (double)present);
        if (append_item(list, row) < 0) Py_CLEAR(list);
    }
    return list;
}

/* Adds a histogram. If there are few distinct numbers, it has one bin per number. */
static int add_histogram(const crd_profile *profile, size_t column, const crd_column_profile *facts, PyObject *record) {
    enum { MOST = 20 };
    double counts[MOST];
    const size_t bins = facts->is_exact && facts->distinct < MOST ? (size_t)facts->distinct : MOST;
    if (!crd_profile_histogram(profile, column, bins, counts)) return 0;
    PyObject *list = PyList_New((Py_ssize_t)bins);
    for (size_t i = 0; list != NULL && i < bins; i++)
        if (PyList_SetItem(list, (Py_ssize_t)i, number_of(counts[i])) < 0) Py_CLEAR(list);
    return put(record, "histogram", list);
}

static int add_numbers(const crd_profile *profile, size_t column, const crd_column_profile *facts, PyObject *record) {
    if (!facts->is_exact && put(record, "resolution", number_of(facts->resolution)) < 0) return -1;
    if (put(record, "min", number_of(facts->least)) < 0) return -1;
    for (size_t q = 0; q < QUANTILES; q++)
        if (put(record, LEVEL_KEYS[q], number_of(crd_profile_quantile(profile, column, LEVELS[q]))) < 0) return -1;
    if (put(record, "max", number_of(facts->greatest)) < 0 || put(record, "mean", number_of(facts->mean)) < 0 ||
        put(record, "sd", number_of(facts->deviation)) < 0)
        return -1;
    return add_histogram(profile, column, facts, record);
}

/* Returns the appearance of a column in addition to its type; NULL if there is nothing special. */
static const char *appearance_of(const crd_column_profile *facts, bool is_attribute) {
    switch (facts->appearance) {
    case CRD_APPEARANCE_ROW_NUMBER: return "row number";
    case CRD_APPEARANCE_IDENTIFIER: return is_attribute ? "identifier" : NULL;
    case CRD_APPEARANCE_CODES: return "codes";
    case CRD_APPEARANCE_PLAIN: break;
    }
    return NULL;
}

/* Returns a schema column, or a part of it, as a record with the keys of the command's verb schema. */
static PyObject *column_record(const crd_schema *schema, const crd_profile *profile, size_t column, size_t part,
                               size_t *profile_index) {
    const bool is_ignored = crd_schema_is_ignored(schema, column) != 0;
    crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
    if (!is_ignored) crd_profile_column(profile, *profile_index, &facts);
    const char *type = is_ignored ? "ignored" : crd_column_type_name(facts.type);
    crd_text format = crd_schema_column_format(schema, column);
    PyObject *record =
        Py_BuildValue("{s:N,s:s}", "column", str_of(crd_schema_part_name(schema, column, part)), "type", type);
    if (record == NULL || (format.length > 0 && put(record, "format", str_of(format)) < 0)) goto fail;
    if (is_ignored) return record;
    const char *role = column == crd_schema_target(schema)   ? "target"
                       : column == crd_schema_weight(schema) ? "weight"
                                                             : "attribute";
    uint64_t rows = facts.present + facts.missing;
    if (put(record, "role", str_of_c(role)) < 0 ||
        put(record, "missing", PyLong_FromUnsignedLongLong(facts.missing)) < 0 ||
        put(record, "missing_share", number_of(rows == 0 ? 0 : (double)facts.missing / (double)rows)) < 0 ||
        put(record, "distinct", PyLong_FromUnsignedLongLong(facts.distinct)) < 0 ||
        put(record, "is_exact", PyBool_FromLong(facts.is_exact)) < 0)
        goto fail;
    if (facts.type == CRD_TYPE_NUMERIC && facts.present > 0 && add_numbers(profile, *profile_index, &facts, record) < 0)
        goto fail;
    if (put(record, "most_frequent", frequent_of(profile, *profile_index, facts.present)) < 0) goto fail;
    const char *seems = appearance_of(&facts, role[0] == 'a');
    if (seems != NULL && put(record, "looks_like", str_of_c(seems)) < 0) goto fail;
    (*profile_index)++;
    return record;
fail:
    Py_XDECREF(record);
    return NULL;
}

static PyObject *profile_record(const crd_schema *schema, const crd_profile *profile) {
    PyObject *columns = PyList_New(0);
    size_t profile_index = 0;
    for (size_t i = 0; columns != NULL && i < crd_schema_column_count(schema); i++) {
        size_t parts = crd_schema_is_ignored(schema, i) ? 1 : crd_schema_column_parts(schema, i);
        for (size_t part = 0; columns != NULL && part < parts; part++) {
            PyObject *row = column_record(schema, profile, i, part, &profile_index);
            if (append_item(columns, row) < 0) Py_CLEAR(columns);
        }
    }
    return Py_BuildValue("{s:K,s:N}", "rows", (unsigned long long)crd_profile_rows(profile), "columns", columns);
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
    if (failed == 0) result = Py_BuildValue("NN", profile_record(schema, profile), schema_text(state, schema));
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
