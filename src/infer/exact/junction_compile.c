/* SPDX-License-Identifier: MIT */
/* junction_compile.c - compiling a junction tree: see junction_tree.h.
 *
 * Contents:
 *   1. States in a tree
 *   2. Tables of the cliques
 *   3. Joint virtual evidence
 *   4. Compilation
 *   5. Expected family counts */
#include "infer/exact/junction_types.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/state_elimination.h"
#include "infer/exact/triangulate.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* ======== 1. States in a tree ========
 *
 * A tree contains the states that state_elimination.h leaves possible. A node with a single remaining state is in no
 * clique and is treated as observed. Inside the tree, a state is represented by its index among the remaining states,
 * and tables contain only these. */

/* Keeps every state at its own index. */
static void junction_states_keep_all(crd_i_junction *junction, size_t node) {
    for (size_t i = junction->starts[node]; i < junction->starts[node + 1]; i++) {
        junction->live[i] = (uint32_t)(i - junction->starts[node]);
        junction->place_of[i] = (int32_t)junction->live[i];
    }
}

static void junction_states_keep_some(crd_i_junction *junction, size_t node, const uint32_t *left, size_t count) {
    size_t start = junction->starts[node];
    for (size_t i = start; i < junction->starts[node + 1]; i++) junction->place_of[i] = CRD_I_NONE;
    for (size_t i = 0; i < count; i++) {
        junction->live[start + i] = left[i];
        junction->place_of[start + left[i]] = (int32_t)i;
    }
}

/* Finds the remaining states given evidence that every case has, or NULL. In: states[node], 0 if the node is in no
 * clique. Out: the number of remaining states, 0 if it is one. */
static crd_status junction_take_live(crd_i_junction *junction, const crd_i_evidence *findings, size_t *states,
                                     crd_i_arena *scratch, crd_error *error) {
    size_t count = junction->count, numbers = junction->starts[count];
    int32_t *nothing = crd_i_arena_alloc(scratch, count, sizeof *nothing);
    junction->live = crd_i_arena_alloc(junction->arena, numbers, sizeof *junction->live);
    junction->place_of = crd_i_arena_alloc(junction->arena, numbers, sizeof *junction->place_of);
    junction->only_state = crd_i_arena_alloc(junction->arena, count, sizeof *junction->only_state);
    if (nothing == NULL || junction->only_state == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        nothing[i] = -1;
        junction->only_state[i] = CRD_I_NONE;
        junction_states_keep_all(junction, i);
    }
    const crd_i_evidence none = {.states = nothing};
    crd_i_state_elimination narrowing;
    crd_status status = crd_i_state_elimination_open(&narrowing, junction->network, junction->has_table,
                                                     findings == NULL ? &none : findings, error);
    if (status != CRD_OK) return status;
    junction->is_impossible = !crd_i_state_elimination_run(&narrowing, NULL);
    for (size_t i = 0; !junction->is_impossible && i < count; i++) {
        const uint32_t *left = narrowing.states + junction->starts[i];
        bool is_known = states[i] > 0 || (findings != NULL && findings->states[i] >= 0);
        if (!is_known) continue;
        junction_states_keep_some(junction, i, left, narrowing.sizes[i]);
        states[i] = narrowing.sizes[i] == 1 ? 0 : narrowing.sizes[i];
        if (narrowing.sizes[i] == 1) junction->only_state[i] = (int32_t)left[0];
    }
    crd_i_state_elimination_close(&narrowing);
    return CRD_OK;
}

int32_t crd_i_junction_state(const crd_i_junction *junction, size_t node, int32_t place) {
    return place < 0 ? place : (int32_t)junction->live[junction->starts[node] + (size_t)place];
}

void crd_i_junction_spread(const crd_i_junction *junction, size_t node, double *posterior) {
    size_t start = junction->starts[node], states = junction->starts[node + 1] - start;
    size_t left = junction->states_at[junction->position_of[node]];
    if (left == states) return;
    /* Indices are in the order of states, so nothing is overwritten before it has been moved. */
    for (size_t i = states; i-- > 0;) {
        int32_t place = junction->place_of[start + i];
        posterior[i] = place < 0 ? 0 : posterior[place];
    }
}

/* ======== 2. Tables of the cliques ========
 *
 * A table goes to the clique of its first eliminated variable, which contains all its variables. Tables in the same
 * clique are multiplied in advance as long as that reduces the data read per case. */

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
    crd_i_arena *arena;
    uint32_t *nodes;   /* sorted by clique; nodes without a clique come last */
    uint32_t *factors; /* by entry of `nodes`: the factor that contains its table */
    size_t *begins;    /* by clique: start of its nodes */
    size_t node_count, var_room;
    uint32_t *trial; /* scratch for the variables of a factor */
} factors_grouping;

/* Sorts nodes by their clique. `most_vars` is the total size of the families. */
static bool group_nodes(const crd_i_junction *junction, size_t most_vars, factors_grouping *grouping) {
    size_t cliques = junction->clique_count;
    grouping->begins = crd_i_arena_alloc_zeroed(grouping->arena, cliques + 2, sizeof *grouping->begins);
    grouping->nodes = crd_i_arena_alloc(grouping->arena, junction->count, sizeof *grouping->nodes);
    grouping->factors = crd_i_arena_alloc(grouping->arena, junction->count, sizeof *grouping->factors);
    grouping->trial = crd_i_arena_alloc(grouping->arena, most_vars, sizeof *grouping->trial);
    if (crd_i_arena_failed(grouping->arena)) return false;
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
static void place_table(crd_i_junction *junction, factors_grouping *grouping, size_t index, int32_t clique,
                        bool is_first, double *sum, int *low) {
    const crd_i_node *node = &junction->network->nodes[grouping->nodes[index]];
    double cells = 1;
    for (size_t i = 0; i < junction_factors_family_size(node); i++)
        cells *= junction->states_at[junction_factors_family(junction, grouping->nodes[index], i)];
    crd_i_factor *last = is_first ? NULL : &junction->factors[junction->factor_count - 1];
    size_t known = last == NULL ? 0 : last->var_count, begin = last == NULL ? grouping->var_room : last->vars_at;
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
}

static bool junction_factors_make(crd_i_junction *junction, factors_grouping *grouping) {
    crd_i_arena *arena = junction->factor_arena;
    size_t most_vars = 0;
    for (uint32_t i = 0; i < junction->count; i++)
        if (junction->has_table[i]) most_vars += junction_factors_family_size(&junction->network->nodes[i]);
    if (!group_nodes(junction, most_vars, grouping)) return false;
    junction->factors = crd_i_arena_alloc_zeroed(arena, grouping->node_count, sizeof *junction->factors);
    junction->factor_vars = crd_i_arena_alloc(arena, most_vars, sizeof *junction->factor_vars);
    junction->factor_strides = crd_i_arena_alloc(arena, most_vars, sizeof *junction->factor_strides);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t i = 0; i <= junction->clique_count; i++) {
        bool has_clique = i < junction->clique_count;
        double sum = 0;
        int low = 0;
        if (!has_clique) junction->clique_factor_count = junction->factor_count;
        if (has_clique) junction->cliques[i].factors_begin = junction->factor_count;
        for (size_t j = grouping->begins[i]; j < grouping->begins[i + 1]; j++)
            place_table(junction, grouping, j, has_clique ? (int32_t)i : CRD_I_NONE, j == grouping->begins[i], &sum,
                        &low);
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
static void junction_factors_normalize(const crd_i_junction *junction, uint32_t node, size_t *places, double *out) {
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
    size_t most = 0, widest = 0;
    for (size_t i = 0; i < grouping->node_count; i++) {
        size_t cells = 1, members = junction_factors_family_size(&junction->network->nodes[grouping->nodes[i]]);
        for (size_t j = 0; j < members; j++)
            cells *= junction->states_at[junction_factors_family(junction, grouping->nodes[i], j)];
        if (cells > most) most = cells;
        if (members > widest) widest = members;
    }
    double *plain = crd_i_arena_alloc(grouping->arena, most, sizeof *plain);
    size_t *places = crd_i_arena_alloc(grouping->arena, widest, sizeof *places);
    junction->tables =
        crd_i_arena_alloc(junction->factor_arena, (size_t)junction->table_cells, sizeof *junction->tables);
    if (places == NULL || junction->tables == NULL) return false;
    for (size_t i = 0; i < grouping->node_count; i++) {
        const crd_i_factor *factor = &junction->factors[grouping->factors[i]];
        bool is_first = i == 0 || grouping->factors[i - 1] != grouping->factors[i];
        crd_i_walk walk;
        junction_factors_normalize(junction, grouping->nodes[i], places, plain);
        junction_factors_walk_table(junction, factor, grouping->nodes[i], &walk);
        (is_first ? crd_i_factor_set : crd_i_factor_times)(CRD_I_PLAIN, &walk, junction->tables + factor->table_at,
                                                           plain);
    }
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
    return crd_i_fail(error, CRD_ERROR_LIMIT, "an exact result needs tables with %.3g entries (%s)", cells,
                      crd_i_describe_bytes(needed, buffer));
}

/* Multiplies the network's tables into factors. Call it after the cliques exist. */
static crd_status junction_add_factors(crd_i_junction *junction, crd_error *error) {
    factors_grouping groups = {.arena = crd_i_arena_create(junction->context)};
    crd_status status = CRD_ERROR_MEMORY;
    junction->factor_arena = crd_i_arena_create(junction->context);
    if (junction_factors_make(junction, &groups))
        /* Findings may shrink clique tables, but the tree's own tables are needed for every case. */
        status = junction_factors_check_memory(junction->memory, junction->table_cells, error);
    if (status == CRD_OK && !multiply_tables(junction, &groups)) status = CRD_ERROR_MEMORY;
    crd_i_arena_destroy(groups.arena);
    return status == CRD_ERROR_MEMORY ? crd_i_fail_memory(error) : status;
}

crd_status crd_i_junction_reload(crd_i_junction *junction, crd_error *error) {
    crd_i_arena_destroy(junction->factor_arena);
    junction->factor_count = junction->clique_factor_count = 0;
    junction->table_cells = 0;
    return junction_add_factors(junction, error);
}

/* ======== 3. Joint virtual evidence ========
 *
 * A set of several nodes goes to the clique of its first eliminated variable, which contains all its variables. For a
 * case, the set's table is divided by its maximum, so it is a message like the messages of children. If the range of
 * its entries exceeds doubles, the case is computed in logarithms. */

/* Lists the sets of each node. */
static void junction_list_sets_of_nodes(crd_i_junction *junction) {
    size_t *starts = junction->member_starts;
    /* Counts are stored one place later, so that filling moves each start to its final place. */
    for (size_t i = 0; i < junction->set_count; i++)
        for (size_t j = 0; j < junction->node_sets[i].count; j++) starts[junction->node_sets[i].nodes[j] + 2]++;
    for (size_t i = 2; i < junction->count + 2; i++) starts[i] += starts[i - 1];
    for (size_t i = 0; i < junction->set_count; i++)
        for (size_t j = 0; j < junction->node_sets[i].count; j++)
            junction->members[starts[junction->node_sets[i].nodes[j] + 1]++] = (uint32_t)i;
}

/* Copy the sets of the options, and place them after the cliques exist. */
static bool junction_take_sets(crd_i_junction *junction, const crd_i_node_set *sets, size_t count) {
    crd_i_arena *arena = junction->arena;
    size_t total = 0;
    if (count == 0) return true;
    for (size_t i = 0; i < count; i++) total += sets[i].count;
    junction->set_count = count;
    junction->node_sets = crd_i_arena_copy(arena, sets, count, sizeof *sets);
    junction->sets = crd_i_arena_alloc_zeroed(arena, count, sizeof *junction->sets);
    junction->member_starts = crd_i_arena_alloc_zeroed(arena, junction->count + 2, sizeof *junction->member_starts);
    junction->members = crd_i_arena_alloc(arena, total, sizeof *junction->members);
    for (size_t i = 0; i < count && !crd_i_arena_failed(arena); i++) {
        size_t nodes = sets[i].count;
        junction->node_sets[i].nodes = crd_i_arena_copy(arena, sets[i].nodes, nodes, sizeof *sets[i].nodes);
        junction->sets[i].vars = crd_i_arena_alloc(arena, nodes, sizeof *junction->sets[i].vars);
        junction->sets[i].strides = crd_i_arena_alloc(arena, nodes, sizeof *junction->sets[i].strides);
    }
    if (crd_i_arena_failed(arena)) return false;
    junction_list_sets_of_nodes(junction);
    return true;
}

static void place_set(crd_i_junction *junction, size_t index) {
    const crd_i_node_set *node = &junction->node_sets[index];
    crd_i_junction_set *set = &junction->sets[index];
    size_t stride = 1;
    set->count = node->count;
    for (size_t i = 0; i < node->count; i++) set->vars[i] = junction->position_of[node->nodes[i]];
    crd_i_sort_positions(set->vars, set->count);
    for (size_t i = set->count; i-- > 0;) {
        set->strides[i] = stride;
        stride *= junction->states_at[set->vars[i]];
    }
    set->cells = stride;
    set->table_at = junction->set_cells;
    junction->set_cells += stride;
    set->clique = set->next = CRD_I_NONE;
    if (set->count == 0 || set->vars[0] >= junction->graph_count) return;
    set->clique = junction->home_at[set->vars[0]];
    set->next = junction->cliques[set->clique].first_set;
    junction->cliques[set->clique].first_set = (int32_t)index;
}

/* ---- Evidence of a case ---- */

/* Returns the combination of all states for a cell of the set's table, or SIZE_MAX if the evidence rules it out. */
static size_t combination_of(const crd_i_junction_work *work, const crd_i_junction_set *set,
                             const crd_i_node_set *node_set, size_t cell) {
    const crd_i_junction *junction = work->junction;
    size_t combination = 0;
    for (size_t i = 0; i < set->count; i++) {
        size_t place = cell / set->strides[i] % junction->states_at[set->vars[i]];
        if (work->seen_at[set->vars[i]] >= 0 && work->seen_at[set->vars[i]] != (int32_t)place) return SIZE_MAX;
    }
    for (size_t i = 0; i < node_set->count; i++) {
        uint32_t node = node_set->nodes[i], position = junction->position_of[node];
        size_t index = 0;
        while (set->vars[index] != position) index++;
        int32_t place = (int32_t)(cell / set->strides[index] % junction->states_at[position]);
        combination = combination * (junction->starts[node + 1] - junction->starts[node]) +
                      (size_t)crd_i_junction_state(junction, node, place);
    }
    return combination;
}

static bool junction_sets_prepare(crd_i_junction_work *work, size_t index) {
    const crd_i_junction_set *set = &work->junction->sets[index];
    const crd_i_node_set *node = &work->junction->node_sets[index];
    const double *logs = work->set_logs[index];
    double *table = work->set_tables + set->table_at, most = -INFINITY, least = INFINITY;
    for (size_t i = 0; i < set->cells; i++) {
        size_t combination = combination_of(work, set, node, i);
        table[i] = combination == SIZE_MAX ? -INFINITY : logs[combination];
        if (table[i] > most) most = table[i];
        if (table[i] > -INFINITY && table[i] < least) least = table[i];
    }
    if (most == -INFINITY) return false;
    work->log_offset += most;
    work->set_lows[index] = (int)fmax((least - most) / 0.6931471805599453, -100000) - 2;
    for (size_t i = 0; i < set->cells; i++) {
        table[i] -= most;
        if (work->scale == CRD_I_PLAIN) table[i] = crd_exp(table[i]);
    }
    return true;
}

bool crd_i_junction_prepare_sets(crd_i_junction_work *work) {
    bool is_possible = true;
    work->log_offset = 0;
    for (size_t i = 0; work->set_logs != NULL && is_possible && i < work->junction->set_count; i++)
        if (work->set_logs[i] != NULL) is_possible = junction_sets_prepare(work, i);
    return is_possible;
}

/* ======== 4. Compilation ======== */

/* With this many cells per node and try, searching for a better order takes about as long as a query. For larger
 * values, it takes a small fraction of that time. */
static const double CELLS_A_TRY = 256, ONE_CASE_CELLS_A_TRY = 4096;

void crd_i_junction_destroy(crd_i_junction *junction) {
    if (junction == NULL) return;
    crd_i_arena_destroy(junction->factor_arena);
    crd_i_arena_destroy(junction->arena);
}

double crd_i_junction_cells(const crd_i_junction *junction) {
    return junction->cells;
}

double crd_i_junction_bytes(const crd_i_junction *junction) {
    return (junction->kept_cells + junction->message_cells + junction->table_cells) * (double)sizeof(double);
}

size_t crd_i_junction_start(const crd_i_junction *junction, size_t node) {
    return junction->starts[node];
}

/* ---- Moral graph ---- */

typedef struct compile_collector {
    const size_t *states;
    uint32_t *marks, stamp;
    uint32_t *near;
    size_t count, capacity;
    crd_context *context;
} compile_collector;

static bool junction_compile_gather(compile_collector *collector, uint32_t node) {
    if (collector->states[node] == 0 || collector->marks[node] == collector->stamp) return true;
    if (!crd_i_reserve(collector->context, &collector->near, &collector->capacity, collector->count + 1,
                       sizeof *collector->near))
        return false;
    collector->marks[node] = collector->stamp;
    collector->near[collector->count++] = node;
    return true;
}

static bool junction_compile_gather_family(compile_collector *collector, const crd_network *network, uint32_t child) {
    const crd_i_node *node = &network->nodes[child];
    bool done = junction_compile_gather(collector, child);
    for (size_t i = 0; done && i < node->parent_count; i++) done = junction_compile_gather(collector, node->parents[i]);
    return done;
}

static bool gather_sets(compile_collector *collector, const crd_i_junction *junction, uint32_t node) {
    bool done = true;
    for (size_t i = junction->member_starts[node]; i < junction->member_starts[node + 1]; i++) {
        const crd_i_node_set *set = &junction->node_sets[junction->members[i]];
        for (size_t j = 0; done && j < set->count; j++) done = junction_compile_gather(collector, set->nodes[j]);
    }
    return done;
}

static bool make_graph(const crd_i_junction *junction, const size_t *states, crd_i_arena *scratch,
                       crd_i_domain_graph *graph) {
    const crd_network *network = junction->network;
    compile_collector collector = {.states = states, .context = junction->context};
    collector.marks = crd_i_arena_alloc_zeroed(scratch, network->count, sizeof *collector.marks);
    graph->count = network->count;
    graph->states = states;
    graph->starts = crd_i_arena_alloc_zeroed(scratch, network->count + 1, sizeof *graph->starts);
    bool done = graph->starts != NULL;
    for (uint32_t i = 0; done && i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        graph->starts[i] = collector.count;
        if (states[i] == 0) continue;
        collector.stamp = i + 1;
        collector.marks[i] = collector.stamp;
        if (junction->has_table[i]) done = junction_compile_gather_family(&collector, network, i);
        for (size_t j = 0; done && j < node->child_count; j++)
            if (junction->has_table[node->children[j]])
                done = junction_compile_gather_family(&collector, network, node->children[j]);
        bool is_together = false;
        for (size_t j = 0; j < junction->together_count; j++) is_together = is_together || junction->together[j] == i;
        for (size_t j = 0; done && is_together && j < junction->together_count; j++)
            done = junction_compile_gather(&collector, junction->together[j]);
        if (done && junction->member_starts != NULL) done = gather_sets(&collector, junction, i);
    }
    graph->near = collector.near;
    if (done) graph->starts[network->count] = collector.count;
    return done;
}

/* ---- Cliques ---- */

static bool junction_compile_number_nodes(crd_i_junction *junction, const crd_i_elimination *elimination,
                                          const size_t *states, const bool *maximized) {
    const crd_network *network = junction->network;
    size_t count = network->count, last = elimination->count;
    junction->position_of = crd_i_arena_alloc(junction->arena, count, sizeof *junction->position_of);
    junction->node_at = crd_i_arena_alloc(junction->arena, count, sizeof *junction->node_at);
    junction->states_at = crd_i_arena_alloc(junction->arena, count, sizeof *junction->states_at);
    junction->home_at = crd_i_arena_alloc(junction->arena, count, sizeof *junction->home_at);
    if (junction->home_at == NULL) return false;
    for (size_t i = 0; i < elimination->count; i++) {
        junction->node_at[i] = elimination->order[i];
        junction->summed_count += maximized != NULL && !maximized[elimination->order[i]];
    }
    for (size_t i = 0; i < count; i++)
        if (states[i] == 0) junction->node_at[last++] = (uint32_t)i;
    for (uint32_t i = 0; i < count; i++) {
        junction->position_of[junction->node_at[i]] = i;
        uint32_t node = junction->node_at[i];
        size_t left = junction->only_state[node] >= 0 ? 1 : states[node];
        junction->states_at[i] = (uint32_t)(left > 0 ? left : crd_i_node_states(&network->nodes[node]));
        junction->home_at[i] = CRD_I_NONE;
    }
    junction->graph_count = elimination->count;
    return true;
}

/* Finds cliques that are subsets of an earlier clique: one smaller, with the variable first among the rest. `base`
 * is then the earlier variable, otherwise the variable itself. They are not merged if one is summed out and the
 * other maximized. */
static void find_bases(const crd_i_junction *junction, const crd_i_elimination *elimination, uint32_t *next,
                       uint32_t *base, uint32_t *top) {
    size_t count = elimination->count;
    const size_t *starts = elimination->starts;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = UINT32_MAX;
        for (size_t j = starts[i]; j < starts[i + 1]; j++) {
            uint32_t position = junction->position_of[elimination->later[j]];
            if (position < first) first = position;
        }
        next[i] = first;
        base[i] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        top[base[i]] = i;
        uint32_t parent = next[i];
        if (parent == UINT32_MAX || base[parent] != parent) continue;
        if ((i < junction->summed_count) != (parent < junction->summed_count)) continue;
        if (starts[i + 1] - starts[i] == starts[parent + 1] - starts[parent] + 1) base[parent] = base[i];
    }
}

void crd_i_sort_positions(uint32_t *vars, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint32_t value = vars[i];
        size_t j = i;
        for (; j > 0 && vars[j - 1] > value; j--) vars[j] = vars[j - 1];
        vars[j] = value;
    }
}

static void fill_clique(crd_i_junction *junction, const crd_i_elimination *elimination, uint32_t base, uint32_t top,
                        const uint32_t *bases, crd_i_clique *clique) {
    uint32_t *vars = junction->clique_vars + clique->vars_at;
    clique->var_count = 0;
    vars[clique->var_count++] = base;
    for (size_t j = elimination->starts[base]; j < elimination->starts[base + 1]; j++)
        vars[clique->var_count++] = junction->position_of[elimination->later[j]];
    crd_i_sort_positions(vars, clique->var_count);
    clique->own_count = 0;
    while (clique->own_count < clique->var_count && vars[clique->own_count] <= top &&
           bases[vars[clique->own_count]] == base)
        clique->own_count++;
    clique->parent = clique->first_child = clique->next_child = clique->first_set = CRD_I_NONE;
}

static void link_cliques(crd_i_junction *junction) {
    for (size_t i = junction->clique_count; i-- > 0;) {
        crd_i_clique *clique = &junction->cliques[i];
        if (clique->own_count == clique->var_count) continue;
        uint32_t shared = junction->clique_vars[clique->vars_at + clique->own_count];
        clique->parent = junction->home_at[shared];
        crd_i_clique *parent = &junction->cliques[clique->parent];
        clique->next_child = parent->first_child;
        parent->first_child = (int32_t)i;
    }
}

static bool make_cliques(crd_i_junction *junction, const crd_i_elimination *elimination, crd_i_arena *scratch) {
    size_t count = elimination->count, index = 0, vars_room = elimination->starts[count] + count;
    uint32_t *next = crd_i_arena_alloc(scratch, count, sizeof *next);
    uint32_t *bases = crd_i_arena_alloc(scratch, count, sizeof *bases);
    uint32_t *tops = crd_i_arena_alloc(scratch, count, sizeof *tops);
    junction->cliques = crd_i_arena_alloc_zeroed(junction->arena, count, sizeof *junction->cliques);
    junction->clique_vars = crd_i_arena_alloc(junction->arena, vars_room, sizeof *junction->clique_vars);
    if (tops == NULL || junction->clique_vars == NULL) return false;
    find_bases(junction, elimination, next, bases, tops);
    for (uint32_t i = 0; i < count; i++) {
        /* A clique is placed at its last own variable, after all its children. */
        if (tops[bases[i]] != i) continue;
        crd_i_clique *clique = &junction->cliques[junction->clique_count];
        clique->vars_at = index;
        fill_clique(junction, elimination, bases[i], i, bases, clique);
        index += clique->var_count;
        double cells = 1, shared = 1;
        const uint32_t *vars = junction->clique_vars + clique->vars_at;
        for (size_t j = 0; j < clique->var_count; j++) {
            if (j < clique->own_count) junction->home_at[vars[j]] = (int32_t)junction->clique_count;
            cells *= junction->states_at[vars[j]];
            if (j >= clique->own_count) shared *= junction->states_at[vars[j]];
        }
        junction->cells += cells;
        if (cells <= CRD_I_KEPT_CELLS) junction->kept_cells += cells;
        junction->message_cells += shared;
        junction->clique_count++;
    }
    link_cliques(junction);
    for (size_t i = junction->set_count; i-- > 0;) place_set(junction, i);
    return true;
}

/* ---- Tree ---- */

static crd_status junction_compile_take_options(crd_i_junction *junction, const crd_i_junction_options *options,
                                                size_t *states, crd_i_arena *scratch, crd_error *error) {
    const crd_network *network = junction->network;
    crd_i_arena *arena = junction->arena;
    junction->has_table = crd_i_arena_alloc(arena, network->count, sizeof *junction->has_table);
    junction->starts = crd_i_arena_alloc(arena, network->count + 1, sizeof *junction->starts);
    junction->together_count = options->together_count;
    junction->together =
        crd_i_arena_copy(arena, options->together, options->together_count, sizeof *junction->together);
    if (crd_i_arena_failed(arena)) return crd_i_fail_memory(error);
    if (!junction_take_sets(junction, options->sets, options->set_count)) return crd_i_fail_memory(error);
    junction->starts[0] = 0;
    for (size_t i = 0; i < network->count; i++) {
        size_t own_states = crd_i_node_states(&network->nodes[i]);
        junction->has_table[i] =
            network->nodes[i].kind == CRD_NODE_CHANCE && (options->tables == NULL || options->tables[i]);
        bool is_open = network->nodes[i].kind == CRD_NODE_DECISION && options->opens_decisions && options->tables[i];
        bool is_left = (junction->has_table[i] || is_open) && (options->observed == NULL || !options->observed[i]);
        states[i] = is_left ? own_states : 0;
        junction->starts[i + 1] = junction->starts[i] + own_states;
    }
    return junction_take_live(junction, options->findings, states, scratch, error);
}

crd_status crd_i_junction_compile(const crd_network *network, const crd_i_junction_options *options,
                                  crd_i_junction **out, crd_error *error) {
    static const crd_i_junction_options none = {0};
    crd_context *context = network->context;
    crd_i_domain_graph graph = {0};
    crd_i_elimination elimination = {0};
    *out = NULL;
    if (options == NULL) options = &none;
    graph.is_last = options->maximized;
    double cells_a_try = options->is_for_one_case ? ONE_CASE_CELLS_A_TRY : CELLS_A_TRY;
    crd_i_junction *junction = crd_i_arena_object(context, sizeof *junction);
    if (junction == NULL) return crd_i_fail_memory(error);
    junction->context = context;
    junction->network = network;
    junction->count = network->count;
    junction->memory = options->memory;
    junction->threads = options->threads;
    junction->is_for_one_case = options->is_for_one_case;
    crd_i_arena *scratch = crd_i_arena_create(context);
    size_t *states = crd_i_arena_alloc(scratch, network->count, sizeof *states);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status != CRD_OK) goto end;
    status = junction_compile_take_options(junction, options, states, scratch, error);
    if (status != CRD_OK) goto end;
    if (!make_graph(junction, states, scratch, &graph)) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    status = crd_i_triangulate(context, &graph, cells_a_try, &elimination, error);
    if (status != CRD_OK) goto end;
    if (!junction_compile_number_nodes(junction, &elimination, states, options->maximized) ||
        !make_cliques(junction, &elimination, scratch)) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    status = options->is_measured_only ? CRD_OK : junction_add_factors(junction, error);
    if (options->cells != NULL) *options->cells = crd_i_junction_cells(junction);
    if (options->bytes != NULL) *options->bytes = crd_i_junction_bytes(junction);
end:
    crd_free(context, graph.near);
    crd_i_elimination_clear(context, &elimination);
    crd_i_arena_destroy(scratch);
    if (status == CRD_OK) *out = junction;
    else crd_i_junction_destroy(junction);
    return status;
}

/* ======== 5. Expected family counts ========
 *
 * Counts of a network are computed for incomplete cases. */

struct crd_i_family_counter {
    crd_i_arena *arena;
    const crd_i_junction *junction;
    const size_t *starts;
    crd_i_junction_work *work;
    size_t *strides_at; /* by position: stride in the output table; all 0 between two families */
    size_t *strides;    /* scratch: the strides by variable of a clique */
    double *workspace;  /* scratch for the table of any family */
};

void crd_i_family_counter_destroy(crd_i_family_counter *counter) {
    if (counter == NULL) return;
    crd_i_junction_work_destroy(counter->work);
    crd_i_arena_destroy(counter->arena);
}

crd_status crd_i_family_counter_create(const crd_i_junction *junction, const size_t *starts, crd_i_family_counter **out,
                                       crd_error *error) {
    const crd_network *network = junction->network;
    size_t most = 1;
    *out = NULL;
    for (size_t i = 0; i < network->count; i++) {
        size_t cells = network->nodes[i].rows * crd_i_node_states(&network->nodes[i]);
        if (cells > most) most = cells;
    }
    crd_i_family_counter *counter = crd_i_arena_object(junction->context, sizeof *counter);
    if (counter == NULL) return crd_i_fail_memory(error);
    counter->junction = junction;
    counter->starts = starts;
    counter->strides_at = crd_i_arena_alloc_zeroed(counter->arena, junction->count, sizeof *counter->strides_at);
    counter->strides = crd_i_arena_alloc(counter->arena, junction->count, sizeof *counter->strides);
    counter->workspace = crd_i_arena_alloc(counter->arena, most, sizeof *counter->workspace);
    crd_status status = crd_i_arena_check(counter->arena, error);
    if (status == CRD_OK) status = crd_i_junction_work_create(junction, &counter->work, error);
    if (status == CRD_OK) *out = counter;
    else crd_i_family_counter_destroy(counter);
    return status;
}

/* ---- One family ---- */

/* Returns the i-th member of a node's family: its parents, then itself. */
static uint32_t member_at(const crd_network *network, size_t node, size_t i) {
    return i < network->nodes[node].parent_count ? network->nodes[node].parents[i] : (uint32_t)node;
}

/* Returns the known state of a node, or -1. */
static int32_t junction_families_known_state(const crd_i_junction *junction, const crd_i_evidence *evidence,
                                             uint32_t node) {
    return evidence->states[node] >= 0 ? evidence->states[node] : junction->only_state[node];
}

/* Returns the clique from which a family is summed; CRD_I_NONE if all members are known. */
static int32_t clique_of(const crd_i_junction *junction, const crd_i_evidence *evidence, size_t node) {
    const crd_network *network = junction->network;
    uint32_t first = UINT32_MAX;
    bool is_open = false;
    for (size_t i = 0; i <= network->nodes[node].parent_count; i++) {
        uint32_t member = member_at(network, node, i);
        if (junction->position_of[member] < first) first = junction->position_of[member];
        if (junction_families_known_state(junction, evidence, member) < 0) is_open = true;
    }
    return is_open ? junction->home_at[first] : CRD_I_NONE;
}

/* Adds the posterior of the unknown members, stored in the workspace, to the counts of the whole family. */
static void spread_family(const crd_i_family_counter *counter, const crd_i_evidence *evidence, size_t node,
                          size_t cells, double factor, double *counts) {
    const crd_i_junction *junction = counter->junction;
    const crd_network *network = junction->network;
    for (size_t cell = 0; cell < cells; cell++) {
        size_t remainder = cell, target = 0, stride = 1;
        for (size_t i = network->nodes[node].parent_count + 1; i-- > 0;) {
            uint32_t member = member_at(network, node, i);
            int32_t state = junction_families_known_state(junction, evidence, member);
            if (state < 0) {
                size_t extent = junction->states_at[junction->position_of[member]];
                state = crd_i_junction_state(junction, member, (int32_t)(remainder % extent));
                remainder /= extent;
            }
            target += (size_t)state * stride;
            stride *= junction->starts[member + 1] - junction->starts[member];
        }
        counts[target] += factor * counter->workspace[cell];
    }
}

static void junction_families_add(crd_i_family_counter *counter, const crd_i_evidence *evidence, size_t node,
                                  int32_t home, double weight, double *counts) {
    const crd_i_junction *junction = counter->junction;
    const crd_i_junction_work *work = counter->work;
    const crd_network *network = junction->network;
    size_t members = network->nodes[node].parent_count + 1, cells = 1;
    for (size_t i = members; i-- > 0;) {
        uint32_t member = member_at(network, node, i), position = junction->position_of[member];
        if (junction_families_known_state(junction, evidence, member) >= 0) continue;
        counter->strides_at[position] = cells;
        cells *= junction->states_at[position];
    }
    counter->workspace[0] = work->scale == CRD_I_PLAIN ? 1 : 0;
    if (home != CRD_I_NONE) {
        crd_i_walk walk;
        const crd_i_clique *clique = &junction->cliques[home];
        const uint32_t *vars = crd_i_clique_vars(junction, clique);
        for (size_t i = 0; i < clique->var_count; i++) counter->strides[i] = counter->strides_at[vars[i]];
        crd_i_walk_joint(work, clique, counter->strides, &walk);
        crd_i_message_sum(work->scale, &walk, work->cells + work->cliques[home].table_at, counter->workspace, cells);
    }
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < cells; i++) most = counter->workspace[i] > most ? counter->workspace[i] : most;
    for (size_t i = 0; i < cells; i++) {
        if (work->scale == CRD_I_LOGS) counter->workspace[i] = crd_exp(counter->workspace[i] - most);
        sum += counter->workspace[i];
    }
    spread_family(counter, evidence, node, cells, weight / sum, counts);
    for (size_t i = 0; i < members; i++) counter->strides_at[junction->position_of[member_at(network, node, i)]] = 0;
}

/* ---- One case ---- */

/* Passes messages back to the cliques from which families are summed. */
static crd_status send_back(crd_i_family_counter *counter, const crd_i_evidence *evidence, const bool *wanted,
                            crd_error *error) {
    const crd_i_junction *junction = counter->junction;
    crd_i_junction_work *work = counter->work;
    for (size_t i = 0; i < junction->graph_count; i++) work->source_at[i] = CRD_I_NONE;
    for (size_t i = 0; i < junction->clique_count; i++) {
        work->cliques[i].is_needed = work->cliques[i].is_message_needed = false;
        work->cliques[i].first_joint = CRD_I_NONE;
    }
    for (size_t i = 0; i < junction->count; i++) {
        int32_t home = wanted[i] ? clique_of(junction, evidence, i) : CRD_I_NONE;
        for (; home != CRD_I_NONE && !work->cliques[home].is_needed; home = junction->cliques[home].parent)
            work->cliques[home].is_needed = work->cliques[home].is_message_needed = true;
    }
    return crd_i_junction_distribute(work, NULL, NULL, error);
}

crd_status crd_i_family_counter_add(crd_i_family_counter *counter, const crd_i_evidence *evidence, const bool *wanted,
                                    double weight, double *counts, double *log_evidence, crd_error *error) {
    const crd_i_junction *junction = counter->junction;
    /* All clique tables are stored, because they are read after all messages have been passed. */
    crd_status status = crd_i_junction_begin(counter->work, evidence, true, error);
    if (status == CRD_OK) status = crd_i_junction_collect(counter->work, false, error);
    if (status != CRD_OK) return status;
    *log_evidence = crd_i_junction_log_evidence(counter->work);
    status = send_back(counter, evidence, wanted, error);
    for (size_t i = 0; status == CRD_OK && i < junction->count; i++)
        if (wanted[i])
            junction_families_add(counter, evidence, i, clique_of(junction, evidence, i), weight,
                                  counts + counter->starts[i]);
    return status;
}
