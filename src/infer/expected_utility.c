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
 * everything is recomputed in logarithms.
 *
 * Contents:
 *   1. Elimination order
 *   2. Tables
 *   3. Tables of the nodes
 *   4. Variable elimination */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/junction_types.h"
#include "infer/exact/triangulate.h"
#include "infer/policy.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

typedef struct expected_table {
    uint32_t *vars; /* NULL: the table has been removed */
    size_t count;
    double cells;
    double *numbers;
    bool is_utility;
    /* probability tables: number of variables whose distribution is conditional on the others; 0 if the table is not
     * a distribution */
    size_t heads;
    int low;      /* plain probabilities: no nonzero entry is below 2^low */
    int exponent; /* plain probabilities that are not a distribution: the exponent of two that was divided out */
} expected_table;

typedef struct touching_tables {
    size_t *tables; /* tables that contain a variable; some may have been removed */
    size_t count, capacity;
} touching_tables;

typedef struct utility_elimination {
    crd_context *context;
    const crd_i_diagram *diagram;
    uint32_t *var_of, *states_at; /* variable by node, or UINT32_MAX; state count by variable */
    size_t var_count, kept_count;
    bool has_numbers;
    crd_i_factor_scale scale; /* scale of the probabilities */
    expected_table *tables;
    size_t table_count, table_room;
    touching_tables *touching; /* by variable */
    uint64_t *stamps, stamp;
    double cells, most_cells; /* entries of the current tables, and the maximum at any time */
    double all_cells;         /* entries of all tables ever created */
    bool is_out_of_range;     /* plain doubles do not have enough range */
} utility_elimination;

/* ======== 1. Elimination order ========
 *
 * The order is computed from the graph of all tables. */

/* With this many cells per node and try, searching for a better order takes about as long as the elimination. */
static const double CELLS_A_TRY = 4096;

/* Appends the variables that share a table with `var`, each once. */
static bool utility_order_gather(const utility_elimination *run, uint32_t var, uint64_t *marks,
                                 crd_i_domain_graph *graph, size_t *workspace) {
    const touching_tables *near = &run->touching[var];
    size_t count = graph->starts[var];
    marks[var] = var + 1;
    for (size_t i = 0; i < near->count; i++) {
        const expected_table *table = &run->tables[near->tables[i]];
        for (size_t j = 0; table->vars != NULL && j < table->count; j++) {
            uint32_t other = table->vars[j];
            if (marks[other] == var + 1) continue;
            marks[other] = var + 1;
            if (!crd_i_reserve(run->context, &graph->near, workspace, count + 1, sizeof *graph->near)) return false;
            graph->near[count++] = other;
        }
    }
    graph->starts[var + 1] = count;
    return true;
}

/* Computes an elimination order of the variables that are not kept, based on the current tables (see triangulate.h). */
static crd_status expectation_order(const utility_elimination *run, uint32_t *order, crd_error *error) {
    crd_context *context = run->context;
    size_t left = run->var_count - run->kept_count, capacity = 0;
    crd_i_arena *scratch = crd_i_arena_create(context);
    size_t *states = crd_i_arena_alloc(scratch, run->var_count, sizeof *states);
    uint64_t *marks = crd_i_arena_alloc_zeroed(scratch, run->var_count, sizeof *marks);
    bool *is_last = crd_i_arena_alloc(scratch, run->var_count, sizeof *is_last);
    crd_i_domain_graph graph = {.count = run->var_count, .states = states, .is_last = is_last};
    crd_i_elimination elimination = {0};
    graph.starts = crd_i_arena_alloc_zeroed(scratch, run->var_count + 1, sizeof *graph.starts);
    bool done = graph.starts != NULL;
    for (uint32_t i = 0; done && i < run->var_count; i++) {
        states[i] = run->states_at[i];
        is_last[i] = i >= left;
        done = utility_order_gather(run, i, marks, &graph, &capacity);
    }
    crd_status status =
        done ? crd_i_triangulate(context, &graph, CELLS_A_TRY, &elimination, error) : crd_i_fail_memory(error);
    if (status == CRD_OK) memcpy(order, elimination.order, left * sizeof *order);
    crd_i_elimination_clear(context, &elimination);
    crd_free(context, graph.near);
    crd_i_arena_destroy(scratch);
    return status;
}

/* ======== 2. Tables ========
 *
 * A variable is a node with several states, none of which is known for certain. Variables that are kept have the
 * highest numbers. The variables of a table are in ascending order; the last varies fastest. In a dry run without
 * numbers, tables consist of variables and sizes only. */

/* A product of numbers whose smallest exponents add up to this is a normal double, and so is its divisor. */
enum { LOWEST = -900 };

/* ---- Creation ---- */

/* Creates a table over `vars`, which must be ascending. Takes ownership of `vars`. Returns SIZE_MAX if memory runs
 * out; `vars` is then freed. */
static size_t expectation_make(utility_elimination *run, uint32_t *vars, size_t count) {
    expected_table expectation = {.vars = vars, .count = count, .cells = 1};
    for (size_t i = 0; i < count; i++) expectation.cells *= run->states_at[vars[i]];
    if (!crd_i_reserve(run->context, &run->tables, &run->table_room, run->table_count + 1, sizeof *run->tables))
        goto fail;
    if (run->has_numbers) {
        expectation.numbers = crd_i_alloc(run->context, (size_t)expectation.cells, sizeof *expectation.numbers);
        if (expectation.numbers == NULL) goto fail;
    }
    run->tables[run->table_count] = expectation;
    run->cells += expectation.cells;
    run->all_cells += expectation.cells;
    if (run->cells > run->most_cells) run->most_cells = run->cells;
    return run->table_count++;
fail:
    crd_free(run->context, vars);
    return SIZE_MAX;
}

/* Removes a table. A table that has been removed already is ignored. */
static void expectation_drop(utility_elimination *run, size_t table) {
    expected_table *gone = &run->tables[table];
    if (gone->vars == NULL) return;
    run->cells -= gone->cells;
    crd_free(run->context, gone->vars);
    crd_free(run->context, gone->numbers);
    gone->vars = NULL;
    gone->numbers = NULL;
}

/* Returns whether all variables of `small` are in `large`. */
static bool utility_tables_is_within(const expected_table *small, const expected_table *large) {
    size_t index = 0;
    for (size_t i = 0; i < large->count && index < small->count; i++) index += large->vars[i] == small->vars[index];
    return index == small->count;
}

/* Sets up the walk through a table together with a table of some of its variables. */
static void walk_beside(const utility_elimination *run, const uint32_t *vars, size_t count, const expected_table *small,
                        crd_i_walk *walk) {
    size_t left = small->count, stride = 1;
    crd_i_walk_begin(walk);
    for (size_t i = count; i-- > 0;) {
        bool is_in = left > 0 && small->vars[left - 1] == vars[i];
        crd_i_walk_add(walk, run->states_at[vars[i]], is_in ? stride : 0);
        if (!is_in) continue;
        stride *= run->states_at[vars[i]];
        left--;
    }
    crd_i_walk_end(walk);
}

static void walk_tables(const utility_elimination *run, size_t large, size_t small, crd_i_walk *walk) {
    walk_beside(run, run->tables[large].vars, run->tables[large].count, &run->tables[small], walk);
}

/* Adds a utility to a utility that contains all its variables. */
static void utility_tables_merge(utility_elimination *run, size_t small, size_t large) {
    crd_i_walk walk;
    if (run->has_numbers) {
        walk_tables(run, large, small, &walk);
        /* In log scale, multiplication is addition. */
        crd_i_message_times(CRD_I_LOGS, &walk, run->tables[large].numbers, run->tables[small].numbers);
    }
    expectation_drop(run, small);
}

/* Merges a utility with utilities that overlap it if that does not enlarge a table. Returns true if the table was
 * removed. */
static bool merge_utility(utility_elimination *run, size_t table) {
    const expected_table *expectation = &run->tables[table];
    for (size_t i = 0; i < expectation->count; i++) {
        const touching_tables *near = &run->touching[expectation->vars[i]];
        for (size_t j = 0; j < near->count; j++) {
            size_t other = near->tables[j];
            const expected_table *expected_values = &run->tables[other];
            if (expected_values->vars == NULL || !expected_values->is_utility) continue;
            if (utility_tables_is_within(expectation, expected_values)) {
                utility_tables_merge(run, table, other);
                return true;
            }
            if (utility_tables_is_within(expected_values, expectation)) utility_tables_merge(run, other, table);
        }
    }
    return false;
}

/* Adds a table to the collection. A utility table is merged into another one that contains all its variables. */
static bool expectation_add(utility_elimination *run, size_t table) {
    if (run->tables[table].is_utility && merge_utility(run, table)) return true;
    const expected_table *expectation = &run->tables[table];
    for (size_t i = 0; i < expectation->count; i++) {
        touching_tables *near = &run->touching[expectation->vars[i]];
        size_t kept = 0;
        for (size_t j = 0; j < near->count; j++)
            if (run->tables[near->tables[j]].vars != NULL) near->tables[kept++] = near->tables[j];
        near->count = kept;
        if (!crd_i_reserve(run->context, &near->tables, &near->capacity, kept + 1, sizeof *near->tables)) return false;
        near->tables[near->count++] = table;
    }
    return true;
}

/* ---- Numbers ---- */

/* Table arithmetic, used when tables have numbers. _multiply computes the product of probabilities. The others
 * compute its sums over the one variable missing from `sums`; the quotient product / sums, as plain numbers, where
 * sums of SIZE_MAX mean 1 and `spread` is scratch of the size of the product; and the sums over that variable of
 * product * utility, where `both` is scratch for all its entries. */
static void expectation_multiply(utility_elimination *run, size_t product, const size_t *tables, size_t count) {
    expected_table *out = &run->tables[product];
    int64_t low = 0;
    for (size_t i = 0; i < (size_t)out->cells; i++) out->numbers[i] = run->scale == CRD_I_PLAIN ? 1 : 0;
    for (size_t i = 0; i < count; i++) low += run->tables[tables[i]].low;
    if (run->scale == CRD_I_PLAIN && low < LOWEST) {
        run->is_out_of_range = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        crd_i_walk walk;
        walk_tables(run, product, tables[i], &walk);
        crd_i_message_times(run->scale, &walk, out->numbers, run->tables[tables[i]].numbers);
    }
}

static void expectation_sum(utility_elimination *run, size_t product, size_t sums) {
    expected_table *out = &run->tables[sums];
    size_t cells = (size_t)out->cells;
    crd_i_walk walk;
    walk_tables(run, product, sums, &walk);
    crd_i_message_sum(run->scale, &walk, run->tables[product].numbers, out->numbers, cells);
    if (run->scale == CRD_I_LOGS) return;
    double most = 0, least = INFINITY;
    for (size_t i = 0; i < cells; i++) {
        most = out->numbers[i] > most ? out->numbers[i] : most;
        least = out->numbers[i] > 0 && out->numbers[i] < least ? out->numbers[i] : least;
    }
    if (most == 0) return;
    /* The sums of a distribution must not change. Other tables are scaled so that the largest entry is between 1/2
     * and 1. */
    if (out->heads == 0) frexp(most, &out->exponent);
    frexp(least, &out->low);
    out->low -= 1 + out->exponent;
    if (out->exponent == 0) return;
    double factor = ldexp(1, -out->exponent);
    for (size_t i = 0; i < cells; i++) out->numbers[i] *= factor;
}

static void expected_utility_expectation_divide(utility_elimination *run, size_t product, size_t sums, size_t spread) {
    expected_table *expectation = &run->tables[product];
    size_t cells = (size_t)expectation->cells;
    if (sums != SIZE_MAX) {
        crd_i_walk walk;
        double *divisor = run->tables[spread].numbers;
        walk_tables(run, product, sums, &walk);
        crd_i_factor_set(CRD_I_PLAIN, &walk, divisor, run->tables[sums].numbers);
        crd_i_message_divide(run->scale, expectation->numbers, divisor, cells, ldexp(1, -run->tables[sums].exponent));
        memcpy(expectation->numbers, divisor, cells * sizeof *divisor);
    }
    for (size_t i = 0; run->scale == CRD_I_LOGS && i < cells; i++)
        expectation->numbers[i] = crd_exp(expectation->numbers[i]);
}

static void expectation_expect(utility_elimination *run, size_t product, size_t utility, size_t both,
                               size_t remainder) {
    crd_i_walk walk;
    double *numbers = run->tables[both].numbers;
    walk_tables(run, both, product, &walk);
    crd_i_factor_set(CRD_I_PLAIN, &walk, numbers, run->tables[product].numbers);
    walk_tables(run, both, utility, &walk);
    crd_i_factor_times(CRD_I_PLAIN, &walk, numbers, run->tables[utility].numbers);
    walk_tables(run, both, remainder, &walk);
    crd_i_message_sum(CRD_I_PLAIN, &walk, numbers, run->tables[remainder].numbers,
                      (size_t)run->tables[remainder].cells);
}

/* Computes the sum of all current utilities for each combination of the kept variables. Entries whose probability is
 * 0 are NaN. `workspace` is scratch of the same size. */
static void expectation_finish(const utility_elimination *run, double *out, double *workspace, size_t cells) {
    double none = run->scale == CRD_I_PLAIN ? 0 : -INFINITY;
    uint32_t vars[CRD_I_MOST_DIMENSIONS];
    crd_i_walk walk;
    for (size_t i = 0; i < run->kept_count; i++) vars[i] = (uint32_t)(run->var_count - run->kept_count + i);
    for (size_t i = 0; i < cells; i++) out[i] = 0;
    for (size_t i = 0; i < run->table_count; i++) {
        if (run->tables[i].vars == NULL || !run->tables[i].is_utility) continue;
        walk_beside(run, vars, run->kept_count, &run->tables[i], &walk);
        crd_i_message_times(CRD_I_LOGS, &walk, out, run->tables[i].numbers);
    }
    for (size_t i = 0; i < run->table_count; i++) {
        if (run->tables[i].vars == NULL || run->tables[i].is_utility) continue;
        walk_beside(run, vars, run->kept_count, &run->tables[i], &walk);
        crd_i_factor_set(CRD_I_PLAIN, &walk, workspace, run->tables[i].numbers);
        for (size_t j = 0; j < cells; j++)
            if (workspace[j] == none) out[j] = NAN;
    }
}

/* ======== 3. Tables of the nodes ========
 *
 * A chance node contributes its table, with rows divided by their sums and restricted to known states, and its
 * likelihoods. A utility contributes its table. A solved decision contributes 1 for its best choice and 0 for
 * others. An unsolved decision contributes equal probabilities, unless it is kept. */

typedef enum kind { CHANCES, UTILITIES, CHOICES, EVEN } kind;

/* A source table over some nodes; the last node varies fastest. */
typedef struct load_original {
    kind kind;
    const uint32_t *nodes; /* all nodes except the last */
    size_t count;
    uint32_t last; /* UINT32_MAX if there is none */
    size_t states; /* state count of the last node */
    const double *numbers;
    const uint32_t *choices;
    size_t row; /* chance nodes: the row summed most recently, and its sum */
    double sum;
} load_original;

static double number_at(load_original *original, size_t place) {
    size_t row = place / original->states;
    switch (original->kind) {
    case CHANCES:
        if (row != original->row) {
            original->row = row;
            original->sum = 0;
            for (size_t i = 0; i < original->states; i++)
                original->sum += original->numbers[row * original->states + i];
        }
        return original->numbers[place] / original->sum;
    case UTILITIES: return original->numbers[place];
    /* An impossible combination also needs some choice. */
    case CHOICES:
        return place % original->states == (original->choices[row] == UINT32_MAX ? 0 : original->choices[row]);
    case EVEN: return 1 / (double)original->states;
    }
    return 0;
}

static uint32_t utility_load_node(const load_original *original, size_t i) {
    return i < original->count ? original->nodes[i] : original->last;
}

/* Fills a table, walking through its entries and the matching entries of the source table in parallel. */
static void utility_load_copy_numbers(utility_elimination *run, size_t table, load_original *original) {
    const crd_i_evidence_query *query = run->diagram->query;
    const expected_table *expectation = &run->tables[table];
    size_t strides[CRD_I_MOST_DIMENSIONS], counters[CRD_I_MOST_DIMENSIONS] = {0}, place = 0, stride = 1;
    for (size_t i = original->count + (original->last != UINT32_MAX); i-- > 0;) {
        uint32_t node = utility_load_node(original, i), var = run->var_of[node];
        if (query->observed[node]) place += (size_t)query->states[node] * stride;
        for (size_t j = 0; var != UINT32_MAX && j < expectation->count; j++)
            if (expectation->vars[j] == var) strides[j] = stride;
        stride *= crd_i_node_states(&query->network->nodes[node]);
    }
    for (size_t i = 0; i < (size_t)expectation->cells; i++) {
        expectation->numbers[i] = number_at(original, place);
        for (size_t j = expectation->count; j-- > 0;) {
            place += strides[j];
            if (++counters[j] < run->states_at[expectation->vars[j]]) break;
            place -= strides[j] * counters[j];
            counters[j] = 0;
        }
    }
}

/* Lowers the exponent bound of a table for a nonzero probability. Returns false if the probability underflows. */
static bool take_low(expected_table *expectation, double number) {
    int low;
    if (number == 0) return false;
    frexp(number, &low);
    expectation->low = low - 1 < expectation->low ? low - 1 : expectation->low;
    return true;
}

/* Converts probabilities to the scale of the run: sets their lower bound, or takes logarithms. */
static void take_scale(utility_elimination *run, size_t table) {
    expected_table *expectation = &run->tables[table];
    for (size_t i = 0; i < (size_t)expectation->cells; i++) {
        double number = expectation->numbers[i];
        if (run->scale == CRD_I_LOGS) expectation->numbers[i] = number > 0 ? crd_log(number) : -INFINITY;
        else if (number > 0) take_low(expectation, number);
    }
}

/* Lists the variables of a source table in ascending order; free it with crd_free. */
static uint32_t *list_variables(utility_elimination *run, const load_original *original, size_t *count) {
    uint32_t *vars = crd_i_alloc(run->context, original->count + 1, sizeof *vars);
    *count = 0;
    if (vars == NULL) return NULL;
    for (size_t i = 0; i < original->count + (original->last != UINT32_MAX); i++) {
        uint32_t var = run->var_of[utility_load_node(original, i)];
        if (var != UINT32_MAX) vars[(*count)++] = var;
    }
    crd_i_sort_positions(vars, *count);
    return vars;
}

static bool utility_load_original(utility_elimination *run, load_original *original, size_t heads) {
    bool is_utility = original->kind == UTILITIES;
    size_t count;
    uint32_t *vars = list_variables(run, original, &count);
    if (vars == NULL) return false;
    /* A constant factor does not change expectations. */
    if (count == 0 && !is_utility) {
        crd_free(run->context, vars);
        return true;
    }
    size_t table = expectation_make(run, vars, count);
    if (table == SIZE_MAX) return false;
    run->tables[table].is_utility = is_utility;
    run->tables[table].heads = heads;
    if (run->has_numbers) utility_load_copy_numbers(run, table, original);
    if (run->has_numbers && !is_utility) take_scale(run, table);
    return expectation_add(run, table);
}

/* Loads likelihoods, scaled so that the largest is 1. The others may underflow. */
static bool load_likelihoods(utility_elimination *run, uint32_t index, const double *seen) {
    uint32_t *vars = crd_i_alloc(run->context, 1, sizeof *vars);
    if (vars == NULL) return false;
    vars[0] = run->var_of[index];
    size_t table = expectation_make(run, vars, 1);
    if (table == SIZE_MAX) return false;
    expected_table *expectation = &run->tables[table];
    double most = 0;
    for (size_t i = 0; i < (size_t)expectation->cells; i++) most = seen[i] > most ? seen[i] : most;
    for (size_t i = 0; run->has_numbers && i < (size_t)expectation->cells; i++) {
        if (run->scale == CRD_I_LOGS)
            expectation->numbers[i] = seen[i] > 0 ? crd_log(seen[i]) - crd_log(most) : -INFINITY;
        else expectation->numbers[i] = seen[i] / most;
        if (run->scale == CRD_I_PLAIN && seen[i] > 0)
            run->is_out_of_range |= !take_low(expectation, expectation->numbers[i]);
    }
    return expectation_add(run, table);
}

static bool load_chances(utility_elimination *run, uint32_t index, const crd_i_node *node) {
    const crd_i_evidence_query *query = run->diagram->query;
    load_original chances = {.kind = CHANCES, .nodes = node->parents, .count = node->parent_count, .last = index};
    chances.states = crd_i_node_states(node);
    chances.numbers = node->table;
    chances.row = SIZE_MAX;
    /* All rows of a node with one state are 1. */
    if (chances.states == 1) return true;
    if (!utility_load_original(run, &chances, query->observed[index] ? 0 : 1)) return false;
    if (query->likelihoods == NULL || query->likelihoods[index] == NULL) return true;
    return load_likelihoods(run, index, query->likelihoods[index]);
}

static bool load_decision(utility_elimination *run, uint32_t index) {
    const crd_i_decision *decision = &run->diagram->decisions[run->diagram->decision_at[index]];
    bool is_kept = run->var_of[index] >= run->var_count - run->kept_count;
    load_original even = {.kind = EVEN, .last = index, .states = decision->states};
    load_original best = {.kind = CHOICES,
                          .nodes = decision->known,
                          .count = decision->known_count,
                          .last = index,
                          .states = decision->states,
                          .choices = decision->choices};
    if (decision->is_solved) return utility_load_original(run, &best, 1);
    return is_kept || utility_load_original(run, &even, 1);
}

/* Adds the tables of a needed node. */
static bool expectation_load(utility_elimination *run, uint32_t index) {
    const crd_i_diagram *diagram = run->diagram;
    const crd_i_node *node = &diagram->query->network->nodes[index];
    load_original utilities = {
        .kind = UTILITIES, .nodes = node->parents, .count = node->parent_count, .last = UINT32_MAX};
    utilities.states = 1;
    utilities.numbers = node->table;
    switch (node->kind) {
    case CRD_NODE_CHANCE: return load_chances(run, index, node);
    case CRD_NODE_UTILITY: return utility_load_original(run, &utilities, 0);
    case CRD_NODE_DECISION: return diagram->decision_at[index] == UINT32_MAX || load_decision(run, index);
    case CRD_NODE_GAUSSIAN: break; /* influence diagrams have no Gaussian nodes: see policy.c */
    }
    return true;
}

/* ======== 4. Variable elimination ======== */

/* Larger growths are treated as equal. The bound is below infinity, which marks eliminated variables. */
static const double MOST_GROWTH = 1e300;

static void expected_utility_clear(utility_elimination *run) {
    crd_context *context = run->context;
    for (size_t i = 0; i < run->table_count; i++) expectation_drop(run, i);
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

static bool expected_utility_begin(utility_elimination *run) {
    run->touching = crd_i_alloc_zeroed(run->context, run->var_count, sizeof *run->touching);
    run->stamps = crd_i_alloc_zeroed(run->context, run->var_count, sizeof *run->stamps);
    run->stamp = 0;
    return run->touching != NULL && run->stamps != NULL;
}

/* ---- Elimination of a variable ---- */

/* Returns the union of the variables of several tables, and of `extra` unless it is SIZE_MAX. Sets *count; free it
 * with crd_free. Returns NULL if memory runs out. */
static uint32_t *expected_utility_unite(utility_elimination *run, const size_t *ids, size_t id_count, size_t extra,
                                        size_t *count) {
    uint64_t stamp = ++run->stamp;
    size_t capacity = 0;
    *count = 0;
    for (size_t i = 0; i <= id_count; i++)
        if (i < id_count || extra != SIZE_MAX) capacity += run->tables[i < id_count ? ids[i] : extra].count;
    uint32_t *vars = crd_i_alloc(run->context, capacity, sizeof *vars);
    for (size_t i = 0; vars != NULL && i <= id_count; i++) {
        if (i == id_count && extra == SIZE_MAX) break;
        const expected_table *table = &run->tables[i < id_count ? ids[i] : extra];
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
static size_t make_union(utility_elimination *run, const size_t *ids, size_t id_count, size_t extra, uint32_t without) {
    size_t count, kept = 0;
    uint32_t *vars = expected_utility_unite(run, ids, id_count, extra, &count);
    if (vars == NULL) return SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (vars[i] != without) vars[kept++] = vars[i];
    crd_i_sort_positions(vars, kept);
    return expectation_make(run, vars, kept);
}

/* Computes P, and from it p unless p is 1. Sets *sums to SIZE_MAX if p is 1. */
static bool expected_utility_multiply(utility_elimination *run, uint32_t var, const size_t *ids, size_t count,
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
    if (run->has_numbers) expectation_multiply(run, *product, ids, count);
    if (is_distribution && heads == 1) return true;
    *sums = make_union(run, product, 1, SIZE_MAX, var);
    if (*sums == SIZE_MAX) return false;
    run->tables[*sums].heads = is_distribution ? heads - 1 : 0;
    if (run->has_numbers) expectation_sum(run, *product, *sums);
    return true;
}

/* Replaces P by P / p. */
static bool expected_utility_condition(utility_elimination *run, size_t product, size_t sums) {
    size_t spread = SIZE_MAX;
    if (sums != SIZE_MAX) {
        spread = make_union(run, &product, 1, SIZE_MAX, UINT32_MAX);
        if (spread == SIZE_MAX) return false;
    }
    if (run->has_numbers) expected_utility_expectation_divide(run, product, sums, spread);
    if (spread != SIZE_MAX) expectation_drop(run, spread);
    return true;
}

/* Replaces a utility by its expectation. */
static bool expected_utility_expect(utility_elimination *run, uint32_t var, size_t product, size_t utility) {
    size_t both = make_union(run, &product, 1, utility, UINT32_MAX);
    if (both == SIZE_MAX) return false;
    size_t remainder = make_union(run, &both, 1, SIZE_MAX, var);
    if (remainder == SIZE_MAX) return false;
    run->tables[remainder].is_utility = true;
    if (run->has_numbers) expectation_expect(run, product, utility, both, remainder);
    expectation_drop(run, both);
    expectation_drop(run, utility);
    return expectation_add(run, remainder);
}

/* Lists the tables that contain the variable, probabilities first. Returns NULL if memory runs out. */
static size_t *list_tables(utility_elimination *run, uint32_t var, size_t *probabilities, size_t *count) {
    touching_tables *near = &run->touching[var];
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

static bool expected_utility_eliminate(utility_elimination *run, uint32_t var) {
    size_t probabilities = 0, count, product, sums;
    size_t *ids = list_tables(run, var, &probabilities, &count);
    bool done = ids != NULL && expected_utility_multiply(run, var, ids, probabilities, &product, &sums);
    for (size_t i = 0; done && i < probabilities; i++) expectation_drop(run, ids[i]);
    if (done && count > probabilities) done = expected_utility_condition(run, product, sums);
    for (size_t i = probabilities; done && i < count; i++) done = expected_utility_expect(run, var, product, ids[i]);
    if (done) {
        expectation_drop(run, product);
        /* A constant factor does not change expectations. */
        if (sums != SIZE_MAX && run->tables[sums].count == 0) expectation_drop(run, sums);
        else if (sums != SIZE_MAX) done = expectation_add(run, sums);
    }
    crd_free(run->context, ids);
    return done;
}

/* ---- Greedy order ---- */

/* Returns the growth of the tables if a variable were eliminated now, or a negative number if memory runs out. */
static double growth_of(utility_elimination *run, uint32_t var) {
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
static uint32_t *expected_utility_list_near(utility_elimination *run, uint32_t var, size_t *count) {
    size_t probabilities, id_count;
    size_t *ids = list_tables(run, var, &probabilities, &id_count);
    uint32_t *vars = ids == NULL ? NULL : expected_utility_unite(run, ids, id_count, SIZE_MAX, count);
    crd_free(run->context, ids);
    return vars;
}

/* Eliminates the variable with the smallest table growth (the first of several) and updates the growths of its
 * neighbors. Returns UINT32_MAX if memory runs out. */
static uint32_t eliminate_best(utility_elimination *run, double *growths, size_t left) {
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
static crd_status expected_utility_go_through(utility_elimination *run, bool is_given, uint32_t *order,
                                              crd_error *error) {
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

/* ---- Expected utilities ---- */

/* Assigns the next variable number to a node. */
static void number_node(utility_elimination *run, uint32_t node) {
    run->states_at[run->var_count] = (uint32_t)crd_i_node_states(&run->diagram->query->network->nodes[node]);
    run->var_of[node] = (uint32_t)run->var_count++;
}

/* Kept variables come last: the decision's information, then the decision itself. */
static bool number_variables(utility_elimination *run, size_t decision) {
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
static crd_status load_all(utility_elimination *run, crd_error *error) {
    const crd_network *network = run->diagram->query->network;
    expected_utility_clear(run);
    bool done = expected_utility_begin(run);
    for (uint32_t i = 0; done && i < network->count; i++)
        if (run->diagram->needed[i]) done = expectation_load(run, i);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Chooses the cheaper of two orders. Sets *cells to the maximum number of cells held at once. */
static crd_status expected_utility_plan(utility_elimination *run, uint32_t *order, double *cells, crd_error *error) {
    size_t left = run->var_count - run->kept_count;
    uint32_t *other = crd_i_alloc(run->context, left, sizeof *other);
    if (other == NULL) return crd_i_fail_memory(error);
    crd_status status = load_all(run, error);
    if (status == CRD_OK) status = expectation_order(run, other, error);
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

static crd_status expected_utility_check_memory(const utility_elimination *run, double cells, crd_error *error) {
    double limit = run->diagram->query->memory, needed = cells * (double)sizeof(double);
    if (cells <= CRD_I_MOST_CELLS && needed <= limit) return CRD_OK;
    char buffer[CRD_I_BYTES_ROOM];
    return crd_i_fail(error, CRD_ERROR_LIMIT, "computing the best decisions needs tables with %.3g entries (%s)", cells,
                      crd_i_describe_bytes(needed, buffer));
}

static crd_status expected_utility_compute(utility_elimination *run, uint32_t *order, double *out, double *workspace,
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
    if (status == CRD_OK) expectation_finish(run, out, workspace, cells);
    return status;
}

crd_status crd_i_expectation(const crd_i_diagram *diagram, size_t decision, double **expected, crd_error *error) {
    crd_context *context = diagram->query->network->context;
    utility_elimination run = {.context = context, .diagram = diagram};
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
