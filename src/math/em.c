/* SPDX-License-Identifier: MIT */
/* em.c - EM runs, random restarts, the choice of the number of components, and their results. See em.h.
 *
 * Contents:
 *   1. Fits
 *   2. EM runs
 *   3. Starts
 *   4. Number of components
 *   5. Results */
#include "math/em.h"

#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "math/functions/elementary.h"

#include <math.h>

/* Starts whose objectives differ by no more than this fraction count as equal. */
static const double SAME = 1e-5;

/* ======== 1. Fits ======== */

void crd_i_em_trace_clear(crd_i_em_trace *trace) {
    crd_free(trace->context, trace->steps);
    *trace = (crd_i_em_trace){.context = trace->context};
}

bool crd_i_em_trace_add(crd_i_em_trace *trace, double log_likelihood, double objective) {
    if (!crd_i_reserve(trace->context, &trace->steps, &trace->capacity, trace->count + 1, sizeof *trace->steps))
        return false;
    trace->best = trace->count;
    trace->steps[trace->count++] = (crd_i_em_step){log_likelihood, objective};
    return true;
}

void crd_i_em_trace_swap(crd_i_em_trace *a, crd_i_em_trace *b) {
    const crd_i_em_trace other = *a;
    *a = *b;
    *b = other;
}

double crd_i_em_trace_objective(const crd_i_em_trace *trace) {
    return trace->count > 0 ? trace->steps[trace->best].objective : (double)-INFINITY;
}

void crd_i_em_fit_begin(crd_fit *fit, crd_context *context) {
    *fit = (crd_fit){.context = context, .trace = {.context = context}, .facts = CRD_FIT_FACTS_INIT};
}

void crd_i_em_fit_clear(crd_fit *fit) {
    crd_i_em_trace_clear(&fit->trace);
    crd_free(fit->context, fit->starts);
    crd_free(fit->context, fit->choices);
    crd_i_em_fit_begin(fit, fit->context);
}

bool crd_i_em_fit_add_start(crd_fit *fit, double objective) {
    if (!crd_i_reserve(fit->context, &fit->starts, &fit->start_capacity, fit->start_count + 1, sizeof *fit->starts))
        return false;
    fit->starts[fit->start_count++] = objective;
    return true;
}

size_t crd_i_em_fit_starts_at_best(const crd_fit *fit) {
    double best = -INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < fit->start_count; i++) best = fmax(best, fit->starts[i]);
    for (size_t i = 0; i < fit->start_count; i++) count += fit->starts[i] >= best - SAME * fabs(best);
    return count;
}

/* ======== 2. EM runs ======== */

/* Returns whether a run has converged with a step that gained `gain`, after one that gained `gain_before`. */
static bool em_rule_is_met(const crd_i_em_rule *rule, double objective, double gain, double gain_before) {
    const double least = rule->tolerance * (1 + fabs(objective));
    if (rule->is_complete) return true;
    if (!(gain <= least)) return false;
    if (!rule->weighs_rest) return true;
    const double ratio = gain_before > 0 ? gain / gain_before : 0;
    return ratio < 1 && gain * ratio <= least * (1 - ratio);
}

crd_status crd_i_em_run(const crd_i_em_model *model, const crd_i_em_rule *rule, crd_i_em_trace *trace,
                        crd_error *error) {
    double gain_before = 0;
    trace->is_converged = false;
    for (size_t step = rule->is_continued; step <= rule->most_steps && !trace->is_converged; step++) {
        crd_i_em_step now;
        if (step > 0) model->maximize(model->state);
        crd_status status = model->expect(model->state, &now, error);
        if (status != CRD_OK) return status;
        const double gain = step > 0 ? now.objective - crd_i_em_trace_objective(trace) : 0;
        /* After convergence to the last bit, rounding may decrease F. Then the previous step is as good. */
        trace->is_converged = rule->weighs_rest && step > 0 && gain <= 0;
        if (trace->is_converged) break;
        if (!crd_i_em_trace_add(trace, now.log_likelihood, now.objective)) return crd_i_fail_memory(error);
        if (model->accept != NULL) model->accept(model->state);
        trace->is_converged = step > 0 && em_rule_is_met(rule, now.objective, gain, gain_before);
        gain_before = gain;
    }
    return CRD_OK;
}

/* ======== 3. Starts ======== */

/* A start that is among the best so far. */
typedef struct em_finalist {
    crd_i_em_trace trace;
    size_t start, place; /* `place`: where its parameters are kept */
} em_finalist;

/* The best starts, in descending order of their objectives. */
typedef struct em_finalists {
    em_finalist *each;
    size_t count, most;
} em_finalists;

static bool em_finalist_is_better(const em_finalist *a, const em_finalist *b) {
    return crd_i_em_trace_objective(&a->trace) > crd_i_em_trace_objective(&b->trace);
}

/* Enters a start, which may replace the last finalist. */
static void em_finalists_enter(em_finalists *finalists, const crd_i_em_starts *starts, size_t start,
                               crd_i_em_trace *trace) {
    size_t index = finalists->count;
    if (index < finalists->most) {
        finalists->each[index].place = index;
        finalists->count++;
    } else if (!(crd_i_em_trace_objective(trace) > crd_i_em_trace_objective(&finalists->each[--index].trace))) return;
    crd_i_em_trace_swap(&finalists->each[index].trace, trace);
    finalists->each[index].start = start;
    starts->keep(starts->state, finalists->each[index].place);
    for (; index > 0 && em_finalist_is_better(&finalists->each[index], &finalists->each[index - 1]); index--) {
        const em_finalist other = finalists->each[index];
        finalists->each[index] = finalists->each[index - 1];
        finalists->each[index - 1] = other;
    }
}

/* Runs all starts. A cancelled start counts with the steps that it has made. */
static crd_status em_starts_run(const crd_i_em_starts *starts, em_finalists *finalists, crd_fit *fit,
                                crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && !fit->is_stopped && starts->has_next(starts->state, fit); i++) {
        crd_i_em_trace trace = {.context = fit->context};
        status = starts->run(starts->state, i, &trace, error);
        fit->is_stopped = crd_i_is_cancelled(status) && (i > 0 || trace.count > 0);
        if (fit->is_stopped) status = CRD_OK;
        const bool has_steps = status == CRD_OK && trace.count > 0;
        if (has_steps && !crd_i_em_fit_add_start(fit, crd_i_em_trace_objective(&trace)))
            status = crd_i_fail_memory(error);
        else if (has_steps) em_finalists_enter(finalists, starts, i, &trace);
        crd_i_em_trace_clear(&trace);
    }
    return status;
}

static crd_status em_finalists_resume(const crd_i_em_starts *starts, em_finalists *finalists, crd_fit *fit,
                                      crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && !fit->is_stopped && i < finalists->count; i++) {
        starts->restore(starts->state, finalists->each[i].place);
        status = starts->resume(starts->state, &finalists->each[i].trace, error);
        starts->keep(starts->state, finalists->each[i].place);
        fit->is_stopped = crd_i_is_cancelled(status);
        if (fit->is_stopped) status = CRD_OK;
    }
    return status;
}

crd_status crd_i_em_run_starts(const crd_i_em_starts *starts, crd_fit *fit, crd_error *error) {
    em_finalists finalists = {.most = starts->resume != NULL ? starts->finalists : 1};
    size_t best = 0;
    finalists.each = crd_i_alloc_zeroed(fit->context, finalists.most, sizeof *finalists.each);
    if (finalists.each == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < finalists.most; i++) finalists.each[i].trace.context = fit->context;
    crd_status status = em_starts_run(starts, &finalists, fit, error);
    if (status == CRD_OK && finalists.count > 1) status = em_finalists_resume(starts, &finalists, fit, error);
    for (size_t i = 1; i < finalists.count; i++)
        if (em_finalist_is_better(&finalists.each[i], &finalists.each[best])) best = i;
    if (status == CRD_OK && finalists.count > 0) {
        crd_i_em_trace_swap(&fit->trace, &finalists.each[best].trace);
        fit->best_start = finalists.each[best].start;
        starts->restore(starts->state, finalists.each[best].place);
    }
    for (size_t i = 0; i < finalists.most; i++) crd_i_em_trace_clear(&finalists.each[i].trace);
    crd_free(fit->context, finalists.each);
    return status;
}

/* ======== 4. Number of components ======== */

/* Exchanges the results for two numbers of components. */
static void em_search_exchange(crd_fit *a, crd_fit *b) {
    const crd_fit other = *a;
    a->trace = b->trace;
    a->starts = b->starts;
    a->start_count = b->start_count;
    a->start_capacity = b->start_capacity;
    a->best_start = b->best_start;
    a->facts = b->facts;
    b->trace = other.trace;
    b->starts = other.starts;
}

/* Computes the scores of a fit. */
static crd_status em_search_judge(const crd_i_em_search *search, size_t components, const crd_fit *fit,
                                  crd_fit_choice *out, crd_error *error) {
    *out = (crd_fit_choice){.size = sizeof *out, .tried = components, .components = fit->facts.components};
    out->log_likelihood = fit->trace.steps[fit->trace.best].log_likelihood;
    out->parameters = search->parameters(search->state);
    out->bic = out->log_likelihood - out->parameters * crd_log(search->rows) / 2;
    out->held_out = NAN;
    if (search->criterion != CRD_FIT_HELD_OUT || search->hold_out == NULL) return CRD_OK;
    return search->hold_out(search->state, components, &out->held_out, error);
}

static double em_search_merit(const crd_i_em_search *search, const crd_fit_choice *choice) {
    return search->criterion == CRD_FIT_HELD_OUT && !isnan(choice->held_out) ? choice->held_out : choice->bic;
}

static bool em_search_add_choice(crd_fit *fit, const crd_fit_choice *choice) {
    if (!crd_i_reserve(fit->context, &fit->choices, &fit->choice_capacity, fit->choice_count + 1, sizeof *fit->choices))
        return false;
    fit->choices[fit->choice_count++] = *choice;
    return true;
}

/* Fits K = `components`. After cancellation, the fit is kept if it is the only one. */
static crd_status em_search_try(const crd_i_em_search *search, size_t components, crd_fit *fit, crd_error *error) {
    crd_fit found;
    crd_fit_choice choice;
    crd_i_em_fit_begin(&found, fit->context);
    crd_status status = search->run(search->state, components, &found, error);
    if (status == CRD_OK && !found.is_stopped) status = em_search_judge(search, components, &found, &choice, error);
    const bool is_first = fit->trace.count == 0;
    bool is_best = false;
    fit->is_stopped = found.is_stopped || (crd_i_is_cancelled(status) && (!is_first || found.trace.count > 0));
    if (fit->is_stopped) {
        is_best = is_first;
        status = CRD_OK;
    } else if (status == CRD_OK && !em_search_add_choice(fit, &choice)) status = crd_i_fail_memory(error);
    else if (status == CRD_OK) {
        is_best = is_first || em_search_merit(search, &choice) > em_search_merit(search, &fit->choices[fit->chosen]);
        if (is_best) fit->chosen = fit->choice_count - 1;
    }
    if (is_best) em_search_exchange(fit, &found);
    search->end(search->state, is_best);
    crd_i_em_fit_clear(&found);
    return status;
}

crd_status crd_i_em_choose(const crd_i_em_search *search, crd_fit *fit, crd_error *error) {
    crd_status status = CRD_OK;
    crd_i_stage stage;
    crd_i_stage_begin(&stage, search->name, search->most - search->least + 1);
    for (size_t k = search->least, best = k; k <= search->most && k <= best + search->patience; k++) {
        status = em_search_try(search, k, fit, error);
        if (status != CRD_OK || fit->is_stopped) break;
        best = fit->choices[fit->chosen].tried;
        crd_i_stage_add(&stage, 1);
    }
    crd_i_stage_end(&stage);
    return status;
}

/* ======== 5. Results ======== */

void crd_fit_destroy(crd_fit *fit) {
    if (fit == NULL) return;
    crd_context *context = fit->context;
    if (fit->kind != NULL) fit->kind->clear(fit);
    crd_i_em_fit_clear(fit);
    crd_free(context, fit);
}

crd_status crd_fit_model(const crd_fit *fit, crd_model **out, crd_error *error) {
    *out = NULL;
    if (fit->kind != NULL) return fit->kind->model(fit, out, error);
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the model of this fit exists already");
}

void crd_fit_describe(const crd_fit *fit, crd_fit_facts *out) {
    crd_fit_facts facts = fit->facts;
    facts.is_converged = fit->trace.is_converged;
    facts.is_stopped = fit->is_stopped;
    facts.may_decrease = fit->trace.may_decrease;
    facts.step_count = fit->trace.count;
    facts.best_step = fit->trace.best;
    facts.start_count = fit->start_count;
    facts.best_start = fit->best_start;
    facts.starts_at_best = crd_i_em_fit_starts_at_best(fit);
    facts.choice_count = fit->choice_count;
    facts.chosen = fit->chosen;
    crd_i_copy_out(&facts, sizeof facts, out);
}

double crd_fit_log_likelihood(const crd_fit *fit, size_t step) {
    return step < fit->trace.count ? fit->trace.steps[step].log_likelihood : (double)NAN;
}

double crd_fit_objective(const crd_fit *fit, size_t step) {
    return step < fit->trace.count ? fit->trace.steps[step].objective : (double)NAN;
}

double crd_fit_start(const crd_fit *fit, size_t start) {
    return start < fit->start_count ? fit->starts[start] : (double)NAN;
}

void crd_fit_choice_at(const crd_fit *fit, size_t index, crd_fit_choice *out) {
    crd_i_copy_out(&fit->choices[index], sizeof fit->choices[index], out);
}
