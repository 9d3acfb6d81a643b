/* SPDX-License-Identifier: MIT */
/* chunk_sequencer.h - makes concurrent reading of chunks give the same result as sequential reading.
 *
 * Chunks are numbered 0, 1, 2, ... in file order. Most chunks do not affect others and finish independently. A chunk
 * that fails, or that changes a column type, waits until all earlier chunks are settled. Therefore the first of
 * several failures is reported, and types depend only on earlier rows, not on thread timing.
 *
 *   take    assigns the next place to a chunk that was just cut off
 *   settle  ends the chunk's turn and reports its line count, from which later chunks compute their line numbers
 *   leave   releases the chunk's frames; code that writes output in row order can continue with the next chunk
 *
 * No chunk waits for a later chunk, so at least one can always proceed. */
#ifndef CRD_TABLE_READ_CHUNK_SEQUENCER_H
#define CRD_TABLE_READ_CHUNK_SEQUENCER_H

#include "base/context.h"

#include <pthread.h>

/* A chunk's place in the order. */
typedef struct crd_i_chunk_place {
    uint64_t sequence;
    uint64_t line_before; /* the line before the chunk's first line; valid during the chunk's turn */
} crd_i_chunk_place;

enum { CRD_I_MOST_AHEAD = 512 }; /* maximum distance between the first chunk not left and the last chunk taken */

typedef struct crd_i_sequencer_slot {
    crd_i_chunk_place *place; /* NULL: left */
    uint64_t lines;
    uint64_t begins_at; /* first line, for the first chunk of a file; 0: follows the chunk before */
    bool is_settled;
} crd_i_sequencer_slot;

typedef struct crd_i_sequencer {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_made;
    uint64_t taken;         /* number of places assigned so far */
    uint64_t settled, left; /* all chunks below are settled, or left */
    uint64_t line_before;   /* last line before the chunk at `settled`, if that is taken */
    bool is_stopped;
    crd_error failure; /* failure of the chunk at `settled`; it is final */
    bool checks_types; /* the input must be read again: its remaining rows are used only to find column types */
    crd_error suspect; /* checks_types: the error to return if suspect_column is numeric after all */
    size_t suspect_column;
    uint64_t types_version; /* counts changes of the column types */
    crd_i_sequencer_slot slots[CRD_I_MOST_AHEAD];
} crd_i_sequencer;

CRD_MUST_USE crd_status crd_i_sequencer_make(crd_i_sequencer *sequencer, crd_error *error);
void crd_i_sequencer_clear(crd_i_sequencer *sequencer);
/* Resets the sequencer to its state before the first chunk. No thread may be waiting. */
void crd_i_sequencer_begin(crd_i_sequencer *sequencer);

/* Assigns the next place. `begins_at` is the line on which the first chunk of a file begins, 0 for other chunks.
 * *place must stay at its address until it is left. false: reading is over, and no place was assigned. */
CRD_MUST_USE bool crd_i_sequencer_take(crd_i_sequencer *sequencer, crd_i_chunk_place *place, uint64_t begins_at);
/* Waits for the chunk's turn and locks the mutex. false: an earlier chunk failed, or reading was stopped; then the
 * mutex is not locked. */
CRD_MUST_USE bool crd_i_sequencer_lock_turn(crd_i_sequencer *sequencer, const crd_i_chunk_place *place);
/* Waits for the chunk's turn without keeping the mutex. The turn lasts until the chunk is settled. false: an earlier
 * chunk failed, or reading was stopped. */
CRD_MUST_USE bool crd_i_sequencer_wait_turn(crd_i_sequencer *sequencer, const crd_i_chunk_place *place);
void crd_i_sequencer_settle(crd_i_sequencer *sequencer, const crd_i_chunk_place *place, uint64_t lines);
void crd_i_sequencer_leave(crd_i_sequencer *sequencer, const crd_i_chunk_place *place);
/* Waits until all earlier chunks are left. false: an earlier chunk failed, or reading was stopped. */
CRD_MUST_USE bool crd_i_sequencer_wait_left(crd_i_sequencer *sequencer, const crd_i_chunk_place *place);
/* Waits until all earlier chunks are settled, and stores the line before the chunk. false: the line is unknown. */
CRD_MUST_USE bool crd_i_sequencer_wait_line(crd_i_sequencer *sequencer, const crd_i_chunk_place *place,
                                            uint64_t *line_before);
/* Records a failure. Call it during the chunk's turn. */
void crd_i_sequencer_fail(crd_i_sequencer *sequencer, const crd_i_chunk_place *place, const crd_error *failure);
/* Stops reading and wakes all waiting threads. */
void crd_i_sequencer_stop(crd_i_sequencer *sequencer);
/* Waits until all taken chunks are settled. false: reading failed or was stopped, and *error describes why. */
CRD_MUST_USE bool crd_i_sequencer_wait_end(crd_i_sequencer *sequencer, crd_error *error);

#endif
