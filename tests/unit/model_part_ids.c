/* SPDX-License-Identifier: MIT */
/* Parts that have ids are counted once, whatever the order in which they come, and can be retracted. */
#include "model_support.h"

#include "model/model_internal.h"

#include "counted_fixture.h"

static crd_model *part(const char *id, const char *row) {
    char text[64];
    crd_error error;
    snprintf(text, sizeof text, "x,c,y\n%s\n", row);
    crd_model *model = trained(context, text, "y");
    if (id != NULL) assert_done(crd_model_set_part(model, crd_text_of(id), &error), error);
    return model;
}

static void assert_parts(const crd_model *model, const char *joined) {
    crd_error error;
    crd_text *ids;
    size_t count;
    char list[256] = "";
    assert_done(crd_model_list_parts(model, &ids, &count, &error), error);
    assert_int_equal(count, crd_model_part_count(model));
    for (size_t i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%.*s ", (int)ids[i].length, ids[i].bytes);
    crd_free(context, ids);
    assert_string_equal(list, joined);
}

static void test_counted_once(void **state) {
    (void)state;
    crd_error error;
    crd_model *a = part("a", "1,u,k"), *b = part("b", "2,v,l"), *ab = part("a", "1,u,k"), *c = part("ab", "3,u,k"),
              *unnamed = part(NULL, "4,u,l");
    assert_done(crd_model_merge(ab, b, &error), error);
    assert_parts(ab, "a b ");
    const model_bytes before = bytes_of(ab, context);
    assert_int_equal(crd_model_merge(ab, a, &error), CRD_ERROR_DUPLICATE);
    assert_string_equal(error.subject, "a");
    assert_int_equal(crd_model_merge(ab, ab, &error), CRD_ERROR_DUPLICATE);
    /* Of other rows that have the same id, as far as can be told. */
    assert_int_equal(crd_model_merge(a, ab, &error), CRD_ERROR_OVERLAP);
    assert_string_equal(error.subject, "a");
    assert_parts(a, "a ");
    assert_done(crd_model_merge(ab, c, &error), error);
    assert_parts(ab, "a ab b ");
    assert_done(crd_model_merge(ab, unnamed, &error), error);
    assert_done(crd_model_merge(ab, unnamed, &error), error);
    for (size_t i = 0; i < 2; i++) assert_done(crd_model_retract(ab, unnamed, &error), error);
    assert_done(crd_model_retract(ab, c, &error), error);
    const model_bytes after = bytes_of(ab, context);
    assert_same_bytes(before, after);
    assert_int_equal(crd_model_retract(ab, c, &error), CRD_ERROR_NOT_LEARNED);
    assert_string_equal(error.subject, "ab");
    assert_int_equal(crd_model_retract(ab, unnamed, &error), CRD_ERROR_NOT_LEARNED);
    assert_done(crd_model_retract(ab, ab, &error), error);
    assert_parts(ab, "");
    crd_model *const all[] = {a, b, ab, c, unnamed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) crd_model_destroy(all[i]);
    free_bytes(before);
    free_bytes(after);
}

static void test_ids_are_texts(void **state) {
    (void)state;
    char longest[CRD_I_MOST_ID + 2];
    memset(longest, 'x', sizeof longest);
    const crd_text bad[] = {{"", 0}, {NULL, 0}, {"a\0b", 3}, {"\xff", 1}, {longest, CRD_I_MOST_ID + 1}};
    crd_error error;
    crd_model *model = part(NULL, "1,u,k"), *other = part("a", "1,u,k");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(crd_model_set_part(model, bad[i], &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_model_part_count(model), 0);
    const crd_text most = {longest, CRD_I_MOST_ID};
    assert_done(crd_model_set_part(model, most, &error), error);
    assert_done(crd_model_set_part(model, most, &error), error);
    assert_int_equal(crd_model_set_part(model, crd_text_of("b"), &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_model_part_count(model), 1);
    crd_model_difference difference = CRD_MODEL_DIFFERENCE_INIT;
    assert_done(crd_model_compare(other, model, &difference, &error), error);
    assert_int_equal(difference.aspect, CRD_MODEL_PARTS);
    assert_string_equal(difference.subject, "a");
    crd_model_destroy(model);
    crd_model_destroy(other);
}

/* Ids that share beginnings, in an order of their own, and sets of several: the same set however it came about, in memory and as
 * bytes. */
static void test_sets(void **state) {
    (void)state;
    enum { COUNT = 3000, SOME = 700 };
    crd_i_part_ids *ids = NULL, *others = NULL, *again;
    crd_i_ids_change change;
    crd_i_ids_overlap overlap;
    crd_error error;
    for (size_t i = 0; i < COUNT; i++) {
        char text[32];
        crd_i_part_ids *one;
        crd_i_part_ids **destination = i < SOME ? &others : &ids;
        snprintf(text, sizeof text, "%zu", i * 7919 % COUNT);
        assert_done(crd_i_part_ids_create(context, crd_text_of(text), &one, &error), error);
        crd_i_part_ids_overlap(*destination, one, &overlap);
        assert_int_equal(overlap.shared, 0);
        assert_done(crd_i_part_ids_prepare(context, *destination, one, 1, &change, &error), error);
        crd_i_part_ids_take(destination, &change);
        crd_i_part_ids_overlap(*destination, one, &overlap);
        assert_int_equal(overlap.shared, 1);
        crd_i_part_ids_destroy(one);
    }
    crd_i_encoder before = {.buffer = {.context = context}}, after = {.buffer = {.context = context}};
    crd_i_part_ids_write(ids, &before);
    assert_done(crd_i_part_ids_prepare(context, ids, others, 1, &change, &error), error);
    crd_i_part_ids_drop(&change);
    assert_done(crd_i_part_ids_prepare(context, ids, others, 1, &change, &error), error);
    crd_i_part_ids_take(&ids, &change);
    assert_int_equal(crd_i_part_ids_count(ids), COUNT);
    assert_done(crd_i_part_ids_clone(ids, &again, &error), error);
    crd_i_part_ids_overlap(ids, again, &overlap);
    assert_int_equal(overlap.shared, COUNT);
    assert_done(crd_i_part_ids_prepare(context, ids, others, -1, &change, &error), error);
    crd_i_part_ids_take(&ids, &change);
    crd_i_part_ids_write(ids, &after);
    assert_int_equal(before.buffer.length, after.buffer.length);
    assert_memory_equal(before.buffer.bytes, after.buffer.bytes, after.buffer.length);
    crd_i_part_ids_destroy(again);
    crd_i_cursor cursor = {after.buffer.bytes, after.buffer.bytes + after.buffer.length, false};
    assert_done(crd_i_part_ids_read(context, &cursor, &again, &error), error);
    crd_i_part_ids_overlap(again, ids, &overlap);
    assert_int_equal(overlap.shared, COUNT - SOME);
    /* Any byte less is no set. */
    for (size_t i = 0; i < after.buffer.length; i += 97) {
        crd_i_part_ids *none;
        crd_i_cursor less = {after.buffer.bytes, after.buffer.bytes + i, false};
        assert_int_equal(crd_i_part_ids_read(context, &less, &none, &error), CRD_ERROR_DAMAGED);
    }
    crd_i_part_ids_destroy(ids);
    crd_i_part_ids_destroy(others);
    crd_i_part_ids_destroy(again);
    crd_i_buffer_clear(&before.buffer);
    crd_i_buffer_clear(&after.buffer);
}

/* Out of order, one that shares more than is stated, twice the same, with a NUL. */
static void test_damaged_sets(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {{"\2\0\0\0\0\0\0\0\0\1b\0\1a", 14}, {"\2\0\0\0\0\0\0\0\0\1a\0\2ab", 15},
                 {"\2\0\0\0\0\0\0\0\0\1a\1\0", 13},  {"\1\0\0\0\0\0\0\0\0\2a\0", 12},
                 {"\1\0\0\0\0\0\0\0\1\1a", 11},      {"\0\0\0\0\0\0\0\0", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned char *bytes = (const unsigned char *)cases[i].bytes;
        crd_i_cursor cursor = {bytes, bytes + cases[i].length, false};
        crd_i_part_ids *none;
        assert_int_equal(crd_i_part_ids_read(context, &cursor, &none, NULL), CRD_ERROR_DAMAGED);
        assert_null(none);
    }
}

/* Ids that are taken out one by one, in another order than they came in, and come back. */
static void test_taken_out(void **state) {
    (void)state;
    enum { COUNT = 500 };
    crd_i_part_ids *ids = NULL, *one;
    crd_i_ids_change change;
    crd_i_ids_overlap overlap;
    crd_error error;
    bool is_there[COUNT] = {false};
    for (size_t step = 0, count = 0; step < 5 * COUNT; step++) {
        /* All come in, all leave, and then some come and go. */
        const size_t i = (step < 2 * COUNT ? step * 7 : step * 2654435761U % 65536) % COUNT;
        char text[32];
        snprintf(text, sizeof text, "%zu", i);
        assert_done(crd_i_part_ids_create(context, crd_text_of(text), &one, &error), error);
        crd_i_part_ids_overlap(ids, one, &overlap);
        assert_int_equal(overlap.shared, is_there[i]);
        assert_done(crd_i_part_ids_prepare(context, ids, one, is_there[i] ? -1 : 1, &change, &error), error);
        crd_i_part_ids_take(&ids, &change);
        crd_i_part_ids_destroy(one);
        count = is_there[i] ? count - 1 : count + 1;
        is_there[i] = !is_there[i];
        assert_int_equal(crd_i_part_ids_count(ids), count);
    }
    /* Reading refuses ids that are not in order. */
    crd_i_encoder written = {.buffer = {.context = context}};
    crd_i_part_ids_write(ids, &written);
    crd_i_cursor cursor = {written.buffer.bytes, written.buffer.bytes + written.buffer.length, false};
    assert_done(crd_i_part_ids_read(context, &cursor, &one, &error), error);
    crd_i_part_ids_overlap(one, ids, &overlap);
    assert_int_equal(overlap.shared, crd_i_part_ids_count(one));
    crd_i_part_ids_destroy(one);
    crd_i_buffer_clear(&written.buffer);
    crd_i_part_ids_destroy(ids);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counted_once), cmocka_unit_test(test_ids_are_texts), cmocka_unit_test(test_sets),
        cmocka_unit_test(test_taken_out),    cmocka_unit_test(test_damaged_sets),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
