/* SPDX-License-Identifier: MIT */
/* Each allocation of deciding and of drawing rows fails in turn: an error every time, and no leak. */
#include "decision_support.h"

static const node_spec specs[] = {
    {"Hidden", CRD_NODE_CHANCE, "a b c", "", {0.2, 0.3, 0.5}},
    {"Seen", CRD_NODE_CHANCE, "x y", "Hidden", {0.9, 0.1, 0.5, 0.5, 0.2, 0.8}},
    {"Try", CRD_NODE_DECISION, "no yes", "", {0}},
    {"Result", CRD_NODE_CHANCE, "x y", "Hidden Try", {0.5, 0.5, 1, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 1}},
    {"Act", CRD_NODE_DECISION, "no yes", "Result", {0}},
    {"Cost", CRD_NODE_UTILITY, "", "Try", {0, -1}},
    {"Gain", CRD_NODE_UTILITY, "", "Hidden Act", {0, -5, 0, 2, 0, 6}},
};

static crd_status whole_life(crd_network *network, size_t way, crd_error *error) {
    static const double likelihoods[2] = {0.5, 0.25};
    const crd_finding soft = {1, 0, likelihoods, 0},
                      taken[3] = {{2, 1, NULL, 0}, {4, 0, NULL, 0}, {3, way == 3, NULL, 0}};
    const crd_finding contrary[3] = {{0, 0, NULL, 0}, {2, 1, NULL, 0}, {3, 1, NULL, 0}};
    const size_t observed = 1;
    crd_policy *policy = NULL;
    crd_network_sampler *sampler = NULL;
    double value;
    crd_status status = CRD_OK;
    if (way == 0) status = crd_policy_create(network, &soft, 1, &observed, 1, NULL, &policy, error);
    if (way == 1) status = crd_network_value_of_observing(network, NULL, 0, 1, NULL, &value, error);
    if (way == 2) status = crd_policy_create(network, contrary, 3, NULL, 0, NULL, &policy, error);
    if (way == 3) status = crd_network_sampler_create(network, taken, 3, NULL, &sampler, error);
    if (way == 3 && status == CRD_OK) {
        int32_t states[7];
        status = crd_network_sampler_draw(sampler, 0, states, NULL, error);
    }
    if (status != CRD_OK) {
        assert_null(policy);
        assert_null(sampler);
    }
    crd_policy_destroy(policy);
    crd_network_sampler_destroy(sampler);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    static const crd_status ends[4] = {CRD_OK, CRD_OK, CRD_ERROR_PROBABILITY, CRD_OK};
    for (size_t way = 0; way < 4; way++) {
        allocation_trial trial = {0};
        while (allocation_trial_next(&trial)) {
            crd_network *network = build_network(trial.context, specs, sizeof specs / sizeof *specs);
            crd_error error;
            assert_allocation_fails(&trial, whole_life(network, way, &error), ends[way], error);
            crd_network_destroy(network);
        }
        assert_true(trial.failures > 9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
