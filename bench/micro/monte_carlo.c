/* SPDX-License-Identifier: MIT */
/* monte_carlo.c - how often estimates of a network's posteriors are within their errors of the exact answers.
 *
 *   bench_monte_carlo SEEDS CASES DRAWS NETWORK...
 *
 * Cases are drawn from the network itself and a fifth of their nodes observed; every second one has its leaves in any
 * possible state instead, half of them observed, which is as unlikely as findings get. All posteriors are estimated
 * with seeds 1 to SEEDS. A line for each network and method: how much of all estimates of uncertain states is within 1,
 * 2 and 3 standard errors, in how many of 100 seeds the least fortunate of those states was within 2, the part of the
 * log evidences within 2, the mean of errors over the true spread of the estimates, and seconds an answer. */
#include <credence/network.h>

#include "math/random.h"
#include "network/network_internal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void must(crd_status status, const crd_error *error) {
    if (status == CRD_OK) return;
    fprintf(stderr, "bench_monte_carlo: %s\n", error->message);
    exit(1);
}

static void *room(size_t count, size_t size) {
    void *block = calloc(count + 1, size);
    if (block == NULL) exit(1);
    return block;
}

static size_t draw_state(crd_i_random *random, const double *row, size_t states, bool is_any) {
    double sum = 0;
    size_t chosen = 0;
    for (size_t i = 0; i < states; i++) sum += is_any ? row[i] > 0 : row[i];
    double left = crd_i_random_uniform(random) * sum;
    for (size_t i = 0; i < states; i++) {
        double part = is_any ? row[i] > 0 : row[i];
        if (part == 0) continue;
        chosen = i;
        if (left < part) break;
        left -= part;
    }
    return chosen;
}

static size_t draw_case(const crd_network *network, uint64_t number, crd_finding *findings) {
    crd_i_random random = crd_i_random_at(1, number);
    size_t count = crd_network_node_count(network), found = 0;
    size_t *states = room(count, sizeof *states);
    bool is_unlikely = number % 2 == 1;
    for (size_t i = 0; i < count; i++) {
        size_t node = crd_i_network_order(network)[i], row = 0, rows;
        const double *table = crd_network_cpt(network, node, &rows);
        for (size_t j = 0; j < crd_network_parent_count(network, node); j++) {
            size_t parent = crd_network_parent(network, node, j);
            row = row * crd_network_state_count(network, parent) + states[parent];
        }
        size_t own = crd_network_state_count(network, node);
        bool is_leaf = crd_i_network_child_count(network, node) == 0;
        states[node] = draw_state(&random, table + row * own, own, is_unlikely && is_leaf);
        bool is_seen =
            is_unlikely ? is_leaf && crd_i_random_below(&random, 2) == 0 : crd_i_random_below(&random, 5) == 0;
        if (!is_seen) continue;
        findings[found].node = node;
        findings[found].state = states[node];
        findings[found++].likelihoods = NULL;
    }
    free(states);
    return found;
}

typedef struct score {
    double estimates, within[4], worst, evidences, evidence_within, error_sum, deviation_sum, seconds, answers;
    double least_effective;
} score;

static void run_case(const crd_network *network, uint64_t number, crd_approximation way, unsigned seeds, uint64_t draws,
                     score *to) {
    size_t count = crd_network_node_count(network), numbers = 0;
    crd_finding *findings = room(count, sizeof *findings);
    size_t *nodes = room(count, sizeof *nodes), found = draw_case(network, number, findings);
    crd_error error;
    for (size_t i = 0; i < count; i++) {
        nodes[i] = i;
        numbers += crd_network_state_count(network, i);
    }
    double *exact = room(numbers, sizeof *exact), *got = room(numbers, sizeof *got);
    double *errors = room(numbers, sizeof *errors), *hits = room(numbers, sizeof *hits);
    double *squares = room(numbers, sizeof *squares), *error_sums = room(numbers, sizeof *error_sums);
    crd_inference_result truth = CRD_INFERENCE_RESULT_INIT;
    must(crd_network_posteriors(network,
                                &(crd_network_query){sizeof(crd_network_query), findings, found, nodes, count, NULL},
                                exact, NULL, &truth, &error),
         &error);
    for (unsigned seed = 1; seed <= seeds; seed++) {
        crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
        crd_inference_result asked = CRD_INFERENCE_RESULT_INIT;
        options.approximation = way;
        options.is_always_approximate = 1;
        options.seed = seed;
        options.draws = draws;
        double begin = now();
        must(crd_network_posteriors(
                 network, &(crd_network_query){sizeof(crd_network_query), findings, found, nodes, count, &options}, got,
                 errors, &asked, &error),
             &error);
        to->seconds += now() - begin;
        to->answers++;
        to->evidences++;
        to->evidence_within += fabs(asked.log_evidence - truth.log_evidence) <= 2 * asked.log_evidence_error;
        if (asked.effective_draws / asked.draws < to->least_effective)
            to->least_effective = asked.effective_draws / asked.draws;
        for (size_t i = 0; i < numbers; i++) {
            double difference = fabs(got[i] - exact[i]);
            squares[i] += difference * difference;
            error_sums[i] += errors[i] * errors[i];
            hits[i] += difference <= 2 * errors[i] || difference < 1e-12;
            if (errors[i] == 0 && difference < 1e-12) continue;
            to->estimates++;
            for (int j = 1; j <= 3; j++) to->within[j] += difference <= j * errors[i];
        }
    }
    for (size_t i = 0; i < numbers; i++) {
        if (hits[i] / seeds < to->worst) to->worst = hits[i] / seeds;
        if (error_sums[i] == 0) continue;
        to->error_sum += sqrt(error_sums[i]);
        to->deviation_sum += sqrt(squares[i]);
    }
    free(findings);
    free(nodes);
    free(exact);
    free(got);
    free(errors);
    free(hits);
    free(squares);
    free(error_sums);
}

int main(int count, char **arguments) {
    crd_context *context = NULL;
    if (count < 5 || crd_context_create(NULL, &context) != CRD_OK) {
        fprintf(stderr, "usage: bench_monte_carlo SEEDS CASES DRAWS NETWORK...\n");
        return 2;
    }
    unsigned seeds = (unsigned)strtoul(arguments[1], NULL, 10), cases = (unsigned)strtoul(arguments[2], NULL, 10);
    uint64_t draws = strtoul(arguments[3], NULL, 10);
    printf("%-44s %-9s %6s %6s %6s %6s %6s %6s %6s %8s\n", "network", "method", "1 se", "2 se", "3 se", "worst",
           "log P", "ratio", "worth", "seconds");
    for (int i = 4; i < count; i++) {
        crd_network *network = NULL;
        crd_error error;
        must(crd_network_load(context, arguments[i], CRD_NETWORK_FORMAT_ANY, &network, &error), &error);
        for (int way = CRD_APPROXIMATION_WEIGHTING; way <= CRD_APPROXIMATION_GIBBS; way++) {
            score own = {.worst = 1, .least_effective = 1};
            for (uint64_t j = 0; j < cases; j++) run_case(network, j, (crd_approximation)way, seeds, draws, &own);
            printf("%-44s %-9s %6.2f %6.2f %6.2f %6.0f %6.1f %6.2f %6.2f %8.3f\n", arguments[i],
                   way == CRD_APPROXIMATION_GIBBS ? "gibbs" : "weighting", 100 * own.within[1] / own.estimates,
                   100 * own.within[2] / own.estimates, 100 * own.within[3] / own.estimates, 100 * own.worst,
                   100 * own.evidence_within / own.evidences, own.error_sum / own.deviation_sum, own.least_effective,
                   own.seconds / own.answers);
            fflush(stdout);
        }
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
    return 0;
}
