/* SPDX-License-Identifier: MIT */
/* chains.c - what a step of a hidden Markov chain costs beside its densities: 200 sequences of 500 steps, whose log densities are
 * copied from memory, with 5, 20 and 50 states.
 *
 *   bench_chains
 *
 * Prints nanoseconds a step of the likelihood, forward-backward, with expected transitions, and Viterbi, by each way that the
 * processor supports: of processor time, the least of several turns. */
#include "sequence/chain/chain.h"

#include <credence/all.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SEQUENCES = 200, STEPS = 500, TURNS = 7, QUESTIONS = 4 };

typedef struct workload {
    crd_context *context;
    size_t states, stride;
    double *logs;
    double *counts;
} workload;

typedef struct part {
    const workload *work;
    size_t sequence;
} part;

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "bench_chains: %s\n", what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static crd_status copy_logs(const void *user, uint64_t from, uint64_t to, double *logs, crd_error *error) {
    (void)error;
    const part *of = user;
    const size_t stride = of->work->stride;
    memcpy(logs, of->work->logs + (of->sequence * STEPS + from) * stride, (to - from) * stride * sizeof(double));
    return CRD_OK;
}

static crd_i_chain *make_chain(workload *work) {
    const size_t states = work->states;
    crd_i_random random = crd_i_random_at(1, states);
    double *dense = malloc(states * states * sizeof(double)), *start = malloc(states * sizeof(double));
    if (dense == NULL || start == NULL) fail("no memory");
    for (size_t i = 0; i < states; i++) {
        double sum = 0;
        start[i] = 1 / (double)states;
        for (size_t j = 0; j < states; j++) sum += dense[i * states + j] = crd_i_random_open(&random);
        for (size_t j = 0; j < states; j++) dense[i * states + j] /= sum;
    }
    for (size_t i = 0; i < (size_t)SEQUENCES * STEPS * work->stride; i++)
        work->logs[i] = -10 - 40 * crd_i_random_open(&random);
    crd_i_chain *chain = NULL;
    const crd_i_chain_parts parts = {.states = states, .nodes = states, .start = start, .dense = dense};
    if (crd_i_chain_create(work->context, &parts, &chain, NULL) != CRD_OK) fail("no chain");
    free(dense);
    free(start);
    return chain;
}

static double ask(const workload *work, const crd_i_chain *chain, crd_i_chain_workspace *room, int question) {
    const double begun = now();
    const crd_i_chain_counts counts = {.transitions = work->counts};
    for (size_t s = 0; s < SEQUENCES; s++) {
        const part of = {work, s};
        const crd_i_emissions emissions = {&of, STEPS, copy_logs};
        crd_i_chain_answer answer;
        crd_status status = CRD_OK;
        switch (question) {
        case 0: status = crd_i_chain_likelihood(chain, &emissions, room, &answer, NULL); break;
        case 1: status = crd_i_chain_posteriors(chain, &emissions, room, NULL, &answer, NULL); break;
        case 2: status = crd_i_chain_expect(chain, &emissions, room, NULL, &counts, &answer, NULL); break;
        default: status = crd_i_chain_viterbi(chain, &emissions, room, NULL, &answer, NULL); break;
        }
        if (status != CRD_OK) fail("no answer");
    }
    return (now() - begun) / (double)((size_t)SEQUENCES * STEPS);
}

int main(void) {
    static const size_t sizes[] = {5, 20, 50};
    workload work = {0};
    if (crd_context_create(NULL, &work.context) != CRD_OK) fail("no context");
    printf("%7s  %-8s%12s%12s%12s%12s   ns a step\n", "states", "way", "likelihood", "posteriors", "expect", "viterbi");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        work.states = sizes[k];
        work.stride = (sizes[k] + CRD_I_SIMD - 1) / CRD_I_SIMD * CRD_I_SIMD;
        work.logs = malloc((size_t)SEQUENCES * STEPS * work.stride * sizeof(double));
        work.counts = calloc(sizes[k] * sizes[k], sizeof(double));
        if (work.logs == NULL || work.counts == NULL) fail("no memory");
        crd_i_chain *chain = make_chain(&work);
        crd_i_chain_workspace *room = NULL;
        if (crd_i_chain_workspace_create(chain, &room, NULL) != CRD_OK) fail("no memory");
        for (size_t way = 0; crd_i_simd_trellis_ways[way] != NULL; way++) {
            if (!crd_i_simd_trellis_ways[way]->is_supported()) continue;
            chain->lanes = crd_i_simd_trellis_ways[way];
            double least[QUESTIONS] = {INFINITY, INFINITY, INFINITY, INFINITY};
            for (int turn = 0; turn < TURNS; turn++)
                for (int question = 0; question < QUESTIONS; question++)
                    least[question] = fmin(least[question], ask(&work, chain, room, question));
            printf("%7zu  %-8s%12.1f%12.1f%12.1f%12.1f\n", sizes[k], chain->lanes->name, least[0], least[1], least[2],
                   least[3]);
        }
        crd_i_chain_workspace_destroy(room);
        crd_i_chain_destroy(chain);
        free(work.logs);
        free(work.counts);
    }
    crd_context_destroy(work.context);
    return 0;
}
