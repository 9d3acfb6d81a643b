/* SPDX-License-Identifier: MIT */
/* frame.c - Frame: a batch of rows in typed columns, in memory that Python owns. */
#include "module.h"

static void frame_dealloc(PyObject *object) {
    frame_object *self = (frame_object *)object;
    crd_frame_destroy(self->frame);
    Py_XDECREF(self->kept);
    free_object(self);
}

/* make_frame(rows) */
static PyObject *make_frame(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    Py_ssize_t rows;
    if (!PyArg_ParseTuple(arguments, "n", &rows)) return NULL;
    if (rows < 0) {
        PyErr_SetString(PyExc_ValueError, "rows: expected 0 or more");
        return NULL;
    }
    frame_object *self = new_object(state, CORE_FRAME);
    if (self == NULL) return NULL;
    crd_error error;
    self->kept = PyList_New(0);
    if (self->kept == NULL) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    if (crd_frame_create(state->context, (size_t)rows, &self->frame, &error) != CRD_OK) {
        raise_error(state, &error);
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

/* Returns the memory of a column: contiguous items of the format, one per row. The frame keeps it as a memoryview. */
static const void *column_buffer(frame_object *self, PyObject *object, const char *argument, const char *format,
                                 size_t items) {
    PyObject *view = PyMemoryView_FromObject(object);
    if (view == NULL) return NULL;
    Py_buffer buffer;
    const void *data = NULL;
    if (buffer_of(view, argument, format, false, false, &buffer) == 0) {
        if ((size_t)(buffer.len / buffer.itemsize) < items)
            PyErr_Format(PyExc_ValueError, "%s: %zd items for %zu", argument, buffer.len / buffer.itemsize, items);
        else if (PyList_Append(self->kept, view) == 0) data = buffer.len > 0 ? buffer.buf : (const void *)"";
        PyBuffer_Release(&buffer);
    }
    Py_DECREF(view);
    return data;
}

static int validity_of(frame_object *self, PyObject *object, const uint8_t **out) {
    *out = NULL;
    if (object == Py_None) return 0;
    *out = column_buffer(self, object, "validity", "B", (crd_frame_rows(self->frame) + 7) / 8);
    return *out == NULL ? -1 : 0;
}

/* add_numbers(name, values, validity=None): values are borrowed doubles. */
static PyObject *frame_add_numbers(PyObject *object, PyObject *arguments) {
    frame_object *self = (frame_object *)object;
    PyObject *name, *values, *validity = Py_None;
    crd_text text;
    const uint8_t *bits;
    if (!PyArg_ParseTuple(arguments, "OO|O", &name, &values, &validity) || text_of(name, "name", false, &text) < 0)
        return NULL;
    const double *numbers = column_buffer(self, values, "values", "d", crd_frame_rows(self->frame));
    if (numbers == NULL || validity_of(self, validity, &bits) < 0) return NULL;
    crd_error error;
    if (crd_frame_add_numbers(self->frame, text, numbers, bits, &error) != CRD_OK) {
        raise_error(self->head.state, &error);
        return NULL;
    }
    Py_RETURN_NONE;
}

/* add_codes(name, codes, dictionary, validity=None): codes are borrowed int32; a negative code is missing. */
static PyObject *frame_add_codes(PyObject *object, PyObject *arguments) {
    frame_object *self = (frame_object *)object;
    PyObject *name, *values, *dictionary, *validity = Py_None, *owner;
    crd_text text, *texts;
    size_t count;
    const uint8_t *bits;
    if (!PyArg_ParseTuple(arguments, "OOO|O", &name, &values, &dictionary, &validity) ||
        text_of(name, "name", false, &text) < 0)
        return NULL;
    const int32_t *codes = column_buffer(self, values, "codes", "i", crd_frame_rows(self->frame));
    if (codes == NULL || validity_of(self, validity, &bits) < 0 ||
        texts_of(dictionary, "dictionary", &texts, &count, &owner) < 0)
        return NULL;
    crd_error error;
    crd_status status = crd_frame_add_codes(self->frame, text, codes, bits, texts, count, &error);
    PyMem_Free(texts);
    Py_DECREF(owner);
    if (status != CRD_OK) {
        raise_error(self->head.state, &error);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *frame_rows(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromSize_t(crd_frame_rows(((frame_object *)self)->frame));
}

static PyMethodDef methods[] = {
    {"add_numbers", frame_add_numbers, METH_VARARGS, "add_numbers(name, values, validity=None)"},
    {"add_codes", frame_add_codes, METH_VARARGS, "add_codes(name, codes, dictionary, validity=None)"},
    {"rows", frame_rows, METH_NOARGS, "rows() -> int"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef frame_functions[] = {
    {"make_frame", make_frame, METH_VARARGS, "make_frame(rows) -> Frame"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(frame, CORE_FRAME, "Frame", frame_object, frame_dealloc, methods,
          "A batch of rows in typed columns. Created by make_frame().");
