/* SPDX-License-Identifier: MIT */
/* The rows that are kept: which they are, that no order, batches or merging shows, what forgetting gives back and when
 * it is refused, and files that nobody wrote. */
#include "stats/kept_rows.h"
#include "stats_joint_tally_support.h"

#include <string.h>

static const crd_column_type KINDS[TABLE_COLUMNS] = {CRD_TYPE_CATEGORICAL, CRD_TYPE_NUMERIC,     CRD_TYPE_CATEGORICAL,
                                                     CRD_TYPE_NUMERIC,     CRD_TYPE_CATEGORICAL, CRD_TYPE_NUMERIC};

/* Few different rows, or nearly all of them different. Every 16th cell is missing; -0 stands for 0. */
static table draw_table(size_t rows, bool is_wide) {
    table new_table = table_of(rows, TABLE_COLUMNS, KINDS);
    for (size_t row = 0; row < rows; row++) {
        new_table.classes[row] = (int)random_below(TABLE_CLASSES + 1) - 1;
        new_table.weights[row] = (double)random_below(5) / (random_below(2) ? 4 : 3);
        for (size_t i = 0; i < TABLE_COLUMNS; i++) {
            double x = (double)random_below(is_wide ? 30 : 2);
            if (KINDS[i] == CRD_TYPE_NUMERIC) x = x == 1 ? -0.0 : x * 0.1;
            if (random_below(16) == 0) x = (double)NAN;
            new_table.cells[row * TABLE_COLUMNS + i] = x;
        }
    }
    return new_table;
}

static void test_order(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        bool is_weighted = kind % 2 == 1;
        table rows = draw_table(kind < 2 ? 3000 : 120000, kind >= 2);
        assert_order_does_not_matter(&crd_i_kept_rows, &rows, is_weighted);
        table_free(&rows);
    }
}

/* Whether rows i and j of a table are the same row. */
static bool is_same_row(const table *source_table, size_t i, size_t j) {
    if (source_table->classes[i] != source_table->classes[j]) return false;
    for (size_t k = 0; k < source_table->columns; k++) {
        double x = source_table->cells[i * source_table->columns + k],
               y = source_table->cells[j * source_table->columns + k];
        if (!(x == y || (x != x && y != y))) return false;
    }
    return true;
}

/* A sample that leaves nothing out has each row, once, with its weight. */
static void test_content(void **state) {
    (void)state;
    table rows = draw_table(400, false);
    owner *whole = owner_of(&crd_i_kept_rows, &rows, 100, true);
    seen table_view;
    see(&table_view, whole, &rows);
    crd_i_sample sample;
    assert_true(crd_i_sample_init(&sample, context, whole->joint_tally, &table_view.view));
    assert_true(sample.is_complete);
    size_t row_count = 0;
    double seen_by_class[TABLE_CLASSES] = {0};
    for (size_t row = 0; row < rows.rows; row++) {
        if (rows.classes[row] < 0) continue;
        seen_by_class[rows.classes[row]] += rows.weights[row];
        double weight = 0;
        bool is_first = true;
        for (size_t j = 0; j < rows.rows; j++) {
            if (!is_same_row(&rows, row, j)) continue;
            is_first = is_first && (j >= row || rows.weights[j] == 0);
            weight += rows.weights[j];
        }
        if (!is_first || rows.weights[row] == 0) continue;
        row_count++;
        size_t matches = 0;
        for (size_t i = 0; i < sample.table->rows; i++) {
            bool is_it = crd_i_sample_conditions(&sample)[i] == rows.classes[row];
            for (size_t k = 0; k < TABLE_COLUMNS; k++) {
                double x = rows.cells[row * TABLE_COLUMNS + k];
                if (KINDS[k] == CRD_TYPE_NUMERIC) {
                    double y = sample.table->columns[k].numbers[i];
                    is_it = is_it && ((x == y && !signbit(y)) || (x != x && y != y));
                } else {
                    is_it = is_it && crd_i_sample_cells(&sample, k).codes[i] == (x == x ? (int)x : -1);
                }
            }
            if (!is_it) continue;
            matches++;
            assert_true(fabs(sample.table->weights[i] - weight) < 1e-12 * (1 + weight));
        }
        assert_int_equal(matches, 1);
    }
    assert_int_equal(row_count, sample.table->rows);
    for (size_t i = 0; i < TABLE_CLASSES; i++)
        assert_true(fabs(sample.seen[i] - seen_by_class[i]) < 1e-12 * (1 + seen_by_class[i]));
    crd_i_sample_clear(&sample);
    owner_free(whole);
    table_free(&rows);
}

/* One that does is of the right size, in the order of hashes, and takes all classes alike. */
static void test_bounded(void **state) {
    (void)state;
    table rows = draw_table(200000, true);
    owner *whole = owner_of(&crd_i_kept_rows, &rows, 4096, false);
    seen table_view;
    see(&table_view, whole, &rows);
    crd_i_sample sample;
    assert_true(crd_i_sample_init(&sample, context, whole->joint_tally, &table_view.view));
    assert_false(sample.is_complete);
    assert_int_equal(sample.table->rows, crd_i_rows_most(TABLE_COLUMNS));
    double kept[TABLE_CLASSES] = {0}, all = 0, all_kept = 0;
    for (size_t i = 0; i < sample.table->rows; i++) {
        assert_true(i == 0 || sample.hashes[i - 1] < sample.hashes[i]);
        kept[crd_i_sample_conditions(&sample)[i]] += sample.table->weights[i];
    }
    for (size_t i = 0; i < TABLE_CLASSES; i++) all += sample.seen[i], all_kept += kept[i];
    for (size_t i = 0; i < TABLE_CLASSES; i++) {
        double share = all_kept / all, expected = share * sample.seen[i];
        /* Six deviations of a binomial count. */
        assert_true(fabs(kept[i] - expected) < 6 * sqrt(expected * (1 - share)));
    }
    crd_i_sample_clear(&sample);
    owner_free(whole);
    table_free(&rows);
}

static void test_forget(void **state) {
    (void)state;
    table rows = draw_table(2000, true);
    table one = table_part(&rows, 0, 1200), other = table_part(&rows, 1200, 2000);
    owner *first = owner_of(&crd_i_kept_rows, &one, 512, true);
    owner *second = owner_of(&crd_i_kept_rows, &other, 512, true);
    crd_status why;
    crd_error error;
    owner *both = owner_combined(first, second, 1, &why, NULL);
    owner *left = owner_combined(both, second, -1, &why, NULL);
    assert_same(first, left, &one);
    assert_null(owner_combined(first, second, -1, &why, &error));
    assert_int_equal(why, CRD_ERROR_NOT_LEARNED);

    table many = draw_table(120000, true);
    owner *large = owner_of(&crd_i_kept_rows, &many, 4096, true);
    assert_null(owner_combined(large, second, -1, &why, &error));
    assert_int_equal(why, CRD_ERROR_CANNOT_FORGET);
    assert_non_null(strstr(error.message, "sample"));
    assert_null(owner_combined(second, large, -1, &why, &error));
    assert_int_equal(why, CRD_ERROR_NOT_LEARNED);
    /* Taking nothing out is no matter. */
    table none = table_part(&rows, 0, 0);
    owner *empty = owner_of(&crd_i_kept_rows, &none, 1, true);
    owner *same = owner_combined(large, empty, -1, &why, &error);
    assert_same(large, same, &many);

    owner_free(same);
    owner_free(empty);
    owner_free(large);
    owner_free(left);
    owner_free(both);
    owner_free(first);
    owner_free(second);
    table_free(&many);
    table_free(&rows);
}

/* A column whose last cell was forgotten is as if it had never been. */
/* A table has all rows, however many, so that it can forget: what is left is the table of the rows that are. */
static void test_table(void **state) {
    (void)state;
    table rows = draw_table(80000, true);
    table stays = table_part(&rows, 0, 500), goes = table_part(&rows, 500, rows.rows);
    owner *whole = owner_of(&crd_i_kept_table, &rows, 4096, false);
    owner *one = owner_of(&crd_i_kept_table, &stays, 512, false);
    owner *other = owner_of(&crd_i_kept_table, &goes, 4096, false);
    seen table_view;
    see(&table_view, whole, &rows);
    crd_i_sample sample;
    assert_true(crd_i_sample_init(&sample, context, whole->joint_tally, &table_view.view));
    assert_true(sample.is_complete);
    assert_true(sample.table->rows > CRD_I_ROWS_MOST);
    crd_i_sample_clear(&sample);
    crd_status why;
    owner *both = owner_combined(one, other, 1, &why, NULL), *left = owner_combined(whole, other, -1, &why, NULL);
    assert_same(whole, both, &rows);
    assert_same(one, left, &rows);
    owner_free(left);
    owner_free(both);
    owner_free(other);
    owner_free(one);
    owner_free(whole);
    table_free(&rows);
}

static void test_unsettle(void **state) {
    (void)state;
    table rows = draw_table(300, false);
    for (size_t row = 0; row < 200; row++) rows.cells[row * TABLE_COLUMNS] = rows.cells[row * TABLE_COLUMNS + 1] = NAN;
    table one = table_part(&rows, 0, 200), other = table_part(&rows, 200, 300);
    owner *first = owner_of(&crd_i_kept_rows, &one, 512, false);
    owner *whole = owner_of(&crd_i_kept_rows, &rows, 512, false);
    owner *second = owner_of(&crd_i_kept_rows, &other, 512, false);
    crd_status why;
    owner *left = owner_combined(whole, second, -1, &why, NULL);
    for (size_t column = 0; column < 2; column++) {
        assert_true(left->joint_tally->type->unsettle(left->joint_tally, column));
        left->value_counts[column] = 0;
    }
    assert_same(first, left, &one);
    assert_int_equal(owner_add(left, &other, 10, false, NULL), CRD_OK);
    assert_same(whole, left, &rows);
    owner_free(left);
    owner_free(second);
    owner_free(whole);
    owner_free(first);
    table_free(&rows);
}

static void test_files(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        table rows = draw_table(kind == 0 ? 60 : 120000, kind == 1);
        owner *whole = owner_of(&crd_i_kept_rows, &rows, 4096, true);
        crd_i_encoder encoder;
        assert_true(owner_write(whole, &rows, &encoder));
        unsigned char *bytes = encoder.buffer.bytes;
        size_t length = encoder.buffer.length, left;
        crd_status status;
        owner *again = owner_read(whole, &rows, bytes, length, &status, &left);
        assert_int_equal(status, CRD_OK);
        assert_int_equal(left, 0);
        assert_same(whole, again, &rows);
        /* What was read goes on as what was written. */
        table more = draw_table(500, true);
        assert_int_equal(owner_add(again, &more, 100, true, NULL), CRD_OK);
        assert_int_equal(owner_add(whole, &more, 77, true, NULL), CRD_OK);
        assert_same(whole, again, &more);
        owner_free(again);
        if (kind == 0) assert_true(assert_damage_is_noticed(whole, &rows, bytes, length) > 7 * length);
        crd_i_buffer_clear(&encoder.buffer);
        owner_free(whole);
        table_free(&more);
        table_free(&rows);
    }
}

static bool view_rows(const owner *left, const crd_i_joint_tally_view *view) {
    crd_i_sample sample;
    const bool is_viewed = crd_i_sample_init(&sample, context, left->joint_tally, view);
    if (is_viewed) crd_i_sample_clear(&sample);
    return is_viewed;
}

static void test_memory(void **state) {
    (void)state;
    table rows = draw_table(300, false);
    assert_memory_is_checked(&crd_i_kept_rows, &rows, &rows, view_rows);
    table_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_content, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_forget, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_table, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unsettle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
