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

#endif
