/* SPDX-License-Identifier: MIT */
/* mixed_cases.c - see mixed_cases.h. */
#include "infer/exact/mixed_cases.h"

#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/gaussian_evidence.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* Plans that are kept while nobody uses them. */
enum { MOST_PLANS = 64 };

/* What cases need that observe the same nodes; used by one thread at a time. */
typedef struct plan {
    bool *observed; /* by node */
    crd_i_gaussian_parts *parts;
    crd_i_gaussian_evidence *gaussian;
    crd_i_junction *junction;
    crd_i_junction_work *work;
    double **joints; /* by part: room for the joint posterior of its boundary where a node of it is wanted, or NULL */
    struct plan *next;
} plan;

struct crd_i_mixed_cases {
    const crd_network *network;
    const bool *wanted;
    double memory;
    pthread_mutex_t lock; /* of what follows */
    plan *plans;          /* that nobody uses, the latest first */
    size_t plan_count;
};

static void destroy_plan(crd_context *context, plan *one) {
    if (one == NULL) return;
    crd_i_junction_work_destroy(one->work);
    crd_i_junction_destroy(one->junction);
    for (size_t i = 0; one->joints != NULL && i < one->parts->count; i++) crd_free(context, one->joints[i]);
    crd_free(context, one->joints);
    crd_i_gaussian_evidence_destroy(one->gaussian);
    crd_i_gaussian_parts_destroy(one->parts);
    crd_free(context, one->observed);
    crd_free(context, one);
}

void crd_i_mixed_cases_destroy(crd_i_mixed_cases *cases) {
    if (cases == NULL) return;
    while (cases->plans != NULL) {
        plan *one = cases->plans;
        cases->plans = one->next;
        destroy_plan(cases->network->context, one);
    }
    pthread_mutex_destroy(&cases->lock);
    crd_free(cases->network->context, cases);
}

crd_status crd_i_mixed_cases_create(const crd_network *network, const bool *wanted, double memory,
                                    crd_i_mixed_cases **out, crd_error *error) {
    *out = NULL;
    crd_i_mixed_cases *made = crd_i_alloc_zeroed(network->context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    int refused = pthread_mutex_init(&made->lock, NULL);
    if (refused != 0) {
        crd_free(network->context, made);
        return crd_i_fail_system(error, refused, "no lock for the network");
    }
    made->network = network;
    made->wanted = wanted;
    made->memory = memory;
    *out = made;
    return CRD_OK;
}

/* ---- Plans ---- */

/* The tables that count: of nodes from which arcs lead to what is observed or wanted. */
static void mark_tables(const crd_i_mixed_cases *of, const bool *observed, const crd_i_evidence *findings,
                        bool *tables) {
    const crd_network *network = of->network;
    for (size_t i = network->count; i-- > 0;) {
        uint32_t node = network->order[i];
        bool is_soft = findings->likelihoods != NULL && findings->likelihoods[node] != NULL;
        if (observed[node] || of->wanted[node] || is_soft) tables[node] = true;
        for (size_t j = 0; tables[node] && j < network->nodes[node].parent_count; j++)
            tables[network->nodes[node].parents[j]] = true;
    }
}

static bool make_joints(crd_context *context, plan *made) {
    made->joints = crd_i_alloc_zeroed(context, made->parts->count, sizeof *made->joints);
    bool done = made->joints != NULL;
    for (size_t i = 0; done && i < made->parts->count; i++) {
        if (!made->parts->parts[i].is_asked) continue;
        made->joints[i] = crd_i_alloc(context, made->parts->parts[i].combinations, sizeof **made->joints);
        done = made->joints[i] != NULL;
    }
    return done;
}

static crd_status compile(const crd_i_mixed_cases *of, const crd_i_evidence *findings, plan *made, crd_error *error) {
    const crd_network *network = of->network;
    bool *tables = crd_i_alloc_zeroed(network->context, network->count, sizeof *tables);
    if (tables == NULL) return crd_i_fail_memory(error);
    mark_tables(of, made->observed, findings, tables);
    crd_status status =
        crd_i_gaussian_parts_create(network, made->observed, of->wanted, false, of->memory, &made->parts, error);
    if (status == CRD_OK) {
        const crd_i_junction_options options = {.tables = tables,
                                                .observed = made->observed,
                                                .sets = made->parts->sets,
                                                .set_count = made->parts->count,
                                                .memory = of->memory,
                                                .is_for_one_case = true};
        status = crd_i_junction_compile(network, &options, &made->junction, error);
    }
    if (status == CRD_OK) status = crd_i_junction_work_create(made->junction, &made->work, error);
    if (status == CRD_OK) status = crd_i_gaussian_evidence_create(made->parts, &made->gaussian, error);
    if (status == CRD_OK && !make_joints(network->context, made)) status = crd_i_fail_memory(error);
    crd_free(network->context, tables);
    return status;
}

static plan *find_plan(crd_i_mixed_cases *of, const bool *observed) {
    size_t size = of->network->count * sizeof *observed;
    plan **at = &of->plans;
    while (*at != NULL && memcmp((*at)->observed, observed, size) != 0) at = &(*at)->next;
    plan *found = *at;
    if (found == NULL) return NULL;
    *at = found->next;
    of->plan_count--;
    return found;
}

static crd_status take_plan(crd_i_mixed_cases *of, const crd_i_evidence *findings, const double *numbers, plan **out,
                            crd_error *error) {
    const crd_network *network = of->network;
    crd_context *context = network->context;
    bool *observed = crd_i_alloc(context, network->count, sizeof *observed);
    *out = NULL;
    if (observed == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < network->count; i++)
        observed[i] = network->nodes[i].kind == CRD_NODE_GAUSSIAN ? !isnan(numbers[i]) : findings->states[i] >= 0;
    pthread_mutex_lock(&of->lock);
    plan *found = find_plan(of, observed);
    pthread_mutex_unlock(&of->lock);
    if (found != NULL) {
        crd_free(context, observed);
        *out = found;
        return CRD_OK;
    }
    plan *made = crd_i_alloc_zeroed(context, 1, sizeof *made);
    if (made == NULL) {
        crd_free(context, observed);
        return crd_i_fail_memory(error);
    }
    made->observed = observed;
    crd_status status = compile(of, findings, made, error);
    if (status == CRD_OK) *out = made;
    else destroy_plan(context, made);
    return status;
}

static void give_back(crd_i_mixed_cases *of, plan *one) {
    plan *dropped = NULL;
    pthread_mutex_lock(&of->lock);
    one->next = of->plans;
    of->plans = one;
    if (++of->plan_count > MOST_PLANS) {
        plan **last = &of->plans;
        while ((*last)->next != NULL) last = &(*last)->next;
        dropped = *last;
        *last = NULL;
        of->plan_count--;
    }
    pthread_mutex_unlock(&of->lock);
    destroy_plan(of->network->context, dropped);
}

/* Mean and variance of the Gaussian nodes wanted, once there are joint posteriors of the boundaries. */
static crd_status find_moments(const crd_i_mixed_cases *of, plan *one, const crd_i_evidence *findings,
                               const double *numbers, double *moments, crd_error *error) {
    const crd_network *network = of->network;
    for (uint32_t i = 0; i < network->count; i++) {
        crd_i_normal_component *components = NULL;
        size_t count = 0;
        if (!of->wanted[i] || network->nodes[i].kind != CRD_NODE_GAUSSIAN) continue;
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
        crd_i_evidence own = *findings;
        own.set_logs = (const double *const *)one->gaussian->logs;
        status = moments == NULL ? crd_i_junction_ask(one->work, &own, cases->wanted, posteriors, log_evidence, error)
                                 : crd_i_junction_ask_sets(one->work, &own, one->joints, cases->wanted, posteriors,
                                                           log_evidence, error);
        if (status == CRD_OK && log_evidence != NULL)
            *log_evidence = crd_i_gaussian_log_evidence(one->gaussian, *log_evidence);
        if (status == CRD_OK && moments != NULL) status = find_moments(cases, one, findings, numbers, moments, error);
    }
    give_back(cases, one);
    return status;
}
