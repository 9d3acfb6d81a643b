/* SPDX-License-Identifier: MIT */
/* convert.c - converts values between Python and the library. */
#include "module.h"

#include <math.h>
#include <string.h>

int text_of(PyObject *object, const char *argument, bool is_optional, crd_text *out) {
    *out = (crd_text){NULL, 0};
    if (is_optional && object == Py_None) return 0;
    Py_ssize_t length;
    if (PyUnicode_Check(object)) {
        out->bytes = PyUnicode_AsUTF8AndSize(object, &length);
        if (out->bytes == NULL) return -1;
        out->length = (size_t)length;
        return 0;
    }
    if (PyBytes_Check(object)) {
        char *bytes;
        if (PyBytes_AsStringAndSize(object, &bytes, &length) < 0) return -1;
        *out = (crd_text){bytes, (size_t)length};
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s: expected str, got %R", argument, Py_TYPE(object));
    return -1;
}

PyObject *str_of(crd_text text) {
    if (text.bytes == NULL) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text.bytes, (Py_ssize_t)text.length, "surrogateescape");
}

PyObject *str_of_c(const char *text) {
    if (text == NULL) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

PyObject *path_of(PyObject *object) {
    PyObject *bytes = NULL;
    return PyUnicode_FSConverter(object, &bytes) ? bytes : NULL;
}

int texts_of(PyObject *sequence, const char *argument, crd_text **texts, size_t *count, PyObject **owner) {
    *texts = NULL;
    *count = 0;
    *owner = PySequence_List(sequence);
    if (*owner == NULL) return -1;
    Py_ssize_t length = PyList_Size(*owner);
    crd_text *list = PyMem_Malloc((size_t)(length > 0 ? length : 1) * sizeof *list);
    if (list == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    for (Py_ssize_t i = 0; i < length; i++)
        if (text_of(PyList_GetItem(*owner, i), argument, true, &list[i]) < 0) goto fail;
    *texts = list;
    *count = (size_t)length;
    return 0;
fail:
    PyMem_Free(list);
    Py_CLEAR(*owner);
    return -1;
}

PyObject *number_of(double value) {
    if (isnan(value)) Py_RETURN_NONE;
    return PyFloat_FromDouble(value);
}

int put(PyObject *dict, const char *key, PyObject *value) {
    if (value == NULL) return -1;
    int result = PyDict_SetItemString(dict, key, value);
    Py_DECREF(value);
    return result;
}

int put_named(PyObject *dict, crd_text key, PyObject *value) {
    PyObject *name = value == NULL ? NULL : str_of(key);
    int result = name == NULL ? -1 : PyDict_SetItem(dict, name, value);
    Py_XDECREF(name);
    Py_XDECREF(value);
    return result;
}

int append_item(PyObject *list, PyObject *item) {
    if (item == NULL) return -1;
    int result = PyList_Append(list, item);
    Py_DECREF(item);
    return result;
}

PyObject *floats_of(const double *values, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *value = PyFloat_FromDouble(values[i]);
        if (value == NULL || PyList_SetItem(list, (Py_ssize_t)i, value) < 0) Py_CLEAR(list);
    }
    return list;
}

/* ---- Results ---- */

/* A result on its way to Python: the open containers, which are borrowed from the outermost one. */
typedef struct result_reading {
    PyObject *root, **open;
    size_t depth, capacity;
    bool has_failed;
} result_reading;

static PyObject *result_item(const crd_result_node *node) {
    switch (node->type) {
    case CRD_RESULT_BEGIN:
        return node->container == CRD_ARRAY || node->container == CRD_SHORT_ARRAY ? PyList_New(0) : PyDict_New();
    case CRD_RESULT_NUMBER: return number_of(node->number);
    case CRD_RESULT_COUNT: return PyLong_FromDouble(node->number);
    case CRD_RESULT_NUMBERS: return floats_of(node->numbers.values, node->numbers.count);
    case CRD_RESULT_TEXT: return str_of(node->text);
    case CRD_RESULT_BOOLEAN: return PyBool_FromLong(node->number != 0);
    default: Py_RETURN_NONE;
    }
}

/* Adds an item to the innermost open container and releases it. The first item is the root. */
static int result_attach(result_reading *reading, const crd_result_node *node, PyObject *item) {
    if (item == NULL) return -1;
    if (reading->depth == 0) {
        reading->root = item;
        return 0;
    }
    PyObject *container = reading->open[reading->depth - 1];
    return PyList_Check(container) ? append_item(container, item) : put_named(container, node->key, item);
}

static void result_read(void *user, const crd_result_node *node) {
    result_reading *reading = user;
    if (reading->has_failed) return;
    if (node->type == CRD_RESULT_END) {
        reading->depth--;
        return;
    }
    PyObject *item = result_item(node);
    reading->has_failed = result_attach(reading, node, item) < 0;
    if (reading->has_failed || node->type != CRD_RESULT_BEGIN) return;
    if (reading->depth == reading->capacity) {
        const size_t capacity = 2 * reading->capacity + 8;
        PyObject **open = PyMem_Realloc(reading->open, capacity * sizeof *open);
        reading->has_failed = open == NULL;
        if (open == NULL) {
            PyErr_NoMemory();
            return;
        }
        reading->open = open;
        reading->capacity = capacity;
    }
    reading->open[reading->depth++] = item;
}

PyObject *result_record(crd_result *result) {
    result_reading reading = {.root = NULL};
    if (crd_result_check(result, NULL) != CRD_OK) PyErr_NoMemory();
    else crd_result_visit(result, result_read, &reading);
    crd_result_destroy(result);
    PyMem_Free(reading.open);
    if (PyErr_Occurred() != NULL) Py_CLEAR(reading.root);
    return reading.root;
}

crd_result *result_begin(module_state *state) {
    crd_result *result;
    if (crd_result_create(state->context, CRD_FOR_JSON, &result, NULL) != CRD_OK) {
        PyErr_NoMemory();
        return NULL;
    }
    crd_result_begin(result, CRD_OBJECT, NULL);
    return result;
}

/* ---- Buffers ---- */

/* Returns whether the buffer's format means the same items as `format` on this machine. */
static bool is_format(const Py_buffer *buffer, const char *format) {
    const char *letter = buffer->format != NULL ? buffer->format : "B";
    if (*letter == '@' || *letter == '=' || *letter == '<') letter++;
    if (letter[0] == '\0' || letter[1] != '\0') return false;
    if (*format == 'i') return buffer->itemsize == 4 && (*letter == 'i' || *letter == 'l');
    if (*format == 'q') return buffer->itemsize == 8 && (*letter == 'q' || *letter == 'l');
    if (*format == 'q') return buffer->itemsize == 8 && (*letter == 'q' || *letter == 'l');
    if (*format == 'B')
        return buffer->itemsize == 1 && (*letter == 'B' || *letter == 'b' || *letter == '?' || *letter == 'c');
    return *letter == *format;
}

int buffer_of(PyObject *object, const char *argument, const char *format, bool is_writable, bool is_strided,
              Py_buffer *out) {
    int flags = PyBUF_FORMAT | (is_writable ? PyBUF_WRITABLE : 0) | (is_strided ? PyBUF_STRIDES : PyBUF_C_CONTIGUOUS);
    if (PyObject_GetBuffer(object, out, flags) < 0) return -1;
    if (is_format(out, format)) return 0;
    PyErr_Format(PyExc_TypeError, "%s: expected a buffer of format '%s', got '%s'", argument, format,
                 out->format != NULL ? out->format : "B");
    PyBuffer_Release(out);
    return -1;
}

int room_of(PyObject *object, const char *argument, const char *format, size_t items, Py_buffer *out) {
    if (buffer_of(object, argument, format, true, false, out) < 0) return -1;
    if ((size_t)(out->len / out->itemsize) >= items) return 0;
    PyErr_Format(PyExc_ValueError, "%s: space for %zd items, but %zu are needed", argument, out->len / out->itemsize,
                 items);
    PyBuffer_Release(out);
    return -1;
}

PyObject *name_list(size_t count, crd_text (*name_at)(const void *, size_t), const void *object) {
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < count; i++) {
        PyObject *name = str_of(name_at(object, i));
        if (append_item(names, name) < 0) Py_CLEAR(names);
    }
    return names;
}
