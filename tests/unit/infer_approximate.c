/* SPDX-License-Identifier: MIT */
/* Estimates of posteriors: what they say of themselves, and what becomes of questions that they cannot answer. Exact
 * answers are those of the junction tree, which is tested against enumeration elsewhere. */
#include "infer/approximate.h"
#include "network_support.h"

static const char sprinkler[] =
    "network n { } variable cloudy { type discrete [ 2 ] { yes, no }; }"
    "variable sprinkler { type discrete [ 2 ] { on, off }; } variable rain { type discrete [ 2 ] { yes, no }; }"
    "variable wet { type discrete [ 2 ] { yes, no }; }"
    "probability (cloudy) { table .5 .5; } probability (sprinkler | cloudy) { (yes) .1 .9; (no) .5 .5; }"
    "probability (rain | cloudy) { (yes) .8 .2; (no) .2 .8; }"
    "probability (wet | sprinkler, rain) { (on, yes) .99 .01; (on, no) .9 .1; (off, yes) .9 .1; (off, no) 0 1; }";

/* A polytree: c has two parents, d and e are its children, f hangs on e and g, which is a root. */
static const char polytree[] =
    "network n { } variable a { type discrete [ 2 ] { x, y }; } variable b { type discrete [ 3 ] { x, y, z }; }"
    "variable c { type discrete [ 2 ] { x, y }; } variable d { type discrete [ 2 ] { x, y }; }"
    "variable e { type discrete [ 3 ] { x, y, z }; } variable f { type discrete [ 2 ] { x, y }; }"
    "variable g { type discrete [ 2 ] { x, y }; }"
    "probability (a) { table .2 .8; } probability (b) { table .1 .3 .6; } probability (g) { table .7 .3; }"
    "probability (c | a, b) { (x, x) .1 .9; (x, y) .4 .6; (x, z) 1 0; (y, x) .3 .7; (y, y) .25 .75; (y, z) .8 .2; }"
    "probability (d | c) { (x) .9 .1; (y) .35 .65; }"
    "probability (e | c) { (x) .2 .3 .5; (y) .6 .1 .3; }"
    "probability (f | e, g) { (x, x) .5 .5; (x, y) .1 .9; (y, x) .2 .8; (y, y) .6 .4; (z, x) .7 .3; (z, y) .05 .95; }";

static const crd_approximation ways[] = {CRD_APPROXIMATION_WEIGHTING, CRD_APPROXIMATION_GIBBS, CRD_APPROXIMATION_LOOPY};

static crd_context *plain_context(void) {
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    return context;
}

static crd_inference_options always(crd_approximation way) {
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    options.approximation = way;
    options.is_always_approximate = 1;
    options.draws = 4000;
    return options;
}

/* By hand: P(wet) = .5 (.1 .8 .99 + .1 .2 .9 + .9 .8 .9) + .5 (.5 .2 .99 + .5 .8 .9 + .5 .2 .9) = .6471. */
static void known_by_hand(void **state) {
    (void)state;
    crd_context *context = plain_context();
    crd_network *network = read_network(context, sprinkler);
    const crd_finding finding = {.node = 3, .state = 0};
    const size_t nodes[] = {1, 2, 3};
    for (size_t i = 0; i < 2; i++) {
        crd_inference_options options = always(ways[i]);
        crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
        double got[6], errors[6];
        crd_error error;
        options.draws = 0;
        assert_done(crd_network_posteriors(network, NETWORK_QUERY(&finding, 1, nodes, 3, &options), got, errors,
                                           &result, &error),
                    error);
        assert_int_equal(result.approximation, ways[i]);
        assert_true(result.draws >= 100000 && result.effective_draws > 1000 && result.effective_draws <= result.draws);
        assert_true(errors[0] > 0 && errors[0] < 0.003 && errors[2] > 0 && errors[2] < 0.003);
        assert_true(fabs(got[0] - 0.2781 / 0.6471) < 4 * errors[0]);
        assert_true(fabs(got[2] - 0.4581 / 0.6471) < 4 * errors[2]);
        assert_true(fabs(result.log_evidence - log(0.6471)) < 4 * result.log_evidence_error);
        assert_true(result.log_evidence_error > 0 && result.log_evidence_error < 0.01);
        /* What was observed is certain. */
        assert_true(got[4] == 1 && got[5] == 0 && errors[4] == 0 && errors[5] == 0);
        /* What an exact answer would have taken is said all the same. */
        assert_true(result.cells >= 4 && result.bytes >= 8 * result.cells && result.nodes == 4);
    }
    crd_network_destroy(network);
    crd_context_destroy(context);
}

static void exact_on_trees(void **state) {
    (void)state;
    crd_context *context = plain_context();
    crd_network *network = read_network(context, polytree);
    const double soft[] = {0.3, 0.9, 0};
    const crd_finding findings[] = {{.node = 5, .state = 1}, {.node = 3, .state = 1}, {.node = 1, .likelihoods = soft}};
    const size_t nodes[] = {0, 1, 2, 3, 4, 5, 6};
    for (size_t count = 0; count <= 3; count++) {
        crd_inference_options options = always(CRD_APPROXIMATION_LOOPY);
        crd_inference_result result = CRD_INFERENCE_RESULT_INIT, truth = CRD_INFERENCE_RESULT_INIT;
        double got[16], errors[16], exact[16];
        crd_error error;
        assert_done(crd_network_posteriors(network, NETWORK_QUERY(findings, count, nodes, 7, &options), got, errors,
                                           &result, &error),
                    error);
        assert_done(crd_network_posteriors(network, NETWORK_QUERY(findings, count, nodes, 7, NULL), exact, NULL, &truth,
                                           &error),
                    error);
        for (size_t i = 0; i < 16; i++) assert_true(fabs(got[i] - exact[i]) < 1e-12);
        assert_true(fabs(result.log_evidence - truth.log_evidence) < 1e-12);
        assert_true(isnan(errors[0]) && isnan(result.log_evidence_error));
        /* Together, by the chain rule. */
        const size_t pair[] = {4, 0, 6};
        assert_done(crd_network_joint_posterior(network, NETWORK_QUERY(findings, count, pair, 3, &options), got, NULL,
                                                NULL, &error),
                    error);
        assert_done(crd_network_joint_posterior(network, NETWORK_QUERY(findings, count, pair, 3, NULL), exact, NULL,
                                                NULL, &error),
                    error);
        for (size_t i = 0; i < 12; i++) assert_true(fabs(got[i] - exact[i]) < 1e-12);
        /* Weights are all the same where no loop misleads: estimates of the log evidence have hardly any error. */
        options.approximation = CRD_APPROXIMATION_WEIGHTING;
        options.draws = 20000;
        assert_done(crd_network_posteriors(network, NETWORK_QUERY(findings, count, nodes, 7, &options), got, errors,
                                           &result, &error),
                    error);
        assert_true(fabs(result.log_evidence - truth.log_evidence) < 0.01);
        assert_true(result.effective_draws > 15000);
    }
    crd_network_destroy(network);
    crd_context_destroy(context);
}

/* Where the memory is not enough the answer is an estimate, if that is agreed to; where it is, it is exact. */
static void where_memory_ends(void **state) {
    (void)state;
    crd_context *context = plain_context();
    crd_network *network = random_network(context, 5, 24, 4, 4);
    const size_t node = 20;
    for (size_t i = 0; i < 3; i++) {
        crd_inference_options options = always(ways[i]);
        crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
        double got[64], errors[64];
        crd_error error;
        options.is_always_approximate = 0;
        assert_done(
            crd_network_posteriors(network, NETWORK_QUERY(NULL, 0, &node, 1, &options), got, errors, &result, &error),
            error);
        assert_true(result.approximation == CRD_APPROXIMATION_NEVER && errors[0] == 0 && result.bytes > 8);
        options.memory = 8;
        assert_done(
            crd_network_posteriors(network, NETWORK_QUERY(NULL, 0, &node, 1, &options), got, errors, &result, &error),
            error);
        assert_true(result.approximation == ways[i] && errors[0] != 0);
        assert_true(result.cells > 1 && result.bytes > options.memory);
        assert_done(crd_network_joint_posterior(network, NETWORK_QUERY(NULL, 0, &node, 1, &options), got, errors,
                                                &result, &error),
                    error);
        assert_true(result.approximation == ways[i] && errors[0] != 0);
        options.approximation = CRD_APPROXIMATION_NEVER;
        crd_status status =
            crd_network_posteriors(network, NETWORK_QUERY(NULL, 0, &node, 1, &options), got, errors, &result, &error);
        assert_int_equal(status, CRD_ERROR_LIMIT);
    }
    crd_network_destroy(network);
    crd_context_destroy(context);
}

/* Contradictions that zeros show by themselves are named; those that only sums would show are not found out, and no
 * draw agrees with the evidence: an error too, never an answer. Here c is a xor b, and d, e are both c xor b. */
static void contradictions(void **state) {
    (void)state;
    static const char text[] =
        "network n { } variable a { type discrete [ 2 ] { x, y }; } variable b { type discrete [ 2 ] { x, y }; }"
        "variable c { type discrete [ 2 ] { x, y }; } variable d { type discrete [ 2 ] { x, y }; }"
        "variable e { type discrete [ 2 ] { x, y }; }"
        "probability (a) { table .5 .5; } probability (b) { table .5 .5; }"
        "probability (c | a, b) { (x, x) 1 0; (x, y) 0 1; (y, x) 0 1; (y, y) 1 0; }"
        "probability (d | c, b) { (x, x) 1 0; (x, y) 0 1; (y, x) 0 1; (y, y) 1 0; }"
        "probability (e | a) { (x) 1 0; (y) 0 1; }";
    crd_context *context = plain_context();
    crd_network *network = read_network(context, text);
    const crd_finding seen[] = {{.node = 0, .state = 0}, {.node = 1, .state = 0}, {.node = 4, .state = 1}};
    const crd_finding hidden[] = {{.node = 3, .state = 0}, {.node = 4, .state = 1}};
    const size_t node = 2;
    for (size_t i = 0; i < 3; i++) {
        crd_inference_options options = always(ways[i]);
        double got[2] = {7, 7};
        crd_error error;
        crd_status status =
            crd_network_posteriors(network, NETWORK_QUERY(seen, 3, &node, 1, &options), got, NULL, NULL, &error);
        assert_int_equal(status, CRD_ERROR_PROBABILITY);
        assert_string_equal(error.message,
                            "the evidence has probability zero: these findings contradict each other: a=x, e=y");
        if (ways[i] == CRD_APPROXIMATION_LOOPY) continue;
        status = crd_network_posteriors(network, NETWORK_QUERY(hidden, 2, &node, 1, &options), got, NULL, NULL, &error);
        assert_int_equal(status, CRD_ERROR_NOT_CONVERGED);
        assert_non_null(strstr(error.message, "draws agrees with all findings"));
        assert_true(got[0] == 7);
    }
    crd_network_destroy(network);
    crd_context_destroy(context);
}

/* Findings of 1e-300 each: weights far below the least double. */
static void no_underflow(void **state) {
    (void)state;
    crd_context *context = plain_context();
    crd_network *network = random_network(context, 11, 40, 3, 2);
    crd_finding findings[40];
    double likelihoods[40][3];
    size_t nodes[40], numbers = 0;
    for (size_t i = 0; i < 40; i++) {
        for (size_t j = 0; j < 3; j++) likelihoods[i][j] = ldexp((double)(1 + (i + j) % 4), -1000);
        const crd_finding finding = {.node = i, .likelihoods = likelihoods[i]};
        findings[i] = finding;
        nodes[i] = i;
        numbers += crd_network_state_count(network, i);
    }
    crd_inference_result truth = CRD_INFERENCE_RESULT_INIT;
    double exact[120], got[120], errors[120];
    crd_error error;
    assert_done(
        crd_network_posteriors(network, NETWORK_QUERY(findings, 40, nodes, 40, NULL), exact, NULL, &truth, &error),
        error);
    for (size_t i = 0; i < 2; i++) {
        crd_inference_options options = always(ways[i]);
        crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
        assert_done(crd_network_posteriors(network, NETWORK_QUERY(findings, 40, nodes, 40, &options), got, errors,
                                           &result, &error),
                    error);
        assert_true(fabs(result.log_evidence - truth.log_evidence) < 4 * result.log_evidence_error);
        for (size_t j = 0; j < numbers; j++) assert_true(fabs(got[j] - exact[j]) <= 5 * errors[j]);
    }
    crd_network_destroy(network);
    crd_context_destroy(context);
}

static void cancelled(void **state) {
    (void)state;
    crd_context *context = plain_context();
    crd_network *network = read_network(context, sprinkler);
    const size_t node = 0;
    crd_context_cancel(context);
    for (size_t i = 0; i < 3; i++) {
        crd_inference_options options = always(ways[i]);
        double got[2];
        crd_error error;
        options.draws = UINT64_MAX;
        crd_status status =
            crd_network_posteriors(network, NETWORK_QUERY(NULL, 0, &node, 1, &options), got, NULL, NULL, &error);
        assert_int_equal(status, CRD_ERROR_CANCELLED);
    }
    crd_network_destroy(network);
    crd_context_destroy(context);
}

/* A chain of 10,000 nodes and one node with 2,000 children: no recursion, no products that vanish. */
static void large_ones(void **state) {
    (void)state;
    crd_context *context = plain_context();
    for (size_t shape = 0; shape < 2; shape++) {
        size_t count = shape == 0 ? 10000 : 2001;
        crd_network *network = NULL;
        crd_error error;
        const crd_text states[] = {crd_text_of("x"), crd_text_of("y")};
        assert_done(crd_i_network_create(context, crd_text_of("large"), &network, &error), error);
        for (size_t i = 0; i < count; i++) {
            char name[32];
            size_t node;
            uint32_t parent = shape == 0 && i > 0 ? (uint32_t)i - 1 : 0;
            snprintf(name, sizeof name, "n%zu", i);
            assert_done(crd_i_network_add(network, crd_text_of(name), states, 2, &node, &error), error);
            assert_done(crd_i_network_set_parents(network, node, &parent, i > 0, &error), error);
            double *table = crd_i_alloc(context, 4, sizeof *table);
            const double numbers[] = {0.6, 0.4, 0.3, 0.7};
            assert_non_null(table);
            memcpy(table, numbers, sizeof numbers);
            assert_done(crd_i_network_take_table(network, node, table, &error), error);
        }
        assert_done(crd_i_network_finish(network, &error), error);
        const crd_finding finding = {.node = count - 1, .state = 0};
        const size_t nodes[] = {0, count - 2, count / 2};
        double exact[6];
        assert_done(
            crd_network_posteriors(network, NETWORK_QUERY(&finding, 1, nodes, 3, NULL), exact, NULL, NULL, &error),
            error);
        for (size_t i = 0; i < 3; i++) {
            crd_inference_options options = always(ways[i]);
            double got[6], errors[6];
            options.draws = 200;
            assert_done(crd_network_posteriors(network, NETWORK_QUERY(&finding, 1, nodes, 3, &options), got, errors,
                                               NULL, &error),
                        error);
            for (size_t j = 0; j < 6; j++)
                assert_true(fabs(got[j] - exact[j]) <= (ways[i] == CRD_APPROXIMATION_LOOPY ? 1e-9 : 5 * errors[j]));
        }
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
}

/* Pairs of switches along a chain, whose lamps were seen: what is drawn without a look at the lamps is less likely than
 * what is drawn with it by more than doubles can say. */
static void far_apart(void **state) {
    enum { STEPS = 250, ROOM = 1 << 17 };
    (void)state;
    crd_context *context = plain_context();
    char *text = malloc(ROOM);
    crd_finding findings[STEPS];
    size_t used = (size_t)snprintf(text, ROOM, "network n { } ");
    for (size_t i = 0; i < STEPS; i++)
        for (const char *name = "xzy"; *name != '\0'; name++)
            used += (size_t)snprintf(text + used, ROOM - used, "variable %c%zu { type discrete [ 2 ] { a, b }; } ",
                                     *name, i);
    used += (size_t)snprintf(text + used, ROOM - used, "probability (x0) { table .5 .5; } ");
    for (size_t i = 0; i < STEPS; i++) {
        if (i > 0)
            used += (size_t)snprintf(text + used, ROOM - used, "probability (x%zu | x%zu) { (a) .6 .4; (b) .4 .6; } ",
                                     i, i - 1);
        used += (size_t)snprintf(text + used, ROOM - used,
                                 "probability (z%zu | x%zu) { (a) .999999 1e-6; (b) 1e-6 .999999; } "
                                 "probability (y%zu | z%zu) { (a) .999999 1e-6; (b) 1e-6 .999999; } ",
                                 i, i, i, i);
        const crd_finding finding = {.node = 3 * i + 2, .state = i * i % 7 % 2};
        findings[i] = finding;
    }
    crd_network *network = read_network(context, text);
    const size_t node = 3 * (STEPS / 2);
    double exact[2], got[2], errors[2];
    crd_error error;
    crd_inference_result truth = CRD_INFERENCE_RESULT_INIT;
    assert_done(
        crd_network_posteriors(network, NETWORK_QUERY(findings, STEPS, &node, 1, NULL), exact, NULL, &truth, &error),
        error);
    for (size_t i = 0; i < 2; i++) {
        crd_inference_options options = always(ways[i]);
        crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
        options.draws = 1000;
        assert_done(crd_network_posteriors(network, NETWORK_QUERY(findings, STEPS, &node, 1, &options), got, errors,
                                           &result, &error),
                    error);
        assert_true(fabs(got[0] - exact[0]) < 4 * errors[0]);
        assert_true(fabs(result.log_evidence - truth.log_evidence) < 4 * result.log_evidence_error);
    }
    free(text);
    crd_network_destroy(network);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_by_hand),  cmocka_unit_test(exact_on_trees), cmocka_unit_test(where_memory_ends),
        cmocka_unit_test(contradictions), cmocka_unit_test(no_underflow),   cmocka_unit_test(large_ones),
        cmocka_unit_test(cancelled),      cmocka_unit_test(far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
