/* SPDX-License-Identifier: MIT */
/* Estimates of small random networks, many of them: within their errors of enumeration as often as they say, and the
 * same to the bit with any number of threads. */
#include "network_support.h"

enum { NETWORKS = 60, NODES = 9 };

typedef struct asking {
    crd_finding findings[NODES];
    double likelihoods[NODES][4];
    size_t count;
} asking;

/* Every third node is observed, in a state drawn from the network, and every sixth has likelihoods. */
static void make_asking(const crd_network *network, uint64_t seed, asking *query) {
    crd_i_random random = crd_i_random_at(seed, 77);
    int32_t states[NODES];
    query->count = 0;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i]; /* parents are earlier nodes */
        size_t row = 0, size = crd_i_node_states(node), state = 0;
        for (size_t j = 0; j < node->parent_count; j++)
            row = row * crd_i_node_states(&network->nodes[node->parents[j]]) + (size_t)states[node->parents[j]];
        double left = crd_i_random_uniform(&random);
        for (size_t j = 0; j < size; j++) {
            double p = node->table[row * size + j];
            if (p == 0) continue;
            state = j;
            if (left < p) break;
            left -= p;
        }
        states[i] = (int32_t)state;
        uint64_t kind = crd_i_random_below(&random, 6);
        for (size_t j = 0; j < size; j++) query->likelihoods[i][j] = ldexp(crd_i_random_open(&random), -(int)(j * 3));
        crd_finding finding = {i, state, kind == 2 ? query->likelihoods[i] : NULL, 0};
        if (kind < 3) query->findings[query->count++] = finding;
    }
}

typedef struct estimates_tally {
    double estimates, within[4], evidences, evidences_within;
} estimates_tally;

static void compare(const crd_network *network, const asking *query, uint64_t seed, crd_approximation way,
                    estimates_tally *tally) {
    size_t nodes[NODES], numbers = 0;
    double exact[64], got[64], errors[64];
    crd_error error;
    for (size_t i = 0; i < network->count; i++) {
        nodes[i] = i;
        numbers += crd_network_state_count(network, i);
    }
    crd_inference_result truth = CRD_INFERENCE_RESULT_INIT, result = CRD_INFERENCE_RESULT_INIT;
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    options.approximation = way;
    options.is_always_approximate = 1;
    options.seed = seed;
    options.draws = 3000;
    assert_done(crd_network_posteriors(network,
                                       NETWORK_QUERY(query->findings, query->count, nodes, network->count, NULL), exact,
                                       NULL, &truth, &error),
                error);
    assert_done(crd_network_posteriors(network,
                                       NETWORK_QUERY(query->findings, query->count, nodes, network->count, &options),
                                       got, errors, &result, &error),
                error);
    tally->evidences++;
    tally->evidences_within += fabs(result.log_evidence - truth.log_evidence) <= 2 * result.log_evidence_error;
    for (size_t i = 0; i < numbers; i++) {
        double difference = fabs(got[i] - exact[i]);
        /* What is stated as certain is. */
        if (errors[i] == 0) assert_true(difference < 1e-12);
        if (errors[i] == 0) continue;
        tally->estimates++;
        for (int j = 1; j <= 3; j++) tally->within[j] += difference <= j * errors[i];
    }
}

/* With fixed seeds this is always the same. Estimates of one run hang together, so bounds leave room beside 95 and 99.
 */
static void within_errors(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (int way = CRD_APPROXIMATION_WEIGHTING; way <= CRD_APPROXIMATION_GIBBS; way++) {
        estimates_tally sum = {0};
        for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
            crd_network *network = random_network(context, seed, 2 + seed % (NODES - 1), 4, 3);
            asking query;
            make_asking(network, seed, &query);
            for (uint64_t run = 0; run < 5; run++)
                compare(network, &query, 10 * seed + run, (crd_approximation)way, &sum);
            crd_network_destroy(network);
        }
        assert_true(sum.estimates > 2000);
        if (sum.within[2] < 0.95 * sum.estimates || sum.within[3] < 0.99 * sum.estimates)
            fail_msg("within 2 and 3 errors: %.4f %.4f", sum.within[2] / sum.estimates, sum.within[3] / sum.estimates);
        assert_true(sum.evidences_within >= 0.95 * sum.evidences);
        /* Errors that say nothing would be within, too. */
        if (sum.within[1] > 0.90 * sum.estimates) fail_msg("errors are too great: %.4f", sum.within[1] / sum.estimates);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void same_with_any_threads(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        crd_network *network = random_network(context, seed, NODES, 4, 3);
        const size_t nodes[] = {8, 1, 5, 8};
        asking query;
        make_asking(network, seed, &query);
        for (int way = CRD_APPROXIMATION_WEIGHTING; way <= CRD_APPROXIMATION_LOOPY; way++)
            for (size_t together = 0; together < 2; together++) {
                double got[3][256] = {{0}}, errors[3][256] = {{0}};
                crd_inference_result results[3] = {CRD_INFERENCE_RESULT_INIT, CRD_INFERENCE_RESULT_INIT,
                                                   CRD_INFERENCE_RESULT_INIT};
                for (unsigned threads = 1; threads <= 3; threads++) {
                    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
                    crd_error error;
                    size_t index = threads - 1;
                    options.approximation = (crd_approximation)way;
                    options.is_always_approximate = 1;
                    options.draws = 1111;
                    options.threads = threads;
                    crd_status status =
                        together
                            ? crd_network_joint_posterior(
                                  network, NETWORK_QUERY(query.findings, query.count, nodes, 3, &options), got[index],
                                  errors[index], &results[index], &error)
                            : crd_network_posteriors(network,
                                                     NETWORK_QUERY(query.findings, query.count, nodes, 4, &options),
                                                     got[index], errors[index], &results[index], &error);
                    assert_done(status, error);
                }
                for (size_t i = 1; i < 3; i++) {
                    assert_memory_equal(got[0], got[i], sizeof got[0]);
                    assert_memory_equal(errors[0], errors[i], sizeof errors[0]);
                    assert_memory_equal(&results[0], &results[i], sizeof results[0]);
                }
            }
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
}

/* The joint posterior of two or three nodes. */
static void together(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    double estimates = 0, within = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        crd_network *network = random_network(context, seed, NODES, 4, 3);
        size_t nodes[] = {seed % NODES, (seed * 5 + 1) % NODES, 4}, cells = 1, count = 2 + seed % 2;
        asking query;
        make_asking(network, seed, &query);
        bool is_repeated = nodes[0] == nodes[1] || (count == 3 && (nodes[0] == 4 || nodes[1] == 4));
        for (size_t i = 0; i < count; i++) cells *= crd_network_state_count(network, nodes[i]);
        for (int way = CRD_APPROXIMATION_WEIGHTING; !is_repeated && way <= CRD_APPROXIMATION_GIBBS; way++) {
            crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
            double exact[64], got[64], errors[64], sum = 0;
            crd_error error;
            options.approximation = (crd_approximation)way;
            options.is_always_approximate = 1;
            options.draws = 3000;
            assert_done(crd_network_joint_posterior(network,
                                                    NETWORK_QUERY(query.findings, query.count, nodes, count, NULL),
                                                    exact, NULL, NULL, &error),
                        error);
            assert_done(crd_network_joint_posterior(network,
                                                    NETWORK_QUERY(query.findings, query.count, nodes, count, &options),
                                                    got, errors, NULL, &error),
                        error);
            for (size_t i = 0; i < cells; i++) {
                sum += got[i];
                estimates += errors[i] > 0;
                within += errors[i] > 0 && fabs(got[i] - exact[i]) <= 2 * errors[i];
                if (errors[i] == 0) assert_true(fabs(got[i] - exact[i]) < 1e-12);
            }
            assert_true(fabs(sum - 1) < 1e-9);
        }
        crd_network_destroy(network);
    }
    if (!(estimates > 400 && within >= 0.95 * estimates)) fail_msg("%.0f of %.0f within 2 errors", within, estimates);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_errors),
        cmocka_unit_test(same_with_any_threads),
        cmocka_unit_test(together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
