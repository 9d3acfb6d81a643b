/* junction.c - compiling a junction tree: see junction.h. */
#include "network/junction_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/triangulate.h"

#include <math.h>
#include <string.h>

/* Tables that meet in a clique are multiplied beforehand where their product is at most this large, or at most twice as
 * large as they are together: less is read for each case then. */
static const double SMALL_PRODUCT = 256;
/* No product is made whose exponents could come near to where doubles end. */
enum { LOWEST_PRODUCT = -700 };
/* Beyond this many cells no index is safe, and no machine has the memory. */
static const double MOST_CELLS = 0x1p40;

void crd_i_junction_destroy(crd_i_junction *junction) {
    if (junction == NULL) return;
    crd_context *context = junction->context;
    crd_free(context, junction->position_of);
    crd_free(context, junction->node_at);
    crd_free(context, junction->states_at);
    crd_free(context, junction->home_at);
    crd_free(context, junction->has_table);
    crd_free(context, junction->starts);
    crd_free(context, junction->cliques);
    crd_free(context, junction->clique_vars);
    crd_free(context, junction->factor_vars);
    crd_free(context, junction->factor_strides);
    crd_free(context, junction->factors);
    crd_free(context, junction->tables);
    crd_free(context, junction->together);
    crd_free(context, junction);
}

double crd_i_junction_cells(const crd_i_junction *junction) {
    return junction->cells;
}

double crd_i_junction_bytes(const crd_i_junction *junction) {
    return (junction->cells + 2 * junction->message_cells + junction->table_cells) * (double)sizeof(double);
}

size_t crd_i_junction_start(const crd_i_junction *junction, size_t node) {
    return junction->starts[node];
}

/* ---- The moral graph: the variables of every table are neighbours of each other ---- */

typedef struct gathering {
    const size_t *states;
    uint32_t *marks, stamp;
    uint32_t *near;
    size_t count, room;
    crd_context *context;
} gathering;

static bool gather(gathering *own, uint32_t node) {
    if (own->states[node] == 0 || own->marks[node] == own->stamp) return true;
    if (!crd_i_reserve(own->context, &own->near, &own->room, own->count + 1, sizeof *own->near)) return false;
    own->marks[node] = own->stamp;
    own->near[own->count++] = node;
    return true;
}

static bool gather_family(gathering *own, const crd_i_network *network, uint32_t child) {
    const crd_i_node *node = &network->nodes[child];
    bool done = gather(own, child);
    for (size_t i = 0; done && i < node->parent_count; i++) done = gather(own, node->parents[i]);
    return done;
}

static crd_status make_graph(const crd_i_junction *junction, const size_t *states, crd_i_graph *graph,
                             crd_error *error) {
    const crd_i_network *network = junction->network;
    crd_context *context = junction->context;
    gathering own = {.states = states, .context = context};
    own.marks = crd_i_alloc_zeroed(context, network->count, sizeof *own.marks);
    graph->count = network->count;
    graph->states = states;
    graph->starts = crd_i_alloc_zeroed(context, network->count + 1, sizeof *graph->starts);
    bool done = own.marks != NULL && graph->starts != NULL;
    for (uint32_t i = 0; done && i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        graph->starts[i] = own.count;
        if (states[i] == 0) continue;
        own.stamp = i + 1;
        own.marks[i] = own.stamp;
        if (junction->has_table[i]) done = gather_family(&own, network, i);
        for (size_t j = 0; done && j < node->child_count; j++)
            if (junction->has_table[node->children[j]]) done = gather_family(&own, network, node->children[j]);
        bool is_together = false;
        for (size_t j = 0; j < junction->together_count; j++) is_together = is_together || junction->together[j] == i;
        for (size_t j = 0; done && is_together && j < junction->together_count; j++)
            done = gather(&own, junction->together[j]);
    }
    crd_free(context, own.marks);
    graph->near = own.near;
    if (!done) return crd_i_fail_memory(error);
    graph->starts[network->count] = own.count;
    return CRD_OK;
}

/* ---- Cliques ---- */

static bool number_nodes(crd_i_junction *junction, const crd_i_elimination *elimination, const size_t *states) {
    const crd_i_network *network = junction->network;
    size_t count = network->count, last = elimination->count;
    junction->position_of = crd_i_alloc(junction->context, count, sizeof(uint32_t));
    junction->node_at = crd_i_alloc(junction->context, count, sizeof(uint32_t));
    junction->states_at = crd_i_alloc(junction->context, count, sizeof(uint32_t));
    junction->home_at = crd_i_alloc(junction->context, count, sizeof(int32_t));
    if (junction->position_of == NULL || junction->node_at == NULL || junction->states_at == NULL ||
        junction->home_at == NULL)
        return false;
    for (size_t i = 0; i < elimination->count; i++) junction->node_at[i] = elimination->order[i];
    for (size_t i = 0; i < count; i++)
        if (states[i] == 0) junction->node_at[last++] = (uint32_t)i;
    for (uint32_t i = 0; i < count; i++) {
        junction->position_of[junction->node_at[i]] = i;
        junction->states_at[i] = (uint32_t)crd_i_node_states(&network->nodes[junction->node_at[i]]);
        junction->home_at[i] = CRD_I_NONE;
    }
    junction->graph_count = elimination->count;
    return true;
}

/* A variable's clique when it was eliminated is a part of that of an earlier one, if it is one smaller and the first of
 * those left there. Then `base` is that earlier one, else the variable itself. */
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
        if (starts[i + 1] - starts[i] == starts[parent + 1] - starts[parent] + 1) base[parent] = base[i];
    }
}

static void sort_positions(uint32_t *vars, size_t count) {
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
    sort_positions(vars, clique->var_count);
    clique->own_count = 0;
    while (clique->own_count < clique->var_count && vars[clique->own_count] <= top &&
           bases[vars[clique->own_count]] == base)
        clique->own_count++;
    clique->parent = clique->first_child = clique->next_child = CRD_I_NONE;
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

static bool make_cliques(crd_i_junction *junction, const crd_i_elimination *elimination) {
    crd_context *context = junction->context;
    size_t count = elimination->count, at = 0;
    uint32_t *next = crd_i_alloc(context, count, sizeof *next), *bases = crd_i_alloc(context, count, sizeof *bases);
    uint32_t *tops = crd_i_alloc(context, count, sizeof *tops);
    junction->cliques = crd_i_alloc_zeroed(context, count, sizeof *junction->cliques);
    junction->clique_vars = crd_i_alloc(context, elimination->starts[count] + count, sizeof(uint32_t));
    bool done =
        next != NULL && bases != NULL && tops != NULL && junction->cliques != NULL && junction->clique_vars != NULL;
    if (done) find_bases(junction, elimination, next, bases, tops);
    for (uint32_t i = 0; done && i < count; i++) {
        /* A clique stands where its last own variable does, behind all its children. */
        if (tops[bases[i]] != i) continue;
        crd_i_clique *clique = &junction->cliques[junction->clique_count];
        clique->vars_at = at;
        fill_clique(junction, elimination, bases[i], i, bases, clique);
        at += clique->var_count;
        double cells = 1, shared = 1;
        const uint32_t *vars = junction->clique_vars + clique->vars_at;
        for (size_t j = 0; j < clique->var_count; j++) {
            if (j < clique->own_count) junction->home_at[vars[j]] = (int32_t)junction->clique_count;
            cells *= junction->states_at[vars[j]];
            if (j >= clique->own_count) shared *= junction->states_at[vars[j]];
        }
        junction->cells += cells;
        junction->message_cells += shared;
        junction->clique_count++;
    }
    if (done) link_cliques(junction);
    crd_free(context, next);
    crd_free(context, bases);
    crd_free(context, tops);
    return done;
}

/* ---- Factors ---- */

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
    sort_positions(vars, count);
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
    double cells = (double)node->rows * (double)crd_i_node_states(node);
    crd_i_factor *last = is_first ? NULL : &junction->factors[junction->factor_count - 1];
    size_t known = last == NULL ? 0 : last->var_count, begin = last == NULL ? own->var_room : last->vars_at;
    if (!crd_i_reserve(context, &own->trial, &own->trial_room, known + family_size(node), sizeof *own->trial))
        return false;
    if (known > 0) memcpy(own->trial, junction->factor_vars + begin, known * sizeof *own->trial);
    size_t count = unite(junction, own->nodes[at], own->trial, known);
    double product = product_of_states(junction, own->trial, count);
    int own_low = lowest(node);
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

/* A node's table with rows that add up to 1. */
static void normalise(const crd_i_node *node, double *out) {
    size_t states = crd_i_node_states(node);
    for (size_t row = 0; row < node->rows; row++) {
        const double *from = node->table + row * states;
        double sum = 0;
        for (size_t i = 0; i < states; i++) sum += from[i];
        for (size_t i = 0; i < states; i++) out[row * states + i] = sum == 1 ? from[i] : from[i] / sum;
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
    size_t most = 0;
    for (size_t i = 0; i < own->node_count; i++) {
        const crd_i_node *node = &junction->network->nodes[own->nodes[i]];
        if (node->rows * crd_i_node_states(node) > most) most = node->rows * crd_i_node_states(node);
    }
    double *plain = crd_i_alloc(junction->context, most, sizeof *plain);
    junction->tables = crd_i_alloc(junction->context, (size_t)junction->table_cells, sizeof *junction->tables);
    if (plain == NULL || junction->tables == NULL) {
        crd_free(junction->context, plain);
        return false;
    }
    for (size_t i = 0; i < own->node_count; i++) {
        const crd_i_factor *factor = &junction->factors[own->factors[i]];
        bool is_first = i == 0 || own->factors[i - 1] != own->factors[i];
        crd_i_walk walk;
        normalise(&junction->network->nodes[own->nodes[i]], plain);
        walk_table(junction, factor, own->nodes[i], &walk);
        (is_first ? crd_i_factor_set : crd_i_factor_times)(CRD_I_PLAIN, &walk, junction->tables + factor->table_at,
                                                           plain);
    }
    crd_free(junction->context, plain);
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

/* ---- The whole ---- */

static crd_status check_memory(double limit, double cells, crd_error *error) {
    double needed = cells * (double)sizeof(double);
    if (cells <= MOST_CELLS && (limit <= 0 || needed <= limit)) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "an exact answer needs tables of %.3g cells, which are %.3g GiB of memory", cells,
                      needed / 0x1p30);
}

static crd_status take_options(crd_i_junction *junction, const crd_i_junction_options *options, size_t *states,
                               crd_error *error) {
    const crd_i_network *network = junction->network;
    crd_context *context = junction->context;
    junction->has_table = crd_i_alloc(context, network->count, sizeof *junction->has_table);
    junction->starts = crd_i_alloc(context, network->count + 1, sizeof *junction->starts);
    junction->together_count = options->together_count;
    junction->together = crd_i_alloc(context, options->together_count, sizeof *junction->together);
    if (junction->has_table == NULL || junction->starts == NULL || junction->together == NULL)
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < options->together_count; i++) junction->together[i] = options->together[i];
    junction->starts[0] = 0;
    for (size_t i = 0; i < network->count; i++) {
        size_t own_states = crd_i_node_states(&network->nodes[i]);
        junction->has_table[i] = options->tables == NULL || options->tables[i];
        bool is_left = junction->has_table[i] && (options->observed == NULL || !options->observed[i]);
        states[i] = is_left ? own_states : 0;
        junction->starts[i + 1] = junction->starts[i] + own_states;
    }
    return CRD_OK;
}

crd_status crd_i_junction_compile(const crd_i_network *network, const crd_i_junction_options *options,
                                  crd_i_junction **out, crd_error *error) {
    static const crd_i_junction_options none = {0};
    crd_context *context = network->context;
    crd_i_graph graph = {0};
    crd_i_elimination elimination = {0};
    grouping groups = {0};
    *out = NULL;
    if (options == NULL) options = &none;
    crd_i_junction *junction = crd_i_alloc_zeroed(context, 1, sizeof *junction);
    size_t *states = crd_i_alloc(context, network->count, sizeof *states);
    crd_status status = CRD_OK;
    if (junction != NULL) junction->context = context;
    if (junction == NULL || states == NULL) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    junction->network = network;
    junction->count = network->count;
    junction->memory = options->memory;
    status = take_options(junction, options, states, error);
    if (status == CRD_OK) status = make_graph(junction, states, &graph, error);
    if (status == CRD_OK) status = crd_i_triangulate(context, &graph, &elimination, error);
    if (status != CRD_OK) goto end;
    status = crd_i_fail_memory(error);
    if (!number_nodes(junction, &elimination, states) || !make_cliques(junction, &elimination) ||
        !make_factors(junction, &groups))
        goto end;
    /* Findings may shrink the tables of cliques, but those that the tree keeps are needed for every case. */
    status = check_memory(options->memory, junction->table_cells, error);
    if (status == CRD_OK && !multiply_tables(junction, &groups)) status = crd_i_fail_memory(error);
end:
    crd_free(context, groups.nodes);
    crd_free(context, groups.factors);
    crd_free(context, groups.begins);
    crd_free(context, groups.trial);
    crd_free(context, graph.starts);
    crd_free(context, graph.near);
    crd_i_elimination_clear(context, &elimination);
    crd_free(context, states);
    if (status != CRD_OK) {
        crd_i_junction_destroy(junction);
        return status;
    }
    *out = junction;
    return CRD_OK;
}
