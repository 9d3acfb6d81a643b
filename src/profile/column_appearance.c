/* SPDX-License-Identifier: MIT */
/* column_appearance.c - rules that detect columns that look like a row number, an identifier, or codes. See
 * credence/profile.h. */
#include "profile/profile_internal.h"

#include "model/value_check.h"

#include <math.h>

/* With fewer values, all of them may be distinct by chance. */
enum { FEW_CELLS = 20 };
/* Codes have few distinct values, which occur often. */
enum { MOST_CODES = 7, CELLS_A_CODE = 10 };

/* Returns whether n numbers with this minimum, maximum, mean and variance are consecutive integers. The variance of
 * n distinct integers is at least (n^2 - 1) / 12, with equality if they are consecutive. */
static bool are_consecutive(const crd_column_profile *facts) {
    const double near = 1e-12;
    double n = (double)facts->present, variance = facts->deviation * facts->deviation * (n - 1) / n;
    double wanted = (n - 1) * (n + 1) / 12, middle = facts->least / 2 + facts->greatest / 2;
    return facts->greatest - facts->least + 1 == n && facts->least == floor(facts->least) &&
           fabs(variance - wanted) <= near * wanted && fabs(facts->mean - middle) <= near * n;
}

static bool all_whole(const crd_i_grid_view *cells) {
    bool are = true;
    for (size_t i = 0; are && i < cells->count; i++) are = cells->values[i] == floor(cells->values[i]);
    return are;
}

/* Returns whether the numbers look like row numbers: distinct integers in a range of less than twice their number. */
static bool column_appearance_is_row_number(const crd_i_profile_column *column) {
    const crd_column_profile *facts = &column->facts;
    if (facts->present < FEW_CELLS) return false;
    if (!facts->is_exact) return are_consecutive(facts);
    return facts->distinct == facts->present && facts->greatest - facts->least < 2 * (double)facts->present &&
           all_whole(&column->cells);
}

/* Returns whether the numbers look like codes of categories. */
static bool column_appearance_are_codes(const crd_i_profile_column *column) {
    const crd_column_profile *facts = &column->facts;
    if (!facts->is_exact || facts->distinct < 2 || facts->distinct > MOST_CODES) return false;
    if (facts->present < CELLS_A_CODE * facts->distinct || !all_whole(&column->cells)) return false;
    /* Integers that begin at 0 and go beyond 1 are probably counts. */
    return facts->least > 0 || (facts->least == 0 && facts->greatest == 1);
}

static crd_text column_appearance_value_text(const void *owner, size_t i) {
    const crd_i_variable *variable = ((const crd_i_profile_column *)owner)->variable;
    return crd_i_dictionary_text(variable->values, (size_t)((const crd_i_profile_column *)owner)->ranked[i]);
}

static double column_appearance_value_rows(const void *owner, size_t i) {
    const crd_i_profile_column *column = owner;
    return crd_i_counts_value(column->variable->tally, (size_t)column->ranked[i], 0);
}

/* Returns whether the categories look like identifiers: nearly all of them are distinct. */
static bool column_appearance_is_identifier(const crd_i_profile_column *column) {
    const crd_column_profile *facts = &column->facts;
    const crd_i_value_list values = {column, column->ranked_count, column_appearance_value_text,
                                     column_appearance_value_rows};
    crd_column_check column_check = CRD_COLUMN_CHECK_INIT;
    if (facts->present <= FEW_CELLS || (double)facts->distinct <= 0.9 * (double)facts->present) return false;
    crd_i_check_values(&values, (double)facts->present, &column_check);
    return column_check.is_identifier != 0;
}

crd_appearance crd_i_profile_appearance(const crd_i_profile_column *column) {
    switch (column->facts.kind) {
    case CRD_KIND_NUMBER:
        if (column_appearance_is_row_number(column)) return CRD_APPEARANCE_ROW_NUMBER;
        return column_appearance_are_codes(column) ? CRD_APPEARANCE_CODES : CRD_APPEARANCE_PLAIN;
    case CRD_KIND_CATEGORY:
        return column_appearance_is_identifier(column) ? CRD_APPEARANCE_IDENTIFIER : CRD_APPEARANCE_PLAIN;
    case CRD_KIND_TEXT: return CRD_APPEARANCE_PLAIN;
    case CRD_KIND_NONE: break;
    }
    return CRD_APPEARANCE_PLAIN;
}
