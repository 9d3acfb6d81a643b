/* SPDX-License-Identifier: MIT */
/* networks.c - all posteriors of a network for many random cases, by the junction tree.
 *
 *   bench_networks NETWORK CASES [SHARE [ANSWERS]]
 *
 * A share of the nodes (0.2 unless said otherwise) is observed in each case, in states drawn from the network itself,
 * so that every case is possible. Prints a line of JSON: seconds of the processor to read, to compile, and for all
 * cases one after the other by one thread; seconds on the wall for the first case alone, where nothing is compiled
 * beforehand; how many times faster two threads are, on the wall, for all cases and for that first one; and the memory
 * that the process took at most, in KiB, once the network was read and once it was asked. With ANSWERS, writes there
 * for each case a line of findings as node:state, then a line with the log evidence, the log probability of the most
 * probable explanation and all posteriors, for bench/networks/compare.py, which asks the same of peers. */
#include "base/memory.h"
#include "infer/exact/junction_tree.h"
#include "math/random.h"

#include <credence/number.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds on the wall, and of the processor. */
static double now(void) {
    return read_clock(CLOCK_MONOTONIC);
}

static double busy(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static void must(crd_status status, const crd_error *error) {
    if (status == CRD_OK) return;
    fprintf(stderr, "bench_networks: %s:%llu:%llu: %s\n", error->place, (unsigned long long)error->line,
            (unsigned long long)error->field, error->message);
    exit(1);
}

/* Draws a state for every node, then forgets all but a share of them. */
static void draw_case(const crd_network *network, uint64_t number, double share, int32_t *states) {
    crd_i_random random = crd_i_random_at(1, number);
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[network->order[i]];
        size_t row = 0, own = crd_i_node_states(node), state = 0;
        for (size_t j = 0; j < node->parent_count; j++)
            row = row * crd_i_node_states(&network->nodes[node->parents[j]]) + (size_t)states[node->parents[j]];
        double left = crd_i_random_uniform(&random);
        for (size_t j = 0; j < own; j++) {
            double p = node->table[row * own + j];
            if (p == 0) continue;
            state = j;
            if (left < p) break;
            left -= p;
        }
        states[network->order[i]] = (int32_t)state;
    }
    size_t observed = (size_t)((double)network->count * share);
    for (size_t i = 0; i < network->count; i++) {
        size_t left = network->count - i;
        if (crd_i_random_below(&random, left) < observed) observed--;
        else states[i] = -1;
    }
}

static void write_case(FILE *to, const int32_t *states, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (states[i] >= 0) fprintf(to, "%zu:%d ", i, (int)states[i]);
    fputc('\n', to);
}

static void write_number(FILE *to, double value) {
    char text[CRD_NUMBER_ROOM];
    crd_number_format(value, text);
    fprintf(to, "%s ", text);
}

/* The memory that the process has taken at most so far, in KiB. */
static long peak(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

typedef struct bench {
    crd_context *context;
    crd_network *network;
    crd_i_junction *junction;
    crd_i_junction_work *work;
    size_t cases, numbers;
    int32_t *states; /* of the cases, and room for one more */
    double *posteriors;
    crd_error error;
} bench;

static void compile(bench *own) {
    must(crd_i_junction_compile(own->network, NULL, &own->junction, &own->error), &own->error);
    must(crd_i_junction_work_create(own->junction, &own->work, &own->error), &own->error);
    own->numbers = crd_i_junction_start(own->junction, own->network->count);
}

static double ask_all(bench *own) {
    double begin = busy();
    for (size_t i = 0; i < own->cases; i++) {
        const crd_i_evidence findings = {.states = own->states + i * own->network->count};
        double log_evidence;
        must(crd_i_junction_ask(own->work, &findings, NULL, own->posteriors, &log_evidence, &own->error), &own->error);
    }
    return busy() - begin;
}

static double ask_side_by_side(bench *own, double *all, unsigned threads) {
    const crd_i_junction_cases many = {
        .count = own->cases, .states = own->states, .threads = threads, .posteriors = all};
    double begin = now();
    must(crd_i_junction_ask_cases(own->junction, &many, &own->error), &own->error);
    return now() - begin;
}

/* The first case, as a caller from outside asks it. */
static double ask_first(bench *own, unsigned threads) {
    size_t count = 0, *nodes = crd_i_alloc(own->context, own->network->count, sizeof *nodes);
    crd_finding *findings = crd_i_alloc(own->context, own->network->count, sizeof *findings);
    if (nodes == NULL || findings == NULL) exit(1);
    for (size_t i = 0; i < own->network->count; i++) {
        nodes[i] = i;
        if (own->states[i] >= 0) findings[count++] = (crd_finding){i, (size_t)own->states[i], NULL, 0};
    }
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    options.threads = threads;
    double begin = now();
    must(crd_network_posteriors(
             own->network,
             &(crd_network_query){sizeof(crd_network_query), findings, count, nodes, own->network->count, &options},
             own->posteriors, NULL, NULL, &own->error),
         &own->error);
    double taken = now() - begin;
    crd_free(own->context, nodes);
    crd_free(own->context, findings);
    return taken;
}

static void write_answers(bench *own, FILE *to) {
    int32_t *best = own->states + own->cases * own->network->count;
    for (size_t i = 0; i < own->cases; i++) {
        const crd_i_evidence findings = {.states = own->states + i * own->network->count};
        double log_evidence, log_most;
        must(crd_i_junction_most_probable(own->work, &findings, best, &log_most, &own->error), &own->error);
        must(crd_i_junction_ask(own->work, &findings, NULL, own->posteriors, &log_evidence, &own->error), &own->error);
        write_case(to, findings.states, own->network->count);
        write_number(to, log_evidence);
        write_number(to, log_most);
        for (size_t j = 0; j < own->numbers; j++) write_number(to, own->posteriors[j]);
        fputc('\n', to);
    }
}

int main(int count, char **arguments) {
    bench own = {.context = NULL};
    if (count < 3 || crd_context_create(NULL, &own.context) != CRD_OK) {
        fprintf(stderr, "usage: bench_networks NETWORK CASES [SHARE [ANSWERS]]\n");
        return 2;
    }
    own.cases = strtoul(arguments[2], NULL, 10);
    double share = count > 3 ? strtod(arguments[3], NULL) : 0.2, begin = busy();
    must(crd_network_load(own.context, arguments[1], CRD_NETWORK_FORMAT_ANY, &own.network, &own.error), &own.error);
    double read = busy() - begin;
    long before = peak();
    begin = busy();
    compile(&own);
    double compiled = busy() - begin;
    own.states = crd_i_alloc(own.context, own.network->count * (own.cases + 1), sizeof *own.states);
    own.posteriors = crd_i_alloc(own.context, own.numbers, sizeof *own.posteriors);
    if (own.states == NULL || own.posteriors == NULL) return 1;
    for (size_t i = 0; i < own.cases; i++) draw_case(own.network, i, share, own.states + i * own.network->count);
    double asked = ask_all(&own);
    long after = peak();
    double *all = crd_i_alloc(own.context, own.numbers * own.cases, sizeof *all), sides[2] = {0, 0}, firsts[2] = {0, 0};
    if (all == NULL) return 1;
    for (int turn = 0; turn < 3; turn++)
        for (unsigned threads = 1; threads <= 2; threads++) {
            double side = ask_side_by_side(&own, all, threads), first = ask_first(&own, threads);
            if (turn == 0 || side < sides[threads - 1]) sides[threads - 1] = side;
            if (turn == 0 || first < firsts[threads - 1]) firsts[threads - 1] = first;
        }
    crd_free(own.context, all);
    printf("{\"network\": \"%s\", \"cells\": %.0f, \"bytes\": %.0f, \"read\": %.6f, \"compile\": %.6f, \"ask\": %.6f, "
           "\"first\": %.6f, \"two_threads\": %.2f, \"first_two_threads\": %.2f, \"peak_read\": %ld, \"peak\": %ld}\n",
           arguments[1], crd_i_junction_cells(own.junction), crd_i_junction_bytes(own.junction), read, compiled, asked,
           firsts[0], sides[0] / sides[1], firsts[0] / firsts[1], before, after);
    FILE *to = count > 4 ? fopen(arguments[4], "w") : NULL;
    if (to != NULL) {
        write_answers(&own, to);
        fclose(to);
    }
    crd_free(own.context, own.states);
    crd_free(own.context, own.posteriors);
    crd_i_junction_work_destroy(own.work);
    crd_i_junction_destroy(own.junction);
    crd_network_destroy(own.network);
    crd_context_destroy(own.context);
    return 0;
}
