/* SPDX-License-Identifier: MIT */
/* junction_sets.c - joint virtual evidence on several nodes: see junction_tree.h.
 *
 * A set goes to the clique of its first eliminated variable, which contains all its variables. For a case, the set's
 * table is divided by its maximum, so it is a message like the messages of children. If the range of its entries
 * exceeds doubles, the case is computed in logarithms. */
#include "infer/exact/junction_types.h"

#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

void crd_i_junction_clear_sets(crd_i_junction *junction) {
    crd_context *context = junction->context;
    for (size_t i = 0; junction->node_sets != NULL && i < junction->set_count; i++)
        crd_free(context, junction->node_sets[i].nodes);
    for (size_t i = 0; junction->sets != NULL && i < junction->set_count; i++) {
        crd_free(context, junction->sets[i].vars);
        crd_free(context, junction->sets[i].strides);
    }
    crd_free(context, junction->node_sets);
    crd_free(context, junction->sets);
    crd_free(context, junction->member_starts);
    crd_free(context, junction->members);
}

/* Lists the sets of each node. */
static bool junction_sets_list_members(crd_i_junction *junction) {
    size_t total = 0;
    for (size_t i = 0; i < junction->set_count; i++) total += junction->node_sets[i].count;
    junction->member_starts = crd_i_alloc_zeroed(junction->context, junction->count + 2, sizeof(size_t));
    junction->members = crd_i_alloc(junction->context, total, sizeof *junction->members);
    if (junction->member_starts == NULL || junction->members == NULL) return false;
    size_t *starts = junction->member_starts;
    /* Counts are stored one place later, so that filling moves each start to its final place. */
    for (size_t i = 0; i < junction->set_count; i++)
        for (size_t j = 0; j < junction->node_sets[i].count; j++) starts[junction->node_sets[i].nodes[j] + 2]++;
    for (size_t i = 2; i < junction->count + 2; i++) starts[i] += starts[i - 1];
    for (size_t i = 0; i < junction->set_count; i++)
        for (size_t j = 0; j < junction->node_sets[i].count; j++)
            junction->members[starts[junction->node_sets[i].nodes[j] + 1]++] = (uint32_t)i;
    return true;
}

bool crd_i_junction_take_sets(crd_i_junction *junction, const crd_i_node_set *sets, size_t count) {
    crd_context *context = junction->context;
    if (count == 0) return true;
    junction->node_sets = crd_i_alloc_zeroed(context, count, sizeof *junction->node_sets);
    if (junction->node_sets == NULL) return false;
    junction->set_count = count;
    for (size_t i = 0; i < count; i++) {
        crd_i_node_set *set = &junction->node_sets[i];
        set->nodes = crd_i_alloc(context, sets[i].count, sizeof *set->nodes);
        if (set->nodes == NULL) return false;
        set->count = sets[i].count;
        if (set->count > 0) memcpy(set->nodes, sets[i].nodes, set->count * sizeof *set->nodes);
    }
    return junction_sets_list_members(junction);
}

static bool place_set(crd_i_junction *junction, size_t index) {
    crd_context *context = junction->context;
    const crd_i_node_set *node = &junction->node_sets[index];
    crd_i_junction_set *set = &junction->sets[index];
    size_t stride = 1;
    set->count = node->count;
    set->vars = crd_i_alloc(context, node->count, sizeof *set->vars);
    set->strides = crd_i_alloc(context, node->count, sizeof *set->strides);
    if (set->vars == NULL || set->strides == NULL) return false;
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
    if (set->count == 0 || set->vars[0] >= junction->graph_count) return true;
    set->clique = junction->home_at[set->vars[0]];
    set->next = junction->cliques[set->clique].first_set;
    junction->cliques[set->clique].first_set = (int32_t)index;
    return true;
}

bool crd_i_junction_place_sets(crd_i_junction *junction) {
    if (junction->set_count == 0) return true;
    junction->sets = crd_i_alloc_zeroed(junction->context, junction->set_count, sizeof *junction->sets);
    bool done = junction->sets != NULL;
    for (size_t i = junction->set_count; done && i-- > 0;) done = place_set(junction, i);
    return done;
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
