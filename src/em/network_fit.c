/* SPDX-License-Identifier: MIT */
/* network_fit.c - random restarts of EM or gradient ascent for the CPTs of a network. See network_fit.h. */
#include "em/network_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "em/fit_run.h"
#include "em/gradient_ascent.h"
#include "math/functions/elementary.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

/* A start stops when it gains less than this, relative to F. That is enough to recognize the good starts. */
static const double START_TOLERANCE = 1e-5;
/* Pseudo-counts added to each CPT row at the start, so that nothing is impossible. */
static const double START_MASS = 1;

/* ---- Starts ---- */

/* Returns whether the node has no value in any row: it is hidden, or its column has declared states but no values. */
static bool network_fit_is_unseen(const crd_i_network_fit_problem *problem, size_t node) {
    if (problem->columns[node] == SIZE_MAX) return true;
    const crd_i_case_column *column = &problem->table->columns[problem->columns[node]];
    size_t row = 0;
    if (!column->has_missing) return false;
    while (row < problem->table->rows && crd_i_case_code(column, row) == CRD_I_CASE_MISSING32) row++;
    return row == problem->table->rows;
}

static bool has_hidden_member(const crd_i_fit_run *run, size_t node) {
    const crd_i_node *current_node = &run->problem->network->nodes[node];
    for (size_t i = 0; i < current_node->parent_count; i++)
        if (run->is_unseen[current_node->parents[i]]) return true;
    return run->is_unseen[node];
}

static bool has_hidden(const crd_i_fit_run *run) {
    for (size_t i = 0; i < run->problem->network->count; i++)
        if (run->is_unseen[i]) return true;
    return false;
}

/* Draws each row of a CPT uniformly from all distributions: Dirichlet(1, ..., 1). */
static void network_fit_draw_table(crd_i_random *random, double *table, size_t rows, size_t states) {
    for (size_t r = 0; r < rows; r++) {
        double sum = 0;
        for (size_t s = 0; s < states; s++) {
            table[r * states + s] = -crd_log(crd_i_random_open(random));
            sum += table[r * states + s];
        }
        for (size_t s = 0; s < states; s++) table[r * states + s] /= sum;
    }
}

/* Sets a CPT from available-case counts. */
static void count_table(const double *counts, const double *assumed, double *table, size_t rows, size_t states) {
    for (size_t r = 0; r < rows; r++) {
        double sum = 0;
        for (size_t s = 0; s < states; s++) {
            table[r * states + s] = counts[r * states + s] + assumed[s] + START_MASS / (double)states;
            sum += table[r * states + s];
        }
        for (size_t s = 0; s < states; s++) table[r * states + s] /= sum;
    }
}

/* Sets the initial CPTs of a start. Without hidden nodes, only the first start is not random. */
static void start_tables(crd_i_fit_run *run, size_t start, bool is_hidden) {
    const crd_i_network_fit_problem *problem = run->problem;
    const double *available = crd_i_incomplete_cases_available_counts(run->cases);
    for (size_t i = 0; i < problem->network->count; i++) {
        const crd_i_node *node = &problem->network->nodes[i];
        size_t states = crd_i_node_states(node), index = run->starts[i];
        bool is_random = is_hidden ? has_hidden_member(run, i) : start > 0;
        crd_i_random random = crd_i_random_at(start, i);
        if (problem->is_fixed[i]) memcpy(run->next + index, node->table, node->rows * states * sizeof *run->next);
        else if (is_random) network_fit_draw_table(&random, run->next + index, node->rows, states);
        else count_table(available + index, problem->assumed[i], run->next + index, node->rows, states);
    }
}

/* ---- The order of a hidden node's states ---- */

/* Sorts the states by decreasing expected count: order[k] is the old index of the k-th state. */
static void sort_states(const double *counts, size_t rows, size_t states, double *sums, size_t *order) {
    for (size_t s = 0; s < states; s++) {
        sums[s] = 0;
        for (size_t r = 0; r < rows; r++) sums[s] += counts[r * states + s];
        size_t index = s;
        for (; index > 0 && sums[order[index - 1]] < sums[s]; index--) order[index] = order[index - 1];
        order[index] = s;
    }
}

/* Reorders a CPT after the states of one member of the node's family were reordered. `workspace` has room for the
 * CPT. */
static void permute_table(const crd_network *network, size_t node, size_t member, const size_t *order, double *table,
                          double *workspace) {
    const crd_i_node *current_node = &network->nodes[node];
    size_t states = crd_i_node_states(&network->nodes[member]), stride = 1,
           cells = current_node->rows * crd_i_node_states(current_node);
    for (size_t j = current_node->parent_count + 1; j-- > 0;) {
        size_t one = j == current_node->parent_count ? node : current_node->parents[j];
        if (one == member) break;
        stride *= crd_i_node_states(&network->nodes[one]);
    }
    memcpy(workspace, table, cells * sizeof *workspace);
    for (size_t c = 0; c < cells; c++) {
        size_t state = c / stride % states;
        table[c] = workspace[c - state * stride + order[state] * stride];
    }
}

/* Sorts the states of each hidden node by decreasing expected count, in its own CPT and in the CPTs of its children. */
static crd_status order_hidden(crd_i_fit_run *run, crd_error *error) {
    const crd_i_network_fit_problem *problem = run->problem;
    const crd_network *network = problem->network;
    crd_context *context = network->context;
    size_t most = 1;
    for (size_t i = 0; i < network->count; i++)
        if (crd_i_node_states(&network->nodes[i]) > most) most = crd_i_node_states(&network->nodes[i]);
    double *sums = crd_i_alloc(context, most, sizeof *sums);
    size_t *order = crd_i_alloc(context, most, sizeof *order);
    for (size_t i = 0; sums != NULL && order != NULL && i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        if (!run->is_unseen[i]) continue;
        sort_states(run->counts + run->starts[i], node->rows, crd_i_node_states(node), sums, order);
        permute_table(network, i, i, order, run->tables + run->starts[i], run->next);
        permute_table(network, i, i, order, run->counts + run->starts[i], run->next);
        for (size_t j = 0; j < node->child_count; j++) {
            size_t child = node->children[j], index = run->starts[child];
            permute_table(network, child, i, order, run->tables + index, run->next);
            permute_table(network, child, i, order, run->counts + index, run->next);
        }
    }
    crd_status status = sums == NULL || order == NULL ? crd_i_fail_memory(error) : CRD_OK;
    crd_free(context, sums);
    crd_free(context, order);
    return status;
}

/* ---- The complete fit ---- */

/* The best start so far. */
typedef struct best_start {
    double *tables, *counts;
    double log_likelihood, value;
    crd_i_fit_trace trace;
} best_start;

static crd_status network_fit_ascend(crd_i_fit_run *run, const crd_i_network_fit_options *options, double tolerance,
                                     crd_i_fit_trace *trace, crd_error *error) {
    const crd_i_fit_limits limits = {options->iterations, tolerance};
    bool is_converged = false;
    crd_status status =
        (options->by_gradient ? crd_i_gradient_ascent : crd_i_fit_run_em)(run, &limits, trace, &is_converged, error);
    if (status == CRD_OK) trace->is_converged = is_converged;
    return status;
}

/* Runs one start from its initial CPTs. */
static crd_status run_start(crd_i_fit_run *run, size_t start, bool is_hidden, const crd_i_network_fit_options *options,
                            double tolerance, crd_i_fit_trace *trace, crd_error *error) {
    double log_likelihood, value;
    trace->count = 0;
    start_tables(run, start, is_hidden);
    crd_status status = crd_i_fit_run_evaluate(run, run->next, run->next_counts, &log_likelihood, &value, error);
    if (status == CRD_OK) status = crd_i_fit_run_step(run, log_likelihood, value, trace, error);
    return status == CRD_OK ? network_fit_ascend(run, options, tolerance, trace, error) : status;
}

static void keep_best(const crd_i_fit_run *run, crd_i_fit_trace *trace, best_start *best) {
    const crd_i_fit_trace now = *trace;
    memcpy(best->tables, run->tables, run->cells * sizeof *best->tables);
    memcpy(best->counts, run->counts, run->cells * sizeof *best->counts);
    best->log_likelihood = run->log_likelihood;
    best->value = run->value;
    *trace = best->trace;
    best->trace = now;
}

static void take_best(crd_i_fit_run *run, best_start *best) {
    memcpy(run->tables, best->tables, run->cells * sizeof *run->tables);
    memcpy(run->counts, best->counts, run->cells * sizeof *run->counts);
    run->log_likelihood = best->log_likelihood;
    run->value = best->value;
}

/* Runs all starts, then continues the best start until it converges. */
static crd_status network_fit_run_starts(crd_i_fit_run *run, const crd_i_network_fit_options *options, best_start *best,
                                         crd_i_fit_trace *out, crd_error *error) {
    bool is_hidden = has_hidden(run);
    size_t starts = options->starts > 0 ? options->starts : is_hidden ? CRD_I_FIT_STARTS : 1;
    bool is_trivial = crd_i_incomplete_cases_are_complete(run->cases);
    if (is_trivial) starts = 1;
    double tolerance = starts > 1 ? fmax(START_TOLERANCE, options->tolerance) : options->tolerance;
    crd_i_fit_trace trace = {.context = out->context};
    crd_status status = CRD_OK;
    crd_i_stage stage;
    out->start_values = crd_i_alloc(out->context, starts, sizeof *out->start_values);
    if (out->start_values == NULL) return crd_i_fail_memory(error);
    crd_i_stage_begin(&stage, options->by_gradient ? "gradient ascent" : "EM", starts);
    for (size_t i = 0; status == CRD_OK && i < starts; i++) {
        status = run_start(run, i, is_hidden, options, tolerance, &trace, error);
        /* A cancelled run keeps its latest step. */
        bool is_kept = status == CRD_OK || (crd_i_is_cancelled(status) && trace.count > 0);
        if (!is_kept) break;
        out->start_values[out->start_count++] = run->value;
        if (out->start_count == 1 || run->value > best->value) {
            keep_best(run, &trace, best);
            out->best_start = i;
        }
        crd_i_stage_add(&stage, 1);
    }
    bool is_cut = crd_i_is_cancelled(status) && out->start_count > 0;
    if (status == CRD_OK || is_cut) take_best(run, best);
    if (status == CRD_OK && starts > 1) {
        status = network_fit_ascend(run, options, options->tolerance, &best->trace, error);
        is_cut = crd_i_is_cancelled(status);
    }
    crd_i_stage_end(&stage);
    crd_i_fit_trace_clear(&trace);
    if (is_cut) {
        best->trace.is_stopped = true;
        best->trace.is_converged = false;
        status = CRD_OK;
    }
    return status;
}

/* Copies the fitted CPTs into the network and moves the trace to `out`. */
static void network_fit_conclude(const crd_i_fit_run *run, best_start *best, crd_i_fit_trace *out) {
    const crd_i_fit_trace fit_trace = best->trace, none = {.context = out->context};
    for (size_t i = 0; i < run->problem->network->count; i++)
        memcpy(run->problem->network->nodes[i].table, run->tables + run->starts[i],
               (run->starts[i + 1] - run->starts[i]) * sizeof *run->tables);
    out->count = fit_trace.count;
    out->log_likelihoods = fit_trace.log_likelihoods;
    out->values = fit_trace.values;
    out->capacity = fit_trace.capacity;
    out->is_converged = fit_trace.is_converged;
    out->is_stopped = fit_trace.is_stopped;
    best->trace = none;
}

crd_status crd_i_network_fit(const crd_i_network_fit_problem *problem, const crd_i_network_fit_options *options,
                             crd_i_fit_trace *trace, crd_error *error) {
    crd_context *context = problem->network->context;
    crd_i_fit_run run = {.problem = problem};
    best_start best = {.trace = {.context = context}};
    double *workspace = NULL;
    bool *is_hidden = NULL;
    trace->context = context;
    crd_status status =
        crd_i_incomplete_cases_create(problem->network, problem->table, problem->columns, &run.cases, error);
    if (status != CRD_OK) return status;
    run.starts = crd_i_incomplete_cases_starts(run.cases);
    run.cells = run.starts[problem->network->count];
    workspace = crd_i_alloc(context, 8 * run.cells, sizeof *workspace);
    is_hidden = crd_i_alloc(context, problem->network->count, sizeof *is_hidden);
    if (workspace == NULL || is_hidden == NULL) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    for (size_t i = 0; i < problem->network->count; i++) is_hidden[i] = network_fit_is_unseen(problem, i);
    run.is_unseen = is_hidden;
    run.tables = workspace;
    run.counts = workspace + run.cells;
    run.next = workspace + 2 * run.cells;
    run.next_counts = workspace + 3 * run.cells;
    run.direction = workspace + 4 * run.cells;
    run.last = workspace + 5 * run.cells;
    best.tables = workspace + 6 * run.cells;
    best.counts = workspace + 7 * run.cells;
    status = network_fit_run_starts(&run, options, &best, trace, error);
    if (status == CRD_OK) status = order_hidden(&run, error);
    if (status == CRD_OK) network_fit_conclude(&run, &best, trace);
end:
    crd_i_fit_trace_clear(&best.trace);
    if (status != CRD_OK) crd_i_fit_trace_clear(trace);
    crd_free(context, workspace);
    crd_free(context, is_hidden);
    crd_i_incomplete_cases_destroy(run.cases);
    return status;
}
