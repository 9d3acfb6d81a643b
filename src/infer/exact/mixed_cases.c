/* SPDX-License-Identifier: MIT */
/* mixed_cases.c - see mixed_cases.h. */
#include "infer/exact/mixed_cases.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/gaussian_elimination.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* Number of unused plans that are kept. */
enum { MOST_PLANS = 64 };

/* The compiled structures for cases that observe the same nodes. Used by one thread at a time. */
typedef struct plan {
    crd_i_arena *arena;
    bool *observed; /* by node */
    crd_i_gaussian_parts *parts;
    crd_i_gaussian_evidence *gaussian;
    crd_i_junction *junction;
    crd_i_junction_work *work;
    /* by part: storage for the joint posterior of its boundary if one of its nodes is wanted, or NULL */
    double **joints;
    struct plan *next;
} plan;

struct crd_i_mixed_cases {
    const crd_network *network;
    const bool *wanted;
    double memory;
    pthread_mutex_t lock; /* protects the members below */
    plan *plans;          /* unused plans, the most recent first */
    size_t plan_count;
};

static void destroy_plan(plan *one) {
    if (one == NULL) return;
    crd_i_junction_work_destroy(one->work);
    crd_i_junction_destroy(one->junction);
    crd_i_gaussian_evidence_destroy(one->gaussian);
    crd_i_gaussian_parts_destroy(one->parts);
    crd_i_arena_destroy(one->arena);
}

void crd_i_mixed_cases_destroy(crd_i_mixed_cases *cases) {
    if (cases == NULL) return;
    while (cases->plans != NULL) {
        plan *one = cases->plans;
        cases->plans = one->next;
        destroy_plan(one);
    }
    pthread_mutex_destroy(&cases->lock);
    crd_free(cases->network->context, cases);
}

crd_status crd_i_mixed_cases_create(const crd_network *network, const bool *wanted, double memory,
                                    crd_i_mixed_cases **out, crd_error *error) {
    *out = NULL;
    crd_i_mixed_cases *cases = crd_i_alloc_zeroed(network->context, 1, sizeof *cases);
    if (cases == NULL) return crd_i_fail_memory(error);
    int refused = pthread_mutex_init(&cases->lock, NULL);
    if (refused != 0) {
        crd_free(network->context, cases);
        return crd_i_fail_system(error, refused, "cannot create a lock");
    }
    cases->network = network;
    cases->wanted = wanted;
    cases->memory = memory;
    *out = cases;
    return CRD_OK;
}

/* ---- Plans ---- */

/* Marks the tables of all ancestors of observed or wanted nodes. */
static void mark_tables(const crd_i_mixed_cases *cases, const bool *observed, const crd_i_evidence *findings,
                        bool *tables) {
    const crd_network *network = cases->network;
    for (size_t i = network->count; i-- > 0;) {
        uint32_t node = network->order[i];
        bool is_soft = findings->likelihoods != NULL && findings->likelihoods[node] != NULL;
        if (observed[node] || cases->wanted[node] || is_soft) tables[node] = true;
        for (size_t j = 0; tables[node] && j < network->nodes[node].parent_count; j++)
            tables[network->nodes[node].parents[j]] = true;
    }
}

static crd_status make_joints(plan *new_plan, crd_error *error) {
    const crd_i_gaussian_parts *parts = new_plan->parts;
    new_plan->joints = crd_i_arena_alloc_zeroed(new_plan->arena, parts->count, sizeof *new_plan->joints);
    for (size_t i = 0; new_plan->joints != NULL && i < parts->count; i++)
        if (parts->parts[i].is_asked)
            new_plan->joints[i] =
                crd_i_arena_alloc(new_plan->arena, parts->parts[i].combinations, sizeof **new_plan->joints);
    return crd_i_arena_check(new_plan->arena, error);
}

static crd_status mixed_cases_compile(const crd_i_mixed_cases *cases, const crd_i_evidence *findings, plan *new_plan,
                                      crd_error *error) {
    const crd_network *network = cases->network;
    bool *tables = crd_i_arena_alloc_zeroed(new_plan->arena, network->count, sizeof *tables);
    if (tables == NULL) return crd_i_fail_memory(error);
    mark_tables(cases, new_plan->observed, findings, tables);
    crd_status status = crd_i_gaussian_parts_create(network, new_plan->observed, cases->wanted, false, cases->memory,
                                                    &new_plan->parts, error);
    if (status != CRD_OK) return status;
    const crd_i_junction_options options = {.tables = tables,
                                            .observed = new_plan->observed,
                                            .sets = new_plan->parts->sets,
                                            .set_count = new_plan->parts->count,
                                            .memory = cases->memory,
                                            .is_for_one_case = true};
    status = crd_i_junction_compile(network, &options, &new_plan->junction, error);
    if (status == CRD_OK) status = crd_i_junction_work_create(new_plan->junction, &new_plan->work, error);
    if (status == CRD_OK) status = crd_i_gaussian_evidence_create(new_plan->parts, &new_plan->gaussian, error);
    return status == CRD_OK ? make_joints(new_plan, error) : status;
}

static plan *find_plan(crd_i_mixed_cases *cases, const bool *observed) {
    size_t size = cases->network->count * sizeof *observed;
    plan **current_plan = &cases->plans;
    while (*current_plan != NULL && memcmp((*current_plan)->observed, observed, size) != 0)
        current_plan = &(*current_plan)->next;
    plan *found_plan = *current_plan;
    if (found_plan == NULL) return NULL;
    *current_plan = found_plan->next;
    cases->plan_count--;
    return found_plan;
}

static crd_status take_plan(crd_i_mixed_cases *cases, const crd_i_evidence *findings, const double *numbers, plan **out,
                            crd_error *error) {
    const crd_network *network = cases->network;
    *out = NULL;
    plan *new_plan = crd_i_arena_object(network->context, sizeof *new_plan);
    if (new_plan == NULL) return crd_i_fail_memory(error);
    bool *observed = crd_i_arena_alloc(new_plan->arena, network->count, sizeof *observed);
    crd_status status = crd_i_arena_check(new_plan->arena, error);
    if (status != CRD_OK) goto fail;
    new_plan->observed = observed;
    for (size_t i = 0; i < network->count; i++)
        observed[i] = network->nodes[i].kind == CRD_NODE_GAUSSIAN ? !isnan(numbers[i]) : findings->states[i] >= 0;
    pthread_mutex_lock(&cases->lock);
    *out = find_plan(cases, observed);
    pthread_mutex_unlock(&cases->lock);
    if (*out != NULL) {
        destroy_plan(new_plan);
        return CRD_OK;
    }
    status = mixed_cases_compile(cases, findings, new_plan, error);
    if (status != CRD_OK) goto fail;
    *out = new_plan;
    return CRD_OK;
fail:
    destroy_plan(new_plan);
    return status;
}

static void mixed_cases_give_back(crd_i_mixed_cases *cases, plan *one) {
    plan *dropped = NULL;
    pthread_mutex_lock(&cases->lock);
    one->next = cases->plans;
    cases->plans = one;
    if (++cases->plan_count > MOST_PLANS) {
        plan **last = &cases->plans;
        while ((*last)->next != NULL) last = &(*last)->next;
        dropped = *last;
        *last = NULL;
        cases->plan_count--;
    }
    pthread_mutex_unlock(&cases->lock);
    destroy_plan(dropped);
}

/* Computes mean and variance of the wanted Gaussian nodes from the joint posteriors of the boundaries. */
static crd_status mixed_cases_find_moments(const crd_i_mixed_cases *cases, plan *one, const crd_i_evidence *findings,
                                           const double *numbers, double *moments, crd_error *error) {
    const crd_network *network = cases->network;
    for (uint32_t i = 0; i < network->count; i++) {
        crd_normal_component *components = NULL;
        size_t count = 0;
        if (!cases->wanted[i] || network->nodes[i].kind != CRD_NODE_GAUSSIAN) continue;
        moments[2 * i] = numbers[i];
        moments[2 * i + 1] = 0;
        if (one->observed[i]) continue;
        size_t part = one->parts->part_of[i];
        crd_status status = crd_i_gaussian_mixtures(one->gaussian, part, one->joints[part], findings->states, numbers,
                                                    &i, 1, &components, &count, error);
        if (status != CRD_OK) return status;
        crd_i_mixture_moments(components, count, &moments[2 * i], &moments[2 * i + 1]);
        crd_free(network->context, components);
    }
    return CRD_OK;
}

crd_status crd_i_mixed_cases_ask(crd_i_mixed_cases *cases, const crd_i_evidence *findings, const double *numbers,
                                 double *posteriors, double *moments, double *log_evidence, crd_error *error) {
    plan *one;
    crd_status status = take_plan(cases, findings, numbers, &one, error);
    if (status != CRD_OK) return status;
    status = crd_i_gaussian_evidence_fill(one->gaussian, findings->states, numbers, error);
    if (status == CRD_OK) {
        crd_i_evidence evidence = *findings;
        evidence.set_logs = (const double *const *)one->gaussian->logs;
        status = moments == NULL
                     ? crd_i_junction_ask(one->work, &evidence, cases->wanted, posteriors, log_evidence, error)
                     : crd_i_junction_ask_sets(one->work, &evidence, one->joints, cases->wanted, posteriors,
                                               log_evidence, error);
        if (status == CRD_OK && log_evidence != NULL)
            *log_evidence = crd_i_gaussian_log_evidence(one->gaussian, *log_evidence);
        if (status == CRD_OK && moments != NULL)
            status = mixed_cases_find_moments(cases, one, findings, numbers, moments, error);
    }
    mixed_cases_give_back(cases, one);
    return status;
}
