/* SPDX-License-Identifier: MIT */
/* reduced_network.c - see approximate.h. */
#include "infer/approximate.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void crd_i_reduced_destroy(crd_i_reduced *reduced) {
    if (reduced != NULL) crd_i_arena_destroy(reduced->arena);
}

/* ---- Contradictory findings ---- */

/* Finds a minimal contradictory set of findings. Each step keeps the first finding that, together with the kept ones
 * and all findings before it, leaves no possible state. The next step considers only the findings before it. The
 * kept findings are contradictory, and none of them can be dropped. */
static void reduced_network_find_conflict(crd_i_state_elimination *narrowing, size_t count, bool *is_kept,
                                          bool *trial) {
    size_t end = count;
    for (;;) {
        memcpy(trial, is_kept, count * sizeof *trial);
        if (end == 0 || !crd_i_state_elimination_run(narrowing, trial)) return;
        size_t possible = 0, impossible = end;
        while (impossible - possible > 1) {
            size_t middle = possible + (impossible - possible) / 2;
            for (size_t i = 0; i < count; i++) trial[i] = is_kept[i] || i < middle;
            if (crd_i_state_elimination_run(narrowing, trial)) possible = middle;
            else impossible = middle;
        }
        is_kept[impossible - 1] = true;
        end = impossible - 1;
    }
}

static void list_findings(const crd_network *network, const crd_i_evidence *findings, const bool *is_kept,
                          crd_error *error) {
    size_t listed = 0;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        char quoted[2][CRD_I_QUOTED_ROOM], words[2 * CRD_I_QUOTED_ROOM + 32];
        bool is_soft = findings->likelihoods != NULL && findings->likelihoods[i] != NULL;
        if (!is_kept[i] || (findings->states[i] < 0 && !is_soft)) continue;
        crd_i_quote(node->name, quoted[0]);
        if (findings->states[i] < 0) snprintf(words, sizeof words, "the likelihoods of %s", quoted[0]);
        else
            snprintf(words, sizeof words, "%s=%s", quoted[0],
                     crd_i_quote(crd_i_dictionary_text(node->states, (size_t)findings->states[i]), quoted[1]));
        crd_i_error_item(error, listed++, crd_text_of(words));
    }
}

static crd_status fail_impossible(crd_i_state_elimination *narrowing, crd_error *error) {
    const crd_network *network = narrowing->network;
    if (error == NULL) return CRD_ERROR_PROBABILITY;
    crd_i_arena *scratch = crd_i_arena_create(network->context);
    bool *is_kept = crd_i_arena_alloc_zeroed(scratch, network->count, sizeof *is_kept);
    bool *trial = crd_i_arena_alloc(scratch, network->count, sizeof *trial);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status == CRD_OK) {
        reduced_network_find_conflict(narrowing, network->count, is_kept, trial);
        status = crd_i_fail(error, CRD_ERROR_PROBABILITY,
                            "the evidence has probability zero: these findings contradict each other: ");
        list_findings(network, narrowing->findings, is_kept, error);
    }
    crd_i_arena_destroy(scratch);
    return status;
}

/* ---- Variables ---- */

static bool make_variables(crd_i_reduced *reduced, const crd_i_state_elimination *narrowing) {
    const crd_network *network = reduced->network;
    crd_i_arena *arena = reduced->arena;
    const bool *tables = narrowing->tables;
    size_t total = 0;
    reduced->variable_of = crd_i_arena_alloc(arena, network->count, sizeof(int32_t));
    reduced->state_of = crd_i_arena_alloc(arena, network->count, sizeof(int32_t));
    reduced->node_of = crd_i_arena_alloc(arena, network->count, sizeof(uint32_t));
    reduced->size_of = crd_i_arena_alloc(arena, network->count, sizeof(uint32_t));
    reduced->starts = crd_i_arena_alloc(arena, network->count + 1, sizeof(size_t));
    reduced->states = crd_i_arena_alloc(arena, narrowing->starts[network->count], sizeof(uint32_t));
    if (crd_i_arena_failed(arena)) return false;
    reduced->widest = 1;
    for (size_t i = 0; i < network->count; i++) {
        uint32_t node = network->order[i], size = narrowing->sizes[node];
        const uint32_t *states = narrowing->states + narrowing->starts[node];
        reduced->variable_of[node] = -1;
        reduced->state_of[node] = size == 1 ? (int32_t)states[0] : -1;
        if (!tables[node] || size < 2) continue;
        reduced->variable_of[node] = (int32_t)reduced->count;
        reduced->node_of[reduced->count] = node;
        reduced->size_of[reduced->count] = size;
        reduced->starts[reduced->count++] = total;
        memcpy(reduced->states + total, states, size * sizeof *states);
        total += size;
        if (size > reduced->widest) reduced->widest = size;
    }
    reduced->starts[reduced->count] = total;
    return true;
}

/* ---- Factors ---- */

static int32_t member_variable(const crd_i_reduced *reduced, uint32_t node, size_t place) {
    const crd_i_node *own_node = &reduced->network->nodes[node];
    return reduced->variable_of[place < own_node->parent_count ? own_node->parents[place] : node];
}

/* Creates a factor for each table that still contains a variable. Its variables are in ascending order. */
static bool make_scopes(crd_i_reduced *reduced, const crd_i_state_elimination *narrowing, uint32_t *nodes,
                        size_t *cells) {
    const crd_network *network = reduced->network;
    crd_i_arena *arena = reduced->arena;
    size_t capacity = 0;
    for (size_t i = 0; i < network->count; i++)
        if (narrowing->tables[i]) capacity += network->nodes[i].parent_count + 1;
    reduced->factors = crd_i_arena_alloc(arena, network->count, sizeof *reduced->factors);
    reduced->edge_variables = crd_i_arena_alloc(arena, capacity, sizeof(uint32_t));
    reduced->edge_factors = crd_i_arena_alloc(arena, capacity, sizeof(uint32_t));
    if (crd_i_arena_failed(arena)) return false;
    *cells = 0;
    for (size_t i = 0; i < network->count; i++) {
        uint32_t node = network->order[i];
        if (!narrowing->tables[node]) continue;
        crd_i_reduced_factor factor = {.edge = reduced->edge_count, .table_at = *cells, .cells = 1};
        for (size_t j = 0; j <= network->nodes[node].parent_count; j++) {
            int32_t variable = member_variable(reduced, node, j);
            if (variable < 0) continue;
            size_t index = factor.edge + factor.edge_count++;
            for (; index > factor.edge && reduced->edge_variables[index - 1] > (uint32_t)variable; index--)
                reduced->edge_variables[index] = reduced->edge_variables[index - 1];
            reduced->edge_variables[index] = (uint32_t)variable;
            factor.cells *= reduced->size_of[variable];
        }
        /* A factor without variables has a single entry, which goes into the constant. */
        reduced->edge_count += factor.edge_count;
        nodes[reduced->factor_count] = node;
        reduced->factors[reduced->factor_count++] = factor;
        *cells += factor.cells;
        if (factor.cells > reduced->most_cells) reduced->most_cells = factor.cells;
    }
    return true;
}

/* Working state while a factor's table is filled. */
typedef struct network_filling {
    const crd_i_node *node;
    const double *likelihoods; /* likelihoods of the node's own states, or NULL */
    double most_likely;        /* the largest of the likelihoods */
    size_t fixed;              /* offset of the table entry due to certain states */
    size_t *strides;           /* by edge of the factor: distance of its variable's states in the table */
    size_t *places;            /* by edge of the factor */
    double *sums;              /* row sums */
} network_filling;

static void begin_filling(const crd_i_reduced *reduced, const crd_i_reduced_factor *factor, uint32_t node,
                          const crd_i_evidence *findings, network_filling *filling) {
    const crd_network *network = reduced->network;
    size_t states = crd_i_node_states(&network->nodes[node]), stride = 1;
    filling->node = &network->nodes[node];
    filling->likelihoods = findings->likelihoods == NULL ? NULL : findings->likelihoods[node];
    filling->most_likely = filling->likelihoods == NULL ? 1 : 0;
    for (size_t i = 0; filling->likelihoods != NULL && i < states; i++)
        if (filling->likelihoods[i] > filling->most_likely) filling->most_likely = filling->likelihoods[i];
    filling->fixed = 0;
    for (size_t i = filling->node->parent_count + 1; i-- > 0;) {
        uint32_t member = i < filling->node->parent_count ? filling->node->parents[i] : node;
        int32_t variable = reduced->variable_of[member];
        if (variable < 0) filling->fixed += stride * (size_t)reduced->state_of[member];
        for (size_t j = 0; j < factor->edge_count; j++)
            if ((int32_t)reduced->edge_variables[factor->edge + j] == variable) filling->strides[j] = stride;
        stride *= crd_i_node_states(&network->nodes[member]);
    }
    for (size_t i = 0; i < filling->node->rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < states; j++) sum += filling->node->table[i * states + j];
        filling->sums[i] = sum;
    }
}

static double filled_cell(const network_filling *filling, size_t cell) {
    size_t states = crd_i_node_states(filling->node);
    double value = filling->node->table[cell] / filling->sums[cell / states];
    if (filling->likelihoods == NULL || value == 0) return value;
    value *= filling->likelihoods[cell % states] / filling->most_likely;
    /* A possible state stays possible, however unlikely it is. */
    return value == 0 && filling->likelihoods[cell % states] > 0 ? DBL_MIN : value;
}

/* Fills the table of a factor. Scales it so that its largest entry is between 1/2 and 1, which prevents underflow of
 * products. */
static void fill_factor(crd_i_reduced *reduced, const crd_i_reduced_factor *factor, network_filling *filling) {
    double *table = reduced->tables + factor->table_at, most = 0;
    const uint32_t *variables = reduced->edge_variables + factor->edge;
    int exponent;
    for (size_t i = 0; i < factor->edge_count; i++) filling->places[i] = 0;
    for (size_t i = 0; i < factor->cells; i++) {
        size_t cell = filling->fixed;
        for (size_t j = 0; j < factor->edge_count; j++)
            cell += filling->strides[j] * reduced->states[reduced->starts[variables[j]] + filling->places[j]];
        table[i] = filled_cell(filling, cell);
        if (table[i] > most) most = table[i];
        for (size_t j = factor->edge_count; j > 0 && ++filling->places[j - 1] == reduced->size_of[variables[j - 1]];)
            filling->places[--j] = 0;
    }
    frexp(most, &exponent);
    for (size_t i = 0; i < factor->cells; i++) table[i] = ldexp(table[i], -exponent);
    if (factor->edge_count == 0) reduced->log_constant += crd_log(table[0]);
    reduced->log_constant += crd_i_log_scaled(1, exponent) + crd_log(filling->most_likely);
}

static bool link_edges(crd_i_reduced *reduced) {
    reduced->link_starts = crd_i_arena_alloc_zeroed(reduced->arena, reduced->count + 2, sizeof(size_t));
    reduced->links = crd_i_arena_alloc(reduced->arena, reduced->edge_count, sizeof(uint32_t));
    if (reduced->links == NULL) return false;
    size_t *starts = reduced->link_starts;
    for (size_t i = 0; i < reduced->edge_count; i++) starts[reduced->edge_variables[i] + 2]++;
    for (size_t i = 2; i <= reduced->count; i++) starts[i] += starts[i - 1];
    for (size_t i = 0; i < reduced->edge_count; i++)
        reduced->links[starts[reduced->edge_variables[i] + 1]++] = (uint32_t)i;
    return true;
}

static bool reduced_network_make_factors(crd_i_reduced *reduced, const crd_i_state_elimination *narrowing,
                                         crd_i_arena *scratch) {
    const crd_network *network = reduced->network;
    size_t cells = 0, rows = 1, kept = 0;
    uint32_t *nodes = crd_i_arena_alloc(scratch, network->count, sizeof *nodes);
    network_filling filling = {.strides = crd_i_arena_alloc(scratch, narrowing->widest, sizeof(size_t)),
                               .places = crd_i_arena_alloc(scratch, narrowing->widest, sizeof(size_t))};
    for (size_t i = 0; i < network->count; i++)
        if (narrowing->tables[i] && network->nodes[i].rows > rows) rows = network->nodes[i].rows;
    filling.sums = crd_i_arena_alloc(scratch, rows, sizeof *filling.sums);
    if (filling.sums == NULL || !make_scopes(reduced, narrowing, nodes, &cells)) return false;
    reduced->tables = crd_i_arena_alloc(reduced->arena, cells, sizeof *reduced->tables);
    if (reduced->tables == NULL) return false;
    for (size_t i = 0; i < reduced->factor_count; i++) {
        begin_filling(reduced, &reduced->factors[i], nodes[i], narrowing->findings, &filling);
        fill_factor(reduced, &reduced->factors[i], &filling);
        if (reduced->factors[i].edge_count == 0) continue;
        for (size_t j = 0; j < reduced->factors[i].edge_count; j++)
            reduced->edge_factors[reduced->factors[i].edge + j] = (uint32_t)kept;
        reduced->factors[kept++] = reduced->factors[i];
    }
    reduced->factor_count = kept;
    return link_edges(reduced);
}

crd_status crd_i_reduce_network(const crd_i_evidence_query *query, const crd_i_evidence *findings, crd_i_reduced **out,
                                crd_error *error) {
    crd_context *context = query->network->context;
    crd_i_state_elimination narrowing;
    *out = NULL;
    crd_status status = crd_i_state_elimination_open(&narrowing, query->network, query->tables, findings, error);
    if (status != CRD_OK) return status;
    if (!crd_i_state_elimination_run(&narrowing, NULL)) {
        status = fail_impossible(&narrowing, error);
        goto end;
    }
    crd_i_reduced *reduced = crd_i_arena_object(context, sizeof *reduced);
    if (reduced == NULL) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    reduced->context = context;
    reduced->network = query->network;
    if (make_variables(reduced, &narrowing) && reduced_network_make_factors(reduced, &narrowing, narrowing.arena)) {
        *out = reduced;
    } else {
        status = crd_i_fail_memory(error);
        crd_i_reduced_destroy(reduced);
    }
end:
    crd_i_state_elimination_close(&narrowing);
    return status;
}
