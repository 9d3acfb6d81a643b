/* SPDX-License-Identifier: MIT */
/* Exact answers from outside where the network, the evidence or the caller are irregular. */
#include "network_support.h"
#include "sanitizer_support.h"

#include "counted_fixture.h"

static crd_network *empty_network(void) {
    crd_network *network = NULL;
    crd_error error;
    assert_done(crd_i_network_create(context, crd_text_of("test"), &network, &error), error);
    return network;
}

/* A node called n and its number, of states s0, s1, ..., with the numbers of a function in its rows. */
static void add(crd_network *network, size_t number, size_t states, const uint32_t *parents, size_t parent_count,
                double (*value)(size_t row, size_t state, size_t states)) {
    char name[32], words[8][8];
    crd_text texts[8];
    size_t node;
    crd_error error;
    snprintf(name, sizeof name, "n%zu", number);
    for (size_t i = 0; i < states; i++) {
        snprintf(words[i], sizeof words[i], "s%zu", i);
        texts[i] = crd_text_of(words[i]);
    }
    assert_done(crd_i_network_add(network, crd_text_of(name), texts, states, &node, &error), error);
    assert_done(crd_i_network_set_parents(network, node, parents, parent_count, &error), error);
    size_t rows = network->nodes[node].rows;
    double *table = crd_i_alloc(context, rows * states, sizeof *table);
    assert_non_null(table);
    for (size_t i = 0; i < rows * states; i++) table[i] = value(i / states, i % states, states);
    assert_done(crd_i_network_take_table(network, node, table, &error), error);
}

static double even(size_t row, size_t state, size_t states) {
    (void)row;
    (void)state;
    return 1.0 / (double)states;
}

static double same(size_t row, size_t state, size_t states) {
    return row % states == state;
}

static double uneven(size_t row, size_t state, size_t states) {
    double sum = 0;
    for (size_t i = 0; i < states; i++) sum += (double)(1 + (row * 7 + i * i * 5 + row * i) % 11);
    return (double)(1 + (row * 7 + state * state * 5 + row * state) % 11) / sum;
}

/* Nodes in a square, with parents to the left and above. */
static crd_network *square(uint32_t side, size_t states) {
    crd_network *network = empty_network();
    crd_error error;
    for (uint32_t i = 0; i < side * side; i++) {
        uint32_t parents[2];
        size_t count = 0;
        if (i % side > 0) parents[count++] = i - 1;
        if (i >= side) parents[count++] = i - side;
        add(network, i, states, parents, count, uneven);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    return network;
}

/* A chain that hands on its first state says which evidence at its ends cannot be, and takes linear time. */
static void long_chain_of_copies(void **state) {
    (void)state;
    enum { NODES = 10000 };
    crd_network *network = empty_network();
    crd_error error;
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t parent = i - 1;
        add(network, i, 2, &parent, i > 0, i > 0 ? same : even);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    const crd_finding findings[] = {{0, 0, NULL, 0}, {5000, 0, NULL, 0}, {NODES - 1, 1, NULL, 0}};
    const size_t middle = 7000;
    double posterior[2];
    assert_done(
        crd_network_posteriors(network, NETWORK_QUERY(findings, 2, &middle, 1, NULL), posterior, NULL, NULL, &error),
        error);
    assert_true(posterior[0] == 1 && posterior[1] == 0);
    assert_int_equal(
        crd_network_posteriors(network, NETWORK_QUERY(findings, 3, &middle, 1, NULL), posterior, NULL, NULL, &error),
        CRD_ERROR_PROBABILITY);
    assert_string_equal(error.message,
                        "the evidence has probability zero: these findings contradict each other: n0=s0, n9999=s1");
    size_t *states = crd_i_alloc(context, NODES, sizeof *states);
    double log_most;
    assert_non_null(states);
    assert_done(crd_network_mpe(network, NETWORK_QUERY(NULL, 0, NULL, 0, NULL), states, &log_most, NULL, &error),
                error);
    assert_true(fabs(log_most - log(0.5)) < 1e-12);
    /* Both explanations are as probable: the first states are taken. */
    for (size_t i = 0; i < NODES; i++) assert_int_equal(states[i], 0);
    crd_free(context, states);
    crd_network_destroy(network);
}

/* Parts that have nothing to do with each other, nodes of one state, and states that no row of a table leaves. */
static void parts_and_single_states(void **state) {
    (void)state;
    crd_network *network = read_network(
        context, "variable a { type discrete [ 1 ] { only }; } variable b { type discrete [ 3 ] { x, y, z }; }"
                 "variable c { type discrete [ 3 ] { x, y, z }; } variable d { type discrete [ 2 ] { x, y }; }"
                 "probability (a) { table 1; } probability (b | a) { (only) .25 0 .75; }"
                 "probability (c | b) { (x) .5 .5 0; (y) 0 0 1; (z) .2 .8 0; } probability (d) { table .1 .9; }");
    const size_t all[] = {0, 1, 2, 3};
    static const double wanted[] = {1, .25, 0, .75, .275, .725, 0, .1, .9};
    double got[9], joint[9];
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    crd_error error;
    assert_done(crd_network_posteriors(network, NETWORK_QUERY(NULL, 0, all, 4, NULL), got, NULL, &result, &error),
                error);
    for (size_t i = 0; i < 9; i++) assert_true(fabs(got[i] - wanted[i]) < 1e-15);
    assert_true(result.log_evidence == 0);
    /* c=z has a probability of 0, and so have cells of the joint table beside it. */
    static const double pairs[] = {.125, 0, .15, .125, 0, .6, 0, 0, 0};
    const size_t turned[] = {2, 1};
    assert_done(
        crd_network_joint_posterior(network, NETWORK_QUERY(NULL, 0, turned, 2, NULL), joint, NULL, NULL, &error),
        error);
    for (size_t i = 0; i < 9; i++) assert_true(fabs(joint[i] - pairs[i]) < 1e-15);
    const crd_finding never = {2, 2, NULL, 0};
    assert_int_equal(crd_network_posteriors(network, NETWORK_QUERY(&never, 1, all, 4, NULL), got, NULL, NULL, &error),
                     CRD_ERROR_PROBABILITY);
    assert_string_equal(error.message, "the evidence has probability zero: these findings contradict each other: c=z");
    /* A likelihood that leaves nothing but impossible states. */
    static const double last[] = {0, 0, 1};
    const crd_finding soft = {2, 0, last, 0};
    assert_int_equal(crd_network_posteriors(network, NETWORK_QUERY(&soft, 1, all, 4, NULL), got, NULL, NULL, &error),
                     CRD_ERROR_PROBABILITY);
    const int32_t cases[] = {-1, -1, 2, -1, 0, 2, 1, 0};
    double log_evidence[2];
    assert_done(crd_network_case_posteriors(network, NETWORK_QUERY(NULL, 0, all, 4, NULL), cases, NULL, 2, NULL,
                                            log_evidence, &error),
                error);
    assert_true(log_evidence[0] == -INFINITY);
    assert_true(fabs(log_evidence[1] - log(.75 * .8 * .1)) < 1e-12);
    crd_network_destroy(network);
}

/* Large tables give the same bits with any number of threads; what is too much is said before; cancelling ends it. */
static void large_tables(void **state) {
    (void)state;
    enum { SIDE = IS_THREAD_SANITIZED ? 8 : 9, NODES = SIDE * SIDE, NUMBERS = 4 * NODES };
    crd_network *network = square(SIDE, 4);
    size_t nodes[NODES];
    double first[NUMBERS], other[NUMBERS];
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    crd_error error;
    for (size_t i = 0; i < NODES; i++) nodes[i] = i;
    const crd_finding finding = {NODES / 2, 1, NULL, 0};
    for (unsigned threads = 1; threads <= 3; threads++) {
        options.threads = threads;
        assert_done(crd_network_posteriors(network, NETWORK_QUERY(&finding, 1, nodes, NODES, &options),
                                           threads == 1 ? first : other, NULL, &result, &error),
                    error);
        if (threads > 1) assert_memory_equal(first, other, sizeof first);
    }
    assert_true(result.cells > (IS_THREAD_SANITIZED ? 1e5 : 1e6));
    /* Tables are not kept whole. */
    assert_true(result.bytes < 4 * result.cells);
    options.memory = result.bytes / 4;
    assert_int_equal(crd_network_posteriors(network, NETWORK_QUERY(&finding, 1, nodes, NODES, &options), first, NULL,
                                            &result, &error),
                     CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "an exact result needs tables with "));
    crd_context_cancel(context);
    options.memory = 0;
    assert_int_equal(crd_network_posteriors(network, NETWORK_QUERY(&finding, 1, nodes, NODES, &options), first, NULL,
                                            &result, &error),
                     CRD_ERROR_CANCELLED);
    crd_network_destroy(network);
}

/* Cases of a network whose tree for all of them is beyond any memory, but which know enough. */
static void cases_of_a_dense_network(void **state) {
    (void)state;
    enum { CAUSES = 40, NODES = CAUSES + CAUSES * (CAUSES - 1) / 2 };
    crd_network *network = empty_network();
    crd_error error;
    size_t number = CAUSES;
    for (size_t i = 0; i < CAUSES; i++) add(network, i, 2, NULL, 0, even);
    for (uint32_t i = 0; i < CAUSES; i++)
        for (uint32_t j = 0; j < i; j++) add(network, number++, 2, (uint32_t[]){i, j}, 2, uneven);
    assert_done(crd_i_network_finish(network, &error), error);
    int32_t *states = crd_i_alloc(context, 2 * NODES, sizeof *states);
    assert_non_null(states);
    for (size_t i = 0; i < 2 * NODES; i++) states[i] = i % NODES < CAUSES - 4 ? (int32_t)(i % 2) : -1;
    states[NODES - 1] = 1;
    const size_t queries[] = {CAUSES - 1, NODES - 1};
    double posteriors[2][8], logs[2][2];
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    options.memory = 0x1p24;
    for (unsigned threads = 1; threads <= 2; threads++) {
        options.threads = threads;
        assert_done(crd_network_case_posteriors(network, NETWORK_QUERY(NULL, 0, queries, 2, &options), states, NULL, 2,
                                                posteriors[threads - 1], logs[threads - 1], &error),
                    error);
    }
    assert_memory_equal(posteriors[0], posteriors[1], sizeof posteriors[0]);
    assert_memory_equal(logs[0], logs[1], sizeof logs[0]);
    for (size_t i = 0; i < 8; i += 2) assert_true(fabs(posteriors[0][i] + posteriors[0][i + 1] - 1) < 1e-12);
    assert_true(posteriors[0][3] == 1);
    /* The second case knows causes alone, which are independent. */
    assert_true(fabs(posteriors[0][4] - .5) < 1e-12);
    /* Without evidence an effect rests on two causes alone, whatever the tree for all would take. */
    static size_t nodes[NODES];
    static double all[2 * NODES];
    for (size_t i = 0; i < NODES; i++) nodes[i] = i;
    assert_done(
        crd_network_posteriors(network, NETWORK_QUERY(NULL, 0, nodes, NODES, &options), all, NULL, NULL, &error),
        error);
    double wanted = 0;
    for (size_t row = 0; row < 4; row++) wanted += uneven(row, 1, 2) / 4;
    for (size_t i = 0; i < NODES; i++) assert_true(fabs(all[2 * i + 1] - (i < CAUSES ? .5 : wanted)) < 1e-12);
    for (size_t i = 0; i < NODES; i++) states[i] = i < CAUSES ? -1 : 0;
    assert_int_equal(crd_network_case_posteriors(network, NETWORK_QUERY(NULL, 0, queries, 2, &options), states, NULL, 1,
                                                 posteriors[0], logs[0], &error),
                     CRD_ERROR_LIMIT);
    crd_free(context, states);
    crd_network_destroy(network);
}

/* Structs of an older version are shorter: what they do not have is as by default, and nothing is written behind them.
 */
static void older_structs(void **state) {
    (void)state;
    crd_network *network =
        read_network(context, "variable a { type discrete [ 2 ] { x, y }; } probability (a) { table .25 .75; }");
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    crd_error error;
    const size_t node = 0;
    const crd_finding finding = {0, 1, NULL, 0};
    double posterior[2];
    options.size = offsetof(crd_inference_options, memory);
    options.memory = 1; /* too little, if anybody looked at it */
    result.size = offsetof(crd_inference_result, log_evidence_error);
    result.log_evidence_error = 17;
    assert_done(crd_network_posteriors(network, NETWORK_QUERY(&finding, 1, &node, 1, &options), posterior, NULL,
                                       &result, &error),
                error);
    assert_true(posterior[1] == 1);
    assert_true(fabs(result.log_evidence - log(.75)) < 1e-15);
    assert_true(result.log_evidence_error == 17);
    assert_int_equal(result.size, offsetof(crd_inference_result, log_evidence_error));
    options.size = 0;
    assert_int_equal(
        crd_network_posteriors(network, NETWORK_QUERY(&finding, 1, &node, 1, &options), posterior, NULL, NULL, &error),
        CRD_ERROR_ARGUMENT);
    crd_network_destroy(network);
}

static double least_or_one(size_t row, size_t state, size_t states) {
    (void)row;
    (void)states;
    return state == 0 ? 0x1p-1074 : state == 1;
}

/* Each chance is the least that a double can be, so that no two of them can be multiplied. */
static void least_chances(void **state) {
    enum { NODES = 5 };
    (void)state;
    crd_network *network = empty_network();
    crd_finding findings[NODES];
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    crd_error error;
    double posterior[2];
    const size_t last = NODES - 1;
    for (size_t i = 0; i < NODES; i++) {
        const crd_finding finding = {.node = i, .state = 0};
        add(network, i, 2, NULL, 0, least_or_one);
        findings[i] = finding;
    }
    assert_done(crd_i_network_finish(network, &error), error);
    assert_done(crd_network_posteriors(network, NETWORK_QUERY(findings, last, &last, 1, NULL), posterior, NULL, &result,
                                       &error),
                error);
    assert_true(fabs(result.log_evidence + 4 * 1074 * log(2)) < 1e-9);
    assert_true(posterior[0] == 0x1p-1074 && posterior[1] == 1);
    assert_done(crd_network_posteriors(network, NETWORK_QUERY(findings, NODES, &last, 1, NULL), posterior, NULL,
                                       &result, &error),
                error);
    assert_true(fabs(result.log_evidence + 5 * 1074 * log(2)) < 1e-9);
    crd_network_destroy(network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(long_chain_of_copies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_and_single_states, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cases_of_a_dense_network, set_up, tear_down),
        cmocka_unit_test_setup_teardown(older_structs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(least_chances, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
