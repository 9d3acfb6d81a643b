/* SPDX-License-Identifier: MIT */
/* model_checks.c - finds possible mistakes in a training table. */
#include "module.h"

#include <math.h>

/* Returns the most frequent values that are not numbers or dates. */
static PyObject *other_values(const crd_column_check *check) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < check->other_values && i < CRD_COLUMN_CHECK_OTHERS; i++) {
        PyObject *value = str_of(check->others[i]);
        if (append_item(list, value) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *check_record(const crd_summary *summary, size_t attribute) {
    crd_column_check check = CRD_COLUMN_CHECK_INIT;
    crd_summary_check_column(summary, attribute, &check);
    const bool is_odd =
        check.unit.bytes != NULL || check.date_formats > 0 || check.is_nearly_date || check.has_both_marks;
    if (!check.is_nearly_numeric && !check.is_identifier && !check.is_text && !is_odd) Py_RETURN_NONE;
    return Py_BuildValue("{s:O,s:N,s:n,s:N,s:d,s:n,s:d,s:d,s:d,s:N,s:n,s:O,s:O,s:O,s:O}", "has_both_marks",
                         check.has_both_marks ? Py_True : Py_False, "unit", str_of(check.unit), "date_formats",
                         (Py_ssize_t)check.date_formats, "column", str_of(summary->attributes[attribute].name), "cells",
                         check.cells, "values", (Py_ssize_t)check.values, "numbers", check.numbers, "plain_numbers",
                         check.plain_numbers, "dates", check.dates, "others", other_values(&check), "other_values",
                         (Py_ssize_t)check.other_values, "is_nearly_numeric",
                         check.is_nearly_numeric ? Py_True : Py_False, "is_nearly_date",
                         check.is_nearly_date ? Py_True : Py_False, "is_identifier",
                         check.is_identifier ? Py_True : Py_False, "is_text", check.is_text ? Py_True : Py_False);
}

/* The tolerance for rounding errors in sums of weights. */
#define ROUNDING 1e-9

/* Returns the number of attributes with missing values. */
static Py_ssize_t count_lacking(const crd_summary *summary) {
    double rows = summary->rows;
    Py_ssize_t count = 0;
    for (size_t a = 0; a < summary->attribute_count; a++) {
        double present = 0;
        for (size_t c = 0; c < summary->class_count; c++) present += crd_summary_present(summary, a, c);
        count += rows - present > rows * ROUNDING;
    }
    return count;
}

/* Returns two classes that differ only in spelling, and the number of such pairs; None if there is no such pair. */
static PyObject *similar_classes(const crd_summary *summary) {
    size_t first = 0, second = 0;
    const int pairs = crd_summary_similar_classes(summary, &first, &second);
    if (pairs == 0) Py_RETURN_NONE;
    return Py_BuildValue("NNi", str_of(summary->classes[first].name), str_of(summary->classes[second].name), pairs);
}

/* Returns the classes with one row if all other classes have many rows. */
static PyObject *lone_classes(const crd_summary *summary) {
    size_t first = 0;
    const size_t count = crd_summary_lone_classes(summary, &first);
    PyObject *list = PyList_New(0);
    for (size_t i = first; list != NULL && count > 0 && i < summary->class_count; i++) {
        if (summary->classes[i].rows != 1) continue;
        PyObject *name = str_of(summary->classes[i].name);
        if (append_item(list, name) < 0) Py_CLEAR(list);
    }
    return list;
}

PyObject *target_checks(const crd_summary *summary) {
    return Py_BuildValue("{s:n,s:O,s:O}", "classes", (Py_ssize_t)summary->class_count, "target_is_quantity",
                         crd_summary_target_is_quantity(summary) ? Py_True : Py_False, "target_may_be_quantity",
                         crd_summary_target_may_be_quantity(summary) ? Py_True : Py_False);
}

static PyObject *checks_of(const crd_summary *summary) {
    PyObject *columns = PyList_New(0), *dropped = PyList_New(0);
    bool has_numbers = false;
    for (size_t a = 0; columns != NULL && a < summary->attribute_count; a++) {
        PyObject *row = check_record(summary, a);
        has_numbers = has_numbers || summary->attributes[a].type == CRD_TYPE_NUMERIC;
        if (row == NULL || (row != Py_None && PyList_Append(columns, row) < 0)) Py_CLEAR(columns);
        Py_XDECREF(row);
    }
    for (size_t i = 0; dropped != NULL && i < summary->joint_tally_count; i++) {
        if (!summary->joint_tallies[i].is_dropped) continue;
        PyObject *name = str_of_c(summary->joint_tallies[i].name);
        if (append_item(dropped, name) < 0) Py_CLEAR(dropped);
    }
    return Py_BuildValue("{s:N,s:N,s:n,s:n,s:O,s:N,s:N,s:N}", "columns", columns, "dropped", dropped, "attributes",
                         (Py_ssize_t)summary->attribute_count, "lacking", count_lacking(summary), "has_numbers",
                         has_numbers ? Py_True : Py_False, "target", target_checks(summary), "similar_classes",
                         similar_classes(summary), "lone_classes", lone_classes(summary));
}

/* check_model(model) -> dict */
static PyObject *check_model(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    if (!check_type(state, argument, CORE_MODEL, "model")) return NULL;
    model_object *model = (model_object *)argument;
    crd_summary *summary = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_summary_create(model->model, &summary, &call.error);
        model_unlock(model);
    }
    PyObject *result = call_end(&call, status) < 0 ? NULL : checks_of(summary);
    crd_summary_destroy(summary);
    return result;
}

/* Returns pairs of column name and appearance for columns whose appearance is not plain. */
static PyObject *appearances_of(const crd_profile *profile) {
    static const char *const names[] = {"plain", "row number", "identifier", "codes"};
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < crd_profile_column_count(profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(profile, i, &facts);
        if (facts.appearance == CRD_APPEARANCE_PLAIN) continue;
        PyObject *pair = Py_BuildValue("(Ns)", str_of(facts.name), names[facts.appearance]);
        if (append_item(list, pair) < 0) Py_CLEAR(list);
    }
    return list;
}

/* check_rows(reader, most_rows) -> list: checks the columns of a used reader by its first rows; empty if it cannot be read again. */
static PyObject *check_rows(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *source;
    unsigned long long most;
    if (!PyArg_ParseTuple(arguments, "OK", &source, &most)) return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_profile *profile = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_reader_begin_again(reader, &call.error);
    crd_reader_set_frame_rows(reader, (size_t)most); /* reads no more rows than necessary */
    if (status == CRD_OK) status = crd_profile_create(state->context, reader, most, &profile, &call.error);
    crd_reader_set_frame_rows(reader, 0);
    bool is_stopped = status == CRD_ERROR_CANCELLED || status == CRD_ERROR_DEADLINE || status == CRD_ERROR_MEMORY;
    int failed = call_end(&call, is_stopped ? status : CRD_OK); /* only an interruption fails: the check is optional */
    reader_done(source);
    PyObject *result = NULL;
    if (failed == 0) result = profile == NULL ? PyList_New(0) : appearances_of(profile);
    crd_profile_destroy(profile);
    return result;
}

static PyObject *method_record(module_state *state, const crd_method_check *check) {
    char *warning = NULL;
    PyObject *settings = PyDict_New();
    for (size_t i = 0; settings != NULL && i < CRD_METHOD_CHECK_SETTINGS && check->settings[i].name != NULL; i++)
        if (put(settings, check->settings[i].name, str_of_c(check->settings[i].value)) < 0) Py_CLEAR(settings);
    if (crd_method_check_warning(state->context, check, &warning, NULL) != CRD_OK) {
        Py_XDECREF(settings);
        return PyErr_NoMemory();
    }
    PyObject *sentence = str_of_c(warning); /* None: the model is not worse */
    crd_free(state->context, warning);
    return Py_BuildValue("{s:N,s:K,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "warning", sentence, "rows",
                         (unsigned long long)check->rows, "log_loss", number_of(check->log_loss), "baseline_log_loss",
                         number_of(check->baseline_log_loss), "excess", number_of(check->excess), "excess_error",
                         number_of(check->excess_error), "better", str_of_c(check->better), "better_log_loss",
                         number_of(check->better == NULL ? NAN : check->better_log_loss), "settings", settings);
}

/* check_method(reader, model) -> dict | None: the performance of naive Bayes on a sample of the rows; None if nothing was checked. */
static PyObject *check_method(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *source, *argument;
    if (!PyArg_ParseTuple(arguments, "OO", &source, &argument) || !check_type(state, argument, CORE_MODEL, "model"))
        return NULL;
    model_object *model = (model_object *)argument;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_method_check check = CRD_METHOD_CHECK_INIT;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_method_check_run(reader, model->model, &check, &call.error);
        model_unlock(model);
    }
    bool is_stopped = status == CRD_ERROR_CANCELLED || status == CRD_ERROR_DEADLINE || status == CRD_ERROR_MEMORY;
    int failed = call_end(&call, is_stopped ? status : CRD_OK); /* only an interruption fails: the check is optional */
    reader_done(source);
    if (failed < 0) return NULL;
    if (status != CRD_OK || check.rows == 0) Py_RETURN_NONE;
    return method_record(state, &check);
}

/* model_selection(model) -> dict | None: how the model's settings were chosen; None if they were not chosen automatically. */
static PyObject *model_selection(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    if (!check_type(state, argument, CORE_MODEL, "model")) return NULL;
    model_object *model = (model_object *)argument;
    core_call call;
    call_begin(&call, state);
    const int failed = call_end(&call, model_lock_read(model));
    if (failed < 0) return NULL;
    const crd_selection *selection = crd_model_selection(model->model);
    PyObject *result = selection == NULL ? Py_NewRef(Py_None) : selection_record(state, selection);
    model_unlock(model);
    return result;
}

/* model_rows(model) -> float: the number of learned rows, or their total weight. */
static PyObject *model_rows(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    if (!check_type(state, argument, CORE_MODEL, "model")) return NULL;
    model_object *model = (model_object *)argument;
    crd_summary *summary = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_summary_create(model->model, &summary, &call.error);
        model_unlock(model);
    }
    PyObject *result = call_end(&call, status) < 0 ? NULL : PyFloat_FromDouble(summary->rows);
    crd_summary_destroy(summary);
    return result;
}

/* same_statistics(model, other) -> bool: whether both models have learned the same rows, in any order. */
static PyObject *same_statistics(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *argument, *other_argument;
    if (!PyArg_ParseTuple(arguments, "OO", &argument, &other_argument) ||
        !check_type(state, argument, CORE_MODEL, "model") || !check_type(state, other_argument, CORE_MODEL, "other"))
        return NULL;
    model_object *model = (model_object *)argument, *other = (model_object *)other_argument;
    int same = 0;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = model_lock_read(other);
        if (status == CRD_OK) {
            status = crd_model_same_tally(model->model, other->model, &same, &call.error);
            model_unlock(other);
        }
        model_unlock(model);
    }
    return call_end(&call, status) < 0 ? NULL : PyBool_FromLong(same);
}

PyMethodDef model_checks_functions[] = {
    {"check_method", check_method, METH_VARARGS, "check_method(reader, model) -> dict | None"},
    {"check_model", check_model, METH_O, "check_model(model) -> dict"},
    {"check_rows", check_rows, METH_VARARGS, "check_rows(reader, most_rows) -> list[tuple[str, str]]"},
    {"model_selection", model_selection, METH_O, "model_selection(model) -> dict | None"},
    {"model_rows", model_rows, METH_O, "model_rows(model) -> float"},
    {"same_statistics", same_statistics, METH_VARARGS, "same_statistics(model, other) -> bool"},
    {NULL, NULL, 0, NULL},
};
