/* SPDX-License-Identifier: MIT */
/* Interventions on small random networks, against the truncated factorization: the product of the tables of all nodes
 * that were not set, over every combination of the others' states (Pearl 2000, section 3.2). */
#include "network/network_internal.h"
#include "network_support.h"

#include <credence/network.h>

enum { NETWORKS = 10000, MOST = 6, MOST_STATES = 3 };

/* What is asked of a network: the posterior of `target` after `actions`, given one finding. */
typedef struct question {
    crd_finding actions[2], finding;
    size_t action_count, finding_count, target;
} question;

static bool is_action(const question *q, size_t node) {
    for (size_t i = 0; i < q->action_count; i++)
        if (q->actions[i].node == node) return true;
    return false;
}

/* The product of the tables of the nodes that are not set. */
static double truncated_product(const crd_network *network, const question *q, const size_t *states) {
    double product = 1;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        size_t row = 0, width = crd_i_node_states(node);
        double sum = 0;
        if (is_action(q, i)) continue;
        for (size_t j = 0; j < node->parent_count; j++)
            row = row * crd_i_node_states(&network->nodes[node->parents[j]]) + states[node->parents[j]];
        for (size_t j = 0; j < width; j++) sum += node->table[row * width + j];
        product *= node->table[row * width + states[i]] / sum;
    }
    return product;
}

/* Enumerates all states. Returns the probability of the finding, and the posterior of the target. */
static double enumerate_truncated(const crd_network *network, const question *q, double *posterior) {
    size_t states[MOST] = {0};
    double total = 0;
    for (size_t i = 0; i < MOST_STATES; i++) posterior[i] = 0;
    for (;;) {
        bool is_met = q->finding_count == 0 || states[q->finding.node] == q->finding.state;
        for (size_t i = 0; i < q->action_count; i++)
            is_met = is_met && states[q->actions[i].node] == q->actions[i].state;
        if (is_met) posterior[states[q->target]] += truncated_product(network, q, states);
        size_t i = 0;
        while (i < network->count && ++states[i] == crd_i_node_states(&network->nodes[i])) states[i++] = 0;
        if (i == network->count) break;
    }
    for (size_t i = 0; i < MOST_STATES; i++) total += posterior[i];
    for (size_t i = 0; i < MOST_STATES && total > 0; i++) posterior[i] /= total;
    return total;
}

static question draw_question(const crd_network *network, crd_i_random *random) {
    question q = {.action_count = 1 + crd_i_random_below(random, 2), .finding_count = crd_i_random_below(random, 2)};
    for (size_t i = 0; i < q.action_count; i++) {
        size_t node;
        do node = crd_i_random_below(random, network->count);
        while (i == 1 && node == q.actions[0].node);
        q.actions[i].node = node;
        q.actions[i].state = crd_i_random_below(random, crd_i_node_states(&network->nodes[node]));
    }
    do q.finding.node = crd_i_random_below(random, network->count);
    while (is_action(&q, q.finding.node));
    q.finding.state = crd_i_random_below(random, crd_i_node_states(&network->nodes[q.finding.node]));
    do q.target = crd_i_random_below(random, network->count);
    while (q.finding_count == 1 && q.target == q.finding.node);
    return q;
}

static void posteriors_equal_the_truncated_factorization(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = logged_context(&counted);
    size_t impossible = 0;
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        crd_i_random random = crd_i_random_at(seed, 5);
        crd_network *network = random_network(context, seed, 3 + seed % (MOST - 2), MOST_STATES, 3), *changed = NULL;
        const question q = draw_question(network, &random);
        double expected[MOST_STATES], found[MOST_STATES];
        const double evidence = enumerate_truncated(network, &q, expected);
        crd_error error;
        assert_done(crd_network_intervene(network, q.actions, q.action_count, &changed, &error), error);
        const crd_network_query query = {sizeof query, &q.finding, q.finding_count, &q.target, 1, NULL};
        crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
        const crd_status status = crd_network_posteriors(changed, &query, found, NULL, &result, &error);
        if (evidence > 0) {
            assert_int_equal(status, CRD_OK);
            /* Sums of at most 729 products of 6 numbers: 1e-12 is far above their rounding errors. */
            for (size_t i = 0; i < crd_i_node_states(&network->nodes[q.target]); i++)
                assert_true(fabs(found[i] - expected[i]) < 1e-12);
            if (q.finding_count > 0) assert_true(fabs(exp(result.log_evidence) - evidence) < 1e-12);
        } else {
            impossible++;
            assert_int_equal(status, CRD_ERROR_PROBABILITY);
        }
        for (size_t i = 0; i < q.action_count; i++)
            assert_int_equal(crd_network_parent_count(changed, q.actions[i].node), 0);
        crd_network_destroy(changed);
        crd_network_destroy(network);
    }
    assert_true(impossible > NETWORKS / 100 && impossible < NETWORKS / 2);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* y = 2 + 3 x + e, x = 1 + z + e: after do(x = 5), z keeps its distribution and y is normal about 17. */
static void continuous_nodes(void **state) {
    (void)state;
    static const double OF_Z[] = {0, 1}, OF_X[] = {1, 1, 1}, OF_Y[] = {2, 3, 4};
    crd_context *context = NULL;
    crd_network_builder *builder = NULL;
    crd_network *network = NULL, *changed = NULL;
    crd_error error;
    const char *const names[] = {"z", "x", "y"};
    const double *const tables[] = {OF_Z, OF_X, OF_Y};
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_done(crd_network_builder_create(context, crd_text_of("line"), &builder, &error), error);
    for (size_t i = 0; i < 3; i++) {
        assert_done(
            crd_network_builder_add_node(builder, crd_text_of(names[i]), CRD_NODE_GAUSSIAN, NULL, 0, NULL, &error),
            error);
        if (i > 0) assert_done(crd_network_builder_add_arc(builder, i - 1, i, &error), error);
        assert_done(crd_network_builder_set_cpt(builder, i, tables[i], i == 0 ? 2 : 3, &error), error);
    }
    assert_done(crd_network_builder_finish(builder, &network, &error), error);
    const crd_finding action = {.node = 1, .number = 5};
    assert_done(crd_network_intervene(network, &action, 1, &changed, &error), error);
    const size_t nodes[] = {0, 2};
    const crd_network_query query = {sizeof query, NULL, 0, nodes, 2, NULL};
    double means[2], covariance[4];
    assert_done(crd_network_moments(changed, &query, means, covariance, NULL, &error), error);
    assert_true(fabs(means[0]) < 1e-12 && fabs(covariance[0] - 1) < 1e-12);
    assert_true(fabs(means[1] - 17) < 1e-12 && fabs(covariance[3] - 4) < 1e-12);
    assert_true(fabs(covariance[1]) < 1e-12);
    const crd_finding infinite = {.node = 1, .number = INFINITY}, twice[] = {action, action};
    crd_network *none = changed;
    assert_int_equal(crd_network_intervene(network, &infinite, 1, &none, &error), CRD_ERROR_NUMBER);
    assert_null(none);
    assert_int_equal(crd_network_intervene(network, twice, 2, &none, &error), CRD_ERROR_COLUMN);
    crd_network_destroy(changed);
    crd_network_destroy(network);
    crd_network_builder_destroy(builder);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posteriors_equal_the_truncated_factorization),
        cmocka_unit_test(continuous_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
