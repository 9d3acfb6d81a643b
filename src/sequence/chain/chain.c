/* SPDX-License-Identifier: MIT */
/* chain.c - creates chains and their workspaces, and computes their long-run behavior. See chain.h.
 *
 * Contents:
 *   1. Chain creation
 *   2. Workspaces, windows, impossible sequences
 *   3. Stationary distribution and durations */
#include "sequence/chain/chain.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <inttypes.h>
#include <string.h>

/* ======== 1. Chain creation ======== */

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

/* ======== 2. Workspaces, windows, impossible sequences ======== */

/* Memory limit of a window, unless sqrt(T) steps need more. */
#define WINDOW_BYTES (16u << 20)

crd_status crd_i_chain_workspace_create(const crd_i_chain *chain, crd_i_chain_workspace **out, crd_error *error) {
    crd_context *context = chain->context;
    *out = NULL;
    crd_i_chain_workspace *workspace = crd_i_alloc_zeroed(context, 1, sizeof *workspace);
    if (workspace == NULL) return crd_i_fail_memory(error);
    workspace->chain = chain;
    workspace->start = chain->start;
    workspace->log_start = chain->log_start;
    workspace->end = chain->end;
    workspace->log_end = chain->log_end;
    workspace->is_start_state = chain->is_start_state;
    enum { ROWS = 3 };
    bool is_made =
        crd_i_aligned_reserve(context, &workspace->row_memory, 1, ROWS * chain->stride + chain->state_stride);
    if (is_made) {
        workspace->filtered = workspace->row_memory.cursor;
        workspace->predicted = workspace->filtered + chain->stride;
        workspace->tail = workspace->predicted + chain->stride;
        workspace->state_sums = workspace->tail + chain->stride;
        memset(workspace->filtered, 0, ROWS * chain->stride * sizeof(double));
    }
    if (is_made && !chain->is_dense) {
        workspace->active = crd_i_alloc(context, chain->nodes, sizeof *workspace->active);
        workspace->next_active = crd_i_alloc(context, chain->nodes, sizeof *workspace->next_active);
        is_made = workspace->active != NULL && workspace->next_active != NULL;
    }
    if (is_made && chain->blocks != NULL) {
        const size_t widest = chain->blocks->widest;
        workspace->block.factors = crd_i_alloc(context, widest, sizeof *workspace->block.factors);
        workspace->block.rows = crd_i_alloc(context, widest, sizeof *workspace->block.rows);
        is_made = crd_i_aligned_reserve(context, &workspace->block_row, 1, widest) &&
                  workspace->block.factors != NULL && workspace->block.rows != NULL;
        workspace->block.out = workspace->block_row.cursor;
    }
    if (!is_made) {
        crd_i_chain_workspace_destroy(workspace);
        return crd_i_fail_memory(error);
    }
    *out = workspace;
    return CRD_OK;
}

void crd_i_chain_workspace_destroy(crd_i_chain_workspace *workspace) {
    if (workspace == NULL) return;
    crd_context *context = workspace->chain->context;
    crd_i_aligned_room *rooms[] = {&workspace->logs,     &workspace->expanded,   &workspace->greatest,
                                   &workspace->tails,    &workspace->sums,       &workspace->weighted,
                                   &workspace->infinite, &workspace->evidence,   &workspace->checkpoints,
                                   &workspace->totals,   &workspace->row_memory, &workspace->block_row};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) crd_free(context, rooms[i]->memory);
    crd_i_node_lists_free(context, &workspace->sparse_tails);
    crd_i_node_lists_free(context, &workspace->sparse_checkpoints);
    crd_free(context, workspace->path);
    crd_free(context, workspace->active);
    crd_free(context, workspace->next_active);
    crd_free(context, workspace->block.factors);
    crd_free(context, workspace->block.rows);
    crd_free(context, workspace);
}

void crd_i_chain_workspace_keep(crd_i_chain_workspace *workspace, size_t steps) {
    workspace->kept = steps;
}

/* ---- Windows ---- */

crd_i_windows crd_i_chain_windows(const crd_i_chain_workspace *workspace, uint64_t steps, size_t bytes_of_step) {
    uint64_t length = workspace->kept;
    if (length == 0) {
        length = WINDOW_BYTES / bytes_of_step;
        const double root = sqrt((double)steps);
        if ((double)length < root) length = (uint64_t)root;
    }
    if (length > steps) length = steps;
    if (length == 0) length = 1;
    crd_i_windows windows = {.steps = steps, .length = (size_t)length};
    windows.count = (size_t)((steps + length - 1) / length);
    return windows;
}

double *crd_i_chain_node_rows(const crd_i_chain_workspace *workspace) {
    return workspace->chain->is_plain ? workspace->logs.cursor : workspace->expanded.cursor;
}

void crd_i_chain_expand(const crd_i_chain *chain, const double *states, size_t steps, double *nodes) {
    for (size_t t = 0; t < steps; t++) {
        const double *source = states + t * chain->state_stride;
        double *destination = nodes + t * chain->stride;
        for (size_t i = 0; i < chain->nodes; i++) destination[i] = source[chain->state_of[i]];
        /* Any finite value would do past the last node, because the matrices contain 0 or -INFINITY there. */
        for (size_t i = chain->nodes; i < chain->stride; i++) destination[i] = 0;
    }
}

/* Handles steps with infinite densities: at such a step, only the states with an infinite density are possible, all
 * with equal weight. */
static crd_status limit_logs(crd_i_chain_workspace *workspace, crd_error *error) {
    const crd_i_chain *chain = workspace->chain;
    if (!crd_i_aligned_reserve(chain->context, &workspace->infinite, workspace->steps, 1))
        return crd_i_fail_memory(error);
    for (size_t t = 0; t < workspace->steps; t++) {
        double *row = workspace->logs.cursor + t * chain->state_stride;
        bool is_infinite = false;
        for (size_t k = 0; k < chain->states; k++) {
            if (row[k] != row[k])
                return crd_i_fail(error, CRD_ERROR_NUMBER, "a log density of step %" PRIu64 " is not a number",
                                  workspace->source + t);
            is_infinite |= row[k] == INFINITY;
        }
        workspace->is_infinite |= is_infinite;
        workspace->is_window_infinite |= is_infinite;
        workspace->infinite.cursor[t] = is_infinite ? (double)INFINITY : 0;
        for (size_t k = 0; is_infinite && k < chain->states; k++) row[k] = row[k] == INFINITY ? 0 : -INFINITY;
    }
    return CRD_OK;
}

crd_status crd_i_chain_load_logs(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                 const crd_i_windows *windows, size_t window, crd_error *error) {
    const crd_i_chain *chain = workspace->chain;
    const uint64_t source = (uint64_t)window * windows->length;
    const uint64_t left = windows->steps - source;
    const size_t steps = left < windows->length ? (size_t)left : windows->length, stride = chain->state_stride;
    workspace->source = source;
    workspace->steps = steps;
    workspace->is_window_infinite = false;
    if (!crd_i_aligned_reserve(chain->context, &workspace->logs, windows->length, stride))
        return crd_i_fail_memory(error);
    double *logs = workspace->logs.cursor;
    for (size_t done = 0; done < steps; done += CRD_I_CHAIN_BLOCK) {
        const size_t end = steps - done < CRD_I_CHAIN_BLOCK ? steps : done + CRD_I_CHAIN_BLOCK;
        if (crd_i_context_cancelled(chain->context)) return crd_i_fail_cancelled(error);
        crd_status status = emissions->fill(emissions->user, source + done, source + end, logs + done * stride, error);
        if (status != CRD_OK) return status;
    }
    for (size_t t = 0; t < steps; t++)
        for (size_t k = chain->states; k < stride; k++) logs[t * stride + k] = -INFINITY;
    for (size_t k = 0; source == 0 && k < chain->states; k++)
        if (!workspace->is_start_state[k]) logs[k] = -INFINITY;
    return chain->lanes->are_below_infinity(logs, steps * stride) ? CRD_OK : limit_logs(workspace, error);
}

crd_status crd_i_chain_backward_all(crd_i_chain_workspace *workspace, const crd_i_windows *windows,
                                    crd_status (*backward)(void *run, size_t window, crd_error *error), void *run,
                                    crd_error *error) {
    const crd_i_chain *chain = workspace->chain;
    workspace->sparse_checkpoints.count = 0;
    if (chain->is_dense &&
        !crd_i_aligned_reserve(chain->context, &workspace->checkpoints, windows->count, chain->stride))
        return crd_i_fail_memory(error);
    for (size_t window = windows->count; window-- > 0;) {
        crd_status status = backward(run, window, error);
        if (status == CRD_OK && window > 0 && !chain->is_dense) status = crd_i_sparse_checkpoint(workspace, error);
        if (status != CRD_OK) return status;
        if (window > 0 && chain->is_dense)
            memcpy(workspace->checkpoints.cursor + (window - 1) * chain->stride, workspace->tails.cursor,
                   chain->stride * sizeof(double));
    }
    return CRD_OK;
}

/* Computes log P(x_t | x_1 .. x_(t-1)) = g_t + log c_t for the steps of the window (see forward_backward.c). */
static crd_status fill_evidence(crd_i_chain_workspace *workspace, bool are_logs, crd_error *error) {
    if (!crd_i_aligned_reserve(workspace->chain->context, &workspace->evidence, workspace->steps, 1))
        return crd_i_fail_memory(error);
    for (size_t t = 0; t < workspace->steps; t++) {
        const double sum = workspace->sums.cursor[t];
        workspace->evidence.cursor[t] =
            crd_i_chain_settled(workspace->greatest.cursor[t] + (are_logs ? sum : crd_log(sum)));
        if (workspace->is_window_infinite) workspace->evidence.cursor[t] += workspace->infinite.cursor[t];
    }
    return CRD_OK;
}

crd_status crd_i_chain_emit(crd_i_chain_workspace *workspace, const crd_i_posterior_sink *sink, bool are_logs,
                            crd_error *error) {
    if (sink == NULL) return CRD_OK;
    if (sink->log_evidence != NULL) {
        crd_status status = fill_evidence(workspace, are_logs, error);
        if (status != CRD_OK) return status;
    }
    const size_t stride = workspace->chain->state_stride;
    for (size_t done = 0; done < workspace->steps; done += CRD_I_CHAIN_BLOCK) {
        const size_t end = workspace->steps - done < CRD_I_CHAIN_BLOCK ? workspace->steps : done + CRD_I_CHAIN_BLOCK;
        if (sink->log_evidence != NULL) *sink->log_evidence = workspace->evidence.cursor + done;
        crd_status status = sink->take(sink->user, workspace->source + done, workspace->source + end,
                                       workspace->logs.cursor + done * stride, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_chain_emit_path(const crd_i_chain_workspace *workspace, const crd_i_path_sink *sink,
                                 crd_error *error) {
    for (size_t done = 0; sink != NULL && done < workspace->steps; done += CRD_I_CHAIN_BLOCK) {
        const size_t end = workspace->steps - done < CRD_I_CHAIN_BLOCK ? workspace->steps : done + CRD_I_CHAIN_BLOCK;
        crd_status status =
            sink->take(sink->user, workspace->source + done, workspace->source + end, workspace->path + done, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* ---- Impossible sequences ---- */

/* Sets after[j] if node j can follow some node i with before[i]. */
static void chain_workspace_reach(const crd_i_chain *chain, const bool *before, bool *after) {
    memset(after, 0, chain->nodes * sizeof *after);
    for (size_t i = 0; i < chain->nodes; i++) {
        if (!before[i]) continue;
        if (chain->is_dense)
            for (size_t j = 0; j < chain->nodes; j++) after[j] |= chain->forward[i * chain->stride + j] > 0;
        else
            for (size_t e = chain->first_out[i]; e < chain->first_out[i + 1]; e++)
                after[chain->targets[e]] |= chain->out[e] > 0;
    }
}

crd_status crd_i_chain_impossible(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                  crd_i_chain_answer *answer, crd_error *error) {
    const crd_i_chain *chain = workspace->chain;
    crd_context *context = chain->context;
    const crd_i_windows windows = {
        .steps = emissions->steps,
        .length = CRD_I_CHAIN_BLOCK,
        .count = (size_t)((emissions->steps + CRD_I_CHAIN_BLOCK - 1) / CRD_I_CHAIN_BLOCK),
    };
    bool *before = crd_i_alloc(context, 2 * chain->nodes, sizeof *before);
    if (before == NULL) return crd_i_fail_memory(error);
    bool *after = before + chain->nodes;
    for (size_t i = 0; i < chain->nodes; i++) after[i] = workspace->start[i] > 0;
    crd_status status = CRD_OK;
    bool is_any = true;
    uint64_t index = 0;
    for (size_t w = 0; w < windows.count && is_any; w++) {
        status = crd_i_chain_load_logs(workspace, emissions, &windows, w, error);
        if (status != CRD_OK) break;
        for (size_t t = 0; t < workspace->steps && is_any; t++) {
            if (index > 0) {
                memcpy(before, after, chain->nodes * sizeof *before);
                chain_workspace_reach(chain, before, after);
            }
            is_any = false;
            for (size_t i = 0; i < chain->nodes; i++) {
                after[i] = after[i] && workspace->logs.cursor[t * chain->state_stride + chain->state_of[i]] > -INFINITY;
                is_any |= after[i];
            }
            if (is_any) index++;
        }
    }
    crd_free(context, before);
    answer->log_likelihood = -INFINITY;
    answer->is_impossible = true;
    answer->impossible_at = index;
    return status;
}

/* ======== 3. Stationary distribution and durations ========
 *
 * Stationary distribution. Let the chain restart with a tiny probability e at each step. Then it has a unique
 * stationary distribution, whatever its classes and periods. For e -> 0, the limit is the long-run fraction of time
 * in each node, given the start distribution. The distribution is computed by the elimination of Grassmann, Taksar
 * and Heyman (Regenerative analysis and steady state distributions for Markov chains; 1985). That algorithm has no
 * subtractions, so every probability has full relative accuracy for any e. Chains with very many nodes iterate (I +
 * A) / 2 until convergence instead. */

#define RESTART 1e-60

enum { MOST_ELIMINATED = 700, MOST_ITERATIONS = 20000 };

static double row_sum(const crd_i_chain *chain, size_t i) {
    double sum = 0;
    if (chain->is_dense)
        for (size_t j = 0; j < chain->nodes; j++) sum += chain->forward[i * chain->stride + j];
    else
        for (size_t e = chain->first_out[i]; e < chain->first_out[i + 1]; e++) sum += chain->out[e];
    return sum;
}

/* Adds factor * (row i, normalized) to `destination`. A node without successors is its own successor. */
static void chain_properties_add_row(const crd_i_chain *chain, size_t i, double factor, double *destination) {
    const double sum = row_sum(chain, i);
    if (!(sum > 0)) {
        destination[i] += factor;
        return;
    }
    factor /= sum;
    if (chain->is_dense)
        for (size_t j = 0; j < chain->nodes; j++) destination[j] += factor * chain->forward[i * chain->stride + j];
    else
        for (size_t e = chain->first_out[i]; e < chain->first_out[i + 1]; e++)
            destination[chain->targets[e]] += factor * chain->out[e];
}

/* Computes the normalized start distribution, or the uniform distribution if no node can begin. */
static void normalized_start(const crd_i_chain *chain, double *start) {
    double sum = 0;
    for (size_t i = 0; i < chain->nodes; i++) sum += chain->start[i];
    for (size_t i = 0; i < chain->nodes; i++) start[i] = sum > 0 ? chain->start[i] / sum : 1 / (double)chain->nodes;
}

/* ---- Elimination ---- */

/* Exchanges nodes 0 and `other` of a matrix, rows and columns. */
static void chain_properties_exchange(double *matrix, size_t nodes, size_t other) {
    for (size_t k = 0; k < nodes; k++) {
        double kept = matrix[k];
        matrix[k] = matrix[other * nodes + k];
        matrix[other * nodes + k] = kept;
    }
    for (size_t k = 0; k < nodes; k++) {
        double kept = matrix[k * nodes];
        matrix[k * nodes] = matrix[k * nodes + other];
        matrix[k * nodes + other] = kept;
    }
}

/* Eliminates the nodes from the last to the first, replacing paths through a node by direct transitions. Node 0 must be
 * a start node, so that it is reachable from all nodes. */
static crd_status chain_properties_eliminate(const crd_i_chain *chain, double *matrix, double *result,
                                             crd_error *error) {
    const size_t nodes = chain->nodes;
    for (size_t n = nodes; n-- > 1;) {
        if (crd_i_context_cancelled(chain->context)) return crd_i_fail_cancelled(error);
        const double *row = matrix + n * nodes;
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += row[j];
        for (size_t i = 0; i < n; i++) {
            double *destination = matrix + i * nodes;
            if (destination[n] == 0) continue;
            destination[n] /= sum;
            for (size_t j = 0; j < n; j++) destination[j] += destination[n] * row[j];
        }
    }
    double total = result[0] = 1;
    for (size_t n = 1; n < nodes; n++) {
        result[n] = 0;
        for (size_t i = 0; i < n; i++) result[n] += result[i] * matrix[i * nodes + n];
        total += result[n];
    }
    for (size_t n = 0; n < nodes; n++) result[n] /= total;
    return CRD_OK;
}

static crd_status by_elimination(const crd_i_chain *chain, double *result, crd_error *error) {
    const size_t nodes = chain->nodes;
    double *matrix = crd_i_alloc_zeroed(chain->context, nodes * nodes, sizeof *matrix);
    if (matrix == NULL) return crd_i_fail_memory(error);
    size_t first = 0;
    normalized_start(chain, result);
    for (size_t i = 0; i < nodes; i++) {
        if (result[i] > result[first]) first = i;
        chain_properties_add_row(chain, i, 1, matrix + i * nodes);
        for (size_t j = 0; j < nodes; j++) matrix[i * nodes + j] += RESTART * result[j];
    }
    chain_properties_exchange(matrix, nodes, first);
    crd_status status = chain_properties_eliminate(chain, matrix, result, error);
    const double kept = result[0];
    result[0] = result[first];
    result[first] = kept;
    /* Remove the effect of the restarts. */
    for (size_t i = 0; i < nodes; i++)
        if (result[i] < sqrt(RESTART)) result[i] = 0;
    crd_free(chain->context, matrix);
    return status;
}

/* Computes the stationary distribution by iterating (I + A) / 2. */
static crd_status by_iteration(const crd_i_chain *chain, double *result, crd_error *error) {
    const size_t nodes = chain->nodes;
    double *next = crd_i_alloc(chain->context, nodes, sizeof *next);
    if (next == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    normalized_start(chain, result);
    for (int round = 0; round < MOST_ITERATIONS && status == CRD_OK; round++) {
        if (crd_i_context_cancelled(chain->context)) status = crd_i_fail_cancelled(error);
        double change = 0;
        for (size_t i = 0; i < nodes; i++) next[i] = 0.5 * result[i];
        for (size_t i = 0; i < nodes; i++)
            if (result[i] > 0) chain_properties_add_row(chain, i, 0.5 * result[i], next);
        for (size_t i = 0; i < nodes; i++) {
            change += fabs(next[i] - result[i]);
            result[i] = next[i];
        }
        if (change < 1e-14) break;
    }
    crd_free(chain->context, next);
    return status;
}

static crd_status stationary_nodes(const crd_i_chain *chain, double *result, crd_error *error) {
    return chain->nodes <= MOST_ELIMINATED ? by_elimination(chain, result, error) : by_iteration(chain, result, error);
}

crd_status crd_i_chain_stationary(const crd_i_chain *chain, double *probabilities, crd_error *error) {
    double *nodes = crd_i_alloc(chain->context, chain->nodes, sizeof *nodes);
    if (nodes == NULL) return crd_i_fail_memory(error);
    crd_status status = stationary_nodes(chain, nodes, error);
    for (size_t k = 0; k < chain->states; k++) probabilities[k] = 0;
    for (size_t i = 0; status == CRD_OK && i < chain->nodes; i++) probabilities[chain->state_of[i]] += nodes[i];
    crd_free(chain->context, nodes);
    return status;
}

/* ---- Durations ---- */

typedef struct properties_transition {
    size_t target;
    double probability;
} properties_transition;

/* Gets transition k of a node. Returns false if k is past the last transition. */
static bool transition_at(const crd_i_chain *chain, size_t i, size_t k, properties_transition *out) {
    if (chain->is_dense) {
        if (k >= chain->nodes) return false;
        *out = (properties_transition){k, chain->forward[i * chain->stride + k]};
        return true;
    }
    const size_t e = chain->first_out[i] + k;
    if (e >= chain->first_out[i + 1]) return false;
    *out = (properties_transition){chain->targets[e], chain->out[e]};
    return true;
}

/* Returns the expected duration of the state from node i on, including this step: d_i = 1 + sum of A_ij d_j over the
 * nodes j of the same state. The contexts of one state lead to ever longer runs of it, and the longest run leads to
 * itself, so there are no other cycles. durations[i] is NaN if not yet computed. */
static double duration_from(const crd_i_chain *chain, size_t i, double *durations) {
    if (durations[i] == durations[i]) return durations[i];
    double sum = 1, staying = 0;
    durations[i] = INFINITY; /* guards against a cycle of several nodes, whose duration is infinite here */
    properties_transition transition;
    for (size_t k = 0; transition_at(chain, i, k, &transition); k++) {
        if (!(transition.probability > 0) || chain->state_of[transition.target] != chain->state_of[i]) continue;
        if (transition.target == i) staying += transition.probability;
        else sum += transition.probability * duration_from(chain, transition.target, durations);
    }
    return durations[i] = staying < 1 ? sum / (1 - staying) : INFINITY;
}

/* Computes how often each node is entered from other states: in the long run, and at all (from any node, or at the
 * start). The latter is for states that are not entered in the long run. */
static void chain_properties_entries(const crd_i_chain *chain, const double *stationary, double *in_long_run,
                                     double *ever) {
    properties_transition transition;
    for (size_t i = 0; i < chain->nodes; i++) ever[i] = chain->start[i];
    for (size_t i = 0; i < chain->nodes; i++)
        for (size_t k = 0; transition_at(chain, i, k, &transition); k++)
            if (chain->state_of[transition.target] != chain->state_of[i]) {
                in_long_run[transition.target] += stationary[i] * transition.probability;
                ever[transition.target] += transition.probability;
            }
}

crd_status crd_i_chain_durations(const crd_i_chain *chain, double *steps, crd_error *error) {
    enum { ROWS = 4 };
    const size_t nodes = chain->nodes;
    double *rows = crd_i_alloc_zeroed(chain->context, nodes, ROWS * sizeof *rows);
    double *weights = crd_i_alloc_zeroed(chain->context, chain->states, 2 * sizeof *weights);
    crd_status status = rows == NULL || weights == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && !chain->is_plain) status = stationary_nodes(chain, rows, error);
    if (status == CRD_OK) {
        double *stationary = rows, *long_run = rows + nodes, *ever = rows + 2 * nodes, *durations = rows + 3 * nodes;
        if (!chain->is_plain) chain_properties_entries(chain, stationary, long_run, ever);
        for (size_t i = 0; i < nodes; i++) {
            durations[i] = NAN;
            weights[chain->state_of[i]] += long_run[i];
            weights[chain->states + chain->state_of[i]] += ever[i];
        }
        for (size_t k = 0; k < chain->states; k++) steps[k] = chain->is_plain ? duration_from(chain, k, durations) : 0;
        for (size_t i = 0; !chain->is_plain && i < nodes; i++) {
            const size_t k = chain->state_of[i];
            const bool is_long = weights[k] > 0;
            const double share = is_long ? long_run[i] / weights[k] : ever[i] / weights[chain->states + k];
            if (share > 0) steps[k] += share * duration_from(chain, i, durations);
        }
    }
    crd_free(chain->context, rows);
    crd_free(chain->context, weights);
    return status;
}
