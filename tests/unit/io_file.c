/* SPDX-License-Identifier: MIT */
/* Whole files: replaced or left alone, never half written. */
#include "io/page_source.h"

#include <credence/model.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/* A link whose file is still to come, through another link, from another folder than ours. */
static void a_link_that_leads_nowhere_yet_is_written_through(void **state) {
    char first[160], second[160];
    struct stat facts;
    unlink(path);
    snprintf(first, sizeof first, "%s/first", folder);
    snprintf(second, sizeof second, "%s/second", folder);
    assert_int_equal(symlink("second", first), 0);
    assert_int_equal(symlink(path, second), 0);
    assert_int_equal(crd_i_file_write(*state, first, (const unsigned char *)"new", 3, NULL), CRD_OK);
    assert_int_equal(lstat(first, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(lstat(second, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_holds(*state, "new");
    assert_int_equal(unlink(first), 0);
    assert_int_equal(unlink(second), 0);
}

static void links_in_a_circle_are_reported_and_stay(void **state) {
    char link_path[160];
    crd_error error;
    struct stat facts;
    snprintf(link_path, sizeof link_path, "%s/circle", folder);
    assert_int_equal(symlink("circle", link_path), 0);
    assert_int_equal(crd_i_file_write(*state, link_path, (const unsigned char *)"x", 1, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(error.system_error, ELOOP);
    assert_string_equal(error.place, link_path);
    assert_int_equal(lstat(link_path, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(unlink(link_path), 0);
}

/* Peeking at a pipe would take bytes from the one who reads it next, so it has to see none, and not even wait. */
static void a_pipe_is_not_peeked_at(void **state) {
    char pipe_path[160], left[8];
    unsigned char first[4];
    size_t length = 9;
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(crd_i_file_peek(*state, pipe_path, first, sizeof first, &length, NULL), CRD_OK);
    assert_int_equal(length, 0);
    int both = open(pipe_path, O_RDWR);
    assert_true(both >= 0);
    assert_int_equal(write(both, "a,b\n", 4), 4);
    assert_int_equal(crd_i_file_peek(*state, pipe_path, first, sizeof first, &length, NULL), CRD_OK);
    assert_int_equal(length, 0);
    assert_int_equal(read(both, left, sizeof left), 4);
    assert_memory_equal(left, "a,b\n", 4);
    close(both);
    assert_int_equal(unlink(pipe_path), 0);
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

static void write_beside(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* What a killed writer leaves is nobody's; what a living one writes is locked, and stays. */
static void files_left_by_the_killed_go_and_those_of_the_living_stay(void **state) {
    char first[160], second[160], both[8] = "";
    snprintf(first, sizeof first, "%s.writing-0", path);
    snprintf(second, sizeof second, "%s.writing-1", path);
    write_beside(first, "half");
    write_text(*state, "one");
    assert_holds(*state, "one");
    assert_int_equal(entries_in_folder(), 1);

    write_beside(first, "mine");
    write_beside(second, "half");
    int living = open(first, O_RDWR);
    assert_true(living >= 0);
    assert_int_equal(flock(living, LOCK_EX | LOCK_NB), 0);
    write_text(*state, "two");
    assert_holds(*state, "two");
    assert_int_equal(entries_in_folder(), 2);
    assert_int_equal(read(living, both, sizeof both), 4);
    assert_string_equal(both, "mine");
    close(living);
    assert_int_equal(unlink(first), 0);
}

/* A name that is as long as names can be leaves no room for an ending. */
static void names_may_be_as_long_as_they_can(void **state) {
    enum { MOST = 255 };
    write_text(*state, "short");
    int entries = entries_in_folder();
    for (size_t length = MOST - 16; length <= MOST; length++) {
        char name[512];
        size_t used = (size_t)snprintf(name, sizeof name, "%s/", folder), first = used;
        /* Characters of three bytes, so that some would be cut in two. */
        while (used + 3 <= first + length) memcpy(name + used, "\xe2\x82\xac", 3), used += 3;
        while (used < first + length) name[used++] = 'x';
        name[used] = '\0';
        for (int round = 0; round < 2; round++) {
            unsigned char *bytes = NULL;
            crd_error error;
            assert_int_equal(crd_i_file_write(*state, name, (const unsigned char *)"long", 4, &error), CRD_OK);
            assert_int_equal(crd_i_file_read(*state, name, &bytes, &used, NULL), CRD_OK);
            assert_int_equal(used, 4);
            crd_free(*state, bytes);
        }
        assert_int_equal(entries_in_folder(), entries + 1);
        size_t kept = crd_i_output_file_short_name(name);
        assert_true(kept > first + 60 && kept <= first + 64 && (kept - first) % 3 == 0);
        assert_int_equal(unlink(name), 0);
    }
    assert_int_equal(crd_i_output_file_short_name("a/b"), 3);
}

/* Whoever may give files away leaves them with their owner; else nobody is allowed more than before. */
static void the_owner_stays_where_it_can(void **state) {
    enum { OWNER = 12345, GROUP = 23456, OTHER = 12346 };
    struct stat facts;
    if (geteuid() != 0) skip();
    write_text(*state, "one");
    assert_int_equal(chown(path, OWNER, GROUP), 0);
    assert_int_equal(chmod(path, 0640), 0);
    write_text(*state, "two");
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_uid, OWNER);
    assert_int_equal(facts.st_gid, GROUP);
    assert_int_equal(facts.st_mode & 07777, 0640);

    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(chmod(path, 0672), 0);
    pid_t child = fork();
    if (child == 0) {
        if (setgid(OTHER) != 0 || setuid(OTHER) != 0) _exit(2);
        _exit(crd_i_file_write(*state, path, (const unsigned char *)"three", 5, NULL) != CRD_OK);
    }
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_uid, OTHER);
    assert_int_equal(facts.st_mode & 07777, 0622);
}

/* A link or a pipe of that name is somebody else's: neither followed nor waited for nor removed. */
static void what_is_no_file_of_ours_is_not_taken_for_one(void **state) {
    char first[160], second[160], other[160];
    struct stat facts;
    snprintf(first, sizeof first, "%s.writing-0", path);
    snprintf(second, sizeof second, "%s.writing-1", path);
    snprintf(other, sizeof other, "%s/other", folder);
    write_beside(other, "other");
    assert_int_equal(symlink("other", first), 0);
    assert_int_equal(mkfifo(second, 0600), 0);
    write_text(*state, "new");
    assert_holds(*state, "new");
    assert_int_equal(lstat(first, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(lstat(second, &facts), 0);
    assert_true(S_ISFIFO(facts.st_mode));
    assert_int_equal(stat(other, &facts), 0);
    assert_int_equal(facts.st_size, 5);
    assert_int_equal(unlink(first), 0);
    assert_int_equal(unlink(second), 0);
    assert_int_equal(unlink(other), 0);
}

/* Threads that save to one path at a time leave one of their contents whole. */
static void *save_often(void *context) {
    static unsigned char large[1 << 16];
    for (int i = 0; i < 40; i++)
        if (crd_i_file_write(context, path, large, sizeof large, NULL) != CRD_OK) return context;
    return NULL;
}

static void threads_do_not_take_each_others_files(void **state) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct stat facts;
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, save_often, *state), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed = *state;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_size, 1 << 16);
    assert_int_equal(entries_in_folder(), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(mode_and_link_survive_replacement),
        cmocka_unit_test(a_link_that_leads_nowhere_yet_is_written_through),
        cmocka_unit_test(links_in_a_circle_are_reported_and_stay),
        cmocka_unit_test(a_pipe_is_not_peeked_at),
        cmocka_unit_test(a_write_that_fails_leaves_the_old_file_alone),
        cmocka_unit_test(a_device_is_written_to_and_not_replaced),
        cmocka_unit_test(folders_and_absent_files_are_errors_with_place),
        cmocka_unit_test(a_file_that_may_not_be_written_is_left_alone),
        cmocka_unit_test(cancelling_leaves_the_old_file_alone),
        cmocka_unit_test(files_left_by_the_killed_go_and_those_of_the_living_stay),
        cmocka_unit_test(names_may_be_as_long_as_they_can),
        cmocka_unit_test(the_owner_stays_where_it_can),
        cmocka_unit_test(what_is_no_file_of_ours_is_not_taken_for_one),
        cmocka_unit_test(threads_do_not_take_each_others_files),
    };
    return cmocka_run_group_tests_name("io_file", tests, set_up, tear_down);
}
