/* SPDX-License-Identifier: MIT */
/* reader.c - Reader: rows of files, frames or Arrow streams, to be taken by one call. */
#include "module.h"

#include <string.h>

static void reader_dealloc(PyObject *object) {
    reader_object *self = (reader_object *)object;
    crd_reader_close(self->reader);
    Py_XDECREF(self->kept);
    free_object(self);
}

/* Takes the reader over, and a reference of `kept`, also on failure. */
static PyObject *reader_wrap(module_state *state, crd_reader *reader, PyObject *kept) {
    reader_object *self = new_object(state, CORE_READER);
    if (self == NULL) {
        crd_reader_close(reader);
        Py_XDECREF(kept);
        return NULL;
    }
    self->reader = reader;
    self->kept = kept;
    return (PyObject *)self;
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

/* open_files(paths) */
static PyObject *open_files(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *paths, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "O", &paths)) return NULL;
    PyObject *list = PySequence_List(paths);
    if (list == NULL) return NULL;
    Py_ssize_t count = PyList_Size(list);
    const char **names = PyMem_Malloc((size_t)(count > 0 ? count : 1) * sizeof *names);
    if (names == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *path = path_of(PyList_GetItem(list, i));
        if (path == NULL || PyList_SetItem(list, i, path) < 0) goto done;
        names[i] = PyBytes_AsString(path);
    }
    core_call call;
    crd_reader *reader = NULL;
    call_begin(&call, state);
    crd_status status = crd_reader_open(state->context, names, (size_t)count, NULL, &reader, &call.error);
    if (call_end(&call, status) < 0) crd_reader_close(reader);
    else result = reader_wrap(state, reader, NULL);
done:
    PyMem_Free(names);
    Py_DECREF(list);
    return result;
}

/* open_frames(frames) */
static PyObject *open_frames(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *frames, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "O", &frames)) return NULL;
    PyObject *list = PySequence_List(frames);
    if (list == NULL) return NULL;
    Py_ssize_t count = PyList_Size(list);
    const crd_frame **all = PyMem_Malloc((size_t)(count > 0 ? count : 1) * sizeof *all);
    if (all == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *frame = PyList_GetItem(list, i);
        if (!check_type(state, frame, CORE_FRAME, "frames")) goto done;
        all[i] = ((frame_object *)frame)->frame;
    }
    core_call call;
    crd_reader *reader = NULL;
    call_begin(&call, state);
    crd_status status = crd_reader_open_frames(state->context, all, (size_t)count, NULL, NULL, &reader, &call.error);
    if (call_end(&call, status) < 0) crd_reader_close(reader);
    else result = reader_wrap(state, reader, Py_NewRef(list));
done:
    PyMem_Free(all);
    Py_DECREF(list);
    return result;
}

/* Where the library has declared ArrowArrayStream by name only. */
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* open_arrow(capsule): a capsule "arrow_array_stream", which is consumed. */
static PyObject *open_arrow(PyObject *module, PyObject *capsule) {
    module_state *state = state_of_module(module);
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream == NULL) return NULL;
    if (stream->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "stream: it has been consumed before");
        return NULL;
    }
    core_call call;
    crd_reader *reader = NULL;
    call_begin(&call, state);
    crd_status status = crd_reader_open_arrow(state->context, stream, NULL, NULL, &reader, &call.error);
    if (call_end(&call, status) < 0) {
        crd_reader_close(reader);
        return NULL;
    }
    return reader_wrap(state, reader, NULL);
}

/* Columns by a selector, through one of the calls that take one. */
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
        if (name == NULL || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyMethodDef methods[] = {
    {"column_names", reader_column_names, METH_NOARGS, "column_names() -> list[str]"},
    {"select_target", reader_select_target, METH_O, "select_target(selector)"},
    {"select_weight", reader_select_weight, METH_O, "select_weight(selector)"},
    {"select_ignored", reader_select_ignored, METH_O, "select_ignored(selector)"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot type_slots[] = {
    {Py_tp_dealloc, reader_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_doc, "Rows to be taken by one call. open_files(), open_frames() and open_arrow() make one."},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "credence._core.Reader",
    .basicsize = sizeof(reader_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = type_slots,
};

static PyMethodDef functions[] = {
    {"open_files", open_files, METH_VARARGS, "open_files(paths) -> Reader"},
    {"open_frames", open_frames, METH_VARARGS, "open_frames(frames) -> Reader"},
    {"open_arrow", open_arrow, METH_O, "open_arrow(capsule) -> Reader"},
    {NULL, NULL, 0, NULL},
};

int add_reader(PyObject *module, module_state *state) {
    return add_type(module, state, CORE_READER, &spec) < 0 ? -1 : PyModule_AddFunctions(module, functions);
}
