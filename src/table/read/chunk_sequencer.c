/* SPDX-License-Identifier: MIT */
/* chunk_sequencer.c - see chunk_sequencer.h. */
#include "table/read/chunk_sequencer.h"

#include "base/call.h"
#include "base/error.h"

#include <string.h>

crd_status crd_i_sequencer_make(crd_i_sequencer *order, crd_error *error) {
    int fault = pthread_mutex_init(&order->mutex, NULL);
    if (fault != 0) return crd_i_fail_system(error, fault, "no lock can be made");
    fault = pthread_cond_init(&order->changed, NULL);
    if (fault != 0) {
        pthread_mutex_destroy(&order->mutex);
        return crd_i_fail_system(error, fault, "no lock can be made");
    }
    order->is_made = true;
    return CRD_OK;
}

void crd_i_sequencer_clear(crd_i_sequencer *order) {
    if (!order->is_made) return;
    pthread_cond_destroy(&order->changed);
    pthread_mutex_destroy(&order->mutex);
    order->is_made = false;
}

void crd_i_sequencer_begin(crd_i_sequencer *order) {
    order->taken = order->settled = order->left = 0;
    order->line_before = 0;
    order->is_stopped = order->checks_kinds = false;
    order->failure.status = CRD_OK;
    order->kinds_version++;
    memset(order->slots, 0, sizeof order->slots);
}

static crd_i_sequencer_slot *slot_of(crd_i_sequencer *order, uint64_t sequence) {
    return &order->slots[sequence % CRD_I_MOST_AHEAD];
}

/* Nothing comes of what is behind the first failure. */
static bool is_over(const crd_i_sequencer *order, uint64_t sequence) {
    return order->is_stopped || (order->failure.status != CRD_OK && sequence > order->settled);
}

/* The lines of the chunk at `settled`, which has been taken, are known now. */
static void tell_line(crd_i_sequencer *order) {
    crd_i_sequencer_slot *slot = slot_of(order, order->settled);
    if (slot->begins_at > 0) order->line_before = slot->begins_at - 1;
    if (slot->place != NULL) slot->place->line_before = order->line_before;
}

bool crd_i_sequencer_take(crd_i_sequencer *order, crd_i_chunk_place *place, uint64_t begins_at) {
    pthread_mutex_lock(&order->mutex);
    uint64_t sequence = order->taken;
    while (!is_over(order, sequence) && sequence - order->left >= CRD_I_MOST_AHEAD) {
        crd_i_call_wait(&order->changed, &order->mutex);
    }
    bool goes_on = !is_over(order, sequence) && order->failure.status == CRD_OK;
    if (goes_on) {
        crd_i_sequencer_slot fresh = {.place = place, .begins_at = begins_at};
        *slot_of(order, sequence) = fresh;
        place->sequence = sequence;
        order->taken++;
        if (order->settled == sequence) tell_line(order);
    }
    pthread_mutex_unlock(&order->mutex);
    return goes_on;
}

bool crd_i_sequencer_lock_turn(crd_i_sequencer *order, const crd_i_chunk_place *place) {
    pthread_mutex_lock(&order->mutex);
    while (!is_over(order, place->sequence) && order->settled < place->sequence) {
        crd_i_call_wait(&order->changed, &order->mutex);
    }
    if (!is_over(order, place->sequence)) return true;
    pthread_mutex_unlock(&order->mutex);
    return false;
}

bool crd_i_sequencer_wait_turn(crd_i_sequencer *order, const crd_i_chunk_place *place) {
    bool is_turn = crd_i_sequencer_lock_turn(order, place);
    if (is_turn) pthread_mutex_unlock(&order->mutex);
    return is_turn;
}

void crd_i_sequencer_settle(crd_i_sequencer *order, const crd_i_chunk_place *place, uint64_t lines) {
    pthread_mutex_lock(&order->mutex);
    crd_i_sequencer_slot *slot = slot_of(order, place->sequence);
    slot->is_settled = true;
    slot->lines = lines;
    bool moved = false;
    while (order->settled < order->taken && (slot = slot_of(order, order->settled))->is_settled) {
        order->line_before += slot->lines;
        order->settled++;
        moved = true;
        if (order->settled < order->taken) tell_line(order);
    }
    if (moved) pthread_cond_broadcast(&order->changed);
    pthread_mutex_unlock(&order->mutex);
}

void crd_i_sequencer_leave(crd_i_sequencer *order, const crd_i_chunk_place *place) {
    pthread_mutex_lock(&order->mutex);
    slot_of(order, place->sequence)->place = NULL;
    bool moved = false;
    for (; order->left < order->settled && slot_of(order, order->left)->place == NULL; moved = true) order->left++;
    if (moved) pthread_cond_broadcast(&order->changed);
    pthread_mutex_unlock(&order->mutex);
}

bool crd_i_sequencer_wait_left(crd_i_sequencer *order, const crd_i_chunk_place *place) {
    pthread_mutex_lock(&order->mutex);
    while (!is_over(order, place->sequence) && order->left < place->sequence) {
        crd_i_call_wait(&order->changed, &order->mutex);
    }
    bool goes_on = !is_over(order, place->sequence);
    pthread_mutex_unlock(&order->mutex);
    return goes_on;
}

bool crd_i_sequencer_wait_line(crd_i_sequencer *order, const crd_i_chunk_place *place, uint64_t *line_before) {
    pthread_mutex_lock(&order->mutex);
    while (!is_over(order, place->sequence) && order->settled < place->sequence) {
        crd_i_call_wait(&order->changed, &order->mutex);
    }
    bool is_known = order->settled >= place->sequence;
    *line_before = is_known ? place->line_before : 0;
    pthread_mutex_unlock(&order->mutex);
    return is_known;
}

void crd_i_sequencer_fail(crd_i_sequencer *order, const crd_i_chunk_place *place, const crd_error *failure) {
    pthread_mutex_lock(&order->mutex);
    if (order->failure.status == CRD_OK && order->settled == place->sequence) order->failure = *failure;
    pthread_cond_broadcast(&order->changed);
    pthread_mutex_unlock(&order->mutex);
}

void crd_i_sequencer_stop(crd_i_sequencer *order) {
    pthread_mutex_lock(&order->mutex);
    order->is_stopped = true;
    pthread_cond_broadcast(&order->changed);
    pthread_mutex_unlock(&order->mutex);
}

bool crd_i_sequencer_wait_end(crd_i_sequencer *order, crd_error *error) {
    pthread_mutex_lock(&order->mutex);
    while (!order->is_stopped && order->failure.status == CRD_OK && order->settled < order->taken) {
        crd_i_call_wait(&order->changed, &order->mutex);
    }
    bool is_well = !order->is_stopped && order->failure.status == CRD_OK;
    if (order->failure.status != CRD_OK) *error = order->failure;
    else if (order->is_stopped) crd_i_fail(error, CRD_ERROR_CANCELLED, "reading was stopped");
    pthread_mutex_unlock(&order->mutex);
    return is_well;
}
