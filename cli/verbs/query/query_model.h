/* SPDX-License-Identifier: MIT */
/* query_model.h - questions to a model, or a table that is made one. */
#ifndef CREDENCE_CLI_QUERY_MODEL_H
#define CREDENCE_CLI_QUERY_MODEL_H

#include "core/invocation.h"

int query_model(invocation *call);

#endif
