/* tally.c - the table of tally types, and what holds for all of them. */
#include "tally/tally.h"

#include "base/error.h"
#include "base/text.h"

static const crd_i_tally_type *const types[] = {&crd_i_counts, &crd_i_moments, &crd_i_signs, &crd_i_logs,
                                                &crd_i_extremes, &crd_i_grid};

enum { TYPE_COUNT = sizeof types / sizeof *types, MAIN_COUNT = 2 };

/* The main ones stand first, and the others have a bit each. */
_Static_assert(TYPE_COUNT - MAIN_COUNT <= CRD_I_MOST_EXTRAS, "a set of extra types has no room for all of them");

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

static crd_status fail_unknown(crd_text name, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SETTING, "there is no tally '%s' to keep; there are all, ", crd_i_quote(name, quoted));
    for (size_t i = 0; i < TYPE_COUNT - MAIN_COUNT; i++)
        crd_i_error_item(error, i, crd_text_of(types[MAIN_COUNT + i]->name));
    crd_i_error_subject(error, crd_text_of("tally"));
    return CRD_ERROR_SETTING;
}

crd_status crd_i_extras_parse(crd_text text, crd_i_extras *extras, crd_error *error) {
    crd_i_extras found = 0;
    for (size_t begin = 0, end; begin <= text.length; begin = end + 1) {
        for (end = begin; end < text.length && text.bytes[end] != ',';) end++;
        crd_text part = {text.bytes + begin, end - begin}, name = crd_i_text_trim(part);
        const crd_i_tally_type *type = crd_i_tally_type_named(name);
        if (crd_text_equal(name, crd_text_of("all")))
            for (size_t i = 0; i < TYPE_COUNT - MAIN_COUNT; i++) found |= (crd_i_extras)1 << i;
        else if (type == NULL || type->is_main) return fail_unknown(name, error);
        else found |= crd_i_extras_of(type);
    }
    *extras |= found;
    return CRD_OK;
}

/* ---- Tallies ---- */

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
