/* SPDX-License-Identifier: MIT */
/* A chain of order 2 with many states, most of whose transitions are a share of what their targets have in common: its blocks have base
 * rows, and its answers are those of matrices, and of single transitions. */
#include "math/random.h"
#include "sequence/chain/chain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counted_fixture.h"

enum { STATES = 40, NODES = STATES * (STATES + 1), TRANSITIONS = NODES * STATES, STEPS = 12 };

/* Nodes 0 .. STATES - 1 begin sequences; behind them (a, b) is STATES + a STATES + b. */
typedef struct blocks_model {
    uint32_t state_of[NODES], targets[TRANSITIONS];
    size_t first[NODES + 1];
    double start[NODES], end[NODES], probabilities[TRANSITIONS], shared[NODES];
    double logs[STEPS][STATES];
} blocks_model;

typedef struct answers {
    double posteriors[STEPS * STATES];
    int32_t path[STEPS];
    crd_i_chain_answer summed, best;
} answers;

static crd_i_random source;

/* Each source has a few extras, some none, and one a target that cannot follow it. */
static void make(blocks_model *model) {
    memset(model, 0, sizeof *model);
    for (size_t b = 0; b < STATES; b++) {
        model->start[b] = 1. / STATES;
        for (size_t c = 0; c < STATES; c++)
            model->shared[STATES + b * STATES + c] = (1 + (double)((b * 7 + c * 3) % 11)) / (6. * STATES);
    }
    size_t count = 0;
    for (size_t i = 0; i < NODES; i++) {
        const size_t b = i % STATES, extras = i % 4;
        model->state_of[i] = (uint32_t)b;
        model->end[i] = 0.1 + 0.5 * crd_i_random_uniform(&source);
        model->first[i] = count;
        for (size_t c = 0; c < STATES; c++) {
            const uint32_t target = (uint32_t)(STATES + b * STATES + c);
            if (i == 77 && c == 5) continue;
            model->targets[count] = target;
            model->probabilities[count++] = model->shared[target] * (extras == 0 ? 1 : 0.4);
        }
        for (size_t k = 0; k < extras; k++)
            model->probabilities[model->first[i] + (size_t)(crd_i_random_uniform(&source) * (STATES - 1))] += 0.2;
    }
    model->first[NODES] = count;
    for (size_t t = 0; t < STEPS; t++)
        for (size_t k = 0; k < STATES; k++)
            model->logs[t][k] = crd_i_random_uniform(&source) < 0.2 ? -INFINITY : -9 * crd_i_random_uniform(&source);
}

static crd_status fill_logs(const void *user, uint64_t origin, uint64_t target, double *logs, crd_error *error) {
    const blocks_model *model = user;
    (void)error;
    for (uint64_t t = origin; t < target; t++)
        memcpy(logs + (t - origin) * STATES, model->logs[t], sizeof model->logs[t]);
    return CRD_OK;
}

static crd_status take_posteriors(void *user, uint64_t origin, uint64_t target, double *posteriors, crd_error *error) {
    (void)error;
    memcpy((double *)user + origin * STATES, posteriors, (target - origin) * STATES * sizeof *posteriors);
    return CRD_OK;
}

static crd_status take_path(void *user, uint64_t origin, uint64_t target, const int32_t *states, crd_error *error) {
    (void)error;
    memcpy((int32_t *)user + origin, states, (target - origin) * sizeof *states);
    return CRD_OK;
}

static crd_i_chain *chain_of(const blocks_model *model, bool is_shared) {
    const crd_i_chain_parts parts = {.states = STATES,
                                     .nodes = NODES,
                                     .state_of = model->state_of,
                                     .start = model->start,
                                     .end = model->end,
                                     .first = model->first,
                                     .targets = model->targets,
                                     .probabilities = model->probabilities,
                                     .shared = is_shared ? model->shared : NULL};
    crd_i_chain *chain;
    crd_error error;
    assert_int_equal(crd_i_chain_create(context, &parts, &chain, &error), CRD_OK);
    assert_non_null(chain->blocks);
    return chain;
}

static void answer(const crd_i_chain *chain, const blocks_model *model, size_t kept, answers *results) {
    const crd_i_emissions emissions = {model, STEPS, fill_logs};
    const crd_i_posterior_sink posteriors = {.user = results->posteriors, .take = take_posteriors};
    const crd_i_path_sink path = {results->path, take_path};
    crd_i_chain_workspace *workspace;
    crd_error error;
    assert_int_equal(crd_i_chain_workspace_create(chain, &workspace, &error), CRD_OK);
    crd_i_chain_workspace_keep(workspace, kept);
    assert_int_equal(crd_i_chain_posteriors(chain, &emissions, workspace, &posteriors, &results->summed, &error),
                     CRD_OK);
    assert_int_equal(crd_i_chain_viterbi(chain, &emissions, workspace, &path, &results->best, &error), CRD_OK);
    crd_i_chain_workspace_destroy(workspace);
}

static void agree(const answers *a, const answers *b) {
    assert_true(fabs(a->summed.log_likelihood - b->summed.log_likelihood) < 1e-12 * fabs(b->summed.log_likelihood));
    assert_true(fabs(a->best.log_likelihood - b->best.log_likelihood) < 1e-12 * fabs(b->best.log_likelihood));
    assert_memory_equal(a->path, b->path, sizeof a->path);
    for (size_t k = 0; k < (size_t)STEPS * STATES; k++)
        assert_true(fabs(a->posteriors[k] - b->posteriors[k]) <= 1e-13 + 1e-11 * b->posteriors[k]);
}

static void base_rows_are_matrices(void **state) {
    (void)state;
    blocks_model *model = malloc(sizeof *model);
    static answers base, again, matrix, single;
    assert_non_null(model);
    source = crd_i_random_at(15, 0);
    for (int round = 0; round < 5; round++) {
        make(model);
        crd_i_chain *base_chain = chain_of(model, true), *without = chain_of(model, false);
        for (size_t b = 0; b < base_chain->blocks->count; b++) {
            assert_true(base_chain->blocks->blocks[b].has_base);
            assert_false(without->blocks->blocks[b].has_base);
        }
        answer(base_chain, model, 0, &base);
        answer(base_chain, model, 5, &again);
        assert_memory_equal(&base, &again, sizeof base);
        answer(without, model, 0, &matrix);
        agree(&base, &matrix);
        crd_i_chain_blocks *blocks = without->blocks;
        without->blocks = NULL;
        answer(without, model, 0, &single);
        agree(&base, &single);
        without->blocks = blocks;
        crd_i_chain_destroy(base_chain);
        crd_i_chain_destroy(without);
    }
    free(model);
}

static void memory_may_run_out(void **state) {
    (void)state;
    blocks_model *model = malloc(sizeof *model);
    assert_non_null(model);
    make(model);
    const crd_i_sparse_transitions transitions = {.nodes = NODES,
                                                  .first = model->first,
                                                  .targets = model->targets,
                                                  .state_of = model->state_of,
                                                  .probabilities = model->probabilities,
                                                  .logs = model->probabilities,
                                                  .shared = model->shared};
    crd_i_chain_blocks *blocks = NULL;
    for (allocation_trial trial = {.counted = &counted}; allocation_trial_next(&trial);) {
        crd_error error = {0};
        assert_allocation_fails(&trial,
                                crd_i_chain_blocks_create(context, &transitions, &blocks) ? CRD_OK : CRD_ERROR_MEMORY,
                                CRD_OK, error);
        assert_true(trial.has_failed == (blocks == NULL));
    }
    crd_i_chain_blocks_destroy(blocks);
    free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(base_rows_are_matrices), cmocka_unit_test(memory_may_run_out)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
