/* SPDX-License-Identifier: MIT */
/* target_inference.c - see target_inference.h. */
#include "network_model/target_inference.h"

#include "base/available_memory.h"
#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/mixed_cases.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <pthread.h>

/* Maximum size in bytes of a shared tree, including the work space of a thread. For larger trees, each row gets its
 * own. The limit is the same on every machine, so results are, too. */
static const double MOST_BYTES = 512 << 20;

/* Work space for one query at a time. */
typedef struct inference_engine {
    crd_i_junction_work *work;
    double *posteriors;
    struct inference_engine *next; /* next unused one */
} inference_engine;

struct crd_i_target_inference {
    crd_context *context;
    const crd_network *network;
    uint32_t target;
    const uint32_t *class_states;
    size_t class_count;
    bool *wanted; /* for each node: true only for the target */
    /* Maximum bytes of a tree for one row: half of the memory that was free when the classifier was created. So a row's
     * result does not depend on the memory that is free at that moment. */
    double row_memory;
    bool has_point_masses;
    crd_i_mixed_cases *mixed; /* used instead of trees if there are Gaussian nodes; otherwise NULL */
    pthread_mutex_t lock;     /* protects the members below */
    bool is_too_large;        /* the tree of all nodes is too large */
    crd_i_junction *junction; /* NULL: not needed yet, or too large */
    inference_engine *askers; /* unused work spaces */
};

static void destroy_asker(crd_context *context, inference_engine *one) {
    if (one == NULL) return;
    crd_i_junction_work_destroy(one->work);
    crd_free(context, one->posteriors);
    crd_free(context, one);
}

/* Compiles a tree for one row, which contains only the observed nodes, the target and their ancestors. */
static crd_status compile_row(const crd_i_target_inference *inference, const int32_t *states, crd_i_junction **out,
                              crd_error *error) {
    const crd_network *network = inference->network;
    bool *tables = crd_i_alloc_zeroed(inference->context, 2 * network->count, sizeof *tables);
    if (tables == NULL) return crd_i_fail_memory(error);
    bool *observed = tables + network->count;
    for (size_t i = network->count; i-- > 0;) {
        size_t node = network->order[i];
        observed[node] = states[node] >= 0;
        if (observed[node] || node == inference->target) tables[node] = true;
        for (size_t j = 0; tables[node] && j < network->nodes[node].parent_count; j++)
            tables[network->nodes[node].parents[j]] = true;
    }
    const crd_i_junction_options options = {
        .tables = tables, .observed = observed, .memory = inference->row_memory, .is_for_one_case = true};
    crd_status status = crd_i_junction_compile(network, &options, out, error);
    crd_free(inference->context, tables);
    return status;
}

/* Creates a work space for a junction tree. */
static crd_status create_asker(const crd_i_target_inference *inference, const crd_i_junction *junction,
                               inference_engine **out, crd_error *error) {
    inference_engine *engine = crd_i_alloc_zeroed(inference->context, 1, sizeof *engine);
    *out = NULL;
    if (engine == NULL) return crd_i_fail_memory(error);
    engine->posteriors = crd_i_alloc(inference->context, crd_i_junction_start(junction, inference->network->count),
                                     sizeof *engine->posteriors);
    crd_status status = engine->posteriors == NULL ? crd_i_fail_memory(error)
                                                   : crd_i_junction_work_create(junction, &engine->work, error);
    if (status == CRD_OK) *out = engine;
    else destroy_asker(inference->context, engine);
    return status;
}

/* Takes a work space. The first thread that needs the shared tree compiles it, while others wait. *out is NULL if the
 * tree is too large. */
static crd_status take_asker(crd_i_target_inference *inference, inference_engine **out, crd_error *error) {
    crd_status status = CRD_OK;
    *out = NULL;
    pthread_mutex_lock(&inference->lock);
    if (inference->junction == NULL && !inference->is_too_large) {
        const crd_i_junction_options options = {.memory = MOST_BYTES};
        status = crd_i_junction_compile(inference->network, &options, &inference->junction, error);
        inference->is_too_large = status == CRD_ERROR_LIMIT;
        if (inference->is_too_large) status = CRD_OK;
    }
    *out = inference->askers;
    if (*out != NULL) inference->askers = (*out)->next;
    pthread_mutex_unlock(&inference->lock);
    if (status == CRD_OK && *out == NULL && !inference->is_too_large)
        status = create_asker(inference, inference->junction, out, error);
    return status;
}

static void target_inference_give_back(crd_i_target_inference *inference, inference_engine *one) {
    pthread_mutex_lock(&inference->lock);
    one->next = inference->askers;
    inference->askers = one;
    pthread_mutex_unlock(&inference->lock);
}

/* Computes the log probabilities with a junction tree. Impossible evidence is a result, not an error. */
static crd_status target_inference_ask_with(const crd_i_target_inference *inference, const inference_engine *one,
                                            const crd_i_junction *junction, const int32_t *states, double *sums,
                                            crd_error *error) {
    const crd_i_evidence findings = {.states = states};
    double log_evidence = 0;
    /* Pass NULL as the error, so that contradictions in the evidence are not searched for. */
    crd_status status =
        crd_i_junction_ask(one->work, &findings, inference->wanted, one->posteriors, &log_evidence, NULL);
    bool is_impossible = status == CRD_ERROR_PROBABILITY;
    if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    if (status != CRD_OK && !is_impossible) {
        status = crd_i_junction_ask(one->work, &findings, inference->wanted, one->posteriors, &log_evidence, error);
        if (status != CRD_OK) return status;
    }
    const double *posterior = one->posteriors + crd_i_junction_start(junction, inference->target);
    for (size_t k = 0; k < inference->class_count; k++) {
        double p = is_impossible ? 0 : posterior[inference->class_states[k]];
        sums[k] = p > 0 ? crd_log(p) + log_evidence : -INFINITY;
    }
    return CRD_OK;
}

/* ---- With Gaussian nodes ---- */

/* Evidence in the format of mixed_cases.h, and room for all posteriors. */
typedef struct mixed_row {
    int32_t *states;
    double *numbers, *posteriors;
    size_t start; /* start of the target's posteriors */
} mixed_row;

static void target_inference_close_row(crd_context *context, mixed_row *row) {
    crd_free(context, row->states);
    crd_free(context, row->numbers);
    crd_free(context, row->posteriors);
}

/* Splits the evidence into states and numbers, and allocates the posteriors. Returns false if memory runs out. */
static bool target_inference_open_row(const crd_i_target_inference *inference, const int32_t *states,
                                      const double *numbers, mixed_row *row) {
    const crd_network *network = inference->network;
    size_t capacity = 0;
    for (size_t i = 0; i < network->count; i++) {
        if (i == inference->target) row->start = capacity;
        capacity += crd_i_node_states(&network->nodes[i]);
    }
    row->states = crd_i_alloc(inference->context, network->count, sizeof *row->states);
    row->numbers = crd_i_alloc(inference->context, network->count, sizeof *row->numbers);
    row->posteriors = crd_i_alloc(inference->context, capacity, sizeof *row->posteriors);
    if (row->states == NULL || row->numbers == NULL || row->posteriors == NULL) return false;
    for (size_t i = 0; i < network->count; i++) {
        bool is_number = network->nodes[i].kind == CRD_NODE_GAUSSIAN;
        row->states[i] = is_number ? -1 : states[i];
        row->numbers[i] = is_number && states[i] >= 0 ? numbers[i] : NAN;
    }
    return true;
}

/* Computes the log probabilities in a network with Gaussian nodes. If the posterior of a class is too small for a
 * double, the class is passed as evidence instead. Its log probability is finite even if densities are far in their
 * tails. This is not done if there are point masses. Then a class can be excluded because the numbers are another
 * class's point mass, although the class has a density. */
static crd_status target_inference_ask_mixed(const crd_i_target_inference *inference, const int32_t *states,
                                             const double *numbers, double *sums, crd_error *error) {
    mixed_row row = {.states = NULL};
    double log_evidence = -INFINITY;
    crd_status status = target_inference_open_row(inference, states, numbers, &row) ? CRD_OK : crd_i_fail_memory(error);
    const crd_i_evidence findings = {.states = row.states};
    if (status == CRD_OK)
        status =
            crd_i_mixed_cases_ask(inference->mixed, &findings, row.numbers, row.posteriors, NULL, &log_evidence, NULL);
    bool is_impossible = status == CRD_ERROR_PROBABILITY;
    for (size_t k = 0; (status == CRD_OK || is_impossible) && k < inference->class_count; k++) {
        double p = is_impossible ? 0 : row.posteriors[row.start + inference->class_states[k]];
        sums[k] = p > 0 ? crd_log(p) + log_evidence : -INFINITY;
        if (is_impossible || p >= 0x1p-1000 || inference->has_point_masses) continue;
        row.states[inference->target] = (int32_t)inference->class_states[k];
        crd_status status_result =
            crd_i_mixed_cases_ask(inference->mixed, &findings, row.numbers, NULL, NULL, &sums[k], NULL);
        row.states[inference->target] = -1;
        if (status_result == CRD_ERROR_PROBABILITY) sums[k] = -INFINITY;
        else status = status_result;
    }
    if (is_impossible) status = CRD_OK;
    else if (status == CRD_ERROR_MEMORY) status = crd_i_fail_memory(error);
    else if (status != CRD_OK && row.posteriors != NULL)
        status = crd_i_mixed_cases_ask(inference->mixed, &findings, row.numbers, NULL, NULL, &log_evidence, error);
    target_inference_close_row(inference->context, &row);
    return status;
}

crd_status crd_i_target_inference_ask_alone(const crd_i_target_inference *inference, const int32_t *states,
                                            const double *numbers, double *sums, crd_error *error) {
    if (inference->mixed != NULL) return target_inference_ask_mixed(inference, states, numbers, sums, error);
    crd_i_junction *junction = NULL;
    inference_engine *one = NULL;
    crd_status status = compile_row(inference, states, &junction, error);
    if (status == CRD_OK) status = create_asker(inference, junction, &one, error);
    if (status == CRD_OK) status = target_inference_ask_with(inference, one, junction, states, sums, error);
    destroy_asker(inference->context, one);
    crd_i_junction_destroy(junction);
    return status;
}

crd_status crd_i_target_inference_ask(crd_i_target_inference *inference, const int32_t *states, const double *numbers,
                                      double *sums, crd_error *error) {
    inference_engine *one;
    if (inference->mixed != NULL) return target_inference_ask_mixed(inference, states, numbers, sums, error);
    crd_status status = take_asker(inference, &one, error);
    if (status != CRD_OK) return status;
    if (one == NULL) return crd_i_target_inference_ask_alone(inference, states, numbers, sums, error);
    status = target_inference_ask_with(inference, one, inference->junction, states, sums, error);
    target_inference_give_back(inference, one);
    /* A tree for this row alone may be smaller, and may use more memory than a tree that every thread shares. */
    return status == CRD_ERROR_LIMIT ? crd_i_target_inference_ask_alone(inference, states, numbers, sums, error)
                                     : status;
}

/* ---- Creation ---- */

/* The shared junction tree is not compiled yet. */
crd_status crd_i_target_inference_create(const crd_network *network, uint32_t target, const uint32_t *class_states,
                                         size_t class_count, crd_i_target_inference **out, crd_error *error) {
    crd_context *context = network->context;
    *out = NULL;
    crd_i_target_inference *inference = crd_i_alloc_zeroed(context, 1, sizeof *inference);
    bool *wanted = crd_i_alloc_zeroed(context, network->count, sizeof *wanted);
    int refused = inference == NULL || wanted == NULL ? 0 : pthread_mutex_init(&inference->lock, NULL);
    if (inference == NULL || wanted == NULL || refused != 0) {
        crd_free(context, inference);
        crd_free(context, wanted);
        return refused == 0 ? crd_i_fail_memory(error) : crd_i_fail_system(error, refused, "cannot create a lock");
    }
    inference->context = context;
    inference->network = network;
    inference->target = target;
    inference->class_states = class_states;
    inference->class_count = class_count;
    inference->wanted = wanted;
    inference->wanted[target] = true;
    inference->row_memory = crd_i_free_memory() / 2;
    inference->has_point_masses = crd_i_network_has_point_masses(network);
    crd_status status = CRD_OK;
    if (crd_i_network_first_gaussian(network) != SIZE_MAX)
        status = crd_i_mixed_cases_create(network, wanted, inference->row_memory, &inference->mixed, error);
    if (status == CRD_OK) *out = inference;
    else crd_i_target_inference_destroy(inference);
    return status;
}

void crd_i_target_inference_destroy(crd_i_target_inference *inference) {
    if (inference == NULL) return;
    crd_context *context = inference->context;
    while (inference->askers != NULL) {
        inference_engine *one = inference->askers;
        inference->askers = one->next;
        destroy_asker(context, one);
    }
    crd_i_junction_destroy(inference->junction);
    crd_i_mixed_cases_destroy(inference->mixed);
    crd_free(context, inference->wanted);
    pthread_mutex_destroy(&inference->lock);
    crd_free(context, inference);
}
