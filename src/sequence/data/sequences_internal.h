/* SPDX-License-Identifier: MIT */
/* sequences_internal.h - reads sequences block by block, column by column, for algorithms:
 *
 *   crd_i_observation_room room = {.context = context};      (one per thread)
 *   for (uint64_t from = 0; from < length; from += block.steps) {
 *       status = crd_i_sequences_block(sequences, sequence, from, CRD_I_BLOCK_STEPS, &room, &block, error);
 *       ...
 *   }
 *   crd_i_observation_room_clear(&room); */
#ifndef CRD_SEQUENCE_SEQUENCES_INTERNAL_H
#define CRD_SEQUENCE_SEQUENCES_INTERNAL_H

#include "base/dictionary.h"
#include "table/column_schema.h"

#include <credence/sequence.h>

enum { CRD_I_BLOCK_STEPS = 1024 };

/* Some steps of a sequence. The pointers are valid until the next call with the same workspace. */
typedef struct crd_i_observation_block {
    size_t steps;
    const double *const *numbers; /* for each column: its values, NaN if missing; NULL: not a numeric column */
    /* for each column: its codes, negative if missing; NULL: not a categorical column */
    const int32_t *const *codes;
    const int32_t *labels;      /* codes of the target's values, negative if missing; NULL: there is no target */
    const uint8_t *is_inserted; /* 1: the step was inserted between two rows; NULL: no step was inserted */
} crd_i_observation_block;

/* Returns the number of inserted steps. */
static inline size_t crd_i_block_inserted(const crd_i_observation_block *block) {
    size_t count = 0;
    for (size_t t = 0; block->is_inserted != NULL && t < block->steps; t++) count += block->is_inserted[t];
    return count;
}

/* The workspace of one thread. Initialize to zero with `context` set. */
typedef struct crd_i_observation_room {
    crd_context *context;
    const double **numbers;
    const int32_t **codes;
    size_t column_capacity;
    unsigned char *steps; /* copied steps, if a call spans several blocks or columns have validity bitmaps */
    size_t steps_capacity;
    unsigned char *block; /* the latest block that was read from a file */
    size_t block_capacity;
    uint64_t block_of, block_index; /* serial number of the block's sequences (0: none), and the index of the block */
} crd_i_observation_room;

void crd_i_observation_room_clear(crd_i_observation_room *workspace);

/* Reads at most `steps` steps, and at most CRD_I_BLOCK_STEPS, of a sequence from step `source` on. out->steps is 0 only
 * at the end of the sequence. Any thread may call this with its own workspace, which may be reused for other
 * sequences. */
CRD_MUST_USE crd_status crd_i_sequences_block(const crd_sequences *sequences, size_t sequence, uint64_t source,
                                              size_t steps, crd_i_observation_room *workspace,
                                              crd_i_observation_block *out, crd_error *error);

/* Creates an empty batch with the reader's columns, for a part of the rows that contains no sequences. Returns
 * CRD_ERROR_EMPTY if the reader reads all rows. */
CRD_MUST_USE crd_status crd_i_sequence_reader_none(crd_sequence_reader *reader, crd_sequences **out, crd_error *error);

/* Restarts the reader: all rows will be read again. */
CRD_MUST_USE crd_status crd_i_sequence_reader_begin_again(crd_sequence_reader *reader, crd_error *error);

/* Returns whether the sequences are from a part of the rows, which may be empty. */
bool crd_i_sequences_are_part(const crd_sequences *sequences);

crd_context *crd_i_sequences_context(const crd_sequences *sequences);
/* Returns whether every process of the context's group has the same sequences. */
bool crd_i_sequences_are_shared(const crd_sequences *sequences);

/* Return the values that the codes of a column, or of the labels, stand for. NULL: not categorical, or no value yet.
 * Codes never change, and are the same in all batches of a reader. */
const crd_i_dictionary *crd_i_sequences_values(const crd_sequences *sequences, size_t column);
const crd_i_dictionary *crd_i_sequences_labels(const crd_sequences *sequences);

/* Returns the schema of the observations and the target, for a model that will read similar files. It includes the
 * column types known by now, column formats and declared values, but not the id and time columns. Column i of the
 * sequences is columns[crd_i_sequences_schema_column(i)]. */
const crd_i_schema *crd_i_sequences_schema(const crd_sequences *sequences);
size_t crd_i_sequences_schema_column(const crd_sequences *sequences, size_t column);

/* Adds the file and line of a step to an error. Does nothing if the step has no line. */
void crd_i_sequences_place_error(const crd_sequences *sequences, size_t sequence, uint64_t step, crd_error *error);

#endif
