/* SPDX-License-Identifier: MIT */
/* Each allocation of estimating posteriors fails in turn: an error every time, and no leak. */
#include "network_support.h"

static const char text[] =
    "network n { } variable a { type discrete [ 2 ] { x, y }; }"
    "variable b { type discrete [ 3 ] { p, q, r }; } variable c { type discrete [ 2 ] { x, y }; }"
    "variable d { type discrete [ 2 ] { x, y }; }"
    "probability (a) { table .2 .8; } probability (b | a) { (x) .2 .3 .5; default .1 .1 .8; }"
    "probability (c | a) { default .5 .5; } probability (d | b, c) { default 1 0; (p, x) 0 1; (q, x) .5 .5; }";

/* The last evidence contradict each other. */
static const crd_finding findings[3][2] = {
    {{.node = 0}}, {{.node = 3, .state = 1}}, {{.node = 3, .state = 1}, {.node = 1, .state = 2}}};
static const size_t counts[3] = {0, 1, 2};
static const crd_status ends[3] = {CRD_OK, CRD_OK, CRD_ERROR_PROBABILITY};

static crd_status estimate(const crd_network *network, size_t way, crd_approximation approximation, bool together,
                           crd_error *error) {
    const size_t nodes[] = {1, 2};
    double got[6], errors[6];
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    options.approximation = approximation;
    options.is_always_approximate = 1;
    options.draws = 20;
    options.threads = 1; /* a thread pool that finds no memory for more threads goes on with one, which is no failure */
    return together
               ? crd_network_joint_posterior(network, NETWORK_QUERY(findings[way], counts[way], nodes, 2, &options),
                                             got, errors, NULL, error)
               : crd_network_posteriors(network, NETWORK_QUERY(findings[way], counts[way], nodes, 2, &options), got,
                                        errors, NULL, error);
}

static void every_allocation(void **state) {
    (void)state;
    for (size_t question = 0; question < 18; question++) {
        size_t way = question % 3;
        crd_approximation approximation = (crd_approximation)(CRD_APPROXIMATION_WEIGHTING + question / 3 % 3);
        allocations counted = {0};
        crd_context *context = counted_context(&counted);
        assert_non_null(context);
        crd_network *network = read_network(context, text);
        for (allocation_trial trial = {.counted = &counted}; allocation_trial_next(&trial);) {
            crd_error error;
            assert_allocation_fails(&trial, estimate(network, way, approximation, question >= 9, &error), ends[way],
                                    error);
        }
        crd_network_destroy(network);
        crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
