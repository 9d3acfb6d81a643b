/* Moments of columns that are grouped and sliced, by every way that this machine has: the bytes of adding one cell
 * after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math_random.h"
#include "tally/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static crd_context *context;

static int set_up(void **state) {
    (void)state;
    return crd_context_create(NULL, &context) != CRD_OK;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return 0;
}

enum { MOST_ROWS = 150000, MOST_CONDITIONS = 1000 };

typedef struct test_column {
    size_t rows, condition_count;
    double *numbers;
    uint8_t *validity;
    int32_t *conditions;
} test_column;

static test_column column_create(void) {
    test_column made = {0, 0, malloc(MOST_ROWS * sizeof(double)), malloc(MOST_ROWS / 8 + 1),
                        malloc(MOST_ROWS * sizeof(int32_t))};
    assert_true(made.numbers != NULL && made.validity != NULL && made.conditions != NULL);
    return made;
}

static void column_destroy(test_column *column) {
    free(column->numbers);
    free(column->validity);
    free(column->conditions);
}

/* Of several ranges, each class its own; some cells missing, some rows without a condition. */
static void fill(test_column *column, size_t rows, size_t condition_count, unsigned kind) {
    column->rows = rows;
    column->condition_count = condition_count;
    size_t missing = random_below(3) == 0 ? 4 : 0;
    for (size_t row = 0; row < rows; row++) {
        size_t condition = random_below(condition_count);
        double x = ((double)random_below(1 << 30) / (1 << 28) - 2) * (1 + (double)random_below(7));
        switch (kind) {
        case 0: break;
        case 1: x += 1e12; break;
        case 2: x *= random_below(2) ? 1e300 : 1e-300; break;
        case 3: x *= 0x1p-1060; break;
        case 4: x = ldexp(x, (int)condition % 1000 - 500); break;
        default: x = floor(x); break;
        }
        column->numbers[row] = missing > 0 && random_below(missing) == 0 ? NAN : x;
        column->conditions[row] = random_below(50) == 0 ? -1 : (int32_t)condition;
    }
    for (size_t i = 0; i < rows / 8 + 1; i++) column->validity[i] = (uint8_t)(random_bits() | random_bits());
}

/* The plain way, with no grouping either: a group for every row. */
static crd_i_tally *one_by_one(const test_column *column, const crd_i_cells *cells, const int32_t *conditions) {
    crd_i_tally *tally = crd_i_moments.create(context);
    assert_true(tally != NULL && crd_i_moments.extend(tally, column->condition_count, 0));
    static const uint16_t first = 0;
    for (size_t row = 0; row < column->rows; row++) {
        int32_t condition = conditions == NULL ? 0 : conditions[row];
        if (condition < 0) continue;
        crd_i_group group = {(size_t)condition, row, &first, 1};
        crd_i_groups groups = {.groups = &group, .count = 1};
        assert_true(crd_i_moments_add(tally, cells, &groups, NULL));
    }
    return tally;
}

static void assert_equal(const crd_i_tally *a, const crd_i_tally *b, size_t condition_count) {
    static int32_t order[MOST_CONDITIONS];
    for (int32_t i = 0; i < MOST_CONDITIONS; i++) order[i] = i;
    crd_i_view view = {order, condition_count, NULL, 0, NULL};
    crd_i_encoder one = {.buffer = {.context = context}}, two = {.buffer = {.context = context}};
    crd_i_moments.write(a, &view, &one);
    crd_i_moments.write(b, &view, &two);
    assert_false(one.failed || two.failed);
    assert_int_equal(one.buffer.length, two.buffer.length);
    assert_memory_equal(one.buffer.bytes, two.buffer.bytes, one.buffer.length);
    crd_i_buffer_clear(&one.buffer);
    crd_i_buffer_clear(&two.buffer);
}

static void assert_every_way(const test_column *column, bool has_validity, const int32_t *conditions) {
    crd_i_cells cells = {column->rows, column->numbers, has_validity ? column->validity : NULL, NULL};
    crd_i_tally *wanted = one_by_one(column, &cells, conditions);
    crd_i_groups groups;
    assert_true(crd_i_groups_init(&groups, context, conditions, column->rows));
    for (size_t i = 0;; i++) {
        const crd_i_slicer *slicer = crd_i_slicers[i]; /* the NULL at the end too */
        if (slicer != NULL && !slicer->is_supported()) continue;
        crd_i_tally *tally = crd_i_moments.create(context);
        assert_true(tally != NULL && crd_i_moments.extend(tally, column->condition_count, 0));
        assert_true(crd_i_moments_add(tally, &cells, &groups, slicer));
        assert_equal(tally, wanted, column->condition_count);
        crd_i_tally_destroy(tally);
        if (slicer == NULL) break;
    }
    crd_i_groups_clear(&groups);
    crd_i_tally_destroy(wanted);
}

static void columns_of_all_sizes(void **state) {
    (void)state;
    static const size_t condition_counts[] = {1, 2, 5, MOST_CONDITIONS};
    test_column column = column_create();
    unsigned kind = 0;
    for (size_t rows = 0; rows <= 3000; rows += rows < 20 ? 1 : 1 + random_below(150))
        for (int i = 0; i < 4; i++) {
            fill(&column, rows, condition_counts[i], kind++ % 6);
            assert_every_way(&column, random_below(2) == 0, column.conditions);
        }
    column_destroy(&column);
}

/* More rows than a stretch holds, with few conditions and with many; and all under one. */
static void long_columns(void **state) {
    (void)state;
    test_column column = column_create();
    fill(&column, 4096, 5, 0);
    assert_every_way(&column, true, column.conditions);
    fill(&column, 4097, 2, 1);
    assert_every_way(&column, false, column.conditions);
    fill(&column, 20000, 3, 4);
    assert_every_way(&column, true, column.conditions);
    assert_every_way(&column, true, NULL);
    fill(&column, MOST_ROWS, MOST_CONDITIONS, 0);
    assert_every_way(&column, false, column.conditions);
    column_destroy(&column);
}

/* Each row of a condition is in one group, once, and no other row is. */
static void groups_hold_each_row_once(void **state) {
    (void)state;
    static const size_t condition_counts[] = {1, 3, 999, 5000, 70000, 1000000};
    static int32_t conditions[MOST_ROWS], seen[MOST_ROWS];
    for (size_t rows = 0; rows < MOST_ROWS; rows = 7 * rows + 1)
        for (size_t i = 0; i < 6; i++) {
            for (size_t row = 0; row < rows; row++)
                conditions[row] = (int32_t)random_below(condition_counts[i] + condition_counts[i] / 9 + 1) -
                                  (int32_t)(condition_counts[i] / 9 + 1);
            memset(seen, 0xff, sizeof seen);
            crd_i_groups groups;
            assert_true(crd_i_groups_init(&groups, context, conditions, rows));
            for (size_t k = 0; k < groups.count; k++) {
                const crd_i_group *group = &groups.groups[k];
                for (size_t at = 0; at < group->count; at++) {
                    size_t row = group->origin + group->rows[at];
                    assert_true(row < rows && seen[row] == -1);
                    assert_true(at == 0 || group->rows[at] > group->rows[at - 1]);
                    seen[row] = (int32_t)group->condition;
                }
            }
            for (size_t row = 0; row < rows; row++)
                assert_int_equal(seen[row], conditions[row] < 0 ? -1 : conditions[row]);
            crd_i_groups_clear(&groups);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_all_sizes),
        cmocka_unit_test(long_columns),
        cmocka_unit_test(groups_hold_each_row_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
