/* SPDX-License-Identifier: MIT */
/* Small random networks, whole and pruned, against going through every combination of states. */
#include "network_support.h"

enum { NETWORKS = 400, NODES = 9 };

static void compare(crd_context *context, const crd_network *network, crd_i_junction_work *work,
                    const crd_i_junction *junction, const crd_i_evidence *findings) {
    double wanted[64], got[64], most, log_evidence, log_most;
    int32_t best[NODES];
    crd_error error;
    double total = enumerate(network, findings, wanted, &most);
    crd_status status = crd_i_junction_ask(work, findings, NULL, got, &log_evidence, &error);
    if (total == 0) {
        assert_int_equal(status, CRD_ERROR_PROBABILITY);
        return;
    }
    assert_done(status, error);
    assert_true(fabs(log_evidence - log(total)) < 1e-11);
    for (size_t i = 0; i < crd_i_junction_start(junction, network->count); i++)
        if (!(fabs(got[i] - wanted[i]) < 1e-12)) fail_msg("%.17g should be %.17g", got[i], wanted[i]);
    assert_done(crd_i_junction_most_probable(work, findings, best, &log_most, &error), error);
    double p = joint_probability(network, best);
    for (size_t i = 0; i < network->count; i++) {
        if (findings->states[i] >= 0) assert_int_equal(best[i], findings->states[i]);
        if (findings->likelihoods[i] != NULL) p *= findings->likelihoods[i][best[i]];
    }
    assert_true(fabs(p - most) <= 1e-12 * most);
    assert_true(fabs(log_most - log(most)) < 1e-11);
    (void)context;
}

/* The posterior of one node from the tables that count alone, in a tree without the observed nodes. */
static void compare_pruned(const crd_network *network, const crd_i_evidence *findings, size_t node,
                           const double *wanted, size_t start) {
    bool targets[NODES] = {false}, observed[NODES], tables[NODES];
    double got[64];
    crd_error error;
    crd_i_junction *junction = NULL;
    crd_i_junction_work *work = NULL;
    for (size_t i = 0; i < network->count; i++) observed[i] = findings->states[i] >= 0;
    targets[node] = true;
    assert_done(crd_i_prune(network, targets, observed, tables, NULL, &error), error);
    const crd_i_junction_options options = {.tables = tables, .observed = observed};
    assert_done(crd_i_junction_compile(network, &options, &junction, &error), error);
    assert_done(crd_i_junction_work_create(junction, &work, &error), error);
    const crd_i_evidence hard = {.states = findings->states};
    assert_done(crd_i_junction_ask(work, &hard, targets, got, NULL, &error), error);
    for (size_t i = 0; i < crd_i_node_states(&network->nodes[node]); i++)
        if (!(fabs(got[start + i] - wanted[start + i]) < 1e-12))
            fail_msg("%.17g should be %.17g", got[start + i], wanted[start + i]);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
}

static void every_answer(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        crd_network *network = random_network(context, seed, 1 + seed % NODES, 4, 3);
        crd_i_junction *junction = NULL;
        crd_i_junction_work *work = NULL;
        crd_error error;
        assert_done(crd_i_junction_compile(network, NULL, &junction, &error), error);
        assert_done(crd_i_junction_work_create(junction, &work, &error), error);
        for (uint64_t question = 0; question < 6; question++) {
            crd_i_random random = crd_i_random_at(seed, question + 1);
            int32_t states[NODES];
            double vectors[NODES][4];
            const double *likelihoods[NODES] = {NULL};
            for (size_t i = 0; i < network->count; i++) {
                const size_t state_count = crd_i_node_states(&network->nodes[i]);
                bool is_seen = question > 0 && crd_i_random_below(&random, 3) == 0;
                states[i] = is_seen ? (int32_t)crd_i_random_below(&random, state_count) : -1;
                for (size_t j = 0; j < state_count; j++)
                    vectors[i][j] = ldexp(crd_i_random_open(&random), (int)(j * 9) - 9);
                if (question > 3 && crd_i_random_below(&random, 3) == 0) likelihoods[i] = vectors[i];
            }
            const crd_i_evidence findings = {.states = states, .likelihoods = likelihoods};
            compare(context, network, work, junction, &findings);
            double wanted[64], most;
            const crd_i_evidence hard = {.states = states};
            size_t node = crd_i_random_below(&random, network->count);
            if (enumerate(network, &hard, wanted, &most) > 0)
                compare_pruned(network, &hard, node, wanted, crd_i_junction_start(junction, node));
        }
        crd_i_junction_work_destroy(work);
        crd_i_junction_destroy(junction);
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
