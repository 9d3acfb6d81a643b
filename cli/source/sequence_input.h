/* SPDX-License-Identifier: MIT */
/* sequence_input.h - reads sequences from files, to query a sequence model about them. */
#ifndef CREDENCE_CLI_SEQUENCE_INPUT_H
#define CREDENCE_CLI_SEQUENCE_INPUT_H

#include "source/data_input.h"

#include <credence/sequence.h>

typedef struct sequence_input {
    data rows;
    crd_sequence_reader *reader;
    bool has_ids;
    uint64_t before; /* number of sequences before the current batch */
    /* The following members are for several processes that divide the sequences. */
    const crd_communicator *group; /* NULL: batches contain all sequences */
    bool is_scattered;             /* rows of a sequence may be anywhere, so every process reads all rows */
    /* Sequences are named by numbers, and the number of sequences in earlier processes is not known yet. */
    bool is_counted;
    const crd_sequences *whole; /* the current batch, or the batch that it is a part of */
} sequence_input;

/* Opens files as the model reads them. Sequences are delimited according to the options, or as in the model's training
 * data. */
int sequence_input_open(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                        bool keeps_text, sequence_input *out);
/* Opens files for per-sequence results, which several processes divide. A process gets the sequences that begin in its
 * part of the rows. If rows are sorted by time, it gets consecutive sequences with about as many steps as the others.
 * may_lack_ids: see sequence_options_fit. */
int sequence_input_open_divided(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                                bool keeps_text, bool may_lack_ids, sequence_input *out);
void sequence_input_close(sequence_input *input);

/* Takes a batch of sequences. */
typedef crd_status sequence_taker(void *user, const crd_sequences *batch, crd_error *error);

/* Passes all batches to `take`. */
crd_status sequence_input_each(sequence_input *input, sequence_taker *take, void *user, crd_error *error);
/* Passes all batches to `take`, and prints a message on failure. */
int sequence_input_take(sequence_input *input, sequence_taker *take, void *user);

/* Reads --threads. The default is one thread per CPU core. */
int sequence_input_threads(const invocation *call, unsigned *out);

#endif
