/* SPDX-License-Identifier: MIT */
/* query_counts.c - Counts: counts the rows of a table by some columns; events, joint counts, independence tests. */
#include "explain_record.h"

typedef struct counts_object {
    core_object head;
    crd_table *table;
    crd_text *names; /* the names of all columns of the reader */
    size_t name_count;
    PyObject *owner; /* owns the names */
} counts_object;

static void counts_dealloc(PyObject *object) {
    counts_object *self = (counts_object *)object;
    crd_table_destroy(self->table);
    PyMem_Free(self->names);
    Py_XDECREF(self->owner);
    free_object(self);
}

/* Gets column indices from a sequence. The caller frees *out with PyMem_Free. */
static int columns_of(PyObject *sequence, size_t most, size_t **out, size_t *count) {
    PyObject *list = PySequence_List(sequence);
    *out = NULL;
    *count = 0;
    if (list == NULL) return -1;
    Py_ssize_t length = PyList_Size(list);
    size_t *columns = PyMem_Calloc((size_t)length + 1, sizeof *columns);
    int result = columns == NULL ? -1 : 0;
    if (result < 0) PyErr_NoMemory();
    for (Py_ssize_t i = 0; result == 0 && i < length; i++) {
        columns[i] = PyLong_AsSize_t(PyList_GetItem(list, i));
        if (PyErr_Occurred()) {
            result = -1;
        } else if (columns[i] >= most) {
            PyErr_Format(PyExc_ValueError, "column %zu is out of range", columns[i]);
            result = -1;
        }
    }
    Py_DECREF(list);
    if (result < 0) {
        PyMem_Free(columns);
        return -1;
    }
    *out = columns;
    *count = (size_t)length;
    return 0;
}

/* event_columns(text, names): the columns that an event compares, the event's text, and (column, value) for each
 * comparison that is an equality. */
static PyObject *event_columns(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *text_argument, *names_argument, *owner, *columns = NULL, *result = NULL;
    crd_text text, *names;
    size_t count;
    crd_event *event = NULL;
    crd_error error;
    if (!PyArg_ParseTuple(arguments, "OO", &text_argument, &names_argument) ||
        text_of(text_argument, "event", false, &text) < 0 ||
        texts_of(names_argument, "names", &names, &count, &owner) < 0)
        return NULL;
    if (crd_event_parse(state->context, text, names, count, &event, &error) != CRD_OK) raise_error(state, &error);
    else columns = PyList_New(0);
    for (size_t i = 0; columns != NULL && i < crd_event_comparison_count(event); i++) {
        crd_column_comparison c = crd_event_comparison(event, i);
        bool is_equality = c.relation == CRD_EVENT_EQUAL || c.relation == CRD_EVENT_UNEQUAL;
        if (append_item(columns, Py_BuildValue("(nNO)", (Py_ssize_t)c.column, str_of(c.value),
                                               is_equality ? Py_True : Py_False)) < 0)
            Py_CLEAR(columns);
    }
    if (columns != NULL) result = Py_BuildValue("(NN)", str_of(crd_event_text(event)), columns);
    crd_event_destroy(event);
    PyMem_Free(names);
    Py_DECREF(owner);
    return result;
}

/* count_rows(reader, columns) */
static PyObject *count_rows(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *source, *columns_argument;
    size_t *columns = NULL, count = 0;
    if (!PyArg_ParseTuple(arguments, "OO", &source, &columns_argument)) return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    size_t names = crd_reader_column_count(reader);
    counts_object *self = new_object(state, CORE_COUNTS);
    if (self == NULL || columns_of(columns_argument, names, &columns, &count) < 0) goto fail;
    self->owner = PyList_New(0);
    for (size_t i = 0; self->owner != NULL && i < names; i++)
        if (append_item(self->owner, str_of(crd_reader_column_name(reader, i))) < 0) goto fail;
    PyObject *owner;
    if (self->owner == NULL || texts_of(self->owner, "names", &self->names, &self->name_count, &owner) < 0) goto fail;
    Py_DECREF(self->owner);
    self->owner = owner;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_table_read(state->context, reader, columns, count, &self->table, &call.error);
    if (call_end(&call, status) < 0) goto fail;
    reader_done(source);
    PyMem_Free(columns);
    return (PyObject *)self;
fail:
    reader_done(source);
    PyMem_Free(columns);
    Py_XDECREF((PyObject *)self);
    return NULL;
}

/* Parses an optional event text, with the column names of the table. */
static int event_of(counts_object *self, PyObject *object, crd_event **out) {
    crd_text text;
    crd_error error;
    *out = NULL;
    if (object == Py_None) return 0;
    if (text_of(object, "event", false, &text) < 0) return -1;
    if (crd_event_parse(self->head.state->context, text, self->names, self->name_count, out, &error) == CRD_OK)
        return 0;
    raise_error(self->head.state, &error);
    return -1;
}

/* Returns a value as a dict key: a category, or the shortest text of a number. */
static PyObject *key_of(const crd_table *table, size_t column, size_t value) {
    char buffer[CRD_NUMBER_ROOM];
    crd_value v = crd_table_value(table, column, value);
    return v.type == CRD_TYPE_NUMERIC ? str_of((crd_text){buffer, crd_number_format(v.number, buffer)})
                                      : str_of(v.text);
}

static PyObject *nest(const crd_table *table, const size_t *columns, size_t count, const uint64_t **cells,
                      bool is_share) {
    PyObject *dict = PyDict_New();
    for (size_t v = 0; dict != NULL && v < crd_table_value_count(table, columns[0]); v++) {
        PyObject *value, *key = key_of(table, columns[0], v);
        if (count > 1) value = nest(table, columns + 1, count - 1, cells, is_share);
        else if (is_share) value = PyFloat_FromDouble((double)*(*cells)++ / (double)crd_table_rows(table));
        else value = PyLong_FromUnsignedLongLong(*(*cells)++);
        if (key == NULL || value == NULL || PyDict_SetItem(dict, key, value) < 0) Py_CLEAR(dict);
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *event_record(uint64_t holds, uint64_t rows) {
    double n = (double)rows;
    return Py_BuildValue("({s:d,s:d}{s:K,s:K})", "true", (double)holds / n, "false", (double)(rows - holds) / n, "true",
                         (unsigned long long)holds, "false", (unsigned long long)(rows - holds));
}

/* Returns the proportions and counts of all combinations of values, and the moments of a single numeric column. */
static PyObject *columns_record(counts_object *self, const crd_table *rows, const size_t *columns, size_t count) {
    crd_error error;
    size_t cells = 0;
    uint64_t *counts = NULL;
    PyObject *record = NULL, *moments = NULL;
    if (count == 0) return PyErr_Format(PyExc_ValueError, "of: has no column");
    if (crd_table_cells(rows, columns, count, &cells, &error) != CRD_OK) {
        raise_error(self->head.state, &error);
        return NULL;
    }
    counts = PyMem_Calloc(cells + 1, sizeof *counts);
    if (counts == NULL) return PyErr_NoMemory();
    double mean = 0, variance = 0;
    if (crd_table_counts(rows, columns, count, counts, &error) != CRD_OK) {
        raise_error(self->head.state, &error);
    } else if (count == 1 && crd_table_column_type(rows, columns[0]) == CRD_TYPE_NUMERIC &&
               crd_table_moments(rows, columns[0], &mean, &variance, &error) == CRD_OK) {
        moments = Py_BuildValue("(dd)", mean, variance);
    } else {
        moments = Py_NewRef(Py_None);
    }
    if (moments != NULL) {
        const uint64_t *first = counts, *second = counts;
        record = Py_BuildValue("(NNN)", nest(rows, columns, count, &first, true),
                               nest(rows, columns, count, &second, false), moments);
    }
    PyMem_Free(counts);
    return record;
}

/* Selects the rows without missing values in the columns and in the event, for which the given event is true. */
static crd_table *rows_of(counts_object *self, const size_t *columns, size_t count, const crd_event *event,
                          const crd_event *given) {
    size_t more = event == NULL ? 0 : crd_event_comparison_count(event);
    size_t *all = PyMem_Calloc(count + more + 1, sizeof *all);
    crd_table *rows = NULL;
    if (all == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (size_t i = 0; i < count; i++) all[i] = columns[i];
    for (size_t i = 0; i < more; i++) all[count + i] = crd_event_comparison(event, i).column;
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = crd_table_given(self->table, all, count + more, given, &rows, &call.error);
    if (call_end(&call, status) < 0) {
        crd_table_destroy(rows);
        rows = NULL;
    }
    PyMem_Free(all);
    if (rows == NULL || crd_table_rows(rows) > 0) return rows;
    crd_table_destroy(rows);
    PyErr_SetString(PyExc_ValueError, given == NULL ? "of: every row has a missing value in a column of the query"
                                                    : "given: no row to ask about: in none does it hold");
    return NULL;
}

/* answer(columns, event, given) -> (shares, counts, moments or None, rows, left out) */
static PyObject *counts_answer(PyObject *object, PyObject *arguments) {
    counts_object *self = (counts_object *)object;
    PyObject *columns_argument, *event_argument, *given_argument, *record = NULL, *answer = NULL;
    size_t *columns = NULL, count = 0;
    crd_event *event = NULL, *given = NULL;
    crd_table *rows = NULL;
    crd_error error;
    if (!PyArg_ParseTuple(arguments, "OOO", &columns_argument, &event_argument, &given_argument)) return NULL;
    if (columns_of(columns_argument, self->name_count, &columns, &count) < 0 ||
        event_of(self, event_argument, &event) < 0 || event_of(self, given_argument, &given) < 0)
        goto done;
    rows = rows_of(self, columns, count, event, given);
    if (rows == NULL) goto done;
    if (event != NULL) {
        uint64_t holds = 0;
        const crd_event *one = event;
        if (crd_table_count(rows, &one, 1, &holds, &error) != CRD_OK) raise_error(self->head.state, &error);
        else answer = event_record(holds, crd_table_rows(rows));
    } else {
        answer = columns_record(self, rows, columns, count);
    }
    if (answer != NULL)
        record = Py_BuildValue("(NKK)", answer, (unsigned long long)crd_table_rows(rows),
                               (unsigned long long)crd_table_left_out(rows));
done:
    crd_table_destroy(rows);
    crd_event_destroy(event);
    crd_event_destroy(given);
    PyMem_Free(columns);
    return record;
}

/* log_evidence(given): the logarithm of the proportion of rows for which the given event is true. */
static PyObject *counts_log_evidence(PyObject *object, PyObject *given_argument) {
    counts_object *self = (counts_object *)object;
    crd_event *given = NULL;
    crd_table *rows = NULL;
    crd_error error;
    PyObject *result = NULL;
    if (event_of(self, given_argument, &given) < 0) return NULL;
    if (given == NULL) return PyFloat_FromDouble(0);
    if (crd_table_given(self->table, NULL, 0, given, &rows, &error) != CRD_OK) {
        raise_error(self->head.state, &error);
    } else {
        uint64_t total = crd_table_rows(self->table) - crd_table_left_out(rows);
        result = PyFloat_FromDouble(crd_log((double)crd_table_rows(rows) / (double)total));
    }
    crd_table_destroy(rows);
    crd_event_destroy(given);
    return result;
}

static PyObject *independence_record(const crd_independence *independence, const crd_table *rows) {
    return Py_BuildValue(
        "{s:d,s:K,s:{s:N,s:N},s:{s:N,s:N},s:d,s:N,s:K,s:K,s:K,s:N}", "rows", independence->rows, "left_out",
        (unsigned long long)crd_table_left_out(rows), "chi_squared", "statistic", number_of(independence->chi_squared),
        "p", number_of(independence->chi_squared_p), "g_squared", "statistic", number_of(independence->g_squared), "p",
        number_of(independence->g_squared_p), "degrees", independence->degrees, "mutual_information",
        number_of(independence->information), "tables", (unsigned long long)independence->tables, "cells",
        (unsigned long long)independence->cells, "cells_below_5", (unsigned long long)independence->cells_below,
        "min_expected", number_of(independence->least_expected));
}

/* independence(first, second, strata, given) */
static PyObject *counts_independence(PyObject *object, PyObject *arguments) {
    counts_object *self = (counts_object *)object;
    PyObject *first_argument, *second_argument, *strata_argument, *given_argument, *record = NULL;
    size_t *columns[3] = {NULL, NULL, NULL}, counts[3] = {0, 0, 0}, *all = NULL, count = 0;
    crd_event *given = NULL;
    crd_table *rows = NULL;
    if (!PyArg_ParseTuple(arguments, "OOOO", &first_argument, &second_argument, &strata_argument, &given_argument))
        return NULL;
    if (columns_of(first_argument, self->name_count, &columns[0], &counts[0]) < 0 ||
        columns_of(second_argument, self->name_count, &columns[1], &counts[1]) < 0 ||
        columns_of(strata_argument, self->name_count, &columns[2], &counts[2]) < 0 ||
        event_of(self, given_argument, &given) < 0)
        goto done;
    all = PyMem_Calloc(counts[0] + counts[1] + counts[2] + 1, sizeof *all);
    if (all == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (size_t set = 0; set < 3; set++)
        for (size_t i = 0; i < counts[set]; i++) all[count++] = columns[set][i];
    rows = rows_of(self, all, count, NULL, given);
    if (rows == NULL) goto done;
    crd_independence independence = CRD_INDEPENDENCE_INIT;
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = crd_table_independence(rows, columns[0], counts[0], columns[1], counts[1], columns[2],
                                               counts[2], &independence, &call.error);
    if (call_end(&call, status) == 0) record = independence_record(&independence, rows);
done:
    crd_table_destroy(rows);
    crd_event_destroy(given);
    PyMem_Free(all);
    for (size_t set = 0; set < 3; set++) PyMem_Free(columns[set]);
    return record;
}

/* values(column) -> list of str, or None if the column is numeric */
static PyObject *counts_values(PyObject *object, PyObject *argument) {
    const crd_table *table = ((counts_object *)object)->table;
    size_t column = PyLong_AsSize_t(argument);
    if (PyErr_Occurred()) return NULL;
    if (column >= crd_table_column_count(table))
        return PyErr_Format(PyExc_ValueError, "column %zu is out of range", column);
    if (crd_table_column_type(table, column) == CRD_TYPE_NUMERIC) Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    for (size_t v = 0; list != NULL && v < crd_table_value_count(table, column); v++)
        if (append_item(list, str_of(crd_table_value(table, column, v).text)) < 0) Py_CLEAR(list);
    return list;
}

static PyMethodDef methods[] = {
    {"answer", counts_answer, METH_VARARGS, "answer(columns, event, given) -> tuple"},
    {"log_evidence", counts_log_evidence, METH_O, "log_evidence(given) -> float"},
    {"independence", counts_independence, METH_VARARGS, "independence(first, second, strata, given) -> dict"},
    {"values", counts_values, METH_O, "values(column) -> list[str] | None"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef counts_functions[] = {
    {"count_rows", count_rows, METH_VARARGS, "count_rows(reader, columns) -> Counts"},
    {"event_columns", event_columns, METH_VARARGS, "event_columns(text, names) -> tuple[str, list]"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(counts, CORE_COUNTS, "Counts", counts_object, counts_dealloc, methods,
          "Rows of a table, counted by some columns; immutable. Created by count_rows().");
