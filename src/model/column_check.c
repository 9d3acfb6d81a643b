/* SPDX-License-Identifier: MIT */
/* column_check.c - finds columns of a training table that may not be what their owner intended. See
 * credence/model.h. */
#include "base/memory.h"
#include "model/value_check.h"

#include <credence/number.h>

#include <stdbool.h>

static double column_check_count_cells(const crd_summary *summary, size_t attribute) {
    double cells = 0;
    for (size_t c = 0; c < crd_summary_class_count(summary); c++) cells += crd_summary_present(summary, attribute, c);
    return cells;
}

typedef struct summary_column {
    const crd_summary *summary;
    size_t attribute;
} summary_column;

static crd_text column_check_value_text(const void *owner, size_t i) {
    const summary_column *column = owner;
    return crd_summary_value(column->summary, column->attribute, i);
}

static double column_check_value_rows(const void *owner, size_t i) {
    const summary_column *column = owner;
    return crd_summary_value_rows(column->summary, column->attribute, i);
}

void crd_summary_check_column(const crd_summary *summary, size_t attribute, crd_column_check *out) {
    crd_column_check column_check = CRD_COLUMN_CHECK_INIT;
    column_check.cells = column_check_count_cells(summary, attribute);
    if (crd_summary_kind(summary, attribute) == CRD_KIND_CATEGORY) {
        const summary_column column = {summary, attribute};
        const crd_i_value_list values = {&column, crd_summary_value_count(summary, attribute), column_check_value_text,
                                         column_check_value_rows};
        column_check.values = values.count;
        if (crd_summary_weight(summary).bytes == NULL) crd_i_check_values(&values, column_check.cells, &column_check);
    }
    crd_i_copy_out(&column_check, sizeof column_check, out);
}

/* More than MANY_CLASSES numeric classes, with few rows per class, are probably values of a quantity. More than
 * SOME_CLASSES may be. */
enum { MANY_CLASSES = 100, SOME_CLASSES = 20, ROWS_A_CLASS = 10 };

/* Returns whether there are more than `most` classes, and all are numbers. Some must have a fraction, or there must be
 * few rows per class. */
static bool has_numbers_as_classes(const crd_summary *summary, size_t most) {
    size_t classes = crd_summary_class_count(summary);
    bool has_fractions = false;
    if (crd_summary_target(summary).bytes == NULL || classes <= most) return false;
    for (size_t i = 0; i < classes; i++) {
        double number;
        if (crd_number_parse(crd_summary_class(summary, i), &number) != CRD_NUMBER_FINITE) return false;
        has_fractions = has_fractions || number != (double)(int64_t)(number < 1e15 && number > -1e15 ? number : 0);
    }
    return has_fractions || crd_summary_rows(summary) < ROWS_A_CLASS * (double)classes;
}

int crd_summary_target_is_quantity(const crd_summary *summary) {
    return has_numbers_as_classes(summary, MANY_CLASSES);
}

int crd_summary_target_may_be_quantity(const crd_summary *summary) {
    return has_numbers_as_classes(summary, SOME_CLASSES);
}

size_t crd_summary_lone_classes(const crd_summary *summary, size_t *first) {
    enum { MOST_LONE = 3 };
    size_t count = 0, others = 0;
    if (crd_summary_target(summary).bytes == NULL || crd_summary_weight(summary).bytes != NULL) return 0;
    for (size_t i = 0; i < crd_summary_class_count(summary); i++) {
        const double rows = crd_summary_class_rows(summary, i);
        if (rows == 1 && count++ == 0) *first = i;
        if (rows != 1 && rows < ROWS_A_CLASS) return 0;
        others += rows != 1;
    }
    return count <= MOST_LONE && others > 0 ? count : 0;
}
