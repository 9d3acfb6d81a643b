/* SPDX-License-Identifier: MIT */
/* object_cells.c - values that are Python objects: returns their types, their numbers, and codes of their texts. */
#include "columns.h"

#include <math.h>
#include <string.h>

enum { SIGNALS = 1 << 16 }; /* number of values between two checks for signals */

/* The objects of a one-dimensional array. */
typedef struct cells {
    Py_buffer buffer;
    Py_ssize_t count;
} cells;

static int cells_of(PyObject *array, cells *out) {
    if (PyObject_GetBuffer(array, &out->buffer, PyBUF_RECORDS_RO) < 0) return -1;
    const Py_buffer *buffer = &out->buffer;
    if (buffer->ndim == 1 && buffer->itemsize == sizeof(PyObject *) && buffer->format != NULL &&
        strcmp(buffer->format, "O") == 0) {
        out->count = buffer->shape[0];
        return 0;
    }
    PyBuffer_Release(&out->buffer);
    PyErr_SetString(PyExc_TypeError, "cells: expected an array of objects, of one dimension");
    return -1;
}

/* Returns a new reference, because methods of a value can replace it in the array. An array that was never filled has NULL. */
static PyObject *cell_at(const cells *array_cells, Py_ssize_t i) {
    PyObject *cell;
    memcpy(&cell, (const char *)array_cells->buffer.buf + i * array_cells->buffer.strides[0], sizeof cell);
    return Py_NewRef(cell == NULL ? Py_None : cell);
}

static bool is_nan(PyObject *cell) {
    return PyFloat_Check(cell) && isnan(PyFloat_AsDouble(cell));
}

static int count_type(PyObject *counts, PyTypeObject *type, Py_ssize_t added) {
    PyObject *before = PyDict_GetItemWithError(counts, (PyObject *)type);
    if (before == NULL && PyErr_Occurred() != NULL) return -1;
    PyObject *count = PyLong_FromSsize_t(added + (before == NULL ? 0 : PyLong_AsSsize_t(before)));
    int result = count == NULL ? -1 : PyDict_SetItem(counts, (PyObject *)type, count);
    Py_XDECREF(count);
    return result;
}

/* object_types(array) -> dict: the number of values of each type; NaN counts as None. */
static PyObject *object_types(PyObject *module, PyObject *array) {
    (void)module;
    cells array_cells;
    if (cells_of(array, &array_cells) < 0) return NULL;
    PyObject *counts = PyDict_New();
    PyTypeObject *latest = NULL;
    Py_ssize_t run = 0;
    for (Py_ssize_t i = 0; counts != NULL && i < array_cells.count; i++) {
        PyObject *cell = cell_at(&array_cells, i);
        PyTypeObject *type = Py_TYPE(is_nan(cell) ? Py_None : cell);
        if (type != latest) {
            if (latest != NULL && count_type(counts, latest, run) < 0) Py_CLEAR(counts);
            Py_XDECREF((PyObject *)latest);
            latest = (PyTypeObject *)Py_NewRef((PyObject *)type);
            run = 0;
        }
        run++;
        Py_DECREF(cell);
    }
    if (counts != NULL && latest != NULL && count_type(counts, latest, run) < 0) Py_CLEAR(counts);
    Py_XDECREF((PyObject *)latest);
    PyBuffer_Release(&array_cells.buffer);
    return counts;
}

/* Raises an exception that names the row of a value, from 0 as in pandas, with the original exception as its cause. */
static void name_row(Py_ssize_t row) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyErr_Format(PyExc_ValueError, "row %zd: %S", row, value != NULL ? value : Py_None);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

static int number_of_cell(PyObject *cell, PyObject *missing, double *number) {
    *number = NAN;
    if (cell == Py_None) return 0;
    int is_missing = PyFloat_Check(cell) ? 0 : PySequence_Contains(missing, (PyObject *)Py_TYPE(cell));
    if (is_missing != 0) return is_missing < 0 ? -1 : 0;
    *number = PyFloat_AsDouble(cell);
    return *number == -1 && PyErr_Occurred() != NULL ? -1 : 0;
}

/* object_numbers(array, missing, out): each value as a double; NaN for None, NaN and values whose type is in the set `missing`. */
static PyObject *object_numbers(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *array, *missing, *into;
    Py_buffer out;
    cells array_cells;
    if (!PyArg_ParseTuple(arguments, "OOO", &array, &missing, &into) || cells_of(array, &array_cells) < 0) return NULL;
    if (buffer_of(into, "out", "d", true, false, &out) < 0) {
        PyBuffer_Release(&array_cells.buffer);
        return NULL;
    }
    double *numbers = out.buf;
    int failed = out.len / (Py_ssize_t)sizeof(double) == array_cells.count ? 0 : -1;
    if (failed < 0) PyErr_SetString(PyExc_ValueError, "out: expected as many items as cells");
    for (Py_ssize_t i = 0; failed == 0 && i < array_cells.count; i++) {
        PyObject *cell = cell_at(&array_cells, i);
        failed = number_of_cell(cell, missing, &numbers[i]);
        Py_DECREF(cell);
        if (failed < 0) name_row(i);
        if (failed == 0 && i % SIGNALS == 0) failed = PyErr_CheckSignals();
    }
    PyBuffer_Release(&out);
    PyBuffer_Release(&array_cells.buffer);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

/* ---- Codes, as narrow as possible: one byte per value until there are too many distinct values ---- */

typedef struct code_list {
    char *items;
    size_t count, width;
} code_list;

static int widen(code_list *codes, size_t used) {
    const size_t width = codes->width * 2;
    char *items = PyMem_Realloc(codes->items, (codes->count + 1) * width);
    if (items == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = used; i-- > 0;) {
        int8_t one;
        int16_t two;
        int32_t four;
        if (width == 2) {
            memcpy(&one, items + i, 1);
            two = (int16_t)(int)one;
            memcpy(items + i * 2, &two, 2);
        } else {
            memcpy(&two, items + i * 2, 2);
            four = two;
            memcpy(items + i * 4, &four, 4);
        }
    }
    codes->items = items;
    codes->width = width;
    return 0;
}

static int store(code_list *codes, size_t row, Py_ssize_t code) {
    if (code == INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "more than 2^31 distinct values");
        return -1;
    }
    while ((codes->width == 1 && code > INT8_MAX) || (codes->width == 2 && code > INT16_MAX))
        if (widen(codes, row) < 0) return -1;
    int8_t one = (int8_t)code;
    int16_t two = (int16_t)code;
    int32_t four = (int32_t)code;
    memcpy(codes->items + row * codes->width,
           codes->width == 1   ? (const void *)&one
           : codes->width == 2 ? (const void *)&two
                               : (const void *)&four,
           codes->width);
    return 0;
}

/* Returns the code of a str, and adds the str if it is new. */
static Py_ssize_t code_of(PyObject *known, PyObject *values, PyObject *text) {
    PyObject *entry = PyDict_GetItemWithError(known, text);
    if (entry != NULL) return PyLong_AsSsize_t(entry);
    if (PyErr_Occurred() != NULL) return -1;
    Py_ssize_t code = PyList_Size(values);
    PyObject *number = PyLong_FromSsize_t(code);
    int failed = number == NULL || PyDict_SetItem(known, text, number) < 0 || PyList_Append(values, text) < 0;
    Py_XDECREF(number);
    return failed ? -1 : code;
}

static int encode_cell(PyObject *cell, PyObject *missing, PyObject *text_of_cell, PyObject *known, PyObject *values,
                       Py_ssize_t *code) {
    *code = -1;
    if (cell == Py_None || is_nan(cell)) return 0;
    if (PyUnicode_CheckExact(cell)) {
        *code = code_of(known, values, cell);
        return *code < 0 ? -1 : 0;
    }
    int is_missing = PySequence_Contains(missing, (PyObject *)Py_TYPE(cell));
    if (is_missing != 0) return is_missing < 0 ? -1 : 0;
    PyObject *text = PyObject_CallFunctionObjArgs(text_of_cell, cell, NULL);
    if (text == NULL) return -1;
    if (text != Py_None) *code = code_of(known, values, text);
    int failed = text != Py_None && *code < 0 ? -1 : 0;
    Py_DECREF(text);
    return failed;
}

/* object_codes(array, missing, text) -> (bytes of codes, bytes per code, list of str): a code for each value, -1 if it is missing. The
 * callable `text` converts a value that is not a str to a str or None. */
static PyObject *object_codes(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *array, *missing, *text_of_cell, *result = NULL;
    cells array_cells;
    if (!PyArg_ParseTuple(arguments, "OOO", &array, &missing, &text_of_cell) || cells_of(array, &array_cells) < 0)
        return NULL;
    PyObject *known = PyDict_New(), *values = PyList_New(0);
    code_list codes = {PyMem_Malloc((size_t)array_cells.count + 1), (size_t)array_cells.count, 1};
    int failed = known == NULL || values == NULL || codes.items == NULL ? -1 : 0;
    if (codes.items == NULL) PyErr_NoMemory();
    for (Py_ssize_t i = 0; failed == 0 && i < array_cells.count; i++) {
        Py_ssize_t code;
        PyObject *cell = cell_at(&array_cells, i);
        failed = encode_cell(cell, missing, text_of_cell, known, values, &code);
        Py_DECREF(cell);
        if (failed < 0) name_row(i);
        if (failed == 0) failed = store(&codes, (size_t)i, code);
        if (failed == 0 && i % SIGNALS == 0) failed = PyErr_CheckSignals();
    }
    if (failed == 0)
        result = Py_BuildValue("NnO",
                               PyByteArray_FromStringAndSize(codes.items, array_cells.count * (Py_ssize_t)codes.width),
                               (Py_ssize_t)codes.width, values);
    PyMem_Free(codes.items);
    Py_XDECREF(known);
    Py_XDECREF(values);
    PyBuffer_Release(&array_cells.buffer);
    return result;
}

/* number_text(number) -> str: the text that the library writes for a number. */
static PyObject *number_text(PyObject *module, PyObject *number) {
    (void)module;
    char text[CRD_NUMBER_ROOM];
    double value = PyFloat_AsDouble(number);
    if (value == -1 && PyErr_Occurred() != NULL) return NULL;
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)crd_number_format(value, text));
}

PyMethodDef object_cells_functions[] = {
    {"number_text", number_text, METH_O, "number_text(number) -> str"},
    {"object_types", object_types, METH_O, "object_types(array) -> dict[type, int]"},
    {"object_numbers", object_numbers, METH_VARARGS, "object_numbers(array, missing, out)"},
    {"object_codes", object_codes, METH_VARARGS,
     "object_codes(array, missing, text) -> tuple[bytearray, int, list[str]]"},
    {NULL, NULL, 0, NULL},
};
