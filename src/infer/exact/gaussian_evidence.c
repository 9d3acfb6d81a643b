/* SPDX-License-Identifier: MIT */
/* gaussian_evidence.c - see gaussian_evidence.h. */
#include "infer/exact/gaussian_evidence.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point mass is more likely than any density: by this factor's logarithm, beyond which exp is 0, and which leaves
 * logarithms of likelihoods eleven digits. */
static const double POINT_LOG = 0x1p17;

/* Combinations between two looks at whether to go on. */
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
    crd_i_gaussian_evidence *made = crd_i_alloc_zeroed(context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    made->parts = parts;
    made->logs = crd_i_alloc_zeroed(context, parts->count, sizeof *made->logs);
    made->states = crd_i_alloc(context, parts->network->count, sizeof *made->states);
    bool done = made->logs != NULL && made->states != NULL;
    for (size_t i = 0; done && i < parts->count; i++) {
        const crd_i_gaussian_part *part = &parts->parts[i];
        if (part->count == part->hidden_count) continue;
        made->logs[i] = crd_i_alloc(context, part->combinations, sizeof **made->logs);
        done = made->logs[i] != NULL;
    }
    crd_status status = done ? crd_i_gaussian_work_create(parts, &made->work, error) : crd_i_fail_memory(error);
    if (status == CRD_OK) *out = made;
    else crd_i_gaussian_evidence_destroy(made);
    return status;
}

/* Sets the states of a part's boundary to a combination; false: the case observes another one. */
static bool take_combination(crd_i_gaussian_evidence *own, const crd_i_gaussian_part *part, size_t combination,
                             const int32_t *observed) {
    const crd_network *network = own->parts->network;
    for (size_t i = part->set.count; i-- > 0;) {
        uint32_t node = part->set.nodes[i];
        size_t states = crd_i_node_states(&network->nodes[node]);
        own->states[node] = (int32_t)(combination % states);
        combination /= states;
        if (observed[node] >= 0 && observed[node] != own->states[node]) return false;
    }
    return true;
}

static crd_status fill_part(crd_i_gaussian_evidence *own, size_t at, const int32_t *states, const double *numbers,
                            crd_error *error) {
    const crd_i_gaussian_part *part = &own->parts->parts[at];
    double *logs = own->logs[at];
    size_t most = 0, least = SIZE_MAX;
    for (size_t i = 0; i < part->combinations; i++) {
        if (i % COMBINATIONS_A_LOOK == 0 && crd_i_context_cancelled(own->parts->context))
            return crd_i_fail_cancelled(error);
        logs[i] = -INFINITY;
        if (!take_combination(own, part, i, states)) continue;
        crd_i_gaussian_likelihood found =
            crd_i_gaussian_eliminate(own->work, part, own->parts->network, own->states, numbers);
        if (!(found.log > -INFINITY)) continue;
        if (found.points > most) {
            for (size_t j = 0; j < i; j++) logs[j] -= (double)(found.points - most) * POINT_LOG;
            most = found.points;
        }
        if (found.points < least) least = found.points;
        logs[i] = found.log - (double)(most - found.points) * POINT_LOG;
    }
    if (least < most) own->lacking += most - least;
    return CRD_OK;
}

crd_status crd_i_gaussian_evidence_fill(crd_i_gaussian_evidence *evidence, const int32_t *states, const double *numbers,
                                        crd_error *error) {
    memcpy(evidence->states, states, evidence->parts->network->count * sizeof *states);
    crd_status status = CRD_OK;
    evidence->lacking = 0;
    for (size_t i = 0; status == CRD_OK && i < evidence->parts->count; i++)
        if (evidence->logs[i] != NULL) status = fill_part(evidence, i, states, numbers, error);
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

/* Sorts them, and makes one of those that are alike. */
static size_t gather(crd_i_normal_component *components, size_t count) {
    size_t kept = 0;
    if (count > 1) qsort(components, count, sizeof *components, compare_components);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && compare_components(&components[kept - 1], &components[i]) == 0)
            components[kept - 1].weight += components[i].weight;
        else components[kept++] = components[i];
    }
    return kept;
}

static crd_status add_components(crd_i_gaussian_evidence *own, size_t at, const double *weights, const int32_t *states,
                                 const double *numbers, const uint32_t *nodes, size_t node_count,
                                 crd_i_normal_component **out, crd_error *error) {
    const crd_i_gaussian_part *part = &own->parts->parts[at];
    size_t used = 0;
    for (size_t i = 0; i < part->combinations; i++) {
        const double *means, *variances;
        if (i % COMBINATIONS_A_LOOK == 0 && crd_i_context_cancelled(own->parts->context))
            return crd_i_fail_cancelled(error);
        if (!(weights[i] > 0) || !take_combination(own, part, i, states)) continue;
        crd_i_gaussian_eliminate(own->work, part, own->parts->network, own->states, numbers);
        crd_i_gaussian_moments(own->work, &means, &variances);
        for (size_t j = 0; j < node_count; j++) {
            uint32_t member = own->parts->member_of[nodes[j]];
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
            counts[j] = gather(out[j], count);
        } else {
            crd_free(context, out[j]);
            out[j] = NULL;
        }
    }
    return status;
}

void crd_i_mixture_moments(const crd_i_normal_component *components, size_t count, double *mean, double *variance) {
    *mean = *variance = 0;
    /* From the first one on, so that equal means stay what they are. */
    for (size_t i = 0; i < count; i++) *mean += components[i].weight * (components[i].mean - components[0].mean);
    *mean += components[0].mean;
    for (size_t i = 0; i < count; i++) {
        double away = components[i].mean - *mean;
        *variance += components[i].weight * (components[i].variance + away * away);
    }
    if (count == 1) *variance = components[0].variance;
}

/* Adds to the means, from the first combination's on, or, once these are there, to the covariances, what one combination
 * has. */
static void add_moments(crd_i_gaussian_evidence *own, double weight, const uint32_t *nodes, size_t count, double *means,
                        double *first, double *covariance) {
    const uint32_t *member_of = own->parts->member_of;
    const double *own_means, *variances;
    crd_i_gaussian_moments(own->work, &own_means, &variances);
    for (size_t i = 0; i < count; i++) {
        uint32_t a = member_of[nodes[i]];
        if (covariance == NULL && isnan(first[i])) first[i] = own_means[a];
        if (covariance == NULL) means[i] += weight * (own_means[a] - first[i]);
        for (size_t j = 0; covariance != NULL && j < count; j++) {
            uint32_t b = member_of[nodes[j]];
            double away = (own_means[a] - means[i]) * (own_means[b] - means[j]);
            covariance[i * count + j] += weight * (crd_i_gaussian_covariance(own->work, a, b) + away);
        }
    }
}

crd_status crd_i_gaussian_joint_moments(crd_i_gaussian_evidence *evidence, size_t part, const double *weights,
                                        const int32_t *states, const double *numbers, const uint32_t *nodes,
                                        size_t node_count, double *means, double *covariance, crd_error *error) {
    const crd_i_gaussian_part *of = &evidence->parts->parts[part];
    memcpy(evidence->states, states, evidence->parts->network->count * sizeof *states);
    /* The covariances' place has the first combination's means until these are done. */
    for (size_t i = 0; i < node_count; i++) {
        means[i] = 0;
        covariance[i] = NAN;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; pass == 1 && i < node_count; i++) means[i] += covariance[i];
        for (size_t i = 0; pass == 1 && i < node_count * node_count; i++) covariance[i] = 0;
        for (size_t i = 0; i < of->combinations; i++) {
            if (i % COMBINATIONS_A_LOOK == 0 && crd_i_context_cancelled(evidence->parts->context))
                return crd_i_fail_cancelled(error);
            if (!(weights[i] > 0) || !take_combination(evidence, of, i, states)) continue;
            crd_i_gaussian_eliminate(evidence->work, of, evidence->parts->network, evidence->states, numbers);
            add_moments(evidence, weights[i], nodes, node_count, means, covariance, pass == 0 ? NULL : covariance);
        }
    }
    return CRD_OK;
}
