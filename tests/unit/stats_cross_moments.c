/* SPDX-License-Identifier: MIT */
/* Cross-moments of several columns: what counts as a complete row, in whatever order rows and columns come, combining
 * through maps, forgetting, and files. */
#include "stats/joint_tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counted_fixture.h"

/* Column 1 is a category, which does not matter; the others are numbers. */
enum { COLUMNS = 4, ROWS = 9, CONDITIONS = 3 };
static const double first[ROWS] = {1, 2, 3, NAN, 5, 1e300, -7, 0.1, 9};
static const int32_t second[ROWS] = {0, 1, -1, -1, 0, 1, -1, 0, 1};
static const double third[ROWS] = {4, 1, -2, 6, NAN, 3, 1e-300, 0.2, 2};
static const double fourth[ROWS] = {NAN, NAN, NAN, NAN, NAN, 2, 8, 0.3, 1};
static const int32_t conditions[ROWS] = {0, 1, 0, 0, 1, 2, 0, -1, 1};
static const double weights[ROWS] = {1, 0.5, 2, 1, 3, 1, 0.25, 7, 1};

/* As the owner does it: columns are settled once they have a cell, in the order of rows; `from` a row to `to`. */
static void learn(crd_i_joint_tally *joint_tally, size_t start, size_t limit, const double *factor) {
    static const size_t value_counts[COLUMNS] = {0, 2, 0, 0};
    crd_i_cells columns[COLUMNS] = {{.rows = limit - start, .numbers = first + start},
                                    {.rows = limit - start, .codes = second + start},
                                    {.rows = limit - start, .numbers = third + start},
                                    {.rows = limit - start, .numbers = fourth + start}};
    for (size_t row = 0; row < limit - start; row++)
        for (size_t i = 0; i < COLUMNS; i++) {
            bool is_number = i != 1;
            bool present = is_number ? !isnan(columns[i].numbers[row]) : columns[i].codes[row] >= 0;
            if (present && joint_tally->types[i] == CRD_TYPE_NONE)
                assert_true(
                    joint_tally->type->settle(joint_tally, i, is_number ? CRD_TYPE_NUMERIC : CRD_TYPE_CATEGORICAL));
        }
    assert_true(joint_tally->type->extend(joint_tally, CONDITIONS, value_counts));
    crd_i_joint_tally_rows rows = {limit - start, columns, conditions + start, factor == NULL ? NULL : factor + start};
    assert_int_equal(joint_tally->type->add(joint_tally, &rows, NULL), CRD_OK);
}

static crd_i_joint_tally *learned(size_t start, size_t limit, const double *factor) {
    crd_i_joint_tally *joint_tally = crd_i_cross_moments.create(context, COLUMNS);
    assert_non_null(joint_tally);
    learn(joint_tally, start, limit, factor);
    return joint_tally;
}

static const int32_t in_order[CONDITIONS] = {0, 1, 2};
static const crd_i_joint_tally_view whole_view = {in_order, CONDITIONS, NULL};

static crd_i_encoder written(const crd_i_joint_tally *joint_tally) {
    crd_i_encoder encoder = {.buffer = {.context = context}};
    joint_tally->type->write(joint_tally, &whole_view, &encoder);
    assert_false(encoder.failed);
    return encoder;
}

static bool same(const crd_i_joint_tally *a, const crd_i_joint_tally *b) {
    crd_i_encoder one = written(a), two = written(b);
    bool equal = one.buffer.length == two.buffer.length &&
                 memcmp(one.buffer.bytes, two.buffer.bytes, one.buffer.length) == 0 &&
                 memcmp(a->types, b->types, COLUMNS * sizeof *a->types) == 0;
    crd_i_buffer_clear(&one.buffer);
    crd_i_buffer_clear(&two.buffer);
    return equal;
}

static crd_i_joint_tally *combine(const crd_i_joint_tally *a, const crd_i_joint_tally *b, int sign, crd_status *why) {
    static const size_t numbers[CONDITIONS] = {0, 1, 2}, values[2] = {0, 1}, value_counts[COLUMNS] = {0, 2, 0, 0};
    static const size_t *const of_columns[COLUMNS] = {NULL, values, NULL, NULL};
    const crd_i_joint_tally_map map = {numbers, CONDITIONS, of_columns, value_counts};
    *why = CRD_OK;
    return crd_i_cross_moments.combined(a, b, &map, sign, why, NULL);
}

static double covariance(const crd_i_products *products, size_t i, size_t j) {
    crd_i_signed value;
    bool defined;
    assert_true(crd_i_comoments_covariance(crd_i_products_cell(products, i, j), false, &value, &defined));
    return crd_i_signed_value(value);
}

/* The numbers are small enough to be done by hand. */
static void complete_rows(void **state) {
    (void)state;
    crd_i_joint_tally *joint_tally = learned(0, 5, NULL); /* the fourth column has had no cell yet */
    const size_t *columns;
    assert_int_equal(crd_i_cross_columns(joint_tally, &columns), 2);
    assert_true(columns[0] == 0 && columns[1] == 2);
    const crd_i_products *products =
        crd_i_cross_products(joint_tally, 0); /* (1, 4) and (3, -2); the row (-, 6) is left out */
    assert_true(crd_i_sums_value(crd_i_products_total(products), 0) == 2 && crd_i_cross_left_out(joint_tally, 0) == 1);
    assert_true(covariance(products, 0, 0) == 1 && covariance(products, 1, 1) == 9 && covariance(products, 0, 1) == -3);
    assert_true(crd_i_sums_value(crd_i_products_total(crd_i_cross_products(joint_tally, 1)), 0) == 1);
    assert_true(crd_i_cross_left_out(joint_tally, 1) == 1);
    assert_null(crd_i_cross_products(joint_tally, 2));
    /* Now it has: none of those before were complete. */
    learn(joint_tally, 5, ROWS, NULL);
    assert_int_equal(crd_i_cross_columns(joint_tally, &columns), 3);
    products = crd_i_cross_products(joint_tally, 0); /* (-7, 1e-300, 8) */
    assert_true(crd_i_sums_value(crd_i_products_total(products), 0) == 1 && crd_i_cross_left_out(joint_tally, 0) == 3);
    assert_true(crd_i_sums_value(crd_i_products_cell(products, 0, 2).q, crd_i_products_cell(products, 0, 2).q_cell) ==
                -56);
    assert_true(crd_i_cross_left_out(joint_tally, 1) == 2 && crd_i_cross_left_out(joint_tally, 2) == 0);
    crd_i_joint_tally_destroy(joint_tally);
}

/* One after the other, in other batches, or apart and combined: the same bytes. */
static void any_way(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        const double *factor = weighted ? weights : NULL;
        crd_i_joint_tally *wanted = learned(0, ROWS, factor);
        crd_i_joint_tally *one_by_one = crd_i_cross_moments.create(context, COLUMNS);
        for (size_t row = ROWS; row > 0; row--) learn(one_by_one, row - 1, row, factor); /* backwards */
        assert_true(same(wanted, one_by_one));
        for (size_t cut = 0; cut <= ROWS; cut++) {
            crd_i_joint_tally *a = learned(0, cut, factor), *b = learned(cut, ROWS, factor), *copy = a->type->clone(a);
            crd_status why;
            assert_true(same(a, copy));
            crd_i_joint_tally *ab = combine(a, b, 1, &why), *ba = combine(b, copy, 1, &why);
            assert_true(same(wanted, ab) && same(wanted, ba));
            /* Taking one part out leaves the other, unless that had not seen all columns: rows left out stay so. */
            crd_i_joint_tally *left = combine(ab, a, -1, &why);
            assert_true(same(left, b) || memcmp(b->types, ab->types, sizeof *b->types * COLUMNS) != 0);
            crd_i_joint_tally *const all[] = {a, b, copy, ab, ba, left};
            for (size_t i = 0; i < sizeof all / sizeof *all; i++) crd_i_joint_tally_destroy(all[i]);
        }
        crd_i_joint_tally_destroy(wanted);
        crd_i_joint_tally_destroy(one_by_one);
    }
}

static void forgetting(void **state) {
    (void)state;
    crd_i_joint_tally *all = learned(0, ROWS, NULL), *early = learned(0, 5, NULL), *late = learned(5, ROWS, NULL);
    crd_status why;
    /* Rows with a column that was never seen, and rows that are not there. */
    assert_null(combine(early, late, -1, &why));
    assert_int_equal(why, CRD_ERROR_NOT_LEARNED);
    crd_i_joint_tally *without = combine(all, late, -1, &why);
    assert_non_null(without);
    assert_null(crd_i_cross_products(without, 0));
    assert_true(crd_i_cross_left_out(without, 0) == 3);
    assert_null(combine(without, late, -1, &why));
    assert_int_equal(why, CRD_ERROR_NOT_LEARNED);
    /* A column without a cell can be given back where no other number is left, or it is a category. */
    assert_true(without->type->unsettle(without, 1));
    assert_false(without->type->unsettle(without, 3));
    crd_i_joint_tally *const joint_tallies[] = {all, early, late, without};
    for (size_t i = 0; i < sizeof joint_tallies / sizeof *joint_tallies; i++)
        crd_i_joint_tally_destroy(joint_tallies[i]);

    /* Rows (-) and (2) of one column without the latter are a row of no columns. */
    static const double numbers[] = {NAN, 2};
    static const int32_t under[] = {0, 0};
    static const size_t none[] = {0}, same_condition[] = {0};
    crd_i_joint_tally *parts[2];
    for (size_t i = 0; i < 2; i++) {
        parts[i] = crd_i_cross_moments.create(context, 1);
        crd_i_cells cells = {.rows = 2 - i, .numbers = numbers + i};
        crd_i_joint_tally_rows rows = {2 - i, &cells, under, NULL};
        assert_true(parts[i]->type->settle(parts[i], 0, CRD_TYPE_NUMERIC) && parts[i]->type->extend(parts[i], 1, none));
        assert_int_equal(parts[i]->type->add(parts[i], &rows, NULL), CRD_OK);
    }
    const crd_i_joint_tally_map map = {same_condition, 1, NULL, NULL};
    why = CRD_OK;
    crd_i_joint_tally *left = crd_i_cross_moments.combined(parts[0], parts[1], &map, -1, &why, NULL);
    assert_non_null(left);
    assert_true(left->type->unsettle(left, 0));
    assert_true(crd_i_cross_left_out(left, 0) == 0);
    assert_true(crd_i_sums_value(crd_i_products_total(crd_i_cross_products(left, 0)), 0) == 1);
    crd_i_joint_tally_destroy(left);
    for (size_t i = 0; i < 2; i++) crd_i_joint_tally_destroy(parts[i]);
}

static crd_status read_back(const crd_i_joint_tally *like, const unsigned char *bytes, size_t length,
                            crd_i_joint_tally **out) {
    crd_i_joint_tally *joint_tally = crd_i_cross_moments.create(context, COLUMNS);
    for (size_t i = 0; i < COLUMNS; i++)
        if (like->types[i] != CRD_TYPE_NONE) assert_true(joint_tally->type->settle(joint_tally, i, like->types[i]));
    assert_true(joint_tally->type->extend(joint_tally, like->conditions, like->value_counts));
    crd_i_cursor cursor = {bytes, bytes + length, false};
    crd_status status = joint_tally->type->read(joint_tally, &cursor, NULL);
    if (status == CRD_OK && crd_i_cursor_left(&cursor) > 0) status = CRD_ERROR_DAMAGED;
    *out = joint_tally;
    return status;
}

static void files(void **state) {
    (void)state;
    crd_i_joint_tally *joint_tally = learned(0, ROWS, weights), *back;
    crd_i_encoder encoder = written(joint_tally);
    unsigned char *bytes = (unsigned char *)encoder.buffer.bytes;
    assert_int_equal(read_back(joint_tally, bytes, encoder.buffer.length, &back), CRD_OK);
    assert_true(same(joint_tally, back));
    crd_i_joint_tally_destroy(back);
    for (size_t length = 0; length < encoder.buffer.length; length++) {
        unsigned char *part = malloc(length > 0 ? length : 1); /* of its own, so that reading too far is seen */
        memcpy(part, bytes, length);
        assert_int_equal(read_back(joint_tally, part, length, &back), CRD_ERROR_DAMAGED);
        crd_i_joint_tally_destroy(back);
        free(part);
    }
    /* Whatever a byte is changed to, it is refused, or is sums that write as they were read. */
    for (size_t index = 0; index < encoder.buffer.length; index++) {
        unsigned char was = bytes[index];
        for (int bit = 0; bit < 8; bit++) {
            bytes[index] = (unsigned char)(was ^ 1 << bit);
            if (read_back(joint_tally, bytes, encoder.buffer.length, &back) == CRD_OK) {
                crd_i_encoder again = written(back);
                assert_int_equal(again.buffer.length, encoder.buffer.length);
                assert_memory_equal(again.buffer.bytes, bytes, again.buffer.length);
                crd_i_buffer_clear(&again.buffer);
            }
            crd_i_joint_tally_destroy(back);
        }
        bytes[index] = was;
    }
    crd_i_buffer_clear(&encoder.buffer);
    crd_i_joint_tally_destroy(joint_tally);
}

/* So many rows that they go the fast way, against one row at a time. */
static void many_rows(void **state) {
    (void)state;
    enum { MANY = 6000 };
    double *numbers = malloc(3 * MANY * sizeof *numbers);
    int32_t *under = malloc(MANY * sizeof *under);
    uint64_t seed = 1;
    for (size_t i = 0; i < 3 * MANY; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        numbers[i] = ldexp((double)(int64_t)seed, -60 + (int)(seed >> 61));
        if (seed % 97 == 0) numbers[i] = NAN;
    }
    for (size_t row = 0; row < MANY; row++) under[row] = (int32_t)(row % 11 == 0 ? -1 : row % 3 == 0);
    static const size_t none[3] = {0};
    crd_i_joint_tally *joint_tallies[2];
    for (size_t way = 0; way < 2; way++) {
        crd_i_joint_tally *joint_tally = joint_tallies[way] = crd_i_cross_moments.create(context, 3);
        for (size_t i = 0; i < 3; i++) assert_true(joint_tally->type->settle(joint_tally, i, CRD_TYPE_NUMERIC));
        assert_true(joint_tally->type->extend(joint_tally, 2, none));
        size_t step = way == 0 ? MANY : 1;
        for (size_t row = 0; row < MANY; row += step) {
            crd_i_cells columns[3];
            for (size_t i = 0; i < 3; i++) {
                const crd_i_cells cells = {.rows = step, .numbers = numbers + i * MANY + row};
                columns[i] = cells;
            }
            crd_i_joint_tally_rows rows = {step, columns, under + row, NULL};
            assert_int_equal(joint_tally->type->add(joint_tally, &rows, NULL), CRD_OK);
        }
    }
    const crd_i_joint_tally_view view = {in_order, 2, NULL};
    crd_i_encoder encoders[2] = {{.buffer = {.context = context}}, {.buffer = {.context = context}}};
    for (size_t way = 0; way < 2; way++) joint_tallies[way]->type->write(joint_tallies[way], &view, &encoders[way]);
    assert_int_equal(encoders[0].buffer.length, encoders[1].buffer.length);
    assert_memory_equal(encoders[0].buffer.bytes, encoders[1].buffer.bytes, encoders[0].buffer.length);
    for (size_t way = 0; way < 2; way++) {
        crd_i_buffer_clear(&encoders[way].buffer);
        crd_i_joint_tally_destroy(joint_tallies[way]);
    }
    free(numbers);
    free(under);
}

static void too_many_columns(void **state) {
    (void)state;
    enum { TOO_MANY = CRD_I_CROSS_MOST_COLUMNS + 1 };
    crd_i_joint_tally *joint_tally = crd_i_cross_moments.create(context, TOO_MANY);
    for (size_t i = 0; i < TOO_MANY; i++) assert_true(joint_tally->type->settle(joint_tally, i, CRD_TYPE_NUMERIC));
    const crd_i_joint_tally_rows rows = {0, NULL, NULL, NULL};
    crd_error error = {0};
    assert_int_equal(crd_i_joint_tally_add(&joint_tally, &rows, &error), CRD_OK);
    assert_true(joint_tally->is_dropped);
    assert_int_equal(joint_tally->type->refuse(joint_tally, NULL, &error), CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "at most 2000 columns"));
    crd_i_joint_tally_destroy(joint_tally);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_rows), cmocka_unit_test(any_way),   cmocka_unit_test(forgetting),
        cmocka_unit_test(files),         cmocka_unit_test(many_rows), cmocka_unit_test(too_many_columns),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
