/* SPDX-License-Identifier: MIT */
/* Rows put in groups by their conditions. */
#include "math_random.h"
#include "stats/tally.h"

#include <string.h>

#include "counted_fixture.h"

enum { MOST_ROWS = 150000 };

/* Each row of a condition is in one group, once, and no other row is. */
static void groups_hold_each_row_once(void **state) {
    (void)state;
    static const size_t condition_counts[] = {1, 3, 999, 5000, 70000, 1000000};
    static int32_t conditions[MOST_ROWS], seen[MOST_ROWS];
    static double weights[MOST_ROWS];
    for (size_t row = 0; row < MOST_ROWS; row++) weights[row] = (double)row;
    for (size_t rows = 0; rows < MOST_ROWS; rows = 7 * rows + 1)
        for (size_t i = 0; i < 6; i++) {
            for (size_t row = 0; row < rows; row++)
                conditions[row] = (int32_t)random_below(condition_counts[i] + condition_counts[i] / 9 + 1) -
                                  (int32_t)(condition_counts[i] / 9 + 1);
            memset(seen, 0xff, sizeof seen);
            crd_i_groups groups;
            assert_true(crd_i_groups_init(&groups, context, conditions, weights, rows));
            for (size_t k = 0; k < groups.count; k++) {
                const crd_i_row_group *group = &groups.groups[k];
                for (size_t position = 0; position < group->count; position++) {
                    size_t row = group->origin + group->rows[position];
                    assert_true(row < rows && seen[row] == -1);
                    assert_true(position == 0 || group->rows[position] > group->rows[position - 1]);
                    assert_true(group->weights[position] == weights[row]);
                    seen[row] = (int32_t)group->condition;
                }
            }
            for (size_t row = 0; row < rows; row++)
                assert_int_equal(seen[row], conditions[row] < 0 ? -1 : conditions[row]);
            crd_i_groups_clear(&groups);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_hold_each_row_once)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
