/* SPDX-License-Identifier: MIT */
/* sequences_internal.h - sequences as those read them who compute with them: block by block, column by column.
 *
 *   crd_i_observation_room room = {.context = context};      one a thread
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

/* Steps of a sequence. What the pointers lead to is the room's or the sequences', until the room's next call. */
typedef struct crd_i_observation_block {
    size_t steps;
    const double *const *numbers; /* of each column: NaN is missing; NULL: it is no number */
    const int32_t *const *codes;  /* of each column: negative is missing; NULL: it is no category */
    const int32_t *labels;        /* codes of the target's values, negative: none; NULL: there is no target */
    const uint8_t *is_inserted;   /* 1: a step between two rows; NULL: none is */
} crd_i_observation_block;

/* How many of the steps were inserted. */
static inline size_t crd_i_block_inserted(const crd_i_observation_block *block) {
    size_t count = 0;
    for (size_t t = 0; block->is_inserted != NULL && t < block->steps; t++) count += block->is_inserted[t];
    return count;
}

/* What a thread reads into. Zero-initialise but for the context. */
typedef struct crd_i_observation_room {
    crd_context *context;
    const double **numbers;
    const int32_t **codes;
    size_t column_capacity;
    unsigned char *steps; /* those of a call that lie in several blocks, or need their validity */
    size_t steps_capacity;
    unsigned char *block; /* the latest block that was read from a file */
    size_t block_capacity;
    uint64_t block_of, block_index; /* of which sequences, by their serial; 0: none */
} crd_i_observation_room;

void crd_i_observation_room_clear(crd_i_observation_room *workspace);

/* At most `steps` steps, and at most CRD_I_BLOCK_STEPS, of a sequence from step `from` on: out->steps of them, 0 only behind the
 * last. Any thread, with a room of its own, which may be used for other sequences too. */
CRD_MUST_USE crd_status crd_i_sequences_block(const crd_sequences *sequences, size_t sequence, uint64_t source,
                                              size_t steps, crd_i_observation_room *workspace,
                                              crd_i_observation_block *out, crd_error *error);

/* Behind the last batch of a reader of a part, where there was none: no sequences, with its columns. Of all rows, it is
 * CRD_ERROR_EMPTY. */
CRD_MUST_USE crd_status crd_i_sequence_reader_none(crd_sequence_reader *reader, crd_sequences **out, crd_error *error);

/* All rows come again. */
CRD_MUST_USE crd_status crd_i_sequence_reader_begin_again(crd_sequence_reader *reader, crd_error *error);

/* Whether they are those of a part of the rows, which may be none. */
bool crd_i_sequences_are_part(const crd_sequences *sequences);

crd_context *crd_i_sequences_context(const crd_sequences *sequences);
/* Whether every process of the context's group has the same sequences. */
bool crd_i_sequences_are_shared(const crd_sequences *sequences);

/* What the codes of a column, or of labels, mean; NULL: it is no category, or had no cell yet. Codes never change, and are those of
 * all batches of a reader. */
const crd_i_dictionary *crd_i_sequences_values(const crd_sequences *sequences, size_t column);
const crd_i_dictionary *crd_i_sequences_labels(const crd_sequences *sequences);

/* The observations and the target as a reader or a frame has them, with kinds known by now, forms and declared values, for a
 * model that is to read such files; without the columns of the id and the time. Column i of the sequences is
 * columns[crd_i_sequences_schema_column(i)]. */
const crd_i_schema *crd_i_sequences_schema(const crd_sequences *sequences);
size_t crd_i_sequences_schema_column(const crd_sequences *sequences, size_t column);

/* The line and the file of a step, for errors; does nothing where it has none. */
void crd_i_sequences_place_error(const crd_sequences *sequences, size_t sequence, uint64_t step, crd_error *error);

#endif
