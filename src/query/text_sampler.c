/* SPDX-License-Identifier: MIT */
/* text_sampler.c - see text_sampler.h. */
#include "query/text_sampler.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>

/* A term that occurred in a class, or the length of a text of the class. */
typedef struct sampler_entry {
    uint32_t condition;
    uint32_t number; /* the index of the term, or the length */
    double weight;
} sampler_entry;

/* Entries grouped by condition, with cumulative weights within each condition. Terms are in ascending order. */
typedef struct entry_list {
    sampler_entry *entries;
    size_t count, capacity;
    size_t *begins; /* start of each condition's entries, and the end of the last */
    uint32_t *numbers;
    double *cumulative;
} entry_list;

struct crd_i_text_sampler {
    crd_context *context;
    size_t conditions;
    bool is_presence;  /* Bernoulli model: only the presence of a term counts */
    double *precision; /* for words-dirichlet: the precision s_c of each condition; otherwise NULL */
    /* P(t | c) of a term that never occurred in the condition; used if is_presence, where all such terms have the same
     * value */
    double *unseen;
    crd_i_dictionary *terms;
    /* for all terms: cumulative weights proportional to P(t | c) in a condition where t never occurred */
    double *others;
    size_t other_count, other_capacity;
    entry_list words, lengths;
};

static void clear_list(crd_context *context, entry_list *list) {
    crd_free(context, list->entries);
    crd_free(context, list->begins);
    crd_free(context, list->numbers);
    crd_free(context, list->cumulative);
}

void crd_i_text_sampler_destroy(crd_i_text_sampler *sampler) {
    if (sampler == NULL) return;
    clear_list(sampler->context, &sampler->words);
    clear_list(sampler->context, &sampler->lengths);
    crd_i_dictionary_destroy(sampler->terms);
    crd_free(sampler->context, sampler->precision);
    crd_free(sampler->context, sampler->unseen);
    crd_free(sampler->context, sampler->others);
    crd_free(sampler->context, sampler);
}

/* Appends an entry. Returns false if memory runs out. */
static bool add_entry(crd_context *context, entry_list *list, int32_t condition, uint32_t number, double weight) {
    if (!crd_i_reserve(context, &list->entries, &list->capacity, list->count + 1, sizeof *list->entries)) return false;
    const sampler_entry added = {(uint32_t)condition, number, weight};
    list->entries[list->count++] = added;
    return true;
}

/* Groups the entries by condition with a counting sort, which keeps their order within a condition. Computes the
 * cumulative weights and frees the unsorted entries. Returns false if memory runs out. */
static bool text_sampler_arrange(crd_context *context, entry_list *list, size_t conditions) {
    list->begins = crd_i_alloc_zeroed(context, conditions + 2, sizeof *list->begins);
    list->numbers = crd_i_alloc(context, list->count, sizeof *list->numbers);
    list->cumulative = crd_i_alloc(context, list->count, sizeof *list->cumulative);
    if (list->begins == NULL || list->numbers == NULL || list->cumulative == NULL) return false;
    for (size_t i = 0; i < list->count; i++) list->begins[list->entries[i].condition + 2]++;
    for (size_t k = 0; k < conditions; k++) list->begins[k + 2] += list->begins[k + 1];
    for (size_t i = 0; i < list->count; i++) {
        size_t place = list->begins[list->entries[i].condition + 1]++;
        list->numbers[place] = list->entries[i].number;
        list->cumulative[place] = list->entries[i].weight;
    }
    for (size_t k = 0; k < conditions; k++)
        for (size_t i = list->begins[k] + 1; i < list->begins[k + 1]; i++)
            list->cumulative[i] += list->cumulative[i - 1];
    crd_free(context, list->entries);
    list->entries = NULL;
    return true;
}

/* Adds a term: P(t | c) for each condition in which it occurred, and its relative weight in the other conditions.
 * `values` is working memory with one entry per condition. */
static bool text_sampler_add_term(crd_i_text_sampler *sampler, const crd_i_term_density *density,
                                  const crd_i_term_pass *pass, crd_i_term_value *values) {
    const crd_i_term_math *math = density->math;
    size_t term = crd_i_dictionary_size(sampler->terms);
    double constant;
    math->weigh(density, &pass->counts, pass->classes, pass->class_count, values, &constant);
    bool done =
        crd_i_dictionary_append(sampler->terms, pass->term) &&
        crd_i_reserve(sampler->context, &sampler->others, &sampler->other_capacity, term + 1, sizeof *sampler->others);
    for (size_t i = 0; done && i < pass->class_count; i++)
        done = add_entry(sampler->context, &sampler->words, values[i].condition, (uint32_t)term,
                         math->probability(density, &values[i], constant, (size_t)values[i].condition));
    if (!done) return false;
    sampler->others[term] = (term == 0 ? 0 : sampler->others[term - 1]) + math->probability(density, NULL, constant, 0);
    return true;
}

/* Adds all terms of the density's vocabulary, in the order of the term store. */
static crd_status text_sampler_read_words(crd_i_text_sampler *sampler, const crd_i_term_density *density,
                                          crd_error *error) {
    crd_i_term_pass pass;
    crd_i_term_value *values = crd_i_alloc(sampler->context, sampler->conditions, sizeof *values);
    bool more = true;
    crd_status status = values == NULL ? crd_i_fail_memory(error) : CRD_OK;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, density->tf);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        if (!text_sampler_add_term(sampler, density, &pass, values)) status = crd_i_fail_memory(error);
        else if (crd_i_context_cancelled(sampler->context)) status = crd_i_fail_cancelled(error);
    }
    crd_i_term_pass_end(&pass);
    crd_free(sampler->context, values);
    return status;
}

/* Adds the lengths of the training texts, weighted by the number of texts with that length. */
static crd_status read_lengths(crd_i_text_sampler *sampler, const crd_i_term_density *density, crd_error *error) {
    crd_i_term_counts lengths = {.context = sampler->context};
    crd_status status = crd_i_term_store_lengths(density->store, &lengths, error);
    for (size_t i = 0; status == CRD_OK && i < lengths.count; i++) {
        const crd_i_term_count *term_count = &lengths.entries[i];
        if (!add_entry(sampler->context, &sampler->lengths, term_count->condition, term_count->times,
                       term_count->documents))
            status = crd_i_fail_memory(error);
    }
    crd_i_term_counts_clear(&lengths);
    return status;
}

/* Reads the precision and the probability of an unseen term for each condition. */
static crd_status read_conditions(crd_i_text_sampler *sampler, const crd_i_term_density *density, crd_error *error) {
    bool is_urn = density->base.family == &crd_i_family_dirichlet_multinomial;
    if (is_urn) sampler->precision = crd_i_alloc(sampler->context, sampler->conditions, sizeof *sampler->precision);
    sampler->unseen = crd_i_alloc(sampler->context, sampler->conditions, sizeof *sampler->unseen);
    if ((is_urn && sampler->precision == NULL) || sampler->unseen == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < sampler->conditions; k++) {
        if (is_urn) sampler->precision[k] = density->sums[k];
        sampler->unseen[k] = density->math->probability(density, NULL, 0, k);
    }
    return CRD_OK;
}

crd_status crd_i_text_sampler_create(const crd_i_term_density *density, crd_i_text_sampler **out, crd_error *error) {
    crd_context *context = density->base.context;
    *out = NULL;
    if (density->math->probability == NULL)
        return crd_i_fail(error, CRD_ERROR_SETTING,
                          "cannot draw a text: %s has word scores instead of probabilities; use another family",
                          density->weights == NULL ? density->base.family->name : "the model fitted to the texts");
    crd_i_text_sampler *sampler = crd_i_alloc_zeroed(context, 1, sizeof *sampler);
    if (sampler == NULL) return crd_i_fail_memory(error);
    sampler->context = context;
    sampler->conditions = density->base.conditions;
    sampler->is_presence = density->math->is_presence;
    sampler->terms = crd_i_dictionary_create(context);
    crd_status status = sampler->terms == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = read_conditions(sampler, density, error);
    if (status == CRD_OK) status = text_sampler_read_words(sampler, density, error);
    if (status == CRD_OK) status = read_lengths(sampler, density, error);
    if (status == CRD_OK && (!text_sampler_arrange(context, &sampler->words, sampler->conditions) ||
                             !text_sampler_arrange(context, &sampler->lengths, sampler->conditions)))
        status = crd_i_fail_memory(error);
    if (status != CRD_OK) {
        crd_i_text_sampler_destroy(sampler);
        return status;
    }
    *out = sampler;
    return CRD_OK;
}

/* Draws one of a condition's entries by weight. The condition must have an entry. */
static uint32_t text_sampler_choose(const entry_list *list, size_t condition, crd_i_random *random) {
    size_t begin = list->begins[condition], count = list->begins[condition + 1] - begin;
    return list->numbers[begin + crd_i_random_choice(random, list->cumulative + begin, count)];
}

/* Returns whether a term occurred in a condition, by binary search. */
static bool text_sampler_has_word(const entry_list *words, size_t condition, uint32_t term) {
    size_t low = words->begins[condition], end = words->begins[condition + 1], high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (words->numbers[middle] < term) low = middle + 1;
        else high = middle;
    }
    return low < end && words->numbers[low] == term;
}

/* Draws a term from P(t | c). For a term that never occurred in the condition, draws from all terms until one
 * qualifies. If such terms have almost no weight, this gives up after MOST_TRIES draws and returns a term that did
 * occur. */
static uint32_t draw_term(const crd_i_text_sampler *sampler, size_t condition, crd_i_random *random) {
    enum { MOST_TRIES = 1000 };
    const entry_list *words = &sampler->words;
    size_t begin = words->begins[condition], end = words->begins[condition + 1];
    size_t terms = crd_i_dictionary_size(sampler->terms);
    bool has_words = end > begin;
    bool is_seen = has_words && (end - begin == terms || crd_i_random_uniform(random) < words->cumulative[end - 1]);
    for (int i = 0; !is_seen && (i < MOST_TRIES || !has_words); i++) {
        uint32_t term = (uint32_t)crd_i_random_choice(random, sampler->others, terms);
        if (!text_sampler_has_word(words, condition, term)) return term;
    }
    return text_sampler_choose(words, condition, random);
}

/* Appends a term to the text that starts at `begin`, after a space unless it is the first word. Returns false if memory
 * runs out. */
static bool text_sampler_add_word(const crd_i_text_sampler *sampler, size_t term, size_t begin, crd_i_buffer *buffer) {
    crd_text text = crd_i_dictionary_text(sampler->terms, term);
    return (buffer->length == begin || crd_i_buffer_append(buffer, " ", 1)) &&
           crd_i_buffer_append(buffer, text.bytes, text.length);
}

/* Draws a text word by word, for multinomial and words-dirichlet. Returns false if memory runs out. */
static bool text_sampler_draw_words(const crd_i_text_sampler *sampler, size_t condition, crd_i_random *random,
                                    crd_i_buffer *buffer) {
    uint32_t length = text_sampler_choose(&sampler->lengths, condition, random);
    size_t begin = buffer->length;
    uint32_t *drawn = crd_i_alloc(sampler->context, length, sizeof *drawn);
    bool done = drawn != NULL || length == 0;
    for (uint32_t i = 0; done && i < length; i++) {
        bool is_again = sampler->precision != NULL &&
                        crd_i_random_uniform(random) * (sampler->precision[condition] + i) < (double)i;
        drawn[i] = is_again ? drawn[crd_i_random_below(random, i)] : draw_term(sampler, condition, random);
        done = text_sampler_add_word(sampler, drawn[i], begin, buffer);
    }
    crd_free(sampler->context, drawn);
    return done;
}

/* Draws the number of absent terms before the next present one, if each is present with probability p. The number has a
 * geometric distribution. */
static double draw_absent(double p, crd_i_random *random) {
    return p < 1 ? floor(crd_log(crd_i_random_open(random)) / crd_log(1 - p)) : 0;
}

/* Draws a text for bernoulli. A term that occurred in the condition has its own probability. All other terms have the
 * same probability, so gaps between them are drawn. Returns false if memory runs out. */
static bool draw_presence(const crd_i_text_sampler *sampler, size_t condition, crd_i_random *random,
                          crd_i_buffer *buffer) {
    const entry_list *words = &sampler->words;
    size_t first = words->begins[condition], count = words->begins[condition + 1] - first, begin = buffer->length;
    double p = sampler->unseen[condition], next = draw_absent(p, random);
    bool done = true;
    for (size_t i = 0; done && i <= count; i++) {
        size_t here = i < count ? words->numbers[first + i] : crd_i_dictionary_size(sampler->terms);
        for (; done && next < (double)(here - i); next += 1 + draw_absent(p, random))
            done = text_sampler_add_word(sampler, (size_t)next + i, begin, buffer);
        if (!done || i == count) break;
        double own = words->cumulative[first + i] - (i == 0 ? 0 : words->cumulative[first + i - 1]);
        if (crd_i_random_uniform(random) < own) done = text_sampler_add_word(sampler, here, begin, buffer);
    }
    return done;
}

bool crd_i_text_sampler_draw(const crd_i_text_sampler *sampler, size_t condition, crd_i_random *random,
                             crd_i_buffer *buffer) {
    const entry_list *lengths = &sampler->lengths;
    bool has_texts = lengths->begins[condition + 1] > lengths->begins[condition];
    if (!has_texts || crd_i_dictionary_size(sampler->terms) == 0) return true;
    return sampler->is_presence ? draw_presence(sampler, condition, random, buffer)
                                : text_sampler_draw_words(sampler, condition, random, buffer);
}
