/* SPDX-License-Identifier: MIT */
/* explain_sequence.h - explains items of sequences: how past, observation and future contribute to the posterior of
 * each
 * state, and where the most probable path differs from it. */
#ifndef CREDENCE_CLI_EXPLAIN_SEQUENCE_H
#define CREDENCE_CLI_EXPLAIN_SEQUENCE_H

#include "core/invocation.h"

/* Explains the items of DATA, or only the item of --row. Returns an exit code. */
int explain_sequence(const invocation *call, const crd_model *model);

#endif
