/* SPDX-License-Identifier: MIT */
/* mixture_query.c - posteriors of Gaussian nodes: see credence/network.h. A component of variance 0 is a point mass. */
#include "infer/exact/evidence_query.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>
#include <string.h>

void crd_normal_mixture_destroy(crd_normal_mixture *mixture) {
    if (mixture == NULL) return;
    crd_free(mixture->context, mixture->components);
    crd_free(mixture->context, mixture);
}

/* Takes ownership of the components, even on failure. */
static crd_normal_mixture *mixture_query_create(crd_context *context, crd_normal_component *components, size_t count) {
    crd_normal_mixture *mixture = crd_i_alloc_zeroed(context, 1, sizeof *mixture);
    if (mixture == NULL) {
        crd_free(context, components);
        return NULL;
    }
    mixture->context = context;
    mixture->components = components;
    mixture->count = count;
    crd_i_mixture_moments(components, count, &mixture->mean, &mixture->variance);
    return mixture;
}

double crd_normal_mixture_density(const crd_normal_mixture *mixture, double x) {
    double sum = 0;
    for (size_t i = 0; i < mixture->count; i++) {
        const crd_normal_component *component = &mixture->components[i];
        if (component->variance == 0 && x == component->mean) return INFINITY;
        if (component->variance == 0) continue;
        double z = (x - component->mean) / sqrt(component->variance);
        sum += component->weight * crd_exp(-(1.8378770664093454836 + crd_log(component->variance) + z * z) / 2);
    }
    return sum;
}

/* Computes the probabilities of at most x and of more than x. */
static void mixture_query_tails(const crd_normal_mixture *mixture, double x, double *below, double *above) {
    *below = *above = 0;
    for (size_t i = 0; i < mixture->count; i++) {
        const crd_normal_component *component = &mixture->components[i];
        double away = x - component->mean;
        double z = component->variance > 0 ? away / sqrt(component->variance) : away >= 0 ? INFINITY : -INFINITY;
        const crd_i_tails tails = crd_i_normal_tails(z);
        *below += component->weight * tails.below;
        *above += component->weight * tails.above;
    }
}

double crd_normal_mixture_cdf(const crd_normal_mixture *mixture, double x) {
    double below, above;
    mixture_query_tails(mixture, x, &below, &above);
    return below;
}

double crd_normal_mixture_above(const crd_normal_mixture *mixture, double x) {
    double below, above;
    mixture_query_tails(mixture, x, &below, &above);
    return above;
}

/* Returns the probability of at most x, minus p, computed from the smaller tail. */
static double excess_at(const crd_normal_mixture *mixture, double p, double x) {
    double below, above;
    mixture_query_tails(mixture, x, &below, &above);
    return p <= 0.5 ? below - p : 1 - p - above;
}

/* Narrows the bracket of the quantile by regula falsi, halving the weight of an end that did not move (Illinois
 * method). Near the quantile, the distribution function is almost linear. */
static void mixture_query_approach(const crd_normal_mixture *mixture, double p, double *low, double *high) {
    double at_low = excess_at(mixture, p, *low), at_high = excess_at(mixture, p, *high);
    int stayed = 0; /* -1: the lower end did not move in the last step, 1: the upper end */
    for (int step = 0; step < 16 && at_low < 0 && at_high > 0; step++) {
        const double middle = *low + (*high - *low) * (at_low / (at_low - at_high));
        if (!(middle > *low && middle < *high) || crd_i_context_cancelled(mixture->context)) return;
        const double there = excess_at(mixture, p, middle);
        if (there >= 0) {
            *high = middle;
            at_high = there;
            if (stayed == -1) at_low /= 2;
            stayed = -1;
        } else {
            *low = middle;
            at_low = there;
            if (stayed == 1) at_high /= 2;
            stayed = 1;
        }
    }
}

/* Searches between the smallest and the largest quantile of the components. Bisects until no double lies in between. */
double crd_normal_mixture_quantile(const crd_normal_mixture *mixture, double p) {
    double low = INFINITY, high = -INFINITY, z = crd_i_normal_quantile(p);
    if (!(p >= 0 && p <= 1)) return NAN;
    for (size_t i = 0; i < mixture->count; i++) {
        const crd_normal_component *component = &mixture->components[i];
        double own = component->mean;
        if (component->variance > 0) own += sqrt(component->variance) * z;
        low = fmin(low, own);
        high = fmax(high, own);
    }
    if (low < high && isfinite(low) && isfinite(high - low)) mixture_query_approach(mixture, p, &low, &high);
    while (low < high && isfinite(low) && isfinite(high)) {
        double middle = low + (high - low) / 2;
        if (crd_i_context_cancelled(mixture->context)) return NAN;
        if (middle <= low || middle >= high) break;
        if (excess_at(mixture, p, middle) >= 0) high = middle;
        else low = middle;
    }
    return high;
}

/* ---- Asking ---- */

typedef struct asking {
    crd_i_arena *arena;
    crd_i_evidence_query query;
    double **joints; /* by part */
    uint32_t *nodes; /* nodes of one part */
    size_t *places;  /* their positions in the query */
    crd_normal_component **components;
    size_t *counts;
} asking;

static void close_asking(asking *query) {
    crd_i_arena_destroy(query->arena);
    crd_i_evidence_query_close(&query->query);
}

/* Computes the joint posteriors of the boundaries of the queried parts. */
static crd_status ask_boundaries(asking *query, size_t node_count, crd_inference_result *result, crd_error *error) {
    const crd_i_evidence_query *evidence = &query->query;
    const crd_i_gaussian_parts *parts = evidence->parts;
    crd_i_arena *arena = crd_i_arena_create(evidence->network->context);
    crd_i_junction *junction = NULL;
    crd_i_junction_work *work = NULL;
    query->arena = arena;
    query->joints = crd_i_arena_alloc_zeroed(arena, parts->count, sizeof *query->joints);
    query->nodes = crd_i_arena_alloc(arena, node_count, sizeof *query->nodes);
    query->places = crd_i_arena_alloc(arena, node_count, sizeof *query->places);
    query->components = crd_i_arena_alloc(arena, node_count, sizeof *query->components);
    query->counts = crd_i_arena_alloc(arena, node_count, sizeof *query->counts);
    for (size_t i = 0; query->joints != NULL && i < parts->count; i++)
        if (parts->parts[i].is_asked)
            query->joints[i] = crd_i_arena_alloc(arena, parts->parts[i].combinations, sizeof **query->joints);
    crd_status status = crd_i_arena_check(arena, error);
    if (status == CRD_OK && evidence->options.is_always_approximate)
        status = crd_i_evidence_query_check_discrete(evidence, "approximate inference supports only nodes with states",
                                                     error);
    if (status == CRD_OK)
        status = crd_i_evidence_query_compile(evidence, NULL, 0, false, &junction, &work, result, error);
    if (status == CRD_OK)
        status =
            crd_i_junction_ask_sets(work, &evidence->findings, query->joints, NULL, NULL, &result->log_evidence, error);
    if (status == CRD_OK) result->log_evidence = crd_i_gaussian_log_evidence(evidence->gaussian, result->log_evidence);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status;
}

static crd_status mix_part(asking *query, size_t part, const size_t *nodes, size_t node_count, crd_normal_mixture **out,
                           crd_error *error) {
    const crd_i_evidence_query *evidence = &query->query;
    size_t count = 0;
    for (size_t i = 0; i < node_count; i++) {
        if (evidence->parts->part_of[nodes[i]] != part || evidence->observed[nodes[i]]) continue;
        query->places[count] = i;
        query->nodes[count++] = (uint32_t)nodes[i];
    }
    crd_status status =
        crd_i_gaussian_mixtures(evidence->gaussian, part, query->joints[part], evidence->states, evidence->numbers,
                                query->nodes, count, query->components, query->counts, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < count; i++) {
        crd_normal_mixture *mixture =
            mixture_query_create(evidence->network->context, query->components[i], query->counts[i]);
        if (mixture == NULL) status = crd_i_fail_memory(error);
        out[query->places[i]] = mixture;
    }
    return status;
}

/* Creates the mixture of an observed node: a point mass at its value. */
static crd_status mix_observed(const crd_i_evidence_query *query, size_t node, crd_normal_mixture **out,
                               crd_error *error) {
    const crd_normal_component certain = {1, query->numbers[node], 0};
    crd_normal_component *one = crd_i_alloc(query->network->context, 1, sizeof *one);
    if (one == NULL) return crd_i_fail_memory(error);
    *one = certain;
    *out = mixture_query_create(query->network->context, one, 1);
    return *out == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

static crd_status mixture_query_mix(asking *query, const size_t *nodes, size_t node_count, crd_normal_mixture **out,
                                    crd_inference_result *result, crd_error *error) {
    const crd_i_evidence_query *evidence = &query->query;
    crd_status status = ask_boundaries(query, node_count, result, error);
    for (size_t i = 0; status == CRD_OK && i < evidence->parts->count; i++)
        if (evidence->parts->parts[i].is_asked) status = mix_part(query, i, nodes, node_count, out, error);
    for (size_t i = 0; status == CRD_OK && i < node_count; i++)
        if (evidence->observed[nodes[i]]) status = mix_observed(evidence, nodes[i], &out[i], error);
    return status;
}

/* ---- Together ---- */

/* Expands the moments to all queried nodes. Observed nodes have their value as mean and zero covariances. */
static void spread_moments(const asking *query, const size_t *nodes, size_t count, size_t hidden, const double *result,
                           double *means, double *covariance) {
    for (size_t i = 0; i < count; i++) means[i] = query->query.numbers[nodes[i]];
    for (size_t i = 0; i < count * count; i++) covariance[i] = 0;
    for (size_t i = 0; i < hidden; i++) {
        means[query->places[i]] = result[i];
        for (size_t j = 0; j < hidden; j++)
            covariance[query->places[i] * count + query->places[j]] = result[hidden + i * hidden + j];
    }
}

static crd_status mixture_query_find_moments(asking *query, const size_t *nodes, size_t node_count, double *means,
                                             double *covariance, crd_inference_result *result, crd_error *error) {
    const crd_i_evidence_query *evidence = &query->query;
    size_t hidden = 0;
    crd_status status = ask_boundaries(query, node_count, result, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < node_count; i++) {
        if (evidence->observed[nodes[i]]) continue;
        query->places[hidden] = i;
        query->nodes[hidden++] = (uint32_t)nodes[i];
    }
    double *moments = crd_i_arena_alloc(query->arena, hidden + hidden * hidden, sizeof *moments);
    if (moments == NULL) return crd_i_fail_memory(error);
    if (hidden > 0) {
        size_t part = evidence->parts->part_of[query->nodes[0]];
        status =
            crd_i_gaussian_joint_moments(evidence->gaussian, part, query->joints[part], evidence->states,
                                         evidence->numbers, query->nodes, hidden, moments, moments + hidden, error);
        if (status != CRD_OK) return status;
    }
    spread_moments(query, nodes, node_count, hidden, moments, means, covariance);
    return CRD_OK;
}

crd_status crd_network_moments(const crd_network *network, const crd_network_query *request, double *means,
                               double *covariance, crd_inference_result *result, crd_error *error) {
    crd_network_query copy = CRD_NETWORK_QUERY_INIT;
    asking query = {.joints = NULL};
    crd_inference_result said = CRD_INFERENCE_RESULT_INIT;
    crd_status status = crd_i_network_query_read(request, &copy, error);
    if (status == CRD_OK)
        status = crd_i_evidence_query_open_together(network, copy.findings, copy.finding_count, copy.nodes,
                                                    copy.node_count, copy.options, &query.query, error);
    if (status != CRD_OK || copy.node_count == 0) {
        crd_i_evidence_query_close(&query.query);
        return status;
    }
    said.nodes = query.query.nodes;
    status = mixture_query_find_moments(&query, copy.nodes, copy.node_count, means, covariance, &said, error);
    crd_i_evidence_query_report(result, &said);
    close_asking(&query);
    return status;
}

crd_status crd_network_mixtures(const crd_network *network, const crd_network_query *request, crd_normal_mixture **out,
                                crd_inference_result *result, crd_error *error) {
    crd_network_query copy = CRD_NETWORK_QUERY_INIT;
    asking query = {.joints = NULL};
    crd_inference_result said = CRD_INFERENCE_RESULT_INIT;
    crd_status status = crd_i_network_query_read(request, &copy, error);
    for (size_t i = 0; i < copy.node_count; i++) out[i] = NULL;
    if (status == CRD_OK)
        status = crd_i_evidence_query_open_gaussian(network, copy.findings, copy.finding_count, copy.nodes,
                                                    copy.node_count, copy.options, &query.query, error);
    if (status != CRD_OK || copy.node_count == 0) {
        crd_i_evidence_query_close(&query.query);
        return status;
    }
    said.nodes = query.query.nodes;
    status = mixture_query_mix(&query, copy.nodes, copy.node_count, out, &said, error);
    crd_i_evidence_query_report(result, &said);
    close_asking(&query);
    for (size_t i = 0; status != CRD_OK && i < copy.node_count; i++) {
        crd_normal_mixture_destroy(out[i]);
        out[i] = NULL;
    }
    return status;
}
