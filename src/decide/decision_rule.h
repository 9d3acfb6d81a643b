/* SPDX-License-Identifier: MIT */
/* decision_rule.h - what a rule of decision is made of. */
#ifndef CRD_DECIDE_DECISION_RULE_H
#define CRD_DECIDE_DECISION_RULE_H

#include "base/dictionary.h"

#include <credence/decide.h>

struct crd_rule {
    crd_context *context;
    crd_rule_kind kind;
    crd_i_dictionary *classes; /* code = index; behind them, the further rows of a table of costs */
    size_t class_count;        /* of those that log posteriors list */
    crd_i_dictionary *actions; /* code = index */
    size_t action_count;
    int32_t *action_classes; /* of each action: its class, or -1 */
    double *costs;           /* classes and further rows x actions; NULL: none */
    double least;            /* NaN: none */
    int32_t positive;        /* the class of a threshold; -1: none */
};

/* The greatest log posterior; *first is the first class that ties with it, *tied how many do. All classes at zero:
 * -INFINITY, -1 and 0. */
double crd_i_rule_greatest(const double *log_posterior, size_t classes, int32_t *first, uint32_t *tied);

#endif
