/* SPDX-License-Identifier: MIT */
/* schema_view.h - a model as it is shown and written: sorted classes and values. Classes and values with a zero count
 * are omitted, unless they are declared. */
#ifndef CRD_MODEL_SCHEMA_VIEW_H
#define CRD_MODEL_SCHEMA_VIEW_H

#include "model/model_internal.h"

typedef struct crd_i_schema_view {
    crd_context *context;
    size_t columns;
    /* for each column: the conditions and values of its tally; the target's values are the classes */
    crd_i_view *views;
} crd_i_schema_view;

CRD_MUST_USE crd_status crd_i_schema_view_create(const crd_model *model, crd_i_schema_view **out, crd_error *error);
/* Creates a view without classes and values that are only declared. */
CRD_MUST_USE crd_status crd_i_schema_view_create_counted(const crd_model *model, crd_i_schema_view **out,
                                                         crd_error *error);
void crd_i_schema_view_destroy(crd_i_schema_view *view);

/* Creates a dictionary of a view's values; their codes are their positions in the view. NULL: out of memory. */
crd_i_dictionary *crd_i_schema_view_dictionary(crd_context *context, const crd_i_dictionary *values,
                                               const crd_i_view *view);

/* Returns the sort key of a column's values for crd_i_dictionary_order: interval bounds, or numbers. */
typedef bool (*crd_i_value_order)(crd_text text, double *value);
crd_i_value_order crd_i_schema_view_order(const crd_i_schema_column *column);

/* Returns whether a text is a finite number; for crd_i_dictionary_order. */
bool crd_i_schema_view_number(crd_text text, double *value);

#endif
