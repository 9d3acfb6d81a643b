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
    uint64_t before; /* sequences before those of the batch that is taken */
    /* Of several processes that divide the sequences. */
    const crd_communicator *group; /* NULL: batches have all sequences */
    bool is_scattered;             /* rows of a sequence may stand anywhere: every process reads all rows */
    bool is_counted; /* sequences have numbers for names, and how many the processes before have is not known yet */
    const crd_sequences *whole; /* the batch that is taken, or that it is a part of */
} sequence_input;

/* Files as a model reads them, with sequences as the options state, or as those that it learned. */
int sequence_input_open(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                        bool keeps_text, sequence_input *out);
/* The same for answers to each sequence, which several processes divide: those that begin in the part of the rows that a process has, or, where
 * rows are sorted by times, consecutive ones of about as many steps. may_lack_ids: see sequence_options_fit. */
int sequence_input_open_divided(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                                bool keeps_text, bool may_lack_ids, sequence_input *out);
void sequence_input_close(sequence_input *input);

/* What is done with batches. */
typedef struct sequence_taker {
    void *user;
    crd_status (*take)(void *user, const crd_sequences *batch, crd_error *error);
    void (*forget)(void *user); /* all batches so far, as the reader begins again */
} sequence_taker;

/* Takes all batches. */
crd_status sequence_input_each(sequence_input *input, const sequence_taker *taker, crd_error *error);
/* The same, with a message where it fails. */
int sequence_input_take(sequence_input *input, const sequence_taker *taker);

/* --threads, or one for each processor. */
int sequence_input_threads(const invocation *call, unsigned *out);

#endif
