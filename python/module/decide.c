/* SPDX-License-Identifier: MIT */
/* decide.c - Rule: decisions by expected cost, the reject option, or a threshold. */
#include "module.h"

static void rule_dealloc(PyObject *object) {
    crd_rule_destroy(((rule_object *)object)->rule);
    free_object(object);
}

/* Wraps a rule that a fast library call has created. Returns NULL with an exception if the call failed. */
static PyObject *rule_wrap(module_state *state, crd_status status, crd_rule *rule, const crd_error *error) {
    rule_object *self = NULL;
    if (status != CRD_OK) raise_error(state, error);
    else self = new_object(state, CORE_RULE);
    if (self == NULL) crd_rule_destroy(rule);
    else self->rule = rule;
    return (PyObject *)self;
}

PyObject *rule_actions(const crd_rule *rule) {
    PyObject *actions = PyList_New((Py_ssize_t)rule->action_count);
    for (size_t a = 0; actions != NULL && a < rule->action_count; a++) {
        PyObject *name = str_of(rule->actions[a]);
        if (name == NULL || PyList_SetItem(actions, (Py_ssize_t)a, name) < 0) Py_CLEAR(actions);
    }
    return actions;
}

/* make_cost_rule(classes, rows, actions, costs): costs is a buffer of float64 with one row for each item of `rows`. */
static PyObject *make_cost_rule(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *given[3], *owners[3] = {NULL, NULL, NULL}, *costs, *result = NULL;
    crd_text *texts[3] = {NULL, NULL, NULL};
    size_t counts[3];
    static const char *const names[3] = {"classes", "rows", "actions"};
    Py_buffer buffer = {0};
    if (!PyArg_ParseTuple(arguments, "OOOO", &given[0], &given[1], &given[2], &costs)) return NULL;
    if (buffer_of(costs, "costs", "d", false, false, &buffer) < 0) return NULL;
    for (int i = 0; i < 3; i++)
        if (texts_of(given[i], names[i], &texts[i], &counts[i], &owners[i]) < 0) goto done;
    if ((size_t)buffer.len != counts[1] * counts[2] * sizeof(double)) {
        PyErr_Format(PyExc_ValueError, "costs: expected %zu rows of %zu", counts[1], counts[2]);
        goto done;
    }
    crd_cost_table table = CRD_COST_TABLE_INIT;
    table.rows = texts[1];
    table.row_count = counts[1];
    table.actions = texts[2];
    table.action_count = counts[2];
    table.costs = buffer.buf;
    crd_rule *rule = NULL;
    crd_error error;
    crd_status status = crd_rule_create_costs(state->context, texts[0], counts[0], &table, &rule, &error);
    result = rule_wrap(state, status, rule, &error);
done:
    for (int i = 0; i < 3; i++) {
        PyMem_Free(texts[i]);
        Py_XDECREF(owners[i]);
    }
    PyBuffer_Release(&buffer);
    return result;
}

/* read_cost_rule(classes, path) */
static PyObject *read_cost_rule(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *given, *path_argument, *owner, *result = NULL;
    crd_text *classes;
    size_t count;
    if (!PyArg_ParseTuple(arguments, "OO", &given, &path_argument)) return NULL;
    PyObject *path = path_of(path_argument);
    if (path == NULL) return NULL;
    if (texts_of(given, "classes", &classes, &count, &owner) == 0) {
        crd_rule *rule = NULL;
        core_call call;
        call_begin(&call, state);
        crd_status status =
            crd_rule_read_costs(state->context, PyBytes_AsString(path), classes, count, &rule, &call.error);
        if (call_end(&call, status) < 0) crd_rule_destroy(rule);
        else result = rule_wrap(state, CRD_OK, rule, NULL);
        PyMem_Free(classes);
        Py_DECREF(owner);
    }
    Py_DECREF(path);
    return result;
}

/* make_reject_rule(classes, least, unsure) */
static PyObject *make_reject_rule(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *given, *owner, *word;
    crd_text *classes, unsure;
    size_t count;
    double least;
    if (!PyArg_ParseTuple(arguments, "OdO", &given, &least, &word) || text_of(word, "unsure", false, &unsure) < 0 ||
        texts_of(given, "classes", &classes, &count, &owner) < 0)
        return NULL;
    crd_rule *rule = NULL;
    crd_error error;
    crd_status status = crd_rule_create_reject(state->context, classes, count, least, unsure, &rule, &error);
    PyMem_Free(classes);
    Py_DECREF(owner);
    return rule_wrap(state, status, rule, &error);
}

/* make_threshold_rule(classes, positive, least) */
static PyObject *make_threshold_rule(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *given, *owner;
    crd_text *classes;
    size_t count;
    Py_ssize_t positive;
    double least;
    if (!PyArg_ParseTuple(arguments, "Ond", &given, &positive, &least) ||
        texts_of(given, "classes", &classes, &count, &owner) < 0)
        return NULL;
    crd_rule *rule = NULL;
    crd_error error;
    crd_status status =
        crd_rule_create_threshold(state->context, classes, count, (size_t)positive, least, &rule, &error);
    PyMem_Free(classes);
    Py_DECREF(owner);
    return rule_wrap(state, status, rule, &error);
}

static PyObject *actions_method(PyObject *object, PyObject *unused) {
    (void)unused;
    return rule_actions(((rule_object *)object)->rule);
}

/* curve_costs(positive): the costs of the outcomes of a threshold, or None if the rule does not have costs for two classes. */
static PyObject *rule_curve_costs(PyObject *object, PyObject *argument) {
    const size_t positive = PyLong_AsSize_t(argument);
    crd_curve_costs costs = CRD_CURVE_COSTS_INIT;
    if (PyErr_Occurred() != NULL) return NULL;
    if (crd_rule_curve_costs(((rule_object *)object)->rule, positive, &costs, NULL) != CRD_OK) Py_RETURN_NONE;
    return Py_BuildValue("dddd", costs.true_positive, costs.false_positive, costs.false_negative, costs.true_negative);
}

static void decide_rows(const crd_rule *rule, const double *logs, const double *probabilities, size_t rows,
                        int32_t *actions, double *costs) {
    const size_t classes = rule->class_count;
    for (size_t row = 0; row < rows; row++) {
        crd_decision decision = CRD_DECISION_INIT;
        if (probabilities == NULL) crd_rule_decide(rule, logs + row * classes, NULL, &decision);
        else crd_rule_decide_probabilities(rule, logs + row * classes, probabilities + row * classes, NULL, &decision);
        actions[row] = decision.action;
        costs[row] = decision.expected_cost;
    }
}

/* decide(log_posteriors, probabilities, actions, expected_costs): the first two have one row per item of the others; probabilities can be
 * None. Writes the number of the chosen action, or -1 for none, into actions, and its expected cost into expected_costs. */
static PyObject *rule_decide(PyObject *object, PyObject *arguments) {
    const crd_rule *rule = ((rule_object *)object)->rule;
    static const char *const names[4] = {"log_posteriors", "probabilities", "actions", "expected_costs"};
    static const char *const formats[4] = {"d", "d", "i", "d"};
    PyObject *given[4], *result = NULL;
    Py_buffer buffers[4];
    int taken = 0;
    if (!PyArg_ParseTuple(arguments, "OOOO", &given[0], &given[1], &given[2], &given[3])) return NULL;
    const bool has_probabilities = given[1] != Py_None;
    for (; taken < 4; taken++) {
        if (taken == 1 && !has_probabilities) continue;
        if (buffer_of(given[taken], names[taken], formats[taken], taken > 1, false, &buffers[taken]) < 0) goto done;
    }
    const size_t rows = (size_t)(buffers[2].len / buffers[2].itemsize);
    const size_t posterior_bytes = rows * rule->class_count * sizeof(double);
    if ((size_t)buffers[0].len != posterior_bytes || (has_probabilities && (size_t)buffers[1].len != posterior_bytes) ||
        (size_t)buffers[3].len != rows * sizeof(double)) {
        PyErr_SetString(PyExc_ValueError, "posteriors, actions and costs: the numbers of rows differ");
        goto done;
    }
    PyThreadState *thread = PyEval_SaveThread();
    decide_rows(rule, buffers[0].buf, has_probabilities ? buffers[1].buf : NULL, rows, buffers[2].buf, buffers[3].buf);
    PyEval_RestoreThread(thread);
    result = Py_NewRef(Py_None);
done:
    for (int i = 0; i < taken; i++)
        if (i != 1 || has_probabilities) PyBuffer_Release(&buffers[i]);
    return result;
}

static PyMethodDef methods[] = {
    {"actions", actions_method, METH_NOARGS, "actions() -> list[str]"},
    {"curve_costs", rule_curve_costs, METH_O, "curve_costs(positive) -> tuple[float, float, float, float] | None"},
    {"decide", rule_decide, METH_VARARGS, "decide(log_posteriors, probabilities, actions, expected_costs)"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef decide_functions[] = {
    {"make_cost_rule", make_cost_rule, METH_VARARGS, "make_cost_rule(classes, rows, actions, costs) -> Rule"},
    {"read_cost_rule", read_cost_rule, METH_VARARGS, "read_cost_rule(classes, path) -> Rule"},
    {"make_reject_rule", make_reject_rule, METH_VARARGS, "make_reject_rule(classes, least, unsure) -> Rule"},
    {"make_threshold_rule", make_threshold_rule, METH_VARARGS, "make_threshold_rule(classes, positive, least) -> Rule"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(decide, CORE_RULE, "Rule", rule_object, rule_dealloc, methods,
          "A decision rule; immutable. Created by make_cost_rule() and others.");
