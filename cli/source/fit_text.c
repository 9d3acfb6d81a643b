/* SPDX-License-Identifier: MIT */
/* fit_text.c - see fit_text.h. */
#include "source/fit_text.h"

#include "core/report_write.h"

#include <math.h>
#include <string.h>

/* If there are more steps, only the first and the last are shown. */
enum { STEPS_SHOWN = 12, FIRST_STEPS = 6, FIRST_NOTED = 3, LAST_NOTED = 2 };

crd_fit_facts fit_text_facts(const crd_fit *fit) {
    crd_fit_facts facts = CRD_FIT_FACTS_INIT;
    crd_fit_describe(fit, &facts);
    return facts;
}

/* Adds the range of the final values of all starts. */
static void add_starts(string *out, const crd_fit *fit, size_t count) {
    double least = crd_fit_start(fit, 0), most = least;
    for (size_t i = 1; i < count; i++) {
        double value = crd_fit_start(fit, i);
        if (value < least) least = value;
        if (value > most) most = value;
    }
    string_format(out, " from the best of %zu starts (range %.8g to %.8g)", count, least, most);
}

void fit_text_add(string *out, const crd_fit *fit, const crd_settings *settings) {
    const crd_fit_facts facts = fit_text_facts(fit);
    bool by_gradient = strncmp(crd_settings_get(settings, "estimator"), "gradient", strlen("gradient")) == 0;
    bool is_map = strcmp(crd_settings_get(settings, "smoothing"), "none") != 0;
    size_t steps = facts.step_count - 1;
    string_format(out, "%s: %zu step%s", by_gradient ? "gradient ascent" : "EM", steps, steps == 1 ? "" : "s");
    if (facts.start_count > 1) add_starts(out, fit, facts.start_count);
    string_format(out, ", log-likelihood %.10g", crd_fit_log_likelihood(fit, steps));
    if (is_map) string_format(out, ", log posterior %.10g", crd_fit_objective(fit, steps));
    string_format(out, "%s",
                  facts.is_converged ? ", converged"
                  : facts.is_stopped ? ", stopped"
                                     : ", stopped at the maximum number of iterations");
}

/* ---- Reports ---- */

/* Adds the numbers of components that were tried. */
static void fit_text_add_choices(report *r, const crd_fit *fit, const char *components) {
    const crd_fit_facts facts = fit_text_facts(fit);
    report_table *t = report_add_table(r, "choices");
    crd_fit_choice choice = CRD_FIT_CHOICE_INIT;
    crd_fit_choice_at(fit, 0, &choice);
    const bool has_held_out = !isnan(choice.held_out);
    column_add(t, components, components);
    column_add(t, "log_likelihood", "log-likelihood");
    column_add(t, "parameters", "parameters");
    column_add(t, "bic", "BIC");
    if (has_held_out) column_add(t, "held_out", "held out, mean");
    for (size_t i = 0; i < facts.choice_count; i++) {
        const char *mark = i == facts.chosen ? " (chosen)" : "";
        crd_fit_choice_at(fit, i, &choice);
        if (choice.components < choice.tried)
            cell_shown(t, (double)choice.tried, "%zu, left %zu%s", choice.tried, choice.components, mark);
        else cell_shown(t, (double)choice.tried, "%zu%s", choice.tried, mark);
        cell_shown(t, choice.log_likelihood, "%.2f", choice.log_likelihood);
        cell_count(t, choice.parameters);
        cell_shown(t, choice.bic, "%.2f", choice.bic);
        if (has_held_out) cell_shown(t, choice.held_out, "%.4f", choice.held_out);
    }
}

/* Adds the log-likelihood of each step, and the log posterior if it differs. */
static void fit_text_add_steps(report *r, const crd_fit *fit, size_t count) {
    /* Without pseudo-counts both values are equal. */
    bool is_map = crd_fit_objective(fit, 0) != crd_fit_log_likelihood(fit, 0);
    report_table *t = report_add_table(r, "steps");
    t->is_short = true;
    column_add(t, "step", "step");
    column_add(t, "log_likelihood", "log-likelihood");
    column_add(t, "log_posterior", is_map ? "log posterior" : NULL);
    for (size_t i = 0; i < count; i++) {
        double log_likelihood = crd_fit_log_likelihood(fit, i), log_posterior = crd_fit_objective(fit, i);
        bool is_shown = count <= STEPS_SHOWN || i < FIRST_STEPS || i + STEPS_SHOWN - FIRST_STEPS >= count;
        row_begin(t, is_shown ? FOR_ALL : FOR_JSON | FOR_CSV);
        cell_count(t, (double)i);
        cell_shown(t, log_likelihood, "%.4f", log_likelihood);
        cell_shown(t, log_posterior, "%.4f", log_posterior);
    }
    if (count > STEPS_SHOWN) report_remark(r, "the first and the last of %zu steps", count - 1);
}

void fit_text_report(report *r, const crd_fit *fit, const char *components) {
    const crd_fit_facts facts = fit_text_facts(fit);
    report_object(r, "fit");
    report_boolean(r, "converged", facts.is_converged != 0);
    report_boolean(r, "stopped", facts.is_stopped != 0);
    report_number(r, "iterations", facts.step_count > 0 ? (double)facts.step_count - 1 : 0);
    report_number(r, "log_likelihood", crd_fit_log_likelihood(fit, facts.best_step));
    report_number(r, "log_posterior", crd_fit_objective(fit, facts.best_step));
    report_number(r, "best_start", (double)facts.best_start);
    report_short_array(r, "starts");
    for (size_t i = 0; i < facts.start_count; i++) report_number(r, NULL, crd_fit_start(fit, i));
    report_end(r);
    if (components != NULL && facts.choice_count > 0) fit_text_add_choices(r, fit, components);
    fit_text_add_steps(r, fit, facts.step_count);
    report_end(r);
}

/* ---- Notes ---- */

static void fit_text_write_note(report *r) {
    output notes = {.stream = stderr, .format = FORMAT_TABLE};
    report_write(r, &notes);
    report_destroy(r);
}

void fit_text_note_choices(const crd_fit *fit, const char *components) {
    report *r = report_create();
    fit_text_add_choices(r, fit, components);
    fit_text_write_note(r);
}

/* Lists the first and last steps, and the step that was kept if it is not the last. */
void fit_text_note_steps(const crd_fit *fit) {
    const crd_fit_facts facts = fit_text_facts(fit);
    const size_t steps = facts.step_count;
    report *r = report_create();
    report_table *t = report_add_table(r, NULL);
    bool is_left_out = false;
    column_add(t, NULL, "step");
    column_add(t, NULL, "log-likelihood");
    column_add(t, NULL, "log posterior");
    for (size_t i = 0; i < steps; i++) {
        const bool was_left_out = is_left_out;
        is_left_out =
            steps > FIRST_NOTED + LAST_NOTED + 1 && i >= FIRST_NOTED && i < steps - LAST_NOTED && i != facts.best_step;
        if (is_left_out && !was_left_out) {
            cell_words(t, "...");
            cell_null(t);
            cell_null(t);
        }
        if (is_left_out) continue;
        cell_shown(t, (double)i, "%zu%s", i, i == facts.best_step && i + 1 < steps ? " (kept)" : "");
        cell_shown(t, crd_fit_log_likelihood(fit, i), "%.4f", crd_fit_log_likelihood(fit, i));
        cell_shown(t, crd_fit_objective(fit, i), "%.4f", crd_fit_objective(fit, i));
    }
    fit_text_write_note(r);
}
