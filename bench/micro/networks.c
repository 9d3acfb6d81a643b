/* networks.c - all posteriors of a network for many random cases, one thread, by the junction tree.
 *
 *   bench_networks NETWORK.bif CASES [ANSWERS]
 *
 * A fifth of the nodes is observed in each case, in states drawn from the network itself, so that every case is
 * possible. Prints a line of JSON: seconds to read, to compile, and for all cases, and how many times faster two
 * threads are. With ANSWERS, writes there for each case a line of findings as node:state, then a line with the log
 * evidence, the log probability of the most probable explanation and all posteriors, for bench/networks/compare.py,
 * which asks the same of a peer. */
#include "base/memory.h"
#include "io/file.h"
#include "math/random.h"
#include "network/bif.h"
#include "network/junction.h"

#include <credence/number.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void must(crd_status status, const crd_error *error) {
    if (status == CRD_OK) return;
    fprintf(stderr, "bench_networks: %s:%llu:%llu: %s\n", error->place, (unsigned long long)error->line,
            (unsigned long long)error->field, error->message);
    exit(1);
}

/* Draws a state for every node, then forgets four of five. */
static void draw_case(const crd_network *network, uint64_t number, int32_t *states) {
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
    size_t observed = network->count / 5;
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

int main(int count, char **arguments) {
    crd_context *context = NULL;
    crd_error error;
    if (count < 3 || crd_context_create(NULL, &context) != CRD_OK) {
        fprintf(stderr, "usage: bench_networks NETWORK.bif CASES [ANSWERS]\n");
        return 2;
    }
    unsigned char *bytes = NULL;
    size_t length = 0, cases = strtoul(arguments[2], NULL, 10);
    double times[4];
    times[0] = now();
    must(crd_i_file_read(context, arguments[1], &bytes, &length, &error), &error);
    crd_network *network = NULL;
    crd_text text = {(const char *)bytes, length};
    must(crd_i_bif_read(context, text, arguments[1], &network, &error), &error);
    times[1] = now();
    crd_i_junction *junction = NULL;
    crd_i_junction_work *work = NULL;
    must(crd_i_junction_compile(network, NULL, &junction, &error), &error);
    must(crd_i_junction_work_create(junction, &work, &error), &error);
    times[2] = now();
    int32_t *states = crd_i_alloc(context, network->count * (cases + 1), sizeof *states);
    size_t numbers = crd_i_junction_start(junction, network->count);
    double *posteriors = crd_i_alloc(context, numbers, sizeof *posteriors);
    if (states == NULL || posteriors == NULL) return 1;
    for (size_t i = 0; i < cases; i++) draw_case(network, i, states + i * network->count);
    times[3] = now();
    double sum = 0;
    for (size_t i = 0; i < cases; i++) {
        const crd_i_findings findings = {states + i * network->count, NULL};
        double log_evidence;
        must(crd_i_junction_ask(work, &findings, NULL, posteriors, &log_evidence, &error), &error);
        sum += log_evidence;
    }
    double asked = now() - times[3];
    double *all = crd_i_alloc(context, numbers * cases, sizeof *all), sides[2];
    if (all == NULL) return 1;
    for (unsigned threads = 1; threads <= 2; threads++) {
        const crd_i_junction_cases many = {.count = cases, .states = states, .threads = threads, .posteriors = all};
        double begin = now();
        must(crd_i_junction_ask_cases(junction, &many, &error), &error);
        sides[threads - 1] = now() - begin;
    }
    crd_free(context, all);
    printf("{\"network\": \"%s\", \"cells\": %.0f, \"bytes\": %.0f, \"read\": %.6f, \"compile\": %.6f, \"ask\": %.6f, "
           "\"two_threads\": %.2f, \"log_evidence\": %.17g}\n",
           arguments[1], crd_i_junction_cells(junction), crd_i_junction_bytes(junction), times[1] - times[0],
           times[2] - times[1], asked, sides[0] / sides[1], sum);
    FILE *to = count > 3 ? fopen(arguments[3], "w") : NULL;
    int32_t *best = states + cases * network->count;
    for (size_t i = 0; to != NULL && i < cases; i++) {
        const crd_i_findings findings = {states + i * network->count, NULL};
        double log_evidence, log_most;
        must(crd_i_junction_most_probable(work, &findings, best, &log_most, &error), &error);
        must(crd_i_junction_ask(work, &findings, NULL, posteriors, &log_evidence, &error), &error);
        write_case(to, findings.states, network->count);
        write_number(to, log_evidence);
        write_number(to, log_most);
        for (size_t j = 0; j < numbers; j++) write_number(to, posteriors[j]);
        fputc('\n', to);
    }
    if (to != NULL) fclose(to);
    crd_free(context, states);
    crd_free(context, posteriors);
    crd_free(context, bytes);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    crd_network_destroy(network);
    crd_context_destroy(context);
    return 0;
}
