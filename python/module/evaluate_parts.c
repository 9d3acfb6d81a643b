/* SPDX-License-Identifier: MIT */
/* evaluate_parts.c - encodes assessments of parts of the rows as bytes, and merges parts of sequences. */
#include "evaluate.h"

#include <stdlib.h>

/* ---- Byte lists ---- */

int byte_list_of(PyObject *parts, byte_list *out) {
    *out = (byte_list){0};
    PyObject *owner = PySequence_Tuple(parts);
    if (owner == NULL) return -1;
    const Py_ssize_t count = PyTuple_Size(owner);
    out->owner = owner;
    out->bytes = PyMem_Malloc(((size_t)count + 1) * sizeof *out->bytes);
    out->lengths = PyMem_Malloc(((size_t)count + 1) * sizeof *out->lengths);
    if (out->bytes == NULL || out->lengths == NULL) {
        PyErr_NoMemory();
        byte_list_free(out);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        char *bytes;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(owner, i), &bytes, &length) < 0) {
            byte_list_free(out);
            return -1;
        }
        out->bytes[i] = (const unsigned char *)bytes;
        out->lengths[i] = (size_t)length;
    }
    out->count = (size_t)count;
    return 0;
}

void byte_list_free(byte_list *list) {
    PyMem_Free((void *)list->bytes);
    PyMem_Free(list->lengths);
    Py_XDECREF(list->owner);
    *list = (byte_list){0};
}

/* ---- Encoding ---- */

/* encode(): the evaluated rows as bytes, which another process can merge. */
PyObject *assessment_encode(PyObject *object, PyObject *unused) {
    (void)unused;
    const assessment_object *self = (assessment_object *)object;
    module_state *state = self->head.state;
    unsigned char *bytes = NULL;
    size_t length = 0;
    core_call call;
    call_begin(&call, state);
    crd_status status = self->assessment != NULL ? crd_assessment_encode(self->assessment, &bytes, &length, &call.error)
                        : self->sequences != NULL
                            ? crd_sequence_evaluation_encode(self->sequences, &bytes, &length, &call.error)
                            : crd_evaluation_encode(self->classes, &bytes, &length, &call.error);
    PyObject *result =
        call_end(&call, status) < 0 ? NULL : PyBytes_FromStringAndSize((char *)bytes, (Py_ssize_t)length);
    crd_free(state->context, bytes);
    return result;
}

/* ---- Sequences ---- */

static crd_status merge_states(assessment_object *self, const byte_list *parts, crd_error *error) {
    crd_context *context = self->head.state->context;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < parts->count; i++) {
        crd_sequence_evaluation *part = NULL;
        status = crd_sequence_evaluation_decode(context, parts->bytes[i], parts->lengths[i], &part, error);
        if (status == CRD_OK && self->sequences != NULL)
            status = crd_sequence_evaluation_merge(self->sequences, part, error);
        if (status == CRD_OK && self->sequences == NULL) {
            self->sequences = part;
            part = NULL;
        }
        crd_sequence_evaluation_destroy(part);
    }
    return status;
}

static crd_status merge_classes(assessment_object *self, const byte_list *parts, crd_error *error) {
    crd_context *context = self->head.state->context;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < parts->count; i++) {
        crd_evaluation *part = NULL;
        status = crd_evaluation_decode(context, parts->bytes[i], parts->lengths[i], &part, error);
        if (status == CRD_OK && self->classes != NULL) status = crd_evaluation_merge(self->classes, part, error);
        if (status == CRD_OK && self->classes == NULL) {
            self->classes = part;
            part = NULL;
        }
        crd_evaluation_destroy(part);
    }
    return status;
}

/* assess_sequence_parts(parts, is_of_classes, unlabeled): parts are the bytes of sequence assessments, in order; unlabeled is the number
 * of sequences without a class. */
static PyObject *assess_sequence_parts(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *given;
    int is_of_classes;
    unsigned long long unlabeled;
    byte_list parts = {0};
    if (!PyArg_ParseTuple(arguments, "OpK", &given, &is_of_classes, &unlabeled) || byte_list_of(given, &parts) < 0)
        return NULL;
    if (parts.count == 0) PyErr_SetString(PyExc_ValueError, "parts: must not be empty");
    assessment_object *self = parts.count == 0 ? NULL : new_object(state, CORE_ASSESSMENT);
    PyObject *result = NULL;
    if (self != NULL) {
        self->unlabeled = unlabeled;
        core_call call;
        call_begin(&call, state);
        crd_status status =
            is_of_classes ? merge_classes(self, &parts, &call.error) : merge_states(self, &parts, &call.error);
        result = end_judging(self, &call, status);
    }
    byte_list_free(&parts);
    return result;
}

PyMethodDef evaluate_parts_functions[] = {
    {"assess_sequence_parts", assess_sequence_parts, METH_VARARGS,
     "assess_sequence_parts(parts, is_of_classes, unlabeled) -> Assessment"},
    {NULL, NULL, 0, NULL},
};
