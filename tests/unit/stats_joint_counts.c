/* SPDX-License-Identifier: MIT */
/* Combinations of categories, and sums of numbers by them: that no order, batches or merging shows, what forgetting gives back, what is counted, and
 * files that nobody wrote. */
#include "stats/joint_tally.h"
#include "stats_joint_tally_support.h"

#include <string.h>

enum { NUMBER = 3 };
static const crd_column_type KINDS[TABLE_COLUMNS] = {CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL,
                                                     CRD_TYPE_NUMERIC,     CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL};

/* The last column has cells in the later rows alone, so that it is settled late. */
static table draw_table(size_t rows, size_t values) {
    table new_table = table_of(rows, TABLE_COLUMNS, KINDS);
    for (size_t row = 0; row < rows; row++) {
        new_table.classes[row] = (int)random_below(TABLE_CLASSES + 1) - 1;
        new_table.weights[row] = (double)random_below(5) / (random_below(2) ? 4 : 3);
        for (size_t i = 0; i < TABLE_COLUMNS; i++) {
            bool is_missing = random_below(16) == 0 || (i == TABLE_COLUMNS - 1 && row < rows / 2);
            new_table.cells[row * TABLE_COLUMNS + i] = is_missing ? (double)NAN : (double)random_below(values);
        }
    }
    return new_table;
}

static void test_order(void **state) {
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        bool is_weighted = kind % 2 == 1;
        const crd_i_joint_tally_type *type = kind < 4 ? &crd_i_joint_counts : &crd_i_group_moments;
        table rows = draw_table(kind < 4 ? 5000 : 400, kind % 4 < 2 ? 2 : 20);
        owner *whole = owner_of(type, &rows, 4096, is_weighted);
        for (int i = 0; i < 3; i++) {
            /* At first in an order in which the last column is settled by the second part alone. */
            if (i > 0) table_shuffle(&rows);
            size_t cut = i == 0 ? rows.rows / 2 : random_below(rows.rows + 1);
            owner *again = owner_of(type, &rows, 1 + random_below(4096), is_weighted);
            assert_same(whole, again, &rows);
            table one = table_part(&rows, 0, cut), other = table_part(&rows, cut, rows.rows);
            owner *first = owner_of(type, &one, 512, is_weighted);
            owner *second = owner_of(type, &other, 4096, is_weighted);
            crd_status why;
            owner *both = owner_combined(first, second, 1, &why, NULL),
                  *turned = owner_combined(second, first, 1, &why, NULL);
            assert_same(whole, both, &rows);
            assert_same(whole, turned, &rows);
            owner *left = owner_combined(both, second, -1, &why, NULL);
            for (size_t column = 0; column < TABLE_COLUMNS; column++)
                if (first->joint_tally->types[column] == CRD_TYPE_NONE)
                    assert_true(left->joint_tally->type->unsettle(left->joint_tally, column));
            assert_same(first, left, &one);
            if (cut > 0 && cut < rows.rows) {
                assert_null(owner_combined(first, both, -1, &why, NULL));
                assert_int_equal(why, CRD_ERROR_NOT_LEARNED);
            }
            owner_free(left);
            owner_free(turned);
            owner_free(both);
            owner_free(first);
            owner_free(second);
            owner_free(again);
        }
        owner_free(whole);
        table_free(&rows);
    }
}

/* Every combination and class against a count of the table's own rows. */
static void test_content(void **state) {
    (void)state;
    table rows = draw_table(500, 2);
    owner *whole = owner_of(&crd_i_joint_counts, &rows, 64, true);
    seen table_view;
    see(&table_view, whole, &rows);
    crd_i_combinations met;
    assert_true(crd_i_combinations_init(&met, context, whole->joint_tally, &table_view.view));
    double all = 0, all_of_table = 0;
    for (size_t i = 0; i < met.count; i++)
        for (size_t entry = met.begins[i]; entry < met.begins[i + 1]; entry++) {
            double weight = 0;
            for (size_t row = 0; row < rows.rows; row++) {
                bool matches = rows.classes[row] == met.conditions[entry];
                for (size_t k = 0; k < TABLE_COLUMNS; k++) {
                    double x = rows.cells[row * TABLE_COLUMNS + k];
                    int32_t code = k == NUMBER || x != x ? -1 : (int32_t)x;
                    matches = matches && met.codes[i * TABLE_COLUMNS + k] == code;
                }
                if (matches) weight += rows.weights[row];
            }
            assert_true(weight > 0);
            assert_true(fabs(met.counts[entry] - weight) < 1e-12 * weight);
            all += weight;
        }
    for (size_t row = 0; row < rows.rows; row++)
        if (rows.classes[row] >= 0) all_of_table += rows.weights[row];
    assert_true(fabs(all - all_of_table) < 1e-9);
    crd_i_combinations_clear(&met);
    owner_free(whole);
    table_free(&rows);
}

static void assert_files(const crd_i_joint_tally_type *type, size_t row_count) {
    table rows = draw_table(row_count, 2);
    owner *whole = owner_of(type, &rows, 4096, true);
    crd_i_encoder encoder;
    assert_true(owner_write(whole, &rows, &encoder));
    unsigned char *bytes = encoder.buffer.bytes;
    size_t length = encoder.buffer.length, left;
    crd_status status;
    owner *again = owner_read(whole, &rows, bytes, length, &status, &left);
    assert_int_equal(status, CRD_OK);
    assert_int_equal(left, 0);
    assert_same(whole, again, &rows);
    owner_free(again);
    assert_true(assert_damage_is_noticed(whole, &rows, bytes, length) > length);
    crd_i_buffer_clear(&encoder.buffer);
    owner_free(whole);
    table_free(&rows);
}

static void test_files(void **state) {
    (void)state;
    assert_files(&crd_i_joint_counts, 80);
    assert_files(&crd_i_group_moments, 5);
}

/* A joint tally with so many columns that it can hold few rows is dropped if there are more, and reports how many. */
static void test_limit(void **state) {
    (void)state;
    enum { COLUMNS = 1 << 23 };
    size_t most = crd_i_cells_most(COLUMNS);
    crd_i_joint_tally *joint_tally = crd_i_joint_counts.create(context, COLUMNS);
    assert_non_null(joint_tally);
    size_t *value_counts = calloc(COLUMNS, sizeof *value_counts);
    crd_i_cells *columns = calloc(COLUMNS, sizeof *columns);
    int32_t codes[16], conditions[16] = {0};
    for (int32_t i = 0; i < 16; i++) codes[i] = i;
    value_counts[0] = 16;
    columns[0].codes = codes;
    assert_true(joint_tally->type->settle(joint_tally, 0, CRD_TYPE_CATEGORICAL));
    assert_true(joint_tally->type->extend(joint_tally, 1, value_counts));
    const crd_i_joint_tally_rows few = {most, columns, conditions, NULL}, many = {most + 1, columns, conditions, NULL};
    crd_error error;
    assert_int_equal(joint_tally->type->add(joint_tally, &few, &error), CRD_OK);
    assert_int_equal(joint_tally->type->add(joint_tally, &few, &error), CRD_OK);
    assert_int_equal(crd_i_joint_tally_add(&joint_tally, &many, &error), CRD_OK);
    assert_true(joint_tally->is_dropped);
    assert_int_equal(joint_tally->type->refuse(joint_tally, NULL, &error), CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "more than 7 different combinations"));
    crd_i_joint_tally_destroy(joint_tally);
    free(value_counts);
    free(columns);
}

static bool view_counts(const owner *left, const crd_i_joint_tally_view *view) {
    crd_i_combinations combinations;
    const bool is_viewed = crd_i_combinations_init(&combinations, context, left->joint_tally, view);
    if (is_viewed) crd_i_combinations_clear(&combinations);
    return is_viewed;
}

static bool view_moments(const owner *left, const crd_i_joint_tally_view *view) {
    crd_i_moment_groups groups;
    const bool is_viewed = crd_i_moment_groups_init(&groups, context, left->joint_tally, view);
    if (is_viewed) crd_i_moment_groups_clear(&groups);
    return is_viewed;
}

static void test_memory(void **state) {
    (void)state;
    table many = draw_table(300, 2), few = draw_table(8, 2);
    assert_memory_is_checked(&crd_i_joint_counts, &many, &many, view_counts);
    assert_memory_is_checked(&crd_i_group_moments, &few, &few, view_moments);
    table_free(&many);
    table_free(&few);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_content, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
