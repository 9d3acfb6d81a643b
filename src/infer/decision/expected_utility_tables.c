/* SPDX-License-Identifier: MIT */
/* expected_utility_tables.c - see expected_utility_tables.h. */
#include "infer/decision/expected_utility_tables.h"

#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* A product of numbers whose smallest exponents add up to this is a normal double, and so is its divisor. */
enum { LOWEST = -900 };

/* ---- Tables ---- */

size_t crd_i_expectation_make(crd_i_expecting *run, uint32_t *vars, size_t count) {
    crd_i_expected expectation = {.vars = vars, .count = count, .cells = 1};
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

void crd_i_expectation_drop(crd_i_expecting *run, size_t table) {
    crd_i_expected *gone = &run->tables[table];
    if (gone->vars == NULL) return;
    run->cells -= gone->cells;
    crd_free(run->context, gone->vars);
    crd_free(run->context, gone->numbers);
    gone->vars = NULL;
    gone->numbers = NULL;
}

/* Returns whether all variables of `small` are in `large`. */
static bool utility_tables_is_within(const crd_i_expected *small, const crd_i_expected *large) {
    size_t index = 0;
    for (size_t i = 0; i < large->count && index < small->count; i++) index += large->vars[i] == small->vars[index];
    return index == small->count;
}

/* Sets up the walk through a table together with a table of some of its variables. */
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

/* Adds a utility to a utility that contains all its variables. */
static void utility_tables_merge(crd_i_expecting *run, size_t small, size_t large) {
    crd_i_walk walk;
    if (run->has_numbers) {
        walk_tables(run, large, small, &walk);
        /* In log scale, multiplication is addition. */
        crd_i_message_times(CRD_I_LOGS, &walk, run->tables[large].numbers, run->tables[small].numbers);
    }
    crd_i_expectation_drop(run, small);
}

/* Merges a utility with utilities that overlap it if that does not enlarge a table. Returns true if the table was
 * removed. */
static bool merge_utility(crd_i_expecting *run, size_t table) {
    const crd_i_expected *expectation = &run->tables[table];
    for (size_t i = 0; i < expectation->count; i++) {
        const crd_i_touching *near = &run->touching[expectation->vars[i]];
        for (size_t j = 0; j < near->count; j++) {
            size_t other = near->tables[j];
            const crd_i_expected *expected_values = &run->tables[other];
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

bool crd_i_expectation_add(crd_i_expecting *run, size_t table) {
    if (run->tables[table].is_utility && merge_utility(run, table)) return true;
    const crd_i_expected *expectation = &run->tables[table];
    for (size_t i = 0; i < expectation->count; i++) {
        crd_i_touching *near = &run->touching[expectation->vars[i]];
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
    /* The sums of a distribution must not change. Other tables are scaled so that the largest entry is between 1/2
     * and 1. */
    if (out->heads == 0) frexp(most, &out->exponent);
    frexp(least, &out->low);
    out->low -= 1 + out->exponent;
    if (out->exponent == 0) return;
    double factor = ldexp(1, -out->exponent);
    for (size_t i = 0; i < cells; i++) out->numbers[i] *= factor;
}

void crd_i_expectation_divide(crd_i_expecting *run, size_t product, size_t sums, size_t spread) {
    crd_i_expected *expectation = &run->tables[product];
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

void crd_i_expectation_expect(crd_i_expecting *run, size_t product, size_t utility, size_t both, size_t remainder) {
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

void crd_i_expectation_finish(const crd_i_expecting *run, double *out, double *workspace, size_t cells) {
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
