/* SPDX-License-Identifier: MIT */
/* sequence_query.c - computes joint probabilities of states at some steps, the best path through them, and
 * forecasts. It also splits a posterior into contributions. See credence/hmm_answers.h.
 *
 * Contents:
 *   1. Conditioned emissions
 *   2. Queries and forecasts
 *   3. Long-run probabilities and contexts
 *   4. Contributions to a posterior */
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "sequence/chain/chain.h"
#include "sequence/hmm_internal.h"

#include <credence/hmm_answers.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fixes the state at a step, counted from 0. CRD_I_UNOBSERVED drops the observation of the step instead. */
typedef struct crd_i_step_condition {
    uint64_t step;
    int32_t state;
} crd_i_step_condition;

enum { CRD_I_UNOBSERVED = -1 };

typedef struct crd_i_conditioned_emissions {
    crd_i_emissions emissions; /* the emissions before conditioning */
    size_t states, stride;
    const crd_i_step_condition *conditions; /* in ascending order of steps */
    size_t count;
} crd_i_conditioned_emissions;

struct crd_sequence_query {
    const crd_hmm *hmm;
    const crd_sequences *sequences;
    crd_i_emission_binding *binding;
    crd_i_emission_room *emission;
    crd_i_chain_workspace *workspace;
    size_t sequence; /* the sequence whose emissions were set up last */
    crd_i_step_condition *conditions;
    size_t conditions_capacity;
    double *logs; /* log emissions of one step */
};

/* ======== 1. Conditioned emissions ========
 *
 * The emissions of a sequence, given the states at some steps or without the observations at some steps.
 *
 * To condition on s_t = k, the emission of every other state at step t is set to 0:
 *
 *     P(x, s_t = k) = P(x) with P(x_t | j) = 0 for all j != k. */

/* Returns the index of the first condition at or after a step, found by binary search. */
static size_t conditioned_emission_first_from(const crd_i_conditioned_emissions *emissions, uint64_t step) {
    size_t low = 0, high = emissions->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (emissions->conditions[middle].step < step) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Computes the log emissions of the steps and then applies the conditions. An unobserved step gets 0 for all states. A
 * fixed state leaves -INFINITY for every other state of its step. */
static crd_status conditioned_emission_fill(const void *user, uint64_t first, uint64_t limit, double *logs,
                                            crd_error *error) {
    const crd_i_conditioned_emissions *emissions = user;
    crd_status status = emissions->emissions.fill(emissions->emissions.user, first, limit, logs, error);
    if (status != CRD_OK) return status;
    for (size_t i = conditioned_emission_first_from(emissions, first);
         i < emissions->count && emissions->conditions[i].step < limit; i++) {
        const crd_i_step_condition *condition = &emissions->conditions[i];
        double *row = logs + (size_t)(condition->step - first) * emissions->stride;
        for (size_t k = 0; k < emissions->states; k++) {
            if (condition->state == CRD_I_UNOBSERVED) row[k] = 0;
            else if ((size_t)condition->state != k) row[k] = -INFINITY;
        }
    }
    return CRD_OK;
}

/* Returns the emissions of the same steps under the conditions. The result points to `conditioned`, which must outlive
 * it. */
static crd_i_emissions condition_step(const crd_i_conditioned_emissions *conditioned) {
    return (crd_i_emissions){
        .user = conditioned, .steps = conditioned->emissions.steps, .fill = conditioned_emission_fill};
}

/* ======== 2. Queries and forecasts ======== */

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

/* Sets *out to the emissions of a sequence. They are valid until this function is called for another sequence. Fails
 * with CRD_ERROR_ARGUMENT if the sequence does not exist. */
static crd_status sequence_query_emissions(crd_sequence_query *query, size_t sequence, crd_i_emissions *out,
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
    crd_status status = sequence_query_emissions(query, sequence, &out->emissions, error);
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
    const crd_i_emissions emissions = condition_step(&conditioned);
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
    const crd_i_emissions emissions = condition_step(&conditioned);
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
    const size_t classes = crd_classifier_class_count(crd_hmm_facts_of(hmm)->emissions);
    for (size_t i = 0; i < classes; i++) log_classes[i] = -INFINITY;
    for (size_t k = 0; k < hmm->state_count; k++) {
        for (size_t m = 0; m < crd_hmm_facts_of(hmm)->components; m++) {
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

/* Computes P(s_(step - 1 + h) | the first `step` observations) for h = 1 .. horizon, as probabilities[(h - 1) * states
 * + k]. All are NaN if these observations are impossible. */
static crd_status sequence_query_predict(crd_sequence_query *query, const crd_i_emissions *emissions, uint64_t step,
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
    crd_status status = sequence_query_emissions(query, sequence, &emissions, error);
    if (status != CRD_OK) return status;
    return sequence_query_predict(query, &emissions, emissions.steps, horizon, probabilities, error);
}

/* ======== 3. Long-run probabilities and contexts ======== */

crd_status crd_hmm_long_run(const crd_hmm *hmm, double *stationary, double *durations, crd_error *error) {
    crd_status status = CRD_OK;
    if (stationary != NULL) status = crd_i_chain_stationary(hmm->chain, stationary, error);
    if (status == CRD_OK && durations != NULL) status = crd_i_chain_durations(hmm->chain, durations, error);
    return status;
}

/* ---- Contexts ---- */

/* Orders contexts by descending count, then by ascending length, then by their states. */
static int state_contexts_by_count(const void *a, const void *b) {
    const crd_state_context *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    for (size_t i = 0; i < x->length; i++)
        if (x->states[i] != y->states[i]) return x->states[i] < y->states[i] ? -1 : 1;
    return 0;
}

crd_status crd_hmm_contexts(const crd_hmm *hmm, crd_state_context *out, size_t most, size_t *total, crd_error *error) {
    const crd_i_transition_level *level = &hmm->transitions->levels[hmm->order];
    crd_state_context *all = crd_i_alloc_zeroed(hmm->context, level->context_count, sizeof *all);
    *total = 0;
    if (all == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < level->context_count; i++) {
        crd_state_context *state = &all[*total];
        uint32_t symbols[CRD_I_MOST_ORDER];
        crd_i_transition_context(level->contexts[i], hmm->order, symbols);
        state->length = 0;
        for (size_t s = 0; s < hmm->order; s++)
            if (symbols[s] != CRD_I_SYMBOL_BEGIN) state->states[state->length++] = symbols[s];
        state->count = level->totals[i];
        *total += state->length > 0;
    }
    if (*total > 0) qsort(all, *total, sizeof *all, state_contexts_by_count);
    for (size_t i = 0; i < *total && i < most; i++) out[i] = all[i];
    crd_free(hmm->context, all);
    return CRD_OK;
}

/* ======== 4. Contributions to a posterior ========
 *
 * The posterior of a step's state is split into contributions of the past, the observation and the future.
 *
 * Forward-backward without observation x_t gives q(k) = P(s_t = k | all observations except x_t). The contribution of
 * the past is the filter's forecast P(s_t = k | x_1 .. x_(t-1)). The contribution of the future is the remaining
 * factor:
 *
 *     P(s_t = k | x)  =  P(s_t = k | x_1 .. x_(t-1)) * P(x_t | k) * q(k) / P(s_t = k | x_1 .. x_(t-1))  /  sum
 *
 * In a chain of higher order, the future also depends on states before s_t. Given these states, x_t still depends on
 * s_t only, so the factors are the same. */

/* ---- Sinks of one step ---- */

typedef struct step_posterior {
    uint64_t step;
    size_t states, stride;
    double *output;
} step_posterior;

static crd_status take_posterior(void *user, uint64_t first, uint64_t limit, double *posteriors, crd_error *error) {
    const step_posterior *posterior = user;
    (void)error;
    if (posterior->step >= first && posterior->step < limit)
        memcpy(posterior->output, posteriors + (size_t)(posterior->step - first) * posterior->stride,
               posterior->states * sizeof *posterior->output);
    return CRD_OK;
}

typedef struct step_state {
    uint64_t step;
    int32_t state;
} step_state;

static crd_status step_explanation_take_state(void *user, uint64_t first, uint64_t limit, const int32_t *states,
                                              crd_error *error) {
    step_state *current_state = user;
    (void)error;
    if (current_state->step >= first && current_state->step < limit)
        current_state->state = states[current_state->step - first];
    return CRD_OK;
}

/* ---- Contributions ---- */

/* Computes log q(k): the log posterior of each state at the step without the step's own observation. */
static crd_status step_explanation_find_context(crd_sequence_query *query, const crd_i_emissions *emissions,
                                                uint64_t step, double *logs, crd_error *error) {
    const crd_hmm *hmm = query->hmm;
    const crd_i_step_condition unobserved = {step, CRD_I_UNOBSERVED};
    const crd_i_conditioned_emissions without = {.emissions = *emissions,
                                                 .states = hmm->state_count,
                                                 .stride = crd_i_chain_stride(hmm->chain),
                                                 .conditions = &unobserved,
                                                 .count = 1};
    const crd_i_emissions others = condition_step(&without);
    step_posterior posterior = {step, hmm->state_count, without.stride, logs};
    const crd_i_posterior_sink sink = {.user = &posterior, .take = take_posterior};
    crd_i_chain_answer answer = {0};
    for (size_t k = 0; k < hmm->state_count; k++) logs[k] = 0;
    crd_status status = crd_i_chain_posteriors(hmm->chain, &others, query->workspace, &sink, &answer, error);
    for (size_t k = 0; k < hmm->state_count; k++) logs[k] = crd_log(logs[k]);
    return status;
}

/* Largest difference between two equal logarithms that rounding can cause, in units of the last place. */
static const double UNITS = 8;

/* Turns `future` from log q(k) into the future's contribution. Then computes the normalized log posterior as the sum of
 * the three contributions, and sets the most probable state in *out. */
static void step_explanation_add_up(size_t states, const double *past, const double *observation, double *future,
                                    double *log_posterior, crd_step_explanation *out) {
    double greatest = -INFINITY, sum = 0;
    for (size_t k = 0; k < states; k++) {
        /* A state that the past makes impossible has no contribution from the future. */
        future[k] = past[k] == -INFINITY ? 0 : future[k] - past[k];
        if (fabs(future[k]) <= UNITS * DBL_EPSILON * fmax(1, fabs(past[k]))) future[k] = 0;
        log_posterior[k] = past[k] + observation[k] + future[k];
        if (log_posterior[k] > greatest) greatest = log_posterior[k], out->posterior = (int32_t)k;
    }
    if (greatest == -INFINITY) return;
    for (size_t k = 0; k < states; k++) sum += crd_exp(log_posterior[k] - greatest);
    const double log_sum = greatest + crd_log(sum);
    for (size_t k = 0; k < states; k++) log_posterior[k] -= log_sum;
}

crd_status crd_sequence_query_explain(crd_sequence_query *query, size_t sequence, uint64_t step, double *past,
                                      double *observation, double *future, double *log_posterior,
                                      crd_step_explanation *out, crd_error *error) {
    const crd_hmm *hmm = query->hmm;
    crd_i_emissions emissions = {0};
    crd_i_chain_answer all = {0}, best = {0};
    crd_step_explanation explanation = CRD_STEP_EXPLANATION_INIT;
    step_state on_path = {step, -1};
    const crd_i_path_sink sink = {.user = &on_path, .take = step_explanation_take_state};
    crd_status status = sequence_query_emissions(query, sequence, &emissions, error);
    if (status == CRD_OK && step >= emissions.steps)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the sequence has %llu steps, so it has no step %llu",
                            (unsigned long long)emissions.steps, (unsigned long long)step + 1);
    if (status == CRD_OK) status = crd_i_chain_viterbi(hmm->chain, &emissions, query->workspace, &sink, &best, error);
    if (status == CRD_OK) status = crd_i_chain_likelihood(hmm->chain, &emissions, query->workspace, &all, error);
    if (status == CRD_OK) status = emissions.fill(emissions.user, step, step + 1, query->logs, error);
    if (status == CRD_OK) status = sequence_query_predict(query, &emissions, step, 1, past, error);
    if (status == CRD_OK) status = step_explanation_find_context(query, &emissions, step, future, error);
    if (status != CRD_OK) return status;
    memcpy(observation, query->logs, hmm->state_count * sizeof *observation);
    for (size_t k = 0; k < hmm->state_count; k++) past[k] = crd_log(past[k]);
    explanation.log_likelihood = all.log_likelihood;
    explanation.log_path = best.log_likelihood;
    explanation.path = on_path.state;
    step_explanation_add_up(hmm->state_count, past, observation, future, log_posterior, &explanation);
    if (all.is_impossible) explanation.posterior = explanation.path = -1;
    crd_i_copy_out(&explanation, sizeof explanation, out);
    return CRD_OK;
}

/* ---- Columns ---- */

/* Computes the log density of an attribute's value for each class. It is 0 if the value is missing, or if the attribute
 * belongs to a joint density. */
static crd_status step_explanation_find_terms(const crd_i_emission_model *emission, size_t attribute,
                                              const crd_value *value, double *of_classes, crd_error *error) {
    const crd_classifier *classifier = emission->classifier;
    const crd_i_unseen_words *words = emission->unseen[attribute];
    crd_status status = CRD_OK;
    if (words != NULL && value->type == CRD_TYPE_CATEGORICAL) {
        double *workspace = crd_i_alloc(emission->context, crd_i_unseen_words_room(words), sizeof *workspace);
        if (workspace == NULL) return crd_i_fail_memory(error);
        crd_i_unseen_words_log(words, value->text, workspace, of_classes);
        crd_free(emission->context, workspace);
        return CRD_OK;
    }
    for (size_t c = 0; status == CRD_OK && c < crd_classifier_class_count(classifier); c++) {
        crd_term term = CRD_TERM_INIT;
        status = crd_classifier_term(classifier, attribute, c, value, &term, error);
        of_classes[c] = term.log_value;
    }
    return status;
}

/* Returns the value of the named column at the cursor. Returns type NONE if the sequences do not have the column. */
static crd_value step_explanation_cell(const crd_sequence_cursor *cursor, const crd_sequences *sequences,
                                       crd_text name) {
    const crd_value none = {CRD_TYPE_NONE, 0, {NULL, 0}};
    for (size_t i = 0; i < crd_sequences_column_count(sequences); i++)
        if (crd_text_equal(crd_sequences_column_name(sequences, i), name)) return crd_sequence_cursor_value(cursor, i);
    return none;
}

crd_status crd_sequence_query_terms(crd_sequence_query *query, size_t sequence, uint64_t step, double *terms,
                                    crd_error *error) {
    const crd_i_emission_model *emission = query->hmm->emission;
    const size_t states = query->hmm->state_count, attributes = crd_classifier_attribute_count(emission->classifier);
    double *remainder = terms + attributes * states, *sums = remainder;
    crd_sequence_cursor *cursor = NULL;
    crd_i_emissions emissions = {0};
    crd_status status = crd_sequence_cursor_create(query->sequences, &cursor, error);
    double *of_classes =
        crd_i_alloc(query->hmm->context, crd_classifier_class_count(emission->classifier), sizeof *of_classes);
    if (status == CRD_OK && of_classes == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_sequence_cursor_move(cursor, sequence, step, error);
    if (status == CRD_OK) status = sequence_query_emissions(query, sequence, &emissions, error);
    if (status == CRD_OK) status = emissions.fill(emissions.user, step, step + 1, query->logs, error);
    for (size_t k = 0; k < states; k++) sums[k] = 0;
    for (size_t a = 0; status == CRD_OK && a < attributes; a++) {
        const crd_value value =
            step_explanation_cell(cursor, query->sequences, crd_classifier_attribute(emission->classifier, a));
        status = step_explanation_find_terms(emission, a, &value, of_classes, error);
        for (size_t k = 0; status == CRD_OK && k < states; k++) {
            const uint32_t class_index = emission->class_of[k];
            const bool has_own = emission->components == 1 && class_index != UINT32_MAX;
            terms[a * states + k] = has_own ? of_classes[class_index] : 0;
            sums[k] += terms[a * states + k];
        }
    }
    /* If a single column makes a state impossible, the remainder is 0 instead of NaN. */
    for (size_t k = 0; status == CRD_OK && k < states; k++)
        remainder[k] = isinf(sums[k]) ? 0 : query->logs[k] - sums[k];
    crd_free(query->hmm->context, of_classes);
    crd_sequence_cursor_destroy(cursor);
    return status;
}
