/* SPDX-License-Identifier: MIT */
/* Decisions of textbooks, where numbers are hard, and where there is no answer. */
#include "decision_support.h"

#include "counted_fixture.h"

#define CHANCE CRD_NODE_CHANCE
#define DECISION CRD_NODE_DECISION
#define UTILITY CRD_NODE_UTILITY
#define BUILD(specs) build_network(context, specs, sizeof(specs) / sizeof *(specs))

static crd_policy *decide(const crd_network *network, const crd_finding *findings, size_t count) {
    crd_policy *policy = NULL;
    crd_error error;
    assert_done(crd_policy_create(network, findings, count, NULL, 0, NULL, &policy, &error), error);
    return policy;
}

static double value_of(const crd_network *network, const crd_finding *findings, size_t count, size_t node) {
    double value = -1;
    crd_error error;
    assert_done(crd_network_value_of_observing(network, findings, count, node, NULL, &value, &error), error);
    return value;
}

/* Raiffa 1968, in the numbers of Shenoy 1992: a test of the structure of the ground costs 10, drilling brings -70, 50
 * or 200. */
static const node_spec wildcatter[] = {
    {"Oil", CHANCE, "dry wet soaking", "", {0.5, 0.3, 0.2}},
    {"Test", DECISION, "yes no", "", {0}},
    {"Seismic", CHANCE, "none open closed untested", "Oil Test", {0.6, 0.3, 0.1, 0, 0, 0, 0, 1,
                                                                  0.3, 0.4, 0.3, 0, 0, 0, 0, 1,
                                                                  0.1, 0.4, 0.5, 0, 0, 0, 0, 1}},
    {"Drill", DECISION, "yes no", "Test Seismic", {0}},
    {"Cost", UTILITY, "", "Test", {-10, 0}},
    {"Payoff", UTILITY, "", "Oil Drill", {-70, 0, 50, 0, 200, 0}},
};

static void oil_wildcatter(void **state) {
    (void)state;
    crd_network *network = BUILD(wildcatter);
    crd_policy *policy = decide(network, NULL, 0);
    assert_near(policy->utility, 22.5, 1e-13);
    assert_true(policy->log_evidence == 0);
    assert_int_equal(policy->decision_count, 2);
    assert_int_equal(policy->decisions[0].node, 1);
    assert_int_equal(policy->decisions[0].known_count, 0);
    assert_int_equal(policy->decisions[0].choices[0], 0);
    assert_near((policy->decisions[0].utilities + 0 * policy->decisions[0].choice_count)[0], 22.5, 1e-13);
    assert_near((policy->decisions[0].utilities + 0 * policy->decisions[0].choice_count)[1], 20, 1e-13);
    assert_int_equal(policy->decisions[1].node, 3);
    assert_int_equal(policy->decisions[1].known_count, 2);
    assert_int_equal(policy->decisions[1].known[0], 1);
    assert_int_equal(policy->decisions[1].known[1], 2);
    const size_t best[8] = {1, 0, 0, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, 0};
    const double drilled[8] = {-12.5 / 0.41, 11.5 / 0.35, 21 / 0.24, NAN, NAN, NAN, NAN, 20};
    for (size_t i = 0; i < 8; i++) {
        const double *utilities = (policy->decisions[1].utilities + i * policy->decisions[1].choice_count);
        assert_int_equal(policy->decisions[1].choices[i], best[i]);
        assert_int_equal(isnan(utilities[0]), isnan(drilled[i]));
        assert_int_equal(isnan(utilities[1]), isnan(drilled[i]));
        if (isnan(drilled[i])) continue;
        assert_near(utilities[0], drilled[i], 1e-12);
        assert_near(utilities[1], 0, 0);
    }
    crd_policy_destroy(policy);
    /* Knowing the oil itself is worth 0.3 * 50 + 0.2 * 200, without the test, less what there is anyway. */
    assert_near(value_of(network, NULL, 0, 0), 55 - 22.5, 1e-12);
    crd_network_destroy(network);
}

/* A choice that is made, also one that will be made in any case, is not there to be decided. */
static void choices_made(void **state) {
    (void)state;
    crd_network *network = BUILD(wildcatter);
    const crd_finding untested = {1, 1, NULL, 0}, drilled = {3, 0, NULL, 0},
                      both[2] = {{1, 0, NULL, 0}, {3, 1, NULL, 0}};
    crd_policy *policy = decide(network, &untested, 1);
    assert_near(policy->utility, 20, 1e-13);
    assert_int_equal(policy->decision_count, 1);
    assert_int_equal(policy->decisions[0].known_count, 1);
    crd_policy_destroy(policy);
    policy = decide(network, &drilled, 1);
    assert_near(policy->utility, 20, 1e-13);
    assert_int_equal(policy->decisions[0].node, 1);
    assert_int_equal(policy->decisions[0].choices[0], 1);
    /* The test changes nothing any more: only its own costs are its effect. */
    assert_near((policy->decisions[0].utilities + 0 * policy->decisions[0].choice_count)[0], -10, 0);
    crd_policy_destroy(policy);
    policy = decide(network, both, 2);
    assert_near(policy->utility, -10, 1e-13);
    assert_int_equal(policy->decision_count, 0);
    assert_true(policy->log_evidence == 0);
    crd_policy_destroy(policy);
    const crd_finding seen[2] = {{1, 0, NULL, 0}, {2, 1, NULL, 0}};
    policy = decide(network, seen, 2);
    assert_near(policy->utility, 11.5 / 0.35 - 10, 1e-12);
    assert_near(policy->log_evidence, log(0.35), 1e-14);
    assert_int_equal(policy->decisions[0].known_count, 0);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
}

/* The umbrella, as it comes with Netica: 77 with the forecast, 70 without. */
static void umbrella(void **state) {
    (void)state;
    node_spec specs[] = {
        {"Weather", CHANCE, "sunshine rain", "", {0.7, 0.3}},
        {"Forecast", CHANCE, "sunny cloudy rainy", "Weather", {0.7, 0.2, 0.1, 0.15, 0.25, 0.6}},
        {"Umbrella", DECISION, "take leave", "Forecast", {0}},
        {"Satisfaction", UTILITY, "", "Weather Umbrella", {20, 100, 70, 0}},
        {"Elsewhere", CHANCE, "calm storm", "", {0.9, 0.1}},
        {"Report", CHANCE, "good bad", "Forecast Elsewhere", {1, 0, 0.5, 0.5, 0.9, 0.1, 0.5, 0.5, 0, 1, 0.5, 0.5}},
    };
    crd_network *network = BUILD(specs);
    crd_policy *policy = decide(network, NULL, 0);
    assert_near(policy->utility, 77, 1e-12);
    const size_t best[3] = {1, 1, 0};
    for (size_t i = 0; i < 3; i++) assert_int_equal(policy->decisions[0].choices[i], best[i]);
    assert_near((policy->decisions[0].utilities + 2 * policy->decisions[0].choice_count)[0], 14 / 0.25, 1e-12);
    assert_near((policy->decisions[0].utilities + 2 * policy->decisions[0].choice_count)[1], 7 / 0.25, 1e-12);
    crd_policy_destroy(policy);
    assert_near(value_of(network, NULL, 0, 0), 91 - 77, 1e-12);
    /* What is known already, what is far off, and what only repeats what is known, to the bit. */
    assert_true(value_of(network, NULL, 0, 1) == 0);
    assert_true(value_of(network, NULL, 0, 4) == 0);
    assert_true(value_of(network, NULL, 0, 5) == 0);
    const crd_finding sunny = {1, 0, NULL, 0};
    assert_true(value_of(network, &sunny, 1, 5) == 0);
    assert_true(value_of(network, &sunny, 1, 0) > 1);
    crd_network_destroy(network);
    specs[2].parents = "";
    network = BUILD(specs);
    policy = decide(network, NULL, 0);
    assert_near(policy->utility, 70, 1e-13);
    assert_int_equal(policy->decisions[0].known_count, 0);
    crd_policy_destroy(policy);
    assert_near(value_of(network, NULL, 0, 0), 21, 1e-12);
    assert_near(value_of(network, NULL, 0, 1), 7, 1e-12);
    assert_true(value_of(network, NULL, 0, 5) > 0 && value_of(network, NULL, 0, 5) < 7);
    assert_true(value_of(network, NULL, 0, 4) == 0);
    /* The report with what blurs it is worth more than without. */
    const crd_finding calm = {4, 0, NULL, 0};
    assert_true(value_of(network, &calm, 1, 5) > value_of(network, NULL, 0, 5));
    crd_network_destroy(network);
}

/* Costs are utilities below zero. One in a hundred is ill; 0.9 of the ill and 0.05 of the others test positive;
 * treating costs 10, leaving an illness 100. */
static void costs(void **state) {
    (void)state;
    const node_spec specs[] = {
        {"Ill", CHANCE, "no yes", "", {0.99, 0.01}},
        {"Test", CHANCE, "negative positive", "Ill", {0.95, 0.05, 0.1, 0.9}},
        {"Treat", DECISION, "no yes", "Test", {0}},
        {"Price", UTILITY, "", "Treat", {0, -10}},
        {"Harm", UTILITY, "", "Ill Treat", {0, 0, -100, 0}},
    };
    crd_network *network = BUILD(specs);
    crd_policy *policy = decide(network, NULL, 0);
    assert_near(policy->utility, -10 * 0.0585 - 100 * 0.001, 1e-14);
    assert_int_equal(policy->decisions[0].choices[0], 0);
    assert_int_equal(policy->decisions[0].choices[1], 1);
    assert_near((policy->decisions[0].utilities + 1 * policy->decisions[0].choice_count)[0], -100 * 0.009 / 0.0585,
                1e-13);
    crd_policy_destroy(policy);
    /* Signs that are ten times as likely of the ill: odds of 10 to 99, and treating pays in any case but one. */
    double signs[2] = {0.1, 1};
    const crd_finding seen = {0, 0, signs, 0};
    policy = decide(network, &seen, 1);
    double weights[2] = {0.099, 0.01}, sum = 0.109;
    double negative = weights[0] * 0.95 + weights[1] * 0.1, positive = weights[0] * 0.05 + weights[1] * 0.9;
    assert_near(policy->utility, (-100 * weights[1] * 0.1 - 10 * positive) / sum, 1e-13);
    assert_near((policy->decisions[0].utilities + 0 * policy->decisions[0].choice_count)[0],
                -100 * weights[1] * 0.1 / negative, 1e-13);
    assert_near(policy->log_evidence, log(sum), 1e-14);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
}

/* Equal choices: the first, also where sums of decimals miss each other by a bit. */
static void ties(void **state) {
    (void)state;
    const node_spec specs[] = {
        {"X", CHANCE, "a b c", "", {0.1, 0.2, 0.7}},
        {"D", DECISION, "left right", "X", {0}},
        {"E", DECISION, "left right middle", "", {0}},
        {"U", UTILITY, "", "X D", {1, 2, 3, 3, 7, 5}},
        {"V", UTILITY, "", "X E", {0.3, 0, 0.1, 0.3, 0.9, 0.1, 0.3, 0.3 * 3 / 7, 0.2}},
    };
    crd_network *network = BUILD(specs);
    crd_policy *policy = decide(network, NULL, 0);
    assert_int_equal(policy->decisions[0].choices[0], 1);
    assert_int_equal(policy->decisions[0].choices[1], 0);
    assert_int_equal(policy->decisions[0].choices[2], 0);
    crd_policy_destroy(policy);
    const node_spec twice[] = {
        {"X", CHANCE, "a b", "", {0.3, 0.7}},
        {"D", DECISION, "first second third", "", {0}},
        {"U", UTILITY, "", "X D", {1, 0.3, 1, 0.1, 0.4, 0.1}},
    };
    crd_network_destroy(network);
    network = BUILD(twice);
    policy = decide(network, NULL, 0);
    const double *utilities = (policy->decisions[0].utilities + 0 * policy->decisions[0].choice_count);
    assert_near(utilities[0], utilities[1], 1e-15);
    assert_int_equal(policy->decisions[0].choices[0], 0);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
}

/* Arcs leave open which of these is taken first: it is the one of the smaller number, and the other knows what it was
 * and what it knew. */
static void unordered(void **state) {
    (void)state;
    const node_spec specs[] = {
        {"U", UTILITY, "", "X B A", {1, 0, 0, 0, 0, 0, 0, 1}},
        {"B", DECISION, "no yes", "X", {0}},
        {"X", CHANCE, "no yes", "", {0.5, 0.5}},
        {"A", DECISION, "no yes", "", {0}},
    };
    crd_network *network = BUILD(specs);
    crd_policy *policy = decide(network, NULL, 0);
    assert_int_equal(policy->decisions[0].node, 1);
    assert_int_equal(policy->decisions[1].node, 3);
    assert_int_equal(policy->decisions[0].known_count, 1);
    assert_int_equal(policy->decisions[1].known_count, 2);
    assert_int_equal(policy->decisions[1].known[0], 1);
    assert_int_equal(policy->decisions[1].known[1], 2);
    assert_near(policy->utility, 1, 0);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
}

/* A child of two that was seen without certainty lets one of them tell of the other. */
static void seen_without_certainty(void **state) {
    (void)state;
    const node_spec specs[] = {
        {"A", CHANCE, "no yes", "", {0.5, 0.5}},
        {"B", CHANCE, "no yes", "", {0.5, 0.5}},
        {"Same", CHANCE, "no yes", "A B", {0, 1, 1, 0, 1, 0, 0, 1}},
        {"D", DECISION, "no yes", "A", {0}},
        {"U", UTILITY, "", "B D", {1, 0, 0, 1}},
    };
    crd_network *network = BUILD(specs);
    crd_policy *policy = decide(network, NULL, 0);
    assert_int_equal(policy->decisions[0].known_count, 0);
    assert_near(policy->utility, 0.5, 0);
    crd_policy_destroy(policy);
    double seen[2] = {1, 4};
    const crd_finding same = {2, 0, seen, 0};
    policy = decide(network, &same, 1);
    assert_int_equal(policy->decisions[0].known_count, 1);
    assert_near(policy->utility, 0.8, 1e-15);
    assert_int_equal(policy->decisions[0].choices[0], 0);
    assert_int_equal(policy->decisions[0].choices[1], 1);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
}

/* Nodes and decisions of one state are there, and change nothing. */
static void one_state(void **state) {
    (void)state;
    const node_spec specs[] = {
        {"X", CHANCE, "a b", "One", {0.25, 0.75}},    {"One", CHANCE, "only", "", {1}},
        {"Must", DECISION, "only", "X", {0}},         {"D", DECISION, "no yes", "Must One X", {0}},
        {"U", UTILITY, "", "D X Must", {4, 0, 0, 8}},
    };
    crd_network *network = BUILD(specs);
    crd_policy *policy = decide(network, NULL, 0);
    assert_int_equal(policy->decision_count, 2);
    assert_int_equal(policy->decisions[0].known_count, 0);
    assert_int_equal(policy->decisions[0].choices[0], 0);
    assert_near((policy->decisions[0].utilities + 0 * policy->decisions[0].choice_count)[0], 7, 0);
    assert_int_equal(policy->decisions[1].known_count, 1);
    assert_near(policy->utility, 7, 0);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
}

static void huge_and_tiny(void **state) {
    (void)state;
    node_spec specs[] = {
        {"X", CHANCE, "a b", "", {0.5, 0.5}},
        {"D", DECISION, "no yes", "X", {0}},
        {"U", UTILITY, "", "X D", {1e300, -1e300, -1e300, 1e300}},
        {"V", UTILITY, "", "X D", {1e300, 0, 0, 0}},
    };
    crd_network *network = BUILD(specs);
    crd_policy *policy = decide(network, NULL, 0);
    assert_near(policy->utility / 1.5e300, 1, 1e-15);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
    for (size_t i = 0; i < 4; i++) specs[2].numbers[i] = specs[2].numbers[i] > 0 ? 1e-300 : 0;
    specs[3].numbers[0] = 0;
    network = BUILD(specs);
    policy = decide(network, NULL, 0);
    assert_near(policy->utility / 1e-300, 1, 1e-15);
    assert_int_equal(policy->decisions[0].choices[1], 1);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
    specs[2].numbers[0] = 1.5e308;
    specs[3].numbers[0] = 1.5e308;
    network = BUILD(specs);
    crd_error error;
    policy = (crd_policy *)&error;
    assert_int_equal(crd_policy_create(network, NULL, 0, NULL, 0, NULL, &policy, &error), CRD_ERROR_LIMIT);
    assert_null(policy);
    crd_network_destroy(network);
}

/* What is known has a probability of 1e-600, which no double is, and is possible all the same. */
static void hardly_possible(void **state) {
    (void)state;
    const node_spec specs[] = {
        {"A", CHANCE, "common rare", "", {1, 1e-300}},
        {"B", CHANCE, "common rare", "A", {1, 1e-300, 1, 1e-300}},
        {"C", CHANCE, "common rare never", "", {1, 1e-300, 0}},
        {"H", CHANCE, "no yes", "A B C", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,  0.5,  0.5, 0.5,
                                          0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25, 0.75, 0.5, 0.5}},
        {"D", DECISION, "no yes", "A B C", {0}},
        {"U", UTILITY, "", "H D", {1, 0, 0, 1}},
    };
    crd_network *network = BUILD(specs);
    crd_policy *policy = decide(network, NULL, 0);
    assert_near(policy->utility, 0.5, 1e-15);
    for (size_t i = 0; i < 12; i++) {
        size_t wanted = i % 3 == 2 ? SIZE_MAX : i == 10;
        assert_int_equal(policy->decisions[0].choices[i], wanted);
    }
    assert_near((policy->decisions[0].utilities + 10 * policy->decisions[0].choice_count)[1], 0.75, 1e-12);
    crd_policy_destroy(policy);
    /* Likelihoods that are as far apart. */
    double seen[3] = {1e-300, 1e300, 0};
    const crd_finding c = {2, 0, seen, 0};
    policy = decide(network, &c, 1);
    assert_near(policy->utility, 0.5, 1e-12);
    assert_int_equal(policy->decisions[0].choices[9], 0);
    assert_int_equal(policy->decisions[0].choices[10], 1);
    assert_int_equal(policy->decisions[0].choices[11], SIZE_MAX);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
}

/* Machines that wear out: 60 steps, in each of which the state is seen, and a repair can be paid for. All that was seen
 * before is known, to the last decision by arcs too, and does not matter; the reference is going backwards through
 * states and steps. */
static void many_steps(void **state) {
    (void)state;
    enum { STEPS = 60 };
    static char names[STEPS * 3][16], parents[STEPS * 3][48];
    static node_spec specs[STEPS * 3];
    static const double wear[3][3] = {{0.8, 0.15, 0.05}, {0, 0.7, 0.3}, {0, 0, 1}}, gain[3] = {10, 6, 0};
    for (size_t i = 0; i < STEPS; i++) {
        node_spec *machine = &specs[3 * i], *repair = &specs[3 * i + 1], *worth = &specs[3 * i + 2];
        snprintf(names[3 * i], sizeof *names, "S%zu", i);
        snprintf(names[3 * i + 1], sizeof *names, "R%zu", i);
        snprintf(names[3 * i + 2], sizeof *names, "U%zu", i);
        if (i > 0) snprintf(parents[3 * i], sizeof *parents, "S%zu R%zu", i - 1, i - 1);
        snprintf(parents[3 * i + 1], sizeof *parents, "S%zu", i);
        snprintf(parents[3 * i + 2], sizeof *parents, "S%zu R%zu", i, i);
        const node_spec spec[3] = {{names[3 * i], CHANCE, "good worn broken", parents[3 * i], {0.5, 0.25, 0.25}},
                                   {names[3 * i + 1], DECISION, "no yes", parents[3 * i + 1], {0}},
                                   {names[3 * i + 2], UTILITY, "", parents[3 * i + 2], {0}}};
        *machine = spec[0];
        *repair = spec[1];
        *worth = spec[2];
        for (size_t j = 0; i > 0 && j < 18; j++) machine->numbers[j] = wear[j / 3 % 2 == 0 ? j / 6 : 0][j % 3];
        for (size_t j = 0; j < 6; j++) worth->numbers[j] = gain[j / 2] - (j % 2 == 0 ? 0 : 12);
    }
    static char history[STEPS * 8];
    for (size_t i = 0; i < STEPS; i++) snprintf(history + strlen(history), 16, "%sS%zu R%zu", i > 0 ? " " : "", i, i);
    *strrchr(history, ' ') = '\0';
    specs[3 * STEPS - 2].parents = history;
    crd_network *network = build_network(context, specs, STEPS * 3);
    crd_policy *policy = decide(network, NULL, 0);
    double later[3] = {0, 0, 0};
    for (size_t i = STEPS; i-- > 0;) {
        double now[3];
        assert_int_equal(policy->decisions[i].node, 3 * i + 1);
        assert_int_equal(policy->decisions[i].known_count, 1);
        assert_int_equal(policy->decisions[i].known[0], 3 * i);
        for (size_t j = 0; j < 3; j++) {
            double values[2] = {gain[j], gain[j] - 12};
            for (size_t k = 0; i + 1 < STEPS && k < 3; k++) {
                values[0] += wear[j][k] * later[k];
                values[1] += wear[0][k] * later[k];
            }
            assert_near((policy->decisions[i].utilities + j * policy->decisions[i].choice_count)[0], values[0], 1e-9);
            assert_near((policy->decisions[i].utilities + j * policy->decisions[i].choice_count)[1], values[1], 1e-9);
            assert_int_equal(policy->decisions[i].choices[j], values[1] > values[0]);
            now[j] = fmax(values[0], values[1]);
        }
        memcpy(later, now, sizeof later);
    }
    assert_near(policy->utility, 0.5 * later[0] + 0.25 * later[1] + 0.25 * later[2], 1e-9);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
}

/* Thirty nodes that all matter would make a table of 2^31 cells: its size is said, and nothing of it is taken. */
static void memory_is_said_before(void **state) {
    (void)state;
    enum { KNOWN = 30 };
    crd_network *network = NULL;
    crd_error error;
    const crd_text words[2] = {crd_text_of("no"), crd_text_of("yes")};
    uint32_t parents[KNOWN + 1];
    size_t node;
    assert_done(crd_i_network_create(context, crd_text_of("large"), &network, &error), error);
    for (uint32_t i = 0; i <= KNOWN; i++) {
        char name[8];
        const uint32_t root = 0;
        double *table = crd_i_alloc(context, i == 0 ? 2 : 4, sizeof *table);
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        parents[i] = i;
        assert_done(crd_i_network_add(network, crd_text_of(name), words, 2, &node, &error), error);
        assert_done(crd_i_network_set_parents(network, node, &root, i > 0, &error), error);
        for (size_t j = 0; j < (i == 0 ? 2 : 4); j++) table[j] = i == 0 ? 0.5 : j / 2 == j % 2 ? 0.75 : 0.25;
        assert_done(crd_i_network_take_table(network, node, table, &error), error);
    }
    assert_done(crd_i_network_add(network, crd_text_of("D"), words, 2, &node, &error), error);
    crd_i_network_set_kind(network, node, CRD_NODE_DECISION);
    assert_done(crd_i_network_set_parents(network, node, parents + 1, KNOWN, &error), error);
    const uint32_t parent_nodes[2] = {0, (uint32_t)node};
    assert_done(crd_i_network_add(network, crd_text_of("U"), words, 1, &node, &error), error);
    crd_i_network_set_kind(network, node, CRD_NODE_UTILITY);
    assert_done(crd_i_network_set_parents(network, node, parent_nodes, 2, &error), error);
    double *worth = crd_i_alloc(context, 4, sizeof *worth);
    for (size_t i = 0; i < 4; i++) worth[i] = i / 2 == i % 2;
    assert_done(crd_i_network_take_table(network, node, worth, &error), error);
    assert_done(crd_i_network_finish(network, &error), error);
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    crd_policy *policy = NULL;
    options.memory = 1e8;
    assert_int_equal(crd_policy_create(network, NULL, 0, NULL, 0, &options, &policy, &error), CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "GiB"));
    assert_null(policy);
    crd_network_destroy(network);
}

static void refused(const crd_network *network, const crd_finding *findings, size_t count, const size_t *observed,
                    size_t observed_count, crd_status wanted, const char *words) {
    crd_error error;
    crd_policy *policy = (crd_policy *)&error;
    crd_status status = crd_policy_create(network, findings, count, observed, observed_count, NULL, &policy, &error);
    assert_null(policy);
    if (status != wanted || strstr(error.message, words) == NULL) fail_msg("%s, not: %s", error.message, words);
}

static void refusals(void **state) {
    (void)state;
    const node_spec no_decision[] = {{"X", CHANCE, "a b", "", {0.5, 0.5}}, {"U", UTILITY, "", "X", {1, 2}}};
    const node_spec no_utility[] = {{"X", CHANCE, "a b", "", {0.5, 0.5}}, {"D", DECISION, "a b", "X", {0}}};
    crd_network *network = BUILD(no_decision);
    refused(network, NULL, 0, NULL, 0, CRD_ERROR_EMPTY, "no decisions");
    crd_network_destroy(network);
    network = BUILD(no_utility);
    refused(network, NULL, 0, NULL, 0, CRD_ERROR_EMPTY, "no utilities");
    crd_network_destroy(network);
    network = BUILD(wildcatter);
    const size_t seismic = 2, drill = 3, payoff = 5, none = 99;
    const crd_finding closed = {2, 2, NULL, 0}, wrong = {0, 7, NULL, 0}, cost = {4, 0, NULL, 0},
                      beyond = {99, 0, NULL, 0};
    const crd_finding twice[2] = {{0, 0, NULL, 0}, {0, 0, NULL, 0}};
    double seen[4] = {1, 2, 3, 0}, unlike[2] = {0, 1};
    const crd_finding hint = {2, 0, seen, 0}, half = {1, 0, unlike, 0};
    refused(network, NULL, 0, &seismic, 1, CRD_ERROR_SCHEMA_DIFFERS, "Seismic cannot be known before Test is decided");
    refused(network, &closed, 1, NULL, 0, CRD_ERROR_SCHEMA_DIFFERS, "Seismic cannot be known before Test is decided");
    refused(network, &hint, 1, NULL, 0, CRD_ERROR_SCHEMA_DIFFERS, "Seismic");
    refused(network, NULL, 0, &drill, 1, CRD_ERROR_COLUMN, "Drill is a decision");
    refused(network, NULL, 0, &payoff, 1, CRD_ERROR_COLUMN, "Payoff is a utility");
    refused(network, NULL, 0, &none, 1, CRD_ERROR_ARGUMENT, "99");
    refused(network, &wrong, 1, NULL, 0, CRD_ERROR_ARGUMENT, "no state number 7");
    refused(network, &cost, 1, NULL, 0, CRD_ERROR_COLUMN, "Cost is a utility");
    refused(network, &beyond, 1, NULL, 0, CRD_ERROR_ARGUMENT, "99");
    refused(network, twice, 2, NULL, 0, CRD_ERROR_COLUMN, "twice");
    refused(network, &half, 1, NULL, 0, CRD_ERROR_COLUMN, "Test is a decision");
    const crd_finding impossible[2] = {{1, 1, NULL, 0}, {2, 0, NULL, 0}};
    refused(network, impossible, 2, NULL, 0, CRD_ERROR_PROBABILITY, "contradict each other: Test=no, Seismic=none");
    double value = 5;
    crd_error error;
    assert_int_equal(crd_network_value_of_observing(network, NULL, 0, 2, NULL, &value, &error),
                     CRD_ERROR_SCHEMA_DIFFERS);
    /* Once the test is decided on, its outcome can be. */
    const crd_finding tested = {1, 0, NULL, 0};
    assert_true(value_of(network, &tested, 1, 2) == 0);
    crd_network_destroy(network);
}

/* Ten thousand nodes that have nothing to do with the decision, and a chain as long that has. */
static void long_chain(void **state) {
    (void)state;
    enum { LENGTH = 3000 };
    crd_network *network = NULL;
    crd_error error;
    const crd_text words[2] = {crd_text_of("no"), crd_text_of("yes")};
    size_t node;
    uint32_t last = 0, parents[2];
    assert_done(crd_i_network_create(context, crd_text_of("chain"), &network, &error), error);
    for (uint32_t i = 0; i < LENGTH; i++) {
        char name[16];
        double *table = crd_i_alloc(context, i == 0 ? 2 : 4, sizeof *table);
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        last = i - 1;
        assert_done(crd_i_network_add(network, crd_text_of(name), words, 2, &node, &error), error);
        assert_done(crd_i_network_set_parents(network, node, &last, i > 0, &error), error);
        for (size_t j = 0; j < (i == 0 ? 2 : 4); j++)
            table[j] = i == 0 ? (j == 0 ? 0.25 : 0.75) : j / 2 == j % 2 ? 0.9999 : 0.0001;
        assert_done(crd_i_network_take_table(network, node, table, &error), error);
    }
    assert_done(crd_i_network_add(network, crd_text_of("D"), words, 2, &node, &error), error);
    crd_i_network_set_kind(network, node, CRD_NODE_DECISION);
    parents[0] = LENGTH / 2;
    assert_done(crd_i_network_set_parents(network, node, parents, 1, &error), error);
    parents[0] = LENGTH - 1;
    parents[1] = (uint32_t)node;
    assert_done(crd_i_network_add(network, crd_text_of("U"), words, 1, &node, &error), error);
    crd_i_network_set_kind(network, node, CRD_NODE_UTILITY);
    assert_done(crd_i_network_set_parents(network, node, parents, 2, &error), error);
    double *worth = crd_i_alloc(context, 4, sizeof *worth);
    for (size_t i = 0; i < 4; i++) worth[i] = i / 2 == i % 2;
    assert_done(crd_i_network_take_table(network, node, worth, &error), error);
    assert_done(crd_i_network_finish(network, &error), error);
    crd_policy *policy = decide(network, NULL, 0);
    /* The state is kept, or changed back, over k steps with probability (1 + 0.9998^k) / 2. */
    assert_near(policy->utility, (1 + pow(0.9998, LENGTH - 1 - LENGTH / 2)) / 2, 1e-12);
    crd_policy_destroy(policy);
    crd_network_destroy(network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oil_wildcatter),  cmocka_unit_test(choices_made),  cmocka_unit_test(umbrella),
        cmocka_unit_test(costs),           cmocka_unit_test(ties),          cmocka_unit_test(unordered),
        cmocka_unit_test(one_state),       cmocka_unit_test(huge_and_tiny), cmocka_unit_test(seen_without_certainty),
        cmocka_unit_test(hardly_possible), cmocka_unit_test(many_steps),    cmocka_unit_test(memory_is_said_before),
        cmocka_unit_test(refusals),        cmocka_unit_test(long_chain),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
