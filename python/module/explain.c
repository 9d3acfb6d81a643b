/* SPDX-License-Identifier: MIT */
/* explain.c - Explainer: explains predictions of a classifier term by term, with counterfactuals and information gain. */
#include "explain_record.h"

#include <math.h>

typedef struct explainer_object {
    core_object head;
    classifier_object *classifier;
    crd_what_if *what_if;       /* NULL: the model combines other models, which are explained one by one */
    crd_typicality *typicality; /* NULL: not requested */
} explainer_object;

static void explainer_dealloc(PyObject *object) {
    explainer_object *self = (explainer_object *)object;
    crd_what_if_destroy(self->what_if);
    crd_typicality_destroy(self->typicality);
    Py_XDECREF((PyObject *)self->classifier);
    free_object(self);
}

/* make_explainer(model, classifier, typicality=False) */
static PyObject *make_explainer(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *classifier_argument;
    int has_typicality = 0;
    if (!PyArg_ParseTuple(arguments, "OO|p", &model_argument, &classifier_argument, &has_typicality) ||
        !check_type(state, model_argument, CORE_MODEL, "model") ||
        !check_type(state, classifier_argument, CORE_CLASSIFIER, "classifier"))
        return NULL;
    model_object *model = (model_object *)model_argument;
    explainer_object *self = new_object(state, CORE_EXPLAINER);
    if (self == NULL) return NULL;
    self->classifier = (classifier_object *)Py_NewRef(classifier_argument);
    const crd_classifier *classifier = self->classifier->classifier;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        if (crd_model_member_count(model->model) == 0)
            status = crd_what_if_create(model->model, classifier, &self->what_if, &call.error);
        if (status == CRD_OK && has_typicality)
            status = crd_typicality_create(model->model, crd_classifier_settings(classifier), &self->typicality,
                                           &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) == 0) return (PyObject *)self;
    Py_DECREF((PyObject *)self);
    return NULL;
}

/* ---- Counterfactuals and information gain ---- */

typedef struct what_if_answer {
    crd_counterfactual *changes;
    size_t change_count;
    crd_counterfactual_search change_search;
    crd_information_gain *gains;
    size_t gain_count;
    crd_information_gain_search gain_search;
} what_if_answer;

static int what_if_begin(what_if_answer *w, size_t attributes, const crd_rule *rule, bool is_thorough) {
    *w = (what_if_answer){.change_search = CRD_COUNTERFACTUAL_SEARCH_INIT,
                          .gain_search = CRD_INFORMATION_GAIN_SEARCH_INIT};
    w->change_search.rule = rule;
    w->change_search.is_thorough = is_thorough;
    w->gain_search.is_thorough = is_thorough;
    w->changes = PyMem_Calloc(attributes + 1, sizeof *w->changes);
    w->gains = PyMem_Calloc(attributes + 1, sizeof *w->gains);
    if (w->changes == NULL || w->gains == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    w->changes[0].size = sizeof *w->changes;
    w->gains[0].size = sizeof *w->gains;
    return 0;
}

static void what_if_end(what_if_answer *w) {
    PyMem_Free(w->changes);
    PyMem_Free(w->gains);
}

static PyObject *changes_record(const crd_classifier *classifier, const what_if_answer *w) {
    const crd_rule *rule = w->change_search.rule;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < w->change_count; i++) {
        const crd_counterfactual *change = &w->changes[i];
        size_t decision = (size_t)change->decision;
        PyObject *record = Py_BuildValue(
            "{s:N,s:N,s:N,s:N,s:N}", "attribute", str_of(crd_classifier_attribute(classifier, change->attribute)),
            "value", value_record(&change->value), "deviations", number_of(change->deviations),
            rule == NULL ? "prediction" : "decision",
            str_of(rule == NULL ? crd_classifier_class(classifier, decision) : rule->actions[decision]), "probability",
            number_of(change->probability));
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *gains_record(const crd_classifier *classifier, const what_if_answer *w) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < w->gain_count; i++) {
        PyObject *record =
            Py_BuildValue("{s:N,s:N}", "attribute", str_of(crd_classifier_attribute(classifier, w->gains[i].attribute)),
                          "bits", number_of(w->gains[i].bits));
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    return list;
}

static int put_what_if(PyObject *record, const crd_classifier *classifier, const what_if_answer *w) {
    return put(record, "changes", changes_record(classifier, w)) < 0 ||
                   put(record, "changes_tried", PyLong_FromSize_t(w->change_search.looked_at)) < 0 ||
                   put(record, "uncertainty", number_of(w->gain_search.uncertainty)) < 0 ||
                   put(record, "missing", gains_record(classifier, w)) < 0
               ? -1
               : 0;
}

/* ---- Decision rules ---- */

static int put_decision(PyObject *record, const crd_rule *rule, const explained_row *row) {
    crd_decision decision = CRD_DECISION_INIT;
    size_t actions = rule->action_count;
    double *expected = PyMem_Calloc(actions + 1, sizeof *expected);
    if (expected == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    crd_rule_decide_probabilities(rule, row->log_posterior, row->probabilities, expected, &decision);
    bool has_costs = rule->kind == CRD_RULE_COSTS;
    crd_text none = {NULL, 0}, name = decision.action < 0 ? none : rule->actions[(size_t)decision.action];
    int result = put(record, "decision", str_of(name));
    if (result == 0 && has_costs) result = put(record, "expected_cost", number_of(decision.expected_cost));
    if (result == 0 && has_costs) {
        PyObject *costs = PyDict_New();
        for (size_t a = 0; costs != NULL && a < actions; a++)
            if (put_named(costs, rule->actions[a], number_of(expected[a])) < 0) Py_CLEAR(costs);
        result = put(record, "costs", costs);
    }
    PyMem_Free(expected);
    return result;
}

/* Gets the rule from an optional argument. Sets *out to NULL for None. */
static int rule_of(explainer_object *self, PyObject *object, const crd_rule **out) {
    *out = NULL;
    if (object == Py_None) return 0;
    if (!check_type(state_of(self), object, CORE_RULE, "rule")) return -1;
    *out = ((rule_object *)object)->rule;
    return 0;
}

/* ---- One row ---- */

static int put_answer(PyObject *record, const explained_row *row) {
    crd_text none = {NULL, 0};
    int32_t decision = row->answer.decision;
    crd_text name = decision < 0 ? none : crd_classifier_class(row->classifier, (size_t)decision);
    return put(record, "log_evidence", number_of(row->answer.log_evidence)) < 0 ||
                   put(record, "prediction", str_of(name)) < 0 ||
                   put(record, "tied", PyLong_FromUnsignedLong(row->answer.tied)) < 0 ||
                   put(record, "unseen", PyLong_FromUnsignedLong(row->answer.unseen)) < 0
               ? -1
               : 0;
}

static PyObject *row_record(module_state *state, const explained_row *row, const crd_rule *rule, double typicality,
                            const what_if_answer *w) {
    bool is_pooled = crd_classifier_ensemble_rule(row->classifier) != NULL;
    PyObject *record = PyDict_New();
    if (record == NULL || put(record, "settings", settings_record(crd_classifier_settings(row->classifier))) < 0 ||
        (is_pooled && put_members(record, state, row) < 0) || put(record, "classes", classes_record(state, row)) < 0 ||
        put_answer(record, row) < 0 || (!is_pooled && put(record, "texts", texts_record(state, row)) < 0) ||
        (!isnan(typicality) && put(record, "typicality", number_of(typicality)) < 0) ||
        (rule != NULL && put_decision(record, rule, row) < 0) ||
        (w != NULL && put_what_if(record, row->classifier, w) < 0)) {
        Py_XDECREF(record);
        return NULL;
    }
    return record;
}

static PyObject *explain_values(explainer_object *self, const crd_value *values, const crd_rule *rule,
                                bool is_thorough) {
    module_state *state = state_of(self);
    const crd_classifier *classifier = self->classifier->classifier;
    explained_row row;
    what_if_answer w;
    double typicality = NAN;
    PyObject *record = NULL;
    if (explained_row_create(classifier, values, &row) < 0) return NULL;
    if (what_if_begin(&w, row.attributes, rule, is_thorough) < 0) goto done;
    core_call call;
    call_begin(&call, state);
    crd_status status = explained_row_compute(&row, &call.error);
    if (status == CRD_OK && self->typicality != NULL)
        status = crd_typicality_row(self->typicality, values, &row.answer, &typicality, &call.error);
    if (status == CRD_OK && self->what_if != NULL)
        status = crd_what_if_counterfactuals(self->what_if, values, &w.change_search, w.changes, &w.change_count,
                                             &call.error);
    if (status == CRD_OK && self->what_if != NULL)
        status =
            crd_what_if_information_gain(self->what_if, values, &w.gain_search, w.gains, &w.gain_count, &call.error);
    if (call_end(&call, status) == 0)
        record = row_record(state, &row, rule, typicality, self->what_if == NULL ? NULL : &w);
done:
    what_if_end(&w);
    explained_row_free(&row);
    return record;
}

/* row(values, thorough=False, rule=None) */
static PyObject *explainer_row(PyObject *object, PyObject *arguments) {
    explainer_object *self = (explainer_object *)object;
    PyObject *values, *rule_argument = Py_None;
    int is_thorough = 0;
    const crd_rule *rule;
    core_row row;
    if (!PyArg_ParseTuple(arguments, "O|pO", &values, &is_thorough, &rule_argument) ||
        rule_of(self, rule_argument, &rule) < 0 || row_begin(&row, self->classifier, values) < 0)
        return NULL;
    PyObject *record = explain_values(self, row.values, rule, is_thorough != 0);
    row_end(&row);
    return record;
}

/* ---- The rows of a reader ---- */

/* Finds the column of each attribute in a frame; SIZE_MAX if there is no such column. */
static void match_columns(const crd_classifier *classifier, const crd_frame *frame, size_t *columns) {
    size_t count = crd_frame_column_count(frame), next = 0;
    for (size_t a = 0; a < crd_classifier_attribute_count(classifier); a++) {
        columns[a] = SIZE_MAX;
        for (size_t tried = 0; tried < count && columns[a] == SIZE_MAX; tried++) {
            size_t column = (next + tried) % count;
            if (crd_text_equal(crd_frame_column_name(frame, column), crd_classifier_attribute(classifier, a)))
                columns[a] = column;
        }
        if (columns[a] != SIZE_MAX) next = columns[a] + 1;
    }
}

/* Appends the explanations of a frame's rows to a list. *seen counts all rows before; *only is the number of the only row to explain, from 1, or 0. */
static int explain_frame(explainer_object *self, const crd_frame *frame, const crd_rule *rule, bool is_thorough,
                         uint64_t only, uint64_t *seen, PyObject *list) {
    const crd_classifier *classifier = self->classifier->classifier;
    size_t attributes = crd_classifier_attribute_count(classifier);
    size_t *columns = PyMem_Calloc(attributes + 1, sizeof *columns);
    crd_value *values = PyMem_Calloc(attributes + 1, sizeof *values);
    int result = columns == NULL || values == NULL ? -1 : 0;
    if (result < 0) PyErr_NoMemory();
    else match_columns(classifier, frame, columns);
    for (size_t row = 0; result == 0 && row < crd_frame_rows(frame); row++) {
        ++*seen;
        if (only > 0 && *seen != only) continue;
        for (size_t a = 0; a < attributes; a++)
            values[a] = columns[a] == SIZE_MAX ? (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}}
                                               : crd_frame_value(frame, row, columns[a]);
        result =
            append_item(list, explain_values(self, values, rule, is_thorough)) < 0 || PyErr_CheckSignals() < 0 ? -1 : 0;
    }
    PyMem_Free(columns);
    PyMem_Free(values);
    return result;
}

/* rows(reader, thorough=False, rule=None, only=0): a list of records. If only is not 0, it is the number of the only row to explain, from 1. */
static PyObject *explainer_rows(PyObject *object, PyObject *arguments) {
    explainer_object *self = (explainer_object *)object;
    module_state *state = state_of(self);
    PyObject *source, *rule_argument = Py_None;
    int is_thorough = 0;
    unsigned long long only = 0;
    const crd_rule *rule;
    if (!PyArg_ParseTuple(arguments, "O|pOK", &source, &is_thorough, &rule_argument, &only) ||
        rule_of(self, rule_argument, &rule) < 0)
        return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    PyObject *list = PyList_New(0);
    uint64_t seen = 0;
    while (list != NULL && (only == 0 || seen < only)) {
        const crd_frame *frame = NULL;
        core_call call;
        call_begin(&call, state);
        crd_status status = crd_reader_next(reader, &frame, &call.error);
        if (call_end(&call, status) < 0) {
            Py_CLEAR(list);
        } else if (frame == NULL) {
            break;
        } else if (explain_frame(self, frame, rule, is_thorough != 0, only, &seen, list) < 0) {
            Py_CLEAR(list);
        }
    }
    reader_done(source);
    if (list != NULL && only > seen) {
        PyErr_Format(PyExc_IndexError, "row: the table has %llu rows; row %llu is out of range",
                     (unsigned long long)seen, only - 1);
        Py_CLEAR(list);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"row", explainer_row, METH_VARARGS, "row(values, thorough=False, rule=None) -> dict"},
    {"rows", explainer_rows, METH_VARARGS, "rows(reader, thorough=False, rule=None, only=0) -> list[dict]"},
    {NULL, NULL, 0, NULL},
};

/* ---- Functions ---- */

/* member_models(model) -> list[Model]: copies of the member models of a combined model. */
static PyObject *member_models(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    if (!check_type(state, argument, CORE_MODEL, "model")) return NULL;
    model_object *self = (model_object *)argument;
    PyObject *list = PyList_New(0);
    for (size_t i = 0, count = 1; list != NULL && i < count; i++) {
        crd_member member = CRD_MEMBER_INIT;
        crd_model *copy = NULL;
        unsigned char *bytes = NULL;
        size_t length = 0;
        core_call call;
        call_begin(&call, state);
        crd_status status = model_lock_read(self);
        if (status == CRD_OK) {
            count = crd_model_member_count(self->model);
            if (i < count) status = crd_model_member(self->model, i, &member, &call.error);
            if (status == CRD_OK && i < count) status = crd_model_encode(member.model, &bytes, &length, &call.error);
            model_unlock(self);
        }
        if (status == CRD_OK && i < count) status = crd_model_decode(state->context, bytes, length, &copy, &call.error);
        crd_free(state->context, bytes);
        if (call_end(&call, status) < 0) {
            crd_model_destroy(copy);
            Py_CLEAR(list);
        } else if (copy != NULL && append_item(list, model_wrap(state, copy)) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *weight_of_evidence(PyObject *module, PyObject *arguments) {
    double a, b;
    (void)module;
    return PyArg_ParseTuple(arguments, "dd", &a, &b) ? PyFloat_FromDouble(crd_weight_of_evidence(a, b)) : NULL;
}

static PyObject *weight_settle(PyObject *module, PyObject *arguments) {
    double sum, scale;
    (void)module;
    return PyArg_ParseTuple(arguments, "dd", &sum, &scale) ? PyFloat_FromDouble(crd_weight_settle(sum, scale)) : NULL;
}

PyMethodDef explain_functions[] = {
    {"make_explainer", make_explainer, METH_VARARGS,
     "make_explainer(model, classifier, typicality=False) -> Explainer"},
    {"member_models", member_models, METH_O, "member_models(model) -> list[Model]"},
    {"weight_of_evidence", weight_of_evidence, METH_VARARGS, "weight_of_evidence(log_a, log_b) -> float"},
    {"weight_settle", weight_settle, METH_VARARGS, "weight_settle(sum, scale) -> float"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(explain, CORE_EXPLAINER, "Explainer", explainer_object, explainer_dealloc, methods,
          "Explanations of rows by a classifier; immutable. Created by make_explainer().");
