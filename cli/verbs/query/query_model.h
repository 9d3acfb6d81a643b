/* SPDX-License-Identifier: MIT */
/* query_model.h - queries to a model, or to the model trained on a table. */
#ifndef CREDENCE_CLI_QUERY_MODEL_H
#define CREDENCE_CLI_QUERY_MODEL_H

#include "core/invocation.h"

/* Answers a query to the model in the first operand. If the operand is a table, trains the model first. */
int query_model(invocation *call);

#endif
