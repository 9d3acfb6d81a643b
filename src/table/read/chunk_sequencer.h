/* SPDX-License-Identifier: MIT */
/* chunk_sequencer.h - chunks that are read side by side give what reading them one after the other gives.
 *
 * Every chunk has a place in the order: 0, 1, 2, ... as they lie in the files. Most chunks say nothing that matters to
 * others, and go their way at once. A chunk that fails, or tells something new about a kind, waits until all chunks
 * before it are settled, and only then speaks: so of several failures the first one counts, and what is known of kinds
 * is what the rows before said, whoever was faster.
 *
 *   take    the next place, for a chunk that was cut off just now
 *   settle  nothing more is to be heard of the chunk; how many lines it has is told, so that those behind it know
 *           theirs
 *   leave   its frames are not used any more: whoever writes something for each row in the order of rows may go on
 *
 * Nobody waits for a chunk behind his own, so there is always one that can go on. */
#ifndef CRD_TABLE_READ_CHUNK_SEQUENCER_H
#define CRD_TABLE_READ_CHUNK_SEQUENCER_H

#include "base/context.h"

#include <pthread.h>

/* A chunk's place. */
typedef struct crd_i_chunk_place {
    uint64_t sequence;
    uint64_t line_before; /* the line before the chunk's first; known when it is the chunk's turn to speak */
} crd_i_chunk_place;

enum { CRD_I_MOST_AHEAD = 512 }; /* chunks between the first that is not left and the last that is taken */

typedef struct crd_i_sequencer_slot {
    crd_i_chunk_place *place; /* NULL: left */
    uint64_t lines;
    uint64_t begins_at; /* line of the file, for the first chunk of one; 0: it follows the chunk before */
    bool is_settled;
} crd_i_sequencer_slot;

typedef struct crd_i_sequencer {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_made;
    uint64_t taken;         /* places given away so far */
    uint64_t settled, left; /* all places below are */
    uint64_t line_before;   /* the chunk at `settled`, if taken */
    bool is_stopped;
    crd_error failure; /* of the chunk at `settled`, for good */
    bool checks_kinds; /* the input has to be read again: what is left of it only tells its kinds */
    crd_error suspect; /* checks_kinds: what to fail with if that column is a number after all */
    size_t suspect_column;
    uint64_t kinds_version; /* counts changes of the columns' kinds */
    crd_i_sequencer_slot slots[CRD_I_MOST_AHEAD];
} crd_i_sequencer;

CRD_MUST_USE crd_status crd_i_sequencer_make(crd_i_sequencer *order, crd_error *error);
void crd_i_sequencer_clear(crd_i_sequencer *order);
/* As before the first chunk; nobody may be waiting. */
void crd_i_sequencer_begin(crd_i_sequencer *order);

/* false: it is over, and there is no place. `begins_at` is the line on which the first chunk of a file begins, 0 for
 * the others. *place stays where it is until it is left. */
CRD_MUST_USE bool crd_i_sequencer_take(crd_i_sequencer *order, crd_i_chunk_place *place, uint64_t begins_at);
/* Waits until it is the chunk's turn to speak, and holds the mutex. false: an earlier chunk failed, or somebody stopped
 * it all; then the mutex is not held. */
CRD_MUST_USE bool crd_i_sequencer_lock_turn(crd_i_sequencer *order, const crd_i_chunk_place *place);
/* The same for one who only wants to know whether it is so; for as long as the chunk is not settled, it stays so. */
CRD_MUST_USE bool crd_i_sequencer_wait_turn(crd_i_sequencer *order, const crd_i_chunk_place *place);
void crd_i_sequencer_settle(crd_i_sequencer *order, const crd_i_chunk_place *place, uint64_t lines);
void crd_i_sequencer_leave(crd_i_sequencer *order, const crd_i_chunk_place *place);
/* Waits until all chunks before are left. false as above. */
CRD_MUST_USE bool crd_i_sequencer_wait_left(crd_i_sequencer *order, const crd_i_chunk_place *place);
/* Waits until all chunks before are settled, and so the line is known; whether it is. */
CRD_MUST_USE bool crd_i_sequencer_wait_line(crd_i_sequencer *order, const crd_i_chunk_place *place,
                                            uint64_t *line_before);
/* When it is the chunk's turn. */
void crd_i_sequencer_fail(crd_i_sequencer *order, const crd_i_chunk_place *place, const crd_error *failure);
/* Nobody is to wait any longer. */
void crd_i_sequencer_stop(crd_i_sequencer *order);
/* Waits until all that was taken is settled; false: failed, or stopped: what to say is in *error. */
CRD_MUST_USE bool crd_i_sequencer_wait_end(crd_i_sequencer *order, crd_error *error);

#endif
