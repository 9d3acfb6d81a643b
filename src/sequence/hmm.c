/* SPDX-License-Identifier: MIT */
/* hmm.c - derives a hidden Markov model from a sequence model and settings. See credence/hmm.h and hmm_internal.h. */
#include "sequence/hmm_internal.h"

#include "base/memory.h"
#include "base/struct_size.h"

#include <credence/hmm_answers.h>
#include <credence/model.h>
#include <credence/result.h>
#include <credence/sequence_classes.h>

#include <math.h>
#include <stdlib.h>

/* ---- Models ---- */

int crd_model_is_sequence(const crd_model *model) {
    return crd_i_hmm_content_of(model) != NULL;
}

crd_status crd_model_sequence_options(const crd_model *model, crd_sequence_options *out, crd_error *error) {
    /* In a sequence classification model, the HMMs of all classes found their sequences in the same way. */
    const crd_sequence_classes *classes = crd_model_sequence_classes(model);
    const crd_i_hmm_content *content = crd_i_hmm_content_of(classes == NULL ? model : classes->models[0]);
    if (content == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the model is not a hidden Markov model of sequences");
    crd_i_copy_out(&content->source, sizeof content->source, out);
    return CRD_OK;
}

/* ---- Derivation ---- */

static crd_status hmm_derive(crd_hmm *hmm, const crd_i_hmm_content *content, crd_error *error) {
    uint32_t *ranks = NULL;
    crd_status status = crd_i_hmm_content_states(content, &hmm->states, &ranks, error);
    if (status != CRD_OK) return status;
    hmm->state_count = crd_i_dictionary_size(hmm->states);
    if (hmm->state_count == 0) status = crd_i_fail(error, CRD_ERROR_EMPTY, "the model has learned no sequences");
    if (status == CRD_OK)
        status = crd_i_transition_model_create(content->transitions, ranks, hmm->states, content->is_hidden,
                                               hmm->settings, &hmm->transitions, error);
    crd_free(hmm->context, ranks);
    if (status == CRD_OK) status = crd_i_context_nodes_create(hmm->transitions, &hmm->nodes, error);
    if (status == CRD_OK) status = crd_i_context_nodes_chain(hmm->nodes, &hmm->chain, error);
    if (status == CRD_OK)
        status = crd_i_emission_model_create(content, hmm->states, hmm->settings, &hmm->emission, error);
    return status;
}

static size_t hmm_parameter_count(const crd_hmm *hmm) {
    const crd_i_estimates *estimates = &hmm->emission->classifier->estimates;
    size_t count = crd_i_transition_model_parameters(hmm->transitions);
    /* Entry 0 is the class prior, whose parameters are the component weights. These are counted per state instead. */
    for (size_t i = 1; i < estimates->count; i++) count += (size_t)estimates->entries[i].count;
    return count + hmm->state_count * (hmm->emission->components - 1);
}

crd_status crd_i_hmm_derive(const crd_i_hmm_content *content, const crd_settings *settings, crd_hmm **out,
                            crd_error *error) {
    *out = NULL;
    crd_hmm *hmm = crd_i_alloc_zeroed(content->context, 1, sizeof *hmm);
    if (hmm == NULL) return crd_i_fail_memory(error);
    hmm->context = content->context;
    hmm->order = settings->order;
    hmm->is_hidden = content->is_hidden;
    hmm->is_stated = content->is_stated;
    crd_status status = crd_i_settings_copy(content->context, settings, &hmm->settings, error);
    if (status == CRD_OK) status = hmm_derive(hmm, content, error);
    if (status != CRD_OK) {
        crd_hmm_destroy(hmm);
        return status;
    }
    hmm->facts = (crd_hmm_facts){.settings = hmm->settings,
                                 .order = hmm->order,
                                 .is_hidden = hmm->is_hidden,
                                 .is_stated = hmm->is_stated,
                                 .has_end = hmm->transitions->rules.has_end,
                                 .components = hmm->emission->components,
                                 .parameter_count = hmm_parameter_count(hmm),
                                 .emissions = hmm->emission->classifier};
    *out = hmm;
    return CRD_OK;
}

crd_status crd_hmm_create(const crd_model *model, const crd_settings *settings, crd_hmm **out, crd_error *error) {
    const crd_i_hmm_content *content = crd_i_hmm_content_of(model);
    *out = NULL;
    if (content == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the model is not a hidden Markov model of sequences");
    if (settings != NULL && settings->method != CRD_I_METHOD_SEQUENCE && settings->method != CRD_I_METHOD_NAIVE) {
        crd_i_fail(error, CRD_ERROR_SETTING, "the method %s is for single rows, but the model is a sequence model",
                   crd_settings_get(settings, "method"));
        crd_i_error_subject(error, crd_text_of("method"));
        return CRD_ERROR_SETTING;
    }
    return crd_i_hmm_derive(content, settings == NULL ? model->settings : settings, out, error);
}

const crd_hmm_facts *crd_hmm_facts_of(const crd_hmm *hmm) {
    return &hmm->facts;
}

void crd_hmm_destroy(crd_hmm *hmm) {
    if (hmm == NULL) return;
    crd_settings_destroy(hmm->settings);
    crd_i_dictionary_destroy(hmm->states);
    crd_i_transition_model_destroy(hmm->transitions);
    crd_i_context_nodes_destroy(hmm->nodes);
    crd_i_chain_destroy(hmm->chain);
    crd_i_emission_model_destroy(hmm->emission);
    crd_free(hmm->context, hmm);
}

/* ---- Properties ---- */

size_t crd_hmm_state_count(const crd_hmm *hmm) {
    return hmm->state_count;
}

crd_text crd_hmm_state(const crd_hmm *hmm, size_t state) {
    return crd_i_dictionary_text(hmm->states, state);
}

int crd_hmm_has_words(const crd_hmm *hmm, size_t attribute) {
    return attribute < hmm->emission->classifier->attribute_count && hmm->emission->unseen[attribute] != NULL;
}

/* ---- Probabilities ---- */

/* Returns the probability of a successor of a context; NaN: out of memory. */
static double hmm_probability(const crd_hmm *hmm, const size_t *context, size_t length, size_t next) {
    const crd_i_context_nodes *nodes = hmm->nodes;
    double *row, end, result = NAN;
    bool is_known = hmm->order == 1 && next < hmm->state_count && (length == 0 || context[length - 1] < nodes->count);
    if (is_known) return length == 0 ? nodes->start[next] : nodes->dense[context[length - 1] * nodes->count + next];
    row = crd_i_alloc(hmm->context, hmm->state_count, sizeof *row);
    if (row == NULL) return NAN;
    if (crd_hmm_next(hmm, context, length, row, &end, NULL) == CRD_OK)
        result = next < hmm->state_count ? row[next] : next == hmm->state_count ? end : NAN;
    crd_free(hmm->context, row);
    return result;
}

double crd_hmm_start(const crd_hmm *hmm, size_t state) {
    return state < hmm->state_count ? hmm_probability(hmm, NULL, 0, state) : NAN;
}

double crd_hmm_transition(const crd_hmm *hmm, const size_t *context, size_t length, size_t target) {
    return length > 0 && target < hmm->state_count ? hmm_probability(hmm, context, length, target) : NAN;
}

double crd_hmm_end(const crd_hmm *hmm, const size_t *context, size_t length) {
    return length > 0 ? hmm_probability(hmm, context, length, hmm->state_count) : NAN;
}

crd_status crd_hmm_next(const crd_hmm *hmm, const size_t *context, size_t length, double *probabilities, double *end,
                        crd_error *error) {
    uint32_t symbols[CRD_I_MOST_ORDER];
    for (size_t i = 0; i < hmm->order; i++) symbols[i] = CRD_I_SYMBOL_BEGIN;
    for (size_t i = 0; i < length && i < hmm->order; i++) {
        size_t state = context[length - 1 - i];
        if (state >= hmm->state_count) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid state %zu", state);
        symbols[hmm->order - 1 - i] = (uint32_t)state;
    }
    double *row = crd_i_alloc(hmm->context, hmm->state_count + 1, sizeof *row);
    if (row == NULL) return crd_i_fail_memory(error);
    crd_i_transition_model_row(hmm->transitions, symbols, row);
    for (size_t k = 0; k < hmm->state_count; k++) probabilities[k] = row[k];
    if (end != NULL) *end = row[hmm->state_count];
    crd_free(hmm->context, row);
    return CRD_OK;
}

/* ---- Densities ---- */

size_t crd_hmm_emission_class(const crd_hmm *hmm, size_t state, size_t component, double *weight) {
    size_t index = state * hmm->emission->components + component;
    if (state >= hmm->state_count || component >= hmm->emission->components) return SIZE_MAX;
    if (weight != NULL) *weight = exp(hmm->emission->log_weights[index]);
    return hmm->emission->class_of[index] == UINT32_MAX ? SIZE_MAX : hmm->emission->class_of[index];
}

double crd_hmm_ruled_out(const crd_hmm *hmm, double *all) {
    double total;
    return crd_i_transition_model_ruled_out(hmm->transitions, all != NULL ? all : &total);
}

/* ---- Report ---- */

/* Returns the number of rows of a state, summed over its components; NaN if the user specified the model. */
static double hmm_report_rows(const crd_hmm *hmm, const crd_summary *summary, size_t state) {
    double rows = crd_hmm_facts_of(hmm)->is_stated ? NAN : 0;
    for (size_t m = 0; m < crd_hmm_facts_of(hmm)->components; m++) {
        const size_t class_index = crd_hmm_emission_class(hmm, state, m, NULL);
        if (class_index != SIZE_MAX) rows += summary->classes[class_index].rows;
    }
    return rows;
}

static crd_status hmm_report_states(const crd_hmm *hmm, const crd_summary *summary, crd_result *result,
                                    crd_error *error) {
    const size_t states = crd_hmm_state_count(hmm);
    const bool has_end = crd_hmm_facts_of(hmm)->has_end && crd_hmm_facts_of(hmm)->order == 1;
    double *stationary = crd_i_alloc(hmm->context, 2 * states, sizeof *stationary);
    if (stationary == NULL) return crd_i_fail_memory(error);
    const double *durations = stationary + states;
    crd_status status = crd_hmm_long_run(hmm, stationary, stationary + states, error);
    if (status == CRD_OK) crd_result_begin(result, CRD_ARRAY, "states");
    for (size_t k = 0; status == CRD_OK && k < states; k++) {
        crd_result_begin(result, CRD_SHORT_OBJECT, NULL);
        crd_result_text(result, "state", crd_hmm_state(hmm, k));
        crd_result_number(result, "rows", hmm_report_rows(hmm, summary, k));
        crd_result_number(result, "start", crd_hmm_start(hmm, k));
        crd_result_number(result, "end", has_end ? crd_hmm_end(hmm, &k, 1) : NAN);
        crd_result_number(result, "stationary", stationary[k]);
        crd_result_number(result, "duration", isinf(durations[k]) ? NAN : durations[k]);
        crd_result_end(result);
    }
    if (status == CRD_OK) crd_result_end(result);
    crd_free(hmm->context, stationary);
    return status;
}

/* Adds the probabilities of the states after a context. has_all: also the states that are
 * impossible there. */
static void hmm_report_next(const crd_hmm *hmm, const size_t *context, size_t length, bool has_all,
                            crd_result *result) {
    for (size_t k = 0; k < crd_hmm_state_count(hmm); k++) {
        const double probability = crd_hmm_transition(hmm, context, length, k);
        if (!has_all && !(probability > 0)) continue;
        crd_result_key(result, crd_hmm_state(hmm, k));
        crd_result_number(result, NULL, probability);
    }
}

static void hmm_report_matrix(const crd_hmm *hmm, crd_result *result) {
    crd_result_begin(result, CRD_OBJECT, "transitions");
    for (size_t k = 0; k < crd_hmm_state_count(hmm); k++) {
        crd_result_key(result, crd_hmm_state(hmm, k));
        crd_result_begin(result, CRD_OBJECT, NULL);
        hmm_report_next(hmm, &k, 1, true, result);
        crd_result_end(result);
    }
    crd_result_end(result);
}

/* Adds the most frequent contexts of a chain of higher order. */
static crd_status hmm_report_contexts(const crd_hmm *hmm, crd_result *result, crd_error *error) {
    enum { LISTED = 10000 };
    crd_state_context *contexts = crd_i_alloc(hmm->context, LISTED, sizeof *contexts);
    size_t total = 0;
    if (contexts == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_hmm_contexts(hmm, contexts, LISTED, &total, error);
    if (status == CRD_OK) crd_result_begin(result, CRD_ARRAY, "transitions");
    for (size_t i = 0; status == CRD_OK && i < total && i < LISTED; i++) {
        const crd_state_context *context = &contexts[i];
        crd_result_begin(result, CRD_SHORT_OBJECT, NULL);
        crd_result_begin(result, CRD_SHORT_ARRAY, "context");
        for (size_t k = 0; k < context->length; k++)
            crd_result_text(result, NULL, crd_hmm_state(hmm, context->states[k]));
        crd_result_end(result);
        crd_result_number(result, "count", context->count);
        if (crd_hmm_facts_of(hmm)->has_end)
            crd_result_number(result, "end", crd_hmm_end(hmm, context->states, context->length));
        crd_result_begin(result, CRD_SHORT_OBJECT, "next");
        hmm_report_next(hmm, context->states, context->length, false, result);
        crd_result_end(result);
        crd_result_end(result);
    }
    if (status == CRD_OK) crd_result_end(result);
    crd_free(hmm->context, contexts);
    return status;
}

static void hmm_report_components(const crd_hmm *hmm, crd_result *result) {
    crd_result_begin(result, CRD_ARRAY, "components");
    for (size_t k = 0; k < crd_hmm_state_count(hmm); k++)
        for (size_t m = 0; m < crd_hmm_facts_of(hmm)->components; m++) {
            double weight = 0;
            if (crd_hmm_emission_class(hmm, k, m, &weight) == SIZE_MAX) weight = 0;
            crd_result_begin(result, CRD_SHORT_OBJECT, NULL);
            crd_result_text(result, "state", crd_hmm_state(hmm, k));
            crd_result_count(result, "component", m + 1);
            crd_result_number(result, "weight", weight);
            crd_result_end(result);
        }
    crd_result_end(result);
}

crd_status crd_hmm_report(const crd_hmm *hmm, const crd_summary *summary, crd_result *result, crd_error *error) {
    crd_status status = hmm_report_states(hmm, summary, result, error);
    if (status != CRD_OK) return status;
    if (crd_hmm_facts_of(hmm)->order == 1) hmm_report_matrix(hmm, result);
    else status = hmm_report_contexts(hmm, result, error);
    if (status == CRD_OK && crd_hmm_facts_of(hmm)->components > 1) hmm_report_components(hmm, result);
    return status;
}
