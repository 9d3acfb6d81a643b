/* SPDX-License-Identifier: MIT */
/* term_density.c - deriving, evaluating and explaining the densities of texts: see term_density.h. */
#include "density/univariate/term_density.h"

#include "base/error.h"
#include "base/memory.h"
#include "density/univariate/term_readers.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

void crd_i_term_density_destroy(crd_i_density *base) {
    crd_i_term_density *density = (crd_i_term_density *)base;
    crd_i_term_readers_destroy(density->readers);
    crd_i_term_selection_clear(&density->selection);
    crd_free(base->context, density->totals);
    crd_free(base->context, density->texts);
    crd_free(base->context, density->sums);
    crd_free(base->context, density->values);
    crd_i_term_weights_destroy(density->weights);
    crd_i_term_store_release(density->store);
    crd_free(base->context, density);
}

crd_status crd_i_term_density_room(crd_i_term_density *density, size_t count, crd_error *error) {
    if (density->values == NULL) density->values = crd_i_alloc(density->base.context, count, sizeof *density->values);
    return density->values == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

/* ---- Sums over all terms ---- */

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
    density->texts = crd_i_alloc_zeroed(density->base.context, density->base.conditions, sizeof *density->texts);
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

/* ---- Derivation ---- */

/* Creates a density with its settings, term store and selection, but without any sums. */
static crd_status term_density_open(const crd_i_term_math *math, crd_context *context, const crd_i_tallied *attribute,
                                    const crd_settings *settings, crd_i_term_density **out, crd_error *error) {
    *out = NULL;
    crd_i_term_density *density = crd_i_alloc_zeroed(context, 1, sizeof *density);
    if (density == NULL) return crd_i_fail_memory(error);
    size_t conditions = attribute->view.condition_count;
    density->base = (crd_i_density){.family = math->family, .context = context, .conditions = conditions};
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
    density->totals = crd_i_alloc_zeroed(context, conditions, sizeof *density->totals);
    density->sum_count = math->sum_count == NULL ? 0 : math->sum_count(density);
    density->sums = crd_i_alloc_zeroed(context, density->sum_count, sizeof *density->sums);
    density->readers = crd_i_term_readers_create(context);
    bool is_there = density->totals != NULL && density->sums != NULL && density->readers != NULL;
    crd_status status = is_there ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_terms_store(attribute->tally, &attribute->view, &density->store, error);
    if (status == CRD_OK)
        status =
            crd_i_term_selection_open(context, density->store, &density->rules, settings, &density->selection, error);
    if (status != CRD_OK) {
        crd_i_term_density_destroy(&density->base);
        return status;
    }
    *out = density;
    return CRD_OK;
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

/* ---- Functions of crd_i_family ---- */

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

/* Returns the factor s of the setting `length`; see term_math.h. */
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

/* ---- Explanations ---- */

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
    status = crd_i_term_reader_meet(reader, term, &code, error);
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

/* ---- Weights of terms ---- */

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
