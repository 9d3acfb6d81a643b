/* SPDX-License-Identifier: MIT */
/* hmm_show.c - returns the contents of a hidden Markov model as records with the keys of the command's verb show. */
#include "sequences.h"

#include <math.h>

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
    const crd_classifier *emissions = crd_hmm_facts_of(hmm)->emissions;
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < crd_classifier_attribute_count(emissions); i++)
        if (crd_hmm_has_words(hmm, i) && append_item(names, str_of(attribute_at(emissions, i))) < 0) Py_CLEAR(names);
    PyObject *comma = names == NULL ? NULL : str_of_c(", "),
             *text = comma == NULL ? NULL : PyUnicode_Join(comma, names);
    Py_XDECREF(comma);
    Py_XDECREF(names);
    return text;
}

/* Adds the states, their transitions and their components to the record. */
static int put_chain(module_state *state, const crd_hmm *hmm, const crd_summary *summary, PyObject *record) {
    crd_result *result = result_begin(state);
    if (result == NULL) return -1;
    core_call call;
    call_begin(&call, state);
    const crd_status status = crd_hmm_report(hmm, summary, result, &call.error);
    if (call_end(&call, status) < 0) {
        crd_result_destroy(result);
        return -1;
    }
    crd_result_end(result);
    PyObject *chain = result_record(result);
    const int updated = chain == NULL ? -1 : PyDict_Update(record, chain);
    Py_XDECREF(chain);
    return updated;
}

/* Adds the first fields of the record, which describe the model. */
static int add_opening(const crd_model *model, const crd_hmm *hmm, const crd_summary *summary, PyObject *record) {
    const bool is_hidden = crd_hmm_facts_of(hmm)->is_hidden != 0, is_stated = crd_hmm_facts_of(hmm)->is_stated != 0;
    PyObject *source = source_of(model), *words = words_of(hmm);
    const bool has_source = source != NULL && source != Py_None,
               has_words = words != NULL && PyUnicode_GetLength(words) > 0;
    const bool failed = source == NULL || words == NULL || put(record, "kind", str_of_c("sequence")) < 0 ||
                        put(record, "order", PyLong_FromSize_t(crd_hmm_facts_of(hmm)->order)) < 0 ||
                        put(record, "hidden", PyBool_FromLong(is_hidden)) < 0 ||
                        (!is_hidden && put(record, "target", str_of(crd_model_target(model))) < 0) ||
                        (!is_stated && put(record, "rows", number_of(summary->rows)) < 0) ||
                        (has_source && put(record, "source", Py_NewRef(source)) < 0) ||
                        put(record, "settings", settings_record(crd_hmm_facts_of(hmm)->settings)) < 0 ||
                        (has_words && put(record, "words", Py_NewRef(words)) < 0) ||
                        put(record, "parameters", PyLong_FromSize_t(crd_hmm_facts_of(hmm)->parameter_count)) < 0;
    Py_XDECREF(source);
    Py_XDECREF(words);
    return failed ? -1 : 0;
}

static PyObject *hmm_record(module_state *state, const crd_model *model, const crd_hmm *hmm, const shown_parts *parts) {
    const crd_classifier *emissions = crd_hmm_facts_of(hmm)->emissions;
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
    if (record != NULL && (add_opening(model, hmm, summary, record) < 0 || put_chain(state, hmm, summary, record) < 0 ||
                           show_parts(state, summary, emissions, classes, parts->selection, parts->has_contrasts != 0,
                                      words, record) < 0))
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
    for (size_t c = 0; result == 0 && c < crd_model_sequence_classes(self->model)->count; c++) {
        const double prior = crd_exp(self->classifier->log_priors[c]);
        result = append_item(
            classes, Py_BuildValue("{s:N,s:d,s:d}", "class", str_of(crd_model_sequence_classes(self->model)->names[c]),
                                   "sequences", crd_model_sequence_classes(self->model)->sequences[c], "prior", prior));
        if (result == 0)
            result = append_item(models, hmm_record(state, crd_model_sequence_classes(self->model)->models[c],
                                                    self->classifier->hmms[c], parts));
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
