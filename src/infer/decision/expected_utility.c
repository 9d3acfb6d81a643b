/* SPDX-License-Identifier: MIT */
/* expected_utility.c - expected utilities by variable elimination: see policy.h.
 *
 * There are probability tables, which are multiplied, and utility tables, which are added (Jensen, Jensen and
 * Dittmer 1994; Madsen and Jensen 1999). To eliminate x, let P be the product of all probability tables that contain
 * x. They are replaced by
 *     p(rest) = sum over x of P(x, rest),
 * and each utility u that contains x is replaced by
 *     u(rest) = sum over x of P(x, rest) / p(rest) u(x, rest),          where 0 / 0 = 0.
 * So utilities are always expectations given the remaining variables, and never exceed the utilities of the network.
 * A product of network tables is a distribution of its heads, the nodes whose tables it contains, unless one of them
 * is known. If x is the only remaining head, p is 1 and is omitted.
 *
 * Two orders are simulated without numbers: a greedy order with minimum table growth per step, which detects factors
 * equal to 1, and an order computed from the graph of all tables. The cheaper one is used, and its memory need is
 * then known. Probabilities are scaled by powers of two. If their exponents could exceed the range of doubles,
 * everything is recomputed in logarithms. */
#include "infer/decision/expected_utility_tables.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Larger growths are treated as equal. The bound is below infinity, which marks eliminated variables. */
static const double MOST_GROWTH = 1e300;

static void expected_utility_clear(crd_i_expecting *run) {
    crd_context *context = run->context;
    for (size_t i = 0; i < run->table_count; i++) crd_i_expectation_drop(run, i);
    for (size_t i = 0; run->touching != NULL && i < run->var_count; i++) crd_free(context, run->touching[i].tables);
    crd_free(context, run->tables);
    crd_free(context, run->touching);
    crd_free(context, run->stamps);
    run->tables = NULL;
    run->touching = NULL;
    run->stamps = NULL;
    run->table_count = run->table_room = 0;
    run->cells = run->most_cells = run->all_cells = 0;
    run->is_out_of_range = false;
}

static bool expected_utility_begin(crd_i_expecting *run) {
    run->touching = crd_i_alloc_zeroed(run->context, run->var_count, sizeof *run->touching);
    run->stamps = crd_i_alloc_zeroed(run->context, run->var_count, sizeof *run->stamps);
    run->stamp = 0;
    return run->touching != NULL && run->stamps != NULL;
}

/* ---- One variable ---- */

/* Returns the union of the variables of several tables, and of `extra` unless it is SIZE_MAX. Sets *count; free it
 * with crd_free. Returns NULL if memory runs out. */
static uint32_t *expected_utility_unite(crd_i_expecting *run, const size_t *ids, size_t id_count, size_t extra,
                                        size_t *count) {
    uint64_t stamp = ++run->stamp;
    size_t capacity = 0;
    *count = 0;
    for (size_t i = 0; i <= id_count; i++)
        if (i < id_count || extra != SIZE_MAX) capacity += run->tables[i < id_count ? ids[i] : extra].count;
    uint32_t *vars = crd_i_alloc(run->context, capacity, sizeof *vars);
    for (size_t i = 0; vars != NULL && i <= id_count; i++) {
        if (i == id_count && extra == SIZE_MAX) break;
        const crd_i_expected *table = &run->tables[i < id_count ? ids[i] : extra];
        for (size_t j = 0; j < table->count; j++) {
            if (run->stamps[table->vars[j]] == stamp) continue;
            run->stamps[table->vars[j]] = stamp;
            vars[(*count)++] = table->vars[j];
        }
    }
    return vars;
}

/* Creates a table over the union of the variables of several tables, optionally without one variable. Returns
 * SIZE_MAX if memory runs out. */
static size_t make_union(crd_i_expecting *run, const size_t *ids, size_t id_count, size_t extra, uint32_t without) {
    size_t count, kept = 0;
    uint32_t *vars = expected_utility_unite(run, ids, id_count, extra, &count);
    if (vars == NULL) return SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (vars[i] != without) vars[kept++] = vars[i];
    crd_i_sort_positions(vars, kept);
    return crd_i_expectation_make(run, vars, kept);
}

/* Computes P, and from it p unless p is 1. Sets *sums to SIZE_MAX if p is 1. */
static bool expected_utility_multiply(crd_i_expecting *run, uint32_t var, const size_t *ids, size_t count,
                                      size_t *product, size_t *sums) {
    size_t heads = 0;
    bool is_distribution = true;
    *sums = SIZE_MAX;
    *product = make_union(run, ids, count, SIZE_MAX, UINT32_MAX);
    if (*product == SIZE_MAX) return false;
    for (size_t i = 0; i < count; i++) {
        heads += run->tables[ids[i]].heads;
        is_distribution = is_distribution && run->tables[ids[i]].heads > 0;
    }
    if (run->has_numbers) crd_i_expectation_multiply(run, *product, ids, count);
    if (is_distribution && heads == 1) return true;
    *sums = make_union(run, product, 1, SIZE_MAX, var);
    if (*sums == SIZE_MAX) return false;
    run->tables[*sums].heads = is_distribution ? heads - 1 : 0;
    if (run->has_numbers) crd_i_expectation_sum(run, *product, *sums);
    return true;
}

/* Replaces P by P / p. */
static bool expected_utility_condition(crd_i_expecting *run, size_t product, size_t sums) {
    size_t spread = SIZE_MAX;
    if (sums != SIZE_MAX) {
        spread = make_union(run, &product, 1, SIZE_MAX, UINT32_MAX);
        if (spread == SIZE_MAX) return false;
    }
    if (run->has_numbers) crd_i_expectation_divide(run, product, sums, spread);
    if (spread != SIZE_MAX) crd_i_expectation_drop(run, spread);
    return true;
}

/* Replaces a utility by its expectation. */
static bool expected_utility_expect(crd_i_expecting *run, uint32_t var, size_t product, size_t utility) {
    size_t both = make_union(run, &product, 1, utility, UINT32_MAX);
    if (both == SIZE_MAX) return false;
    size_t remainder = make_union(run, &both, 1, SIZE_MAX, var);
    if (remainder == SIZE_MAX) return false;
    run->tables[remainder].is_utility = true;
    if (run->has_numbers) crd_i_expectation_expect(run, product, utility, both, remainder);
    crd_i_expectation_drop(run, both);
    crd_i_expectation_drop(run, utility);
    return crd_i_expectation_add(run, remainder);
}

/* Lists the tables that contain the variable, probabilities first. Returns NULL if memory runs out. */
static size_t *list_tables(crd_i_expecting *run, uint32_t var, size_t *probabilities, size_t *count) {
    crd_i_touching *near = &run->touching[var];
    size_t *ids = crd_i_alloc(run->context, near->count, sizeof *ids);
    *count = 0;
    for (int pass = 0; ids != NULL && pass < 2; pass++) {
        for (size_t i = 0; i < near->count; i++)
            if (run->tables[near->tables[i]].vars != NULL && run->tables[near->tables[i]].is_utility == (pass == 1))
                ids[(*count)++] = near->tables[i];
        if (pass == 0) *probabilities = *count;
    }
    return ids;
}

static bool expected_utility_eliminate(crd_i_expecting *run, uint32_t var) {
    size_t probabilities = 0, count, product, sums;
    size_t *ids = list_tables(run, var, &probabilities, &count);
    bool done = ids != NULL && expected_utility_multiply(run, var, ids, probabilities, &product, &sums);
    for (size_t i = 0; done && i < probabilities; i++) crd_i_expectation_drop(run, ids[i]);
    if (done && count > probabilities) done = expected_utility_condition(run, product, sums);
    for (size_t i = probabilities; done && i < count; i++) done = expected_utility_expect(run, var, product, ids[i]);
    if (done) {
        crd_i_expectation_drop(run, product);
        /* A constant factor does not change expectations. */
        if (sums != SIZE_MAX && run->tables[sums].count == 0) crd_i_expectation_drop(run, sums);
        else if (sums != SIZE_MAX) done = crd_i_expectation_add(run, sums);
    }
    crd_free(run->context, ids);
    return done;
}

/* ---- Order ---- */

/* Returns the growth of the tables if a variable were eliminated now, or a negative number if memory runs out. */
static double growth_of(crd_i_expecting *run, uint32_t var) {
    size_t probabilities = 0, count, vars_count;
    size_t *ids = list_tables(run, var, &probabilities, &count);
    if (ids == NULL) return -1;
    double come = 0, gone = 1;
    for (size_t i = probabilities; i <= count; i++) {
        uint32_t *vars = expected_utility_unite(run, ids, probabilities, i < count ? ids[i] : SIZE_MAX, &vars_count);
        double cells = 1;
        if (vars == NULL) {
            crd_free(run->context, ids);
            return -1;
        }
        for (size_t j = 0; j < vars_count; j++) cells *= run->states_at[vars[j]];
        come += cells;
        crd_free(run->context, vars);
    }
    for (size_t i = 0; i < count; i++) gone += run->tables[ids[i]].cells;
    crd_free(run->context, ids);
    return come / gone < MOST_GROWTH ? come / gone : MOST_GROWTH;
}

/* Lists the variables that share a table with `var`; free it with crd_free. Returns NULL if memory runs out. */
static uint32_t *expected_utility_list_near(crd_i_expecting *run, uint32_t var, size_t *count) {
    size_t probabilities, id_count;
    size_t *ids = list_tables(run, var, &probabilities, &id_count);
    uint32_t *vars = ids == NULL ? NULL : expected_utility_unite(run, ids, id_count, SIZE_MAX, count);
    crd_free(run->context, ids);
    return vars;
}

/* Eliminates the variable with the smallest table growth (the first of several) and updates the growths of its
 * neighbors. Returns UINT32_MAX if memory runs out. */
static uint32_t eliminate_best(crd_i_expecting *run, double *growths, size_t left) {
    uint32_t next = 0;
    size_t count = 0;
    for (uint32_t i = 1; i < left; i++)
        if (growths[i] < growths[next]) next = i;
    uint32_t *near = expected_utility_list_near(run, next, &count);
    bool done = near != NULL && expected_utility_eliminate(run, next);
    growths[next] = INFINITY;
    for (size_t i = 0; done && i < count; i++)
        if (near[i] < left && growths[near[i]] < INFINITY) done = (growths[near[i]] = growth_of(run, near[i])) >= 0;
    crd_free(run->context, near);
    return done ? next : UINT32_MAX;
}

/* Eliminates all variables that are not kept, either in the given order or greedily by table growth. In the second
 * case it records the order. */
static crd_status expected_utility_go_through(crd_i_expecting *run, bool is_given, uint32_t *order, crd_error *error) {
    crd_context *context = run->context;
    size_t left = run->var_count - run->kept_count;
    double *growths = crd_i_alloc(context, left, sizeof *growths);
    crd_status status = growths == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (uint32_t i = 0; status == CRD_OK && !is_given && i < left; i++)
        if ((growths[i] = growth_of(run, i)) < 0) status = crd_i_fail_memory(error);
    for (size_t step = 0; status == CRD_OK && step < left && !run->is_out_of_range; step++) {
        if (crd_i_context_cancelled(context)) {
            status = crd_i_fail_cancelled(error);
        } else if (is_given) {
            if (!expected_utility_eliminate(run, order[step])) status = crd_i_fail_memory(error);
        } else {
            order[step] = eliminate_best(run, growths, left);
            if (order[step] == UINT32_MAX) status = crd_i_fail_memory(error);
        }
    }
    crd_free(context, growths);
    return status;
}

/* ---- The whole ---- */

/* Assigns the next variable number to a node. */
static void number_node(crd_i_expecting *run, uint32_t node) {
    run->states_at[run->var_count] = (uint32_t)crd_i_node_states(&run->diagram->query->network->nodes[node]);
    run->var_of[node] = (uint32_t)run->var_count++;
}

/* Kept variables come last: the decision's information, then the decision itself. */
static bool number_variables(crd_i_expecting *run, size_t decision) {
    const crd_i_diagram *diagram = run->diagram;
    const crd_i_evidence_query *query = diagram->query;
    const crd_network *network = query->network;
    const crd_i_decision *own_decision = decision == SIZE_MAX ? NULL : &diagram->decisions[decision];
    size_t known = own_decision == NULL ? 0 : own_decision->known_count, index = 0;
    run->var_of = crd_i_alloc(run->context, network->count, sizeof *run->var_of);
    run->states_at = crd_i_alloc(run->context, network->count, sizeof *run->states_at);
    if (run->var_of == NULL || run->states_at == NULL) return false;
    for (uint32_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        bool is_kept =
            (index < known && own_decision->known[index] == i) || (own_decision != NULL && own_decision->node == i);
        bool is_variable = diagram->needed[i] && !query->observed[i] && node->kind != CRD_NODE_UTILITY;
        run->var_of[i] = UINT32_MAX;
        if (index < known && own_decision->known[index] == i) index++;
        if (is_variable && !is_kept && crd_i_node_states(node) > 1) number_node(run, i);
    }
    size_t left = run->var_count;
    for (size_t i = 0; i < known; i++) number_node(run, own_decision->known[i]);
    if (own_decision != NULL && own_decision->states > 1) number_node(run, own_decision->node);
    run->kept_count = run->var_count - left;
    return true;
}

/* Loads all tables, with nothing eliminated. */
static crd_status load_all(crd_i_expecting *run, crd_error *error) {
    const crd_network *network = run->diagram->query->network;
    expected_utility_clear(run);
    bool done = expected_utility_begin(run);
    for (uint32_t i = 0; done && i < network->count; i++)
        if (run->diagram->needed[i]) done = crd_i_expectation_load(run, i);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Chooses the cheaper of two orders. Sets *cells to the maximum number of cells held at once. */
static crd_status expected_utility_plan(crd_i_expecting *run, uint32_t *order, double *cells, crd_error *error) {
    size_t left = run->var_count - run->kept_count;
    uint32_t *other = crd_i_alloc(run->context, left, sizeof *other);
    if (other == NULL) return crd_i_fail_memory(error);
    crd_status status = load_all(run, error);
    if (status == CRD_OK) status = crd_i_expectation_order(run, other, error);
    if (status == CRD_OK) status = expected_utility_go_through(run, true, other, error);
    double all_cells = run->all_cells;
    *cells = run->most_cells;
    if (status == CRD_OK) status = load_all(run, error);
    if (status == CRD_OK) status = expected_utility_go_through(run, false, order, error);
    if (status == CRD_OK && all_cells < run->all_cells) memcpy(order, other, left * sizeof *order);
    else *cells = run->most_cells;
    crd_free(run->context, other);
    return status;
}

static crd_status expected_utility_check_memory(const crd_i_expecting *run, double cells, crd_error *error) {
    double limit = run->diagram->query->memory, needed = cells * (double)sizeof(double);
    if (cells <= CRD_I_MOST_CELLS && needed <= limit) return CRD_OK;
    char buffer[CRD_I_BYTES_ROOM];
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "computing the best decisions needs tables with %.3g entries, or %s of memory", cells,
                      crd_i_describe_bytes(needed, buffer));
}

static crd_status expected_utility_compute(crd_i_expecting *run, uint32_t *order, double *out, double *workspace,
                                           size_t cells, crd_error *error) {
    run->has_numbers = true;
    run->scale = CRD_I_PLAIN;
    crd_status status = load_all(run, error);
    if (status == CRD_OK) status = expected_utility_go_through(run, true, order, error);
    if (status == CRD_OK && run->is_out_of_range) {
        run->scale = CRD_I_LOGS;
        status = load_all(run, error);
        if (status == CRD_OK) status = expected_utility_go_through(run, true, order, error);
    }
    if (status == CRD_OK) crd_i_expectation_finish(run, out, workspace, cells);
    return status;
}

crd_status crd_i_expectation(const crd_i_diagram *diagram, size_t decision, double **expected, crd_error *error) {
    crd_context *context = diagram->query->network->context;
    crd_i_expecting run = {.context = context, .diagram = diagram};
    uint32_t *order = NULL;
    double *out = NULL, *workspace = NULL, most = 0, cells = 1;
    crd_status status = CRD_OK;
    *expected = NULL;
    if (number_variables(&run, decision)) order = crd_i_alloc(context, run.var_count - run.kept_count, sizeof *order);
    if (order == NULL) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    for (size_t i = run.var_count - run.kept_count; i < run.var_count; i++) cells *= run.states_at[i];
    status = expected_utility_plan(&run, order, &most, error);
    if (status == CRD_OK) status = expected_utility_check_memory(&run, most + 2 * cells, error);
    if (status != CRD_OK) goto end;
    out = crd_i_alloc(context, (size_t)cells, sizeof *out);
    workspace = crd_i_alloc(context, (size_t)cells, sizeof *workspace);
    if (out == NULL || workspace == NULL) status = crd_i_fail_memory(error);
    else status = expected_utility_compute(&run, order, out, workspace, (size_t)cells, error);
end:
    expected_utility_clear(&run);
    crd_free(context, run.var_of);
    crd_free(context, run.states_at);
    crd_free(context, order);
    crd_free(context, workspace);
    if (status == CRD_OK) *expected = out;
    else crd_free(context, out);
    return status;
}
