/* SPDX-License-Identifier: MIT */
/* hmm_fit.c - trains hidden Markov models whose states are completely or partly hidden. See credence/hmm_train.h. The
 * search is in hmm_search.c.
 *
 * Contents:
 *   1. State names
 *   2. Model
 *   3. Options
 *   4. Training problem
 *   5. Training functions */
#include "base/error.h"
#include "base/memory.h"
#include "model/column_family.h"
#include "processes/group.h"
#include "sequence/data/sequences.h"
#include "sequence/train/hmm_training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STARTS = 10, MOST_STARTS = 1000000, NAME_ROOM = 24 };

static void hmm_fit_clear(crd_fit *base) {
    crd_i_hmm_fit *fit = (crd_i_hmm_fit *)base;
    crd_i_training_problem *problem = &fit->problem;
    crd_i_hmm_result_clear(&fit->best);
    crd_hmm_destroy(problem->start);
    crd_free(base->context, problem->segments);
    crd_i_observation_facts_destroy(problem->facts);
    crd_i_schema_destroy(problem->schema);
    crd_settings_destroy(problem->settings);
    crd_settings_destroy(problem->emission_settings);
    crd_sequences_destroy(fit->unlabeled);
}

/* ======== 1. State names ======== */

/* Sorts states, or the components of a state, by decreasing weight. Equal weights keep their order. */
static void order_by(const double *weights, size_t count, size_t *order) {
    for (size_t k = 0; k < count; k++) {
        size_t index = k;
        for (; index > 0 && weights[order[index - 1]] < weights[k]; index--) order[index] = order[index - 1];
        order[index] = k;
    }
}

/* Chooses names that do not depend on the random start. Hidden states are ordered by their expected number of steps,
 * unless the settings name them; components are ordered by their weights. state_names and class_names are indexed by
 * the run's states. */
static crd_status name_anew(const crd_i_hmm_fit *fit, crd_text *state_names, crd_text *class_names, crd_error *error) {
    const crd_i_training_shape *shape = fit->best.shape;
    const crd_i_training_model *model = fit->best.run.model;
    const size_t states = shape->states, components = shape->components;
    const bool is_free = fit->problem.is_hidden && fit->problem.start == NULL &&
                         !fit->problem.settings->is_left_to_right &&
                         fit->problem.settings->forbidden_transitions.nodes == NULL;
    const size_t most = states > components ? states : components;
    double *weights = crd_i_alloc_zeroed(fit->base.context, most, sizeof *weights);
    size_t *order = crd_i_alloc(fit->base.context, most, sizeof *order);
    size_t *rank = crd_i_alloc(fit->base.context, states, sizeof *rank);
    if (weights != NULL && order != NULL && rank != NULL) {
        if (is_free && model->content != NULL) crd_i_ngram_counts_visits(model->content->transitions, weights);
        order_by(weights, states, order);
        for (size_t i = 0; i < states; i++) rank[order[i]] = i;
        for (size_t s = 0; s < states; s++) {
            state_names[s] = shape->state_names[rank[s]];
            for (size_t m = 0; m < components; m++) (void)crd_hmm_emission_class(model->hmm, s, m, &weights[m]);
            order_by(weights, components, order);
            for (size_t i = 0; i < components; i++)
                class_names[s * components + order[i]] = shape->class_names[rank[s] * components + i];
        }
    }
    const bool done = weights != NULL && order != NULL && rank != NULL;
    crd_free(fit->base.context, weights);
    crd_free(fit->base.context, order);
    crd_free(fit->base.context, rank);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ======== 2. Model ======== */

/* Counts all steps under the model from whose expected counts the best model was derived. So a model derived from these
 * counts equals the best model. */
static crd_status count_expected(const crd_i_hmm_fit *fit, const crd_text *state_names, const crd_text *class_names,
                                 crd_model **out, crd_error *error) {
    const crd_i_training_shape *shape = fit->best.shape;
    const crd_i_training_steps all = crd_i_training_all(&fit->problem);
    const crd_hmm *hmm = fit->best.run.before != NULL ? fit->best.run.before->hmm : fit->best.run.model->hmm;
    const crd_i_expectation_form form = {
        .schema = shape->schema, .settings = fit->problem.emission_settings, .names = class_names};
    crd_i_expectation counts = {.context = fit->base.context};
    crd_i_ngram_counts *ngrams = NULL;
    crd_i_hmm_content *content = NULL;
    crd_status status = crd_i_expectation_compute(hmm, &all, &form, &counts, error);
    if (status == CRD_OK) status = crd_i_training_ngrams(shape, state_names, &ngrams, error);
    if (status == CRD_OK && !crd_i_context_nodes_count(hmm->nodes, &counts.counts, ngrams))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        status =
            crd_i_hmm_content_create(fit->base.context, counts.rows, ngrams, shape->components, fit->problem.is_hidden,
                                     fit->has_source ? &fit->source : NULL, &content, error);
        counts.rows = NULL;
        ngrams = NULL;
    }
    if (status == CRD_OK) {
        content->is_fitted = true; /* counts are expected counts, even if some steps have labels */
        status = crd_i_sequence_model_create(content, shape->settings, out, error);
    }
    crd_i_ngram_counts_destroy(ngrams);
    crd_i_expectation_clear(&counts);
    return status;
}

static crd_status hmm_fit_model(const crd_fit *base, crd_model **out, crd_error *error) {
    const crd_i_hmm_fit *fit = (const crd_i_hmm_fit *)base;
    if (fit->is_counted) return crd_sequences_train(fit->problem.sequences, fit->problem.settings, out, NULL, error);
    crd_text *state_names = crd_i_alloc(fit->base.context, fit->best.shape->states, sizeof *state_names);
    crd_text *class_names = crd_i_alloc(fit->base.context, fit->best.shape->classes, sizeof *class_names);
    crd_status status = state_names == NULL || class_names == NULL ? crd_i_fail_memory(error)
                                                                   : name_anew(fit, state_names, class_names, error);
    if (status == CRD_OK) status = count_expected(fit, state_names, class_names, out, error);
    crd_free(fit->base.context, state_names);
    crd_free(fit->base.context, class_names);
    status = crd_i_group_end(crd_i_sequences_group(fit->problem.sequences), status, error);
    if (status == CRD_OK) return CRD_OK;
    crd_model_destroy(*out);
    *out = NULL;
    return status;
}

static const crd_i_fit_kind hmm_fit_kind = {.model = hmm_fit_model, .clear = hmm_fit_clear};

/* ======== 3. Options ======== */

static crd_status hmm_fit_check_options(const crd_hmm_train_options *options, crd_error *error) {
    if (options->states > CRD_I_MOST_HIDDEN_STATES || options->max_states > CRD_I_MOST_HIDDEN_STATES ||
        options->least_states == 0 || options->least_states > options->max_states || options->restarts > MOST_STARTS ||
        isnan(options->tolerance))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "hidden states: expected 1 to %d states, at most %d starts, and a tolerance that is a number",
                          (int)CRD_I_MOST_HIDDEN_STATES, (int)MOST_STARTS);
    return CRD_OK;
}

static crd_status fail_setting(const crd_settings *settings, const char *name, const char *why, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SETTING, "hidden states are fitted by EM%s: %s cannot be %s", why, name,
               crd_settings_get(settings, name));
    crd_i_error_subject(error, crd_text_of(name));
    return CRD_ERROR_SETTING;
}

static crd_status hmm_fit_check_settings(const crd_sequences *sequences, const crd_settings *settings,
                                         crd_error *error) {
    if (settings->estimator == CRD_I_ESTIMATOR_GRADIENT) return fail_setting(settings, "estimator", "", error);
    for (size_t c = 0; c < crd_sequences_column_count(sequences); c++)
        if (crd_i_sequences_column_type(sequences, c) == CRD_TYPE_NUMERIC &&
            crd_i_column_family_family(settings, crd_sequences_column_name(sequences, c), CRD_TYPE_NUMERIC) ==
                &crd_i_family_auto)
            return fail_setting(settings, "family", ", which has no labels to select a family", error);
    return CRD_OK;
}

static void hmm_fit_complete_options(crd_hmm_train_options *options, const crd_settings *settings) {
    if (options->states == 0) options->states = settings->states;
    if (options->restarts == 0) options->restarts = settings->em_starts;
    if (options->most_steps == 0) options->most_steps = settings->iterations;
    if (options->tolerance < 0) options->tolerance = settings->tolerance;
}

/* ======== 4. Training problem ======== */

static crd_status list_segments(crd_i_training_problem *problem, crd_error *error) {
    const size_t count = crd_sequences_count(problem->sequences);
    problem->segments = crd_i_alloc(problem->context, count, sizeof *problem->segments);
    if (problem->segments == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        const crd_i_segment segment = {i, 0, crd_sequences_length(problem->sequences, i)};
        if (segment.target == 0) continue;
        problem->segments[problem->segment_count++] = segment;
        problem->steps += segment.target;
    }
    return problem->steps > 0 ? CRD_OK : crd_i_fail(error, CRD_ERROR_EMPTY, "no steps to learn from");
}

/* Creates the schema: the columns, and a target for the hidden states or with all labels declared. */
static crd_status hmm_fit_make_schema(crd_i_training_problem *problem, crd_text target, crd_error *error) {
    const crd_i_dictionary *labels = crd_i_sequences_labels(problem->sequences);
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_schema *schema = problem->schema = crd_i_schema_clone(crd_i_sequences_schema(problem->sequences));
    if (schema == NULL) return crd_i_fail_memory(error);
    if (!problem->is_hidden) {
        for (size_t i = 0; labels != NULL && i < crd_i_dictionary_size(labels); i++)
            if (!crd_i_schema_declare(schema, schema->target, crd_i_dictionary_text(labels, i)))
                return crd_i_fail_memory(error);
        return CRD_OK;
    }
    if (target.length == 0 || memchr(target.bytes, '\0', target.length) != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the name of the hidden states is empty, or has a NUL byte");
    const size_t same = crd_i_schema_find(schema, target);
    if (same != SIZE_MAX) {
        crd_i_fail(error, CRD_ERROR_COLUMN, "'%s' is a column, so it cannot be the name of the hidden states",
                   crd_i_quote(target, quoted));
        crd_i_error_subject(error, target);
        return CRD_ERROR_COLUMN;
    }
    if (!crd_i_schema_add(schema, target, CRD_TYPE_CATEGORICAL, schema->width)) return crd_i_fail_memory(error);
    schema->target = schema->count - 1;
    schema->width++;
    return CRD_OK;
}

static crd_status check_steps(const crd_i_training_problem *problem, size_t states, crd_error *error) {
    if (!problem->is_hidden)
        return problem->facts->labeled > 0
                   ? CRD_OK
                   : crd_i_fail(error, CRD_ERROR_EMPTY, "no step has a label, so the states are unknown");
    if (problem->facts->column_count == 0)
        return crd_i_fail(error, CRD_ERROR_EMPTY, "no observation columns to learn from");
    if (states <= problem->steps) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_EMPTY,
               "%zu hidden states in %llu step%s: the number of states cannot exceed the number of steps", states,
               (unsigned long long)problem->steps, problem->steps == 1 ? "" : "s");
    crd_i_error_subject(error, crd_text_of("states"));
    return error == NULL ? CRD_ERROR_EMPTY : error->status;
}

/* Collects the training data, the settings and the options of the problem, and checks them. */
static crd_status make_problem(crd_i_hmm_fit *fit, const crd_sequences *sequences, crd_text target,
                               const crd_settings *settings, crd_error *error) {
    crd_i_training_problem *problem = &fit->problem;
    problem->context = fit->base.context;
    problem->sequences = sequences;
    problem->threads = fit->options.threads;
    problem->is_hidden = !crd_sequences_has_target(sequences);
    crd_status status = settings == NULL ? crd_settings_create(fit->base.context, &problem->settings, error)
                                         : crd_i_settings_copy(fit->base.context, settings, &problem->settings, error);
    if (status == CRD_OK) status = hmm_fit_check_settings(sequences, problem->settings, error);
    if (status == CRD_OK) hmm_fit_complete_options(&fit->options, problem->settings);
    if (status == CRD_OK && fit->options.start != NULL)
        status = crd_hmm_create(fit->options.start, NULL, &problem->start, error);
    if (status == CRD_OK && problem->start != NULL && problem->is_hidden)
        fit->options.states = crd_hmm_state_count(problem->start);
    if (status == CRD_OK)
        status = crd_i_emission_settings(fit->base.context, problem->settings, &problem->emission_settings, error);
    if (status == CRD_OK) status = list_segments(problem, error);
    if (status == CRD_OK) status = hmm_fit_make_schema(problem, target, error);
    if (status == CRD_OK)
        status = crd_i_observation_facts_create(sequences, problem->segments, problem->segment_count, &problem->facts,
                                                error);
    /* For categorical columns, half of the starts are random draws: see hmm_training.h. */
    if (status == CRD_OK && fit->options.restarts == 0)
        fit->options.restarts = crd_i_sequence_starts_are_blind(problem) ? 2 * STARTS : STARTS;
    return status == CRD_OK ? check_steps(problem, fit->options.states, error) : status;
}

/* ======== 5. Training functions ======== */

/* Checks that all sequences are possible. Topology, forbidden transitions and labels may conflict, or probabilities may
 * be 0 without smoothing. */
static crd_status check_possible(const crd_i_hmm_fit *fit, crd_error *error) {
    if (fit->base.is_stopped || fit->best.run.impossible_at == SIZE_MAX) return CRD_OK;
    const crd_i_segment *segment = &fit->problem.segments[fit->best.run.impossible_at];
    const crd_text id = crd_sequences_id(fit->problem.sequences, segment->sequence);
    char quoted[CRD_I_QUOTED_ROOM], number[NAME_ROOM];
    snprintf(number, sizeof number, "number %zu", segment->sequence + 1);
    crd_i_fail(
        error, CRD_ERROR_ARGUMENT,
        "sequence %s is impossible: its labels need transitions that the topology or the setting forbidden excludes",
        id.length > 0 ? crd_i_quote(id, quoted) : number);
    crd_i_sequences_place_error(fit->problem.sequences, segment->sequence, segment->source, error);
    return CRD_ERROR_ARGUMENT;
}

/* Fixes a shrinkage that the settings leave open. It would be chosen again in every M step, so no objective would
 * increase. Maximum likelihood has no shrinkage, so the setting covariance becomes full:0 or tied:0, also in the
 * resulting model. */
static crd_status settle_shrinkage(crd_i_training_problem *problem, crd_error *error) {
    const crd_settings *settings = problem->settings;
    const bool is_open =
        (settings->covariance == CRD_I_COVARIANCE_FULL || settings->covariance == CRD_I_COVARIANCE_TIED) &&
        isnan(settings->covariance_shrinkage);
    if (!is_open) return CRD_OK;
    const crd_text settled = crd_text_of(settings->covariance == CRD_I_COVARIANCE_FULL ? "full:0" : "tied:0");
    const crd_status status = crd_settings_set(problem->settings, "covariance", settled, error);
    return status == CRD_OK ? crd_settings_set(problem->emission_settings, "covariance", settled, error) : status;
}

/* Fits the model. If every step has a label, there is nothing to fit, and the sequences are only counted. */
static crd_status hmm_fit_find(crd_i_hmm_fit *fit, const crd_sequences *sequences, crd_text target,
                               const crd_settings *settings, crd_error *error) {
    crd_i_training_problem *problem = &fit->problem;
    crd_status status = CRD_OK;
    if (fit->options.ignore_labels && crd_sequences_has_target(sequences)) {
        status = crd_i_sequences_unlabeled(sequences, &fit->unlabeled, error);
        sequences = fit->unlabeled;
    }
    if (status == CRD_OK) status = make_problem(fit, sequences, target, settings, error);
    if (status != CRD_OK) return status;
    fit->is_counted =
        !problem->is_hidden && problem->settings->components == 1 && problem->facts->labeled == problem->steps;
    if (!fit->is_counted) status = settle_shrinkage(problem, error);
    if (status == CRD_OK && !fit->is_counted) status = crd_i_hmm_search(fit, error);
    if (status == CRD_OK && !fit->is_counted) status = check_possible(fit, error);
    if (status != CRD_OK) return status;
    fit->base.facts.rows = (double)problem->steps;
    fit->base.facts.labeled = problem->is_hidden ? 0 : (double)problem->facts->labeled;
    if (fit->is_counted) {
        fit->base.facts.components = crd_i_dictionary_size(problem->schema->columns[problem->schema->target].values);
        fit->base.trace.is_converged = true;
    } else if (!fit->best.run.model->is_maximized) fit->base.trace.may_decrease = true;
    return CRD_OK;
}

crd_status crd_hmm_find(const crd_sequences *sequences, crd_text target, const crd_settings *settings,
                        const crd_hmm_train_options *options, crd_fit **out, crd_error *error) {
    const crd_hmm_train_options defaults = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_context *context = crd_i_sequences_context(sequences);
    *out = NULL;
    crd_i_hmm_fit *fit = crd_i_alloc_zeroed(context, 1, sizeof *fit);
    if (fit == NULL) return crd_i_group_end(crd_i_sequences_group(sequences), crd_i_fail_memory(error), error);
    crd_i_em_fit_begin(&fit->base, context);
    fit->base.kind = &hmm_fit_kind;
    fit->best.run.trace.context = context;
    fit->options = defaults;
    crd_status status = CRD_OK;
    if (options != NULL && !crd_i_copy_in(options, &fit->options, sizeof fit->options))
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    if (status == CRD_OK) status = hmm_fit_check_options(&fit->options, error);
    fit->source = (crd_sequence_options)CRD_SEQUENCE_OPTIONS_INIT;
    fit->has_source = crd_i_sequences_source(sequences, &fit->source) != 0;
    if (status == CRD_OK && !fit->has_source && fit->options.source != NULL) {
        fit->has_source = crd_i_copy_in(fit->options.source, &fit->source, sizeof fit->source);
        if (!fit->has_source) status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the source options are not initialized");
    }
    if (status == CRD_OK) status = hmm_fit_find(fit, sequences, target, settings, error);
    status = crd_i_group_end(crd_i_sequences_group(sequences), status, error);
    if (status == CRD_OK) *out = &fit->base;
    else crd_fit_destroy(&fit->base);
    return status;
}

crd_status crd_hmm_train(const crd_sequences *sequences, crd_text target, const crd_settings *settings,
                         const crd_hmm_train_options *options, crd_model **out, crd_fit **fit, crd_error *error) {
    crd_fit *found;
    *out = NULL;
    if (fit != NULL) *fit = NULL;
    crd_status status = crd_hmm_find(sequences, target, settings, options, &found, error);
    if (status == CRD_OK) status = crd_fit_model(found, out, error);
    if (status == CRD_OK && fit != NULL) *fit = found;
    else crd_fit_destroy(found);
    return status;
}
