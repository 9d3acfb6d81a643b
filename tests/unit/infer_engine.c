/* SPDX-License-Identifier: MIT */
/* Cases that come in parts, what holds in all of them, and rows that are cases. */
#include "decision_support.h"

#include "counted_fixture.h"

enum { NODES = 8, MAX_STATES = 3, CASES = 40 };

typedef struct engine_puzzle {
    crd_network *network;
    crd_finding findings[2]; /* one is certain, one is not */
    double likelihoods[MAX_STATES];
    size_t known[NODES], known_count;
    size_t nodes[NODES], node_count, numbers; /* all are asked, the last first */
    int32_t states[CASES * NODES];
} engine_puzzle;

static void make_riddle(uint64_t seed, size_t nodes, engine_puzzle *out) {
    crd_i_random random = crd_i_random_at(seed, 7);
    *out = (engine_puzzle){.network = random_network(context, seed, nodes, MAX_STATES, 3)};
    const crd_network *network = out->network;
    for (size_t i = 0; i < MAX_STATES; i++) out->likelihoods[i] = crd_i_random_open(&random);
    out->findings[0] =
        (crd_finding){nodes / 2, crd_i_random_below(&random, crd_i_node_states(&network->nodes[nodes / 2])), NULL, 0};
    out->findings[1] = (crd_finding){nodes / 2 + 1, 0, out->likelihoods, 0};
    for (size_t i = 0; i < nodes; i++) {
        out->known[out->known_count++] = i;
        out->nodes[out->node_count++] = nodes - 1 - i;
        out->numbers += crd_i_node_states(&network->nodes[i]);
    }
    for (size_t i = 0; i < CASES * nodes; i++) {
        size_t state_count = crd_i_node_states(&network->nodes[i % nodes]);
        bool is_known = crd_i_random_below(&random, 3) == 0;
        out->states[i] = is_known ? (int32_t)crd_i_random_below(&random, state_count) : -1;
    }
}

static crd_network_engine *asker_of(const engine_puzzle *puzzle, size_t findings, unsigned threads) {
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    crd_network_engine *asker = NULL;
    crd_error error;
    options.threads = threads;
    assert_done(crd_network_engine_create(
                    puzzle->network,
                    NETWORK_QUERY(puzzle->findings, findings, puzzle->nodes, puzzle->node_count, &options),
                    puzzle->known, puzzle->known_count, &asker, &error),
                error);
    return asker;
}

/* Whether they are asked one by one, all at once, or by several threads: to the bit. */
static void parts_answer_as_the_whole(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        engine_puzzle puzzle;
        crd_error error;
        double whole[CASES * NODES * MAX_STATES], part[CASES * NODES * MAX_STATES], logs[CASES], log_part[CASES];
        make_riddle(seed, 3 + seed % (NODES - 2), &puzzle);
        for (size_t findings = 0; findings <= 2; findings++) {
            crd_network_engine *one = asker_of(&puzzle, findings, 1), *two = asker_of(&puzzle, findings, 2);
            assert_done(crd_network_engine_posteriors(two, puzzle.states, NULL, CASES, whole, logs, &error), error);
            for (size_t i = 0; i < CASES; i++)
                assert_done(crd_network_engine_posteriors(one, puzzle.states + i * puzzle.network->count, NULL, 1,
                                                          part + i * puzzle.numbers, log_part + i, &error),
                            error);
            assert_memory_equal(whole, part, CASES * puzzle.numbers * sizeof *part);
            assert_memory_equal(logs, log_part, sizeof logs);
            crd_network_engine_destroy(one);
            crd_network_engine_destroy(two);
        }
        crd_network_destroy(puzzle.network);
    }
}

/* Findings of all cases take the place of what a case says of their nodes, as enumeration has it. */
static void findings_hold_in_every_case(void **state) {
    (void)state;
    size_t impossible = 0, possible = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        engine_puzzle puzzle;
        crd_error error;
        double got[CASES * NODES * MAX_STATES], logs[CASES], wanted[NODES * MAX_STATES], most;
        make_riddle(seed, 3 + seed % (NODES - 2), &puzzle);
        size_t nodes = puzzle.network->count;
        const double *likelihoods[NODES] = {NULL};
        likelihoods[puzzle.findings[1].node] = puzzle.likelihoods;
        crd_network_engine *asker = asker_of(&puzzle, 2, 2);
        int32_t certain = (int32_t)puzzle.findings[0].state;
        memset(puzzle.findings, 0, sizeof puzzle.findings); /* what it was made with is not needed any more */
        assert_done(crd_network_engine_posteriors(asker, puzzle.states, NULL, CASES, got, logs, &error), error);
        crd_network_engine_destroy(asker);
        for (size_t i = 0; i < CASES; i++) {
            int32_t *states = puzzle.states + i * nodes;
            states[nodes / 2] = certain;
            states[nodes / 2 + 1] = -1;
            const crd_i_evidence findings = {.states = states, .likelihoods = likelihoods};
            double total = enumerate(puzzle.network, &findings, wanted, &most);
            if (total == 0) {
                impossible++;
                assert_true(isinf(logs[i]) && logs[i] < 0);
                for (size_t k = 0; k < puzzle.numbers; k++) assert_true(got[i * puzzle.numbers + k] == 0);
                continue;
            }
            possible++;
            assert_true(fabs(logs[i] - log(total)) < 1e-11);
            size_t wanted_start = 0,
                   got_start = (i + 1) * puzzle.numbers; /* answers stand in the order asked, the last node first */
            for (size_t node = 0; node < nodes; node++) {
                size_t count = crd_i_node_states(&puzzle.network->nodes[node]);
                got_start -= count;
                for (size_t s = 0; s < count; s++)
                    assert_true(fabs(got[got_start + s] - wanted[wanted_start + s]) < 1e-12);
                wanted_start += count;
            }
        }
        crd_network_destroy(puzzle.network);
    }
    assert_true(possible > 200 && impossible > 20);
}

static const node_spec specs[] = {
    {"Rain", CRD_NODE_CHANCE, "no yes", "", {0.75, 0.25}},
    {"Cover", CRD_NODE_DECISION, "no yes", "", {0}},
    {"Wet", CRD_NODE_CHANCE, "no yes", "Rain Cover", {1, 0, 1, 0, 0, 1, 0.5, 0.5}},
    {"Cost", CRD_NODE_UTILITY, "", "Wet", {0, -1}},
};

static void what_is_wrong(void **state) {
    (void)state;
    crd_network *network = build_network(context, specs, sizeof specs / sizeof *specs);
    crd_network_engine *asker = NULL;
    crd_error error;
    const size_t known[] = {0, 1}, wet = 2, rain = 0, cost = 3, none = 9;
    double posterior[2], log_evidence;
    /* A decision counts only for what depends on it, and then in every case. */
    assert_done(crd_network_engine_create(network, NETWORK_QUERY(NULL, 0, &wet, 1, NULL), known, 2, &asker, &error),
                error);
    assert_done(
        crd_network_engine_posteriors(asker, (int32_t[]){1, 1, -1, -1}, NULL, 1, posterior, &log_evidence, &error),
        error);
    assert_true(fabs(posterior[1] - 0.5) < 1e-15 && fabs(log_evidence - log(0.25)) < 1e-15);
    assert_int_equal(
        crd_network_engine_posteriors(asker, (int32_t[]){1, -1, -1, -1}, NULL, 1, posterior, &log_evidence, &error),
        CRD_ERROR_COLUMN);
    assert_string_equal(error.subject, "Cover");
    assert_int_equal(
        crd_network_engine_posteriors(asker, (int32_t[]){1, 2, -1, -1}, NULL, 1, posterior, &log_evidence, &error),
        CRD_ERROR_ARGUMENT);
    assert_int_equal(
        crd_network_engine_posteriors(asker, (int32_t[]){1, 1, 0, -1}, NULL, 1, posterior, &log_evidence, &error),
        CRD_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "not among the nodes that cases may observe"));
    crd_network_engine_destroy(asker);
    assert_done(crd_network_engine_create(network, NETWORK_QUERY(NULL, 0, &rain, 1, NULL), known, 2, &asker, &error),
                error);
    assert_done(crd_network_engine_posteriors(asker, (int32_t[]){-1, -1, -1, -1}, NULL, 1, posterior, NULL, &error),
                error);
    assert_true(posterior[1] == 0.25);
    crd_network_engine_destroy(asker);
    assert_int_equal(
        crd_network_engine_create(network, NETWORK_QUERY(NULL, 0, &wet, 1, NULL), known, 1, &asker, &error),
        CRD_ERROR_COLUMN);
    assert_null(asker);
    assert_int_equal(
        crd_network_engine_create(network, NETWORK_QUERY(NULL, 0, &rain, 1, NULL), &cost, 1, &asker, &error),
        CRD_ERROR_COLUMN);
    assert_int_equal(
        crd_network_engine_create(network, NETWORK_QUERY(NULL, 0, &rain, 1, NULL), &none, 1, &asker, &error),
        CRD_ERROR_ARGUMENT);
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    options.memory = 1;
    assert_int_equal(
        crd_network_engine_create(network, NETWORK_QUERY(NULL, 0, &wet, 1, &options), known, 2, &asker, &error),
        CRD_ERROR_LIMIT);
    crd_network_destroy(network);
}

/* Columns meet nodes by name, cells meet states by their text; what is no state is counted, what is missing is not. */
static void rows_are_cases(void **state) {
    (void)state;
    crd_network *network = build_network(context, specs, sizeof specs / sizeof *specs);
    crd_frame *frame = NULL;
    crd_error error;
    const crd_text rain[] = {crd_text_of("yes"), {NULL, 0}, crd_text_of("maybe"), crd_text_of("no")};
    const crd_text cost[] = {crd_text_of("value"), crd_text_of("x"), crd_text_of("x"), crd_text_of("x")};
    const double wet[] = {1, NAN, 0, 1};
    assert_done(crd_frame_create(context, 4, &frame, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("Rain"), rain, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("Cost"), cost, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("Wet"), wet, NULL, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("Day"), cost, &error), error);
    int32_t states[12];
    uint32_t unknown[3];
    const int32_t wanted[12] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, -1, -1, -1};
    crd_network_states(network, frame, 1, 3, states, unknown);
    assert_memory_equal(states, wanted, sizeof wanted);
    assert_true(unknown[0] == 0 && unknown[1] == 2 && unknown[2] == 1);
    crd_network_states(network, frame, 0, 1, states, NULL);
    assert_true(states[0] == 1 && states[1] == -1 && states[2] == -1 && states[3] == -1);
    crd_frame_destroy(frame);
    crd_network_destroy(network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_answer_as_the_whole),
        cmocka_unit_test(findings_hold_in_every_case),
        cmocka_unit_test(what_is_wrong),
        cmocka_unit_test(rows_are_cases),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
