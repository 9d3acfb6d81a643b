/* SPDX-License-Identifier: MIT */
/* expected_utility_tables.c - see expected_utility_tables.h. */
#include "infer/decision/expected_utility_tables.h"

#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* A product of numbers whose least exponents add up to this is a normal double, and so is what it is divided by. */
enum { LOWEST = -900 };

/* ---- Tables ---- */

size_t crd_i_expectation_make(crd_i_expecting *run, uint32_t *vars, size_t count) {
    crd_i_expected made = {.vars = vars, .count = count, .cells = 1};
    for (size_t i = 0; i < count; i++) made.cells *= run->states_at[vars[i]];
    if (!crd_i_reserve(run->context, &run->tables, &run->table_room, run->table_count + 1, sizeof *run->tables))
        goto fail;
    if (run->has_numbers) {
        made.numbers = crd_i_alloc(run->context, (size_t)made.cells, sizeof *made.numbers);
        if (made.numbers == NULL) goto fail;
    }
    run->tables[run->table_count] = made;
    run->cells += made.cells;
    run->all_cells += made.cells;
    if (run->cells > run->most_cells) run->most_cells = run->cells;
    return run->table_count++;
fail:
    crd_free(run->context, vars);
    return SIZE_MAX;
}

void crd_i_expectation_drop(crd_i_expecting *run, size_t table) {
    crd_i_expected *gone = &run->tables[table];
    if (gone->vars == NULL) return;
    run->cells -= gone->cells;
    crd_free(run->context, gone->vars);
    crd_free(run->context, gone->numbers);
    gone->vars = NULL;
    gone->numbers = NULL;
}

/* Whether all variables of one are in the other. */
static bool is_within(const crd_i_expected *small, const crd_i_expected *large) {
    size_t at = 0;
    for (size_t i = 0; i < large->count && at < small->count; i++) at += large->vars[i] == small->vars[at];
    return at == small->count;
}

/* The way through a table, beside one of some of its variables. */
static void walk_beside(const crd_i_expecting *run, const uint32_t *vars, size_t count, const crd_i_expected *small,
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

static void walk_tables(const crd_i_expecting *run, size_t large, size_t small, crd_i_walk *walk) {
    walk_beside(run, run->tables[large].vars, run->tables[large].count, &run->tables[small], walk);
}

/* Adds a utility to one that has all its variables. */
static void merge(crd_i_expecting *run, size_t small, size_t large) {
    crd_i_walk walk;
    if (run->has_numbers) {
        walk_tables(run, large, small, &walk);
        /* To multiply what stands for logarithms is to add. */
        crd_i_message_times(CRD_I_LOGS, &walk, run->tables[large].numbers, run->tables[small].numbers);
    }
    crd_i_expectation_drop(run, small);
}

/* Lets a utility and those that touch it become one where that makes no table larger. True: it is not there any more.
 */
static bool merge_utility(crd_i_expecting *run, size_t table) {
    const crd_i_expected *own = &run->tables[table];
    for (size_t i = 0; i < own->count; i++) {
        const crd_i_touching *near = &run->touching[own->vars[i]];
        for (size_t j = 0; j < near->count; j++) {
            size_t other = near->tables[j];
            const crd_i_expected *at = &run->tables[other];
            if (at->vars == NULL || !at->is_utility) continue;
            if (is_within(own, at)) {
                merge(run, table, other);
                return true;
            }
            if (is_within(at, own)) merge(run, other, table);
        }
    }
    return false;
}

bool crd_i_expectation_add(crd_i_expecting *run, size_t table) {
    if (run->tables[table].is_utility && merge_utility(run, table)) return true;
    const crd_i_expected *own = &run->tables[table];
    for (size_t i = 0; i < own->count; i++) {
        crd_i_touching *near = &run->touching[own->vars[i]];
        size_t kept = 0;
        for (size_t j = 0; j < near->count; j++)
            if (run->tables[near->tables[j]].vars != NULL) near->tables[kept++] = near->tables[j];
        near->count = kept;
        if (!crd_i_reserve(run->context, &near->tables, &near->room, kept + 1, sizeof *near->tables)) return false;
        near->tables[near->count++] = table;
    }
    return true;
}

/* ---- Numbers ---- */

void crd_i_expectation_multiply(crd_i_expecting *run, size_t product, const size_t *tables, size_t count) {
    crd_i_expected *out = &run->tables[product];
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

void crd_i_expectation_sum(crd_i_expecting *run, size_t product, size_t sums) {
    crd_i_expected *out = &run->tables[sums];
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
    /* The sums of a distribution have to stay what they are; others are scaled, the greatest to between 1/2 and 1. */
    if (out->heads == 0) frexp(most, &out->exponent);
    frexp(least, &out->low);
    out->low -= 1 + out->exponent;
    if (out->exponent == 0) return;
    double factor = ldexp(1, -out->exponent);
    for (size_t i = 0; i < cells; i++) out->numbers[i] *= factor;
}

void crd_i_expectation_divide(crd_i_expecting *run, size_t product, size_t sums, size_t spread) {
    crd_i_expected *own = &run->tables[product];
    size_t cells = (size_t)own->cells;
    if (sums != SIZE_MAX) {
        crd_i_walk walk;
        double *divisor = run->tables[spread].numbers;
        walk_tables(run, product, sums, &walk);
        crd_i_factor_set(CRD_I_PLAIN, &walk, divisor, run->tables[sums].numbers);
        crd_i_message_divide(run->scale, own->numbers, divisor, cells, ldexp(1, -run->tables[sums].exponent));
        memcpy(own->numbers, divisor, cells * sizeof *divisor);
    }
    for (size_t i = 0; run->scale == CRD_I_LOGS && i < cells; i++) own->numbers[i] = crd_exp(own->numbers[i]);
}

void crd_i_expectation_expect(crd_i_expecting *run, size_t product, size_t utility, size_t both, size_t rest) {
    crd_i_walk walk;
    double *numbers = run->tables[both].numbers;
    walk_tables(run, both, product, &walk);
    crd_i_factor_set(CRD_I_PLAIN, &walk, numbers, run->tables[product].numbers);
    walk_tables(run, both, utility, &walk);
    crd_i_factor_times(CRD_I_PLAIN, &walk, numbers, run->tables[utility].numbers);
    walk_tables(run, both, rest, &walk);
    crd_i_message_sum(CRD_I_PLAIN, &walk, numbers, run->tables[rest].numbers, (size_t)run->tables[rest].cells);
}

void crd_i_expectation_finish(const crd_i_expecting *run, double *out, double *room, size_t cells) {
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
        crd_i_factor_set(CRD_I_PLAIN, &walk, room, run->tables[i].numbers);
        for (size_t j = 0; j < cells; j++)
            if (room[j] == none) out[j] = NAN;
    }
}
