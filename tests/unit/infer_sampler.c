/* SPDX-License-Identifier: MIT */
/* Rows drawn from networks: as often as exact posteriors say, whatever is known of which nodes. */
#include "network_support.h"

#include "counted_fixture.h"

enum { NODES = 8, ROWS = 4000 };

static crd_network_sampler *sampler_of(const crd_network *network, const crd_finding *findings, size_t count,
                                       uint64_t seed) {
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    crd_network_sampler *sampler = NULL;
    crd_error error;
    options.seed = seed;
    assert_done(crd_network_sampler_create(network, findings, count, &options, &sampler, &error), error);
    return sampler;
}

static void draw(crd_network_sampler *sampler, uint64_t row, int32_t *states) {
    crd_error error;
    assert_done(crd_network_sampler_draw(sampler, row, states, NULL, &error), error);
}

/* Some evidence of a random question: none, certain ones, and likelihoods. */
static size_t make_findings(const crd_network *network, crd_i_random *random, uint64_t question,
                            double vectors[NODES][4], crd_finding *findings) {
    size_t count = 0;
    for (size_t i = 0; question > 0 && i < network->count; i++) {
        size_t state_count = crd_i_node_states(&network->nodes[i]);
        uint64_t kind = crd_i_random_below(random, 4);
        const crd_finding certain = {i, crd_i_random_below(random, state_count), NULL, 0}, soft = {i, 0, vectors[i], 0};
        for (size_t j = 0; j < state_count; j++) vectors[i][j] = ldexp(crd_i_random_open(random), (int)(j * 5) - 9);
        if (kind == 0) findings[count++] = certain;
        if (kind == 1 && question > 1) findings[count++] = soft;
    }
    return count;
}

/* Pearson's statistic of counts, each against what is expected; what cannot be must not come. */
static double misfit(const double *counts, const double *probabilities, size_t cells, double *freedom) {
    double sum = 0;
    *freedom = -1;
    for (size_t i = 0; i < cells; i++) {
        double expected = probabilities[i] * ROWS;
        if (probabilities[i] == 0) {
            assert_true(counts[i] == 0);
            continue;
        }
        /* Of a cell that is hardly ever met, the statistic has a long tail. */
        if (expected < 1) continue;
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
        *freedom += 1;
    }
    return sum;
}

/* The joint posterior of every pair of nodes, by going through every combination of states; the probability of the
 * evidence. */
static double enumerate_pairs(const crd_network *network, const crd_finding *findings, size_t count,
                              double pairs[NODES][NODES][16]) {
    int32_t states[NODES] = {0};
    double total = 0;
    memset(pairs, 0, NODES * sizeof *pairs);
    for (;;) {
        double p = joint_probability(network, states);
        for (size_t i = 0; i < count; i++) {
            int32_t index = states[findings[i].node];
            if (findings[i].likelihoods != NULL) p *= findings[i].likelihoods[index];
            else if (index != (int32_t)findings[i].state) p = 0;
        }
        total += p;
        for (size_t i = 0; p > 0 && i < network->count; i++)
            for (size_t j = i + 1; j < network->count; j++) pairs[i][j][4 * states[i] + states[j]] += p;
        size_t i = 0;
        while (i < network->count && ++states[i] == (int32_t)crd_i_node_states(&network->nodes[i])) states[i++] = 0;
        if (i == network->count) break;
    }
    for (size_t i = 0; i < NODES * NODES * 16; i++) pairs[i / 16 / NODES][i / 16 % NODES][i % 16] /= total;
    return total;
}

/* Pairs of nodes, so that draws that are right one by one but do not hang together are found out. */
static void compare(const crd_network *network, const crd_finding *findings, size_t count, uint64_t seed,
                    double joint[NODES][NODES][16]) {
    crd_network_sampler *sampler = sampler_of(network, findings, count, seed);
    double counts[NODES][NODES][16] = {{{0}}}, worst = 0;
    int32_t states[NODES];
    for (uint64_t row = 0; row < ROWS; row++) {
        draw(sampler, row, states);
        for (size_t i = 0; i < network->count; i++)
            for (size_t j = i + 1; j < network->count; j++) counts[i][j][4 * states[i] + states[j]]++;
    }
    for (size_t i = 0; i < network->count; i++)
        for (size_t j = i + 1; j < network->count; j++) {
            double freedom, sum = misfit(counts[i][j], joint[i][j], 16, &freedom);
            double deviation = freedom > 0 ? (sum - freedom) / sqrt(2 * freedom) : 0;
            worst = deviation > worst ? deviation : worst;
        }
    /* Six deviations of a normal variate, and more, as chi-squared ones have a longer tail. */
    if (!(worst < 9)) fail_msg("seed %d: %g standard deviations", (int)seed, worst);
    crd_network_sampler_destroy(sampler);
}

static void frequencies_of_pairs(void **state) {
    (void)state;
    size_t compared = 0;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        crd_network *network = random_network(context, seed, 2 + seed % (NODES - 1), 4, 3);
        for (uint64_t question = 0; question < 4; question++) {
            crd_i_random random = crd_i_random_at(seed, question + 1);
            double vectors[NODES][4], joint[NODES][NODES][16];
            crd_finding findings[NODES];
            size_t count = make_findings(network, &random, question, vectors, findings);
            if (enumerate_pairs(network, findings, count, joint) == 0) continue;
            compare(network, findings, count, seed, joint);
            compared++;
        }
        crd_network_destroy(network);
    }
    assert_true(compared > 60);
}

/* Any row, before or behind any other and by another sampler, is the same; other seeds and other rows differ. */
static void rows_stand_alone(void **state) {
    (void)state;
    crd_network *network = random_network(context, 5, NODES, 4, 3);
    double seen[4] = {0.5, 0.25, 1, 0.125};
    const crd_finding findings[1] = {{NODES - 1, 0, seen, 0}};
    for (size_t count = 0; count < 2; count++) {
        crd_network_sampler *sampler = sampler_of(network, findings, count, 7);
        crd_network_sampler *again = sampler_of(network, findings, count, 7);
        crd_network_sampler *other = sampler_of(network, findings, count, 8);
        int32_t rows[64][NODES], states[NODES];
        size_t seeds_differ = 0, rows_differ = 0;
        for (uint64_t row = 0; row < 64; row++) draw(sampler, row, rows[row]);
        for (uint64_t row = 64; row-- > 0;) {
            draw(again, row, states);
            assert_memory_equal(states, rows[row], sizeof states);
            draw(other, row, states);
            seeds_differ += memcmp(states, rows[row], sizeof states) != 0;
            rows_differ += row > 0 && memcmp(rows[row - 1], rows[row], sizeof states) != 0;
        }
        draw(sampler, UINT64_MAX, states);
        assert_true(seeds_differ > 32 && rows_differ > 32);
        crd_network_sampler_destroy(sampler);
        crd_network_sampler_destroy(again);
        crd_network_sampler_destroy(other);
    }
    crd_network_destroy(network);
}

static const char impossible[] =
    "variable a { type discrete [ 2 ] { x, y }; } variable b { type discrete [ 2 ] { x, y }; }"
    "variable c { type discrete [ 2 ] { x, y }; } probability (a) { table .5 .5; }"
    "probability (b | a) { (x) 1 0; (y) 0 1; } probability (c | b) { (x) 1 0; (y) 0 1; }";

static void findings_that_cannot_be(void **state) {
    (void)state;
    crd_network *network = read_network(context, impossible);
    const crd_finding findings[2] = {{0, 0, NULL, 0}, {2, 1, NULL, 0}};
    crd_network_sampler *sampler = (crd_network_sampler *)&findings;
    crd_error error;
    assert_int_equal(crd_network_sampler_create(network, findings, 2, NULL, &sampler, &error), CRD_ERROR_PROBABILITY);
    assert_null(sampler);
    if (strstr(error.message, "a=x, c=y") == NULL) fail_msg("%s", error.message);
    crd_network_destroy(network);
}

static double keep(size_t row, size_t state) {
    return row == state ? 0.999 : 0.001;
}

/* A chain of two states, the first with even chances; the last may be a utility, and a decision stand beside it. */
static crd_network *chain_of(size_t length) {
    crd_network *network = NULL;
    crd_error error;
    const crd_text words[2] = {crd_text_of("no"), crd_text_of("yes")};
    assert_done(crd_i_network_create(context, crd_text_of("chain"), &network, &error), error);
    for (size_t i = 0; i < length; i++) {
        char name[32];
        size_t node;
        uint32_t parent = (uint32_t)i - 1;
        double *table = crd_i_alloc(context, i == 0 ? 2 : 4, sizeof *table);
        snprintf(name, sizeof name, "n%zu", i);
        assert_done(crd_i_network_add(network, crd_text_of(name), words, 2, &node, &error), error);
        assert_done(crd_i_network_set_parents(network, node, &parent, i > 0, &error), error);
        for (size_t j = 0; j < (i == 0 ? 2 : 4); j++) table[j] = i == 0 ? 0.5 : keep(j / 2, j % 2);
        assert_done(crd_i_network_take_table(network, node, table, &error), error);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    return network;
}

/* Where the last of 10,000 is known, how often neighbors differ is as without: the first is then drawn backwards. */
static void long_chains(void **state) {
    (void)state;
    enum { LENGTH = 10000 };
    crd_network *network = chain_of(LENGTH);
    int32_t *states = crd_i_alloc(context, LENGTH, sizeof *states);
    const crd_finding last = {LENGTH - 1, 1, NULL, 0};
    assert_non_null(states);
    for (size_t count = 0; count < 2; count++) {
        crd_network_sampler *sampler = sampler_of(network, &last, count, 3);
        double changes = 0, near = 0;
        for (uint64_t row = 0; row < 100; row++) {
            draw(sampler, row, states);
            for (size_t i = 1; i < LENGTH; i++) changes += states[i] != states[i - 1];
            assert_true(count == 0 || states[LENGTH - 1] == 1);
            near += states[LENGTH - 101];
        }
        /* 999.9 expected with a deviation of 31.6; given the last, 0.909 of those a hundred before it are the same. */
        assert_true(fabs(changes - 999.9) < 5 * 31.6);
        if (count == 1) assert_true(near > 75 && near < 99);
        else assert_true(near > 25 && near < 75);
        crd_network_sampler_destroy(sampler);
    }
    crd_free(context, states);
    crd_network_destroy(network);
}

/* The root of 3,000 sightings, each of which leaves one part in ten: probabilities far below doubles. */
static void far_below_doubles(void **state) {
    (void)state;
    enum { SEEN = 3000 };
    crd_network *network = NULL;
    crd_error error;
    const crd_text words[2] = {crd_text_of("no"), crd_text_of("yes")};
    crd_finding *findings = crd_i_alloc(context, SEEN, sizeof *findings);
    int32_t *states = crd_i_alloc(context, SEEN + 1, sizeof *states);
    assert_non_null(findings);
    assert_non_null(states);
    assert_done(crd_i_network_create(context, crd_text_of("star"), &network, &error), error);
    for (size_t i = 0; i <= SEEN; i++) {
        char name[32];
        size_t node;
        const uint32_t root = 0;
        double *table = crd_i_alloc(context, i == 0 ? 2 : 4, sizeof *table);
        const double source[2] = {0.1, i % 2 == 0 ? 0.2 : 0.05};
        snprintf(name, sizeof name, "n%zu", i);
        assert_done(crd_i_network_add(network, crd_text_of(name), words, 2, &node, &error), error);
        assert_done(crd_i_network_set_parents(network, node, &root, i > 0, &error), error);
        for (size_t j = 0; j < (i == 0 ? 2 : 4); j++)
            table[j] = i == 0 ? (j == 0 ? 0.75 : 0.25) : (j % 2 == 0 ? source[j / 2] : 1 - source[j / 2]);
        assert_done(crd_i_network_take_table(network, node, table, &error), error);
        const crd_finding finding = {i, 0, NULL, 0};
        if (i > 0) findings[i - 1] = finding;
    }
    assert_done(crd_i_network_finish(network, &error), error);
    crd_network_sampler *sampler = sampler_of(network, findings, SEEN, 11);
    size_t yes = 0;
    for (uint64_t row = 0; row < ROWS; row++) {
        draw(sampler, row, states);
        yes += states[0] == 1;
    }
    /* The sightings speak for either side as much: a quarter, with a deviation of 27 rows. */
    assert_true(yes > 865 && yes < 1135);
    crd_network_sampler_destroy(sampler);
    crd_network_destroy(network);
    crd_free(context, findings);
    crd_free(context, states);
}

/* A decision has to be taken; a utility is nothing to be drawn. */
static void decisions_and_utilities(void **state) {
    (void)state;
    crd_network *network = NULL;
    crd_error error;
    size_t chance, decision, utility;
    const crd_text words[2] = {crd_text_of("no"), crd_text_of("yes")};
    assert_done(crd_i_network_create(context, crd_text_of("n"), &network, &error), error);
    assert_done(crd_i_network_add(network, crd_text_of("act"), words, 2, &decision, &error), error);
    crd_i_network_set_kind(network, decision, CRD_NODE_DECISION);
    assert_done(crd_i_network_set_parents(network, decision, NULL, 0, &error), error);
    assert_done(crd_i_network_add(network, crd_text_of("x"), words, 2, &chance, &error), error);
    const uint32_t chance_parent = (uint32_t)decision, utility_parent = (uint32_t)chance;
    assert_done(crd_i_network_set_parents(network, chance, &chance_parent, 1, &error), error);
    double *table = crd_i_alloc(context, 4, sizeof *table), *values = crd_i_alloc(context, 2, sizeof *values);
    for (size_t i = 0; i < 4; i++) table[i] = i / 2 == i % 2;
    values[0] = -3;
    values[1] = 7;
    assert_done(crd_i_network_take_table(network, chance, table, &error), error);
    assert_done(crd_i_network_add(network, crd_text_of("gain"), words, 1, &utility, &error), error);
    crd_i_network_set_kind(network, utility, CRD_NODE_UTILITY);
    assert_done(crd_i_network_set_parents(network, utility, &utility_parent, 1, &error), error);
    assert_done(crd_i_network_take_table(network, utility, values, &error), error);
    assert_done(crd_i_network_finish(network, &error), error);
    crd_network_sampler *sampler = NULL;
    assert_int_equal(crd_network_sampler_create(network, NULL, 0, NULL, &sampler, &error), CRD_ERROR_COLUMN);
    assert_null(sampler);
    assert_non_null(strstr(error.message, "act"));
    for (size_t choice = 0; choice < 2; choice++) {
        const crd_finding taken = {decision, choice, NULL, 0};
        int32_t states[3];
        sampler = sampler_of(network, &taken, 1, 1);
        draw(sampler, 0, states);
        assert_int_equal(states[decision], choice);
        assert_int_equal(states[chance], choice);
        assert_int_equal(states[utility], 0);
        crd_network_sampler_destroy(sampler);
    }
    crd_network_destroy(network);
}

/* What would take more memory than is allowed is refused with its size; without evidence nothing is taken. */
static void memory_is_said_before(void **state) {
    (void)state;
    crd_network *network = random_network(context, 22, NODES, 4, 3);
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    crd_network_sampler *sampler = NULL;
    crd_error error;
    double seen[4] = {1, 1, 1, 1};
    const crd_finding last = {NODES - 1, 0, seen, 0};
    options.memory = 16;
    assert_true(network->nodes[NODES - 1].parent_count > 0);
    assert_int_equal(crd_network_sampler_create(network, &last, 1, &options, &sampler, &error), CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "entries"));
    assert_done(crd_network_sampler_create(network, NULL, 0, &options, &sampler, &error), error);
    crd_network_sampler_destroy(sampler);
    crd_network_destroy(network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_of_pairs),    cmocka_unit_test(rows_stand_alone),
        cmocka_unit_test(findings_that_cannot_be), cmocka_unit_test(long_chains),
        cmocka_unit_test(far_below_doubles),       cmocka_unit_test(decisions_and_utilities),
        cmocka_unit_test(memory_is_said_before),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
