/* SPDX-License-Identifier: MIT */
/* sparse_trellis.c - passes over a sparse chain. See chain.h. */
#include "sequence/chain/chain.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Number of partial sums of a row. */
enum { PARTS = 8 };

void crd_i_node_lists_free(crd_context *context, crd_i_node_lists *rows) {
    crd_free(context, rows->first);
    crd_free(context, rows->nodes);
    crd_free(context, rows->values);
}

/* ---- Rows ---- */

/* Makes room for one more row of the given length, plus one spare entry. So the arrays exist even for a row of length
 * 0. */
static bool reserve_row(crd_context *context, crd_i_node_lists *rows, size_t nodes) {
    if (!crd_i_reserve(context, &rows->first, &rows->first_capacity, rows->count + 2, sizeof *rows->first))
        return false;
    if (rows->count == 0) rows->first[0] = 0;
    const size_t used = rows->first[rows->count];
    return crd_i_reserve(context, &rows->nodes, &rows->node_capacity, used + nodes + 1, sizeof *rows->nodes) &&
           crd_i_reserve(context, &rows->values, &rows->value_capacity, used + nodes + 1, sizeof *rows->values);
}

static void end_row(crd_i_node_lists *rows, size_t nodes) {
    rows->first[rows->count + 1] = rows->first[rows->count] + nodes;
    rows->count++;
}

void crd_i_sparse_scatter(const crd_i_node_lists *rows, size_t row, double *destination) {
    for (size_t k = rows->first[row]; k < rows->first[row + 1]; k++) destination[rows->nodes[k]] = rows->values[k];
}

void crd_i_sparse_unscatter(const crd_i_node_lists *rows, size_t row, double empty, double *destination) {
    for (size_t k = rows->first[row]; k < rows->first[row + 1]; k++) destination[rows->nodes[k]] = empty;
}

static crd_status sparse_trellis_copy_row(crd_context *context, const crd_i_node_lists *lists, size_t row,
                                          crd_i_node_lists *node, crd_error *error) {
    const size_t first = lists->first[row], count = lists->first[row + 1] - first;
    if (!reserve_row(context, node, count)) return crd_i_fail_memory(error);
    memcpy(node->nodes + node->first[node->count], lists->nodes + first, count * sizeof *node->nodes);
    memcpy(node->values + node->first[node->count], lists->values + first, count * sizeof *node->values);
    end_row(node, count);
    return CRD_OK;
}

crd_status crd_i_sparse_checkpoint(crd_i_chain_workspace *workspace, crd_error *error) {
    return sparse_trellis_copy_row(workspace->chain->context, &workspace->sparse_tails,
                                   workspace->sparse_tails.count - 1, &workspace->sparse_checkpoints, error);
}

/* ---- Backward ---- */

/* Returns the sum of a row, from PARTS independent partial sums for instruction-level parallelism. */
static double sparse_trellis_sum_of_row(const double *values, size_t count) {
    double parts[PARTS] = {0};
    for (; count >= PARTS; values += PARTS, count -= PARTS)
        for (size_t p = 0; p < PARTS; p++) parts[p] += values[p];
    for (size_t k = 0; k < count; k++) parts[k] += values[k];
    for (size_t p = 1; p < PARTS; p++) parts[0] += parts[p];
    return parts[0];
}

static double greatest_of_row(const double *values, size_t count) {
    double parts[PARTS];
    for (size_t p = 0; p < PARTS; p++) parts[p] = -INFINITY;
    for (; count >= PARTS; values += PARTS, count -= PARTS)
        for (size_t p = 0; p < PARTS; p++) parts[p] = values[p] > parts[p] ? values[p] : parts[p];
    for (size_t k = 0; k < count; k++) parts[k] = values[k] > parts[k] ? values[k] : parts[k];
    for (size_t p = 1; p < PARTS; p++) parts[0] = parts[p] > parts[0] ? parts[p] : parts[0];
    return parts[0];
}

static double reduce_row(const crd_i_node_lists *rows, size_t row, bool is_max) {
    const double *values = rows->values + rows->first[row];
    const size_t count = rows->first[row + 1] - rows->first[row];
    if (!is_max) return sparse_trellis_sum_of_row(values, count);
    const double most = greatest_of_row(values, count);
    return most == -INFINITY ? 0 : most;
}

/* Computes the row of the sequence's last step. */
static crd_status last_row(crd_i_chain_workspace *workspace, const double *emissions, bool is_max, crd_error *error) {
    const crd_i_chain *chain = workspace->chain;
    crd_i_node_lists *rows = &workspace->sparse_tails;
    if (!reserve_row(chain->context, rows, chain->nodes)) return crd_i_fail_memory(error);
    const size_t first = rows->first[rows->count];
    size_t count = 0;
    for (size_t i = 0; i < chain->nodes; i++) {
        const double e = emissions[chain->state_of[i]],
                     value = is_max ? e + workspace->log_end[i] : e * workspace->end[i];
        if (is_max ? !(value > -INFINITY) : !(value > 0)) continue;
        rows->nodes[first + count] = (uint32_t)i;
        rows->values[first + count++] = value;
    }
    end_row(rows, count);
    return CRD_OK;
}

/* Version of row_before for chains with blocks. workspace->tail is empty on entry and on return. */
static crd_status row_before_by_blocks(crd_i_chain_workspace *workspace, const crd_i_node_lists *lists, size_t next,
                                       const double *emissions, bool is_max, crd_error *error) {
    const crd_i_chain *chain = workspace->chain;
    const crd_i_chain_blocks *blocks = chain->blocks;
    crd_i_node_lists *rows = &workspace->sparse_tails;
    const double empty = is_max ? -INFINITY : 0, scale = reduce_row(lists, next, is_max), inverse = 1 / scale;
    const double *out = workspace->block.out;
    if (!reserve_row(chain->context, rows, chain->nodes)) return crd_i_fail_memory(error);
    crd_i_sparse_scatter(lists, next, workspace->tail);
    size_t kept = rows->first[rows->count];
    for (size_t b = 0; b < blocks->count; b++) {
        const crd_i_chain_block *block = &blocks->blocks[b];
        if (block->state != UINT32_MAX && !(emissions[block->state] > empty)) continue;
        if (!crd_i_chain_block_backward(blocks, block, chain->lanes, workspace->tail, is_max, &workspace->block))
            continue;
        /* Branch-free filter: an impossible node is overwritten by the next node. */
        for (size_t k = 0; k < block->source_count; k++) {
            const uint32_t i = blocks->sources[block->first_source + k];
            const double e = emissions[chain->state_of[i]];
            const double value = is_max ? e + (out[k] - scale) : e * (out[k] * inverse);
            rows->nodes[kept] = i;
            rows->values[kept] = value;
            kept += value > empty;
        }
    }
    crd_i_sparse_unscatter(lists, next, empty, workspace->tail);
    end_row(rows, kept - rows->first[rows->count]);
    return CRD_OK;
}

/* Computes the row that precedes row `next` of `lists`. Sums are computed in workspace->tail, which is empty on entry
 * and on return. */
static crd_status row_before(crd_i_chain_workspace *workspace, const crd_i_node_lists *lists, size_t next,
                             const double *emissions, bool is_max, crd_error *error) {
    const crd_i_chain *chain = workspace->chain;
    if (chain->blocks != NULL) return row_before_by_blocks(workspace, lists, next, emissions, is_max, error);
    crd_i_node_lists *rows = &workspace->sparse_tails;
    const double empty = is_max ? -INFINITY : 0, scale = reduce_row(lists, next, is_max), inverse = 1 / scale;
    double *sums = workspace->tail;
    uint32_t *active = workspace->next_active;
    size_t count = 0, kept = 0;
    for (size_t k = lists->first[next]; k < lists->first[next + 1]; k++) {
        const size_t j = lists->nodes[k];
        const double value = lists->values[k];
        for (size_t e = chain->first_in[j]; e < chain->first_in[j + 1]; e++) {
            const size_t i = chain->sources[e];
            if (!(emissions[chain->state_of[i]] > empty)) continue;
            const double term = is_max ? chain->log_in[e] + value : chain->in[e] * value;
            if (!(term > empty)) continue;
            if (sums[i] == empty) active[count++] = (uint32_t)i;
            if (!is_max) sums[i] += term;
            else if (term > sums[i]) sums[i] = term;
        }
    }
    const bool is_room = reserve_row(chain->context, rows, count);
    for (size_t k = 0; k < count; k++) {
        const size_t i = active[k];
        const double e = emissions[chain->state_of[i]];
        const double value = is_max ? e + (sums[i] - scale) : e * (sums[i] * inverse);
        sums[i] = empty;
        if (!is_room || !(value > empty)) continue;
        rows->nodes[rows->first[rows->count] + kept] = (uint32_t)i;
        rows->values[rows->first[rows->count] + kept++] = value;
    }
    if (!is_room) return crd_i_fail_memory(error);
    end_row(rows, kept);
    return CRD_OK;
}

crd_status crd_i_sparse_backward(crd_i_chain_workspace *workspace, const crd_i_windows *windows, size_t window,
                                 bool is_max, crd_error *error) {
    const crd_i_chain *chain = workspace->chain;
    crd_i_node_lists *rows = &workspace->sparse_tails;
    const crd_i_node_lists *checkpoints = &workspace->sparse_checkpoints;
    rows->count = 0;
    for (size_t i = 0; is_max && i < chain->nodes; i++) workspace->tail[i] = -INFINITY;
    crd_status status = CRD_OK;
    for (size_t t = workspace->steps; t-- > 0 && status == CRD_OK;) {
        const double *emissions = workspace->logs.cursor + t * chain->state_stride;
        if (rows->count > 0) status = row_before(workspace, rows, rows->count - 1, emissions, is_max, error);
        else if (window + 1 == windows->count) status = last_row(workspace, emissions, is_max, error);
        else status = row_before(workspace, checkpoints, windows->count - 2 - window, emissions, is_max, error);
    }
    for (size_t i = 0; is_max && i < chain->nodes; i++) workspace->tail[i] = 0;
    return status;
}

/* ---- Forward ---- */

/* Version of predict for chains with blocks. */
static size_t predict_by_blocks(crd_i_chain_workspace *workspace, const crd_i_sparse_pass *pass,
                                const double *emissions) {
    const crd_i_chain *chain = workspace->chain;
    const crd_i_chain_blocks *blocks = chain->blocks;
    const double *out = workspace->block.out;
    size_t active = 0;
    for (size_t b = 0; b < blocks->count; b++) {
        const crd_i_chain_block *block = &blocks->blocks[b];
        if (!crd_i_chain_block_forward(blocks, block, chain->lanes, workspace->filtered, 1 / pass->sum,
                                       &workspace->block))
            continue;
        for (size_t k = 0; k < block->target_count; k++) {
            const uint32_t j = blocks->targets[block->first_target + k];
            const bool is_possible = (emissions[chain->state_of[j]] > 0) & (out[k] > 0);
            workspace->next_active[active] = j;
            workspace->predicted[j] = is_possible ? out[k] : 0;
            active += is_possible;
        }
    }
    return active;
}

/* Computes the predicted probabilities of the nodes that the observation leaves possible. Returns their number. */
static size_t sparse_trellis_predict(crd_i_chain_workspace *workspace, const crd_i_sparse_pass *pass,
                                     const double *emissions) {
    const crd_i_chain *chain = workspace->chain;
    if (chain->blocks != NULL) return predict_by_blocks(workspace, pass, emissions);
    double *predicted = workspace->predicted;
    uint32_t *active = workspace->next_active;
    size_t count = 0;
    const double inverse = 1 / pass->sum;
    for (size_t k = 0; k < pass->active_count; k++) {
        const size_t i = workspace->active[k];
        const double filtered = workspace->filtered[i] * inverse;
        for (size_t e = chain->first_out[i]; e < chain->first_out[i + 1]; e++) {
            const size_t j = chain->targets[e];
            const double term = filtered * chain->out[e];
            if (!(emissions[chain->state_of[j]] > 0 && term > 0)) continue;
            if (predicted[j] == 0) active[count++] = (uint32_t)j;
            predicted[j] += term;
        }
    }
    return count;
}

static size_t predict_start(crd_i_chain_workspace *workspace, const double *emissions) {
    const crd_i_chain *chain = workspace->chain;
    size_t count = 0;
    for (size_t i = 0; i < chain->nodes; i++) {
        if (workspace->start[i] > 0 && emissions[chain->state_of[i]] > 0) {
            workspace->predicted[i] = workspace->start[i];
            workspace->next_active[count++] = (uint32_t)i;
        }
    }
    return count;
}

/* Adds the expected transitions into the current step: a_{t-1}(i) / c_{t-1} A_ij u_t(j) / s_t. */
static void sparse_trellis_count_transitions(const crd_i_chain_workspace *workspace, const crd_i_sparse_pass *pass,
                                             double overlap, double *counts) {
    const crd_i_chain *chain = workspace->chain;
    const double weight = 1 / pass->sum / overlap;
    for (size_t k = 0; k < pass->active_count; k++) {
        const size_t i = workspace->active[k];
        const double weighted = workspace->filtered[i] * weight;
        for (size_t e = chain->first_out[i]; e < chain->first_out[i + 1]; e++) {
            const double tail = workspace->tail[chain->targets[e]];
            if (tail > 0) counts[e] += weighted * chain->out[e] * tail;
        }
    }
}

/* Computes the sums of p_t u_t over the nodes of each state, and returns their total s_t. Replaces p_t by a_t for each
 * node, and sets *sum to the sum of a_t. */
static double sparse_trellis_condition(const crd_i_chain_workspace *workspace, size_t count, const double *emissions,
                                       double *sum) {
    const crd_i_chain *chain = workspace->chain;
    double *predicted = workspace->predicted, *sums = workspace->state_sums, overlap = 0, parts[PARTS] = {0};
    for (size_t k = 0; k < chain->state_stride; k++) sums[k] = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t i = workspace->next_active[k], state = chain->state_of[i];
        const double p = predicted[i], filtered = p * emissions[state];
        sums[state] += p * workspace->tail[i];
        predicted[i] = filtered;
        parts[k % PARTS] += filtered;
    }
    for (size_t k = 0; k < chain->state_stride; k++) overlap += sums[k];
    for (size_t p = 1; p < PARTS; p++) parts[0] += parts[p];
    *sum = parts[0];
    return overlap;
}

static void count_starts(const crd_i_chain_workspace *workspace, size_t count, double overlap, double *counts) {
    for (size_t k = 0; k < count; k++) {
        const size_t i = workspace->next_active[k];
        counts[i] += workspace->start[i] * workspace->tail[i] / overlap;
    }
}

/* Replaces a_{t-1} by a_t, and clears the old row. */
static void sparse_trellis_go_on(crd_i_chain_workspace *workspace, crd_i_sparse_pass *pass, size_t count) {
    double *filtered = workspace->predicted;
    uint32_t *active = workspace->next_active;
    for (size_t k = 0; k < pass->active_count; k++) workspace->filtered[workspace->active[k]] = 0;
    workspace->predicted = workspace->filtered;
    workspace->filtered = filtered;
    workspace->next_active = workspace->active;
    workspace->active = active;
    pass->active_count = count;
}

void crd_i_sparse_forward(crd_i_chain_workspace *workspace, crd_i_sparse_pass *pass, bool is_final,
                          const crd_i_chain_counts *counts) {
    const crd_i_chain *chain = workspace->chain;
    const crd_i_node_lists *tails = &workspace->sparse_tails;
    for (size_t t = 0; t < workspace->steps; t++) {
        const bool is_first = workspace->source == 0 && t == 0;
        const size_t row = workspace->steps - 1 - t;
        double *emissions = workspace->logs.cursor + t * chain->state_stride;
        crd_i_sparse_scatter(tails, row, workspace->tail);
        const size_t count =
            is_first ? predict_start(workspace, emissions) : sparse_trellis_predict(workspace, pass, emissions);
        double sum;
        const double overlap = sparse_trellis_condition(workspace, count, emissions, &sum);
        const double joint = overlap * pass->sum;
        if (!(joint >= pass->least)) pass->least = joint;
        pass->overlap = overlap;
        if (counts != NULL && counts->transitions != NULL && !is_first)
            sparse_trellis_count_transitions(workspace, pass, overlap, counts->transitions);
        if (is_final && is_first && counts != NULL && counts->start != NULL)
            count_starts(workspace, count, overlap, counts->start);
        for (size_t k = 0; is_final && k < chain->state_stride; k++) emissions[k] = workspace->state_sums[k] / overlap;
        crd_i_sparse_unscatter(tails, row, 0, workspace->tail);
        sparse_trellis_go_on(workspace, pass, count);
        pass->sum = workspace->sums.cursor[t] = sum;
    }
}

void crd_i_sparse_forward_end(crd_i_chain_workspace *workspace, crd_i_sparse_pass *pass) {
    for (size_t k = 0; k < pass->active_count; k++) workspace->filtered[workspace->active[k]] = 0;
    pass->active_count = 0;
}
