/* SPDX-License-Identifier: MIT */
/* sequence_input.h - the sequences of files, for a model of sequences that answers questions about them. */
#ifndef CREDENCE_CLI_SEQUENCE_INPUT_H
#define CREDENCE_CLI_SEQUENCE_INPUT_H

#include "source/data_input.h"

#include <credence/sequence.h>

typedef struct sequence_input {
    data rows;
    crd_sequence_reader *reader;
    bool has_ids;
} sequence_input;

/* Files as a model reads them, with sequences as the options state, or as those that it learned. */
int sequence_input_open(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                        bool keeps_text, sequence_input *out);
void sequence_input_close(sequence_input *input);

/* What is done with batches. */
typedef struct sequence_taker {
    void *user;
    crd_status (*take)(void *user, const crd_sequences *batch, crd_error *error);
    void (*forget)(void *user); /* all batches so far, as the reader begins again */
} sequence_taker;

/* Takes all batches. */
int sequence_input_take(sequence_input *input, const sequence_taker *taker);

/* --threads, or one for each processor. */
int sequence_input_threads(const invocation *call, unsigned *out);

#endif
