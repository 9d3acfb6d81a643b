/* SPDX-License-Identifier: MIT */
/* junction_factors.c - assigns the tables of a network to the cliques of its junction tree.
 *
 * A table goes to the clique of its first eliminated variable, which contains all its variables. Tables in the same
 * clique are multiplied in advance as long as that reduces the data read per case. */
#include "infer/exact/junction_types.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Tables in the same clique are multiplied in advance if the product has at most this size, or at most twice the
 * size of the tables. This reduces the data read per case. */
static const double SMALL_PRODUCT = 256;
/* Products whose exponents could approach the limits of doubles are not formed. */
enum { LOWEST_PRODUCT = -700 };

static uint32_t junction_factors_family_size(const crd_i_node *node) {
    return (uint32_t)node->parent_count + 1;
}

/* Returns the i-th variable of a node's table: its parents, then itself. */
static uint32_t junction_factors_family(const crd_i_junction *junction, uint32_t node, size_t i) {
    const crd_i_node *current_node = &junction->network->nodes[node];
    return junction->position_of[i < current_node->parent_count ? current_node->parents[i] : node];
}

/* Returns the clique for a node's table: the clique of its first eliminated variable. */
static int32_t clique_for(const crd_i_junction *junction, uint32_t node) {
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < junction_factors_family_size(&junction->network->nodes[node]); i++) {
        uint32_t position = junction_factors_family(junction, node, i);
        if (position < first) first = position;
    }
    return first < junction->graph_count ? junction->home_at[first] : CRD_I_NONE;
}

static double product_of_states(const crd_i_junction *junction, const uint32_t *vars, size_t count) {
    double cells = 1;
    for (size_t i = 0; i < count; i++) cells *= junction->states_at[vars[i]];
    return cells;
}

/* Merges a node's variables into a sorted list with enough room. */
static size_t junction_factors_unite(const crd_i_junction *junction, uint32_t node, uint32_t *vars, size_t count) {
    for (size_t i = 0; i < junction_factors_family_size(&junction->network->nodes[node]); i++) {
        uint32_t position = junction_factors_family(junction, node, i);
        size_t index = 0;
        while (index < count && vars[index] != position) index++;
        if (index == count) vars[count++] = position;
    }
    crd_i_sort_positions(vars, count);
    return count;
}

typedef struct factors_grouping {
    uint32_t *nodes;   /* sorted by clique; nodes without a clique come last */
    uint32_t *factors; /* by entry of `nodes`: the factor that contains its table */
    size_t *begins;    /* by clique: start of its nodes */
    size_t node_count, var_room;
    uint32_t *trial;
    size_t trial_room;
} factors_grouping;

/* Sorts nodes by their clique. */
static bool group_nodes(const crd_i_junction *junction, factors_grouping *grouping) {
    crd_context *context = junction->context;
    size_t cliques = junction->clique_count;
    grouping->begins = crd_i_alloc_zeroed(context, cliques + 2, sizeof *grouping->begins);
    grouping->nodes = crd_i_alloc(context, junction->count, sizeof *grouping->nodes);
    grouping->factors = crd_i_alloc(context, junction->count, sizeof *grouping->factors);
    if (grouping->begins == NULL || grouping->nodes == NULL || grouping->factors == NULL) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < junction->count; i++) {
            if (!junction->has_table[i]) continue;
            int32_t clique = clique_for(junction, i);
            size_t index = clique == CRD_I_NONE ? cliques : (size_t)clique;
            if (pass == 0) grouping->begins[index + 1]++;
            else grouping->nodes[grouping->begins[index]++] = i;
        }
        if (pass == 1) break;
        for (size_t i = 0; i <= cliques; i++) grouping->begins[i + 1] += grouping->begins[i];
        grouping->node_count = grouping->begins[cliques + 1];
    }
    /* The second pass moved each start to the next one; this restores the starts. */
    for (size_t i = cliques + 1; i > 0; i--) grouping->begins[i] = grouping->begins[i - 1];
    grouping->begins[0] = 0;
    return true;
}

/* Returns an exponent e such that no positive entry of a node's normalized table is below 2^e. */
static int junction_factors_lowest(const crd_i_node *node) {
    double least = 1;
    int low;
    for (size_t i = 0; i < node->rows * crd_i_node_states(node); i++)
        if (node->table[i] > 0 && node->table[i] < least) least = node->table[i];
    frexp(least, &low);
    return low - 2;
}

/* Multiplies a node's table into the clique's latest factor if the product stays small, otherwise starts a new
 * factor. */
static bool place_table(crd_i_junction *junction, factors_grouping *grouping, size_t index, int32_t clique,
                        bool is_first, double *sum, int *low) {
    crd_context *context = junction->context;
    const crd_i_node *node = &junction->network->nodes[grouping->nodes[index]];
    double cells = 1;
    for (size_t i = 0; i < junction_factors_family_size(node); i++)
        cells *= junction->states_at[junction_factors_family(junction, grouping->nodes[index], i)];
    crd_i_factor *last = is_first ? NULL : &junction->factors[junction->factor_count - 1];
    size_t known = last == NULL ? 0 : last->var_count, begin = last == NULL ? grouping->var_room : last->vars_at;
    if (!crd_i_reserve(context, &grouping->trial, &grouping->trial_room, known + junction_factors_family_size(node),
                       sizeof *grouping->trial))
        return false;
    if (known > 0) memcpy(grouping->trial, junction->factor_vars + begin, known * sizeof *grouping->trial);
    size_t count = junction_factors_unite(junction, grouping->nodes[index], grouping->trial, known);
    double product = product_of_states(junction, grouping->trial, count);
    /* For a single case, scanning a large table for its minimum does not pay off. */
    int own_low =
        junction->is_for_one_case && cells > SMALL_PRODUCT ? 2 * LOWEST_PRODUCT : junction_factors_lowest(node);
    if (last == NULL || *low + own_low < LOWEST_PRODUCT || (product > SMALL_PRODUCT && product > 2 * (*sum + cells))) {
        crd_i_factor fresh = {.vars_at = last == NULL ? begin : last->vars_at + last->var_count, .clique = clique};
        last = &junction->factors[junction->factor_count++];
        *last = fresh;
        *sum = 0;
        *low = 0;
        count = junction_factors_unite(junction, grouping->nodes[index], grouping->trial, 0);
        product = cells;
    }
    memcpy(junction->factor_vars + last->vars_at, grouping->trial, count * sizeof *grouping->trial);
    last->var_count = (uint32_t)count;
    last->cells = (size_t)product;
    grouping->var_room = last->vars_at + count;
    *sum += cells;
    *low += own_low;
    grouping->factors[index] = (uint32_t)(junction->factor_count - 1);
    return true;
}

static bool junction_factors_make(crd_i_junction *junction, factors_grouping *grouping) {
    crd_context *context = junction->context;
    size_t most_vars = 0;
    for (uint32_t i = 0; i < junction->count; i++)
        if (junction->has_table[i]) most_vars += junction_factors_family_size(&junction->network->nodes[i]);
    if (!group_nodes(junction, grouping)) return false;
    junction->factors = crd_i_alloc_zeroed(context, grouping->node_count, sizeof *junction->factors);
    junction->factor_vars = crd_i_alloc(context, most_vars, sizeof *junction->factor_vars);
    junction->factor_strides = crd_i_alloc(context, most_vars, sizeof *junction->factor_strides);
    if (junction->factors == NULL || junction->factor_vars == NULL || junction->factor_strides == NULL) return false;
    for (size_t i = 0; i <= junction->clique_count; i++) {
        bool has_clique = i < junction->clique_count;
        double sum = 0;
        int low = 0;
        if (!has_clique) junction->clique_factor_count = junction->factor_count;
        if (has_clique) junction->cliques[i].factors_begin = junction->factor_count;
        for (size_t j = grouping->begins[i]; j < grouping->begins[i + 1]; j++)
            if (!place_table(junction, grouping, j, has_clique ? (int32_t)i : CRD_I_NONE, j == grouping->begins[i],
                             &sum, &low))
                return false;
        if (has_clique) junction->cliques[i].factors_end = junction->factor_count;
    }
    for (size_t i = 0; i < junction->factor_count; i++) {
        crd_i_factor *factor = &junction->factors[i];
        size_t stride = 1;
        factor->table_at = (size_t)junction->table_cells;
        junction->table_cells += (double)factor->cells;
        for (size_t j = factor->var_count; j-- > 0;) {
            junction->factor_strides[factor->vars_at + j] = stride;
            stride *= junction->states_at[junction->factor_vars[factor->vars_at + j]];
        }
    }
    return true;
}

/* Computes a node's table over the remaining states, with rows that add up to 1. */
static void junction_factors_normalise(const crd_i_junction *junction, uint32_t node, size_t *places, double *out) {
    const crd_i_node *current_node = &junction->network->nodes[node];
    size_t states = crd_i_node_states(current_node), left = junction->states_at[junction->position_of[node]];
    const uint32_t *live = junction->live + junction->starts[node];
    for (size_t i = 0; i < current_node->parent_count; i++) places[i] = 0;
    for (;;) {
        size_t row = 0, i = current_node->parent_count;
        double sum = 0;
        for (size_t j = 0; j < current_node->parent_count; j++) {
            size_t start = junction->starts[current_node->parents[j]];
            row = row * (junction->starts[current_node->parents[j] + 1] - start) + junction->live[start + places[j]];
        }
        const double *source = current_node->table + row * states;
        for (size_t j = 0; j < states; j++) sum += source[j];
        for (size_t j = 0; j < left; j++) *out++ = sum == 1 ? source[live[j]] : source[live[j]] / sum;
        while (i > 0 && ++places[i - 1] == junction->states_at[junction->position_of[current_node->parents[i - 1]]])
            places[--i] = 0;
        if (i == 0) return;
    }
}

/* Sets up the walk through a factor's table together with the table of one of its nodes. */
static void junction_factors_walk_table(const crd_i_junction *junction, const crd_i_factor *factor, uint32_t node,
                                        crd_i_walk *walk) {
    const uint32_t *vars = junction->factor_vars + factor->vars_at;
    crd_i_walk_begin(walk);
    for (size_t i = factor->var_count; i-- > 0;) {
        size_t stride = 1, found = 0;
        for (size_t j = junction_factors_family_size(&junction->network->nodes[node]); j-- > 0;) {
            uint32_t position = junction_factors_family(junction, node, j);
            if (position == vars[i]) found = stride;
            stride *= junction->states_at[position];
        }
        crd_i_walk_add(walk, junction->states_at[vars[i]], found);
    }
    crd_i_walk_end(walk);
}

static bool multiply_tables(crd_i_junction *junction, const factors_grouping *grouping) {
    crd_context *context = junction->context;
    size_t most = 0, widest = 0;
    for (size_t i = 0; i < grouping->node_count; i++) {
        size_t cells = 1, members = junction_factors_family_size(&junction->network->nodes[grouping->nodes[i]]);
        for (size_t j = 0; j < members; j++)
            cells *= junction->states_at[junction_factors_family(junction, grouping->nodes[i], j)];
        if (cells > most) most = cells;
        if (members > widest) widest = members;
    }
    double *plain = crd_i_alloc(context, most, sizeof *plain);
    size_t *places = crd_i_alloc(context, widest, sizeof *places);
    junction->tables = crd_i_alloc(context, (size_t)junction->table_cells, sizeof *junction->tables);
    if (plain == NULL || places == NULL || junction->tables == NULL) {
        crd_free(context, plain);
        crd_free(context, places);
        return false;
    }
    for (size_t i = 0; i < grouping->node_count; i++) {
        const crd_i_factor *factor = &junction->factors[grouping->factors[i]];
        bool is_first = i == 0 || grouping->factors[i - 1] != grouping->factors[i];
        crd_i_walk walk;
        junction_factors_normalise(junction, grouping->nodes[i], places, plain);
        junction_factors_walk_table(junction, factor, grouping->nodes[i], &walk);
        (is_first ? crd_i_factor_set : crd_i_factor_times)(CRD_I_PLAIN, &walk, junction->tables + factor->table_at,
                                                           plain);
    }
    crd_free(context, plain);
    crd_free(context, places);
    for (size_t i = 0; i < junction->factor_count; i++) {
        crd_i_factor *factor = &junction->factors[i];
        const double *table = junction->tables + factor->table_at;
        double least = 1;
        for (size_t j = 0; j < factor->cells; j++)
            if (table[j] > 0 && table[j] < least) least = table[j];
        frexp(least, &factor->low);
        factor->low--;
    }
    return true;
}

static crd_status junction_factors_check_memory(double limit, double cells, crd_error *error) {
    double needed = cells * (double)sizeof(double);
    if (cells <= CRD_I_MOST_CELLS && (limit <= 0 || needed <= limit)) return CRD_OK;
    char buffer[CRD_I_BYTES_ROOM];
    return crd_i_fail(error, CRD_ERROR_LIMIT, "an exact result needs tables with %.3g entries, or %s of memory", cells,
                      crd_i_describe_bytes(needed, buffer));
}

crd_status crd_i_junction_add_factors(crd_i_junction *junction, crd_error *error) {
    factors_grouping groups = {0};
    crd_status status = CRD_OK;
    if (!junction_factors_make(junction, &groups)) status = crd_i_fail_memory(error);
    /* Findings may shrink clique tables, but the tree's own tables are needed for every case. */
    if (status == CRD_OK) status = junction_factors_check_memory(junction->memory, junction->table_cells, error);
    if (status == CRD_OK && !multiply_tables(junction, &groups)) status = crd_i_fail_memory(error);
    crd_free(junction->context, groups.nodes);
    crd_free(junction->context, groups.factors);
    crd_free(junction->context, groups.begins);
    crd_free(junction->context, groups.trial);
    return status;
}
