/* SPDX-License-Identifier: MIT */
/* value_check.h - classifies the values of a categorical column: numbers or dates with a few other values, numbers
 * with a unit, identifiers, texts. */
#ifndef CRD_MODEL_VALUE_CHECK_H
#define CRD_MODEL_VALUE_CHECK_H

#include <credence/model.h>

/* The distinct values of a column, and the number of rows of each. */
typedef struct crd_i_value_list {
    const void *owner;
    size_t count;
    crd_text (*text)(const void *owner, size_t i);
    double (*rows)(const void *owner, size_t i);
} crd_i_value_list;

/* Fills in *out for a categorical column with `cells` present cells. Texts in *out live as long as the values. */
void crd_i_check_values(const crd_i_value_list *values, double cells, crd_column_check *out);

#endif
