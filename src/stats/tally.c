/* SPDX-License-Identifier: MIT */
/* tally.c - the table of tally types, and the functions common to all types. */
#include "stats/tally.h"

static const crd_i_tally_type *const types[] = {&crd_i_counts, &crd_i_moments,  &crd_i_terms, &crd_i_signs,
                                                &crd_i_logs,   &crd_i_extremes, &crd_i_grid};

enum { TYPE_COUNT = sizeof types / sizeof *types, MAIN_COUNT = 3 };

/* The main types come first. Each extra type has a bit in crd_i_extras. */
_Static_assert(TYPE_COUNT - MAIN_COUNT <= CRD_I_MOST_EXTRAS, "CRD_I_MOST_EXTRAS is too small for all extra types");

const crd_i_tally_type *crd_i_tally_type_for(crd_kind kind) {
    for (size_t i = 0; i < MAIN_COUNT; i++)
        if (types[i]->kind == kind) return types[i];
    return NULL;
}

const crd_i_tally_type *crd_i_tally_type_named(crd_text name) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (crd_text_equal(name, crd_text_of(types[i]->name))) return types[i];
    return NULL;
}

/* ---- Sets of extra types ---- */

size_t crd_i_extra_type_count(void) {
    return TYPE_COUNT - MAIN_COUNT;
}

const crd_i_tally_type *crd_i_extra_type(size_t i) {
    return types[MAIN_COUNT + i];
}

crd_i_extras crd_i_extras_of(const crd_i_tally_type *type) {
    for (size_t i = 0; i < TYPE_COUNT - MAIN_COUNT; i++)
        if (types[MAIN_COUNT + i] == type) return (crd_i_extras)1 << i;
    return 0;
}

/* ---- Tallies ---- */

void crd_i_tally_destroy(crd_i_tally *tally) {
    if (tally != NULL) tally->type->destroy(tally);
}

double crd_i_tally_total(const crd_i_tally *tally, size_t condition) {
    size_t cell;
    const crd_i_sums *totals = tally->type->total(tally, condition, &cell);
    return totals == NULL ? 0 : crd_i_sums_value(totals, cell);
}

bool crd_i_tally_is_empty(const crd_i_tally *tally) {
    crd_i_total_cursor cursor = {0};
    return !tally->type->next_total(tally, &cursor);
}
