/* SPDX-License-Identifier: MIT */
/* em_driver.c - EM runs, their traces, and random restarts. See em_driver.h. */
#include "em/em_driver.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* ---- Fits ---- */

void crd_i_em_trace_clear(crd_i_em_trace *trace) {
    crd_free(trace->context, trace->steps);
    *trace = (crd_i_em_trace){.context = trace->context};
}

bool crd_i_em_trace_add(crd_i_em_trace *trace, double log_likelihood, double objective) {
    if (!crd_i_reserve(trace->context, &trace->steps, &trace->capacity, trace->count + 1, sizeof *trace->steps))
        return false;
    trace->steps[trace->count++] = (crd_i_em_step){log_likelihood, objective};
    return true;
}

void crd_i_em_fit_clear(crd_i_em_fit *fit) {
    crd_context *context = fit->context;
    crd_i_em_trace_clear(&fit->trace);
    crd_free(context, fit->starts);
    *fit = (crd_i_em_fit){.context = context, .trace = {.context = context}};
}

bool crd_i_em_fit_add_start(crd_i_em_fit *fit, double objective) {
    if (!crd_i_reserve(fit->context, &fit->starts, &fit->start_capacity, fit->start_count + 1, sizeof *fit->starts))
        return false;
    fit->starts[fit->start_count++] = objective;
    return true;
}

/* ---- EM runs ---- */

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
        const double gain = step > 0 ? now.objective - crd_i_em_trace_last(trace) : 0;
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

/* ---- Starts ---- */

crd_status crd_i_em_run_starts(const crd_i_em_starts *starts, crd_i_em_fit *fit, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && starts->has_next(starts->state, fit); i++) {
        crd_i_em_trace trace = {.context = fit->context};
        status = starts->run(starts->state, i, &trace, error);
        /* A cancelled start counts with the steps that it has made. */
        fit->is_stopped = crd_i_is_cancelled(status) && (i > 0 || trace.count > 0);
        if (fit->is_stopped) status = CRD_OK;
        const bool has_steps = status == CRD_OK && trace.count > 0;
        if (has_steps && !crd_i_em_fit_add_start(fit, crd_i_em_trace_last(&trace))) status = crd_i_fail_memory(error);
        else if (has_steps && (i == 0 || crd_i_em_trace_last(&trace) > crd_i_em_trace_last(&fit->trace))) {
            const crd_i_em_trace worse = fit->trace;
            fit->trace = trace;
            trace = worse;
            fit->best_start = i;
            starts->keep(starts->state);
        }
        crd_i_em_trace_clear(&trace);
        if (fit->is_stopped) break;
    }
    return status;
}
