/* SPDX-License-Identifier: MIT */
/* sequence_fit_text.c - see sequence_fit_text.h. */
#include "source/sequence_fit_text.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "source/fit_text.h"

#include <stdlib.h>

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

/* ---- For machines ---- */

/* Writes the complete report to standard output in the format of --format. */
static int sequence_fit_text_write_all(const invocation *call, const crd_fit *fit, const crd_sequences *sequences) {
    output out = {0};
    int ended = output_open_path(NULL, NULL, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(call, &out, FORMATS, FORMAT_TABLE);
    if (ended != ENDED_WELL) return output_close(&out, ended);
    const text_lengths lengths = sequence_fit_text_lengths(sequences);
    const crd_fit_facts facts = fit_text_facts(fit);
    crd_result *r = report_create(NULL);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_number(r, "sequences", (double)crd_sequences_count(sequences));
    crd_result_number(r, "shortest", (double)lengths.shortest);
    crd_result_number(r, "median", (double)lengths.median);
    crd_result_number(r, "longest", (double)lengths.longest);
    crd_result_number(r, "steps", facts.rows);
    crd_result_number(r, "labeled", facts.labeled);
    crd_result_number(r, "states", (double)facts.components);
    if (facts.step_count > 0) fit_text_report(r, fit, "states");
    crd_result_end(r);
    report_write(r, &out);
    crd_result_destroy(r);
    return output_close(&out, ENDED_WELL);
}

/* ---- For people ---- */

/* Warns of signs that the states are unreliable: empty states, a bound that was reached, no convergence. */
static void sequence_fit_text_warn(const crd_fit_facts *facts, const crd_hmm_train_options *options, size_t steps) {
    const size_t states = facts->components;
    if (facts->empty > 0)
        message_warning("%zu of %zu states %s without steps", facts->empty, states, facts->empty == 1 ? "is" : "are");
    if (facts->choice_count > 1 && states == options->max_states)
        message_warning("%zu states is the maximum that was tried: use --max-states N to try more", states);
    if (facts->may_decrease && facts->best_step < steps)
        message_note("under these settings the log-likelihood may fall: the model is from step %zu, the best",
                     facts->best_step);
    if (!facts->is_converged && !facts->is_stopped)
        message_warning("EM did not converge in %zu step%s: use --iterations N for more", steps, steps == 1 ? "" : "s");
}

/* Prints the brief report on standard error: choices of the number of states, EM steps and warnings. */
static void write_brief(const crd_fit *fit, const crd_hmm_train_options *options) {
    const crd_fit_facts facts = fit_text_facts(fit);
    const size_t states = facts.components, starts = facts.start_count;
    if (facts.step_count == 0) return;
    const size_t steps = facts.step_count - 1;
    if (facts.labeled > 0) message_note("%.0f of %.0f steps have a label, which is clamped", facts.labeled, facts.rows);
    if (facts.choice_count > 1) {
        message_note("number of states by %s:",
                     options->criterion == CRD_FIT_BIC
                         ? "BIC = log-likelihood - parameters log(steps) / 2; larger is better"
                         : "the mean log-likelihood of held-out steps, in 5 folds");
        fit_text_note_choices(fit, "states");
    }
    string source_string = {0};
    if (starts > 0) string_format(&source_string, "the best of %zu start%s", starts, starts == 1 ? "" : "s");
    else string_format(&source_string, facts.labeled > 0 ? "from the counts of the labels" : "from one start");
    message_note("%zu state%s by EM, %zu step%s, %s:", states, states == 1 ? "" : "s", steps, steps == 1 ? "" : "s",
                 string_text(&source_string));
    string_free(&source_string);
    fit_text_note_steps(fit);
    sequence_fit_text_warn(&facts, options, steps);
}

int sequence_fit_report(const invocation *call, const crd_fit *fit, const crd_sequences *sequences,
                        const crd_hmm_train_options *options) {
    if (!message_is_quiet()) write_brief(fit, options);
    return arguments_have(&call->arguments, "format") ? sequence_fit_text_write_all(call, fit, sequences) : ENDED_WELL;
}
