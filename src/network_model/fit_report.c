/* SPDX-License-Identifier: MIT */
/* fit_report.c - reports how the tables of a model's network were fitted: the steps, the starts and whether the fit
 * converged. */
#include "base/error.h"
#include "base/memory.h"
#include "network_model/searched_network.h"
#include "network_model/stated_network.h"

#include <math.h>

struct crd_fit_report {
    crd_context *context;
    crd_i_fit_trace trace;
};

void crd_fit_report_destroy(crd_fit_report *report) {
    if (report == NULL) return;
    crd_context *context = report->context;
    crd_i_fit_trace_clear(&report->trace);
    crd_free(context, report);
}

/* Repeats the fit, or reads it from the model's cache. *out is NULL if the tables are not fitted. */
crd_status crd_fit_report_create(const crd_model *model, const crd_settings *settings, crd_fit_report **out,
                                 crd_error *error) {
    crd_i_schema_view *view = NULL;
    crd_network *network = NULL;
    if (settings == NULL) settings = model->settings;
    *out = NULL;
    if (crd_i_stated_network_of(model) != NULL) return CRD_OK;
    if (crd_i_settings_estimator(settings) == CRD_I_ESTIMATOR_COUNTS) return CRD_OK;
    crd_fit_report *fit_report = crd_i_alloc_zeroed(model->context, 1, sizeof *fit_report);
    if (fit_report == NULL) return crd_i_fail_memory(error);
    fit_report->context = fit_report->trace.context = model->context;
    crd_status status = crd_i_model_check_of_rows(model, "be converted to a network", error);
    if (status == CRD_OK) status = crd_i_schema_view_create(model, &view, error);
    if (status == CRD_OK)
        status = crd_i_network_of_rows(model, settings, view, NULL, &fit_report->trace, &network, error);
    crd_i_schema_view_destroy(view);
    crd_network_destroy(network);
    if (status == CRD_OK) *out = fit_report;
    else crd_fit_report_destroy(fit_report);
    return status;
}

size_t crd_fit_report_step_count(const crd_fit_report *report) {
    return report->trace.count;
}

double crd_fit_report_log_likelihood(const crd_fit_report *report, size_t step) {
    return step < report->trace.count ? report->trace.log_likelihoods[step] : NAN;
}

double crd_fit_report_log_posterior(const crd_fit_report *report, size_t step) {
    return step < report->trace.count ? report->trace.values[step] : NAN;
}

size_t crd_fit_report_start_count(const crd_fit_report *report) {
    return report->trace.start_count;
}

double crd_fit_report_start_value(const crd_fit_report *report, size_t start) {
    return start < report->trace.start_count ? report->trace.start_values[start] : NAN;
}

size_t crd_fit_report_best_start(const crd_fit_report *report) {
    return report->trace.best_start;
}

int crd_fit_report_is_converged(const crd_fit_report *report) {
    return report->trace.is_converged;
}

int crd_fit_report_is_stopped(const crd_fit_report *report) {
    return report->trace.is_stopped;
}
