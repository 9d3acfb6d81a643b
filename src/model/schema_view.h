/* SPDX-License-Identifier: MIT */
/* schema_view.h - a model as it is shown and written: classes and values in order. Those that count nothing are left
 * out, unless they are declared. */
#ifndef CRD_MODEL_SCHEMA_VIEW_H
#define CRD_MODEL_SCHEMA_VIEW_H

#include "model/model_internal.h"

typedef struct crd_i_schema_view {
    crd_context *context;
    size_t columns;
    crd_i_view *views; /* of each column: its tally's conditions and values; the target's values are the classes */
} crd_i_schema_view;

CRD_MUST_USE crd_status crd_i_schema_view_create(const crd_model *model, crd_i_schema_view **out, crd_error *error);
/* Without those that are only declared. */
CRD_MUST_USE crd_status crd_i_schema_view_create_counted(const crd_model *model, crd_i_schema_view **out,
                                                         crd_error *error);
void crd_i_schema_view_destroy(crd_i_schema_view *order);

/* The texts of a view's values, whose codes are then their places in the view. NULL: out of memory. */
crd_i_dictionary *crd_i_schema_view_dictionary(crd_context *context, const crd_i_dictionary *values,
                                               const crd_i_view *view);

/* What the values of a column are ordered by, for crd_i_dictionary_order: intervals, or numbers. */
typedef bool (*crd_i_value_order)(crd_text text, double *value);
crd_i_value_order crd_i_schema_view_order(const crd_i_schema_column *column);

/* What crd_i_dictionary_order asks: whether a text is a finite number. */
bool crd_i_schema_view_number(crd_text text, double *value);

#endif
