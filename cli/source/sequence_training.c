/* SPDX-License-Identifier: MIT */
/* sequence_training.c - see sequence_training.h. */
#include "source/sequence_training.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "core/report_write.h"
#include "source/fit_text.h"
#include "source/input_file.h"
#include "source/sequence_options.h"

#include <credence/number.h>
#include <credence/sequence_classes.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

/* Rejects options that have no meaning if rows are steps of sequences. */
static int sequence_training_check_options(const invocation *call) {
    static const char *const others[] = {"keep-statistics", "latent-class", "latent-nodes", "arcs",
                                         "arcs-from",       "search",       "weight",       "bootstrap"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (arguments_have(&call->arguments, others[i]))
            return message_usage("--%s is not for sequences (--method sequence)", others[i]);
    return ENDED_WELL;
}

/* Reads --unlabeled. Rows without a label are used for training (use), or they separate the rows before and after them
 * (drop). */
static int read_unlabeled(const invocation *call, bool *is_used) {
    size_t choice = 1;
    const int ended = arguments_choice(&call->arguments, "unlabeled", "drop|use", &choice);
    *is_used = choice == 1;
    return ended;
}

static int read_settings(const invocation *call, crd_settings **out) {
    crd_error error;
    *out = NULL;
    if (crd_settings_create(call->context, out, &error) != CRD_OK) return message_error(&error);
    int ended = arguments_apply_settings(&call->arguments, *out);
    if (ended == ENDED_WELL && crd_settings_set(*out, "method", crd_text_of("sequence"), &error) != CRD_OK)
        ended = message_error(&error);
    return ended;
}

static int sequence_training_read_options(const invocation *call, const data *d, crd_hmm_train_options *options) {
    size_t criterion = 0;
    uint64_t most = options->max_states;
    int ended = arguments_choice(&call->arguments, "select-states", "bic|held-out", &criterion);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "max-states", &most);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "seed", &options->seed);
    if (ended != ENDED_WELL) return ended;
    if (most == 0 || most > 1000) return message_usage("--max-states must be from 1 to 1000");
    options->max_states = (size_t)most;
    options->criterion = criterion == 1 ? CRD_FIT_HELD_OUT : CRD_FIT_BIC;
    options->threads = crd_reader_threads(d->reader);
    return ENDED_WELL;
}

/* ---- Reports ---- */

static int compare_lengths(const void *a, const void *b) {
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

typedef struct sequence_lengths {
    uint64_t shortest, median, longest;
} sequence_lengths;

static sequence_lengths lengths_of(const crd_sequences *sequences) {
    const size_t count = crd_sequences_count(sequences);
    if (count == 0) return (sequence_lengths){0};
    uint64_t *all = memory_resize(NULL, count, sizeof *all);
    for (size_t i = 0; i < count; i++) all[i] = crd_sequences_length(sequences, i);
    qsort(all, count, sizeof *all, compare_lengths);
    const sequence_lengths lengths = {all[0], all[count / 2], all[count - 1]};
    free(all);
    return lengths;
}

/* Sets the numbers of rows and sequences, and the lengths of the sequences. */
static int sequence_fit_facts(const crd_sequences *sequences, crd_read_facts *facts) {
    const sequence_lengths lengths = lengths_of(sequences);
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

/* Writes the complete report to standard output in the format of --format. */
static int report_sequence_fit(const invocation *call, const crd_fit *fit, const crd_sequences *sequences) {
    output out = {0};
    int ended = output_open_path(NULL, NULL, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(call, &out, FORMATS, FORMAT_TABLE);
    if (ended != ENDED_WELL) return output_close(&out, ended);
    const sequence_lengths lengths = lengths_of(sequences);
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

/* Warns of signs that the states are unreliable: empty states, a bound that was reached, no convergence. */
static void warn_of_fit(const crd_fit_facts *facts, const crd_hmm_train_options *options, size_t steps) {
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
static void note_sequence_fit(const crd_fit *fit, const crd_hmm_train_options *options) {
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
    warn_of_fit(&facts, options, steps);
}

/* Reports the fit on standard error, and with --format on standard output in that format. */
static int sequence_fit_report(const invocation *call, const crd_fit *fit, const crd_sequences *sequences,
                               const crd_hmm_train_options *options) {
    if (!message_is_quiet()) note_sequence_fit(fit, options);
    return arguments_have(&call->arguments, "format") ? report_sequence_fit(call, fit, sequences) : ENDED_WELL;
}

/* ---- Training ---- */

/* Returns a name for the hidden states: "state", unless a column has that name. */
static crd_text hidden_name(const crd_sequences *sequences) {
    static const char *const names[] = {"state", "hidden state", "hidden state of the sequence"};
    size_t i = 0;
    for (size_t c = 0; c < crd_sequences_column_count(sequences) && i + 1 < sizeof names / sizeof *names; c++)
        if (crd_text_equal(crd_sequences_column_name(sequences, c), crd_text_of(names[i]))) i++, c = (size_t)-1;
    return crd_text_of(names[i]);
}

/* A state should have at least this number of rows on average. */
enum { ROWS_OF_STATE = 10 };

/* Warns if there are many states for the number of rows. EM then takes long: its time per row grows with the square of
 * the number of states. */
static void warn_of_states(const crd_sequences *sequences, const crd_settings *settings) {
    double states = 0;
    const unsigned long long rows = crd_sequences_rows(sequences);
    if (crd_number_parse(crd_text_of(crd_settings_get(settings, "states")), &states) != CRD_NUMBER_FINITE) return;
    if (states <= 1 || states > (double)rows || states * ROWS_OF_STATE <= (double)rows) return;
    message_warning("%.0f states for %llu step%s: EM estimates states with few rows poorly, and its time grows with "
                    "the square of the number of states",
                    states, rows, rows == 1 ? "" : "s");
}

/* Trains by EM on all sequences at once (Baum et al. 1970). If interrupted, uses the states of the last EM step. */
static crd_status train_by_em(const invocation *call, const crd_sequences *sequences, const crd_settings *settings,
                              const crd_hmm_train_options *options, crd_fit **fit, crd_model **out, int *ending,
                              crd_error *error) {
    if (!message_is_quiet() && !crd_sequences_has_target(sequences)) warn_of_states(sequences, settings);
    progress_say("all rows are read; EM estimates the states");
    crd_status status = crd_hmm_find(sequences, hidden_name(sequences), settings, options, fit, error);
    progress_erase();
    if (status == CRD_OK && invocation_interrupted()) {
        *ending = invocation_interrupted_exit();
        crd_context_resume(call->context);
        message_warning("interrupted: the model has the states that EM reached so far");
    }
    return status == CRD_OK ? crd_fit_model(*fit, out, error) : status;
}

/* Returns whether rows can be read only once. Labels are counted while reading, but EM would need a second pass. */
static bool reads_once(const data *d) {
    bool once = false;
    for (size_t i = 0; i < d->path_count; i++) once = once || input_file_reads_once(d->paths[i]);
    return once;
}

/* Opens the rows once more, with the same columns. */
static int sequence_training_begin_again(const invocation *call, data *d) {
    data fresh;
    int ended = data_open(call, d->paths, d->path_count, false, &fresh);
    if (ended != ENDED_WELL) return ended;
    ended = data_choose_columns(call, &fresh, d->paths[0], true);
    data_close(d);
    *d = fresh;
    return ended;
}

/* The inputs and options of a training run. */
typedef struct sequence_training {
    const invocation *call;
    data *d;
    crd_settings *settings;
    crd_sequence_options where;
    crd_hmm_train_options options;
    bool is_reported, uses_unlabeled;
} sequence_training;

static int report_untrained(const sequence_training *t, crd_error *error) {
    const char *time = arguments_value(&t->call->arguments, "time");
    if (error->status == CRD_ERROR_NUMBER && time != NULL && strcmp(error->subject, time) == 0)
        snprintf(error->hint, sizeof error->hint, "use --time with a column of numbers, or of dates in one format");
    return data_report_untrained(t->call, t->d, error, t->d->paths[0]);
}

static int train_hidden(const sequence_training *t, crd_model **out, crd_read_facts *facts, int *ending) {
    crd_sequences *sequences = NULL;
    crd_fit *fit = NULL;
    crd_error error;
    crd_status status = crd_sequences_read(t->d->reader, &t->where, &sequences, &error);
    if (status == CRD_OK) status = train_by_em(t->call, sequences, t->settings, &t->options, &fit, out, ending, &error);
    int ended = status == CRD_OK ? ENDED_WELL : report_untrained(t, &error);
    if (ended == ENDED_WELL) {
        ended = sequence_fit_facts(sequences, facts);
        if (ended == ENDED_WELL && t->is_reported) ended = sequence_fit_report(t->call, fit, sequences, &t->options);
    }
    crd_fit_destroy(fit);
    crd_sequences_destroy(sequences);
    return ended;
}

/* Notes that EM options have no effect, because all rows have labels and are simply counted. */
static void note_unused_options(const arguments *given) {
    static const char *const of_em[] = {"em-starts", "iterations", "tolerance", "seed"};
    for (size_t i = 0; i < sizeof of_em / sizeof *of_em; i++)
        if (arguments_have(given, of_em[i]))
            message_note("--%s has no effect: all training rows have labels, so training counts them without EM",
                         of_em[i]);
}

/* Trains on labeled rows by counting. If some rows have no label and are to be used, starts EM instead. */
static int train_labeled(const sequence_training *t, crd_model **out, crd_read_facts *facts, int *ending) {
    crd_error error;
    if (crd_sequence_train(t->call->context, t->d->reader, &t->where, t->settings, out, facts, &error) != CRD_OK)
        return report_untrained(t, &error);
    if (facts->skipped == 0 || !t->uses_unlabeled) {
        note_unused_options(&t->call->arguments);
        return ENDED_WELL;
    }
    if (arguments_have(&t->call->arguments, "shard")) {
        message_failed(
            "some rows have no label; EM learns from them too, but needs all rows at once, not a shard (--shard)");
        message_hint("use --unlabeled drop to skip these rows");
        return ENDED_FAILED;
    }
    if (reads_once(t->d)) {
        message_failed("%s: some rows have no label; EM learns from them too, but must read the rows twice",
                       input_file_name(t->d->paths[0]));
        message_hint("use a file, or --unlabeled drop to skip these rows");
        return ENDED_FAILED;
    }
    crd_model_destroy(*out);
    *out = NULL;
    *facts = (crd_read_facts)CRD_READ_FACTS_INIT;
    int ended = sequence_training_begin_again(t->call, t->d);
    return ended == ENDED_WELL ? train_hidden(t, out, facts, ending) : ended;
}

/* Trains a sequence classifier, one HMM per class. Used if both a target and a number of hidden states are given. */
static int train_classes(const sequence_training *t, crd_model **out, crd_read_facts *facts) {
    crd_sequences *sequences = NULL;
    crd_error error;
    crd_status status = crd_sequences_read(t->d->reader, &t->where, &sequences, &error);
    if (status == CRD_OK) {
        progress_say("all rows are read; EM estimates the states of each class");
        status = crd_sequence_classes_train(sequences, t->settings, &t->options, out, &error);
        progress_erase();
    }
    int ended = status == CRD_OK ? ENDED_WELL : report_untrained(t, &error);
    if (ended == ENDED_WELL) ended = sequence_fit_facts(sequences, facts);
    crd_sequences_destroy(sequences);
    return ended;
}

static int train_by_target(const sequence_training *t, crd_model **out, crd_read_facts *facts, int *ending) {
    const bool is_hidden = t->d->target.length == 0 || arguments_have(&t->call->arguments, "states");
    if (is_hidden && arguments_have(&t->call->arguments, "shard"))
        return message_usage("hidden states need all sequences at once: --shard is for states that are labels "
                             "(--target without --states)");
    if (t->d->target.length == 0) return train_hidden(t, out, facts, ending);
    if (arguments_have(&t->call->arguments, "states")) return train_classes(t, out, facts);
    return train_labeled(t, out, facts, ending);
}

static int sequence_training_train(sequence_training *t, crd_model **out, crd_read_facts *facts, int *ending) {
    *out = NULL;
    int ended = sequence_training_check_options(t->call);
    if (ended == ENDED_WELL) ended = sequence_options_read(t->call, &t->where);
    if (ended == ENDED_WELL) ended = sequence_training_read_options(t->call, t->d, &t->options);
    if (ended == ENDED_WELL) ended = read_unlabeled(t->call, &t->uses_unlabeled);
    if (ended == ENDED_WELL) ended = read_settings(t->call, &t->settings);
    t->options.source = &t->where;
    if (ended == ENDED_WELL) ended = train_by_target(t, out, facts, ending);
    crd_settings_destroy(t->settings);
    return ended;
}

int sequence_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending) {
    sequence_training t = {.call = call,
                           .d = d,
                           .where = CRD_SEQUENCE_OPTIONS_INIT,
                           .options = CRD_HMM_TRAIN_OPTIONS_INIT,
                           .is_reported = true};
    return sequence_training_train(&t, out, facts, ending);
}

int sequence_training_in_memory(const invocation *call, data *d, crd_model **out) {
    sequence_training t = {
        .call = call, .d = d, .where = CRD_SEQUENCE_OPTIONS_INIT, .options = CRD_HMM_TRAIN_OPTIONS_INIT};
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    int ending = ENDED_WELL;
    const int ended = sequence_training_train(&t, out, &facts, &ending);
    return ended == ENDED_WELL ? ending : ended;
}
