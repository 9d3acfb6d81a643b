/* SPDX-License-Identifier: MIT */
/* sequence_run.h - predictions for the items of sequences, in bounded memory:
 *
 *   predict_sequences.c  the run: one line per item
 *   predict_paths.c      --n-best: one line per item and path
 *   predict_stream.c     --stream: one line per item, as soon as it arrives
 *   sequence_run.c       shared by them: rows, batches, lines */
#ifndef CREDENCE_CLI_SEQUENCE_RUN_H
#define CREDENCE_CLI_SEQUENCE_RUN_H

#include "source/sequence_input.h"
#include "verbs/predict/ordered_items.h"
#include "verbs/predict/path_pictures.h"
#include "verbs/predict/predict.h"
#include "verbs/predict/unseen_values.h"

typedef struct sequence_run {
    const invocation *call;
    prediction *p;
    const crd_hmm *hmm;
    crd_decode_options decoding;
    sequence_input input;
    const crd_sequences *batch;
    crd_sequence_cursor *cursor; /* in the batch */
    crd_hmm_filter *filter;      /* for --stream: computes the posterior of an item's state given the rows so far */
    unseen_values *unseen;
    uint64_t before;        /* number of sequences in earlier batches */
    bool is_stream;         /* items are predicted one by one */
    bool is_stopped;        /* the run ended early, and the reason was reported */
    ordered_items *ordered; /* predictions of a batch whose rows are not in order; NULL: they are in order */
    crd_text *cells;        /* of the input row, for --with-input */
    double *logs;           /* log probabilities of an item, for a rule */
    double *expected;       /* buffer for the expected costs of an item */
    double *none;           /* zeros: the probabilities of an impossible item */
    string name, step;      /* of the item */
    path_pictures pictures;
} sequence_run;

/* Predicts the items of run->batch. */
typedef crd_status sequence_run_answer(sequence_run *run, void *user, crd_error *error);

/* Opens the rows, and determines the sequences by the options or the model. */
int sequence_run_open(sequence_run *run, const crd_model *model);
/* Frees the run. Warns about impossible sequences if the run was successful. */
void sequence_run_close(sequence_run *run, int ended);
/* Calls `answer` for each batch; in one of several processes, for its own batches. */
crd_status sequence_run_each(sequence_run *run, void *user, sequence_run_answer *answer, crd_error *error);
/* Begins a batch, which has `before` sequences before it. */
crd_status sequence_run_take(sequence_run *run, const crd_sequences *batch, uint64_t before, crd_error *error);
/* Ends the batch. */
void sequence_run_leave(sequence_run *run);
/* Returns the id of a sequence of the batch, or its number. */
crd_text sequence_run_name(sequence_run *run, size_t sequence);
/* Writes the prediction for an item of the batch, and counts its unseen values. */
crd_status sequence_run_write(sequence_run *run, const item *given_item, const double *probabilities, crd_error *error);
/* Adds a prediction to the output. The cells of --with-input must be in run->cells. `name` is the name of the sequence. */
void sequence_run_put(sequence_run *run, const item *given_item, const double *probabilities, crd_text name);
/* Counts a sequence whose probability is 0 from `step` on, and stores the first one for the warning. `step` is
 * UINT64_MAX if it
 * is unknown. */
void sequence_run_note_impossible(sequence_run *run, size_t sequence, uint64_t step);
/* Ends the run after an error was reported. */
crd_status sequence_run_stop(sequence_run *run, crd_error *error);

/* Writes the `count` most likely paths of each sequence (--n-best). The rows must be open. */
int predict_paths(sequence_run *run, size_t count);
/* Writes the prediction for each row `lag` rows later (--stream). The rows must be open. */
int predict_stream(sequence_run *run, size_t lag);

#endif
