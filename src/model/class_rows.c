/* SPDX-License-Identifier: MIT */
/* class_rows.c - see class_rows.h. */
#include "model/class_rows.h"

#include "base/memory.h"

#include <string.h>

void crd_i_class_rows_init(crd_i_class_rows *rows, crd_context *context) {
    memset(rows, 0, sizeof *rows);
    rows->context = rows->groups.context = context;
}

void crd_i_class_rows_clear(crd_i_class_rows *rows) {
    crd_free(rows->context, rows->conditions);
    crd_free(rows->context, rows->weights);
    crd_free(rows->context, rows->numbers);
    crd_free(rows->context, rows->codes);
    crd_i_groups_clear(&rows->groups);
}

bool crd_i_class_rows_make(crd_i_class_rows *rows, const int32_t *conditions, size_t row_count, size_t classes) {
    if (rows->is_made) return true;
    rows->conditions = crd_i_alloc(rows->context, classes, sizeof *rows->conditions);
    rows->weights = crd_i_alloc_zeroed(rows->context, classes, sizeof *rows->weights);
    rows->numbers = crd_i_alloc(rows->context, classes, sizeof *rows->numbers);
    rows->codes = crd_i_alloc(rows->context, classes, sizeof *rows->codes);
    if (rows->conditions == NULL || rows->weights == NULL || rows->numbers == NULL || rows->codes == NULL) return false;
    for (size_t row = 0; row < row_count; row++)
        if (conditions[row] >= 0) rows->weights[conditions[row]]++;
    for (size_t k = 0; k < classes; k++) {
        if (rows->weights[k] == 0) continue;
        rows->conditions[rows->count] = (int32_t)k;
        rows->weights[rows->count++] = rows->weights[k];
    }
    rows->is_made = crd_i_groups_init(&rows->groups, rows->context, rows->conditions, rows->weights, rows->count);
    return rows->is_made;
}

bool crd_i_class_rows_add(const crd_i_class_rows *rows, crd_i_variable *variable, const crd_i_column *column,
                          size_t classes) {
    bool is_number = column->kind == CRD_KIND_NUMBER;
    int32_t code = 0;
    if (!is_number) {
        crd_text value = crd_i_dictionary_text(column->dictionary, (size_t)column->codes[0]);
        code = crd_i_dictionary_add(variable->values, value);
        if (code < 0) return false;
    }
    for (size_t k = 0; k < rows->count; k++) {
        rows->numbers[k] = is_number ? column->numbers[0] : 0;
        rows->codes[k] = code;
    }
    crd_i_cells cells = {.rows = rows->count};
    cells.numbers = is_number ? rows->numbers : NULL;
    cells.codes = is_number ? NULL : rows->codes;
    crd_i_tally *tally = variable->tally;
    size_t values = is_number ? 0 : crd_i_dictionary_size(variable->values);
    if (!tally->type->extend(tally, classes, values) || !tally->type->add(tally, &cells, &rows->groups)) return false;
    for (size_t i = 0; i < CRD_I_MOST_EXTRAS; i++) {
        crd_i_tally *extra = variable->extra[i];
        if (extra != NULL &&
            (!extra->type->extend(extra, classes, 0) || !extra->type->add(extra, &cells, &rows->groups)))
            return false;
    }
    return true;
}
