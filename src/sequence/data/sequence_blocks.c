/* SPDX-License-Identifier: MIT */
/* sequence_blocks.c - reads steps of sequences as blocks of columns. See sequences_internal.h. */
#include "sequence/data/sequences.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

void crd_i_observation_room_clear(crd_i_observation_room *workspace) {
    crd_free(workspace->context, workspace->numbers);
    crd_free(workspace->context, workspace->codes);
    crd_free(workspace->context, workspace->steps);
    crd_free(workspace->context, workspace->block);
    *workspace = (crd_i_observation_room){.context = workspace->context};
}

static bool sequence_blocks_make_room(crd_i_observation_room *workspace, size_t columns) {
    size_t capacity = workspace->column_capacity;
    if (columns <= capacity && workspace->numbers != NULL && workspace->codes != NULL) return true;
    if (!crd_i_reserve(workspace->context, &workspace->numbers, &capacity, columns + 1, sizeof *workspace->numbers))
        return false;
    capacity = workspace->column_capacity;
    if (!crd_i_reserve(workspace->context, &workspace->codes, &capacity, columns + 1, sizeof *workspace->codes))
        return false;
    workspace->column_capacity = columns;
    return true;
}

/* ---- Steps in frames ---- */

/* Copies values whose validity is stored separately. Missing values become NaN or -1. */
static void copy_valid(const crd_i_column *column, uint64_t source, size_t steps, void *into) {
    double *numbers = into;
    int32_t *codes = into;
    for (size_t i = 0; i < steps; i++) {
        bool is_present = crd_i_column_present(column, (size_t)source + i);
        if (column->kind == CRD_KIND_NUMBER) numbers[i] = is_present ? column->numbers[source + i] : NAN;
        else codes[i] = is_present ? column->codes[source + i] : -1;
    }
}

/* Points the workspace at `steps` rows of the frame from row `origin`. Columns with a validity bitmap are copied. */
static crd_status read_frame(const crd_sequences *s, uint64_t origin, size_t steps, crd_i_observation_room *workspace,
                             crd_i_observation_block *out, crd_error *error) {
    const crd_i_sequence_columns *columns = s->columns;
    size_t copies = 0, used = 0;
    for (size_t i = 0; i < s->frame->column_count; i++) copies += s->frame->columns[i].validity != NULL;
    if (!crd_i_reserve(workspace->context, &workspace->steps, &workspace->steps_capacity, copies * steps + 1,
                       sizeof(double)))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i <= columns->count; i++) {
        size_t source = i < columns->count ? columns->sources[i] : columns->target;
        if (source == SIZE_MAX) continue;
        const crd_i_column *column = &s->frame->columns[source];
        const double *numbers = column->kind == CRD_KIND_NUMBER ? column->numbers + origin : NULL;
        const int32_t *codes = column->kind == CRD_KIND_CATEGORY ? column->codes + origin : NULL;
        if (column->validity != NULL && column->kind != CRD_KIND_NONE) {
            void *into = workspace->steps + used++ * steps * sizeof(double);
            copy_valid(column, origin, steps, into);
            if (numbers != NULL) numbers = into;
            else codes = into;
        }
        if (i == columns->count) {
            out->labels = codes;
            continue;
        }
        workspace->numbers[i] = numbers;
        workspace->codes[i] = codes;
    }
    return CRD_OK;
}

/* ---- Steps in the store ---- */

/* Finds a block of the store, in memory or read into the workspace. */
static crd_status sequence_blocks_find(const crd_sequences *s, uint64_t block, crd_i_observation_room *workspace,
                                       const unsigned char **out, crd_error *error) {
    const crd_i_step_store *store = &s->store;
    uint64_t offset = crd_i_step_store_offset(store, block);
    *out = crd_i_spool_at(&store->spool, offset);
    if (*out != NULL) return CRD_OK;
    if (workspace->block_of != s->serial || workspace->block_index != block) {
        size_t bytes = crd_i_step_store_stride(store, block) * store->step_bytes;
        workspace->block_of = 0;
        if (!crd_i_reserve(workspace->context, &workspace->block, &workspace->block_capacity, bytes, 1))
            return crd_i_fail_memory(error);
        crd_status status = crd_i_spool_read(&store->spool, offset, workspace->block, bytes, error);
        if (status != CRD_OK) return status;
        workspace->block_of = s->serial;
        workspace->block_index = block;
    }
    *out = workspace->block;
    return CRD_OK;
}

/* Copies steps that lie in several blocks into the workspace, one after the other. */
static crd_status join_blocks(const crd_sequences *s, uint64_t source, size_t steps, size_t stride,
                              crd_i_observation_room *workspace, crd_error *error) {
    const crd_i_step_store *store = &s->store;
    if (!crd_i_reserve(workspace->context, &workspace->steps, &workspace->steps_capacity,
                       stride * store->step_bytes + 1, 1))
        return crd_i_fail_memory(error);
    for (size_t done = 0; done < steps;) {
        uint64_t block = (source + done) / store->block_steps;
        size_t first = (size_t)((source + done) % store->block_steps), here = store->block_steps - first;
        size_t held = crd_i_step_store_stride(store, block);
        const unsigned char *bytes;
        crd_status status = sequence_blocks_find(s, block, workspace, &bytes, error);
        if (status != CRD_OK) return status;
        if (here > steps - done) here = steps - done;
        for (size_t i = 0; i < store->area_count; i++) {
            size_t width = crd_i_sequences_cell_bytes(s, i);
            memcpy(workspace->steps + store->offsets[i] * stride + done * width,
                   bytes + store->offsets[i] * held + first * width, here * width);
        }
        done += here;
    }
    return CRD_OK;
}

/* Points the workspace at `steps` steps of the store. Steps that lie in several blocks are copied. */
static crd_status read_store(const crd_sequences *s, uint64_t source, size_t steps, crd_i_observation_room *workspace,
                             crd_i_observation_block *out, crd_error *error) {
    const crd_i_step_store *store = &s->store;
    uint64_t block = source / store->block_steps;
    size_t first = (size_t)(source % store->block_steps), stride = crd_i_step_store_stride(store, block);
    const unsigned char *bytes;
    crd_status status;
    if (first + steps <= store->block_steps) {
        status = sequence_blocks_find(s, block, workspace, &bytes, error);
    } else {
        stride = (steps + 7) / 8 * 8;
        first = 0;
        status = join_blocks(s, source, steps, stride, workspace, error);
        bytes = workspace->steps;
    }
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < store->area_count; i++) {
        const void *cells = bytes + store->offsets[i] * stride + first * crd_i_sequences_cell_bytes(s, i);
        if (i == s->label_area) out->labels = cells;
        else if (i == s->inserted_area) out->is_inserted = cells;
        else if (i < s->columns->count) {
            workspace->numbers[i] = s->kinds[i] == CRD_KIND_NUMBER ? cells : NULL;
            workspace->codes[i] = s->kinds[i] == CRD_KIND_CATEGORY ? cells : NULL;
        }
    }
    return CRD_OK;
}

crd_status crd_i_sequences_block(const crd_sequences *sequences, size_t sequence, uint64_t source, size_t steps,
                                 crd_i_observation_room *workspace, crd_i_observation_block *out, crd_error *error) {
    /* A selection may have dropped the labels. */
    const bool has_target = crd_sequences_has_target(sequences) != 0;
    sequences = crd_i_sequences_whole(sequences, &sequence);
    uint64_t length = crd_sequences_length(sequences, sequence);
    if (steps > CRD_I_BLOCK_STEPS) steps = CRD_I_BLOCK_STEPS;
    if (source >= length) steps = 0;
    else if (steps > length - source) steps = (size_t)(length - source);
    *out = (crd_i_observation_block){.steps = steps};
    if (!sequence_blocks_make_room(workspace, sequences->columns->count)) return crd_i_fail_memory(error);
    out->numbers = workspace->numbers;
    out->codes = workspace->codes;
    if (steps == 0) return CRD_OK;
    uint64_t start = sequences->starts[sequence] + source;
    crd_status status = sequences->frame != NULL ? read_frame(sequences, start, steps, workspace, out, error)
                                                 : read_store(sequences, start, steps, workspace, out, error);
    if (!has_target) out->labels = NULL;
    return status;
}

crd_status crd_sequences_rows_of(const crd_sequences *sequences, size_t sequence, uint64_t *out, crd_error *error) {
    const uint64_t length = crd_sequences_length(sequences, sequence);
    crd_i_observation_room workspace = {.context = sequences->context};
    size_t of = sequence;
    crd_status status = CRD_OK;
    *out = length;
    if (crd_i_sequences_whole(sequences, &of)->inserted_area == SIZE_MAX) return CRD_OK;
    for (uint64_t source = 0; source < length && status == CRD_OK;) {
        crd_i_observation_block block;
        status = crd_i_sequences_block(sequences, sequence, source, CRD_I_BLOCK_STEPS, &workspace, &block, error);
        if (status == CRD_OK) *out -= crd_i_block_inserted(&block);
        source += block.steps;
    }
    crd_i_observation_room_clear(&workspace);
    return status;
}
