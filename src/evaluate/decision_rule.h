/* SPDX-License-Identifier: MIT */
/* decision_rule.h - encoding of outcomes as a part of an encoded assessment. */
#ifndef CRD_EVALUATE_DECISION_RULE_H
#define CRD_EVALUATE_DECISION_RULE_H

#include "base/byte_codec.h"

#include <credence/decide.h>

/* Writes outcomes. */
void crd_i_outcomes_write(const crd_outcomes *outcomes, crd_i_encoder *encoder);
/* Reads outcomes of a rule, which must outlive them. Returns CRD_ERROR_DAMAGED if they do not belong to the rule. */
CRD_MUST_USE crd_status crd_i_outcomes_read(crd_context *context, const crd_rule *rule, crd_i_cursor *cursor,
                                            crd_outcomes **out, crd_error *error);

/* Creates outcomes without rows in *out. The rule must outlive them. Destroy them with crd_i_outcomes_destroy. */
CRD_MUST_USE crd_status crd_i_outcomes_create(crd_context *context, const crd_rule *rule, crd_outcomes **out,
                                              crd_error *error);

/* Frees outcomes. NULL is allowed. */
void crd_i_outcomes_destroy(crd_outcomes *outcomes);

/* Decides one row by the rule and adds the outcome. `truth` is the true class. The row counts as `weight` rows, from 0
 * to 2^63 (CRD_ERROR_WEIGHT). Writes the decision to *decision, which may be NULL. CRD_ERROR_COLUMN: the cost table has
 * no row for the true class. */
CRD_MUST_USE crd_status crd_i_outcomes_add(crd_outcomes *outcomes, const double *log_posterior, crd_text truth,
                                           double weight, crd_decision *decision, crd_error *error);

/* Adds all rows of `other`, which must be outcomes of the same rule. The result is identical to adding the rows one by
 * one. CRD_ERROR_ARGUMENT: the rules differ. */
CRD_MUST_USE crd_status crd_i_outcomes_merge(crd_outcomes *outcomes, const crd_outcomes *other, crd_error *error);

#endif
