/* SPDX-License-Identifier: MIT */
/* network_reasons.c - evidence analysis, optimal decisions, and event probabilities of networks. */
#include "network_object.h"

static PyObject *path_of_nodes(const size_t *path, size_t length) {
    if (path == NULL) Py_RETURN_NONE;
    return list_of_nodes(path, length);
}

/* ---- Evidence analysis ---- */

/* Returns the results for finding i; None for a premise. */
static PyObject *finding_record(const crd_evidence_analysis *reasons, size_t i, size_t states, size_t state) {
    if (reasons->findings[i].is_premise) Py_RETURN_NONE;
    size_t length;
    const size_t *path = reasons->findings[i].path;
    length = reasons->findings[i].path_length;
    return Py_BuildValue("{s:N,s:N,s:d,s:d,s:N}", "alone", tuple_of_numbers(reasons->findings[i].alone, states),
                         "without", tuple_of_numbers(reasons->findings[i].without, states), "weight",
                         crd_evidence_analysis_weight(reasons, i, state), "information",
                         reasons->findings[i].information, "path", path_of_nodes(path, length));
}

static PyObject *findings_record(const crd_evidence_analysis *reasons, size_t count, size_t states, size_t state) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++)
        if (append_item(list, finding_record(reasons, i, states, state)) < 0) Py_CLEAR(list);
    return list;
}

/* Returns the effect of finding k on finding i for a state; None if there is no effect. */
static PyObject *pair_record(const crd_evidence_analysis *reasons, size_t i, size_t k, size_t states, size_t state) {
    static const char *const words[] = {[CRD_INTERACTION_EXPLAINS_AWAY] = "explains away",
                                        [CRD_INTERACTION_SCREENS_OFF] = "screens off",
                                        [CRD_INTERACTION_OPENS] = "opens"};
    crd_interaction interplay = crd_evidence_analysis_interplay(reasons, i, k, &state);
    if (interplay == CRD_INTERACTION_NONE) Py_RETURN_NONE;
    size_t length = 0;
    const size_t *path = NULL;
    if (interplay == CRD_INTERACTION_EXPLAINS_AWAY) path = crd_evidence_analysis_meeting(reasons, i, k, &length);
    const double *without = crd_evidence_analysis_without_both(reasons, i, k);
    return Py_BuildValue("{s:n,s:s,s:n,s:N,s:n,s:N}", "finding", (Py_ssize_t)k, "does", words[interplay], "to",
                         (Py_ssize_t)i, "without_both",
                         without == NULL ? Py_NewRef(Py_None) : tuple_of_numbers(without, states), "of",
                         (Py_ssize_t)state, "path", path_of_nodes(path, length));
}

static PyObject *interplay_record(const crd_evidence_analysis *reasons, size_t count, size_t states, size_t state) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; list != NULL && k < count; k++) {
            PyObject *pair = pair_record(reasons, i, k, states, state);
            if (pair == NULL || (pair != Py_None && PyList_Append(list, pair) < 0)) Py_CLEAR(list);
            Py_XDECREF(pair);
        }
    return list;
}

static PyObject *analysis_record(const crd_evidence_analysis *reasons, size_t count, size_t states,
                                 Py_ssize_t state_index) {
    size_t state = state_index >= 0 && (size_t)state_index < states ? (size_t)state_index : reasons->state,
           most = reasons->most;
    return Py_BuildValue("{s:n,s:N,s:N,s:d,s:N,s:N,s:N,s:i,s:N}", "state", (Py_ssize_t)state, "before",
                         tuple_of_numbers(reasons->before, states), "posterior",
                         tuple_of_numbers(reasons->after, states), "log_evidence", reasons->log_evidence, "findings",
                         findings_record(reasons, count, states, state), "moved_most",
                         most == CRD_NONE ? Py_NewRef(Py_None) : PyLong_FromSize_t(most), "interplay",
                         interplay_record(reasons, count, states, state), "approximation", (int)reasons->approximation,
                         "largest_standard_error", number_of(reasons->error));
}

/* network_analysis(network, findings, node, state, options): if state is below zero, the analysis chooses it. */
static PyObject *network_analysis(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network_argument, *findings, *node_argument, *options_argument, *result = NULL;
    Py_ssize_t state_index;
    size_t node;
    evidence known;
    crd_inference_options options;
    if (!PyArg_ParseTuple(arguments, "OOOnO", &network_argument, &findings, &node_argument, &state_index,
                          &options_argument) ||
        !check_type(state, network_argument, CORE_NETWORK, "network"))
        return NULL;
    const crd_network *network = ((network_object *)network_argument)->network;
    if (node_of(network, node_argument, "node", &node) < 0 || inference_options_of(options_argument, &options) < 0 ||
        evidence_of(network, findings, &known) < 0)
        return NULL;
    crd_evidence_analysis *reasons = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status =
        crd_evidence_analysis_create(network, known.items, known.count, node, &options, &reasons, &call.error);
    if (call_end(&call, status) == 0)
        result = analysis_record(reasons, known.count, crd_network_state_count(network, node), state_index);
    crd_evidence_analysis_destroy(reasons);
    evidence_free(&known);
    return result;
}

/* ---- Decisions ---- */

static PyObject *known_nodes(const crd_policy_decision *decision) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < decision->known_count; k++)
        if (append_item(list, PyLong_FromSize_t(decision->known[k])) < 0) Py_CLEAR(list);
    return list;
}

/* Returns a list of (combination, choice, utilities) for the combinations that are possible. */
static PyObject *choices_of(const crd_policy_decision *decision) {
    PyObject *list = PyList_New(0);
    for (size_t c = 0; list != NULL && c < decision->combinations; c++) {
        size_t choice = decision->choices[c];
        if (choice == CRD_NONE) continue;
        PyObject *utilities =
            tuple_of_numbers(decision->utilities + c * decision->choice_count, decision->choice_count);
        PyObject *item = utilities == NULL ? NULL : Py_BuildValue("nnN", (Py_ssize_t)c, (Py_ssize_t)choice, utilities);
        if (append_item(list, item) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *policy_record(const crd_policy *policy) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < policy->decision_count; i++) {
        const crd_policy_decision *decision = &policy->decisions[i];
        PyObject *known = known_nodes(decision), *choices = known == NULL ? NULL : choices_of(decision);
        if (choices == NULL) {
            Py_XDECREF(known);
            Py_CLEAR(list);
        } else if (append_item(list, Py_BuildValue("nNN", (Py_ssize_t)decision->node, known, choices)) < 0) {
            Py_CLEAR(list);
        }
    }
    return list == NULL ? NULL : Py_BuildValue("ddN", policy->utility, policy->log_evidence, list);
}

/* network_policy(network, findings, observed, options): the expected utility, the log evidence, and (decision, known nodes, choices) for
 * each decision. */
static PyObject *network_policy(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network_argument, *findings, *observed_argument, *options_argument, *result = NULL;
    size_t *observed = NULL, observed_count = 0;
    evidence known;
    crd_inference_options options;
    if (!PyArg_ParseTuple(arguments, "OOOO", &network_argument, &findings, &observed_argument, &options_argument) ||
        !check_type(state, network_argument, CORE_NETWORK, "network"))
        return NULL;
    const crd_network *network = ((network_object *)network_argument)->network;
    if (inference_options_of(options_argument, &options) < 0 || evidence_of(network, findings, &known) < 0) return NULL;
    if (nodes_of(network, observed_argument, "observe", &observed, &observed_count) == 0) {
        crd_policy *policy = NULL;
        core_call call;
        call_begin(&call, state);
        crd_status status = crd_policy_create(network, known.items, known.count, observed, observed_count, &options,
                                              &policy, &call.error);
        if (call_end(&call, status) == 0) result = policy_record(policy);
        crd_policy_destroy(policy);
    }
    PyMem_Free(observed);
    evidence_free(&known);
    return result;
}

/* ---- Events ---- */

static crd_event *parse_event(module_state *state, const crd_network *network, crd_text text) {
    size_t count = crd_network_node_count(network);
    crd_event *event = NULL;
    crd_error error;
    crd_text *names = PyMem_Calloc(count + 1, sizeof *names);
    if (names == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (size_t i = 0; i < count; i++) names[i] = crd_network_node_name(network, i);
    if (crd_event_parse(state->context, text, names, count, &event, &error) != CRD_OK) raise_error(state, &error);
    PyMem_Free(names);
    return event;
}

/* network_event(network, findings, text, options): the probabilities that the event occurs and does not occur, the standard error, and the
 * record of the inference result. */
static PyObject *network_event(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network_argument, *findings, *text_argument, *options_argument, *result = NULL;
    crd_inference_result inference = CRD_INFERENCE_RESULT_INIT;
    double probabilities[2], deviation;
    crd_text text;
    evidence known;
    crd_inference_options options;
    if (!PyArg_ParseTuple(arguments, "OOOO", &network_argument, &findings, &text_argument, &options_argument) ||
        !check_type(state, network_argument, CORE_NETWORK, "network") ||
        text_of(text_argument, "event", false, &text) < 0)
        return NULL;
    const crd_network *network = ((network_object *)network_argument)->network;
    if (inference_options_of(options_argument, &options) < 0 || evidence_of(network, findings, &known) < 0) return NULL;
    crd_event *event = parse_event(state, network, text);
    if (event != NULL) {
        core_call call;
        call_begin(&call, state);
        crd_status status = crd_network_event(network, known.items, known.count, event, &options, probabilities,
                                              &deviation, &inference, &call.error);
        if (call_end(&call, status) == 0)
            result = Py_BuildValue("dddN", probabilities[0], probabilities[1], deviation, inference_record(&inference));
        crd_event_destroy(event);
    }
    evidence_free(&known);
    return result;
}

PyMethodDef network_reasons_functions[] = {
    {"network_analysis", network_analysis, METH_VARARGS,
     "network_analysis(network, findings, node, state, options) -> dict"},
    {"network_policy", network_policy, METH_VARARGS,
     "network_policy(network, findings, observed, options) -> tuple[float, float, list]"},
    {"network_event", network_event, METH_VARARGS,
     "network_event(network, findings, event, options) -> tuple[float, float, float, dict]"},
    {NULL, NULL, 0, NULL},
};
