/* SPDX-License-Identifier: MIT */
/* junction_collect.c - messages in a junction tree, and the results computed from them. See junction_tree.h.
 *
 * Towards the roots, the table of clique c is the product of its factors and of its children's messages, and its
 * message is
 *     up(shared) = sum over own of table(own, shared).
 * On the way back, down(shared) is the parent's table summed over the variables that are not shared, and
 *     table(own, shared) *= down(shared) / up(shared),                          where 0 / 0 = 0.
 * The table is then the joint probability of its variables and the evidence, up to a common factor. A variable's
 * posterior is summed from the smallest table that contains it, which is often a message.
 *
 * Contents:
 *   1. Messages to the roots
 *   2. Most probable explanation
 *   3. Draws
 *   4. Relevant nodes
 *   5. Several small trees
 *   6. Posteriors */
#include "infer/exact/junction_tree.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/junction_types.h"
#include "math/functions/elementary.h"
#include "network/network_internal.h"

#include <math.h>
#include <string.h>

/* ======== 1. Messages to the roots ========
 *
 * A case is laid out in the workspace first. */

/* A product of numbers whose smallest exponents add up to this is a normal double, and so is its divisor. */
enum { LOWEST = -900 };

void crd_i_junction_work_destroy(crd_i_junction_work *work) {
    if (work == NULL) return;
    crd_context *context = work->junction->context;
    if (work->narrow_work != NULL) crd_i_junction_work_destroy(work->narrow_work);
    crd_i_junction_destroy(work->narrow);
    crd_free(context, work->narrow_states);
    crd_free(context, work->cells);
    crd_free(context, work->soft);
    crd_free(context, work->set_tables);
    crd_free(context, work->set_lows);
    crd_free(context, work->operands);
    crd_i_arena_destroy(work->arena);
}

crd_status crd_i_junction_work_create(const crd_i_junction *junction, crd_i_junction_work **out, crd_error *error) {
    *out = NULL;
    crd_i_junction_work *work = crd_i_arena_object(junction->context, sizeof *work);
    if (work == NULL) return crd_i_fail_memory(error);
    size_t widest = 0;
    for (size_t i = 0; i < junction->clique_count; i++)
        if (junction->cliques[i].var_count > widest) widest = junction->cliques[i].var_count;
    work->junction = junction;
    work->memory = junction->memory;
    work->threads = junction->threads == 0 ? 1 : junction->threads;
    work->kept_cells = CRD_I_KEPT_CELLS;
    work->block_cells = CRD_I_BLOCK_CELLS;
    work->cells_for_threads = CRD_I_CELLS_FOR_THREADS;
    work->seen_at = crd_i_arena_alloc(work->arena, junction->count, sizeof *work->seen_at);
    work->source_at = crd_i_arena_alloc(work->arena, junction->count, sizeof *work->source_at);
    work->cliques = crd_i_arena_alloc_zeroed(work->arena, junction->clique_count, sizeof *work->cliques);
    work->roles = crd_i_arena_alloc(work->arena, widest, sizeof *work->roles);
    crd_status status = crd_i_arena_check(work->arena, error);
    if (status == CRD_OK) *out = work;
    else crd_i_junction_work_destroy(work);
    return status;
}

/* ---- Table walks ---- */

/* Sets up the walk through a clique's table together with the message between `child` and the clique. */
static void walk_message(const crd_i_junction_work *work, const crd_i_clique *clique, const crd_i_clique *child,
                         crd_i_walk *walk) {
    const crd_i_junction *junction = work->junction;
    const uint32_t *vars = crd_i_clique_vars(junction, clique), *shared = crd_i_clique_vars(junction, child);
    size_t left = child->var_count, stride = 1;
    crd_i_walk_begin(walk);
    for (size_t i = clique->var_count; i-- > 0;) {
        bool is_shared = left > child->own_count && shared[left - 1] == vars[i];
        if (is_shared) left--;
        if (work->seen_at[vars[i]] >= 0) continue;
        size_t extent = junction->states_at[vars[i]];
        crd_i_walk_add(walk, extent, is_shared ? stride : 0);
        if (is_shared) stride *= extent;
    }
    crd_i_walk_end(walk);
}

void crd_i_walk_joint(const crd_i_junction_work *work, const crd_i_clique *clique, const size_t *strides,
                      crd_i_walk *walk) {
    const uint32_t *vars = crd_i_clique_vars(work->junction, clique);
    crd_i_walk_begin(walk);
    for (size_t i = clique->var_count; i-- > 0;)
        if (work->seen_at[vars[i]] < 0) crd_i_walk_add(walk, work->junction->states_at[vars[i]], strides[i]);
    crd_i_walk_end(walk);
}

/* Sets up the walk through a table of `vars` together with a table of one of them. Returns the cell count of the
 * latter. */
static size_t walk_variable(const crd_i_junction_work *work, const uint32_t *vars, size_t count, uint32_t variable,
                            crd_i_walk *walk) {
    crd_i_walk_begin(walk);
    for (size_t i = count; i-- > 0;)
        if (work->seen_at[vars[i]] < 0)
            crd_i_walk_add(walk, work->junction->states_at[vars[i]], vars[i] == variable ? 1 : 0);
    crd_i_walk_end(walk);
    return work->junction->states_at[variable];
}

/* Sets up the walk through a clique's table together with a table of the variables `own`, ascending, with the given
 * strides. Returns the start of the cells that match the evidence in the latter. */
static const double *junction_collect_walk_table(const crd_i_junction_work *work, const crd_i_clique *clique,
                                                 const uint32_t *entries, const size_t *strides, size_t left,
                                                 const double *cells, crd_i_walk *walk) {
    const crd_i_junction *junction = work->junction;
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    for (; left > 0 && entries[left - 1] >= junction->graph_count; left--)
        cells += (size_t)work->seen_at[entries[left - 1]] * strides[left - 1];
    crd_i_walk_begin(walk);
    for (size_t i = clique->var_count; i-- > 0;) {
        bool is_in = left > 0 && entries[left - 1] == vars[i];
        int32_t seen = work->seen_at[vars[i]];
        if (is_in) left--;
        if (seen >= 0) {
            if (is_in) cells += (size_t)seen * strides[left];
            continue;
        }
        crd_i_walk_add(walk, junction->states_at[vars[i]], is_in ? strides[left] : 0);
    }
    crd_i_walk_end(walk);
    return cells;
}

/* ---- Case layout ---- */

/* Returns the index of a node's observed state, or -1. */
static int32_t junction_collect_take_state(crd_i_junction_work *work, size_t node, int32_t state) {
    const crd_i_junction *junction = work->junction;
    int32_t only = junction->only_state[node];
    if (only >= 0) {
        work->is_ruled_out = work->is_ruled_out || (state >= 0 && state != only);
        return 0;
    }
    if (state < 0) return -1;
    int32_t place = junction->place_of[junction->starts[node] + (size_t)state];
    work->is_ruled_out = work->is_ruled_out || place < 0;
    return place < 0 ? 0 : place;
}

static crd_status junction_collect_take_findings(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                 crd_error *error) {
    const crd_i_junction *junction = work->junction;
    char quoted[CRD_I_QUOTED_ROOM];
    work->likelihoods = findings->likelihoods;
    work->set_logs = findings->set_logs;
    work->is_ruled_out = junction->is_impossible;
    work->has_findings = false;
    for (size_t i = 0; findings->set_logs != NULL && i < junction->set_count; i++)
        work->has_findings = work->has_findings || findings->set_logs[i] != NULL;
    for (size_t i = 0; i < junction->count; i++) {
        const crd_i_node *node = &junction->network->nodes[i];
        uint32_t position = junction->position_of[i];
        size_t states = junction->starts[i + 1] - junction->starts[i];
        int32_t state = findings->states[i];
        if (state >= 0 && (size_t)state >= states)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s has no state number %d", crd_i_quote(node->name, quoted),
                              (int)state);
        bool has_likelihood = findings->likelihoods != NULL && findings->likelihoods[i] != NULL;
        work->has_findings = work->has_findings || ((state >= 0 || has_likelihood) && junction->has_table[i]);
        work->seen_at[position] = junction_collect_take_state(work, i, state);
        if (work->seen_at[position] < 0 && position >= junction->graph_count && junction->has_table[i])
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s must be observed in every case",
                              crd_i_quote(node->name, quoted));
        if (!has_likelihood) continue;
        double most = 0;
        for (size_t j = 0; j < states; j++) {
            double value = findings->likelihoods[i][j];
            if (!(value >= 0 && value < INFINITY))
                return crd_i_fail(error, CRD_ERROR_PROBABILITY, "%g is not a valid likelihood of %s", value,
                                  crd_i_quote(node->name, quoted));
            if (value > most) most = value;
        }
        if (most == 0)
            return crd_i_fail(error, CRD_ERROR_PROBABILITY, "at least one likelihood of %s must be above 0",
                              crd_i_quote(node->name, quoted));
    }
    return CRD_OK;
}

/* Computes the rows and width of a clique's table, and whether a likelihood is multiplied in. Returns its cell
 * count. */
static double junction_collect_measure(const crd_i_junction_work *work, const crd_i_clique *clique,
                                       crd_i_clique_work *clique_work) {
    const crd_i_junction *junction = work->junction;
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    double rows = 1, width = 1;
    clique_work->has_soft = false;
    for (size_t j = 0; j < clique->var_count; j++) {
        if (j < clique->own_count && work->likelihoods != NULL && work->likelihoods[junction->node_at[vars[j]]] != NULL)
            clique_work->has_soft = true;
        if (work->seen_at[vars[j]] >= 0) continue;
        if (j < clique->own_count) rows *= junction->states_at[vars[j]];
        else width *= junction->states_at[vars[j]];
    }
    if (!(rows * width <= CRD_I_MOST_CELLS)) return rows * width;
    clique_work->rows = (size_t)rows;
    clique_work->width = (size_t)width;
    return rows * width;
}

/* Returns the largest total cell count of the messages to a clique's children. */
static double most_down(const crd_i_junction_work *work) {
    const crd_i_junction *junction = work->junction;
    double most = 0;
    for (size_t i = 0; i < junction->clique_count; i++) {
        double cells = 0;
        for (int32_t j = junction->cliques[i].first_child; j != CRD_I_NONE; j = junction->cliques[j].next_child)
            cells += (double)work->cliques[j].width;
        most = cells > most ? cells : most;
    }
    return most;
}

static crd_status junction_collect_reserve(crd_i_junction_work *work, size_t cells, size_t operands, crd_error *error) {
    crd_context *context = work->junction->context;
    size_t numbers = work->junction->starts[work->junction->count];
    if (work->likelihoods != NULL && work->soft == NULL) work->soft = crd_i_alloc(context, numbers, sizeof *work->soft);
    if (work->likelihoods != NULL && work->soft == NULL) return crd_i_fail_memory(error);
    if (work->set_logs != NULL && work->set_tables == NULL)
        work->set_tables = crd_i_alloc(context, work->junction->set_cells, sizeof *work->set_tables);
    if (work->set_logs != NULL && work->set_lows == NULL)
        work->set_lows = crd_i_alloc(context, work->junction->set_count, sizeof *work->set_lows);
    if (work->set_logs != NULL && (work->set_tables == NULL || work->set_lows == NULL)) return crd_i_fail_memory(error);
    if (!crd_i_reserve(context, &work->operands, &work->operand_room, operands, crd_i_operand_size()))
        return crd_i_fail_memory(error);
    if (cells <= work->cell_room) return CRD_OK;
    /* Allocates exactly what is needed. Nothing of the previous case is kept. */
    crd_free(context, work->cells);
    work->cell_room = 0;
    work->cells = crd_i_alloc(context, cells, sizeof *work->cells);
    if (work->cells == NULL) return crd_i_fail_memory(error);
    work->cell_room = cells;
    return CRD_OK;
}

crd_status crd_i_junction_begin(crd_i_junction_work *work, const crd_i_evidence *findings, bool keeps_all,
                                crd_error *error) {
    const crd_i_junction *junction = work->junction;
    crd_status status = junction_collect_take_findings(work, findings, error);
    if (status != CRD_OK) return status;
    double whole = 0, total = 0, blocks = 0;
    size_t operands = 0;
    for (size_t i = 0; i < junction->clique_count; i++) {
        crd_i_clique_work *clique = &work->cliques[i];
        double cells = junction_collect_measure(work, &junction->cliques[i], clique);
        whole += cells;
        if (!(whole <= CRD_I_MOST_CELLS)) continue;
        clique->is_kept = keeps_all || cells <= (double)work->kept_cells;
        clique->table_at = (size_t)total;
        if (clique->is_kept) total += cells;
        clique->up_at = (size_t)total;
        total += (double)clique->width;
        if (clique->is_kept) continue;
        size_t needed = crd_i_blocks_operands(junction, &junction->cliques[i]);
        blocks = fmax(blocks, crd_i_blocks_room(work, i));
        operands = needed > operands ? needed : operands;
    }
    work->down_at = (size_t)total;
    total += most_down(work);
    work->blocks_at = (size_t)total;
    total += blocks;
    /* The stored tables, or all tables if they are too many to traverse. */
    double cells = (whole <= CRD_I_MOST_CELLS ? total : whole) + junction->table_cells;
    double bytes = cells * (double)sizeof(double);
    char buffer[CRD_I_BYTES_ROOM];
    if (!(whole <= CRD_I_MOST_CELLS) || (work->memory > 0 && bytes > work->memory))
        return crd_i_fail(error, CRD_ERROR_LIMIT, "an exact result needs tables with %.3g entries (%s)", cells,
                          crd_i_describe_bytes(bytes, buffer));
    return junction_collect_reserve(work, (size_t)total, operands, error);
}

/* ---- Messages ---- */

static void count_mantissa(crd_i_junction_work *work, double value) {
    int exponent, own;
    work->mantissa = frexp(work->mantissa * frexp(value, &own), &exponent);
    work->exponent += (int64_t)exponent + own;
    if (work->scale == CRD_I_LOGS) work->log_sum += crd_log(value);
}

/* Scales the likelihood of a variable so that its maximum is between 1/2 and 1; the factor goes into the evidence.
 * Logarithms are taken of the unscaled numbers, whose range may be larger. Returns an exponent e such that no
 * positive entry is below 2^e. */
static int take_soft(crd_i_junction_work *work, uint32_t position) {
    uint32_t node = work->junction->node_at[position];
    const double *given = work->likelihoods[node];
    double *soft = work->soft + work->junction->starts[node];
    size_t states = work->junction->states_at[position];
    const uint32_t *live = work->junction->live + work->junction->starts[node];
    double most = 0, least = INFINITY;
    int exponent = 0, low = 0;
    for (size_t i = 0; i < states; i++) {
        soft[i] = given[live[i]];
        if (soft[i] > most) most = soft[i];
        if (soft[i] > 0 && soft[i] < least) least = soft[i];
    }
    if (most == 0) return 0; /* the observation is impossible; the message will show it */
    frexp(most, &exponent);
    frexp(least, &low);
    low -= 1 + exponent;
    if (work->scale == CRD_I_LOGS) return low;
    for (size_t i = 0; i < states; i++) soft[i] = ldexp(soft[i], -exponent);
    work->exponent += exponent;
    return low;
}

/* Returns an exponent e such that no positive entry of a clique's table is below 2^e. Enters its likelihoods. */
static int64_t junction_collect_lowest(crd_i_junction_work *work, const crd_i_clique *clique,
                                       const crd_i_clique_work *clique_work) {
    const crd_i_junction *junction = work->junction;
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    int64_t low = 0;
    for (size_t i = clique->factors_begin; i < clique->factors_end; i++) low += junction->factors[i].low;
    for (size_t i = 0; clique_work->has_soft && i < clique->own_count; i++)
        if (work->likelihoods[junction->node_at[vars[i]]] != NULL) low += take_soft(work, vars[i]);
    for (int32_t i = clique->first_set; work->set_logs != NULL && i != CRD_I_NONE; i = junction->sets[i].next)
        if (work->set_logs[i] != NULL) low += work->set_lows[i];
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = junction->cliques[i].next_child)
        low += work->cliques[i].low;
    return low;
}

static void multiply_soft(crd_i_junction_work *work, const crd_i_clique *clique, double *table) {
    const crd_i_junction *junction = work->junction;
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    for (size_t i = 0; i < clique->own_count; i++) {
        uint32_t node = junction->node_at[vars[i]];
        if (work->likelihoods[node] == NULL) continue;
        crd_i_walk walk;
        walk_variable(work, vars, clique->var_count, vars[i], &walk);
        int32_t seen = work->seen_at[vars[i]];
        const double *soft = work->soft + junction->starts[node] + (seen >= 0 ? seen : 0);
        crd_i_factor_times(work->scale, &walk, table, soft);
    }
}

static void junction_collect_fill_table(crd_i_junction_work *work, const crd_i_clique *clique,
                                        const crd_i_clique_work *clique_work) {
    const crd_i_junction *junction = work->junction;
    double *table = work->cells + clique_work->table_at;
    crd_i_walk walk;
    for (size_t i = clique->factors_begin; i < clique->factors_end; i++) {
        const crd_i_factor *factor = &junction->factors[i];
        const double *cells = junction_collect_walk_table(work, clique, junction->factor_vars + factor->vars_at,
                                                          junction->factor_strides + factor->vars_at, factor->var_count,
                                                          junction->tables + factor->table_at, &walk);
        (i == clique->factors_begin ? crd_i_factor_set : crd_i_factor_times)(work->scale, &walk, table, cells);
    }
    if (clique->factors_begin == clique->factors_end)
        for (size_t i = 0; i < clique_work->rows * clique_work->width; i++)
            table[i] = work->scale == CRD_I_PLAIN ? 1 : 0;
    if (clique_work->has_soft) multiply_soft(work, clique, table);
    for (int32_t i = clique->first_set; work->set_logs != NULL && i != CRD_I_NONE; i = junction->sets[i].next) {
        const crd_i_junction_set *set = &junction->sets[i];
        if (work->set_logs[i] == NULL) continue;
        const double *cells = junction_collect_walk_table(work, clique, set->vars, set->strides, set->count,
                                                          work->set_tables + set->table_at, &walk);
        crd_i_message_times(work->scale, &walk, table, cells);
    }
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = junction->cliques[i].next_child) {
        walk_message(work, clique, &junction->cliques[i], &walk);
        crd_i_message_times(work->scale, &walk, table, work->cells + work->cliques[i].up_at);
    }
}

/* Scales a message so that its maximum is between 1/2 and 1, or its log maximum 0. Returns false if all entries are
 * 0. */
static bool scale_message(crd_i_junction_work *work, crd_i_clique_work *clique) {
    double *message = work->cells + clique->up_at;
    if (work->scale == CRD_I_LOGS) {
        double most = -INFINITY;
        for (size_t i = 0; i < clique->width; i++) most = message[i] > most ? message[i] : most;
        if (most == -INFINITY) return false;
        for (size_t i = 0; i < clique->width; i++) message[i] -= most;
        work->log_sum += most;
        return true;
    }
    double most = 0, least = INFINITY;
    for (size_t i = 0; i < clique->width; i++) {
        most = message[i] > most ? message[i] : most;
        double positive = message[i] > 0 ? message[i] : INFINITY;
        least = positive < least ? positive : least;
    }
    if (most == 0) return false;
    int exponent, low;
    frexp(most, &exponent);
    frexp(least, &low);
    clique->low = low - 1 - exponent;
    clique->exponent = exponent;
    work->exponent += exponent;
    if (exponent == 0) return true;
    double factor = ldexp(1, -exponent);
    for (size_t i = 0; i < clique->width; i++) message[i] *= factor;
    return true;
}

/* Processes tables and likelihoods whose nodes are all observed in every case. */
static bool count_loose(crd_i_junction_work *work) {
    const crd_i_junction *junction = work->junction;
    for (size_t i = junction->clique_factor_count; i < junction->factor_count; i++) {
        const crd_i_factor *factor = &junction->factors[i];
        size_t index = factor->table_at;
        for (size_t j = 0; j < factor->var_count; j++)
            index += (size_t)work->seen_at[junction->factor_vars[factor->vars_at + j]] *
                     junction->factor_strides[factor->vars_at + j];
        if (junction->tables[index] == 0) return false;
        count_mantissa(work, junction->tables[index]);
    }
    for (size_t i = junction->graph_count; work->likelihoods != NULL && i < junction->count; i++) {
        const double *likelihood = work->likelihoods[junction->node_at[i]];
        if (likelihood == NULL || !junction->has_table[junction->node_at[i]]) continue;
        double seen = likelihood[crd_i_junction_state(junction, junction->node_at[i], work->seen_at[i])];
        if (seen == 0) return false;
        count_mantissa(work, seen);
    }
    return true;
}

/* Computes the message from a clique with a stored table to its parent. */
static void send_to_parent(crd_i_junction_work *work, const crd_i_clique *clique, const crd_i_clique_work *clique_work,
                           bool by_most) {
    crd_i_walk walk;
    junction_collect_fill_table(work, clique, clique_work);
    crd_i_walk_begin(&walk);
    crd_i_walk_add(&walk, clique_work->width, 1);
    crd_i_walk_add(&walk, clique_work->rows, 0);
    crd_i_walk_end(&walk);
    (by_most ? crd_i_message_most : crd_i_message_sum)(work->scale, &walk, work->cells + clique_work->table_at,
                                                       work->cells + clique_work->up_at, clique_work->width);
}

/* Table size from which on cancellation is checked. */
enum { LARGE_TABLE = 1 << 12 };

typedef enum collect_outcome { POSSIBLE, IMPOSSIBLE, OUT_OF_RANGE, FAILED } collect_outcome;

static collect_outcome junction_collect_once(crd_i_junction_work *work, bool by_most, crd_status *status) {
    const crd_i_junction *junction = work->junction;
    work->mantissa = 1;
    work->exponent = 0;
    work->log_sum = 0;
    if (work->is_ruled_out || !count_loose(work) || !crd_i_junction_prepare_sets(work)) return IMPOSSIBLE;
    for (size_t i = 0; i < junction->clique_count; i++) {
        const crd_i_clique *clique = &junction->cliques[i];
        crd_i_clique_work *clique_work = &work->cliques[i];
        if (junction_collect_lowest(work, clique, clique_work) < LOWEST && work->scale == CRD_I_PLAIN)
            return OUT_OF_RANGE;
        bool takes_most = by_most && crd_i_clique_vars(junction, clique)[0] >= junction->summed_count;
        /* Small tables finish too quickly for cancellation to matter. */
        bool is_large = clique_work->width * clique_work->rows >= LARGE_TABLE;
        if (is_large) crd_i_stage_report("propagating", i, junction->clique_count);
        if (is_large && crd_i_context_cancelled(junction->context)) *status = CRD_ERROR_CANCELLED;
        else if (clique_work->is_kept) send_to_parent(work, clique, clique_work, takes_most);
        else *status = crd_i_blocks_up(work, i, takes_most);
        if (*status != CRD_OK) return FAILED;
        if (!scale_message(work, clique_work)) return IMPOSSIBLE;
        /* At a root, the message is a single number. */
        if (clique->parent == CRD_I_NONE && work->scale == CRD_I_PLAIN)
            count_mantissa(work, work->cells[clique_work->up_at]);
    }
    return POSSIBLE;
}

crd_status crd_i_junction_collect(crd_i_junction_work *work, bool by_most, crd_error *error) {
    crd_status status = CRD_OK;
    work->by_most = by_most;
    work->scale = CRD_I_PLAIN;
    collect_outcome outcome = junction_collect_once(work, by_most, &status);
    if (outcome == OUT_OF_RANGE) {
        work->scale = CRD_I_LOGS;
        outcome = junction_collect_once(work, by_most, &status);
    }
    if (outcome == FAILED) return crd_i_junction_stopped(status, error);
    return outcome == POSSIBLE ? CRD_OK : CRD_ERROR_PROBABILITY;
}

crd_status crd_i_junction_stopped(crd_status status, crd_error *error) {
    if (crd_i_is_cancelled(status)) return crd_i_fail_cancelled(error);
    return crd_i_fail_memory(error);
}

double crd_i_junction_log_evidence(const crd_i_junction_work *work) {
    if (!work->has_findings && !work->by_most) return 0; /* return exactly 0 instead of its rounded value */
    double own = work->scale == CRD_I_LOGS ? work->log_sum : crd_i_log_scaled(work->mantissa, work->exponent);
    return work->set_logs == NULL ? own : own + work->log_offset;
}

/* ======== 2. Most probable explanation ========
 *
 * Messages take maxima instead of sums (Dawid 1992). From the roots back, the own variables of each clique get the
 * states of the largest cell that is consistent with the states chosen so far. Cells that differ only by rounding
 * error count as equal, and the first of them is used. */

/* Returns the column of the clique's table that matches the states shared with its parent. */
static size_t junction_mpe_column(const crd_i_junction *junction, const crd_i_junction_work *work,
                                  const crd_i_clique *clique, const int32_t *states) {
    const uint32_t *vars = junction->clique_vars + clique->vars_at;
    size_t column = 0;
    for (size_t i = clique->own_count; i < clique->var_count; i++)
        if (work->seen_at[vars[i]] < 0)
            column = column * junction->states_at[vars[i]] + (size_t)states[junction->node_at[vars[i]]];
    return column;
}

crd_status crd_i_junction_most_probable(crd_i_junction_work *work, const crd_i_evidence *findings, int32_t *states,
                                        double *log_probability, crd_error *error) {
    crd_i_junction_work *whole = work;
    crd_status status = crd_i_junction_narrow(&work, findings, error);
    if (status == CRD_OK) status = crd_i_junction_begin(work, findings, false, error);
    if (status != CRD_OK) return status;
    status = crd_i_junction_collect(work, true, error);
    if (status == CRD_ERROR_PROBABILITY) return crd_i_junction_impossible(whole, findings, error);
    if (status != CRD_OK) return status;
    const crd_i_junction *junction = work->junction;
    if (log_probability != NULL) *log_probability = crd_i_junction_log_evidence(work);
    for (size_t i = 0; i < junction->count; i++) states[i] = work->seen_at[junction->position_of[i]];
    for (size_t i = junction->clique_count; i-- > 0;) {
        const crd_i_clique *clique = &junction->cliques[i];
        const crd_i_clique_work *clique_work = &work->cliques[i];
        const uint32_t *vars = junction->clique_vars + clique->vars_at;
        if (vars[0] < junction->summed_count) continue;
        size_t best = 0;
        if (clique_work->is_kept) {
            const double *cells =
                work->cells + clique_work->table_at + junction_mpe_column(junction, work, clique, states);
            for (size_t row = 1; row < clique_work->rows; row++)
                if (crd_i_is_more(work->scale, cells[row * clique_work->width], cells[best * clique_work->width]))
                    best = row;
        } else {
            status = crd_i_blocks_best_row(work, i, states, &best);
            if (status != CRD_OK) return crd_i_junction_stopped(status, error);
        }
        for (size_t j = clique->own_count; j-- > 0;) {
            if (work->seen_at[vars[j]] >= 0) continue;
            states[junction->node_at[vars[j]]] = (int32_t)(best % junction->states_at[vars[j]]);
            best /= junction->states_at[vars[j]];
        }
    }
    for (size_t i = 0; i < junction->count; i++) states[i] = crd_i_junction_state(junction, i, states[i]);
    return CRD_OK;
}

/* ======== 3. Draws ========
 *
 * Draws are from the joint posterior of all variables of the tree. Columns are summed cumulatively once, so each draw
 * is a binary search. */

/* Replaces each column by its cumulative sums, as plain numbers. Impossible columns are 0 and are never reached. */
static void add_up_columns(crd_i_factor_scale scale, double *table, size_t rows, size_t width) {
    for (size_t column = 0; column < width; column++) {
        double *cells = table + column, most = -INFINITY, sum = 0;
        for (size_t row = 0; scale == CRD_I_LOGS && row < rows; row++)
            most = cells[row * width] > most ? cells[row * width] : most;
        for (size_t row = 0; row < rows; row++) {
            double cell = cells[row * width];
            if (scale == CRD_I_LOGS) cell = most == -INFINITY ? 0 : crd_exp(cell - most);
            cells[row * width] = sum += cell;
        }
    }
}

crd_status crd_i_junction_draw_begin(crd_i_junction_work *work, const crd_i_evidence *findings, crd_error *error) {
    crd_status status = crd_i_junction_begin(work, findings, true, error);
    if (status == CRD_OK) status = crd_i_junction_collect(work, false, error);
    if (status == CRD_ERROR_PROBABILITY) return crd_i_junction_impossible(work, findings, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < work->junction->clique_count; i++) {
        const crd_i_clique_work *clique = &work->cliques[i];
        add_up_columns(work->scale, work->cells + clique->table_at, clique->rows, clique->width);
    }
    return CRD_OK;
}

/* Draws a row from a column of cumulative sums; never a row with probability 0. */
static size_t junction_sample_draw_row(const double *sums, size_t rows, size_t width, crd_i_random *random) {
    double point = crd_i_random_uniform(random) * sums[(rows - 1) * width];
    size_t low = 0, high = rows - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sums[middle * width] > point) high = middle;
        else low = middle + 1;
    }
    /* The product may have been rounded up to the total. */
    while (low > 0 && sums[low * width] == sums[(low - 1) * width]) low--;
    return low;
}

/* Returns the index of a variable's state among the remaining states. */
static size_t junction_sample_place(const crd_i_junction *junction, uint32_t position, const int32_t *states) {
    uint32_t node = junction->node_at[position];
    return (size_t)junction->place_of[junction->starts[node] + (size_t)states[node]];
}

void crd_i_junction_draw(const crd_i_junction_work *work, crd_i_random *random, int32_t *states) {
    const crd_i_junction *junction = work->junction;
    for (size_t i = 0; i < junction->count; i++)
        if (junction->only_state[i] >= 0) states[i] = junction->only_state[i];
    for (size_t i = junction->clique_count; i-- > 0;) {
        const crd_i_clique *clique = &junction->cliques[i];
        const crd_i_clique_work *clique_work = &work->cliques[i];
        const uint32_t *vars = crd_i_clique_vars(junction, clique);
        size_t column = 0, row = 0;
        for (size_t j = clique->own_count; j < clique->var_count; j++)
            if (work->seen_at[vars[j]] < 0)
                column = column * junction->states_at[vars[j]] + junction_sample_place(junction, vars[j], states);
        if (clique_work->rows > 1)
            row = junction_sample_draw_row(work->cells + clique_work->table_at + column, clique_work->rows,
                                           clique_work->width, random);
        for (size_t j = clique->own_count; j-- > 0;) {
            if (work->seen_at[vars[j]] >= 0) continue;
            uint32_t node = junction->node_at[vars[j]];
            states[node] = crd_i_junction_state(junction, node, (int32_t)(row % junction->states_at[vars[j]]));
            row /= junction->states_at[vars[j]];
        }
    }
}

/* ======== 4. Relevant nodes ======== */

enum { FROM_CHILD = 1, FROM_PARENT = 2, TOP = 4, BOTTOM = 8 };

typedef struct nodes_rolling {
    const crd_network *network;
    const bool *observed;
    unsigned char *marks;
    uint64_t *visits; /* node * 2, plus 1 if reached from a parent; each visit at most once */
    size_t count;
} nodes_rolling;

/* Schedules a visit of a node from a child or a parent, unless it is scheduled already. */
static void barren_nodes_visit(nodes_rolling *rolling, uint32_t node, unsigned char source) {
    if (rolling->marks[node] & source) return;
    rolling->marks[node] = (unsigned char)(rolling->marks[node] | source);
    rolling->visits[rolling->count++] = (uint64_t)node * 2 + (source == FROM_PARENT);
}

static void pass_to_parents(nodes_rolling *rolling, uint32_t index) {
    const crd_i_node *node = &rolling->network->nodes[index];
    if (rolling->marks[index] & TOP) return;
    rolling->marks[index] |= TOP;
    for (size_t i = 0; i < node->parent_count; i++) barren_nodes_visit(rolling, node->parents[i], FROM_CHILD);
}

static void pass_to_children(nodes_rolling *rolling, uint32_t index) {
    const crd_i_node *node = &rolling->network->nodes[index];
    if (rolling->marks[index] & BOTTOM) return;
    rolling->marks[index] |= BOTTOM;
    for (size_t i = 0; i < node->child_count; i++) barren_nodes_visit(rolling, node->children[i], FROM_PARENT);
}

crd_status crd_i_prune(const crd_network *network, const bool *asked, const bool *observed, bool *tables, bool *reached,
                       crd_error *error) {
    crd_i_arena *scratch = crd_i_arena_create(network->context);
    nodes_rolling rolling = {.network = network, .observed = observed};
    rolling.marks = crd_i_arena_alloc_zeroed(scratch, network->count, sizeof *rolling.marks);
    rolling.visits = crd_i_arena_alloc(scratch, 2 * network->count, sizeof *rolling.visits);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status != CRD_OK) goto end;
    for (uint32_t i = 0; i < network->count; i++)
        if (asked[i]) barren_nodes_visit(&rolling, i, FROM_CHILD);
    for (size_t i = 0; i < rolling.count; i++) {
        uint32_t node = (uint32_t)(rolling.visits[i] / 2);
        bool from_parent = rolling.visits[i] % 2 == 1, is_observed = observed != NULL && observed[node];
        if (is_observed ? from_parent : !from_parent) pass_to_parents(&rolling, node);
        if (!is_observed) pass_to_children(&rolling, node);
    }
    for (size_t i = 0; i < network->count; i++) {
        if (tables != NULL) tables[i] = (rolling.marks[i] & TOP) != 0;
        if (reached != NULL) reached[i] = (rolling.marks[i] & (FROM_CHILD | FROM_PARENT)) != 0;
    }
end:
    crd_i_arena_destroy(scratch);
    return status;
}

/* ======== 5. Several small trees ========
 *
 * The posterior of a node depends on only some of the tables (see crd_i_prune); without evidence, on the tables
 * of its ancestors. A tree of these tables gives the posterior of every node that depends on no others. So the node
 * that depends on the most tables comes first, and its tree serves all nodes that need a subset of its tables. The
 * next tree is for the next node without a result. If a network has many leaves with few descendants, these trees
 * together are much smaller than a single tree. The probability of the evidence depends on the tables of the
 * evidence's ancestors.
 *
 * All trees are measured before any is queried, so little time is lost if they are not smaller. */

/* Costs in units of table cells traversed in the same time: compiling a tree and measuring it, each per tree and per
 * network node, and finding the tables that one node depends on, per other node. */
static const double CELLS_A_TREE = 30000, CELLS_A_NODE = 150, CELLS_A_MEASURE = 15000, CELLS_A_MEASURED_NODE = 75,
                    CELLS_A_PAIR = 8;

typedef struct pieces {
    crd_i_arena *arena;
    crd_i_junction_work *work;
    const crd_i_evidence *findings;
    const bool *wanted;
    double to_measure, to_ask;       /* remaining budget in cells, for measuring and for queries */
    bool *asked, *observed, *tables; /* by node */
    bool *is_done, *is_done_before;  /* by node: its posterior is done or not needed; the initial values */
    uint64_t *rests_on;              /* by node: a row of bits, one per table */
    size_t words, *sizes;            /* words per row; by node: the number of tables */
} pieces;

static bool open_pieces(pieces *own_pieces) {
    const crd_i_junction *junction = own_pieces->work->junction;
    crd_i_arena *arena = crd_i_arena_create(junction->context);
    size_t count = junction->count;
    own_pieces->arena = arena;
    own_pieces->words = (count + 63) / 64;
    own_pieces->asked = crd_i_arena_alloc_zeroed(arena, count, sizeof *own_pieces->asked);
    own_pieces->observed = crd_i_arena_alloc(arena, count, sizeof *own_pieces->observed);
    own_pieces->tables = crd_i_arena_alloc(arena, count, sizeof *own_pieces->tables);
    own_pieces->is_done = crd_i_arena_alloc(arena, count, sizeof *own_pieces->is_done);
    own_pieces->is_done_before = crd_i_arena_alloc(arena, count, sizeof *own_pieces->is_done_before);
    own_pieces->rests_on = crd_i_arena_alloc_zeroed(arena, count * own_pieces->words, sizeof *own_pieces->rests_on);
    own_pieces->sizes = crd_i_arena_alloc_zeroed(arena, count, sizeof *own_pieces->sizes);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t i = 0; i < count; i++) {
        own_pieces->observed[i] = own_pieces->findings->states[i] >= 0;
        own_pieces->is_done_before[i] = own_pieces->observed[i] || !junction->has_table[i] ||
                                        (own_pieces->wanted != NULL && !own_pieces->wanted[i]);
    }
    return true;
}

/* Compiles a tree of the tables in own->tables, or only measures it. */
static crd_status junction_pieces_compile(const pieces *own_pieces, bool is_measured_only, crd_i_junction **tree,
                                          crd_error *error) {
    const crd_i_evidence known = {.states = own_pieces->findings->states};
    const crd_i_junction_options options = {.tables = own_pieces->tables,
                                            .observed = own_pieces->observed,
                                            .findings = &known,
                                            .memory = own_pieces->work->memory,
                                            .threads = own_pieces->work->threads,
                                            .is_for_one_case = true,
                                            .is_measured_only = is_measured_only};
    return crd_i_junction_compile(own_pieces->work->junction->network, &options, tree, error);
}

static crd_status junction_pieces_measure(pieces *own_pieces, bool *is_small, crd_error *error) {
    crd_i_junction *tree = NULL;
    crd_status status = junction_pieces_compile(own_pieces, true, &tree, error);
    if (status != CRD_OK) return status;
    double nodes = (double)own_pieces->work->junction->count;
    own_pieces->to_measure -= CELLS_A_MEASURE + CELLS_A_MEASURED_NODE * nodes;
    own_pieces->to_ask -= CELLS_A_TREE + CELLS_A_NODE * nodes + tree->cells;
    /* If one tree is too large to try, the others need not be measured. */
    *is_small = own_pieces->to_measure >= 0 && own_pieces->to_ask >= 0 && tree->cells <= CRD_I_MOST_CELLS;
    crd_i_junction_destroy(tree);
    return CRD_OK;
}

static crd_status junction_pieces_ask(pieces *own_pieces, const bool *wanted, double *posteriors, double *log_evidence,
                                      crd_error *error) {
    const crd_i_evidence known = {.states = own_pieces->findings->states};
    crd_i_junction *tree = NULL;
    crd_i_junction_work *work = NULL;
    crd_status status = junction_pieces_compile(own_pieces, false, &tree, error);
    if (status == CRD_OK) status = crd_i_junction_work_create(tree, &work, error);
    if (status == CRD_OK) {
        work->is_piece = true;
        status = crd_i_junction_ask(work, &known, wanted, posteriors, log_evidence, error);
    }
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(tree);
    return status;
}

/* Finds the tables on which the posterior of each wanted node depends. */
static crd_status find_tables(pieces *own_pieces, crd_error *error) {
    const crd_i_junction *junction = own_pieces->work->junction;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < junction->count; i++) {
        if (own_pieces->is_done_before[i]) continue;
        own_pieces->asked[i] = true;
        status =
            crd_i_prune(junction->network, own_pieces->asked, own_pieces->observed, own_pieces->tables, NULL, error);
        own_pieces->asked[i] = false;
        uint64_t *row = own_pieces->rests_on + i * own_pieces->words;
        for (size_t j = 0; status == CRD_OK && j < junction->count; j++) {
            if (!own_pieces->tables[j] || !junction->has_table[j]) continue;
            row[j / 64] |= UINT64_C(1) << j % 64;
            own_pieces->sizes[i]++;
        }
    }
    return status;
}

static bool junction_pieces_is_part(const pieces *own_pieces, size_t node, size_t of) {
    const uint64_t *small = own_pieces->rests_on + node * own_pieces->words,
                   *large = own_pieces->rests_on + of * own_pieces->words;
    for (size_t i = 0; i < own_pieces->words; i++)
        if (small[i] & ~large[i]) return false;
    return true;
}

/* Selects the tables of all ancestors of the evidence. */
static void junction_pieces_take_findings(pieces *own_pieces) {
    const crd_network *network = own_pieces->work->junction->network;
    memcpy(own_pieces->tables, own_pieces->observed, network->count * sizeof *own_pieces->tables);
    for (size_t i = network->count; i-- > 0;) {
        uint32_t node = network->order[i];
        if (!own_pieces->tables[node]) continue;
        for (size_t j = 0; j < network->nodes[node].parent_count; j++)
            own_pieces->tables[network->nodes[node].parents[j]] = true;
    }
    for (size_t i = 0; i < network->count; i++)
        own_pieces->tables[i] = own_pieces->tables[i] && own_pieces->work->junction->has_table[i];
}

/* Selects the tables of the unfinished node with the most tables, and marks all nodes that need a subset of them.
 * Returns false if all nodes are done. */
static bool take_next(pieces *own_pieces) {
    size_t count = own_pieces->work->junction->count, most = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (!own_pieces->is_done[i] && (most == SIZE_MAX || own_pieces->sizes[i] > own_pieces->sizes[most])) most = i;
    if (most == SIZE_MAX) return false;
    const uint64_t *row = own_pieces->rests_on + most * own_pieces->words;
    for (size_t i = 0; i < count; i++) {
        own_pieces->tables[i] = row[i / 64] >> i % 64 & 1;
        own_pieces->asked[i] = !own_pieces->is_done[i] && junction_pieces_is_part(own_pieces, i, most);
    }
    for (size_t i = 0; i < count; i++) own_pieces->is_done[i] = own_pieces->is_done[i] || own_pieces->asked[i];
    return true;
}

static crd_status measure_all(pieces *own_pieces, bool *is_small, crd_error *error) {
    junction_pieces_take_findings(own_pieces);
    crd_status status = junction_pieces_measure(own_pieces, is_small, error);
    if (status == CRD_OK && *is_small) status = find_tables(own_pieces, error);
    memcpy(own_pieces->is_done, own_pieces->is_done_before,
           own_pieces->work->junction->count * sizeof *own_pieces->is_done);
    while (status == CRD_OK && *is_small && take_next(own_pieces))
        status = junction_pieces_measure(own_pieces, is_small, error);
    return status;
}

static crd_status junction_pieces_ask_all(pieces *own_pieces, double *posteriors, double *log_evidence,
                                          crd_error *error) {
    junction_pieces_take_findings(own_pieces);
    crd_status status = junction_pieces_ask(own_pieces, NULL, NULL, log_evidence, error);
    memcpy(own_pieces->is_done, own_pieces->is_done_before,
           own_pieces->work->junction->count * sizeof *own_pieces->is_done);
    while (status == CRD_OK && take_next(own_pieces))
        status = junction_pieces_ask(own_pieces, own_pieces->asked, posteriors, NULL, error);
    return status;
}

/* Computes posteriors with several smaller trees if that is faster than one tree with so many cells. Otherwise sets
 * *is_done to false, and the caller must overwrite the results. Observed nodes are skipped. */
static crd_status junction_ask_pieces(crd_i_junction_work *work, const crd_i_evidence *findings, const bool *wanted,
                                      double cells, double *posteriors, double *log_evidence, bool *is_done,
                                      crd_error *error) {
    size_t count = work->junction->count;
    double search = CELLS_A_PAIR * (double)count * (double)count;
    *is_done = false;
    if (work->is_piece || posteriors == NULL || findings->likelihoods != NULL || findings->set_logs != NULL)
        return CRD_OK;
    if (search > cells / 16) return CRD_OK;
    if (CELLS_A_TREE + CELLS_A_NODE * (double)count > cells / 16) return CRD_OK;
    pieces own_pieces = {
        .work = work, .findings = findings, .wanted = wanted, .to_measure = cells / 8, .to_ask = cells / 2};
    bool is_small = true;
    crd_status status = open_pieces(&own_pieces) ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK) status = measure_all(&own_pieces, &is_small, error);
    if (status == CRD_OK && is_small) {
        status = junction_pieces_ask_all(&own_pieces, posteriors, log_evidence, error);
        *is_done = status == CRD_OK;
    }
    crd_i_arena_destroy(own_pieces.arena);
    return status;
}

/* ======== 6. Posteriors ======== */

/* ---- Backward pass ---- */

void crd_i_junction_choose_sources(crd_i_junction_work *work, const bool *wanted, bool has_posteriors,
                                   crd_i_joint_posterior *joints, size_t joint_count) {
    const crd_i_junction *junction = work->junction;
    for (uint32_t i = 0; i < junction->graph_count; i++) {
        bool is_asked = has_posteriors && work->seen_at[i] < 0 && (wanted == NULL || wanted[junction->node_at[i]]);
        work->source_at[i] = is_asked ? junction->home_at[i] : CRD_I_NONE;
    }
    for (size_t i = 0; i < junction->clique_count; i++) {
        const crd_i_clique *clique = &junction->cliques[i];
        const uint32_t *vars = crd_i_clique_vars(junction, clique);
        work->cliques[i].is_needed = work->cliques[i].is_message_needed = false;
        work->cliques[i].first_joint = CRD_I_NONE;
        for (size_t j = clique->own_count; j < clique->var_count; j++) {
            int32_t source = work->source_at[vars[j]];
            if (source == CRD_I_NONE) continue;
            const crd_i_clique_work *now = &work->cliques[source >= 0 ? source : -2 - source];
            size_t size = source >= 0 ? now->rows * now->width : now->width;
            if (work->cliques[i].width < size) work->source_at[vars[j]] = -2 - (int32_t)i;
        }
    }
    for (size_t i = joint_count; i-- > 0;) {
        crd_i_clique_work *clique_work = &work->cliques[joints[i].clique];
        clique_work->is_needed = true;
        joints[i].next = clique_work->first_joint;
        clique_work->first_joint = (int32_t)i;
    }
    for (size_t i = 0; i < junction->graph_count; i++) {
        int32_t source = work->source_at[i];
        if (source >= 0) work->cliques[source].is_needed = true;
        if (source >= CRD_I_NONE) continue;
        work->cliques[-2 - source].is_message_needed = true;
        work->cliques[junction->cliques[-2 - source].parent].is_needed = true;
    }
    for (size_t i = 0; i < junction->clique_count; i++) {
        int32_t parent = junction->cliques[i].parent;
        if (!work->cliques[i].is_needed || parent == CRD_I_NONE) continue;
        work->cliques[i].is_message_needed = true;
        work->cliques[parent].is_needed = true;
    }
}

/* Normalizes values proportional to a posterior and stores them at the remaining states. */
static void write_posterior(const crd_i_junction_work *work, uint32_t variable, double *posterior) {
    crd_i_factor_scale scale = work->scale;
    size_t states = work->junction->states_at[variable];
    double sum = 0, most = -INFINITY;
    for (size_t i = 0; i < states; i++) most = posterior[i] > most ? posterior[i] : most;
    for (size_t i = 0; i < states; i++) {
        if (scale == CRD_I_LOGS) posterior[i] = crd_exp(posterior[i] - most);
        sum += posterior[i];
    }
    for (size_t i = 0; i < states; i++) posterior[i] /= sum;
    crd_i_junction_spread(work->junction, work->junction->node_at[variable], posterior);
}

static void add_up_posterior(crd_i_junction_work *work, const uint32_t *vars, size_t count, const double *table,
                             uint32_t variable, double *posteriors) {
    crd_i_walk walk;
    double *out = posteriors + work->junction->starts[work->junction->node_at[variable]];
    size_t states = walk_variable(work, vars, count, variable, &walk);
    crd_i_message_sum(work->scale, &walk, table, out, states);
    write_posterior(work, variable, out);
}

/* Returns the factor for a message from the parent that brings the child's table near 1. It scales the message's
 * maximum to about 1 and cancels the scaling of the child's own message. Entries far below 1 are then far below any
 * distinguishable probability. */
static double down_factor(const crd_i_junction_work *work, const crd_i_clique_work *clique) {
    const double *message = work->cells + clique->down_at;
    double most = 0;
    int exponent;
    if (work->scale == CRD_I_LOGS) return 1;
    for (size_t i = 0; i < clique->width; i++) most = message[i] > most ? message[i] : most;
    frexp(most, &exponent);
    /* Limits the factor so that a quotient by numbers of 2^LOWEST stays in range. */
    return ldexp(1, -exponent - (clique->exponent > -100 ? clique->exponent : -100));
}

/* Reserves shared scratch space for the messages to the children of one clique. They are summed there before they
 * replace the messages from the children. */
static void make_room_down(crd_i_junction_work *work, const crd_i_clique *clique) {
    size_t index = work->down_at;
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = work->junction->cliques[i].next_child) {
        work->cliques[i].down_at = index;
        if (work->cliques[i].is_message_needed) index += work->cliques[i].width;
    }
}

/* Computes the posteriors available from the messages to the children, and divides these messages. */
static void finish_down(crd_i_junction_work *work, const crd_i_clique *clique, double *posteriors) {
    const crd_i_junction *junction = work->junction;
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = junction->cliques[i].next_child) {
        const crd_i_clique *child = &junction->cliques[i];
        const crd_i_clique_work *clique_work = &work->cliques[i];
        const uint32_t *shared = crd_i_clique_vars(junction, child) + child->own_count;
        size_t shared_count = child->var_count - child->own_count;
        double *message = work->cells + clique_work->down_at;
        if (!clique_work->is_message_needed) continue;
        for (size_t j = 0; j < shared_count; j++)
            if (work->source_at[shared[j]] == -2 - i)
                add_up_posterior(work, shared, shared_count, message, shared[j], posteriors);
        crd_i_message_divide(work->scale, message, work->cells + clique_work->up_at, clique_work->width,
                             down_factor(work, clique_work));
    }
}

/* Sends messages from a clique with a stored, complete table to the children that need one. Computes posteriors. */
static void send_down(crd_i_junction_work *work, size_t index, const double *table, double *posteriors,
                      const crd_i_joint_posterior *joints) {
    const crd_i_junction *junction = work->junction;
    const crd_i_clique *clique = &junction->cliques[index];
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    crd_i_walk walk;
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = junction->cliques[i].next_child) {
        const crd_i_clique_work *clique_work = &work->cliques[i];
        if (!clique_work->is_message_needed) continue;
        walk_message(work, clique, &junction->cliques[i], &walk);
        crd_i_message_sum(work->scale, &walk, table, work->cells + clique_work->down_at, clique_work->width);
    }
    for (size_t i = 0; i < clique->own_count; i++)
        if (work->source_at[vars[i]] == (int32_t)index)
            add_up_posterior(work, vars, clique->var_count, table, vars[i], posteriors);
    for (int32_t i = work->cliques[index].first_joint; i != CRD_I_NONE; i = joints[i].next) {
        crd_i_walk_joint(work, clique, joints[i].strides, &walk);
        crd_i_message_sum(work->scale, &walk, table, joints[i].cells, joints[i].cell_count);
    }
}

/* Sends messages from a clique without a stored table, block by block. */
static crd_status send_blocks_down(crd_i_junction_work *work, size_t index, double *posteriors,
                                   const crd_i_joint_posterior *joints) {
    const crd_i_junction *junction = work->junction;
    const crd_i_clique *clique = &junction->cliques[index];
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    crd_status status = crd_i_blocks_down(work, index, posteriors, joints);
    for (size_t i = 0; status == CRD_OK && i < clique->own_count; i++)
        if (work->source_at[vars[i]] == (int32_t)index)
            write_posterior(work, vars[i], posteriors + junction->starts[junction->node_at[vars[i]]]);
    return status;
}

/* Returns the single variable for which a clique is needed, if that is its only use. Its table is then only read. */
static uint32_t only_variable(const crd_i_junction_work *work, const crd_i_clique *clique) {
    const uint32_t *vars = crd_i_clique_vars(work->junction, clique);
    uint32_t only = UINT32_MAX;
    if (clique->first_child != CRD_I_NONE || clique->parent == CRD_I_NONE) return only;
    for (size_t i = 0; i < clique->own_count; i++) {
        if (work->seen_at[vars[i]] >= 0) continue;
        if (only != UINT32_MAX) return UINT32_MAX;
        only = vars[i];
    }
    return only;
}

/* Scales a root's table so that its maximum is between 1/2 and 1, unless it is close already. */
static void scale_root(const crd_i_junction_work *work, const crd_i_clique_work *clique, double *table) {
    double most = 0;
    if (work->scale == CRD_I_LOGS) return;
    for (size_t i = 0; i < clique->rows * clique->width; i++) most = table[i] > most ? table[i] : most;
    if (most >= 0x1p-100 && most <= 0x1p100) return;
    int exponent;
    frexp(most, &exponent);
    double factor = ldexp(1, -exponent);
    for (size_t i = 0; i < clique->rows * clique->width; i++) table[i] *= factor;
}

/* Passes messages back through a clique with a stored table. */
static void pass_down(crd_i_junction_work *work, size_t index, double *posteriors,
                      const crd_i_joint_posterior *joints) {
    const crd_i_junction *junction = work->junction;
    const crd_i_clique *clique = &junction->cliques[index];
    const crd_i_clique_work *clique_work = &work->cliques[index];
    double *table = work->cells + clique_work->table_at;
    const double *message = work->cells + clique_work->up_at;
    uint32_t only = only_variable(work, clique);
    if (only != UINT32_MAX && work->source_at[only] == (int32_t)index && clique_work->first_joint == CRD_I_NONE) {
        double *out = posteriors + junction->starts[junction->node_at[only]];
        crd_i_message_dots(work->scale, table, clique_work->rows, clique_work->width, message, out);
        write_posterior(work, only, out);
        return;
    }
    if (clique->parent != CRD_I_NONE) {
        crd_i_walk walk;
        crd_i_walk_begin(&walk);
        crd_i_walk_add(&walk, clique_work->width, 1);
        crd_i_walk_add(&walk, clique_work->rows, 0);
        crd_i_walk_end(&walk);
        crd_i_message_times(work->scale, &walk, table, message);
    } else {
        scale_root(work, clique_work, table);
    }
    send_down(work, index, table, posteriors, joints);
}

crd_status crd_i_junction_distribute(crd_i_junction_work *work, double *posteriors, const crd_i_joint_posterior *joints,
                                     crd_error *error) {
    const crd_i_junction *junction = work->junction;
    for (size_t i = junction->clique_count; i-- > 0;) {
        crd_status status = CRD_OK;
        if (!work->cliques[i].is_needed) continue;
        make_room_down(work, &junction->cliques[i]);
        if (work->cliques[i].is_kept) pass_down(work, i, posteriors, joints);
        else status = send_blocks_down(work, i, posteriors, joints);
        if (status != CRD_OK) return crd_i_junction_stopped(status, error);
        finish_down(work, &junction->cliques[i], posteriors);
    }
    return CRD_OK;
}

void crd_i_junction_write_observed(const crd_i_junction *junction, const crd_i_evidence *findings, const bool *wanted,
                                   double *posteriors) {
    for (size_t i = 0; i < junction->count; i++) {
        int32_t seen = findings->states[i] >= 0 ? findings->states[i] : junction->only_state[i];
        if (seen < 0 || (wanted != NULL && !wanted[i])) continue;
        for (size_t j = junction->starts[i]; j < junction->starts[i + 1]; j++) posteriors[j] = 0;
        posteriors[junction->starts[i] + (size_t)seen] = 1;
    }
}

/* Runs the query with the chosen tree. */
static crd_status ask_tree(crd_i_junction_work *work, const crd_i_evidence *findings, const bool *wanted,
                           double *posteriors, double *log_evidence, crd_error *error) {
    crd_status status = crd_i_junction_begin(work, findings, false, error);
    if (status == CRD_OK) status = crd_i_junction_collect(work, false, error);
    if (status != CRD_OK) return status;
    if (log_evidence != NULL) *log_evidence = crd_i_junction_log_evidence(work);
    if (posteriors == NULL) return CRD_OK;
    crd_i_junction_choose_sources(work, wanted, true, NULL, 0);
    crd_i_junction_write_observed(work->junction, findings, wanted, posteriors);
    return crd_i_junction_distribute(work, posteriors, NULL, error);
}

crd_status crd_i_junction_ask(crd_i_junction_work *work, const crd_i_evidence *findings, const bool *wanted,
                              double *posteriors, double *log_evidence, crd_error *error) {
    crd_i_junction_work *chosen = work;
    bool is_done = false;
    crd_status status = crd_i_junction_narrow(&chosen, findings, error);
    if (status != CRD_OK) return status;
    double cells = crd_i_junction_cells_left(chosen->junction, findings);
    status = junction_ask_pieces(work, findings, wanted, cells, posteriors, log_evidence, &is_done, error);
    if (status == CRD_OK && is_done) crd_i_junction_write_observed(work->junction, findings, wanted, posteriors);
    if (status != CRD_OK || is_done) return status;
    status = ask_tree(chosen, findings, wanted, posteriors, log_evidence, error);
    return status == CRD_ERROR_PROBABILITY ? crd_i_junction_impossible(work, findings, error) : status;
}
