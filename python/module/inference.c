/* SPDX-License-Identifier: MIT */
/* inference.c - computes posteriors of network nodes given evidence, and the most probable explanation. */
#include "network_object.h"

#include <stdlib.h>
#include <string.h>

/* ---- Evidence ---- */

/* Reads the likelihoods of a node's states into *cursor, and moves *cursor past them. */
static int read_likelihoods(PyObject *sequence, size_t states, double **cursor) {
    PyObject *list = PySequence_List(sequence);
    if (list == NULL) return -1;
    int result = 0;
    if ((size_t)PyList_Size(list) != states) {
        PyErr_Format(PyExc_ValueError, "likelihoods: %zd numbers for %zu states", PyList_Size(list), states);
        result = -1;
    }
    for (size_t i = 0; result == 0 && i < states; i++) {
        (*cursor)[i] = PyFloat_AsDouble(PyList_GetItem(list, (Py_ssize_t)i));
        if ((*cursor)[i] == -1 && PyErr_Occurred() != NULL) result = -1;
    }
    *cursor += states;
    Py_DECREF(list);
    return result;
}

static int read_finding(const crd_network *network, PyObject *item, crd_finding *out, double **likelihoods) {
    PyObject *node, *observation;
    if (!PyArg_ParseTuple(item, "OO", &node, &observation) || node_of(network, node, "findings", &out->node) < 0)
        return -1;
    if (crd_network_node_kind(network, out->node) == CRD_NODE_GAUSSIAN) {
        out->number = PyFloat_AsDouble(observation);
        return out->number == -1 && PyErr_Occurred() != NULL ? -1 : 0;
    }
    size_t states = crd_network_state_count(network, out->node);
    if (!PyLong_Check(observation)) {
        out->likelihoods = *likelihoods;
        return read_likelihoods(observation, states, likelihoods);
    }
    Py_ssize_t state = PyLong_AsSsize_t(observation);
    if (state < 0 || (size_t)state >= states) {
        if (PyErr_Occurred() == NULL) PyErr_Format(PyExc_IndexError, "findings: state %zd is out of range", state);
        return -1;
    }
    out->state = (size_t)state;
    return 0;
}

/* Returns the number of likelihoods that a finding can have. */
static size_t states_in(const crd_network *network, PyObject *item) {
    PyObject *node = PyTuple_Check(item) && PyTuple_Size(item) > 0 ? PyTuple_GetItem(item, 0) : NULL;
    size_t number = node != NULL && PyLong_Check(node) ? PyLong_AsSize_t(node) : SIZE_MAX;
    PyErr_Clear();
    return crd_network_state_count(network, number);
}

int evidence_of(const crd_network *network, PyObject *sequence, evidence *out) {
    *out = (evidence){0};
    PyObject *list = PySequence_List(sequence);
    if (list == NULL) return -1;
    size_t count = (size_t)PyList_Size(list), capacity = 1;
    for (size_t i = 0; i < count; i++) capacity += states_in(network, PyList_GetItem(list, (Py_ssize_t)i));
    out->items = PyMem_Calloc(count + 1, sizeof *out->items);
    out->likelihoods = PyMem_Calloc(capacity, sizeof *out->likelihoods);
    double *likelihoods = out->likelihoods;
    bool is_read = out->items != NULL && likelihoods != NULL;
    if (!is_read) PyErr_NoMemory();
    for (size_t i = 0; is_read && i < count; i++)
        is_read = read_finding(network, PyList_GetItem(list, (Py_ssize_t)i), &out->items[i], &likelihoods) == 0;
    Py_DECREF(list);
    out->count = count;
    if (!is_read) evidence_free(out);
    return is_read ? 0 : -1;
}

void evidence_free(evidence *findings) {
    PyMem_Free(findings->items);
    PyMem_Free(findings->likelihoods);
    *findings = (evidence){0};
}

int inference_options_of(PyObject *tuple, crd_inference_options *out) {
    const crd_inference_options usual = CRD_INFERENCE_OPTIONS_INIT;
    unsigned long long seed, draws;
    int approximation;
    *out = usual;
    if (tuple == Py_None) return 0;
    if (!PyArg_ParseTuple(tuple, "IdipKK", &out->threads, &out->memory, &approximation, &out->is_always_approximate,
                          &seed, &draws))
        return -1;
    out->approximation = (crd_approximation)approximation;
    out->seed = seed;
    out->draws = draws;
    return 0;
}

PyObject *inference_record(const crd_inference_result *result) {
    return Py_BuildValue("{s:N,s:N,s:i,s:d,s:d,s:d,s:d,s:n}", "log_evidence", number_of(result->log_evidence),
                         "log_evidence_error", number_of(result->log_evidence_error), "approximation",
                         (int)result->approximation, "draws", result->draws, "effective_draws", result->effective_draws,
                         "cells", result->cells, "bytes", result->bytes, "nodes", (Py_ssize_t)result->nodes);
}

/* ---- Queries ---- */

/* A query of a network, read from (network, findings, nodes, options). */
typedef struct question {
    network_object *network;
    evidence known;
    size_t *nodes, count; /* NULL if the argument is None */
    crd_inference_options options;
    crd_inference_result result;
} question;

static void question_free(question *q) {
    evidence_free(&q->known);
    PyMem_Free(q->nodes);
}

static int read_question(module_state *state, PyObject *arguments, question *q) {
    const crd_inference_result none = CRD_INFERENCE_RESULT_INIT;
    PyObject *network, *findings, *nodes, *options;
    *q = (question){.result = none};
    if (!PyArg_ParseTuple(arguments, "OOOO", &network, &findings, &nodes, &options) ||
        !check_type(state, network, CORE_NETWORK, "network"))
        return -1;
    q->network = (network_object *)network;
    if (inference_options_of(options, &q->options) == 0 && evidence_of(q->network->network, findings, &q->known) == 0 &&
        (nodes == Py_None || nodes_of(q->network->network, nodes, "nodes", &q->nodes, &q->count) == 0))
        return 0;
    question_free(q);
    return -1;
}

/* Returns the number of probabilities of all nodes separately, or of their joint distribution; SIZE_MAX if there are
 * too many. */
static size_t cells_of(const question *q, bool is_joint) {
    size_t cells = is_joint ? 1 : 0;
    for (size_t i = 0; i < q->count; i++) {
        size_t states = crd_network_state_count(q->network->network, q->nodes[i]);
        if (!is_joint) cells += states;
        else if (states > 0 && cells > CRD_TABLE_MOST_CELLS / states) return SIZE_MAX;
        else cells *= states;
    }
    return cells;
}

/* Returns the query in the form that the library takes. It borrows from `q`. */
static crd_network_query request_of(const question *q) {
    const crd_network_query request = {sizeof request, q->known.items, q->known.count, q->nodes, q->count, &q->options};
    return request;
}

typedef crd_status ask_nodes(const crd_network *, const crd_network_query *, double *, double *, crd_inference_result *,
                             crd_error *);

static PyObject *answer_states(PyObject *module, PyObject *arguments, ask_nodes *ask, bool is_joint) {
    module_state *state = state_of_module(module);
    question q;
    PyObject *values = NULL, *errors = NULL;
    if (read_question(state, arguments, &q) < 0) return NULL;
    size_t cells = cells_of(&q, is_joint);
    if (cells == SIZE_MAX) {
        PyErr_Format(PyExc_ValueError,
                     "joint_distribution: the table would have more than %d entries; query fewer nodes",
                     CRD_TABLE_MOST_CELLS);
        goto fail;
    }
    values = room_for_numbers(cells);
    errors = room_for_numbers(cells);
    if (values == NULL || errors == NULL) goto fail;
    double *destination = (double *)(void *)PyByteArray_AsString(values),
           *errors_to = (double *)(void *)PyByteArray_AsString(errors);
    const crd_network_query request = request_of(&q);
    core_call call;
    call_begin(&call, state);
    crd_status status = ask(q.network->network, &request, destination, errors_to, &q.result, &call.error);
    if (call_end(&call, status) < 0) goto fail;
    question_free(&q);
    return Py_BuildValue("NNN", values, errors, inference_record(&q.result));
fail:
    Py_XDECREF(values);
    Py_XDECREF(errors);
    question_free(&q);
    return NULL;
}

static PyObject *network_posteriors(PyObject *module, PyObject *arguments) {
    return answer_states(module, arguments, crd_network_posteriors, false);
}

static PyObject *network_joint(PyObject *module, PyObject *arguments) {
    return answer_states(module, arguments, crd_network_joint_posterior, true);
}

/* Returns a list of NormalMixture, and takes ownership of the mixtures. */
static PyObject *list_of_mixtures(module_state *state, crd_normal_mixture **mixtures, size_t count) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < count; i++) {
        if (list == NULL) {
            crd_normal_mixture_destroy(mixtures[i]);
            continue;
        }
        PyObject *mixture = mixture_wrap(state, mixtures[i]);
        if (append_item(list, mixture) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *network_mixtures(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    question q;
    if (read_question(state, arguments, &q) < 0) return NULL;
    PyObject *list = NULL;
    crd_normal_mixture **mixtures = PyMem_Calloc(q.count + 1, sizeof(crd_normal_mixture *));
    if (mixtures == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    const crd_network_query request = request_of(&q);
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_network_mixtures(q.network->network, &request, mixtures, &q.result, &call.error);
    if (call_end(&call, status) == 0) list = list_of_mixtures(state, mixtures, q.count);
    else
        for (size_t i = 0; i < q.count && status == CRD_OK; i++) crd_normal_mixture_destroy(mixtures[i]);
done:
    PyMem_Free(mixtures);
    question_free(&q);
    return list == NULL ? NULL : Py_BuildValue("NN", list, inference_record(&q.result));
}

static PyObject *network_moments(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    question q;
    if (read_question(state, arguments, &q) < 0) return NULL;
    PyObject *means = room_for_numbers(q.count), *covariance = room_for_numbers(q.count * q.count);
    if (means == NULL || covariance == NULL) goto fail;
    double *means_to = (double *)(void *)PyByteArray_AsString(means),
           *covariance_to = (double *)(void *)PyByteArray_AsString(covariance);
    const crd_network_query request = request_of(&q);
    core_call call;
    call_begin(&call, state);
    crd_status status =
        crd_network_moments(q.network->network, &request, means_to, covariance_to, &q.result, &call.error);
    if (call_end(&call, status) < 0) goto fail;
    question_free(&q);
    return Py_BuildValue("NNN", means, covariance, inference_record(&q.result));
fail:
    Py_XDECREF(means);
    Py_XDECREF(covariance);
    question_free(&q);
    return NULL;
}

/* Returns the most probable states. If nodes is None, it covers all nodes without a finding, and the result has the
 * state of every node. */
static PyObject *network_most_probable(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    question q;
    double log_probability = 0;
    if (read_question(state, arguments, &q) < 0) return NULL;
    PyObject *result = NULL;
    size_t count = q.nodes == NULL ? crd_network_node_count(q.network->network) : q.count;
    size_t *states = PyMem_Calloc(count + 1, sizeof *states);
    if (states == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    const crd_network_query request = request_of(&q);
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_network_mpe(q.network->network, &request, states, &log_probability, &q.result, &call.error);
    if (call_end(&call, status) == 0)
        result = Py_BuildValue("NdN", list_of_nodes(states, count), log_probability, inference_record(&q.result));
done:
    PyMem_Free(states);
    question_free(&q);
    return result;
}

/* network_intervene(network, findings) */
static PyObject *network_intervene(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network, *findings;
    evidence actions = {0};
    crd_network *changed = NULL;
    crd_error error;
    if (!PyArg_ParseTuple(arguments, "OO", &network, &findings) ||
        !check_type(state, network, CORE_NETWORK, "network") ||
        evidence_of(((network_object *)network)->network, findings, &actions) < 0)
        return NULL;
    if (crd_network_intervene(((network_object *)network)->network, actions.items, actions.count, &changed, &error) !=
        CRD_OK)
        raise_error(state, &error);
    evidence_free(&actions);
    return changed == NULL ? NULL : network_wrap(state, changed);
}

PyMethodDef network_inference_functions[] = {
    {"network_intervene", network_intervene, METH_VARARGS, "network_intervene(network, findings) -> Network"},
    {"network_posteriors", network_posteriors, METH_VARARGS,
     "network_posteriors(network, findings, nodes, options) -> tuple[bytearray, bytearray, dict]"},
    {"network_joint", network_joint, METH_VARARGS,
     "network_joint(network, findings, nodes, options) -> tuple[bytearray, bytearray, dict]"},
    {"network_mixtures", network_mixtures, METH_VARARGS,
     "network_mixtures(network, findings, nodes, options) -> tuple[list[NormalMixture], dict]"},
    {"network_moments", network_moments, METH_VARARGS,
     "network_moments(network, findings, nodes, options) -> tuple[bytearray, bytearray, dict]"},
    {"network_most_probable", network_most_probable, METH_VARARGS,
     "network_most_probable(network, findings, nodes, options) -> tuple[list[int], float, dict]"},
    {NULL, NULL, 0, NULL},
};
