/* SPDX-License-Identifier: MIT */
/* bayes.c - applies Bayes' rule to plain numbers: reads statements and observations, and returns the posterior. */
#include "module.h"

#include <string.h>

/* ---- Statements ---- */

static crd_status state_prior(crd_bayes *bayes, const crd_text *names, double p, crd_error *error) {
    return crd_bayes_prior(bayes, names[0], p, error);
}

static crd_status state_likelihood(crd_bayes *bayes, const crd_text *names, double p, crd_error *error) {
    return crd_bayes_likelihood(bayes, names[0], names[1], p, error);
}

static crd_status state_observed(crd_bayes *bayes, const crd_text *names, double p, crd_error *error) {
    (void)p;
    return crd_bayes_outcome(bayes, names[0], error);
}

static crd_status state_answer(crd_bayes *bayes, const crd_text *names, double p, crd_error *error) {
    (void)p;
    return crd_bayes_hypothesis_answer(bayes, names[0], names[1], error);
}

static const struct {
    const char *name;
    Py_ssize_t names; /* number of names after the statement's own name */
    bool has_number;  /* whether a probability comes after the names */
    crd_status (*state)(crd_bayes *bayes, const crd_text *names, double p, crd_error *error);
} statements[] = {
    {"prior", 1, true, state_prior},
    {"likelihood", 2, true, state_likelihood},
    {"observed", 1, false, state_observed},
    {"predicts", 2, false, state_answer},
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

/* Adds one statement, a tuple: the name of the statement, other names, and a probability if the statement has one. */
static int state_one(module_state *state, crd_bayes *bayes, PyObject *item) {
    PyObject *parts[3] = {NULL, NULL, NULL};
    const char *kind;
    crd_text names[2] = {{NULL, 0}, {NULL, 0}};
    double p = 0;
    crd_error error;
    size_t which = 0;
    if (!PyArg_ParseTuple(item, "s|OOO", &kind, &parts[0], &parts[1], &parts[2])) return -1;
    while (which < STATEMENTS && strcmp(statements[which].name, kind) != 0) which++;
    Py_ssize_t length = which == STATEMENTS ? -1 : 1 + statements[which].names + statements[which].has_number;
    if (PyTuple_Size(item) != length) {
        PyErr_Format(PyExc_ValueError, "not a statement: %R", item);
        return -1;
    }
    for (Py_ssize_t i = 0; i < statements[which].names; i++)
        if (text_of(parts[i], kind, false, &names[i]) < 0) return -1;
    if (statements[which].has_number) p = PyFloat_AsDouble(parts[statements[which].names]);
    if (PyErr_Occurred()) return -1;
    if (statements[which].state(bayes, names, p, &error) == CRD_OK) return 0;
    raise_error(state, &error);
    return -1;
}

static bool is_observed(PyObject *item) {
    return PyUnicode_CompareWithASCIIString(PyTuple_GetItem(item, 0), "observed") == 0;
}

/* ---- Results ---- */

/* Returns a dict with one number for each hypothesis, by name. */
static PyObject *by_hypothesis(const crd_bayes *bayes, const double *values) {
    PyObject *dict = PyDict_New();
    for (size_t h = 0; dict != NULL && h < bayes->hypothesis_count; h++) {
        PyObject *name = str_of(bayes->hypotheses[h]), *value = PyFloat_FromDouble(values[h]);
        if (name == NULL || value == NULL || PyDict_SetItem(dict, name, value) < 0) Py_CLEAR(dict);
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    return dict;
}

static size_t outcome_index(const crd_bayes *bayes, crd_text name) {
    size_t o = 0;
    while (!crd_text_equal(bayes->outcomes[o], name)) o++;
    return o;
}

/* Observes one outcome. The record has the prior weight, the likelihood, their product and the posterior weight of each hypothesis. */
static PyObject *observe(module_state *state, crd_bayes *bayes, PyObject *item, double *buffer) {
    size_t count = bayes->hypothesis_count;
    double *before = buffer, *joint = buffer + count, evidence = 0;
    crd_text outcome;
    crd_error error;
    if (text_of(item, "observed", false, &outcome) < 0) return NULL;
    for (size_t h = 0; h < count; h++) before[h] = bayes->posterior[h];
    if (crd_bayes_observe(bayes, outcome, joint, &evidence, &error) != CRD_OK) {
        raise_error(state, &error);
        return NULL;
    }
    size_t index = outcome_index(bayes, outcome);
    PyObject *step = Py_BuildValue("{s:O,s:d,s:[]}", "outcome", item, "evidence", evidence, "hypotheses");
    PyObject *rows = step == NULL ? NULL : PyDict_GetItemString(step, "hypotheses");
    for (size_t h = 0; rows != NULL && h < count; h++) {
        PyObject *row = Py_BuildValue("{s:N,s:d,s:d,s:d,s:d}", "hypothesis", str_of(bayes->hypotheses[h]), "before",
                                      before[h], "likelihood", bayes->likelihood[index * bayes->hypothesis_count + h],
                                      "joint", joint[h], "posterior", bayes->posterior[h]);
        if (row == NULL || PyList_Append(rows, row) < 0) {
            Py_CLEAR(step);
            rows = NULL;
        }
        Py_XDECREF(row);
    }
    return step;
}

static PyObject *observe_all(module_state *state, crd_bayes *bayes, PyObject *stated) {
    double *buffer = PyMem_Calloc(2 * bayes->hypothesis_count + 1, sizeof *buffer);
    PyObject *steps = buffer == NULL ? PyErr_NoMemory() : PyList_New(0);
    for (Py_ssize_t i = 0; steps != NULL && i < PyList_Size(stated); i++) {
        PyObject *item = PyList_GetItem(stated, i);
        if (!is_observed(item)) continue;
        PyObject *step = observe(state, bayes, PyTuple_GetItem(item, 1), buffer);
        if (append_item(steps, step) < 0) Py_CLEAR(steps);
    }
    PyMem_Free(buffer);
    return steps;
}

static PyObject *answers_of(const crd_bayes *bayes) {
    PyObject *dict = PyDict_New();
    for (size_t a = 0; dict != NULL && a < bayes->answer_count; a++) {
        PyObject *name = str_of(bayes->answers[a]), *weight = PyFloat_FromDouble(crd_bayes_answer_weight(bayes, a));
        if (name == NULL || weight == NULL || PyDict_SetItem(dict, name, weight) < 0) Py_CLEAR(dict);
        Py_XDECREF(name);
        Py_XDECREF(weight);
    }
    return dict;
}

/* Returns the defaults that were filled in: names of hypotheses without a prior, and pairs of outcome and hypothesis without a likelihood. */
static PyObject *inferred_of(const crd_bayes *bayes) {
    PyObject *priors = PyList_New(0), *likelihoods = PyList_New(0);
    for (size_t h = 0; priors != NULL && likelihoods != NULL && h < bayes->hypothesis_count; h++) {
        PyObject *name = str_of(bayes->hypotheses[h]);
        if (name == NULL || (bayes->prior_inferred[h] && PyList_Append(priors, name) < 0)) Py_CLEAR(priors);
        for (size_t o = 0; priors != NULL && likelihoods != NULL && o < bayes->outcome_count; o++) {
            if (!bayes->likelihood_inferred[o * bayes->hypothesis_count + h]) continue;
            PyObject *pair = Py_BuildValue("NO", str_of(bayes->outcomes[o]), name);
            if (append_item(likelihoods, pair) < 0) Py_CLEAR(likelihoods);
        }
        Py_XDECREF(name);
    }
    if (priors != NULL && likelihoods != NULL)
        return Py_BuildValue("{s:N,s:N}", "prior", priors, "likelihood", likelihoods);
    Py_XDECREF(priors);
    Py_XDECREF(likelihoods);
    return NULL;
}

static PyObject *outcomes_of(const crd_bayes *bayes) {
    PyObject *names = PyList_New(0);
    for (size_t o = 0; names != NULL && o < bayes->outcome_count; o++) {
        PyObject *name = str_of(bayes->outcomes[o]);
        if (append_item(names, name) < 0) Py_CLEAR(names);
    }
    return names;
}

/* Adds the choices of the decision rules, after the posterior. */
static int put_choices(PyObject *record, const crd_bayes *bayes, bool is_observed, double accuracy) {
    size_t tied = 0, chosen = crd_bayes_map(bayes, &tied);
    PyObject *ties = PyDict_New();
    if (ties == NULL || put(record, "map", str_of(bayes->hypotheses[chosen])) < 0 ||
        put(ties, "map", PyLong_FromSize_t(tied)) < 0)
        goto fail;
    if (is_observed) {
        chosen = crd_bayes_ml(bayes, &tied);
        if (put(record, "ml", str_of(bayes->hypotheses[chosen])) < 0 || put(ties, "ml", PyLong_FromSize_t(tied)) < 0)
            goto fail;
    }
    if (accuracy == accuracy && put(record, "best_accuracy", PyFloat_FromDouble(accuracy)) < 0) goto fail;
    if (bayes->answer_count > 0) {
        chosen = crd_bayes_optimal(bayes, &tied);
        if (put(record, "optimal", str_of(bayes->answers[chosen])) < 0 || put(record, "gibbs", answers_of(bayes)) < 0 ||
            put(ties, "optimal", PyLong_FromSize_t(tied)) < 0)
            goto fail;
    }
    return put(record, "tied", ties);
fail:
    Py_XDECREF(ties);
    return -1;
}

static PyObject *solve(module_state *state, crd_bayes *bayes, PyObject *stated) {
    double accuracy = crd_bayes_accuracy(bayes);
    PyObject *record = PyDict_New();
    if (record == NULL || put(record, "prior", by_hypothesis(bayes, bayes->posterior)) < 0 ||
        put(record, "observations", observe_all(state, bayes, stated)) < 0 ||
        put(record, "posterior", by_hypothesis(bayes, bayes->posterior)) < 0 ||
        put(record, "log_evidence", PyFloat_FromDouble(bayes->log_evidence)) < 0 ||
        put_choices(record, bayes, PyList_Size(PyDict_GetItemString(record, "observations")) > 0, accuracy) < 0 ||
        put(record, "inferred", inferred_of(bayes)) < 0 || put(record, "outcomes", outcomes_of(bayes)) < 0)
        Py_CLEAR(record);
    return record;
}

static PyObject *apply_bayes_rule(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *stated, *record = NULL;
    if (!PyArg_ParseTuple(arguments, "O!", &PyList_Type, &stated)) return NULL;
    crd_bayes *bayes = NULL;
    crd_error error;
    if (crd_bayes_create(state->context, &bayes, &error) != CRD_OK) {
        raise_error(state, &error);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(stated); i++)
        if (state_one(state, bayes, PyList_GetItem(stated, i)) < 0) goto done;
    if (crd_bayes_finish(bayes, &error) == CRD_OK) record = solve(state, bayes, stated);
    else raise_error(state, &error);
done:
    crd_bayes_destroy(bayes);
    return record;
}

PyMethodDef bayes_functions[] = {
    {"apply_bayes_rule", apply_bayes_rule, METH_VARARGS,
     "apply_bayes_rule(statements) -> dict\n\nTuples: ('prior', hypothesis, p), ('likelihood', outcome, hypothesis, "
     "p), "
     "('observed', outcome), ('predicts', hypothesis, answer)."},
    {NULL, NULL, 0, NULL},
};
