/* SPDX-License-Identifier: MIT */
/* Counts of pairs of values: against counting row by row, that no order, batches or merging shows, what forgetting
 * gives back and what it refuses, how many there may be, and files that nobody wrote. */
#include "stats/grid.h"
#include "stats/pair_counts.h"
#include "stats_joint_tally_support.h"

#include <float.h>
#include <string.h>

static const crd_column_type KINDS[TABLE_COLUMNS] = {CRD_TYPE_CATEGORICAL, CRD_TYPE_NUMERIC,     CRD_TYPE_CATEGORICAL,
                                                     CRD_TYPE_NUMERIC,     CRD_TYPE_CATEGORICAL, CRD_TYPE_NUMERIC};

/* How the numbers of a table are spread. */
typedef enum counts_spread { FEW_VALUES, WIDE, ENDS_OF_DOUBLES, SPREADS } counts_spread;

/* Numbers of a few values; or of so many that cells have to be wide: of both signs, of one sign far from zero, and
 * whole ones over many powers of ten; or that reach to the greatest doubles, where cells have to be widest: spread
 * evenly over all, over multiples of 2^1013, and over powers of two. Some cells, classes and weights are missing or
 * zero. */
static double draw_number(counts_spread spread, size_t column) {
    double share = (double)(random_bits() >> 11) * 0x1p-53, sign = random_below(2) == 0 ? 1 : -1;
    if (spread == WIDE) return column == 1 ? share * 5 - 2 : column == 3 ? -1e6 - share : floor(pow(10, 9 * share));
    if (spread == ENDS_OF_DOUBLES)
        return column == 1   ? (share * 2 - 1) * DBL_MAX
               : column == 3 ? sign * floor(share * 2048) * 0x1p1013
                             : sign * ldexp(1 + share, 1023 - (int)random_below(1200));
    double x = (double)random_below(4);
    return x == 3 ? -0.0 : x;
}

static table draw_table(size_t rows, counts_spread spread) {
    table new_table = table_of(rows, TABLE_COLUMNS, KINDS);
    for (size_t row = 0; row < rows; row++) {
        new_table.classes[row] = (int)random_below(TABLE_CLASSES + 1) - 1;
        new_table.weights[row] = (double)random_below(5) / (random_below(2) ? 4 : 3);
        for (size_t i = 0; i < TABLE_COLUMNS; i++) {
            double x = KINDS[i] == CRD_TYPE_CATEGORICAL ? (double)random_below(7) : draw_number(spread, i);
            if (random_below(16) == 0) x = (double)NAN;
            new_table.cells[row * TABLE_COLUMNS + i] = x;
        }
    }
    return new_table;
}

/* The cell of a row's value by its owner's numbers; -1: none. Looked for among the ends of cells, not by their keys. */
static int cell_of(const owner *source_owner, const table *rows, size_t row, size_t column) {
    double x = rows->cells[row * rows->columns + column];
    if (x != x || source_owner->joint_tally->types[column] == CRD_TYPE_NONE) return -1;
    if (rows->types[column] == CRD_TYPE_CATEGORICAL) {
        for (size_t i = 0; i < source_owner->value_counts[column]; i++)
            if (source_owner->values[column][i] == (int)x) return (int)i;
        return -1;
    }
    const crd_i_axis *axis = crd_i_pairs_axis(source_owner->joint_tally, column);
    int cell = -1;
    for (size_t i = 0; i < axis->count; i++) {
        double least, greatest;
        crd_i_axis_ends(axis, i, &least, &greatest);
        if (x < least || x > greatest) continue;
        if (x == 0 && signbit(crd_i_double_of(axis->keys[i]))) continue; /* the cell before zero ends in it */
        assert_int_equal(cell, -1);
        cell = (int)i;
    }
    return cell;
}

static crd_i_pairs_bins all_cells(const owner *source_owner, size_t column, int32_t workspace[CRD_I_AXIS_MOST]) {
    const crd_i_axis *axis = crd_i_pairs_axis(source_owner->joint_tally, column);
    size_t count = axis == NULL ? source_owner->value_counts[column] : axis->count;
    for (size_t i = 0; i < count; i++) workspace[i] = (int32_t)i;
    return (crd_i_pairs_bins){column, workspace, count};
}

static void check_pair(const owner *source_owner, const table *rows, bool is_weighted, size_t a, size_t b) {
    int32_t room_a[CRD_I_AXIS_MOST], room_b[CRD_I_AXIS_MOST], conditions[TABLE_CLASSES];
    crd_i_pairs_bins bins_a = all_cells(source_owner, a, room_a), bins_b = all_cells(source_owner, b, room_b);
    size_t cells = bins_a.bin_count * bins_b.bin_count * source_owner->class_count;
    double *counts = calloc(cells, sizeof *counts), *wanted = calloc(cells, sizeof *wanted);
    for (size_t k = 0; k < source_owner->class_count; k++) conditions[k] = (int32_t)k;
    assert_true(
        crd_i_pairs_gather(source_owner->joint_tally, &bins_a, &bins_b, conditions, source_owner->class_count, counts));
    for (size_t row = 0; row < rows->rows; row++) {
        int i = cell_of(source_owner, rows, row, a), j = cell_of(source_owner, rows, row, b);
        if (rows->classes[row] < 0 || i < 0 || j < 0) continue;
        size_t k = 0;
        while (source_owner->classes[k] != rows->classes[row]) k++;
        wanted[((size_t)i * bins_b.bin_count + (size_t)j) * source_owner->class_count + k] +=
            is_weighted ? rows->weights[row] : 1;
    }
    for (size_t i = 0; i < cells; i++) assert_true(fabs(counts[i] - wanted[i]) <= 1e-12 * wanted[i]);
    free(counts);
    free(wanted);
}

/* Every count is that of the rows in both cells. */
static void test_counts(void **state) {
    (void)state;
    for (int kind = 0; kind < 2 * SPREADS; kind++) {
        bool is_weighted = kind % 2 == 1;
        table rows = draw_table(3000, (counts_spread)(kind / 2));
        owner *whole = owner_of(&crd_i_pair_counts, &rows, 700, is_weighted);
        assert_non_null(whole);
        for (size_t a = 0; a < TABLE_COLUMNS; a++) {
            for (size_t b = a + 1; b < TABLE_COLUMNS; b++) check_pair(whole, &rows, is_weighted, a, b);
            double sum = 0, wanted = 0;
            for (size_t row = 0; row < rows.rows; row++)
                if (rows.classes[row] >= 0 && cell_of(whole, &rows, row, a) == 0)
                    wanted += is_weighted ? rows.weights[row] : 1;
            for (size_t k = 0; k < whole->class_count; k++) sum += crd_i_pairs_single(whole->joint_tally, a, 0, k);
            assert_true(fabs(sum - wanted) <= 1e-12 * wanted && wanted > 0);
        }
        assert_true(crd_i_pairs_single(whole->joint_tally, 0, 99, 0) == 0);
        assert_true(crd_i_pairs_single(whole->joint_tally, 0, 0, 99) == 0);
        owner_free(whole);
        table_free(&rows);
    }
}

/* Cells are as narrow as they may be: at half the width there would be too many of them. And they read back. */
static void check_width(counts_spread spread) {
    table rows = draw_table(3000, spread);
    owner *whole = owner_of(&crd_i_pair_counts, &rows, 64, false);
    for (size_t column = 1; column < TABLE_COLUMNS; column += 2) {
        const crd_i_axis *axis = crd_i_pairs_axis(whole->joint_tally, column);
        assert_true(axis->level > CRD_I_GRID_EXACT && axis->count <= CRD_I_AXIS_MOST);
        double half = ldexp(1, axis->level - 1), *cells = malloc(rows.rows * sizeof *cells);
        size_t count = 0;
        for (size_t row = 0; row < rows.rows; row++) {
            double x = rows.cells[row * TABLE_COLUMNS + column], cell = trunc(x / half);
            size_t i = 0;
            if (x != x || rows.classes[row] < 0) continue;
            if (cell == 0) cell = signbit(x + 0.0) ? -0.5 : 0.5;
            while (i < count && cells[i] != cell) i++;
            if (i == count) cells[count++] = cell;
        }
        assert_true(count > CRD_I_AXIS_MOST);
        free(cells);
    }
    assert_null(crd_i_pairs_axis(whole->joint_tally, 0));

    crd_i_encoder encoder;
    crd_status status;
    size_t left;
    assert_true(owner_write(whole, &rows, &encoder));
    owner *again = owner_read(whole, &rows, encoder.buffer.bytes, encoder.buffer.length, &status, &left);
    assert_same(whole, again, &rows);
    crd_i_buffer_clear(&encoder.buffer);
    owner_free(again);
    owner_free(whole);
    table_free(&rows);
}

static void test_width(void **state) {
    (void)state;
    check_width(WIDE);
    check_width(ENDS_OF_DOUBLES);
}

/* A cell has both of its ends, also where the next double is not in it any more, and at the last double of all. */
static void test_ends(void **state) {
    (void)state;
    static const double numbers[] = {DBL_MAX, -DBL_MAX, 0x1p1023, -0x1.8p1000, 1e9, 0.0, -DBL_TRUE_MIN};
    static const int32_t levels[] = {CRD_I_GRID_EXACT, -1000, 30, 958, 1018};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
            crd_i_axis axis;
            double least, greatest;
            crd_i_axis_init(&axis);
            crd_i_axis_meet(&axis, crd_i_grid_key_of(numbers[i], CRD_I_GRID_EXACT), CRD_I_AXIS_MOST);
            crd_i_axis_coarsen(&axis, levels[k]);
            crd_i_axis_ends(&axis, 0, &least, &greatest);
            assert_true(least <= numbers[i] && numbers[i] <= greatest);
            assert_true(crd_i_grid_key_of(least, levels[k]) == axis.keys[0] || least == 0);
            assert_true(crd_i_grid_key_of(greatest, levels[k]) == axis.keys[0] || greatest == 0);
            double below = nextafter(least, -INFINITY), above = nextafter(greatest, INFINITY);
            assert_true(isinf(below) || crd_i_grid_key_of(below, levels[k]) != axis.keys[0]);
            assert_true(isinf(above) || crd_i_grid_key_of(above, levels[k]) != axis.keys[0]);
        }
}

/* Whatever the numbers, and however few cells there may be, a level is found that leaves no more. */
static void test_axis(void **state) {
    (void)state;
    static const size_t mosts[] = {CRD_I_AXIS_MOST, CRD_I_AXIS_MOST / 2, 3, 2};
    for (size_t i = 0; i < sizeof mosts / sizeof *mosts; i++)
        for (int exponent = -1074; exponent < 1024; exponent += exponent < 1000 ? 100 : 1)
            for (int steps = 4; steps <= 256; steps *= 4) {
                crd_i_axis axis;
                crd_i_axis_init(&axis);
                for (int k = -steps; k <= steps; k++) {
                    double x = k * ldexp(1, exponent);
                    if (!isfinite(x)) continue;
                    crd_i_axis_meet(&axis, crd_i_grid_key_of(x, CRD_I_GRID_EXACT), mosts[i]);
                    assert_true(axis.count <= mosts[i] && axis.level <= crd_i_grid_highest(mosts[i]));
                    assert_true(crd_i_axis_find(&axis, crd_i_grid_key_of(x, axis.level)) < axis.count);
                }
            }
}

static void test_order(void **state) {
    (void)state;
    for (int kind = 0; kind < 2 * SPREADS; kind++) {
        bool is_weighted = kind % 2 == 1;
        table rows = draw_table(2500, (counts_spread)(kind / 2));
        assert_order_does_not_matter(&crd_i_pair_counts, &rows, is_weighted);
        table_free(&rows);
    }
}

static void test_forgetting(void **state) {
    (void)state;
    for (int kind = 0; kind < 2 * SPREADS; kind++) {
        bool is_weighted = kind % 2 == 1;
        table rows = draw_table(2500, (counts_spread)(kind / 2));
        table one = table_part(&rows, 0, 2000), other = table_part(&rows, 2000, 2500), none = table_part(&rows, 0, 0);
        /* Wide cells do not become narrow again, so the ends of the range are in the first part, and all values of
         * a column that is not spread evenly. */
        for (size_t i = 1; kind >= 2 && i < TABLE_COLUMNS; i += 2)
            for (size_t row = 0; row < rows.rows; row++) {
                double *low = &rows.cells[i], *high = &rows.cells[TABLE_COLUMNS + i],
                       x = rows.cells[row * TABLE_COLUMNS + i];
                rows.classes[0] = rows.classes[1] = 0;
                rows.weights[0] = rows.weights[1] = 1;
                if (x < *low || *low != *low) *low = x;
                if (x > *high || *high != *high) *high = x;
            }
        for (size_t row = 2000; kind >= 2 && row < rows.rows; row++)
            rows.cells[row * TABLE_COLUMNS + 5] = rows.cells[5];
        owner *first = owner_of(&crd_i_pair_counts, &one, 512, is_weighted);
        owner *second = owner_of(&crd_i_pair_counts, &other, 512, is_weighted);
        crd_status why;
        crd_error error;
        owner *both = owner_combined(first, second, 1, &why, NULL);
        owner *back = owner_combined(both, second, -1, &why, NULL);
        assert_same(first, back, &one);
        owner *nothing = owner_combined(back, first, -1, &why, NULL);
        owner *empty = owner_of(&crd_i_pair_counts, &none, 1, false);
        assert_non_null(nothing);
        for (size_t i = 0; i < TABLE_COLUMNS; i++)
            assert_true(nothing->joint_tally->type->unsettle(nothing->joint_tally, i));
        assert_same(nothing, empty, &none);
        assert_null(owner_combined(second, first, -1, &why, &error));
        assert_int_equal(why, CRD_ERROR_NOT_LEARNED);
        assert_non_null(strstr(error.message, "never learned"));
        assert_null(owner_combined(empty, second, -1, &why, NULL));
        assert_int_equal(why, CRD_ERROR_NOT_LEARNED);
        owner_free(nothing);
        owner_free(empty);
        owner_free(back);
        owner_free(both);
        owner_free(first);
        owner_free(second);
        table_free(&rows);
    }
}

/* Rows whose values are all known, each under this class, but which were never learned as pairs. */
static void test_other_pairs(void **state) {
    (void)state;
    static const crd_column_type types[2] = {CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL};
    static double same[] = {0, 0, 1, 1}, crossed[] = {0, 1};
    table rows = table_of(2, 2, types), never = table_of(1, 2, types);
    memcpy(rows.cells, same, sizeof same);
    memcpy(never.cells, crossed, sizeof crossed);
    owner *all = owner_of(&crd_i_pair_counts, &rows, 2, false);
    owner *part = owner_of(&crd_i_pair_counts, &never, 2, false);
    crd_status why;
    assert_null(owner_combined(all, part, -1, &why, NULL));
    assert_int_equal(why, CRD_ERROR_NOT_LEARNED);
    owner_free(all);
    owner_free(part);
    table_free(&rows);
    table_free(&never);
}

/* Each file reads back to the same bytes; cut anywhere it is refused; with any byte changed it is refused or is what
 * some other rows would have written. */
static void test_files(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        table rows = draw_table(kind == 0 ? 8 : 25, kind < 2 ? FEW_VALUES : (counts_spread)(kind - 1));
        owner *whole = owner_of(&crd_i_pair_counts, &rows, 16, kind == 2);
        crd_i_encoder encoder;
        crd_status status;
        size_t left;
        assert_true(owner_write(whole, &rows, &encoder));
        size_t length = encoder.buffer.length;
        owner *again = owner_read(whole, &rows, encoder.buffer.bytes, length, &status, &left);
        assert_int_equal(left, 0);
        assert_same(whole, again, &rows);
        owner_free(again);
        for (size_t i = 0; i < length; i++) {
            unsigned char *cut = malloc(i + 1); /* of its own, so that reading too far is seen */
            memcpy(cut, encoder.buffer.bytes, i);
            assert_null(owner_read(whole, &rows, cut, i, &status, &left));
            assert_int_equal(status, CRD_ERROR_DAMAGED);
            free(cut);
        }
        for (size_t i = 0; i < length; i++) {
            unsigned char *byte = (unsigned char *)encoder.buffer.bytes + i, was = *byte;
            *byte = (unsigned char)(was ^ (1u << random_below(8)));
            owner *other = owner_read(whole, &rows, encoder.buffer.bytes, length, &status, &left);
            assert_true(status == CRD_OK || status == CRD_ERROR_DAMAGED);
            if (other != NULL && left == 0) {
                crd_i_encoder rewritten = {.buffer = {.context = context}};
                seen current_seen;
                see(&current_seen, other, &rows);
                crd_i_pair_counts.write(other->joint_tally, &current_seen.view, &rewritten);
                assert_int_equal(rewritten.buffer.length, length);
                assert_memory_equal(rewritten.buffer.bytes, encoder.buffer.bytes, length);
                crd_i_buffer_clear(&rewritten.buffer);
            }
            owner_free(other);
            *byte = was;
        }
        crd_i_buffer_clear(&encoder.buffer);
        owner_free(whole);
        table_free(&rows);
    }
}

/* A column with a million categories next to others is dropped before memory is allocated; so are too many columns. What
 * was dropped accepts rows without a word, stays so whatever it is combined with, and says why where it is read. */
static void test_limit(void **state) {
    (void)state;
    enum { COLUMNS = 30 };
    static const size_t many[COLUMNS] = {1000000, 100};
    int32_t codes[1] = {5}, condition = 0;
    crd_i_cells cells[COLUMNS] = {{.rows = 1, .codes = codes}, {.rows = 1, .codes = codes}};
    crd_i_joint_tally *joint_tally = crd_i_pair_counts.create(context, COLUMNS);
    assert_true(joint_tally->type->settle(joint_tally, 0, CRD_TYPE_CATEGORICAL));
    assert_true(joint_tally->type->settle(joint_tally, 1, CRD_TYPE_CATEGORICAL));
    assert_true(joint_tally->type->extend(joint_tally, 1, many));
    const crd_i_joint_tally_rows rows = {1, cells, &condition, NULL};
    crd_error error;
    assert_int_equal(joint_tally->type->add(joint_tally, &rows, &error), CRD_ERROR_LIMIT);
    crd_i_joint_tally *empty = crd_i_pair_counts.create(context, COLUMNS), *both;
    assert_int_equal(crd_i_joint_tally_add(&joint_tally, &rows, &error), CRD_OK);
    assert_true(joint_tally->is_dropped);
    assert_int_equal(crd_i_joint_tally_add(&joint_tally, &rows, &error), CRD_OK);
    crd_i_view views[COLUMNS] = {{.value_count = 1000000}};
    const crd_i_joint_tally_view view = {NULL, 2, views};
    assert_int_equal(joint_tally->type->refuse(joint_tally, &view, &error), CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "30 columns in 2 classes"));
    assert_non_null(strstr(error.message, "one has 1000000"));
    const crd_i_joint_tally_map map = {NULL, 0, NULL, NULL};
    crd_status why = CRD_OK;
    const struct {
        const crd_i_joint_tally *first, *second;
        int sign;
    } ways[] = {
        {joint_tally, empty, 1}, {empty, joint_tally, 1}, {joint_tally, empty, -1}, {joint_tally, joint_tally, -1}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        both = crd_i_joint_tally_combined(ways[i].first, ways[i].second, &map, ways[i].sign, &why, &error);
        assert_non_null(both);
        assert_int_equal(why, CRD_OK);
        assert_true(both->is_dropped);
        crd_i_joint_tally_destroy(both);
    }
    assert_null(crd_i_joint_tally_combined(empty, joint_tally, &map, -1, &why, &error));
    assert_int_equal(why, CRD_ERROR_CANNOT_FORGET);
    crd_i_joint_tally_destroy(empty);
    crd_i_joint_tally_destroy(joint_tally);
    joint_tally = crd_i_pair_counts.create(context, 30000);
    crd_i_cells *none = calloc(30000, sizeof *none);
    const crd_i_joint_tally_rows wide = {1, none, &condition, NULL};
    size_t *no_values = calloc(30000, sizeof *no_values);
    assert_true(joint_tally->type->extend(joint_tally, 1, no_values));
    assert_int_equal(joint_tally->type->add(joint_tally, &wide, &error), CRD_ERROR_LIMIT);
    crd_i_joint_tally_destroy(joint_tally);
    free(none);
    free(no_values);
}

static void test_memory(void **state) {
    (void)state;
    table rows = draw_table(60, WIDE);
    table one = table_part(&rows, 0, 30), other = table_part(&rows, 30, 60);
    assert_memory_is_checked(&crd_i_pair_counts, &one, &other, NULL);
    table_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_width, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_axis, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_forgetting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_pairs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
