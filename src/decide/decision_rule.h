/* SPDX-License-Identifier: MIT */
/* decision_rule.h - the structure of a decision rule. */
#ifndef CRD_DECIDE_DECISION_RULE_H
#define CRD_DECIDE_DECISION_RULE_H

#include "base/dictionary.h"

#include <credence/decide.h>

struct crd_rule {
    crd_context *context;
    crd_rule_kind kind;
    crd_i_dictionary *classes; /* the code is the index; additional rows of the cost table follow after the classes */
    size_t class_count;        /* number of classes in log posteriors */
    crd_i_dictionary *actions; /* the code is the index */
    size_t action_count;
    int32_t *action_classes; /* class of each action, or -1 */
    double *costs;           /* (classes and additional rows) x actions; NULL: no costs */
    double least;            /* minimum probability; NaN: none */
    int32_t positive;        /* positive class of a threshold; -1: none */
};

/* Returns the largest log posterior. Sets *first to the first class that ties with it, and *tied to the number of
 * tied classes. If all classes have probability 0: -INFINITY, -1 and 0. */
double crd_i_rule_greatest(const double *log_posterior, size_t classes, int32_t *first, uint32_t *tied);

#endif
