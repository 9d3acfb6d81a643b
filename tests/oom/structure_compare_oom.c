/* SPDX-License-Identifier: MIT */
/* Each allocation of comparing two networks, and of finding compelled arcs, fails in turn: an error every time, and no leak. */
#include "network_support.h"

#define NODE(name) "variable " name " { type discrete [ 2 ] { yes, no }; }\n"
#define ROOT(name) "probability ( " name " ) { table 0.5, 0.5; }\n"
#define UNDER(name, parent) "probability ( " name " | " parent " ) { (yes) 0.75, 0.25; (no) 0, 1; }\n"

static crd_status compare(const crd_network *first, const crd_network *second, crd_network_comparison **comparison,
                          crd_error *error) {
    unsigned char is_compelled[1];
    crd_status status = crd_network_compare(first, second, comparison, error);
    return status == CRD_OK ? crd_network_compelled_arcs(first, is_compelled, error) : status;
}

static void every_allocation(void **state) {
    (void)state;
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        crd_network *first = read_network(trial.context, NODE("x") NODE("y") ROOT("x") UNDER("y", "x"));
        crd_network *second =
            read_network(trial.context, NODE("w") NODE("y") NODE("x") ROOT("w") UNDER("y", "x") ROOT("x"));
        crd_network_comparison *comparison = NULL;
        crd_error error = {0};
        assert_allocation_fails(&trial, compare(first, second, &comparison, &error), CRD_OK, error);
        crd_network_comparison_destroy(comparison);
        crd_network_destroy(first);
        crd_network_destroy(second);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
