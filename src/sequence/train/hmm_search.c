/* SPDX-License-Identifier: MIT */
/* hmm_search.c - restarts Baum-Welch from random initial models, and chooses the number of states. See hmm_training.h.
 *
 * The likelihood of a hidden Markov model has many local maxima. EM makes a few steps from each of several initial
 * models, on a sample of pieces that are evenly spaced among all steps. The best of them make more
 * steps, and the best of these continues on all sequences. If all observations are categorical, the first steps show
 * little of where a start leads. Then, for short sequences, each start makes as many steps as START_WORK allows.
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
 * x (steps of sequences + MAXIMIZING). MAXIMIZING is the cost of an M step. The limit takes less than a second. */
static const double START_WORK = 2e7, MAXIMIZING = 500;

typedef struct search {
    const crd_i_training_problem *problem;
    const crd_hmm_train_options *options;
    const crd_i_step_sample *sample;
    crd_i_hmm_result latest, *best;
} search;

/* ---- Starts ---- */

/* Returns the number of starts that make more steps. If there are many starts, it is larger, because the first steps
 * favor starts that are already near a maximum. */
static size_t finalists_of(const search *source_search, size_t starts) {
    const size_t share = starts / STARTS_PER_FINALIST;
    return crd_i_sequence_starts_are_blind(source_search->problem) || share < LEAST_FINALISTS ? LEAST_FINALISTS : share;
}

/* Returns the number of EM steps of each of `count` runs: `least`, or more if all observations are categorical and
 * there are few of them. */
static size_t steps_of_starts(const search *source_search, const crd_i_training_shape *shape,
                              const crd_i_training_steps *some, size_t count, size_t least) {
    double steps = (double)least;
    if (crd_i_sequence_starts_are_blind(source_search->problem))
        steps = fmax(steps, START_WORK / (double)count / ((double)some->steps + MAXIMIZING) / (double)shape->states);
    return steps < (double)source_search->options->most_steps ? (size_t)steps : source_search->options->most_steps;
}

static double start_tolerance(const search *source_search) {
    const double tolerance = source_search->options->tolerance;
    return crd_i_sequence_starts_are_blind(source_search->problem) ? tolerance : fmax(SAMPLE_TOLERANCE, tolerance);
}

typedef struct hmm_starts {
    const search *source_search;
    const crd_i_training_shape *shape;
    const crd_i_training_steps *some;
    size_t count;
    crd_i_training_limits first, more;
    crd_i_training_run *run; /* the latest run, whose trace is with the driver */
    crd_i_training_run *finalists;
} hmm_starts;

static bool hmm_starts_has_next(const void *state, const crd_fit *fit) {
    const hmm_starts *starts = state;
    return fit->start_count < starts->count;
}

/* Continues the latest run, which takes the trace meanwhile. */
static crd_status hmm_starts_continue(const hmm_starts *starts, const crd_i_training_limits *limits,
                                      crd_i_em_trace *trace, crd_error *error) {
    crd_i_em_trace_swap(trace, &starts->run->trace);
    crd_status status =
        crd_i_baum_welch(starts->shape, starts->some, starts->source_search->sample, limits, starts->run, error);
    crd_i_em_trace_swap(trace, &starts->run->trace);
    return status;
}

static crd_status hmm_starts_run(void *state, size_t start, crd_i_em_trace *trace, crd_error *error) {
    const hmm_starts *starts = state;
    crd_i_training_run_clear(starts->run);
    crd_status status = crd_i_sequence_start(starts->shape, starts->some, starts->source_search->sample,
                                             starts->source_search->options->seed, start, &starts->run->model, error);
    return status == CRD_OK ? hmm_starts_continue(starts, &starts->first, trace, error) : status;
}

static crd_status hmm_starts_resume(void *state, crd_i_em_trace *trace, crd_error *error) {
    const hmm_starts *starts = state;
    return hmm_starts_continue(starts, &starts->more, trace, error);
}

/* Exchanges the latest run and a finalist. */
static void hmm_starts_exchange(void *state, size_t place) {
    const hmm_starts *starts = state;
    crd_i_training_run_swap(starts->run, &starts->finalists[place]);
}

/* Finds the best of several starts, after more steps of the best ones. */
static crd_status best_start(const search *source_search, const crd_i_training_shape *shape,
                             const crd_i_training_steps *some, size_t count, crd_i_training_run *run, crd_fit *fit,
                             crd_error *error) {
    crd_context *context = source_search->problem->context;
    const size_t most_steps = source_search->options->most_steps, finalists = finalists_of(source_search, count);
    const size_t left = most_steps > FIRST_STEPS ? most_steps - FIRST_STEPS : 0;
    const size_t more = steps_of_starts(source_search, shape, some, finalists, MORE_STEPS);
    const double tolerance = start_tolerance(source_search);
    hmm_starts starts = {
        .source_search = source_search,
        .shape = shape,
        .some = some,
        .count = count,
        .first = {tolerance, steps_of_starts(source_search, shape, some, count, FIRST_STEPS)},
        .more = {tolerance, left < more ? left : more},
        .run = run,
        .finalists = crd_i_alloc_zeroed(context, finalists, sizeof *starts.finalists),
    };
    const crd_i_em_starts calls = {.state = &starts,
                                   .run = hmm_starts_run,
                                   .has_next = hmm_starts_has_next,
                                   .keep = hmm_starts_exchange,
                                   .restore = hmm_starts_exchange,
                                   .finalists = finalists,
                                   .resume = left > 0 ? hmm_starts_resume : NULL};
    if (starts.finalists == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < finalists; i++) starts.finalists[i].trace.context = context;
    crd_status status = crd_i_em_run_starts(&calls, fit, error);
    crd_i_em_trace_swap(&run->trace, &fit->trace);
    for (size_t i = 0; i < finalists; i++) crd_i_training_run_clear(&starts.finalists[i]);
    crd_free(context, starts.finalists);
    return status;
}

/* ---- A number of states ---- */

/* Discards the steps on a sample, because they are not steps on all sequences. Only the model is kept. */
static void forget_steps(crd_i_training_run *run) {
    crd_i_training_model_release(run->before);
    run->before = NULL;
    run->trace.count = run->trace.best = 0;
}

/* Runs EM on all training data, from the best of several starts, whose results are added to `fit`. */
static crd_status fit_steps(const search *source_search, const crd_i_training_shape *shape,
                            const crd_i_training_steps *all, size_t starts, const crd_i_training_limits *limits,
                            crd_i_training_run *run, crd_fit *fit, crd_error *error) {
    const bool is_hidden = source_search->problem->is_hidden;
    crd_i_training_part part;
    crd_status status = training_part_create(source_search->problem, all, &part, error);
    if (status != CRD_OK) return status;
    if (source_search->problem->start != NULL) status = crd_i_training_model_start(shape, &run->model, error);
    else if (!is_hidden || shape->classes == 1 || starts == 1) {
        status = crd_i_sequence_start(shape, all, source_search->sample, source_search->options->seed, 0, &run->model,
                                      error);
    } else {
        status = best_start(source_search, shape, &part.steps, starts, run, fit, error);
        if (status == CRD_OK && !fit->is_stopped && part.segments != NULL) forget_steps(run);
    }
    crd_i_training_limits training = *limits;
    const size_t steps = run->trace.count;
    if (steps > 0) training.most_steps = training.most_steps > steps - 1 ? training.most_steps - (steps - 1) : 0;
    if (status == CRD_OK && !fit->is_stopped && (steps == 0 || training.most_steps > 0))
        status = crd_i_baum_welch(shape, all, source_search->sample, &training, run, error);
    training_part_clear(&part, source_search->problem->context);
    return status;
}

static crd_status hmm_search_run(void *state, size_t states, crd_fit *fit, crd_error *error) {
    search *source_search = state;
    crd_i_hmm_result *result = &source_search->latest;
    const crd_i_training_steps all = crd_i_training_all(source_search->problem);
    const crd_i_training_limits limits = {source_search->options->tolerance, source_search->options->most_steps};
    *result = (crd_i_hmm_result){.run = {.trace = {.context = fit->context}}};
    crd_status status = crd_i_training_shape_create(source_search->problem, states, &result->shape, error);
    if (status != CRD_OK) return status;
    status = fit_steps(source_search, result->shape, &all, source_search->options->restarts, &limits, &result->run, fit,
                       error);
    crd_i_em_trace_swap(&fit->trace, &result->run.trace);
    fit->facts.components = result->shape->states;
    fit->facts.empty = result->run.empty;
    fit->facts.rescued = result->run.rescued;
    return status;
}

/* ---- Held-out steps ---- */

/* Computes the mean held-out log likelihood per step by cross-validation. */
static crd_status hmm_search_hold_out(void *state, size_t states, double *mean, crd_error *error) {
    const search *source_search = state;
    crd_context *context = source_search->problem->context;
    const crd_i_training_limits limits = {
        fmax(SAMPLE_TOLERANCE, source_search->options->tolerance),
        source_search->options->most_steps < FOLD_STEPS ? source_search->options->most_steps : FOLD_STEPS};
    (void)states;
    crd_i_training_folds folds;
    double sum = 0;
    crd_status status = training_folds_create(source_search->problem, &folds, error);
    for (size_t f = 0; status == CRD_OK && f < folds.count; f++) {
        crd_i_training_run run = {.trace = {.context = context}};
        crd_fit fit;
        crd_i_training_steps held = crd_i_training_all(source_search->problem), others = held;
        double log_likelihood = 0;
        training_folds_part(&folds, f, &held, &others);
        crd_i_em_fit_begin(&fit, context);
        status =
            fit_steps(source_search, source_search->latest.shape, &others, FOLD_STARTS, &limits, &run, &fit, error);
        if (status == CRD_OK && fit.is_stopped) status = crd_i_fail_cancelled(error);
        if (status == CRD_OK) status = crd_i_expectation_likelihood(run.model->hmm, &held, &log_likelihood, error);
        sum += log_likelihood;
        crd_i_em_fit_clear(&fit);
        crd_i_training_run_clear(&run);
    }
    *mean = folds.count < 2 ? NAN : sum / (double)source_search->problem->steps;
    training_folds_clear(&folds, context);
    return status;
}

/* ---- The number of states ---- */

static double hmm_search_parameters(const void *state) {
    const search *source_search = state;
    return (double)crd_hmm_facts_of(source_search->latest.run.model->hmm)->parameter_count;
}

void crd_i_hmm_result_clear(crd_i_hmm_result *result) {
    crd_i_training_run_clear(&result->run);
    crd_i_training_shape_destroy(result->shape);
    result->shape = NULL;
}

/* Keeps or frees the latest fit. */
static void hmm_search_end(void *state, bool is_best) {
    search *source_search = state;
    const crd_i_hmm_result latest = source_search->latest;
    if (is_best) {
        source_search->latest = *source_search->best;
        *source_search->best = latest;
    }
    crd_i_hmm_result_clear(&source_search->latest);
}

crd_status crd_i_hmm_search(crd_i_hmm_fit *fit, crd_error *error) {
    const crd_i_training_problem *problem = &fit->problem;
    const crd_hmm_train_options *options = &fit->options;
    crd_i_step_sample *sample = NULL;
    crd_status status = crd_i_step_sample_create(problem, &sample, error);
    search source_search = {.problem = problem, .options = options, .sample = sample, .best = &fit->best};
    const bool is_stated = options->states > 0 || !problem->is_hidden;
    const size_t most = is_stated ? options->states : options->max_states;
    const crd_i_em_search calls = {.state = &source_search,
                                   .name = "fitting hidden states",
                                   .least = is_stated ? options->states : options->least_states,
                                   .most = problem->is_hidden && most > problem->steps ? (size_t)problem->steps : most,
                                   .patience = PATIENCE,
                                   .rows = (double)problem->steps,
                                   .criterion = options->criterion,
                                   .run = hmm_search_run,
                                   .parameters = hmm_search_parameters,
                                   .hold_out = is_stated ? NULL : hmm_search_hold_out,
                                   .end = hmm_search_end};
    if (status == CRD_OK) status = crd_i_em_choose(&calls, &fit->base, error);
    crd_i_step_sample_destroy(sample);
    return status;
}
