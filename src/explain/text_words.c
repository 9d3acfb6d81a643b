/* SPDX-License-Identifier: MIT */
/* text_words.c - the terms of a text and the log likelihood that each of them adds: see credence/text_words.h. */
#include "explain/text_attribute.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "text/tokens.h"

#include <credence/text_words.h>
#include <string.h>

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
    crd_status status = crd_i_text_density(classifier, attribute, &density, error);
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
    crd_status status = crd_i_text_density(classifier, attribute, &density, error);
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
    const char *tf = crd_settings_get(settings, "tf"), *length = crd_settings_get(settings, "length");
    if (crd_classifier_kind(classifier, attribute) != CRD_KIND_TEXT ||
        crd_classifier_family(classifier, attribute, &family) == 0)
        return 0;
    return strcmp(family.name, "complement") == 0 || strcmp(family.name, "weighted") == 0 ||
           (tf != NULL && strcmp(tf, "count") != 0 && strcmp(family.name, "multinomial") == 0) ||
           (length != NULL && strcmp(length, "none") != 0);
}
