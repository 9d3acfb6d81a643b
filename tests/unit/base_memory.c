/* SPDX-License-Identifier: MIT */
/* Allocation through the context: overflow, failure, growth; buffers; what a context is made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An allocator that counts, and refuses when told to. */
typedef struct memory_ledger {
    size_t calls, last_bytes;
    long live;
    bool refuse;
} memory_ledger;

static void *ledger_resize(void *user, void *block, size_t bytes) {
    memory_ledger *book = user;
    if (bytes == 0) {
        if (block != NULL) book->live--;
        free(block);
        return NULL;
    }
    book->calls++;
    book->last_bytes = bytes;
    if (book->refuse) return NULL;
    if (block == NULL) book->live++;
    return realloc(block, bytes);
}

static memory_ledger book;
static crd_context *context;
static char logged[2000];

static void keep_log(void *user, const crd_log_record *record) {
    assert_ptr_equal(user, &book);
    assert_true(record->size == sizeof *record);
    assert_int_equal(record->level, CRD_LOG_NOTE);
    assert_int_equal(record->code, CRD_LOG_COLUMNS_MISSING);
    assert_string_equal(record->subject, "petal");
    snprintf(logged, sizeof logged, "%s", record->message);
}

static int begin_context(void **state) {
    (void)state;
    memset(&book, 0, sizeof book);
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = ledger_resize;
    options.resize_user = &book;
    options.log = keep_log;
    options.log_user = &book;
    return crd_context_create(&options, &context) == CRD_OK ? 0 : -1;
}

static int end_context(void **state) {
    (void)state;
    crd_context_destroy(context);
    return book.live == 0 ? 0 : -1;
}

static void test_alloc(void **state) {
    (void)state;
    unsigned char *zeroed = crd_i_alloc_zeroed(context, 10, 10);
    for (size_t i = 0; i < 100; i++) assert_int_equal(zeroed[i], 0);
    crd_free(context, zeroed);
    void *none = crd_i_alloc(context, 0, 8);
    assert_non_null(none);
    crd_free(context, none);
    crd_free(context, NULL);
    /* Products that wrap around are refused without a call. */
    size_t calls = book.calls;
    assert_null(crd_i_alloc(context, SIZE_MAX / 2 + 1, 2));
    assert_null(crd_i_alloc(context, SIZE_MAX, SIZE_MAX));
    assert_null(crd_i_alloc_zeroed(context, SIZE_MAX / 4 + 1, 4));
    assert_int_equal(book.calls, calls);
    book.refuse = true;
    assert_null(crd_i_alloc(context, 1, 1));
    assert_null(crd_i_alloc_zeroed(context, 1, 1));
}

static void test_reserve(void **state) {
    (void)state;
    uint64_t *items = NULL;
    size_t capacity = 0;
    assert_true(crd_i_reserve(context, &items, &capacity, 1, sizeof *items));
    assert_true(capacity >= 1);
    items[0] = 42;
    size_t calls = book.calls;
    for (size_t count = 1; count <= 10000; count++) {
        assert_true(crd_i_reserve(context, &items, &capacity, count, sizeof *items));
        assert_true(capacity >= count);
        items[count - 1] = count;
    }
    /* Doubling: a handful of calls, not thousands. */
    assert_true(book.calls - calls < 15);
    for (size_t i = 0; i < 10000; i++) assert_int_equal(items[i], i + 1);

    /* Failures, by overflow or refusal, leave everything as it was. */
    uint64_t *before = items;
    size_t capacity_before = capacity;
    calls = book.calls;
    assert_false(crd_i_reserve(context, &items, &capacity, SIZE_MAX, sizeof *items));
    assert_false(crd_i_reserve(context, &items, &capacity, SIZE_MAX / sizeof *items + 1, sizeof *items));
    assert_int_equal(book.calls, calls);
    book.refuse = true;
    assert_false(crd_i_reserve(context, &items, &capacity, capacity + 1, sizeof *items));
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, capacity_before);
    assert_int_equal(items[9999], 10000);
    crd_free(context, items);
}

static void test_buffer(void **state) {
    (void)state;
    crd_i_buffer buffer = {.context = context};
    assert_true(crd_i_buffer_append(&buffer, NULL, 0));
    assert_int_equal(buffer.length, 0);
    for (int i = 0; i < 1000; i++) assert_true(crd_i_buffer_append(&buffer, "abc", 3));
    assert_int_equal(buffer.length, 3000);
    assert_memory_equal(buffer.bytes + 2997, "abc", 3);
    unsigned char *space = crd_i_buffer_room(&buffer, 5000);
    assert_ptr_equal(space, buffer.bytes + 3000);
    assert_int_equal(buffer.length, 3000);
    assert_true(buffer.capacity >= 8000);
    assert_null(crd_i_buffer_room(&buffer, SIZE_MAX - 10));
    book.refuse = true;
    assert_false(crd_i_buffer_append(&buffer, buffer.bytes, buffer.capacity));
    assert_int_equal(buffer.length, 3000);
    assert_memory_equal(buffer.bytes, "abcabc", 6);
    crd_i_buffer_clear(&buffer);
    assert_null(buffer.bytes);
    assert_int_equal(buffer.capacity, 0);
}

static void test_context_options(void **state) {
    (void)state;
    const crd_text subject = crd_text_of("petal");
    crd_context *other = context;
    assert_int_equal(crd_context_create(NULL, NULL), CRD_ERROR_ARGUMENT);
    crd_context_options options = {0};
    assert_int_equal(crd_context_create(&options, &other), CRD_ERROR_ARGUMENT);
    assert_null(other);
    /* A caller compiled with fewer fields: what lies behind its size is not looked at. */
    options.size = offsetof(crd_context_options, log);
    options.resize = ledger_resize;
    options.resize_user = &book;
    options.log = keep_log;
    assert_int_equal(crd_context_create(&options, &other), CRD_OK);
    assert_null(other->log);
    crd_i_context_log(other, CRD_LOG_WARNING, CRD_LOG_COLUMNS_MISSING, subject, "nobody listens");
    crd_context_destroy(other);
    book.refuse = true;
    assert_int_equal(crd_context_create(&options, &other), CRD_ERROR_MEMORY);
    assert_null(other);
    assert_int_equal(crd_context_create(NULL, &other), CRD_OK);
    crd_context_destroy(other);
    crd_context_destroy(NULL);
    crd_context_cancel(NULL);
    crd_context_resume(NULL);
}

static void test_log_cancel_and_serials(void **state) {
    (void)state;
    const crd_text subject = crd_text_of("petal");
    crd_i_context_log(context, CRD_LOG_NOTE, CRD_LOG_COLUMNS_MISSING, subject, "%d rows of %s", 3, "x");
    assert_string_equal(logged, "3 rows of x");
    char long_text[1500];
    memset(long_text, 'y', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    crd_i_context_log(context, CRD_LOG_NOTE, CRD_LOG_COLUMNS_MISSING, subject, "%s", long_text);
    assert_int_equal(strlen(logged), 999);
    assert_false(crd_i_context_cancelled(context));
    crd_context_cancel(context);
    assert_true(crd_i_context_cancelled(context));
    crd_context_resume(context);
    assert_false(crd_i_context_cancelled(context));
    uint64_t first = crd_i_context_serial(context);
    assert_true(crd_i_context_serial(context) > first);
}

/* An older caller's struct ends early: nothing behind it is touched, and what it says of its size stays. */
static void test_copy_out(void **state) {
    (void)state;
    typedef struct memory_facts {
        size_t size;
        int first, second;
        char more[32];
    } memory_facts;
    const memory_facts ours = {sizeof(memory_facts), 1, 2, "new"};
    for (size_t size = 0; size <= sizeof(memory_facts) + 8; size++) {
        memory_facts caller, before;
        memset(&caller, 0x55, sizeof caller);
        caller.size = size;
        before = caller;
        crd_i_copy_out(&ours, sizeof ours, &caller);
        size_t filled = size < sizeof ours ? size : sizeof ours;
        if (filled < sizeof size) filled = sizeof size;
        assert_int_equal(caller.size, size);
        assert_memory_equal((char *)&caller + sizeof size, (const char *)&ours + sizeof size, filled - sizeof size);
        assert_memory_equal((char *)&caller + filled, (char *)&before + filled, sizeof caller - filled);
    }
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, begin_context, end_context)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(test_alloc),  IN_CONTEXT(test_reserve),         IN_CONTEXT(test_copy_out),
        IN_CONTEXT(test_buffer), IN_CONTEXT(test_context_options), IN_CONTEXT(test_log_cancel_and_serials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
