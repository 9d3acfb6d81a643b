/* SPDX-License-Identifier: MIT */
/* row.c - converts one Python row, a mapping or a sequence, to values of a classifier's attributes. */
#include "module.h"

#include <math.h>
#include <string.h>

/* Keeps an object that a value borrows from until the row ends. Takes the reference even on failure. */
static int keep(core_row *row, PyObject *object) {
    if (object == NULL) return -1;
    if (row->kept == NULL) row->kept = PyList_New(0);
    int result = row->kept == NULL ? -1 : PyList_Append(row->kept, object);
    Py_DECREF(object);
    return result;
}

static int set_text(PyObject *object, crd_column_type type, crd_value *value) {
    value->type = type == CRD_TYPE_TEXT ? CRD_TYPE_TEXT : CRD_TYPE_CATEGORICAL;
    return text_of(object, "row", false, &value->text);
}

/* Sets a number. For a categorical attribute, sets the text that files and frames use for the number. */
static int set_number(core_row *row, double number, crd_column_type type, crd_value *value) {
    if (isnan(number)) return 0;
    value->number = number;
    value->type = CRD_TYPE_NUMERIC;
    if (type != CRD_TYPE_CATEGORICAL && type != CRD_TYPE_TEXT) return 0;
    char buffer[CRD_NUMBER_ROOM];
    size_t length = crd_number_format(number, buffer);
    PyObject *text = PyBytes_FromStringAndSize(buffer, (Py_ssize_t)length);
    return keep(row, text) < 0 ? -1 : set_text(text, type, value);
}

static int set_integer(core_row *row, PyObject *object, crd_column_type type, crd_value *value) {
    if (type == CRD_TYPE_CATEGORICAL || type == CRD_TYPE_TEXT) {
        PyObject *digits = PyObject_Str(object);
        return keep(row, digits) < 0 ? -1 : set_text(digits, type, value);
    }
    double number = PyLong_AsDouble(object);
    if (number == -1 && PyErr_Occurred() != NULL) return -1;
    value->type = CRD_TYPE_NUMERIC;
    value->number = number;
    return 0;
}

/* Sets a value of a built-in Python type. Returns 1 for another type. */
static int set_plain(core_row *row, PyObject *object, crd_column_type type, crd_value *value) {
    *value = (crd_value){.type = CRD_TYPE_NONE};
    if (object == Py_None) return 0;
    if (PyFloat_Check(object)) return set_number(row, PyFloat_AsDouble(object), type, value);
    if (PyUnicode_Check(object) || PyBytes_Check(object)) return set_text(object, type, value);
    if (PyBool_Check(object)) {
        value->type = CRD_TYPE_CATEGORICAL;
        value->text = crd_text_of(object == Py_True ? "true" : "false");
        return 0;
    }
    return PyLong_Check(object) ? set_integer(row, object, type, value) : 1;
}

/* Sets any value. credence._cells.plain converts scalars of numpy, pandas and pyarrow, dates and decimals to Python values. */
static int set_cell(core_row *row, PyObject *object, crd_column_type type, crd_value *value) {
    int result = set_plain(row, object, type, value);
    if (result <= 0) return result;
    PyObject *cells = PyImport_ImportModule("credence._cells");
    if (cells == NULL) return -1;
    PyObject *plain =
        PyObject_CallMethod(cells, "plain", "Oi", object, type == CRD_TYPE_CATEGORICAL || type == CRD_TYPE_TEXT);
    Py_DECREF(cells);
    if (plain == NULL || keep(row, plain) < 0) return -1;
    result = set_plain(row, plain, type, value);
    if (result <= 0) return result;
    PyErr_Format(PyExc_TypeError, "row: expected numbers and texts, got %R", object);
    return -1;
}

/* Rejects a name that is not an attribute. The row can contain the target and the weight, which are ignored. */
static int refuse_unknown(const classifier_object *classifier, PyObject *names) {
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(names, &position, &key, &value)) {
        int match = PySequence_Contains(classifier->attribute_names, key);
        if (match == 0 && classifier->other_names != NULL) match = PySequence_Contains(classifier->other_names, key);
        if (match < 0) return -1;
        if (match > 0) continue;
        PyErr_Format(PyExc_ValueError, "row: the model has no attribute %R; it has %R", key,
                     classifier->attribute_names);
        return -1;
    }
    return 0;
}

/* Fills the row by name. `names` is a new reference, which the row takes, or NULL with an exception. */
static int fill_from_names(core_row *row, const classifier_object *classifier, PyObject *names) {
    row->cells = names;
    if (names == NULL) return -1;
    Py_ssize_t known = 0;
    for (size_t i = 0; i < row->count; i++) {
        PyObject *name = PyTuple_GetItem(classifier->attribute_names, (Py_ssize_t)i);
        PyObject *cell = PyDict_GetItemWithError(names, name);
        if (cell == NULL && PyErr_Occurred() != NULL) return -1;
        known += cell != NULL;
        if (set_cell(row, cell == NULL ? Py_None : cell, crd_classifier_attribute_type(classifier->classifier, i),
                     &row->values[i]) < 0)
            return -1;
    }
    return known == PyDict_Size(names) ? 0 : refuse_unknown(classifier, names);
}

static int fill_in_order(core_row *row, const classifier_object *classifier, PyObject *sequence) {
    row->cells = PySequence_List(sequence);
    if (row->cells == NULL) return -1;
    if ((size_t)PyList_Size(row->cells) != row->count) {
        PyErr_Format(PyExc_ValueError, "row: %zd values for %zu attributes", PyList_Size(row->cells), row->count);
        return -1;
    }
    for (size_t i = 0; i < row->count; i++) {
        PyObject *cell = PyList_GetItem(row->cells, (Py_ssize_t)i);
        if (cell == NULL ||
            set_cell(row, cell, crd_classifier_attribute_type(classifier->classifier, i), &row->values[i]) < 0)
            return -1;
    }
    return 0;
}

int row_begin(core_row *row, classifier_object *classifier, PyObject *object) {
    row->count = crd_classifier_attribute_count(classifier->classifier);
    row->kept = row->cells = NULL;
    row->values = row->count <= ROW_ROOM ? row->buffer : PyMem_Malloc(row->count * sizeof *row->values);
    if (row->values == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int result;
    if (PyDict_Check(object)) {
        result = fill_from_names(row, classifier, PyDict_Copy(object));
    } else if (PyUnicode_Check(object) || PyBytes_Check(object) || !PyObject_HasAttrString(object, "__iter__")) {
        PyErr_Format(PyExc_TypeError, "row: expected a mapping or a sequence of values, got %R", Py_TYPE(object));
        result = -1;
    } else if (PyObject_HasAttrString(object, "keys")) {
        PyObject *names = PyDict_New();
        if (names != NULL && PyDict_Update(names, object) < 0) Py_CLEAR(names);
        result = fill_from_names(row, classifier, names);
    } else {
        result = fill_in_order(row, classifier, object);
    }
    if (result < 0) row_end(row);
    return result;
}

void row_end(core_row *row) {
    if (row->values != row->buffer) PyMem_Free(row->values);
    Py_CLEAR(row->kept);
    Py_CLEAR(row->cells);
    row->values = NULL;
}
