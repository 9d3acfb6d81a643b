/* SPDX-License-Identifier: MIT */
/* gaussian_elimination.c - see gaussian_elimination.h. */
#include "infer/exact/gaussian_elimination.h"

#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/junction_types.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    crd_context *context;
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
    double *dense;       /* the covariance matrix of the neighbours of one node */
};

void crd_i_gaussian_work_destroy(crd_i_gaussian_work *work) {
    if (work == NULL) return;
    crd_context *context = work->context;
    crd_free(context, work->members);
    crd_free(context, work->tails);
    crd_free(context, work->slopes);
    crd_free(context, work->values);
    crd_free(context, work->bucket);
    crd_free(context, work->next);
    crd_free(context, work->single);
    crd_free(context, work->heads);
    crd_free(context, work->new_tail);
    crd_free(context, work->head_slopes);
    crd_free(context, work->own_slopes);
    crd_free(context, work->means);
    crd_free(context, work->variances);
    crd_free(context, work->covariances);
    crd_free(context, work->dense);
    crd_free(context, work);
}

crd_status crd_i_gaussian_work_create(const crd_i_gaussian_parts *parts, crd_i_gaussian_work **out, crd_error *error) {
    crd_context *context = parts->context;
    size_t members = parts->most_members, width = parts->most_width;
    *out = NULL;
    crd_i_gaussian_work *work = crd_i_alloc_zeroed(context, 1, sizeof *work);
    if (work == NULL) return crd_i_fail_memory(error);
    work->context = context;
    work->room_each = width + 1;
    work->members = crd_i_alloc(context, members, sizeof *work->members);
    work->tails = crd_i_alloc(context, members * work->room_each, sizeof *work->tails);
    work->slopes = crd_i_alloc(context, members * work->room_each, sizeof *work->slopes);
    work->values = crd_i_alloc(context, members, sizeof *work->values);
    work->bucket = crd_i_alloc(context, members, sizeof *work->bucket);
    work->next = crd_i_alloc(context, members, sizeof *work->next);
    work->single = crd_i_alloc(context, members, sizeof *work->single);
    work->heads = crd_i_alloc(context, members, sizeof *work->heads);
    work->new_tail = crd_i_alloc(context, 2 * work->room_each, sizeof *work->new_tail);
    work->head_slopes = crd_i_alloc(context, 2 * work->room_each, sizeof *work->head_slopes);
    work->own_slopes = crd_i_alloc(context, 2 * work->room_each, sizeof *work->own_slopes);
    work->means = crd_i_alloc(context, members, sizeof *work->means);
    work->variances = crd_i_alloc(context, members, sizeof *work->variances);
    work->covariances = crd_i_alloc(context, parts->most_later, sizeof *work->covariances);
    work->dense = crd_i_alloc(context, width * width, sizeof *work->dense);
    if (work->members == NULL || work->tails == NULL || work->slopes == NULL || work->values == NULL ||
        work->bucket == NULL || work->next == NULL || work->single == NULL || work->heads == NULL ||
        work->new_tail == NULL || work->head_slopes == NULL || work->own_slopes == NULL || work->means == NULL ||
        work->variances == NULL || work->covariances == NULL || work->dense == NULL) {
        crd_i_gaussian_work_destroy(work);
        return crd_i_fail_memory(error);
    }
    *out = work;
    return CRD_OK;
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

/* ---- Back ---- */

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

void crd_i_gaussian_moments(crd_i_gaussian_work *work, const double **means, const double **variances) {
    for (size_t i = work->part->hidden_count; i-- > 0;) elimination_go_back(work, (uint32_t)i);
    *means = work->means;
    *variances = work->variances;
}

double crd_i_gaussian_covariance(const crd_i_gaussian_work *work, uint32_t a, uint32_t b) {
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
