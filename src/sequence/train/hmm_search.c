/* SPDX-License-Identifier: MIT */
/* hmm_search.c - restarts Baum-Welch from random initial models, and chooses the number of states. See hmm_training.h.
 *
 * The likelihood of a hidden Markov model has many local maxima. EM makes a few steps from each of several initial
 * models, on a sample of pieces that are evenly spaced among all steps. The best of them make more
 * steps, and the best of these continues on all sequences. If all observations are categorical, the first steps show
 * little of where a start leads. Then, for short sequences, each start makes as many steps as START_WORK allows.
 *
 * The number of states maximizes the mean held-out log likelihood under cross-validation, or BIC (Schwarz 1978):
 *
 *   BIC = log P(x) - d / 2 log T,   where d is the number of free parameters and T the number of steps.
 *
 * Contents:
 *   1. Samples and folds
 *   2. Restarts and number of states */
#include "sequence/train/hmm_training.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* Pieces that are evenly spaced among all steps. They are whole sequences if the topology is left to right. If there
 * are few steps, all of them are used. */
typedef struct crd_i_training_part {
    crd_i_training_steps steps;
    crd_i_segment *segments; /* NULL: all steps are used */
} crd_i_training_part;

/* Five folds, to which sequences are assigned in turn. If there are fewer than five sequences, pieces of them are
 * assigned. */
typedef struct crd_i_training_folds {
    size_t count; /* number of folds; below 2: there are too few steps */
    crd_i_segment *segments;
    size_t segment_count;
    crd_i_segment *segment; /* the segments of the current fold, then all others; `segment_count` entries */
} crd_i_training_folds;

/* ======== 1. Samples and folds ========
 *
 * Initial models are tried on samples of pieces of sequences. Folds are for cross-validation. */

enum { SAMPLE_STEPS = 20000, PIECE_STEPS = 1000, FOLDS = 5, PIECES_OF_FOLD = 2, LEAST_PIECE = 2 };

/* ---- Parts for starts ---- */

/* Adds up to PIECE_STEPS steps from a position on, or slightly more. Shorter sequences are taken as a whole, and all
 * sequences if `whole` is true. Returns the number of steps. */
static uint64_t training_parts_take_piece(const crd_i_training_steps *all, size_t *cursor, uint64_t within, bool whole,
                                          crd_i_segment *segments, size_t *count) {
    uint64_t taken = 0;
    while (*cursor < all->segment_count && taken < PIECE_STEPS) {
        const crd_i_segment *segment = &all->segments[*cursor];
        const uint64_t length = segment->target - segment->source;
        crd_i_segment piece = *segment;
        if (!whole && length > PIECE_STEPS) {
            piece.source = segment->source + within;
            if (piece.target - piece.source > PIECE_STEPS) piece.target = piece.source + PIECE_STEPS;
        }
        within = 0;
        segments[(*count)++] = piece;
        taken += piece.target - piece.source;
        (*cursor)++;
    }
    return taken;
}

static crd_status training_part_create(const crd_i_training_problem *problem, const crd_i_training_steps *all,
                                       crd_i_training_part *out, crd_error *error) {
    const bool whole = problem->settings->is_left_to_right;
    const crd_i_training_part none = {.steps = *all};
    *out = none;
    if (all->steps <= 2 * SAMPLE_STEPS) return CRD_OK;
    out->segments =
        crd_i_alloc(problem->context, all->segment_count + SAMPLE_STEPS / PIECE_STEPS, sizeof *out->segments);
    if (out->segments == NULL) return crd_i_fail_memory(error);
    const double apart = (double)all->steps * PIECE_STEPS / SAMPLE_STEPS;
    uint64_t before = 0;
    size_t index = 0, count = 0;
    out->steps.steps = 0;
    for (size_t i = 0; i < SAMPLE_STEPS / PIECE_STEPS; i++) {
        const uint64_t place = (uint64_t)((double)i * apart);
        while (index < all->segment_count &&
               before + (all->segments[index].target - all->segments[index].source) <= place) {
            before += all->segments[index].target - all->segments[index].source;
            index++;
        }
        if (index == all->segment_count) break;
        size_t next = index;
        out->steps.steps +=
            training_parts_take_piece(all, &next, place > before ? place - before : 0, whole, out->segments, &count);
        /* A long sequence may contain further pieces. */
        for (; index < next && before + (all->segments[index].target - all->segments[index].source) <=
                                   (uint64_t)((double)(i + 1) * apart);
             index++)
            before += all->segments[index].target - all->segments[index].source;
    }
    out->steps.segments = out->segments;
    out->steps.segment_count = count;
    return CRD_OK;
}

static void training_part_clear(crd_i_training_part *part, crd_context *context) {
    crd_free(context, part->segments);
    part->segments = NULL;
}

/* ---- Folds ---- */

/* Cuts the sequences into pieces of about `each` steps. */
static void training_parts_cut(const crd_i_training_problem *problem, uint64_t each, crd_i_training_folds *folds) {
    for (size_t i = 0; i < problem->segment_count; i++) {
        const crd_i_segment *segment = &problem->segments[i];
        for (uint64_t index = segment->source; index < segment->target;) {
            crd_i_segment piece = {segment->sequence, index, index + each};
            /* A remainder that would be too short is added to the last piece. */
            if (segment->target - index < 2 * each) piece.target = segment->target;
            folds->segments[folds->segment_count++] = piece;
            index = piece.target;
        }
    }
}

static void training_folds_clear(crd_i_training_folds *folds, crd_context *context) {
    crd_free(context, folds->segments);
    crd_free(context, folds->segment);
    folds->segments = folds->segment = NULL;
}

static crd_status training_folds_create(const crd_i_training_problem *problem, crd_i_training_folds *out,
                                        crd_error *error) {
    const crd_i_training_folds none = {0};
    const size_t enough = FOLDS * PIECES_OF_FOLD;
    uint64_t each = UINT64_MAX / 2;
    *out = none;
    if (problem->segment_count < FOLDS) {
        each = problem->steps / enough;
        if (each < LEAST_PIECE) each = LEAST_PIECE;
    }
    out->segments = crd_i_alloc(problem->context, problem->segment_count + 2 * enough, sizeof *out->segments);
    out->segment = crd_i_alloc(problem->context, problem->segment_count + 2 * enough, sizeof *out->segment);
    if (out->segments == NULL || out->segment == NULL) {
        training_folds_clear(out, problem->context);
        return crd_i_fail_memory(error);
    }
    if (problem->segment_count >= FOLDS)
        for (size_t i = 0; i < problem->segment_count; i++) out->segments[out->segment_count++] = problem->segments[i];
    else training_parts_cut(problem, each, out);
    out->count = out->segment_count < FOLDS ? out->segment_count : FOLDS;
    return CRD_OK;
}

/* Gets the segments of fold `which`, and of all other folds. They are valid until the next call. */
static void training_folds_part(crd_i_training_folds *folds, size_t which, crd_i_training_steps *held,
                                crd_i_training_steps *others) {
    size_t count = 0;
    held->steps = others->steps = 0;
    for (size_t i = which; i < folds->segment_count; i += folds->count) {
        held->steps += folds->segments[i].target - folds->segments[i].source;
        folds->segment[count++] = folds->segments[i];
    }
    held->segments = folds->segment;
    held->segment_count = count;
    others->segments = folds->segment + count;
    others->segment_count = folds->segment_count - count;
    for (size_t i = 0; i < folds->segment_count; i++) {
        if (i % folds->count == which) continue;
        others->steps += folds->segments[i].target - folds->segments[i].source;
        folds->segment[count++] = folds->segments[i];
    }
}

/* ======== 2. Restarts and number of states ======== */

enum {
    FIRST_STEPS = 10,
    MORE_STEPS = 20,
    LEAST_FINALISTS = 3,
    STARTS_PER_FINALIST = 5,
    FOLD_STARTS = 3,
    FOLD_STEPS = 50,
    PATIENCE = 2
};

/* Tolerance of starts, and of the models of folds. */
static const double SAMPLE_TOLERANCE = 1e-6;

/* Work limit of all starts together if all observations are categorical, and again of the finalists: EM steps x states
 * x (steps of sequences + MAXIMISING). MAXIMISING is the cost of an M step. The limit takes less than a second. */
static const double START_WORK = 2e7, MAXIMISING = 500;

typedef struct search {
    const crd_i_training_problem *problem;
    const crd_hmm_train_options *options;
    const crd_i_step_sample *sample;
} search;

/* ---- Starts ---- */

static double hmm_search_objective(const crd_i_training_run *run) {
    return run->steps == 0 ? -INFINITY : run->objectives[run->best];
}

static void hmm_search_swap_runs(crd_i_training_run *a, crd_i_training_run *b) {
    const crd_i_training_run other = *a;
    *a = *b;
    *b = other;
}

/* Returns the number of starts that make more steps. If there are many starts, it is larger, because the first steps
 * favor starts that are already near a maximum. */
static size_t finalists_of(const search *source_search, size_t starts) {
    const size_t share = starts / STARTS_PER_FINALIST;
    return crd_i_sequence_starts_are_blind(source_search->problem) || share < LEAST_FINALISTS ? LEAST_FINALISTS : share;
}

/* Inserts a run into the finalists, which are in descending order of their objectives. The last one may be dropped. */
static void hmm_search_enter(crd_i_training_run *finalists, size_t most, size_t *count, crd_i_training_run *run) {
    size_t index = *count;
    if (index == most) {
        if (!(hmm_search_objective(run) > hmm_search_objective(&finalists[index - 1]))) return;
        crd_i_training_run_clear(&finalists[--index]);
    } else (*count)++;
    hmm_search_swap_runs(&finalists[index], run);
    for (; index > 0 && hmm_search_objective(&finalists[index]) > hmm_search_objective(&finalists[index - 1]); index--)
        hmm_search_swap_runs(&finalists[index], &finalists[index - 1]);
}

/* Returns the number of EM steps of each of `count` runs: `least`, or more if all observations are categorical and
 * there are few of them. */
static size_t steps_of_starts(const search *source_search, const crd_i_training_shape *shape,
                              const crd_i_training_steps *some, size_t count, size_t least) {
    double steps = (double)least;
    if (crd_i_sequence_starts_are_blind(source_search->problem))
        steps = fmax(steps, START_WORK / (double)count / ((double)some->steps + MAXIMISING) / (double)shape->states);
    return steps < (double)source_search->options->most_steps ? (size_t)steps : source_search->options->most_steps;
}

static double start_tolerance(const search *source_search) {
    const double tolerance = source_search->options->tolerance;
    return crd_i_sequence_starts_are_blind(source_search->problem) ? tolerance : fmax(SAMPLE_TOLERANCE, tolerance);
}

/* Makes a few steps from each start. If cancelled, the finalists contain at least one start if any has made a step. */
static crd_status hmm_search_run_starts(const search *source_search, const crd_i_training_shape *shape,
                                        const crd_i_training_steps *some, size_t starts, crd_i_training_run *finalists,
                                        size_t most, size_t *count, double *restarts, size_t *restart_count,
                                        crd_error *error) {
    const crd_i_training_limits limits = {start_tolerance(source_search),
                                          steps_of_starts(source_search, shape, some, starts, FIRST_STEPS)};
    crd_status status = CRD_OK;
    for (size_t r = 0; status == CRD_OK && r < starts; r++) {
        crd_i_training_run run = {.context = source_search->problem->context};
        status = crd_i_sequence_start(shape, some, source_search->sample, source_search->options->seed, r, &run.model,
                                      error);
        if (status == CRD_OK) status = crd_i_baum_welch(shape, some, source_search->sample, &limits, &run, error);
        if (status == CRD_OK && restarts != NULL) restarts[(*restart_count)++] = hmm_search_objective(&run);
        if (run.steps > 0 && (status == CRD_OK || *count == 0)) hmm_search_enter(finalists, most, count, &run);
        crd_i_training_run_clear(&run);
    }
    return status;
}

/* Finds the best of several starts, after more steps of the best ones. If cancelled, `run` contains the best so far. */
static crd_status best_start(const search *source_search, const crd_i_training_shape *shape,
                             const crd_i_training_steps *some, size_t starts, crd_i_training_run *run, double *restarts,
                             size_t *restart_count, crd_error *error) {
    const size_t most = finalists_of(source_search, starts);
    size_t count = 0, best = 0;
    crd_i_training_run *finalists = crd_i_alloc_zeroed(source_search->problem->context, most, sizeof *finalists);
    if (finalists == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < most; i++) finalists[i].context = source_search->problem->context;
    crd_status status = hmm_search_run_starts(source_search, shape, some, starts, finalists, most, &count, restarts,
                                              restart_count, error);
    const size_t left =
        source_search->options->most_steps > FIRST_STEPS ? source_search->options->most_steps - FIRST_STEPS : 0;
    const size_t more = steps_of_starts(source_search, shape, some, most, MORE_STEPS);
    const crd_i_training_limits limits = {start_tolerance(source_search), left < more ? left : more};
    for (size_t i = 0; status == CRD_OK && count > 1 && left > 0 && i < count; i++)
        status = crd_i_baum_welch(shape, some, source_search->sample, &limits, &finalists[i], error);
    for (size_t i = 1; i < count; i++)
        if (hmm_search_objective(&finalists[i]) > hmm_search_objective(&finalists[best])) best = i;
    if (count > 0) hmm_search_swap_runs(run, &finalists[best]);
    for (size_t i = 0; i < most; i++) crd_i_training_run_clear(&finalists[i]);
    crd_free(source_search->problem->context, finalists);
    return status;
}

/* ---- A number of states ---- */

/* Discards the steps on a sample, because they are not steps on all sequences. Only the model is kept. */
static void forget_steps(crd_i_training_run *run) {
    crd_i_training_model_release(run->before);
    run->before = NULL;
    run->steps = run->best = 0;
}

/* Runs EM on all training data, from the best of several starts. */
static crd_status fit_steps(const search *source_search, const crd_i_training_shape *shape,
                            const crd_i_training_steps *all, size_t starts, const crd_i_training_limits *limits,
                            crd_i_training_run *run, double *restarts, size_t *restart_count, crd_error *error) {
    const bool is_hidden = source_search->problem->is_hidden;
    crd_i_training_part part;
    crd_status status = training_part_create(source_search->problem, all, &part, error);
    if (status != CRD_OK) return status;
    if (source_search->problem->start != NULL) status = crd_i_training_model_start(shape, &run->model, error);
    else if (!is_hidden || shape->classes == 1 || starts == 1) {
        status = crd_i_sequence_start(shape, all, source_search->sample, source_search->options->seed, 0, &run->model,
                                      error);
    } else {
        status = best_start(source_search, shape, &part.steps, starts, run, restarts, restart_count, error);
        if (status == CRD_OK && part.segments != NULL) forget_steps(run);
    }
    crd_i_training_limits training = *limits;
    if (run->steps > 0)
        training.most_steps = training.most_steps > run->steps - 1 ? training.most_steps - (run->steps - 1) : 0;
    if (status == CRD_OK && (run->steps == 0 || training.most_steps > 0))
        status = crd_i_baum_welch(shape, all, source_search->sample, &training, run, error);
    training_part_clear(&part, source_search->problem->context);
    return status;
}

static crd_status fit_states(const search *source_search, size_t states, crd_hmm_fit *target_fit, crd_error *error) {
    const crd_i_training_steps all = crd_i_training_all(source_search->problem);
    const crd_i_training_limits limits = {source_search->options->tolerance, source_search->options->most_steps};
    target_fit->restarts =
        crd_i_alloc(target_fit->context, source_search->options->restarts, sizeof *target_fit->restarts);
    if (target_fit->restarts == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_training_shape_create(source_search->problem, states, &target_fit->shape, error);
    if (status == CRD_OK)
        status = fit_steps(source_search, target_fit->shape, &all, source_search->options->restarts, &limits,
                           &target_fit->run, target_fit->restarts, &target_fit->restart_count, error);
    target_fit->is_stopped = crd_i_is_cancelled(status) && target_fit->run.steps > 0;
    return target_fit->is_stopped ? CRD_OK : status;
}

/* ---- Held-out steps ---- */

/* Computes the mean held-out log likelihood per step by cross-validation. */
static crd_status hmm_search_hold_out(const search *source_search, const crd_i_training_shape *shape, double *mean,
                                      crd_error *error) {
    const crd_i_training_limits limits = {
        fmax(SAMPLE_TOLERANCE, source_search->options->tolerance),
        source_search->options->most_steps < FOLD_STEPS ? source_search->options->most_steps : FOLD_STEPS};
    crd_i_training_folds folds;
    double sum = 0;
    crd_status status = training_folds_create(source_search->problem, &folds, error);
    for (size_t f = 0; status == CRD_OK && f < folds.count; f++) {
        crd_i_training_run run = {.context = source_search->problem->context};
        crd_i_training_steps held = crd_i_training_all(source_search->problem), others = held;
        double log_likelihood = 0;
        training_folds_part(&folds, f, &held, &others);
        status = fit_steps(source_search, shape, &others, FOLD_STARTS, &limits, &run, NULL, NULL, error);
        if (status == CRD_OK) status = crd_i_expectation_likelihood(run.model->hmm, &held, &log_likelihood, error);
        sum += log_likelihood;
        crd_i_training_run_clear(&run);
    }
    *mean = folds.count < 2 ? NAN : sum / (double)source_search->problem->steps;
    training_folds_clear(&folds, source_search->problem->context);
    return status;
}

/* ---- The number of states ---- */

static double hmm_search_merit(const search *source_search, const crd_hmm_choice *choice) {
    return source_search->options->criterion == CRD_HMM_HELD_OUT && !isnan(choice->held_out) ? choice->held_out
                                                                                             : choice->bic;
}

/* Computes the criteria of a fit: log likelihood, free parameters, BIC and held-out log likelihood. */
static crd_status hmm_search_judge(const search *source_search, const crd_hmm_fit *found_fit, crd_hmm_choice *out,
                                   crd_error *error) {
    const crd_hmm_choice none = CRD_HMM_CHOICE_INIT;
    *out = none;
    out->states = found_fit->shape->states;
    out->log_likelihood = found_fit->run.log_likelihoods[found_fit->run.best];
    out->parameters = (double)crd_hmm_parameter_count(found_fit->run.model->hmm);
    out->bic = out->log_likelihood - out->parameters * crd_log((double)source_search->problem->steps) / 2;
    out->held_out = NAN;
    if (source_search->options->criterion != CRD_HMM_HELD_OUT || source_search->options->states > 0 ||
        !source_search->problem->is_hidden)
        return CRD_OK;
    return hmm_search_hold_out(source_search, found_fit->shape, &out->held_out, error);
}

void crd_i_hmm_search_clear(crd_hmm_fit *fit_options) {
    crd_i_training_run_clear(&fit_options->run);
    crd_i_training_shape_destroy(fit_options->shape);
    crd_free(fit_options->context, fit_options->restarts);
    fit_options->restarts = NULL;
    fit_options->restart_count = 0;
    fit_options->shape = NULL;
}

/* Exchanges the results for two numbers of states. */
static void hmm_search_exchange(crd_hmm_fit *a, crd_hmm_fit *b) {
    crd_i_training_shape *const shape = a->shape;
    double *const restarts = a->restarts;
    const size_t count = a->restart_count;
    hmm_search_swap_runs(&a->run, &b->run);
    a->shape = b->shape;
    a->restarts = b->restarts;
    a->restart_count = b->restart_count;
    b->shape = shape;
    b->restarts = restarts;
    b->restart_count = count;
}

/* Fits one number of states. The result is kept if it is the best so far, or the only one when the call is
 * cancelled. */
static crd_status try_states(const search *source_search, size_t states, crd_hmm_fit *fit_options, double *best,
                             crd_error *error) {
    crd_hmm_fit found_fit = {.context = fit_options->context, .run = {.context = fit_options->context}};
    crd_hmm_choice choice;
    crd_status status = fit_states(source_search, states, &found_fit, error);
    if (status == CRD_OK && !found_fit.is_stopped) status = hmm_search_judge(source_search, &found_fit, &choice, error);
    const bool has_something = fit_options->shape != NULL || found_fit.run.steps > 0;
    if (found_fit.is_stopped || (crd_i_is_cancelled(status) && has_something)) {
        fit_options->is_stopped = true;
        if (fit_options->shape == NULL) hmm_search_exchange(fit_options, &found_fit);
        status = CRD_OK;
    } else if (status == CRD_OK &&
               !crd_i_reserve(fit_options->context, &fit_options->choices, &fit_options->choice_capacity,
                              fit_options->choice_count + 1, sizeof *fit_options->choices))
        status = crd_i_fail_memory(error);
    else if (status == CRD_OK) {
        fit_options->choices[fit_options->choice_count++] = choice;
        if (fit_options->shape == NULL || hmm_search_merit(source_search, &choice) > *best) {
            *best = hmm_search_merit(source_search, &choice);
            fit_options->chosen = fit_options->choice_count - 1;
            hmm_search_exchange(fit_options, &found_fit);
        }
    }
    crd_i_hmm_search_clear(&found_fit);
    return status;
}

crd_status crd_i_hmm_search(crd_hmm_fit *fit_options, crd_error *error) {
    const crd_i_training_problem *problem = &fit_options->problem;
    crd_i_step_sample *sample = NULL;
    crd_status status = crd_i_step_sample_create(problem, &sample, error);
    const search source_search = {.problem = problem, .options = &fit_options->options, .sample = sample};
    const bool is_stated = fit_options->options.states > 0 || !problem->is_hidden;
    const size_t least = is_stated ? fit_options->options.states : fit_options->options.least_states;
    size_t most = is_stated ? least : fit_options->options.max_states, chosen = least;
    double best = -INFINITY;
    crd_i_stage stage;
    if (problem->is_hidden && most > problem->steps) most = (size_t)problem->steps;
    crd_i_stage_begin(&stage, "fitting hidden states", most - least + 1);
    for (size_t k = least; status == CRD_OK && !fit_options->is_stopped && k <= most && k <= chosen + PATIENCE; k++) {
        status = try_states(&source_search, k, fit_options, &best, error);
        if (fit_options->choice_count > 0) chosen = fit_options->choices[fit_options->chosen].states;
        if (!problem->is_hidden) chosen = k;
        crd_i_stage_add(&stage, 1);
    }
    crd_i_stage_end(&stage);
    crd_i_step_sample_destroy(sample);
    return status;
}
