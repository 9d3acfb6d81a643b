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
static void fit_text_add_choices(crd_result *r, const crd_fit *fit, const char *components) {
    const crd_fit_facts facts = fit_text_facts(fit);
    crd_result_table *t = crd_result_add_table(r, "choices");
    crd_fit_choice choice = CRD_FIT_CHOICE_INIT;
    crd_fit_choice_at(fit, 0, &choice);
    const bool has_held_out = !isnan(choice.held_out);
    crd_result_add_column(t, components, components);
    crd_result_add_column(t, "log_likelihood", "log-likelihood");
    crd_result_add_column(t, "parameters", "parameters");
    crd_result_add_column(t, "bic", "BIC");
    if (has_held_out) crd_result_add_column(t, "held_out", "held out, mean");
    for (size_t i = 0; i < facts.choice_count; i++) {
        const char *mark = i == facts.chosen ? " (chosen)" : "";
        crd_fit_choice_at(fit, i, &choice);
        if (choice.components < choice.tried)
            crd_cell_shown(t, (double)choice.tried, "%zu, left %zu%s", choice.tried, choice.components, mark);
        else crd_cell_shown(t, (double)choice.tried, "%zu%s", choice.tried, mark);
        crd_cell_shown(t, choice.log_likelihood, "%.2f", choice.log_likelihood);
        crd_cell_count(t, choice.parameters);
        crd_cell_shown(t, choice.bic, "%.2f", choice.bic);
        if (has_held_out) crd_cell_shown(t, choice.held_out, "%.4f", choice.held_out);
    }
}

/* Adds the log-likelihood of each step, and the log posterior if it differs. */
static void fit_text_add_steps(crd_result *r, const crd_fit *fit, size_t count) {
    /* Without pseudo-counts both values are equal. */
    bool is_map = crd_fit_objective(fit, 0) != crd_fit_log_likelihood(fit, 0);
    crd_result_table *t = crd_result_add_table(r, "steps");
    t->is_short = true;
    crd_result_add_column(t, "step", "step");
    crd_result_add_column(t, "log_likelihood", "log-likelihood");
    crd_result_add_column(t, "log_posterior", is_map ? "log posterior" : NULL);
    for (size_t i = 0; i < count; i++) {
        double log_likelihood = crd_fit_log_likelihood(fit, i), log_posterior = crd_fit_objective(fit, i);
        bool is_shown = count <= STEPS_SHOWN || i < FIRST_STEPS || i + STEPS_SHOWN - FIRST_STEPS >= count;
        t->audience = is_shown ? CRD_FOR_ALL : CRD_FOR_JSON | CRD_FOR_CSV;
        crd_cell_count(t, (double)i);
        crd_cell_shown(t, log_likelihood, "%.4f", log_likelihood);
        crd_cell_shown(t, log_posterior, "%.4f", log_posterior);
    }
    if (count > STEPS_SHOWN) crd_result_line(r, CRD_REMARK, "the first and the last of %zu steps", count - 1);
}

void fit_text_report(crd_result *r, const crd_fit *fit, const char *components) {
    const crd_fit_facts facts = fit_text_facts(fit);
    crd_result_begin(r, CRD_OBJECT, "fit");
    crd_result_boolean(r, "converged", facts.is_converged != 0);
    crd_result_boolean(r, "stopped", facts.is_stopped != 0);
    crd_result_number(r, "iterations", facts.step_count > 0 ? (double)facts.step_count - 1 : 0);
    crd_result_number(r, "log_likelihood", crd_fit_log_likelihood(fit, facts.best_step));
    crd_result_number(r, "log_posterior", crd_fit_objective(fit, facts.best_step));
    crd_result_number(r, "best_start", (double)facts.best_start);
    crd_result_number(r, "best_step", (double)facts.best_step);
    crd_result_begin(r, CRD_SHORT_ARRAY, "starts");
    for (size_t i = 0; i < facts.start_count; i++) crd_result_number(r, NULL, crd_fit_start(fit, i));
    crd_result_end(r);
    if (components != NULL && facts.choice_count > 0) fit_text_add_choices(r, fit, components);
    fit_text_add_steps(r, fit, facts.step_count);
    crd_result_end(r);
}

/* ---- Notes ---- */

static void fit_text_write_note(crd_result *r) {
    output notes = {.stream = stderr, .format = FORMAT_TABLE};
    report_write(r, &notes);
    crd_result_destroy(r);
}

void fit_text_note_choices(const crd_fit *fit, const char *components) {
    crd_result *r = report_create(NULL);
    fit_text_add_choices(r, fit, components);
    fit_text_write_note(r);
}

/* Lists the first and last steps, and the step that was kept if it is not the last. */
void fit_text_note_steps(const crd_fit *fit) {
    const crd_fit_facts facts = fit_text_facts(fit);
    const size_t steps = facts.step_count;
    crd_result *r = report_create(NULL);
    crd_result_table *t = crd_result_add_table(r, NULL);
    bool is_left_out = false;
    crd_result_add_column(t, NULL, "step");
    crd_result_add_column(t, NULL, "log-likelihood");
    crd_result_add_column(t, NULL, "log posterior");
    for (size_t i = 0; i < steps; i++) {
        const bool was_left_out = is_left_out;
        is_left_out =
            steps > FIRST_NOTED + LAST_NOTED + 1 && i >= FIRST_NOTED && i < steps - LAST_NOTED && i != facts.best_step;
        if (is_left_out && !was_left_out) {
            crd_cell_words(t, "...");
            crd_cell_null(t);
            crd_cell_null(t);
        }
        if (is_left_out) continue;
        crd_cell_shown(t, (double)i, "%zu%s", i, i == facts.best_step && i + 1 < steps ? " (kept)" : "");
        crd_cell_shown(t, crd_fit_log_likelihood(fit, i), "%.4f", crd_fit_log_likelihood(fit, i));
        crd_cell_shown(t, crd_fit_objective(fit, i), "%.4f", crd_fit_objective(fit, i));
    }
    fit_text_write_note(r);
}
