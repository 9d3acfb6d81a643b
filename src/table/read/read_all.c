/* SPDX-License-Identifier: MIT */
/* read_all.c - reads all rows of a reader to determine the kinds, forms and values of its columns. See reader.h.
 *
 * Each member of a thread pool takes frames from its worker and drops them; the reader keeps the evidence. The first
 * frame is taken before the thread pool is created, because a small file is not worth a thread. */
#include "table/read/reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

typedef struct all_member {
    crd_worker *worker;
    crd_status status;
    crd_error error;
} all_member;

typedef struct work {
    crd_reader *reader;
    all_member *members;
} work;

/* Takes the member's next frame; false: there is none. */
static bool read_all_take_frame(const work *shared, all_member *member) {
    const crd_frame *frame = NULL;
    member->status = crd_i_context_cancelled(crd_i_reader_context(shared->reader))
                         ? crd_i_fail_cancelled(&member->error)
                         : crd_worker_next(member->worker, &frame, &member->error);
    return member->status == CRD_OK && frame != NULL;
}

static void take_frames(void *state, unsigned number) {
    const work *shared = state;
    all_member *member = &shared->members[number];
    while (read_all_take_frame(shared, member)) continue;
    /* No other member may wait for one that reads no further. */
    if (member->status != CRD_OK && member->status != CRD_RESTART) crd_reader_stop(shared->reader);
}

static crd_status read_all_find_end(const work *shared, unsigned size, crd_error *error) {
    const all_member *end = &shared->members[0];
    for (unsigned i = 1; i < size; i++)
        if (crd_i_reader_end_weight(shared->members[i].status) > crd_i_reader_end_weight(end->status))
            end = &shared->members[i];
    if (end->status != CRD_OK) *error = end->error;
    else if (size > 1) return crd_i_reader_check_categories(shared->reader, error);
    return end->status;
}

static crd_status read_all_share(const work *shared, unsigned size, crd_error *error) {
    crd_context *context = crd_i_reader_context(shared->reader);
    crd_worker **lanes = crd_i_alloc(context, size, sizeof(crd_worker *));
    if (lanes == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_reader_make_workers(shared->reader, size, lanes, error);
    for (unsigned i = 0; status == CRD_OK && i < size; i++) shared->members[i].worker = lanes[i];
    crd_free(context, (void *)lanes);
    return status;
}

/* Makes one pass over the input with a thread pool of up to *size threads, and sets *size to the number used. */
static crd_status read_pass(void *state, unsigned *size, crd_error *error) {
    crd_reader *reader = state;
    crd_context *context = crd_i_reader_context(reader);
    unsigned most = *size;
    work shared = {reader, crd_i_alloc_zeroed(context, most, sizeof(all_member))};
    *size = 1;
    if (shared.members == NULL) return crd_i_fail_memory(error);
    crd_status status = read_all_share(&shared, 1, error);
    if (status == CRD_OK) {
        bool is_found = read_all_take_frame(&shared, &shared.members[0]);
        if (is_found && most > 1 && crd_i_reader_has_more(reader)) {
            status = read_all_share(&shared, most, error);
            *size = most;
        }
        if (status == CRD_OK && is_found) crd_i_thread_pool_run(context, *size, take_frames, &shared);
    }
    if (status == CRD_OK) status = read_all_find_end(&shared, *size, error);
    crd_free(context, shared.members);
    return status;
}

crd_status crd_i_reader_read_all(crd_reader *reader, crd_error *error) {
    return crd_i_reader_make_passes(reader, read_pass, reader, error);
}
