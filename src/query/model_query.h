/* SPDX-License-Identifier: MIT */
/* model_query.h - what a query is made of: a classifier, and the target back in its place among the columns. */
#ifndef CRD_QUERY_MODEL_QUERY_H
#define CRD_QUERY_MODEL_QUERY_H

#include "classify/classifier_internal.h"

#include <credence/query.h>

struct crd_query {
    crd_context *context;
    crd_classifier *classifier;
    size_t target; /* column; the attributes before and behind it keep their order */
    crd_text target_name;
};

/* The attribute that a column other than the target is. */
const crd_i_attribute *crd_i_query_attribute(const crd_query *query, size_t column);

/* The class that a value names; CRD_ERROR_COLUMN where there is none. */
CRD_MUST_USE crd_status crd_i_query_class(const crd_query *query, const crd_value *value, size_t *class_index,
                                          crd_error *error);

#endif
