/* SPDX-License-Identifier: MIT */
/* Answers of junction trees against published values, where numbers are hard, and where there is no answer. */
#include "network_support.h"

typedef struct asking {
    crd_context *context;
    crd_network *network;
    crd_i_junction *junction;
    crd_i_junction_work *work;
    int32_t *states;
    double *posteriors, log_evidence;
} asking;

static asking begin(crd_context *context, crd_network *network) {
    asking query = {.context = context, .network = network};
    crd_error error;
    assert_done(crd_i_junction_compile(network, NULL, &query.junction, &error), error);
    assert_done(crd_i_junction_work_create(query.junction, &query.work, &error), error);
    query.states = crd_i_alloc(context, network->count, sizeof *query.states);
    query.posteriors = crd_i_alloc(context, crd_i_junction_start(query.junction, network->count), sizeof(double));
    assert_non_null(query.states);
    assert_non_null(query.posteriors);
    for (size_t i = 0; i < network->count; i++) query.states[i] = -1;
    return query;
}

static void end(asking *query) {
    crd_free(query->context, query->states);
    crd_free(query->context, query->posteriors);
    crd_i_junction_work_destroy(query->work);
    crd_i_junction_destroy(query->junction);
    crd_network_destroy(query->network);
}

static void observe(asking *query, const char *name, const char *value) {
    int32_t node = crd_i_network_find(query->network, crd_text_of(name));
    assert_true(node >= 0);
    query->states[node] = value == NULL ? -1 : crd_i_node_find(&query->network->nodes[node], crd_text_of(value));
}

static void ask(asking *query) {
    const crd_i_evidence findings = {.states = query->states};
    crd_error error;
    assert_done(crd_i_junction_ask(query->work, &findings, NULL, query->posteriors, &query->log_evidence, &error),
                error);
}

static double posterior(const asking *query, const char *name, const char *value) {
    int32_t node = crd_i_network_find(query->network, crd_text_of(name));
    int32_t state = crd_i_node_find(&query->network->nodes[node], crd_text_of(value));
    assert_true(state >= 0);
    return query->posteriors[crd_i_junction_start(query->junction, (size_t)node) + (size_t)state];
}

#define assert_value(got, wanted, slack)                                                                               \
    do {                                                                                                               \
        double value_got = (got);                                                                                      \
        if (!(fabs(value_got - (wanted)) <= (slack)))                                                                  \
            fail_msg("%s: %.12g should be %.12g", #got, value_got, (double)(wanted));                                  \
    } while (0)

#define BINARY(name) "variable " name " { type discrete [ 2 ] { t, f }; }\n"

/* Lauritzen and Spiegelhalter 1988; values by enumeration. */
static const char asia[] =
    BINARY("asia") BINARY("tub") BINARY("smoke") BINARY("lung") BINARY("bronc") BINARY("either") BINARY("xray")
        BINARY("dysp") "probability (asia) { table .01 .99; }"
                       "probability (tub | asia) { (t) .05 .95; (f) .01 .99; }"
                       "probability (smoke) { table .5 .5; }"
                       "probability (lung | smoke) { (t) .1 .9; (f) .01 .99; }"
                       "probability (bronc | smoke) { (t) .6 .4; (f) .3 .7; }"
                       "probability (either | lung, tub) { default 1 0; (f, f) 0 1; }"
                       "probability (xray | either) { (t) .98 .02; (f) .05 .95; }"
                       "probability (dysp | bronc, either) { (t,t) .9 .1; (f,t) .7 .3; (t,f) .8 .2; (f,f) .1 .9; }";

static void published_asia(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    asking query = begin(context, read_network(context, asia));
    ask(&query);
    assert_value(posterior(&query, "dysp", "t"), 0.4359706, 1e-12);
    assert_value(posterior(&query, "either", "t"), 0.064828, 1e-12);
    assert_value(posterior(&query, "xray", "t"), 0.11029004, 1e-12);
    assert_value(query.log_evidence, 0, 1e-15);
    observe(&query, "asia", "t");
    observe(&query, "dysp", "t");
    ask(&query);
    assert_value(posterior(&query, "tub", "t"), 0.087750965, 1e-9);
    assert_value(posterior(&query, "lung", "t"), 0.099525145, 1e-9);
    assert_value(posterior(&query, "bronc", "t"), 0.811402072, 1e-9);
    assert_value(exp(query.log_evidence), 0.004501375, 1e-9);
    end(&query);
    crd_context_destroy(context);
}

/* The burglary alarm of Russell and Norvig, with explaining away, and the sprinkler of Murphy. */
static void published_alarm_and_sprinkler(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    asking query = begin(
        context,
        read_network(context, BINARY("B") BINARY("E") BINARY("A") BINARY("J") BINARY(
                                  "M") "probability (B) { table .001 .999; } probability (E) { table .002 .998; }"
                                       "probability (A | B, E) { (t,t) .95 .05; (t,f) .94 .06; (f,t) .29 .71; (f,f) "
                                       ".001 .999; }"
                                       "probability (J | A) { (t) .9 .1; (f) .05 .95; }"
                                       "probability (M | A) { (t) .7 .3; (f) .01 .99; }"));
    observe(&query, "J", "t");
    observe(&query, "M", "t");
    ask(&query);
    assert_value(posterior(&query, "B", "t"), 0.2841718354, 1e-10);
    observe(&query, "J", NULL);
    observe(&query, "M", NULL);
    observe(&query, "A", "t");
    ask(&query);
    assert_value(posterior(&query, "B", "t"), 0.373551, 5e-7);
    observe(&query, "E", "t");
    ask(&query);
    assert_value(posterior(&query, "B", "t"), 0.003268, 5e-7);
    end(&query);
    query =
        begin(context,
              read_network(context, BINARY("C") BINARY("S") BINARY("R")
                                        BINARY("W") "probability (C) { table .5 .5; }"
                                                    "probability (S | C) { (t) .1 .9; (f) .5 .5; }"
                                                    "probability (R | C) { (t) .8 .2; (f) .2 .8; }"
                                                    "probability (W | S, R) { (t,t) .99 .01; (t,f) .9 .1; (f,t) .9 .1; "
                                                    "(f,f) 0 1; }"));
    observe(&query, "W", "t");
    ask(&query);
    assert_value(posterior(&query, "S", "t"), 0.429764, 5e-7);
    assert_value(posterior(&query, "R", "t"), 0.707928, 5e-7);
    assert_value(exp(query.log_evidence), 0.6471, 1e-12);
    observe(&query, "R", "t");
    ask(&query);
    assert_value(posterior(&query, "S", "t"), 0.194499, 5e-7);
    end(&query);
    crd_context_destroy(context);
}

static size_t add_node(crd_network *network, size_t number, size_t states, const uint32_t *parents, size_t count,
                       double (*cell)(size_t row, size_t state, size_t states)) {
    char name[32], words[100][24];
    crd_text values[100];
    size_t node;
    crd_error error;
    snprintf(name, sizeof name, "n%zu", number);
    for (size_t i = 0; i < states; i++) {
        snprintf(words[i], sizeof words[i], "%zu", i);
        values[i] = crd_text_of(words[i]);
    }
    assert_done(crd_i_network_add(network, crd_text_of(name), values, states, &node, &error), error);
    assert_done(crd_i_network_set_parents(network, node, parents, count, &error), error);
    size_t rows = network->nodes[node].rows;
    double *table = crd_i_alloc(network->context, rows * states, sizeof *table);
    assert_non_null(table);
    for (size_t i = 0; i < rows * states; i++) table[i] = cell(i / states, i % states, states);
    assert_done(crd_i_network_take_table(network, node, table, &error), error);
    return node;
}

static double half(size_t row, size_t state, size_t states) {
    (void)row;
    (void)state;
    return 1.0 / (double)states;
}

static double stay(size_t row, size_t state, size_t states) {
    return row % states == state ? .9 : .1 / (double)(states - 1);
}

/* Ten thousand nodes in a row: P(equal ends) is (1 + .8^9999) / 2, and every second one observed alike leaves little
 * doubt about the others: .81 / .82. */
static void long_chain(void **state) {
    (void)state;
    enum { LENGTH = 10001 };
    crd_context *context = NULL;
    crd_network *network = NULL;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_done(crd_i_network_create(context, crd_text_of("chain"), &network, &error), error);
    add_node(network, 0, 2, NULL, 0, half);
    for (uint32_t i = 1; i < LENGTH; i++) add_node(network, i, 2, (uint32_t[]){i - 1}, 1, stay);
    assert_done(crd_i_network_finish(network, &error), error);
    asking query = begin(context, network);
    query.states[0] = 0;
    ask(&query);
    assert_value(query.posteriors[2 * (LENGTH - 1)], .5, 1e-12);
    assert_value(query.posteriors[2 * 3], (1 + .8 * .8 * .8) / 2, 1e-12);
    for (size_t i = 0; i < LENGTH; i += 2) query.states[i] = 0;
    ask(&query);
    for (size_t i = 1; i < LENGTH; i += 2) assert_value(query.posteriors[2 * i], .81 / .82, 1e-12);
    assert_value(query.log_evidence, log(.5) + 5000 * log(.82), 1e-8);
    int32_t *best = crd_i_alloc(context, LENGTH, sizeof *best);
    double log_most;
    const crd_i_evidence findings = {.states = query.states};
    assert_done(crd_i_junction_most_probable(query.work, &findings, best, &log_most, &error), error);
    for (size_t i = 0; i < LENGTH; i++) assert_int_equal(best[i], 0);
    assert_value(log_most, log(.5) + 10000 * log(.9), 1e-8);
    crd_free(context, best);
    end(&query);
    crd_context_destroy(context);
}

static double sharp(size_t row, size_t state, size_t states) {
    (void)states;
    return row == state ? 1 - 1e-6 : 1e-6;
}

/* One cause of ten thousand effects, half of which speak for each state: products of 1e-6 leave the range of doubles by
 * far, in both states, and yet the two are as probable as each other. */
static void wide_star(void **state) {
    (void)state;
    enum { LEAVES = 10000 };
    crd_context *context = NULL;
    crd_network *network = NULL;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_done(crd_i_network_create(context, crd_text_of("star"), &network, &error), error);
    add_node(network, 0, 2, NULL, 0, half);
    for (size_t i = 1; i <= LEAVES; i++) add_node(network, i, 2, (uint32_t[]){0}, 1, sharp);
    assert_done(crd_i_network_finish(network, &error), error);
    asking query = begin(context, network);
    for (size_t i = 1; i <= LEAVES; i++) query.states[i] = i <= LEAVES / 2;
    ask(&query);
    assert_value(query.posteriors[0], .5, 1e-9);
    assert_value(query.log_evidence, LEAVES / 2 * (log(1e-6) + log(1 - 1e-6)), 1e-6);
    query.states[1] = -1;
    ask(&query);
    assert_value(query.posteriors[0], 1 - 1e-6, 1e-9);
    assert_value(query.posteriors[2], 1 - 2e-6, 1e-9);
    end(&query);
    crd_context_destroy(context);
}

static void hundred_states(void **state) {
    (void)state;
    crd_context *context = NULL;
    crd_network *network = NULL;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_done(crd_i_network_create(context, crd_text_of("wide"), &network, &error), error);
    add_node(network, 0, 100, NULL, 0, half);
    add_node(network, 1, 100, (uint32_t[]){0}, 1, stay);
    add_node(network, 2, 100, (uint32_t[]){0}, 1, stay);
    add_node(network, 3, 2, NULL, 0, half); /* with nothing to do with the rest */
    assert_done(crd_i_network_finish(network, &error), error);
    asking query = begin(context, network);
    query.states[1] = query.states[2] = 42;
    ask(&query);
    double other = .1 / 99, both = .81 + 99 * other * other;
    assert_value(query.posteriors[42], .81 / both, 1e-12);
    assert_value(query.posteriors[7], other * other / both, 1e-12);
    assert_value(query.posteriors[300], .5, 0);
    assert_value(query.log_evidence, log(both / 100), 1e-12);
    end(&query);
    crd_context_destroy(context);
}

static void contradictions(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    asking query = begin(context, read_network(context, asia));
    crd_error error;
    observe(&query, "asia", "f");
    observe(&query, "smoke", "t");
    observe(&query, "xray", "t");
    observe(&query, "tub", "t");
    observe(&query, "either", "f");
    const crd_i_evidence findings = {.states = query.states};
    assert_int_equal(crd_i_junction_ask(query.work, &findings, NULL, query.posteriors, NULL, &error),
                     CRD_ERROR_PROBABILITY);
    assert_string_equal(error.message,
                        "the evidence has probability zero: these findings contradict each other: tub=t, either=f");
    assert_int_equal(crd_i_junction_most_probable(query.work, &findings, query.states, NULL, &error),
                     CRD_ERROR_PROBABILITY);
    /* The workspace is as good as before. */
    observe(&query, "either", "t");
    ask(&query);
    assert_value(posterior(&query, "lung", "t"), .1, 1e-12);
    end(&query);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Forty causes of pairwise effects, each pair once: the tables of an exact answer would have more than 2^38 cells. */
static void too_large(void **state) {
    (void)state;
    crd_context *context = NULL;
    crd_network *network = NULL;
    crd_i_junction *junction = NULL;
    crd_i_junction_work *work = NULL;
    crd_error error;
    size_t number = 40;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_done(crd_i_network_create(context, crd_text_of("grid"), &network, &error), error);
    for (size_t i = 0; i < 40; i++) add_node(network, i, 2, NULL, 0, half);
    for (uint32_t i = 0; i < 40; i++)
        for (uint32_t j = 0; j < i; j++) add_node(network, number++, 2, (uint32_t[]){i, j}, 2, stay);
    assert_done(crd_i_network_finish(network, &error), error);
    const crd_i_junction_options options = {.memory = 0x1p30};
    assert_done(crd_i_junction_compile(network, &options, &junction, &error), error);
    assert_true(crd_i_junction_cells(junction) > 0x1p39);
    assert_done(crd_i_junction_work_create(junction, &work, &error), error);
    int32_t *states = crd_i_alloc(context, network->count, sizeof *states);
    double *posteriors = crd_i_alloc(context, crd_i_junction_start(junction, network->count), sizeof *posteriors);
    /* Effects that are known make all their causes depend on each other. */
    for (size_t i = 0; i < network->count; i++) states[i] = i < 40 ? -1 : 0;
    const crd_i_evidence findings = {.states = states};
    assert_int_equal(crd_i_junction_ask(work, &findings, NULL, posteriors, NULL, &error), CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "TiB)"));
    /* Where the causes are known, the same tree needs next to nothing. */
    for (size_t i = 0; i < network->count; i++) states[i] = i < 38 ? 0 : -1;
    assert_done(crd_i_junction_ask(work, &findings, NULL, posteriors, NULL, &error), error);
    assert_value(posteriors[2 * 38], .5, 1e-12);
    crd_free(context, states);
    crd_free(context, posteriors);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    crd_network_destroy(network);
    crd_context_destroy(context);
}

/* Joint posteriors, from nodes that no table has together: their sums are the posteriors, and the whole is that of the
 * product rule. */
static void joint_posteriors(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_network *network = read_network(context, asia);
    asking query = begin(context, network);
    const uint32_t together[3] = {7, 0, 3}; /* dysp, asia, lung */
    const crd_i_junction_options options = {.together = together, .together_count = 3};
    crd_i_junction *junction = NULL;
    crd_i_junction_work *work = NULL;
    crd_error error;
    assert_done(crd_i_junction_compile(network, &options, &junction, &error), error);
    assert_done(crd_i_junction_work_create(junction, &work, &error), error);
    for (int has_finding = 0; has_finding < 3; has_finding++) {
        double joint[8], log_evidence;
        for (size_t i = 0; i < network->count; i++) query.states[i] = -1;
        if (has_finding > 0) observe(&query, "xray", "t");
        if (has_finding > 1) observe(&query, "asia", "f");
        const crd_i_evidence findings = {.states = query.states};
        assert_done(crd_i_junction_ask_together(work, &findings, joint, &log_evidence, &error), error);
        ask(&query);
        assert_value(log_evidence, query.log_evidence, 1e-13);
        double all = query.log_evidence;
        for (int i = 0; i < 8; i++) {
            int32_t kept[8];
            memcpy(kept, query.states, sizeof kept);
            query.states[7] = i / 4;
            query.states[0] = i / 2 % 2;
            query.states[3] = i % 2;
            if (kept[0] >= 0 && kept[0] != query.states[0]) {
                assert_true(joint[i] == 0);
            } else {
                ask(&query);
                assert_value(joint[i], exp(query.log_evidence - all), 1e-13);
            }
            memcpy(query.states, kept, sizeof kept);
        }
    }
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    end(&query);
    crd_context_destroy(context);
}

static double uneven(size_t row, size_t state, size_t states) {
    double sum = 0;
    for (size_t i = 0; i < states; i++) sum += (double)(1 + (row * 7 + i * i * 5 + row * i) % 11);
    return (double)(1 + (row * 7 + state * state * 5 + row * state) % 11) / sum;
}

/* A square of nodes with parents to the left and above has large tables: a case with evidence gets a tree of its own,
 * which must say the same as likelihoods of 0 and 1, for which the whole tree is asked. */
static void trees_of_their_own(void **state) {
    (void)state;
    enum { SIDE = 9, NODES = SIDE * SIDE };
    static const double only[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = NULL;
    crd_error error;
    assert_done(crd_i_network_create(context, crd_text_of("square"), &network, &error), error);
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t parents[2];
        size_t count = 0;
        if (i % SIDE > 0) parents[count++] = i - 1;
        if (i >= SIDE) parents[count++] = i - SIDE;
        add_node(network, i, 3, parents, count, uneven);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    asking query = begin(context, network);
    const double *likelihoods[NODES] = {NULL};
    int32_t nothing[NODES], best[2][NODES];
    double posteriors[NODES * 3], log_evidence, log_most[2];
    for (size_t i = 0; i < NODES; i++) nothing[i] = -1;
    for (size_t i = 3; i < NODES; i += 11) {
        query.states[i] = (int32_t)(i % 3);
        likelihoods[i] = only[i % 3];
    }
    ask(&query);
    const crd_i_evidence hard = {.states = query.states}, soft = {.states = nothing, .likelihoods = likelihoods};
    assert_done(crd_i_junction_ask(query.work, &soft, NULL, posteriors, &log_evidence, &error), error);
    assert_value(query.log_evidence, log_evidence, 1e-11);
    for (size_t i = 0; i < NODES * 3; i++) assert_value(query.posteriors[i], posteriors[i], 1e-12);
    assert_done(crd_i_junction_most_probable(query.work, &hard, best[0], &log_most[0], &error), error);
    assert_done(crd_i_junction_most_probable(query.work, &soft, best[1], &log_most[1], &error), error);
    assert_value(log_most[0], log_most[1], 1e-11);
    assert_value(log(joint_probability(network, best[0])), log_most[0], 1e-11);
    end(&query);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Any number of threads gives the bits of one case after the other; impossible cases stand among the others. */
static void cases_side_by_side(void **state) {
    (void)state;
    enum { CASES = 200, NODES = 30 };
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    asking query = begin(context, random_network(context, 5, NODES, 3, 2));
    static int32_t states[CASES * NODES];
    static double posteriors[2][CASES * NODES * 3], logs[2][CASES];
    size_t numbers = crd_i_junction_start(query.junction, NODES), impossible = 0;
    crd_i_random random = crd_i_random_at(3, 3);
    crd_error error;
    for (size_t i = 0; i < CASES * NODES; i++) {
        size_t count = crd_i_node_states(&query.network->nodes[i % NODES]);
        states[i] = crd_i_random_below(&random, 4) == 0 ? (int32_t)crd_i_random_below(&random, count) : -1;
    }
    for (unsigned threads = 1; threads <= 4; threads++) {
        const crd_i_junction_cases cases = {
            .count = CASES, .states = states, .threads = threads, .posteriors = posteriors[1], .log_evidence = logs[1]};
        assert_done(crd_i_junction_ask_cases(query.junction, &cases, &error), error);
        if (threads == 1) {
            memcpy(posteriors[0], posteriors[1], sizeof posteriors[0]);
            memcpy(logs[0], logs[1], sizeof logs[0]);
        }
        assert_memory_equal(posteriors[0], posteriors[1], CASES * numbers * sizeof(double));
        assert_memory_equal(logs[0], logs[1], sizeof logs[0]);
    }
    for (size_t i = 0; i < CASES; i++) {
        memcpy(query.states, states + i * NODES, NODES * sizeof *states);
        if (logs[0][i] == -INFINITY) {
            impossible++;
            continue;
        }
        ask(&query);
        assert_memory_equal(query.posteriors, posteriors[0] + i * numbers, numbers * sizeof(double));
    }
    assert_true(impossible > 0 && impossible < CASES);
    end(&query);
    crd_context_destroy(context);
}

/* The lecture's four graphs of three nodes: where the ball of a comes by, given b or not. */
static void four_graphs(void **state) {
    (void)state;
    static const struct {
        const char *tables;
        bool reaches_c, reaches_c_given_b;
    } graphs[] = {
        {"probability (a) { table .5 .5; } probability (b) { table .5 .5; } probability (c) { table .5 .5; }", false,
         false},
        {"probability (b) { table .5 .5; } probability (a|b) { default .5 .5; } probability (c|b) { default .5 .5; }",
         true, false},
        {"probability (a) { table .5 .5; } probability (c) { table .5 .5; } probability (b|a,c) { default .5 .5; }",
         false, true},
        {"probability (a) { table .5 .5; } probability (b|a) { default .5 .5; } probability (c|b) { default .5 .5; }",
         true, false},
    };
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (size_t i = 0; i < 4; i++) {
        char text[600];
        const bool targets[3] = {true, false, false}, observed[3] = {false, true, false};
        bool reached[3];
        crd_error error;
        snprintf(text, sizeof text, "%s%s", BINARY("a") BINARY("b") BINARY("c"), graphs[i].tables);
        crd_network *network = read_network(context, text);
        assert_done(crd_i_prune(network, targets, NULL, NULL, reached, &error), error);
        assert_int_equal(reached[2], graphs[i].reaches_c);
        assert_done(crd_i_prune(network, targets, observed, NULL, reached, &error), error);
        assert_int_equal(reached[2], graphs[i].reaches_c_given_b);
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_asia),     cmocka_unit_test(published_alarm_and_sprinkler),
        cmocka_unit_test(long_chain),         cmocka_unit_test(wide_star),
        cmocka_unit_test(hundred_states),     cmocka_unit_test(contradictions),
        cmocka_unit_test(too_large),          cmocka_unit_test(four_graphs),
        cmocka_unit_test(joint_posteriors),   cmocka_unit_test(cases_side_by_side),
        cmocka_unit_test(trees_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
