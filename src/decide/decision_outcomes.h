/* SPDX-License-Identifier: MIT */
/* decision_outcomes.h - outcomes of decisions as bytes, within those of an assessment. */
#ifndef CRD_DECIDE_DECISION_OUTCOMES_H
#define CRD_DECIDE_DECISION_OUTCOMES_H

#include "io/byte_codec.h"

#include <credence/decide.h>

void crd_i_outcomes_write(const crd_outcomes *outcomes, crd_i_encoder *encoder);
/* Outcomes of decisions by a rule, which must outlive them. CRD_ERROR_DAMAGED where they are none of it. */
CRD_MUST_USE crd_status crd_i_outcomes_read(crd_context *context, const crd_rule *rule, crd_i_cursor *cursor,
                                            crd_outcomes **out, crd_error *error);

#endif
