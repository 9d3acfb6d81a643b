/* SPDX-License-Identifier: MIT */
/* Parallel loops: each item is worked on once, the first failure is reported for any number of threads, and workspaces
 * are cleared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <stdatomic.h>
#include <string.h>

enum { ITEMS = 500, MOST_FAILURES = 8 };

typedef struct loop_state {
    crd_context *context;
    atomic_uint calls[ITEMS]; /* by item */
    size_t failures[MOST_FAILURES];
    size_t failure_count;
    size_t cancels_at; /* the item that cancels the context, or ITEMS */
    atomic_uint opened, cleared;
} loop_state;

static loop_state loop;

static int setup(void **state) {
    (void)state;
    memset(&loop, 0, sizeof loop);
    loop.cancels_at = ITEMS;
    return crd_context_create(NULL, &loop.context) == CRD_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    crd_context_destroy(loop.context);
    return 0;
}

static crd_status count_item(void *state, void *workspace, size_t item, crd_error *error) {
    loop_state *counted = state;
    char **block = workspace;
    if (*block == NULL) {
        *block = crd_i_alloc(counted->context, 1, 1);
        if (*block == NULL) return crd_i_fail_memory(error);
        atomic_fetch_add(&counted->opened, 1);
    }
    atomic_fetch_add(&counted->calls[item], 1);
    if (item == counted->cancels_at) crd_context_cancel(counted->context);
    for (size_t i = 0; i < counted->failure_count; i++)
        if (counted->failures[i] == item) return crd_i_fail(error, CRD_ERROR_NUMBER, "item %zu", item);
    return CRD_OK;
}

static void clear_block(void *state, void *workspace) {
    loop_state *counted = state;
    char **block = workspace;
    if (*block != NULL) atomic_fetch_add(&counted->cleared, 1);
    crd_free(counted->context, *block);
}

static crd_status run(unsigned threads, size_t items, size_t *failed, crd_error *error) {
    crd_i_parallel_loop parallel = {.state = &loop,
                                    .items = items,
                                    .threads = threads,
                                    .work = count_item,
                                    .workspace_size = sizeof(char *),
                                    .clear = clear_block};
    crd_status status = crd_i_parallel_for(loop.context, &parallel, error);
    assert_int_equal(atomic_load(&loop.opened), atomic_load(&loop.cleared));
    *failed = parallel.failed;
    return status;
}

static void works_on_each_item_once(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 9; threads += 4) {
        size_t failed;
        memset(loop.calls, 0, sizeof loop.calls);
        assert_int_equal(run(threads, ITEMS, &failed, NULL), CRD_OK);
        assert_int_equal(failed, ITEMS);
        for (size_t item = 0; item < ITEMS; item++) assert_int_equal(atomic_load(&loop.calls[item]), 1);
        assert_int_equal(run(threads, 0, &failed, NULL), CRD_OK);
        assert_int_equal(failed, 0);
    }
}

static void reports_the_first_failure(void **state) {
    (void)state;
    static const size_t failures[] = {499, 130, 123, 400, 124};
    memcpy(loop.failures, failures, sizeof failures);
    loop.failure_count = sizeof failures / sizeof *failures;
    for (unsigned round = 0; round < 60; round++) {
        size_t failed;
        crd_error error;
        memset(loop.calls, 0, sizeof loop.calls);
        assert_int_equal(run(1 + round % 6, ITEMS, &failed, &error), CRD_ERROR_NUMBER);
        assert_int_equal(failed, 123);
        assert_string_equal(error.message, "item 123");
        for (size_t item = 0; item <= 123; item++) assert_int_equal(atomic_load(&loop.calls[item]), 1);
        if (round % 6 == 0) assert_int_equal(atomic_load(&loop.calls[124]), 0);
    }
}

static void stops_when_cancelled(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 5; threads += 4) {
        size_t failed;
        crd_error error;
        loop.cancels_at = 40;
        assert_int_equal(run(threads, ITEMS, &failed, &error), CRD_ERROR_CANCELLED);
        assert_true(failed < ITEMS && (threads > 1 || failed == 41));
        crd_context_resume(loop.context);
    }
}

static void takes_the_caller_workspaces(void **state) {
    (void)state;
    char *blocks[4] = {NULL};
    crd_i_parallel_loop parallel = {.state = &loop,
                                    .items = ITEMS,
                                    .threads = 4,
                                    .work = count_item,
                                    .workspaces = blocks,
                                    .workspace_size = sizeof *blocks};
    assert_int_equal(crd_i_parallel_for(loop.context, &parallel, NULL), CRD_OK);
    assert_true(atomic_load(&loop.opened) >= 1);
    for (size_t i = 0; i < 4; i++) crd_free(loop.context, blocks[i]);
    assert_int_equal(crd_i_parallel_members(4, 3), 3);
    assert_int_equal(crd_i_parallel_members(4, 0), 1);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(works_on_each_item_once), TEST(reports_the_first_failure),
                                       TEST(stops_when_cancelled), TEST(takes_the_caller_workspaces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
