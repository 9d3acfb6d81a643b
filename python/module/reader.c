/* SPDX-License-Identifier: MIT */
/* reader.c - Reader: reads rows of files, frames or Arrow streams. One call can take the rows. */
#include "reader_options.h"

#include <string.h>

static void reader_dealloc(PyObject *object) {
    reader_object *self = (reader_object *)object;
    crd_reader_close(self->reader);
    bad_rows_free(self->bad_rows);
    Py_XDECREF(self->kept);
    free_object(self);
}

crd_reader *reader_take(module_state *state, PyObject *object) {
    if (!check_type(state, object, CORE_READER, "reader")) return NULL;
    reader_object *self = (reader_object *)object;
    if (self->is_busy) {
        PyErr_SetString(PyExc_RuntimeError, "reader: another call is reading it");
        return NULL;
    }
    self->is_busy = true;
    return self->reader;
}

void reader_done(PyObject *object) {
    ((reader_object *)object)->is_busy = false;
}

/* Selects columns with a library function that accepts a selector. */
static PyObject *select_by(PyObject *object, PyObject *selector,
                           crd_status (*select)(crd_reader *, crd_text, crd_error *)) {
    module_state *state = state_of(object);
    crd_text text;
    if (text_of(selector, "selector", false, &text) < 0) return NULL;
    crd_reader *reader = reader_take(state, object);
    if (reader == NULL) return NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = select(reader, text, &call.error);
    int failed = call_end(&call, status);
    reader_done(object);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *reader_select_target(PyObject *self, PyObject *selector) {
    return select_by(self, selector, crd_reader_select_target);
}

static PyObject *reader_select_weight(PyObject *self, PyObject *selector) {
    return select_by(self, selector, crd_reader_select_weight);
}

static PyObject *reader_select_ignored(PyObject *self, PyObject *selector) {
    return select_by(self, selector, crd_reader_select_ignored);
}

static PyObject *reader_column_names(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_reader *reader = ((reader_object *)object)->reader;
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < crd_reader_column_count(reader); i++) {
        PyObject *name = str_of(crd_reader_column_name(reader, i));
        if (append_item(names, name) < 0) Py_CLEAR(names);
    }
    return names;
}

/* Returns the indices, from 0, of the columns that match a selector. */
static PyObject *reader_select(PyObject *object, PyObject *selector) {
    module_state *state = state_of(object);
    crd_text text;
    if (text_of(selector, "selector", false, &text) < 0) return NULL;
    crd_reader *reader = reader_take(state, object);
    if (reader == NULL) return NULL;
    crd_error error;
    size_t count = 0, *columns = PyMem_Malloc((crd_reader_column_count(reader) + 1) * sizeof *columns);
    PyObject *result = NULL;
    if (columns == NULL) PyErr_NoMemory();
    else if (crd_reader_select(reader, text, columns, &count, &error) != CRD_OK) raise_error(state, &error);
    else result = PyList_New(0);
    for (size_t i = 0; result != NULL && i < count; i++) {
        PyObject *number = PyLong_FromSize_t(columns[i]);
        if (append_item(result, number) < 0) Py_CLEAR(result);
    }
    PyMem_Free(columns);
    reader_done(object);
    return result;
}

/* The action to apply to a column. */
typedef enum column_act {
    SET_TARGET,
    SET_WEIGHT,
    SET_TYPE,
    SET_FORMAT,
    SET_CUTS,
    DECLARE,
    KEEP_ORDER,
    IGNORE
} column_act;

/* Applies an action to a column. The action uses one of the values: `number` for a type, `text` for a format or value, or `cuts`. */
static crd_status act_on(crd_reader *reader, column_act act, size_t column, int number, crd_text text,
                         const Py_buffer *cuts, crd_error *error) {
    switch (act) {
    case SET_TARGET: return crd_reader_set_target(reader, column, error);
    case SET_WEIGHT: return crd_reader_set_weight(reader, column, error);
    case SET_TYPE: return crd_reader_set_column_type(reader, column, (crd_column_type)number, error);
    case SET_FORMAT: return crd_reader_set_column_format(reader, column, text, error);
    case SET_CUTS: return crd_reader_set_cuts(reader, column, cuts->buf, (size_t)cuts->len / sizeof(double), error);
    case DECLARE: return crd_reader_declare(reader, column, text, error);
    case KEEP_ORDER: return crd_reader_keep_order(reader, column, error);
    case IGNORE: break;
    }
    return crd_reader_ignore(reader, column, error);
}

static PyObject *act(PyObject *object, PyObject *arguments, column_act act) {
    module_state *state = state_of(object);
    Py_ssize_t column;
    PyObject *value = Py_None;
    crd_text text = {NULL, 0};
    Py_buffer cuts = {.buf = NULL};
    int number = 0;
    if (!PyArg_ParseTuple(arguments, "n|O", &column, &value)) return NULL;
    if (act == SET_TYPE) number = (int)PyLong_AsLong(value);
    if (act == SET_TYPE && PyErr_Occurred() != NULL) return NULL;
    if ((act == SET_FORMAT || act == DECLARE) && text_of(value, "value", false, &text) < 0) return NULL;
    if (act == SET_CUTS && buffer_of(value, "cuts", "d", false, false, &cuts) < 0) return NULL;
    crd_reader *reader = reader_take(state, object);
    crd_error error;
    crd_status status = CRD_OK;
    if (reader != NULL) {
        status = act_on(reader, act, (size_t)column, number, text, &cuts, &error);
        reader_done(object);
    }
    if (cuts.buf != NULL) PyBuffer_Release(&cuts);
    if (status != CRD_OK) raise_error(state, &error);
    if (reader == NULL || status != CRD_OK) return NULL;
    Py_RETURN_NONE;
}

static PyObject *reader_set_target(PyObject *self, PyObject *arguments) {
    return act(self, arguments, SET_TARGET);
}
static PyObject *reader_set_weight(PyObject *self, PyObject *arguments) {
    return act(self, arguments, SET_WEIGHT);
}
static PyObject *reader_set_type(PyObject *self, PyObject *arguments) {
    return act(self, arguments, SET_TYPE);
}
static PyObject *reader_set_format(PyObject *self, PyObject *arguments) {
    return act(self, arguments, SET_FORMAT);
}
static PyObject *reader_set_cuts(PyObject *self, PyObject *arguments) {
    return act(self, arguments, SET_CUTS);
}
static PyObject *reader_declare(PyObject *self, PyObject *arguments) {
    return act(self, arguments, DECLARE);
}
static PyObject *reader_keep_order(PyObject *self, PyObject *arguments) {
    return act(self, arguments, KEEP_ORDER);
}
static PyObject *reader_ignore(PyObject *self, PyObject *arguments) {
    return act(self, arguments, IGNORE);
}

static PyObject *reader_set_class(PyObject *self, PyObject *name) {
    return select_by(self, name, crd_reader_set_class);
}

/* skip_unlabeled() */
static PyObject *reader_skip_unlabeled(PyObject *object, PyObject *Py_UNUSED(none)) {
    module_state *state = state_of(object);
    crd_reader *reader = reader_take(state, object);
    if (reader == NULL) return NULL;
    crd_error error;
    const crd_status status = crd_reader_skip_unlabeled(reader, &error);
    reader_done(object);
    if (status != CRD_OK) raise_error(state, &error);
    if (status != CRD_OK) return NULL;
    Py_RETURN_NONE;
}

/* accept_similar_classes() */
static PyObject *reader_accept_similar_classes(PyObject *object, PyObject *Py_UNUSED(none)) {
    crd_reader *reader = reader_take(state_of(object), object);
    if (reader == NULL) return NULL;
    crd_reader_accept_similar_classes(reader);
    reader_done(object);
    Py_RETURN_NONE;
}

/* detect_formats(with_parts=True) */
static PyObject *reader_detect_formats(PyObject *object, PyObject *arguments) {
    module_state *state = state_of(object);
    int with_parts = 1;
    if (!PyArg_ParseTuple(arguments, "|p", &with_parts)) return NULL;
    crd_reader *reader = reader_take(state, object);
    if (reader == NULL) return NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_reader_detect_column_formats(reader, with_parts, &call.error);
    int failed = call_end(&call, status);
    reader_done(object);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

/* bind(model, to_learn=False) */
static PyObject *reader_bind(PyObject *object, PyObject *arguments) {
    module_state *state = state_of(object);
    PyObject *argument;
    int to_learn = 0;
    if (!PyArg_ParseTuple(arguments, "O|p", &argument, &to_learn) || !check_type(state, argument, CORE_MODEL, "model"))
        return NULL;
    model_object *model = (model_object *)argument;
    crd_reader *reader = reader_take(state, object);
    if (reader == NULL) return NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = to_learn ? crd_model_bind_to_learn(model->model, reader, &call.error)
                          : crd_model_bind(model->model, reader, &call.error);
        model_unlock(model);
    }
    int failed = call_end(&call, status);
    reader_done(object);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

/* Decodes a schema from JSON text. If `target` is given, it replaces the schema's target. */
static crd_status decode_schema(module_state *state, crd_text json, crd_text target, crd_schema **out,
                                crd_error *error) {
    crd_status status = crd_schema_decode(state->context, json.bytes, json.length, out, error);
    if (status == CRD_OK && target.bytes != NULL) status = crd_schema_set_target(*out, target, error);
    return status;
}

/* apply_schema(json, target=None) */
static PyObject *reader_apply_schema(PyObject *object, PyObject *arguments) {
    module_state *state = state_of(object);
    PyObject *json_argument, *target_argument = Py_None;
    crd_text json, target;
    if (!PyArg_ParseTuple(arguments, "O|O", &json_argument, &target_argument) ||
        text_of(json_argument, "schema", false, &json) < 0 || text_of(target_argument, "target", true, &target) < 0)
        return NULL;
    crd_reader *reader = reader_take(state, object);
    if (reader == NULL) return NULL;
    crd_schema *schema = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = decode_schema(state, json, target, &schema, &call.error);
    if (status == CRD_OK) status = crd_schema_apply(schema, reader, &call.error);
    crd_schema_destroy(schema);
    int failed = call_end(&call, status);
    reader_done(object);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

/* schema(with_values=False) -> str: the present facts about the columns, as the text of a schema file. */
static PyObject *reader_schema(PyObject *object, PyObject *arguments) {
    module_state *state = state_of(object);
    int with_values = 0;
    if (!PyArg_ParseTuple(arguments, "|p", &with_values)) return NULL;
    crd_reader *reader = reader_take(state, object);
    if (reader == NULL) return NULL;
    crd_schema *schema = NULL;
    char *text = NULL;
    size_t length = 0;
    crd_error error;
    crd_status status = crd_schema_from_reader(reader, with_values, &schema, &error);
    if (status == CRD_OK) status = crd_schema_encode(schema, &text, &length, &error);
    crd_schema_destroy(schema);
    reader_done(object);
    if (status != CRD_OK) raise_error(state, &error);
    PyObject *result = status != CRD_OK ? NULL : str_of((crd_text){text, length});
    crd_free(state->context, text);
    return result;
}

/* discretize(rules) -> str: rules are tuples of a column (None: all others), a rule, and whether to leave a column that is not numeric
 * unchanged. Reads all rows. The returned schema is for another reader of the same rows. */
static PyObject *reader_discretize(PyObject *object, PyObject *argument) {
    module_state *state = state_of(object);
    PyObject *list = PySequence_List(argument), *result = NULL;
    if (list == NULL) return NULL;
    Py_ssize_t count = PyList_Size(list);
    crd_discretization *rules = PyMem_Calloc((size_t)count + 1, sizeof *rules);
    crd_schema *schema = NULL;
    char *text = NULL;
    size_t length = 0;
    if (rules == NULL) PyErr_NoMemory();
    for (Py_ssize_t i = 0; rules != NULL && i < count; i++) {
        PyObject *column, *rule;
        rules[i] = (crd_discretization)CRD_DISCRETIZATION_INIT;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "OOp", &column, &rule, &rules[i].is_optional) ||
            text_of(column, "column", true, &rules[i].column) < 0 || text_of(rule, "rule", false, &rules[i].rule) < 0)
            goto done;
    }
    crd_reader *reader = rules == NULL ? NULL : reader_take(state, object);
    if (reader == NULL) goto done;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_discretize(state->context, reader, rules, (size_t)count, &schema, &call.error);
    if (status == CRD_OK) status = crd_schema_encode(schema, &text, &length, &call.error);
    crd_schema_destroy(schema);
    if (call_end(&call, status) == 0) result = str_of((crd_text){text, length});
    crd_free(state->context, text);
    reader_done(object);
done:
    PyMem_Free(rules);
    Py_DECREF(list);
    return result;
}

/* describe() -> dict: the format of the rows. */
static PyObject *reader_describe(PyObject *object, PyObject *unused) {
    (void)unused;
    static const char *const formats[] = {"", "delimited", "arff", "jsonl", "columns", "json"};
    const crd_reader *reader = ((reader_object *)object)->reader;
    char byte[2] = {crd_reader_separator_byte(reader), '\0'};
    size_t format = (size_t)crd_reader_format(reader);
    return Py_BuildValue("{s:s,s:s,s:O,s:O,s:O}", "format", format < 6 ? formats[format] : "", "separator", byte,
                         "has_header", crd_reader_has_header(reader) ? Py_True : Py_False, "header_assumed_absent",
                         crd_reader_header_assumed_absent(reader) ? Py_True : Py_False, "has_row_names",
                         crd_reader_has_row_names(reader) ? Py_True : Py_False);
}

static PyObject *reader_bad_rows(PyObject *object, PyObject *unused) {
    (void)unused;
    module_state *state = state_of(object);
    if (reader_take(state, object) == NULL) return NULL;
    PyObject *rows = bad_rows_of(((reader_object *)object)->bad_rows);
    reader_done(object);
    return rows;
}

/* format_table() -> list of pairs: the name of each column format, and example values. */
static PyObject *format_table(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *table = PyList_New(0);
    for (size_t i = 0; table != NULL && i < crd_column_format_count(); i++) {
        PyObject *row = Py_BuildValue("NN", str_of(crd_column_format_name(i)), str_of_c(crd_column_format_example(i)));
        if (append_item(table, row) < 0) Py_CLEAR(table);
    }
    return table;
}

static PyMethodDef methods[] = {
    {"column_names", reader_column_names, METH_NOARGS, "column_names() -> list[str]"},
    {"select", reader_select, METH_O, "select(selector) -> list[int]"},
    {"select_target", reader_select_target, METH_O, "select_target(selector)"},
    {"select_weight", reader_select_weight, METH_O, "select_weight(selector)"},
    {"select_ignored", reader_select_ignored, METH_O, "select_ignored(selector)"},
    {"set_target", reader_set_target, METH_VARARGS, "set_target(column)"},
    {"set_weight", reader_set_weight, METH_VARARGS, "set_weight(column)"},
    {"set_type", reader_set_type, METH_VARARGS, "set_type(column, type)"},
    {"set_format", reader_set_format, METH_VARARGS, "set_format(column, format)"},
    {"set_cuts", reader_set_cuts, METH_VARARGS, "set_cuts(column, cuts)"},
    {"declare", reader_declare, METH_VARARGS, "declare(column, value)"},
    {"keep_order", reader_keep_order, METH_VARARGS, "keep_order(column)"},
    {"ignore", reader_ignore, METH_VARARGS, "ignore(column)"},
    {"set_class", reader_set_class, METH_O, "set_class(name)"},
    {"skip_unlabeled", reader_skip_unlabeled, METH_NOARGS, "skip_unlabeled()"},
    {"accept_similar_classes", reader_accept_similar_classes, METH_NOARGS, "accept_similar_classes()"},
    {"detect_formats", reader_detect_formats, METH_VARARGS, "detect_formats(with_parts=True)"},
    {"bind", reader_bind, METH_VARARGS, "bind(model, to_learn=False)"},
    {"apply_schema", reader_apply_schema, METH_VARARGS, "apply_schema(json, target=None)"},
    {"schema", reader_schema, METH_VARARGS, "schema(with_values=False) -> str"},
    {"discretize", reader_discretize, METH_O, "discretize(rules) -> str"},
    {"describe", reader_describe, METH_NOARGS, "describe() -> dict"},
    {"bad_rows", reader_bad_rows, METH_NOARGS, "bad_rows() -> list[dict]\n\nThe rows that were skipped."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef reader_functions[] = {
    {"format_table", format_table, METH_NOARGS, "format_table() -> list[tuple[str, str]]"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(reader, CORE_READER, "Reader", reader_object, reader_dealloc, methods,
          "Rows that one call reads. Created by open_files() and the other open functions.");
