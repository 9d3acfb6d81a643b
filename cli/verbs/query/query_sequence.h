/* SPDX-License-Identifier: MIT */
/* query_sequence.h - a sequence model asked about the sequences of a table: how probable they are, which states they are in at a
 * step, whether they take a path, and what comes next. */
#ifndef CREDENCE_CLI_QUERY_SEQUENCE_H
#define CREDENCE_CLI_QUERY_SEQUENCE_H

#include "core/invocation.h"

int query_sequence(const invocation *call, const crd_model *model);

#endif
