/* SPDX-License-Identifier: MIT */
/* Forks beside and between calls, as workers of a Python program do: the child uses the library, with contexts and
 * models of its parent and its own. After a call no thread of the library is left. */
#include "model_support.h"
#include "sanitizer_support.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 20000 };

static char *table_text(void) {
    char *text = malloc(ROWS * 24 + 32), *cursor = text;
    assert_non_null(text);
    cursor += sprintf(cursor, "x,c,y\n");
    for (unsigned i = 0; i < ROWS; i++) cursor += sprintf(cursor, "%u.5,v%u,k%u\n", i * 7 % 101, i % 5, i * i % 3);
    return text;
}

/* Threads of the process; 0 where the system does not list them. */
static unsigned threads_now(void) {
    DIR *folder = opendir("/proc/self/task");
    unsigned count = 0;
    if (folder == NULL) return 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Trains by several threads, and whether that gives the same bytes. */
static bool trains(crd_context *context, const char *text, const model_bytes *wanted) {
    crd_model *model = NULL;
    crd_error error;
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_status status = train_text(context, text, "y", &model, &error);
    if (status == CRD_OK) status = crd_model_encode(model, &bytes, &length, &error);
    bool is_same = status == CRD_OK && length == wanted->length && memcmp(bytes, wanted->bytes, length) == 0;
    crd_free(context, bytes);
    crd_model_destroy(model);
    return is_same;
}

static bool child_succeeds(crd_context *context, const char *text, const model_bytes *wanted) {
    pid_t child = fork();
    if (child == 0) {
        crd_context *own_context = NULL;
        bool done = crd_context_create(NULL, &own_context) == CRD_OK && trains(own_context, text, wanted) &&
                    (context == NULL || trains(context, text, wanted));
        _exit(done ? 0 : 1);
    }
    int ended = -1;
    return child > 0 && waitpid(child, &ended, 0) == child && ended == 0;
}

static void test_between_calls(void **state) {
    (void)state;
    char *text = table_text();
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_model *model = trained(context, text, "y");
    model_bytes bytes = bytes_of(model, context);
    assert_true(threads_now() <= 1);
    assert_true(child_succeeds(context, text, &bytes));
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    options.threads = 3;
    options.deadline = 1000;
    assert_int_equal(crd_call_begin(context, &options), CRD_OK);
    assert_true(trains(context, text, &bytes));
    assert_true(threads_now() <= 1);
    assert_true(child_succeeds(context, text, &bytes));
    crd_call_end(context);
    free_bytes(bytes);
    crd_model_destroy(model);
    crd_context_destroy(context);
    free(text);
}

typedef struct fork_load {
    const char *text;
    const model_bytes *wanted;
    atomic_bool is_over;
    bool is_well;
} fork_load;

static void *keep_busy(void *argument) {
    fork_load *load = argument;
    crd_context *context = NULL;
    load->is_well = crd_context_create(NULL, &context) == CRD_OK;
    while (load->is_well && !load->is_over) load->is_well = trains(context, load->text, load->wanted);
    crd_context_destroy(context);
    return NULL;
}

/* While another thread is in a call, with threads of its own: the child has neither. The sanitizers' allocators keep their locks over a fork, so that a child may wait for a thread it does not have. */
static void test_during_calls(void **state) {
    (void)state;
    if (IS_SANITIZED) skip();
    char *text = table_text();
    crd_context *context;
    pthread_t thread;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_model *model = trained(context, text, "y");
    model_bytes bytes = bytes_of(model, context);
    fork_load other = {.text = text, .wanted = &bytes};
    assert_int_equal(pthread_create(&thread, NULL, keep_busy, &other), 0);
    for (int i = 0; i < 10; i++) assert_true(child_succeeds(context, text, &bytes));
    other.is_over = true;
    pthread_join(thread, NULL);
    assert_true(other.is_well);
    assert_true(threads_now() <= 1);
    free_bytes(bytes);
    crd_model_destroy(model);
    crd_context_destroy(context);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_between_calls), cmocka_unit_test(test_during_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
