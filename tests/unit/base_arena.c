/* SPDX-License-Identifier: MIT */
/* Arenas: alignment, disjoint allocations of all sizes, failures that last, and blocks that are freed. */
#include "../failing_allocations.h"

#include "base/arena.h"
#include "base/memory.h"

enum { ITEMS = 400 };

static allocations counted;
static crd_context *context;

static int begin_context(void **state) {
    (void)state;
    memset(&counted, 0, sizeof counted);
    context = counted_context(&counted);
    return context == NULL ? -1 : 0;
}

static int end_context(void **state) {
    (void)state;
    crd_context_destroy(context);
    return counted.live == 0 ? 0 : -1;
}

/* Small sizes mostly, and some that are larger than any block. */
static size_t size_at(size_t i) {
    return i % 37 == 36 ? 1000 * i : i * i % 113;
}

static void allocations_are_aligned_and_disjoint(void **state) {
    (void)state;
    unsigned char *items[ITEMS];
    crd_i_arena *arena = crd_i_arena_create(context);
    for (size_t i = 0; i < ITEMS; i++) {
        items[i] =
            i % 2 == 0 ? crd_i_arena_alloc(arena, size_at(i), 1) : crd_i_arena_alloc_zeroed(arena, 1, size_at(i));
        assert_non_null(items[i]);
        assert_int_equal((uintptr_t)items[i] % 16, 0);
        for (size_t j = 0; i % 2 == 1 && j < size_at(i); j++) assert_int_equal(items[i][j], 0);
        memset(items[i], (int)(i % 251), size_at(i));
    }
    for (size_t i = 0; i < ITEMS; i++)
        for (size_t j = 0; j < size_at(i); j++) assert_int_equal(items[i][j], i % 251);
    assert_false(crd_i_arena_failed(arena));
    assert_int_equal(crd_i_arena_check(arena, NULL), CRD_OK);
    crd_i_arena_destroy(arena);
}

static void copies_have_the_same_items(void **state) {
    (void)state;
    const int32_t numbers[] = {3, -1, 4};
    crd_i_arena *arena = crd_i_arena_create(context);
    assert_memory_equal(crd_i_arena_copy(arena, numbers, 3, sizeof *numbers), numbers, sizeof numbers);
    assert_non_null(crd_i_arena_copy(arena, NULL, 0, sizeof *numbers));
    assert_string_equal(crd_i_arena_copy_text(arena, crd_text_of("petal")).bytes, "petal");
    assert_string_equal(crd_i_arena_copy_text(arena, (crd_text){NULL, 0}).bytes, "");
    crd_i_arena_destroy(arena);
}

typedef struct tree {
    crd_i_arena *arena;
    double weights[1000];
} tree;

static void objects_contain_their_arena(void **state) {
    (void)state;
    tree *object = crd_i_arena_object(context, sizeof *object);
    for (size_t i = 0; i < 1000; i++) assert_true(object->weights[i] == 0);
    assert_non_null(crd_i_arena_alloc(object->arena, 10, 10));
    crd_i_arena_destroy(object->arena);
}

static void small_allocations_share_blocks(void **state) {
    (void)state;
    crd_i_arena *arena = crd_i_arena_create(context);
    for (size_t i = 0; i < 1000; i++) assert_non_null(crd_i_arena_alloc(arena, 1, 24));
#ifdef NDEBUG
    assert_in_range(counted.calls, 1, 10);
#endif
    crd_i_arena_destroy(arena);
}

static void sizes_that_overflow_fail(void **state) {
    (void)state;
    const size_t wrong[][2] = {{SIZE_MAX, 1}, {SIZE_MAX / 2 + 1, 2}, {SIZE_MAX - 20, 1}, {2, SIZE_MAX / 2}};
    for (size_t i = 0; i < 4; i++) {
        crd_i_arena *arena = crd_i_arena_create(context);
        assert_null(crd_i_arena_alloc_zeroed(arena, wrong[i][0], wrong[i][1]));
        assert_null(crd_i_arena_alloc(arena, 1, 1));
        assert_true(crd_i_arena_failed(arena));
        crd_i_arena_destroy(arena);
    }
}

static crd_status fill_arena(crd_context *own_context, crd_error *error) {
    crd_i_arena *arena = crd_i_arena_create(own_context);
    bool has_failed = arena == NULL;
    for (size_t i = 0; i < ITEMS; i++) {
        bool is_null = crd_i_arena_alloc(arena, size_at(i), 1) == NULL;
        if (has_failed) assert_true(is_null);
        has_failed = is_null;
    }
    assert_int_equal(crd_i_arena_failed(arena), has_failed);
    crd_status status = crd_i_arena_check(arena, error);
    crd_i_arena_destroy(arena);
    return status;
}

static void failures_last(void **state) {
    (void)state;
    allocation_trial trial = {0};
    while (allocation_trial_next(&trial)) {
        crd_error error;
        assert_allocation_fails(&trial, fill_arena(trial.context, &error), CRD_OK, error);
    }
    assert_true(trial.failures > 5);
    counted.calls = 0;
    counted.fail_at = 1;
    assert_null(crd_i_arena_object(context, 8));
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin_context, end_context)
    const struct CMUnitTest tests[] = {
        TEST(allocations_are_aligned_and_disjoint), TEST(copies_have_the_same_items), TEST(objects_contain_their_arena),
        TEST(small_allocations_share_blocks),       TEST(sizes_that_overflow_fail),   TEST(failures_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
