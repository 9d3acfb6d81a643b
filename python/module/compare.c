/* SPDX-License-Identifier: MIT */
/* compare.c - methods and families compared on the same folds of the same rows. */
#include "module.h"

#include <string.h>

/* compare_candidates(): the names of all candidates, simplest first. */
static PyObject *compare_candidates(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *names = PyList_New(0);
    const char *name;
    for (size_t i = 0; names != NULL && (name = crd_comparison_candidate(i)) != NULL; i++) {
        PyObject *text = str_of_c(name);
        if (text == NULL || PyList_Append(names, text) < 0) Py_CLEAR(names);
        Py_XDECREF(text);
    }
    return names;
}

/* comparison_chooses(setting): whether candidates choose it. */
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
    case CRD_CANDIDATE_TOO_SLOW: return "too_slow";
    case CRD_CANDIDATE_TIMED_OUT: return "timed_out";
    case CRD_CANDIDATE_FAILED: break;
    }
    return "failed";
}

static PyObject *candidate_record(const crd_comparison *comparison, size_t index) {
    crd_comparison_result of = CRD_COMPARISON_RESULT_INIT;
    crd_comparison_result_at(comparison, index, &of);
    PyObject *settings = settings_chosen(comparison, index);
    if (settings == NULL) return NULL;
    return Py_BuildValue("{s:s,s:s,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "name", of.name, "status",
                         status_name(of.status), "message", str_of_c(of.message), "settings", settings, "accuracy",
                         number_of(of.accuracy), "log_loss", number_of(of.log_loss), "log_loss_error",
                         number_of(of.log_loss_error), "brier", number_of(of.brier), "auc", number_of(of.auc), "ece",
                         number_of(of.ece), "numbers", number_of(of.parameters), "seconds", number_of(of.seconds));
}

static PyObject *candidate_list(const crd_comparison *comparison) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < crd_comparison_count(comparison); i++) {
        PyObject *record = candidate_record(comparison, i);
        if (record == NULL || PyList_Append(list, record) < 0) Py_CLEAR(list);
        Py_XDECREF(record);
    }
    return list;
}

static PyObject *recommendation_record(const crd_comparison *comparison) {
    static const char *const reasons[] = {"", "best", "simpler", "first", "none"};
    crd_recommendation of = CRD_RECOMMENDATION_INIT;
    crd_comparison_recommendation(comparison, &of);
    return Py_BuildValue("{s:s,s:n,s:n,s:N,s:N,s:K,s:K,s:N,s:N,s:n,s:N,s:N}", "reason", reasons[of.reason], "candidate",
                         (Py_ssize_t)of.candidate, "best", (Py_ssize_t)of.best, "difference", number_of(of.difference),
                         "difference_error", number_of(of.difference_error), "rows", (unsigned long long)of.rows,
                         "left_out", (unsigned long long)of.left_out, "baseline", number_of(of.baseline_accuracy),
                         "baseline_log_loss", number_of(of.baseline_log_loss), "tried", (Py_ssize_t)of.tried, "gain",
                         number_of(of.gain), "gain_error", number_of(of.gain_error));
}

/* The fold of each row, as a bytearray of int32, -1 for rows in none; and how many folds there are. */
static PyObject *comparison_record(const crd_comparison *comparison, crd_text target) {
    const crd_split *split = crd_comparison_split(comparison);
    const size_t rows = crd_split_rows(split);
    PyObject *candidates = candidate_list(comparison), *recommendation = recommendation_record(comparison);
    PyObject *folds = PyByteArray_FromStringAndSize(rows == 0 ? "" : (const char *)crd_split_learned(split),
                                                    (Py_ssize_t)(rows * sizeof(uint32_t)));
    if (candidates == NULL || recommendation == NULL || folds == NULL) {
        Py_XDECREF(candidates);
        Py_XDECREF(recommendation);
        Py_XDECREF(folds);
        return NULL;
    }
    return Py_BuildValue("{s:N,s:N,s:N,s:n,s:N}", "target", str_of(target), "candidates", candidates, "recommendation",
                         recommendation, "fold_count", (Py_ssize_t)crd_split_fold_count(split), "folds", folds);
}

/* ---- The call ---- */

typedef struct progress {
    core_call *call;
    PyObject *function;
    const crd_comparison *comparison;
} progress;

/* Called by the thread that made the call, without the GIL. */
static void report_candidate(void *user, size_t index, size_t count, double done) {
    const progress *p = user;
    crd_comparison_result of = CRD_COMPARISON_RESULT_INIT;
    crd_comparison_result_at(p->comparison, index, &of);
    PyEval_RestoreThread(p->call->thread);
    if (PyErr_Occurred() == NULL) {
        PyObject *result = PyObject_CallFunction(p->function, "snnd", of.name, (Py_ssize_t)index, (Py_ssize_t)count,
                                                 done); /* an exception stays set, and stops the call */
        Py_XDECREF(result);
    }
    p->call->thread = PyEval_SaveThread();
}

/* compare_methods(reader, settings=None, candidates=None, folds=0, held_out=0, seed=1, column=-1, given=None, seconds=0, threads=0,
 * progress=None): folds 0 is as many as suit the rows; progress is called with name, index, count and the part that is done. */
static PyObject *compare_methods(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"reader", "settings", "candidates", "folds",   "held_out", "seed",
                            "column", "given",    "seconds",    "threads", "progress", NULL};
    module_state *state = state_of_module(module);
    PyObject *reader_argument, *settings_argument = Py_None, *chosen = Py_None, *given = Py_None, *function = Py_None;
    PyObject *owner = NULL, *result = NULL;
    unsigned folds = 0, held_out = 0, threads = 0;
    unsigned long long seed = 1;
    Py_ssize_t column = -1;
    double seconds = 0;
    const crd_settings *settings;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOIIKnOdIO", names, &reader_argument, &settings_argument,
                                     &chosen, &folds, &held_out, &seed, &column, &given, &seconds, &threads,
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
    options.seconds = seconds;
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
    if (call_end(&call, status) == 0) result = comparison_record(comparison, crd_row_source_target(source));
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

static PyMethodDef functions[] = {
    {"compare_methods", (PyCFunction)(void (*)(void))compare_methods, METH_VARARGS | METH_KEYWORDS,
     "compare_methods(reader, settings=None, candidates=None, folds=0, held_out=0, seed=1, column=-1, given=None, "
     "seconds=0, threads=0, progress=None) -> dict"},
    {"compare_candidates", compare_candidates, METH_NOARGS, "compare_candidates() -> list[str]"},
    {"comparison_chooses", comparison_chooses, METH_O, "comparison_chooses(setting) -> bool"},
    {NULL, NULL, 0, NULL},
};

int add_compare(PyObject *module, module_state *state) {
    (void)state;
    return PyModule_AddFunctions(module, functions);
}
