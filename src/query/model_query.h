/* SPDX-License-Identifier: MIT */
/* model_query.h - the members of a query: a classifier, and the target at its original place among the columns. */
#ifndef CRD_QUERY_MODEL_QUERY_H
#define CRD_QUERY_MODEL_QUERY_H

#include "classify/classifier_internal.h"

#include <credence/query.h>

struct crd_query {
    crd_context *context;
    crd_classifier *classifier;
    size_t target; /* column of the target; the attributes before and after it keep their order */
    crd_text target_name;
};

/* Returns the attribute of a column, which must not be the target. */
const crd_i_attribute *crd_i_query_attribute(const crd_query *query, size_t column);

/* Sets *class_index to the class that the value names. Fails with CRD_ERROR_COLUMN if the target has no such class. */
CRD_MUST_USE crd_status crd_i_query_class(const crd_query *query, const crd_value *value, size_t *class_index,
                                          crd_error *error);

#endif
