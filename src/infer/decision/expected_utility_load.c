/* SPDX-License-Identifier: MIT */
/* expected_utility_load.c - the tables that each node contributes to the elimination: see expected_utility_tables.h.
 *
 * A chance node contributes its table, with rows divided by their sums and restricted to known states, and its
 * likelihoods. A utility contributes its table. A solved decision contributes 1 for its best choice and 0 for
 * others. An unsolved decision contributes equal probabilities, unless it is kept. */
#include "infer/decision/expected_utility_tables.h"

#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>

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
static void utility_load_copy_numbers(crd_i_expecting *run, size_t table, load_original *original) {
    const crd_i_evidence_query *query = run->diagram->query;
    const crd_i_expected *expectation = &run->tables[table];
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
static bool take_low(crd_i_expected *expectation, double number) {
    int low;
    if (number == 0) return false;
    frexp(number, &low);
    expectation->low = low - 1 < expectation->low ? low - 1 : expectation->low;
    return true;
}

/* Converts probabilities to the scale of the run: sets their lower bound, or takes logarithms. */
static void take_scale(crd_i_expecting *run, size_t table) {
    crd_i_expected *expectation = &run->tables[table];
    for (size_t i = 0; i < (size_t)expectation->cells; i++) {
        double number = expectation->numbers[i];
        if (run->scale == CRD_I_LOGS) expectation->numbers[i] = number > 0 ? crd_log(number) : -INFINITY;
        else if (number > 0) take_low(expectation, number);
    }
}

/* Lists the variables of a source table in ascending order; free it with crd_free. */
static uint32_t *list_variables(crd_i_expecting *run, const load_original *original, size_t *count) {
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

static bool utility_load_load(crd_i_expecting *run, load_original *original, size_t heads) {
    bool is_utility = original->kind == UTILITIES;
    size_t count;
    uint32_t *vars = list_variables(run, original, &count);
    if (vars == NULL) return false;
    /* A constant factor does not change expectations. */
    if (count == 0 && !is_utility) {
        crd_free(run->context, vars);
        return true;
    }
    size_t table = crd_i_expectation_make(run, vars, count);
    if (table == SIZE_MAX) return false;
    run->tables[table].is_utility = is_utility;
    run->tables[table].heads = heads;
    if (run->has_numbers) utility_load_copy_numbers(run, table, original);
    if (run->has_numbers && !is_utility) take_scale(run, table);
    return crd_i_expectation_add(run, table);
}

/* Loads likelihoods, scaled so that the largest is 1. The others may underflow. */
static bool load_likelihoods(crd_i_expecting *run, uint32_t index, const double *seen) {
    uint32_t *vars = crd_i_alloc(run->context, 1, sizeof *vars);
    if (vars == NULL) return false;
    vars[0] = run->var_of[index];
    size_t table = crd_i_expectation_make(run, vars, 1);
    if (table == SIZE_MAX) return false;
    crd_i_expected *expectation = &run->tables[table];
    double most = 0;
    for (size_t i = 0; i < (size_t)expectation->cells; i++) most = seen[i] > most ? seen[i] : most;
    for (size_t i = 0; run->has_numbers && i < (size_t)expectation->cells; i++) {
        if (run->scale == CRD_I_LOGS)
            expectation->numbers[i] = seen[i] > 0 ? crd_log(seen[i]) - crd_log(most) : -INFINITY;
        else expectation->numbers[i] = seen[i] / most;
        if (run->scale == CRD_I_PLAIN && seen[i] > 0)
            run->is_out_of_range |= !take_low(expectation, expectation->numbers[i]);
    }
    return crd_i_expectation_add(run, table);
}

static bool load_chances(crd_i_expecting *run, uint32_t index, const crd_i_node *node) {
    const crd_i_evidence_query *query = run->diagram->query;
    load_original chances = {.kind = CHANCES, .nodes = node->parents, .count = node->parent_count, .last = index};
    chances.states = crd_i_node_states(node);
    chances.numbers = node->table;
    chances.row = SIZE_MAX;
    /* All rows of a node with one state are 1. */
    if (chances.states == 1) return true;
    if (!utility_load_load(run, &chances, query->observed[index] ? 0 : 1)) return false;
    if (query->likelihoods == NULL || query->likelihoods[index] == NULL) return true;
    return load_likelihoods(run, index, query->likelihoods[index]);
}

static bool load_decision(crd_i_expecting *run, uint32_t index) {
    const crd_i_decision *decision = &run->diagram->decisions[run->diagram->decision_at[index]];
    bool is_kept = run->var_of[index] >= run->var_count - run->kept_count;
    load_original even = {.kind = EVEN, .last = index, .states = decision->states};
    load_original best = {.kind = CHOICES,
                          .nodes = decision->known,
                          .count = decision->known_count,
                          .last = index,
                          .states = decision->states,
                          .choices = decision->choices};
    if (decision->is_solved) return utility_load_load(run, &best, 1);
    return is_kept || utility_load_load(run, &even, 1);
}

bool crd_i_expectation_load(crd_i_expecting *run, uint32_t index) {
    const crd_i_diagram *diagram = run->diagram;
    const crd_i_node *node = &diagram->query->network->nodes[index];
    load_original utilities = {
        .kind = UTILITIES, .nodes = node->parents, .count = node->parent_count, .last = UINT32_MAX};
    utilities.states = 1;
    utilities.numbers = node->table;
    switch (node->kind) {
    case CRD_NODE_CHANCE: return load_chances(run, index, node);
    case CRD_NODE_UTILITY: return utility_load_load(run, &utilities, 0);
    case CRD_NODE_DECISION: return diagram->decision_at[index] == UINT32_MAX || load_decision(run, index);
    case CRD_NODE_GAUSSIAN: break; /* influence diagrams have no Gaussian nodes: see policy.c */
    }
    return true;
}
