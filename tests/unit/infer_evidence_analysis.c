/* SPDX-License-Identifier: MIT */
/* Which evidence moved an answer: the burglar alarm of Russell and Norvig, what evidence do to each other, and the
 * answers of random networks by going through every combination of states. */
#include "network_support.h"

#include <math.h>

#define NODE(name) "variable " name " { type discrete [ 2 ] { yes, no }; }\n"

static const char burglary[] = "network burglary { }\n" NODE("B") NODE("E") NODE("A") NODE("J")
    NODE("M") "probability ( B ) { table 0.001, 0.999; }\n"
              "probability ( E ) { table 0.002, 0.998; }\n"
              "probability ( A | B, E ) { (yes, yes) 0.95, 0.05; (yes, no) 0.94, 0.06; (no, yes) 0.29, 0.71;"
              " (no, no) 0.001, 0.999; }\n"
              "probability ( J | A ) { (yes) 0.9, 0.1; (no) 0.05, 0.95; }\n"
              "probability ( M | A ) { (yes) 0.7, 0.3; (no) 0.01, 0.99; }\n";

enum { B, E, A, J, M, YES = 0, NO = 1 };

static crd_evidence_analysis *reasons_for(const crd_network *network, const crd_finding *findings, size_t count,
                                          size_t node) {
    crd_evidence_analysis *reasons = NULL;
    crd_error error;
    assert_done(crd_evidence_analysis_create(network, findings, count, node, NULL, &reasons, &error), error);
    return reasons;
}

static void explaining_away(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_network(context, burglary);
    const crd_finding findings[] = {{A, YES, NULL, 0}, {E, YES, NULL, 0}, {J, NO, NULL, 0}};
    crd_evidence_analysis *reasons = reasons_for(network, findings, 3, B);
    size_t length;
    /* 0.373551 and 0.003268 are printed in many places; the others follow from the tables. */
    assert_near(reasons->before[YES], 0.001, 1e-15);
    assert_near(reasons->after[YES], 0.003268, 5e-7);
    assert_near(reasons->findings[0].alone[YES], 0.373551, 5e-7);
    assert_near(reasons->findings[1].without[YES], 0.373551, 5e-7);
    assert_near(reasons->findings[1].alone[YES], 0.001, 1e-15);
    assert_near(crd_evidence_analysis_without_both(reasons, 0, 2)[YES], 0.001, 1e-15);
    assert_near(crd_evidence_analysis_without_both(reasons, 2, 1)[YES], 0.373551, 5e-7);
    assert_null(crd_evidence_analysis_without_both(reasons, 1, 1));
    assert_int_equal(reasons->state, YES);
    assert_int_equal(reasons->approximation, CRD_APPROXIMATION_NEVER);
    assert_true(reasons->error == 0);
    double odds = log(0.0032682 / (1 - 0.0032682)) - log(0.373551 / (1 - 0.373551));
    assert_near(crd_evidence_analysis_weight(reasons, 1, YES), odds, 1e-4);
    assert_near(crd_evidence_analysis_weight(reasons, 1, NO), -odds, 1e-4);
    assert_true(reasons->findings[1].information > reasons->findings[0].information);
    /* The alarm is known, so what John does says nothing, to the bit. */
    assert_true(reasons->findings[2].information == 0 && crd_evidence_analysis_weight(reasons, 2, YES) == 0);
    assert_null(reasons->findings[2].path);
    const size_t *path = reasons->findings[1].path;
    length = reasons->findings[1].path_length;
    assert_true(length == 3 && path[0] == B && path[1] == A && path[2] == E);
    path = crd_evidence_analysis_meeting(reasons, 0, 1, &length);
    assert_true(length == 3 && path[0] == B && path[1] == A && path[2] == E);
    assert_null(crd_evidence_analysis_meeting(reasons, 1, 0, &length));
    /* John hears of both by the alarm alone, which is known. */
    assert_null(crd_evidence_analysis_meeting(reasons, 2, 1, &length));
    for (size_t s = 0; s < 2; s++) {
        /* The alarm speaks for a burglar, so it is of a burglar that it is told. */
        assert_int_equal(crd_evidence_analysis_interaction(reasons, 0, 1, s),
                         s == YES ? CRD_INTERACTION_EXPLAINS_AWAY : CRD_INTERACTION_NONE);
        assert_int_equal(crd_evidence_analysis_interaction(reasons, 1, 0, s), CRD_INTERACTION_NONE);
        assert_int_equal(crd_evidence_analysis_interaction(reasons, 2, 0, s), CRD_INTERACTION_SCREENS_OFF);
        /* Whatever state is asked for, the earthquake takes from that of a burglar. */
        size_t parent_state = s;
        assert_int_equal(crd_evidence_analysis_interplay(reasons, 0, 1, &parent_state), CRD_INTERACTION_EXPLAINS_AWAY);
        assert_int_equal(parent_state, YES);
        assert_false(reasons->findings[s].is_premise);
    }
    assert_int_equal(reasons->most, 1);
    crd_evidence_analysis_destroy(reasons);

    /* A third finding that says the same as the alarm does not hide that it is explained away. */
    const crd_finding three[] = {{A, YES, NULL, 0}, {E, YES, NULL, 0}, {J, YES, NULL, 0}};
    reasons = reasons_for(network, three, 3, B);
    assert_int_equal(crd_evidence_analysis_interaction(reasons, 0, 1, YES), CRD_INTERACTION_EXPLAINS_AWAY);
    assert_int_equal(crd_evidence_analysis_interaction(reasons, 1, 0, YES), CRD_INTERACTION_NONE);
    crd_evidence_analysis_destroy(reasons);

    /* What John does after all is of no weight either where there was no alarm: that is not explained away, but known.
     */
    const crd_finding calls[] = {{J, YES, NULL, 0}, {A, NO, NULL, 0}};
    reasons = reasons_for(network, calls, 2, B);
    assert_int_equal(crd_evidence_analysis_interaction(reasons, 0, 1, YES), CRD_INTERACTION_SCREENS_OFF);
    assert_int_equal(crd_evidence_analysis_interaction(reasons, 1, 0, YES), CRD_INTERACTION_NONE);
    crd_evidence_analysis_destroy(reasons);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Rain is less likely to go with the sprinkler anyway, and explains the wet grass away all the same (Murphy 1998). */
static void sprinkler(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_network(
        context,
        "network sprinkler { }\n" NODE("C") NODE("S") NODE("R")
            NODE("W") "probability ( C ) { table 0.5, 0.5; }\n"
                      "probability ( S | C ) { (yes) 0.1, 0.9; (no) 0.5, 0.5; }\n"
                      "probability ( R | C ) { (yes) 0.8, 0.2; (no) 0.2, 0.8; }\n"
                      "probability ( W | S, R ) { (yes, yes) 0.99, 0.01; (yes, no) 0.9, 0.1; (no, yes) 0.9, 0.1;"
                      " (no, no) 0, 1; }\n");
    const crd_finding findings[] = {{3, YES, NULL, 0}, {2, YES, NULL, 0}};
    crd_evidence_analysis *reasons = reasons_for(network, findings, 2, 1);
    assert_near(reasons->findings[0].alone[YES], 0.429764, 5e-7);
    assert_near(reasons->after[YES], 0.194499, 5e-7);
    assert_int_equal(crd_evidence_analysis_interaction(reasons, 0, 1, YES), CRD_INTERACTION_EXPLAINS_AWAY);
    assert_int_equal(crd_evidence_analysis_interaction(reasons, 1, 0, YES), CRD_INTERACTION_NONE);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(crd_evidence_analysis_interaction(reasons, i, 1 - i, NO), CRD_INTERACTION_NONE);
    /* The shortest way between the two is by the clouds; that by which one explains is another. */
    size_t length;
    const size_t *path = reasons->findings[1].path;
    length = reasons->findings[1].path_length;
    assert_true(length == 3 && path[1] == 0);
    path = crd_evidence_analysis_meeting(reasons, 0, 1, &length);
    assert_true(length == 3 && path[0] == 1 && path[1] == 3 && path[2] == 2);
    crd_evidence_analysis_destroy(reasons);
    /* That it did not rain makes the sprinkler the only reason. */
    const crd_finding wet[] = {{3, YES, NULL, 0}, {2, NO, NULL, 0}};
    reasons = reasons_for(network, wet, 2, 1);
    assert_int_equal(crd_evidence_analysis_interaction(reasons, 0, 1, YES), CRD_INTERACTION_NONE);
    crd_evidence_analysis_destroy(reasons);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* z says whether x and y are the same: each of y and z is silent without the other. */
static void opening(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_network(
        context,
        "network parity { }\n" NODE("x") NODE("y")
            NODE("z") "probability ( x ) { table 0.5, 0.5; }\n"
                      "probability ( y ) { table 0.5, 0.5; }\n"
                      "probability ( z | x, y ) { (yes, yes) 0.75, 0.25; (yes, no) 0.25, 0.75; (no, yes) 0.25, 0.75;"
                      " (no, no) 0.75, 0.25; }\n");
    const crd_finding findings[] = {{1, NO, NULL, 0}, {2, YES, NULL, 0}};
    crd_evidence_analysis *reasons = reasons_for(network, findings, 2, 0);
    assert_near(reasons->after[NO], 0.75, 1e-15);
    assert_int_equal(reasons->state, NO);
    assert_near(reasons->findings[0].alone[NO], 0.5, 1e-15);
    assert_near(reasons->findings[1].alone[NO], 0.5, 1e-15);
    assert_near(crd_evidence_analysis_weight(reasons, 0, NO), log(3), 1e-14);
    assert_near(reasons->findings[0].information, 0.75 * log(1.5) + 0.25 * log(0.5), 1e-14);
    assert_int_equal(crd_evidence_analysis_interaction(reasons, 0, 1, NO), CRD_INTERACTION_OPENS);
    assert_int_equal(crd_evidence_analysis_interaction(reasons, 1, 0, NO), CRD_INTERACTION_OPENS);
    crd_evidence_analysis_destroy(reasons);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* The chest clinic of Lauritzen and Spiegelhalter, with as many evidence as it has: what one does to another is said
 * only where it is so without the others too. Short breath says little besides them all, but that is not the journey's
 * doing; bronchitis says something of cancer by itself, so not only since somebody is known to smoke. */
static void several_findings(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    enum { ASIA, SMOKE, TUB, LUNG, BRONC, EITHER, XRAY, DYSP };
    crd_network *network = read_network(
        context,
        "network asia { }\n" NODE("asia") NODE("smoke") NODE("tub") NODE("lung") NODE("bronc") NODE("either")
            NODE("xray") NODE("dysp") "probability ( asia ) { table 0.01, 0.99; }\n"
                                      "probability ( smoke ) { table 0.5, 0.5; }\n"
                                      "probability ( tub | asia ) { (yes) 0.05, 0.95; (no) 0.01, 0.99; }\n"
                                      "probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }\n"
                                      "probability ( bronc | smoke ) { (yes) 0.6, 0.4; (no) 0.3, 0.7; }\n"
                                      "probability ( either | lung, tub ) { (yes, yes) 1, 0; (yes, no) 1, 0;"
                                      " (no, yes) 1, 0; (no, no) 0, 1; }\n"
                                      "probability ( xray | either ) { (yes) 0.98, 0.02; (no) 0.05, 0.95; }\n"
                                      "probability ( dysp | bronc, either ) { (yes, yes) 0.9, 0.1; (yes, no) 0.8, 0.2;"
                                      " (no, yes) 0.7, 0.3; (no, no) 0.1, 0.9; }\n");
    const crd_finding findings[] = {
        {DYSP, YES, NULL, 0}, {BRONC, YES, NULL, 0}, {SMOKE, YES, NULL, 0}, {ASIA, YES, NULL, 0}, {XRAY, YES, NULL, 0}};
    crd_evidence_analysis *reasons = reasons_for(network, findings, 5, LUNG);
    assert_near(reasons->after[YES], 0.54414, 5e-6);
    assert_near(reasons->findings[1].alone[YES], 0.07, 1e-12);
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 5; k++) {
            /* Arcs meet at the breath below lung and bronchitis, and at tuberculosis or cancer above the picture. */
            bool explains = (i == 0 && k == 1) || (i == 4 && k == 3);
            assert_int_equal(crd_evidence_analysis_interaction(reasons, i, k, YES),
                             explains ? CRD_INTERACTION_EXPLAINS_AWAY : CRD_INTERACTION_NONE);
            assert_int_equal(crd_evidence_analysis_interaction(reasons, i, k, NO), CRD_INTERACTION_NONE);
        }
    size_t length;
    const size_t *path = crd_evidence_analysis_meeting(reasons, 4, 3, &length);
    assert_true(length == 4 && path[0] == LUNG && path[1] == EITHER && path[2] == TUB && path[3] == ASIA);
    crd_evidence_analysis_destroy(reasons);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Likelihoods open what meets above them, but block nothing; a soft finding of the node itself is a reason as well. */
static void soft_findings(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_network(context, burglary);
    const double heard[] = {0.9, 0.1}, seen[] = {4, 1};
    const crd_finding findings[] = {{A, 0, heard, 0}, {E, YES, NULL, 0}, {B, 0, seen, 0}, {M, YES, NULL, 0}};
    size_t length;
    crd_evidence_analysis *reasons = reasons_for(network, findings, 4, B);
    const size_t *path = reasons->findings[1].path;
    length = reasons->findings[1].path_length;
    assert_true(length == 3 && path[1] == A);
    path = reasons->findings[3].path;
    length = reasons->findings[3].path_length;
    assert_true(length == 3 && path[1] == A && path[2] == M);
    path = reasons->findings[2].path;
    length = reasons->findings[2].path_length;
    assert_true(length == 1 && path[0] == B);
    assert_near(crd_evidence_analysis_weight(reasons, 2, YES), log(4), 1e-12);
    assert_near(reasons->findings[2].alone[YES], 4 * 0.001 / (4 * 0.001 + 0.999), 1e-15);
    crd_evidence_analysis_destroy(reasons);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void refuses(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_network(context, burglary);
    crd_evidence_analysis *reasons = NULL;
    crd_error error;
    const crd_finding findings[] = {{A, YES, NULL, 0}, {A, NO, NULL, 0}};
    assert_int_equal(crd_evidence_analysis_create(network, findings, 1, A, NULL, &reasons, &error), CRD_ERROR_COLUMN);
    assert_non_null(strstr(error.message, "its probability cannot be explained"));
    assert_int_equal(crd_evidence_analysis_create(network, findings, 2, B, NULL, &reasons, &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_evidence_analysis_create(network, findings, 1, 5, NULL, &reasons, &error), CRD_ERROR_ARGUMENT);
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    options.memory = 1;
    assert_int_equal(crd_evidence_analysis_create(network, findings, 1, B, &options, &reasons, &error),
                     CRD_ERROR_LIMIT);
    assert_null(reasons);
    /* Nothing known: there is an answer, and no reason. */
    reasons = reasons_for(network, NULL, 0, B);
    assert_near(reasons->after[YES], 0.001, 1e-15);
    assert_int_equal(reasons->state, NO);
    crd_evidence_analysis_destroy(reasons);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* The posterior of the last node given the evidence whose bit is set. */
static void by_enumeration(const crd_network *network, const crd_finding *findings, size_t count, unsigned which,
                           double *out) {
    int32_t states[8];
    double posteriors[64], most;
    size_t start = 0, node = network->count - 1;
    for (size_t i = 0; i < network->count; i++) states[i] = -1;
    for (size_t i = 0; i < count; i++)
        if (which >> i & 1) states[findings[i].node] = (int32_t)findings[i].state;
    for (size_t i = 0; i < node; i++) start += crd_i_node_states(&network->nodes[i]);
    const crd_i_evidence hard = {.states = states};
    enumerate(network, &hard, posteriors, &most);
    memcpy(out, posteriors + start, crd_i_node_states(&network->nodes[node]) * sizeof *out);
}

static void same(const crd_network *network, const crd_finding *findings, size_t count, unsigned which,
                 const double *got) {
    double wanted[8];
    by_enumeration(network, findings, count, which, wanted);
    for (size_t s = 0; s < crd_network_state_count(network, network->count - 1); s++)
        assert_near(got[s], wanted[s], 1e-12);
}

/* How far finding i moves the log odds of a state where the evidence of `others` are known. */
static double moves(const crd_network *network, const crd_finding *findings, size_t count, unsigned others, unsigned i,
                    size_t state) {
    double without[8], factor[8];
    by_enumeration(network, findings, count, others, without);
    by_enumeration(network, findings, count, others | 1u << i, factor);
    return log(factor[state] / (1 - factor[state])) - log(without[state] / (1 - without[state]));
}

/* What is claimed of a pair holds among all evidence and without the others. */
static size_t check_claims(const crd_network *network, const crd_finding *findings, size_t count,
                           const crd_evidence_analysis *reasons) {
    const unsigned all = (1u << count) - 1;
    size_t claims = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < count; k++)
            for (size_t s = 0; s < crd_network_state_count(network, network->count - 1); s++) {
                crd_interaction claimed = crd_evidence_analysis_interaction(reasons, i, k, s);
                for (int alone = 0; claimed != CRD_INTERACTION_NONE && alone < 2; alone++) {
                    unsigned others = alone ? 0 : all & ~(1u << i) & ~(1u << k);
                    double said = moves(network, findings, count, others, i, s);
                    double says = moves(network, findings, count, others | 1u << k, i, s);
                    if (!isfinite(said) || !isfinite(says)) continue;
                    claims++;
                    if (claimed == CRD_INTERACTION_EXPLAINS_AWAY) {
                        assert_true(said > 0.095 && says < said - 0.095);
                        assert_true(moves(network, findings, count, others | 1u << i, k, s) < -0.095);
                    } else {
                        bool screens = claimed == CRD_INTERACTION_SCREENS_OFF;
                        assert_true(fabs(screens ? said : says) > 0.095 && fabs(screens ? says : said) < 0.02);
                    }
                }
            }
    return claims;
}

static void random_networks(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    size_t possible = 0, pairs = 0, claims = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        crd_network *network = random_network(context, seed, 7, 3, 3);
        crd_i_random random = crd_i_random_at(seed, 1000);
        crd_finding findings[6];
        size_t count = 0;
        for (size_t i = 0; i < 6; i++)
            if (crd_i_random_below(&random, 2) == 0)
                findings[count++] =
                    (crd_finding){i, crd_i_random_below(&random, crd_network_state_count(network, i)), NULL, 0};
        crd_evidence_analysis *reasons = NULL;
        crd_error error;
        crd_status status = crd_evidence_analysis_create(network, findings, count, 6, NULL, &reasons, &error);
        if (status == CRD_OK) {
            const unsigned all = (1u << count) - 1;
            possible++;
            claims += check_claims(network, findings, count, reasons);
            same(network, findings, count, 0, reasons->before);
            same(network, findings, count, all, reasons->after);
            for (unsigned i = 0; i < count; i++) {
                same(network, findings, count, 1u << i, reasons->findings[i].alone);
                same(network, findings, count, all & ~(1u << i), reasons->findings[i].without);
                for (unsigned k = 0; k < count; k++) {
                    const double *neither = crd_evidence_analysis_without_both(reasons, i, k);
                    if (neither == NULL) continue;
                    same(network, findings, count, all & ~(1u << i) & ~(1u << k), neither);
                    pairs++;
                }
            }
        } else {
            assert_int_equal(status, CRD_ERROR_PROBABILITY);
        }
        crd_evidence_analysis_destroy(reasons);
        crd_network_destroy(network);
    }
    assert_true(possible > 50 && pairs > 50 && claims > 50);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Each allocation fails in turn. */
static void every_allocation(void **state) {
    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        allocations counted = {0};
        crd_context *context = counted_context(&counted);
        crd_network *network = read_network(context, burglary);
        const double heard[] = {0.9, 0.1};
        const crd_finding findings[] = {{A, 0, heard, 0}, {E, YES, NULL, 0}, {J, NO, NULL, 0}};
        crd_evidence_analysis *reasons = NULL;
        crd_error error;
        counted.calls = 0;
        counted.fail_at = fail_at;
        crd_status status = crd_evidence_analysis_create(network, findings, 3, B, NULL, &reasons, &error);
        bool failed = counted.calls >= fail_at;
        assert_int_equal(status, failed ? CRD_ERROR_MEMORY : CRD_OK);
        assert_true(failed == (reasons == NULL));
        crd_evidence_analysis_destroy(reasons);
        crd_network_destroy(network);
        crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
        if (!failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explaining_away),  cmocka_unit_test(sprinkler),        cmocka_unit_test(opening),
        cmocka_unit_test(soft_findings),    cmocka_unit_test(refuses),          cmocka_unit_test(random_networks),
        cmocka_unit_test(every_allocation), cmocka_unit_test(several_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
