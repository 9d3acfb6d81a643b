/* SPDX-License-Identifier: MIT */
/* read_all.c - goes through all rows of a reader for what they show of its columns: kinds, forms and values. See reader.h.
 *
 * Each member of a thread pool takes frames of its worker, and leaves them: what cells show stays with the reader. The first
 * frame is taken before there is a thread pool, since a small file is not worth a thread. */
#include "table/read/reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

typedef struct member {
    crd_worker *lane;
    crd_status status;
    crd_error error;
} member;

typedef struct work {
    crd_reader *reader;
    member *members;
} work;

/* The next frame of the member's; false: there is none. */
static bool take_frame(const work *shared, member *own) {
    const crd_frame *frame = NULL;
    own->status = crd_i_context_cancelled(crd_i_reader_context(shared->reader))
                      ? crd_i_fail_cancelled(&own->error)
                      : crd_worker_next(own->lane, &frame, &own->error);
    return own->status == CRD_OK && frame != NULL;
}

static void take_frames(void *state, unsigned number) {
    const work *shared = state;
    member *own = &shared->members[number];
    while (take_frame(shared, own)) continue;
    /* No other member is to wait for one that reads no further. */
    if (own->status != CRD_OK && own->status != CRD_RESTART) crd_reader_stop(shared->reader);
}

static crd_status find_end(const work *shared, unsigned size, crd_error *error) {
    const member *end = &shared->members[0];
    for (unsigned i = 1; i < size; i++)
        if (crd_i_reader_end_weight(shared->members[i].status) > crd_i_reader_end_weight(end->status))
            end = &shared->members[i];
    if (end->status != CRD_OK) *error = end->error;
    else if (size > 1) return crd_i_reader_check_categories(shared->reader, error);
    return end->status;
}

static crd_status share(const work *shared, unsigned size, crd_error *error) {
    crd_context *context = crd_i_reader_context(shared->reader);
    crd_worker **lanes = crd_i_alloc(context, size, sizeof(crd_worker *));
    if (lanes == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_reader_make_workers(shared->reader, size, lanes, error);
    for (unsigned i = 0; status == CRD_OK && i < size; i++) shared->members[i].lane = lanes[i];
    crd_free(context, (void *)lanes);
    return status;
}

/* One pass over the input, with a thread pool of up to *size, which becomes how many there were. */
static crd_status read_pass(void *state, unsigned *size, crd_error *error) {
    crd_reader *reader = state;
    crd_context *context = crd_i_reader_context(reader);
    unsigned most = *size;
    work shared = {reader, crd_i_alloc_zeroed(context, most, sizeof(member))};
    *size = 1;
    if (shared.members == NULL) return crd_i_fail_memory(error);
    crd_status status = share(&shared, 1, error);
    if (status == CRD_OK) {
        bool found = take_frame(&shared, &shared.members[0]);
        if (found && most > 1 && crd_i_reader_has_more(reader)) {
            status = share(&shared, most, error);
            *size = most;
        }
        if (status == CRD_OK && found) crd_i_thread_pool_run(context, *size, take_frames, &shared);
    }
    if (status == CRD_OK) status = find_end(&shared, *size, error);
    crd_free(context, shared.members);
    return status;
}

crd_status crd_i_reader_read_all(crd_reader *reader, crd_error *error) {
    return crd_i_reader_make_passes(reader, read_pass, reader, error);
}
