/* Whole files: replaced or left alone, never half written; and the lock beside a model. */
#include "io/file.h"

#include <credence/model.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char path[128];

static int set_up(void **state) {
    crd_context *context = NULL;
    snprintf(folder, sizeof folder, "/tmp/credence-io-XXXXXX");
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

static void what_is_written_is_read(void **state) {
    write_text(*state, "one");
    assert_holds(*state, "one");
    write_text(*state, "");
    assert_holds(*state, "");
    unsigned char first[2];
    size_t length = 9;
    write_text(*state, "three");
    assert_int_equal(crd_i_file_peek(*state, path, first, sizeof first, &length, NULL), CRD_OK);
    assert_int_equal(length, 2);
    assert_memory_equal(first, "th", 2);
    assert_int_equal(entries_in_folder(), 1);
}

static void mode_and_link_survive_replacement(void **state) {
    char link_path[160];
    struct stat facts;
    write_text(*state, "old");
    assert_int_equal(chmod(path, 0600), 0);
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    assert_int_equal(symlink("file", link_path), 0);
    assert_int_equal(crd_i_file_write(*state, link_path, (const unsigned char *)"new", 3, NULL), CRD_OK);
    assert_int_equal(lstat(link_path, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_holds(*state, "new");
    assert_int_equal(unlink(link_path), 0);
}

/* A file size limit stands in for a full disk: write() fails in the middle either way. */
static void a_write_that_fails_leaves_the_old_file_alone(void **state) {
    write_text(*state, "old");
    static unsigned char large[100000];
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 5000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    crd_error error;
    crd_status status = crd_i_file_write(*state, path, large, sizeof large, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, CRD_ERROR_SYSTEM);
    assert_int_equal(error.system_error, EFBIG);
    assert_string_equal(error.place, path);
    assert_holds(*state, "old");
    assert_int_equal(entries_in_folder(), 1);
}

static void a_device_is_written_to_and_not_replaced(void **state) {
    struct stat facts;
    crd_error error;
    assert_int_equal(crd_i_file_write(*state, "/dev/null", (const unsigned char *)"x", 1, NULL), CRD_OK);
    assert_int_equal(stat("/dev/null", &facts), 0);
    assert_true(S_ISCHR(facts.st_mode));
    if (access("/dev/full", W_OK) != 0) return;
    assert_int_equal(crd_i_file_write(*state, "/dev/full", (const unsigned char *)"x", 1, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(error.system_error, ENOSPC);
}

static void folders_and_absent_files_are_errors_with_place(void **state) {
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_error error;
    assert_int_equal(crd_i_file_read(*state, "/nonexistent/x", &bytes, &length, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(error.system_error, ENOENT);
    assert_string_equal(error.place, "/nonexistent/x");
    assert_null(bytes);
    assert_int_equal(crd_i_file_read(*state, folder, &bytes, &length, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(error.system_error, EISDIR);
    assert_int_equal(crd_i_file_write(*state, folder, (const unsigned char *)"x", 1, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(crd_i_file_write(*state, "/nonexistent/x", (const unsigned char *)"x", 1, &error),
                     CRD_ERROR_SYSTEM);
    assert_string_equal(error.place, "/nonexistent/x");
}

/* A rename alone would replace it without asking. Root may write anything, so a child that is nobody tries. */
static void a_file_that_may_not_be_written_is_left_alone(void **state) {
    write_text(*state, "old");
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    pid_t child = fork();
    if (child == 0) {
        crd_error error;
        if (getuid() == 0 && setuid(65534) != 0) _exit(2);
        bool refused = crd_i_file_write(*state, path, (const unsigned char *)"new", 3, &error) == CRD_ERROR_SYSTEM;
        _exit(refused && error.system_error == EACCES ? 0 : 1);
    }
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    assert_holds(*state, "old");
    assert_int_equal(chmod(path, 0644), 0);
}

static void cancelling_leaves_the_old_file_alone(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    write_text(context, "old");
    crd_context_cancel(context);
    assert_int_equal(crd_i_file_write(context, path, (const unsigned char *)"new", 3, NULL), CRD_ERROR_CANCELLED);
    assert_int_equal(entries_in_folder(), 1);
    crd_context_destroy(context);
    assert_holds(*state, "old");
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
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(mode_and_link_survive_replacement),
        cmocka_unit_test(a_write_that_fails_leaves_the_old_file_alone),
        cmocka_unit_test(a_device_is_written_to_and_not_replaced),
        cmocka_unit_test(folders_and_absent_files_are_errors_with_place),
        cmocka_unit_test(a_file_that_may_not_be_written_is_left_alone),
        cmocka_unit_test(cancelling_leaves_the_old_file_alone),
        cmocka_unit_test(lock_keeps_processes_apart),
        cmocka_unit_test(a_lock_where_nothing_can_be_written_says_so),
    };
    return cmocka_run_group_tests_name("io_file", tests, set_up, tear_down);
}
