/* SPDX-License-Identifier: MIT */
/* importance_sampler.c - weighted draws from a distribution close to a posterior: see approximate.h.
 *
 * Contents:
 *   1. Proposal distributions
 *   2. Importance sampling */
#include "infer/approximate.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* ======== 1. Proposal distributions ======== */

static void importance_sampler_destroy(crd_i_importance_sampler *way) {
    if (way != NULL) crd_i_arena_destroy(way->arena);
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
static bool place_links(sampler_splitting *splitting, crd_i_arena *scratch) {
    crd_i_importance_sampler *way = splitting->way;
    const crd_i_reduced *reduced = way->reduced;
    size_t capacity = 0, index = 0;
    drawn_scope scope;
    way->links = crd_i_arena_alloc(way->arena, reduced->edge_count, sizeof *way->links);
    way->link_starts = crd_i_arena_alloc(way->arena, reduced->count + 1, sizeof *way->link_starts);
    splitting->next_ratio = crd_i_arena_alloc(scratch, reduced->count, sizeof *splitting->next_ratio);
    splitting->next_opening = crd_i_arena_alloc_zeroed(scratch, reduced->count, sizeof *splitting->next_opening);
    if (crd_i_arena_failed(way->arena) || crd_i_arena_failed(scratch)) return false;
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
    way->numbers = crd_i_arena_alloc(way->arena, capacity, sizeof *way->numbers);
    return way->numbers != NULL;
}

/* Creates a sampler that draws `variables` in the given order. `messages` are the belief-propagation messages; NULL
 * means constant t. If `keeps_tables` is true, the whole tables are kept as well. */
static crd_status importance_sampler_create(const crd_i_reduced *reduced, const crd_i_messages *messages,
                                            const uint32_t *variables, bool keeps_tables,
                                            crd_i_importance_sampler **out, crd_error *error) {
    *out = NULL;
    crd_i_importance_sampler *way = crd_i_arena_object(reduced->context, sizeof *way);
    if (way == NULL) return crd_i_fail_memory(error);
    crd_i_arena *scratch = crd_i_arena_create(reduced->context);
    sampler_splitting splitting = {.way = way, .messages = messages};
    way->reduced = reduced;
    way->order = crd_i_arena_copy(way->arena, variables, reduced->count, sizeof *way->order);
    way->place_of = crd_i_arena_alloc(way->arena, reduced->count, sizeof *way->place_of);
    way->first = crd_i_arena_alloc_zeroed(way->arena, reduced->starts[reduced->count], sizeof *way->first);
    splitting.g[0] = crd_i_arena_alloc(scratch, reduced->most_cells, sizeof(double));
    splitting.g[1] = crd_i_arena_alloc(scratch, reduced->most_cells, sizeof(double));
    splitting.table = keeps_tables ? NULL : crd_i_arena_alloc(scratch, reduced->most_cells, sizeof(double));
    for (size_t i = 0; way->place_of != NULL && i < reduced->count; i++) way->place_of[variables[i]] = i;
    bool done = !crd_i_arena_failed(way->arena) && place_links(&splitting, scratch);
    double *numbers = way->numbers;
    for (uint32_t i = 0; done && i < reduced->factor_count; i++) {
        drawn_scope scope;
        order_scope(way, &reduced->factors[i], &scope);
        numbers += importance_sampler_add_factor(&splitting, i, &scope, numbers);
    }
    crd_i_arena_destroy(scratch);
    if (!done) {
        importance_sampler_destroy(way);
        return crd_i_fail_memory(error);
    }
    way->log_scale += reduced->log_constant;
    finish_first(way);
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

/* Draws a state for every variable. If `random` is NULL, evaluates the given `states` instead. Sets `cells` to the
 * table entry of each factor, and `weight` to the weight relative to exp(log_scale). `workspace` is scratch space for
 * the states of one variable. Returns false if the draw reached an impossible state, or if this sampler never draws the
 * given states. */
static bool importance_sampler_go(const crd_i_importance_sampler *way, crd_i_random *random, uint32_t *states,
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

/* ======== 2. Importance sampling ======== */

/* Rounds of belief propagation. Pilot draws: half as many as the requested draws, within these bounds. EM steps for
 * the mixture proportions, and the smallest proportion of a sampler. */
enum { ROUNDS = 30, FEWEST_TRIALS = 300, MOST_TRIALS = 3000, STEPS = 10 };
static const double LEAST_PART = 0.1;

void crd_i_proposal_destroy(crd_i_proposal *proposal) {
    if (proposal == NULL) return;
    for (size_t i = 0; i < CRD_I_WAYS; i++) importance_sampler_destroy(proposal->ways[i]);
    crd_free(proposal->reduced->context, proposal);
}

/* ---- Draws ---- */

bool crd_i_draw_open(const crd_i_reduced *reduced, crd_i_draw *draw) {
    draw->arena = crd_i_arena_create(reduced->context);
    draw->states = crd_i_arena_alloc(draw->arena, reduced->count, sizeof *draw->states);
    draw->workspace = crd_i_arena_alloc(draw->arena, reduced->widest, sizeof *draw->workspace);
    for (size_t i = 0; i < CRD_I_WAYS; i++)
        draw->cells[i] = crd_i_arena_alloc(draw->arena, reduced->factor_count, sizeof *draw->cells[i]);
    return !crd_i_arena_failed(draw->arena);
}

void crd_i_draw_close(crd_i_draw *draw) {
    crd_i_arena_destroy(draw->arena);
}

static bool proposal_go(const crd_i_proposal *proposal, size_t way, crd_i_random *random, crd_i_draw *draw,
                        crd_i_scaled_probability *weight) {
    bool is_possible =
        importance_sampler_go(proposal->ways[way], random, draw->states, draw->cells[way], draw->workspace, weight);
    weight->mantissa *= proposal->scales[way].mantissa;
    weight->exponent += proposal->scales[way].exponent;
    return is_possible;
}

/* Computes the ratio q_i(states) / p(states) for each sampler i, which is 1 / weight, in units of 2^-unit. `known`
 * is the sampler whose weight is already in *weight, or CRD_I_WAYS. */
static int64_t find_ratios(const crd_i_proposal *proposal, crd_i_draw *draw, size_t known,
                           const crd_i_scaled_probability *weight, double ratios[CRD_I_WAYS]) {
    crd_i_scaled_probability weights[CRD_I_WAYS];
    int64_t unit = INT64_MAX;
    for (size_t i = 0; i < CRD_I_WAYS; i++) {
        bool is_possible = true;
        if (i == known) weights[i] = *weight;
        else is_possible = proposal_go(proposal, i, NULL, draw, &weights[i]);
        if (!is_possible) weights[i].mantissa = 0;
        else if (weights[i].exponent < unit) unit = weights[i].exponent;
    }
    for (size_t i = 0; i < CRD_I_WAYS; i++) {
        int64_t power = unit - weights[i].exponent;
        ratios[i] = weights[i].mantissa == 0 || power < -1000 ? 0 : ldexp(1 / weights[i].mantissa, (int)power);
    }
    return unit;
}

/* Computes the mixture weight: 1 / (sum over samplers of proportion / weight). */
static bool proposal_mix(const crd_i_proposal *proposal, crd_i_draw *draw, const double ratios[CRD_I_WAYS],
                         int64_t unit) {
    double sum = 0;
    int exponent;
    for (size_t i = 0; i < CRD_I_WAYS; i++) sum += proposal->parts[i] * ratios[i];
    draw->weight.mantissa = sum > 0 ? frexp(1 / sum, &exponent) : 0;
    draw->weight.exponent = sum > 0 ? unit + exponent : 0;
    return sum > 0;
}

/* Chooses a sampler and draws from it. */
static bool draw_ratios(const crd_i_proposal *proposal, crd_i_random *random, crd_i_draw *draw,
                        double ratios[CRD_I_WAYS], int64_t *unit) {
    crd_i_scaled_probability weight;
    size_t way = crd_i_importance_sampler_pick(random, proposal->parts, CRD_I_WAYS, 1);
    draw->weight.mantissa = 0;
    draw->weight.exponent = 0;
    if (!proposal_go(proposal, way, random, draw, &weight)) return false;
    *unit = find_ratios(proposal, draw, way, &weight, ratios);
    return true;
}

bool crd_i_proposal_draw(const crd_i_proposal *proposal, crd_i_random *random, crd_i_draw *draw) {
    double ratios[CRD_I_WAYS];
    int64_t unit;
    return draw_ratios(proposal, random, draw, ratios, &unit) && proposal_mix(proposal, draw, ratios, unit);
}

bool crd_i_proposal_weigh(const crd_i_proposal *proposal, crd_i_draw *draw) {
    double ratios[CRD_I_WAYS];
    int64_t unit = find_ratios(proposal, draw, CRD_I_WAYS, NULL, ratios);
    return proposal_mix(proposal, draw, ratios, unit);
}

/* Multiplies the entries of all tables for one state. The product is scaled: an entry that is 1e-308 times another
 * state's entry may be offset by other tables. */
static crd_i_scaled_probability proposal_multiply(const crd_i_link *begin, const crd_i_link *end,
                                                  const crd_i_draw *draw, size_t state, size_t i) {
    crd_i_scaled_probability product = {1, 0};
    int exponent;
    for (const crd_i_link *link = begin; link < end; link++) {
        const double *table = link->table + (draw->cells[0][link->factor] - state * link->stride);
        product.mantissa *= table[i * link->stride];
        if (product.mantissa > 0x1p-100 && product.mantissa < 0x1p100) continue;
        product.mantissa = frexp(product.mantissa, &exponent);
        product.exponent += exponent;
    }
    product.mantissa = frexp(product.mantissa, &exponent);
    product.exponent += exponent;
    return product;
}

/* Computes each state's product separately, then scales them relative to the largest. */
static void multiply_many(const crd_i_link *begin, const crd_i_link *end, const crd_i_draw *draw, size_t state,
                          size_t size, double *out) {
    int64_t unit = INT64_MIN;
    for (size_t i = 0; i < size; i++) {
        const crd_i_scaled_probability product = proposal_multiply(begin, end, draw, state, i);
        out[i] = product.mantissa;
        if (!(product.mantissa > 0)) continue;
        int64_t power = unit == INT64_MIN ? 0 : product.exponent - unit;
        if (power < 0) out[i] = power < -1000 ? 0 : ldexp(out[i], (int)power);
        else unit = product.exponent;
        for (size_t j = 0; power > 0 && j < i; j++) out[j] = power > 1000 ? 0 : ldexp(out[j], -(int)power);
    }
}

double crd_i_proposal_conditional(const crd_i_proposal *proposal, const crd_i_draw *draw, uint32_t variable,
                                  double *out) {
    const crd_i_importance_sampler *way = proposal->ways[0];
    size_t place = way->place_of[variable], size = way->reduced->size_of[variable], state = draw->states[variable];
    const crd_i_link *begin = way->links + way->link_starts[place], *end = way->links + way->link_starts[place + 1];
    double sum = 0;
    if (end - begin > CRD_I_UNWATCHED) {
        multiply_many(begin, end, draw, state, size, out);
    } else {
        for (size_t i = 0; i < size; i++) out[i] = 1;
        for (const crd_i_link *link = begin; link < end; link++) {
            const double *table = link->table + (draw->cells[0][link->factor] - state * link->stride);
            for (size_t i = 0; i < size; i++) out[i] *= table[i * link->stride];
        }
    }
    for (size_t i = 0; i < size; i++) sum += out[i];
    if (sum > 0) return sum;
    /* Underflow occurred despite scaling. The drawn state is possible, so it gets probability 1. */
    return out[state] = 1;
}

void crd_i_proposal_set(const crd_i_proposal *proposal, crd_i_draw *draw, uint32_t variable, uint32_t state) {
    const crd_i_importance_sampler *way = proposal->ways[0];
    size_t place = way->place_of[variable], before = draw->states[variable];
    for (size_t i = way->link_starts[place]; i < way->link_starts[place + 1]; i++)
        draw->cells[0][way->links[i].factor] += (state - before) * way->links[i].stride;
    draw->states[variable] = state;
}

/* ---- Mixture proportions ---- */

/* Draws with equal proportions. Then fits the proportions by expectation-maximization, so that the mixture is as
 * close as possible to the posterior. A sampler's new proportion is the share of the weights that it is responsible
 * for. */
static void learn_parts(crd_i_proposal *proposal, uint64_t seed, size_t trials, crd_i_draw *draw, double *ratios,
                        crd_i_scaled_probability *weights) {
    size_t count = 0;
    int64_t most = INT64_MIN;
    for (size_t i = 0; i < CRD_I_WAYS; i++) proposal->parts[i] = 1.0 / CRD_I_WAYS;
    for (uint64_t i = 0; i < trials && !crd_i_context_cancelled(proposal->reduced->context); i++) {
        crd_i_random random = crd_i_random_at(seed, CRD_I_STREAM_TRIALS + i);
        double *entries = ratios + CRD_I_WAYS * count;
        int64_t unit;
        if (!draw_ratios(proposal, &random, draw, entries, &unit) || !proposal_mix(proposal, draw, entries, unit))
            continue;
        weights[count++] = draw->weight;
        if (draw->weight.exponent > most) most = draw->weight.exponent;
    }
    for (size_t step = 0; count > 0 && step < STEPS; step++) {
        double sums[CRD_I_WAYS] = {0}, total = 0;
        for (size_t i = 0; i < count; i++) {
            const double *entries = ratios + CRD_I_WAYS * i;
            int64_t power = weights[i].exponent - most;
            /* Negligible weights are skipped. They may come from a sampler whose proportion is already zero. */
            if (power < -1000) continue;
            double weight = ldexp(weights[i].mantissa, (int)power), sum = 0;
            for (size_t j = 0; j < CRD_I_WAYS; j++) sum += proposal->parts[j] * entries[j];
            for (size_t j = 0; j < CRD_I_WAYS; j++) sums[j] += weight * (proposal->parts[j] * entries[j] / sum);
            total += weight;
        }
        for (size_t i = 0; i < CRD_I_WAYS; i++) proposal->parts[i] = sums[i] / total;
    }
    for (size_t i = 0; i < CRD_I_WAYS; i++)
        proposal->parts[i] = LEAST_PART + (1 - CRD_I_WAYS * LEAST_PART) * proposal->parts[i];
}

/* ---- Samplers ---- */

/* Orders the variables by the messages' factor order: each is drawn next to a neighbor drawn before. */
static void connected_order(const crd_i_messages *messages, uint32_t *order, bool *is_found) {
    const crd_i_reduced *reduced = messages->reduced;
    size_t count = 0;
    for (size_t i = 0; i < reduced->factor_count; i++) {
        const crd_i_reduced_factor *factor = &reduced->factors[messages->order[i]];
        for (size_t j = 0; j < factor->edge_count; j++) {
            uint32_t variable = reduced->edge_variables[factor->edge + j];
            if (!is_found[variable]) order[count++] = variable;
            is_found[variable] = true;
        }
    }
}

static void find_scales(crd_i_proposal *proposal) {
    const double log_two = 0.69314718055994530942;
    proposal->log_scale = proposal->ways[0]->log_scale;
    for (size_t i = 0; i < CRD_I_WAYS; i++) {
        double difference = proposal->ways[i]->log_scale - proposal->log_scale, power = floor(difference / log_two);
        proposal->scales[i].mantissa = crd_exp(difference - power * log_two);
        proposal->scales[i].exponent = (int64_t)power;
    }
}

static crd_status make_ways(crd_i_proposal *proposal, uint32_t *order, bool *is_found, crd_error *error) {
    const crd_i_reduced *reduced = proposal->reduced;
    crd_i_messages *messages = NULL;
    crd_status status = crd_i_messages_create(reduced, ROUNDS, &messages, error);
    if (status != CRD_OK) return status;
    connected_order(messages, order, is_found);
    status = importance_sampler_create(reduced, messages, order, true, &proposal->ways[0], error);
    for (uint32_t i = 0; i < reduced->count; i++) order[i] = i;
    if (status == CRD_OK)
        status = importance_sampler_create(reduced, messages, order, false, &proposal->ways[1], error);
    if (status == CRD_OK) status = importance_sampler_create(reduced, NULL, order, false, &proposal->ways[2], error);
    crd_i_messages_destroy(messages);
    if (status == CRD_OK) find_scales(proposal);
    return status;
}

crd_status crd_i_proposal_create(const crd_i_reduced *reduced, uint64_t seed, uint64_t draws, crd_i_proposal **out,
                                 crd_error *error) {
    size_t trials = draws / 2 < FEWEST_TRIALS ? FEWEST_TRIALS
                    : draws / 2 > MOST_TRIALS ? MOST_TRIALS
                                              : (size_t)(draws / 2);
    crd_i_draw draw = {0};
    *out = NULL;
    crd_i_proposal *proposal = crd_i_alloc_zeroed(reduced->context, 1, sizeof *proposal);
    if (proposal == NULL) return crd_i_fail_memory(error);
    proposal->reduced = reduced;
    crd_i_arena *scratch = crd_i_arena_create(reduced->context);
    uint32_t *order = crd_i_arena_alloc(scratch, reduced->count, sizeof *order);
    bool *is_found = crd_i_arena_alloc_zeroed(scratch, reduced->count, sizeof *is_found);
    double *ratios = crd_i_arena_alloc(scratch, trials * CRD_I_WAYS, sizeof *ratios);
    crd_i_scaled_probability *weights = crd_i_arena_alloc(scratch, trials, sizeof *weights);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status == CRD_OK && !crd_i_draw_open(reduced, &draw)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = make_ways(proposal, order, is_found, error);
    if (status == CRD_OK) learn_parts(proposal, seed, trials, &draw, ratios, weights);
    crd_i_draw_close(&draw);
    crd_i_arena_destroy(scratch);
    if (status == CRD_OK) *out = proposal;
    else crd_i_proposal_destroy(proposal);
    return status;
}
