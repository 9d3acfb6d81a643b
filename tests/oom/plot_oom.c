/* SPDX-License-Identifier: MIT */
/* Each allocation of drawing a picture fails in turn: an error every time, no picture, and no leak. */
#include "plot_support.h"

static void allocations_fail(void **state) {
    (void)state;
    const crd_text names[PLOT_ITEMS] = {
        {"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"a longer name than there is room for", 36}};
    const double numbers[PLOT_ITEMS] = {0.1, 0.2, 0.3, 0.35, 0.05};
    for (int kind = 0; kind < PLOT_KINDS; kind++)
        for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
            char *svg = NULL;
            crd_error error;
            assert_allocation_fails(&trial, draw_kind(trial.context, kind, names, numbers, &svg, &error), CRD_OK,
                                    error);
            if (trial.has_failed) assert_null(svg);
            crd_free(trial.context, svg);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
