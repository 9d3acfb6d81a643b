/* SPDX-License-Identifier: MIT */
/* plot_series.c - see plot_series.h. */
#include "plot_series.h"

#include <math.h>
#include <string.h>

PyObject *plot_keep(plot_memory *memory, PyObject *object) {
    if (object == NULL) return NULL;
    int result = PyList_Append(memory->kept, object);
    Py_DECREF(object);
    return result < 0 ? NULL : object;
}

void *plot_room(plot_memory *memory, size_t count, size_t size) {
    if (count > (size_t)PY_SSIZE_T_MAX / size - 1) {
        PyErr_NoMemory();
        return NULL;
    }
    PyObject *block = plot_keep(memory, PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((count + 1) * size)));
    if (block == NULL) return NULL;
    void *bytes = PyByteArray_AsString(block);
    memset(bytes, 0, (count + 1) * size);
    return bytes;
}

PyObject *plot_items(plot_memory *memory, PyObject *object, const char *argument, size_t *count) {
    *count = 0;
    if (PyUnicode_Check(object) || PyBytes_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s: expected a list, got %R", argument, Py_TYPE(object));
        return NULL;
    }
    PyObject *list = plot_keep(memory, PySequence_List(object));
    if (list != NULL) *count = (size_t)PyList_Size(list);
    return list;
}

int plot_name(plot_memory *memory, PyObject *object, crd_text *out) {
    *out = (crd_text){NULL, 0};
    if (object == NULL || object == Py_None) return 0;
    if (!PyUnicode_Check(object)) object = plot_keep(memory, PyObject_Str(object));
    if (object == NULL) return -1;
    Py_ssize_t length;
    /* Lone surrogates, which UTF-8 does not have, are drawn as question marks. */
    PyObject *bytes = plot_keep(memory, PyUnicode_AsEncodedString(object, "utf-8", "replace"));
    char *text;
    if (bytes == NULL || PyBytes_AsStringAndSize(bytes, &text, &length) < 0) return -1;
    *out = (crd_text){text, (size_t)length};
    return 0;
}

int plot_double(PyObject *object, const char *argument, double *out) {
    *out = NAN;
    if (object == NULL || object == Py_None) return 0;
    *out = PyFloat_AsDouble(object);
    if (*out != -1 || !PyErr_Occurred()) return 0;
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: expected a number, got %R", argument, Py_TYPE(object));
    }
    return -1;
}

double *plot_doubles(plot_memory *memory, PyObject *object, const char *argument, size_t *count) {
    Py_buffer buffer;
    if (PyObject_CheckBuffer(object)) {
        if (PyObject_GetBuffer(object, &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) PyErr_Clear();
        else {
            double *values = NULL;
            bool is_double = buffer.format != NULL && strcmp(buffer.format, "d") == 0;
            if (is_double) {
                *count = (size_t)buffer.len / sizeof(double);
                values = plot_room(memory, *count, sizeof *values);
                if (values != NULL) memcpy(values, buffer.buf, (size_t)buffer.len);
            }
            PyBuffer_Release(&buffer);
            if (is_double) return values;
        }
    }
    PyObject *list = plot_items(memory, object, argument, count);
    double *values = list == NULL ? NULL : plot_room(memory, *count, sizeof *values);
    for (size_t i = 0; values != NULL && i < *count; i++)
        if (plot_double(PyList_GetItem(list, (Py_ssize_t)i), argument, &values[i]) < 0) return NULL;
    return values;
}

crd_text *plot_names(plot_memory *memory, PyObject *object, const char *argument, size_t *count) {
    PyObject *list = plot_items(memory, object, argument, count);
    crd_text *names = list == NULL ? NULL : plot_room(memory, *count, sizeof *names);
    for (size_t i = 0; names != NULL && i < *count; i++)
        if (plot_name(memory, PyList_GetItem(list, (Py_ssize_t)i), &names[i]) < 0) return NULL;
    return names;
}

double *plot_matrix(plot_memory *memory, PyObject *object, const char *argument, size_t width, size_t *rows) {
    PyObject *list = plot_items(memory, object, argument, rows);
    double *values = list == NULL ? NULL : plot_room(memory, *rows * width, sizeof *values);
    for (size_t i = 0; values != NULL && i < *rows; i++) {
        size_t count;
        const double *row = plot_doubles(memory, PyList_GetItem(list, (Py_ssize_t)i), argument, &count);
        if (row == NULL) return NULL;
        if (count != width) {
            PyErr_Format(PyExc_ValueError, "%s: row %zu has %zu numbers, expected %zu", argument, i, count, width);
            return NULL;
        }
        memcpy(values + i * width, row, width * sizeof *values);
    }
    return values;
}

int plot_begin(plot_memory *memory, PyObject *module, const plot_options *given, crd_plot_options *options) {
    memory->state = state_of_module(module);
    memory->kept = PyList_New(0);
    *options = (crd_plot_options)CRD_PLOT_OPTIONS_INIT;
    options->width = given->width;
    if (memory->kept == NULL) return -1;
    return plot_name(memory, given->title, &options->title) < 0
               ? -1
               : plot_name(memory, given->description, &options->description);
}

PyObject *plot_end(plot_memory *memory, char *svg) {
    PyObject *result = svg != NULL ? str_of_c(svg) : NULL;
    crd_free(memory->state->context, svg);
    Py_CLEAR(memory->kept);
    return result;
}
