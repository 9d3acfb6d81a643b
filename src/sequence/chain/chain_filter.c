/* SPDX-License-Identifier: MIT */
/* chain_filter.c - filtering: observations arrive one by one. See chain.h.
 *
 *   log P(s_t | x_1 .. x_{t-1}) = log(sum over s_{t-1} of P(s_{t-1} | x_1 .. x_{t-1}) A)
 *   log P(s_t | x_1 .. x_t) = log P(s_t | x_1 .. x_{t-1}) + log e_t - log P(x_t | x_1 .. x_{t-1})
 *
 * Rows are stored as logarithms, because a state that is almost impossible now may be the only possible state later.
 * Sums are computed from probabilities. A sum that is too small is computed again from logarithms. The posterior of an
 * earlier step is computed by forward-backward over the steps since then, starting from the prediction for that
 * step. */
#include "sequence/chain/chain.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* Smaller sums may have lost terms by underflow. */
#define LEAST_SUM 1e-250

struct crd_i_chain_filter {
    const crd_i_chain *chain;
    crd_i_chain_workspace *work;
    size_t kept; /* lag + 1 */
    uint64_t steps;
    crd_i_aligned_room memory;
    double *filtered;  /* log P(node | observations so far) */
    double *row, *sum; /* scratch space for rows of nodes */
    double *ones, *zeros;
    double *predicted; /* predictions of the last steps, as log probabilities of nodes: step t is in row t % kept */
    double *logs;      /* log emissions of the last steps, as rows of states: step t is in row t % kept */
    bool *any_state;
};

crd_status crd_i_chain_filter_create(const crd_i_chain *chain, size_t lag, crd_i_chain_filter **out, crd_error *error) {
    enum { ROWS = 5 };
    crd_context *context = chain->context;
    *out = NULL;
    crd_i_chain_filter *filter = crd_i_alloc_zeroed(context, 1, sizeof *filter);
    if (filter == NULL) return crd_i_fail_memory(error);
    filter->chain = chain;
    filter->kept = lag + 1;
    filter->any_state = crd_i_alloc(context, chain->states, sizeof *filter->any_state);
    const size_t width = chain->stride + chain->state_stride;
    crd_status status = crd_i_chain_workspace_create(chain, &filter->work, error);
    if (status == CRD_OK && (filter->any_state == NULL || lag >= SIZE_MAX / width - ROWS ||
                             !crd_i_aligned_reserve(context, &filter->memory, lag + 1 + ROWS, width)))
        status = crd_i_fail_memory(error);
    if (status != CRD_OK) {
        crd_i_chain_filter_destroy(filter);
        return status;
    }
    double *rows[ROWS];
    for (size_t k = 0; k < ROWS; k++) rows[k] = filter->memory.cursor + k * chain->stride;
    filter->filtered = rows[0];
    filter->row = rows[1];
    filter->sum = rows[2];
    filter->ones = rows[3];
    filter->zeros = rows[4];
    filter->predicted = filter->memory.cursor + ROWS * chain->stride;
    filter->logs = filter->predicted + filter->kept * chain->stride;
    for (size_t k = 0; k < chain->states; k++) filter->any_state[k] = true;
    for (size_t i = 0; i < chain->stride; i++) {
        filter->ones[i] = i < chain->nodes ? 1 : 0;
        filter->zeros[i] = i < chain->nodes ? 0 : -INFINITY;
        filter->row[i] = filter->sum[i] = 0;
    }
    *out = filter;
    return CRD_OK;
}

void crd_i_chain_filter_destroy(crd_i_chain_filter *filter) {
    if (filter == NULL) return;
    crd_context *context = filter->chain->context;
    crd_i_chain_workspace_destroy(filter->work);
    crd_free(context, filter->memory.memory);
    crd_free(context, filter->any_state);
    crd_free(context, filter);
}

void crd_i_chain_filter_begin(crd_i_chain_filter *filter) {
    filter->steps = 0;
}

/* ---- Prediction ---- */

static void multiply_blocks(const crd_i_chain *chain, const crd_i_block_room *workspace, const double *source,
                            double *destination) {
    const crd_i_chain_blocks *blocks = chain->blocks;
    for (size_t b = 0; b < blocks->count; b++) {
        const crd_i_chain_block *block = &blocks->blocks[b];
        if (!crd_i_chain_block_forward(blocks, block, chain->lanes, source, 1, workspace)) continue;
        for (size_t k = 0; k < block->target_count; k++)
            destination[blocks->targets[block->first_target + k]] = workspace->out[k];
    }
}

/* Computes destination = source A, for probabilities. Destroys `source`. Rows are zero past the last node. */
static void chain_filter_multiply(const crd_i_chain_filter *filter, double *source, double *destination) {
    const crd_i_chain *chain = filter->chain;
    if (chain->is_dense) {
        double sum;
        crd_i_forward_pass pass = {
            .nodes = chain->nodes,
            .stride = chain->stride,
            .matrix = chain->forward,
            .filtered = source,
            .sum = 1,
            .predicted = destination,
            .steps = 1,
            .emissions = filter->ones,
            .sums = &sum,
        };
        chain->lanes->forward(&pass);
        memcpy(destination, source, chain->stride * sizeof *destination);
        return;
    }
    for (size_t i = 0; i < chain->nodes; i++) destination[i] = 0;
    if (chain->blocks != NULL) {
        multiply_blocks(chain, &filter->work->block, source, destination);
        return;
    }
    for (size_t i = 0; i < chain->nodes; i++)
        for (size_t e = chain->first_out[i]; source[i] > 0 && e < chain->first_out[i + 1]; e++)
            destination[chain->targets[e]] += source[i] * chain->out[e];
}

/* Returns log(sum over i of exp(row[i]) A_ij). */
static double log_into(const crd_i_chain *chain, const double *row, size_t j) {
    double most = -INFINITY, sum = 0;
    const size_t first = chain->is_dense ? 0 : chain->first_in[j],
                 end = chain->is_dense ? chain->nodes : chain->first_in[j + 1];
    const double *logs = chain->is_dense ? chain->log_backward + j * chain->stride : chain->log_in;
    for (size_t e = first; e < end; e++) {
        const double term = logs[e] + row[chain->is_dense ? e : chain->sources[e]];
        if (term > most) most = term;
    }
    if (most == -INFINITY) return most;
    for (size_t e = first; e < end; e++) sum += crd_exp(logs[e] + row[chain->is_dense ? e : chain->sources[e]] - most);
    return most + crd_log(sum);
}

/* Computes the predicted log probabilities of a step's nodes. Nodes that the observation rules out become -INFINITY. */
static void chain_filter_predict(crd_i_chain_filter *filter, const double *logs, double *predicted) {
    const crd_i_chain *chain = filter->chain;
    if (filter->steps == 0) {
        memcpy(predicted, chain->log_start, chain->stride * sizeof *predicted);
        return;
    }
    chain->columns->exp(filter->filtered, chain->nodes, filter->row);
    chain_filter_multiply(filter, filter->row, filter->sum);
    for (size_t j = 0; j < chain->nodes; j++) {
        if (logs[chain->state_of[j]] == -INFINITY) predicted[j] = -INFINITY;
        else
            predicted[j] = filter->sum[j] >= LEAST_SUM ? crd_log(filter->sum[j]) : log_into(chain, filter->filtered, j);
    }
    for (size_t j = chain->nodes; j < chain->stride; j++) predicted[j] = -INFINITY;
}

/* Multiplies the prediction by the emissions into filter->row. Returns the log of the sum. */
static double chain_filter_condition(crd_i_chain_filter *filter, const double *logs, const double *predicted) {
    const crd_i_chain *chain = filter->chain;
    for (size_t j = 0; j < chain->nodes; j++) filter->row[j] = predicted[j] + logs[chain->state_of[j]];
    return crd_i_log_sum_exp(filter->row, chain->nodes);
}

/* Copies the log emissions of a step. If some densities are infinite, only these states remain possible. */
static crd_status copy_logs(const crd_i_chain *chain, const double *source, double *destination, bool *is_infinite,
                            crd_error *error) {
    *is_infinite = false;
    for (size_t k = 0; k < chain->states; k++) {
        if (source[k] != source[k]) return crd_i_fail(error, CRD_ERROR_NUMBER, "a log density is not a number");
        *is_infinite |= source[k] == INFINITY;
    }
    for (size_t k = 0; k < chain->state_stride; k++)
        destination[k] = k >= chain->states      ? -INFINITY
                         : !*is_infinite         ? source[k]
                         : source[k] == INFINITY ? 0
                                                 : -INFINITY;
    return CRD_OK;
}

crd_status crd_i_chain_filter_push(crd_i_chain_filter *filter, const double *logs, double *log_likelihood,
                                   crd_error *error) {
    const crd_i_chain *chain = filter->chain;
    const size_t index = (size_t)(filter->steps % filter->kept);
    double *predicted = filter->predicted + index * chain->stride, *kept = filter->logs + index * chain->state_stride;
    bool is_infinite;
    crd_status status = copy_logs(chain, logs, kept, &is_infinite, error);
    if (status != CRD_OK) return status;
    chain_filter_predict(filter, kept, predicted);
    double total = chain_filter_condition(filter, kept, predicted);
    *log_likelihood = is_infinite && total > -INFINITY ? INFINITY : crd_i_chain_settled(total);
    if (total == -INFINITY) {
        for (size_t k = 0; k < chain->states; k++) kept[k] = 0;
        chain_filter_predict(filter, kept, predicted);
        total = chain_filter_condition(filter, kept, predicted);
        if (total == -INFINITY)
            return crd_i_fail(error, CRD_ERROR_PROBABILITY,
                              filter->steps == 0 ? "no state can begin a sequence" : "no state can follow");
    }
    for (size_t j = 0; j < chain->nodes; j++) filter->filtered[j] = filter->row[j] - total;
    filter->steps++;
    return CRD_OK;
}

/* ---- Posteriors of earlier steps ---- */

typedef struct kept_steps {
    const crd_i_chain_filter *filter;
    uint64_t first;
    double *probabilities; /* posteriors of the first of these steps */
} kept_steps;

static crd_status fill_kept(const void *user, uint64_t source, uint64_t target, double *logs, crd_error *error) {
    (void)error;
    const kept_steps *kept = user;
    const crd_i_chain_filter *filter = kept->filter;
    const size_t stride = filter->chain->state_stride;
    for (uint64_t t = source; t < target; t++)
        memcpy(logs + (t - source) * stride, filter->logs + (size_t)((kept->first + t) % filter->kept) * stride,
               stride * sizeof *logs);
    return CRD_OK;
}

static crd_status chain_filter_take_first(void *user, uint64_t source, uint64_t target, double *posteriors,
                                          crd_error *error) {
    (void)target, (void)error;
    const kept_steps *kept = user;
    if (source == 0) memcpy(kept->probabilities, posteriors, kept->filter->chain->states * sizeof *posteriors);
    return CRD_OK;
}

/* Computes the posterior of the step `back` steps ago by forward-backward over the steps since then. */
static crd_status chain_filter_smooth(crd_i_chain_filter *filter, size_t back, bool is_ended, double *probabilities,
                                      crd_error *error) {
    const crd_i_chain *chain = filter->chain;
    crd_i_chain_workspace *work = filter->work;
    kept_steps kept = {filter, filter->steps - 1 - back, probabilities};
    const double *predicted = filter->predicted + (size_t)(kept.first % filter->kept) * chain->stride;
    chain->columns->exp(predicted, chain->stride, filter->row);
    work->start = filter->row;
    work->log_start = predicted;
    work->is_start_state = filter->any_state;
    if (!is_ended) {
        work->end = filter->ones;
        work->log_end = filter->zeros;
    }
    const crd_i_emissions emissions = {&kept, (uint64_t)back + 1, fill_kept};
    const crd_i_posterior_sink sink = {.user = &kept, .take = chain_filter_take_first};
    crd_i_chain_answer answer;
    crd_status status = crd_i_chain_posteriors(chain, &emissions, work, &sink, &answer, error);
    work->end = chain->end;
    work->log_end = chain->log_end;
    for (size_t k = 0; status == CRD_OK && answer.is_impossible && k < chain->states; k++) probabilities[k] = NAN;
    return status;
}

/* Sums the probabilities of nodes into probabilities of states. */
static void chain_filter_fold(const crd_i_chain *chain, const double *nodes, double *states) {
    for (size_t k = 0; k < chain->states; k++) states[k] = 0;
    for (size_t i = 0; i < chain->nodes; i++) states[chain->state_of[i]] += nodes[i];
}

crd_status crd_i_chain_filter_posterior(crd_i_chain_filter *filter, size_t back, bool is_ended, double *probabilities,
                                        crd_error *error) {
    const crd_i_chain *chain = filter->chain;
    if (back >= filter->steps || back >= filter->kept)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the filter does not store the step %zu steps before the last",
                          back);
    if (back > 0 || (is_ended && chain->has_end))
        return chain_filter_smooth(filter, back, is_ended, probabilities, error);
    chain->columns->exp(filter->filtered, chain->nodes, filter->row);
    chain_filter_fold(chain, filter->row, probabilities);
    return CRD_OK;
}

/* ---- Forecasts ---- */

crd_status crd_i_chain_filter_forecast(const crd_i_chain_filter *filter, uint64_t ahead, double *probabilities,
                                       crd_error *error) {
    enum { BETWEEN_CHECKS = 1024 };
    const crd_i_chain *chain = filter->chain;
    crd_i_aligned_room rows = {0};
    if (filter->steps == 0 && ahead == 0)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the filter has no step to forecast from");
    if (!crd_i_aligned_reserve(chain->context, &rows, 3, chain->stride)) return crd_i_fail_memory(error);
    double *now = rows.cursor, *next = now + chain->stride, *source = next + chain->stride;
    for (size_t i = 0; i < chain->stride; i++) now[i] = i < chain->nodes ? chain->start[i] : 0;
    if (filter->steps > 0) chain->columns->exp(filter->filtered, chain->nodes, now);
    crd_status status = CRD_OK;
    for (uint64_t h = filter->steps == 0 ? 1 : 0; h < ahead && status == CRD_OK; h++) {
        if (h % BETWEEN_CHECKS == 0 && crd_i_context_cancelled(chain->context)) status = crd_i_fail_cancelled(error);
        memcpy(source, now, chain->stride * sizeof *source);
        chain_filter_multiply(filter, source, next);
        if (memcmp(now, next, chain->nodes * sizeof *now) == 0) break; /* the distribution has converged */
        memcpy(now, next, chain->nodes * sizeof *now);
    }
    if (status == CRD_OK) chain_filter_fold(chain, now, probabilities);
    crd_free(chain->context, rows.memory);
    return status;
}
