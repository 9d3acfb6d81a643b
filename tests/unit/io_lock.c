/* SPDX-License-Identifier: MIT */
/* The lock beside a model: one holder at a time, in this process and in others. */
#include "io/page_source.h"

#include <credence/model.h>

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char path[128];

static int set_up(void **state) {
    crd_context *context = NULL;
    snprintf(folder, sizeof folder, "/tmp/credence-lock-XXXXXX");
    if (mkdtemp(folder) == NULL || crd_context_create(NULL, &context) != CRD_OK) return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    *state = context;
    return 0;
}

static int tear_down(void **state) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    crd_context_destroy(*state);
    return system(command);
}

static void write_text(crd_context *context, const char *text) {
    crd_error error;
    assert_int_equal(crd_i_file_write(context, path, (const unsigned char *)text, strlen(text), &error), CRD_OK);
}

static void assert_holds(crd_context *context, const char *text) {
    unsigned char *bytes = NULL;
    size_t length = 0;
    assert_int_equal(crd_i_file_read(context, path, &bytes, &length, NULL), CRD_OK);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(bytes, text, length);
    crd_free(context, bytes);
}

static int entries_in_folder(void) {
    char command[160];
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
    FILE *pipe = popen(command, "r");
    int count = -1;
    if (pipe == NULL || fscanf(pipe, "%d", &count) != 1) count = -1;
    if (pipe != NULL) pclose(pipe);
    return count;
}

/* Children each add one to a number in a file, under the lock; without it, updates would be lost. */
static void lock_keeps_processes_apart(void **state) {
    enum { CHILDREN = 6, ROUNDS = 20 };
    write_text(*state, "0");
    for (int child = 0; child < CHILDREN; child++) {
        if (fork() != 0) continue;
        for (int round = 0; round < ROUNDS; round++) {
            crd_model_lock *lock = NULL;
            unsigned char *bytes = NULL;
            size_t length = 0;
            char next[16];
            if (crd_model_lock_take(*state, path, &lock, NULL) != CRD_OK) _exit(1);
            if (crd_i_file_read(*state, path, &bytes, &length, NULL) != CRD_OK || length > 10) _exit(2);
            memcpy(next, bytes, length);
            next[length] = '\0';
            crd_free(*state, bytes);
            snprintf(next, sizeof next, "%d", atoi(next) + 1);
            if (crd_i_file_write(*state, path, (unsigned char *)next, strlen(next), NULL) != CRD_OK) _exit(3);
            crd_model_lock_release(lock);
        }
        _exit(0);
    }
    for (int child = 0; child < CHILDREN; child++) {
        int result = -1;
        assert_true(wait(&result) > 0);
        assert_int_equal(result, 0);
    }
    assert_holds(*state, "120");
    assert_int_equal(entries_in_folder(), 1);
}

static void *cancel_soon(void *context) {
    const struct timespec pause = {0, 100000000};
    nanosleep(&pause, NULL);
    crd_context_cancel(context);
    return NULL;
}

/* Also from another thread, which interrupts no call of the system. */
static void waiting_for_a_lock_can_be_cancelled(void **state) {
    crd_context *context = NULL;
    crd_model_lock *mine = NULL, *lock = NULL;
    crd_error error;
    int ready[2], done[2];
    char byte = 0;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        close(done[1]);
        if (crd_model_lock_take(*state, path, &mine, NULL) != CRD_OK || write(ready[1], "x", 1) != 1) _exit(1);
        while (read(done[0], &byte, 1) > 0) continue;
        crd_model_lock_release(mine);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, context), 0);
    assert_int_equal(crd_model_lock_take(context, path, &lock, &error), CRD_ERROR_CANCELLED);
    assert_null(lock);
    assert_int_equal(pthread_join(thread, NULL), 0);
    close(done[1]);
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    close(done[0]);
    close(ready[0]);
    close(ready[1]);
    crd_context_destroy(context);
}

static int open_lock(const char *base_path) {
    char name[192];
    snprintf(name, sizeof name, "%s.lock", base_path);
    return open(name, O_RDWR);
}

/* Whether somebody who opens the lock file of `of` gets its lock. */
static bool lock_is_free(const char *base_path) {
    int file = open_lock(base_path);
    bool is_free = file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0;
    if (file >= 0) close(file);
    return is_free;
}

/* The same from another process. */
static bool child_gets_lock(const char *base_path) {
    pid_t child = fork();
    if (child == 0) _exit(lock_is_free(base_path) ? 0 : 1);
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    return result == 0;
}

/* Locks of fcntl belong to a process: a second take would succeed, and closing any descriptor would drop the lock. */
static void lock_excludes_inside_one_process(void **state) {
    crd_context *context = NULL;
    crd_model_lock *first = NULL, *second = NULL;
    pthread_t thread;
    write_text(*state, "model");
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_int_equal(crd_model_lock_take(*state, path, &first, NULL), CRD_OK);
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, context), 0);
    assert_int_equal(crd_model_lock_take(context, path, &second, NULL), CRD_ERROR_CANCELLED);
    assert_null(second);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(lock_is_free(path)); /* opens and closes the lock file */
    assert_false(child_gets_lock(path));
    crd_model_lock_release(first);
    assert_int_equal(entries_in_folder(), 1);
    crd_context_destroy(context);
}

typedef struct lock_increments {
    crd_context *context;
    atomic_int number; /* its load and store are apart: the lock makes them one */
    atomic_bool failed;
} lock_increments;

static void *increment_under_the_lock(void *user) {
    lock_increments *shared = user;
    for (int round = 0; round < 20; round++) {
        crd_model_lock *lock = NULL;
        if (crd_model_lock_take(shared->context, path, &lock, NULL) != CRD_OK) {
            shared->failed = true;
            return NULL;
        }
        int number = shared->number;
        const struct timespec pause = {0, 100000};
        nanosleep(&pause, NULL);
        shared->number = number + 1;
        crd_model_lock_release(lock);
    }
    return NULL;
}

static void lock_keeps_threads_apart(void **state) {
    enum { THREADS = 4 };
    lock_increments shared = {.context = *state};
    pthread_t threads[THREADS];
    write_text(*state, "model");
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, increment_under_the_lock, &shared), 0);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_false(shared.failed);
    assert_int_equal(shared.number, THREADS * 20);
    assert_int_equal(entries_in_folder(), 1);
}

/* The child shares the open file: were the lock released by closing it, the child would keep it. */
static void a_child_does_not_keep_a_lock_that_was_released(void **state) {
    crd_model_lock *lock = NULL;
    int done[2];
    char byte = 0;
    write_text(*state, "model");
    assert_int_equal(pipe(done), 0);
    assert_int_equal(crd_model_lock_take(*state, path, &lock, NULL), CRD_OK);
    int held = open_lock(path);
    pid_t child = fork();
    if (child == 0) {
        close(done[1]);
        while (read(done[0], &byte, 1) > 0) continue;
        _exit(0);
    }
    crd_model_lock_release(lock);
    assert_int_equal(flock(held, LOCK_EX | LOCK_NB), 0);
    close(held);
    close(done[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(done[0]);
}

static void a_link_and_its_file_share_a_lock(void **state) {
    char link_path[160];
    crd_model_lock *lock = NULL;
    write_text(*state, "model");
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    assert_int_equal(symlink("file", link_path), 0);
    assert_int_equal(crd_model_lock_take(*state, link_path, &lock, NULL), CRD_OK);
    assert_false(child_gets_lock(path));
    crd_model_lock_release(lock);
    assert_int_equal(unlink(link_path), 0);
    assert_int_equal(entries_in_folder(), 1);
}

/* Where somebody cleared our lock file away, the one there now is another's. */
static void a_lock_that_is_not_ours_stays(void **state) {
    char name[160];
    crd_model_lock *lock = NULL;
    write_text(*state, "model");
    snprintf(name, sizeof name, "%s.lock", path);
    assert_int_equal(crd_model_lock_take(*state, path, &lock, NULL), CRD_OK);
    assert_int_equal(unlink(name), 0);
    int other = open(name, O_RDWR | O_CREAT, 0600);
    assert_true(other >= 0);
    crd_model_lock_release(lock);
    assert_int_equal(access(name, F_OK), 0);
    close(other);
    assert_int_equal(unlink(name), 0);
}

/* A link in the lock's place would let others choose which file is made. */
static void a_link_is_no_lock(void **state) {
    char name[160], elsewhere[160];
    crd_model_lock *lock = NULL;
    crd_error error;
    snprintf(name, sizeof name, "%s.lock", path);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    assert_int_equal(symlink(elsewhere, name), 0);
    assert_int_equal(crd_model_lock_take(*state, path, &lock, &error), CRD_ERROR_SYSTEM);
    assert_string_equal(error.place, name);
    assert_null(lock);
    assert_int_not_equal(access(elsewhere, F_OK), 0);
    assert_int_equal(unlink(name), 0);
}

/* A file of the lock's name that holds something was there before. */
static void a_file_that_holds_something_stays(void **state) {
    char name[160], held[8] = "";
    crd_model_lock *lock = NULL;
    snprintf(name, sizeof name, "%s.lock", path);
    int other = open(name, O_RDWR | O_CREAT, 0600);
    assert_true(other >= 0);
    assert_int_equal(write(other, "notes", 5), 5);
    assert_int_equal(crd_model_lock_take(*state, path, &lock, NULL), CRD_OK);
    crd_model_lock_release(lock);
    assert_int_equal(access(name, F_OK), 0);
    assert_int_equal(pread(other, held, sizeof held, 0), 5);
    assert_string_equal(held, "notes");
    close(other);
    assert_int_equal(unlink(name), 0);
}

/* Names that leave no room for an ending, and differ in their last byte, have locks of their own. */
static void long_names_have_locks_of_their_own(void **state) {
    enum { MOST = 255 };
    char names[2][512];
    crd_model_lock *locks[2] = {NULL, NULL}, *again = NULL;
    crd_error error;
    int entries = entries_in_folder();
    for (int i = 0; i < 2; i++) {
        size_t used = (size_t)snprintf(names[i], sizeof names[i], "%s/", folder), first = used;
        while (used < first + MOST) names[i][used++] = 'm';
        names[i][used] = '\0';
        names[i][used - 1] = (char)('a' + i);
        assert_int_equal(crd_model_lock_take(*state, names[i], &locks[i], &error), CRD_OK);
    }
    assert_int_equal(entries_in_folder(), entries + 2);
    crd_context *other = NULL;
    assert_int_equal(crd_context_create(NULL, &other), CRD_OK);
    crd_context_cancel(other);
    assert_int_equal(crd_model_lock_take(other, names[0], &again, &error), CRD_ERROR_CANCELLED);
    crd_context_destroy(other);
    for (int i = 0; i < 2; i++) crd_model_lock_release(locks[i]);
    assert_int_equal(entries_in_folder(), entries);
}

static void a_lock_where_nothing_can_be_written_says_so(void **state) {
    crd_model_lock *lock = NULL;
    crd_error error;
    assert_int_equal(crd_model_lock_take(*state, "/nonexistent/m.crd", &lock, &error), CRD_ERROR_SYSTEM);
    assert_string_equal(error.place, "/nonexistent/m.crd.lock");
    assert_null(lock);
    crd_model_lock_release(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_a_lock_can_be_cancelled),
        cmocka_unit_test(lock_keeps_processes_apart),
        cmocka_unit_test(lock_keeps_threads_apart),
        cmocka_unit_test(lock_excludes_inside_one_process),
        cmocka_unit_test(a_child_does_not_keep_a_lock_that_was_released),
        cmocka_unit_test(a_link_and_its_file_share_a_lock),
        cmocka_unit_test(a_lock_that_is_not_ours_stays),
        cmocka_unit_test(a_link_is_no_lock),
        cmocka_unit_test(a_file_that_holds_something_stays),
        cmocka_unit_test(long_names_have_locks_of_their_own),
        cmocka_unit_test(a_lock_where_nothing_can_be_written_says_so),
    };
    return cmocka_run_group_tests_name("io_lock", tests, set_up, tear_down);
}
