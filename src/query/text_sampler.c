/* SPDX-License-Identifier: MIT */
/* text_sampler.c - see text_sampler.h. */
#include "query/text_sampler.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"

/* A term of a class, or a length of its texts. */
typedef struct entry {
    uint32_t condition;
    uint32_t number; /* of the term, or the length */
    double weight;
} entry;

/* Entries by condition, with the sums of weights within each. */
typedef struct entry_list {
    entry *entries;
    size_t count, capacity;
    size_t *begins; /* of each condition, and the end */
    uint32_t *numbers;
    double *cumulative;
} entry_list;

struct crd_i_text_sampler {
    crd_context *context;
    size_t conditions;
    double smoothing;
    crd_i_dictionary *terms;
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
    crd_free(sampler->context, sampler);
}

static bool add_entry(crd_context *context, entry_list *list, int32_t condition, uint32_t number, double weight) {
    if (!crd_i_reserve(context, &list->entries, &list->capacity, list->count + 1, sizeof *list->entries)) return false;
    const entry added = {(uint32_t)condition, number, weight};
    list->entries[list->count++] = added;
    return true;
}

/* Sorts the entries by condition, in their order within it. false: out of memory. */
static bool arrange(crd_context *context, entry_list *list, size_t conditions) {
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

static crd_status read_words(crd_i_text_sampler *sampler, const crd_i_term_density *density, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    crd_status status = CRD_OK;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, CRD_I_TF_COUNT);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        size_t term = crd_i_dictionary_size(sampler->terms);
        bool done = crd_i_dictionary_append(sampler->terms, pass.term);
        for (size_t i = 0; done && i < pass.class_count; i++)
            done = add_entry(sampler->context, &sampler->words, pass.classes[i].condition, (uint32_t)term,
                             pass.classes[i].weight);
        if (!done) status = crd_i_fail_memory(error);
        else if (crd_i_context_cancelled(sampler->context)) status = crd_i_fail_cancelled(error);
    }
    crd_i_term_pass_end(&pass);
    return status;
}

static crd_status read_lengths(crd_i_text_sampler *sampler, const crd_i_term_density *density, crd_error *error) {
    crd_i_term_counts lengths = {.context = sampler->context};
    crd_status status = crd_i_term_store_lengths(density->store, &lengths, error);
    for (size_t i = 0; status == CRD_OK && i < lengths.count; i++) {
        const crd_i_term_count *of = &lengths.entries[i];
        if (!add_entry(sampler->context, &sampler->lengths, of->condition, of->times, of->documents))
            status = crd_i_fail_memory(error);
    }
    crd_i_term_counts_clear(&lengths);
    return status;
}

crd_status crd_i_text_sampler_create(const crd_i_term_density *density, crd_i_text_sampler **out, crd_error *error) {
    crd_context *context = density->base.context;
    *out = NULL;
    crd_i_text_sampler *sampler = crd_i_alloc_zeroed(context, 1, sizeof *sampler);
    if (sampler == NULL) return crd_i_fail_memory(error);
    sampler->context = context;
    sampler->conditions = density->base.conditions;
    sampler->smoothing = density->smoothing;
    sampler->terms = crd_i_dictionary_create(context);
    crd_status status = sampler->terms == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = read_words(sampler, density, error);
    if (status == CRD_OK) status = read_lengths(sampler, density, error);
    if (status == CRD_OK && (!arrange(context, &sampler->words, sampler->conditions) ||
                             !arrange(context, &sampler->lengths, sampler->conditions)))
        status = crd_i_fail_memory(error);
    if (status != CRD_OK) {
        crd_i_text_sampler_destroy(sampler);
        return status;
    }
    *out = sampler;
    return CRD_OK;
}

/* One of a condition's entries, by their weights; there are some. */
static uint32_t choose(const entry_list *list, size_t condition, crd_i_random *random) {
    size_t begin = list->begins[condition], count = list->begins[condition + 1] - begin;
    return list->numbers[begin + crd_i_random_choice(random, list->cumulative + begin, count)];
}

bool crd_i_text_sampler_draw(const crd_i_text_sampler *sampler, size_t condition, crd_i_random *random,
                             crd_i_buffer *to) {
    const entry_list *words = &sampler->words;
    size_t terms = crd_i_dictionary_size(sampler->terms), end = words->begins[condition + 1];
    bool has_words = end > words->begins[condition], done = true;
    if (terms == 0 || sampler->lengths.begins[condition + 1] == sampler->lengths.begins[condition]) return true;
    uint32_t length = choose(&sampler->lengths, condition, random);
    double seen = has_words ? words->cumulative[end - 1] : 0, added = sampler->smoothing * (double)terms;
    for (uint32_t i = 0; done && i < length && seen + added > 0; i++) {
        bool is_seen = has_words && crd_i_random_uniform(random) * (seen + added) < seen;
        size_t term =
            is_seen ? choose(words, condition, random) : (size_t)(crd_i_random_uniform(random) * (double)terms) % terms;
        crd_text text = crd_i_dictionary_text(sampler->terms, term);
        done = (i == 0 || crd_i_buffer_append(to, " ", 1)) && crd_i_buffer_append(to, text.bytes, text.length);
    }
    return done;
}
