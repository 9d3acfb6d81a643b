/* SPDX-License-Identifier: MIT */
/* junction_factors.c - the tables of a network in the cliques of its junction tree.
 *
 * A table goes to the clique of that of its variables which is eliminated first, where all of them are. Tables that
 * meet there are multiplied beforehand as long as that leaves less to read for each case. */
#include "infer/exact/junction_types.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Tables that meet in a clique are multiplied beforehand where their product is at most this large, or at most twice as
 * large as they are together: less is read for each case then. */
static const double SMALL_PRODUCT = 256;
/* No product is made whose exponents could come near to where doubles end. */
enum { LOWEST_PRODUCT = -700 };

static uint32_t family_size(const crd_i_node *node) {
    return (uint32_t)node->parent_count + 1;
}

/* The i-th of the variables of a node's table: its parents, then itself. */
static uint32_t family_at(const crd_i_junction *junction, uint32_t node, size_t i) {
    const crd_i_node *at = &junction->network->nodes[node];
    return junction->position_of[i < at->parent_count ? at->parents[i] : node];
}

/* The clique that a node's table goes to: that of the variable of it that is eliminated first. */
static int32_t clique_for(const crd_i_junction *junction, uint32_t node) {
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < family_size(&junction->network->nodes[node]); i++) {
        uint32_t position = family_at(junction, node, i);
        if (position < first) first = position;
    }
    return first < junction->graph_count ? junction->home_at[first] : CRD_I_NONE;
}

static double product_of_states(const crd_i_junction *junction, const uint32_t *vars, size_t count) {
    double cells = 1;
    for (size_t i = 0; i < count; i++) cells *= junction->states_at[vars[i]];
    return cells;
}

/* Adds a node's variables to a sorted list that has room for them. */
static size_t unite(const crd_i_junction *junction, uint32_t node, uint32_t *vars, size_t count) {
    for (size_t i = 0; i < family_size(&junction->network->nodes[node]); i++) {
        uint32_t position = family_at(junction, node, i);
        size_t at = 0;
        while (at < count && vars[at] != position) at++;
        if (at == count) vars[count++] = position;
    }
    crd_i_sort_positions(vars, count);
    return count;
}

typedef struct grouping {
    uint32_t *nodes;   /* by clique, those of none last */
    uint32_t *factors; /* of each of these, the factor that it is a part of */
    size_t *begins;    /* by clique, where its nodes begin */
    size_t node_count, var_room;
    uint32_t *trial;
    size_t trial_room;
} grouping;

/* Nodes sorted by their clique. */
static bool group_nodes(const crd_i_junction *junction, grouping *own) {
    crd_context *context = junction->context;
    size_t cliques = junction->clique_count;
    own->begins = crd_i_alloc_zeroed(context, cliques + 2, sizeof *own->begins);
    own->nodes = crd_i_alloc(context, junction->count, sizeof *own->nodes);
    own->factors = crd_i_alloc(context, junction->count, sizeof *own->factors);
    if (own->begins == NULL || own->nodes == NULL || own->factors == NULL) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < junction->count; i++) {
            if (!junction->has_table[i]) continue;
            int32_t clique = clique_for(junction, i);
            size_t at = clique == CRD_I_NONE ? cliques : (size_t)clique;
            if (pass == 0) own->begins[at + 1]++;
            else own->nodes[own->begins[at]++] = i;
        }
        if (pass == 1) break;
        for (size_t i = 0; i <= cliques; i++) own->begins[i + 1] += own->begins[i];
        own->node_count = own->begins[cliques + 1];
    }
    /* The second pass moved each beginning to the next one's. */
    for (size_t i = cliques + 1; i > 0; i--) own->begins[i] = own->begins[i - 1];
    own->begins[0] = 0;
    return true;
}

/* No positive number of a node's table, once its rows add up to 1, is below 2 to this. */
static int lowest(const crd_i_node *node) {
    double least = 1;
    int low;
    for (size_t i = 0; i < node->rows * crd_i_node_states(node); i++)
        if (node->table[i] > 0 && node->table[i] < least) least = node->table[i];
    frexp(least, &low);
    return low - 2;
}

/* Puts a node's table into the latest factor of the clique, if the product stays small, else into a new one. */
static bool place_table(crd_i_junction *junction, grouping *own, size_t at, int32_t clique, bool is_first, double *sum,
                        int *low) {
    crd_context *context = junction->context;
    const crd_i_node *node = &junction->network->nodes[own->nodes[at]];
    double cells = 1;
    for (size_t i = 0; i < family_size(node); i++) cells *= junction->states_at[family_at(junction, own->nodes[at], i)];
    crd_i_factor *last = is_first ? NULL : &junction->factors[junction->factor_count - 1];
    size_t known = last == NULL ? 0 : last->var_count, begin = last == NULL ? own->var_room : last->vars_at;
    if (!crd_i_reserve(context, &own->trial, &own->trial_room, known + family_size(node), sizeof *own->trial))
        return false;
    if (known > 0) memcpy(own->trial, junction->factor_vars + begin, known * sizeof *own->trial);
    size_t count = unite(junction, own->nodes[at], own->trial, known);
    double product = product_of_states(junction, own->trial, count);
    /* To look through a large table for its least number does not pay for one case. */
    int own_low = junction->is_for_one_case && cells > SMALL_PRODUCT ? 2 * LOWEST_PRODUCT : lowest(node);
    if (last == NULL || *low + own_low < LOWEST_PRODUCT || (product > SMALL_PRODUCT && product > 2 * (*sum + cells))) {
        crd_i_factor fresh = {.vars_at = last == NULL ? begin : last->vars_at + last->var_count, .clique = clique};
        last = &junction->factors[junction->factor_count++];
        *last = fresh;
        *sum = 0;
        *low = 0;
        count = unite(junction, own->nodes[at], own->trial, 0);
        product = cells;
    }
    memcpy(junction->factor_vars + last->vars_at, own->trial, count * sizeof *own->trial);
    last->var_count = (uint32_t)count;
    last->cells = (size_t)product;
    own->var_room = last->vars_at + count;
    *sum += cells;
    *low += own_low;
    own->factors[at] = (uint32_t)(junction->factor_count - 1);
    return true;
}

static bool make_factors(crd_i_junction *junction, grouping *own) {
    crd_context *context = junction->context;
    size_t most_vars = 0;
    for (uint32_t i = 0; i < junction->count; i++)
        if (junction->has_table[i]) most_vars += family_size(&junction->network->nodes[i]);
    if (!group_nodes(junction, own)) return false;
    junction->factors = crd_i_alloc_zeroed(context, own->node_count, sizeof *junction->factors);
    junction->factor_vars = crd_i_alloc(context, most_vars, sizeof *junction->factor_vars);
    junction->factor_strides = crd_i_alloc(context, most_vars, sizeof *junction->factor_strides);
    if (junction->factors == NULL || junction->factor_vars == NULL || junction->factor_strides == NULL) return false;
    for (size_t i = 0; i <= junction->clique_count; i++) {
        bool has_clique = i < junction->clique_count;
        double sum = 0;
        int low = 0;
        if (!has_clique) junction->clique_factor_count = junction->factor_count;
        if (has_clique) junction->cliques[i].factors_begin = junction->factor_count;
        for (size_t j = own->begins[i]; j < own->begins[i + 1]; j++)
            if (!place_table(junction, own, j, has_clique ? (int32_t)i : CRD_I_NONE, j == own->begins[i], &sum, &low))
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

/* A node's table with rows that add up to 1, of the states that are left. */
static void normalise(const crd_i_junction *junction, uint32_t node, size_t *places, double *out) {
    const crd_i_node *at = &junction->network->nodes[node];
    size_t states = crd_i_node_states(at), left = junction->states_at[junction->position_of[node]];
    const uint32_t *live = junction->live + junction->starts[node];
    for (size_t i = 0; i < at->parent_count; i++) places[i] = 0;
    for (;;) {
        size_t row = 0, i = at->parent_count;
        double sum = 0;
        for (size_t j = 0; j < at->parent_count; j++) {
            size_t start = junction->starts[at->parents[j]];
            row = row * (junction->starts[at->parents[j] + 1] - start) + junction->live[start + places[j]];
        }
        const double *from = at->table + row * states;
        for (size_t j = 0; j < states; j++) sum += from[j];
        for (size_t j = 0; j < left; j++) *out++ = sum == 1 ? from[live[j]] : from[live[j]] / sum;
        while (i > 0 && ++places[i - 1] == junction->states_at[junction->position_of[at->parents[i - 1]]])
            places[--i] = 0;
        if (i == 0) return;
    }
}

/* The way through a factor's table, beside that of one of the nodes that it is made of. */
static void walk_table(const crd_i_junction *junction, const crd_i_factor *factor, uint32_t node, crd_i_walk *walk) {
    const uint32_t *vars = junction->factor_vars + factor->vars_at;
    crd_i_walk_begin(walk);
    for (size_t i = factor->var_count; i-- > 0;) {
        size_t stride = 1, found = 0;
        for (size_t j = family_size(&junction->network->nodes[node]); j-- > 0;) {
            uint32_t position = family_at(junction, node, j);
            if (position == vars[i]) found = stride;
            stride *= junction->states_at[position];
        }
        crd_i_walk_add(walk, junction->states_at[vars[i]], found);
    }
    crd_i_walk_end(walk);
}

static bool multiply_tables(crd_i_junction *junction, const grouping *own) {
    crd_context *context = junction->context;
    size_t most = 0, widest = 0;
    for (size_t i = 0; i < own->node_count; i++) {
        size_t cells = 1, members = family_size(&junction->network->nodes[own->nodes[i]]);
        for (size_t j = 0; j < members; j++) cells *= junction->states_at[family_at(junction, own->nodes[i], j)];
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
    for (size_t i = 0; i < own->node_count; i++) {
        const crd_i_factor *factor = &junction->factors[own->factors[i]];
        bool is_first = i == 0 || own->factors[i - 1] != own->factors[i];
        crd_i_walk walk;
        normalise(junction, own->nodes[i], places, plain);
        walk_table(junction, factor, own->nodes[i], &walk);
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

static crd_status check_memory(double limit, double cells, crd_error *error) {
    double needed = cells * (double)sizeof(double);
    if (cells <= CRD_I_MOST_CELLS && (limit <= 0 || needed <= limit)) return CRD_OK;
    char room[CRD_I_BYTES_ROOM];
    return crd_i_fail(error, CRD_ERROR_LIMIT, "an exact answer needs tables of %.3g cells, which are %s of memory",
                      cells, crd_i_describe_bytes(needed, room));
}

crd_status crd_i_junction_add_factors(crd_i_junction *junction, crd_error *error) {
    grouping groups = {0};
    crd_status status = CRD_OK;
    if (!make_factors(junction, &groups)) status = crd_i_fail_memory(error);
    /* Findings may shrink the tables of cliques, but those that the tree keeps are needed for every case. */
    if (status == CRD_OK) status = check_memory(junction->memory, junction->table_cells, error);
    if (status == CRD_OK && !multiply_tables(junction, &groups)) status = crd_i_fail_memory(error);
    crd_free(junction->context, groups.nodes);
    crd_free(junction->context, groups.factors);
    crd_free(junction->context, groups.begins);
    crd_free(junction->context, groups.trial);
    return status;
}
