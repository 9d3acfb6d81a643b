/* SPDX-License-Identifier: MIT */
/* reader_open.c - opens readers of files, bytes, documents, frames and Arrow streams with reading options. */
#include "columns.h"
#include "reader_options.h"

#include <errno.h>
#include <string.h>

/* Returns a Reader that owns `reader` and a reference of `kept`. Takes both even on failure. */
static PyObject *wrap(module_state *state, crd_reader *reader, PyObject *kept, read_options *options) {
    reader_object *self = reader == NULL ? NULL : new_object(state, CORE_READER);
    if (self == NULL) {
        crd_reader_close(reader);
        Py_XDECREF(kept);
        return NULL;
    }
    self->reader = reader;
    self->kept = kept;
    self->bad_rows = options->bad_rows;
    options->bad_rows = NULL;
    return (PyObject *)self;
}

/* Ends the call that opens a reader, and returns the reader, or NULL with an exception. The model is read while its lock is held. */
static crd_reader *open_end(core_call *call, crd_status status, crd_reader *reader) {
    if (call_end(call, status) == 0) return reader;
    crd_reader_close(reader);
    return NULL;
}

/* open_files(paths, options={}) */
static PyObject *open_files(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *paths, *given = Py_None, *result = NULL;
    read_options options;
    if (!PyArg_ParseTuple(arguments, "O|O", &paths, &given)) return NULL;
    PyObject *list = PySequence_List(paths);
    if (list == NULL) return NULL;
    Py_ssize_t count = PyList_Size(list);
    const char **names = PyMem_Malloc((size_t)(count > 0 ? count : 1) * sizeof *names);
    if (names == NULL) PyErr_NoMemory();
    if (names == NULL || read_options_begin(state, given, &options) < 0) goto done;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *path = path_of(PyList_GetItem(list, i));
        if (path == NULL || PyList_SetItem(list, i, path) < 0) goto end;
        names[i] = PyBytes_AsString(path);
    }
    core_call call;
    crd_reader *reader = NULL;
    call_begin(&call, state);
    crd_status status = crd_reader_open(state->context, names, (size_t)count, &options.options, &reader, &call.error);
    result = wrap(state, open_end(&call, status, reader), NULL, &options);
end:
    read_options_end(&options);
done:
    PyMem_Free(names);
    Py_DECREF(list);
    return result;
}

/* open_bytes(bytes, name, options={}): the reader borrows the memory of any bytes buffer. */
static PyObject *open_bytes(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *bytes, *given = Py_None, *result = NULL;
    const char *name;
    read_options options;
    if (!PyArg_ParseTuple(arguments, "Oz|O", &bytes, &name, &given)) return NULL;
    PyObject *view = PyMemoryView_FromObject(bytes);
    if (view == NULL) return NULL;
    Py_buffer buffer;
    if (PyObject_GetBuffer(view, &buffer, PyBUF_SIMPLE) < 0) goto done;
    if (read_options_begin(state, given, &options) == 0) {
        core_call call;
        crd_reader *reader = NULL;
        call_begin(&call, state);
        crd_status status = crd_reader_open_memory(state->context, buffer.buf, (size_t)buffer.len, name,
                                                   &options.options, &reader, &call.error);
        result = wrap(state, open_end(&call, status, reader), Py_NewRef(view), &options);
        read_options_end(&options);
    }
    PyBuffer_Release(&buffer); /* the memoryview, which the reader keeps, keeps the memory valid */
done:
    Py_DECREF(view);
    return result;
}

/* open_documents(sources, text_name, class_name, options={}, mail=False): sources are pairs of a path and a class or None. With mail, the
 * sources contain messages, whose columns have their own names. */
static PyObject *open_documents(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *pairs, *given = Py_None, *text_name, *class_name, *result = NULL;
    read_options options;
    crd_document_options document_options = CRD_DOCUMENT_OPTIONS_INIT;
    int is_mail = 0;
    if (!PyArg_ParseTuple(arguments, "OOO|Op", &pairs, &text_name, &class_name, &given, &is_mail) ||
        text_of(text_name, "text_name", true, &document_options.text_name) < 0 ||
        text_of(class_name, "class_name", true, &document_options.class_name) < 0)
        return NULL;
    PyObject *list = PySequence_List(pairs), *paths = PyList_New(0);
    Py_ssize_t count = list != NULL ? PyList_Size(list) : 0;
    crd_document_source *sources = PyMem_Calloc((size_t)(count > 0 ? count : 1), sizeof *sources);
    if (sources == NULL) PyErr_NoMemory();
    if (list == NULL || paths == NULL || sources == NULL || read_options_begin(state, given, &options) < 0) goto done;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *place, *label;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "OO", &place, &label) ||
            text_of(label, "sources", true, &sources[i].label) < 0)
            goto end;
        PyObject *path = path_of(place);
        if (path == NULL || PyList_Append(paths, path) < 0) {
            Py_XDECREF(path);
            goto end;
        }
        Py_DECREF(path);
        sources[i].path = PyBytes_AsString(path);
    }
    core_call call;
    crd_reader *reader = NULL;
    call_begin(&call, state);
    crd_status status =
        is_mail ? crd_reader_open_mail(state->context, sources, (size_t)count, &options.options, &reader, &call.error)
                : crd_reader_open_documents(state->context, sources, (size_t)count, &document_options, &options.options,
                                            &reader, &call.error);
    result = wrap(state, open_end(&call, status, reader), NULL, &options);
end:
    read_options_end(&options);
done:
    PyMem_Free(sources);
    Py_XDECREF(paths);
    Py_XDECREF(list);
    return result;
}

/* open_frames(frames, options={}) */
static PyObject *open_frames(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *frames, *given = Py_None, *result = NULL;
    read_options options;
    if (!PyArg_ParseTuple(arguments, "O|O", &frames, &given)) return NULL;
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
    if (read_options_begin(state, given, &options) < 0) goto done;
    core_call call;
    crd_reader *reader = NULL;
    call_begin(&call, state);
    crd_status status =
        crd_reader_open_frames(state->context, all, (size_t)count, NULL, &options.options, &reader, &call.error);
    result = wrap(state, open_end(&call, status, reader), Py_NewRef(list), &options);
    read_options_end(&options);
done:
    PyMem_Free(all);
    Py_DECREF(list);
    return result;
}

/* ---- Columns and Arrow streams ---- */

static int renew_columns(void *user, struct ArrowArrayStream *out) {
    return columns_stream(user, NULL, out);
}

/* open_columns(columns, name=None, options={}) */
static PyObject *open_columns(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *columns, *given = Py_None;
    const char *name = NULL;
    read_options options;
    if (!PyArg_ParseTuple(arguments, "O|zO", &columns, &name, &given) ||
        !check_type(state, columns, CORE_COLUMNS, "columns") || read_options_begin(state, given, &options) < 0)
        return NULL;
    struct ArrowArrayStream stream;
    PyObject *result = NULL;
    options.options.renew = renew_columns;
    options.options.renew_user = columns;
    if (columns_stream((columns_object *)columns, NULL, &stream) != 0) {
        PyErr_NoMemory();
    } else {
        core_call call;
        crd_reader *reader = NULL;
        call_begin(&call, state);
        crd_status status =
            crd_reader_open_arrow(state->context, &stream, name, &options.options, &reader, &call.error);
        result = wrap(state, open_end(&call, status, reader), Py_NewRef(columns), &options);
    }
    read_options_end(&options);
    return result;
}

/* Exports the stream of a Python table again; `user` is the table. It is called without the GIL. An exception, for example from an
 * interrupt, stays set for the thread that made the call, and is raised when the call ends. */
static int renew_table(void *user, struct ArrowArrayStream *out) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *capsule = PyObject_CallMethod(user, "__arrow_c_stream__", NULL);
    struct ArrowArrayStream *stream = capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, "arrow_array_stream");
    const bool is_there = stream != NULL && stream->release != NULL;
    if (is_there) {
        *out = *stream;
        stream->release = NULL;
    }
    Py_XDECREF(capsule);
    PyGILState_Release(gil);
    return is_there ? 0 : EIO;
}

/* open_arrow(capsule, name=None, options={}, table=None): consumes a capsule "arrow_array_stream". If table is given, its
 * __arrow_c_stream__ can export the stream again. */
static PyObject *open_arrow(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *capsule, *given = Py_None, *table = Py_None;
    const char *name = NULL;
    read_options options;
    if (!PyArg_ParseTuple(arguments, "O|zOO", &capsule, &name, &given, &table)) return NULL;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream == NULL) return NULL;
    if (stream->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "table: the Arrow stream is already consumed");
        return NULL;
    }
    if (read_options_begin(state, given, &options) < 0) return NULL;
    if (table != Py_None) {
        options.options.renew = renew_table;
        options.options.renew_user = table;
    }
    core_call call;
    crd_reader *reader = NULL;
    call_begin(&call, state);
    crd_status status = crd_reader_open_arrow(state->context, stream, name, &options.options, &reader, &call.error);
    PyObject *result = wrap(state, open_end(&call, status, reader), Py_NewRef(table), &options);
    read_options_end(&options);
    return result;
}

PyMethodDef reader_open_functions[] = {
    {"open_files", open_files, METH_VARARGS, "open_files(paths, options={}) -> Reader"},
    {"open_bytes", open_bytes, METH_VARARGS, "open_bytes(bytes, name, options={}) -> Reader"},
    {"open_documents", open_documents, METH_VARARGS,
     "open_documents(sources, text_name, class_name, options={}, mail=False) -> Reader"},
    {"open_frames", open_frames, METH_VARARGS, "open_frames(frames, options={}) -> Reader"},
    {"open_arrow", open_arrow, METH_VARARGS, "open_arrow(capsule, name=None, options={}, table=None) -> Reader"},
    {"open_columns", open_columns, METH_VARARGS, "open_columns(columns, name=None, options={}) -> Reader"},
    {NULL, NULL, 0, NULL},
};
