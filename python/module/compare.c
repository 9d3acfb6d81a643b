/* SPDX-License-Identifier: MIT */
/* compare.c - compares methods and families on the same folds of the same rows. */
#include "module.h"

#include <math.h>
#include <string.h>

/* compare_candidates(): the names of all candidates, simplest first. */
static PyObject *compare_candidates(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *names = PyList_New(0);
    const char *name;
    for (size_t i = 0; names != NULL && (name = crd_comparison_candidate(i)) != NULL; i++) {
        PyObject *text = str_of_c(name);
        if (append_item(names, text) < 0) Py_CLEAR(names);
    }
    return names;
}

/* comparison_chooses(setting): whether the candidates set this setting. */
static PyObject *comparison_chooses(PyObject *module, PyObject *argument) {
    (void)module;
    crd_text name;
    if (text_of(argument, "setting", false, &name) < 0) return NULL;
    return PyBool_FromLong(crd_comparison_chooses(name.bytes));
}

/* ---- Results ---- */

static PyObject *settings_chosen(const crd_comparison *comparison, size_t candidate) {
    PyObject *record = PyDict_New();
    const char *name, *value;
    for (size_t i = 0; record != NULL && crd_comparison_setting(comparison, candidate, i, &name, &value) != 0; i++)
        if (put(record, name, str_of_c(value)) < 0) Py_CLEAR(record);
    return record;
}

static const char *status_name(crd_candidate_status status) {
    switch (status) {
    case CRD_CANDIDATE_PENDING: return "pending";
    case CRD_CANDIDATE_SCORED: return "scored";
    case CRD_CANDIDATE_TOO_LARGE: return "too_large";
    case CRD_CANDIDATE_OVER_BUDGET: return "over_budget";
    case CRD_CANDIDATE_FAILED: break;
    }
    return "failed";
}

static PyObject *candidate_record(const crd_comparison *comparison, size_t index) {
    crd_comparison_result result = CRD_COMPARISON_RESULT_INIT;
    crd_comparison_result_at(comparison, index, &result);
    PyObject *settings = settings_chosen(comparison, index);
    if (settings == NULL) return NULL;
    if (result.status != CRD_CANDIDATE_SCORED)
        result.accuracy = result.log_loss = result.log_loss_error = result.brier = result.auc = result.ece = NAN;
    return Py_BuildValue("{s:s,s:s,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "name", result.name, "status",
                         status_name(result.status), "message", str_of_c(result.message), "settings", settings,
                         "accuracy", number_of(result.accuracy), "log_loss", number_of(result.log_loss),
                         "log_loss_error", number_of(result.log_loss_error), "brier", number_of(result.brier), "auc",
                         number_of(result.auc), "ece", number_of(result.ece), "parameters",
                         number_of(result.parameters), "seconds", number_of(result.seconds));
}

static PyObject *candidate_list(const crd_comparison *comparison) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < crd_comparison_count(comparison); i++) {
        PyObject *record = candidate_record(comparison, i);
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *recommendation_record(const crd_comparison *comparison) {
    static const char *const reasons[] = {"", "best", "simpler", "first", "none"};
    crd_recommendation recommendation = CRD_RECOMMENDATION_INIT;
    crd_comparison_recommendation(comparison, &recommendation);
    return Py_BuildValue(
        "{s:s,s:n,s:n,s:N,s:N,s:K,s:K,s:N,s:N,s:n,s:N,s:N,s:d}", "reason", reasons[recommendation.reason], "candidate",
        (Py_ssize_t)recommendation.candidate, "best", (Py_ssize_t)recommendation.best, "difference",
        number_of(recommendation.difference), "difference_error", number_of(recommendation.difference_error), "rows",
        (unsigned long long)recommendation.rows, "left_out", (unsigned long long)recommendation.left_out, "baseline",
        number_of(recommendation.baseline_accuracy), "baseline_log_loss", number_of(recommendation.baseline_log_loss),
        "tried", (Py_ssize_t)recommendation.tried, "gain", number_of(recommendation.gain), "gain_error",
        number_of(recommendation.gain_error), "budget", recommendation.budget);
}

/* A library function that writes sentences about a selection. */
typedef crd_status sentences(const crd_selection *selection, char **out, crd_error *error);

static PyObject *sentences_of(module_state *state, const crd_selection *selection, sentences *write) {
    char *text = NULL;
    if (write(selection, &text, NULL) != CRD_OK) return PyErr_NoMemory();
    PyObject *result = str_of_c(text);
    crd_free(state->context, text);
    return result;
}

static PyObject *selected_candidate(const crd_selection *selection, size_t index) {
    const crd_selection_candidate *candidate = &selection->candidates[index];
    crd_comparison_result one = candidate->result;
    PyObject *settings = PyDict_New();
    for (size_t s = 0; settings != NULL && s < CRD_SELECTION_SETTINGS; s++)
        if (candidate->settings[s].name != NULL &&
            put(settings, candidate->settings[s].name, str_of_c(candidate->settings[s].value)) < 0)
            Py_CLEAR(settings);
    if (settings == NULL) return NULL;
    if (one.status != CRD_CANDIDATE_SCORED) one.accuracy = one.log_loss = one.log_loss_error = NAN;
    return Py_BuildValue("{s:s,s:s,s:N,s:N,s:N,s:N,s:s}", "name", one.name, "status", status_name(one.status),
                         "accuracy", number_of(one.accuracy), "log_loss", number_of(one.log_loss), "log_loss_error",
                         number_of(one.log_loss_error), "settings", settings, "message", one.message);
}

PyObject *selection_record(module_state *state, const crd_selection *selection) {
    static const char *const reasons[] = {"", "best", "simpler", "first", "none"};
    const crd_recommendation r = selection->recommendation;
    const crd_comparison_result chosen = selection->candidates[r.candidate].result;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < selection->count; i++) {
        PyObject *row = selected_candidate(selection, i);
        if (append_item(list, row) < 0) Py_CLEAR(list);
    }
    PyObject *why = sentences_of(state, selection, crd_selection_reason);
    PyObject *not_tried = sentences_of(state, selection, crd_selection_not_tried);
    if (list == NULL || why == NULL || not_tried == NULL) {
        Py_XDECREF(list);
        Py_XDECREF(why);
        Py_XDECREF(not_tried);
        return NULL;
    }
    return Py_BuildValue("{s:s,s:s,s:N,s:N,s:N,s:N,s:N,s:N,s:n,s:N,s:N,s:K}", "chosen", chosen.name, "reason",
                         reasons[r.reason], "why", why, "not_tried", not_tried, "log_loss", number_of(chosen.log_loss),
                         "baseline_log_loss", number_of(r.baseline_log_loss), "gain", number_of(r.gain), "gain_error",
                         number_of(r.gain_error), "tried", (Py_ssize_t)r.tried, "budget", number_of(r.budget),
                         "candidates", list, "rows", (unsigned long long)r.rows);
}

/* Returns the record of a comparison. It has the fold of each row, as a bytearray of int32 (-1: no fold), and the number of folds. */
static PyObject *comparison_record(module_state *state, const crd_comparison *comparison, crd_text target) {
    const crd_split *split = crd_comparison_split(comparison);
    const size_t rows = crd_split_rows(split);
    PyObject *candidates = candidate_list(comparison), *recommendation = recommendation_record(comparison);
    PyObject *folds = PyByteArray_FromStringAndSize(rows == 0 ? "" : (const char *)crd_split_learned(split),
                                                    (Py_ssize_t)(rows * sizeof(uint32_t)));
    const crd_selection *selection = crd_comparison_selection(comparison);
    PyObject *why = sentences_of(state, selection, crd_selection_reason);
    PyObject *not_tried = sentences_of(state, selection, crd_selection_not_tried);
    if (candidates == NULL || recommendation == NULL || folds == NULL || why == NULL || not_tried == NULL) {
        Py_XDECREF(why);
        Py_XDECREF(not_tried);
        Py_XDECREF(candidates);
        Py_XDECREF(recommendation);
        Py_XDECREF(folds);
        return NULL;
    }
    return Py_BuildValue("{s:N,s:N,s:N,s:n,s:N,s:N,s:N,s:N}", "target", str_of(target), "candidates", candidates,
                         "recommendation", recommendation, "fold_count", (Py_ssize_t)crd_split_fold_count(split),
                         "folds", folds, "why", why, "not_tried", not_tried, "target_checks",
                         target_checks(crd_comparison_summary(comparison)));
}

/* ---- The call ---- */

typedef struct progress {
    core_call *call;
    PyObject *function;
    const crd_comparison *comparison;
} progress;

/* Reports progress. It runs in the thread that made the call, without the GIL. */
static void report_candidate(void *user, const crd_comparison_progress *stage) {
    const progress *p = user;
    crd_comparison_result outcome = CRD_COMPARISON_RESULT_INIT;
    crd_comparison_result_at(p->comparison, stage->candidate, &outcome);
    PyEval_RestoreThread(p->call->thread);
    if (PyErr_Occurred() == NULL) {
        PyObject *result =
            PyObject_CallFunction(p->function, "snnd", outcome.name, (Py_ssize_t)stage->tried, (Py_ssize_t)stage->count,
                                  stage->done); /* an exception stays set, and stops the call */
        Py_XDECREF(result);
    }
    p->call->thread = PyEval_SaveThread();
}

/* compare_methods(reader, settings=None, candidates=None, folds=0, held_out=0, seed=1, column=-1, given=None, budget=1, threads=0,
 * progress=None): folds=0 chooses the number of folds from the rows. progress is called with name, index, count and the completed fraction. */
static PyObject *compare_methods(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"reader", "settings", "candidates", "folds",   "held_out", "seed",
                            "column", "given",    "budget",     "threads", "progress", NULL};
    module_state *state = state_of_module(module);
    PyObject *reader_argument, *settings_argument = Py_None, *chosen = Py_None, *given = Py_None, *function = Py_None;
    PyObject *owner = NULL, *result = NULL;
    unsigned folds = 0, held_out = 0, threads = 0;
    unsigned long long seed = 1;
    Py_ssize_t column = -1;
    double budget = 1;
    const crd_settings *settings;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOIIKnOdIO", names, &reader_argument, &settings_argument,
                                     &chosen, &folds, &held_out, &seed, &column, &given, &budget, &threads,
                                     &function) ||
        settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    crd_text *texts = NULL;
    size_t count = 0;
    Py_buffer buffer = {0};
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    split.folds = folds;
    split.held_out = held_out;
    split.seed = seed;
    if (column >= 0) split.column = (size_t)column;
    if (chosen != Py_None && texts_of(chosen, "methods", &texts, &count, &owner) < 0) return NULL;
    const char **candidates = PyMem_Malloc((count + 1) * sizeof *candidates);
    crd_reader *reader = NULL;
    if (candidates == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (size_t i = 0; i < count; i++) candidates[i] = texts[i].bytes == NULL ? "" : texts[i].bytes;
    if (given != Py_None) {
        if (buffer_of(given, "folds", "i", false, false, &buffer) < 0) goto done;
        split.given = buffer.buf;
        split.given_count = (size_t)(buffer.len / buffer.itemsize);
    }
    reader = reader_take(state, reader_argument);
    if (reader == NULL) goto done;
    core_call call;
    crd_row_source *source = NULL;
    crd_comparison *comparison = NULL;
    progress p = {&call, function, NULL};
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    options.settings = settings;
    options.split = &split;
    if (chosen != Py_None) {
        options.candidates = candidates;
        options.candidate_count = count;
    }
    options.budget = budget;
    options.threads = threads;
    if (function != Py_None) {
        options.progress = report_candidate;
        options.progress_user = &p;
    }
    call_begin(&call, state);
    crd_status status = crd_row_source_create(reader, &source, &call.error);
    if (status == CRD_OK) status = crd_comparison_create(source, &options, &comparison, &call.error);
    p.comparison = comparison;
    if (status == CRD_OK) status = crd_comparison_run(comparison, &call.error);
    if (call_end(&call, status) == 0) result = comparison_record(state, comparison, crd_row_source_target(source));
    crd_comparison_destroy(comparison);
    crd_row_source_destroy(source);
done:
    if (reader != NULL) reader_done(reader_argument);
    if (split.given != NULL) PyBuffer_Release(&buffer);
    PyMem_Free(candidates);
    PyMem_Free(texts);
    Py_XDECREF(owner);
    return result;
}

PyMethodDef compare_functions[] = {
    {"compare_methods", (PyCFunction)(void (*)(void))compare_methods, METH_VARARGS | METH_KEYWORDS,
     "compare_methods(reader, settings=None, candidates=None, folds=0, held_out=0, seed=1, column=-1, given=None, "
     "budget=1, threads=0, progress=None) -> dict"},
    {"compare_candidates", compare_candidates, METH_NOARGS, "compare_candidates() -> list[str]"},
    {"comparison_chooses", comparison_chooses, METH_O, "comparison_chooses(setting) -> bool"},
    {NULL, NULL, 0, NULL},
};
