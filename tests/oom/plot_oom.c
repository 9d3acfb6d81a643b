/* SPDX-License-Identifier: MIT */
/* Each allocation of drawing a picture fails in turn: an error every time, no picture, and no leak. */
#include "plot_support.h"

static void allocations_fail(void **state) {
    (void)state;
    const crd_text names[PLOT_ITEMS] = {
        {"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"a longer name than there is room for", 36}};
    const double numbers[PLOT_ITEMS] = {0.1, 0.2, 0.3, 0.35, 0.05};
    for (int kind = 0; kind < PLOT_KINDS; kind++)
        for (size_t fail_at = 1;; fail_at++) {
            allocations counted = {0, 0, 0};
            crd_context *context = counted_context(&counted);
            assert_non_null(context);
            char *svg = NULL;
            crd_error error;
            counted.calls = 0;
            counted.fail_at = fail_at;
            crd_status status = draw_kind(context, kind, names, numbers, &svg, &error);
            bool has_failed = counted.calls >= fail_at;
            if (has_failed) {
                assert_int_equal(status, CRD_ERROR_MEMORY);
                assert_null(svg);
            } else {
                assert_done(status, error);
            }
            crd_free(context, svg);
            crd_context_destroy(context);
            assert_int_equal(counted.live, 0);
            if (!has_failed) break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
