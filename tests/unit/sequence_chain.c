/* SPDX-License-Identifier: MIT */
/* Chains of orders 1 to 3 against the enumeration of all paths; the same bits however much is kept in memory and by every way that
 * the machine has; scaled arithmetic against logarithms; what is impossible. */
#include "math_random.h"
#include "sequence_chain_support.h"

/* ---- Everything that is asked of one sequence ---- */

typedef struct answers {
    crd_i_chain_answer answer, alone, best;
    double posteriors[MOST_STEPS * STRIDE];
    double start[MOST_NODES], end[MOST_NODES], transitions[MOST_NODES * MOST_NODES];
    int32_t path[MOST_STEPS];
    double evidence[MOST_STEPS];
    const double *piece; /* of the evidence */
} answers;

static crd_status take_posteriors(void *user, uint64_t source, uint64_t target, double *posteriors, crd_error *error) {
    (void)error;
    answers *all = user;
    memcpy(all->posteriors + source * STRIDE, posteriors, (target - source) * STRIDE * sizeof(double));
    memcpy(all->evidence + source, all->piece, (target - source) * sizeof(double));
    return CRD_OK;
}

static crd_status take_path(void *user, uint64_t source, uint64_t target, const int32_t *states, crd_error *error) {
    (void)error;
    memcpy((int32_t *)user + source, states, (target - source) * sizeof *states);
    return CRD_OK;
}

static void answer_all(const crd_i_chain *chain, const crd_i_emissions *emissions, size_t kept, bool by_logs,
                       answers *results) {
    crd_i_chain_workspace *work = NULL;
    crd_error error = {0};
    memset(results, 0, sizeof *results);
    const crd_i_posterior_sink sink = {results, take_posteriors, &results->piece};
    const crd_i_path_sink path_sink = {results->path, take_path};
    const crd_i_chain_counts counts = {results->start, results->transitions, results->end};
    assert_int_equal(crd_i_chain_workspace_create(chain, &work, &error), CRD_OK);
    crd_i_chain_workspace_keep(work, kept);
    if (by_logs && emissions->steps > 0)
        assert_int_equal(crd_i_chain_expect_by_logs(work, emissions, &sink, &counts, &results->answer, &error), CRD_OK);
    else assert_int_equal(crd_i_chain_expect(chain, emissions, work, &sink, &counts, &results->answer, &error), CRD_OK);
    assert_int_equal(crd_i_chain_likelihood(chain, emissions, work, &results->alone, &error), CRD_OK);
    assert_int_equal(crd_i_chain_viterbi(chain, emissions, work, &path_sink, &results->best, &error), CRD_OK);
    if (!results->best.is_impossible) {
        crd_i_chain_answer again;
        assert_int_equal(crd_i_chain_path(chain, emissions, results->path, work, &again, &error), CRD_OK);
        assert_true(again.log_likelihood == results->best.log_likelihood);
    }
    crd_i_chain_workspace_destroy(work);
}

static void near(double got, double wanted) {
    if (got == wanted) return;
    double scale = fabs(wanted) > 1 ? fabs(wanted) : 1;
    if (!(fabs(got - wanted) <= 1e-12 * scale)) fail_msg("%.17g should be %.17g", got, wanted);
}

static void near_all(const double *got, const double *wanted, size_t count) {
    for (size_t i = 0; i < count; i++) near(got[i], wanted[i]);
}

static void agree(const random_model *model, const answers *got, const enumeration *wanted) {
    near(got->answer.log_likelihood, wanted->log_likelihood);
    near(got->alone.log_likelihood, wanted->log_likelihood);
    near(got->best.log_likelihood, wanted->best);
    assert_int_equal(got->answer.is_impossible, wanted->log_likelihood == -INFINITY);
    assert_int_equal(got->best.is_impossible, got->answer.is_impossible);
    if (got->answer.is_impossible) {
        assert_int_equal(got->answer.impossible_at, wanted->impossible_at);
        assert_int_equal(got->best.impossible_at, wanted->impossible_at);
    }
    for (size_t t = 0; t < model->steps; t++)
        near_all(got->posteriors + t * STRIDE, wanted->posteriors + t * STRIDE, model->states);
    near_all(got->start, wanted->start, model->nodes);
    near_all(got->end, wanted->end, model->nodes);
    near_all(got->transitions, wanted->transitions, model->nodes * model->nodes);
}

/* log P(x_t | x_1 .. x_(t-1)) is what the filter has, which knows nothing of the observations behind. Its rows have rounding errors of
 * log densities of -1e5. */
static void agree_with_filter(const crd_i_chain *chain, const random_model *model, const answers *got) {
    crd_i_chain_filter *filter = NULL;
    crd_error error = {0};
    if (got->answer.is_impossible) return;
    assert_int_equal(crd_i_chain_filter_create(chain, 0, &filter, &error), CRD_OK);
    for (size_t t = 0; t < model->steps; t++) {
        double wanted;
        assert_int_equal(crd_i_chain_filter_push(filter, model->logs + t * STRIDE, &wanted, &error), CRD_OK);
        if (!(fabs(got->evidence[t] - wanted) <= 1e-10 * fmax(1, fabs(wanted))))
            fail_msg("%.17g should be %.17g", got->evidence[t], wanted);
    }
    crd_i_chain_filter_destroy(filter);
}

/* Counts of the sparse form into the places of the dense one. */
static void spread(const random_model *model, answers *source_answers) {
    double spread_out[MOST_NODES * MOST_NODES] = {0};
    for (size_t i = 0; i < model->nodes; i++)
        for (size_t e = model->first[i]; e < model->first[i + 1]; e++)
            spread_out[i * model->nodes + model->targets[e]] = source_answers->transitions[e];
    memcpy(source_answers->transitions, spread_out, sizeof spread_out);
}

static void same(const answers *a, const answers *b) {
    assert_memory_equal(a->posteriors, b->posteriors, sizeof a->posteriors);
    assert_memory_equal(a->start, b->start, sizeof a->start);
    assert_memory_equal(a->end, b->end, sizeof a->end);
    assert_memory_equal(a->transitions, b->transitions, sizeof a->transitions);
    assert_memory_equal(a->path, b->path, sizeof a->path);
    assert_memory_equal(a->evidence, b->evidence, sizeof a->evidence);
    assert_true(a->answer.log_likelihood == b->answer.log_likelihood);
    assert_true(a->alone.log_likelihood == b->alone.log_likelihood);
    assert_true(a->best.log_likelihood == b->best.log_likelihood);
}

static void enumerated(void **state) {
    (void)state;
    static random_model model;
    static enumeration wanted;
    static answers first, other;
    int with_blocks = 0;
    for (int round = 0; round < 1500; round++) {
        make_model(&model);
        enumerate(&model, &wanted);
        for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
            crd_i_chain *chain = chain_of(&model, is_sparse);
            const crd_i_emissions emissions = {&model, model.steps, fill_emissions};
            answer_all(chain, &emissions, 0, false, &first);
            for (size_t kept = 1; kept < 4; kept++) {
                answer_all(chain, &emissions, kept, false, &other);
                same(&first, &other);
            }
            if (is_sparse) spread(&model, &first);
            agree(&model, &first, &wanted);
            agree_with_filter(chain, &model, &first);
            answer_all(chain, &emissions, random_below(4), true, &other);
            if (is_sparse) spread(&model, &other);
            agree(&model, &other, &wanted);
            agree_with_filter(chain, &model, &other);
            for (size_t way = 0; crd_i_simd_trellis_ways[way] != NULL; way++) {
                if (!crd_i_simd_trellis_ways[way]->is_supported()) continue;
                chain->lanes = crd_i_simd_trellis_ways[way];
                answer_all(chain, &emissions, 0, false, &other);
                if (is_sparse) spread(&model, &other);
                same(&first, &other);
            }
            if (chain->blocks != NULL) { /* without them, transition by transition */
                crd_i_chain_blocks *blocks = chain->blocks;
                with_blocks++;
                chain->blocks = NULL;
                answer_all(chain, &emissions, 0, false, &other);
                spread(&model, &other);
                agree(&model, &other, &wanted);
                agree_with_filter(chain, &model, &other);
                chain->blocks = blocks;
            }
            crd_i_chain_destroy(chain);
        }
    }
    assert_true(with_blocks > 100);
}

/* Russell and Norvig's umbrella: Artificial Intelligence, a Modern Approach, chapter 14. */
static void umbrella(void **state) {
    (void)state;
    static random_model model;
    model = (random_model){.states = 2, .order = 1, .nodes = 2, .steps = 5, .node_states = {0, 1}, .start = {0.5, 0.5}};
    const double transitions[] = {0.7, 0.3, 0.3, 0.7};
    memcpy(model.dense, transitions, sizeof transitions);
    for (size_t t = 0; t < 5; t++) {
        model.logs[t * STRIDE] = log(t == 2 ? 0.1 : 0.9);
        model.logs[t * STRIDE + 1] = log(t == 2 ? 0.8 : 0.2);
    }
    crd_i_chain *chain = chain_of(&model, false);
    const crd_i_emissions emissions = {&model, model.steps, fill_emissions};
    static answers got;
    answer_all(chain, &emissions, 0, false, &got);
    const double smoothed[] = {0.8673, 0.8204, 0.3075, 0.8204, 0.8673};
    const int32_t path[] = {0, 0, 1, 0, 0};
    for (size_t t = 0; t < 5; t++) {
        assert_true(fabs(got.posteriors[t * STRIDE] - smoothed[t]) < 5e-5);
        assert_int_equal(got.path[t], path[t]);
    }
    assert_true(fabs(got.answer.log_likelihood + 3.3725020) < 5e-8);
    assert_true(fabs(got.best.log_likelihood + 4.4590283) < 5e-8);
    crd_i_chain_destroy(chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enumerated),
        cmocka_unit_test(umbrella),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
