/* SPDX-License-Identifier: MIT */
/* step_store.c - blocks of steps. See step_store.h. */
#include "sequence/data/step_store.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { BLOCK_BYTES = 256 * 1024, LEAST_STEPS = 64, MOST_STEPS = 8192 };

crd_status crd_i_step_store_begin(crd_i_step_store *store, crd_context *context, const size_t *widths,
                                  size_t area_count, size_t memory_bytes, crd_error *error) {
    *store = (crd_i_step_store){.context = context, .area_count = area_count};
    store->spool.context = context;
    store->spool.memory_bytes = memory_bytes;
    store->widths = crd_i_alloc(context, area_count, sizeof *store->widths);
    store->offsets = crd_i_alloc(context, area_count, sizeof *store->offsets);
    if (store->widths == NULL || store->offsets == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < area_count; i++) {
        store->widths[i] = widths[i];
        store->offsets[i] = store->step_bytes;
        store->step_bytes += widths[i];
    }
    size_t steps = BLOCK_BYTES / (store->step_bytes + 1) / 8 * 8;
    store->block_steps = steps < LEAST_STEPS ? LEAST_STEPS : steps > MOST_STEPS ? MOST_STEPS : steps;
    return CRD_OK;
}

void crd_i_step_store_clear(crd_i_step_store *store) {
    crd_free(store->context, store->widths);
    crd_free(store->context, store->offsets);
    crd_free(store->context, store->current);
    crd_i_spool_clear(&store->spool);
    *store = (crd_i_step_store){.context = store->context};
}

crd_status crd_i_step_store_room(crd_i_step_store *store, uint64_t wanted, size_t *got, crd_error *error) {
    *got = 0;
    if (store->current == NULL) store->current = crd_i_alloc(store->context, store->block_steps, store->step_bytes + 1);
    if (store->current == NULL) return crd_i_fail_memory(error);
    size_t left = store->block_steps - store->current_steps;
    *got = wanted < left ? (size_t)wanted : left;
    return CRD_OK;
}

crd_status crd_i_step_store_advance(crd_i_step_store *store, size_t steps, crd_error *error) {
    store->current_steps += steps;
    store->steps += steps;
    if (store->current_steps < store->block_steps) return CRD_OK;
    store->current_steps = 0;
    return crd_i_spool_append(&store->spool, store->current, store->block_steps * store->step_bytes, error);
}

/* The areas of the last block are moved closer together, because it has fewer steps. */
crd_status crd_i_step_store_end(crd_i_step_store *store, crd_error *error) {
    crd_status status = CRD_OK;
    if (store->current_steps > 0) {
        size_t stride = (store->current_steps + 7) / 8 * 8;
        unsigned char *buffer = crd_i_spool_room(&store->spool, stride * store->step_bytes + 1);
        if (buffer == NULL) return crd_i_fail_memory(error);
        memset(buffer, 0, stride * store->step_bytes);
        for (size_t i = 0; i < store->area_count; i++)
            memcpy(buffer + store->offsets[i] * stride, store->current + store->offsets[i] * store->block_steps,
                   store->current_steps * store->widths[i]);
        status = crd_i_spool_add(&store->spool, stride * store->step_bytes, error);
    }
    crd_free(store->context, store->current);
    store->current = NULL;
    store->current_steps = 0;
    return status;
}
