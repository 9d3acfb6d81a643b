/* SPDX-License-Identifier: MIT */
/* Each allocation of questions to a network with Gaussian nodes fails in turn: an error every time, and no leak. */
#include "decision_support.h"

static const node_spec specs[] = {
    {"D", CRD_NODE_CHANCE, "a b", "", {0.3, 0.7}},       {"E", CRD_NODE_CHANCE, "a b", "D", {0.6, 0.4, 0.1, 0.9}},
    {"X", CRD_NODE_GAUSSIAN, "", "D", {0, 1, 3, 2}},     {"Y", CRD_NODE_GAUSSIAN, "", "E X", {1, 0.5, 1, -1, 2, 0}},
    {"Z", CRD_NODE_GAUSSIAN, "", "Y X", {1, 0.5, 2, 1}},
};

static crd_status whole_life(crd_network *network, crd_error *error) {
    const crd_finding finding = {4, 0, NULL, 1.5};
    const size_t hidden[] = {2, 3}, states_of[] = {0, 1}, known[] = {1, 4};
    const int32_t states[10] = {-1, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    const double numbers[10] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 2};
    double posteriors[8], log_evidence[2], drawn[5];
    double means[2], covariance[4];
    int32_t drawn_states[5];
    crd_normal_mixture *mixtures[2] = {NULL, NULL};
    crd_network_engine *engine = NULL;
    crd_network_sampler *sampler = NULL;
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    options.threads = 1; /* a second one may do without memory */
    crd_status status =
        crd_network_mixtures(network, NETWORK_QUERY(&finding, 1, hidden, 2, &options), mixtures, NULL, error);
    if (status != CRD_OK) assert_true(mixtures[0] == NULL && mixtures[1] == NULL);
    crd_normal_mixture_destroy(mixtures[0]);
    crd_normal_mixture_destroy(mixtures[1]);
    if (status == CRD_OK)
        status = crd_network_moments(network, NETWORK_QUERY(&finding, 1, hidden, 2, &options), means, covariance, NULL,
                                     error);
    if (status == CRD_OK)
        status = crd_network_joint_posterior(network, NETWORK_QUERY(&finding, 1, states_of, 2, &options), posteriors,
                                             NULL, NULL, error);
    if (status == CRD_OK)
        status = crd_network_engine_create(network, NETWORK_QUERY(NULL, 0, states_of, 2, &options), known, 2, &engine,
                                           error);
    if (status == CRD_OK)
        status = crd_network_engine_posteriors(engine, states, numbers, 2, posteriors, log_evidence, error);
    crd_network_engine_destroy(engine);
    if (status == CRD_OK) status = crd_network_sampler_create(network, &finding, 1, &options, &sampler, error);
    if (status == CRD_OK) status = crd_network_sampler_draw(sampler, 0, drawn_states, drawn, error);
    crd_network_sampler_destroy(sampler);
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
    assert_true(trial.failures > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
