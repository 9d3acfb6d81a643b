/* SPDX-License-Identifier: MIT */
/* similar_classes.h - class names that probably denote one class in two spellings: see crd_summary_similar_class. */
#ifndef CRD_MODEL_SIMILAR_CLASSES_H
#define CRD_MODEL_SIMILAR_CLASSES_H

#include "model/model_internal.h"

/* Returns whether two different names are equal except for case, surrounding spaces, or number formatting. */
bool crd_i_names_are_similar(crd_text a, crd_text b);

/* Fails with CRD_ERROR_SCHEMA_DIFFERS if rows in `batch` have a class that is similar to a class of the model but
 * not equal to one. */
CRD_MUST_USE crd_status crd_i_model_check_new_classes(const crd_model *model, const crd_model *batch, crd_error *error);

/* ======== Class rows ========
 *
 * One weighted row per class represents all rows of a frame, for columns that are constant in the frame.
 *
 * The weight is the number of rows. Integer weights give byte-identical tallies to the individual rows. Therefore a
 * column without cells in a sparse frame costs time proportional to the number of classes. */

typedef struct crd_i_class_rows {
    crd_context *context;
    bool is_made;
    size_t count;        /* number of classes that have rows */
    int32_t *conditions; /* these classes */
    double *weights;     /* number of rows of each class */
    double *numbers;     /* memory for the cells */
    int32_t *codes;
    crd_i_groups groups;
} crd_i_class_rows;

void crd_i_class_rows_init(crd_i_class_rows *rows, crd_context *context);
void crd_i_class_rows_clear(crd_i_class_rows *rows);
/* Computes the class rows of rows with these conditions below `classes`, ignoring negative ones. A second call does
 * nothing. false: out of memory. */
CRD_MUST_USE bool crd_i_class_rows_make(crd_i_class_rows *rows, const int32_t *conditions, size_t row_count,
                                        size_t classes);
/* Adds the first cell of the column, which must be present, for all rows to the tallies of a variable of its type.
 * false: out of memory. */
CRD_MUST_USE bool crd_i_class_rows_add(const crd_i_class_rows *rows, crd_i_variable *variable,
                                       const crd_i_column *column, size_t classes);

#endif
