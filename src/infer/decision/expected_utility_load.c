/* SPDX-License-Identifier: MIT */
/* expected_utility_load.c - what each node brings into the elimination: see expected_utility_tables.h.
 *
 * A node with chances brings its table, with rows divided by their sums, for the states that are known, and what was
 * seen of it without certainty; a utility, its table. A decision that is solved brings 1 for its best choice and 0 for
 * others; one that is not, even chances, unless it is kept. */
#include "infer/decision/expected_utility_tables.h"

#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>

typedef enum kind { CHANCES, UTILITIES, CHOICES, EVEN } kind;

/* A table as it is kept elsewhere: of some nodes, the last of which varies fastest. */
typedef struct original {
    kind kind;
    const uint32_t *nodes; /* without the last one */
    size_t count;
    uint32_t last; /* UINT32_MAX: there is none */
    size_t states; /* of the last one */
    const double *numbers;
    const uint32_t *choices;
    size_t row; /* of chances: the latest one that was added up, and its sum */
    double sum;
} original;

static double number_at(original *from, size_t place) {
    size_t row = place / from->states;
    switch (from->kind) {
    case CHANCES:
        if (row != from->row) {
            from->row = row;
            from->sum = 0;
            for (size_t i = 0; i < from->states; i++) from->sum += from->numbers[row * from->states + i];
        }
        return from->numbers[place] / from->sum;
    case UTILITIES: return from->numbers[place];
    /* What cannot be has to have some choice too. */
    case CHOICES: return place % from->states == (from->choices[row] == UINT32_MAX ? 0 : from->choices[row]);
    case EVEN: return 1 / (double)from->states;
    }
    return 0;
}

static uint32_t node_of(const original *from, size_t i) {
    return i < from->count ? from->nodes[i] : from->last;
}

/* Fills a table: each of its places, and beside it the one in the original. */
static void copy_numbers(crd_i_expecting *run, size_t table, original *from) {
    const crd_i_evidence_query *question = run->diagram->question;
    const crd_i_expected *to = &run->tables[table];
    size_t strides[CRD_I_MOST_DIMENSIONS], counters[CRD_I_MOST_DIMENSIONS] = {0}, place = 0, stride = 1;
    for (size_t i = from->count + (from->last != UINT32_MAX); i-- > 0;) {
        uint32_t node = node_of(from, i), var = run->var_of[node];
        if (question->observed[node]) place += (size_t)question->states[node] * stride;
        for (size_t j = 0; var != UINT32_MAX && j < to->count; j++)
            if (to->vars[j] == var) strides[j] = stride;
        stride *= crd_i_node_states(&question->network->nodes[node]);
    }
    for (size_t i = 0; i < (size_t)to->cells; i++) {
        to->numbers[i] = number_at(from, place);
        for (size_t j = to->count; j-- > 0;) {
            place += strides[j];
            if (++counters[j] < run->states_at[to->vars[j]]) break;
            place -= strides[j] * counters[j];
            counters[j] = 0;
        }
    }
}

/* Lowers the bound of a table for a probability that is not 0. False: it is less than any plain number. */
static bool take_low(crd_i_expected *own, double number) {
    int low;
    if (number == 0) return false;
    frexp(number, &low);
    own->low = low - 1 < own->low ? low - 1 : own->low;
    return true;
}

/* Probabilities as the run has them: how low they are, or their logarithms. */
static void take_scale(crd_i_expecting *run, size_t table) {
    crd_i_expected *own = &run->tables[table];
    for (size_t i = 0; i < (size_t)own->cells; i++) {
        double number = own->numbers[i];
        if (run->scale == CRD_I_LOGS) own->numbers[i] = number > 0 ? crd_log(number) : -INFINITY;
        else if (number > 0) take_low(own, number);
    }
}

/* The variables of an original, ascending; for crd_free. */
static uint32_t *list_variables(crd_i_expecting *run, const original *from, size_t *count) {
    uint32_t *vars = crd_i_alloc(run->context, from->count + 1, sizeof *vars);
    *count = 0;
    if (vars == NULL) return NULL;
    for (size_t i = 0; i < from->count + (from->last != UINT32_MAX); i++) {
        uint32_t var = run->var_of[node_of(from, i)];
        if (var != UINT32_MAX) vars[(*count)++] = var;
    }
    crd_i_sort_positions(vars, *count);
    return vars;
}

static bool load(crd_i_expecting *run, original *from, size_t heads) {
    bool is_utility = from->kind == UTILITIES;
    size_t count;
    uint32_t *vars = list_variables(run, from, &count);
    if (vars == NULL) return false;
    /* A factor that is the same everywhere changes no expectation. */
    if (count == 0 && !is_utility) {
        crd_free(run->context, vars);
        return true;
    }
    size_t table = crd_i_expectation_make(run, vars, count);
    if (table == SIZE_MAX) return false;
    run->tables[table].is_utility = is_utility;
    run->tables[table].heads = heads;
    if (run->has_numbers) copy_numbers(run, table, from);
    if (run->has_numbers && !is_utility) take_scale(run, table);
    return crd_i_expectation_add(run, table);
}

/* Likelihoods, the greatest of which is made 1. The others may be less than any plain number. */
static bool load_likelihoods(crd_i_expecting *run, uint32_t index, const double *seen) {
    uint32_t *vars = crd_i_alloc(run->context, 1, sizeof *vars);
    if (vars == NULL) return false;
    vars[0] = run->var_of[index];
    size_t table = crd_i_expectation_make(run, vars, 1);
    if (table == SIZE_MAX) return false;
    crd_i_expected *own = &run->tables[table];
    double most = 0;
    for (size_t i = 0; i < (size_t)own->cells; i++) most = seen[i] > most ? seen[i] : most;
    for (size_t i = 0; run->has_numbers && i < (size_t)own->cells; i++) {
        if (run->scale == CRD_I_LOGS) own->numbers[i] = seen[i] > 0 ? crd_log(seen[i]) - crd_log(most) : -INFINITY;
        else own->numbers[i] = seen[i] / most;
        if (run->scale == CRD_I_PLAIN && seen[i] > 0) run->is_out_of_range |= !take_low(own, own->numbers[i]);
    }
    return crd_i_expectation_add(run, table);
}

static bool load_chances(crd_i_expecting *run, uint32_t index, const crd_i_node *node) {
    const crd_i_evidence_query *question = run->diagram->question;
    original chances = {.kind = CHANCES, .nodes = node->parents, .count = node->parent_count, .last = index};
    chances.states = crd_i_node_states(node);
    chances.numbers = node->table;
    chances.row = SIZE_MAX;
    /* Of a node with one state, all rows are 1. */
    if (chances.states == 1) return true;
    if (!load(run, &chances, question->observed[index] ? 0 : 1)) return false;
    if (question->likelihoods == NULL || question->likelihoods[index] == NULL) return true;
    return load_likelihoods(run, index, question->likelihoods[index]);
}

static bool load_decision(crd_i_expecting *run, uint32_t index) {
    const crd_i_decision *decision = &run->diagram->decisions[run->diagram->decision_at[index]];
    bool is_kept = run->var_of[index] >= run->var_count - run->kept_count;
    original even = {.kind = EVEN, .last = index, .states = decision->states};
    original best = {.kind = CHOICES,
                     .nodes = decision->known,
                     .count = decision->known_count,
                     .last = index,
                     .states = decision->states,
                     .choices = decision->choices};
    if (decision->is_solved) return load(run, &best, 1);
    return is_kept || load(run, &even, 1);
}

bool crd_i_expectation_load(crd_i_expecting *run, uint32_t index) {
    const crd_i_diagram *diagram = run->diagram;
    const crd_i_node *node = &diagram->question->network->nodes[index];
    original utilities = {.kind = UTILITIES, .nodes = node->parents, .count = node->parent_count, .last = UINT32_MAX};
    utilities.states = 1;
    utilities.numbers = node->table;
    switch (node->kind) {
    case CRD_NODE_CHANCE: return load_chances(run, index, node);
    case CRD_NODE_UTILITY: return load(run, &utilities, 0);
    case CRD_NODE_DECISION: return diagram->decision_at[index] == UINT32_MAX || load_decision(run, index);
    case CRD_NODE_GAUSSIAN: break; /* none in an influence diagram: see policy.c */
    }
    return true;
}
