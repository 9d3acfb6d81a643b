/* SPDX-License-Identifier: MIT */
/* chain_workspace.c - the workspace of a thread, windows of steps, and impossible sequences. See chain_internal.h. */
#include "sequence/chain/chain_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
