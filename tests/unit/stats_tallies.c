/* SPDX-License-Identifier: MIT */
/* Tallies under arrays of conditions, with weights or without: adding, combining through maps, undoing, and what no
 * rows can have given. */
#include "stats/tally.h"
#include "stats_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counted_fixture.h"

static const int32_t codes[] = {0, 1, 2, -1, 0, 1, 0, 2};
static const double numbers[] = {1, 2, 1e300, NAN, -1e-300, 3, 0.1, 0.2};
static const int32_t conditions[] = {0, 1, 0, 1, -1, 2, 2, 0};
enum { ROWS = 8 };

static crd_i_tally *tally_of(const crd_i_tally_type *type, const double *weights, size_t begin, size_t limit) {
    crd_i_tally *tally = type->create(context);
    assert_non_null(tally);
    crd_i_cells cells = {.rows = limit - begin, .numbers = numbers + begin, .codes = codes + begin};
    assert_true(type->extend(tally, 3, 3));
    assert_true(add_under(tally, &cells, conditions + begin, weights == NULL ? NULL : weights + begin));
    return tally;
}

/* The canonical bytes. */
static crd_i_encoder written(const crd_i_tally *tally) {
    static const int32_t order[] = {0, 1, 2};
    crd_i_encoder encoder = {.buffer = {.context = context}};
    crd_i_view view = {order, 3, order, 3, NULL};
    tally->type->write(tally, &view, &encoder);
    assert_false(encoder.failed);
    return encoder;
}

static void assert_equal(const crd_i_tally *a, const crd_i_tally *b) {
    crd_i_encoder one = written(a), two = written(b);
    assert_int_equal(one.buffer.length, two.buffer.length);
    assert_memory_equal(one.buffer.bytes, two.buffer.bytes, one.buffer.length);
    crd_i_buffer_clear(&one.buffer);
    crd_i_buffer_clear(&two.buffer);
}

static void counting(void **state) {
    (void)state;
    crd_i_tally *tally = tally_of(&crd_i_counts, NULL, 0, ROWS);
    static const double wanted[3][3] = {{1, 0, 1}, {0, 1, 1}, {2, 0, 0}};
    for (size_t value = 0; value < 3; value++)
        for (size_t condition = 0; condition < 3; condition++)
            assert_true(crd_i_counts_value(tally, value, condition) == wanted[value][condition]);
    assert_true(crd_i_tally_total(tally, 0) == 3);
    assert_true(crd_i_tally_total(tally, 1) == 1);
    assert_true(crd_i_tally_total(tally, 9) == 0);
    /* More conditions than there was room for move cells, but not counts. */
    assert_true(tally->type->extend(tally, 100, 1000));
    for (size_t value = 0; value < 3; value++)
        for (size_t condition = 0; condition < 3; condition++)
            assert_true(crd_i_counts_value(tally, value, condition) == wanted[value][condition]);
    assert_true(crd_i_counts_value(tally, 999, 99) == 0);
    bool live[1000] = {false};
    crd_i_counts_mark_live(tally, live);
    for (size_t value = 0; value < 1000; value++) assert_int_equal(live[value], value < 3);
    crd_i_tally_destroy(tally);
}

static void weights_count_as_rows(void **state) {
    (void)state;
    static const double twos[] = {2, 2, 2, 2, 2, 2, 2, 2}, ones[] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const crd_i_tally_type *const types[] = {&crd_i_counts, &crd_i_moments, &crd_i_signs, &crd_i_logs};
    static const size_t same[] = {0, 1, 2};
    for (int i = 0; i < 4; i++) {
        crd_i_tally *once = tally_of(types[i], NULL, 0, ROWS), *weighted = tally_of(types[i], ones, 0, ROWS);
        assert_equal(once, weighted);
        crd_i_tally *twice = tally_of(types[i], twos, 0, ROWS);
        crd_i_tally_map map = {same, 3, same, 3};
        assert_true(types[i]->prepare(once, weighted, &map) && types[i]->combine(once, weighted, &map, 1));
        assert_equal(once, twice);
        crd_i_tally_destroy(once);
        crd_i_tally_destroy(weighted);
        crd_i_tally_destroy(twice);
    }
}

static void parts_make_the_whole(void **state) {
    (void)state;
    static const crd_i_tally_type *const types[] = {&crd_i_counts, &crd_i_moments, &crd_i_signs, &crd_i_logs};
    static const size_t same[] = {0, 1, 2};
    crd_i_tally_map map = {same, 3, same, 3};
    for (int i = 0; i < 4; i++)
        for (size_t cut = 0; cut <= ROWS; cut++) {
            crd_i_tally *whole = tally_of(types[i], NULL, 0, ROWS);
            crd_i_tally *left = tally_of(types[i], NULL, 0, cut), *right = tally_of(types[i], NULL, cut, ROWS);
            crd_i_tally *only_left = tally_of(types[i], NULL, 0, cut);
            assert_true(types[i]->prepare(left, right, &map) && types[i]->combine(left, right, &map, 1));
            assert_equal(left, whole);
            assert_true(types[i]->combine(left, right, &map, -1));
            assert_equal(left, only_left);
            crd_i_tally_destroy(whole);
            crd_i_tally_destroy(left);
            crd_i_tally_destroy(right);
            crd_i_tally_destroy(only_left);
        }
}

static void maps_renumber(void **state) {
    (void)state;
    static const size_t to_conditions[] = {4, 0, 2}, to_values[] = {1, 5, 0};
    crd_i_tally *source = tally_of(&crd_i_counts, NULL, 0, ROWS), *target = crd_i_counts.create(context);
    crd_i_tally_map map = {to_conditions, 3, to_values, 3};
    assert_true(crd_i_counts.prepare(target, source, &map) && crd_i_counts.combine(target, source, &map, 1));
    for (size_t value = 0; value < 3; value++)
        for (size_t condition = 0; condition < 3; condition++)
            assert_true(crd_i_counts_value(target, to_values[value], to_conditions[condition]) ==
                        crd_i_counts_value(source, value, condition));
    assert_true(crd_i_tally_total(target, 4) == crd_i_tally_total(source, 0));
    crd_i_tally_destroy(source);
    crd_i_tally_destroy(target);
}

static void the_impossible_is_found(void **state) {
    (void)state;
    static const size_t same[] = {0, 1, 2};
    crd_i_tally_map map = {same, 3, same, 3};
    crd_i_impossible impossible;
    crd_i_tally *counts = tally_of(&crd_i_counts, NULL, 0, ROWS), *more = tally_of(&crd_i_counts, NULL, 5, 6);
    assert_true(crd_i_counts.find_impossible(counts, more, &map, &impossible));
    assert_false(impossible.found);
    assert_true(crd_i_counts.prepare(counts, more, &map));
    for (int i = 0; i < 2; i++) assert_true(crd_i_counts.combine(counts, more, &map, -1));
    assert_true(crd_i_counts.find_impossible(counts, more, &map, &impossible));
    assert_true(impossible.found && impossible.has_value && impossible.value == 1 && impossible.condition == 2 &&
                impossible.left == -1);
    crd_i_tally_destroy(counts);
    crd_i_tally_destroy(more);

    /* The right number of rows, but not these: the squares give it away. */
    crd_i_tally *moments = tally_of(&crd_i_moments, NULL, 5, 7), *other = tally_of(&crd_i_moments, NULL, 0, 0);
    static const double wrong[] = {17};
    static const int32_t under[] = {2};
    crd_i_cells cells = {.rows = 1, .numbers = wrong};
    assert_true(add_under(other, &cells, under, NULL));
    assert_true(crd_i_moments.prepare(moments, other, &map) && crd_i_moments.combine(moments, other, &map, -1));
    assert_true(crd_i_moments.find_impossible(moments, other, &map, &impossible));
    assert_true(impossible.found && !impossible.has_value && impossible.condition == 2 && impossible.left == 1);
    crd_i_tally_destroy(moments);
    crd_i_tally_destroy(other);
}

static void validity_bits_are_minded(void **state) {
    (void)state;
    static const uint8_t validity[] = {0xF5}; /* rows 1 and 3 missing */
    crd_i_tally *tally = crd_i_moments.create(context);
    assert_true(crd_i_moments.extend(tally, 1, 0));
    crd_i_cells cells = {.rows = ROWS, .numbers = numbers, .validity = validity};
    assert_true(add_under(tally, &cells, NULL, NULL));
    assert_true(crd_i_tally_total(tally, 0) == 6);
    crd_i_tally_destroy(tally);
}

static void types_by_name_and_kind(void **state) {
    (void)state;
    assert_ptr_equal(crd_i_tally_type_for(CRD_TYPE_NUMERIC), &crd_i_moments);
    assert_ptr_equal(crd_i_tally_type_for(CRD_TYPE_CATEGORICAL), &crd_i_counts);
    assert_null(crd_i_tally_type_for(CRD_TYPE_NONE));
    assert_ptr_equal(crd_i_tally_type_named(crd_text_of("counts")), &crd_i_counts);
    assert_null(crd_i_tally_type_named(crd_text_of("count")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting),
        cmocka_unit_test(weights_count_as_rows),
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(maps_renumber),
        cmocka_unit_test(the_impossible_is_found),
        cmocka_unit_test(validity_bits_are_minded),
        cmocka_unit_test(types_by_name_and_kind),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
