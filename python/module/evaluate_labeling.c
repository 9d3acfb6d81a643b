/* SPDX-License-Identifier: MIT */
/* evaluate_labeling.c - compares assigned classes with known labels, whose names can differ from the class names. */
#include "evaluate.h"

/* Returns the number of rows of each class for one label. Classes are in the order of their first occurrences. */
static PyObject *label_record(const void *user, size_t label) {
    const crd_labeling *labeling = user;
    const size_t count = crd_labeling_assigned_count(labeling);
    PyObject *rows = PyDict_New();
    for (size_t i = 0; rows != NULL && i < count; i++) {
        PyObject *name = str_of(crd_labeling_assigned(labeling, i));
        PyObject *number = number_of(crd_labeling_rows(labeling, i, label));
        if (name == NULL || number == NULL || PyDict_SetItem(rows, name, number) < 0) Py_CLEAR(rows);
        Py_XDECREF(name);
        Py_XDECREF(number);
    }
    return rows == NULL
               ? NULL
               : Py_BuildValue("{s:N,s:N}", "label", str_of(crd_labeling_known(labeling, label)), "rows", rows);
}

static PyObject *labeling_record(module_state *state, const crd_labeling *labeling, uint64_t unlabeled) {
    crd_labeling_scores scores = CRD_LABELING_SCORES_INIT;
    crd_error error;
    if (crd_labeling_score(labeling, &scores, &error) != CRD_OK) {
        raise_error(state, &error);
        return NULL;
    }
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:K,s:N}", "adjusted_rand", number_of(scores.adjusted_rand),
                         "normalized_mutual_information", number_of(scores.normalized_mutual_information),
                         "homogeneity", number_of(scores.homogeneity), "completeness", number_of(scores.completeness),
                         "rows", number_of(scores.rows), "unlabeled", (unsigned long long)unlabeled, "contingency",
                         list_of(crd_labeling_known_count(labeling), label_record, labeling));
}

/* compare_labeling(model, classifier, reader, column): the reader must keep texts. */
static PyObject *compare_labeling(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model, *classifier, *source, *result = NULL;
    Py_ssize_t column;
    if (!PyArg_ParseTuple(arguments, "OOOn", &model, &classifier, &source, &column) ||
        !check_type(state, model, CORE_MODEL, "model") || !check_type(state, classifier, CORE_CLASSIFIER, "classifier"))
        return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    model_object *wrapper = (model_object *)model;
    crd_labeling *labeling = NULL;
    uint64_t unlabeled = 0;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(wrapper);
    if (status == CRD_OK) {
        status = crd_labeling_of_model(wrapper->model, ((classifier_object *)classifier)->classifier, reader,
                                       (size_t)column, &labeling, &unlabeled, &call.error);
        model_unlock(wrapper);
    }
    if (call_end(&call, status) == 0) result = labeling_record(state, labeling, unlabeled);
    reader_done(source);
    crd_labeling_destroy(labeling);
    return result;
}

/* score_labeling(assigned, known, weights=None): two sequences of str, with None for a missing class or label; weights is a buffer of
 * float64 with the number of rows that each pair counts as. */
static PyObject *score_labeling(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *weights = Py_None;
    Py_buffer buffer = {0};
    PyObject *given[2], *owners[2] = {NULL, NULL}, *result = NULL;
    crd_text *texts[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};
    static const char *const names[2] = {"assigned", "known"};
    crd_labeling *labeling = NULL;
    uint64_t unlabeled = 0;
    crd_error error;
    if (!PyArg_ParseTuple(arguments, "OO|O", &given[0], &given[1], &weights) ||
        (weights != Py_None && buffer_of(weights, "weights", "d", false, false, &buffer) < 0))
        return NULL;
    for (int i = 0; i < 2; i++)
        if (texts_of(given[i], names[i], &texts[i], &counts[i], &owners[i]) < 0) goto done;
    if (counts[0] != counts[1]) {
        PyErr_Format(PyExc_ValueError, "known: %zu labels for %zu rows", counts[1], counts[0]);
        goto done;
    }
    if (weights != Py_None && (size_t)buffer.len / sizeof(double) != counts[0]) {
        PyErr_Format(PyExc_ValueError, "weights: expected %zu", counts[0]);
        goto done;
    }
    crd_status status = crd_labeling_create(state->context, &labeling, &error);
    for (size_t row = 0; status == CRD_OK && row < counts[0]; row++) {
        const double weight = weights == Py_None ? 1 : ((const double *)buffer.buf)[row];
        if (texts[1][row].bytes == NULL) unlabeled += (uint64_t)weight;
        else if (texts[0][row].bytes != NULL)
            status = crd_labeling_add(labeling, texts[0][row], texts[1][row], weight, &error);
    }
    if (status == CRD_OK) result = labeling_record(state, labeling, unlabeled);
    else raise_error(state, &error);
done:
    if (weights != Py_None) PyBuffer_Release(&buffer);
    crd_labeling_destroy(labeling);
    for (int i = 0; i < 2; i++) {
        PyMem_Free(texts[i]);
        Py_XDECREF(owners[i]);
    }
    return result;
}

PyMethodDef evaluate_labeling_functions[] = {
    {"compare_labeling", compare_labeling, METH_VARARGS, "compare_labeling(model, classifier, reader, column) -> dict"},
    {"score_labeling", score_labeling, METH_VARARGS, "score_labeling(assigned, known, weights=None) -> dict"},
    {NULL, NULL, 0, NULL},
};
