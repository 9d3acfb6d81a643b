/* SPDX-License-Identifier: MIT */
/* query_sequence.h - queries a sequence model about the sequences of a table: their log probability, the states at
 * a step,
 * the probability of a path, and forecasts. */
#ifndef CREDENCE_CLI_QUERY_SEQUENCE_H
#define CREDENCE_CLI_QUERY_SEQUENCE_H

#include "core/invocation.h"

/* Answers the query of the command line, for each sequence of DATA. Returns an exit code. */
int query_sequence(const invocation *call, const crd_model *model);

#endif
