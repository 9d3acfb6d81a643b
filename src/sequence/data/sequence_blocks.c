/* SPDX-License-Identifier: MIT */
/* sequence_blocks.c - steps of sequences as blocks of columns. See sequences_internal.h. */
#include "sequence/data/sequences.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

void crd_i_observation_room_clear(crd_i_observation_room *room) {
    crd_free(room->context, room->numbers);
    crd_free(room->context, room->codes);
    crd_free(room->context, room->steps);
    crd_free(room->context, room->block);
    *room = (crd_i_observation_room){.context = room->context};
}

static bool make_room(crd_i_observation_room *room, size_t columns) {
    size_t capacity = room->column_capacity;
    if (columns <= capacity && room->numbers != NULL && room->codes != NULL) return true;
    if (!crd_i_reserve(room->context, &room->numbers, &capacity, columns + 1, sizeof *room->numbers)) return false;
    capacity = room->column_capacity;
    if (!crd_i_reserve(room->context, &room->codes, &capacity, columns + 1, sizeof *room->codes)) return false;
    room->column_capacity = columns;
    return true;
}

/* ---- Of frames ---- */

/* Cells whose validity is apart, as cells that are missing by themselves. */
static void copy_valid(const crd_i_column *column, uint64_t from, size_t steps, void *into) {
    double *numbers = into;
    int32_t *codes = into;
    for (size_t i = 0; i < steps; i++) {
        bool is_present = crd_i_column_present(column, (size_t)from + i);
        if (column->kind == CRD_KIND_NUMBER) numbers[i] = is_present ? column->numbers[from + i] : NAN;
        else codes[i] = is_present ? column->codes[from + i] : -1;
    }
}

static crd_status read_frame(const crd_sequences *s, uint64_t from, size_t steps, crd_i_observation_room *room,
                             crd_i_observation_block *out, crd_error *error) {
    const crd_i_sequence_columns *columns = s->columns;
    size_t copies = 0, used = 0;
    for (size_t i = 0; i < s->frame->column_count; i++) copies += s->frame->columns[i].validity != NULL;
    if (!crd_i_reserve(room->context, &room->steps, &room->steps_capacity, copies * steps + 1, sizeof(double)))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i <= columns->count; i++) {
        size_t source = i < columns->count ? columns->sources[i] : columns->target;
        if (source == SIZE_MAX) continue;
        const crd_i_column *column = &s->frame->columns[source];
        const double *numbers = column->kind == CRD_KIND_NUMBER ? column->numbers + from : NULL;
        const int32_t *codes = column->kind == CRD_KIND_CATEGORY ? column->codes + from : NULL;
        if (column->validity != NULL && column->kind != CRD_KIND_NONE) {
            void *into = room->steps + used++ * steps * sizeof(double);
            copy_valid(column, from, steps, into);
            if (numbers != NULL) numbers = into;
            else codes = into;
        }
        if (i == columns->count) {
            out->labels = codes;
            continue;
        }
        room->numbers[i] = numbers;
        room->codes[i] = codes;
    }
    return CRD_OK;
}

/* ---- Of the store ---- */

/* A block of the store, in memory or read into the room. */
static crd_status find_block(const crd_sequences *s, uint64_t block, crd_i_observation_room *room,
                             const unsigned char **out, crd_error *error) {
    const crd_i_step_store *store = &s->store;
    uint64_t offset = crd_i_step_store_offset(store, block);
    *out = crd_i_spool_at(&store->spool, offset);
    if (*out != NULL) return CRD_OK;
    if (room->block_of != s->serial || room->block_index != block) {
        size_t bytes = crd_i_step_store_stride(store, block) * store->step_bytes;
        room->block_of = 0;
        if (!crd_i_reserve(room->context, &room->block, &room->block_capacity, bytes, 1))
            return crd_i_fail_memory(error);
        crd_status status = crd_i_spool_read(&store->spool, offset, room->block, bytes, error);
        if (status != CRD_OK) return status;
        room->block_of = s->serial;
        room->block_index = block;
    }
    *out = room->block;
    return CRD_OK;
}

/* Steps that lie in several blocks, one behind the other into the room. */
static crd_status join_blocks(const crd_sequences *s, uint64_t from, size_t steps, size_t stride,
                              crd_i_observation_room *room, crd_error *error) {
    const crd_i_step_store *store = &s->store;
    if (!crd_i_reserve(room->context, &room->steps, &room->steps_capacity, stride * store->step_bytes + 1, 1))
        return crd_i_fail_memory(error);
    for (size_t done = 0; done < steps;) {
        uint64_t block = (from + done) / store->block_steps;
        size_t first = (size_t)((from + done) % store->block_steps), here = store->block_steps - first;
        size_t held = crd_i_step_store_stride(store, block);
        const unsigned char *bytes;
        crd_status status = find_block(s, block, room, &bytes, error);
        if (status != CRD_OK) return status;
        if (here > steps - done) here = steps - done;
        for (size_t i = 0; i < store->area_count; i++) {
            size_t width = crd_i_sequences_cell_bytes(s, i);
            memcpy(room->steps + store->offsets[i] * stride + done * width,
                   bytes + store->offsets[i] * held + first * width, here * width);
        }
        done += here;
    }
    return CRD_OK;
}

static crd_status read_store(const crd_sequences *s, uint64_t from, size_t steps, crd_i_observation_room *room,
                             crd_i_observation_block *out, crd_error *error) {
    const crd_i_step_store *store = &s->store;
    uint64_t block = from / store->block_steps;
    size_t first = (size_t)(from % store->block_steps), stride = crd_i_step_store_stride(store, block);
    const unsigned char *bytes;
    crd_status status;
    if (first + steps <= store->block_steps) {
        status = find_block(s, block, room, &bytes, error);
    } else {
        stride = (steps + 7) / 8 * 8;
        first = 0;
        status = join_blocks(s, from, steps, stride, room, error);
        bytes = room->steps;
    }
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < store->area_count; i++) {
        const void *cells = bytes + store->offsets[i] * stride + first * crd_i_sequences_cell_bytes(s, i);
        if (i == s->label_area) out->labels = cells;
        else if (i == s->inserted_area) out->is_inserted = cells;
        else if (i < s->columns->count) {
            room->numbers[i] = s->kinds[i] == CRD_KIND_NUMBER ? cells : NULL;
            room->codes[i] = s->kinds[i] == CRD_KIND_CATEGORY ? cells : NULL;
        }
    }
    return CRD_OK;
}

crd_status crd_i_sequences_block(const crd_sequences *sequences, size_t sequence, uint64_t from, size_t steps,
                                 crd_i_observation_room *room, crd_i_observation_block *out, crd_error *error) {
    /* A selection may have left the labels out. */
    const bool has_target = crd_sequences_has_target(sequences) != 0;
    sequences = crd_i_sequences_whole(sequences, &sequence);
    uint64_t length = crd_sequences_length(sequences, sequence);
    if (steps > CRD_I_BLOCK_STEPS) steps = CRD_I_BLOCK_STEPS;
    if (from >= length) steps = 0;
    else if (steps > length - from) steps = (size_t)(length - from);
    *out = (crd_i_observation_block){.steps = steps};
    if (!make_room(room, sequences->columns->count)) return crd_i_fail_memory(error);
    out->numbers = room->numbers;
    out->codes = room->codes;
    if (steps == 0) return CRD_OK;
    uint64_t start = sequences->starts[sequence] + from;
    crd_status status = sequences->frame != NULL ? read_frame(sequences, start, steps, room, out, error)
                                                 : read_store(sequences, start, steps, room, out, error);
    if (!has_target) out->labels = NULL;
    return status;
}

crd_status crd_sequences_rows_of(const crd_sequences *sequences, size_t sequence, uint64_t *out, crd_error *error) {
    const uint64_t length = crd_sequences_length(sequences, sequence);
    crd_i_observation_room room = {.context = sequences->context};
    size_t of = sequence;
    crd_status status = CRD_OK;
    *out = length;
    if (crd_i_sequences_whole(sequences, &of)->inserted_area == SIZE_MAX) return CRD_OK;
    for (uint64_t from = 0; from < length && status == CRD_OK;) {
        crd_i_observation_block block;
        status = crd_i_sequences_block(sequences, sequence, from, CRD_I_BLOCK_STEPS, &room, &block, error);
        if (status == CRD_OK) *out -= crd_i_block_inserted(&block);
        from += block.steps;
    }
    crd_i_observation_room_clear(&room);
    return status;
}
