/* SPDX-License-Identifier: MIT */
/* row_subset.c - see row_subset.h. */
#include "structure/row_subset.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

static const double LEAST_COMPLETE = 0.5;

/* Copies the values of a column in the chosen rows. Returns false if memory runs out. */
static bool row_subset_copy_column(crd_i_case_table *case_table, const crd_i_case_table *source_table, size_t column,
                                   const uint32_t *rows) {
    const crd_i_case_column *source = &source_table->columns[column];
    crd_i_case_column *target = &case_table->columns[column];
    *target = *source;
    target->codes8 = NULL;
    target->codes16 = NULL;
    target->codes32 = NULL;
    target->numbers = NULL;
    if (source->kind == CRD_KIND_NUMBER) {
        target->numbers = crd_i_alloc(case_table->context, case_table->rows, sizeof *target->numbers);
        for (size_t i = 0; target->numbers != NULL && i < case_table->rows; i++)
            target->numbers[i] = source->numbers[rows[i]];
        return target->numbers != NULL;
    }
    if (!crd_i_case_column_codes(case_table, column, case_table->rows)) return false;
    for (size_t i = 0; i < case_table->rows; i++) crd_i_case_put(target, i, crd_i_case_code(source, rows[i]));
    return true;
}

/* Names and states belong to the original table, so they are removed first. */
void crd_i_row_subset_destroy(crd_i_case_table *subset) {
    for (size_t i = 0; subset != NULL && i < subset->column_count; i++) {
        subset->columns[i].name = (crd_text){NULL, 0};
        subset->columns[i].states = NULL;
        subset->columns[i].state_bytes = NULL;
    }
    crd_i_case_table_destroy(subset);
}

crd_status crd_i_row_subset_create(const crd_i_case_table *table, const uint32_t *rows, size_t count,
                                   crd_i_case_table **out, crd_error *error) {
    *out = NULL;
    crd_i_case_table *subset = crd_i_case_table_create(table->context, table->column_count);
    if (subset == NULL) return crd_i_fail_memory(error);
    subset->target = table->target;
    subset->rows = count;
    subset->weights = crd_i_alloc(table->context, count, sizeof *subset->weights);
    bool is_made = subset->weights != NULL;
    for (size_t i = 0; is_made && i < table->column_count; i++)
        is_made = row_subset_copy_column(subset, table, i, rows);
    if (!is_made) {
        crd_i_row_subset_destroy(subset);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        subset->weights[i] = crd_i_case_weight(table, rows[i]);
        subset->total += subset->weights[i];
    }
    *out = subset;
    return CRD_OK;
}

static bool row_subset_is_complete(const crd_i_case_table *table, size_t row) {
    for (size_t i = 0; i < table->column_count; i++) {
        const crd_i_case_column *column = &table->columns[i];
        if (!column->has_missing) continue;
        if (column->numbers != NULL ? isnan(column->numbers[row])
                                    : crd_i_case_code(column, row) == CRD_I_CASE_MISSING32)
            return false;
    }
    return true;
}

crd_status crd_i_row_subset_complete(const crd_i_case_table *table, crd_i_case_table **out, crd_error *error) {
    bool has_missing = false;
    size_t count = 0;
    double total = 0;
    crd_status status = CRD_OK;
    *out = NULL;
    for (size_t i = 0; i < table->column_count; i++) has_missing = has_missing || table->columns[i].has_missing;
    if (!has_missing) return CRD_OK;
    uint32_t *rows = crd_i_alloc(table->context, table->rows, sizeof *rows);
    if (rows == NULL) return crd_i_fail_memory(error);
    for (size_t row = 0; row < table->rows; row++) {
        if (!row_subset_is_complete(table, row)) continue;
        rows[count++] = (uint32_t)row;
        total += crd_i_case_weight(table, row);
    }
    if (count > 0 && count < table->rows && total >= LEAST_COMPLETE * table->total)
        status = crd_i_row_subset_create(table, rows, count, out, error);
    for (size_t i = 0; *out != NULL && i < table->column_count; i++) (*out)->columns[i].has_missing = false;
    if (*out != NULL) (*out)->is_shared = table->is_shared;
    crd_free(table->context, rows);
    return status;
}
