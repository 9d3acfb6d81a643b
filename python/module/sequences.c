/* SPDX-License-Identifier: MIT */
/* sequences.c - Sequences: consecutive rows, divided into sequences. */
#include "sequences.h"

static void sequences_dealloc(PyObject *object) {
    sequences_object *self = (sequences_object *)object;
    crd_sequences_destroy(self->sequences);
    Py_XDECREF(self->kept);
    free_object(self);
}

const crd_sequences *sequences_of(module_state *state, PyObject *object) {
    return check_type(state, object, CORE_SEQUENCES, "sequences") ? ((sequences_object *)object)->sequences : NULL;
}

/* read_sequences(reader, sequence=None, blank_lines=False, time=None, step=0.0, time_format=None): all sequences of a reader. Uses the reader up. */
static PyObject *read_sequences(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"reader", "sequence", "blank_lines", "time", "step", "time_format", NULL};
    module_state *state = state_of_module(module);
    PyObject *source, *sequence = Py_None, *time = Py_None, *form = Py_None;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OpOdO", names, &source, &sequence, &options.blank_lines,
                                     &time, &options.step, &form) ||
        text_of(sequence, "sequence", true, &options.sequence) < 0 || text_of(time, "time", true, &options.time) < 0 ||
        text_of(form, "time_format", true, &options.time_format) < 0)
        return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    sequences_object *self = new_object(state, CORE_SEQUENCES);
    if (self == NULL) {
        reader_done(source);
        return NULL;
    }
    self->kept = Py_NewRef(source);
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_sequences_read(reader, &options, &self->sequences, &call.error);
    if (call_end(&call, status) < 0) Py_CLEAR(self);
    reader_done(source);
    return (PyObject *)self;
}

/* Gets the lengths of sequences from a list of int. The caller frees the result with PyMem_Free. */
static size_t *lengths_of(PyObject *list, Py_ssize_t count) {
    size_t *lengths = PyMem_Malloc((size_t)(count > 0 ? count : 1) * sizeof *lengths);
    if (lengths == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        lengths[i] = PyLong_AsSize_t(PyList_GetItem(list, i));
        if (lengths[i] == (size_t)-1 && PyErr_Occurred() != NULL) {
            PyMem_Free(lengths);
            return NULL;
        }
    }
    return lengths;
}

/* frame_sequences(frame, lengths, target=None): the rows of a frame, divided into sequences of these lengths. */
static PyObject *frame_sequences(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *frame, *given, *target_name = Py_None;
    crd_text target;
    if (!PyArg_ParseTuple(arguments, "OO|O", &frame, &given, &target_name) ||
        !check_type(state, frame, CORE_FRAME, "frame") || text_of(target_name, "target", true, &target) < 0)
        return NULL;
    PyObject *list = PySequence_List(given);
    if (list == NULL) return NULL;
    const Py_ssize_t count = PyList_Size(list);
    size_t *lengths = lengths_of(list, count);
    Py_DECREF(list);
    if (lengths == NULL) return NULL;
    sequences_object *self = new_object(state, CORE_SEQUENCES);
    if (self != NULL) {
        self->kept = Py_NewRef(frame);
        core_call call;
        call_begin(&call, state);
        crd_status status = crd_sequences_from_frame(state->context, ((frame_object *)frame)->frame, target, lengths,
                                                     (size_t)count, &self->sequences, &call.error);
        if (call_end(&call, status) < 0) Py_CLEAR(self);
    }
    PyMem_Free(lengths);
    return (PyObject *)self;
}

/* select(numbers): some of the sequences, given their indices from 0. */
static PyObject *sequences_select(PyObject *object, PyObject *numbers) {
    sequences_object *source = (sequences_object *)object;
    PyObject *list = PySequence_List(numbers);
    if (list == NULL) return NULL;
    const Py_ssize_t count = PyList_Size(list);
    size_t *chosen = lengths_of(list, count);
    Py_DECREF(list);
    if (chosen == NULL) return NULL;
    sequences_object *self = new_object(source->head.state, CORE_SEQUENCES);
    crd_error error;
    if (self != NULL) {
        self->kept = Py_NewRef(object);
        if (crd_sequences_select(source->sequences, chosen, (size_t)count, &self->sequences, &error) != CRD_OK) {
            raise_error(source->head.state, &error);
            Py_CLEAR(self);
        }
    }
    PyMem_Free(chosen);
    return (PyObject *)self;
}

static PyObject *sequences_count(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromSize_t(crd_sequences_count(((sequences_object *)self)->sequences));
}

static PyObject *sequences_rows(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(crd_sequences_rows(((sequences_object *)self)->sequences));
}

static PyObject *sequences_lengths(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_sequences *sequences = ((sequences_object *)object)->sequences;
    PyObject *lengths = PyList_New(0);
    for (size_t i = 0; lengths != NULL && i < crd_sequences_count(sequences); i++) {
        PyObject *length = PyLong_FromUnsignedLongLong(crd_sequences_length(sequences, i));
        if (append_item(lengths, length) < 0) Py_CLEAR(lengths);
    }
    return lengths;
}

static crd_text id_at(const void *sequences, size_t i) {
    return crd_sequences_id(sequences, i);
}

static PyObject *sequences_ids(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_sequences *sequences = ((sequences_object *)object)->sequences;
    return name_list(crd_sequences_count(sequences), id_at, sequences);
}

static crd_text column_at(const void *sequences, size_t i) {
    return crd_sequences_column_name(sequences, i);
}

static PyObject *sequences_columns(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_sequences *sequences = ((sequences_object *)object)->sequences;
    return name_list(crd_sequences_column_count(sequences), column_at, sequences);
}

static crd_text label_at(const void *sequences, size_t i) {
    return crd_sequences_label(sequences, i);
}

static PyObject *sequences_labels(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_sequences *sequences = ((sequences_object *)object)->sequences;
    return name_list(crd_sequences_label_count(sequences), label_at, sequences);
}

static PyObject *sequences_target(PyObject *object, PyObject *unused) {
    (void)unused;
    return str_of(crd_sequences_target(((sequences_object *)object)->sequences));
}

/* Gets the row of every step, -1 if the step was inserted, and the code of its label, negative if it has no label. */
static crd_status read_steps(const crd_sequences *sequences, int64_t *rows, int32_t *labels, crd_error *error) {
    crd_sequence_cursor *cursor = NULL;
    crd_status status = crd_sequence_cursor_create(sequences, &cursor, error);
    size_t step = 0;
    for (size_t s = 0; status == CRD_OK && s < crd_sequences_count(sequences); s++)
        for (uint64_t t = 0; status == CRD_OK && t < crd_sequences_length(sequences, s); t++, step++) {
            status = crd_sequence_cursor_move(cursor, s, t, error);
            if (status != CRD_OK) break;
            const uint64_t row = crd_sequence_cursor_row(cursor);
            rows[step] = row == UINT64_MAX ? -1 : (int64_t)row;
            labels[step] = crd_sequence_cursor_label(cursor);
        }
    crd_sequence_cursor_destroy(cursor);
    return status;
}

/* steps(rows, labels): fills buffers of int64 and int32 with one item per step. */
static PyObject *sequences_steps(PyObject *object, PyObject *arguments) {
    sequences_object *self = (sequences_object *)object;
    PyObject *row_room, *label_room;
    Py_buffer rows, labels;
    if (!PyArg_ParseTuple(arguments, "OO", &row_room, &label_room)) return NULL;
    const size_t steps = (size_t)crd_sequences_rows(self->sequences);
    if (room_of(row_room, "rows", "q", steps, &rows) < 0) return NULL;
    if (room_of(label_room, "labels", "i", steps, &labels) < 0) {
        PyBuffer_Release(&rows);
        return NULL;
    }
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = read_steps(self->sequences, rows.buf, labels.buf, &call.error);
    const int failed = call_end(&call, status);
    PyBuffer_Release(&rows);
    PyBuffer_Release(&labels);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"count", sequences_count, METH_NOARGS, "count() -> int"},
    {"rows", sequences_rows, METH_NOARGS, "rows() -> int\n\nSteps of all sequences."},
    {"lengths", sequences_lengths, METH_NOARGS, "lengths() -> list[int]"},
    {"ids", sequences_ids, METH_NOARGS, "ids() -> list[str | None]"},
    {"columns", sequences_columns, METH_NOARGS, "columns() -> list[str]"},
    {"target", sequences_target, METH_NOARGS, "target() -> str | None"},
    {"labels", sequences_labels, METH_NOARGS, "labels() -> list[str]\n\nThe label of each code."},
    {"steps", sequences_steps, METH_VARARGS, "steps(rows, labels)\n\nThe row and the label's code of each step."},
    {"select", sequences_select, METH_O, "select(numbers) -> Sequences"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef sequences_functions[] = {
    {"read_sequences", (PyCFunction)(void (*)(void))read_sequences, METH_VARARGS | METH_KEYWORDS,
     "read_sequences(reader, sequence=None, blank_lines=False, time=None, step=0.0, time_format=None) -> Sequences"},
    {"frame_sequences", frame_sequences, METH_VARARGS, "frame_sequences(frame, lengths, target=None) -> Sequences"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(sequences, CORE_SEQUENCES, "Sequences", sequences_object, sequences_dealloc, methods,
          "Sequences of rows; immutable. Created by read_sequences() and frame_sequences().");
