/* SPDX-License-Identifier: MIT */
/* row_sampler.c - draws new texts, rows and sequences from a model.
 *
 * The class of a row is drawn from P(class | given), then each attribute from its density given the class. Row r uses
 * random stream r, and each column uses its own stretch of the stream. A column's values therefore do not depend on
 * how many random numbers other columns use.
 *
 * Contents:
 *   1. Texts of a class
 *   2. Rows
 *   3. Sequences */
#include "base/arena.h"
#include "base/buffer.h"
#include "base/call.h"
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "classify/classifier_internal.h"
#include "classify/classify_row.h"
#include "classify/joint_scorer.h"
#include "density/univariate/term_density.h"
#include "math/functions/elementary.h"
#include "math/random.h"
#include "model/model_internal.h"
#include "query/event.h"
#include "sequence/hmm_internal.h"
#include "stats/counts.h"

#include <credence/hmm_answers.h>
#include <credence/sample.h>
#include <math.h>
#include <string.h>

/* Immutable, shared by threads. */
typedef struct crd_i_text_sampler crd_i_text_sampler;

/* ======== 1. Texts of a class ========
 *
 * Multinomial       The number of words is drawn from the training texts of the class. Each word is drawn from
 *                     P(t | c).
 *   words-dirichlet   The number of words is drawn in the same way. Words are drawn from a Polya urn: after i words,
 *                     the next word repeats one of these, each equally likely, with probability i / (s_c + i).
 *                     Otherwise it is drawn from P(t | c) = a_tc / s_c.
 *   bernoulli         Each term occurs once with probability P(t | c), in the order of the terms.
 *
 * A term that never occurred in the class is drawn with the probability that the family assigns to it. */

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
    crd_i_arena *arena;
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

static void text_sampler_destroy(crd_i_text_sampler *sampler) {
    if (sampler == NULL) return;
    crd_i_dictionary_destroy(sampler->terms);
    crd_free(sampler->context, sampler->words.entries);
    crd_free(sampler->context, sampler->lengths.entries);
    crd_free(sampler->context, sampler->others);
    crd_i_arena_destroy(sampler->arena);
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
static bool text_sampler_arrange(const crd_i_text_sampler *sampler, entry_list *list) {
    size_t conditions = sampler->conditions;
    list->begins = crd_i_arena_alloc_zeroed(sampler->arena, conditions + 2, sizeof *list->begins);
    list->numbers = crd_i_arena_alloc(sampler->arena, list->count, sizeof *list->numbers);
    list->cumulative = crd_i_arena_alloc(sampler->arena, list->count, sizeof *list->cumulative);
    if (crd_i_arena_failed(sampler->arena)) return false;
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
    crd_free(sampler->context, list->entries);
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
    if (is_urn) sampler->precision = crd_i_arena_alloc(sampler->arena, sampler->conditions, sizeof *sampler->precision);
    sampler->unseen = crd_i_arena_alloc(sampler->arena, sampler->conditions, sizeof *sampler->unseen);
    if (crd_i_arena_failed(sampler->arena)) return crd_i_fail_memory(error);
    for (size_t k = 0; k < sampler->conditions; k++) {
        if (is_urn) sampler->precision[k] = density->sums[k];
        sampler->unseen[k] = density->math->probability(density, NULL, 0, k);
    }
    return CRD_OK;
}

/* Creates a sampler. Fails with CRD_ERROR_SETTING if the family has term scores instead of probabilities P(t | c). */
static crd_status text_sampler_create(const crd_i_term_density *density, crd_i_text_sampler **out, crd_error *error) {
    crd_context *context = density->base.context;
    *out = NULL;
    if (density->math->probability == NULL)
        return crd_i_fail(error, CRD_ERROR_SETTING,
                          "cannot draw a text: %s has word scores instead of probabilities; use another family",
                          density->weights == NULL ? density->base.family->name : "the model fitted to the texts");
    crd_i_text_sampler *sampler = crd_i_arena_object(context, sizeof *sampler);
    if (sampler == NULL) return crd_i_fail_memory(error);
    sampler->context = context;
    sampler->conditions = density->base.conditions;
    sampler->is_presence = density->math->is_presence;
    sampler->terms = crd_i_dictionary_create(context);
    crd_status status = sampler->terms == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = read_conditions(sampler, density, error);
    if (status == CRD_OK) status = text_sampler_read_words(sampler, density, error);
    if (status == CRD_OK) status = read_lengths(sampler, density, error);
    if (status == CRD_OK &&
        (!text_sampler_arrange(sampler, &sampler->words) || !text_sampler_arrange(sampler, &sampler->lengths)))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) *out = sampler;
    else text_sampler_destroy(sampler);
    return status;
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

/* Appends the words of a new text to the buffer, separated by spaces. Returns false if memory runs out. */
static bool text_sampler_draw(const crd_i_text_sampler *sampler, size_t condition, crd_i_random *random,
                              crd_i_buffer *buffer) {
    const entry_list *lengths = &sampler->lengths;
    bool has_texts = lengths->begins[condition + 1] > lengths->begins[condition];
    if (!has_texts || crd_i_dictionary_size(sampler->terms) == 0) return true;
    return sampler->is_presence ? draw_presence(sampler, condition, random, buffer)
                                : text_sampler_draw_words(sampler, condition, random, buffer);
}

/* ======== 2. Rows ======== */

/* Distance between the stretches of adjacent columns, in random numbers. A normal value takes two numbers in four of
 * five cases, and more than 64 numbers once in 10^21. */
enum { STRETCH = 64 };
/* The stretches of text columns begin at multiples of 2^40, after the stretches of all columns. A text needs as many
 * random numbers as it has words. */
enum { FIRST_OF_TEXT = 40 };

typedef struct sampled_column {
    crd_value given; /* the value that the caller fixed; type NONE: the value is drawn */
    bool is_empty;   /* no value was ever present, so the column cannot be drawn from */
    /* for a categorical column: classes x values, cumulative within each class; NULL: too many to store */
    double *cumulative;
    crd_i_text_sampler *words; /* for a text column that is drawn */
} sampled_column;

struct crd_sampler {
    crd_i_arena *arena;
    crd_context *context;
    crd_query *query;
    uint64_t seed;
    double *classes; /* cumulative probabilities */
    sampled_column *columns;
    size_t column_count;
};

void crd_sampler_destroy(crd_sampler *sampler) {
    if (sampler == NULL) return;
    for (size_t i = 0; i < sampler->column_count; i++) text_sampler_destroy(sampler->columns[i].words);
    crd_query_destroy(sampler->query);
    crd_i_arena_destroy(sampler->arena);
}

/* ---- Derivation ---- */

/* Sets the given value of a column. Text then points into the query's dictionaries, or into a copy that the sampler
 * owns. Fails with CRD_ERROR_COLUMN if the column never had the value. */
static crd_status fix_column(crd_sampler *sampler, size_t column, const crd_value *given, crd_error *error) {
    const crd_query *query = sampler->query;
    crd_value *target_value = &sampler->columns[column].given;
    size_t class_index;
    if (column == query->target) {
        crd_status status = crd_i_query_class(query, given, &class_index, error);
        if (status != CRD_OK) return status;
        target_value->type = CRD_TYPE_CATEGORICAL;
        target_value->text = crd_i_dictionary_text(query->classifier->classes, class_index);
        return CRD_OK;
    }
    const crd_i_attribute *attribute = crd_i_query_attribute(query, column);
    size_t index = (size_t)(attribute - query->classifier->attributes);
    crd_i_one_cell cell;
    crd_status status = crd_i_classifier_cell(query->classifier, index, given, &cell, error);
    if (status != CRD_OK || !cell.is_present) return status;
    if ((cell.is_unseen && attribute->type == CRD_TYPE_CATEGORICAL) || attribute->type == CRD_TYPE_NONE) {
        char name[CRD_I_QUOTED_ROOM], value[CRD_I_QUOTED_ROOM];
        crd_i_quote(attribute->name, name);
        crd_i_fail(error, CRD_ERROR_COLUMN, "column '%s' never had the value '%s'", name,
                   crd_i_quote(given->text, value));
        crd_i_error_subject(error, attribute->name);
        return CRD_ERROR_COLUMN;
    }
    target_value->type = attribute->type;
    target_value->number = cell.number;
    if (attribute->type == CRD_TYPE_CATEGORICAL)
        target_value->text = crd_i_dictionary_text(attribute->values, (size_t)cell.code);
    if (attribute->type != CRD_TYPE_TEXT) return CRD_OK;
    target_value->text = crd_i_arena_copy_text(sampler->arena, given->text);
    return crd_i_arena_check(sampler->arena, error);
}

/* Computes the cumulative sums of P(class | given). */
static crd_status weigh_classes(crd_sampler *sampler, crd_error *error) {
    size_t count = sampler->query->classifier->class_count;
    crd_answer answer;
    crd_value *given = crd_i_arena_alloc(sampler->arena, sampler->column_count, sizeof *given);
    sampler->classes = crd_i_arena_alloc(sampler->arena, count, sizeof *sampler->classes);
    if (crd_i_arena_failed(sampler->arena)) return crd_i_fail_memory(error);
    for (size_t i = 0; i < sampler->column_count; i++) given[i] = sampler->columns[i].given;
    crd_status status = crd_query_posterior(sampler->query, given, sampler->classes, &answer, error);
    if (status != CRD_OK) return status;
    if (answer.decision < 0)
        return crd_i_fail(error, CRD_ERROR_EMPTY, "the given values have probability zero under every class");
    double sum = 0;
    for (size_t k = 0; k < count; k++) sampler->classes[k] = sum += crd_exp(sampler->classes[k]);
    return CRD_OK;
}

/* Returns P(value | class) of a categorical density. */
static double row_sampler_probability(const crd_i_density *density, size_t class_index, size_t value) {
    int32_t code = (int32_t)value;
    crd_i_cells cell = {.rows = 1, .codes = &code};
    crd_term term = CRD_TERM_INIT;
    density->family->term(density, &cell, class_index, &term);
    return crd_exp(term.log_value);
}

/* Prepares a column that will be drawn: a text sampler, or cumulative probabilities unless there are too many
 * values. */
static crd_status prepare_column(crd_sampler *sampler, const crd_model *model, size_t column, crd_error *error) {
    sampled_column *sampled = &sampler->columns[column];
    const crd_i_tally *tally = model->variables[column].tally;
    const crd_i_attribute *attribute = crd_i_query_attribute(sampler->query, column);
    const crd_i_density *density = attribute->density;
    sampled->is_empty = density == NULL || tally == NULL || crd_i_tally_is_empty(tally);
    if (sampled->is_empty || attribute->type == CRD_TYPE_NUMERIC) return CRD_OK;
    if (attribute->type == CRD_TYPE_TEXT)
        return text_sampler_create((const crd_i_term_density *)density, &sampled->words, error);
    size_t values = crd_i_dictionary_size(attribute->values), classes = density->conditions;
    if (!crd_i_counts_suit_array(tally, classes, values)) return CRD_OK;
    sampled->cumulative = crd_i_arena_alloc(sampler->arena, values * classes, sizeof *sampled->cumulative);
    if (sampled->cumulative == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < classes; k++) {
        double sum = 0;
        for (size_t value = 0; value < values; value++)
            sampled->cumulative[k * values + value] = sum += row_sampler_probability(density, k, value);
    }
    return CRD_OK;
}

crd_status crd_sampler_create(const crd_model *model, const crd_settings *settings, const crd_value *given,
                              uint64_t seed, crd_sampler **out, crd_error *error) {
    *out = NULL;
    crd_sampler *sampler = crd_i_arena_object(model->context, sizeof *sampler);
    if (sampler == NULL) return crd_i_fail_memory(error);
    sampler->context = model->context;
    sampler->seed = seed;
    crd_status status = crd_query_create(model, settings, &sampler->query, error);
    if (status != CRD_OK) goto fail;
    size_t count = crd_query_column_count(sampler->query);
    sampler->columns = crd_i_arena_alloc_zeroed(sampler->arena, count, sizeof *sampler->columns);
    if (sampler->columns == NULL) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    sampler->column_count = count;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        bool is_given = given != NULL && given[i].type != CRD_TYPE_NONE;
        if (is_given) status = fix_column(sampler, i, &given[i], error);
        bool is_drawn = i != sampler->query->target && sampler->columns[i].given.type == CRD_TYPE_NONE;
        if (status == CRD_OK && is_drawn) status = prepare_column(sampler, model, i, error);
    }
    if (status == CRD_OK) status = weigh_classes(sampler, error);
    if (status != CRD_OK) goto fail;
    *out = sampler;
    return CRD_OK;

fail:
    crd_sampler_destroy(sampler);
    return status;
}

/* ---- Properties ---- */

size_t crd_sampler_column_count(const crd_sampler *sampler) {
    return sampler->column_count;
}

crd_text crd_sampler_column_name(const crd_sampler *sampler, size_t column) {
    return crd_query_column_name(sampler->query, column);
}

crd_column_type crd_sampler_column_type(const crd_sampler *sampler, size_t column) {
    return crd_query_column_type(sampler->query, column);
}

size_t crd_sampler_target(const crd_sampler *sampler) {
    return crd_query_target(sampler->query);
}

/* ---- Sampling ---- */

static crd_i_random random_of(const crd_sampler *sampler, uint64_t row, uint64_t stretch) {
    crd_i_random random = crd_i_random_at(sampler->seed, row);
    random.place = stretch * STRETCH;
    return random;
}

/* Draws a value as crd_i_random_choice would draw it from cumulative probabilities, without storing them. Probabilities
 * are computed twice: once for their sum, and once for the draw. */
static size_t draw_value(const crd_i_density *density, size_t class_index, size_t values, crd_i_random *random) {
    double total = 0, sum = 0;
    size_t last = 0;
    for (size_t value = 0; value < values; value++) total += row_sampler_probability(density, class_index, value);
    double point = crd_i_random_uniform(random) * total;
    for (size_t value = 0; value < values; value++) {
        double before = sum;
        sum += row_sampler_probability(density, class_index, value);
        if (sum > point) return value;
        if (sum > before) last = value;
    }
    return last;
}

/* Draws the value of a column for a row of the given class. Returns the given value if there is one, and no value if
 * the column was always empty. */
static crd_value row_sampler_draw_cell(const crd_sampler *sampler, size_t column, size_t class_index,
                                       crd_i_random random) {
    const sampled_column *sampled = &sampler->columns[column];
    const crd_i_attribute *attribute = crd_i_query_attribute(sampler->query, column);
    if (sampled->given.type != CRD_TYPE_NONE || sampled->is_empty) return sampled->given;
    crd_value cell = {attribute->type, 0, {NULL, 0}};
    if (attribute->type == CRD_TYPE_TEXT) {
        cell.type = CRD_TYPE_TEXT; /* crd_sampler_text draws the text */
    } else if (attribute->type == CRD_TYPE_NUMERIC) {
        cell.number = attribute->density->family->draw(attribute->density, class_index, &random);
    } else {
        size_t values = crd_i_dictionary_size(attribute->values);
        size_t value = sampled->cumulative == NULL
                           ? draw_value(attribute->density, class_index, values, &random)
                           : crd_i_random_choice(&random, sampled->cumulative + class_index * values, values);
        cell.text = crd_i_dictionary_text(attribute->values, value);
    }
    return cell;
}

/* Returns the random number stream that draws the target of a row. */
static crd_i_random sampler_random(const crd_sampler *sampler, uint64_t row) {
    return random_of(sampler, row, sampler->query->target);
}

/* Draws a row like crd_sampler_draw, but with the given class. */
static void sampler_draw_of_class(const crd_sampler *sampler, uint64_t row, size_t class_index, crd_value *values) {
    const crd_classifier *classifier = sampler->query->classifier;
    size_t target = sampler->query->target;
    for (size_t i = 0; i < sampler->column_count; i++)
        if (i != target) values[i] = row_sampler_draw_cell(sampler, i, class_index, random_of(sampler, row, i));
    const crd_value drawn = {CRD_TYPE_CATEGORICAL, 0, crd_i_dictionary_text(classifier->classes, class_index)};
    values[target] = drawn;
}

static size_t row_sampler_draw_class(const crd_sampler *sampler, uint64_t row) {
    crd_i_random random = sampler_random(sampler, row);
    return crd_i_random_choice(&random, sampler->classes, sampler->query->classifier->class_count);
}

void crd_sampler_draw(const crd_sampler *sampler, uint64_t row, crd_value *values) {
    sampler_draw_of_class(sampler, row, row_sampler_draw_class(sampler, row), values);
}

crd_status crd_sampler_check(const crd_sampler *sampler, crd_error *error) {
    return crd_i_context_cancelled(sampler->context) ? crd_i_fail_cancelled(error) : CRD_OK;
}

crd_status crd_sampler_text(const crd_sampler *sampler, uint64_t row, size_t column, char **text, size_t *length,
                            crd_error *error) {
    *text = NULL;
    *length = 0;
    if (column >= sampler->column_count || crd_sampler_column_type(sampler, column) != CRD_TYPE_TEXT)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "column %zu is not a text column", column);
    const sampled_column *sampled = &sampler->columns[column];
    crd_i_buffer drawn = {.context = sampler->context};
    bool done = true;
    if (sampled->given.type != CRD_TYPE_NONE) {
        done = crd_i_buffer_append(&drawn, sampled->given.text.bytes, sampled->given.text.length);
    } else if (sampled->words != NULL) {
        crd_i_random random = crd_i_random_at(sampler->seed, row);
        random.place = (uint64_t)(column + 1) << FIRST_OF_TEXT;
        done = text_sampler_draw(sampled->words, row_sampler_draw_class(sampler, row), &random, &drawn);
    }
    if (done) done = crd_i_buffer_append(&drawn, "", 1);
    if (!done) {
        crd_free(sampler->context, drawn.bytes);
        return crd_i_fail_memory(error);
    }
    *text = (char *)drawn.bytes;
    *length = drawn.length - 1;
    return CRD_OK;
}

/* ======== 3. Sequences ========
 *
 * Sequences are drawn state by state, with an observation for each state. See credence/hmm_answers.h.
 *
 * Step t of sequence i uses random stream i 2^40 + t. The target column's stretch of the stream draws the state and
 * its mixture component. Every other column has its own stretch. */

enum { STREAMS_OF_SEQUENCE_BITS = 40 };

struct crd_sequence_sampler {
    crd_i_arena *arena;
    crd_hmm *hmm;
    crd_sampler *cells;
    size_t target;
    uint64_t seed;
    crd_i_joint_cell *joint_cells;     /* working memory for a draw from a joint density */
    double *cumulative;                /* cumulative probabilities of the next states and of the end */
    uint32_t latest[CRD_I_MOST_ORDER]; /* the latest states, earliest first, or the begin symbol */
    uint64_t number, step;
};

/* Returns the joint densities that draw columns together, instead of the columns' own densities. Returns NULL if there
 * are none. */
static const crd_i_scorer_joints *sequence_sampler_joints(const crd_sequence_sampler *sampler) {
    const crd_i_scorer_joints *joints = crd_hmm_facts_of(sampler->hmm)->emissions->scorer->type->joints;
    return joints != NULL && joints->block != NULL ? joints : NULL;
}

/* Fails with CRD_ERROR_SETTING if a joint density does not support draws. */
static crd_status check_joints(const crd_sequence_sampler *sampler, crd_error *error) {
    const crd_i_scorer_joints *joints = sequence_sampler_joints(sampler);
    const crd_i_scorer *scorer = crd_hmm_facts_of(sampler->hmm)->emissions->scorer;
    for (size_t i = 0; joints != NULL && i < joints->count(scorer); i++) {
        const crd_i_joint_type *type = joints->block(scorer, i)->joint->type;
        if (type->draw != NULL) continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "cannot draw from the joint density %s", type->name);
        crd_i_error_subject(error, crd_text_of("joint"));
        crd_i_error_hint(error, "use joint=none, or joint=numbers with covariance=full");
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

/* Creates the sampler for the values of a step. It draws every column separately. The values of columns in a joint
 * density are replaced afterwards. */
static crd_status create_cells(crd_sequence_sampler *sampler, const crd_model *model, uint64_t seed, crd_error *error) {
    const crd_classifier *emissions = crd_hmm_facts_of(sampler->hmm)->emissions;
    crd_settings *single = NULL;
    crd_status status = check_joints(sampler, error);
    if (status == CRD_OK) status = crd_settings_clone(crd_classifier_settings(emissions), &single, error);
    if (status == CRD_OK) status = crd_settings_set(single, "joint", crd_text_of("none"), error);
    if (status == CRD_OK)
        status = crd_sampler_create(crd_i_hmm_content_of(model)->emissions, single, NULL, seed, &sampler->cells, error);
    crd_settings_destroy(single);
    if (status != CRD_OK) return status;
    sampler->seed = seed;
    sampler->joint_cells =
        crd_i_arena_alloc_zeroed(sampler->arena, emissions->attribute_count, sizeof *sampler->joint_cells);
    return sampler->joint_cells == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

crd_status crd_sequence_sampler_create(const crd_model *model, const crd_settings *settings, uint64_t seed,
                                       crd_sequence_sampler **out, crd_error *error) {
    *out = NULL;
    crd_sequence_sampler *sampler = crd_i_arena_object(model->context, sizeof *sampler);
    if (sampler == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_hmm_create(model, settings, &sampler->hmm, error);
    if (status != CRD_OK) goto fail;
    status = create_cells(sampler, model, seed, error);
    if (status != CRD_OK) goto fail;
    sampler->target = crd_sampler_target(sampler->cells);
    sampler->cumulative = crd_i_arena_alloc(sampler->arena, sampler->hmm->state_count + 1, sizeof *sampler->cumulative);
    if (sampler->cumulative == NULL) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    *out = sampler;
    return CRD_OK;

fail:
    crd_sequence_sampler_destroy(sampler);
    return status;
}

void crd_sequence_sampler_destroy(crd_sequence_sampler *sampler) {
    if (sampler == NULL) return;
    crd_hmm_destroy(sampler->hmm);
    crd_sampler_destroy(sampler->cells);
    crd_i_arena_destroy(sampler->arena);
}

size_t crd_sequence_sampler_column_count(const crd_sequence_sampler *sampler) {
    return crd_sampler_column_count(sampler->cells);
}

crd_text crd_sequence_sampler_column_name(const crd_sequence_sampler *sampler, size_t column) {
    return crd_sampler_column_name(sampler->cells, column);
}

crd_column_type crd_sequence_sampler_column_type(const crd_sequence_sampler *sampler, size_t column) {
    return crd_sampler_column_type(sampler->cells, column);
}

int crd_sequence_sampler_ends(const crd_sequence_sampler *sampler) {
    return crd_hmm_facts_of(sampler->hmm)->has_end;
}

void crd_sequence_sampler_begin(crd_sequence_sampler *sampler, uint64_t number) {
    sampler->number = number;
    sampler->step = 0;
    for (size_t i = 0; i < CRD_I_MOST_ORDER; i++) sampler->latest[i] = CRD_I_SYMBOL_BEGIN;
}

/* Computes the cumulative probabilities of the next states, followed by the probability that the sequence ends. */
static void sum_up(crd_sequence_sampler *sampler, bool may_end) {
    const size_t states = sampler->hmm->state_count;
    double sum = 0;
    crd_i_transition_model_row(sampler->hmm->transitions, sampler->latest, sampler->cumulative);
    for (size_t k = 0; k < states; k++) sampler->cumulative[k] = sum += sampler->cumulative[k];
    sampler->cumulative[states] = sum + (may_end && sampler->step > 0 ? sampler->cumulative[states] : 0);
}

/* Appends a state to the latest states and drops the earliest. */
static void sequence_sampler_remember(crd_sequence_sampler *sampler, size_t state) {
    const size_t order = sampler->hmm->order;
    for (size_t i = 1; i < order; i++) sampler->latest[i - 1] = sampler->latest[i];
    sampler->latest[order - 1] = (uint32_t)state;
}

/* Draws a mixture component of the state by weight, and returns its class. Returns SIZE_MAX if no component has
 * rows. */
static size_t sequence_sampler_draw_class(const crd_hmm *hmm, size_t state, crd_i_random *random) {
    const size_t components = crd_hmm_facts_of(hmm)->components;
    double point = crd_i_random_uniform(random), sum = 0;
    size_t chosen = SIZE_MAX;
    for (size_t m = 0; m < components && (chosen == SIZE_MAX || sum <= point); m++) {
        double weight = 0;
        const size_t class_index = crd_hmm_emission_class(hmm, state, m, &weight);
        if (class_index == SIZE_MAX || !(weight > 0)) continue;
        chosen = class_index;
        sum += weight;
    }
    return chosen;
}

/* Draws the values of joint densities, with random numbers from a separate key. */
static void draw_joints(crd_sequence_sampler *sampler, uint64_t row, size_t class_index, crd_value *values) {
    static const uint64_t OTHER_KEY = UINT64_C(0x9e3779b97f4a7c15);
    const crd_i_scorer_joints *joints = sequence_sampler_joints(sampler);
    const crd_i_scorer *scorer = crd_hmm_facts_of(sampler->hmm)->emissions->scorer;
    crd_i_random random = crd_i_random_at(sampler->seed ^ OTHER_KEY, row);
    for (size_t i = 0; joints != NULL && i < joints->count(scorer); i++) {
        const crd_i_joint_block *block = joints->block(scorer, i);
        block->joint->type->draw(block->joint, class_index, &random, sampler->joint_cells);
        for (size_t c = 0; c < block->joint->column_count; c++) {
            const size_t attribute = block->attributes[c], column = attribute + (attribute >= sampler->target);
            if (!block->joint->takes[c]) continue;
            values[column] = (crd_value){CRD_TYPE_NUMERIC, sampler->joint_cells[c].number, {NULL, 0}};
        }
    }
}

int crd_sequence_sampler_next(crd_sequence_sampler *sampler, int may_end, crd_value *values) {
    const crd_hmm *hmm = sampler->hmm;
    const uint64_t row = (sampler->number << STREAMS_OF_SEQUENCE_BITS) + sampler->step;
    crd_i_random random = sampler_random(sampler->cells, row);
    sum_up(sampler, may_end != 0);
    if (!(sampler->cumulative[hmm->state_count] > 0)) return 0;
    const size_t state = crd_i_random_choice(&random, sampler->cumulative, hmm->state_count + 1);
    if (state == hmm->state_count) return 0;
    const size_t class_index = sequence_sampler_draw_class(hmm, state, &random);
    if (class_index != SIZE_MAX) {
        sampler_draw_of_class(sampler->cells, row, class_index, values);
        draw_joints(sampler, row, class_index, values);
    } else {
        for (size_t i = 0; i < crd_sampler_column_count(sampler->cells); i++)
            values[i] = (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}};
    }
    values[sampler->target] = (crd_value){CRD_TYPE_CATEGORICAL, 0, crd_i_dictionary_text(hmm->states, state)};
    sequence_sampler_remember(sampler, state);
    sampler->step++;
    return 1;
}
