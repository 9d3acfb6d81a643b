/* SPDX-License-Identifier: MIT */
/* gaussian_evidence.c - see gaussian_evidence.h. */
#include "infer/exact/gaussian_evidence.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Log of the factor by which a point mass outweighs any density. exp underflows to 0 beyond it, and log likelihoods
 * keep eleven digits. */
static const double POINT_LOG = 0x1p17;

/* Combinations processed between two checks for cancellation. */
enum { COMBINATIONS_A_LOOK = 256 };

void crd_i_gaussian_evidence_destroy(crd_i_gaussian_evidence *evidence) {
    if (evidence == NULL) return;
    crd_context *context = evidence->parts->context;
    crd_i_gaussian_work_destroy(evidence->work);
    for (size_t i = 0; evidence->logs != NULL && i < evidence->parts->count; i++) crd_free(context, evidence->logs[i]);
    crd_free(context, evidence->logs);
    crd_free(context, evidence->states);
    crd_free(context, evidence);
}

crd_status crd_i_gaussian_evidence_create(const crd_i_gaussian_parts *parts, crd_i_gaussian_evidence **out,
                                          crd_error *error) {
    crd_context *context = parts->context;
    *out = NULL;
    crd_i_gaussian_evidence *evidence = crd_i_alloc_zeroed(context, 1, sizeof *evidence);
    if (evidence == NULL) return crd_i_fail_memory(error);
    evidence->parts = parts;
    evidence->logs = crd_i_alloc_zeroed(context, parts->count, sizeof *evidence->logs);
    evidence->states = crd_i_alloc(context, parts->network->count, sizeof *evidence->states);
    bool done = evidence->logs != NULL && evidence->states != NULL;
    for (size_t i = 0; done && i < parts->count; i++) {
        const crd_i_gaussian_part *part = &parts->parts[i];
        if (part->count == part->hidden_count) continue;
        evidence->logs[i] = crd_i_alloc(context, part->combinations, sizeof **evidence->logs);
        done = evidence->logs[i] != NULL;
    }
    crd_status status = done ? crd_i_gaussian_work_create(parts, &evidence->work, error) : crd_i_fail_memory(error);
    if (status == CRD_OK) *out = evidence;
    else crd_i_gaussian_evidence_destroy(evidence);
    return status;
}

/* Sets the boundary states of a part to a combination. Returns false if the case observes a different state. */
static bool take_combination(crd_i_gaussian_evidence *evidence, const crd_i_gaussian_part *part, size_t combination,
                             const int32_t *observed) {
    const crd_network *network = evidence->parts->network;
    for (size_t i = part->set.count; i-- > 0;) {
        uint32_t node = part->set.nodes[i];
        size_t states = crd_i_node_states(&network->nodes[node]);
        evidence->states[node] = (int32_t)(combination % states);
        combination /= states;
        if (observed[node] >= 0 && observed[node] != evidence->states[node]) return false;
    }
    return true;
}

static crd_status gaussian_evidence_fill_part(crd_i_gaussian_evidence *evidence, size_t index, const int32_t *states,
                                              const double *numbers, crd_error *error) {
    const crd_i_gaussian_part *part = &evidence->parts->parts[index];
    double *logs = evidence->logs[index];
    size_t most = 0, least = SIZE_MAX;
    for (size_t i = 0; i < part->combinations; i++) {
        if (i % COMBINATIONS_A_LOOK == 0 && crd_i_context_cancelled(evidence->parts->context))
            return crd_i_fail_cancelled(error);
        logs[i] = -INFINITY;
        if (!take_combination(evidence, part, i, states)) continue;
        crd_i_gaussian_likelihood likelihood =
            crd_i_gaussian_eliminate(evidence->work, part, evidence->parts->network, evidence->states, numbers);
        if (!(likelihood.log > -INFINITY)) continue;
        if (likelihood.points > most) {
            for (size_t j = 0; j < i; j++) logs[j] -= (double)(likelihood.points - most) * POINT_LOG;
            most = likelihood.points;
        }
        if (likelihood.points < least) least = likelihood.points;
        logs[i] = likelihood.log - (double)(most - likelihood.points) * POINT_LOG;
    }
    if (least < most) evidence->lacking += most - least;
    return CRD_OK;
}

crd_status crd_i_gaussian_evidence_fill(crd_i_gaussian_evidence *evidence, const int32_t *states, const double *numbers,
                                        crd_error *error) {
    memcpy(evidence->states, states, evidence->parts->network->count * sizeof *states);
    crd_status status = CRD_OK;
    evidence->lacking = 0;
    for (size_t i = 0; status == CRD_OK && i < evidence->parts->count; i++)
        if (evidence->logs[i] != NULL) status = gaussian_evidence_fill_part(evidence, i, states, numbers, error);
    return status;
}

double crd_i_gaussian_log_evidence(const crd_i_gaussian_evidence *evidence, double found) {
    if (evidence == NULL || evidence->lacking == 0) return found;
    const double lacked = fmin(fmax(0, round(-found / POINT_LOG)), (double)evidence->lacking);
    return isfinite(found) ? found + lacked * POINT_LOG : found;
}

/* ---- Mixtures ---- */

static int compare_components(const void *a, const void *b) {
    const crd_i_normal_component *x = a, *y = b;
    if (x->mean != y->mean) return x->mean < y->mean ? -1 : 1;
    return (x->variance > y->variance) - (x->variance < y->variance);
}

/* Sorts the components and merges equal ones. */
static size_t gaussian_evidence_gather(crd_i_normal_component *components, size_t count) {
    size_t kept = 0;
    if (count > 1) qsort(components, count, sizeof *components, compare_components);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && compare_components(&components[kept - 1], &components[i]) == 0)
            components[kept - 1].weight += components[i].weight;
        else components[kept++] = components[i];
    }
    return kept;
}

static crd_status add_components(crd_i_gaussian_evidence *evidence, size_t index, const double *weights,
                                 const int32_t *states, const double *numbers, const uint32_t *nodes, size_t node_count,
                                 crd_i_normal_component **out, crd_error *error) {
    const crd_i_gaussian_part *part = &evidence->parts->parts[index];
    size_t used = 0;
    for (size_t i = 0; i < part->combinations; i++) {
        const double *means, *variances;
        if (i % COMBINATIONS_A_LOOK == 0 && crd_i_context_cancelled(evidence->parts->context))
            return crd_i_fail_cancelled(error);
        if (!(weights[i] > 0) || !take_combination(evidence, part, i, states)) continue;
        crd_i_gaussian_eliminate(evidence->work, part, evidence->parts->network, evidence->states, numbers);
        crd_i_gaussian_moments(evidence->work, &means, &variances);
        for (size_t j = 0; j < node_count; j++) {
            uint32_t member = evidence->parts->member_of[nodes[j]];
            const crd_i_normal_component one = {weights[i], means[member], variances[member]};
            out[j][used] = one;
        }
        used++;
    }
    return CRD_OK;
}

crd_status crd_i_gaussian_mixtures(crd_i_gaussian_evidence *evidence, size_t part, const double *weights,
                                   const int32_t *states, const double *numbers, const uint32_t *nodes,
                                   size_t node_count, crd_i_normal_component **out, size_t *counts, crd_error *error) {
    crd_context *context = evidence->parts->context;
    size_t count = 0;
    crd_status status = CRD_OK;
    memcpy(evidence->states, states, evidence->parts->network->count * sizeof *states);
    for (size_t i = 0; i < evidence->parts->parts[part].combinations; i++) count += weights[i] > 0;
    for (size_t j = 0; j < node_count; j++) {
        out[j] = crd_i_alloc(context, count, sizeof **out);
        if (out[j] == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK)
        status = add_components(evidence, part, weights, states, numbers, nodes, node_count, out, error);
    for (size_t j = 0; j < node_count; j++) {
        if (status == CRD_OK) {
            counts[j] = gaussian_evidence_gather(out[j], count);
        } else {
            crd_free(context, out[j]);
            out[j] = NULL;
        }
    }
    return status;
}

void crd_i_mixture_moments(const crd_i_normal_component *components, size_t count, double *mean, double *variance) {
    *mean = *variance = 0;
    /* Summing relative to the first component keeps equal means exact. */
    for (size_t i = 0; i < count; i++) *mean += components[i].weight * (components[i].mean - components[0].mean);
    *mean += components[0].mean;
    for (size_t i = 0; i < count; i++) {
        double away = components[i].mean - *mean;
        *variance += components[i].weight * (components[i].variance + away * away);
    }
    if (count == 1) *variance = components[0].variance;
}

/* Adds the contribution of one combination to the means, relative to the first combination, or to the covariances if
 * the means are complete. */
static void gaussian_evidence_add_moments(crd_i_gaussian_evidence *evidence, double weight, const uint32_t *nodes,
                                          size_t count, double *means, double *first, double *covariance) {
    const uint32_t *member_of = evidence->parts->member_of;
    const double *own_means, *variances;
    crd_i_gaussian_moments(evidence->work, &own_means, &variances);
    for (size_t i = 0; i < count; i++) {
        uint32_t a = member_of[nodes[i]];
        if (covariance == NULL && isnan(first[i])) first[i] = own_means[a];
        if (covariance == NULL) means[i] += weight * (own_means[a] - first[i]);
        for (size_t j = 0; covariance != NULL && j < count; j++) {
            uint32_t b = member_of[nodes[j]];
            double away = (own_means[a] - means[i]) * (own_means[b] - means[j]);
            covariance[i * count + j] += weight * (crd_i_gaussian_covariance(evidence->work, a, b) + away);
        }
    }
}

crd_status crd_i_gaussian_joint_moments(crd_i_gaussian_evidence *evidence, size_t part, const double *weights,
                                        const int32_t *states, const double *numbers, const uint32_t *nodes,
                                        size_t node_count, double *means, double *covariance, crd_error *error) {
    const crd_i_gaussian_part *gaussian = &evidence->parts->parts[part];
    memcpy(evidence->states, states, evidence->parts->network->count * sizeof *states);
    /* Until the means are complete, the covariance storage holds the means of the first combination. */
    for (size_t i = 0; i < node_count; i++) {
        means[i] = 0;
        covariance[i] = NAN;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; pass == 1 && i < node_count; i++) means[i] += covariance[i];
        for (size_t i = 0; pass == 1 && i < node_count * node_count; i++) covariance[i] = 0;
        for (size_t i = 0; i < gaussian->combinations; i++) {
            if (i % COMBINATIONS_A_LOOK == 0 && crd_i_context_cancelled(evidence->parts->context))
                return crd_i_fail_cancelled(error);
            if (!(weights[i] > 0) || !take_combination(evidence, gaussian, i, states)) continue;
            crd_i_gaussian_eliminate(evidence->work, gaussian, evidence->parts->network, evidence->states, numbers);
            gaussian_evidence_add_moments(evidence, weights[i], nodes, node_count, means, covariance,
                                          pass == 0 ? NULL : covariance);
        }
    }
    return CRD_OK;
}
