/* SPDX-License-Identifier: MIT */
/* explain_words.c - the words of a row's texts, the most informative words of all texts, and the terms of any text. */
#include "explain_record.h"

#include <credence/credence.h>
#include <string.h>

/* ---- The words of one text ---- */

static PyObject *word_record(const crd_text_words *words, size_t index, size_t classes) {
    const crd_text_word word = words->words[index];
    return Py_BuildValue("(NKOON)", str_of(word.term), (unsigned long long)word.times,
                         word.is_known ? Py_True : Py_False, word.counts ? Py_True : Py_False,
                         doubles_record(word.values, word.values == NULL ? 0 : classes));
}

static PyObject *places_record(const crd_text_words *words) {
    const crd_text_place *places = words->places;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < words->place_count; i++)
        if (append_item(list, Py_BuildValue("(nnn)", (Py_ssize_t)places[i].word, (Py_ssize_t)places[i].from,
                                            (Py_ssize_t)places[i].to)) < 0)
            Py_CLEAR(list);
    return list;
}

static PyObject *words_record(const explained_row *row, size_t attribute, const crd_text_words *words) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < words->count; i++)
        if (append_item(list, word_record(words, i, row->classes)) < 0) Py_CLEAR(list);
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N}", "attribute",
                         str_of(crd_classifier_attribute(row->classifier, attribute)), "text",
                         str_of(row->values[attribute].text), "words", list, "whole",
                         doubles_record(words->whole, row->classes), "places", places_record(words));
}

static bool has_text(const explained_row *row, size_t attribute) {
    const crd_value *value = &row->values[attribute];
    return crd_classifier_attribute_type(row->classifier, attribute) == CRD_TYPE_TEXT && value->text.bytes != NULL &&
           (value->type == CRD_TYPE_TEXT || value->type == CRD_TYPE_CATEGORICAL);
}

PyObject *texts_record(module_state *state, const explained_row *row) {
    PyObject *list = PyList_New(0);
    for (size_t a = 0; list != NULL && a < row->attributes; a++) {
        crd_text_words *words = NULL;
        if (!has_text(row, a)) continue;
        core_call call;
        call_begin(&call, state);
        crd_status status = crd_text_words_create(row->classifier, a, row->values[a].text, &words, &call.error);
        bool is_empty = status == CRD_ERROR_EMPTY; /* all training texts were missing: there are no words */
        int failed = call_end(&call, is_empty ? CRD_OK : status);
        if (failed < 0 || (!is_empty && append_item(list, words_record(row, a, words)) < 0)) Py_CLEAR(list);
        crd_text_words_destroy(words);
    }
    return list;
}

/* ---- The words of all texts ---- */

static PyObject *informative_words_of_class(const crd_classifier *classifier, const crd_informative_words *words,
                                            size_t k) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < words->classes[k].count; i++) {
        const crd_informative_word word = words->classes[k].words[i];
        PyObject *record = Py_BuildValue("{s:N,s:d,s:d,s:d,s:d,s:d}", "word", str_of(word.term), "documents",
                                         word.documents, "others", word.others, "occurrences", word.occurrences,
                                         "weight", word.weight, "divergence", word.divergence);
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    return Py_BuildValue("{s:N,s:d,s:d,s:K,s:N}", "class", str_of(crd_classifier_class(classifier, k)), "documents",
                         words->classes[k].documents, "occurrences", words->classes[k].occurrences, "distinct",
                         (unsigned long long)words->classes[k].distinct, "words", list);
}

static PyObject *informative_words(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *object;
    Py_ssize_t attribute, most;
    if (!PyArg_ParseTuple(arguments, "Onn", &object, &attribute, &most) ||
        !check_type(state, object, CORE_CLASSIFIER, "classifier"))
        return NULL;
    const crd_classifier *classifier = ((classifier_object *)object)->classifier;
    if (attribute < 0 || (size_t)attribute >= crd_classifier_attribute_count(classifier) || most < 0) {
        PyErr_SetString(PyExc_ValueError, "attribute: index out of range");
        return NULL;
    }
    crd_informative_words *words = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_informative_words_create(classifier, (size_t)attribute, (size_t)most, &words, &call.error);
    PyObject *record = NULL, *classes = NULL;
    if (call_end(&call, status) == 0) classes = PyList_New(0);
    for (size_t k = 0; classes != NULL && k < crd_classifier_class_count(classifier); k++)
        if (append_item(classes, informative_words_of_class(classifier, words, k)) < 0) Py_CLEAR(classes);
    if (classes != NULL)
        record = Py_BuildValue(
            "{s:N,s:K,s:K,s:N}", "attribute", str_of(crd_classifier_attribute(classifier, (size_t)attribute)), "terms",
            (unsigned long long)words->terms, "counted", (unsigned long long)words->counted, "classes", classes);
    crd_informative_words_destroy(words);
    return record;
}

/* ---- The terms of any text ---- */

/* The start and end of each term in the text, the term's length, and its bytes. */
typedef struct term_list {
    core_block block;
    bool is_out_of_memory;
} term_list;

static int take_term(void *user, const crd_text_term *term) {
    term_list *list = user;
    size_t head[3] = {term->from, term->to, term->term.length};
    char *destination = block_grow(&list->block, sizeof head + term->term.length);
    list->is_out_of_memory = destination == NULL;
    if (destination == NULL) return 1;
    memcpy(destination, head, sizeof head);
    if (term->term.length > 0) memcpy(destination + sizeof head, term->term.bytes, term->term.length);
    return 0;
}

/* terms_of(text, settings=None) -> list[tuple[str, int, int]] */
static PyObject *terms_of(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *text_argument, *settings_argument = Py_None, *list = NULL;
    const crd_settings *settings;
    crd_text text;
    if (!PyArg_ParseTuple(arguments, "O|O", &text_argument, &settings_argument) ||
        text_of(text_argument, "text", false, &text) < 0 || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    term_list terms = {{NULL, 0, 0}, false};
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_text_terms(state->context, settings, text, take_term, &terms, &call.error);
    if (call_end(&call, status) == 0) list = terms.is_out_of_memory ? PyErr_NoMemory() : PyList_New(0);
    for (size_t offset = 0; list != NULL && offset < terms.block.length;) {
        size_t head[3];
        memcpy(head, terms.block.bytes + offset, sizeof head);
        offset += sizeof head;
        PyObject *item = Py_BuildValue("(Nnn)", str_of((crd_text){terms.block.bytes + offset, head[2]}),
                                       (Py_ssize_t)head[0], (Py_ssize_t)head[1]);
        if (append_item(list, item) < 0) Py_CLEAR(list);
        offset += head[2];
    }
    block_free(&terms.block);
    return list;
}

PyMethodDef words_functions[] = {
    {"informative_words", informative_words, METH_VARARGS, "informative_words(classifier, attribute, most) -> dict"},
    {"terms_of", terms_of, METH_VARARGS, "terms_of(text, settings=None) -> list[tuple[str, int, int]]"},
    {NULL, NULL, 0, NULL},
};
