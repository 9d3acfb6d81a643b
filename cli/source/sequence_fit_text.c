/* SPDX-License-Identifier: MIT */
/* sequence_fit_text.c - see sequence_fit_text.h. */
#include "source/sequence_fit_text.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"

#include <math.h>
#include <stdlib.h>

/* Numbers of EM steps that people see, at the beginning and at the end. */
enum { FIRST_STEPS = 3, LAST_STEPS = 2 };

/* ---- Lengths ---- */

static int compare_lengths(const void *a, const void *b) {
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

typedef struct text_lengths {
    uint64_t shortest, median, longest;
} text_lengths;

static text_lengths sequence_fit_text_lengths(const crd_sequences *sequences) {
    const size_t count = crd_sequences_count(sequences);
    if (count == 0) return (text_lengths){0};
    uint64_t *all = memory_resize(NULL, count, sizeof *all);
    for (size_t i = 0; i < count; i++) all[i] = crd_sequences_length(sequences, i);
    qsort(all, count, sizeof *all, compare_lengths);
    const text_lengths lengths = {all[0], all[count / 2], all[count - 1]};
    free(all);
    return lengths;
}

int sequence_fit_facts(const crd_sequences *sequences, crd_read_facts *facts) {
    const text_lengths lengths = sequence_fit_text_lengths(sequences);
    crd_error error;
    facts->rows = 0;
    for (size_t i = 0; i < crd_sequences_count(sequences); i++) {
        uint64_t rows;
        if (crd_sequences_rows_of(sequences, i, &rows, &error) != CRD_OK) return message_error(&error);
        facts->rows += rows;
    }
    facts->weight = (double)facts->rows;
    facts->inserted = crd_sequences_rows(sequences) - facts->rows;
    facts->crowded = crd_sequences_crowded(sequences);
    facts->sequences = crd_sequences_count(sequences);
    facts->shortest = lengths.shortest;
    facts->longest = lengths.longest;
    return ENDED_WELL;
}

/* ---- Tables ---- */

/* Adds the numbers of states that were tried. */
static void add_choices(report *r, const crd_hmm_fit *fit_options) {
    crd_hmm_choice first = CRD_HMM_CHOICE_INIT;
    report_table *t = report_add_table(r, "choices");
    crd_hmm_fit_choice_at(fit_options, 0, &first);
    const bool has_held_out = !isnan(first.held_out);
    column_add(t, "states", "states");
    column_add(t, "log_likelihood", "log-likelihood");
    column_add(t, "parameters", "parameters");
    column_add(t, "bic", "BIC");
    if (has_held_out) column_add(t, "held_out", "held out, mean");
    for (size_t i = 0; i < crd_hmm_fit_choices(fit_options); i++) {
        crd_hmm_choice choice = CRD_HMM_CHOICE_INIT;
        crd_hmm_fit_choice_at(fit_options, i, &choice);
        cell_shown(t, (double)choice.states, "%zu%s", choice.states,
                   i == crd_hmm_fit_chosen(fit_options) ? " (chosen)" : "");
        cell_shown(t, choice.log_likelihood, "%.2f", choice.log_likelihood);
        cell_count(t, choice.parameters);
        cell_shown(t, choice.bic, "%.2f", choice.bic);
        if (has_held_out) cell_shown(t, choice.held_out, "%.4f", choice.held_out);
    }
}

static void add_ellipsis(report_table *t) {
    cell_words(t, "...");
    cell_null(t);
    cell_null(t);
}

/* Adds the EM steps. With is_brief: the first and last steps, and the step that was kept if it is not the last. */
static void sequence_fit_text_add_steps(report *r, const crd_hmm_fit *fit_options, bool is_brief) {
    report_table *t = report_add_table(r, "em_steps");
    const size_t steps = crd_hmm_fit_steps(fit_options), best = crd_hmm_fit_best_step(fit_options);
    const bool is_long = is_brief && steps > FIRST_STEPS + LAST_STEPS + 1;
    bool is_left_out = false;
    column_add(t, "step", "step");
    column_add(t, "log_likelihood", "log-likelihood");
    column_add(t, "log_posterior", "log posterior");
    for (size_t i = 0; i < steps; i++) {
        const bool was_left_out = is_left_out;
        is_left_out = is_long && i >= FIRST_STEPS && i < steps - LAST_STEPS && i != best;
        if (is_left_out && !was_left_out) add_ellipsis(t);
        if (is_left_out) continue;
        cell_shown(t, (double)i, "%zu%s", i, i == best && i + 1 < steps ? " (kept)" : "");
        cell_shown(t, crd_hmm_fit_log_likelihood(fit_options, i), "%.4f", crd_hmm_fit_log_likelihood(fit_options, i));
        cell_shown(t, crd_hmm_fit_objective(fit_options, i), "%.4f", crd_hmm_fit_objective(fit_options, i));
    }
}

/* ---- For machines ---- */

/* Writes the complete report to standard output in the format of --format. */
static int sequence_fit_text_write_all(const invocation *call, const crd_hmm_fit *fit_options,
                                       const crd_sequences *sequences) {
    output out = {0};
    int ended = output_open_path(NULL, NULL, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(call, &out, FORMATS, FORMAT_TABLE);
    if (ended != ENDED_WELL) return output_close(&out, ended);
    const text_lengths lengths = sequence_fit_text_lengths(sequences);
    report *r = report_create();
    report_object(r, NULL);
    report_number(r, "sequences", (double)crd_sequences_count(sequences));
    report_number(r, "shortest", (double)lengths.shortest);
    report_number(r, "median", (double)lengths.median);
    report_number(r, "longest", (double)lengths.longest);
    report_number(r, "steps", (double)crd_hmm_fit_observed(fit_options));
    report_number(r, "labeled", (double)crd_hmm_fit_labeled(fit_options));
    report_number(r, "states", (double)crd_hmm_fit_states(fit_options));
    if (crd_hmm_fit_steps(fit_options) > 0)
        report_number(r, "log_likelihood", crd_hmm_fit_log_likelihood(fit_options, crd_hmm_fit_best_step(fit_options)));
    report_boolean(r, "converged", crd_hmm_fit_is_converged(fit_options) != 0);
    report_boolean(r, "interrupted", crd_hmm_fit_is_stopped(fit_options) != 0);
    report_array(r, "restarts");
    for (size_t i = 0; i < crd_hmm_fit_restarts(fit_options); i++)
        report_number(r, NULL, crd_hmm_fit_restart(fit_options, i));
    report_end(r);
    if (crd_hmm_fit_choices(fit_options) > 0) add_choices(r, fit_options);
    sequence_fit_text_add_steps(r, fit_options, false);
    report_end(r);
    report_write(r, &out);
    report_destroy(r);
    return output_close(&out, ENDED_WELL);
}

/* ---- For people ---- */

static void sequence_fit_text_write_note(report *r) {
    output notes = {.stream = stderr, .format = FORMAT_TABLE};
    report_write(r, &notes);
    report_destroy(r);
}

/* Warns of signs that the states are unreliable: empty states, a bound that was reached, no convergence. */
static void sequence_fit_text_warn(const crd_hmm_fit *fit_options, const crd_hmm_train_options *options) {
    const size_t states = crd_hmm_fit_states(fit_options), empty = crd_hmm_fit_empty(fit_options);
    const size_t steps = crd_hmm_fit_steps(fit_options) > 0 ? crd_hmm_fit_steps(fit_options) - 1 : 0;
    if (empty > 0) message_warning("%zu of %zu states %s without steps", empty, states, empty == 1 ? "is" : "are");
    if (crd_hmm_fit_choices(fit_options) > 1 && states == options->max_states)
        message_warning("%zu states is the maximum that was tried: use --max-states N to try more", states);
    const size_t best = crd_hmm_fit_best_step(fit_options);
    if (crd_hmm_fit_may_fall(fit_options) && best < steps)
        message_note("under these settings the log-likelihood may fall: the model is from step %zu, the best", best);
    if (!crd_hmm_fit_is_converged(fit_options) && !crd_hmm_fit_is_stopped(fit_options))
        message_warning("EM did not converge in %zu step%s: use --iterations N for more", steps, steps == 1 ? "" : "s");
}

/* Prints the brief report on standard error: choices of the number of states, EM steps and warnings. */
static void write_brief(const crd_hmm_fit *fit_options, const crd_hmm_train_options *options) {
    const size_t states = crd_hmm_fit_states(fit_options), starts = crd_hmm_fit_restarts(fit_options);
    const size_t steps = crd_hmm_fit_steps(fit_options) > 0 ? crd_hmm_fit_steps(fit_options) - 1 : 0;
    const uint64_t labeled = crd_hmm_fit_labeled(fit_options), all = crd_hmm_fit_observed(fit_options);
    if (crd_hmm_fit_steps(fit_options) == 0) return;
    if (labeled > 0)
        message_note("%llu of %llu steps have a label, which is clamped", (unsigned long long)labeled,
                     (unsigned long long)all);
    if (crd_hmm_fit_choices(fit_options) > 1) {
        message_note("number of states by %s:",
                     options->criterion == CRD_HMM_BIC
                         ? "BIC = log-likelihood - parameters log(steps) / 2; larger is better"
                         : "the mean log-likelihood of held-out steps, in 5 folds");
        report *r = report_create();
        add_choices(r, fit_options);
        sequence_fit_text_write_note(r);
    }
    string source_string = {0};
    if (starts > 0) string_format(&source_string, "the best of %zu start%s", starts, starts == 1 ? "" : "s");
    else string_format(&source_string, labeled > 0 ? "from the counts of the labels" : "from one start");
    message_note("%zu state%s by EM, %zu step%s, %s:", states, states == 1 ? "" : "s", steps, steps == 1 ? "" : "s",
                 string_text(&source_string));
    string_free(&source_string);
    report *r = report_create();
    sequence_fit_text_add_steps(r, fit_options, true);
    sequence_fit_text_write_note(r);
    sequence_fit_text_warn(fit_options, options);
}

int sequence_fit_report(const invocation *call, const crd_hmm_fit *fit_options, const crd_sequences *sequences,
                        const crd_hmm_train_options *options) {
    if (!message_is_quiet()) write_brief(fit_options, options);
    return arguments_have(&call->arguments, "format") ? sequence_fit_text_write_all(call, fit_options, sequences)
                                                      : ENDED_WELL;
}
