/* SPDX-License-Identifier: MIT */
/* predict_sequences.c - predicts the state of each item, one line per item, in the order of the rows. See
 * sequence_run.h. */
#include "verbs/predict/sequence_run.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/model_operand.h"
#include "source/network_model.h"
#include "source/sequence_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of paths, which are in memory, and maximum lag. */
enum { MOST_PATHS = 1000, MOST_LAG = 1000000 };

/* ---- Items of a batch ---- */

/* Writes the stored predictions in the order of the rows. */
static crd_status write_in_order(sequence_run *run, crd_error *error) {
    ordered_items *ordered = run->ordered;
    crd_status status = CRD_OK;
    const uint64_t rows = crd_sequences_rows(run->input.whole);
    run->ordered = NULL;
    for (uint64_t row = 0; row < rows && status == CRD_OK; row++) {
        const double *probabilities;
        item given_item;
        if (ordered_items_get(ordered, row, &given_item, &probabilities))
            status = sequence_run_write(run, &given_item, probabilities, error);
    }
    ordered_items_destroy(ordered);
    return status;
}

/* Writes items when they are decoded. */
static crd_status write_piece(void *user, const crd_decoded *piece, crd_error *error) {
    sequence_run *run = user;
    crd_status status = CRD_OK;
    if (piece->is_impossible && piece->from == 0)
        sequence_run_note_impossible(run, piece->sequence, piece->impossible_at);
    if (path_pictures_has(&run->pictures, run->before + piece->sequence))
        path_pictures_add(&run->pictures, run->before + piece->sequence, sequence_run_name(run, piece->sequence), piece,
                          run->p->class_count);
    for (size_t t = 0; t < piece->steps && status == CRD_OK; t++) {
        const item given_item = {piece->sequence, piece->from + t, piece->states[t], 0, piece->log_evidence[t]};
        const double *probabilities = piece->is_impossible ? run->none : piece->posteriors + t * run->p->class_count;
        status = sequence_run_write(run, &given_item, probabilities, error);
    }
    return status;
}

/* Prepares for rows that are not in the order of the sequences. With several processes, their rows may interleave,
 * so lines
 * are numbered. */
static crd_status begin_order(sequence_run *run, crd_error *error) {
    if (crd_sequences_are_in_order(run->batch)) return CRD_OK;
    if (run->input.group != NULL && processes_number_rows(run->p) != ENDED_WELL) return sequence_run_stop(run, error);
    run->ordered = ordered_items_create(crd_sequences_rows(run->input.whole), run->p->class_count);
    return run->ordered == NULL ? sequence_run_stop(run, error) : CRD_OK;
}

static crd_status predict_sequences_answer_batch(sequence_run *run, void *user, crd_error *error) {
    (void)user;
    crd_status status = begin_order(run, error);
    if (status == CRD_OK) status = crd_hmm_decode(run->hmm, run->batch, &run->decoding, write_piece, run, error);
    if (status == CRD_OK && run->ordered != NULL) status = write_in_order(run, error);
    if (status == CRD_OK) answers_write(run->p);
    if (status == CRD_OK && run->p->is_prompt) fflush(run->p->out.stream);
    return status;
}

static int predict_sequences_answer_all(sequence_run *run) {
    crd_error error;
    const crd_status status = sequence_run_each(run, NULL, predict_sequences_answer_batch, &error);
    /* answers_close reports write errors. */
    if (status == CRD_OK || answers_are_broken(run->p)) return ENDED_WELL;
    return run->is_stopped ? ENDED_FAILED : message_error(&error);
}

/* ---- The run ---- */

/* Reads the options of decoding: --decoding, --n-best, --lag and --threads. */
static int read_decoding(const invocation *call, crd_decode_options *options, uint64_t *best, uint64_t *lag) {
    size_t decoding = 0;
    uint64_t threads = 0;
    int ended = arguments_choice(&call->arguments, "decoding", "viterbi|posterior", &decoding);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "n-best", best);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "lag", lag);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "threads", &threads);
    if (ended != ENDED_WELL) return ended;
    if (arguments_have(&call->arguments, "n-best") && (*best == 0 || *best > MOST_PATHS))
        return message_usage("--n-best expects a number of paths from 1 to %d", (int)MOST_PATHS);
    if (*lag > MOST_LAG) return message_usage("--lag expects a number of steps from 0 to %d", (int)MOST_LAG);
    options->decoding = decoding == 1 ? CRD_DECODING_POSTERIOR : CRD_DECODING_VITERBI;
    options->with_probabilities = 1;
    options->threads = threads > UINT32_MAX ? 0 : (unsigned)threads;
    return ENDED_WELL;
}

/* Returns the state names, which are the classes of the prediction. The caller frees the list. */
static crd_text *predict_sequences_states(const crd_hmm *hmm, prediction *p) {
    p->class_count = crd_hmm_state_count(hmm);
    crd_text *states = memory_resize(NULL, p->class_count, sizeof *states);
    for (size_t k = 0; k < p->class_count; k++) states[k] = crd_hmm_state(hmm, k);
    p->classes = states;
    return states;
}

/* Reads DATA and writes the predictions: the N best paths, a stream, or one line per item. */
static int predict_sequences_answer(sequence_run *run, const crd_model *model, uint64_t best, uint64_t lag) {
    prediction *p = run->p;
    crd_error error;
    int ended = rule_read(run->call, p->classes, p->class_count, &p->rule);
    const bool streams = arguments_have(&run->call->arguments, "stream");
    if (ended == ENDED_WELL && streams && crd_hmm_filter_create(run->hmm, (size_t)lag, &run->filter, &error) != CRD_OK)
        ended = message_error(&error);
    if (ended == ENDED_WELL) ended = sequence_run_open(run, model);
    if (ended == ENDED_WELL && best > 0) {
        ended = predict_paths(run, (size_t)best);
    } else if (ended == ENDED_WELL) {
        ended = answers_open(p, run->call);
        if (ended == ENDED_WELL) ended = streams ? predict_stream(run, (size_t)lag) : predict_sequences_answer_all(run);
        ended = answers_close(p, bad_row_list_share(run->input.rows.bad, ended));
        if (ended == ENDED_WELL) ended = path_pictures_write(&run->pictures, p->classes, p->class_count);
    }
    path_pictures_clear(&run->pictures);
    sequence_run_close(run, ended);
    return ended;
}

/* Creates the model of the sequences and predicts the rows of this process. */
static int predict_own(const invocation *call, const crd_model *model) {
    prediction p = {
        .unseen_words = network_model_unseen_words(model), .target = crd_model_target(model), .is_of_items = true};
    sequence_run run = {.call = call, .p = &p, .decoding = CRD_DECODE_OPTIONS_INIT, .pictures = {.call = call}};
    crd_settings *settings = NULL;
    crd_hmm *hmm = NULL;
    crd_text *states = NULL;
    crd_error error;
    uint64_t best = 0, lag = 0;
    int ended = read_decoding(call, &run.decoding, &best, &lag);
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_hmm_create(model, settings, &hmm, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    run.hmm = hmm;
    if (ended == ENDED_WELL) {
        p.classifier = crd_hmm_facts_of(hmm)->emissions;
        states = predict_sequences_states(hmm, &p);
        ended = predict_sequences_answer(&run, model, best, lag);
    }
    free(states);
    free(p.is_text);
    crd_rule_destroy(p.rule);
    crd_hmm_destroy(hmm);
    crd_settings_destroy(settings);
    return ended;
}

/* Determines whether only the first of several processes predicts: for --stream and --plot, and for tables of rows
 * sorted
 * by time, because lines of several processes would interleave. */
static int predict_sequences_is_for_one(const invocation *call, const crd_model *model, bool *out) {
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    const arguments *words = &call->arguments;
    const char *format = arguments_value(words, "format");
    const int ended = sequence_options_of_model(call, model, &options);
    const bool is_table = format != NULL && strcmp(format, "csv") != 0 && strcmp(format, "json") != 0;
    *out = arguments_have(words, "stream") || arguments_have(words, "plot") ||
           (is_table && options.time.bytes != NULL && !arguments_have(words, "n-best") &&
            !arguments_have(words, "file-per-rank"));
    return ended;
}

int predict_sequences(const invocation *call, const crd_model *model) {
    bool is_alone = false;
    const int ended =
        invocation_is_collective(call) ? predict_sequences_is_for_one(call, model, &is_alone) : ENDED_WELL;
    if (ended != ENDED_WELL || !is_alone) return ended == ENDED_WELL ? predict_own(call, model) : ended;
    invocation alone = *call;
    alone.communicator = NULL;
    return invocation_is_root(call) ? predict_own(&alone, model) : ENDED_WELL;
}
