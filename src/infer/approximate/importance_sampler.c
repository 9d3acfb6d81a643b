/* SPDX-License-Identifier: MIT */
/* importance_sampler.c - see importance_sampler.h. */
#include "infer/approximate/importance_sampler.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

void crd_i_importance_sampler_destroy(crd_i_importance_sampler *way) {
    if (way == NULL) return;
    crd_context *context = way->reduced->context;
    crd_free(context, way->order);
    crd_free(context, way->link_starts);
    crd_free(context, way->place_of);
    crd_free(context, way->links);
    crd_free(context, way->first);
    crd_free(context, way->numbers);
    crd_free(context, way);
}

/* ---- Tables ---- */

enum { MEMBERS = 64 }; /* a table cannot have more variables, because each has at least two states */

/* A factor's edges in drawing order. */
typedef struct drawn_scope {
    size_t count;
    size_t edges[MEMBERS], sizes[MEMBERS];
    size_t strides[MEMBERS]; /* strides in the original table */
} drawn_scope;

static void order_scope(const crd_i_importance_sampler *way, const crd_i_reduced_factor *factor, drawn_scope *scope) {
    const crd_i_reduced *reduced = way->reduced;
    size_t stride = 1;
    scope->count = 0;
    for (size_t i = factor->edge_count; i-- > 0;) {
        uint32_t variable = reduced->edge_variables[factor->edge + i];
        size_t index = scope->count++;
        for (; index > 0; index--) {
            uint32_t before = reduced->edge_variables[scope->edges[index - 1]];
            if (way->place_of[before] < way->place_of[variable]) break;
            scope->edges[index] = scope->edges[index - 1];
            scope->sizes[index] = scope->sizes[index - 1];
            scope->strides[index] = scope->strides[index - 1];
        }
        scope->edges[index] = factor->edge + i;
        scope->sizes[index] = reduced->size_of[variable];
        scope->strides[index] = stride;
        stride *= scope->sizes[index];
    }
}

static void reorder_table(const double *source, const drawn_scope *scope, double *destination) {
    size_t places[MEMBERS] = {0}, cell = 0;
    for (size_t index = 0;;) {
        destination[index++] = source[cell];
        size_t i = scope->count;
        while (i > 0 && ++places[i - 1] == scope->sizes[i - 1]) {
            cell -= scope->strides[i - 1] * (scope->sizes[i - 1] - 1);
            places[--i] = 0;
        }
        if (i == 0) return;
        cell += scope->strides[i - 1];
    }
}

/* Returns the number of values stored for a factor: its table, if kept, and the h of all variables except the first. */
static size_t factor_room(const drawn_scope *scope, bool keeps_tables) {
    size_t capacity = 0, cells = 1;
    for (size_t i = 0; i < scope->count; i++) {
        cells *= scope->sizes[i];
        if (i > 0) capacity += cells;
    }
    return capacity + (keeps_tables ? cells : 0);
}

/* Working state while a sampler is built. */
typedef struct sampler_splitting {
    crd_i_importance_sampler *way;
    const crd_i_messages *messages;
    size_t *next_ratio, *next_opening; /* by variable: positions of its next link with and without a ratio */
    double *g[2];                      /* scratch: the table with its last variables summed out */
    double *table;                     /* scratch for one table; NULL if tables are kept */
} sampler_splitting;

/* Sums the last variable out of g. Stores h in `ratio`, or adds log h to the first variable's `first` entries if
 * `ratio` is NULL. */
static void importance_sampler_split(const sampler_splitting *splitting, const drawn_scope *scope, size_t level,
                                     size_t rows, const double *g, double *summed, double *ratio) {
    const crd_i_messages *messages = splitting->messages;
    size_t size = scope->sizes[level], edge = scope->edges[level];
    const double *told = messages == NULL ? NULL : messages->to_factor + messages->starts[edge];
    for (size_t row = 0; row < rows; row++) {
        const double *source = g + row * size;
        double sum = 0;
        for (size_t i = 0; i < size; i++) sum += source[i] * (told == NULL ? 1 / (double)size : told[i]);
        summed[row] = sum;
        for (size_t i = 0; ratio != NULL && i < size; i++) ratio[row * size + i] = sum > 0 ? source[i] / sum : 0;
    }
    if (ratio != NULL) return;
    const crd_i_reduced *reduced = splitting->way->reduced;
    double *first = splitting->way->first + reduced->starts[reduced->edge_variables[edge]];
    for (size_t i = 0; i < size; i++) first[i] += crd_log(g[i] / summed[0]);
    splitting->way->log_scale += crd_log(summed[0]);
}

static size_t importance_sampler_add_factor(sampler_splitting *splitting, uint32_t number, const drawn_scope *scope,
                                            double *numbers) {
    crd_i_importance_sampler *way = splitting->way;
    const crd_i_reduced *reduced = way->reduced;
    const crd_i_reduced_factor *factor = &reduced->factors[number];
    double *table = splitting->table == NULL ? numbers : splitting->table, *summed = splitting->g[0];
    const double *g = table;
    size_t used = splitting->table == NULL ? factor->cells : 0, rows = factor->cells, stride = 1;
    reorder_table(reduced->tables + factor->table_at, scope, table);
    for (size_t level = scope->count; level-- > 0;) {
        uint32_t variable = reduced->edge_variables[scope->edges[level]];
        size_t *next = level == 0 ? splitting->next_opening : splitting->next_ratio;
        double *ratio = level == 0 ? NULL : numbers + used;
        size_t cells = rows;
        rows /= scope->sizes[level];
        importance_sampler_split(splitting, scope, level, rows, g, summed, ratio);
        if (ratio != NULL) used += cells;
        const crd_i_link link = {splitting->table == NULL ? table : NULL, ratio, stride, number};
        way->links[next[variable]++] = link;
        stride *= scope->sizes[level];
        g = summed;
        summed = summed == splitting->g[0] ? splitting->g[1] : splitting->g[0];
    }
    return used;
}

/* Scales each variable's entries so that the largest becomes 1. */
static void finish_first(crd_i_importance_sampler *way) {
    const crd_i_reduced *reduced = way->reduced;
    for (size_t i = 0; i < reduced->count; i++) {
        double *first = way->first + reduced->starts[i], most = -INFINITY;
        for (size_t j = 0; j < reduced->size_of[i]; j++)
            if (first[j] > most) most = first[j];
        for (size_t j = 0; j < reduced->size_of[i]; j++) first[j] = crd_exp(first[j] - most);
        way->log_scale += most;
    }
}

/* Finds the start of each variable's links. Links with ratios come first. */
static bool place_links(sampler_splitting *splitting) {
    crd_i_importance_sampler *way = splitting->way;
    const crd_i_reduced *reduced = way->reduced;
    crd_context *context = reduced->context;
    size_t capacity = 0, index = 0;
    drawn_scope scope;
    way->links = crd_i_alloc(context, reduced->edge_count, sizeof *way->links);
    way->link_starts = crd_i_alloc(context, reduced->count + 1, sizeof *way->link_starts);
    splitting->next_ratio = crd_i_alloc(context, reduced->count, sizeof *splitting->next_ratio);
    splitting->next_opening = crd_i_alloc_zeroed(context, reduced->count, sizeof *splitting->next_opening);
    if (way->links == NULL || way->link_starts == NULL || splitting->next_ratio == NULL ||
        splitting->next_opening == NULL)
        return false;
    for (size_t i = 0; i < reduced->factor_count; i++) {
        order_scope(way, &reduced->factors[i], &scope);
        capacity += factor_room(&scope, splitting->table == NULL);
        splitting->next_opening[reduced->edge_variables[scope.edges[0]]]++;
    }
    for (size_t i = 0; i < reduced->count; i++) {
        uint32_t variable = way->order[i];
        size_t links = reduced->link_starts[variable + 1] - reduced->link_starts[variable];
        way->link_starts[i] = index;
        splitting->next_ratio[variable] = index;
        index += links;
        splitting->next_opening[variable] = index - splitting->next_opening[variable];
    }
    way->link_starts[reduced->count] = index;
    way->numbers = crd_i_alloc(context, capacity, sizeof *way->numbers);
    return way->numbers != NULL;
}

crd_status crd_i_importance_sampler_create(const crd_i_reduced *reduced, const crd_i_messages *messages,
                                           const uint32_t *variables, bool keeps_tables, crd_i_importance_sampler **out,
                                           crd_error *error) {
    crd_context *context = reduced->context;
    crd_i_importance_sampler *way = crd_i_alloc_zeroed(context, 1, sizeof *way);
    sampler_splitting splitting = {.way = way, .messages = messages};
    crd_status status = crd_i_fail_memory(error);
    *out = NULL;
    if (way == NULL) return status;
    way->reduced = reduced;
    way->order = crd_i_alloc(context, reduced->count, sizeof *way->order);
    way->place_of = crd_i_alloc(context, reduced->count, sizeof *way->place_of);
    way->first = crd_i_alloc_zeroed(context, reduced->starts[reduced->count], sizeof *way->first);
    splitting.g[0] = crd_i_alloc(context, reduced->most_cells, sizeof(double));
    splitting.g[1] = crd_i_alloc(context, reduced->most_cells, sizeof(double));
    splitting.table = keeps_tables ? NULL : crd_i_alloc(context, reduced->most_cells, sizeof(double));
    if (way->order == NULL || way->place_of == NULL || way->first == NULL || splitting.g[0] == NULL ||
        splitting.g[1] == NULL || (!keeps_tables && splitting.table == NULL))
        goto end;
    for (size_t i = 0; i < reduced->count; i++) {
        way->order[i] = variables[i];
        way->place_of[variables[i]] = i;
    }
    if (!place_links(&splitting)) goto end;
    double *numbers = way->numbers;
    for (uint32_t i = 0; i < reduced->factor_count; i++) {
        drawn_scope scope;
        order_scope(way, &reduced->factors[i], &scope);
        numbers += importance_sampler_add_factor(&splitting, i, &scope, numbers);
    }
    way->log_scale += reduced->log_constant;
    finish_first(way);
    status = CRD_OK;
end:
    crd_free(context, splitting.next_ratio);
    crd_free(context, splitting.next_opening);
    crd_free(context, splitting.g[0]);
    crd_free(context, splitting.g[1]);
    crd_free(context, splitting.table);
    if (status != CRD_OK) {
        crd_i_importance_sampler_destroy(way);
        return status;
    }
    *out = way;
    return CRD_OK;
}

/* ---- Draws ---- */

/* Scales the numbers by a power of two so that the largest is between 1/2 and 1. Returns the exponent that was
 * divided out. */
static int64_t importance_sampler_rescale(double *numbers, size_t count) {
    double most = 0;
    int exponent;
    for (size_t i = 0; i < count; i++)
        if (numbers[i] > most) most = numbers[i];
    frexp(most, &exponent);
    if (exponent == 0) return 0;
    for (size_t i = 0; i < count; i++) numbers[i] = ldexp(numbers[i], -exponent);
    return exponent;
}

uint32_t crd_i_importance_sampler_pick(crd_i_random *random, const double *weights, uint32_t count, double sum) {
    double left = crd_i_random_uniform(random) * sum;
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!(weights[i] > 0)) continue;
        chosen = i;
        if (left < weights[i]) break;
        left -= weights[i];
    }
    return chosen;
}

bool crd_i_importance_sampler_go(const crd_i_importance_sampler *way, crd_i_random *random, uint32_t *states,
                                 size_t *cells, double *workspace, crd_i_scaled_probability *weight) {
    const crd_i_reduced *reduced = way->reduced;
    crd_i_scaled_probability product = {1, 0};
    *weight = product;
    for (size_t i = 0; i < reduced->count; i++) {
        uint32_t variable = way->order[i], size = reduced->size_of[variable];
        const crd_i_link *begin = way->links + way->link_starts[i], *end = way->links + way->link_starts[i + 1];
        const crd_i_link *link = begin;
        const double *first = way->first + reduced->starts[variable];
        double sum = 0;
        for (uint32_t j = 0; j < size; j++) workspace[j] = first[j];
        for (; link < end && link->ratio != NULL; link++) {
            const double *ratio = link->ratio + cells[link->factor] * size;
            for (uint32_t j = 0; j < size; j++) workspace[j] *= ratio[j];
            if ((link - begin) % CRD_I_UNWATCHED == CRD_I_UNWATCHED - 1)
                product.exponent += importance_sampler_rescale(workspace, size);
        }
        for (uint32_t j = 0; j < size; j++) sum += workspace[j];
        if (!(sum > 0)) return false;
        if (random != NULL) states[variable] = crd_i_importance_sampler_pick(random, workspace, size, sum);
        uint32_t state = states[variable];
        if (!(workspace[state] > 0)) return false;
        int exponent;
        product.mantissa = frexp(product.mantissa * sum, &exponent);
        product.exponent += exponent;
        for (const crd_i_link *going = begin; going < link; going++)
            cells[going->factor] = cells[going->factor] * size + state;
        for (; link < end; link++) cells[link->factor] = state;
    }
    *weight = product;
    return true;
}
