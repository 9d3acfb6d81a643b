/* SPDX-License-Identifier: MIT */
/* explain_dependence.c - measures which pairs of attributes depend on each other within a class. */
#include "explain_record.h"

/* Returns all measured pairs, the most important first. */
static PyObject *pairs_record(module_state *state, const crd_dependence *dependence, const crd_classifier *classifier,
                              size_t measured) {
    crd_error error;
    size_t count = 0;
    PyObject *list = NULL;
    crd_dependent_pair *pairs = PyMem_Calloc(measured + 1, sizeof *pairs);
    if (pairs == NULL) return PyErr_NoMemory();
    pairs[0].size = sizeof *pairs;
    if (crd_dependence_pairs(dependence, pairs, measured, &count, &error) != CRD_OK) raise_error(state, &error);
    else list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count && pairs[i].matters; i++) {
        const crd_dependent_pair *pair = &pairs[i];
        PyObject *record = Py_BuildValue(
            "{s:[NN],s:N,s:N,s:N,s:N}", "attributes", str_of(crd_classifier_attribute(classifier, pair->attributes[0])),
            str_of(crd_classifier_attribute(classifier, pair->attributes[1])), "bits", number_of(pair->bits), "rows",
            number_of(pair->rows), "statistic", number_of(pair->statistic), "degrees", number_of(pair->degrees));
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    PyMem_Free(pairs);
    return list;
}

/* measure_dependence(model, classifier, reader): the reader must be bound to the model for learning. */
static PyObject *measure_dependence(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *classifier_argument, *source, *record = NULL;
    if (!PyArg_ParseTuple(arguments, "OOO", &model_argument, &classifier_argument, &source) ||
        !check_type(state, model_argument, CORE_MODEL, "model") ||
        !check_type(state, classifier_argument, CORE_CLASSIFIER, "classifier"))
        return NULL;
    model_object *model = (model_object *)model_argument;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_dependence *dependence = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_dependence_create(model->model, &dependence, &call.error);
        model_unlock(model);
    }
    if (status == CRD_OK) status = crd_dependence_read(dependence, reader, &call.error);
    int failed = call_end(&call, status);
    reader_done(source);
    if (failed == 0) {
        crd_dependence_facts facts = CRD_DEPENDENCE_FACTS_INIT;
        crd_dependence_facts_of(dependence, &facts);
        record = Py_BuildValue(
            "{s:N,s:N,s:n,s:n,s:n,s:n}", "pairs",
            pairs_record(state, dependence, ((classifier_object *)classifier_argument)->classifier, facts.pairs),
            "rows", number_of(facts.rows), "attributes", (Py_ssize_t)facts.attributes, "attributes_paired",
            (Py_ssize_t)facts.columns, "pairs_measured", (Py_ssize_t)facts.pairs, "pairs_left_out",
            (Py_ssize_t)facts.left_out);
    }
    crd_dependence_destroy(dependence);
    return record;
}

PyMethodDef dependence_functions[] = {
    {"measure_dependence", measure_dependence, METH_VARARGS, "measure_dependence(model, classifier, reader) -> dict"},
    {NULL, NULL, 0, NULL},
};
