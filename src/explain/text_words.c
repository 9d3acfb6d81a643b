/* SPDX-License-Identifier: MIT */
/* text_words.c - the terms of a text with the log likelihood that each term adds, and the most informative terms of
 * each class. See credence/text_words.h.
 *
 * Contents:
 *   1. Density of a text attribute
 *   2. Terms of a text
 *   3. Most informative terms */
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "classify/classifier_internal.h"
#include "density/univariate/term_density.h"
#include "math/functions/elementary.h"
#include "text/tokens.h"

#include <credence/text_words.h>
#include <string.h>

/* ======== 1. Density of a text attribute ======== */

/* Sets *out to the density of a text attribute, which the classifier owns. CRD_ERROR_COLUMN: the attribute is not text.
 * CRD_ERROR_EMPTY: no text was ever present. */
static crd_status text_density(const crd_classifier *classifier, size_t attribute, const crd_i_term_density **out,
                               crd_error *error) {
    *out = NULL;
    if (attribute >= classifier->attribute_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown attribute %zu", attribute);
    const crd_i_attribute *attribute_result = &classifier->attributes[attribute];
    if (attribute_result->type != CRD_TYPE_TEXT || attribute_result->density == NULL) {
        char name[CRD_I_QUOTED_ROOM];
        bool is_text = attribute_result->type == CRD_TYPE_TEXT;
        crd_status status = crd_i_fail(error, is_text ? CRD_ERROR_EMPTY : CRD_ERROR_COLUMN, "attribute '%s' %s",
                                       crd_i_quote(attribute_result->name, name),
                                       is_text ? "has no words: no text was ever present" : "is not a text");
        crd_i_error_subject(error, attribute_result->name);
        return status;
    }
    *out = (const crd_i_term_density *)attribute_result->density;
    return CRD_OK;
}

/* ======== 2. Terms of a text ======== */

/* One distinct term of the text. is_known: training texts contain it. counts: the settings keep it. */
typedef struct words_word {
    uint64_t times;
    bool is_known, counts;
} words_word;

struct crd_text_words {
    crd_context *context;
    size_t class_count;
    crd_i_dictionary *terms; /* the code of a term is its word index */
    words_word *words;
    size_t capacity;
    double *values; /* values[word * class_count + class] */
    size_t value_capacity;
    double *whole; /* for each class: the part that belongs to the text as a whole */
    crd_text_place *places;
    size_t place_count, place_capacity;
    double weight; /* attribute weight */
};

void crd_text_words_destroy(crd_text_words *words) {
    if (words == NULL) return;
    crd_i_dictionary_destroy(words->terms);
    crd_free(words->context, words->words);
    crd_free(words->context, words->values);
    crd_free(words->context, words->whole);
    crd_free(words->context, words->places);
    crd_free(words->context, words);
}

/* Appends a term and its values, scaled by the attribute weight. Called by the density for each distinct term. */
static bool text_words_take(void *user, const crd_i_term_part *part) {
    crd_text_words *words = user;
    size_t index = crd_i_dictionary_size(words->terms), classes = words->class_count;
    if (!crd_i_reserve(words->context, &words->words, &words->capacity, index + 1, sizeof *words->words) ||
        !crd_i_reserve(words->context, &words->values, &words->value_capacity, (index + 1) * classes,
                       sizeof *words->values) ||
        crd_i_dictionary_add(words->terms, part->term) < 0)
        return false;
    const words_word word = {part->times, part->is_known, part->counts};
    words->words[index] = word;
    for (size_t k = 0; k < classes; k++)
        words->values[index * classes + k] = words->weight == 0 ? 0 : words->weight * part->values[k];
    return true;
}

/* Tokenizes the text again to find where each term occurs. */
static crd_status text_words_find_places(crd_text_words *words, const crd_i_token_rules *rules, crd_text text,
                                         crd_error *error) {
    crd_i_tokenizer *tokenizer;
    const crd_i_term *terms;
    size_t count = 1;
    crd_status status = crd_i_tokenizer_create(words->context, rules, &tokenizer, error);
    if (status == CRD_OK) status = crd_i_tokenizer_begin(tokenizer, text, error);
    while (status == CRD_OK && count > 0) {
        status = crd_i_tokenizer_next(tokenizer, &terms, &count, error);
        if (status != CRD_OK) break;
        if (!crd_i_reserve(words->context, &words->places, &words->place_capacity, words->place_count + count,
                           sizeof *words->places))
            status = crd_i_fail_memory(error);
        for (size_t i = 0; status == CRD_OK && i < count; i++) {
            const crd_text term = {terms[i].bytes, terms[i].length};
            int32_t code = crd_i_dictionary_find(words->terms, term);
            if (code < 0) continue;
            const crd_text_place place = {(size_t)code, terms[i].from, terms[i].to};
            words->places[words->place_count++] = place;
        }
    }
    crd_i_tokenizer_destroy(tokenizer);
    return status;
}

crd_status crd_text_words_create(const crd_classifier *classifier, size_t attribute, crd_text text,
                                 crd_text_words **out, crd_error *error) {
    const crd_i_term_density *density;
    *out = NULL;
    crd_status status = text_density(classifier, attribute, &density, error);
    if (status != CRD_OK) return status;
    crd_context *context = classifier->context;
    crd_text_words *words = crd_i_alloc_zeroed(context, 1, sizeof *words);
    if (words == NULL) return crd_i_fail_memory(error);
    words->context = context;
    words->class_count = classifier->class_count;
    words->weight = crd_classifier_attribute_weight(classifier, attribute);
    words->terms = crd_i_dictionary_create(context);
    words->whole = crd_i_alloc_zeroed(context, words->class_count, sizeof *words->whole);
    if (words->terms == NULL || words->whole == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK && text.bytes != NULL)
        status = crd_i_term_density_explain(&density->base, text, false, text_words_take, words, words->whole, error);
    for (size_t k = 0; status == CRD_OK && k < words->class_count; k++)
        words->whole[k] = words->weight == 0 ? 0 : words->weight * words->whole[k];
    if (status == CRD_OK && text.bytes != NULL) status = text_words_find_places(words, &density->rules, text, error);
    if (status != CRD_OK) {
        crd_text_words_destroy(words);
        return status;
    }
    *out = words;
    return CRD_OK;
}

size_t crd_text_words_count(const crd_text_words *words) {
    return crd_i_dictionary_size(words->terms);
}

void crd_text_words_at(const crd_text_words *words, size_t index, crd_text_word *out) {
    const words_word *word = &words->words[index];
    const crd_text_word text_word = {sizeof text_word, crd_i_dictionary_text(words->terms, index),
                                     word->times,      word->is_known,
                                     word->counts,     words->values + index * words->class_count};
    crd_i_copy_out(&text_word, sizeof text_word, out);
}

const double *crd_text_words_whole(const crd_text_words *words) {
    return words->whole;
}

size_t crd_text_words_places(const crd_text_words *words, const crd_text_place **places) {
    *places = words->places;
    return words->place_count;
}

crd_status crd_classifier_word(const crd_classifier *classifier, size_t attribute, crd_text term, double *values,
                               double *probabilities, crd_term_facts *facts, crd_error *error) {
    const crd_i_term_density *density;
    bool is_known = false, counts = false;
    crd_status status = text_density(classifier, attribute, &density, error);
    if (status == CRD_OK)
        status = crd_i_term_density_value(&density->base, term, values, probabilities, &is_known, &counts, error);
    if (status != CRD_OK) return status;
    double weight = crd_classifier_attribute_weight(classifier, attribute);
    for (size_t k = 0; values != NULL && weight != 1 && k < classifier->class_count; k++)
        values[k] = weight == 0 ? 0 : weight * values[k];
    const crd_term_facts term_facts = {sizeof term_facts, is_known, counts};
    if (facts != NULL) crd_i_copy_out(&term_facts, sizeof term_facts, facts);
    return CRD_OK;
}

int crd_text_words_single(const crd_text_words *words, size_t *out) {
    const crd_text_place *places = words->places, *longest = NULL;
    for (size_t i = 0; i < words->place_count; i++)
        if (longest == NULL || places[i].to - places[i].from > longest->to - longest->from) longest = &places[i];
    bool is_single = longest != NULL;
    for (size_t i = 0; is_single && i < words->place_count; i++)
        is_single = places[i].from >= longest->from && places[i].to <= longest->to;
    if (is_single) *out = longest->word;
    return is_single;
}

int crd_classifier_text_is_score(const crd_classifier *classifier, size_t attribute) {
    crd_family family = CRD_FAMILY_INIT;
    const crd_settings *settings = crd_classifier_settings(classifier);
    const char *tf = crd_settings_get(settings, "tf"), *length = crd_settings_get(settings, "length-normalization");
    if (crd_classifier_attribute_type(classifier, attribute) != CRD_TYPE_TEXT ||
        crd_classifier_family(classifier, attribute, &family) == 0)
        return 0;
    return strcmp(family.name, "complement") == 0 || strcmp(family.name, "weighted") == 0 ||
           (tf != NULL && strcmp(tf, "count") != 0 && strcmp(family.name, "multinomial") == 0) ||
           (length != NULL && strcmp(length, "none") != 0);
}

/* ======== 3. Most informative terms ========
 *
 * One pass over all terms looks at each term under the classes in which it occurs. Each class keeps a heap of its most
 * informative terms so far, with the least informative of them at the root. The score of a term is the Kullback-Leibler
 * divergence of its presence:
 *
 *   D = p log(p / q) + (1 - p) log((1 - p) / (1 - q)),   p = (d + 1/2) / (n + 1)
 *
 * where d of the n texts of the class contain the term, and q is the same ratio over all other classes. */

/* A term in the list of a class; the fields are explained at crd_informative_word. */
typedef struct words_informative_term {
    double documents, others, occurrences, weight, divergence;
    char *term; /* an owned copy */
    size_t length;
} words_informative_term;

/* The most informative terms of one class. */
typedef struct telling_list {
    words_informative_term *words;
    size_t count, capacity;
} telling_list;

struct crd_informative_words {
    crd_context *context;
    size_t class_count, most;
    telling_list *lists; /* one list per class */
    crd_i_term_store *store;
    /* number of terms that the settings keep */
    uint64_t counted;
};

void crd_informative_words_destroy(crd_informative_words *words) {
    if (words == NULL) return;
    for (size_t k = 0; words->lists != NULL && k < words->class_count; k++) {
        telling_list *list = &words->lists[k];
        for (size_t i = 0; i < list->count; i++) crd_free(words->context, list->words[i].term);
        crd_free(words->context, list->words);
    }
    crd_free(words->context, words->lists);
    crd_i_term_store_release(words->store);
    crd_free(words->context, words);
}

/* Returns whether a is listed before b: larger divergence first, then lexicographic order. */
static bool informative_words_is_before(const words_informative_term *a, const words_informative_term *b) {
    if (a->divergence != b->divergence) return a->divergence > b->divergence;
    const crd_text x = {a->term, a->length}, y = {b->term, b->length};
    return crd_i_text_compare(x, y) < 0;
}

static void informative_words_swap(words_informative_term *a, words_informative_term *b) {
    words_informative_term kept = *a;
    *a = *b;
    *b = kept;
}

/* Restores the heap below index i. Its root is the term that is listed last. */
static void sift_down(words_informative_term *heap, size_t count, size_t i) {
    for (;;) {
        size_t last = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (informative_words_is_before(&heap[last], &heap[child])) last = child;
        if (last == i) return;
        informative_words_swap(&heap[i], &heap[last]);
        i = last;
    }
}

static void sift_up(words_informative_term *heap, size_t i) {
    for (; i > 0 && informative_words_is_before(&heap[(i - 1) / 2], &heap[i]); i = (i - 1) / 2)
        informative_words_swap(&heap[i], &heap[(i - 1) / 2]);
}

/* Adds a term to the list of a class if it belongs to the best `most`. Copies the term then. Returns false if memory
 * runs out. */
static bool informative_words_keep(crd_informative_words *words, size_t class_index,
                                   words_informative_term *informative_term) {
    telling_list *list = &words->lists[class_index];
    bool is_full = list->count == words->most;
    if (words->most == 0 || (is_full && !informative_words_is_before(informative_term, &list->words[0]))) return true;
    if (!is_full && !crd_i_reserve(words->context, &list->words, &list->capacity, list->count + 1, sizeof *list->words))
        return false;
    char *copy = crd_i_alloc(words->context, informative_term->length + 1, 1);
    if (copy == NULL) return false;
    memcpy(copy, informative_term->term, informative_term->length);
    informative_term->term = copy;
    if (!is_full) {
        list->words[list->count] = *informative_term;
        sift_up(list->words, list->count++);
        return true;
    }
    crd_free(words->context, list->words[0].term);
    list->words[0] = *informative_term;
    sift_down(list->words, list->count, 0);
    return true;
}

/* Computes the weight log(p / q) and the divergence D of a term: see the head of this file. */
static void informative_words_measure(words_informative_term *informative_term, double texts, double other_texts) {
    const double half = 0.5;
    double p = (informative_term->documents + half) / (texts + 2 * half),
           q = (informative_term->others + half) / (other_texts + 2 * half);
    informative_term->weight = crd_log(p / q);
    informative_term->divergence = p * informative_term->weight + (1 - p) * crd_log((1 - p) / (1 - q));
}

/* Returns how often a term occurs in the texts of a class. */
static double occurrences_of(const crd_i_term_counts *counts, int32_t condition) {
    double sum = 0;
    for (size_t i = 0; i < counts->count; i++)
        if (counts->entries[i].condition == condition) sum += counts->entries[i].times * counts->entries[i].documents;
    return sum;
}

/* Scores a term under each class in which it occurs. Only terms that are more frequent in the class are kept. */
static bool informative_words_look(crd_informative_words *words, const crd_i_term_density *density,
                                   const crd_i_term_pass *pass) {
    double all = 0;
    bool done = true;
    words->counted++;
    for (size_t i = 0; i < pass->class_count; i++) all += pass->classes[i].documents;
    for (size_t i = 0; done && i < pass->class_count; i++) {
        size_t k = (size_t)pass->classes[i].condition;
        double texts = density->selection.documents[k];
        words_informative_term informative_term = {.documents = pass->classes[i].documents,
                                                   .others = all - pass->classes[i].documents,
                                                   .term = (char *)(uintptr_t)pass->term.bytes,
                                                   .length = pass->term.length};
        informative_words_measure(&informative_term, texts, density->selection.total - texts);
        if (!(informative_term.weight > 0)) continue;
        informative_term.occurrences = occurrences_of(&pass->counts, pass->classes[i].condition);
        done = informative_words_keep(words, k, &informative_term);
    }
    return done;
}

/* Scores all terms that the settings keep. */
static crd_status informative_words_fill(crd_informative_words *words, const crd_i_term_density *density,
                                         crd_error *error) {
    enum { CHECKED = 4096 };
    crd_i_term_pass pass;
    bool more = true;
    crd_status status = CRD_OK;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, CRD_I_TF_COUNT);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        if (!informative_words_look(words, density, &pass)) status = crd_i_fail_memory(error);
        else if (words->counted % CHECKED == 0 && crd_i_context_cancelled(words->context))
            status = crd_i_fail_cancelled(error);
    }
    crd_i_term_pass_end(&pass);
    return status;
}

/* Sorts each heap into a list, most informative term first. */
static void informative_words_sort(crd_informative_words *words) {
    for (size_t k = 0; k < words->class_count; k++) {
        words_informative_term *heap = words->lists[k].words;
        for (size_t count = words->lists[k].count; count > 1; count--) {
            informative_words_swap(&heap[0], &heap[count - 1]);
            sift_down(heap, count - 1, 0);
        }
    }
}

crd_status crd_informative_words_create(const crd_classifier *classifier, size_t attribute, size_t most,
                                        crd_informative_words **out, crd_error *error) {
    const crd_i_term_density *density;
    *out = NULL;
    crd_status status = text_density(classifier, attribute, &density, error);
    if (status != CRD_OK) return status;
    crd_context *context = classifier->context;
    crd_informative_words *words = crd_i_alloc_zeroed(context, 1, sizeof *words);
    if (words == NULL) return crd_i_fail_memory(error);
    words->context = context;
    words->class_count = classifier->class_count;
    words->most = most;
    words->lists = crd_i_alloc_zeroed(context, words->class_count, sizeof *words->lists);
    words->store = density->store;
    crd_i_term_store_retain(words->store);
    if (words->lists == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = informative_words_fill(words, density, error);
    if (status != CRD_OK) {
        crd_informative_words_destroy(words);
        return status;
    }
    informative_words_sort(words);
    *out = words;
    return CRD_OK;
}

size_t crd_informative_words_count(const crd_informative_words *words, size_t class_index) {
    return words->lists[class_index].count;
}

void crd_informative_words_at(const crd_informative_words *words, size_t class_index, size_t index,
                              crd_informative_word *out) {
    const words_informative_term *informative_term = &words->lists[class_index].words[index];
    const crd_informative_word word = {sizeof word,
                                       {informative_term->term, informative_term->length},
                                       informative_term->documents,
                                       informative_term->others,
                                       informative_term->occurrences,
                                       informative_term->weight,
                                       informative_term->divergence};
    crd_i_copy_out(&word, sizeof word, out);
}

uint64_t crd_informative_words_terms(const crd_informative_words *words) {
    return crd_i_term_store_terms(words->store);
}

uint64_t crd_informative_words_counted(const crd_informative_words *words) {
    return words->counted;
}

double crd_informative_words_documents(const crd_informative_words *words, size_t class_index) {
    return crd_i_term_store_documents(words->store, class_index);
}

double crd_informative_words_occurrences(const crd_informative_words *words, size_t class_index) {
    return crd_i_term_store_occurrences(words->store, class_index);
}

uint64_t crd_informative_words_distinct(const crd_informative_words *words, size_t class_index) {
    return crd_i_term_store_distinct(words->store, class_index);
}
