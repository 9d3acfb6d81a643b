/* SPDX-License-Identifier: MIT */
/* Each allocation of asking cases in parts fails in turn: an error every time, and no leak. */
#include "decision_support.h"

static const node_spec specs[] = {
    {"Hidden", CRD_NODE_CHANCE, "a b c", "", {0.2, 0.3, 0.5}},
    {"Seen", CRD_NODE_CHANCE, "x y", "Hidden", {0.9, 0.1, 0.5, 0.5, 0.2, 0.8}},
    {"Also", CRD_NODE_CHANCE, "x y", "Hidden", {0.9, 0.1, 0.5, 0.5, 0.2, 0.8}},
    {"Told", CRD_NODE_CHANCE, "x y", "Hidden Seen", {0.5, 0.5, 1, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 1}},
};

static crd_status whole_life(crd_network *network, crd_error *error) {
    static const double likelihoods[2] = {0.5, 0.25};
    const crd_finding findings[2] = {{1, 0, likelihoods, 0}, {3, 1, NULL, 0}};
    const size_t known[] = {1, 2, 3}, hidden = 0;
    const int32_t states[12] = {-1, 0, -1, -1, -1, -1, 1, -1, -1, 1, 0, 0};
    double posteriors[9], log_evidence[3];
    crd_network_engine *asker = NULL;
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    options.threads = 1; /* a second one may do without memory */
    crd_status status =
        crd_network_engine_create(network, NETWORK_QUERY(findings, 2, &hidden, 1, &options), known, 3, &asker, error);
    if (status != CRD_OK) assert_null(asker);
    if (status == CRD_OK)
        status = crd_network_engine_posteriors(asker, states, NULL, 3, posteriors, log_evidence, error);
    crd_network_engine_destroy(asker);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    /* A case that failed is asked once more, for its error, and then there may be memory. */
    allocation_trial trial = {.can_do_without = true};
    while (allocation_trial_next(&trial)) {
        crd_network *network = build_network(trial.context, specs, sizeof specs / sizeof *specs);
        crd_error error;
        assert_allocation_fails(&trial, whole_life(network, &error), CRD_OK, error);
        crd_network_destroy(network);
    }
    assert_true(trial.failures > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
