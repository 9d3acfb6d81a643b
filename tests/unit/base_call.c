/* SPDX-License-Identifier: MIT */
/* Options of calls: threads, deadline, cancel flag, polling and progress, for the thread that began the bracket and for
 * the threads that work for it; nested brackets; and after a fork. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/call.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static crd_context *context, *other;

static int setup(void **state) {
    (void)state;
    return crd_context_create(NULL, &context) == CRD_OK && crd_context_create(NULL, &other) == CRD_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    crd_context_destroy(context);
    crd_context_destroy(other);
    return 0;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Works until it is stopped, or for ten seconds. */
static void work_on(void *state, unsigned member) {
    crd_status *statuses = state;
    double begun = seconds();
    while (!crd_i_context_cancelled(context) && seconds() < begun + 10) continue;
    statuses[member] = crd_i_fail_cancelled(NULL);
}

/* As work_on, but the caller's own thread has nothing to do and waits for the others. */
static void let_work(void *state, unsigned member) {
    if (member > 0) work_on(state, member);
}

static void test_deadline(void **state) {
    (void)state;
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    crd_status statuses[3] = {CRD_OK, CRD_OK, CRD_OK};
    options.deadline = 0.05;
    double begun = seconds();
    assert_int_equal(crd_call_begin(context, &options), CRD_OK);
    assert_false(crd_i_context_cancelled(context));
    crd_i_thread_pool_run(context, 3, work_on, statuses);
    double took = seconds() - begun;
    for (size_t i = 0; i < 3; i++) assert_int_equal(statuses[i], CRD_ERROR_DEADLINE);
    assert_true(took >= 0.04 && took < 2);
    assert_true(crd_i_context_cancelled(context)); /* until the end of the bracket */
    assert_false(crd_i_context_cancelled(other));
    crd_call_end(context);
    assert_false(crd_i_context_cancelled(context));
    assert_int_equal(crd_i_fail_cancelled(NULL), CRD_ERROR_CANCELLED);
}

static void test_flag(void **state) {
    (void)state;
    int flag = 0;
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    options.cancel = &flag;
    assert_int_equal(crd_call_begin(context, &options), CRD_OK);
    assert_false(crd_i_context_cancelled(context));
    flag = 1;
    assert_true(crd_i_context_cancelled(context));
    flag = 0;
    assert_true(crd_i_context_cancelled(context));
    crd_error error;
    assert_int_equal(crd_i_fail_cancelled(&error), CRD_ERROR_CANCELLED);
    assert_int_equal(error.status, CRD_ERROR_CANCELLED);
    crd_call_end(context);
}

typedef struct call_report {
    pthread_t owner;
    unsigned polls, reports, most_polls;
    double done, total;
    char stage[32];
} call_report;

static int poll_now(void *user) {
    call_report *record = user;
    assert_true(pthread_equal(record->owner, pthread_self()));
    /* The library may be used meanwhile, without being called back. */
    crd_i_context_cancelled(context);
    return ++record->polls >= record->most_polls;
}

static void report(void *user, const char *stage, double done, double total) {
    call_report *record = user;
    assert_true(pthread_equal(record->owner, pthread_self()));
    snprintf(record->stage, sizeof record->stage, "%s", stage);
    record->reports++;
    record->done = done;
    record->total = total;
}

static void test_callbacks(void **state) {
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        call_report record = {.owner = pthread_self(), .most_polls = 6};
        crd_status statuses[3] = {CRD_OK, CRD_OK, CRD_OK};
        crd_call_options options = CRD_CALL_OPTIONS_INIT;
        crd_i_stage stage, inner;
        options.poll = poll_now;
        options.progress = report;
        options.user = &record;
        assert_int_equal(crd_call_begin(context, &options), CRD_OK);
        crd_i_stage_begin(&stage, "counting", 10);
        crd_i_stage_begin(&inner, "within", 2);
        crd_i_stage_add(&stage, 4);
        crd_i_stage_add(&inner, 1);
        crd_i_thread_pool_run(context, 3, waits ? let_work : work_on, statuses);
        crd_i_stage_end(&inner);
        crd_i_stage_end(&stage);
        assert_int_equal(record.polls, 6);
        assert_true(record.reports >= 1);
        assert_string_equal(record.stage, "counting");
        assert_true(record.done == 4 && record.total == 10);
        assert_int_equal(statuses[1], CRD_ERROR_CANCELLED);
        crd_call_end(context);
    }
}

static void test_nested(void **state) {
    (void)state;
    crd_call_options outer = CRD_CALL_OPTIONS_INIT, inner = CRD_CALL_OPTIONS_INIT;
    int flag = 1;
    outer.threads = 3;
    inner.threads = 2;
    inner.cancel = &flag;
    assert_int_equal(crd_i_thread_pool_size(8), 8);
    assert_int_equal(crd_call_begin(context, &outer), CRD_OK);
    assert_int_equal(crd_i_thread_pool_size(8), 3);
    assert_int_equal(crd_call_begin(context, &inner), CRD_OK);
    assert_int_equal(crd_i_thread_pool_size(8), 2);
    assert_int_equal(crd_i_thread_pool_size(1), 1);
    assert_true(crd_i_context_cancelled(context));
    crd_call_end(context);
    assert_false(crd_i_context_cancelled(context));
    assert_int_equal(crd_i_thread_pool_size(8), 3);
    crd_call_end(other); /* has none */
    crd_call_end(context);
    crd_call_end(context);
    assert_int_equal(crd_i_thread_pool_size(8), 8);
}

static void test_refused(void **state) {
    (void)state;
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    options.deadline = -1;
    assert_int_equal(crd_call_begin(context, &options), CRD_ERROR_ARGUMENT);
    options.size = 0;
    assert_int_equal(crd_call_begin(context, &options), CRD_ERROR_ARGUMENT);
    assert_null(crd_i_call_current());
    assert_int_equal(crd_call_begin(context, NULL), CRD_OK);
    crd_call_end(context);
}

static void add_one(void *state, unsigned member) {
    (void)member;
    atomic_fetch_add((atomic_uint *)state, 1);
}

/* No thread stays behind that a child would miss. */
static void test_fork(void **state) {
    (void)state;
    atomic_uint sum = 0;
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    assert_int_equal(crd_call_begin(context, &options), CRD_OK);
    crd_i_thread_pool_run(context, 4, add_one, &sum);
    pid_t child = fork();
    if (child == 0) {
        crd_i_thread_pool_run(context, 4, add_one, &sum);
        crd_call_end(context);
        _exit(atomic_load(&sum) == 8 ? 0 : 1);
    }
    int ended = -1;
    assert_true(child > 0 && waitpid(child, &ended, 0) == child);
    assert_int_equal(ended, 0);
    crd_call_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadline), cmocka_unit_test(test_flag),    cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_nested),   cmocka_unit_test(test_refused), cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
