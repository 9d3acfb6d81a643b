/* SPDX-License-Identifier: MIT */
/* context_nodes.c - finds the contexts of a chain of higher order. See hmm_internal.h. */
#include "sequence/hmm_internal.h"

#include "base/memory.h"

#include <string.h>

/* Maximum number of transitions in a chain of higher order. Each needs memory for its probability and its target. */
static const size_t MOST_TRANSITIONS = (size_t)1 << 24;

static crd_status fail_limit(const crd_i_transition_model *model, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_LIMIT, "a chain of order %zu of %zu states would have more than %zu transitions",
               model->order, model->states, MOST_TRANSITIONS);
    crd_i_error_hint(error, "use a lower order");
    crd_i_error_subject(error, crd_text_of("order"));
    return CRD_ERROR_LIMIT;
}

void crd_i_context_nodes_destroy(crd_i_context_nodes *nodes) {
    if (nodes == NULL) return;
    crd_free(nodes->context, nodes->contexts);
    crd_free(nodes->context, nodes->state_of);
    crd_free(nodes->context, nodes->start);
    crd_free(nodes->context, nodes->end);
    crd_free(nodes->context, nodes->dense);
    crd_free(nodes->context, nodes->first);
    crd_free(nodes->context, nodes->targets);
    crd_free(nodes->context, nodes->probabilities);
    crd_free(nodes->context, nodes->shared);
    crd_free(nodes->context, nodes);
}

/* ---- Order 1: nodes are states ---- */

static crd_status make_dense(const crd_i_transition_model *model, crd_i_context_nodes *nodes, double *row,
                             crd_error *error) {
    crd_context *context = nodes->context;
    size_t states = model->states;
    uint32_t symbol = CRD_I_SYMBOL_BEGIN;
    nodes->count = states;
    nodes->contexts = crd_i_alloc(context, states, sizeof *nodes->contexts);
    nodes->state_of = crd_i_alloc(context, states, sizeof *nodes->state_of);
    nodes->start = crd_i_alloc(context, states, sizeof *nodes->start);
    nodes->dense = crd_i_alloc(context, states * states, sizeof *nodes->dense);
    if (model->rules.has_end) nodes->end = crd_i_alloc(context, states, sizeof *nodes->end);
    if (nodes->contexts == NULL || nodes->state_of == NULL || nodes->start == NULL || nodes->dense == NULL ||
        (model->rules.has_end && nodes->end == NULL))
        return crd_i_fail_memory(error);
    crd_i_transition_model_row(model, &symbol, row);
    memcpy(nodes->start, row, states * sizeof *row);
    for (size_t i = 0; i < states; i++) {
        if (crd_i_context_cancelled(context)) return crd_i_fail_cancelled(error);
        nodes->contexts[i] = nodes->state_of[i] = (uint32_t)i;
        crd_i_transition_model_row(model, &nodes->contexts[i], row);
        memcpy(nodes->dense + i * states, row, states * sizeof *row);
        if (nodes->end != NULL) nodes->end[i] = row[states];
    }
    return CRD_OK;
}

/* ---- Higher orders: contexts found by breadth-first search from the start ---- */

/* Search for contexts, with a hash table (open addressing) from contexts to node index + 1; 0 marks a free entry. */
typedef struct nodes_search {
    const crd_i_transition_model *model;
    crd_i_context_nodes *nodes;
    uint32_t *table;
    size_t table_size;
    size_t node_capacity, state_capacity, start_capacity, end_capacity, first_capacity;
    size_t transitions, target_capacity, probability_capacity;
} nodes_search;

static size_t hash_context(const uint32_t *context, size_t order) {
    uint64_t key = 0;
    for (size_t i = 0; i < order; i++) key = (key << 16 | context[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(key >> 24);
}

static size_t context_nodes_place(const nodes_search *search, const uint32_t *context) {
    size_t order = search->nodes->order, index = hash_context(context, order) & (search->table_size - 1);
    while (search->table[index] != 0 &&
           memcmp(search->nodes->contexts + (search->table[index] - 1) * order, context, order * sizeof *context) != 0)
        index = (index + 1) & (search->table_size - 1);
    return index;
}

/* Doubles the hash table. Returns false if out of memory. */
static bool grow_table(nodes_search *search) {
    crd_context *context = search->nodes->context;
    size_t size = search->table_size == 0 ? 1024 : 2 * search->table_size, order = search->nodes->order;
    uint32_t *table = crd_i_alloc_zeroed(context, size, sizeof *table);
    if (table == NULL) return false;
    crd_free(context, search->table);
    search->table = table;
    search->table_size = size;
    for (size_t i = 0; i < search->nodes->count; i++)
        table[context_nodes_place(search, search->nodes->contexts + i * order)] = (uint32_t)i + 1;
    return true;
}

/* Finds the node of a context, or adds it. Returns false if out of memory. */
static bool context_nodes_find(nodes_search *search, const uint32_t *context, uint32_t *node) {
    crd_i_context_nodes *nodes = search->nodes;
    if (2 * (nodes->count + 1) > search->table_size && !grow_table(search)) return false;
    size_t index = context_nodes_place(search, context), count = nodes->count + 1;
    if (search->table[index] == 0) {
        if (!crd_i_reserve(nodes->context, &nodes->contexts, &search->node_capacity, count * nodes->order,
                           sizeof *nodes->contexts) ||
            !crd_i_reserve(nodes->context, &nodes->state_of, &search->state_capacity, count, sizeof *nodes->state_of) ||
            !crd_i_reserve(nodes->context, &nodes->start, &search->start_capacity, count, sizeof *nodes->start) ||
            !crd_i_reserve(nodes->context, &nodes->first, &search->first_capacity, count + 1, sizeof *nodes->first))
            return false;
        if (search->model->rules.has_end &&
            !crd_i_reserve(nodes->context, &nodes->end, &search->end_capacity, count, sizeof *nodes->end))
            return false;
        memcpy(nodes->contexts + nodes->count * nodes->order, context, nodes->order * sizeof *context);
        nodes->state_of[nodes->count] = context[nodes->order - 1];
        nodes->start[nodes->count] = 0;
        nodes->count = count;
        search->table[index] = (uint32_t)count;
    }
    *node = search->table[index] - 1;
    return true;
}

/* Adds a transition of the latest source, whose first transition has index `first`. Insertion keeps the targets
 * ascending, because nodes are numbered in the order of discovery. */
static bool add_transition(nodes_search *search, size_t first, uint32_t target, double probability) {
    crd_i_context_nodes *nodes = search->nodes;
    size_t index = search->transitions++;
    if (!crd_i_reserve(nodes->context, &nodes->targets, &search->target_capacity, index + 1, sizeof *nodes->targets) ||
        !crd_i_reserve(nodes->context, &nodes->probabilities, &search->probability_capacity, index + 1,
                       sizeof *nodes->probabilities))
        return false;
    for (; index > first && nodes->targets[index - 1] > target; index--) {
        nodes->targets[index] = nodes->targets[index - 1];
        nodes->probabilities[index] = nodes->probabilities[index - 1];
    }
    nodes->targets[index] = target;
    nodes->probabilities[index] = probability;
    return true;
}

/* Adds the successors of a context, given its row of probabilities. If `source` is SIZE_MAX, the context is the start
 * of a sequence. */
static crd_status context_nodes_follow(nodes_search *search, const uint32_t *context, const double *row, size_t source,
                                       crd_error *error) {
    crd_i_context_nodes *nodes = search->nodes;
    uint32_t next[CRD_I_MOST_ORDER], node;
    size_t first = search->transitions;
    memcpy(next, context + 1, (nodes->order - 1) * sizeof *next);
    for (size_t k = 0; k < nodes->states; k++) {
        if (!(row[k] > 0)) continue;
        next[nodes->order - 1] = (uint32_t)k;
        if (!context_nodes_find(search, next, &node)) return crd_i_fail_memory(error);
        if (source == SIZE_MAX) nodes->start[node] = row[k];
        else if (search->transitions == MOST_TRANSITIONS) return fail_limit(search->model, error);
        else if (!add_transition(search, first, node, row[k])) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* Finds all reachable contexts and their transitions. New nodes are appended to the list that the loop runs over. */
static crd_status find_context_nodes(nodes_search *search, double *row, crd_error *error) {
    crd_i_context_nodes *nodes = search->nodes;
    uint32_t context[CRD_I_MOST_ORDER];
    for (size_t i = 0; i < nodes->order; i++) context[i] = CRD_I_SYMBOL_BEGIN;
    crd_i_transition_model_row(search->model, context, row);
    crd_status status = context_nodes_follow(search, context, row, SIZE_MAX, error);
    for (size_t node = 0; status == CRD_OK && node < nodes->count; node++) {
        if (crd_i_context_cancelled(nodes->context)) return crd_i_fail_cancelled(error);
        memcpy(context, nodes->contexts + node * nodes->order, nodes->order * sizeof *context);
        crd_i_transition_model_row(search->model, context, row);
        nodes->first[node] = search->transitions;
        if (nodes->end != NULL) nodes->end[node] = row[nodes->states];
        status = context_nodes_follow(search, context, row, node, error);
        nodes->first[node + 1] = search->transitions;
    }
    return status;
}

/* Checks the number of allowed paths of order + 1 states against the limit. If all of them have positive probability,
 * the limit is thus checked before any node is created. */
static crd_status check_paths(const crd_i_transition_model *model, double *row, crd_error *error) {
    const crd_i_transition_rules *rules = &model->rules;
    size_t states = model->states;
    double total = (double)states, *counts = crd_i_alloc(model->context, states, sizeof *counts);
    if (counts == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < states; k++) counts[k] = 1;
    for (size_t step = 0; step < model->order; step++) {
        memcpy(row, counts, states * sizeof *row);
        memset(counts, 0, states * sizeof *counts);
        total = 0;
        for (size_t i = 0; i < states; i++)
            for (size_t j = 0; j < states; j++) counts[j] += rules->next[i * states + j] ? row[i] : 0;
        for (size_t k = 0; k < states; k++) total += counts[k];
    }
    crd_free(model->context, counts);
    bool has_zeros = model->estimate == CRD_I_TRANSITIONS_NONE ||
                     (model->estimate == CRD_I_TRANSITIONS_INTERPOLATED && model->weights[0] == 0);
    return !has_zeros && total > (double)MOST_TRANSITIONS ? fail_limit(model, error) : CRD_OK;
}

/* Computes nodes->shared: the probabilities after contexts whose oldest state is unknown. Nodes that differ only in
 * their latest state are mostly neighbors, so a row is reused while possible. */
static crd_status share_probabilities(const crd_i_transition_model *model, crd_i_context_nodes *nodes, double *row,
                                      crd_error *error) {
    const size_t order = nodes->order;
    uint32_t context[CRD_I_MOST_ORDER] = {CRD_I_SYMBOL_UNKNOWN};
    nodes->shared = crd_i_alloc(nodes->context, nodes->count, sizeof *nodes->shared);
    if (nodes->shared == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < nodes->count; i++) {
        const uint32_t *entries = nodes->contexts + i * order;
        if (entries[order - 2] == CRD_I_SYMBOL_BEGIN) { /* it begins sequences and is never a target */
            nodes->shared[i] = 0;
            continue;
        }
        if (memcmp(context + 1, entries, (order - 1) * sizeof *entries) != 0 || i == 0) {
            if (crd_i_context_cancelled(nodes->context)) return crd_i_fail_cancelled(error);
            memcpy(context + 1, entries, (order - 1) * sizeof *entries);
            crd_i_transition_model_row(model, context, row);
        }
        nodes->shared[i] = row[entries[order - 1]];
    }
    return CRD_OK;
}

static crd_status make_sparse(const crd_i_transition_model *model, crd_i_context_nodes *nodes, double *row,
                              crd_error *error) {
    nodes_search search = {.model = model, .nodes = nodes};
    crd_status status = check_paths(model, row, error);
    if (status == CRD_OK) status = find_context_nodes(&search, row, error);
    if (status == CRD_OK) status = share_probabilities(model, nodes, row, error);
    crd_free(nodes->context, search.table);
    return status;
}

/* ---- Chains ---- */

crd_status crd_i_context_nodes_create(const crd_i_transition_model *model, crd_i_context_nodes **out,
                                      crd_error *error) {
    *out = NULL;
    crd_i_context_nodes *nodes = crd_i_alloc_zeroed(model->context, 1, sizeof *nodes);
    double *row = crd_i_alloc(model->context, model->states + 1, sizeof *row);
    crd_status status = nodes == NULL || row == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) {
        nodes->context = model->context;
        nodes->states = model->states;
        nodes->order = model->order;
        status = (model->order == 1 ? make_dense : make_sparse)(model, nodes, row, error);
    }
    crd_free(model->context, row);
    if (status == CRD_OK) *out = nodes;
    else if (nodes != NULL && nodes->context == NULL) crd_free(model->context, nodes);
    else crd_i_context_nodes_destroy(nodes);
    return status;
}

crd_status crd_i_context_nodes_chain(const crd_i_context_nodes *nodes, crd_i_chain **out, crd_error *error) {
    const crd_i_chain_parts parts = {.states = nodes->states,
                                     .nodes = nodes->count,
                                     .state_of = nodes->order == 1 ? NULL : nodes->state_of,
                                     .start = nodes->start,
                                     .end = nodes->end,
                                     .dense = nodes->dense,
                                     .first = nodes->first,
                                     .targets = nodes->targets,
                                     .probabilities = nodes->probabilities,
                                     .shared = nodes->shared};
    return crd_i_chain_create(nodes->context, &parts, out, error);
}

/* ---- Expected counts ---- */

/* Adds the count of a context followed by a symbol. */
static bool count_next(const crd_i_context_nodes *nodes, const uint32_t *context, uint32_t next, double count,
                       crd_i_ngram_counts *counts) {
    uint32_t symbols[CRD_I_MOST_GRAM];
    if (!(count > 0)) return true;
    memcpy(symbols, context, nodes->order * sizeof *symbols);
    symbols[nodes->order] = next;
    return crd_i_ngram_counts_add(counts, symbols, count);
}

static bool context_nodes_count_transitions(const crd_i_context_nodes *nodes, const double *transitions,
                                            crd_i_ngram_counts *counts) {
    bool done = true;
    for (size_t i = 0; done && i < nodes->count; i++) {
        const uint32_t *context = nodes->contexts + i * nodes->order;
        size_t begin = nodes->dense != NULL ? i * nodes->count : nodes->first[i];
        size_t end = nodes->dense != NULL ? begin + nodes->count : nodes->first[i + 1];
        for (size_t index = begin; done && index < end; index++) {
            size_t target = nodes->dense != NULL ? index - begin : nodes->targets[index];
            done = count_next(nodes, context, nodes->state_of[target], transitions[index], counts);
        }
    }
    return done;
}

bool crd_i_context_nodes_count(const crd_i_context_nodes *nodes, const crd_i_chain_counts *expected,
                               crd_i_ngram_counts *counts) {
    uint32_t begin[CRD_I_MOST_ORDER];
    bool done = true;
    for (size_t i = 0; i < nodes->order; i++) begin[i] = CRD_I_SYMBOL_BEGIN;
    for (size_t i = 0; done && i < nodes->count; i++) {
        if (expected->start != NULL) done = count_next(nodes, begin, nodes->state_of[i], expected->start[i], counts);
        if (done && expected->end != NULL)
            done = count_next(nodes, nodes->contexts + i * nodes->order, CRD_I_SYMBOL_END, expected->end[i], counts);
    }
    return done &&
           (expected->transitions == NULL || context_nodes_count_transitions(nodes, expected->transitions, counts));
}
