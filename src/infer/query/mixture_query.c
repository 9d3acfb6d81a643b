/* SPDX-License-Identifier: MIT */
/* mixture_query.c - posteriors of Gaussian nodes: see credence/network.h. A component of variance 0 is a point mass. */
#include "infer/evidence_query.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>
#include <string.h>

struct crd_normal_mixture {
    crd_context *context;
    crd_i_normal_component *components;
    size_t count;
    double mean, variance;
};

void crd_normal_mixture_destroy(crd_normal_mixture *mixture) {
    if (mixture == NULL) return;
    crd_free(mixture->context, mixture->components);
    crd_free(mixture->context, mixture);
}

/* Takes over the components, also where it fails. */
static crd_normal_mixture *create(crd_context *context, crd_i_normal_component *components, size_t count) {
    crd_normal_mixture *made = crd_i_alloc_zeroed(context, 1, sizeof *made);
    if (made == NULL) {
        crd_free(context, components);
        return NULL;
    }
    made->context = context;
    made->components = components;
    made->count = count;
    crd_i_mixture_moments(components, count, &made->mean, &made->variance);
    return made;
}

size_t crd_normal_mixture_count(const crd_normal_mixture *mixture) {
    return mixture->count;
}

void crd_normal_mixture_component(const crd_normal_mixture *mixture, size_t i, double *weight, double *mean,
                                  double *variance) {
    const crd_i_normal_component *component = &mixture->components[i];
    if (weight != NULL) *weight = component->weight;
    if (mean != NULL) *mean = component->mean;
    if (variance != NULL) *variance = component->variance;
}

double crd_normal_mixture_mean(const crd_normal_mixture *mixture) {
    return mixture->mean;
}

double crd_normal_mixture_variance(const crd_normal_mixture *mixture) {
    return mixture->variance;
}

double crd_normal_mixture_density(const crd_normal_mixture *mixture, double x) {
    double sum = 0;
    for (size_t i = 0; i < mixture->count; i++) {
        const crd_i_normal_component *component = &mixture->components[i];
        if (component->variance == 0 && x == component->mean) return INFINITY;
        if (component->variance == 0) continue;
        double z = (x - component->mean) / sqrt(component->variance);
        sum += component->weight * crd_exp(-(1.8378770664093454836 + crd_log(component->variance) + z * z) / 2);
    }
    return sum;
}

/* Probabilities of at most x, and of more. */
static void tails_at(const crd_normal_mixture *mixture, double x, double *below, double *above) {
    *below = *above = 0;
    for (size_t i = 0; i < mixture->count; i++) {
        const crd_i_normal_component *component = &mixture->components[i];
        double away = x - component->mean;
        double z = component->variance > 0 ? away / sqrt(component->variance) : away >= 0 ? INFINITY : -INFINITY;
        const crd_i_tails tails = crd_i_normal_tails(z);
        *below += component->weight * tails.below;
        *above += component->weight * tails.above;
    }
}

double crd_normal_mixture_cdf(const crd_normal_mixture *mixture, double x) {
    double below, above;
    tails_at(mixture, x, &below, &above);
    return below;
}

double crd_normal_mixture_above(const crd_normal_mixture *mixture, double x) {
    double below, above;
    tails_at(mixture, x, &below, &above);
    return above;
}

/* The probability of at most x, less p; by the smaller tail. */
static double excess_at(const crd_normal_mixture *mixture, double p, double x) {
    double below, above;
    tails_at(mixture, x, &below, &above);
    return p <= 0.5 ? below - p : 1 - p - above;
}

/* Moves the ends of what holds the quantile by regula falsi, an end that stays counting for half (Illinois): near it, the
 * probability is all but straight. */
static void approach(const crd_normal_mixture *mixture, double p, double *low, double *high) {
    double at_low = excess_at(mixture, p, *low), at_high = excess_at(mixture, p, *high);
    int stayed = 0; /* -1: the lower end at the last step, 1: the upper one */
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

/* Between the least and the greatest quantile of the components; halved until nothing lies between. */
double crd_normal_mixture_quantile(const crd_normal_mixture *mixture, double p) {
    double low = INFINITY, high = -INFINITY, z = crd_i_normal_quantile(p);
    if (!(p >= 0 && p <= 1)) return NAN;
    for (size_t i = 0; i < mixture->count; i++) {
        const crd_i_normal_component *component = &mixture->components[i];
        double own = component->mean;
        if (component->variance > 0) own += sqrt(component->variance) * z;
        low = fmin(low, own);
        high = fmax(high, own);
    }
    if (low < high && isfinite(low) && isfinite(high - low)) approach(mixture, p, &low, &high);
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
    crd_i_evidence_query question;
    double **joints; /* by part */
    uint32_t *nodes; /* of one part */
    size_t *places;  /* of these, among what is asked */
    crd_i_normal_component **components;
    size_t *counts;
} asking;

static void close_asking(asking *own) {
    crd_context *context = own->question.network->context;
    for (size_t i = 0; own->joints != NULL && i < own->question.parts->count; i++) crd_free(context, own->joints[i]);
    crd_free(context, own->joints);
    crd_free(context, own->nodes);
    crd_free(context, own->places);
    crd_free(context, own->components);
    crd_free(context, own->counts);
    crd_i_evidence_query_close(&own->question);
}

/* The joint posteriors of the boundaries of the parts that are asked. */
static crd_status ask_boundaries(asking *own, size_t node_count, crd_inference_result *asked, crd_error *error) {
    const crd_i_evidence_query *question = &own->question;
    const crd_i_gaussian_parts *parts = question->parts;
    crd_context *context = question->network->context;
    crd_i_junction *junction = NULL;
    crd_i_junction_work *work = NULL;
    own->joints = crd_i_alloc_zeroed(context, parts->count, sizeof *own->joints);
    own->nodes = crd_i_alloc(context, node_count, sizeof *own->nodes);
    own->places = crd_i_alloc(context, node_count, sizeof *own->places);
    own->components = crd_i_alloc(context, node_count, sizeof *own->components);
    own->counts = crd_i_alloc(context, node_count, sizeof *own->counts);
    bool done = own->joints != NULL && own->nodes != NULL && own->places != NULL && own->components != NULL &&
                own->counts != NULL;
    for (size_t i = 0; done && i < parts->count; i++) {
        if (!parts->parts[i].is_asked) continue;
        own->joints[i] = crd_i_alloc(context, parts->parts[i].combinations, sizeof **own->joints);
        done = own->joints[i] != NULL;
    }
    crd_status status = done ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK && question->options.is_always_approximate)
        status = crd_i_evidence_query_check_discrete(question, "estimates are of nodes with states", error);
    if (status == CRD_OK)
        status = crd_i_evidence_query_compile(question, NULL, 0, false, &junction, &work, asked, error);
    if (status == CRD_OK)
        status =
            crd_i_junction_ask_sets(work, &question->findings, own->joints, NULL, NULL, &asked->log_evidence, error);
    if (status == CRD_OK) asked->log_evidence = crd_i_gaussian_log_evidence(question->gaussian, asked->log_evidence);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status;
}

static crd_status mix_part(asking *own, size_t part, const size_t *nodes, size_t node_count, crd_normal_mixture **out,
                           crd_error *error) {
    const crd_i_evidence_query *question = &own->question;
    size_t count = 0;
    for (size_t i = 0; i < node_count; i++) {
        if (question->parts->part_of[nodes[i]] != part || question->observed[nodes[i]]) continue;
        own->places[count] = i;
        own->nodes[count++] = (uint32_t)nodes[i];
    }
    crd_status status =
        crd_i_gaussian_mixtures(question->gaussian, part, own->joints[part], question->states, question->numbers,
                                own->nodes, count, own->components, own->counts, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < count; i++) {
        crd_normal_mixture *made = create(question->network->context, own->components[i], own->counts[i]);
        if (made == NULL) status = crd_i_fail_memory(error);
        out[own->places[i]] = made;
    }
    return status;
}

/* An observed node has its number for certain. */
static crd_status mix_observed(const crd_i_evidence_query *question, size_t node, crd_normal_mixture **out,
                               crd_error *error) {
    const crd_i_normal_component certain = {1, question->numbers[node], 0};
    crd_i_normal_component *one = crd_i_alloc(question->network->context, 1, sizeof *one);
    if (one == NULL) return crd_i_fail_memory(error);
    *one = certain;
    *out = create(question->network->context, one, 1);
    return *out == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

static crd_status mix(asking *own, const size_t *nodes, size_t node_count, crd_normal_mixture **out,
                      crd_inference_result *asked, crd_error *error) {
    const crd_i_evidence_query *question = &own->question;
    crd_status status = ask_boundaries(own, node_count, asked, error);
    for (size_t i = 0; status == CRD_OK && i < question->parts->count; i++)
        if (question->parts->parts[i].is_asked) status = mix_part(own, i, nodes, node_count, out, error);
    for (size_t i = 0; status == CRD_OK && i < node_count; i++)
        if (question->observed[nodes[i]]) status = mix_observed(question, nodes[i], &out[i], error);
    return status;
}

/* ---- Together ---- */

/* Observed nodes have their numbers, and no covariance with any other. */
static void spread_moments(const asking *own, const size_t *nodes, size_t count, size_t hidden, const double *found,
                           double *means, double *covariance) {
    for (size_t i = 0; i < count; i++) means[i] = own->question.numbers[nodes[i]];
    for (size_t i = 0; i < count * count; i++) covariance[i] = 0;
    for (size_t i = 0; i < hidden; i++) {
        means[own->places[i]] = found[i];
        for (size_t j = 0; j < hidden; j++)
            covariance[own->places[i] * count + own->places[j]] = found[hidden + i * hidden + j];
    }
}

static crd_status find_moments(asking *own, const size_t *nodes, size_t node_count, double *means, double *covariance,
                               crd_inference_result *asked, crd_error *error) {
    const crd_i_evidence_query *question = &own->question;
    crd_context *context = question->network->context;
    double *found = NULL;
    size_t hidden = 0;
    crd_status status = ask_boundaries(own, node_count, asked, error);
    for (size_t i = 0; status == CRD_OK && i < node_count; i++) {
        if (question->observed[nodes[i]]) continue;
        own->places[hidden] = i;
        own->nodes[hidden++] = (uint32_t)nodes[i];
    }
    if (status == CRD_OK) found = crd_i_alloc(context, hidden + hidden * hidden, sizeof *found);
    if (status == CRD_OK && found == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK && hidden > 0) {
        size_t part = question->parts->part_of[own->nodes[0]];
        status = crd_i_gaussian_joint_moments(question->gaussian, part, own->joints[part], question->states,
                                              question->numbers, own->nodes, hidden, found, found + hidden, error);
    }
    if (status == CRD_OK) spread_moments(own, nodes, node_count, hidden, found, means, covariance);
    crd_free(context, found);
    return status;
}

crd_status crd_network_moments(const crd_network *network, const crd_finding *findings, size_t count,
                               const size_t *nodes, size_t node_count, const crd_inference_options *options,
                               double *means, double *covariance, crd_inference_result *asked, crd_error *error) {
    asking own = {.joints = NULL};
    crd_inference_result said = CRD_INFERENCE_RESULT_INIT;
    crd_status status =
        crd_i_evidence_query_open_together(network, findings, count, nodes, node_count, options, &own.question, error);
    if (status != CRD_OK || node_count == 0) {
        crd_i_evidence_query_close(&own.question);
        return status;
    }
    said.nodes = own.question.nodes;
    status = find_moments(&own, nodes, node_count, means, covariance, &said, error);
    crd_i_evidence_query_report(asked, &said);
    close_asking(&own);
    return status;
}

crd_status crd_network_mixtures(const crd_network *network, const crd_finding *findings, size_t count,
                                const size_t *nodes, size_t node_count, const crd_inference_options *options,
                                crd_normal_mixture **out, crd_inference_result *asked, crd_error *error) {
    asking own = {.joints = NULL};
    crd_inference_result said = CRD_INFERENCE_RESULT_INIT;
    for (size_t i = 0; i < node_count; i++) out[i] = NULL;
    crd_status status =
        crd_i_evidence_query_open_gaussian(network, findings, count, nodes, node_count, options, &own.question, error);
    if (status != CRD_OK || node_count == 0) {
        crd_i_evidence_query_close(&own.question);
        return status;
    }
    said.nodes = own.question.nodes;
    status = mix(&own, nodes, node_count, out, &said, error);
    crd_i_evidence_query_report(asked, &said);
    close_asking(&own);
    for (size_t i = 0; status != CRD_OK && i < node_count; i++) {
        crd_normal_mixture_destroy(out[i]);
        out[i] = NULL;
    }
    return status;
}
