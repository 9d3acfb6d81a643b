/* SPDX-License-Identifier: MIT */
/* chain.c - creates a chain: checks its parameters and fills its tables. See chain.h. */
#include "sequence/chain/chain_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* Smaller probabilities could make a product underflow that is compared with LEAST_OVERLAP (forward_backward.c). */
#define LEAST_POSITIVE 1e-60

static size_t chain_rounded_up(size_t count) {
    return (count + CRD_I_SIMD - 1) / CRD_I_SIMD * CRD_I_SIMD;
}

bool crd_i_aligned_reserve(crd_context *context, crd_i_aligned_room *workspace, size_t rows, size_t stride) {
    if (stride != 0 && rows > (SIZE_MAX / sizeof(double) - CRD_I_SIMD_ALIGNMENT) / stride) return false;
    size_t count = rows * stride;
    if (workspace->memory != NULL && count <= workspace->capacity) return true;
    void *memory = crd_i_alloc(context, count + CRD_I_SIMD_ALIGNMENT / sizeof(double), sizeof(double));
    if (memory == NULL) return false;
    crd_free(context, workspace->memory);
    workspace->memory = memory;
    workspace->capacity = count;
    workspace->cursor = (double *)((char *)memory + (CRD_I_SIMD_ALIGNMENT - (uintptr_t)memory % CRD_I_SIMD_ALIGNMENT) %
                                                        CRD_I_SIMD_ALIGNMENT);
    return true;
}

/* ---- Creation ---- */

static bool is_probability(double x) {
    return x >= 0 && x - x == 0;
}

static bool are_probabilities(const double *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!is_probability(x[i])) return false;
    return true;
}

static crd_status check_sparse(const crd_i_chain_parts *parts, crd_error *error) {
    if (parts->first[0] != 0)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "transitions of the first node must begin at 0");
    for (size_t i = 0; i < parts->nodes; i++) {
        if (parts->first[i + 1] < parts->first[i])
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "transitions of node %zu end before they begin", i);
        for (size_t e = parts->first[i]; e < parts->first[i + 1]; e++)
            if (parts->targets[e] >= parts->nodes ||
                (e > parts->first[i] && parts->targets[e] <= parts->targets[e - 1]))
                return crd_i_fail(error, CRD_ERROR_ARGUMENT, "targets of node %zu must be nodes in ascending order", i);
    }
    return CRD_OK;
}

/* Checks the parameters of a chain. Returns CRD_ERROR_ARGUMENT or CRD_ERROR_PROBABILITY if they are invalid. */
static crd_status check_parts(const crd_i_chain_parts *parts, crd_error *error) {
    const size_t nodes = parts->nodes;
    if (parts->states == 0 || nodes == 0 || nodes > UINT32_MAX)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a chain needs at least one state");
    if (parts->state_of == NULL && nodes != parts->states)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the numbers of nodes and states must be equal if each node is a state");
    for (size_t i = 0; parts->state_of != NULL && i < nodes; i++)
        if (parts->state_of[i] >= parts->states)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "node %zu has no state", i);
    if (parts->dense == NULL) {
        crd_status status = check_sparse(parts, error);
        if (status != CRD_OK) return status;
    }
    if (!are_probabilities(parts->start, nodes) || (parts->end != NULL && !are_probabilities(parts->end, nodes)) ||
        !(parts->dense != NULL ? are_probabilities(parts->dense, nodes * nodes)
                               : are_probabilities(parts->probabilities, parts->first[nodes])))
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the chain has a probability that is negative or not finite");
    return CRD_OK;
}

static double chain_log(double x) {
    return x > 0 ? crd_log(x) : -INFINITY;
}

static double *chain_take(double **source, size_t count) {
    double *taken = *source;
    *source += count;
    return taken;
}

static void fill_row(double *row, double *logs, size_t stride, const double *source, size_t count) {
    for (size_t i = 0; i < stride; i++) {
        row[i] = i < count ? source[i] : 0;
        logs[i] = chain_log(row[i]);
    }
}

static void fill_dense(crd_i_chain *chain, const double *dense) {
    const size_t nodes = chain->nodes, stride = chain->stride;
    for (size_t i = 0; i < nodes; i++)
        fill_row(chain->forward + i * stride, chain->log_forward + i * stride, stride, dense + i * nodes, nodes);
    fill_row(chain->forward + nodes * stride, chain->log_forward + nodes * stride, stride, NULL, 0);
    fill_row(chain->backward + nodes * stride, chain->log_backward + nodes * stride, stride, NULL, 0);
    for (size_t j = 0; j < nodes; j++)
        for (size_t i = 0; i < stride; i++) {
            chain->backward[j * stride + i] = i < nodes ? chain->forward[i * stride + j] : 0;
            chain->log_backward[j * stride + i] = i < nodes ? chain->log_forward[i * stride + j] : -INFINITY;
        }
}

/* Copies the transitions by source, and sorts them by target with a counting sort. */
static void fill_sparse(crd_i_chain *chain, const crd_i_chain_parts *parts) {
    const size_t nodes = chain->nodes, count = chain->transition_count;
    memcpy(chain->first_out, parts->first, (nodes + 1) * sizeof *chain->first_out);
    if (count > 0) memcpy(chain->targets, parts->targets, count * sizeof *chain->targets);
    memset(chain->first_in, 0, (nodes + 1) * sizeof *chain->first_in);
    for (size_t e = 0; e < count; e++) {
        chain->out[e] = parts->probabilities[e];
        chain->log_out[e] = chain_log(chain->out[e]);
        chain->first_in[chain->targets[e] + 1]++;
    }
    for (size_t j = 0; j < nodes; j++) chain->first_in[j + 1] += chain->first_in[j];
    for (size_t i = 0; i < nodes; i++)
        for (size_t e = chain->first_out[i]; e < chain->first_out[i + 1]; e++) {
            size_t index = chain->first_in[chain->targets[e]]++;
            chain->sources[index] = (uint32_t)i;
            chain->in[index] = chain->out[e];
            chain->log_in[index] = chain->log_out[e];
        }
    for (size_t j = nodes; j > 0; j--) chain->first_in[j] = chain->first_in[j - 1];
    chain->first_in[0] = 0;
}

/* Returns whether the chain is dense, all transitions and ends are possible, and no probability is close to 0. Start
 * probabilities may be exactly 0. */
static bool is_positive(const crd_i_chain *chain) {
    if (!chain->is_dense) return false;
    for (size_t i = 0; i < chain->nodes; i++) {
        if (chain->start[i] != 0 && chain->start[i] < LEAST_POSITIVE) return false;
        if (chain->end[i] < LEAST_POSITIVE) return false;
        for (size_t j = 0; j < chain->nodes; j++)
            if (chain->forward[i * chain->stride + j] < LEAST_POSITIVE) return false;
    }
    return true;
}

/* Allocates the tables of a chain. Returns false if out of memory. */
static bool chain_allocate(crd_i_chain *chain) {
    crd_context *context = chain->context;
    const size_t nodes = chain->nodes, stride = chain->stride, count = chain->transition_count;
    crd_i_aligned_room workspace = {0};
    if (!crd_i_aligned_reserve(context, &workspace, chain->is_dense ? 4 * (nodes + 1) + 4 : 4, stride)) return false;
    chain->memory = workspace.memory;
    double *next = workspace.cursor;
    chain->start = chain_take(&next, stride);
    chain->log_start = chain_take(&next, stride);
    chain->end = chain_take(&next, stride);
    chain->log_end = chain_take(&next, stride);
    chain->state_of = crd_i_alloc(context, nodes, sizeof *chain->state_of);
    chain->is_start_state = crd_i_alloc_zeroed(context, chain->states, sizeof *chain->is_start_state);
    if (chain->state_of == NULL || chain->is_start_state == NULL) return false;
    if (chain->is_dense) {
        chain->forward = chain_take(&next, (nodes + 1) * stride);
        chain->backward = chain_take(&next, (nodes + 1) * stride);
        chain->log_forward = chain_take(&next, (nodes + 1) * stride);
        chain->log_backward = chain_take(&next, (nodes + 1) * stride);
        return true;
    }
    chain->first_out = crd_i_alloc(context, nodes + 1, sizeof *chain->first_out);
    chain->first_in = crd_i_alloc(context, nodes + 1, sizeof *chain->first_in);
    chain->targets = crd_i_alloc(context, count, sizeof *chain->targets);
    chain->sources = crd_i_alloc(context, count, sizeof *chain->sources);
    chain->out = crd_i_alloc(context, count, sizeof *chain->out);
    chain->log_out = crd_i_alloc(context, count, sizeof *chain->log_out);
    chain->in = crd_i_alloc(context, count, sizeof *chain->in);
    chain->log_in = crd_i_alloc(context, count, sizeof *chain->log_in);
    return chain->first_out != NULL && chain->first_in != NULL && chain->targets != NULL && chain->sources != NULL &&
           chain->out != NULL && chain->log_out != NULL && chain->in != NULL && chain->log_in != NULL;
}

crd_status crd_i_chain_create(crd_context *context, const crd_i_chain_parts *parts, crd_i_chain **out,
                              crd_error *error) {
    *out = NULL;
    crd_status status = check_parts(parts, error);
    if (status != CRD_OK) return status;
    crd_i_chain *chain = crd_i_alloc_zeroed(context, 1, sizeof *chain);
    if (chain == NULL) return crd_i_fail_memory(error);
    const size_t nodes = parts->nodes;
    chain->context = context;
    chain->lanes = crd_i_simd_trellis_best();
    chain->columns = crd_i_simd_columns_best();
    chain->states = parts->states;
    chain->nodes = nodes;
    chain->state_stride = chain_rounded_up(parts->states);
    chain->stride = chain_rounded_up(nodes);
    chain->is_dense = parts->dense != NULL;
    chain->transition_count = chain->is_dense ? nodes * nodes : parts->first[nodes];
    chain->has_end = parts->end != NULL;
    if (!chain_allocate(chain)) {
        crd_i_chain_destroy(chain);
        return crd_i_fail_memory(error);
    }
    chain->is_plain = nodes == parts->states;
    fill_row(chain->start, chain->log_start, chain->stride, parts->start, nodes);
    for (size_t i = 0; i < nodes; i++) {
        chain->state_of[i] = parts->state_of != NULL ? parts->state_of[i] : (uint32_t)i;
        if (chain->state_of[i] != i) chain->is_plain = false;
        if (chain->start[i] > 0) chain->is_start_state[chain->state_of[i]] = true;
    }
    for (size_t i = 0; i < chain->stride; i++) {
        chain->end[i] = i >= nodes ? 0 : chain->has_end ? parts->end[i] : 1;
        chain->log_end[i] = chain_log(chain->end[i]);
    }
    if (chain->is_dense) fill_dense(chain, parts->dense);
    else fill_sparse(chain, parts);
    const crd_i_sparse_transitions sparse = {.nodes = nodes,
                                             .first = chain->first_out,
                                             .targets = chain->targets,
                                             .state_of = chain->state_of,
                                             .probabilities = chain->out,
                                             .logs = chain->log_out,
                                             .shared = parts->shared};
    if (!chain->is_dense && !crd_i_chain_blocks_create(context, &sparse, &chain->blocks)) {
        crd_i_chain_destroy(chain);
        return crd_i_fail_memory(error);
    }
    chain->is_positive = is_positive(chain);
    *out = chain;
    return CRD_OK;
}

void crd_i_chain_destroy(crd_i_chain *chain) {
    if (chain == NULL) return;
    crd_context *context = chain->context;
    crd_free(context, chain->memory);
    crd_free(context, chain->state_of);
    crd_free(context, chain->is_start_state);
    crd_free(context, chain->first_out);
    crd_free(context, chain->first_in);
    crd_free(context, chain->targets);
    crd_free(context, chain->sources);
    crd_free(context, chain->out);
    crd_free(context, chain->log_out);
    crd_free(context, chain->in);
    crd_free(context, chain->log_in);
    crd_i_chain_blocks_destroy(chain->blocks);
    crd_free(context, chain);
}

size_t crd_i_chain_nodes(const crd_i_chain *chain) {
    return chain->nodes;
}

size_t crd_i_chain_stride(const crd_i_chain *chain) {
    return chain->state_stride;
}

size_t crd_i_chain_transition_count(const crd_i_chain *chain) {
    return chain->transition_count;
}
