/* SPDX-License-Identifier: MIT */
/* hmm_training.c - shapes, M steps and priors. See hmm_training.h. */
#include "sequence/train/hmm_training.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "model/schema_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_ROOM = 24 };

/* ---- Shapes ---- */

void crd_i_training_shape_destroy(crd_i_training_shape *shape) {
    if (shape == NULL) return;
    crd_context *context = shape->problem->context;
    crd_i_emission_sums_destroy(shape->layout);
    crd_i_schema_destroy(shape->schema);
    crd_settings_destroy(shape->settings);
    crd_settings_destroy(shape->prior_settings);
    crd_free(context, shape->state_names);
    crd_free(context, shape->class_names);
    crd_free(context, shape->texts);
    crd_free(context, shape);
}

/* Names the states in order: the names of the start model, numbers, or the declared labels. */
static crd_status name_states(crd_i_training_shape *shape, crd_error *error) {
    const crd_i_training_problem *problem = shape->problem;
    crd_context *context = problem->context;
    const crd_i_dictionary *labels = problem->schema->columns[problem->schema->target].values;
    int32_t *order = crd_i_alloc(context, shape->states, sizeof *order);
    size_t capacity = shape->states * NUMBER_ROOM, longest = NUMBER_ROOM;
    bool done = order != NULL;
    if (done && !problem->is_hidden)
        done = crd_i_dictionary_order(labels, NULL, crd_i_schema_view_number, order) != SIZE_MAX;
    for (size_t s = 0; done && s < shape->states; s++) {
        const crd_text name = problem->start != NULL ? crd_hmm_state(problem->start, s)
                              : !problem->is_hidden  ? crd_i_dictionary_text(labels, s)
                                                     : crd_text_of("");
        if (name.length > longest) longest = name.length;
    }
    capacity += shape->classes * (longest + CRD_I_COMPONENT_ROOM);
    shape->state_names = crd_i_alloc(context, shape->states, sizeof *shape->state_names);
    shape->class_names = crd_i_alloc(context, shape->classes, sizeof *shape->class_names);
    shape->texts = crd_i_alloc(context, capacity, 1);
    done = done && shape->state_names != NULL && shape->class_names != NULL && shape->texts != NULL;
    char *next = shape->texts;
    for (size_t s = 0; done && s < shape->states; s++) {
        if (problem->start != NULL) shape->state_names[s] = crd_hmm_state(problem->start, s);
        else if (problem->is_hidden) {
            snprintf(next, NUMBER_ROOM, "%zu", s + 1);
            shape->state_names[s] = crd_text_of(next);
            next += NUMBER_ROOM;
        } else shape->state_names[s] = crd_i_dictionary_text(labels, (size_t)order[s]);
        for (size_t m = 0; m < shape->components; m++) {
            shape->class_names[s * shape->components + m] =
                crd_i_component_name(shape->state_names[s], m, shape->components, next);
            next += longest + CRD_I_COMPONENT_ROOM;
        }
    }
    crd_free(context, order);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Creates the schema with the classes as declared values of its target. */
static crd_status hmm_training_make_schema(crd_i_training_shape *shape, crd_error *error) {
    shape->schema = crd_i_schema_clone(shape->problem->schema);
    if (shape->schema == NULL) return crd_i_fail_memory(error);
    crd_i_schema_column *target = &shape->schema->columns[shape->schema->target];
    crd_i_dictionary_destroy(target->values);
    target->values = NULL;
    for (size_t k = 0; k < shape->classes; k++)
        if (!crd_i_schema_declare(shape->schema, shape->schema->target, shape->class_names[k]))
            return crd_i_fail_memory(error);
    return CRD_OK;
}

static crd_status hmm_training_make_settings(crd_i_training_shape *shape, crd_error *error) {
    const crd_i_training_problem *problem = shape->problem;
    char digits[NUMBER_ROOM];
    crd_status status = crd_i_settings_copy(problem->context, problem->settings, &shape->settings, error);
    if (status == CRD_OK && problem->is_hidden) {
        snprintf(digits, sizeof digits, "%zu", shape->states);
        status = crd_settings_set(shape->settings, "states", crd_text_of(digits), error);
    }
    if (status == CRD_OK)
        status = crd_i_settings_copy(problem->context, problem->emission_settings, &shape->prior_settings, error);
    if (status == CRD_OK) crd_i_settings_for_classes(shape->prior_settings, shape->classes);
    return status;
}

crd_status crd_i_training_shape_create(const crd_i_training_problem *problem, size_t states, crd_i_training_shape **out,
                                       crd_error *error) {
    crd_i_training_shape *shape = crd_i_alloc_zeroed(problem->context, 1, sizeof *shape);
    const crd_i_dictionary *labels = problem->schema->columns[problem->schema->target].values;
    *out = NULL;
    if (shape == NULL) return crd_i_fail_memory(error);
    shape->problem = problem;
    shape->states = problem->is_hidden ? states : crd_i_dictionary_size(labels);
    shape->components = problem->settings->components;
    shape->classes = shape->states * shape->components;
    crd_status status = name_states(shape, error);
    if (status == CRD_OK) status = hmm_training_make_schema(shape, error);
    if (status == CRD_OK) status = hmm_training_make_settings(shape, error);
    if (status == CRD_OK)
        status = crd_i_emission_sums_create(problem->sequences, problem->facts, shape->prior_settings, shape->classes,
                                            &shape->layout, error);
    if (status == CRD_OK) *out = shape;
    else crd_i_training_shape_destroy(shape);
    return status;
}

crd_i_expectation_form crd_i_training_form(const crd_i_training_shape *shape) {
    const crd_i_expectation_form form = {.layout = shape->layout,
                                         .schema = shape->schema,
                                         .settings = shape->problem->emission_settings,
                                         .names = shape->class_names};
    return form;
}

crd_i_training_steps crd_i_training_all(const crd_i_training_problem *problem) {
    const crd_i_training_steps all = {.sequences = problem->sequences,
                                      .is_shared = crd_i_sequences_are_shared(problem->sequences),
                                      .segments = problem->segments,
                                      .segment_count = problem->segment_count,
                                      .steps = problem->steps,
                                      .clamps = !problem->is_hidden,
                                      .threads = problem->threads};
    return all;
}

/* ---- The prior of transitions ---- */

/* Returns whether the transition probabilities are the posterior mode under a fixed prior. */
static bool has_prior(const crd_i_transition_model *model) {
    if (model->estimate == CRD_I_TRANSITIONS_NONE || !(model->strength > 0))
        return model->estimate != CRD_I_TRANSITIONS_INTERPOLATED;
    return model->order == 1 && !model->is_marginal && model->estimate != CRD_I_TRANSITIONS_INTERPOLATED;
}

/* Returns the log prior density: sum of a log p over the allowed transitions, with pseudo-counts a = M / t or L. */
static double transitions_log_prior(const crd_i_transition_model *model, double *row) {
    double prior = 0;
    if (!has_prior(model) || model->estimate == CRD_I_TRANSITIONS_NONE || !(model->strength > 0)) return 0;
    for (size_t source = 0; source <= model->states; source++) {
        const bool is_begin = source == model->states;
        const uint32_t context = is_begin ? CRD_I_SYMBOL_BEGIN : (uint32_t)source;
        const bool *allowed = is_begin ? model->rules.start : model->rules.next + source * model->states;
        const bool may_end = !is_begin && model->rules.has_end && model->rules.end[source];
        size_t count = may_end;
        for (size_t s = 0; s < model->states; s++) count += allowed[s];
        const double pseudo =
            model->estimate == CRD_I_TRANSITIONS_LAPLACE ? model->strength : model->strength / (double)count;
        crd_i_transition_model_row(model, &context, row);
        for (size_t s = 0; s < model->states; s++)
            if (allowed[s]) prior += pseudo * crd_log(row[s]);
        if (may_end) prior += pseudo * crd_log(row[model->states]);
    }
    return prior;
}

/* ---- Models ---- */

crd_i_training_model *crd_i_training_model_hold(crd_i_training_model *model) {
    if (model != NULL) model->references++;
    return model;
}

void crd_i_training_model_release(crd_i_training_model *model) {
    if (model == NULL || --model->references > 0) return;
    if (model->content != NULL) crd_hmm_destroy(model->hmm);
    crd_i_hmm_content_destroy(model->content);
    crd_free(model->context, model);
}

crd_status crd_i_training_ngrams(const crd_i_training_shape *shape, const crd_text *names, crd_i_ngram_counts **out,
                                 crd_error *error) {
    crd_status status = crd_i_ngram_counts_create(shape->problem->context, shape->problem->settings->order, out, error);
    for (size_t s = 0; status == CRD_OK && s < shape->states; s++) {
        uint32_t number;
        status = crd_i_ngram_counts_state(*out, names[s], &number, error);
    }
    if (status == CRD_OK) return CRD_OK;
    crd_i_ngram_counts_destroy(*out);
    *out = NULL;
    return status;
}

/* Creates the content of a model from statistics. Takes ownership of the statistics' rows and n-grams. */
static crd_status make_content(const crd_i_training_shape *shape, crd_i_training_statistics *statistics,
                               crd_i_hmm_content **out, crd_error *error) {
    crd_model *emissions = statistics->rows;
    crd_i_ngram_counts *ngrams = statistics->ngrams;
    crd_status status = CRD_OK;
    *out = NULL;
    statistics->rows = NULL;
    statistics->ngrams = NULL;
    if (statistics->sums != NULL) {
        crd_i_schema *schema = crd_i_schema_clone(shape->schema);
        status = schema == NULL ? crd_i_fail_memory(error)
                                : crd_i_emission_sums_model(shape->layout, statistics->sums, shape->class_names, schema,
                                                            shape->problem->emission_settings, &emissions, error);
    }
    if (status == CRD_OK)
        return crd_i_hmm_content_create(shape->problem->context, emissions, ngrams, shape->components,
                                        shape->problem->is_hidden, NULL, out, error);
    crd_model_destroy(emissions);
    crd_i_ngram_counts_destroy(ngrams);
    return status;
}

crd_status crd_i_training_model_start(const crd_i_training_shape *shape, crd_i_training_model **out, crd_error *error) {
    crd_context *context = shape->problem->context;
    crd_hmm *start = shape->problem->start;
    bool fits = crd_hmm_state_count(start) == shape->states && crd_hmm_components(start) == shape->components;
    *out = NULL;
    for (size_t s = 0; fits && s < shape->states; s++)
        fits = crd_text_equal(crd_hmm_state(start, s), shape->state_names[s]) != 0;
    if (!fits || start->order != shape->problem->settings->order)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the initial model has other states, components or another order");
    crd_i_training_model *model = crd_i_alloc_zeroed(context, 1, sizeof *model);
    if (model == NULL) return crd_i_fail_memory(error);
    model->context = context;
    model->hmm = start;
    model->references = 1;
    *out = model;
    return CRD_OK;
}

crd_status crd_i_training_model_create(const crd_i_training_shape *shape, crd_i_training_statistics *statistics,
                                       crd_i_training_model **out, crd_error *error) {
    crd_context *context = shape->problem->context;
    const bool has_sums = statistics->sums != NULL;
    const double emission_prior = has_sums ? crd_i_emission_sums_log_prior(shape->layout, statistics->sums) : 0;
    crd_i_hmm_content *content;
    *out = NULL;
    crd_status status = make_content(shape, statistics, &content, error);
    if (status != CRD_OK) return status;
    crd_i_training_model *model = crd_i_alloc_zeroed(context, 1, sizeof *model);
    double *row = crd_i_alloc(context, shape->states + 1, sizeof *row);
    if (model == NULL || row == NULL) {
        crd_i_hmm_content_destroy(content);
        crd_free(context, model);
        crd_free(context, row);
        return crd_i_fail_memory(error);
    }
    model->context = context;
    model->content = content;
    model->references = 1;
    status = crd_i_hmm_derive(content, shape->settings, &model->hmm, error);
    if (status == CRD_OK) {
        const crd_i_transition_model *transitions = model->hmm->transitions;
        model->is_maximised = has_sums && crd_i_emission_sums_are_maximised(shape->layout) && has_prior(transitions);
        if (model->is_maximised) model->log_prior = emission_prior + transitions_log_prior(transitions, row);
        *out = model;
    } else crd_i_training_model_release(model);
    crd_free(context, row);
    return status;
}
