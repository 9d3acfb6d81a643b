/* SPDX-License-Identifier: MIT */
/* sequence_run.h - predictions for sequences, in bounded memory:
 *
 *   predict_sequences.c  the run: a line an item
 *   predict_paths.c      --best: a line an item of each path
 *   predict_stream.c     --stream: a line an item as soon as it comes
 *   sequence_run.c       what they share: rows, batches, lines */
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
    crd_sequence_cursor *cursor; /* over the batch */
    crd_hmm_filter *filter;      /* of --stream: computes what an item's past makes of its state */
    unseen_values *unseen;
    uint64_t before;        /* sequences before those of the batch */
    uint64_t seen;          /* items of this reading: where it began again, some are answered already */
    bool is_stream;         /* rows are answered one by one */
    bool is_stopped;        /* for a reason that was reported */
    ordered_items *ordered; /* answers of a batch whose rows are not in order; NULL: they are */
    crd_text *cells;        /* of the input's row, for --keep */
    double *logs;           /* of the probabilities of an item, for a rule */
    double *expected;       /* room for the costs of an item */
    double *none;           /* zeros, the probabilities of an item without an answer */
    string name, step;      /* of the item */
    path_pictures pictures;
} sequence_run;

/* Answers the batch of the run. */
typedef crd_status sequence_run_answer(sequence_run *run, void *user, crd_error *error);

/* Opens the rows, and finds where sequences begin and end: as the options state it, or as the model has it. */
int sequence_run_open(sequence_run *run, const crd_model *model);
/* With a warning of impossible sequences, where the run ended well. */
void sequence_run_close(sequence_run *run, int ended);
/* Answers all batches, of a process its own. */
crd_status sequence_run_each(sequence_run *run, void *user, sequence_run_answer *answer, crd_error *error);
/* Begins with a batch, which has so many sequences before it, and leaves it. */
crd_status sequence_run_take(sequence_run *run, const crd_sequences *batch, uint64_t before, crd_error *error);
void sequence_run_leave(sequence_run *run);
/* The id of a sequence of the batch, or its number. */
crd_text sequence_run_name(sequence_run *run, size_t sequence);
/* Writes the answer to an item of the batch, with the number of its cells that were never seen. */
crd_status sequence_run_write(sequence_run *run, const item *given_item, const double *probabilities, crd_error *error);
/* The same where the cells that are kept are in the run already, and the sequence has that name. */
void sequence_run_put(sequence_run *run, const item *given_item, const double *probabilities, crd_text name);
/* The sequence has probability 0 from a step on, which may not be known (UINT64_MAX): counted, and the first of them remembered for the warning. */
void sequence_run_note_impossible(sequence_run *run, size_t sequence, uint64_t step);
/* Ends the run for a reason that was reported. */
crd_status sequence_run_stop(sequence_run *run, crd_error *error);

/* The ways of answering, once the rows are open. */
int predict_paths(sequence_run *run, size_t count);
int predict_stream(sequence_run *run, size_t lag);

#endif
