/* SPDX-License-Identifier: MIT */
/* network_event.c - computes the probability of an event of a network's nodes.
 *
 * For discrete nodes it is a sum over the entries of their joint posterior. For a continuous node, the compared numbers
 * divide the real line. The probability is then a sum over these numbers and the intervals between them. */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "network/network_internal.h"
#include "query/event.h"

#include <credence/number.h>
#include <credence/query.h>
#include <math.h>
#include <stdlib.h>

/* ---- Continuous nodes ---- */

static int compare_bounds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns whether x has the relation to the bound. */
static bool network_event_is_within(crd_event_relation relation, double x, double bound) {
    switch (relation) {
    case CRD_EVENT_LESS: return x < bound;
    case CRD_EVENT_AT_MOST: return x <= bound;
    case CRD_EVENT_GREATER: return x > bound;
    case CRD_EVENT_AT_LEAST: return x >= bound;
    case CRD_EVENT_EQUAL: return x == bound;
    case CRD_EVENT_UNEQUAL: return x != bound;
    case CRD_EVENT_EVEN:
    case CRD_EVENT_ODD: break; /* read_bounds rejects them */
    }
    return false;
}

/* Returns whether the event is true for the value x of the continuous node. `truth` is working memory. */
static bool holds_at(const crd_event *event, const double *bounds, double x, unsigned char *truth) {
    for (size_t i = 0; i < crd_event_comparison_count(event); i++)
        truth[i] = network_event_is_within(crd_event_comparison(event, i).relation, x, bounds[i]);
    return crd_i_event_is_true(event, truth) != 0;
}

/* Parses the number of each comparison. */
static crd_status read_bounds(const crd_event *event, double *bounds, crd_error *error) {
    for (size_t i = 0; i < crd_event_comparison_count(event); i++) {
        char shown[CRD_I_QUOTED_ROOM];
        crd_text value = crd_event_comparison(event, i).value;
        if (crd_number_parse(value, &bounds[i]) != CRD_NUMBER_FINITE)
            return crd_i_fail(error, CRD_ERROR_NUMBER, "a continuous node is compared with '%s', which is not a number",
                              crd_i_quote(value, shown));
    }
    return CRD_OK;
}

/* Returns P(X = x): the total weight of the components with mean x and variance 0. */
static double mass_at(const crd_normal_mixture *mixture, double x) {
    double mass = 0;
    for (size_t i = 0; i < mixture->count; i++) {
        const crd_normal_component *component = &mixture->components[i];
        if (component->variance == 0 && component->mean == x) mass += component->weight;
    }
    return mass;
}

/* Returns the probability of the open interval between ends i - 1 and i of `count`. Intervals 0 and `count` are
 * unbounded. */
static double mass_between(const crd_normal_mixture *mixture, const double *ends, size_t count, size_t i) {
    double share;
    if (i == count) return crd_normal_mixture_above(mixture, ends[count - 1]);
    if (i == 0) share = crd_normal_mixture_cdf(mixture, ends[0]);
    else if (crd_normal_mixture_cdf(mixture, ends[i - 1]) < 0.5)
        share = crd_normal_mixture_cdf(mixture, ends[i]) - crd_normal_mixture_cdf(mixture, ends[i - 1]);
    else share = crd_normal_mixture_above(mixture, ends[i - 1]) - crd_normal_mixture_above(mixture, ends[i]);
    return fmax(0, share - mass_at(mixture, ends[i]));
}

/* Adds the probability of each interval and each bound to sums[1] if the event is true there, otherwise to sums[0].
 * Within an interval, the event is always true or always false. */
static void sum_intervals(const crd_normal_mixture *mixture, const crd_event *event, const double *bounds,
                          const double *ends, size_t count, unsigned char *truth, double *sums) {
    for (size_t i = 0; i <= count; i++) {
        double inside = i == 0 ? ends[0] - 1 - fabs(ends[0]) : ends[count - 1] + 1 + fabs(ends[count - 1]);
        if (i > 0 && i < count) inside = ends[i - 1] + (ends[i] - ends[i - 1]) / 2;
        if (i > 0 && i < count && ends[i - 1] == ends[i]) continue;
        sums[holds_at(event, bounds, inside, truth)] += mass_between(mixture, ends, count, i);
        if (i < count) sums[holds_at(event, bounds, ends[i], truth)] += mass_at(mixture, ends[i]);
    }
}

crd_status crd_normal_mixture_event(crd_context *context, const crd_normal_mixture *mixture, const crd_event *event,
                                    double probabilities[2], crd_error *error) {
    size_t count = crd_event_comparison_count(event);
    crd_i_arena *scratch = crd_i_arena_create(context);
    double *bounds = crd_i_arena_alloc(scratch, count, sizeof *bounds);
    double *ends = crd_i_arena_alloc(scratch, count, sizeof *ends);
    unsigned char *truth = crd_i_arena_alloc(scratch, count, 1);
    double sums[2] = {0, 0};
    crd_status status = crd_i_arena_check(scratch, error);
    if (status == CRD_OK) status = read_bounds(event, bounds, error);
    if (status == CRD_OK) {
        for (size_t i = 0; i < count; i++) ends[i] = bounds[i];
        qsort(ends, count, sizeof *ends, compare_bounds);
        sum_intervals(mixture, event, bounds, ends, count, truth, sums);
    }
    probabilities[0] = sums[1];
    probabilities[1] = sums[0];
    crd_i_arena_destroy(scratch);
    return status;
}

/* ---- Nodes with states ---- */

/* The nodes that an event compares, each once, and the state of each comparison. */
typedef struct event_comparison {
    crd_i_arena *arena;
    const crd_network *network;
    const crd_event *event;
    size_t *nodes, count;
    size_t *states, *places; /* for each comparison: its state, and the position of its node in `nodes` */
    size_t comparisons;
    size_t cells; /* number of entries of the joint posterior */
} event_comparison;

static bool network_event_is_continuous(const crd_network *network, size_t node) {
    return crd_network_node_kind(network, node) == CRD_NODE_GAUSSIAN;
}

/* Reports a fault of a node, followed by the quoted value unless it is NULL. Returns `status`. */
static crd_status network_event_fail_about(crd_error *error, const crd_network *network, size_t node, crd_status status,
                                           const char *fault, crd_text value) {
    char name[CRD_I_QUOTED_ROOM], shown[CRD_I_QUOTED_ROOM];
    crd_i_quote(crd_network_node_name(network, node), name);
    if (value.bytes == NULL) crd_i_fail(error, status, "'%s' %s", name, fault);
    else crd_i_fail(error, status, "'%s' %s '%s'", name, fault, crd_i_quote(value, shown));
    crd_i_error_subject(error, crd_network_node_name(network, node));
    return status;
}

/* Returns the position of the node in `nodes`, and appends it if it is new. */
static size_t network_event_place(event_comparison *c, size_t node) {
    size_t place = 0;
    while (place < c->count && c->nodes[place] != node) place++;
    if (place == c->count) c->nodes[c->count++] = node;
    return place;
}

/* Reads the nodes and states of all comparisons. Fails for an unknown state, an order between states, a continuous node
 * together with other nodes, or too many combinations of states. */
static crd_status read_comparisons(event_comparison *c, crd_error *error) {
    static const crd_text none = {NULL, 0};
    for (size_t i = 0; i < c->comparisons; i++) {
        crd_column_comparison one = crd_event_comparison(c->event, i);
        c->places[i] = network_event_place(c, one.column);
        if (network_event_is_continuous(c->network, one.column)) continue;
        if (one.relation != CRD_EVENT_EQUAL && one.relation != CRD_EVENT_UNEQUAL)
            return network_event_fail_about(error, c->network, one.column, CRD_ERROR_SYNTAX,
                                            "has states, which have no order: compare them by = or !=", none);
        c->states[i] = crd_network_find_state(c->network, one.column, one.value);
        if (c->states[i] == CRD_NONE)
            return network_event_fail_about(error, c->network, one.column, CRD_ERROR_COLUMN, "has no state", one.value);
    }
    c->cells = 1;
    for (size_t i = 0; i < c->count; i++) {
        size_t states = crd_network_state_count(c->network, c->nodes[i]);
        if (network_event_is_continuous(c->network, c->nodes[i])) {
            if (c->count == 1) return CRD_OK;
            return network_event_fail_about(
                error, c->network, c->nodes[i], CRD_ERROR_TYPE,
                "is a continuous node, which cannot be combined with other nodes in an event", none);
        }
        if (c->cells > CRD_TABLE_MOST_CELLS / states)
            return crd_i_fail(error, CRD_ERROR_LIMIT, "the nodes of the event have more than %d combinations of states",
                              CRD_TABLE_MOST_CELLS);
        c->cells *= states;
    }
    return CRD_OK;
}

/* Returns whether the event is true in an entry of the joint posterior. `states` and `truth` are working memory. */
static bool network_event_holds_in(const event_comparison *c, size_t cell, size_t *states, unsigned char *truth) {
    for (size_t i = c->count; i-- > 0;) {
        size_t count = crd_network_state_count(c->network, c->nodes[i]);
        states[i] = cell % count;
        cell /= count;
    }
    for (size_t i = 0; i < c->comparisons; i++) {
        bool is_equal = states[c->places[i]] == c->states[i];
        truth[i] = is_equal == (crd_event_comparison(c->event, i).relation == CRD_EVENT_EQUAL);
    }
    return crd_i_event_is_true(c->event, truth) != 0;
}

/* Sums the entries in which the event is true, probabilities[0], and in which it is false, probabilities[1]. Both sums
 * have the same standard error. It is at most the sum of the entries' errors, of the true entries or of the false
 * entries, whichever is smaller. */
static crd_status sum_cells(const event_comparison *c, const double *values, const double *errors,
                            double probabilities[2], double *standard_error, crd_error *error) {
    double sums[2] = {0, 0}, sums_of_errors[2] = {0, 0};
    size_t *states = crd_i_arena_alloc(c->arena, c->count, sizeof *states);
    unsigned char *truth = crd_i_arena_alloc(c->arena, c->comparisons, 1);
    if (truth == NULL) return crd_i_fail_memory(error);
    for (size_t cell = 0; cell < c->cells; cell++) {
        bool holds = network_event_holds_in(c, cell, states, truth);
        sums[holds] += values[cell];
        sums_of_errors[holds] += errors[cell];
    }
    probabilities[0] = sums[1];
    probabilities[1] = sums[0];
    *standard_error = sums_of_errors[1] > sums_of_errors[0] ? sums_of_errors[0] : sums_of_errors[1];
    return CRD_OK;
}

/* Computes the probability of an event of discrete nodes from their joint posterior. */
static crd_status ask_states(const event_comparison *c, const crd_finding *findings, size_t count,
                             const crd_inference_options *options, double probabilities[2], double *standard_error,
                             crd_inference_result *result, crd_error *error) {
    const crd_network_query query = {sizeof query, findings, count, c->nodes, c->count, options};
    double *values = crd_i_arena_alloc(c->arena, c->cells, sizeof *values);
    double *errors = crd_i_arena_alloc(c->arena, c->cells, sizeof *errors);
    if (errors == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_network_joint_posterior(c->network, &query, values, errors, result, error);
    return status == CRD_OK ? sum_cells(c, values, errors, probabilities, standard_error, error) : status;
}

/* Computes the probability of an event of one continuous node from its posterior mixture. */
static crd_status network_event_ask_number(const event_comparison *c, const crd_finding *findings, size_t count,
                                           const crd_inference_options *options, double probabilities[2],
                                           crd_inference_result *result, crd_error *error) {
    const crd_network_query query = {sizeof query, findings, count, c->nodes, 1, options};
    crd_normal_mixture *mixture = NULL;
    crd_status status = crd_network_mixtures(c->network, &query, &mixture, result, error);
    if (status == CRD_OK)
        status = crd_normal_mixture_event(c->network->context, mixture, c->event, probabilities, error);
    crd_normal_mixture_destroy(mixture);
    return status;
}

crd_status crd_network_event(const crd_network *network, const crd_finding *findings, size_t count,
                             const crd_event *event, const crd_inference_options *options, double probabilities[2],
                             double *standard_error, crd_inference_result *result, crd_error *error) {
    event_comparison c = {.network = network, .event = event, .comparisons = crd_event_comparison_count(event)};
    double deviation = 0;
    probabilities[0] = probabilities[1] = 0;
    c.arena = crd_i_arena_create(network->context);
    c.nodes = crd_i_arena_alloc(c.arena, c.comparisons, sizeof *c.nodes);
    c.states = crd_i_arena_alloc_zeroed(c.arena, c.comparisons, sizeof *c.states);
    c.places = crd_i_arena_alloc_zeroed(c.arena, c.comparisons, sizeof *c.places);
    crd_status status = crd_i_arena_check(c.arena, error);
    if (status == CRD_OK) status = read_comparisons(&c, error);
    if (status == CRD_OK && network_event_is_continuous(network, c.nodes[0]))
        status = network_event_ask_number(&c, findings, count, options, probabilities, result, error);
    else if (status == CRD_OK)
        status = ask_states(&c, findings, count, options, probabilities, &deviation, result, error);
    if (standard_error != NULL) *standard_error = deviation;
    crd_i_arena_destroy(c.arena);
    return status;
}
