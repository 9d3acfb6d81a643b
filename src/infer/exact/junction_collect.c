/* SPDX-License-Identifier: MIT */
/* junction_collect.c - the layout of a case, and messages from the leaves to the roots. See junction_posteriors.c
 * for the equations. */
#include "infer/exact/factor_blocks.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* A product of numbers whose smallest exponents add up to this is a normal double, and so is its divisor. */
enum { LOWEST = -900 };

void crd_i_junction_work_destroy(crd_i_junction_work *work) {
    if (work == NULL) return;
    crd_context *context = work->junction->context;
    if (work->narrow_work != NULL) crd_i_junction_work_destroy(work->narrow_work);
    crd_i_junction_destroy(work->narrow);
    crd_free(context, work->narrow_states);
    crd_free(context, work->seen_at);
    crd_free(context, work->source_at);
    crd_free(context, work->cliques);
    crd_free(context, work->cells);
    crd_free(context, work->soft);
    crd_free(context, work->set_tables);
    crd_free(context, work->set_lows);
    crd_free(context, work->operands);
    crd_free(context, work->roles);
    crd_free(context, work);
}

crd_status crd_i_junction_work_create(const crd_i_junction *junction, crd_i_junction_work **out, crd_error *error) {
    crd_context *context = junction->context;
    *out = NULL;
    crd_i_junction_work *work = crd_i_alloc_zeroed(context, 1, sizeof *work);
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
    work->seen_at = crd_i_alloc(context, junction->count, sizeof *work->seen_at);
    work->source_at = crd_i_alloc(context, junction->count, sizeof *work->source_at);
    work->cliques = crd_i_alloc_zeroed(context, junction->clique_count, sizeof *work->cliques);
    work->roles = crd_i_alloc(context, widest, sizeof *work->roles);
    if (work->seen_at == NULL || work->source_at == NULL || work->cliques == NULL || work->roles == NULL) {
        crd_i_junction_work_destroy(work);
        return crd_i_fail_memory(error);
    }
    *out = work;
    return CRD_OK;
}

/* ---- Table walks ---- */

void crd_i_walk_message(const crd_i_junction_work *work, const crd_i_clique *clique, const crd_i_clique *child,
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

size_t crd_i_walk_variable(const crd_i_junction_work *work, const uint32_t *vars, size_t count, uint32_t variable,
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

/* ---- A case ---- */

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
        return crd_i_fail(error, CRD_ERROR_LIMIT, "an exact result needs tables with %.3g entries, or %s of memory",
                          cells, crd_i_describe_bytes(bytes, buffer));
    return junction_collect_reserve(work, (size_t)total, operands, error);
}

/* ---- Towards the roots ---- */

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
        crd_i_walk_variable(work, vars, clique->var_count, vars[i], &walk);
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
        crd_i_walk_message(work, clique, &junction->cliques[i], &walk);
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
static void send_up(crd_i_junction_work *work, const crd_i_clique *clique, const crd_i_clique_work *clique_work,
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

static collect_outcome junction_collect_collect(crd_i_junction_work *work, bool by_most, crd_status *status) {
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
        else if (clique_work->is_kept) send_up(work, clique, clique_work, takes_most);
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
    collect_outcome outcome = junction_collect_collect(work, by_most, &status);
    if (outcome == OUT_OF_RANGE) {
        work->scale = CRD_I_LOGS;
        outcome = junction_collect_collect(work, by_most, &status);
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
