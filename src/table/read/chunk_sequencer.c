/* SPDX-License-Identifier: MIT */
/* chunk_sequencer.c - see chunk_sequencer.h. */
#include "table/read/chunk_sequencer.h"

#include "base/call.h"
#include "base/error.h"

#include <string.h>

crd_status crd_i_sequencer_make(crd_i_sequencer *sequencer, crd_error *error) {
    int fault = pthread_mutex_init(&sequencer->mutex, NULL);
    if (fault != 0) return crd_i_fail_system(error, fault, "cannot create a lock");
    fault = pthread_cond_init(&sequencer->changed, NULL);
    if (fault != 0) {
        pthread_mutex_destroy(&sequencer->mutex);
        return crd_i_fail_system(error, fault, "cannot create a lock");
    }
    sequencer->is_made = true;
    return CRD_OK;
}

void crd_i_sequencer_clear(crd_i_sequencer *sequencer) {
    if (!sequencer->is_made) return;
    pthread_cond_destroy(&sequencer->changed);
    pthread_mutex_destroy(&sequencer->mutex);
    sequencer->is_made = false;
}

void crd_i_sequencer_begin(crd_i_sequencer *sequencer) {
    sequencer->taken = sequencer->settled = sequencer->left = 0;
    sequencer->line_before = 0;
    sequencer->is_stopped = sequencer->checks_types = false;
    sequencer->failure.status = CRD_OK;
    sequencer->types_version++;
    memset(sequencer->slots, 0, sizeof sequencer->slots);
}

static crd_i_sequencer_slot *chunk_sequencer_slot(crd_i_sequencer *sequencer, uint64_t sequence) {
    return &sequencer->slots[sequence % CRD_I_MOST_AHEAD];
}

/* Returns whether reading is over for a chunk: it was stopped, or an earlier chunk failed. */
static bool chunk_sequencer_is_over(const crd_i_sequencer *sequencer, uint64_t sequence) {
    return sequencer->is_stopped || (sequencer->failure.status != CRD_OK && sequence > sequencer->settled);
}

/* Computes the first line of the chunk at `settled`, if it has been taken. */
static void tell_line(crd_i_sequencer *sequencer) {
    crd_i_sequencer_slot *slot = chunk_sequencer_slot(sequencer, sequencer->settled);
    if (slot->begins_at > 0) sequencer->line_before = slot->begins_at - 1;
    if (slot->place != NULL) slot->place->line_before = sequencer->line_before;
}

bool crd_i_sequencer_take(crd_i_sequencer *sequencer, crd_i_chunk_place *place, uint64_t begins_at) {
    pthread_mutex_lock(&sequencer->mutex);
    uint64_t sequence = sequencer->taken;
    while (!chunk_sequencer_is_over(sequencer, sequence) && sequence - sequencer->left >= CRD_I_MOST_AHEAD) {
        crd_i_call_wait(&sequencer->changed, &sequencer->mutex);
    }
    bool goes_on = !chunk_sequencer_is_over(sequencer, sequence) && sequencer->failure.status == CRD_OK;
    if (goes_on) {
        crd_i_sequencer_slot fresh = {.place = place, .begins_at = begins_at};
        *chunk_sequencer_slot(sequencer, sequence) = fresh;
        place->sequence = sequence;
        sequencer->taken++;
        if (sequencer->settled == sequence) tell_line(sequencer);
    }
    pthread_mutex_unlock(&sequencer->mutex);
    return goes_on;
}

bool crd_i_sequencer_lock_turn(crd_i_sequencer *sequencer, const crd_i_chunk_place *place) {
    pthread_mutex_lock(&sequencer->mutex);
    while (!chunk_sequencer_is_over(sequencer, place->sequence) && sequencer->settled < place->sequence) {
        crd_i_call_wait(&sequencer->changed, &sequencer->mutex);
    }
    if (!chunk_sequencer_is_over(sequencer, place->sequence)) return true;
    pthread_mutex_unlock(&sequencer->mutex);
    return false;
}

bool crd_i_sequencer_wait_turn(crd_i_sequencer *sequencer, const crd_i_chunk_place *place) {
    bool is_turn = crd_i_sequencer_lock_turn(sequencer, place);
    if (is_turn) pthread_mutex_unlock(&sequencer->mutex);
    return is_turn;
}

void crd_i_sequencer_settle(crd_i_sequencer *sequencer, const crd_i_chunk_place *place, uint64_t lines) {
    pthread_mutex_lock(&sequencer->mutex);
    crd_i_sequencer_slot *slot = chunk_sequencer_slot(sequencer, place->sequence);
    slot->is_settled = true;
    slot->lines = lines;
    bool moved = false;
    while (sequencer->settled < sequencer->taken &&
           (slot = chunk_sequencer_slot(sequencer, sequencer->settled))->is_settled) {
        sequencer->line_before += slot->lines;
        sequencer->settled++;
        moved = true;
        if (sequencer->settled < sequencer->taken) tell_line(sequencer);
    }
    if (moved) pthread_cond_broadcast(&sequencer->changed);
    pthread_mutex_unlock(&sequencer->mutex);
}

void crd_i_sequencer_leave(crd_i_sequencer *sequencer, const crd_i_chunk_place *place) {
    pthread_mutex_lock(&sequencer->mutex);
    chunk_sequencer_slot(sequencer, place->sequence)->place = NULL;
    bool moved = false;
    for (; sequencer->left < sequencer->settled && chunk_sequencer_slot(sequencer, sequencer->left)->place == NULL;
         moved = true)
        sequencer->left++;
    if (moved) pthread_cond_broadcast(&sequencer->changed);
    pthread_mutex_unlock(&sequencer->mutex);
}

bool crd_i_sequencer_wait_left(crd_i_sequencer *sequencer, const crd_i_chunk_place *place) {
    pthread_mutex_lock(&sequencer->mutex);
    while (!chunk_sequencer_is_over(sequencer, place->sequence) && sequencer->left < place->sequence) {
        crd_i_call_wait(&sequencer->changed, &sequencer->mutex);
    }
    bool goes_on = !chunk_sequencer_is_over(sequencer, place->sequence);
    pthread_mutex_unlock(&sequencer->mutex);
    return goes_on;
}

bool crd_i_sequencer_wait_line(crd_i_sequencer *sequencer, const crd_i_chunk_place *place, uint64_t *line_before) {
    pthread_mutex_lock(&sequencer->mutex);
    while (!chunk_sequencer_is_over(sequencer, place->sequence) && sequencer->settled < place->sequence) {
        crd_i_call_wait(&sequencer->changed, &sequencer->mutex);
    }
    bool is_known = sequencer->settled >= place->sequence;
    *line_before = is_known ? place->line_before : 0;
    pthread_mutex_unlock(&sequencer->mutex);
    return is_known;
}

void crd_i_sequencer_fail(crd_i_sequencer *sequencer, const crd_i_chunk_place *place, const crd_error *failure) {
    pthread_mutex_lock(&sequencer->mutex);
    if (sequencer->failure.status == CRD_OK && sequencer->settled == place->sequence) sequencer->failure = *failure;
    pthread_cond_broadcast(&sequencer->changed);
    pthread_mutex_unlock(&sequencer->mutex);
}

void crd_i_sequencer_stop(crd_i_sequencer *sequencer) {
    pthread_mutex_lock(&sequencer->mutex);
    sequencer->is_stopped = true;
    pthread_cond_broadcast(&sequencer->changed);
    pthread_mutex_unlock(&sequencer->mutex);
}

bool crd_i_sequencer_wait_end(crd_i_sequencer *sequencer, crd_error *error) {
    pthread_mutex_lock(&sequencer->mutex);
    while (!sequencer->is_stopped && sequencer->failure.status == CRD_OK && sequencer->settled < sequencer->taken) {
        crd_i_call_wait(&sequencer->changed, &sequencer->mutex);
    }
    bool is_well = !sequencer->is_stopped && sequencer->failure.status == CRD_OK;
    if (sequencer->failure.status != CRD_OK) *error = sequencer->failure;
    else if (sequencer->is_stopped) crd_i_fail(error, CRD_ERROR_CANCELLED, "reading was stopped");
    pthread_mutex_unlock(&sequencer->mutex);
    return is_well;
}
