/* SPDX-License-Identifier: MIT */
/* Questions from outside to small random networks, against going through every combination of states. */
#include "network_support.h"

enum { NETWORKS = 300, NODES = 8, MAX_STATES = 3 };

typedef struct questions_puzzle {
    const crd_network *network;
    crd_finding findings[NODES];
    size_t finding_count;
    int32_t states[NODES]; /* those of the evidence, or -1 */
    const double *likelihoods[NODES];
    double vectors[NODES][MAX_STATES];
    size_t nodes[NODES], node_count, cells; /* what is asked, and their combinations of states */
} questions_puzzle;

static void make_riddle(const crd_network *network, crd_i_random *random, bool has_soft, questions_puzzle *out) {
    *out = (questions_puzzle){.network = network, .cells = 1};
    for (size_t i = 0; i < network->count; i++) {
        size_t states = crd_i_node_states(&network->nodes[i]);
        out->states[i] = -1;
        for (size_t j = 0; j < states; j++) out->vectors[i][j] = crd_i_random_open(random);
        size_t kind = crd_i_random_below(random, has_soft ? 4 : 3);
        if (kind == 0) out->states[i] = (int32_t)crd_i_random_below(random, states);
        if (kind == 3) out->likelihoods[i] = out->vectors[i];
        if (kind == 0 || kind == 3)
            out->findings[out->finding_count++] =
                (crd_finding){i, kind == 0 ? (size_t)out->states[i] : 0, out->likelihoods[i], 0};
        /* Asked in an order that is not that of the nodes; some of them are knout-> */
        if (crd_i_random_below(random, 3) > 0) continue;
        memmove(out->nodes + 1, out->nodes, out->node_count * sizeof *out->nodes);
        out->nodes[0] = i;
        out->node_count++;
        out->cells *= states;
    }
}

/* The joint probability of the evidence and of each combination of the asked nodes; returns that of the evidence. */
static double enumerate_joint(const questions_puzzle *puzzle, double *joint) {
    int32_t states[NODES] = {0};
    double total = 0;
    memset(joint, 0, puzzle->cells * sizeof *joint);
    for (;;) {
        double p = joint_probability(puzzle->network, states);
        size_t cell = 0, i = 0;
        for (size_t j = 0; j < puzzle->network->count; j++) {
            if (puzzle->states[j] >= 0 && puzzle->states[j] != states[j]) p = 0;
            if (puzzle->likelihoods[j] != NULL) p *= puzzle->likelihoods[j][states[j]];
        }
        for (size_t j = 0; j < puzzle->node_count; j++)
            cell =
                cell * crd_i_node_states(&puzzle->network->nodes[puzzle->nodes[j]]) + (size_t)states[puzzle->nodes[j]];
        joint[cell] += p;
        total += p;
        while (i < puzzle->network->count && ++states[i] == (int32_t)crd_i_node_states(&puzzle->network->nodes[i]))
            states[i++] = 0;
        if (i == puzzle->network->count) return total;
    }
}

static void compare(const questions_puzzle *puzzle) {
    static double wanted[6561], got[6561], each[NODES * MAX_STATES];
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    crd_error error;
    size_t states[NODES], cell = 0;
    double total = enumerate_joint(puzzle, wanted), most = 0, log_most, log_evidence;
    const crd_network *network = puzzle->network;
    crd_status status = crd_network_joint_posterior(
        network, NETWORK_QUERY(puzzle->findings, puzzle->finding_count, puzzle->nodes, puzzle->node_count, NULL), got,
        NULL, &result, &error);
    if (total == 0) {
        assert_int_equal(status, CRD_ERROR_PROBABILITY);
        assert_non_null(
            strstr(error.message, "the evidence has probability zero: these findings contradict each other: "));
        status = crd_network_mpe(
            network, NETWORK_QUERY(puzzle->findings, puzzle->finding_count, puzzle->nodes, puzzle->node_count, NULL),
            states, &log_most, NULL, &error);
        assert_int_equal(status, CRD_ERROR_PROBABILITY);
        return;
    }
    assert_done(status, error);
    assert_true(fabs(result.log_evidence - log(total)) < 1e-11);
    for (size_t i = 0; i < puzzle->cells; i++) {
        assert_true(fabs(got[i] - wanted[i] / total) < 1e-12);
        if (wanted[i] > most) most = wanted[i];
    }
    assert_done(
        crd_network_mpe(network,
                        NETWORK_QUERY(puzzle->findings, puzzle->finding_count, puzzle->nodes, puzzle->node_count, NULL),
                        states, &log_most, &result, &error),
        error);
    for (size_t i = 0; i < puzzle->node_count; i++)
        cell = cell * crd_i_node_states(&network->nodes[puzzle->nodes[i]]) + states[i];
    assert_true(fabs(wanted[cell] - most) <= 1e-12 * most);
    assert_true(fabs(log_most - log(most)) < 1e-11);
    assert_true(fabs(result.log_evidence - log(total)) < 1e-11);
    bool has_soft = false;
    for (size_t i = 0; i < network->count; i++) has_soft = has_soft || puzzle->likelihoods[i] != NULL;
    assert_done(crd_network_posteriors(
                    network,
                    NETWORK_QUERY(puzzle->findings, puzzle->finding_count, puzzle->nodes, puzzle->node_count, NULL),
                    each, NULL, &result, &error),
                error);
    if (has_soft) return;
    /* A case alone is asked of a tree that other cases could be asked of too. */
    assert_done(crd_network_case_posteriors(network, NETWORK_QUERY(NULL, 0, puzzle->nodes, puzzle->node_count, NULL),
                                            puzzle->states, NULL, 1, got, &log_evidence, &error),
                error);
    assert_true(fabs(log_evidence - log(total)) < 1e-11);
    size_t numbers = 0;
    for (size_t i = 0; i < puzzle->node_count; i++) numbers += crd_i_node_states(&network->nodes[puzzle->nodes[i]]);
    for (size_t i = 0; i < numbers; i++) assert_true(fabs(got[i] - each[i]) < 1e-12);
}

static void every_question(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    size_t impossible = 0;
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        crd_network *network = random_network(context, seed, 1 + seed % NODES, MAX_STATES, 3);
        for (uint64_t question = 0; question < 8; question++) {
            crd_i_random random = crd_i_random_at(seed, 100 + question);
            questions_puzzle puzzle;
            make_riddle(network, &random, question % 2 == 1, &puzzle);
            if (puzzle.node_count == 0) continue;
            double joint[6561];
            impossible += enumerate_joint(&puzzle, joint) == 0;
            compare(&puzzle);
        }
        crd_network_destroy(network);
    }
    assert_true(impossible > 20);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* The states of all nodes, those known included, and their probability. */
static void every_explanation(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        crd_network *network = random_network(context, seed, 1 + seed % NODES, MAX_STATES, 3);
        crd_i_random random = crd_i_random_at(seed, 50);
        questions_puzzle puzzle;
        make_riddle(network, &random, false, &puzzle);
        const crd_i_evidence findings = {.states = puzzle.states};
        double posteriors[NODES * MAX_STATES], most, log_most;
        size_t states[NODES];
        crd_error error;
        double total = enumerate(network, &findings, posteriors, &most);
        crd_status status =
            crd_network_mpe(network, NETWORK_QUERY(puzzle.findings, puzzle.finding_count, NULL, 0, NULL), states,
                            &log_most, NULL, &error);
        assert_int_equal(status, total > 0 ? CRD_OK : CRD_ERROR_PROBABILITY);
        int32_t explanation[NODES];
        for (size_t i = 0; total > 0 && i < network->count; i++) {
            explanation[i] = (int32_t)states[i];
            if (puzzle.states[i] >= 0) assert_int_equal(explanation[i], puzzle.states[i]);
        }
        if (total > 0) assert_true(fabs(joint_probability(network, explanation) - most) <= 1e-12 * most);
        if (total > 0) assert_true(fabs(log_most - log(most)) < 1e-11);
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
}

/* Findings that are named as contradicting each other do so, and without any one of them they do not. */
static void least_contradictions(void **state) {
    (void)state;
    crd_context *context = NULL;
    size_t contradictions = 0;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        crd_network *network = random_network(context, seed, 1 + seed % NODES, MAX_STATES, 3);
        crd_i_random random = crd_i_random_at(seed, 60);
        questions_puzzle puzzle;
        make_riddle(network, &random, false, &puzzle);
        const crd_i_evidence findings = {.states = puzzle.states};
        double posteriors[NODES * MAX_STATES], most;
        crd_error error;
        if (enumerate(network, &findings, posteriors, &most) == 0) {
            int32_t named[NODES];
            size_t node = 0;
            assert_int_equal(
                crd_network_posteriors(network, NETWORK_QUERY(puzzle.findings, puzzle.finding_count, &node, 1, NULL),
                                       posteriors, NULL, NULL, &error),
                CRD_ERROR_PROBABILITY);
            const char *words = strstr(error.message, "each other: ");
            assert_non_null(words);
            for (size_t i = 0; i < network->count; i++) {
                char item[40];
                snprintf(item, sizeof item, "n%zu=s%d", i, (int)puzzle.states[i]);
                named[i] = puzzle.states[i] >= 0 && strstr(words, item) != NULL ? puzzle.states[i] : -1;
            }
            const crd_i_evidence said = {.states = named};
            assert_true(enumerate(network, &said, posteriors, &most) == 0);
            for (size_t i = 0; i < network->count; i++) {
                int32_t kept = named[i];
                if (kept < 0) continue;
                named[i] = -1;
                assert_true(enumerate(network, &said, posteriors, &most) > 0);
                named[i] = kept;
            }
            contradictions++;
        }
        crd_network_destroy(network);
    }
    assert_true(contradictions > 10);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_question),
        cmocka_unit_test(every_explanation),
        cmocka_unit_test(least_contradictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
