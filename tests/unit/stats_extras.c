/* SPDX-License-Identifier: MIT */
/* The extra tallies: what they hold, how they meet and part, what files of them are refused, and how they are named. */
#include "math/exact/ieee754.h"
#include "stats/joint_tally.h"
#include "stats_support.h"

#include <credence/classifier.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "counted_fixture.h"

static const double numbers[] = {-2, -0.5, 0, -0.0, 1, 2, 1e300, 0.5, DBL_TRUE_MIN, NAN, 7, 0x1p60, 0.1};
static const int32_t conditions[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 2, 2};
enum { ROWS = sizeof numbers / sizeof *numbers };

static crd_i_tally *tally_of(const crd_i_tally_type *type, size_t begin, size_t limit, const double *weights) {
    crd_i_tally *tally = type->create(context);
    assert_non_null(tally);
    crd_i_cells cells = {.rows = limit - begin, .numbers = numbers + begin};
    assert_true(type->extend(tally, 3, 0));
    assert_true(add_under(tally, &cells, conditions + begin, weights));
    return tally;
}

static void signs_are_counted(void **state) {
    (void)state;
    crd_i_tally *tally = tally_of(&crd_i_signs, 0, ROWS, NULL);
    static const double wanted[3][CRD_I_SIGN_COUNT] = {{2, 2, 1, 2, 2}, {0}, {0, 0, 0, 1, 1}};
    for (size_t condition = 0; condition < 3; condition++)
        for (int sign = 0; sign < CRD_I_SIGN_COUNT; sign++)
            assert_true(crd_i_signs_value(tally, condition, (crd_i_sign)sign) == wanted[condition][sign]);
    assert_true(crd_i_signs_value(tally, 99, CRD_I_ONE) == 0);
    crd_i_tally_destroy(tally);
    double weights[ROWS];
    for (int row = 0; row < ROWS; row++) weights[row] = 0.25;
    tally = tally_of(&crd_i_signs, 0, ROWS, weights);
    assert_true(crd_i_signs_value(tally, 0, CRD_I_FRACTION) == 0.5);
    crd_i_tally_destroy(tally);
}

static void logs_are_of_what_is_above_zero(void **state) {
    (void)state;
    crd_i_tally *tally = tally_of(&crd_i_logs, 0, ROWS, NULL);
    crd_i_moment_cell cell = crd_i_moments_cell(tally, 2);
    double mean;
    bool defined;
    assert_true(crd_i_tally_total(tally, 0) == 5 && crd_i_tally_total(tally, 2) == 2);
    assert_true(crd_i_moments_mean(cell, &mean, NULL, &defined));
    assert_true(mean == (crd_log(0x1p60) + crd_log(0.1)) / 2);
    crd_i_tally_destroy(tally);
}

static void extremes_meet_but_do_not_part(void **state) {
    (void)state;
    static const size_t turned[] = {2, 1, 0};
    crd_i_tally_map map = {turned, 3, NULL, 0};
    double least, greatest;
    crd_i_tally *tally = tally_of(&crd_i_extremes, 0, ROWS, NULL), *part = tally_of(&crd_i_extremes, 2, 5, NULL);
    assert_true(crd_i_extremes_value(tally, 0, &least, &greatest));
    assert_true(least == -2 && greatest == 1e300);
    assert_false(crd_i_extremes_value(tally, 1, &least, &greatest));
    assert_false(crd_i_extremes_value(tally, 99, &least, &greatest));
    assert_true(crd_i_extremes_value(part, 0, &least, &greatest));
    assert_true(least == 0 && !signbit(least) && greatest == 1); /* one zero, however it was written */
    assert_true(crd_i_extremes.prepare(tally, part, &map) && crd_i_extremes.combine(tally, part, &map, 1));
    assert_true(crd_i_extremes_value(tally, 2, &least, &greatest));
    assert_true(least == 0 && greatest == 0x1p60);
    assert_non_null(crd_i_extremes.cannot_forget);
    crd_i_tally_destroy(tally);
    crd_i_tally_destroy(part);
}

/* Every extra type: what was written reads back to the same bytes, agrees with the moments of its values and with no
 * others, and is refused where it is cut. */
static void files_of_them(void **state) {
    (void)state;
    static const int32_t order[] = {0, 1, 2};
    const crd_i_view view = {order, 3, NULL, 0, NULL};
    for (size_t i = 0; i < crd_i_extra_type_count(); i++) {
        const crd_i_tally_type *type = crd_i_extra_type(i);
        crd_i_encoder encoder = {.buffer = {.context = context}}, again = {.buffer = {.context = context}};
        crd_i_tally *tally = tally_of(type, 0, ROWS, NULL), *read = type->create(context);
        crd_i_tally *moments = tally_of(&crd_i_moments, 0, ROWS, NULL), *none = tally_of(&crd_i_moments, 0, 0, NULL);
        type->write(tally, &view, &encoder);
        crd_i_cursor cursor = {encoder.buffer.bytes, encoder.buffer.bytes + encoder.buffer.length, false};
        crd_error error;
        assert_int_equal(type->read(read, 3, 0, &cursor, &error), CRD_OK);
        type->write(read, &view, &again);
        assert_int_equal(encoder.buffer.length, again.buffer.length);
        assert_memory_equal(encoder.buffer.bytes, again.buffer.bytes, again.buffer.length);
        bool agrees;
        assert_true(type->check(read, moments, &agrees) && agrees);
        assert_true(type->check(read, none, &agrees) && !agrees);
        crd_i_tally_destroy(read);
        for (size_t length = 0; length < encoder.buffer.length; length++) {
            crd_i_cursor cut = {encoder.buffer.bytes, encoder.buffer.bytes + length, false};
            read = type->create(context);
            assert_int_equal(type->read(read, 3, 0, &cut, &error), CRD_ERROR_DAMAGED);
            crd_i_tally_destroy(read);
        }
        crd_i_buffer_clear(&encoder.buffer);
        crd_i_buffer_clear(&again.buffer);
        crd_i_tally_destroy(tally);
        crd_i_tally_destroy(moments);
        crd_i_tally_destroy(none);
    }
}

static void impossible_extremes_are_refused(void **state) {
    (void)state;
    static const double pairs[][2] = {{2, 1}, {NAN, 1}, {-INFINITY, 1}, {1, INFINITY}, {-0.0, 1}, {INFINITY, 1}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        crd_i_encoder encoder = {.buffer = {.context = context}};
        crd_error error;
        for (int end = 0; end < 2; end++) crd_i_encode_u64(&encoder, crd_i_bits_of(pairs[i][end]));
        crd_i_cursor cursor = {encoder.buffer.bytes, encoder.buffer.bytes + encoder.buffer.length, false};
        crd_i_tally *read = crd_i_extremes.create(context);
        assert_int_equal(crd_i_extremes.read(read, 1, 0, &cursor, &error), CRD_ERROR_DAMAGED);
        crd_i_tally_destroy(read);
        crd_i_buffer_clear(&encoder.buffer);
    }
}

static void sets_by_name(void **state) {
    (void)state;
    crd_i_kept kept = {0, 0};
    crd_i_extras all = 0;
    crd_error error;
    for (size_t i = 0; i < crd_i_extra_type_count(); i++) {
        assert_false(crd_i_extra_type(i)->is_main);
        assert_true(crd_i_extra_type(i)->type == CRD_TYPE_NUMERIC && crd_i_extra_type(i)->check != NULL);
        assert_int_equal(crd_i_extras_of(crd_i_extra_type(i)), 1 << i);
        all |= crd_i_extras_of(crd_i_extra_type(i));
    }
    assert_true(crd_i_moments.is_main && crd_i_counts.is_main && crd_i_extras_of(&crd_i_moments) == 0);
    assert_int_equal(crd_i_kept_parse(crd_text_of("logs, signs"), &kept, &error), CRD_OK);
    assert_int_equal(kept.extras, crd_i_extras_of(&crd_i_logs) | crd_i_extras_of(&crd_i_signs));
    assert_int_equal(crd_i_kept_parse(crd_text_of("all"), &kept, &error), CRD_OK);
    assert_int_equal(kept.extras, all);
    assert_int_equal(kept.joint_tallies, 0);
    for (size_t i = 0; i < crd_i_joint_tally_type_count(); i++) {
        crd_text name = crd_text_of(crd_i_joint_tally_type_at(i)->name);
        assert_ptr_equal(crd_i_joint_tally_type_named(name), crd_i_joint_tally_type_at(i));
        assert_int_equal(crd_i_kept_parse(name, &kept, &error), CRD_OK);
        assert_int_equal(kept.joint_tallies, (1 << (i + 1)) - 1);
    }
    static const char *const wrong[] = {"", "logs,", "moments", "Logs", "logs signs"};
    for (size_t i = 0; i < 5; i++) {
        crd_i_kept none = {0, 0};
        assert_int_equal(crd_i_kept_parse(crd_text_of(wrong[i]), &none, &error), CRD_ERROR_SETTING);
        assert_true(none.extras == 0 && none.joint_tallies == 0);
        assert_non_null(strstr(error.message, "signs, logs, min-max"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(signs_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(logs_are_of_what_is_above_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(extremes_meet_but_do_not_part, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_of_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(impossible_extremes_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sets_by_name, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
