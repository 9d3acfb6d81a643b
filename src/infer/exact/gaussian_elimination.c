/* SPDX-License-Identifier: MIT */
/* gaussian_elimination.c - see gaussian_elimination.h.
 *
 * Contents:
 *   1. Elimination of a part
 *   2. Observed numbers
 *   3. Division into parts */
#include "infer/exact/gaussian_elimination.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/junction_types.h"
#include "infer/exact/triangulate.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Elimination of a part ======== */

static const double LOG_TWO_PI = 1.8378770664093454836;

/* Allowed difference between a point mass and its observation, relative to the size of the summands. */
static const double POINT_SLACK = 0x1p-40;

/* A node's regression on hidden nodes in ascending order. `size` is the magnitude of the summands of the constant. */
typedef struct elimination_regression {
    double constant, variance, size;
    size_t count;
    uint32_t *tail;
    double *slopes;
} elimination_regression;

typedef struct elimination_head {
    uint64_t order; /* parents before children */
    uint32_t member;
} elimination_head;

struct crd_i_gaussian_work {
    const crd_i_gaussian_part *part;
    crd_i_gaussian_likelihood likelihood;
    elimination_regression *members; /* hidden, then observed */
    uint32_t *tails;                 /* their storage, room_each apart */
    double *slopes;
    size_t room_each;
    double *values;  /* values of observed members */
    int32_t *bucket; /* by hidden position: the first observation whose first parent it is, or CRD_I_NONE */
    int32_t *next;   /* by member: the next in the same bucket */
    int32_t *single; /* by hidden position: the observation that has no other parent, or CRD_I_NONE */
    elimination_head *heads;
    uint32_t *new_tail; /* scratch for the sum of two regressions */
    double *head_slopes, *own_slopes;
    double *means, *variances;
    double *covariances; /* covariances with later neighbors, in list order */
    double *dense;       /* the covariance matrix of the neighbors of one node */
};

/* Allocates a workspace. Returns NULL if memory runs out; `arena` fails if memory for any part of it runs out. */
static crd_i_gaussian_work *gaussian_work_create(const crd_i_gaussian_parts *parts, crd_i_arena *arena) {
    size_t members = parts->most_members, width = parts->most_width;
    crd_i_gaussian_work *work = crd_i_arena_alloc_zeroed(arena, 1, sizeof *work);
    if (work == NULL) return NULL;
    work->room_each = width + 1;
    work->members = crd_i_arena_alloc(arena, members, sizeof *work->members);
    work->tails = crd_i_arena_alloc(arena, members * work->room_each, sizeof *work->tails);
    work->slopes = crd_i_arena_alloc(arena, members * work->room_each, sizeof *work->slopes);
    work->values = crd_i_arena_alloc(arena, members, sizeof *work->values);
    work->bucket = crd_i_arena_alloc(arena, members, sizeof *work->bucket);
    work->next = crd_i_arena_alloc(arena, members, sizeof *work->next);
    work->single = crd_i_arena_alloc(arena, members, sizeof *work->single);
    work->heads = crd_i_arena_alloc(arena, members, sizeof *work->heads);
    work->new_tail = crd_i_arena_alloc(arena, 2 * work->room_each, sizeof *work->new_tail);
    work->head_slopes = crd_i_arena_alloc(arena, 2 * work->room_each, sizeof *work->head_slopes);
    work->own_slopes = crd_i_arena_alloc(arena, 2 * work->room_each, sizeof *work->own_slopes);
    work->means = crd_i_arena_alloc(arena, members, sizeof *work->means);
    work->variances = crd_i_arena_alloc(arena, members, sizeof *work->variances);
    work->covariances = crd_i_arena_alloc(arena, parts->most_later, sizeof *work->covariances);
    work->dense = crd_i_arena_alloc(arena, width * width, sizeof *work->dense);
    return work;
}

/* ---- Observations ---- */

/* Adds the normal log density of `deviation` from the mean. With zero variance, it is a point mass. */
static void elimination_add_density(crd_i_gaussian_work *work, double deviation, double variance, double size) {
    if (variance > 0) {
        double z = deviation / sqrt(variance);
        work->likelihood.log -= (LOG_TWO_PI + crd_log(variance) + z * z) / 2;
    } else if (fabs(deviation) <= POINT_SLACK * size) {
        work->likelihood.points++;
    } else {
        work->likelihood.log = -INFINITY;
    }
}

/* Merges two observations y = c + b x + e that depend only on the node x into one observation of x: z = (y - c) / b
 * has variance s / b^2, and
 *     N(z1; x, v1) N(z2; x, v2) = N(z1 - z2; 0, v1 + v2) N((z1 v2 + z2 v1) / (v1 + v2); x, v1 v2 / (v1 + v2)).
 * Returns false, without changes, if that leaves the range of doubles. */
static bool elimination_merge(crd_i_gaussian_work *work, uint32_t into, uint32_t source) {
    elimination_regression *a = &work->members[into];
    const elimination_regression *b = &work->members[source];
    double z[2] = {(work->values[into] - a->constant) / a->slopes[0],
                   (work->values[source] - b->constant) / b->slopes[0]};
    double v[2] = {a->variance / a->slopes[0] / a->slopes[0], b->variance / b->slopes[0] / b->slopes[0]};
    double sum = v[0] + v[1];
    double size = (fabs(work->values[into]) + a->size) / fabs(a->slopes[0]) +
                  (fabs(work->values[source]) + b->size) / fabs(b->slopes[0]);
    if (!isfinite(z[0]) || !isfinite(z[1]) || !isfinite(sum) || !isfinite(size)) return false;
    if ((v[0] == 0 && a->variance > 0) || (v[1] == 0 && b->variance > 0)) return false;
    work->likelihood.log -= crd_log(fabs(a->slopes[0])) + crd_log(fabs(b->slopes[0]));
    elimination_add_density(work, z[0] - z[1], sum, size);
    work->values[into] = sum > 0 ? z[0] * (v[1] / sum) + z[1] * (v[0] / sum) : z[0];
    a->variance = sum > 0 ? v[0] * (v[1] / sum) : 0;
    a->constant = 0;
    a->size = size;
    a->slopes[0] = 1;
    return true;
}

static void drop_first(elimination_regression *regression) {
    regression->count--;
    memmove(regression->tail, regression->tail + 1, regression->count * sizeof *regression->tail);
    memmove(regression->slopes, regression->slopes + 1, regression->count * sizeof *regression->slopes);
}

/* Stores an observation at its first parent to be eliminated, or adds its density if it has no parents. */
static void place_observation(crd_i_gaussian_work *work, uint32_t member) {
    elimination_regression *regression = &work->members[member];
    while (regression->count > 0 && regression->slopes[0] == 0) drop_first(regression);
    if (regression->count == 0) {
        elimination_add_density(work, work->values[member] - regression->constant, regression->variance,
                                fabs(work->values[member]) + regression->size);
        return;
    }
    uint32_t first = regression->tail[0];
    if (regression->count == 1) {
        if (work->single[first] != CRD_I_NONE && elimination_merge(work, (uint32_t)work->single[first], member)) return;
        work->single[first] = (int32_t)member;
    }
    work->next[member] = work->bucket[first];
    work->bucket[first] = (int32_t)member;
}

/* Loads the regressions for these states, with observed parents replaced by their values. */
static void elimination_load(crd_i_gaussian_work *work, const crd_i_gaussian_part *part, const crd_network *network,
                             const int32_t *states, const double *numbers) {
    for (size_t i = 0; i < part->count; i++) {
        const crd_i_node *node = &network->nodes[part->nodes[i]];
        elimination_regression *regression = &work->members[i];
        size_t row = 0;
        regression->tail = work->tails + i * work->room_each;
        regression->slopes = work->slopes + i * work->room_each;
        for (size_t j = part->step_starts[i]; j < part->step_starts[i + 1]; j++)
            row += part->steps[j].stride * (size_t)states[part->steps[j].node];
        const double *source = node->table + row * node->width;
        regression->constant = source[0];
        regression->size = fabs(source[0]);
        regression->variance = source[node->width - 1];
        for (size_t j = part->known_starts[i]; j < part->slope_starts[i]; j++) {
            double term = source[part->slopes[j].column] * numbers[part->slopes[j].index];
            regression->constant += term;
            regression->size += fabs(term);
        }
        regression->count = 0;
        for (size_t j = part->slope_starts[i]; j < part->known_starts[i + 1]; j++) {
            if (source[part->slopes[j].column] == 0) continue;
            regression->tail[regression->count] = part->slopes[j].index;
            regression->slopes[regression->count++] = source[part->slopes[j].column];
        }
        if (i >= part->hidden_count) work->values[i] = numbers[part->nodes[i]];
    }
    for (size_t i = 0; i < part->hidden_count; i++) work->bucket[i] = work->single[i] = CRD_I_NONE;
    for (size_t i = part->hidden_count; i < part->count; i++) place_observation(work, (uint32_t)i);
}

/* ---- Exchanges ---- */

/* Lists the parents of both regressions, except the node itself, with their slopes in each. Returns their number. */
static size_t unite_tails(crd_i_gaussian_work *work, const elimination_regression *regression,
                          const elimination_regression *child) {
    size_t count = 0, i = 0, j = 1;
    while (i < regression->count || j < child->count) {
        uint32_t index = i < regression->count ? regression->tail[i] : UINT32_MAX;
        if (j < child->count && child->tail[j] < index) index = child->tail[j];
        work->new_tail[count] = index;
        work->own_slopes[count] = i < regression->count && regression->tail[i] == index ? regression->slopes[i++] : 0;
        work->head_slopes[count++] = j < child->count && child->tail[j] == index ? child->slopes[j++] : 0;
    }
    return count;
}

/* Inserts a parent into a regression in sorted position. */
static void insert_parent(elimination_regression *regression, uint32_t parent, double slope) {
    size_t i = regression->count++;
    for (; i > 0 && regression->tail[i - 1] > parent; i--) {
        regression->tail[i] = regression->tail[i - 1];
        regression->slopes[i] = regression->slopes[i - 1];
    }
    regression->tail[i] = parent;
    regression->slopes[i] = slope;
}

/* Exchanges the node at a position with a child whose first parent it is. */
static void elimination_exchange(crd_i_gaussian_work *work, uint32_t position, uint32_t member) {
    elimination_regression *regression = &work->members[position], *child = &work->members[member];
    bool is_observed = member >= work->part->hidden_count;
    if (child->slopes[0] == 0) {
        drop_first(child);
        return;
    }
    const double d = child->slopes[0], s = regression->variance, t = child->variance, a = regression->constant,
                 c = child->constant;
    size_t count = unite_tails(work, regression, child);
    double v = t + d * d * s;
    child->count = count;
    for (size_t i = 0; i < count; i++) {
        child->tail[i] = work->new_tail[i];
        child->slopes[i] = work->head_slopes[i] + d * work->own_slopes[i];
    }
    double own_size = regression->size, child_size = child->size;
    child->constant = c + d * a;
    child->size = child_size + fabs(d) * own_size;
    child->variance = v;
    if (s == 0) return;
    /* If d^2 s underflows, v may be t, or 0. */
    double k = t == 0 ? 1 / d : d * (s / v), r = t == 0 ? 0 : t / v;
    double h = is_observed ? work->values[member] : 0;
    regression->count = count;
    for (size_t i = 0; i < count; i++) {
        regression->tail[i] = work->new_tail[i];
        regression->slopes[i] = r * work->own_slopes[i] - k * work->head_slopes[i];
    }
    regression->constant = r * a + k * (h - c);
    regression->size = r * own_size + fabs(k) * (fabs(h) + child_size);
    regression->variance = t == 0 ? 0 : r * s;
    if (!is_observed) insert_parent(regression, member, k);
}

static int compare_heads(const void *a, const void *b) {
    const elimination_head *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return (x->member > y->member) - (x->member < y->member);
}

/* Lists the children of a node, parents before children. An observation comes directly after the last of its
 * parents. */
static size_t list_heads(crd_i_gaussian_work *work, uint32_t position) {
    const crd_i_gaussian_part *part = work->part;
    size_t count = 0;
    for (size_t i = part->later_starts[position]; i < part->later_starts[position + 1]; i++) {
        elimination_regression *regression = &work->members[part->later[i]];
        if (regression->count == 0 || regression->tail[0] != position) continue;
        const elimination_head one = {2 * (uint64_t)part->ranks[part->later[i]], part->later[i]};
        work->heads[count++] = one;
    }
    for (int32_t i = work->bucket[position]; i != CRD_I_NONE; i = work->next[i]) {
        const elimination_regression *regression = &work->members[i];
        elimination_head one = {0, (uint32_t)i};
        for (size_t j = 0; j < regression->count; j++) {
            uint64_t order = 2 * (uint64_t)part->ranks[regression->tail[j]] + 1;
            if (order > one.order) one.order = order;
        }
        work->heads[count++] = one;
    }
    if (count > 1) qsort(work->heads, count, sizeof *work->heads, compare_heads);
    return count;
}

crd_i_gaussian_likelihood crd_i_gaussian_eliminate(crd_i_gaussian_work *work, const crd_i_gaussian_part *part,
                                                   const crd_network *network, const int32_t *states,
                                                   const double *numbers) {
    const crd_i_gaussian_likelihood none = {0, 0};
    work->part = part;
    work->likelihood = none;
    elimination_load(work, part, network, states, numbers);
    for (uint32_t i = 0; i < part->hidden_count; i++) {
        size_t count = list_heads(work, i);
        for (size_t j = 0; j < count; j++) {
            uint32_t member = work->heads[j].member;
            elimination_exchange(work, i, member);
            if (member >= part->hidden_count) place_observation(work, member);
        }
    }
    return work->likelihood;
}

/* ---- Backward pass ---- */

/* Collects the covariance matrix of the later neighbors of a node, which are neighbors of each other. */
static void gather_covariances(crd_i_gaussian_work *work, uint32_t position) {
    const crd_i_gaussian_part *part = work->part;
    const uint32_t *later = part->later + part->later_starts[position];
    size_t count = part->later_starts[position + 1] - part->later_starts[position];
    for (size_t i = 0; i < count; i++) {
        size_t index = part->later_starts[later[i]];
        work->dense[i * count + i] = work->variances[later[i]];
        for (size_t j = i + 1; j < count; j++) {
            while (part->later[index] != later[j]) index++;
            work->dense[i * count + j] = work->dense[j * count + i] = work->covariances[index];
        }
    }
}

static void elimination_go_back(crd_i_gaussian_work *work, uint32_t position) {
    const crd_i_gaussian_part *part = work->part;
    const elimination_regression *regression = &work->members[position];
    size_t begin = part->later_starts[position], count = part->later_starts[position + 1] - begin;
    double mean = regression->constant, variance = regression->variance;
    gather_covariances(work, position);
    for (size_t i = 0; i < count; i++) work->covariances[begin + i] = 0;
    for (size_t i = 0, index = 0; i < regression->count; i++) {
        while (part->later[begin + index] != regression->tail[i]) index++;
        mean += regression->slopes[i] * work->means[regression->tail[i]];
        for (size_t j = 0; j < count; j++)
            work->covariances[begin + j] += regression->slopes[i] * work->dense[index * count + j];
    }
    for (size_t i = 0, index = 0; i < regression->count; i++) {
        while (part->later[begin + index] != regression->tail[i]) index++;
        variance += regression->slopes[i] * work->covariances[begin + index];
    }
    work->means[position] = mean;
    work->variances[position] = variance > 0 ? variance : 0;
}

/* Returns posterior means and variances by hidden position. Call it after crd_i_gaussian_eliminate; the arrays are
 * valid until the next call. */
static void elimination_moments(crd_i_gaussian_work *work, const double **means, const double **variances) {
    for (size_t i = work->part->hidden_count; i-- > 0;) elimination_go_back(work, (uint32_t)i);
    *means = work->means;
    *variances = work->variances;
}

/* Returns the covariance of two neighboring hidden nodes, or the variance of one. Call it after
 * elimination_moments. */
static double gaussian_covariance(const crd_i_gaussian_work *work, uint32_t a, uint32_t b) {
    const crd_i_gaussian_part *part = work->part;
    if (a == b) return work->variances[a];
    uint32_t first = a < b ? a : b, second = a < b ? b : a;
    size_t index = part->later_starts[first];
    while (part->later[index] != second) index++;
    return work->covariances[index];
}

void crd_i_gaussian_draw(const crd_i_gaussian_work *work, crd_i_random *random, double *numbers) {
    const crd_i_gaussian_part *part = work->part;
    for (size_t i = part->hidden_count; i-- > 0;) {
        const elimination_regression *regression = &work->members[i];
        double value = regression->constant;
        for (size_t j = 0; j < regression->count; j++)
            value += regression->slopes[j] * numbers[part->nodes[regression->tail[j]]];
        numbers[part->nodes[i]] = value + sqrt(regression->variance) * crd_i_random_normal(random);
    }
}

/* ======== 2. Observed numbers ========
 *
 * Observed numbers change the probabilities of the discrete nodes. */

/* Log of the factor by which a point mass outweighs any density. exp underflows to 0 beyond it, and log likelihoods
 * keep eleven digits. */
static const double POINT_LOG = 0x1p17;

/* Combinations processed between two checks for cancellation. */
enum { COMBINATIONS_A_LOOK = 256 };

void crd_i_gaussian_evidence_destroy(crd_i_gaussian_evidence *evidence) {
    if (evidence != NULL) crd_i_arena_destroy(evidence->arena);
}

crd_status crd_i_gaussian_evidence_create(const crd_i_gaussian_parts *parts, crd_i_gaussian_evidence **out,
                                          crd_error *error) {
    *out = NULL;
    crd_i_gaussian_evidence *evidence = crd_i_arena_object(parts->context, sizeof *evidence);
    if (evidence == NULL) return crd_i_fail_memory(error);
    crd_i_arena *arena = evidence->arena;
    evidence->parts = parts;
    evidence->work = gaussian_work_create(parts, arena);
    evidence->states = crd_i_arena_alloc(arena, parts->network->count, sizeof *evidence->states);
    evidence->logs = crd_i_arena_alloc_zeroed(arena, parts->count, sizeof *evidence->logs);
    for (size_t i = 0; evidence->logs != NULL && i < parts->count; i++) {
        const crd_i_gaussian_part *part = &parts->parts[i];
        if (part->count > part->hidden_count)
            evidence->logs[i] = crd_i_arena_alloc(arena, part->combinations, sizeof **evidence->logs);
    }
    crd_status status = crd_i_arena_check(arena, error);
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
    const crd_normal_component *x = a, *y = b;
    if (x->mean != y->mean) return x->mean < y->mean ? -1 : 1;
    return (x->variance > y->variance) - (x->variance < y->variance);
}

/* Sorts the components and merges equal ones. */
static size_t gaussian_evidence_gather(crd_normal_component *components, size_t count) {
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
                                 crd_normal_component **out, crd_error *error) {
    const crd_i_gaussian_part *part = &evidence->parts->parts[index];
    size_t used = 0;
    for (size_t i = 0; i < part->combinations; i++) {
        const double *means, *variances;
        if (i % COMBINATIONS_A_LOOK == 0 && crd_i_context_cancelled(evidence->parts->context))
            return crd_i_fail_cancelled(error);
        if (!(weights[i] > 0) || !take_combination(evidence, part, i, states)) continue;
        crd_i_gaussian_eliminate(evidence->work, part, evidence->parts->network, evidence->states, numbers);
        elimination_moments(evidence->work, &means, &variances);
        for (size_t j = 0; j < node_count; j++) {
            uint32_t member = evidence->parts->member_of[nodes[j]];
            const crd_normal_component one = {weights[i], means[member], variances[member]};
            out[j][used] = one;
        }
        used++;
    }
    return CRD_OK;
}

crd_status crd_i_gaussian_mixtures(crd_i_gaussian_evidence *evidence, size_t part, const double *weights,
                                   const int32_t *states, const double *numbers, const uint32_t *nodes,
                                   size_t node_count, crd_normal_component **out, size_t *counts, crd_error *error) {
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

void crd_i_mixture_moments(const crd_normal_component *components, size_t count, double *mean, double *variance) {
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
    elimination_moments(evidence->work, &own_means, &variances);
    for (size_t i = 0; i < count; i++) {
        uint32_t a = member_of[nodes[i]];
        if (covariance == NULL && isnan(first[i])) first[i] = own_means[a];
        if (covariance == NULL) means[i] += weight * (own_means[a] - first[i]);
        for (size_t j = 0; covariance != NULL && j < count; j++) {
            uint32_t b = member_of[nodes[j]];
            double away = (own_means[a] - means[i]) * (own_means[b] - means[j]);
            covariance[i * count + j] += weight * (gaussian_covariance(evidence->work, a, b) + away);
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

/* ======== 3. Division into parts ======== */

static const uint32_t NOWHERE = UINT32_MAX;
/* Regressions only take the square of a clique's size, so no further orders are tried. */
static const double ANY_CELLS = 1e300;

typedef struct parts_division {
    const crd_network *network;
    crd_context *context;
    crd_i_arena *arena; /* of the parts */
    const bool *observed, *asked;
    bool together;
    bool *needed;     /* by node */
    uint32_t *leader; /* by node: union-find */
    uint32_t *rank;   /* by node, in the order of the network */
    uint32_t *marks;  /* by node */
    uint32_t stamp;
    crd_i_gaussian_parts *parts;
    double memory;
} parts_division;

static bool is_gaussian(const parts_division *division, uint32_t node) {
    return division->network->nodes[node].kind == CRD_NODE_GAUSSIAN;
}

static bool gaussian_parts_is_hidden(const parts_division *division, uint32_t node) {
    return is_gaussian(division, node) && !division->observed[node];
}

static bool gaussian_parts_is_asked(const parts_division *division, uint32_t node) {
    return division->asked != NULL && division->asked[node] && gaussian_parts_is_hidden(division, node);
}

/* ---- Connected parts ---- */

static uint32_t leader_of(parts_division *division, uint32_t node) {
    while (division->leader[node] != node) {
        division->leader[node] = division->leader[division->leader[node]];
        node = division->leader[node];
    }
    return node;
}

static void gaussian_parts_unite(parts_division *division, uint32_t a, uint32_t b) {
    uint32_t first = leader_of(division, a), second = leader_of(division, b);
    if (first < second) division->leader[second] = first;
    else division->leader[first] = second;
}

/* The loop visits children before parents, so nodes are marked before they are reached. */
static void gaussian_parts_mark_needed(parts_division *division) {
    const crd_network *network = division->network;
    for (size_t i = network->count; i-- > 0;) {
        uint32_t index = network->order[i];
        const crd_i_node *node = &network->nodes[index];
        division->rank[index] = (uint32_t)i;
        division->leader[index] = index;
        if (!is_gaussian(division, index)) continue;
        if (division->observed[index] || (division->asked != NULL && division->asked[index]))
            division->needed[index] = true;
        for (size_t j = 0; division->needed[index] && j < node->parent_count; j++)
            if (gaussian_parts_is_hidden(division, node->parents[j])) division->needed[node->parents[j]] = true;
    }
}

/* Joins hidden nodes that occur in the same regression. Also joins observed nodes without hidden parents that have
 * the same single discrete parent, or none: their likelihoods form one table. */
static void gaussian_parts_join(parts_division *division) {
    const crd_network *network = division->network;
    uint32_t *same = division->marks; /* by discrete node: a node whose only discrete parent it is */
    uint32_t alone = NOWHERE;
    for (size_t i = 0; i < network->count; i++) same[i] = NOWHERE;
    for (uint32_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        uint32_t only = NOWHERE;
        size_t open = 0;
        bool is_alone = division->observed[i];
        if (!division->needed[i]) continue;
        for (size_t j = 0; j < node->parent_count; j++) {
            uint32_t parent = node->parents[j];
            if (gaussian_parts_is_hidden(division, parent)) {
                gaussian_parts_unite(division, i, parent);
                is_alone = false;
            } else if (!is_gaussian(division, parent) && !division->observed[parent]) {
                only = parent;
                open++;
            }
        }
        if (!is_alone || open > 1) continue;
        uint32_t *first = open == 0 ? &alone : &same[only];
        if (*first != NOWHERE) gaussian_parts_unite(division, i, *first);
        *first = i;
    }
    uint32_t first_asked = NOWHERE;
    for (uint32_t i = 0; division->together && i < network->count; i++) {
        if (!gaussian_parts_is_asked(division, i)) continue;
        if (first_asked != NOWHERE) gaussian_parts_unite(division, i, first_asked);
        first_asked = i;
    }
    memset(division->marks, 0, network->count * sizeof *division->marks);
}

static bool number_parts(parts_division *division) {
    crd_i_gaussian_parts *gaussian = division->parts;
    size_t count = division->network->count;
    gaussian->part_of = crd_i_arena_alloc(division->arena, count, sizeof *gaussian->part_of);
    gaussian->member_of = crd_i_arena_alloc(division->arena, count, sizeof *gaussian->member_of);
    if (gaussian->member_of == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        gaussian->part_of[i] = NOWHERE;
        if (division->needed[i] && leader_of(division, i) == i) gaussian->part_of[i] = (uint32_t)gaussian->count++;
    }
    gaussian->parts = crd_i_arena_alloc_zeroed(division->arena, gaussian->count, sizeof *gaussian->parts);
    gaussian->sets = crd_i_arena_alloc_zeroed(division->arena, gaussian->count, sizeof *gaussian->sets);
    if (gaussian->sets == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!division->needed[i]) continue;
        gaussian->part_of[i] = gaussian->part_of[leader_of(division, i)];
        gaussian->parts[gaussian->part_of[i]].count++;
        gaussian->parts[gaussian->part_of[i]].hidden_count += gaussian_parts_is_hidden(division, i);
    }
    for (size_t i = 0; i < gaussian->count; i++) {
        gaussian->parts[i].nodes =
            crd_i_arena_alloc(division->arena, gaussian->parts[i].count, sizeof *gaussian->parts[i].nodes);
        if (gaussian->parts[i].nodes == NULL) return false;
        gaussian->parts[i].count = 0;
    }
    /* Hidden nodes come first. */
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++) {
            if (!division->needed[i] || gaussian_parts_is_hidden(division, i) != (pass == 0)) continue;
            crd_i_gaussian_part *part = &gaussian->parts[gaussian->part_of[i]];
            gaussian->member_of[i] = (uint32_t)part->count;
            part->nodes[part->count++] = i;
            part->is_asked =
                part->is_asked || (division->asked != NULL && division->asked[i] && !division->observed[i]);
        }
    return true;
}

/* ---- Elimination order ---- */

static uint32_t gaussian_parts_new_stamp(parts_division *division) {
    return ++division->stamp;
}

/* Adds the neighbors of hidden member i: nodes in its own regression or in the regression of one of its children. */
static bool add_neighbors(parts_division *division, const crd_i_gaussian_part *part, uint32_t i,
                          crd_i_domain_graph *graph, size_t *used, size_t *workspace) {
    const crd_network *network = division->network;
    const crd_i_node *node = &network->nodes[part->nodes[i]];
    uint32_t stamp = gaussian_parts_new_stamp(division);
    division->marks[part->nodes[i]] = stamp;
    for (uint32_t j = 0;
         division->together && gaussian_parts_is_asked(division, part->nodes[i]) && j < part->hidden_count; j++) {
        if (j == i || !gaussian_parts_is_asked(division, part->nodes[j])) continue;
        if (!crd_i_reserve(division->context, &graph->near, workspace, *used + 1, sizeof *graph->near)) return false;
        division->marks[part->nodes[j]] = stamp;
        graph->near[(*used)++] = j;
    }
    for (size_t c = 0; c <= node->child_count; c++) {
        uint32_t child = c < node->child_count ? node->children[c] : part->nodes[i];
        const crd_i_node *family = &network->nodes[child];
        if (!division->needed[child]) continue;
        for (size_t j = 0; j <= family->parent_count; j++) {
            uint32_t near = j < family->parent_count ? family->parents[j] : child;
            if (!gaussian_parts_is_hidden(division, near) || division->marks[near] == stamp) continue;
            if (!crd_i_reserve(division->context, &graph->near, workspace, *used + 1, sizeof *graph->near))
                return false;
            division->marks[near] = stamp;
            graph->near[(*used)++] = division->parts->member_of[near];
        }
    }
    return true;
}

/* Reorders the hidden members by elimination and lists their neighbors as positions. */
static bool take_order(parts_division *division, crd_i_gaussian_part *part, const crd_i_elimination *elimination,
                       crd_i_arena *scratch) {
    size_t hidden = part->hidden_count, total = elimination->starts[hidden];
    uint32_t *nodes = crd_i_arena_copy(scratch, part->nodes, hidden, sizeof *nodes);
    part->later_starts = crd_i_arena_copy(division->arena, elimination->starts, hidden + 1, sizeof *part->later_starts);
    part->later = crd_i_arena_alloc(division->arena, total, sizeof *part->later);
    if (nodes == NULL || part->later == NULL) return false;
    for (uint32_t i = 0; i < hidden; i++) {
        part->nodes[i] = nodes[elimination->order[i]];
        division->parts->member_of[part->nodes[i]] = i;
    }
    for (size_t i = 0; i < hidden; i++) {
        size_t begin = elimination->starts[i], count = elimination->starts[i + 1] - begin;
        for (size_t j = 0; j < count; j++)
            part->later[begin + j] = division->parts->member_of[nodes[elimination->later[begin + j]]];
        crd_i_sort_positions(part->later + begin, count);
        if (count > part->width) part->width = count;
    }
    return true;
}

/* Computes the elimination order as for a junction tree. A single queried node is eliminated last: its regression is
 * then its posterior, free of rounding errors of other nodes. */
static crd_status order_part(parts_division *division, crd_i_gaussian_part *part, crd_error *error) {
    size_t hidden = part->hidden_count, used = 0, capacity = 0, requested = 0;
    crd_i_domain_graph graph = {.count = hidden};
    crd_i_elimination elimination = {0};
    crd_i_arena *scratch = crd_i_arena_create(division->context);
    size_t *states = crd_i_arena_alloc(scratch, hidden, sizeof *states);
    bool *is_last = crd_i_arena_alloc(scratch, hidden, sizeof *is_last);
    graph.starts = crd_i_arena_alloc(scratch, hidden + 1, sizeof *graph.starts);
    bool done = graph.starts != NULL;
    for (uint32_t i = 0; done && i < hidden; i++) {
        states[i] = 2;
        is_last[i] = gaussian_parts_is_asked(division, part->nodes[i]);
        requested += is_last[i];
        graph.starts[i] = used;
        done = add_neighbors(division, part, i, &graph, &used, &capacity);
    }
    if (done) graph.starts[hidden] = used;
    graph.states = states;
    graph.is_last = requested == 1 || division->together ? is_last : NULL;
    crd_status status =
        done ? crd_i_triangulate(division->context, &graph, ANY_CELLS, &elimination, error) : crd_i_fail_memory(error);
    if (status == CRD_OK && !take_order(division, part, &elimination, scratch)) status = crd_i_fail_memory(error);
    crd_i_elimination_clear(division->context, &elimination);
    crd_free(division->context, graph.near);
    crd_i_arena_destroy(scratch);
    return status;
}

/* ---- Regressions and boundaries ---- */

static void sort_slopes(crd_i_slope *slopes, size_t count) {
    for (size_t i = 1; i < count; i++) {
        crd_i_slope slope = slopes[i];
        size_t j = i;
        for (; j > 0 && slopes[j - 1].index > slope.index; j--) slopes[j] = slopes[j - 1];
        slopes[j] = slope;
    }
}

/* Lists the parents of a member. */
static void list_parents(const parts_division *division, crd_i_gaussian_part *part, size_t member, size_t *steps,
                         size_t *slopes) {
    const crd_network *network = division->network;
    const crd_i_node *node = &network->nodes[part->nodes[member]];
    size_t stride = 1;
    part->ranks[member] = division->rank[part->nodes[member]];
    part->step_starts[member] = *steps;
    part->known_starts[member] = *slopes;
    for (size_t j = node->parent_count; j-- > 0;) {
        uint32_t parent = node->parents[j];
        if (is_gaussian(division, parent)) continue;
        part->steps[*steps].node = parent;
        part->steps[(*steps)++].stride = stride;
        stride *= crd_i_node_states(&network->nodes[parent]);
    }
    for (int pass = 0; pass < 2; pass++) {
        uint32_t column = 0;
        if (pass == 1) part->slope_starts[member] = *slopes;
        for (size_t j = 0; j < node->parent_count; j++) {
            uint32_t parent = node->parents[j];
            if (!is_gaussian(division, parent)) continue;
            column++;
            if (gaussian_parts_is_hidden(division, parent) != (pass == 1)) continue;
            part->slopes[*slopes].index = pass == 1 ? division->parts->member_of[parent] : parent;
            part->slopes[(*slopes)++].column = column;
        }
    }
    sort_slopes(part->slopes + part->slope_starts[member], *slopes - part->slope_starts[member]);
}

static bool gaussian_parts_list_members(parts_division *division, crd_i_gaussian_part *part) {
    crd_i_arena *arena = division->arena;
    size_t arcs = 0, steps = 0, slopes = 0;
    for (size_t i = 0; i < part->count; i++) arcs += division->network->nodes[part->nodes[i]].parent_count;
    part->ranks = crd_i_arena_alloc(arena, part->count, sizeof *part->ranks);
    part->step_starts = crd_i_arena_alloc(arena, part->count + 1, sizeof *part->step_starts);
    part->known_starts = crd_i_arena_alloc(arena, part->count + 1, sizeof *part->known_starts);
    part->slope_starts = crd_i_arena_alloc(arena, part->count, sizeof *part->slope_starts);
    part->steps = crd_i_arena_alloc(arena, arcs, sizeof *part->steps);
    part->slopes = crd_i_arena_alloc(arena, arcs, sizeof *part->slopes);
    part->set.nodes = crd_i_arena_alloc(arena, arcs, sizeof *part->set.nodes);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t i = 0; i < part->count; i++) list_parents(division, part, i, &steps, &slopes);
    part->step_starts[part->count] = steps;
    part->known_starts[part->count] = slopes;
    return true;
}

static crd_status gaussian_parts_find_boundary(parts_division *division, crd_i_gaussian_part *part, crd_error *error) {
    uint32_t stamp = gaussian_parts_new_stamp(division);
    double combinations = 1;
    for (size_t i = 0; i < part->step_starts[part->count]; i++) {
        uint32_t node = part->steps[i].node;
        if (division->observed[node] || division->marks[node] == stamp) continue;
        division->marks[node] = stamp;
        part->set.nodes[part->set.count++] = node;
        combinations *= (double)crd_i_node_states(&division->network->nodes[node]);
    }
    crd_i_sort_positions(part->set.nodes, part->set.count);
    double bytes = combinations * (double)sizeof(double);
    char bytes_room[CRD_I_BYTES_ROOM], quoted[CRD_I_QUOTED_ROOM];
    if (combinations > CRD_I_MOST_CELLS || (division->memory > 0 && bytes > division->memory)) {
        crd_i_fail(error, CRD_ERROR_LIMIT,
                   "an exact result needs all %.3g combinations of the states of %zu discrete nodes, on which %s and "
                   "the nodes connected with it depend: %s of memory",
                   combinations, part->set.count, crd_i_quote(division->network->nodes[part->nodes[0]].name, quoted),
                   crd_i_describe_bytes(bytes, bytes_room));
        crd_i_error_hint(error, "add evidence on these nodes to reduce the combinations; approximate inference does "
                                "not support continuous nodes");
        return CRD_ERROR_LIMIT;
    }
    part->combinations = (size_t)combinations;
    return CRD_OK;
}

/* ---- All parts ---- */

void crd_i_gaussian_parts_destroy(crd_i_gaussian_parts *parts) {
    if (parts != NULL) crd_i_arena_destroy(parts->arena);
}

static crd_status gaussian_parts_divide(parts_division *division, crd_error *error) {
    crd_i_gaussian_parts *gaussian = division->parts;
    gaussian_parts_mark_needed(division);
    gaussian_parts_join(division);
    if (!number_parts(division)) return crd_i_fail_memory(error);
    for (size_t i = 0; i < gaussian->count; i++) {
        crd_i_gaussian_part *part = &gaussian->parts[i];
        crd_status status = order_part(division, part, error);
        if (status == CRD_OK && !gaussian_parts_list_members(division, part)) status = crd_i_fail_memory(error);
        if (status == CRD_OK) status = gaussian_parts_find_boundary(division, part, error);
        if (status != CRD_OK) return status;
        gaussian->sets[i] = part->set;
        size_t later = part->later_starts[part->hidden_count];
        if (part->count > gaussian->most_members) gaussian->most_members = part->count;
        if (part->width > gaussian->most_width) gaussian->most_width = part->width;
        if (later > gaussian->most_later) gaussian->most_later = later;
    }
    return CRD_OK;
}

crd_status crd_i_gaussian_parts_create(const crd_network *network, const bool *observed, const bool *asked,
                                       bool together, double memory, crd_i_gaussian_parts **out, crd_error *error) {
    *out = NULL;
    crd_i_gaussian_parts *parts = crd_i_arena_object(network->context, sizeof *parts);
    if (parts == NULL) return crd_i_fail_memory(error);
    parts->context = network->context;
    parts->network = network;
    parts_division division = {.network = network,
                               .context = network->context,
                               .arena = parts->arena,
                               .observed = observed,
                               .asked = asked,
                               .together = together,
                               .parts = parts,
                               .memory = memory};
    crd_i_arena *scratch = crd_i_arena_create(network->context);
    division.needed = crd_i_arena_alloc_zeroed(scratch, network->count, sizeof *division.needed);
    division.leader = crd_i_arena_alloc(scratch, network->count, sizeof *division.leader);
    division.rank = crd_i_arena_alloc(scratch, network->count, sizeof *division.rank);
    division.marks = crd_i_arena_alloc(scratch, network->count, sizeof *division.marks);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status == CRD_OK) status = gaussian_parts_divide(&division, error);
    crd_i_arena_destroy(scratch);
    if (status == CRD_OK) *out = parts;
    else crd_i_gaussian_parts_destroy(parts);
    return status;
}
