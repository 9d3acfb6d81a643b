/* SPDX-License-Identifier: MIT */
/* sequence_classes.c - trains hidden Markov models; SequenceClasses: classifies whole sequences by Bayes' rule. */
#include "sequences.h"

#include <string.h>

/* ---- Training ---- */

/* Reads the EM options that are not settings. Returns 0, or -1 with an exception. */
static int training_options(PyObject *arguments, PyObject *keywords, PyObject **given, crd_text *target,
                            PyObject **settings, crd_hmm_train_options *options, PyObject **start,
                            crd_sequence_options *source) {
    static char *names[] = {"sequences", "target",   "settings", "max_states", "by_held_out", "seed",
                            "start",     "sequence", "time",     "step",       "threads",     NULL};
    Py_ssize_t max_states = (Py_ssize_t)options->max_states;
    int by_held_out = 0;
    unsigned long long seed = options->seed;
    PyObject *name = Py_None, *sequence = Py_None, *time = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOnpKOOOdI", names, given, &name, settings, &max_states,
                                     &by_held_out, &seed, start, &sequence, &time, &source->step, &options->threads) ||
        text_of(name, "target", true, target) < 0 || text_of(sequence, "sequence", true, &source->sequence) < 0 ||
        text_of(time, "time", true, &source->time) < 0)
        return -1;
    if (max_states < 1 || max_states > 1000) {
        PyErr_Format(PyExc_ValueError, "max_states: expected 1 to 1000, got %zd", max_states);
        return -1;
    }
    options->max_states = (size_t)max_states;
    options->criterion = by_held_out ? CRD_FIT_HELD_OUT : CRD_FIT_BIC;
    options->seed = seed;
    return 0;
}

/* train_hmm(sequences, target=None, settings=None, ...): the model, and a record of how EM found the states. */
static PyObject *train_hmm(PyObject *module, PyObject *arguments, PyObject *keywords) {
    module_state *state = state_of_module(module);
    PyObject *given, *settings_argument = Py_None, *start = Py_None, *result = NULL;
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_sequence_options source = CRD_SEQUENCE_OPTIONS_INIT;
    const crd_settings *settings;
    crd_text target;
    if (training_options(arguments, keywords, &given, &target, &settings_argument, &options, &start, &source) < 0 ||
        settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    const crd_sequences *sequences = sequences_of(state, given);
    if (sequences == NULL || (start != Py_None && !check_type(state, start, CORE_MODEL, "start"))) return NULL;
    crd_model *begin = NULL, *model = NULL;
    crd_fit *fit = NULL;
    options.source = &source;
    core_call call;
    call_begin(&call, state);
    crd_status status = start == Py_None ? CRD_OK : model_copy(state, (model_object *)start, &begin, &call.error);
    options.start = begin;
    if (status == CRD_OK) status = crd_hmm_train(sequences, target, settings, &options, &model, &fit, &call.error);
    if (call_end(&call, status) == 0) {
        PyObject *wrapped = model_wrap(state, model);
        if (wrapped != NULL) result = Py_BuildValue("NN", wrapped, fit_record(fit, "states"));
    } else crd_model_destroy(model);
    crd_fit_destroy(fit);
    crd_model_destroy(begin);
    return result;
}

/* train_sequence_classes(sequences, target=None, settings=None, ...): one hidden Markov model per class of whole sequences. */
static PyObject *train_sequence_classes(PyObject *module, PyObject *arguments, PyObject *keywords) {
    module_state *state = state_of_module(module);
    PyObject *given, *settings_argument = Py_None, *start = Py_None;
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_sequence_options source = CRD_SEQUENCE_OPTIONS_INIT;
    const crd_settings *settings;
    crd_text target;
    if (training_options(arguments, keywords, &given, &target, &settings_argument, &options, &start, &source) < 0 ||
        settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    const crd_sequences *sequences = sequences_of(state, given);
    if (sequences == NULL) return NULL;
    options.source = &source;
    crd_model *model = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_sequence_classes_train(sequences, settings, &options, &model, &call.error);
    if (call_end(&call, status) < 0) {
        crd_model_destroy(model);
        return NULL;
    }
    return model_wrap(state, model);
}

/* count_sequences(sequences, settings=None): a model of labeled sequences; rows without a label are skipped. */
static PyObject *count_sequences(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *given, *settings_argument = Py_None;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "O|O", &given, &settings_argument) ||
        settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    const crd_sequences *sequences = sequences_of(state, given);
    if (sequences == NULL) return NULL;
    crd_model *model = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_sequences_train(sequences, settings, &model, &facts, &call.error);
    if (call_end(&call, status) < 0) {
        crd_model_destroy(model);
        return NULL;
    }
    PyObject *wrapped = model_wrap(state, model);
    return wrapped == NULL ? NULL : Py_BuildValue("NN", wrapped, facts_of(&facts));
}

/* change_sequences(model, sequences, forget=False): learns or forgets labeled sequences. */
static PyObject *change_sequences(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model, *given;
    int forget = 0;
    if (!PyArg_ParseTuple(arguments, "OO|p", &model, &given, &forget) || !check_type(state, model, CORE_MODEL, "model"))
        return NULL;
    const crd_sequences *sequences = sequences_of(state, given);
    if (sequences == NULL) return NULL;
    model_object *self = (model_object *)model;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_write(self);
    if (status == CRD_OK) {
        status = forget ? crd_sequences_forget(self->model, sequences, &facts, &call.error)
                        : crd_sequences_update(self->model, sequences, &facts, &call.error);
        model_unlock(self);
    }
    return call_end(&call, status) < 0 ? NULL : facts_of(&facts);
}

/* sequence_source(model): a dict that describes how sequences were found in the training rows; None if the model is not a hidden Markov model. */
static PyObject *sequence_source(PyObject *module, PyObject *model) {
    module_state *state = state_of_module(module);
    if (!check_type(state, model, CORE_MODEL, "model")) return NULL;
    model_object *self = (model_object *)model;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    if (model_share(self) < 0) return NULL;
    const crd_status status = crd_model_sequence_options(self->model, &options, NULL);
    PyObject *result =
        status != CRD_OK
            ? Py_NewRef(Py_None)
            : Py_BuildValue("{s:N,s:N,s:N,s:d,s:N,s:N,s:N}", "sequence", str_of(options.sequence), "blank_lines",
                            PyBool_FromLong(options.blank_lines), "time", str_of(options.time), "step", options.step,
                            "time_format", str_of(options.time_format), "target", str_of(crd_model_target(self->model)),
                            "is_of_classes", PyBool_FromLong(crd_model_sequence_classes(self->model) != NULL));
    model_unlock(self);
    return result;
}

/* read_hmm(text): the model that a text specifies. */
static PyObject *read_hmm(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    crd_text text;
    if (text_of(argument, "text", false, &text) < 0) return NULL;
    crd_model *model = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_hmm_read(state->context, text.bytes, text.length, &model, &call.error);
    if (call_end(&call, status) < 0) {
        crd_model_destroy(model);
        return NULL;
    }
    return model_wrap(state, model);
}

/* ---- Classes of whole sequences ---- */

static void classes_dealloc(PyObject *object) {
    classes_object *self = (classes_object *)object;
    crd_sequence_classifier_destroy(self->classifier);
    crd_model_destroy(self->model);
    free_object(self);
}

/* make_sequence_classes(model, settings=None) */
static PyObject *make_sequence_classes(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model, *settings_argument = Py_None;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "O|O", &model, &settings_argument) ||
        !check_type(state, model, CORE_MODEL, "model") || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    classes_object *self = new_object(state, CORE_SEQUENCE_CLASSES);
    if (self == NULL) return NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_copy(state, (model_object *)model, &self->model, &call.error);
    if (status == CRD_OK)
        status = crd_sequence_classifier_create(self->model, settings, &self->classifier, &call.error);
    if (call_end(&call, status) < 0) Py_CLEAR(self);
    return (PyObject *)self;
}

static crd_text class_at(const void *classifier, size_t i) {
    return ((const crd_sequence_classifier *)classifier)->classes->names[i];
}

static PyObject *classes_names(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_sequence_classifier *classifier = ((classes_object *)object)->classifier;
    return name_list(classifier->classes->count, class_at, classifier);
}

/* posteriors(sequences, log_likelihoods, log_posteriors, probabilities, log_evidence, threads=0): the first three have sequences x classes items. */
static PyObject *classes_posteriors(PyObject *object, PyObject *arguments) {
    classes_object *self = (classes_object *)object;
    static const char *const names[4] = {"log_likelihoods", "log_posteriors", "probabilities", "log_evidence"};
    PyObject *given, *rooms[4], *result = NULL;
    unsigned threads = 0;
    Py_buffer buffers[4];
    if (!PyArg_ParseTuple(arguments, "OOOOO|I", &given, &rooms[0], &rooms[1], &rooms[2], &rooms[3], &threads))
        return NULL;
    const crd_sequences *sequences = sequences_of(self->head.state, given);
    if (sequences == NULL) return NULL;
    const size_t count = crd_sequences_count(sequences);
    const size_t items = count * self->classifier->classes->count;
    crd_sequence_answer *answers = PyMem_Calloc(count + 1, sizeof *answers);
    if (answers == NULL) return PyErr_NoMemory();
    answers[0].size = sizeof *answers;
    size_t held = 0;
    while (held < 4 && room_of(rooms[held], names[held], "d", held < 3 ? items : count, &buffers[held]) == 0) held++;
    if (held == 4) {
        double *posteriors = buffers[1].buf, *probabilities = buffers[2].buf, *evidence = buffers[3].buf;
        core_call call;
        call_begin(&call, self->head.state);
        crd_status status = crd_sequence_classifier_posteriors(self->classifier, sequences, threads, buffers[0].buf,
                                                               posteriors, answers, &call.error);
        for (size_t i = 0; status == CRD_OK && i < items; i++) probabilities[i] = crd_exp(posteriors[i]);
        for (size_t i = 0; status == CRD_OK && i < count; i++) evidence[i] = answers[i].log_evidence;
        if (call_end(&call, status) == 0) result = Py_NewRef(Py_None);
    }
    PyMem_Free(answers);
    while (held > 0) PyBuffer_Release(&buffers[--held]);
    return result;
}

static PyMethodDef methods[] = {
    {"classes", classes_names, METH_NOARGS, "classes() -> list[str]"},
    {"posteriors", classes_posteriors, METH_VARARGS,
     "posteriors(sequences, log_likelihoods, log_posteriors, probabilities, log_evidence, threads=0)"},
    {NULL, NULL, 0, NULL},
};

#define WITH_KEYWORDS(function) ((PyCFunction)(void (*)(void))(function))

PyMethodDef sequence_classes_functions[] = {
    {"train_hmm", WITH_KEYWORDS(train_hmm), METH_VARARGS | METH_KEYWORDS,
     "train_hmm(sequences, target=None, settings=None, max_states=12, by_held_out=False, seed=1, start=None, "
     "sequence=None, time=None, step=0.0, threads=0) -> tuple[Model, dict]"},
    {"train_sequence_classes", WITH_KEYWORDS(train_sequence_classes), METH_VARARGS | METH_KEYWORDS,
     "train_sequence_classes(sequences, target=None, settings=None, max_states=12, by_held_out=False, seed=1, "
     "start=None, sequence=None, time=None, step=0.0, threads=0) -> Model"},
    {"count_sequences", count_sequences, METH_VARARGS,
     "count_sequences(sequences, settings=None) -> tuple[Model, dict]"},
    {"change_sequences", change_sequences, METH_VARARGS, "change_sequences(model, sequences, forget=False) -> dict"},
    {"sequence_source", sequence_source, METH_O, "sequence_source(model) -> dict | None"},
    {"read_hmm", read_hmm, METH_O, "read_hmm(text) -> Model"},
    {"make_sequence_classes", make_sequence_classes, METH_VARARGS,
     "make_sequence_classes(model, settings=None) -> SequenceClasses"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(sequence_classes, CORE_SEQUENCE_CLASSES, "SequenceClasses", classes_object, classes_dealloc, methods,
          "A sequence classifier under settings; immutable. Created by make_sequence_classes().");
