/* SPDX-License-Identifier: MIT */
/* text_words.c - the terms of a text with the log likelihood that each term adds, and the most informative terms of
 * each class. See credence/text_words.h.
 *
 * Contents:
 *   1. Density of a text attribute
 *   2. Terms of a text
 *   3. Most informative terms */
#include "base/arena.h"
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

/* The terms of a text while they are being listed. */
typedef struct text_listing {
    crd_context *context;
    crd_text_words *result;
    crd_i_dictionary *terms; /* the code of a term is its word index */
    size_t class_count, word_room, place_room;
    crd_text_word *words;
    crd_text_place *places;
    double weight; /* attribute weight */
} text_listing;

void crd_text_words_destroy(crd_text_words *words) {
    if (words != NULL) crd_i_arena_destroy(words->arena);
}

/* Appends a term and its values, scaled by the attribute weight. Called by the density for each distinct term. */
static bool text_words_take(void *user, const crd_i_term_part *part) {
    text_listing *listing = user;
    crd_text_words *result = listing->result;
    if (!crd_i_reserve(listing->context, &listing->words, &listing->word_room, result->count + 1,
                       sizeof *listing->words) ||
        crd_i_dictionary_add(listing->terms, part->term) < 0)
        return false;
    double *values = crd_i_arena_alloc(result->arena, listing->class_count, sizeof *values);
    const crd_text term = crd_i_arena_copy_text(result->arena, part->term);
    if (crd_i_arena_failed(result->arena)) return false;
    for (size_t k = 0; k < listing->class_count; k++)
        values[k] = listing->weight == 0 ? 0 : listing->weight * part->values[k];
    listing->words[result->count++] = (crd_text_word){term, part->times, part->is_known, part->counts, values};
    return true;
}

/* Tokenizes the text again to find where each term occurs. */
static crd_status text_words_find_places(text_listing *listing, const crd_i_token_rules *rules, crd_text text,
                                         crd_error *error) {
    crd_i_tokenizer *tokenizer;
    crd_text_words *result = listing->result;
    const crd_i_term *terms;
    size_t count = 1;
    crd_status status = crd_i_tokenizer_create(listing->context, rules, &tokenizer, error);
    if (status == CRD_OK) status = crd_i_tokenizer_begin(tokenizer, text, error);
    while (status == CRD_OK && count > 0) {
        status = crd_i_tokenizer_next(tokenizer, &terms, &count, error);
        if (status != CRD_OK) break;
        if (!crd_i_reserve(listing->context, &listing->places, &listing->place_room, result->place_count + count,
                           sizeof *listing->places))
            status = crd_i_fail_memory(error);
        for (size_t i = 0; status == CRD_OK && i < count; i++) {
            const crd_text term = {terms[i].bytes, terms[i].length};
            int32_t code = crd_i_dictionary_find(listing->terms, term);
            if (code < 0) continue;
            listing->places[result->place_count++] = (crd_text_place){(size_t)code, terms[i].from, terms[i].to};
        }
    }
    crd_i_tokenizer_destroy(tokenizer);
    return status;
}

/* Returns the term that spans all others, or CRD_NONE. */
static size_t single_term(const crd_text_place *places, size_t count) {
    const crd_text_place *longest = NULL;
    for (size_t i = 0; i < count; i++)
        if (longest == NULL || places[i].to - places[i].from > longest->to - longest->from) longest = &places[i];
    for (size_t i = 0; i < count; i++)
        if (places[i].from < longest->from || places[i].to > longest->to) return CRD_NONE;
    return longest == NULL ? CRD_NONE : longest->word;
}

/* Lists the terms of a text that is present, and their places. */
static crd_status text_listing_fill(text_listing *listing, const crd_i_term_density *density, crd_text text,
                                    crd_error *error) {
    crd_text_words *result = listing->result;
    crd_status status =
        crd_i_term_density_explain(&density->base, text, false, text_words_take, listing, result->whole, error);
    for (size_t k = 0; status == CRD_OK && k < listing->class_count; k++)
        result->whole[k] = listing->weight == 0 ? 0 : listing->weight * result->whole[k];
    if (status == CRD_OK) status = text_words_find_places(listing, &density->rules, text, error);
    if (status != CRD_OK) return status;
    result->words = crd_i_arena_copy(result->arena, listing->words, result->count, sizeof *result->words);
    result->places = crd_i_arena_copy(result->arena, listing->places, result->place_count, sizeof *result->places);
    result->single = single_term(listing->places, result->place_count);
    return crd_i_arena_check(result->arena, error);
}

crd_status crd_text_words_create(const crd_classifier *classifier, size_t attribute, crd_text text,
                                 crd_text_words **out, crd_error *error) {
    const crd_i_term_density *density;
    *out = NULL;
    crd_status status = text_density(classifier, attribute, &density, error);
    if (status != CRD_OK) return status;
    crd_text_words *words = crd_i_arena_object(classifier->context, sizeof *words);
    if (words == NULL) return crd_i_fail_memory(error);
    text_listing listing = {.context = classifier->context,
                            .result = words,
                            .terms = crd_i_dictionary_create(classifier->context),
                            .class_count = classifier->class_count,
                            .weight = crd_classifier_attribute_weight(classifier, attribute)};
    words->single = CRD_NONE;
    words->whole = crd_i_arena_alloc_zeroed(words->arena, classifier->class_count, sizeof *words->whole);
    if (listing.terms == NULL || words->whole == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK && text.bytes != NULL) status = text_listing_fill(&listing, density, text, error);
    crd_i_dictionary_destroy(listing.terms);
    crd_free(listing.context, listing.words);
    crd_free(listing.context, listing.places);
    if (status == CRD_OK) *out = words;
    else crd_text_words_destroy(words);
    return status;
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

/* The lists while they are being filled. */
typedef struct telling_lists {
    crd_context *context;
    size_t class_count, most;
    telling_list *lists; /* one list per class */
    uint64_t counted;
} telling_lists;

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
static bool informative_words_keep(telling_lists *words, size_t class_index, words_informative_term *informative_term) {
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
static bool informative_words_look(telling_lists *words, const crd_i_term_density *density,
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
static crd_status informative_words_fill(telling_lists *words, const crd_i_term_density *density, crd_error *error) {
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
static void informative_words_sort(telling_lists *words) {
    for (size_t k = 0; k < words->class_count; k++) {
        words_informative_term *heap = words->lists[k].words;
        for (size_t count = words->lists[k].count; count > 1; count--) {
            informative_words_swap(&heap[0], &heap[count - 1]);
            sift_down(heap, count - 1, 0);
        }
    }
}

/* Copies the lists to the result. */
static crd_status informative_words_copy(crd_informative_words *words, const telling_lists *source,
                                         const crd_i_term_store *store, crd_error *error) {
    words->terms = crd_i_term_store_terms(store);
    words->counted = source->counted;
    words->class_count = source->class_count;
    words->classes = crd_i_arena_alloc_zeroed(words->arena, source->class_count, sizeof *words->classes);
    for (size_t k = 0; words->classes != NULL && k < source->class_count; k++) {
        const telling_list *list = &source->lists[k];
        crd_informative_class *copy = &words->classes[k];
        *copy = (crd_informative_class){crd_i_term_store_documents(store, k), crd_i_term_store_occurrences(store, k),
                                        crd_i_term_store_distinct(store, k), list->count, NULL};
        copy->words = crd_i_arena_alloc(words->arena, list->count, sizeof *copy->words);
        for (size_t i = 0; copy->words != NULL && i < list->count; i++) {
            const words_informative_term *term = &list->words[i];
            copy->words[i] =
                (crd_informative_word){crd_i_arena_copy_text(words->arena, (crd_text){term->term, term->length}),
                                       term->documents,
                                       term->others,
                                       term->occurrences,
                                       term->weight,
                                       term->divergence};
        }
    }
    return crd_i_arena_check(words->arena, error);
}

static void telling_lists_clear(telling_lists *words) {
    for (size_t k = 0; words->lists != NULL && k < words->class_count; k++) {
        telling_list *list = &words->lists[k];
        for (size_t i = 0; i < list->count; i++) crd_free(words->context, list->words[i].term);
        crd_free(words->context, list->words);
    }
    crd_free(words->context, words->lists);
}

crd_status crd_informative_words_create(const crd_classifier *classifier, size_t attribute, size_t most,
                                        crd_informative_words **out, crd_error *error) {
    const crd_i_term_density *density;
    *out = NULL;
    crd_status status = text_density(classifier, attribute, &density, error);
    if (status != CRD_OK) return status;
    crd_informative_words *words = crd_i_arena_object(classifier->context, sizeof *words);
    if (words == NULL) return crd_i_fail_memory(error);
    telling_lists lists = {.context = classifier->context, .class_count = classifier->class_count, .most = most};
    lists.lists = crd_i_alloc_zeroed(lists.context, lists.class_count, sizeof *lists.lists);
    if (lists.lists == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = informative_words_fill(&lists, density, error);
    if (status == CRD_OK) {
        informative_words_sort(&lists);
        status = informative_words_copy(words, &lists, density->store, error);
    }
    telling_lists_clear(&lists);
    if (status == CRD_OK) *out = words;
    else crd_informative_words_destroy(words);
    return status;
}

void crd_informative_words_destroy(crd_informative_words *words) {
    if (words != NULL) crd_i_arena_destroy(words->arena);
}
