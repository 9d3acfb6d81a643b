/* SPDX-License-Identifier: MIT */
/* term_density.c - the densities of texts: readers of documents, derivation, evaluation, explanations and smoothing.
 * See term_density.h.
 *
 * Contents:
 *   1. Readers of documents
 *   2. Sums over all terms
 *   3. Derivation
 *   4. Evaluation
 *   5. Explanations
 *   6. Weights of terms
 *   7. Empirical Bayes smoothing */
#include "density/univariate/term_density.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"
#include "text/tokens.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* ======== 1. Readers of documents ======== */

/* The maximum number of terms and values that a reader caches between documents: some tens of megabytes. */
enum { MOST_MET = 1 << 18, MOST_VALUES = 1 << 21 };

struct crd_i_term_readers {
    crd_context *context;
    pthread_mutex_t mutex;
    crd_i_term_reader *free; /* the readers that no thread uses */
};

/* Returns NULL if memory runs out. */
static crd_i_term_readers *term_readers_create(crd_context *context) {
    crd_i_term_readers *readers = crd_i_alloc_zeroed(context, 1, sizeof *readers);
    if (readers == NULL) return NULL;
    readers->context = context;
    if (pthread_mutex_init(&readers->mutex, NULL) == 0) return readers;
    crd_free(context, readers);
    return NULL;
}

static void destroy_reader(crd_i_term_reader *reader) {
    crd_context *context = reader->context;
    crd_i_tokenizer_destroy(reader->tokenizer);
    crd_i_dictionary_destroy(reader->terms);
    crd_free(context, reader->met);
    crd_free(context, reader->values);
    crd_free(context, reader->result);
    crd_free(context, reader->repeats);
    crd_i_term_counts_clear(&reader->counts);
    crd_free(context, reader->classes);
    crd_free(context, reader);
}

static void term_readers_destroy(crd_i_term_readers *readers) {
    if (readers == NULL) return;
    while (readers->free != NULL) {
        crd_i_term_reader *reader = readers->free;
        readers->free = reader->next;
        destroy_reader(reader);
    }
    pthread_mutex_destroy(&readers->mutex);
    crd_free(readers->context, readers);
}

static crd_status create_reader(const crd_i_term_density *density, crd_i_term_reader **out, crd_error *error) {
    crd_context *context = density->base.context;
    crd_i_term_reader *reader = crd_i_alloc_zeroed(context, 1, sizeof *reader);
    *out = NULL;
    if (reader == NULL) return crd_i_fail_memory(error);
    reader->context = reader->counts.context = context;
    reader->density = density;
    reader->terms = crd_i_dictionary_create(context);
    crd_status status = reader->terms == NULL
                            ? crd_i_fail_memory(error)
                            : crd_i_tokenizer_create(context, &density->rules, &reader->tokenizer, error);
    if (status != CRD_OK) {
        destroy_reader(reader);
        return status;
    }
    *out = reader;
    return CRD_OK;
}

crd_status crd_i_term_reader_take(const crd_i_term_density *density, crd_i_term_reader **out, crd_error *error) {
    crd_i_term_readers *readers = density->readers;
    pthread_mutex_lock(&readers->mutex);
    crd_i_term_reader *reader = readers->free;
    if (reader != NULL) readers->free = reader->next;
    pthread_mutex_unlock(&readers->mutex);
    *out = reader;
    return reader == NULL ? create_reader(density, out, error) : CRD_OK;
}

void crd_i_term_reader_give_back(crd_i_term_reader *reader) {
    crd_i_term_readers *readers = reader->density->readers;
    pthread_mutex_lock(&readers->mutex);
    reader->next = readers->free;
    readers->free = reader;
    pthread_mutex_unlock(&readers->mutex);
}

/* ---- Terms ---- */

/* Stores the fitted weights of a term as its values, and its inverse document frequency as its constant. */
static crd_status term_readers_take_weights(crd_i_term_reader *reader, crd_text term, crd_i_met_term *met,
                                            crd_error *error) {
    const crd_i_term_weights *weights = reader->density->weights;
    const size_t conditions = reader->density->base.conditions;
    const int32_t index = crd_i_dictionary_find(weights->terms, term);
    met->counts = index >= 0;
    if (!met->counts) return CRD_OK;
    if (!crd_i_reserve(reader->context, &reader->values, &reader->value_capacity, reader->value_count + conditions,
                       sizeof *reader->values))
        return crd_i_fail_memory(error);
    for (size_t k = 0; k < conditions; k++)
        reader->values[reader->value_count++] =
            (crd_i_term_value){(int32_t)k, weights->values[(size_t)index * conditions + k]};
    met->value_count = (uint32_t)conditions;
    met->constant = weights->rarities[index];
    return CRD_OK;
}

/* Computes the values of a term from its counts. */
static crd_status term_readers_weigh(crd_i_term_reader *reader, crd_text term, crd_i_met_term *met, crd_error *error) {
    const crd_i_term_density *density = reader->density;
    crd_i_term_counts *counts = &reader->counts;
    *met = (crd_i_met_term){.first_value = reader->value_count};
    crd_status status = crd_i_term_store_find(density->store, term, counts, &met->is_known, error);
    if (status != CRD_OK || !met->is_known) return status;
    if (density->weights != NULL) return term_readers_take_weights(reader, term, met, error);
    if (!crd_i_reserve(reader->context, &reader->classes, &reader->class_capacity, counts->count,
                       sizeof *reader->classes) ||
        !crd_i_reserve(reader->context, &reader->values, &reader->value_capacity, reader->value_count + counts->count,
                       sizeof *reader->values))
        return crd_i_fail_memory(error);
    size_t count = crd_i_term_classes(counts, density->tf, reader->classes);
    met->counts = crd_i_term_selection_has(&density->selection, term, reader->classes, count);
    if (!met->counts) return CRD_OK;
    density->math->weigh(density, counts, reader->classes, count, reader->values + reader->value_count, &met->constant);
    met->value_count = (uint32_t)count;
    reader->value_count += count;
    return CRD_OK;
}

/* Finds the code of a term, and adds the term if it is new. Its number of occurrences does not change. */
static crd_status term_reader_meet(crd_i_term_reader *reader, crd_text term, int32_t *code, crd_error *error) {
    *code = crd_i_dictionary_add(reader->terms, term);
    if (*code < 0) return crd_i_fail_memory(error);
    size_t place = (size_t)*code;
    if (place < reader->met_count) return CRD_OK;
    /* If computing its values failed before, the term is in the dictionary, but its values are computed again. */
    if (!crd_i_reserve(reader->context, &reader->met, &reader->met_capacity, place + 1, sizeof *reader->met))
        return crd_i_fail_memory(error);
    for (size_t i = reader->met_count; i < place; i++) {
        crd_status status = term_readers_weigh(reader, crd_i_dictionary_text(reader->terms, i), &reader->met[i], error);
        if (status != CRD_OK) return status;
        reader->met_count = i + 1;
    }
    crd_status status = term_readers_weigh(reader, term, &reader->met[place], error);
    if (status == CRD_OK) reader->met_count = place + 1;
    return status;
}

/* ---- Documents ---- */

static crd_status add_occurrences(crd_i_term_reader *reader, crd_text term, uint32_t times, crd_error *error) {
    int32_t code;
    crd_status status = term_reader_meet(reader, term, &code, error);
    if (status != CRD_OK) return status;
    crd_i_met_term *met = &reader->met[code];
    if (met->times == 0) {
        if (!crd_i_reserve(reader->context, &reader->result, &reader->found_capacity, reader->found_count + 1,
                           sizeof *reader->result))
            return crd_i_fail_memory(error);
        reader->result[reader->found_count++] = code;
    }
    met->times = UINT32_MAX - met->times < times ? UINT32_MAX : met->times + times;
    return CRD_OK;
}

static crd_status term_readers_read_text(crd_i_term_reader *reader, crd_text text, crd_error *error) {
    const crd_i_term *terms;
    size_t count;
    crd_status status = crd_i_tokenizer_begin(reader->tokenizer, text, error);
    do {
        if (status == CRD_OK) status = crd_i_tokenizer_next(reader->tokenizer, &terms, &count, error);
        for (size_t i = 0; status == CRD_OK && i < count; i++) {
            const crd_text term = {terms[i].bytes, terms[i].length};
            status = add_occurrences(reader, term, 1, error);
        }
    } while (status == CRD_OK && count > 0);
    return status;
}

static crd_status term_readers_read_bag(crd_i_term_reader *reader, crd_text bag, crd_error *error) {
    crd_i_bag_cursor cursor;
    crd_text term;
    uint32_t times;
    bool more = true;
    crd_status status = crd_i_bag_begin(bag, &cursor, error);
    while (status == CRD_OK) {
        status = crd_i_bag_next(&cursor, &term, &times, &more, error);
        if (status != CRD_OK || !more) break;
        status = add_occurrences(reader, term, times, error);
    }
    return status;
}

crd_status crd_i_term_reader_begin(crd_i_term_reader *reader, crd_text text, bool is_bag, crd_error *error) {
    /* The terms of the last document are kept, however many there are. An explanation reads the document again. */
    bool is_full = reader->met_count > MOST_MET || reader->value_count > MOST_VALUES;
    if (is_full && reader->met_count > reader->last_count) {
        crd_i_dictionary_empty(reader->terms);
        reader->met_count = reader->value_count = 0;
    }
    crd_status status =
        is_bag ? term_readers_read_bag(reader, text, error) : term_readers_read_text(reader, text, error);
    if (status != CRD_OK) crd_i_term_reader_end(reader);
    return status;
}

void crd_i_term_reader_end(crd_i_term_reader *reader) {
    for (size_t i = 0; i < reader->found_count; i++) reader->met[reader->result[i]].times = 0;
    reader->last_count = reader->found_count;
    reader->found_count = 0;
}

/* ======== 2. Sums over all terms ======== */

void crd_i_term_density_destroy(crd_i_density *base) {
    crd_i_term_density *density = (crd_i_term_density *)base;
    term_readers_destroy(density->readers);
    crd_i_term_selection_clear(&density->selection);
    crd_free(base->context, density->values);
    crd_i_term_weights_destroy(density->weights);
    crd_i_term_store_release(density->store);
    crd_i_arena_destroy(base->arena);
}

crd_status crd_i_term_density_room(crd_i_term_density *density, size_t count, crd_error *error) {
    if (density->values == NULL) density->values = crd_i_alloc(density->base.context, count, sizeof *density->values);
    return density->values == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

/* The cached numbers are an array of doubles: HEAD numbers, the last term of the vocabulary with six bytes per double,
 * the totals of the conditions, and the sums. */
enum { BYTES_OF_NUMBER = 6, HEAD = 4 };

/* Returns whether the density needs a pass over all terms, so that caching its result is worthwhile. */
static bool needs_pass(const crd_i_term_density *density) {
    return crd_i_term_selection_is_active(&density->selection) || density->tf != CRD_I_TF_COUNT ||
           density->sum_count > 0;
}

/* Counts the selected terms, and sums their tf(x) and their texts for each condition, in one pass. */
static crd_status sum_totals(crd_i_term_density *density, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    crd_status status = CRD_OK;
    density->texts = crd_i_arena_alloc_zeroed(density->base.arena, density->base.conditions, sizeof *density->texts);
    if (density->texts == NULL) return crd_i_fail_memory(error);
    crd_i_term_pass_begin(&pass, density->store, &density->selection, density->tf);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        density->terms++;
        for (size_t i = 0; i < pass.class_count; i++) {
            density->totals[pass.classes[i].condition] += pass.classes[i].weight;
            density->texts[pass.classes[i].condition] += pass.classes[i].documents;
        }
    }
    crd_i_term_pass_end(&pass);
    return status;
}

/* Computes the selection threshold, the totals, and the sums of the family. */
static crd_status sum_all(crd_i_term_density *density, crd_error *error) {
    crd_status status = crd_i_term_selection_fit(&density->selection, density->store, error);
    bool is_whole = !crd_i_term_selection_is_active(&density->selection) && density->tf == CRD_I_TF_COUNT;
    if (status == CRD_OK && is_whole) {
        density->terms = (double)crd_i_term_store_terms(density->store);
        for (size_t k = 0; k < density->base.conditions; k++)
            density->totals[k] = crd_i_term_store_occurrences(density->store, k);
    } else if (status == CRD_OK) {
        status = sum_totals(density, error);
    }
    if (status == CRD_OK && density->sum_count > 0) status = density->math->sum(density, density->sums, error);
    return status;
}

static size_t term_density_packed_count(size_t bytes) {
    return (bytes + BYTES_OF_NUMBER - 1) / BYTES_OF_NUMBER;
}

/* Packs the threshold, totals and sums into an array for the cache. The caller frees it. */
static crd_status term_density_pack(const crd_i_term_density *density, double **out, size_t *count, crd_error *error) {
    const crd_i_term_selection *selection = &density->selection;
    size_t conditions = density->base.conditions, length = selection->last.length,
           packed = term_density_packed_count(length);
    size_t all = HEAD + packed + conditions + density->sum_count;
    double *numbers = crd_i_alloc_zeroed(density->base.context, all, sizeof *numbers);
    if (numbers == NULL) return crd_i_fail_memory(error);
    double *next = numbers + HEAD;
    numbers[0] = density->terms;
    numbers[1] = selection->has_threshold;
    numbers[2] = selection->threshold;
    numbers[3] = (double)length;
    for (size_t i = 0; i < length; i++)
        next[i / BYTES_OF_NUMBER] = next[i / BYTES_OF_NUMBER] * 256 + selection->last.bytes[i];
    next += packed;
    for (size_t k = 0; k < conditions; k++) next[k] = density->totals[k];
    for (size_t i = 0; i < density->sum_count; i++) next[conditions + i] = density->sums[i];
    *out = numbers;
    *count = all;
    return CRD_OK;
}

/* Unpacks the last term of the vocabulary. Returns false if the numbers are invalid or memory runs out. */
static bool unpack_last(crd_i_buffer *last, const double *numbers, size_t length) {
    for (size_t i = 0; i < length; i += BYTES_OF_NUMBER) {
        size_t part = length - i < BYTES_OF_NUMBER ? length - i : BYTES_OF_NUMBER;
        double number = numbers[i / BYTES_OF_NUMBER];
        if (!(number >= 0 && number < 0x1p48)) return false;
        uint64_t bits = (uint64_t)number;
        for (size_t j = part; j-- > 0;) {
            const unsigned char byte = (unsigned char)(bits >> 8 * j);
            if (!crd_i_buffer_append(last, &byte, 1)) return false;
        }
    }
    return true;
}

/* Unpacks cached numbers. Returns false if they do not belong to this density; they are then computed again. */
static bool term_density_unpack(crd_i_term_density *density, const double *numbers, size_t count) {
    size_t conditions = density->base.conditions, of_conditions = conditions + density->sum_count;
    if (count < HEAD + of_conditions || !(numbers[3] >= 0 && numbers[3] <= (double)count * BYTES_OF_NUMBER))
        return false;
    size_t length = (size_t)numbers[3], packed = term_density_packed_count(length);
    if (count != HEAD + packed + of_conditions || !(numbers[0] >= 0)) return false;
    if (!unpack_last(&density->selection.last, numbers + HEAD, length)) return false;
    density->terms = numbers[0];
    density->selection.has_threshold = numbers[1] != 0;
    density->selection.threshold = numbers[2];
    const double *next = numbers + HEAD + packed;
    for (size_t k = 0; k < conditions; k++) density->totals[k] = next[k];
    for (size_t i = 0; i < density->sum_count; i++) density->sums[i] = next[conditions + i];
    return true;
}

/* ======== 3. Derivation ======== */

/* Creates a density with its settings, term store and selection, but without any sums. */
static crd_status term_density_open(const crd_i_term_math *math, crd_context *context, const crd_i_tallied *attribute,
                                    const crd_settings *settings, crd_i_term_density **out, crd_error *error) {
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    crd_i_term_density *density = crd_i_density_create(context, math->family, conditions, sizeof *density, 0);
    if (density == NULL) return crd_i_fail_memory(error);
    density->math = math;
    density->selection.context = density->selection.last.context = context;
    density->rules = *crd_i_terms_rules(attribute->tally);
    density->tf = math->counts_tf ? settings->tf : CRD_I_TF_COUNT;
    density->length = settings->length;
    density->length_given = settings->length_given;
    density->smoothing = settings->term_smoothing > 0 ? settings->term_smoothing : math->auto_smoothing;
    density->is_plain = settings->complement_plain;
    density->base.is_score = math->is_score || density->tf != CRD_I_TF_COUNT || density->length != CRD_I_LENGTH_NONE;
    density->base.has_no_prior = math->has_no_prior;
    density->totals = crd_i_arena_alloc_zeroed(density->base.arena, conditions, sizeof *density->totals);
    density->sum_count = math->sum_count == NULL ? 0 : math->sum_count(density);
    density->sums = crd_i_arena_alloc_zeroed(density->base.arena, density->sum_count, sizeof *density->sums);
    density->readers = term_readers_create(context);
    bool is_there = density->sums != NULL && density->readers != NULL;
    crd_status status = is_there ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_terms_store(attribute->tally, &attribute->view, &density->store, error);
    if (status == CRD_OK)
        status =
            crd_i_term_selection_open(context, density->store, &density->rules, settings, &density->selection, error);
    if (status == CRD_OK) *out = density;
    else crd_i_term_density_destroy(&density->base);
    return status;
}

crd_status crd_i_term_density_derive(const crd_i_term_math *math, crd_context *context, const crd_i_tallied *attribute,
                                     const crd_settings *settings, crd_i_density **out, crd_error *error) {
    crd_i_term_density *density;
    *out = NULL;
    crd_status status = term_density_open(math, context, attribute, settings, &density, error);
    if (status != CRD_OK) return status;
    bool is_fitted = needs_pass(density) && attribute->fitted != NULL &&
                     term_density_unpack(density, attribute->fitted, attribute->fitted_count);
    if (!is_fitted) {
        density->selection.last.length = 0;
        status = sum_all(density, error);
    }
    /* Without selected terms, all texts are equal. */
    density->base.is_silent = density->terms == 0;
    if (status == CRD_OK && math->prepare != NULL) status = math->prepare(density, error);
    if (status != CRD_OK) {
        crd_i_term_density_destroy(&density->base);
        return status;
    }
    *out = &density->base;
    return CRD_OK;
}

crd_status crd_i_term_density_fit(const crd_i_term_math *math, crd_context *context, const crd_i_tallied *attribute,
                                  const crd_settings *settings, double **numbers, size_t *count, crd_error *error) {
    crd_i_term_density *density;
    *numbers = NULL;
    *count = 0;
    crd_status status = term_density_open(math, context, attribute, settings, &density, error);
    if (status != CRD_OK) return status;
    if (needs_pass(density)) {
        status = sum_all(density, error);
        if (status == CRD_OK) status = term_density_pack(density, numbers, count, error);
    }
    crd_i_term_density_destroy(&density->base);
    return status;
}

/* ======== 4. Evaluation ======== */

void crd_i_term_density_add(const crd_i_density *density, const crd_i_cells *cells, double *sums) {
    size_t conditions = density->conditions;
    for (size_t row = 0; row < cells->rows; row++) {
        if (cells->texts[row].bytes == NULL) continue;
        const double *logs = cells->text_logs + row * conditions;
        for (size_t k = 0; k < conditions; k++) sums[row * conditions + k] += logs[k];
    }
}

void crd_i_term_density_add_block(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block) {
    for (size_t row = 0; row < block->rows; row++) {
        if (cells->texts[row].bytes == NULL) continue;
        const double *logs = cells->text_logs + row * density->conditions;
        for (size_t k = 0; k < density->conditions; k++) block->sums[k * block->stride + row] += logs[k];
    }
}

void crd_i_term_density_term(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term) {
    term->form = CRD_TERM_DENSITY;
    term->family = ((const crd_i_term_density *)density)->weights == NULL ? density->family->name : "weighted";
    term->log_value = cell->text_logs[condition];
}

bool crd_i_term_density_estimates(const crd_i_density *base, const crd_i_tallied *attribute,
                                  const crd_settings *settings, bool is_first, crd_i_estimates *estimates) {
    (void)attribute, (void)settings, (void)is_first;
    const crd_i_term_density *density = (const crd_i_term_density *)base;
    /* Probabilities that sum to 1 have one free parameter fewer than there are terms. */
    bool sums_to_one = base->family == &crd_i_family_multinomial && density->weights == NULL;
    uint64_t terms = (uint64_t)density->terms, values = 0;
    for (size_t k = 0; terms > 0 && k < base->conditions; k++)
        if (density->selection.documents[k] > 0) values += sums_to_one ? terms - 1 : terms;
    return crd_i_estimates_add(estimates, "values of terms", values);
}

bool crd_i_term_density_list(const crd_i_density *density, crd_i_parameter_list *parameter) {
    (void)density, (void)parameter; /* text columns cannot be exported */
    return true;
}

/* ---- Documents ---- */

void crd_i_term_density_gather(crd_i_document_terms *document, uint32_t times, double tf, double constant) {
    document->length += times;
    document->distinct++;
    document->weight += tf;
    document->squares += tf * tf;
    document->constant += tf * constant;
}

/* Summarizes the selected terms of the document that was read. */
static crd_status term_density_describe(crd_i_term_reader *reader, crd_i_document_terms *out, crd_error *error) {
    *out = (crd_i_document_terms){0};
    size_t most = 0;
    for (size_t i = 0; i < reader->found_count; i++) {
        const crd_i_met_term *met = &reader->met[reader->result[i]];
        if (!met->counts) continue;
        const double tf = crd_i_term_tf(reader->density->tf, met->times);
        crd_i_term_density_gather(out, met->times, tf, met->constant);
        /* With fitted weights, the norm contains the inverse document frequency of each term. */
        if (reader->density->weights != NULL) out->squares += tf * tf * (met->constant * met->constant - 1);
        if (met->times > most) most = met->times;
    }
    if (reader->density->math->whole == NULL || most == 0) return CRD_OK;
    if (!crd_i_reserve(reader->context, &reader->repeats, &reader->repeat_capacity, most, sizeof *reader->repeats))
        return crd_i_fail_memory(error);
    for (size_t j = 0; j < most; j++) reader->repeats[j] = 0;
    for (size_t i = 0; i < reader->found_count; i++) {
        const crd_i_met_term *met = &reader->met[reader->result[i]];
        if (met->counts) reader->repeats[met->times - 1]++;
    }
    for (size_t j = most - 1; j-- > 0;) reader->repeats[j] += reader->repeats[j + 1];
    out->repeats = reader->repeats;
    out->repeat_count = most;
    return CRD_OK;
}

/* Returns the factor s of the setting `length`; see term_density.h. */
static double term_density_scale(const crd_i_term_density *density, const crd_i_document_terms *document) {
    if (document->distinct == 0) return 1;
    bool is_presence = density->math->is_presence;
    double weight = is_presence ? (double)document->distinct : document->weight;
    switch (density->length) {
    case CRD_I_LENGTH_ROOT: return sqrt(weight) / weight;
    case CRD_I_LENGTH_UNIT: return 1 / sqrt(is_presence ? weight : document->squares);
    case CRD_I_LENGTH_GIVEN: return weight > density->length_given ? density->length_given / weight : 1;
    case CRD_I_LENGTH_NONE: break;
    }
    return 1;
}

void crd_i_term_density_conclude(const crd_i_term_density *density, const crd_i_document_terms *document,
                                 double *logs) {
    density->math->baseline(density, document, logs);
    if (density->math->whole != NULL) density->math->whole(density, document, logs);
    double scale = term_density_scale(density, document);
    for (size_t k = 0; scale != 1 && k < density->base.conditions; k++) logs[k] *= scale;
}

static void term_density_correct(const crd_i_term_reader *reader, const crd_i_met_term *met, double *logs) {
    const crd_i_term_density *density = reader->density;
    density->math->correct(density, crd_i_term_reader_values(reader, met), met->value_count, met->times,
                           crd_i_term_tf(density->tf, met->times), logs);
}

/* Returns whether a term is a single word. Most phrases of a text are new, even if all of its words are known. */
static bool term_density_is_word(const crd_i_term_reader *reader, size_t code) {
    const crd_i_token_rules *rules = &reader->density->rules;
    if (rules->most_ngram == 1 && rules->sparse_bigrams == 0) return true;
    if (rules->unit != CRD_I_TOKENS_WORDS || rules->hash_bits > 0) return false;
    const crd_text term = crd_i_dictionary_text(reader->terms, code);
    return memchr(term.bytes, ' ', term.length) == NULL;
}

/* Adds the log densities of the document that was read to `logs`, and the numbers of its known and unseen terms to
 * `counts`. */
static crd_status term_density_conclude(crd_i_term_reader *reader, double *logs, crd_i_terms_read *counts,
                                        crd_error *error) {
    crd_i_document_terms document;
    crd_status status = term_density_describe(reader, &document, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < reader->found_count; i++) {
        const crd_i_met_term *met = &reader->met[reader->result[i]];
        counts->unseen += !met->is_known;
        if (term_density_is_word(reader, (size_t)reader->result[i]))
            *(met->is_known ? &counts->known_words : &counts->unseen_words) += 1;
        if (met->counts) term_density_correct(reader, met, logs);
    }
    crd_i_term_density_conclude(reader->density, &document, logs);
    return CRD_OK;
}

crd_status crd_i_term_density_read(const crd_i_density *base, const crd_i_cells *cells, double *logs,
                                   crd_i_terms_read *counts, crd_error *error) {
    const crd_i_term_density *density = (const crd_i_term_density *)base;
    size_t conditions = base->conditions;
    crd_i_term_reader *reader;
    crd_status status = crd_i_term_reader_take(density, &reader, error);
    if (status != CRD_OK) return status;
    for (size_t row = 0; status == CRD_OK && row < cells->rows; row++) {
        double *destination = logs + row * conditions;
        for (size_t k = 0; k < conditions; k++) destination[k] = 0;
        if (cells->texts[row].bytes == NULL) continue;
        status = crd_i_term_reader_begin(reader, cells->texts[row], cells->are_bags, error);
        if (status == CRD_OK) status = term_density_conclude(reader, destination, &counts[row], error);
        crd_i_term_reader_end(reader);
    }
    crd_i_term_reader_give_back(reader);
    return status;
}

/* ======== 5. Explanations ======== */

/* Computes the contribution of one term before scaling, as a document with only this term. If values are log odds v of
 * presence, the contribution is log p = v - log(1 + exp v). The value log(1 - p) = -log(1 + exp v) is then subtracted
 * from `remainder` (NULL: not wanted), which covers the absent terms. */
static void term_density_value(const crd_i_term_reader *reader, const crd_i_met_term *met, uint32_t times,
                               double *values, double *remainder) {
    const crd_i_term_density *density = reader->density;
    double tf = crd_i_term_tf(density->tf, times);
    crd_i_document_terms alone = {.length = times,
                                  .distinct = 1,
                                  .weight = tf,
                                  .squares = tf * tf,
                                  .constant = tf * met->constant,
                                  .repeats = NULL,
                                  .repeat_count = times};
    for (size_t k = 0; k < density->base.conditions; k++) values[k] = 0;
    density->math->correct(density, crd_i_term_reader_values(reader, met), met->value_count, times, tf, values);
    density->math->baseline(density, &alone, values);
    for (size_t k = 0; density->math->is_presence && k < density->base.conditions; k++) {
        double absent = -crd_log(1 + crd_exp(values[k]));
        values[k] += absent;
        if (remainder != NULL) remainder[k] -= absent;
    }
}

/* Passes each term of the document with its contributions to `take`, and sets `remainder` to the rest of the log
 * density. `workspace` has space for one number per condition. */
static crd_status term_density_explain(crd_i_term_reader *reader, bool (*take)(void *user, const crd_i_term_part *part),
                                       void *user, double *workspace, double *remainder, crd_error *error) {
    const crd_i_term_density *density = reader->density;
    size_t conditions = density->base.conditions;
    crd_i_document_terms document;
    crd_status status = term_density_describe(reader, &document, error);
    if (status != CRD_OK) return status;
    double scale = term_density_scale(density, &document);
    for (size_t k = 0; k < conditions; k++) remainder[k] = 0;
    if (density->math->whole != NULL) density->math->whole(density, &document, remainder);
    bool is_spread = density->math->is_spread && document.length > 0;
    for (size_t i = 0; i < reader->found_count; i++) {
        const crd_i_met_term *met = &reader->met[reader->result[i]];
        crd_i_term_part part = {.term = crd_i_dictionary_text(reader->terms, (size_t)reader->result[i]),
                                .times = met->times,
                                .is_known = met->is_known,
                                .counts = met->counts,
                                .values = workspace};
        for (size_t k = 0; k < conditions; k++) workspace[k] = 0;
        if (met->counts) term_density_value(reader, met, met->times, workspace, remainder);
        double share = is_spread && met->counts ? met->times / (double)document.length : 0;
        for (size_t k = 0; k < conditions; k++)
            workspace[k] = scale * (share == 0 ? workspace[k] : workspace[k] + share * remainder[k]);
        if (!take(user, &part)) return crd_i_fail_memory(error);
    }
    for (size_t k = 0; k < conditions; k++) remainder[k] = is_spread ? 0 : scale * remainder[k];
    return CRD_OK;
}

crd_status crd_i_term_density_explain(const crd_i_density *base, crd_text text, bool is_bag,
                                      bool (*take)(void *user, const crd_i_term_part *part), void *user,
                                      double *remainder, crd_error *error) {
    const crd_i_term_density *density = (const crd_i_term_density *)base;
    double *workspace = crd_i_alloc(base->context, base->conditions, sizeof *workspace);
    if (workspace == NULL) return crd_i_fail_memory(error);
    crd_i_term_reader *reader;
    crd_status status = crd_i_term_reader_take(density, &reader, error);
    if (status == CRD_OK) {
        status = crd_i_term_reader_begin(reader, text, is_bag, error);
        if (status == CRD_OK) status = term_density_explain(reader, take, user, workspace, remainder, error);
        crd_i_term_reader_end(reader);
        crd_i_term_reader_give_back(reader);
    }
    crd_free(base->context, workspace);
    return status;
}

/* Writes P(term | condition) for each condition; NaN if the family has no such probability or the term is not selected.
 */
static void probabilities_of(const crd_i_term_reader *reader, const crd_i_met_term *met, double *out) {
    const crd_i_term_density *density = reader->density;
    const crd_i_term_value *values = crd_i_term_reader_values(reader, met);
    size_t next = 0;
    for (size_t k = 0; k < density->base.conditions; k++) {
        bool has_it = next < met->value_count && values[next].condition == (int32_t)k;
        out[k] = density->math->probability == NULL || !met->counts
                     ? NAN
                     : density->math->probability(density, has_it ? &values[next] : NULL, met->constant, k);
        next += has_it;
    }
}

crd_status crd_i_term_density_value(const crd_i_density *base, crd_text term, double *values, double *probabilities,
                                    bool *is_known, bool *counts, crd_error *error) {
    const crd_i_term_density *density = (const crd_i_term_density *)base;
    crd_i_term_reader *reader;
    int32_t code;
    crd_status status = crd_i_term_reader_take(density, &reader, error);
    if (status != CRD_OK) return status;
    status = term_reader_meet(reader, term, &code, error);
    if (status == CRD_OK) {
        const crd_i_met_term *met = &reader->met[code];
        *is_known = met->is_known;
        *counts = met->counts;
        for (size_t k = 0; values != NULL && k < base->conditions; k++) values[k] = 0;
        if (values != NULL && met->counts) term_density_value(reader, met, 1, values, NULL);
        if (probabilities != NULL) probabilities_of(reader, met, probabilities);
    }
    crd_i_term_reader_give_back(reader);
    return status;
}

/* ======== 6. Weights of terms ======== */

/* Adds tf times the fitted weights. Readers have already looked up the weights of the term. */
static void correct_weighted(const crd_i_term_density *density, const crd_i_term_value *values, size_t count,
                             uint32_t times, double tf, double *logs) {
    (void)density, (void)times;
    for (size_t i = 0; i < count; i++) logs[values[i].condition] += tf * values[i].value;
}

static void add_no_baseline(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs) {
    (void)density, (void)document, (void)logs;
}

static const crd_i_term_math weighted = {
    .is_score = true, .counts_tf = true, .correct = correct_weighted, .baseline = add_no_baseline};

void crd_i_term_density_set_weights(crd_i_density *base, crd_i_term_weights *weights) {
    crd_i_term_density *density = (crd_i_term_density *)base;
    density->weights = weights;
    density->math = &weighted;
    density->tf = CRD_I_TF_LOG;
    density->length = CRD_I_LENGTH_UNIT;
    base->is_score = true;
}

/* ======== 7. Empirical Bayes smoothing ======== */

static const double CONCENTRATIONS[CRD_I_SPREADS] = {0.5, 4, 32, 256};

/* The number of EM steps. If there are more than MOST_TERMS terms, omega is estimated from a sample of about that size,
 * selected by a hash of their bytes. */
enum { STEPS = 40, MOST_TERMS = 1 << 17 };

size_t crd_i_term_spread_count(size_t conditions) {
    return 2 * conditions + 1 + CRD_I_SPREADS;
}

/* ---- One term ---- */

/* Returns log Gamma(x) - log sqrt(2 pi) by Stirling's series. For x >= 12 its next term is below 1e-16. */
static double term_spread_stirling(double x) {
    const double r = 1 / x, s = r * r;
    return (x - 0.5) * crd_log(x) - x +
           r * (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188))));
}

/* Returns log Gamma(a + n) - log Gamma(a). It is called for each term of a text and each concentration, so it must be
 * fast. If n is a small integer, it multiplies the n factors. Otherwise it multiplies factors up to an argument for
 * which Stirling's series is accurate. */
static double term_spread_log_rising(double a, double n) {
    enum { FEW = 16, LEAST_ARGUMENT = 12 };
    const bool are_few = n <= FEW && n == floor(n);
    double product = 1, start = a;
    for (double j = 0; are_few ? j < n : start < LEAST_ARGUMENT; j++, start = a + j) product *= start;
    if (!(product > 1e-280)) return crd_i_log_gamma(a + n) - crd_i_log_gamma(a);
    if (are_few) return crd_log(product);
    double upper = a + n, above = 1;
    for (; upper < LEAST_ARGUMENT; upper++) above *= upper;
    return term_spread_stirling(upper) - term_spread_stirling(start) + crd_log(product) -
           (above > 1 ? crd_log(above) : 0);
}

/* A cache of values that many terms have in common. Most terms occur in few texts of one class. */
typedef struct spread_memo {
    size_t conditions;
    /* [j][condition][n] for n < KNOWN: term_spread_log_rising; the last condition means all of them; NaN: not computed yet */
    double *rising;
    /* [condition][n] for n < KNOWN: terms that occur in n texts of one condition only */
    struct spread_single *singles;
} spread_memo;
enum { KNOWN = 64, MOST_KNOWN_CONDITIONS = 1024 };

typedef struct spread_single {
    bool is_known, has_spread;
    double parts[CRD_I_SPREADS]; /* L_j divided by the largest of them */
    crd_i_term_spread spread;    /* the result for the last weight N_t */
    uint32_t number;             /* 1 + index of its likelihoods in `sample`; 0: not in the sample */
} spread_single;

/* Returns the cache entry of a term that occurs in few texts of one condition only; NULL for other terms. */
static spread_single *find_single(const spread_memo *memo, const crd_i_term_class *classes, size_t count) {
    if (memo == NULL || memo->singles == NULL || count != 1) return NULL;
    double n = classes[0].documents;
    if (!(n < KNOWN) || n != floor(n)) return NULL;
    return &memo->singles[(size_t)classes[0].condition * KNOWN + (size_t)n];
}

/* Returns log Gamma(a + n) - log Gamma(a) with a = kappa_j pi_c, or a = kappa_j if `condition` is the number of
 * conditions. `memo` may be NULL: nothing is cached. */
static double rising_log(const spread_memo *memo, size_t j, size_t condition, double share, double n) {
    double a = CONCENTRATIONS[j] * share;
    if (memo == NULL || memo->rising == NULL || !(n < KNOWN) || n != floor(n)) return term_spread_log_rising(a, n);
    double *value = &memo->rising[(j * (memo->conditions + 1) + condition) * KNOWN + (size_t)n];
    if (isnan(*value)) *value = term_spread_log_rising(a, n);
    return *value;
}

/* Computes log L_j, up to a constant that does not depend on j. */
static void term_spread_likelihoods(size_t conditions, const double *shares, const crd_i_term_class *classes,
                                    size_t count, const spread_memo *memo, double logs[CRD_I_SPREADS]) {
    double all = 0;
    for (size_t i = 0; i < count; i++) all += classes[i].documents;
    for (size_t j = 0; j < CRD_I_SPREADS; j++) {
        logs[j] = -rising_log(memo, j, conditions, 1, all);
        for (size_t i = 0; i < count; i++)
            logs[j] +=
                rising_log(memo, j, (size_t)classes[i].condition, shares[classes[i].condition], classes[i].documents);
    }
}

/* Replaces log L_j by L_j divided by the largest of them. */
static void term_spread_relative(double logs[CRD_I_SPREADS]) {
    double greatest = logs[0];
    for (size_t j = 1; j < CRD_I_SPREADS; j++)
        if (logs[j] > greatest) greatest = logs[j];
    for (size_t j = 0; j < CRD_I_SPREADS; j++) logs[j] = crd_exp(logs[j] - greatest);
}

/* Computes L_j of a term divided by the largest of them, using the cache. */
static void relative_likelihoods(size_t conditions, const double *shares, const crd_i_term_class *classes, size_t count,
                                 const spread_memo *memo, double parts[CRD_I_SPREADS]) {
    spread_single *of_one = find_single(memo, classes, count);
    if (of_one == NULL || !of_one->is_known) {
        term_spread_likelihoods(conditions, shares, classes, count, memo, parts);
        term_spread_relative(parts);
    }
    if (of_one == NULL) return;
    for (size_t j = 0; j < CRD_I_SPREADS; j++) {
        if (of_one->is_known) parts[j] = of_one->parts[j];
        else of_one->parts[j] = parts[j];
    }
    of_one->is_known = true;
}

/* Replaces L_j by the posterior probabilities r_j. */
static void term_spread_weigh(double parts[CRD_I_SPREADS], const double *omega) {
    double sum = 0;
    for (size_t j = 0; j < CRD_I_SPREADS; j++) sum += parts[j] *= omega[j];
    for (size_t j = 0; j < CRD_I_SPREADS; j++) parts[j] = sum > 0 ? parts[j] / sum : 1.0 / CRD_I_SPREADS;
}

/* Computes b(t), g(t) and N_t of a term, using the cache. */
static crd_i_term_spread measure_term_spread(const crd_i_term_density *density, const double *numbers,
                                             const crd_i_term_class *classes, size_t count, const spread_memo *memo) {
    size_t conditions = density->base.conditions;
    double parts[CRD_I_SPREADS];
    crd_i_term_spread spread = {0, 0, 0};
    for (size_t i = 0; i < count; i++) spread.weight += classes[i].weight;
    spread_single *of_one = find_single(memo, classes, count);
    if (of_one != NULL && of_one->has_spread && of_one->spread.weight == spread.weight) return of_one->spread;
    relative_likelihoods(conditions, numbers + conditions, classes, count, memo, parts);
    term_spread_weigh(parts, numbers + 2 * conditions + 1);
    for (size_t j = 0; j < CRD_I_SPREADS; j++) {
        double half = CONCENTRATIONS[j] / 2, part = parts[j] / (spread.weight + half);
        spread.elsewhere += part * half;
        spread.factor += part;
    }
    if (of_one != NULL) {
        of_one->spread = spread;
        of_one->has_spread = true;
    }
    return spread;
}

crd_i_term_spread crd_i_term_spread_of(const crd_i_term_density *density, const double *numbers,
                                       const crd_i_term_class *classes, size_t count) {
    return measure_term_spread(density, numbers, classes, count, NULL);
}

/* ---- All terms ---- */

/* Sums, for each class, the texts that have a term over all selected terms. */
static crd_status sum_texts(const crd_i_term_density *density, double *sums, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    crd_status status = CRD_OK;
    for (size_t k = 0; k < density->base.conditions; k++) sums[k] = density->texts == NULL ? 0 : density->texts[k];
    if (density->texts != NULL) return CRD_OK;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, CRD_I_TF_COUNT);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        for (size_t i = 0; i < pass.class_count; i++) sums[pass.classes[i].condition] += pass.classes[i].documents;
    }
    crd_i_term_pass_end(&pass);
    return status;
}

/* Computes pi, the share of each class in the sums of sum_texts. A class without texts gets a tiny share, so its factor
 * in L exists if a text of the class appears. */
static crd_status term_spread_find_shares(const crd_i_term_density *density, double *shares, crd_error *error) {
    double all = 0;
    crd_status status = sum_texts(density, shares, error);
    for (size_t k = 0; status == CRD_OK && k < density->base.conditions; k++) all += shares[k];
    for (size_t k = 0; status == CRD_OK && k < density->base.conditions; k++)
        shares[k] = shares[k] > 0 ? shares[k] / all : 1e-12;
    return status;
}

/* Returns the FNV-1a hash of a term. It selects the sample of terms, depending only on their bytes. */
static uint64_t term_spread_hash(crd_text term) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < term.length; i++) hash = (hash ^ (unsigned char)term.bytes[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* The terms that omega is estimated from. Equal likelihoods are stored once, and which[] refers to them. */
typedef struct sample {
    /* CRD_I_SPREADS values per entry; `posteriors` is scratch space of the same size */
    double *likelihoods, *posteriors;
    size_t distinct, capacity;
    uint32_t *which;
    size_t count, which_capacity;
} sample;

/* Adds the current term of the pass to the sample. Returns false if memory runs out. */
static bool term_spread_add(const crd_i_term_density *density, const double *shares, const crd_i_term_pass *pass,
                            const spread_memo *memo, sample *target_sample) {
    crd_context *context = density->base.context;
    spread_single *of_one = find_single(memo, pass->classes, pass->class_count);
    if (!crd_i_reserve(context, &target_sample->which, &target_sample->which_capacity, target_sample->count + 1,
                       sizeof *target_sample->which))
        return false;
    if (of_one != NULL && of_one->number > 0) {
        target_sample->which[target_sample->count++] = of_one->number - 1;
        return true;
    }
    if (!crd_i_reserve(context, &target_sample->likelihoods, &target_sample->capacity,
                       (target_sample->distinct + 1) * CRD_I_SPREADS, sizeof *target_sample->likelihoods))
        return false;
    relative_likelihoods(density->base.conditions, shares, pass->classes, pass->class_count, memo,
                         target_sample->likelihoods + target_sample->distinct * CRD_I_SPREADS);
    target_sample->which[target_sample->count++] = (uint32_t)target_sample->distinct++;
    if (of_one != NULL) of_one->number = (uint32_t)target_sample->distinct;
    return true;
}

/* Collects the likelihoods of all selected terms, or of a sample of them. */
static crd_status term_spread_collect(const crd_i_term_density *density, const double *shares, const spread_memo *memo,
                                      sample *target_sample, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    crd_status status = CRD_OK;
    double part = density->terms > MOST_TERMS ? MOST_TERMS / density->terms : 1;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, CRD_I_TF_COUNT);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        if (part < 1 && (double)(uint32_t)term_spread_hash(pass.term) >= part * 0x1p32) continue;
        if (!term_spread_add(density, shares, &pass, memo, target_sample)) status = crd_i_fail_memory(error);
    }
    crd_i_term_pass_end(&pass);
    if (status != CRD_OK) return status;
    target_sample->posteriors =
        crd_i_alloc(density->base.context, target_sample->distinct * CRD_I_SPREADS, sizeof *target_sample->posteriors);
    return target_sample->posteriors == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

/* Estimates omega by EM, starting from equal probabilities. */
static void term_spread_maximize(const sample *terms, double omega[CRD_I_SPREADS]) {
    for (size_t j = 0; j < CRD_I_SPREADS; j++) omega[j] = 1.0 / CRD_I_SPREADS;
    for (int step = 0; step < STEPS && terms->count > 0; step++) {
        double sums[CRD_I_SPREADS] = {0};
        for (size_t i = 0; i < terms->distinct; i++) {
            double *parts = terms->posteriors + i * CRD_I_SPREADS;
            for (size_t j = 0; j < CRD_I_SPREADS; j++) parts[j] = terms->likelihoods[i * CRD_I_SPREADS + j];
            term_spread_weigh(parts, omega);
        }
        for (size_t i = 0; i < terms->count; i++)
            for (size_t j = 0; j < CRD_I_SPREADS; j++)
                sums[j] += terms->posteriors[terms->which[i] * CRD_I_SPREADS + j];
        for (size_t j = 0; j < CRD_I_SPREADS; j++) omega[j] = sums[j] / (double)terms->count;
    }
}

/* Computes the sums over terms that Z_c consists of. */
static crd_status term_spread_sum(const crd_i_term_density *density, double *numbers, const spread_memo *memo,
                                  crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    size_t conditions = density->base.conditions;
    crd_status status = CRD_OK;
    for (size_t k = 0; k < conditions; k++) numbers[k] = 0;
    numbers[2 * conditions] = 0;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, density->tf);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        crd_i_term_spread spread = measure_term_spread(density, numbers, pass.classes, pass.class_count, memo);
        numbers[2 * conditions] += spread.elsewhere * spread.weight;
        for (size_t i = 0; i < pass.class_count; i++)
            numbers[pass.classes[i].condition] += spread.factor * spread.weight * pass.classes[i].weight;
    }
    crd_i_term_pass_end(&pass);
    return status;
}

static crd_status memo_create(crd_context *context, size_t conditions, spread_memo *out, crd_error *error) {
    *out = (spread_memo){.conditions = conditions};
    if (conditions > MOST_KNOWN_CONDITIONS) return CRD_OK;
    size_t values = CRD_I_SPREADS * (conditions + 1) * KNOWN;
    out->rising = crd_i_alloc(context, values, sizeof *out->rising);
    out->singles = crd_i_alloc_zeroed(context, conditions * KNOWN, sizeof *out->singles);
    if (out->rising == NULL || out->singles == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < values; i++) out->rising[i] = NAN;
    return CRD_OK;
}

crd_status crd_i_term_spread_fit(const crd_i_term_density *density, double *numbers, crd_error *error) {
    crd_context *context = density->base.context;
    size_t conditions = density->base.conditions;
    double *shares = numbers + conditions;
    sample terms = {.distinct = 0};
    spread_memo memo;
    crd_status status = memo_create(context, conditions, &memo, error);
    if (status == CRD_OK) status = term_spread_find_shares(density, shares, error);
    if (status == CRD_OK) status = term_spread_collect(density, shares, &memo, &terms, error);
    if (status == CRD_OK) term_spread_maximize(&terms, numbers + 2 * conditions + 1);
    if (status == CRD_OK) status = term_spread_sum(density, numbers, &memo, error);
    crd_free(context, memo.rising);
    crd_free(context, memo.singles);
    crd_free(context, terms.likelihoods);
    crd_free(context, terms.posteriors);
    crd_free(context, terms.which);
    return status;
}
