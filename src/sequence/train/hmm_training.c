/* SPDX-License-Identifier: MIT */
/* hmm_training.c - shapes of models, M steps, priors, and the E step of Baum-Welch. See hmm_training.h.
 *
 * Contents:
 *   1. Shapes, M steps and priors
 *   2. E step */
#include "sequence/train/hmm_training.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/functions/elementary.h"
#include "model/model_parts.h"
#include "model/schema_view.h"
#include "processes/group.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Shapes, M steps and priors ======== */

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
                                      .group = crd_i_sequences_group(problem->sequences),
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
    bool fits = crd_hmm_state_count(start) == shape->states && crd_hmm_facts_of(start)->components == shape->components;
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
        model->is_maximized = has_sums && crd_i_emission_sums_are_maximized(shape->layout) && has_prior(transitions);
        if (model->is_maximized) model->log_prior = emission_prior + transitions_log_prior(transitions, row);
        *out = model;
    } else crd_i_training_model_release(model);
    crd_free(context, row);
    return status;
}

/* ---- Weighted steps ---- */

crd_status crd_i_weighted_steps_create(const crd_sequences *sequences, crd_i_schema *schema,
                                       const crd_settings *settings, const crd_text *names, size_t classes,
                                       crd_i_weighted_rows **out, crd_error *error) {
    crd_frame *frame;
    *out = NULL;
    crd_status status = crd_frame_create(schema->context, 0, &frame, error);
    for (size_t c = 0; status == CRD_OK && c < crd_sequences_column_count(sequences); c++) {
        crd_i_dictionary *values = (crd_i_dictionary *)crd_i_sequences_values(sequences, c);
        const bool is_number = crd_i_sequences_column_type(sequences, c) == CRD_TYPE_NUMERIC;
        const crd_i_column column = {.type = is_number        ? CRD_TYPE_NUMERIC
                                             : values != NULL ? CRD_TYPE_CATEGORICAL
                                                              : CRD_TYPE_NONE,
                                     .dictionary = is_number ? NULL : values};
        status = crd_i_frame_add(frame, crd_sequences_column_name(sequences, c), &column, error);
    }
    if (status == CRD_OK) return crd_i_weighted_rows_create(schema, settings, frame, names, classes, out, error);
    crd_frame_destroy(frame);
    crd_i_schema_destroy(schema);
    return status;
}

crd_status crd_i_weighted_steps_add(crd_i_weighted_rows *rows, const crd_i_observation_block *block,
                                    const double *shares, size_t stride, crd_error *error) {
    const crd_i_weighted_cells cells = {block->steps, block->numbers, block->codes, NULL};
    return crd_i_weighted_rows_add(rows, &cells, shares, stride, error);
}

/* ======== 2. E step ======== */

enum { CHUNK_STEPS = 4096, MOST_CHUNKS = 64, MOST_ROW_CHUNKS = 8 };

/* Limit of the number of statistics of all chunks together. */
static const size_t MOST_PARTIAL = (size_t)1 << 24;

/* Task shared by all threads. */
typedef struct expectation_task {
    const crd_hmm *hmm;
    const crd_i_training_steps *steps;
    const crd_i_expectation_form *form; /* NULL: compute only the likelihood */
    crd_i_emission_binding *binding;
    size_t states, components, nodes, transitions, sums;
    size_t chunks, width;
    crd_i_group *group; /* the processes that divide the chunks; NULL: each computes all of them */
    size_t *first;      /* first segment of each chunk, plus an end entry */
    double *partial;    /* for each chunk: visits, sums, counts, log likelihood */
    size_t *troubles;   /* for each chunk: the number of impossible segments, and the first of them */
    crd_model **models;
} expectation_task;

/* Workspace of one thread. */
typedef struct expectation_worker {
    expectation_task *task;
    crd_context *context;
    crd_i_chain_workspace *workspace;
    crd_i_emission_room *emission_room;
    crd_i_observation_room observation;
    crd_i_weighted_rows *rows; /* rows of the current chunk */
    double *sum_room;
    double *class_weights; /* steps x components of all states, if there are several components */
    double *logs;          /* log emissions, for impossible segments */
    size_t stride, class_stride;
    const crd_i_segment *segment;
    double *visits, *sums;
} expectation_worker;

/* ---- Emissions ---- */

static crd_status expectation_fill(const void *user, uint64_t source, uint64_t target, double *logs, crd_error *error) {
    const expectation_worker *worker = user;
    const expectation_task *task = worker->task;
    const crd_i_segment *current_segment = worker->segment;
    if (crd_i_context_cancelled(worker->context)) return crd_i_fail_cancelled(error);
    return (task->steps->clamps ? crd_i_emission_fill_clamped : crd_i_emission_fill)(
        task->binding, current_segment->sequence, current_segment->source + source, current_segment->source + target,
        logs, worker->stride, worker->emission_room, error);
}

/* ---- Statistics of a block ---- */

/* Computes the weights of components: gamma_t(s) w_m P(x_t | s, m) / sum_m w_m P(x_t | s, m). */
static crd_status share_components(expectation_worker *worker, uint64_t source, uint64_t target,
                                   const double *posteriors, crd_error *error) {
    const expectation_task *task = worker->task;
    const size_t components = task->components;
    const crd_status status = crd_i_emission_fill_components(
        task->binding, worker->segment->sequence, worker->segment->source + source, worker->segment->source + target,
        worker->class_weights, worker->class_stride, worker->emission_room, error);
    for (size_t t = 0; status == CRD_OK && t < target - source; t++)
        for (size_t s = 0; s < task->states; s++) {
            double *cursor = worker->class_weights + t * worker->class_stride + s * components, greatest = -INFINITY,
                   sum = 0;
            for (size_t m = 0; m < components; m++) greatest = fmax(greatest, cursor[m]);
            for (size_t m = 0; m < components; m++) {
                cursor[m] = greatest == -INFINITY ? 1 : crd_exp(cursor[m] - greatest);
                sum += cursor[m];
            }
            for (size_t m = 0; m < components; m++) cursor[m] *= posteriors[t * worker->stride + s] / sum;
        }
    return status;
}

/* Posterior sink: adds the steps to the statistics, weighted by their posteriors. */
static crd_status expectation_take(void *user, uint64_t source, uint64_t target, double *posteriors, crd_error *error) {
    expectation_worker *worker = user;
    const expectation_task *task = worker->task;
    const double *weights = posteriors;
    size_t stride = worker->stride;
    crd_i_observation_block block;
    /* The sums already include the visits. */
    for (size_t t = 0; task->form->layout == NULL && t < target - source; t++)
        for (size_t s = 0; s < task->states; s++) worker->visits[s] += posteriors[t * worker->stride + s];
    if (task->components > 1) {
        const crd_status shared = share_components(worker, source, target, posteriors, error);
        if (shared != CRD_OK) return shared;
        weights = worker->class_weights;
        stride = worker->class_stride;
    }
    crd_status status = CRD_OK;
    for (uint64_t t = source; status == CRD_OK && t < target; t += block.steps) {
        status = crd_i_sequences_block(task->steps->sequences, worker->segment->sequence, worker->segment->source + t,
                                       (size_t)(target - t), &worker->observation, &block, error);
        if (status != CRD_OK) break;
        const double *here = weights + (t - source) * stride;
        if (task->form->layout != NULL)
            crd_i_emission_sums_add(task->form->layout, &block, here, stride, worker->sum_room, worker->sums);
        else status = crd_i_weighted_steps_add(worker->rows, &block, here, stride, error);
    }
    return status;
}

/* ---- Segments ---- */

/* Counts the steps of an impossible segment by their posteriors without transitions. If no state is possible at a step,
 * all states have equal weight. */
static crd_status take_impossible(expectation_worker *worker, crd_error *error) {
    const uint64_t steps = worker->segment->target - worker->segment->source;
    const size_t states = worker->task->states;
    crd_status status = CRD_OK;
    for (uint64_t source = 0; status == CRD_OK && source < steps; source += CRD_I_CHAIN_BLOCK) {
        const uint64_t target = steps - source < CRD_I_CHAIN_BLOCK ? steps : source + CRD_I_CHAIN_BLOCK;
        status = expectation_fill(worker, source, target, worker->logs, error);
        for (size_t t = 0; status == CRD_OK && t < target - source; t++) {
            double *cursor = worker->logs + t * worker->stride, greatest = -INFINITY, sum = 0;
            for (size_t s = 0; s < states; s++) greatest = fmax(greatest, cursor[s]);
            for (size_t s = 0; s < states; s++) {
                cursor[s] = greatest == -INFINITY ? 1 : crd_exp(cursor[s] - greatest);
                sum += cursor[s];
            }
            for (size_t s = 0; s < states; s++) cursor[s] /= sum;
        }
        if (status == CRD_OK) status = expectation_take(worker, source, target, worker->logs, error);
    }
    return status;
}

/* Runs forward-backward on a segment, and adds its counts and its log likelihood. */
static crd_status expect_segment(expectation_worker *worker, size_t segment, const crd_i_chain_counts *counts,
                                 double *log_likelihood, size_t *troubles, crd_error *error) {
    const expectation_task *task = worker->task;
    worker->segment = &task->steps->segments[segment];
    const crd_i_emissions emissions = {worker, worker->segment->target - worker->segment->source, expectation_fill};
    const crd_i_posterior_sink sink = {.user = worker, .take = expectation_take};
    crd_i_chain_answer answer;
    crd_status status =
        task->form == NULL
            ? crd_i_chain_likelihood(task->hmm->chain, &emissions, worker->workspace, &answer, error)
            : crd_i_chain_expect(task->hmm->chain, &emissions, worker->workspace, &sink, counts, &answer, error);
    if (status != CRD_OK) return status;
    *log_likelihood += answer.is_impossible ? -INFINITY : answer.log_likelihood;
    if (!answer.is_impossible) return CRD_OK;
    if (troubles[0]++ == 0) troubles[1] = segment;
    return task->form == NULL ? CRD_OK : take_impossible(worker, error);
}

/* Computes the statistics of a chunk into its part of `partial`. */
static crd_status expectation_expect_chunk(expectation_worker *worker, size_t chunk, crd_error *error) {
    const expectation_task *task = worker->task;
    double *cursor = task->partial + chunk * task->width;
    crd_status status = CRD_OK;
    worker->visits = cursor;
    worker->sums = cursor + task->states;
    const crd_i_chain_counts counts = {.start = worker->sums + task->sums,
                                       .transitions = worker->sums + task->sums + task->nodes,
                                       .end = worker->sums + task->sums + task->nodes + task->transitions};
    if (task->form != NULL && task->form->layout == NULL) {
        crd_i_schema *schema = crd_i_schema_clone(task->form->schema);
        if (schema == NULL) return crd_i_fail_memory(error);
        status = crd_i_weighted_steps_create(task->steps->sequences, schema, task->form->settings, task->form->names,
                                             task->states * task->components, &worker->rows, error);
    }
    for (size_t i = task->first[chunk]; status == CRD_OK && i < task->first[chunk + 1]; i++)
        status = expect_segment(worker, i, &counts, &cursor[task->width - 1], task->troubles + 2 * chunk, error);
    if (status == CRD_OK && worker->rows != NULL)
        status = crd_i_weighted_rows_model(worker->rows, &task->models[chunk], error);
    crd_i_weighted_rows_destroy(worker->rows);
    worker->rows = NULL;
    return status;
}

/* ---- Threads ---- */

static crd_status begin_worker(expectation_worker *worker, expectation_task *task, crd_error *error) {
    const expectation_worker none = {.task = task, .context = task->hmm->context};
    *worker = none;
    worker->observation.context = worker->context;
    worker->stride = crd_i_chain_stride(task->hmm->chain);
    worker->class_stride = (task->states * task->components + CRD_I_SIMD - 1) / CRD_I_SIMD * CRD_I_SIMD;
    crd_status status = crd_i_chain_workspace_create(task->hmm->chain, &worker->workspace, error);
    if (status == CRD_OK) status = crd_i_emission_room_create(task->binding, &worker->emission_room, error);
    if (status != CRD_OK || task->form == NULL) return status;
    worker->logs = crd_i_alloc_zeroed(worker->context, CRD_I_CHAIN_BLOCK * worker->stride, sizeof *worker->logs);
    if (worker->logs == NULL) return crd_i_fail_memory(error);
    if (task->form->layout != NULL) {
        worker->sum_room =
            crd_i_alloc(worker->context, crd_i_emission_sums_room(task->form->layout), sizeof *worker->sum_room);
        if (worker->sum_room == NULL) return crd_i_fail_memory(error);
    }
    if (task->components == 1) return CRD_OK;
    worker->class_weights =
        crd_i_alloc_zeroed(worker->context, CRD_I_CHAIN_BLOCK * worker->class_stride, sizeof *worker->class_weights);
    return worker->class_weights == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

static void end_worker(void *state, void *workspace) {
    expectation_worker *worker = workspace;
    (void)state;
    if (worker->task == NULL) return;
    crd_i_chain_workspace_destroy(worker->workspace);
    crd_i_emission_room_destroy(worker->emission_room);
    crd_i_observation_room_clear(&worker->observation);
    crd_free(worker->context, worker->sum_room);
    crd_free(worker->context, worker->class_weights);
    crd_free(worker->context, worker->logs);
}

static crd_status expectation_work(void *state, void *workspace, size_t chunk, crd_error *error) {
    expectation_task *task = state;
    expectation_worker *worker = workspace;
    crd_status status = worker->task == NULL ? begin_worker(worker, task, error) : CRD_OK;
    return status == CRD_OK ? expectation_expect_chunk(worker, chunk, error) : status;
}

/* Divides the segments into chunks of about equal numbers of steps, by a rule that depends only on the problem. */
static crd_status expectation_divide(expectation_task *task, crd_error *error) {
    const crd_i_training_steps *steps = task->steps;
    const bool has_rows = task->form != NULL && task->form->layout == NULL;
    size_t most = has_rows ? MOST_ROW_CHUNKS : MOST_CHUNKS, chunk = 0;
    if (most > MOST_PARTIAL / task->width) most = MOST_PARTIAL / task->width;
    if (most < 1) most = 1;
    uint64_t each = (steps->steps + most - 1) / most, done = 0;
    if (each < CHUNK_STEPS) each = CHUNK_STEPS;
    task->first = crd_i_alloc(task->hmm->context, most + 1, sizeof *task->first);
    if (task->first == NULL) return crd_i_fail_memory(error);
    task->first[0] = 0;
    for (size_t i = 0; i < steps->segment_count; i++) {
        done += steps->segments[i].target - steps->segments[i].source;
        if (done < each * (chunk + 1) || chunk + 1 >= most) continue;
        task->first[++chunk] = i + 1;
    }
    if (chunk == 0 || task->first[chunk] < steps->segment_count) task->first[++chunk] = steps->segment_count;
    task->chunks = chunk;
    return CRD_OK;
}

static bool expectation_has_rows(const expectation_task *task) {
    return task->form != NULL && task->form->layout == NULL;
}

/* Binds the columns, divides the segments and allocates the results. */
static crd_status expectation_prepare(expectation_task *task, crd_error *error) {
    crd_context *context = task->hmm->context;
    crd_status status =
        crd_i_emission_bind(task->hmm->emission, task->steps->sequences, task->hmm->states, &task->binding, error);
    if (status == CRD_OK) status = expectation_divide(task, error);
    if (status != CRD_OK) return status;
    task->partial = crd_i_alloc_zeroed(context, task->chunks * task->width, sizeof *task->partial);
    task->troubles = crd_i_alloc_zeroed(context, 2 * task->chunks, sizeof *task->troubles);
    task->models = crd_i_alloc_zeroed(context, task->chunks, sizeof *task->models);
    if (task->partial == NULL || task->troubles == NULL || task->models == NULL) return crd_i_fail_memory(error);
    /* Models of weighted rows are merged, for which every process needs a chunk. */
    const bool is_divided = !expectation_has_rows(task) || task->chunks >= crd_i_group_count(task->steps->group);
    task->group = is_divided ? task->steps->group : NULL;
    return CRD_OK;
}

/* Merges the models of all chunks of this process, then of all processes, and stores the result as the first chunk's
 * model. */
static crd_status share_models(expectation_task *task, crd_error *error) {
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_model *model = NULL;
    crd_status status = CRD_OK;
    for (size_t chunk = 0; status == CRD_OK && chunk < task->chunks; chunk++) {
        if (task->models[chunk] == NULL) continue;
        if (model != NULL) status = crd_i_model_combine(model, task->models[chunk], 1, error);
        else {
            model = task->models[chunk];
            task->models[chunk] = NULL;
        }
    }
    for (size_t chunk = 0; chunk < task->chunks; chunk++) {
        crd_model_destroy(task->models[chunk]);
        task->models[chunk] = NULL;
    }
    status = status == CRD_OK ? crd_i_model_reduce(task->group, &model, &facts, error)
                              : crd_i_group_fail(task->group, status, error);
    if (status == CRD_OK) task->models[0] = model;
    else crd_model_destroy(model);
    return status;
}

/* Computes all chunks, in all processes. The division depends only on the problem, so all processes agree on it unless
 * an earlier call failed. */
static crd_status expectation_run(expectation_task *task, crd_error *error) {
    crd_status status = expectation_prepare(task, error);
    if (status != CRD_OK) return crd_i_group_fail(task->steps->group, status, error);
    crd_i_parallel_loop loop = {.state = task,
                                .items = task->chunks,
                                .threads = task->steps->threads,
                                .work = expectation_work,
                                .workspace_size = sizeof(expectation_worker),
                                .clear = end_worker};
    status = crd_i_group_for(task->hmm->context, task->group, &loop, task->partial, task->width * sizeof *task->partial,
                             error);
    if (task->group == NULL) return crd_i_group_agree(task->steps->group, status, error);
    if (status == CRD_OK)
        status = crd_i_group_share(task->group, task->troubles, 2 * sizeof *task->troubles, task->chunks, error);
    return status == CRD_OK && expectation_has_rows(task) ? share_models(task, error) : status;
}

static void init_task(expectation_task *task, const crd_hmm *hmm, const crd_i_training_steps *steps,
                      const crd_i_expectation_form *form) {
    memset(task, 0, sizeof *task);
    task->hmm = hmm;
    task->steps = steps;
    task->form = form;
    task->states = hmm->state_count;
    task->components = hmm->emission->components;
    task->nodes = crd_i_chain_nodes(hmm->chain);
    task->transitions = crd_i_chain_transition_count(hmm->chain);
    task->sums = form != NULL && form->layout != NULL ? crd_i_emission_sums_size(form->layout) : 0;
    task->width = form == NULL ? 1 : task->states + task->sums + 2 * task->nodes + task->transitions + 1;
}

static void clear_task(expectation_task *task) {
    crd_context *context = task->hmm->context;
    for (size_t i = 0; task->models != NULL && i < task->chunks; i++) crd_model_destroy(task->models[i]);
    crd_free(context, task->models);
    crd_free(context, task->partial);
    crd_free(context, task->troubles);
    crd_free(context, task->first);
    crd_i_emission_binding_destroy(task->binding);
}

/* ---- All chunks together ---- */

/* Adds all chunks in order, into the first chunk. */
static crd_status expectation_add_up(expectation_task *task, crd_i_expectation *out, crd_error *error) {
    for (size_t chunk = 0; chunk < task->chunks; chunk++) {
        const double *source = task->partial + chunk * task->width;
        for (size_t i = 0; chunk > 0 && i < task->width; i++) task->partial[i] += source[i];
        if (task->troubles[2 * chunk] > 0 && out->impossible == 0) out->impossible_at = task->troubles[2 * chunk + 1];
        out->impossible += task->troubles[2 * chunk];
        if (chunk == 0 || task->models[chunk] == NULL) continue;
        const crd_status status = crd_i_model_combine(task->models[0], task->models[chunk], 1, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_expectation_compute(const crd_hmm *hmm, const crd_i_training_steps *steps,
                                     const crd_i_expectation_form *form, crd_i_expectation *out, crd_error *error) {
    const crd_i_expectation none = {.context = hmm->context};
    expectation_task task;
    *out = none;
    init_task(&task, hmm, steps, form);
    crd_status status = expectation_run(&task, error);
    if (status == CRD_OK) status = expectation_add_up(&task, out, error);
    if (status == CRD_OK) {
        out->memory = out->visits = task.partial;
        out->sums = form->layout != NULL ? out->visits + task.states : NULL;
        for (size_t k = 0; out->sums != NULL && k < task.states * task.components; k++)
            out->visits[k / task.components] += crd_i_emission_sums_total(form->layout, out->sums, k);
        out->counts.start = out->visits + task.states + task.sums;
        out->counts.transitions = out->counts.start + task.nodes;
        out->counts.end = out->counts.transitions + task.transitions;
        out->log_likelihood = out->impossible > 0 ? -INFINITY : task.partial[task.width - 1];
        out->rows = task.models[0];
        task.partial = NULL;
        task.models[0] = NULL;
    }
    clear_task(&task);
    return status;
}

void crd_i_expectation_clear(crd_i_expectation *expectation) {
    const crd_i_expectation none = {.context = expectation->context};
    crd_free(expectation->context, expectation->memory);
    crd_model_destroy(expectation->rows);
    *expectation = none;
}

crd_status crd_i_expectation_likelihood(const crd_hmm *hmm, const crd_i_training_steps *steps, double *out,
                                        crd_error *error) {
    expectation_task task;
    *out = 0;
    init_task(&task, hmm, steps, NULL);
    const crd_status status = expectation_run(&task, error);
    for (size_t chunk = 0; status == CRD_OK && chunk < task.chunks; chunk++) *out += task.partial[chunk];
    clear_task(&task);
    return status;
}

/* ---- The worst step ---- */

typedef struct worst_search {
    expectation_worker worker;
    crd_i_worst_step *out;
} worst_search;

/* Posterior sink: finds the step with the smallest expected log density. */
static crd_status look_for_worst(void *user, uint64_t source, uint64_t target, double *posteriors, crd_error *error) {
    worst_search *search = user;
    expectation_worker *worker = &search->worker;
    const crd_status status = expectation_fill(worker, source, target, worker->logs, error);
    for (size_t t = 0; status == CRD_OK && t < target - source; t++) {
        double sum = 0;
        for (size_t s = 0; s < worker->task->states; s++)
            if (posteriors[t * worker->stride + s] > 0)
                sum += posteriors[t * worker->stride + s] * worker->logs[t * worker->stride + s];
        if (!(sum < search->out->log_density)) continue;
        search->out->log_density = sum;
        search->out->segment.sequence = worker->segment->sequence;
        search->out->segment.source = worker->segment->source + source + t;
        search->out->segment.target = search->out->segment.source + 1;
    }
    return status;
}

crd_status crd_i_expectation_worst(const crd_hmm *hmm, const crd_i_training_steps *steps, crd_i_worst_step *out,
                                   crd_error *error) {
    const crd_i_expectation_form form = {0};
    expectation_task task;
    worst_search search = {.out = out};
    out->log_density = INFINITY;
    init_task(&task, hmm, steps, &form);
    task.components = 1; /* densities of states are sufficient */
    crd_status status = crd_i_emission_bind(hmm->emission, steps->sequences, hmm->states, &task.binding, error);
    if (status == CRD_OK) status = begin_worker(&search.worker, &task, error);
    for (size_t i = 0; status == CRD_OK && i < steps->segment_count; i++) {
        search.worker.segment = &steps->segments[i];
        const crd_i_emissions emissions = {
            &search.worker, search.worker.segment->target - search.worker.segment->source, expectation_fill};
        const crd_i_posterior_sink sink = {.user = &search, .take = look_for_worst};
        crd_i_chain_answer answer;
        status = crd_i_chain_posteriors(hmm->chain, &emissions, search.worker.workspace, &sink, &answer, error);
    }
    end_worker(&task, &search.worker);
    clear_task(&task);
    return status;
}
