/* SPDX-License-Identifier: MIT */
/* hmm_show.c - returns the contents of a hidden Markov model as records with the keys of the command's verb show. */
#include "sequences.h"

#include <math.h>

/* The maximum number of listed contexts of several states. */
enum { CONTEXTS_LISTED = 10000 };

/* The parts of attributes to show. */
typedef struct shown_parts {
    PyObject *selection;
    int has_contrasts;
    Py_ssize_t words;
} shown_parts;

static crd_text attribute_at(const void *classifier, size_t i) {
    return crd_classifier_attribute(classifier, i);
}

static crd_text class_at(const void *classifier, size_t i) {
    return crd_classifier_class(classifier, i);
}

/* Returns how sequences were found in rows; None if the user specified the model. */
static PyObject *source_of(const crd_model *model) {
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    if (crd_model_sequence_options(model, &options, NULL) != CRD_OK) return Py_NewRef(Py_None);
    PyObject *source = PyDict_New();
    if (source == NULL) return NULL;
    int result = options.blank_lines              ? put(source, "sequence_break", str_of_c("empty-line"))
                 : options.sequence.bytes != NULL ? put(source, "sequence", str_of(options.sequence))
                                                  : 0;
    if (result == 0 && options.time.bytes != NULL) result = put(source, "time", str_of(options.time));
    if (result == 0 && options.time_format.bytes != NULL)
        result = put(source, "time_format", str_of(options.time_format));
    if (result == 0 && options.step > 0) result = put(source, "step", number_of(options.step));
    if (result < 0) Py_CLEAR(source);
    return source;
}

/* Returns "a, b": the word columns whose counts are completed by suffix, prefix and shape; the empty text if there are none. */
static PyObject *words_of(const crd_hmm *hmm) {
    const crd_classifier *emissions = crd_hmm_emissions(hmm);
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < crd_classifier_attribute_count(emissions); i++)
        if (crd_hmm_has_words(hmm, i) && append_item(names, str_of(attribute_at(emissions, i))) < 0) Py_CLEAR(names);
    PyObject *comma = names == NULL ? NULL : str_of_c(", "),
             *text = comma == NULL ? NULL : PyUnicode_Join(comma, names);
    Py_XDECREF(comma);
    Py_XDECREF(names);
    return text;
}

/* Returns the rows of a state, summed over its components; NaN if the user specified the model. */
static double rows_of(const crd_hmm *hmm, const crd_summary *summary, size_t state) {
    double rows = crd_hmm_is_stated(hmm) ? NAN : 0;
    for (size_t m = 0; m < crd_hmm_components(hmm); m++) {
        size_t class_index = crd_hmm_emission_class(hmm, state, m, NULL);
        if (class_index != SIZE_MAX) rows += crd_summary_class_rows(summary, class_index);
    }
    return rows;
}

static PyObject *states_of(module_state *state, const crd_hmm *hmm, const crd_summary *summary) {
    const size_t states = crd_hmm_state_count(hmm);
    const bool has_end = crd_hmm_has_end(hmm) != 0 && crd_hmm_order(hmm) == 1;
    double *stationary = PyMem_Calloc(2 * states + 1, sizeof *stationary), *durations = stationary + states;
    if (stationary == NULL) return PyErr_NoMemory();
    core_call call;
    call_begin(&call, state);
    const crd_status status = crd_hmm_long_run(hmm, stationary, durations, &call.error);
    PyObject *list = call_end(&call, status) < 0 ? NULL : PyList_New(0);
    for (size_t k = 0; list != NULL && k < states; k++) {
        PyObject *row =
            Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N}", "state", str_of(crd_hmm_state(hmm, k)), "rows",
                          number_of(rows_of(hmm, summary, k)), "start", number_of(crd_hmm_start(hmm, k)), "end",
                          number_of(has_end ? crd_hmm_end(hmm, &k, 1) : NAN), "stationary", number_of(stationary[k]),
                          "duration", number_of(isinf(durations[k]) ? NAN : durations[k]));
        if (append_item(list, row) < 0) Py_CLEAR(list);
    }
    PyMem_Free(stationary);
    return list;
}

/* Returns P(next state | context) for all states, or only for the possible states. */
static PyObject *next_of(const crd_hmm *hmm, const size_t *context, size_t length, bool are_all) {
    PyObject *next = PyDict_New();
    for (size_t k = 0; next != NULL && k < crd_hmm_state_count(hmm); k++) {
        const double probability = crd_hmm_transition(hmm, context, length, k);
        if ((are_all || probability > 0) && put_named(next, crd_hmm_state(hmm, k), number_of(probability)) < 0)
            Py_CLEAR(next);
    }
    return next;
}

static PyObject *transitions_of(const crd_hmm *hmm) {
    PyObject *rows = PyDict_New();
    for (size_t state = 0; rows != NULL && state < crd_hmm_state_count(hmm); state++)
        if (put_named(rows, crd_hmm_state(hmm, state), next_of(hmm, &state, 1, true)) < 0) Py_CLEAR(rows);
    return rows;
}

static PyObject *context_record(const crd_hmm *hmm, const crd_state_context *context) {
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < context->length; i++)
        if (append_item(names, str_of(crd_hmm_state(hmm, context->states[i]))) < 0) Py_CLEAR(names);
    if (names == NULL) return NULL;
    PyObject *record = Py_BuildValue("{s:N,s:N}", "context", names, "count", number_of(context->count));
    if (record == NULL) return NULL;
    if ((crd_hmm_has_end(hmm) &&
         put(record, "end", number_of(crd_hmm_end(hmm, context->states, context->length))) < 0) ||
        put(record, "next", next_of(hmm, context->states, context->length, false)) < 0)
        Py_CLEAR(record);
    return record;
}

/* Returns the most frequent contexts of a higher-order chain. */
static PyObject *contexts_of(module_state *state, const crd_hmm *hmm) {
    crd_state_context *contexts = PyMem_Calloc(CONTEXTS_LISTED, sizeof *contexts);
    if (contexts == NULL) return PyErr_NoMemory();
    size_t total = 0;
    crd_error error;
    PyObject *list = NULL;
    if (crd_hmm_contexts(hmm, contexts, CONTEXTS_LISTED, &total, &error) != CRD_OK) raise_error(state, &error);
    else list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < total && i < CONTEXTS_LISTED; i++)
        if (append_item(list, context_record(hmm, &contexts[i])) < 0) Py_CLEAR(list);
    PyMem_Free(contexts);
    return list;
}

static PyObject *components_of(const crd_hmm *hmm) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; k < crd_hmm_state_count(hmm); k++)
        for (size_t m = 0; list != NULL && m < crd_hmm_components(hmm); m++) {
            double weight = 0;
            if (crd_hmm_emission_class(hmm, k, m, &weight) == SIZE_MAX) weight = 0;
            if (append_item(list, Py_BuildValue("{s:N,s:n,s:d}", "state", str_of(crd_hmm_state(hmm, k)), "component",
                                                (Py_ssize_t)m + 1, "weight", weight)) < 0)
                Py_CLEAR(list);
        }
    return list;
}

/* Adds the first fields of the record, which describe the model. */
static int add_opening(const crd_model *model, const crd_hmm *hmm, const crd_summary *summary, PyObject *record) {
    const bool is_hidden = crd_hmm_is_hidden(hmm) != 0, is_stated = crd_hmm_is_stated(hmm) != 0;
    PyObject *source = source_of(model), *words = words_of(hmm);
    const bool has_source = source != NULL && source != Py_None,
               has_words = words != NULL && PyUnicode_GetLength(words) > 0;
    const bool failed = source == NULL || words == NULL || put(record, "kind", str_of_c("sequence")) < 0 ||
                        put(record, "order", PyLong_FromSize_t(crd_hmm_order(hmm))) < 0 ||
                        put(record, "hidden", PyBool_FromLong(is_hidden)) < 0 ||
                        (!is_hidden && put(record, "target", str_of(crd_model_target(model))) < 0) ||
                        (!is_stated && put(record, "rows", number_of(crd_summary_rows(summary))) < 0) ||
                        (has_source && put(record, "source", Py_NewRef(source)) < 0) ||
                        put(record, "settings", settings_record(crd_hmm_settings(hmm))) < 0 ||
                        (has_words && put(record, "words", Py_NewRef(words)) < 0) ||
                        put(record, "parameters", PyLong_FromSize_t(crd_hmm_parameter_count(hmm))) < 0;
    Py_XDECREF(source);
    Py_XDECREF(words);
    return failed ? -1 : 0;
}

static PyObject *hmm_record(module_state *state, const crd_model *model, const crd_hmm *hmm, const shown_parts *parts) {
    const crd_classifier *emissions = crd_hmm_emissions(hmm);
    crd_summary *summary = NULL;
    core_call call;
    call_begin(&call, state);
    const crd_status status = crd_summary_create(model, &summary, &call.error);
    if (call_end(&call, status) < 0) {
        crd_summary_destroy(summary);
        return NULL;
    }
    PyObject *names = name_list(crd_classifier_class_count(emissions), class_at, emissions);
    PyObject *classes = names == NULL ? NULL : PyList_AsTuple(names), *record = classes == NULL ? NULL : PyDict_New();
    const size_t words = parts->words > 0 ? (size_t)parts->words : 0;
    if (record != NULL &&
        (add_opening(model, hmm, summary, record) < 0 || put(record, "states", states_of(state, hmm, summary)) < 0 ||
         put(record, "transitions", crd_hmm_order(hmm) == 1 ? transitions_of(hmm) : contexts_of(state, hmm)) < 0 ||
         (crd_hmm_components(hmm) > 1 && put(record, "components", components_of(hmm)) < 0) ||
         show_parts(state, summary, emissions, classes, parts->selection, parts->has_contrasts != 0, words, record) <
             0))
        Py_CLEAR(record);
    Py_XDECREF(names);
    Py_XDECREF(classes);
    crd_summary_destroy(summary);
    return record;
}

/* Returns the record of the classes of whole sequences, with the model of each class. */
static PyObject *classes_record(module_state *state, const classes_object *self, const shown_parts *parts) {
    PyObject *classes = PyList_New(0), *models = PyList_New(0), *record = NULL;
    int result = classes == NULL || models == NULL ? -1 : 0;
    for (size_t c = 0; result == 0 && c < crd_sequence_classes_count(self->model); c++) {
        const double prior = crd_exp(crd_sequence_classifier_log_prior(self->classifier, c));
        result = append_item(classes, Py_BuildValue("{s:N,s:d,s:d}", "class",
                                                    str_of(crd_sequence_classes_name(self->model, c)), "sequences",
                                                    crd_sequence_classes_sequences(self->model, c), "prior", prior));
        if (result == 0)
            result = append_item(models, hmm_record(state, crd_sequence_classes_model(self->model, c),
                                                    crd_sequence_classifier_hmm(self->classifier, c), parts));
    }
    if (result == 0)
        record = Py_BuildValue("{s:s,s:N,s:O,s:O}", "kind", "sequence classes", "target",
                               str_of(crd_model_target(self->model)), "classes", classes, "models", models);
    Py_XDECREF(classes);
    Py_XDECREF(models);
    return record;
}

/* show_hmm(hmm, of=None, contrast=False, top_terms=10) */
static PyObject *show_hmm(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"hmm", "of", "contrast", "top_terms", NULL};
    module_state *state = state_of_module(module);
    shown_parts parts = {Py_None, 0, 10};
    PyObject *object;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Opn", names, &object, &parts.selection,
                                     &parts.has_contrasts, &parts.words))
        return NULL;
    if (Py_IS_TYPE(object, state->types[CORE_SEQUENCE_CLASSES]))
        return classes_record(state, (classes_object *)object, &parts);
    if (!check_type(state, object, CORE_HMM, "hmm")) return NULL;
    const hmm_object *self = (hmm_object *)object;
    return hmm_record(state, self->model, self->hmm, &parts);
}

PyMethodDef hmm_show_functions[] = {
    {"show_hmm", (PyCFunction)(void (*)(void))show_hmm, METH_VARARGS | METH_KEYWORDS,
     "show_hmm(hmm, of=None, contrast=False, top_terms=10) -> dict\n\nhmm: an Hmm or SequenceClasses."},
    {NULL, NULL, 0, NULL},
};
