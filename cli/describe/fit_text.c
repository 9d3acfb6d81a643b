/* SPDX-License-Identifier: MIT */
/* fit_text.c - see fit_text.h. */
#include "describe/fit_text.h"

#include <string.h>

/* If there are more steps, only the first and the last are shown. */
enum { STEPS_SHOWN = 12, FIRST_STEPS = 6 };

/* Adds the range of the final values of all starts. */
static void add_starts(string *out, const crd_fit_report *fit) {
    size_t count = crd_fit_report_start_count(fit);
    double least = crd_fit_report_start_value(fit, 0), most = least;
    for (size_t i = 1; i < count; i++) {
        double value = crd_fit_report_start_value(fit, i);
        if (value < least) least = value;
        if (value > most) most = value;
    }
    string_format(out, " from the best of %zu starts (range %.8g to %.8g)", count, least, most);
}

void fit_text_add(string *out, const crd_fit_report *fit, const crd_settings *settings) {
    bool by_gradient = strncmp(crd_settings_get(settings, "estimator"), "gradient", strlen("gradient")) == 0;
    bool is_map = strcmp(crd_settings_get(settings, "smoothing"), "none") != 0;
    size_t steps = crd_fit_report_step_count(fit) - 1, starts = crd_fit_report_start_count(fit);
    string_format(out, "%s: %zu step%s", by_gradient ? "gradient ascent" : "EM", steps, steps == 1 ? "" : "s");
    if (starts > 1) add_starts(out, fit);
    string_format(out, ", log-likelihood %.10g", crd_fit_report_log_likelihood(fit, steps));
    if (is_map) string_format(out, ", log posterior %.10g", crd_fit_report_log_posterior(fit, steps));
    string_format(out, "%s",
                  crd_fit_report_is_converged(fit) ? ", converged"
                  : crd_fit_report_is_stopped(fit) ? ", stopped"
                                                   : ", stopped at the maximum number of iterations");
}

/* Adds the log-likelihood of each step, and the log posterior if it differs. */
static void fit_text_add_steps(report *r, const crd_fit_report *fit) {
    size_t count = crd_fit_report_step_count(fit);
    /* Without pseudo-counts both values are equal. */
    bool is_map = crd_fit_report_log_posterior(fit, 0) != crd_fit_report_log_likelihood(fit, 0);
    report_table *t = report_add_table(r, "steps");
    t->is_short = true;
    column_add(t, "step", "step");
    column_add(t, "log_likelihood", "log-likelihood");
    column_add(t, "log_posterior", is_map ? "log posterior" : NULL);
    for (size_t i = 0; i < count; i++) {
        double log_likelihood = crd_fit_report_log_likelihood(fit, i),
               log_posterior = crd_fit_report_log_posterior(fit, i);
        bool is_shown = count <= STEPS_SHOWN || i < FIRST_STEPS || i + STEPS_SHOWN - FIRST_STEPS >= count;
        row_begin(t, is_shown ? FOR_ALL : FOR_JSON | FOR_CSV);
        cell_count(t, (double)i);
        cell_shown(t, log_likelihood, "%.4f", log_likelihood);
        cell_shown(t, log_posterior, "%.4f", log_posterior);
    }
    if (count > STEPS_SHOWN) report_remark(r, "the first and the last of %zu steps", count - 1);
}

/* Reports the steps of the fit as a table, and the result of each start in JSON. */
void fit_text_report(report *r, const crd_fit_report *fit) {
    size_t last = crd_fit_report_step_count(fit) - 1;
    report_object(r, "fit");
    report_boolean(r, "converged", crd_fit_report_is_converged(fit) != 0);
    report_boolean(r, "stopped", crd_fit_report_is_stopped(fit) != 0);
    report_number(r, "iterations", (double)last);
    report_number(r, "log_likelihood", crd_fit_report_log_likelihood(fit, last));
    report_number(r, "log_posterior", crd_fit_report_log_posterior(fit, last));
    report_number(r, "best_start", (double)crd_fit_report_best_start(fit));
    report_short_array(r, "starts");
    for (size_t i = 0; i < crd_fit_report_start_count(fit); i++)
        report_number(r, NULL, crd_fit_report_start_value(fit, i));
    report_end(r);
    fit_text_add_steps(r, fit);
    report_end(r);
}
