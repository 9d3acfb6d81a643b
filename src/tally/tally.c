/* tally.c - the table of tally types, and what holds for all of them. */
#include "tally/tally.h"

static const crd_i_tally_type *const types[] = {&crd_i_counts, &crd_i_moments};

enum { TYPE_COUNT = sizeof types / sizeof *types };

const crd_i_tally_type *crd_i_tally_type_for(crd_kind kind) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i]->kind == kind) return types[i];
    return NULL;
}

const crd_i_tally_type *crd_i_tally_type_named(crd_text name) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (crd_text_equal(name, crd_text_of(types[i]->name))) return types[i];
    return NULL;
}

void crd_i_tally_destroy(crd_i_tally *tally) {
    if (tally != NULL) tally->type->destroy(tally);
}

double crd_i_tally_total(const crd_i_tally *tally, size_t condition) {
    return condition < tally->conditions ? crd_i_sums_value(tally->type->totals(tally), condition) : 0;
}

bool crd_i_tally_is_empty(const crd_i_tally *tally) {
    const crd_i_sums *totals = tally->type->totals(tally);
    for (size_t condition = 0; condition < tally->conditions; condition++)
        if (crd_i_sums_sign(totals, condition) != 0) return false;
    return true;
}
