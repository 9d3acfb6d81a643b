/* SPDX-License-Identifier: MIT */
/* step_explanation.c - splits the posterior of a step's state into contributions of the past, the observation and the
 * future: see credence/hmm_answers.h.
 *
 * Forward-backward without observation x_t gives q(k) = P(s_t = k | all observations except x_t). The contribution of
 * the past is the filter's forecast P(s_t = k | x_1 .. x_(t-1)). The contribution of the future is the remaining
 * factor:
 *
 *     P(s_t = k | x)  =  P(s_t = k | x_1 .. x_(t-1)) * P(x_t | k) * q(k) / P(s_t = k | x_1 .. x_(t-1))  /  sum
 *
 * In a chain of higher order, the future also depends on states before s_t. Given these states, x_t still depends on
 * s_t only, so the factors are the same. */
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "query/sequence_query.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
    const crd_i_emissions others = crd_i_condition(&without);
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
    crd_status status = crd_i_sequence_query_emissions(query, sequence, &emissions, error);
    if (status == CRD_OK && step >= emissions.steps)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the sequence has %llu steps, so it has no step %llu",
                            (unsigned long long)emissions.steps, (unsigned long long)step + 1);
    if (status == CRD_OK) status = crd_i_chain_viterbi(hmm->chain, &emissions, query->workspace, &sink, &best, error);
    if (status == CRD_OK) status = crd_i_chain_likelihood(hmm->chain, &emissions, query->workspace, &all, error);
    if (status == CRD_OK) status = emissions.fill(emissions.user, step, step + 1, query->logs, error);
    if (status == CRD_OK) status = crd_i_sequence_query_predict(query, &emissions, step, 1, past, error);
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
    if (words != NULL && value->kind == CRD_KIND_CATEGORY) {
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

/* Returns the value of the named column at the cursor. Returns kind NONE if the sequences do not have the column. */
static crd_value step_explanation_cell(const crd_sequence_cursor *cursor, const crd_sequences *sequences,
                                       crd_text name) {
    const crd_value none = {CRD_KIND_NONE, 0, {NULL, 0}};
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
    if (status == CRD_OK) status = crd_i_sequence_query_emissions(query, sequence, &emissions, error);
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
