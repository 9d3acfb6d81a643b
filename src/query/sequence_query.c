/* SPDX-License-Identifier: MIT */
/* sequence_query.c - implements credence/hmm_answers.h: joint probabilities of states at some steps, the best path
 * through them, and forecasts. */
#include "query/sequence_query.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

crd_status crd_sequence_query_create(const crd_hmm *hmm, const crd_sequences *sequences, crd_sequence_query **out,
                                     crd_error *error) {
    *out = NULL;
    crd_sequence_query *query = crd_i_alloc_zeroed(hmm->context, 1, sizeof *query);
    if (query == NULL) return crd_i_fail_memory(error);
    query->hmm = hmm;
    query->sequences = sequences;
    crd_status status = crd_i_emission_bind(hmm->emission, sequences, hmm->states, &query->binding, error);
    if (status == CRD_OK) status = crd_i_emission_room_create(query->binding, &query->emission, error);
    if (status == CRD_OK) status = crd_i_chain_workspace_create(hmm->chain, &query->workspace, error);
    if (status == CRD_OK) {
        query->logs = crd_i_alloc(hmm->context, crd_i_chain_stride(hmm->chain), sizeof *query->logs);
        if (query->logs == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) *out = query;
    else crd_sequence_query_destroy(query);
    return status;
}

void crd_sequence_query_destroy(crd_sequence_query *query) {
    if (query == NULL) return;
    crd_context *context = query->hmm->context;
    crd_i_chain_workspace_destroy(query->workspace);
    crd_i_emission_room_destroy(query->emission);
    crd_i_emission_binding_destroy(query->binding);
    crd_free(context, query->conditions);
    crd_free(context, query->logs);
    crd_free(context, query);
}

static crd_status sequence_query_fill(const void *user, uint64_t source, uint64_t target, double *logs,
                                      crd_error *error) {
    const crd_sequence_query *query = user;
    return crd_i_emission_fill(query->binding, query->sequence, source, target, logs,
                               crd_i_chain_stride(query->hmm->chain), query->emission, error);
}

crd_status crd_i_sequence_query_emissions(crd_sequence_query *query, size_t sequence, crd_i_emissions *out,
                                          crd_error *error) {
    if (sequence >= crd_sequences_count(query->sequences))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown sequence %zu", sequence);
    query->sequence = sequence;
    *out = (crd_i_emissions){
        .user = query, .steps = crd_sequences_length(query->sequences, sequence), .fill = sequence_query_fill};
    return CRD_OK;
}

/* ---- States at some steps ---- */

/* Checks a condition on a state: the step and the state must exist, and the step must be after the previous condition's
 * step. */
static crd_status check_state(const crd_hmm *hmm, uint64_t steps, const crd_state_at *current_state,
                              const crd_state_at *before, crd_error *error) {
    if (current_state->step >= steps)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the sequence has %llu steps, so it has no step %llu",
                          (unsigned long long)steps, (unsigned long long)current_state->step + 1);
    if (current_state->state >= hmm->state_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown state %zu", current_state->state);
    if (before != NULL && before->step >= current_state->step)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "steps are not in ascending order");
    return CRD_OK;
}

/* Sets *out to the emissions of a sequence, conditioned on the given states. The conditions are stored in the query. */
static crd_status sequence_query_condition(crd_sequence_query *query, size_t sequence, const crd_state_at *states,
                                           size_t count, crd_i_conditioned_emissions *out, crd_error *error) {
    *out = (crd_i_conditioned_emissions){
        .states = query->hmm->state_count, .stride = crd_i_chain_stride(query->hmm->chain), .count = count};
    crd_status status = crd_i_sequence_query_emissions(query, sequence, &out->emissions, error);
    if (status != CRD_OK) return status;
    if (!crd_i_reserve(query->hmm->context, &query->conditions, &query->conditions_capacity, count,
                       sizeof *query->conditions))
        return crd_i_fail_memory(error);
    out->conditions = query->conditions;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        status = check_state(query->hmm, out->emissions.steps, &states[i], i == 0 ? NULL : &states[i - 1], error);
        query->conditions[i] = (crd_i_step_condition){states[i].step, (int32_t)states[i].state};
    }
    return status;
}

crd_status crd_sequence_query_joint(crd_sequence_query *query, size_t sequence, const crd_state_at *states,
                                    size_t count, double *log_likelihood, double *log_joint, crd_error *error) {
    crd_i_conditioned_emissions conditioned;
    crd_i_chain_answer all = {0}, some = {0};
    const crd_i_chain *chain = query->hmm->chain;
    crd_status status = sequence_query_condition(query, sequence, states, count, &conditioned, error);
    if (status == CRD_OK) status = crd_i_chain_likelihood(chain, &conditioned.emissions, query->workspace, &all, error);
    if (status != CRD_OK) return status;
    const crd_i_emissions emissions = crd_i_condition(&conditioned);
    some = all;
    if (count > 0) status = crd_i_chain_likelihood(chain, &emissions, query->workspace, &some, error);
    if (status != CRD_OK) return status;
    *log_likelihood = all.log_likelihood;
    *log_joint = some.log_likelihood;
    return CRD_OK;
}

static crd_status sequence_query_take_states(void *user, uint64_t source, uint64_t target, const int32_t *states,
                                             crd_error *error) {
    int32_t *path = user;
    (void)error;
    if (path != NULL) memcpy(path + source, states, (size_t)(target - source) * sizeof *states);
    return CRD_OK;
}

crd_status crd_sequence_query_best_path(crd_sequence_query *query, size_t sequence, const crd_state_at *states,
                                        size_t count, double *log_probability, int32_t *path, crd_error *error) {
    crd_i_conditioned_emissions conditioned;
    crd_i_chain_answer answer = {0};
    const crd_i_path_sink sink = {.user = path, .take = sequence_query_take_states};
    crd_status status = sequence_query_condition(query, sequence, states, count, &conditioned, error);
    if (status != CRD_OK) return status;
    const crd_i_emissions emissions = crd_i_condition(&conditioned);
    status = crd_i_chain_viterbi(query->hmm->chain, &emissions, query->workspace, &sink, &answer, error);
    if (status == CRD_OK) *log_probability = answer.log_likelihood;
    return status;
}

/* ---- Observations to come ---- */

crd_status crd_hmm_observation_query(const crd_model *model, const crd_settings *settings, crd_query **out,
                                     crd_error *error) {
    crd_settings *own_settings = NULL;
    const crd_i_hmm_content *content = crd_i_hmm_content_of(model);
    *out = NULL;
    if (content == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the model is not a hidden Markov model");
    crd_status status = crd_i_emission_settings(model->context, settings == NULL ? crd_model_settings(model) : settings,
                                                &own_settings, error);
    /* A query of a single column uses the column's own density, so joint densities are switched off. */
    if (status == CRD_OK) status = crd_settings_set(own_settings, "joint", crd_text_of("none"), error);
    if (status == CRD_OK) status = crd_query_create(content->emissions, own_settings, out, error);
    crd_settings_destroy(own_settings);
    return status;
}

void crd_hmm_log_classes(const crd_hmm *hmm, const double *state_probabilities, double *log_classes) {
    const size_t classes = crd_classifier_class_count(crd_hmm_emissions(hmm));
    for (size_t i = 0; i < classes; i++) log_classes[i] = -INFINITY;
    for (size_t k = 0; k < hmm->state_count; k++) {
        for (size_t m = 0; m < crd_hmm_components(hmm); m++) {
            double weight = 0;
            const size_t class_index = crd_hmm_emission_class(hmm, k, m, &weight);
            if (class_index == SIZE_MAX || !(weight * state_probabilities[k] > 0)) continue;
            log_classes[class_index] = crd_log(weight) + crd_log(state_probabilities[k]);
        }
    }
}

/* ---- Forecasts ---- */

enum { PUSHED_AT_ONCE = 256 };

/* Adds observations to the filter, one by one. Sets *is_possible to false if one of them is impossible. */
static crd_status push_observations(const crd_i_emissions *emissions, uint64_t steps, size_t stride, double *logs,
                                    crd_i_chain_filter *filter, bool *is_possible, crd_error *error) {
    crd_status status = CRD_OK;
    for (uint64_t source = 0, target; status == CRD_OK && *is_possible && source < steps; source = target) {
        target = steps - source < PUSHED_AT_ONCE ? steps : source + PUSHED_AT_ONCE;
        status = emissions->fill(emissions->user, source, target, logs, error);
        for (uint64_t t = source; status == CRD_OK && t < target; t++) {
            double log_likelihood = 0;
            status = crd_i_chain_filter_push(filter, logs + (size_t)(t - source) * stride, &log_likelihood, error);
            *is_possible = *is_possible && log_likelihood > -INFINITY;
        }
    }
    return status;
}

crd_status crd_i_sequence_query_predict(crd_sequence_query *query, const crd_i_emissions *emissions, uint64_t step,
                                        size_t horizon, double *probabilities, crd_error *error) {
    const crd_hmm *hmm = query->hmm;
    const size_t states = hmm->state_count, stride = crd_i_chain_stride(hmm->chain);
    crd_i_chain_filter *filter = NULL;
    bool is_possible = true;
    double *logs = crd_i_alloc(hmm->context, PUSHED_AT_ONCE * stride, sizeof *logs);
    if (logs == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_chain_filter_create(hmm->chain, 0, &filter, error);
    if (status == CRD_OK) crd_i_chain_filter_begin(filter);
    if (status == CRD_OK) status = push_observations(emissions, step, stride, logs, filter, &is_possible, error);
    /* All log emissions are 0, as for a missing observation. A step then only applies the transitions, given that the
     * sequence has not ended. */
    for (size_t k = 0; k < stride; k++) logs[k] = 0;
    for (size_t h = 0; status == CRD_OK && h < horizon; h++) {
        double *destination = probabilities + h * states, log_likelihood = 0;
        if (is_possible) status = crd_i_chain_filter_push(filter, logs, &log_likelihood, error);
        is_possible = is_possible && log_likelihood > -INFINITY;
        if (status == CRD_OK && is_possible)
            status = crd_i_chain_filter_posterior(filter, 0, false, destination, error);
        for (size_t k = 0; !is_possible && k < states; k++) destination[k] = NAN;
    }
    crd_i_chain_filter_destroy(filter);
    crd_free(hmm->context, logs);
    return status;
}

crd_status crd_sequence_query_forecast(crd_sequence_query *query, size_t sequence, size_t horizon,
                                       double *probabilities, crd_error *error) {
    crd_i_emissions emissions = {0};
    crd_status status = crd_i_sequence_query_emissions(query, sequence, &emissions, error);
    if (status != CRD_OK) return status;
    return crd_i_sequence_query_predict(query, &emissions, emissions.steps, horizon, probabilities, error);
}
