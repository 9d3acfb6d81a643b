/* SPDX-License-Identifier: MIT */
/* network_fit.c - EM or gradient ascent for the CPTs of a network, from several starts. See network_fit.h.
 *
 * Contents:
 *   1. Steps and EM
 *   2. Gradient ascent
 *   3. Starts
 *   4. State order of hidden nodes
 *   5. The complete fit */
#include "em/network_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

/* ======== 1. Steps and EM ======== */

typedef struct network_run {
    const crd_i_network_fit_problem *problem;
    crd_i_incomplete_cases *cases;
    const size_t *starts; /* for each node: the first entry of its CPT in `tables` */
    size_t cells;
    const bool *is_unseen;   /* for each node: its value is missing in every row */
    double *tables, *counts; /* CPTs of the current step, and the expected counts under them */
    double *next, *next_counts;
    double *direction, *last; /* for gradient ascent: the search direction, and the last scaled gradient */
    double *best_tables, *best_counts;
    const crd_i_network_fit_options *options;
    bool is_hidden; /* some node is hidden */
    size_t start_count;
    crd_i_stage stage;
} network_run;

/* Returns the log prior density of the tables, up to a constant: sum of a log P(state | parents) over all learned
 * tables. */
static double log_prior(const network_run *run, const double *tables) {
    double sum = 0;
    for (size_t i = 0; i < run->problem->network->count; i++) {
        const crd_i_node *node = &run->problem->network->nodes[i];
        const double *assumed = run->problem->assumed[i];
        size_t states = crd_i_node_states(node);
        if (run->problem->is_fixed[i]) continue;
        for (size_t c = 0; c < node->rows * states; c++)
            if (assumed[c % states] > 0) sum += assumed[c % states] * crd_log(tables[run->starts[i] + c]);
    }
    return sum;
}

/* Computes the expected counts under the tables in `next`, their log likelihood, and F. */
static crd_status network_run_expect(void *state, crd_i_em_step *out, crd_error *error) {
    const network_run *run = state;
    crd_status status =
        crd_i_incomplete_cases_expect(run->cases, run->next, run->next_counts, &out->log_likelihood, error);
    if (status == CRD_OK) out->objective = out->log_likelihood + log_prior(run, run->next);
    return status;
}

/* Accepts the tables and counts in `next` and `next_counts` as the current step. */
static void network_run_accept(void *state) {
    network_run *run = state;
    double *tables = run->tables, *counts = run->counts;
    run->tables = run->next;
    run->counts = run->next_counts;
    run->next = tables;
    run->next_counts = counts;
}

/* Performs the M step: sets each row of a table to its posterior mode (n_v + a_v) / sum_v (n_v + a_v), where n are the
 * expected counts and a the pseudo-counts. Fixed tables are copied. */
static void network_run_maximize(void *state) {
    const network_run *run = state;
    const double *counts = run->counts;
    double *tables = run->next;
    for (size_t i = 0; i < run->problem->network->count; i++) {
        const crd_i_node *node = &run->problem->network->nodes[i];
        const double *assumed = run->problem->assumed[i];
        size_t states = crd_i_node_states(node);
        double mass = 0;
        for (size_t s = 0; s < states; s++) mass += assumed[s];
        for (size_t r = 0; r < node->rows; r++) {
            size_t index = run->starts[i] + r * states;
            double total = 0;
            for (size_t s = 0; s < states; s++) total += counts[index + s];
            for (size_t s = 0; s < states; s++)
                tables[index + s] = run->problem->is_fixed[i] ? run->tables[index + s]
                                    : total + mass > 0        ? (counts[index + s] + assumed[s]) / (total + mass)
                                                              : 1 / (double)states;
        }
    }
}

/* ======== 2. Gradient ascent ========
 *
 * Conjugate gradient ascent on the log posterior of a network's CPTs.
 *
 * With n the expected counts and w = P(state | parents), d log P(rows) / d w = n / w (Russell, Binder, Koller and
 * Kanazawa 1995). The rows of CPTs remain distributions through the parameters u, w = exp(u) / sum of exp(u). With a
 * the pseudo-counts, n. and a. their sums over the states of a row, the gradient in u is
 *
 *   g_v = n_v + a_v - (n. + a.) w_v.
 *
 * The gradient is scaled by the Fisher information of the complete data, z_v = g_v / ((n. + a.) w_v). Without the
 * scaling, the CPT rows of rare parent configurations would hardly move. Successive directions are conjugate (Polak and
 * Ribiere 1969), with restarts if beta is negative:
 *
 *   d = z + beta d_last,   beta = max(0, g (z - z_last) / (g_last z_last))
 *
 * A line search never accepts a step that decreases the objective. */

/* Line search conditions: a step is accepted if it gains at least GAIN times its length times the initial slope (Armijo
 * 1966). It is long enough if the absolute slope at its end is at most SLOPE_LEFT times the initial slope (strong Wolfe
 * condition; Wolfe 1969). At most MOST_TRIES lengths are tried. */
static const double GAIN = 1e-4, SLOPE_LEFT = 0.5;
enum { MOST_TRIES = 30 };
/* Upper bounds of a component of the scaled gradient and of the change of a log probability in one step. Without them,
 * a probability that starts far too small would drive all others to 0. */
static const double MOST_COMPONENT = 10, MOST_CHANGE = 30;

/* The CPT of one node: its first entry, its size, and the pseudo-counts of its states. */
typedef struct table_at {
    size_t begin, rows, states;
    const double *assumed;
} table_at;

static table_at table_of(const network_run *run, size_t node) {
    const crd_i_node *current_node = &run->problem->network->nodes[node];
    const table_at found = {run->starts[node], current_node->rows, crd_i_node_states(current_node),
                            run->problem->assumed[node]};
    return found;
}

/* Writes the scaled gradient z of all entries, 0 for fixed tables. Returns the inner product g z. */
static double scaled_gradient(const network_run *run, const double *tables, const double *counts, double *z) {
    double product = 0;
    for (size_t i = 0; i < run->problem->network->count; i++) {
        const table_at t = table_of(run, i);
        for (size_t r = 0; r < t.rows; r++) {
            size_t index = t.begin + r * t.states;
            double total = 0;
            for (size_t s = 0; s < t.states; s++) total += counts[index + s] + t.assumed[s];
            bool is_still = run->problem->is_fixed[i] || !(total > 0);
            for (size_t s = 0; s < t.states; s++) {
                double w = tables[index + s], n = counts[index + s] + t.assumed[s];
                double own = is_still ? 0 : w > 0 ? n / (w * total) - 1 : -1;
                z[index + s] = own < MOST_COMPONENT ? own : MOST_COMPONENT;
                product += is_still ? 0 : (n - w * total) * z[index + s];
            }
        }
    }
    return product;
}

/* Returns the directional derivative of F, the inner product g direction, given tables and their expected counts. */
static double gradient_ascent_slope(const network_run *run, const double *tables, const double *counts,
                                    const double *direction) {
    double product = 0;
    for (size_t i = 0; i < run->problem->network->count; i++) {
        const table_at t = table_of(run, i);
        for (size_t r = 0; r < t.rows && !run->problem->is_fixed[i]; r++) {
            size_t index = t.begin + r * t.states;
            double total = 0;
            for (size_t s = 0; s < t.states; s++) total += counts[index + s] + t.assumed[s];
            for (size_t s = 0; s < t.states; s++)
                product += (counts[index + s] + t.assumed[s] - tables[index + s] * total) * direction[index + s];
        }
    }
    return product;
}

/* Sets next = tables * exp(length * direction), each row normalized to sum 1. */
static void gradient_ascent_move(const network_run *run, double length) {
    for (size_t i = 0; i < run->problem->network->count; i++) {
        const table_at t = table_of(run, i);
        for (size_t r = 0; r < t.rows; r++) {
            size_t index = t.begin + r * t.states;
            double most = -INFINITY, sum = 0;
            for (size_t s = 0; s < t.states; s++)
                if (run->tables[index + s] > 0 && run->direction[index + s] > most) most = run->direction[index + s];
            for (size_t s = 0; s < t.states; s++) {
                double factor = run->tables[index + s] > 0 ? crd_exp(length * (run->direction[index + s] - most)) : 0;
                run->next[index + s] = run->tables[index + s] * factor;
                sum += run->next[index + s];
            }
            for (size_t s = 0; s < t.states; s++)
                run->next[index + s] =
                    run->problem->is_fixed[i] || !(sum > 0) ? run->tables[index + s] : run->next[index + s] / sum;
        }
    }
}

/* Returns the largest step length for which no log probability changes by more than MOST_CHANGE. */
static double gradient_ascent_longest(const network_run *run) {
    double most = 0;
    for (size_t i = 0; i < run->cells; i++) most = fabs(run->direction[i]) > most ? fabs(run->direction[i]) : most;
    return most > 0 ? MOST_CHANGE / most : 1;
}

typedef struct ascent_trial {
    double length, slope;
    crd_i_em_step step;
} ascent_trial;

/* Evaluates the step of the given length: its tables, expected counts, objective, and the slope at its end. */
static crd_status try_length(network_run *run, double length, ascent_trial *out, crd_error *error) {
    out->length = length;
    gradient_ascent_move(run, length);
    crd_status status = network_run_expect(run, &out->step, error);
    /* Underflow made some row impossible, so this length has the worst possible objective. */
    if (status == CRD_ERROR_PROBABILITY) {
        out->step.objective = -INFINITY;
        return CRD_OK;
    }
    if (status == CRD_OK) out->slope = gradient_ascent_slope(run, run->next, run->next_counts, run->direction);
    return status;
}

/* Finds a step length that gains enough and leaves its tables in `next`. Sets best->length to 0 if there is none. */
static crd_status search_line(network_run *run, double value, double slope_now, double first, ascent_trial *best,
                              crd_error *error) {
    double low = 0, high = INFINITY, low_slope = slope_now, limit = gradient_ascent_longest(run);
    ascent_trial now = {.length = first < limit ? first : limit};
    const ascent_trial none = {.step = {.objective = value}};
    *best = none;
    for (int i = 0; i < MOST_TRIES; i++) {
        crd_status status = try_length(run, now.length, &now, error);
        if (status != CRD_OK) return status;
        bool gains =
            now.step.objective > best->step.objective && now.step.objective >= value + GAIN * now.length * slope_now;
        if (!gains) {
            high = now.length;
        } else {
            *best = now;
            if (now.slope <= SLOPE_LEFT * slope_now && now.slope >= -SLOPE_LEFT * slope_now) return CRD_OK;
            if (now.slope > 0) low = now.length, low_slope = now.slope;
            else high = now.length;
        }
        if (!(high < INFINITY)) {
            if (now.length >= limit) break;
            now.length = fmin(limit, 3 * now.length);
            continue;
        }
        /* Secant step on the slopes if it lands well inside the interval; otherwise bisection. */
        double guess = gains && now.slope < 0 ? low + (high - low) * low_slope / (low_slope - now.slope) : 0;
        double edge = (high - low) * 0.1;
        now.length =
            guess > low + edge && guess < high - edge ? guess : low + (high - low) / (best->length > 0 ? 2 : 4);
        if (high - low < 1e-9 * high || (best->length > 0 && i > 4)) break;
    }
    /* The last length tried may not be the best: restore the tables of the best. */
    return best->length > 0 && best->length != now.length ? try_length(run, best->length, best, error) : CRD_OK;
}

/* Runs gradient ascent like crd_i_em_run. */
static crd_status gradient_ascent(network_run *run, const crd_i_em_rule *rule, crd_i_em_trace *trace,
                                  crd_error *error) {
    crd_i_em_step first;
    crd_status status = rule->is_continued ? CRD_OK : network_run_expect(run, &first, error);
    if (status != CRD_OK) return status;
    if (!rule->is_continued) {
        if (!crd_i_em_trace_add(trace, first.log_likelihood, first.objective)) return crd_i_fail_memory(error);
        network_run_accept(run);
    }
    double length = 1, product = scaled_gradient(run, run->tables, run->counts, run->direction);
    bool is_steepest = true;
    size_t small_gains = 0;
    trace->is_converged = false;
    memcpy(run->last, run->direction, run->cells * sizeof *run->last);
    for (size_t i = 0; i < rule->most_steps && !trace->is_converged; i++) {
        ascent_trial best;
        double slope_now = gradient_ascent_slope(run, run->tables, run->counts, run->direction);
        double before = crd_i_em_trace_objective(trace), least = rule->tolerance * (1 + fabs(before));
        if (!(slope_now > 0) && !is_steepest) {
            memcpy(run->direction, run->last, run->cells * sizeof *run->direction);
            slope_now = product;
            is_steepest = true;
        }
        if (!(slope_now > 0)) {
            trace->is_converged = true;
            break;
        }
        status = search_line(run, before, slope_now, length, &best, error);
        if (status != CRD_OK) return status;
        if (best.length > 0) {
            if (!crd_i_em_trace_add(trace, best.step.log_likelihood, best.step.objective))
                return crd_i_fail_memory(error);
            network_run_accept(run);
            length = best.length;
        }
        /* A small gain may be the fault of the conjugate direction, so one small gain restarts from the gradient. Only
         * a second one in a row means convergence. */
        small_gains = crd_i_em_trace_objective(trace) - before > least ? 0 : small_gains + 1;
        trace->is_converged = small_gains > 1 || (best.length == 0 && is_steepest);
        double last_product = product, *z = run->next;
        product = scaled_gradient(run, run->tables, run->counts, z);
        double crossed = gradient_ascent_slope(run, run->tables, run->counts, run->last);
        double beta = best.length > 0 && small_gains == 0 ? fmax(0, (product - crossed) / last_product) : 0;
        for (size_t c = 0; c < run->cells; c++) {
            run->direction[c] = z[c] + beta * run->direction[c];
            run->last[c] = z[c];
        }
        is_steepest = beta == 0;
        if (is_steepest) length = 1;
    }
    return CRD_OK;
}

/* ======== 3. Starts ======== */

/* A start stops when it gains less than this, relative to F. That is enough to recognize the good starts. */
static const double START_TOLERANCE = 1e-5;
/* Pseudo-counts added to each CPT row at the start, so that nothing is impossible. */
static const double START_MASS = 1;

/* Returns whether the node has no value in any row: it is hidden, or its column has declared states but no values. */
static bool network_fit_is_unseen(const crd_i_network_fit_problem *problem, size_t node) {
    if (problem->columns[node] == SIZE_MAX) return true;
    const crd_i_case_column *column = &problem->table->columns[problem->columns[node]];
    size_t row = 0;
    if (!column->has_missing) return false;
    while (row < problem->table->rows && crd_i_case_code(column, row) == CRD_I_CASE_MISSING32) row++;
    return row == problem->table->rows;
}

static bool has_hidden_member(const network_run *run, size_t node) {
    const crd_i_node *current_node = &run->problem->network->nodes[node];
    for (size_t i = 0; i < current_node->parent_count; i++)
        if (run->is_unseen[current_node->parents[i]]) return true;
    return run->is_unseen[node];
}

static bool has_hidden(const network_run *run) {
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
static void start_tables(network_run *run, size_t start, bool is_hidden) {
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

/* ======== 4. State order of hidden nodes ======== */

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
static crd_status order_hidden(network_run *run, crd_error *error) {
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

/* ======== 5. The complete fit ======== */

static crd_status network_fit_ascend(network_run *run, double tolerance, bool is_continued, crd_i_em_trace *trace,
                                     crd_error *error) {
    const crd_i_em_model model = {run, network_run_expect, network_run_maximize, network_run_accept};
    const crd_i_em_rule rule = {.tolerance = tolerance,
                                .most_steps = run->options->iterations,
                                .is_continued = is_continued,
                                .is_complete = crd_i_incomplete_cases_are_complete(run->cases),
                                .weighs_rest = true};
    return run->options->by_gradient ? gradient_ascent(run, &rule, trace, error)
                                     : crd_i_em_run(&model, &rule, trace, error);
}

/* Runs one start from its initial CPTs. */
static crd_status network_run_start(void *state, size_t start, crd_i_em_trace *trace, crd_error *error) {
    network_run *run = state;
    const double tolerance = run->options->tolerance;
    start_tables(run, start, run->is_hidden);
    crd_status status = network_fit_ascend(run, run->start_count > 1 ? fmax(START_TOLERANCE, tolerance) : tolerance,
                                           false, trace, error);
    if (status == CRD_OK) crd_i_stage_add(&run->stage, 1);
    return status;
}

static void network_run_keep(void *state, size_t place) {
    network_run *run = state;
    (void)place;
    memcpy(run->best_tables, run->tables, run->cells * sizeof *run->tables);
    memcpy(run->best_counts, run->counts, run->cells * sizeof *run->counts);
}

static void network_run_restore(void *state, size_t place) {
    const network_run *run = state;
    (void)place;
    memcpy(run->tables, run->best_tables, run->cells * sizeof *run->tables);
    memcpy(run->counts, run->best_counts, run->cells * sizeof *run->counts);
}

static bool network_run_has_next(const void *state, const crd_fit *fit) {
    const network_run *run = state;
    return fit->start_count < run->start_count;
}

/* Runs all starts, then continues the best start until it converges. */
static crd_status network_fit_run_starts(network_run *run, crd_fit *fit, crd_error *error) {
    const crd_i_em_starts starts = {.state = run,
                                    .run = network_run_start,
                                    .has_next = network_run_has_next,
                                    .keep = network_run_keep,
                                    .restore = network_run_restore};
    run->is_hidden = has_hidden(run);
    run->start_count = run->options->starts > 0 ? run->options->starts : run->is_hidden ? CRD_I_FIT_STARTS : 1;
    if (crd_i_incomplete_cases_are_complete(run->cases)) run->start_count = 1;
    crd_i_stage_begin(&run->stage, run->options->by_gradient ? "gradient ascent" : "EM", run->start_count);
    crd_status status = crd_i_em_run_starts(&starts, fit, error);
    if (status == CRD_OK && run->start_count > 1 && !fit->is_stopped) {
        status = network_fit_ascend(run, run->options->tolerance, true, &fit->trace, error);
        fit->is_stopped = crd_i_is_cancelled(status);
    }
    crd_i_stage_end(&run->stage);
    if (!fit->is_stopped) return status;
    fit->trace.is_converged = false;
    return CRD_OK;
}

crd_status crd_i_network_fit(const crd_i_network_fit_problem *problem, const crd_i_network_fit_options *options,
                             crd_fit *fit, crd_error *error) {
    crd_context *context = problem->network->context;
    crd_network *network = problem->network;
    network_run run = {.problem = problem, .options = options};
    double *workspace = NULL;
    bool *is_unseen = NULL;
    crd_i_em_fit_begin(fit, context);
    crd_status status = crd_i_incomplete_cases_create(network, problem->table, problem->columns, &run.cases, error);
    if (status != CRD_OK) return status;
    run.starts = crd_i_incomplete_cases_starts(run.cases);
    run.cells = run.starts[network->count];
    workspace = crd_i_alloc(context, 8 * run.cells, sizeof *workspace);
    is_unseen = crd_i_alloc(context, network->count, sizeof *is_unseen);
    if (workspace == NULL || is_unseen == NULL) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    for (size_t i = 0; i < network->count; i++) is_unseen[i] = network_fit_is_unseen(problem, i);
    run.is_unseen = is_unseen;
    double **const blocks[] = {&run.tables,    &run.counts, &run.next,        &run.next_counts,
                               &run.direction, &run.last,   &run.best_tables, &run.best_counts};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) *blocks[i] = workspace + i * run.cells;
    status = network_fit_run_starts(&run, fit, error);
    if (status == CRD_OK) status = order_hidden(&run, error);
    for (size_t i = 0; status == CRD_OK && i < network->count; i++)
        memcpy(network->nodes[i].table, run.tables + run.starts[i],
               (run.starts[i + 1] - run.starts[i]) * sizeof *run.tables);
end:
    if (status != CRD_OK) crd_i_em_fit_clear(fit);
    crd_free(context, workspace);
    crd_free(context, is_unseen);
    crd_i_incomplete_cases_destroy(run.cases);
    return status;
}
