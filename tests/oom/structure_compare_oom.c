/* SPDX-License-Identifier: MIT */
/* Each allocation of comparing two networks, and of finding compelled arcs, fails in turn: an error every time, and no leak. */
#include "network_support.h"

#define NODE(name) "variable " name " { type discrete [ 2 ] { yes, no }; }\n"
#define ROOT(name) "probability ( " name " ) { table 0.5, 0.5; }\n"
#define UNDER(name, parent) "probability ( " name " | " parent " ) { (yes) 0.75, 0.25; (no) 0, 1; }\n"

static void every_allocation(void **state) {
    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        allocations counted = {0, 0, 0};
        crd_context *context = counted_context(&counted);
        crd_network *first = read_network(context, NODE("x") NODE("y") ROOT("x") UNDER("y", "x"));
        crd_network *second = read_network(context, NODE("w") NODE("y") NODE("x") ROOT("w") UNDER("y", "x") ROOT("x"));
        crd_network_comparison *comparison = NULL;
        crd_error error = {0};
        counted.calls = 0;
        counted.fail_at = fail_at;
        crd_status status = crd_network_compare(first, second, &comparison, &error);
        unsigned char is_compelled[1];
        if (status == CRD_OK) status = crd_network_compelled_arcs(first, is_compelled, &error);
        bool failed = counted.calls >= fail_at;
        assert_int_equal(status, failed ? CRD_ERROR_MEMORY : CRD_OK);
        counted.fail_at = 0;
        crd_network_comparison_destroy(comparison);
        crd_network_destroy(first);
        crd_network_destroy(second);
        crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
        if (!failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
