/* SPDX-License-Identifier: MIT */
/* fit.c - the course of a fit by EM, as a dict with the names of the command's JSON. */
#include "module.h"

static PyObject *fit_starts(const crd_fit *fit, size_t count) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++)
        if (append_item(list, PyFloat_FromDouble(crd_fit_start(fit, i))) < 0) Py_CLEAR(list);
    return list;
}

static PyObject *fit_steps(const crd_fit *fit, size_t count) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++)
        if (append_item(list,
                        Py_BuildValue("{s:n,s:d,s:d}", "step", (Py_ssize_t)i, "log_likelihood",
                                      crd_fit_log_likelihood(fit, i), "log_posterior", crd_fit_objective(fit, i))) < 0)
            Py_CLEAR(list);
    return list;
}

static PyObject *fit_choices(const crd_fit *fit, const crd_fit_facts *facts, const char *components) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < facts->choice_count; i++) {
        crd_fit_choice choice = CRD_FIT_CHOICE_INIT;
        crd_fit_choice_at(fit, i, &choice);
        PyObject *row = Py_BuildValue("{s:n,s:n,s:d,s:d,s:d,s:N,s:N}", "tried", (Py_ssize_t)choice.tried, components,
                                      (Py_ssize_t)choice.components, "log_likelihood", choice.log_likelihood,
                                      "parameters", choice.parameters, "bic", choice.bic, "held_out",
                                      number_of(choice.held_out), "chosen", PyBool_FromLong(i == facts->chosen));
        if (append_item(list, row) < 0) Py_CLEAR(list);
    }
    return list;
}

/* Adds what is known of the rows and of a number of components that was chosen. */
static int put_components(PyObject *dict, const crd_fit *fit, const crd_fit_facts *facts, const char *components) {
    const struct {
        const char *key;
        double count;
    } counts[] = {{components, (double)facts->components},
                  {"empty", (double)facts->empty},
                  {"distinct_rows", facts->distinct_rows},
                  {"labeled", facts->labeled},
                  {"starts_at_best", (double)facts->starts_at_best}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (put(dict, counts[i].key, PyLong_FromDouble(counts[i].count)) < 0) return -1;
    if (put(dict, "rows", PyFloat_FromDouble(facts->rows)) < 0) return -1;
    return put(dict, "choices", fit_choices(fit, facts, components));
}

PyObject *fit_record(const crd_fit *fit, const char *components) {
    crd_fit_facts facts = CRD_FIT_FACTS_INIT;
    crd_fit_describe(fit, &facts);
    PyObject *dict = Py_BuildValue("{s:N,s:N,s:n,s:N,s:N,s:n,s:n,s:N,s:N}", "converged",
                                   PyBool_FromLong(facts.is_converged), "stopped", PyBool_FromLong(facts.is_stopped),
                                   "iterations", (Py_ssize_t)(facts.step_count > 0 ? facts.step_count - 1 : 0),
                                   "log_likelihood", number_of(crd_fit_log_likelihood(fit, facts.best_step)),
                                   "log_posterior", number_of(crd_fit_objective(fit, facts.best_step)), "best_start",
                                   (Py_ssize_t)facts.best_start, "best_step", (Py_ssize_t)facts.best_step, "starts",
                                   fit_starts(fit, facts.start_count), "steps", fit_steps(fit, facts.step_count));
    if (dict != NULL && components != NULL && put_components(dict, fit, &facts, components) < 0) Py_CLEAR(dict);
    return dict;
}
