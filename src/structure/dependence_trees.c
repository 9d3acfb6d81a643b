/* SPDX-License-Identifier: MIT */
/* dependence_trees.c - structures from pairwise mutual information: Chow-Liu trees, tree-augmented naive Bayes (TAN)
 * and k-dependence Bayesian classifiers (KDB).
 *
 *   I(X;Y)   = sum_xy  P(x, y)    log(P(x, y) / (P(x) P(y)))
 *   I(X;Y|C) = sum_cxy P(x, y, c) log(P(x, y | c) / (P(x | c) P(y | c)))
 *
 * Chow and Liu (1968): the tree of maximum likelihood is the maximum-weight spanning tree with the weights I(X;Y). TAN
 * (Friedman, Geiger and Goldszmidt 1997): the class is a parent of all attributes, which also form a maximum-weight
 * spanning tree with the weights I(X;Y|C). KDB (Sahami 1996): attributes are added in the order of descending I(X;C),
 * and each gets the class and the k earlier attributes with the largest I(X;Y|C) as parents.
 *
 * Pairs without mutual information, such as a constant and any other column, are not joined. A numeric column cannot
 * be a parent of a categorical column. Therefore the categorical columns form a spanning tree first, which the
 * numeric columns then extend. Among all trees without a forbidden arc this tree has the maximum weight, because the
 * parents of categorical columns can only be categorical columns. Two columns are not joined either if their table
 * would have far more entries than there are rows, as with two columns of names: its probabilities could not be
 * estimated. */
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "processes/group.h"
#include "structure/structure_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Table entries that are always affordable, and table entries per row that can still be estimated. */
enum { LEAST_CELLS = 1 << 16, CELLS_PER_ROW = 16 };

typedef struct trees_pairs {
    const crd_i_case_table *table;
    crd_context *context;
    crd_i_independence *tests;
    size_t count;
    uint32_t given[1];   /* the class column */
    size_t given_count;  /* 0 or 1 */
    double *information; /* count x count, symmetric: I(X;Y), or I(X;Y|C) if the class is given */
    double *of_class;    /* I(X;C) of each column, if the class is given */
    double most_cells;   /* most table entries of a node and its parents */
    crd_i_stage stage;
} trees_pairs;

/* ---- Mutual information ---- */

/* Computes row x of the matrix: the pairs with y < x, and the pair with the class. */
static crd_status dependence_trees_measure_row(trees_pairs *pairs, crd_i_independence_room *workspace, size_t x,
                                               crd_error *error) {
    if (pairs->given_count > 0 && x == pairs->given[0]) return CRD_OK;
    crd_status status = CRD_OK;
    if (pairs->given_count > 0)
        status = crd_i_independence_information(pairs->tests, workspace, x, pairs->given[0], NULL, 0,
                                                &pairs->of_class[x], error);
    for (size_t y = 0; status == CRD_OK && y < x; y++) {
        if (pairs->given_count > 0 && y == pairs->given[0]) continue;
        if (crd_i_context_cancelled(pairs->context)) return crd_i_fail_cancelled(error);
        double *destination = &pairs->information[x * pairs->count + y];
        status = crd_i_independence_information(pairs->tests, workspace, x, y, pairs->given, pairs->given_count,
                                                destination, error);
        pairs->information[y * pairs->count + x] = *destination;
    }
    return status;
}

/* Starts with the longest rows, so the threads finish at about the same time. */
static crd_status measure_row(void *state, void *workspace, size_t item, crd_error *error) {
    trees_pairs *pairs = state;
    const size_t x = pairs->count - 1 - item;
    if (!crd_i_group_has_item(pairs->table->group, x)) return CRD_OK;
    crd_status status = dependence_trees_measure_row(pairs, workspace, x, error);
    crd_i_stage_add(&pairs->stage, x);
    return status;
}

static void clear_independence_room(void *state, void *workspace) {
    crd_i_independence_room_clear(((trees_pairs *)state)->context, workspace);
}

/* Exchanges the rows of the matrix among the processes, each of which has computed some of them. */
static crd_status share_rows(trees_pairs *pairs, crd_error *error) {
    const size_t count = pairs->count;
    crd_i_group *group = pairs->table->group;
    crd_status status = crd_i_group_share(group, pairs->information, count * sizeof *pairs->information, count, error);
    if (status == CRD_OK) status = crd_i_group_share(group, pairs->of_class, sizeof *pairs->of_class, count, error);
    for (size_t x = 0; status == CRD_OK && x < count; x++)
        for (size_t y = 0; y < x; y++) pairs->information[y * count + x] = pairs->information[x * count + y];
    return status;
}

static void pairs_clear(trees_pairs *pairs) {
    crd_free(pairs->context, pairs->information);
    crd_free(pairs->context, pairs->of_class);
    crd_i_independence_destroy(pairs->tests);
}

/* Checks the target if the class is given, and computes the mutual information of all pairs. */
static crd_status pairs_init(trees_pairs *tree_pairs, const crd_i_case_table *table,
                             const crd_i_search_options *options, bool is_given_class, crd_error *error) {
    tree_pairs->table = table;
    tree_pairs->context = table->context;
    tree_pairs->count = table->column_count;
    tree_pairs->most_cells = fmax(LEAST_CELLS, CELLS_PER_ROW * table->total);
    tree_pairs->given_count = is_given_class ? 1 : 0;
    if (is_given_class) {
        char buffer[CRD_I_QUOTED_ROOM];
        if (table->target >= table->column_count)
            return crd_i_fail(error, CRD_ERROR_EMPTY,
                              "the target, which must be a parent of all attributes, is missing");
        if (table->columns[table->target].type == CRD_TYPE_NUMERIC)
            return crd_i_fail(error, CRD_ERROR_TYPE, "the target %s must be a category, not a number",
                              crd_i_quote(table->columns[table->target].name, buffer));
        tree_pairs->given[0] = (uint32_t)table->target;
    }
    crd_status status = crd_i_independence_create(table, CRD_I_TEST_AUTO, &tree_pairs->tests, error);
    if (status != CRD_OK) return status;
    tree_pairs->information =
        crd_i_alloc_zeroed(tree_pairs->context, tree_pairs->count * tree_pairs->count, sizeof *tree_pairs->information);
    tree_pairs->of_class = crd_i_alloc_zeroed(tree_pairs->context, tree_pairs->count, sizeof *tree_pairs->of_class);
    if (tree_pairs->information == NULL || tree_pairs->of_class == NULL) return crd_i_fail_memory(error);
    crd_i_stage_begin(&tree_pairs->stage, "measuring pairs",
                      tree_pairs->count < 2 ? 0 : tree_pairs->count * (tree_pairs->count - 1) / 2);
    crd_i_parallel_loop loop = {.state = tree_pairs,
                                .items = tree_pairs->count,
                                .threads = options->threads,
                                .work = measure_row,
                                .workspace_size = sizeof(crd_i_independence_room),
                                .clear = clear_independence_room};
    status = crd_i_parallel_for(tree_pairs->context, &loop, error);
    crd_i_stage_end(&tree_pairs->stage);
    return status == CRD_OK ? share_rows(tree_pairs, error) : crd_i_group_fail(table->group, status, error);
}

/* ---- Trees ---- */

static bool dependence_trees_is_number(const trees_pairs *pairs, size_t node) {
    return pairs->table->columns[node].type == CRD_TYPE_NUMERIC;
}

static double dependence_trees_states(const trees_pairs *pairs, size_t node) {
    return dependence_trees_is_number(pairs, node) ? 1 : (double)pairs->table->columns[node].state_count;
}

/* Returns whether a node can have `parent` as a parent, in addition to parents with `combinations` combinations of
 * states. */
static bool can_be_parent(const trees_pairs *pairs, size_t parent, size_t node, double combinations) {
    return (!dependence_trees_is_number(pairs, parent) || dependence_trees_is_number(pairs, node)) &&
           dependence_trees_states(pairs, node) * dependence_trees_states(pairs, parent) * combinations <=
               pairs->most_cells;
}

/* Returns the number of classes if the class is a parent of all attributes, else 1. */
static double class_states(const trees_pairs *pairs) {
    return pairs->given_count > 0 ? dependence_trees_states(pairs, pairs->given[0]) : 1;
}

/* Adds a node to the tree and updates the other nodes' best neighbors in the tree (Prim 1957). near[i] is SIZE_MAX
 * for nodes in the tree, and otherwise the tree node that has the most information about i and can be its parent; i
 * if there is none. */
static void join_nearest(const trees_pairs *pairs, size_t *near, size_t node) {
    near[node] = SIZE_MAX;
    for (size_t i = 0; i < pairs->count; i++) {
        if (near[i] == SIZE_MAX || !can_be_parent(pairs, node, i, class_states(pairs))) continue;
        /* near[i] == i: no neighbor yet. */
        double best = near[i] == i ? 0 : pairs->information[i * pairs->count + near[i]];
        double here = pairs->information[i * pairs->count + node];
        if (here > best || (here == best && near[i] != i && node < near[i])) near[i] = node;
    }
}

/* Returns the node to add next: categorical before numeric nodes, then by information, then by number. SIZE_MAX: all
 * nodes are in the tree. */
static size_t dependence_trees_next_node(const trees_pairs *pairs, const size_t *near) {
    size_t best = SIZE_MAX;
    double most = -1;
    for (size_t i = 0; i < pairs->count; i++) {
        if (near[i] == SIZE_MAX) continue;
        double here = near[i] == i ? 0 : pairs->information[i * pairs->count + near[i]];
        bool is_better =
            best == SIZE_MAX || (dependence_trees_is_number(pairs, best) && !dependence_trees_is_number(pairs, i));
        if (!is_better &&
            (dependence_trees_is_number(pairs, i) != dependence_trees_is_number(pairs, best) || here <= most))
            continue;
        best = i;
        most = here;
    }
    return best;
}

/* Grows a tree over all nodes except the class, with arcs that lead away from the root. If nodes have no mutual
 * information, the result is a forest. */
static crd_status grow_tree(const trees_pairs *pairs, size_t root, crd_i_graph *graph, crd_error *error) {
    size_t *near = crd_i_alloc(pairs->context, pairs->count, sizeof *near);
    if (near == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < pairs->count; i++) near[i] = i;
    if (pairs->given_count > 0) near[pairs->given[0]] = SIZE_MAX;
    for (size_t node = root; node != SIZE_MAX; node = dependence_trees_next_node(pairs, near)) {
        if (near[node] != node) crd_i_graph_add(graph, near[node], node);
        join_nearest(pairs, near, node);
    }
    crd_free(pairs->context, near);
    return CRD_OK;
}

/* Returns the root: the target if possible, else the first categorical node, else the first node. The class is never
 * the root. SIZE_MAX: there is no node. */
static size_t choose_root(const trees_pairs *pairs) {
    size_t first = SIZE_MAX, target = pairs->given_count > 0 ? SIZE_MAX : pairs->table->target;
    for (size_t i = pairs->count; i-- > 0;)
        if ((pairs->given_count == 0 || i != pairs->given[0]) &&
            (first == SIZE_MAX || dependence_trees_is_number(pairs, first) || !dependence_trees_is_number(pairs, i)))
            first = i;
    return target < pairs->count && first != SIZE_MAX &&
                   dependence_trees_is_number(pairs, target) == dependence_trees_is_number(pairs, first)
               ? target
               : first;
}

/* Builds a Chow-Liu tree, or a TAN structure if `is_given_class`. Trees maximize the likelihood, so *out has no
 * score. */
static crd_status dependence_trees_make(const crd_i_case_table *table, const crd_i_search_options *options,
                                        bool is_given_class, crd_i_search_result *out, crd_error *error) {
    memset(out, 0, sizeof *out);
    trees_pairs pairs = {0};
    crd_i_graph *graph = NULL;
    crd_status status = pairs_init(&pairs, table, options, is_given_class, error);
    if (status != CRD_OK) goto done;
    graph = crd_i_graph_create(pairs.context, pairs.count);
    if (graph == NULL) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    for (size_t i = 0; is_given_class && i < pairs.count; i++)
        if (i != pairs.given[0]) crd_i_graph_add(graph, pairs.given[0], i);
    size_t root = choose_root(&pairs);
    if (root != SIZE_MAX) status = grow_tree(&pairs, root, graph, error);
    if (status != CRD_OK) goto done;
    out->graph = graph;
    graph = NULL;
    out->score = NAN;
done:
    crd_i_graph_destroy(graph);
    pairs_clear(&pairs);
    return status;
}

crd_status crd_i_chow_liu(const crd_i_case_table *table, const crd_i_search_options *options, crd_i_search_result *out,
                          crd_error *error) {
    return dependence_trees_make(table, options, false, out, error);
}

crd_status crd_i_tan(const crd_i_case_table *table, const crd_i_search_options *options, crd_i_search_result *out,
                     crd_error *error) {
    return dependence_trees_make(table, options, true, out, error);
}

/* ---- k-dependence Bayesian classifiers ---- */

/* Adds arcs to a node from the class and from the k nodes with the most information about it among the nodes added
 * before. */
static void join_by_dependence(const trees_pairs *pairs, size_t node, size_t k, bool *is_joined, crd_i_graph *graph) {
    double combinations = class_states(pairs);
    crd_i_graph_add(graph, pairs->given[0], node);
    for (size_t parents = 0; parents < k; parents++) {
        size_t best = SIZE_MAX;
        double most = 0;
        for (size_t i = 0; i < pairs->count; i++) {
            double here = pairs->information[node * pairs->count + i];
            if (!is_joined[i] || crd_i_graph_has(graph, i, node) || here <= most ||
                !can_be_parent(pairs, i, node, combinations))
                continue;
            best = i;
            most = here;
        }
        if (best == SIZE_MAX) break;
        crd_i_graph_add(graph, best, node);
        combinations *= dependence_trees_states(pairs, best);
    }
    is_joined[node] = true;
}

crd_status crd_i_kdb(const crd_i_case_table *table, const crd_i_search_options *options, crd_i_search_result *out,
                     crd_error *error) {
    memset(out, 0, sizeof *out);
    trees_pairs pairs = {0};
    crd_i_graph *graph = NULL;
    bool *is_joined = NULL;
    crd_status status = pairs_init(&pairs, table, options, true, error);
    if (status != CRD_OK) goto done;
    graph = crd_i_graph_create(pairs.context, pairs.count);
    is_joined = crd_i_alloc_zeroed(pairs.context, pairs.count, sizeof *is_joined);
    if (graph == NULL || is_joined == NULL) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    for (size_t i = 1; i < pairs.count; i++) {
        size_t best = SIZE_MAX;
        for (size_t node = 0; node < pairs.count; node++)
            if (node != pairs.given[0] && !is_joined[node] &&
                (best == SIZE_MAX || pairs.of_class[node] > pairs.of_class[best]))
                best = node;
        join_by_dependence(&pairs, best, options->k, is_joined, graph);
    }
    out->graph = graph;
    graph = NULL;
    out->score = NAN;
done:
    crd_free(pairs.context, is_joined);
    crd_i_graph_destroy(graph);
    pairs_clear(&pairs);
    return status;
}
