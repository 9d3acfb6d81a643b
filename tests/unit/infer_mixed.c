/* SPDX-License-Identifier: MIT */
/* Networks with Gaussian nodes: answers known in closed form, where others lose their digits, and what is refused. */
#include "decision_support.h"

static crd_normal_mixture *mixture_of(const crd_network *network, const crd_finding *findings, size_t count,
                                      size_t node, double *log_evidence) {
    crd_normal_mixture *mixture = NULL;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    crd_error error;
    assert_done(
        crd_network_mixtures(network, NETWORK_QUERY(findings, count, &node, 1, NULL), &mixture, &result, &error),
        error);
    if (log_evidence != NULL) *log_evidence = result.log_evidence;
    return mixture;
}

static void near(double got, double wanted, double relative) {
    if (!(fabs(got - wanted) <= relative * fabs(wanted))) fail_msg("%.17g should be %.17g", got, wanted);
}

/* X ~ N(0, 1), Y = X + N(0, 1e-20), Y = 0.5: var(X | Y) = 1e-20 / (1 + 1e-20), which a difference of variances has not
 * one digit of. */
static void tiny_variances(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    const node_spec specs[] = {{"X", CRD_NODE_GAUSSIAN, "", "", {0, 1}},
                               {"Y", CRD_NODE_GAUSSIAN, "", "X", {0, 1, 1e-20}},
                               {"Z", CRD_NODE_GAUSSIAN, "", "X Y", {0, -1, 1, 0}}};
    crd_network *network = build_network(context, specs, 3);
    const crd_finding seen = {1, 0, NULL, 0.5};
    crd_normal_mixture *mixture = mixture_of(network, &seen, 1, 0, NULL);
    near(mixture->variance, 1e-20, 1e-15);
    near(mixture->mean, 0.5, 1e-15);
    crd_normal_mixture_destroy(mixture);
    /* Z = Y - X is the noise itself. */
    mixture = mixture_of(network, NULL, 0, 2, NULL);
    near(mixture->variance, 1e-20, 1e-12);
    crd_normal_mixture_destroy(mixture);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Two numbers that speak for different states, each by e^5000: what is left is the prior, times what they differ by. */
static void opposite_numbers(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    const node_spec specs[] = {{"D", CRD_NODE_CHANCE, "a b", "", {0.25, 0.75}},
                               {"X", CRD_NODE_GAUSSIAN, "", "D", {0, 1, 100, 1}},
                               {"Y", CRD_NODE_GAUSSIAN, "", "D", {0, 1, 100, 1}},
                               {"E", CRD_NODE_CHANCE, "a b", "D", {0.5, 0.5, 0.5, 0.5}},
                               {"U", CRD_NODE_GAUSSIAN, "", "D E", {0, 1, 0, 1, 100, 1, 100, 1}}};
    crd_network *network = build_network(context, specs, 5);
    crd_finding seen[] = {{1, 0, NULL, 0}, {2, 0, NULL, 100}};
    double posterior[2];
    const size_t node = 0;
    crd_error error;
    assert_done(crd_network_posteriors(network, NETWORK_QUERY(seen, 2, &node, 1, NULL), posterior, NULL, NULL, &error),
                error);
    near(posterior[0], 0.25, 1e-12);
    /* By sets that meet in a clique, in logarithms. */
    seen[1].node = 4;
    assert_done(crd_network_posteriors(network, NETWORK_QUERY(seen, 2, &node, 1, NULL), posterior, NULL, NULL, &error),
                error);
    near(posterior[0], 0.25, 1e-12);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* A point mass is more likely than any density; a number that cannot be is impossible. */
static void deterministic(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    const node_spec specs[] = {{"D", CRD_NODE_CHANCE, "a b", "", {0.5, 0.5}},
                               {"X", CRD_NODE_GAUSSIAN, "", "", {1, 4}},
                               {"Y", CRD_NODE_GAUSSIAN, "", "D X", {0.1, 3, 0, 0.1, 3, 1}}};
    crd_network *network = build_network(context, specs, 3);
    crd_finding seen[] = {{1, 0, NULL, 0.7}, {2, 0, NULL, 2.2}, {0, 0, NULL, 0}};
    double posterior[2];
    const size_t node = 0;
    crd_error error;
    assert_done(crd_network_posteriors(network, NETWORK_QUERY(seen, 2, &node, 1, NULL), posterior, NULL, NULL, &error),
                error);
    assert_true(posterior[0] == 1);
    crd_normal_mixture *mixture = mixture_of(network, seen + 1, 2, 1, NULL);
    near(mixture->mean, 0.7, 1e-14);
    assert_true(mixture->variance == 0);
    assert_true(crd_normal_mixture_density(mixture, mixture->mean) == INFINITY);
    assert_true(crd_normal_mixture_quantile(mixture, 0.1) == mixture->mean);
    crd_normal_mixture_destroy(mixture);
    seen[1].number = 2.3;
    assert_done(crd_network_posteriors(network, NETWORK_QUERY(seen, 2, &node, 1, NULL), posterior, NULL, NULL, &error),
                error);
    assert_true(posterior[1] == 1);
    assert_int_equal(
        crd_network_posteriors(network, NETWORK_QUERY(seen, 3, &node, 1, NULL), posterior, NULL, NULL, &error),
        CRD_ERROR_PROBABILITY);
    assert_non_null(strstr(error.message, "numbers"));
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* The mixture 0.25 N(-1, 1) + 0.75 N(2, 4), whose cdf, density and quantiles R 4.2.2 computes from pnorm and dnorm. */
static void mixtures(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    const node_spec specs[] = {{"D", CRD_NODE_CHANCE, "a b", "", {0.25, 0.75}},
                               {"X", CRD_NODE_GAUSSIAN, "", "D", {-1, 1, 2, 4}}};
    crd_network *network = build_network(context, specs, 2);
    crd_normal_mixture *mixture = mixture_of(network, NULL, 0, 1, NULL);
    assert_int_equal(mixture->count, 2);
    near(mixture->mean, 1.25, 1e-15);
    near(mixture->variance, 4.9375, 1e-15);
    near(crd_normal_mixture_cdf(mixture, 0.5), 0.40326871396543662, 1e-13);
    near(crd_normal_mixture_above(mixture, 20), 8.4644130446538065e-20, 1e-12);
    near(crd_normal_mixture_density(mixture, 0.5), 0.1453059359745246, 1e-13);
    for (double p = 1e-9; p < 1; p += 0.0625)
        near(crd_normal_mixture_cdf(mixture, crd_normal_mixture_quantile(mixture, p)), p, 1e-12);
    assert_true(crd_normal_mixture_quantile(mixture, 0) == -INFINITY);
    assert_true(isnan(crd_normal_mixture_quantile(mixture, 2)));
    crd_normal_mixture_destroy(mixture);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* A random walk of 3,000 steps with a noisy observation at each (a Kalman smoother's problem), in either numbering; and
 * 150 nodes that are each other's parents. */
static void large_networks(void **state) {
    (void)state;
    enum { STEPS = 3000, DENSE = 150 };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    double middle[2];
    for (int reversed = 0; reversed < 2; reversed++) {
        crd_network *network = NULL;
        static crd_finding seen[STEPS];
        assert_done(crd_i_network_create(context, crd_text_of("walk"), &network, &error), error);
        for (size_t i = 0; i < 2 * STEPS; i++) {
            char name[32];
            size_t node;
            snprintf(name, sizeof name, "n%zu", i);
            assert_done(crd_i_network_add_gaussian(network, crd_text_of(name), &node, &error), error);
        }
        for (uint32_t i = 0; i < STEPS; i++) {
            uint32_t node = reversed ? STEPS - 1 - i : i, before = reversed ? node + 1 : node - 1;
            double *step = crd_i_alloc(context, 3, sizeof *step), *noise = crd_i_alloc(context, 3, sizeof *noise);
            assert_true(step != NULL && noise != NULL);
            step[0] = 0, step[1] = 1, step[2] = 0.1; /* the first has no parent, and variance 1 */
            noise[0] = 0, noise[1] = 1, noise[2] = 0.5;
            assert_done(crd_i_network_set_parents(network, node, &before, i == 0 ? 0 : 1, &error), error);
            assert_done(crd_i_network_take_table(network, node, step, &error), error);
            assert_done(crd_i_network_set_parents(network, STEPS + node, &node, 1, &error), error);
            assert_done(crd_i_network_take_table(network, STEPS + node, noise, &error), error);
            seen[i] = (crd_finding){STEPS + node, 0, NULL, sin(i * 0.01) + (i % 7) * 0.1};
        }
        assert_done(crd_i_network_finish(network, &error), error);
        crd_normal_mixture *mixture = mixture_of(network, seen, STEPS, STEPS / 2, NULL);
        /* Far from both ends the variance v solves the algebraic Riccati equation of filter and smoother. */
        double filter = (-0.1 + sqrt(0.01 + 4 * 0.1 * 0.5)) / 2, ahead = filter + 0.1;
        near(mixture->variance, 1 / (1 / filter + 1 / ahead), 1e-12);
        middle[reversed] = mixture->mean;
        crd_normal_mixture_destroy(mixture);
        crd_network_destroy(network);
    }
    assert_true(isfinite(middle[0]) && isfinite(middle[1]));
    crd_network *network = NULL;
    static crd_finding seen[DENSE / 2];
    assert_done(crd_i_network_create(context, crd_text_of("dense"), &network, &error), error);
    for (uint32_t i = 0; i < DENSE; i++) {
        char name[32];
        size_t node;
        uint32_t parents[DENSE];
        snprintf(name, sizeof name, "n%u", i);
        assert_done(crd_i_network_add_gaussian(network, crd_text_of(name), &node, &error), error);
        double *numbers = crd_i_alloc(context, i + 2, sizeof *numbers);
        assert_non_null(numbers);
        for (uint32_t j = 0; j < i; j++) parents[j] = j;
        for (uint32_t j = 0; j < i + 2; j++) numbers[j] = j == i + 1 ? 1 : 0.5 / DENSE;
        assert_done(crd_i_network_set_parents(network, node, parents, i, &error), error);
        assert_done(crd_i_network_take_table(network, node, numbers, &error), error);
        if (i % 2 == 0) seen[i / 2] = (crd_finding){i, 0, NULL, i * 0.01};
    }
    assert_done(crd_i_network_finish(network, &error), error);
    crd_normal_mixture *mixture = mixture_of(network, seen, DENSE / 2, DENSE - 1, NULL);
    assert_true(mixture->variance >= 1 && mixture->variance < 1.1);
    crd_normal_mixture_destroy(mixture);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void refused(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    const node_spec specs[] = {{"D", CRD_NODE_CHANCE, "a b", "", {0.25, 0.75}},
                               {"X", CRD_NODE_GAUSSIAN, "", "D", {-1, 1, 2, 4}}};
    crd_network *network = build_network(context, specs, 2);
    static const double likelihoods[] = {1, 1};
    const crd_finding soft = {1, 0, likelihoods, 0}, infinite = {1, 0, NULL, INFINITY}, seen = {1, 0, NULL, 1};
    const size_t discrete = 0, gaussian = 1;
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    crd_normal_mixture *mixture = NULL;
    double posterior[2];
    size_t states[2];
    crd_error error;
    assert_int_equal(
        crd_network_posteriors(network, NETWORK_QUERY(NULL, 0, &gaussian, 1, NULL), posterior, NULL, NULL, &error),
        CRD_ERROR_COLUMN);
    assert_int_equal(crd_network_mixtures(network, NETWORK_QUERY(NULL, 0, &discrete, 1, NULL), &mixture, NULL, &error),
                     CRD_ERROR_COLUMN);
    assert_int_equal(crd_network_mixtures(network, NETWORK_QUERY(&soft, 1, &gaussian, 1, NULL), &mixture, NULL, &error),
                     CRD_ERROR_COLUMN);
    assert_int_equal(
        crd_network_mixtures(network, NETWORK_QUERY(&infinite, 1, &gaussian, 1, NULL), &mixture, NULL, &error),
        CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_network_mpe(network, NETWORK_QUERY(NULL, 0, NULL, 0, NULL), states, NULL, NULL, &error),
                     CRD_ERROR_COLUMN);
    assert_done(crd_network_mpe(network, NETWORK_QUERY(&seen, 1, NULL, 0, NULL), states, NULL, NULL, &error), error);
    assert_int_equal(states[0], 1);
    options.is_always_approximate = 1;
    assert_int_equal(
        crd_network_posteriors(network, NETWORK_QUERY(&seen, 1, &discrete, 1, &options), posterior, NULL, NULL, &error),
        CRD_ERROR_COLUMN);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* A chain in which every number has a discrete parent of its own leaves 2^count combinations: too many. */
static void too_many_combinations(void **state) {
    (void)state;
    enum { STEPS = 60 };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = NULL;
    crd_error error;
    const crd_text words[] = {crd_text_of("a"), crd_text_of("b")};
    assert_done(crd_i_network_create(context, crd_text_of("chain"), &network, &error), error);
    for (uint32_t i = 0; i < STEPS; i++) {
        char name[32];
        size_t node;
        snprintf(name, sizeof name, "d%u", i);
        assert_done(crd_i_network_add(network, crd_text_of(name), words, 2, &node, &error), error);
        double *even = crd_i_alloc(context, 2, sizeof *even), *numbers = crd_i_alloc(context, 6, sizeof *numbers);
        assert_true(even != NULL && numbers != NULL);
        even[0] = even[1] = 0.5;
        assert_done(crd_i_network_take_table(network, node, even, &error), error);
        snprintf(name, sizeof name, "x%u", i);
        assert_done(crd_i_network_add_gaussian(network, crd_text_of(name), &node, &error), error);
        const uint32_t parents[] = {2 * i, 2 * i - 1};
        for (size_t j = 0; j < 6; j++) numbers[j] = 1;
        assert_done(crd_i_network_set_parents(network, node, parents, i == 0 ? 1 : 2, &error), error);
        assert_done(crd_i_network_take_table(network, node, numbers, &error), error);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    crd_normal_mixture *mixture = NULL;
    const size_t last = 2 * STEPS - 1, third = 5;
    assert_int_equal(crd_network_mixtures(network, NETWORK_QUERY(NULL, 0, &last, 1, NULL), &mixture, NULL, &error),
                     CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "60 discrete nodes"));
    mixture = mixture_of(network, NULL, 0, third, NULL);
    assert_int_equal(mixture->count, 1);
    crd_normal_mixture_destroy(mixture);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_variances),        cmocka_unit_test(opposite_numbers),
        cmocka_unit_test(deterministic),         cmocka_unit_test(mixtures),
        cmocka_unit_test(large_networks),        cmocka_unit_test(refused),
        cmocka_unit_test(too_many_combinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
