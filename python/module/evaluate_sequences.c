/* SPDX-License-Identifier: MIT */
/* evaluate_sequences.c - evaluates hidden Markov models on labeled sequences: a model on new sequences, and cross-validation by sequence. */
#include "evaluate.h"
#include "sequences.h"

#include <math.h>
#include <stdlib.h>

/* ---- A model on new sequences ---- */

static crd_status judge_states(assessment_object *self, const crd_model *model, const crd_settings *settings,
                               const crd_sequences *sequences, const crd_sequence_evaluation_options *options,
                               crd_error *error) {
    crd_hmm *hmm = NULL;
    crd_text *states = NULL;
    crd_status status = crd_hmm_create(model, settings, &hmm, error);
    if (status != CRD_OK) return status;
    const size_t count = crd_hmm_facts_of(hmm)->is_hidden ? 0 : crd_hmm_state_count(hmm);
    states = malloc((count + 1) * sizeof *states);
    if (states == NULL) status = CRD_ERROR_MEMORY;
    for (size_t k = 0; status == CRD_OK && k < count; k++) states[k] = crd_hmm_state(hmm, k);
    if (status == CRD_OK)
        status =
            crd_sequence_evaluation_create(self->head.state->context, states, count, options, &self->sequences, error);
    if (status == CRD_OK) status = crd_sequence_evaluation_add(self->sequences, hmm, sequences, error);
    free(states);
    crd_hmm_destroy(hmm);
    return status;
}

static crd_status judge_classes(assessment_object *self, const crd_model *model, const crd_settings *settings,
                                const crd_sequences *sequences, unsigned threads, crd_error *error) {
    crd_sequence_classifier *classifier = NULL;
    crd_text *classes = NULL;
    crd_status status = crd_sequence_classifier_create(model, settings, &classifier, error);
    if (status != CRD_OK) return status;
    const size_t count = classifier->classes->count;
    classes = malloc((count + 1) * sizeof *classes);
    if (classes == NULL) status = CRD_ERROR_MEMORY;
    for (size_t k = 0; status == CRD_OK && k < count; k++) classes[k] = classifier->classes->names[k];
    if (status == CRD_OK)
        status = crd_evaluation_create(self->head.state->context, classes, count, &self->classes, error);
    if (status == CRD_OK)
        status =
            crd_sequence_classifier_evaluate(classifier, sequences, threads, self->classes, &self->unlabeled, error);
    free(classes);
    crd_sequence_classifier_destroy(classifier);
    return status;
}

/* Computes the scores of items, if some have labels, or of sequences with classes. */
static crd_status make_scores(assessment_object *self, crd_error *error) {
    crd_sequence_totals totals = CRD_SEQUENCE_TOTALS_INIT;
    if (self->sequences != NULL) crd_sequence_evaluation_totals(self->sequences, &totals);
    if (self->classes != NULL) self->evaluation = self->classes;
    else if (totals.labeled > 0) self->evaluation = crd_sequence_evaluation_items(self->sequences);
    return self->evaluation == NULL ? CRD_OK : crd_scores_create(self->evaluation, &self->scores, error);
}

PyObject *end_judging(assessment_object *self, core_call *call, crd_status status) {
    if (status == CRD_OK) status = make_scores(self, &call->error);
    if (call_end(call, status) == 0) return (PyObject *)self;
    Py_DECREF((PyObject *)self);
    return NULL;
}

/* assess_sequences(model, sequences, settings=None, by_posterior=False, threads=0) */
static PyObject *assess_sequences(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model, *source, *settings_argument = Py_None;
    int by_posterior = 0;
    unsigned threads = 0;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "OO|OpI", &model, &source, &settings_argument, &by_posterior, &threads) ||
        !check_type(state, model, CORE_MODEL, "model") || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    const crd_sequences *sequences = sequences_of(state, source);
    assessment_object *self = sequences == NULL ? NULL : new_object(state, CORE_ASSESSMENT);
    if (self == NULL) return NULL;
    model_object *wrapper = (model_object *)model;
    crd_sequence_evaluation_options options = CRD_SEQUENCE_EVALUATION_OPTIONS_INIT;
    options.decoding = by_posterior ? CRD_DECODING_POSTERIOR : CRD_DECODING_VITERBI;
    options.threads = threads;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(wrapper);
    if (status == CRD_OK) {
        status = crd_model_sequence_classes(wrapper->model) != NULL
                     ? judge_classes(self, wrapper->model, settings, sequences, threads, &call.error)
                     : judge_states(self, wrapper->model, settings, sequences, &options, &call.error);
        model_unlock(wrapper);
    }
    return end_judging(self, &call, status);
}

/* ---- Folds ---- */

/* assess_sequence_folds(sequences, target, settings=None, has_classes=False, folds=10, held_out=0, seed=1, by_posterior=False,
 * threads=0): target is the name of the states if they are hidden. */
static PyObject *assess_sequence_folds(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"sequences", "target", "settings",     "has_classes", "folds",
                            "held_out",  "seed",   "by_posterior", "threads",     NULL};
    module_state *state = state_of_module(module);
    PyObject *source, *target_argument, *settings_argument = Py_None;
    int has_classes = 0, by_posterior = 0;
    unsigned folds = 10, held_out = 0, threads = 0;
    unsigned long long seed = 1;
    const crd_settings *settings;
    crd_text target;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OpIIKpI", names, &source, &target_argument,
                                     &settings_argument, &has_classes, &folds, &held_out, &seed, &by_posterior,
                                     &threads) ||
        text_of(target_argument, "target", false, &target) < 0 || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    const crd_sequences *sequences = sequences_of(state, source);
    assessment_object *self = sequences == NULL ? NULL : new_object(state, CORE_ASSESSMENT);
    if (self == NULL) return NULL;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    split.folds = folds;
    split.held_out = held_out;
    split.seed = seed;
    crd_hmm_train_options training = CRD_HMM_TRAIN_OPTIONS_INIT;
    training.threads = threads;
    crd_sequence_evaluation_options options = CRD_SEQUENCE_EVALUATION_OPTIONS_INIT;
    options.decoding = by_posterior ? CRD_DECODING_POSTERIOR : CRD_DECODING_VITERBI;
    options.threads = threads;
    uint32_t *of_each = block_grow(&self->sequence_folds, (crd_sequences_count(sequences) + 1) * sizeof *of_each);
    if (of_each == NULL) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    self->sequence_folds.length -= sizeof *of_each; /* the extra item only avoids an empty allocation */
    core_call call;
    call_begin(&call, state);
    crd_status status = has_classes ? crd_sequence_classes_validate(sequences, settings, &training, &split, threads,
                                                                    of_each, &self->classes, &call.error)
                                    : crd_sequence_validate(sequences, target, settings, &training, &split, &options,
                                                            of_each, &self->sequences, &call.error);
    return end_judging(self, &call, status);
}

/* ---- Results ---- */

static double share(uint64_t part, uint64_t whole) {
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static PyObject *count_of(uint64_t count) {
    return PyLong_FromUnsignedLongLong(count);
}

static PyObject *totals_of_sequences(const crd_sequence_totals *totals) {
    PyObject *record = Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "count", count_of(totals->sequences), "items", count_of(totals->items),
        "labeled", count_of(totals->labeled), "correct", count_of(totals->correct), "accuracy",
        number_of(share(totals->correct, totals->labeled)), "log_likelihood", number_of(totals->log_likelihood),
        "log_likelihood_per_item",
        number_of(totals->possible_items > 0 ? totals->log_likelihood / (double)totals->possible_items : NAN),
        "impossible", count_of(totals->impossible));
    if (record == NULL || totals->labeled == 0) return record;
    if (put(record, "seen_items", count_of(totals->seen_items)) < 0 ||
        put(record, "seen_accuracy", number_of(share(totals->seen_correct, totals->seen_items))) < 0 ||
        put(record, "unseen_items", count_of(totals->unseen_items)) < 0 ||
        put(record, "unseen_accuracy", number_of(share(totals->unseen_correct, totals->unseen_items))) < 0)
        Py_CLEAR(record);
    return record;
}

static int put_span(PyObject *record, const crd_span_scores *scores) {
    if (put(record, "precision", number_of(scores->precision)) < 0 ||
        put(record, "recall", number_of(scores->recall)) < 0 || put(record, "f1", number_of(scores->f1)) < 0 ||
        put(record, "true", count_of(scores->truths)) < 0 || put(record, "named", count_of(scores->named)) < 0)
        return -1;
    return put(record, "correct", count_of(scores->correct));
}

static PyObject *type_record(const void *user, size_t index) {
    crd_span_scores scores = CRD_SPAN_SCORES_INIT;
    crd_spans_type(user, index, &scores);
    PyObject *record = PyDict_New();
    if (record != NULL && (put(record, "type", str_of(scores.type)) < 0 || put_span(record, &scores) < 0))
        Py_CLEAR(record);
    return record;
}

static PyObject *spans_record(const crd_spans *spans) {
    crd_span_scores all = CRD_SPAN_SCORES_INIT;
    crd_spans_totals(spans, &all);
    PyObject *record = Py_BuildValue("{s:s}", "scheme", crd_spans_scheme(spans) == CRD_SPANS_TAGS ? "tags" : "runs");
    if (record != NULL && (put_span(record, &all) < 0 ||
                           put(record, "types", list_of(crd_spans_type_count(spans), type_record, spans)) < 0))
        Py_CLEAR(record);
    return record;
}

/* sequences(): results for sequences in addition to the scores of items: totals, spans if items have labels, the fold of each
 * sequence, and the number of sequences without a class. */
PyObject *assessment_sequences(PyObject *object, PyObject *unused) {
    (void)unused;
    const assessment_object *self = (assessment_object *)object;
    const core_block *folds = &self->sequence_folds;
    PyObject *record = Py_BuildValue(
        "{s:N,s:N,s:N}", "unlabeled", count_of(self->unlabeled), "has_scores", PyBool_FromLong(self->scores != NULL),
        "folds", PyByteArray_FromStringAndSize(folds->length == 0 ? "" : folds->bytes, (Py_ssize_t)folds->length));
    if (record == NULL || self->sequences == NULL) return record;
    crd_sequence_totals totals = CRD_SEQUENCE_TOTALS_INIT;
    crd_sequence_evaluation_totals(self->sequences, &totals);
    if (put(record, "sequences", totals_of_sequences(&totals)) < 0 ||
        (totals.labeled > 0 && put(record, "spans", spans_record(crd_sequence_evaluation_spans(self->sequences))) < 0))
        Py_CLEAR(record);
    return record;
}

PyMethodDef evaluate_sequences_functions[] = {
    {"assess_sequences", assess_sequences, METH_VARARGS,
     "assess_sequences(model, sequences, settings=None, by_posterior=False, threads=0) -> Assessment"},
    {"assess_sequence_folds", (PyCFunction)(void (*)(void))assess_sequence_folds, METH_VARARGS | METH_KEYWORDS,
     "assess_sequence_folds(sequences, target, settings=None, has_classes=False, folds=10, held_out=0, seed=1, "
     "by_posterior=False, threads=0) -> Assessment"},
    {NULL, NULL, 0, NULL},
};
