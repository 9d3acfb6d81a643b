/* SPDX-License-Identifier: MIT */
/* cut_search.h - computes cut points of a numeric column by a rule, from its adaptive histogram. */
#ifndef CRD_PROFILE_CUT_SEARCH_H
#define CRD_PROFILE_CUT_SEARCH_H

#include "model/model_internal.h"

typedef enum crd_i_cut_rule_type {
    CRD_I_CUTS_POINTS,
    CRD_I_CUTS_QUANTILE,
    CRD_I_CUTS_WIDTH,
    CRD_I_CUTS_MDL
} crd_i_cut_rule_type;

typedef struct crd_i_cut_rule {
    crd_i_cut_rule_type type;
    size_t count;   /* number of intervals, or of points */
    double *points; /* owned */
} crd_i_cut_rule;

/* Parses a rule. CRD_ERROR_SETTING: unknown rule. */
CRD_MUST_USE crd_status crd_i_cut_rule_parse(crd_context *context, crd_text text, crd_i_cut_rule *out,
                                             crd_error *error);
/* Computes the cut points of a variable that has extremes and a histogram. *cuts is owned by the caller. There may
 * be none, for example if all numbers are equal. */
CRD_MUST_USE crd_status crd_i_cut_search(crd_context *context, const crd_i_variable *variable, const crd_i_view *view,
                                         const crd_i_cut_rule *rule, double **cuts, size_t *count, crd_error *error);

#endif
