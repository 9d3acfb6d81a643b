/* SPDX-License-Identifier: MIT */
/* call.c - calls the library without the GIL: handles signals, progress, errors and warnings. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* The innermost call of this thread. Callbacks of outer options use its thread state to take the GIL. */
static _Thread_local core_call *running;

bool call_poll(void) {
    PyEval_RestoreThread(running->thread);
    bool is_stopped = PyErr_Occurred() != NULL || PyErr_CheckSignals() < 0;
    running->thread = PyEval_SaveThread();
    return is_stopped;
}

void call_raise(PyObject *type, const char *message) {
    PyEval_RestoreThread(running->thread);
    if (PyErr_Occurred() == NULL) PyErr_SetString(type, message);
    running->thread = PyEval_SaveThread();
}

/* Checks for signals. It runs in the thread that made the call. */
static int poll_signals(void *user) {
    (void)user;
    return call_poll();
}

void call_begin(core_call *call, module_state *state) {
    *call = (core_call){.state = state, .outer = running};
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    options.poll = poll_signals;
    call->is_bracketed = crd_call_begin(state->context, &options) == CRD_OK;
    running = call;
    call->thread = PyEval_SaveThread();
}

/* Issues the logged messages as Python warnings. Returns -1 if a warning was turned into an exception. */
static int issue_warnings(module_state *state) {
    pthread_mutex_lock(&state->log_mutex);
    log_entry *entry = state->log_first;
    state->log_first = NULL;
    state->log_last = &state->log_first;
    pthread_mutex_unlock(&state->log_mutex);
    int result = 0;
    for (log_entry *next; entry != NULL; entry = next) {
        next = entry->next;
        if (result == 0 && entry->subject != NULL && entry->message != NULL) {
            PyObject *done =
                PyObject_CallFunction(state->make_warning, "siss", entry->level == CRD_LOG_WARNING ? "warning" : "note",
                                      entry->code, entry->subject, entry->message);
            if (done == NULL) result = -1;
            Py_XDECREF(done);
        }
        free(entry->subject);
        free(entry->message);
        free(entry);
    }
    return result;
}

int call_end(core_call *call, crd_status status) {
    PyEval_RestoreThread(call->thread);
    running = call->outer;
    if (call->is_bracketed) crd_call_end(call->state->context);
    if (PyErr_Occurred() != NULL) return -1;
    /* Warnings of a failed call belong to that call, so issue them now and not in the next call. */
    if (call->state->log_first != NULL && issue_warnings(call->state) < 0) return -1;
    if (status != CRD_OK) {
        call->error.status = status;
        raise_error(call->state, &call->error);
        return -1;
    }
    return 0;
}

void raise_error(module_state *state, const crd_error *error) {
    PyObject *exception = PyObject_CallFunction(
        state->make_error, "isiKKNNNN", (int)error->status, crd_status_name(error->status), error->system_error,
        (unsigned long long)error->line, (unsigned long long)error->field, str_of_c(error->place),
        str_of_c(error->subject), str_of_c(error->message), str_of_c(error->hint));
    if (exception == NULL) return;
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF(exception);
}

void raise_status(module_state *state, crd_status status) {
    crd_error error;
    memset(&error, 0, sizeof error);
    error.status = status;
    raise_error(state, &error);
}

/* ---- Options that apply to several calls ---- */

static void report_progress(void *user, const char *stage, double done, double total) {
    PyEval_RestoreThread(running->thread);
    if (PyErr_Occurred() == NULL) {
        PyObject *result = PyObject_CallFunction(user, "sdd", stage, done, total);
        Py_XDECREF(result); /* an exception stays set, and stops the call at the next poll */
    }
    running->thread = PyEval_SaveThread();
}

PyObject *core_begin_options(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"threads", "deadline", "progress", NULL};
    unsigned threads = 0;
    double deadline = 0;
    PyObject *progress = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|IdO", names, &threads, &deadline, &progress)) return NULL;
    module_state *state = state_of_module(module);
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    options.threads = threads;
    options.deadline = deadline;
    if (progress != Py_None) {
        options.progress = report_progress;
        options.user = progress; /* the caller keeps it until the end */
    }
    crd_status status = crd_call_begin(state->context, &options);
    if (status != CRD_OK) {
        raise_status(state, status);
        return NULL;
    }
    Py_RETURN_NONE;
}

PyObject *core_end_options(PyObject *module, PyObject *unused) {
    (void)unused;
    crd_call_end(state_of_module(module)->context);
    Py_RETURN_NONE;
}
