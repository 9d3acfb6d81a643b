/* SPDX-License-Identifier: MIT */
/* Ids of several processes: the first that comes back is found in all of them, unless a row before it could not be read; and they run short of
 * memory together. */
#include "collective_support.h"
#include "model_support.h"
#include "sequence/data/sequences.h"

#include <signal.h>

enum { PART = 1000, OWN = 40, AGAIN = 3 };

/* Process p has the ids p-0 to p-39 at p * 1000 and behind; every process from the second on has also those of the first three before it, in
 * such an order that 0-2 comes back first. */
typedef struct ids_job {
    uint64_t ended; /* of the last process; UINT64_MAX: it has read all rows */
    uint64_t begins, returns;
    const char *id;
    size_t left;
} ids_job;

static bool add_ids(crd_i_buffer *ids, unsigned rank) {
    char id[32];
    bool done = true;
    for (unsigned i = 0; done && i < OWN; i++) {
        snprintf(id, sizeof id, "%u-%u", rank, i);
        done = crd_i_shared_ids_add(ids, crd_text_of(id), rank * PART + i);
    }
    for (unsigned i = 0; done && rank > 0 && i < AGAIN; i++) {
        snprintf(id, sizeof id, "%u-%u", rank - 1, AGAIN - 1 - i);
        done = crd_i_shared_ids_add(ids, crd_text_of(id), rank * PART + OWN + i);
    }
    return done;
}

static crd_status compare(crd_context *context, const ids_job *job, crd_i_returned_id *id, crd_error *error) {
    crd_i_buffer ids = {.context = context};
    const unsigned rank = context->processes.communicator.rank;
    const bool is_last = rank + 1 == context->processes.communicator.count;
    crd_status status = add_ids(&ids, rank) ? CRD_OK : CRD_ERROR_MEMORY;
    if (status == CRD_OK)
        status = crd_i_shared_ids_compare(context, &ids, is_last ? job->ended : UINT64_MAX, id, error);
    crd_i_buffer_clear(&ids);
    return status;
}

static bool find(crd_context *context, void *state) {
    const ids_job *job = state;
    crd_i_returned_id returned = {0};
    crd_error error;
    const bool done = compare(context, job, &returned, &error) == CRD_OK;
    const bool is_right =
        returned.begins == job->begins && returned.returns == job->returns &&
        crd_text_equal((crd_text){(const char *)returned.id.bytes, returned.id.length}, crd_text_of(job->id));
    crd_i_buffer_clear(&returned.id);
    crd_context_destroy(context);
    return done && is_right;
}

static void the_first_id_that_comes_back_is_found(void **state) {
    (void)state;
    for (unsigned count = 2; count <= 5; count++) {
        ids_job all = {.ended = UINT64_MAX, .begins = 2, .returns = PART + OWN, .id = "0-2"};
        assert_true(run_group(count, find, &all));
        const uint64_t last = (count - 1) * PART;
        ids_job late = {.ended = last + OWN + AGAIN, .begins = 2, .returns = PART + OWN, .id = "0-2"};
        assert_true(run_group(count, find, &late));
    }
    ids_job early = {.ended = PART + 1, .begins = UINT64_MAX, .returns = PART + 1, .id = ""};
    assert_true(run_group(2, find, &early));
}

static void *resize_or_fail(void *user, void *block, size_t bytes) {
    ids_job *job = user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    if (job->left > 0) job->left--;
    return job->left == 0 ? NULL : realloc(block, bytes);
}

static bool run_short(crd_context *context, void *state) {
    ids_job job = *(const ids_job *)state;
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    crd_context *poor = NULL;
    crd_i_returned_id returned = {0};
    crd_error error;
    options.communicator = &context->processes.communicator;
    if (context->processes.communicator.rank != 1) job.left = SIZE_MAX;
    options.resize = resize_or_fail;
    options.resize_user = &job;
    if (crd_context_create(&options, &poor) != CRD_OK) return false;
    const crd_status status = compare(poor, &job, &returned, &error);
    /* A process that fails before the call is gone for the others. */
    const bool is_right = status == CRD_OK || status == CRD_ERROR_MEMORY || status == CRD_ERROR_SYSTEM;
    crd_i_buffer_clear(&returned.id);
    crd_context_destroy(poor);
    crd_context_destroy(context);
    return is_right;
}

static void processes_run_short_of_memory_together(void **state) {
    (void)state;
    for (size_t left = 2; left < 60; left++) {
        ids_job job = {.ended = UINT64_MAX, .left = left};
        assert_true(run_group(4, run_short, &job));
    }
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_id_that_comes_back_is_found),
                                       cmocka_unit_test(processes_run_short_of_memory_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
