/* SPDX-License-Identifier: MIT */
/* explain_sequence.h - items of sequences: what the past, the observation and the future say of the state, and where the most
 * probable path goes another way. */
#ifndef CREDENCE_CLI_EXPLAIN_SEQUENCE_H
#define CREDENCE_CLI_EXPLAIN_SEQUENCE_H

#include "core/invocation.h"

int explain_sequence(const invocation *call, const crd_model *model);

#endif
