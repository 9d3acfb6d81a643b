/* SPDX-License-Identifier: MIT */
/* class_rows.h - one row of each class for all rows of a frame, for columns in which these are alike.
 *
 * Its weight is how many rows there are: whole weights give the same tallies as so many rows, to the byte. So a column of
 * which a sparse frame has no cell costs as much as there are classes. */
#ifndef CRD_MODEL_CLASS_ROWS_H
#define CRD_MODEL_CLASS_ROWS_H

#include "model/model_internal.h"

typedef struct crd_i_class_rows {
    crd_context *context;
    bool is_made;
    size_t count;        /* classes that have rows */
    int32_t *conditions; /* these, */
    double *weights;     /* how many each has, */
    double *numbers;     /* and room for their cells */
    int32_t *codes;
    crd_i_groups groups;
} crd_i_class_rows;

void crd_i_class_rows_init(crd_i_class_rows *rows, crd_context *context);
void crd_i_class_rows_clear(crd_i_class_rows *rows);
/* Of rows with these conditions below `classes`, negative ones left out; once is enough. false: out of memory. */
CRD_MUST_USE bool crd_i_class_rows_make(crd_i_class_rows *rows, const int32_t *conditions, size_t row_count,
                                        size_t classes);
/* The first cell of the column, which is present, as that of all rows into the tallies of a variable of its kind.
 * false: out of memory. */
CRD_MUST_USE bool crd_i_class_rows_add(const crd_i_class_rows *rows, crd_i_variable *variable,
                                       const crd_i_column *column, size_t classes);

#endif
