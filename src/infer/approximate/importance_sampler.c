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

enum { MEMBERS = 64 }; /* a table of more variables with two states each could not be */

/* A factor's edges in the order of draws. */
typedef struct drawn_scope {
    size_t count;
    size_t edges[MEMBERS], sizes[MEMBERS];
    size_t strides[MEMBERS]; /* in the table as it was */
} drawn_scope;

static void order_scope(const crd_i_importance_sampler *way, const crd_i_reduced_factor *factor, drawn_scope *own) {
    const crd_i_reduced *reduced = way->reduced;
    size_t stride = 1;
    own->count = 0;
    for (size_t i = factor->edge_count; i-- > 0;) {
        uint32_t variable = reduced->edge_variables[factor->edge + i];
        size_t at = own->count++;
        for (; at > 0; at--) {
            uint32_t before = reduced->edge_variables[own->edges[at - 1]];
            if (way->place_of[before] < way->place_of[variable]) break;
            own->edges[at] = own->edges[at - 1];
            own->sizes[at] = own->sizes[at - 1];
            own->strides[at] = own->strides[at - 1];
        }
        own->edges[at] = factor->edge + i;
        own->sizes[at] = reduced->size_of[variable];
        own->strides[at] = stride;
        stride *= own->sizes[at];
    }
}

static void reorder_table(const double *from, const drawn_scope *own, double *to) {
    size_t places[MEMBERS] = {0}, cell = 0;
    for (size_t at = 0;;) {
        to[at++] = from[cell];
        size_t i = own->count;
        while (i > 0 && ++places[i - 1] == own->sizes[i - 1]) {
            cell -= own->strides[i - 1] * (own->sizes[i - 1] - 1);
            places[--i] = 0;
        }
        if (i == 0) return;
        cell += own->strides[i - 1];
    }
}

/* How many numbers a factor takes: its table, where that is kept, and h of all but the first variable. */
static size_t factor_room(const drawn_scope *own, bool keeps_tables) {
    size_t room = 0, cells = 1;
    for (size_t i = 0; i < own->count; i++) {
        cells *= own->sizes[i];
        if (i > 0) room += cells;
    }
    return room + (keeps_tables ? cells : 0);
}

/* The filling of a way. */
typedef struct splitting {
    crd_i_importance_sampler *way;
    const crd_i_messages *messages;
    size_t *next_ratio, *next_opening; /* by variable: the places of its next links with a ratio and without */
    double *g[2];                      /* room: the table, its last variables summed out */
    double *table;                     /* room for a table; NULL: tables are kept */
} splitting;

/* Sums the last variable of g out, leaving h in `ratio`, or in the first variable's log h where that is NULL. */
static void split(const splitting *own, const drawn_scope *scope, size_t level, size_t rows, const double *g,
                  double *summed, double *ratio) {
    const crd_i_messages *messages = own->messages;
    size_t size = scope->sizes[level], edge = scope->edges[level];
    const double *told = messages == NULL ? NULL : messages->to_factor + messages->starts[edge];
    for (size_t row = 0; row < rows; row++) {
        const double *from = g + row * size;
        double sum = 0;
        for (size_t i = 0; i < size; i++) sum += from[i] * (told == NULL ? 1 / (double)size : told[i]);
        summed[row] = sum;
        for (size_t i = 0; ratio != NULL && i < size; i++) ratio[row * size + i] = sum > 0 ? from[i] / sum : 0;
    }
    if (ratio != NULL) return;
    const crd_i_reduced *reduced = own->way->reduced;
    double *first = own->way->first + reduced->starts[reduced->edge_variables[edge]];
    for (size_t i = 0; i < size; i++) first[i] += crd_log(g[i] / summed[0]);
    own->way->log_scale += crd_log(summed[0]);
}

static size_t add_factor(splitting *own, uint32_t number, const drawn_scope *scope, double *numbers) {
    crd_i_importance_sampler *way = own->way;
    const crd_i_reduced *reduced = way->reduced;
    const crd_i_reduced_factor *factor = &reduced->factors[number];
    double *table = own->table == NULL ? numbers : own->table, *summed = own->g[0];
    const double *g = table;
    size_t used = own->table == NULL ? factor->cells : 0, rows = factor->cells, stride = 1;
    reorder_table(reduced->tables + factor->table_at, scope, table);
    for (size_t level = scope->count; level-- > 0;) {
        uint32_t variable = reduced->edge_variables[scope->edges[level]];
        size_t *next = level == 0 ? own->next_opening : own->next_ratio;
        double *ratio = level == 0 ? NULL : numbers + used;
        size_t cells = rows;
        rows /= scope->sizes[level];
        split(own, scope, level, rows, g, summed, ratio);
        if (ratio != NULL) used += cells;
        const crd_i_link link = {own->table == NULL ? table : NULL, ratio, stride, number};
        way->links[next[variable]++] = link;
        stride *= scope->sizes[level];
        g = summed;
        summed = summed == own->g[0] ? own->g[1] : own->g[0];
    }
    return used;
}

/* The greatest number of each variable's becomes 1. */
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

/* Where each variable's links begin, those with ratios first. */
static bool place_links(splitting *own) {
    crd_i_importance_sampler *way = own->way;
    const crd_i_reduced *reduced = way->reduced;
    crd_context *context = reduced->context;
    size_t room = 0, at = 0;
    drawn_scope scope;
    way->links = crd_i_alloc(context, reduced->edge_count, sizeof *way->links);
    way->link_starts = crd_i_alloc(context, reduced->count + 1, sizeof *way->link_starts);
    own->next_ratio = crd_i_alloc(context, reduced->count, sizeof *own->next_ratio);
    own->next_opening = crd_i_alloc_zeroed(context, reduced->count, sizeof *own->next_opening);
    if (way->links == NULL || way->link_starts == NULL || own->next_ratio == NULL || own->next_opening == NULL)
        return false;
    for (size_t i = 0; i < reduced->factor_count; i++) {
        order_scope(way, &reduced->factors[i], &scope);
        room += factor_room(&scope, own->table == NULL);
        own->next_opening[reduced->edge_variables[scope.edges[0]]]++;
    }
    for (size_t i = 0; i < reduced->count; i++) {
        uint32_t variable = way->order[i];
        size_t links = reduced->link_starts[variable + 1] - reduced->link_starts[variable];
        way->link_starts[i] = at;
        own->next_ratio[variable] = at;
        at += links;
        own->next_opening[variable] = at - own->next_opening[variable];
    }
    way->link_starts[reduced->count] = at;
    way->numbers = crd_i_alloc(context, room, sizeof *way->numbers);
    return way->numbers != NULL;
}

crd_status crd_i_importance_sampler_create(const crd_i_reduced *reduced, const crd_i_messages *messages,
                                           const uint32_t *variables, bool keeps_tables, crd_i_importance_sampler **out,
                                           crd_error *error) {
    crd_context *context = reduced->context;
    crd_i_importance_sampler *way = crd_i_alloc_zeroed(context, 1, sizeof *way);
    splitting own = {.way = way, .messages = messages};
    crd_status status = crd_i_fail_memory(error);
    *out = NULL;
    if (way == NULL) return status;
    way->reduced = reduced;
    way->order = crd_i_alloc(context, reduced->count, sizeof *way->order);
    way->place_of = crd_i_alloc(context, reduced->count, sizeof *way->place_of);
    way->first = crd_i_alloc_zeroed(context, reduced->starts[reduced->count], sizeof *way->first);
    own.g[0] = crd_i_alloc(context, reduced->most_cells, sizeof(double));
    own.g[1] = crd_i_alloc(context, reduced->most_cells, sizeof(double));
    own.table = keeps_tables ? NULL : crd_i_alloc(context, reduced->most_cells, sizeof(double));
    if (way->order == NULL || way->place_of == NULL || way->first == NULL || own.g[0] == NULL || own.g[1] == NULL ||
        (!keeps_tables && own.table == NULL))
        goto end;
    for (size_t i = 0; i < reduced->count; i++) {
        way->order[i] = variables[i];
        way->place_of[variables[i]] = i;
    }
    if (!place_links(&own)) goto end;
    double *numbers = way->numbers;
    for (uint32_t i = 0; i < reduced->factor_count; i++) {
        drawn_scope scope;
        order_scope(way, &reduced->factors[i], &scope);
        numbers += add_factor(&own, i, &scope, numbers);
    }
    way->log_scale += reduced->log_constant;
    finish_first(way);
    status = CRD_OK;
end:
    crd_free(context, own.next_ratio);
    crd_free(context, own.next_opening);
    crd_free(context, own.g[0]);
    crd_free(context, own.g[1]);
    crd_free(context, own.table);
    if (status != CRD_OK) {
        crd_i_importance_sampler_destroy(way);
        return status;
    }
    *out = way;
    return CRD_OK;
}

/* ---- Draws ---- */

/* Brings the greatest to between 1/2 and 1; returns by which power of two it was greater. */
static int64_t rescale(double *numbers, size_t count) {
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
                                 size_t *cells, double *room, crd_i_scaled_probability *weight) {
    const crd_i_reduced *reduced = way->reduced;
    crd_i_scaled_probability product = {1, 0};
    *weight = product;
    for (size_t i = 0; i < reduced->count; i++) {
        uint32_t variable = way->order[i], size = reduced->size_of[variable];
        const crd_i_link *begin = way->links + way->link_starts[i], *end = way->links + way->link_starts[i + 1];
        const crd_i_link *link = begin;
        const double *first = way->first + reduced->starts[variable];
        double sum = 0;
        for (uint32_t j = 0; j < size; j++) room[j] = first[j];
        for (; link < end && link->ratio != NULL; link++) {
            const double *ratio = link->ratio + cells[link->factor] * size;
            for (uint32_t j = 0; j < size; j++) room[j] *= ratio[j];
            if ((link - begin) % CRD_I_UNWATCHED == CRD_I_UNWATCHED - 1) product.exponent += rescale(room, size);
        }
        for (uint32_t j = 0; j < size; j++) sum += room[j];
        if (!(sum > 0)) return false;
        if (random != NULL) states[variable] = crd_i_importance_sampler_pick(random, room, size, sum);
        uint32_t state = states[variable];
        if (!(room[state] > 0)) return false;
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
