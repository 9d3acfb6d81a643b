/* SPDX-License-Identifier: MIT */
/* Cliques that are gone through block by block say what kept tables say, with the same bits for any number of threads,
 * in plain numbers and in logarithms. */
#include "infer/exact/junction_types.h"
#include "network_support.h"

enum { NETWORKS = 150, NODES = 24, MAX_STATES = 4, NUMBERS = NODES * MAX_STATES };

typedef struct answers {
    double posteriors[NUMBERS], joint[MAX_STATES * MAX_STATES * MAX_STATES], logs[3];
    int32_t best[NODES];
} answers;

static crd_i_junction_work *make_work(const crd_i_junction *junction, bool in_blocks, size_t block_cells,
                                      unsigned threads) {
    crd_i_junction_work *work = NULL;
    crd_error error;
    assert_done(crd_i_junction_work_create(junction, &work, &error), error);
    work->threads = threads;
    work->kept_cells = in_blocks ? 0 : SIZE_MAX;
    work->block_cells = block_cells;
    work->cells_for_threads = 1;
    return work;
}

static bool ask(crd_i_junction_work *work, const crd_i_evidence *findings, answers *out) {
    crd_error error;
    memset(out, 0, sizeof *out);
    crd_status status = crd_i_junction_ask(work, findings, NULL, out->posteriors, &out->logs[0], &error);
    if (status == CRD_ERROR_PROBABILITY) return false;
    assert_done(status, error);
    assert_done(crd_i_junction_ask_together(work, findings, out->joint, &out->logs[1], &error), error);
    assert_done(crd_i_junction_most_probable(work, findings, out->best, &out->logs[2], &error), error);
    return true;
}

static void assert_same_answers(const answers *got, const answers *wanted, const crd_network *network) {
    for (size_t i = 0; i < NUMBERS; i++) assert_true(fabs(got->posteriors[i] - wanted->posteriors[i]) < 1e-12);
    for (size_t i = 0; i < MAX_STATES * MAX_STATES * MAX_STATES; i++)
        assert_true(fabs(got->joint[i] - wanted->joint[i]) < 1e-12);
    for (size_t i = 0; i < 3; i++) assert_true(fabs(got->logs[i] - wanted->logs[i]) < 1e-9);
    double p = joint_probability(network, got->best), most = joint_probability(network, wanted->best);
    assert_true(fabs(p - most) <= 1e-12 * most);
}

/* Likelihoods of which the smallest would underflow if they were multiplied make the case be computed in logarithms. */
static void every_way(void **state, bool in_logs) {
    (void)state;
    crd_context *context = NULL;
    size_t queries = 0;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (uint64_t seed = 1; seed <= (in_logs ? NETWORKS / 5 : NETWORKS); seed++) {
        crd_network *network = random_network(context, seed, 3 + seed % (NODES - 3), MAX_STATES, 3);
        crd_i_random random = crd_i_random_at(seed, 9);
        uint32_t together[3];
        for (size_t i = 0; i < 3; i++) together[i] = (uint32_t)((seed + i) % network->count);
        const crd_i_junction_options options = {.together = together, .together_count = 3};
        crd_i_junction *junction = NULL;
        crd_error error;
        int32_t states[NODES];
        double vectors[NODES][MAX_STATES];
        const double *likelihoods[NODES] = {NULL};
        for (size_t i = 0; i < network->count; i++) {
            size_t state_count = crd_i_node_states(&network->nodes[i]);
            states[i] = crd_i_random_below(&random, 8) == 0 ? (int32_t)crd_i_random_below(&random, state_count) : -1;
            for (size_t j = 0; j < state_count; j++)
                vectors[i][j] =
                    in_logs ? ldexp(crd_i_random_open(&random), j == 0 ? 0 : -500) : crd_i_random_open(&random);
            if (in_logs || crd_i_random_below(&random, 4) == 0) likelihoods[i] = vectors[i];
        }
        const crd_i_evidence findings = {.states = states, .likelihoods = likelihoods};
        assert_done(crd_i_junction_compile(network, &options, &junction, &error), error);
        crd_i_junction_work *kept = make_work(junction, false, 1, 1);
        answers wanted, first, other;
        bool is_possible = ask(kept, &findings, &wanted);
        static const size_t sizes[] = {1, 64, 300, 1 << 20};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            for (unsigned threads = 1; threads <= 3; threads++) {
                crd_i_junction_work *work = make_work(junction, true, sizes[i], threads);
                answers *got = threads == 1 ? &first : &other;
                assert_int_equal(ask(work, &findings, got), is_possible);
                if (is_possible && threads == 1) assert_same_answers(got, &wanted, network);
                if (threads > 1) assert_memory_equal(&first, &other, sizeof first);
                assert_int_equal(work->scale, kept->scale);
                crd_i_junction_work_destroy(work);
            }
        }
        queries += is_possible && (kept->scale == CRD_I_LOGS) == in_logs;
        crd_i_junction_work_destroy(kept);
        crd_i_junction_destroy(junction);
        crd_network_destroy(network);
    }
    assert_true(queries > 10);
    crd_context_destroy(context);
}

static void plain_numbers(void **state) {
    every_way(state, false);
}

static void logarithms(void **state) {
    every_way(state, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_numbers), cmocka_unit_test(logarithms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
