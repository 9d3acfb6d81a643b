/* SPDX-License-Identifier: MIT */
/* network_scorer.c - a Bayesian network as a scorer, instead of a classifier's densities: see model_network.h.
 *
 * Contents:
 *   1. Target inference
 *   2. Scorer */
#include "network_model/model_network.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classify/classify_row.h"
#include "infer/exact/mixed_cases.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Target inference ========
 *
 * Exact inference of one node, the target, for many rows. Threads share a junction tree, which is compiled when the
 * first row needs it. If the tree of all nodes would be too large, each row gets its own tree. */

/* Maximum size in bytes of a shared tree, including the work space of a thread. For larger trees, each row gets its
 * own. The limit is the same on every machine, so results are, too. */
static const double MOST_BYTES = 512 << 20;

/* Work space for one query at a time. */
typedef struct inference_engine {
    crd_i_junction_work *work;
    double *posteriors;
    struct inference_engine *next; /* next unused one */
} inference_engine;

typedef struct target_inference {
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
} target_inference;

static void destroy_asker(crd_context *context, inference_engine *one) {
    if (one == NULL) return;
    crd_i_junction_work_destroy(one->work);
    crd_free(context, one->posteriors);
    crd_free(context, one);
}

/* Compiles a tree for one row, which contains only the observed nodes, the target and their ancestors. */
static crd_status compile_row(const target_inference *inference, const int32_t *states, crd_i_junction **out,
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
static crd_status create_asker(const target_inference *inference, const crd_i_junction *junction,
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
static crd_status take_asker(target_inference *inference, inference_engine **out, crd_error *error) {
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

static void target_inference_give_back(target_inference *inference, inference_engine *one) {
    pthread_mutex_lock(&inference->lock);
    one->next = inference->askers;
    inference->askers = one;
    pthread_mutex_unlock(&inference->lock);
}

/* Computes the log probabilities with a junction tree. Impossible evidence is a result, not an error. */
static crd_status target_inference_ask_with(const target_inference *inference, const inference_engine *one,
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

/* ---- Gaussian nodes ---- */

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
static bool target_inference_open_row(const target_inference *inference, const int32_t *states, const double *numbers,
                                      mixed_row *row) {
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
static crd_status target_inference_ask_mixed(const target_inference *inference, const int32_t *states,
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

/* Computes the result of target_inference_ask with a junction tree for this row only. */
static crd_status target_inference_ask_alone(const target_inference *inference, const int32_t *states,
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

/* Computes for each class the log joint probability of the class and the evidence; -INFINITY for all classes if the
 * evidence is impossible. `states` contains the observed state of each node, or -1. Observed Gaussian nodes have state
 * 0 and their value in `numbers`, which is indexed by node (NULL if there are none), and contribute a density. Returns
 * CRD_ERROR_LIMIT if inference would need too much memory. Threads may call it at the same time. */
static crd_status target_inference_ask(target_inference *inference, const int32_t *states, const double *numbers,
                                       double *sums, crd_error *error) {
    inference_engine *one;
    if (inference->mixed != NULL) return target_inference_ask_mixed(inference, states, numbers, sums, error);
    crd_status status = take_asker(inference, &one, error);
    if (status != CRD_OK) return status;
    if (one == NULL) return target_inference_ask_alone(inference, states, numbers, sums, error);
    status = target_inference_ask_with(inference, one, inference->junction, states, sums, error);
    target_inference_give_back(inference, one);
    /* A tree for this row alone may be smaller, and may use more memory than a tree that every thread shares. */
    return status == CRD_ERROR_LIMIT ? target_inference_ask_alone(inference, states, numbers, sums, error) : status;
}

/* ---- Creation ---- */

static void target_inference_destroy(target_inference *inference) {
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

/* Creates the inference. class_states[k] is the target's state for class k. The network and class_states must outlive
 * *out. The shared junction tree is not compiled yet. */
static crd_status target_inference_create(const crd_network *network, uint32_t target, const uint32_t *class_states,
                                          size_t class_count, target_inference **out, crd_error *error) {
    crd_context *context = network->context;
    *out = NULL;
    target_inference *inference = crd_i_alloc_zeroed(context, 1, sizeof *inference);
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
    else target_inference_destroy(inference);
    return status;
}

/* ======== 2. Scorer ======== */

typedef struct network_scorer {
    crd_i_scorer base;
    crd_context *context;
    crd_network *network;
    uint32_t target;
    size_t class_count, attribute_count;
    uint32_t *nodes;        /* node of each attribute; NO_NODE: it has none */
    int32_t **states;       /* for each attribute: the node's state for each value */
    uint32_t *class_states; /* target state of each class */
    /* Log tables of all nodes, one after the other, with normalized rows. For each row of a Gaussian node: the log
     * density at the mean, and the standard deviation. */
    double *logs;
    size_t *starts;  /* start of each node's table in `logs` */
    size_t *strides; /* node by node: the stride of each parent in rows of the table; 0 for continuous parents */
    double *choices; /* for each node: log of the number of choices of a decision, otherwise 0; NULL: no decisions */
    bool has_point_masses;       /* point masses and densities cannot be combined in sums of logarithms */
    target_inference *inference; /* for rows that need more than a sum of logarithms */
} network_scorer;

static const uint32_t NO_NODE = UINT32_MAX;
static const double HALF_LOG_TWO_PI = 0x1.d67f1c864beb5p-1; /* log(2 pi) / 2 = 0.91893853320467274... */

/* ---- Creation ---- */

static void network_scorer_destroy(crd_i_scorer *scorer) {
    network_scorer *part = (network_scorer *)scorer;
    target_inference_destroy(part->inference);
    for (size_t i = 0; part->states != NULL && i < part->attribute_count; i++) crd_free(part->context, part->states[i]);
    crd_free(part->context, part->states);
    crd_free(part->context, part->nodes);
    crd_free(part->context, part->class_states);
    crd_free(part->context, part->logs);
    crd_free(part->context, part->starts);
    crd_free(part->context, part->strides);
    crd_free(part->context, part->choices);
    crd_network_destroy(part->network);
    crd_free(part->context, part);
}

/* Maps an attribute to its node, and its values to the node's states. A value that the node does not have becomes -1;
 * this happens only if the node was created from other values. */
static crd_status map_attribute(network_scorer *part, crd_classifier *classifier, size_t i, crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    int32_t node = crd_i_network_find(part->network, attribute->name);
    /* A column without values has neither categories nor numbers. */
    if (node >= 0 && (attribute->values != NULL) != crd_i_node_is_discrete(&part->network->nodes[node])) node = -1;
    part->nodes[i] = node < 0 ? NO_NODE : (uint32_t)node;
    classifier->attributes[i].is_joint = node >= 0;
    if (node < 0 || attribute->values == NULL) return CRD_OK;
    size_t values = crd_i_dictionary_size(attribute->values);
    part->states[i] = crd_i_alloc(part->context, values, sizeof **part->states);
    if (part->states[i] == NULL) return crd_i_fail_memory(error);
    for (size_t v = 0; v < values; v++)
        part->states[i][v] = crd_i_node_find(&part->network->nodes[node], crd_i_dictionary_text(attribute->values, v));
    return CRD_OK;
}

static crd_status map_columns(network_scorer *part, crd_classifier *classifier, crd_error *error) {
    part->nodes = crd_i_alloc(part->context, part->attribute_count, sizeof *part->nodes);
    part->states = crd_i_alloc_zeroed(part->context, part->attribute_count, sizeof *part->states);
    part->class_states = crd_i_alloc(part->context, part->class_count, sizeof *part->class_states);
    if (part->nodes == NULL || part->states == NULL || part->class_states == NULL) return crd_i_fail_memory(error);
    const crd_i_node *target = &part->network->nodes[part->target];
    for (size_t k = 0; k < part->class_count; k++)
        part->class_states[k] = (uint32_t)crd_i_node_find(target, crd_i_dictionary_text(classifier->classes, k));
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < part->attribute_count; i++)
        status = map_attribute(part, classifier, i, error);
    return status;
}

static void find_strides(const crd_network *network, size_t *strides) {
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        size_t stride = 1;
        for (size_t j = node->parent_count; j-- > 0;) {
            const crd_i_node *parent = &network->nodes[node->parents[j]];
            strides[j] = crd_i_node_is_discrete(parent) ? stride : 0;
            if (crd_i_node_is_discrete(parent)) stride *= crd_i_node_states(parent);
        }
        strides += node->parent_count;
    }
}

/* Stores for each row of a Gaussian table the log density at the mean and the standard deviation, which is NaN for a
 * constant. */
static void take_peaks(const crd_i_node *node, double *destination) {
    const size_t width = crd_i_node_width(node);
    const bool tells_nothing = crd_i_node_is_constant(node);
    for (size_t row = 0; row < node->rows; row++) {
        const double variance = node->table[row * width + width - 1];
        destination[2 * row] = variance > 0 ? -HALF_LOG_TWO_PI - crd_log(variance) / 2 : 0;
        destination[2 * row + 1] = tells_nothing ? NAN : sqrt(variance);
    }
}

static size_t count_logs(const crd_i_node *node) {
    if (node->kind == CRD_NODE_GAUSSIAN) return 2 * node->rows;
    return node->kind == CRD_NODE_CHANCE ? node->rows * crd_i_node_states(node) : 0;
}

/* Computes the logarithms of all tables and their strides. */
static crd_status network_scorer_take_logs(network_scorer *part, crd_error *error) {
    const crd_network *network = part->network;
    size_t cells = 0, arrows = 0;
    for (size_t i = 0; i < network->count; i++) arrows += network->nodes[i].parent_count;
    part->starts = crd_i_alloc(part->context, network->count, sizeof *part->starts);
    part->strides = crd_i_alloc(part->context, arrows, sizeof *part->strides);
    if (part->starts == NULL || part->strides == NULL) return crd_i_fail_memory(error);
    find_strides(network, part->strides);
    for (size_t i = 0; i < network->count; i++) {
        part->starts[i] = cells;
        cells += count_logs(&network->nodes[i]);
    }
    part->logs = crd_i_alloc(part->context, cells, sizeof *part->logs);
    if (part->logs == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        size_t states = crd_i_node_states(node);
        double *destination = part->logs + part->starts[i];
        if (node->kind == CRD_NODE_GAUSSIAN) take_peaks(node, destination);
        for (size_t row = 0; node->kind == CRD_NODE_CHANCE && row < node->rows; row++, destination += states) {
            const double *source = node->table + row * states;
            double sum = 0;
            for (size_t s = 0; s < states; s++) sum += source[s];
            for (size_t s = 0; s < states; s++) destination[s] = crd_i_log_ratio(source[s], sum);
        }
    }
    return CRD_OK;
}

/* ---- Sums of logarithms ---- */

/* Returns whether all unobserved nodes except the target are barren. */
static bool network_scorer_is_closed(const network_scorer *part, const int32_t *states) {
    const crd_network *network = part->network;
    for (uint32_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        if (states[i] < 0 && i != part->target) continue;
        for (size_t j = 0; j < node->parent_count; j++)
            if (states[node->parents[j]] < 0 && node->parents[j] != part->target) return false;
    }
    return true;
}

/* Returns the row of a node's table at target state 0. *stride is the distance between successive target states; 0 if
 * the target is not a parent. */
static size_t network_scorer_find_row(uint32_t target, const crd_i_node *node, const size_t *strides,
                                      const int32_t *states, size_t *stride) {
    size_t row = 0;
    *stride = 0;
    for (size_t j = 0; j < node->parent_count; j++) {
        if (node->parents[j] == target) *stride = strides[j];
        else row += strides[j] * (size_t)states[node->parents[j]];
    }
    return row;
}

/* Returns the log density of a Gaussian node, given its number and its continuous parents, by a row of its table. A
 * node without variance is a constant and returns 0. */
static double network_scorer_log_density(const network_scorer *part, uint32_t index, size_t row,
                                         const double *numbers) {
    const crd_i_node *node = &part->network->nodes[index];
    const double *source = node->table + row * crd_i_node_width(node),
                 *logs = part->logs + part->starts[index] + 2 * row;
    double away = numbers[index] - *source++;
    for (size_t j = 0; j < node->parent_count; j++)
        if (!crd_i_node_is_discrete(&part->network->nodes[node->parents[j]]))
            away -= *source++ * numbers[node->parents[j]];
    if (isnan(logs[1])) return 0;
    away /= logs[1];
    return logs[0] - away * away / 2;
}

/* Computes the log joint probability of the evidence and each class as a sum of logarithms. `numbers` contains the
 * values of observed Gaussian nodes. */
static void add_logs(const network_scorer *part, const int32_t *states, const double *numbers, double *sums) {
    const crd_network *network = part->network;
    const size_t *strides = part->strides;
    double constant = 0;
    for (size_t k = 0; k < part->class_count; k++) sums[k] = 0;
    for (uint32_t i = 0; i < network->count; strides += network->nodes[i++].parent_count) {
        const crd_i_node *node = &network->nodes[i];
        if (states[i] < 0 && i != part->target) continue;
        size_t own = crd_i_node_states(node), stride,
               row = network_scorer_find_row(part->target, node, strides, states, &stride);
        const double *logs = part->logs + part->starts[i];
        const bool is_gaussian = node->kind == CRD_NODE_GAUSSIAN;
        if (i != part->target && stride == 0)
            constant +=
                is_gaussian ? network_scorer_log_density(part, i, row, numbers) : logs[row * own + (size_t)states[i]];
        for (size_t k = 0; (i == part->target || stride > 0) && k < part->class_count; k++) {
            size_t class_state = part->class_states[k];
            size_t state = i == part->target ? class_state : (size_t)states[i];
            sums[k] += is_gaussian ? network_scorer_log_density(part, i, row + class_state * stride, numbers)
                                   : logs[(row + class_state * stride) * own + state];
        }
    }
    for (size_t k = 0; k < part->class_count; k++) sums[k] += constant;
}

/* ---- Decisions ---- */

/* Removes the uniform probabilities of observed decisions from the sums, because a decision has no probability. */
static void take_choices_out(const network_scorer *part, const int32_t *states, double *sums) {
    double constant = 0;
    for (size_t i = 0; i < part->network->count; i++)
        if (states[i] >= 0) constant += part->choices[i];
    for (size_t k = 0; k < part->class_count; k++) sums[k] += constant;
}

crd_status crd_i_network_scorer_set_decisions(crd_classifier *classifier, const crd_network *network,
                                              crd_error *error) {
    network_scorer *part = (network_scorer *)classifier->scorer;
    part->choices = crd_i_alloc_zeroed(part->context, part->network->count, sizeof *part->choices);
    if (part->choices == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        if (node->kind != CRD_NODE_DECISION) continue;
        part->choices[crd_i_network_find(part->network, node->name)] = crd_log((double)crd_i_node_states(node));
    }
    return CRD_OK;
}

/* ---- Scoring ---- */

/* Returns the number of doubles that hold the states of all nodes. They are followed by the nodes' numbers if there are
 * Gaussian nodes. */
static size_t states_room(const crd_network *network) {
    return network->count * sizeof(int32_t) / sizeof(double) + 1;
}

static size_t evidence_room(const crd_network *network) {
    return states_room(network) + (crd_i_network_first_gaussian(network) == SIZE_MAX ? 0 : network->count);
}

/* Returns whether a node is a Gaussian node with a constant value, which has no information. */
static bool is_silent(const network_scorer *part, size_t node) {
    return part->network->nodes[node].kind == CRD_NODE_GAUSSIAN && isnan(part->logs[part->starts[node] + 1]);
}

static void leave_out_constants(const network_scorer *part, int32_t *states) {
    for (size_t i = 0; i < part->network->count; i++)
        if (is_silent(part, i)) states[i] = -1;
}

/* Returns whether a value is impossible for its node: a value that the node does not have, or a number that differs
 * from a constant node's number. */
static bool network_scorer_is_unseen(const network_scorer *part, const crd_i_one_cell *cells, size_t i) {
    const uint32_t node = part->nodes[i];
    if (cells[i].is_unseen || !cells[i].is_present || part->states[i] != NULL) return cells[i].is_unseen;
    return is_silent(part, node) && cells[i].number != part->network->nodes[node].table[0];
}

/* Computes the log joint probability of the values and each class; -INFINITY for all classes if the values are
 * impossible. Returns CRD_ERROR_LIMIT if inference would need too much memory. */
static crd_status network_scorer_ask(const network_scorer *part, const crd_i_scored_row *row, double *sums,
                                     crd_error *error) {
    const crd_i_one_cell *cells = row->cells;
    int32_t *states = (int32_t *)row->scratch;
    double *numbers = row->scratch + states_room(part->network);
    bool is_empty = true;
    for (size_t i = 0; i < part->network->count; i++) states[i] = -1;
    for (size_t i = 0; i < part->attribute_count; i++) {
        if (part->nodes[i] == NO_NODE || !cells[i].is_present || network_scorer_is_unseen(part, cells, i)) continue;
        const bool is_number = part->states[i] == NULL;
        states[part->nodes[i]] = is_number ? 0 : part->states[i][cells[i].code];
        if (is_number) numbers[part->nodes[i]] = cells[i].number;
        is_empty = false;
    }
    if (is_empty) {
        for (size_t k = 0; k < part->class_count; k++) sums[k] = row->classifier->log_priors[k];
        return CRD_OK;
    }
    crd_status status = CRD_OK;
    if (!part->has_point_masses && network_scorer_is_closed(part, states)) {
        add_logs(part, states, numbers, sums);
    } else {
        leave_out_constants(part, states);
        status = target_inference_ask(part->inference, states, numbers, sums, error);
    }
    if (status == CRD_OK && part->choices != NULL) take_choices_out(part, states, sums);
    return status;
}

/* Scores a row. Values that are impossible for their node count as unseen; values of columns without a node do not. */
static crd_status network_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                       double *probabilities, crd_answer *answer, crd_error *error) {
    const crd_classifier *classifier = row->classifier;
    const network_scorer *part = (const network_scorer *)scorer;
    crd_status status = network_scorer_ask(part, row, log_posterior, error);
    if (status != CRD_OK) return status;
    answer->unseen = 0;
    for (size_t i = 0; i < part->attribute_count; i++)
        answer->unseen += part->nodes[i] != NO_NODE && network_scorer_is_unseen(part, row->cells, i);
    crd_i_classifier_conclude(classifier->lanes, classifier->log_priors, part->class_count, log_posterior,
                              probabilities, answer);
    return CRD_OK;
}

/* ---- Joint density of the nodes ---- */

static size_t network_scorer_count_joints(const crd_i_scorer *scorer) {
    (void)scorer;
    return 1;
}

/* Describes the network by its numbers of nodes, arcs and parameters. */
static void network_scorer_describe(const crd_i_scorer *scorer, const crd_classifier *classifier, size_t joint,
                                    crd_joint *out) {
    const crd_network *network = ((const network_scorer *)scorer)->network;
    size_t arrows = 0, regressions = 0;
    double cells = 0;
    (void)joint;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        arrows += node->parent_count;
        if (node->kind == CRD_NODE_GAUSSIAN) regressions += node->rows;
        else if (node->table != NULL) cells += (double)node->rows * (double)crd_i_node_states(node);
    }
    out->name = "network";
    out->summary = "a table for each node, given its parents";
    for (size_t i = 0; i < classifier->attribute_count; i++) out->attribute_count += classifier->attributes[i].is_joint;
    snprintf(out->description, sizeof out->description, "%zu nodes, %zu arcs, %.0f probabilities in CPTs",
             network->count, arrows, cells);
    if (regressions > 0)
        snprintf(out->description, sizeof out->description,
                 "%zu nodes, %zu arcs, %.0f probabilities in CPTs, %zu normal distributions", network->count, arrows,
                 cells, regressions);
}

static int network_scorer_compare_names(const void *a, const void *b) {
    const crd_i_attribute *const *x = a, *const *y = b;
    return crd_i_text_compare((*x)->name, (*y)->name);
}

/* Lists the attributes that are nodes, ordered by the bytes of their names. */
static crd_status network_scorer_list_attributes(const crd_i_scorer *scorer, const crd_classifier *classifier,
                                                 size_t joint, size_t *out, crd_error *error) {
    size_t count = 0;
    (void)scorer, (void)joint;
    const crd_i_attribute **list = crd_i_alloc(classifier->context, classifier->attribute_count, sizeof *list);
    if (list == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (classifier->attributes[i].is_joint) list[count++] = &classifier->attributes[i];
    if (count > 0) qsort(list, count, sizeof *list, network_scorer_compare_names);
    for (size_t i = 0; i < count; i++) out[i] = (size_t)(list[i] - classifier->attributes);
    crd_free(classifier->context, list);
    return CRD_OK;
}

/* Adds the change of each class's log probability that all values together cause. */
static crd_status network_scorer_add(const crd_i_scorer *scorer, const crd_i_scored_row *row, size_t joint,
                                     double *sums, crd_error *error) {
    const crd_classifier *classifier = row->classifier;
    const network_scorer *part = (const network_scorer *)scorer;
    double *result = row->scratch + evidence_room(part->network);
    (void)joint;
    crd_status status = network_scorer_ask(part, row, result, error);
    for (size_t k = 0; status == CRD_OK && k < classifier->class_count; k++)
        sums[k] += result[k] > -INFINITY ? result[k] - classifier->log_priors[k] : -INFINITY;
    return status;
}

static const crd_network *network_of(const crd_i_scorer *scorer) {
    return ((const network_scorer *)scorer)->network;
}

static const crd_i_scorer_joints joints = {.count = network_scorer_count_joints,
                                           .describe = network_scorer_describe,
                                           .attributes = network_scorer_list_attributes,
                                           .add = network_scorer_add,
                                           .network = network_of};

static const crd_i_scorer_type network_type = {
    .name = "network", .score = network_scorer_score, .destroy = network_scorer_destroy, .joints = &joints};

/* ---- Derivation ---- */

/* Sets the classifier's priors to the marginal distribution of the target. */
static crd_status network_scorer_set_priors(const network_scorer *part, crd_classifier *classifier, crd_error *error) {
    int32_t *states = crd_i_alloc(part->context, part->network->count, sizeof *states);
    if (states == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < part->network->count; i++) states[i] = -1;
    crd_status status = CRD_OK;
    if (network_scorer_is_closed(part, states)) add_logs(part, states, NULL, classifier->log_priors);
    else status = target_inference_ask_alone(part->inference, states, NULL, classifier->log_priors, error);
    for (size_t k = 0; status == CRD_OK && k < part->class_count; k++) {
        const crd_term empty = CRD_TERM_INIT;
        crd_term *prior = &classifier->priors[k];
        *prior = empty;
        prior->form = CRD_TERM_GIVEN;
        prior->log_value = classifier->log_priors[k];
        prior->count = crd_exp(prior->log_value);
        prior->total = 1;
    }
    crd_free(part->context, states);
    return status;
}

/* Maps the columns, and prepares inference and log tables. */
crd_status crd_i_network_scorer_create(crd_classifier *classifier, crd_network *network, crd_text target,
                                       bool has_prior, crd_error *error) {
    crd_context *context = classifier->context;
    network_scorer *part = crd_i_alloc_zeroed(context, 1, sizeof *part);
    if (part == NULL) {
        crd_network_destroy(network);
        return crd_i_fail_memory(error);
    }
    const crd_i_scorer base = {.type = &network_type,
                               .context = context,
                               .scratch = evidence_room(network) + classifier->class_count,
                               .is_generative = true};
    part->base = base;
    classifier->scorer = &part->base;
    part->context = context;
    part->network = network;
    part->has_point_masses = crd_i_network_has_point_masses(network);
    part->target = (uint32_t)crd_i_network_find(network, target);
    part->class_count = classifier->class_count;
    part->attribute_count = classifier->attribute_count;
    crd_status status = map_columns(part, classifier, error);
    if (status == CRD_OK)
        status = target_inference_create(network, part->target, part->class_states, part->class_count, &part->inference,
                                         error);
    if (status == CRD_OK) status = network_scorer_take_logs(part, error);
    if (status == CRD_OK && !has_prior) status = network_scorer_set_priors(part, classifier, error);
    return status;
}

/* Returns the number of free parameters of the tables, excluding a prior. */
static uint64_t network_scorer_count_estimates(const network_scorer *part, bool has_prior) {
    uint64_t count = 0;
    for (size_t i = 0; i < part->network->count; i++) {
        const crd_i_node *node = &part->network->nodes[i];
        const size_t unbound = crd_i_node_is_discrete(node) ? crd_i_node_states(node) - 1 : crd_i_node_width(node);
        if (i != part->target || !has_prior) count += (uint64_t)node->rows * unbound;
    }
    return count;
}

/* Obtains the network of the model and counts its parameters. */
crd_status crd_i_network_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                       const crd_i_schema_view *view, crd_error *error) {
    crd_text target = model->schema->columns[model->schema->target].name;
    crd_network *network;
    crd_status status =
        crd_i_network_of_rows(model, classifier->settings, view, &classifier->fitted, NULL, &network, error);
    if (status != CRD_OK) return status;
    const crd_i_node *node = &network->nodes[crd_i_network_find(network, target)];
    bool has_prior = crd_i_network_has_prior(classifier->settings, node->parent_count > 0);
    status = crd_i_network_scorer_create(classifier, network, target, has_prior, error);
    if (status != CRD_OK) return status;
    if (!has_prior) classifier->estimates.entries[0].count = 0;
    bool done =
        crd_i_estimates_add(&classifier->estimates, "probabilities of the network's tables",
                            network_scorer_count_estimates((const network_scorer *)classifier->scorer, has_prior));
    return done ? CRD_OK : crd_i_fail_memory(error);
}
