/* SPDX-License-Identifier: MIT */
/* html_report.c - creates HTML reports about rows. */
#include "module.h"

/* report_rows(reader, settings=None, is_stated=False, seed=1, folds=0, most_rows=0, threads=0, title="", name="", date="") -> str */
static PyObject *report_rows(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"reader",  "settings", "is_stated", "seed", "folds", "most_rows",
                            "threads", "title",    "name",      "date", NULL};
    module_state *state = state_of_module(module);
    PyObject *reader_argument, *settings_argument = Py_None, *result = NULL;
    unsigned long long seed = 1;
    unsigned folds = 0, threads = 0;
    Py_ssize_t most_rows = 0;
    const char *title = "", *name = "", *date = "";
    crd_report_options options = CRD_REPORT_OPTIONS_INIT;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OpKInIsss", names, &reader_argument, &settings_argument,
                                     &options.is_stated, &seed, &folds, &most_rows, &threads, &title, &name, &date) ||
        settings_of(state, settings_argument, &options.settings) < 0)
        return NULL;
    options.seed = seed;
    options.folds = folds;
    options.most_rows = most_rows > 0 ? (size_t)most_rows : 0;
    options.threads = threads;
    options.title = crd_text_of(title);
    options.name = crd_text_of(name);
    options.date = crd_text_of(date);
    crd_reader *reader = reader_take(state, reader_argument);
    if (reader == NULL) return NULL;
    core_call call;
    char *html = NULL;
    call_begin(&call, state);
    crd_status status = crd_report_rows(state->context, reader, &options, &html, &call.error);
    if (call_end(&call, status) == 0) result = str_of_c(html);
    crd_free(state->context, html);
    reader_done(reader_argument);
    return result;
}

PyMethodDef html_report_functions[] = {
    {"report_rows", (PyCFunction)(void (*)(void))report_rows, METH_VARARGS | METH_KEYWORDS,
     "report_rows(reader, settings=None, is_stated=False, seed=1, folds=0, most_rows=0, "
     "threads=0, title='', name='', date='') -> str"},
    {NULL, NULL, 0, NULL}};
