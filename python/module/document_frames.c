/* SPDX-License-Identifier: MIT */
/* document_frames.c - frames of documents, as texts or as sparse rows of counts, that models learn and classify in one call. */
#include "module.h"

#include <string.h>

/* Gets a contiguous buffer with at least `least` items. */
static int array_of(PyObject *object, const char *argument, const char *format, size_t least, Py_buffer *out) {
    if (buffer_of(object, argument, format, false, false, out) < 0) return -1;
    if ((size_t)(out->len / out->itemsize) >= least) return 0;
    PyErr_Format(PyExc_ValueError, "%s: expected %zu items, got %zd", argument, least, out->len / out->itemsize);
    PyBuffer_Release(out);
    return -1;
}

/* Returns the number of entries of the rows, which is the last offset; -1 with an exception. */
static Py_ssize_t entries_of(const Py_buffer *offsets, size_t rows) {
    const int64_t *all = offsets->buf;
    if (all[rows] >= 0 && all[rows] <= PY_SSIZE_T_MAX / 8) return (Py_ssize_t)all[rows];
    PyErr_SetString(PyExc_ValueError, "offsets: expected numbers that ascend from 0");
    return -1;
}

/* add_term_counts(frame, name, terms, offsets, columns, counts) */
static PyObject *add_term_counts(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *frame, *name, *terms, *objects[3], *owner = NULL, *result = NULL;
    crd_text name_text, *texts = NULL;
    size_t count;
    if (!PyArg_ParseTuple(arguments, "OOOOOO", &frame, &name, &terms, &objects[0], &objects[1], &objects[2]) ||
        !check_type(state, frame, CORE_FRAME, "frame") || text_of(name, "name", false, &name_text) < 0)
        return NULL;
    crd_frame *destination = ((frame_object *)frame)->frame;
    Py_buffer buffers[3];
    size_t held = 0;
    if (array_of(objects[0], "offsets", "q", crd_frame_rows(destination) + 1, &buffers[0]) < 0) return NULL;
    held = 1;
    Py_ssize_t entries = entries_of(&buffers[0], crd_frame_rows(destination));
    if (entries < 0 || array_of(objects[1], "columns", "i", (size_t)entries, &buffers[1]) < 0) goto done;
    held = 2;
    if (array_of(objects[2], "counts", "d", (size_t)entries, &buffers[2]) < 0) goto done;
    held = 3;
    if (texts_of(terms, "terms", &texts, &count, &owner) < 0) goto done;
    crd_term_matrix matrix = CRD_TERM_MATRIX_INIT;
    matrix.terms = texts;
    matrix.term_count = count;
    matrix.offsets = buffers[0].buf;
    matrix.columns = buffers[1].buf;
    matrix.counts = buffers[2].buf;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_frame_add_term_counts(destination, name_text, &matrix, &call.error);
    if (call_end(&call, status) == 0) result = Py_NewRef(Py_None);
done:
    PyMem_Free(texts);
    Py_XDECREF(owner);
    while (held > 0) PyBuffer_Release(&buffers[--held]);
    return result;
}

static void free_texts(PyObject *capsule) {
    PyMem_Free(PyCapsule_GetPointer(capsule, NULL));
}

/* add_documents(frame, name, texts): texts is a list of str, bytes and None. The frame keeps the list. */
static PyObject *add_documents(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *frame, *name, *documents, *owner;
    crd_text name_text, *texts;
    size_t count;
    if (!PyArg_ParseTuple(arguments, "OOO", &frame, &name, &documents) ||
        !check_type(state, frame, CORE_FRAME, "frame") || text_of(name, "name", false, &name_text) < 0 ||
        texts_of(documents, "texts", &texts, &count, &owner) < 0)
        return NULL;
    frame_object *destination = (frame_object *)frame;
    PyObject *capsule = PyCapsule_New(texts, NULL, free_texts);
    if (capsule == NULL) PyMem_Free(texts);
    bool is_kept = capsule != NULL && PyList_Append(destination->kept, owner) == 0 &&
                   PyList_Append(destination->kept, capsule) == 0;
    Py_XDECREF(capsule);
    Py_DECREF(owner);
    if (!is_kept) return NULL;
    if (count != crd_frame_rows(destination->frame)) {
        PyErr_Format(PyExc_ValueError, "texts: expected %zu, got %zu", crd_frame_rows(destination->frame), count);
        return NULL;
    }
    crd_error error;
    if (crd_frame_add_documents(destination->frame, name_text, texts, &error) != CRD_OK) {
        raise_error(state, &error);
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Returns the index of a column of the frame; SIZE_MAX with an exception. */
static size_t column_number(const crd_frame *frame, crd_text name) {
    for (size_t i = 0; i < crd_frame_column_count(frame); i++) {
        crd_text other = crd_frame_column_name(frame, i);
        if (other.length == name.length && memcmp(other.bytes, name.bytes, name.length) == 0) return i;
    }
    PyErr_SetString(PyExc_ValueError, "target: the frame has no such column");
    return SIZE_MAX;
}

/* make_frame_model(frame, target, settings=None, weight=None, declares=False): uses only the columns of the frame and, if declares is
 * true, all classes of the target's dictionary. It does not learn the rows. */
static PyObject *make_frame_model(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *frame, *target, *settings_argument = Py_None, *weight = Py_None;
    int declares = 0;
    crd_text target_text, weight_text;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "OO|OOp", &frame, &target, &settings_argument, &weight, &declares) ||
        !check_type(state, frame, CORE_FRAME, "frame") || text_of(target, "target", false, &target_text) < 0 ||
        text_of(weight, "weight", true, &weight_text) < 0 || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    crd_frame *like = ((frame_object *)frame)->frame;
    size_t column = column_number(like, target_text);
    if (column == SIZE_MAX) return NULL;
    crd_model *model = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = declares ? crd_frame_declare_dictionary(like, column, &call.error) : CRD_OK;
    if (status == CRD_OK)
        status = weight_text.bytes == NULL
                     ? crd_model_create(state->context, like, target_text, settings, &model, &call.error)
                     : crd_model_create_weighted(state->context, like, target_text, weight_text, settings, &model,
                                                 &call.error);
    if (call_end(&call, status) < 0) {
        crd_model_destroy(model);
        return NULL;
    }
    return model_wrap(state, model);
}

static PyObject *change_by_frame(PyObject *module, PyObject *arguments,
                                 crd_status (*change)(crd_model *, const crd_frame *, crd_error *)) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *frame;
    if (!PyArg_ParseTuple(arguments, "OO", &model_argument, &frame) ||
        !check_type(state, model_argument, CORE_MODEL, "model") || !check_type(state, frame, CORE_FRAME, "frame"))
        return NULL;
    model_object *model = (model_object *)model_argument;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_write(model);
    if (status == CRD_OK) {
        status = change(model->model, ((frame_object *)frame)->frame, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *update_frame(PyObject *module, PyObject *arguments) {
    return change_by_frame(module, arguments, crd_model_update);
}

static PyObject *forget_frame(PyObject *module, PyObject *arguments) {
    return change_by_frame(module, arguments, crd_model_forget);
}

PyMethodDef document_frames_functions[] = {
    {"add_term_counts", add_term_counts, METH_VARARGS,
     "add_term_counts(frame, name, terms, offsets, columns, counts)\n\nAdd a column of documents. Their term counts "
     "are a matrix in compressed sparse row format."},
    {"add_documents", add_documents, METH_VARARGS,
     "add_documents(frame, name, texts)\n\nAdd a column of documents: a list of str, bytes and None, which is read "
     "without a copy."},
    {"make_frame_model", make_frame_model, METH_VARARGS,
     "make_frame_model(frame, target, settings=None, weight=None, declares=False) -> Model"},
    {"update_frame", update_frame, METH_VARARGS, "update_frame(model, frame)"},
    {"forget_frame", forget_frame, METH_VARARGS, "forget_frame(model, frame)"},
    {NULL, NULL, 0, NULL},
};
