/* SPDX-License-Identifier: MIT */
/* baum_welch.c - iterates Baum-Welch until convergence. See hmm_training.h.
 *
 * Contents:
 *   1. SQUAREM extrapolation
 *   2. Iterations */
#include "sequence/train/hmm_training.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef struct crd_i_acceleration {
    crd_context *context;
    double *history; /* S0, S1, S2, each `length` long */
    size_t sums;     /* number of doubles in the emission sums */
    /* number of doubles in the emission sums and the counts of nodes and transitions that follow them */
    size_t length;
    size_t count;     /* number of statistics in `history` */
    double most;      /* upper bound of -a; it grows while longer steps succeed */
    bool is_long;     /* the last statistics were extrapolated and not yet judged */
    bool is_at_bound; /* their -a was at the bound */
} crd_i_acceleration; /* initialize to zero with `context` set */

/* ======== 1. SQUAREM extrapolation ========
 *
 * SQUAREM accelerates Baum-Welch by extrapolation (Varadhan and Roland 2008).
 *
 * EM converges linearly, and slowly if states overlap. One step of EM maps expected statistics S to F(S). Given three
 * successive statistics S0, S1, S2, with r = S1 - S0 and v = (S2 - S1) - r, the next step starts from
 *
 *   S0 - 2 a r + a^2 v,   a = -|r| / |v|
 *
 * which is S2 for a = -1. The extrapolation works on sufficient statistics, not on parameters, and its result may be
 * invalid. Counts, rates and variances that would become too small are therefore kept near those in S2. The caller
 * compares objectives, and returns to S2 if the longer step is worse. */

/* The initial bound of -a, and the factor by which it grows or shrinks. */
static const double FIRST_BOUND = 4, GROWTH = 4;

/* An extrapolated count is at least this fraction of the last count. */
static const double LEAST_PART = 0.1;

static void acceleration_clear(crd_i_acceleration *acceleration) {
    const crd_i_acceleration none = {.context = acceleration->context};
    crd_free(acceleration->context, acceleration->history);
    *acceleration = none;
}

/* Discards the recorded statistics, because a state is reinitialized. */
static void acceleration_restart(crd_i_acceleration *acceleration) {
    acceleration->count = 0;
    acceleration->is_long = false;
}

/* Returns -a, from 1 to the bound. */
static double step_length(const crd_i_acceleration *acceleration) {
    const double *s0 = acceleration->history, *s1 = s0 + acceleration->length, *s2 = s1 + acceleration->length;
    double rr = 0, vv = 0;
    for (size_t i = 0; i < acceleration->length; i++) {
        const double r = s1[i] - s0[i], v = s2[i] - s1[i] - r;
        rr += r * r;
        vv += v * v;
    }
    const double length = vv > 0 ? sqrt(rr / vv) : acceleration->most;
    return length > 1 && length < INFINITY ? fmin(length, acceleration->most) : 1;
}

static void acceleration_extrapolate(crd_i_acceleration *acceleration, const crd_i_training_shape *shape, double length,
                                     size_t sums, double *out) {
    const double *s0 = acceleration->history, *s1 = s0 + acceleration->length, *s2 = s1 + acceleration->length;
    for (size_t i = 0; i < acceleration->length; i++) {
        const double r = s1[i] - s0[i], v = s2[i] - s1[i] - r;
        out[i] = s0[i] + 2 * length * r + length * length * v;
    }
    crd_i_emission_sums_mend(shape->layout, s2, LEAST_PART, out);
    for (size_t i = sums; i < acceleration->length; i++) out[i] = fmax(out[i], LEAST_PART * s2[i]);
}

static size_t acceleration_length(size_t sums, const crd_hmm *hmm) {
    return sums + 2 * crd_i_chain_nodes(hmm->chain) + crd_i_chain_transition_count(hmm->chain);
}

/* Records the statistics of an E step under a model. After three in a row, replaces them by extrapolated statistics and
 * sets is_long. */
static crd_status acceleration_take(crd_i_acceleration *acceleration, const crd_i_training_shape *shape,
                                    const crd_hmm *hmm, crd_i_expectation *statistics, crd_error *error) {
    const size_t sums = crd_i_emission_sums_size(shape->layout);
    const size_t length = acceleration_length(sums, hmm);
    acceleration->is_long = false;
    if (acceleration->history == NULL ||
        acceleration->length != length) { /* a chain may lose transitions, which then have no counts */
        crd_free(acceleration->context, acceleration->history);
        acceleration->count = 0;
        acceleration->length = length;
        acceleration->sums = sums;
        acceleration->most = FIRST_BOUND;
        acceleration->history = crd_i_alloc(acceleration->context, 3 * length, sizeof *acceleration->history);
        if (acceleration->history == NULL) return crd_i_fail_memory(error);
    }
    /* The sums and counts of an E step are contiguous in memory. */
    memcpy(acceleration->history + acceleration->count++ * length, statistics->sums,
           length * sizeof *acceleration->history);
    if (acceleration->count < 3) return CRD_OK;
    acceleration->count = 0;
    const double step = step_length(acceleration);
    acceleration->is_at_bound = step >= acceleration->most;
    acceleration->is_long = step > 1;
    if (acceleration->is_long) acceleration_extrapolate(acceleration, shape, step, sums, statistics->sums);
    return CRD_OK;
}

/* Records whether the model of the extrapolated statistics is better than the previous model. If it is not, sets
 * `statistics`, which belong to an E step under `hmm`, to S2. Returns false if S2 has a different length, because the
 * model has lost transitions. */
static bool acceleration_judge(crd_i_acceleration *acceleration, bool is_better, const crd_hmm *hmm,
                               crd_i_expectation *statistics) {
    acceleration->is_long = false;
    if (is_better) {
        if (acceleration->is_at_bound) acceleration->most *= GROWTH;
        return true;
    }
    acceleration->most = fmax(FIRST_BOUND, acceleration->most / GROWTH);
    if (acceleration_length(acceleration->sums, hmm) != acceleration->length) return false;
    memcpy(statistics->sums, acceleration->history + 2 * acceleration->length,
           acceleration->length * sizeof *acceleration->history);
    return true;
}

/* ======== 2. Iterations ======== */

/* A state with fewer expected steps than this is empty. */
static const double EMPTY = 0.1;

/* Fraction of the objective that a step may lose by rounding. If a column is a function of other columns, its density
 * is bounded and not maximized, so a step may lose more. */
static const double ROUNDED = 1e-9;

/* PATIENCE: maximum number of successive steps that are worse than the best, if steps may decrease the objective.
 * RESCUES: maximum number of reinitializations per state. */
enum { PATIENCE = 5, RESCUES = 3 };

/* Number of plain steps before extrapolation. The first steps are long anyway, and show where an initial model
 * leads. */
enum { PLAIN_STEPS = 10, CYCLE = 3 };

void crd_i_training_run_clear(crd_i_training_run *run) {
    crd_i_training_model_release(run->before);
    crd_i_training_model_release(run->model);
    crd_i_em_trace_clear(&run->trace);
    *run = (crd_i_training_run){.trace = run->trace};
}

void crd_i_training_run_swap(crd_i_training_run *a, crd_i_training_run *b) {
    const crd_i_training_run other = *a;
    *a = *b;
    *b = other;
}

/* ---- Steps ---- */

/* Keeps the models of the step that is the best so far. */
static void baum_welch_keep(crd_i_training_run *run, crd_i_training_model *before, crd_i_training_model *model) {
    crd_i_training_model *old_before = run->before, *old = run->model;
    run->before = crd_i_training_model_hold(before);
    run->model = crd_i_training_model_hold(model);
    crd_i_training_model_release(old_before);
    crd_i_training_model_release(old);
}

/* Performs the M step: derives a model from the expected statistics. Takes expectation->rows. */
static crd_status baum_welch_maximize(const crd_i_training_shape *shape, const crd_hmm *hmm,
                                      crd_i_expectation *expectation, crd_i_training_model **out, crd_error *error) {
    crd_i_training_statistics statistics = {.sums = expectation->sums, .rows = expectation->rows};
    expectation->rows = NULL;
    crd_status status = crd_i_training_ngrams(shape, shape->state_names, &statistics.ngrams, error);
    if (status == CRD_OK && !crd_i_context_nodes_count(hmm->nodes, &expectation->counts, statistics.ngrams))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) return crd_i_training_model_create(shape, &statistics, out, error);
    crd_model_destroy(statistics.rows);
    crd_i_ngram_counts_destroy(statistics.ngrams);
    return status;
}

/* ---- Empty states ---- */

static size_t count_empty(const crd_i_training_shape *shape, const crd_i_expectation *expectation, size_t *first) {
    size_t empty = 0;
    for (size_t s = shape->states; s-- > 0;) {
        if (expectation->visits[s] >= EMPTY) continue;
        *first = s;
        empty++;
    }
    return empty;
}

/* State of a run. */
typedef struct welch_runner {
    const crd_i_training_shape *shape;
    const crd_i_training_steps *steps;
    const crd_i_step_sample *sample;
    const crd_i_training_limits *limits;
    crd_i_training_run *run;
    crd_i_training_run kept;              /* the best run before some state was reinitialized */
    crd_i_training_model *before, *model; /* the current models */
    bool is_evaluated;                    /* the current model is the run's latest step */
    bool is_apart;                        /* the objective of the first step is not comparable: see starts_apart */
    bool begins_anew;                     /* a state was reinitialized, so the steps restart with the current model */
    crd_i_acceleration acceleration;
    bool is_extrapolated; /* the current model is from extrapolated statistics; `before` has the plain ones */
} welch_runner;

/* Sets the run aside if it is the best so far, and restarts its steps. */
static void begin_steps(welch_runner *runner) {
    const size_t rescued = runner->run->rescued, empty = runner->run->empty;
    if (crd_i_em_trace_objective(&runner->run->trace) > crd_i_em_trace_objective(&runner->kept.trace))
        crd_i_training_run_swap(runner->run, &runner->kept);
    crd_i_training_run_clear(runner->run);
    runner->run->rescued = rescued;
    runner->run->empty = empty;
    runner->begins_anew = runner->is_apart = false;
}

/* Reinitializes a hidden state without steps. Labeled states are not reinitialized. */
static crd_status baum_welch_rescue(welch_runner *runner, crd_i_expectation *statistics, crd_error *error) {
    size_t state = 0;
    runner->run->empty = count_empty(runner->shape, statistics, &state);
    if (runner->run->empty == 0 || !runner->shape->problem->is_hidden ||
        runner->run->rescued >= RESCUES * runner->shape->states || runner->steps->steps < 2 * runner->shape->states)
        return CRD_OK;
    const crd_status status = crd_i_sequence_rescue(runner->shape, runner->steps, runner->sample, runner->model->hmm,
                                                    state, statistics, error);
    if (status != CRD_OK) return status;
    runner->begins_anew = true;
    runner->run->rescued++;
    return CRD_OK;
}

/* ---- A run ---- */

/* Returns whether the run ends with the step just added: it gains little or, if steps may decrease the objective, the
 * best step was PATIENCE steps ago. */
static bool baum_welch_is_over(crd_i_em_trace *trace, bool is_maximized, double tolerance) {
    const size_t last = trace->count - 1;
    const crd_i_em_step *steps = trace->steps;
    if (last == 0 || !(steps[last - 1].objective > -INFINITY)) return false;
    const double gain = steps[last].objective - steps[last - 1].objective, level = fabs(steps[last].objective) + 1;
    trace->may_decrease = trace->may_decrease || !is_maximized || gain < -ROUNDED * level;
    /* Two of three steps are plain and small, so the gain of the whole cycle is considered, too. */
    if (last > PLAIN_STEPS + CYCLE && steps[last].objective - steps[last - CYCLE].objective > tolerance * level &&
        !trace->may_decrease)
        return false;
    trace->is_converged = trace->may_decrease ? fabs(gain) <= tolerance * level || last - trace->best >= PATIENCE
                                              : gain <= tolerance * level;
    return trace->is_converged;
}

/* Adds the current model to the steps, and keeps it if it is the best. */
static crd_status baum_welch_evaluate(welch_runner *runner, const crd_i_expectation *statistics, crd_error *error) {
    crd_i_training_run *run = runner->run;
    if (runner->begins_anew) begin_steps(runner);
    const size_t best = run->trace.best;
    const double objective = statistics->log_likelihood + runner->model->log_prior;
    if (!crd_i_em_trace_add(&run->trace, statistics->log_likelihood, objective)) return crd_i_fail_memory(error);
    run->impossible_at = statistics->impossible > 0 ? statistics->impossible_at : SIZE_MAX;
    /* The result must be a model of expected counts, which an initial model is not. So the first step replaces it
     * whatever its objective. */
    if (run->trace.count <= 2 || objective > run->trace.steps[best].objective)
        baum_welch_keep(run, runner->before, runner->model);
    else run->trace.best = best;
    return CRD_OK;
}

/* Returns whether the objective of the first step has different terms than later objectives. The prior of a
 * user-supplied model is unknown. And a likelihood from labeled counts ignores values that occur only in unlabeled
 * steps. */
static bool starts_apart(const crd_i_training_shape *shape, const crd_i_training_run *run) {
    return run->trace.count == 0 && (run->model->content == NULL || !shape->problem->is_hidden);
}

/* Returns whether the next step may be extrapolated: the objective must be increasing, and the statistics must be
 * sums. */
static bool baum_welch_accelerates(const welch_runner *runner) {
    const crd_i_em_trace *trace = &runner->run->trace;
    return runner->shape->layout != NULL && runner->model->is_maximized && !trace->may_decrease &&
           !runner->begins_anew && trace->count > PLAIN_STEPS && trace->steps[trace->count - 1].objective > -INFINITY;
}

/* Performs the M step, from extrapolated statistics if three E steps were made in a row. */
static crd_status maximize_longer(welch_runner *runner, crd_i_expectation *statistics, crd_i_training_model **next,
                                  crd_error *error) {
    crd_status status = CRD_OK;
    if (baum_welch_accelerates(runner))
        status = acceleration_take(&runner->acceleration, runner->shape, runner->model->hmm, statistics, error);
    else acceleration_restart(&runner->acceleration);
    runner->is_extrapolated = runner->acceleration.is_long;
    return status == CRD_OK ? baum_welch_maximize(runner->shape, runner->model->hmm, statistics, next, error) : status;
}

/* Compares the model of extrapolated statistics with the latest step. It is not a model of expected counts, and so not
 * a step of the run, but the next model is. If it is worse, it is replaced by the M step of the plain statistics. */
static crd_status judge_extrapolated(welch_runner *runner, crd_i_expectation *statistics, bool *is_better,
                                     crd_error *error) {
    const crd_i_em_trace *trace = &runner->run->trace;
    crd_i_training_model *next = NULL;
    *is_better = statistics->log_likelihood + runner->model->log_prior >= trace->steps[trace->count - 1].objective;
    runner->is_extrapolated = false;
    const bool is_restored = acceleration_judge(&runner->acceleration, *is_better, runner->model->hmm, statistics);
    if (*is_better) return CRD_OK;
    crd_status status = CRD_OK;
    if (is_restored) status = baum_welch_maximize(runner->shape, runner->before->hmm, statistics, &next, error);
    else next = crd_i_training_model_hold(runner->before);
    runner->is_evaluated = !is_restored;
    if (status != CRD_OK) return status;
    crd_i_training_model_release(runner->model);
    runner->model = next;
    return CRD_OK;
}

/* Performs one E step and one M step. Sets *is_done if the run ends. */
static crd_status baum_welch_step(welch_runner *runner, size_t number, bool *is_done, crd_error *error) {
    const crd_i_expectation_form form = crd_i_training_form(runner->shape);
    crd_i_expectation statistics = {.context = runner->run->trace.context};
    crd_i_training_model *next = NULL;
    crd_status status = crd_i_expectation_compute(runner->model->hmm, runner->steps, &form, &statistics, error);
    const bool was_extrapolated = runner->is_extrapolated;
    if (status == CRD_OK && was_extrapolated) {
        bool is_better;
        status = judge_extrapolated(runner, &statistics, &is_better, error);
        if (status != CRD_OK || !is_better) {
            crd_i_expectation_clear(&statistics);
            return status;
        }
    }
    if (status == CRD_OK && !runner->is_evaluated && !was_extrapolated)
        status = baum_welch_evaluate(runner, &statistics, error);
    if (status == CRD_OK) {
        const bool is_comparable =
            !runner->is_evaluated && !was_extrapolated && !(runner->is_apart && runner->run->trace.count <= 2);
        const bool is_over_now = is_comparable && baum_welch_is_over(&runner->run->trace, runner->model->is_maximized,
                                                                     runner->limits->tolerance);
        *is_done = is_over_now || number >= runner->limits->most_steps;
        runner->is_evaluated = false;
        if (!was_extrapolated) status = baum_welch_rescue(runner, &statistics, error);
        *is_done = *is_done && !runner->begins_anew;
    }
    if (status == CRD_OK && !*is_done) status = maximize_longer(runner, &statistics, &next, error);
    crd_i_expectation_clear(&statistics);
    if (next == NULL) return status;
    crd_i_training_model_release(runner->before);
    runner->before = runner->model;
    runner->model = next;
    if (!runner->begins_anew) return status;
    crd_i_training_model_release(runner->before);
    runner->before = NULL;
    return status;
}

crd_status crd_i_baum_welch(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                            const crd_i_step_sample *sample, const crd_i_training_limits *limits,
                            crd_i_training_run *run, crd_error *error) {
    welch_runner runner = {.shape = shape,
                           .steps = steps,
                           .sample = sample,
                           .limits = limits,
                           .run = run,
                           .kept = {.trace = {.context = run->trace.context}},
                           .before = crd_i_training_model_hold(run->before),
                           .model = crd_i_training_model_hold(run->model),
                           .is_evaluated = run->trace.count > 0,
                           .is_apart = starts_apart(shape, run),
                           .acceleration = {.context = run->trace.context}};
    bool is_done = false;
    crd_status status = CRD_OK;
    run->trace.is_converged = false;
    for (size_t number = 0; status == CRD_OK && !is_done; number++)
        status = baum_welch_step(&runner, number, &is_done, error);
    if (crd_i_em_trace_objective(&runner.kept.trace) > crd_i_em_trace_objective(&run->trace)) {
        runner.kept.rescued = run->rescued;
        crd_i_training_run_swap(run, &runner.kept);
    }
    crd_i_training_run_clear(&runner.kept);
    acceleration_clear(&runner.acceleration);
    crd_i_training_model_release(runner.before);
    crd_i_training_model_release(runner.model);
    return status;
}
