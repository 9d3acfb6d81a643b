/* SPDX-License-Identifier: MIT */
/* query_terms.h - query --terms TEXT: lists the terms that a model extracts from a text. */
#ifndef CREDENCE_CLI_QUERY_TERMS_H
#define CREDENCE_CLI_QUERY_TERMS_H

#include "core/verb.h"

/* Answers the query. Returns an exit code. */
int query_terms(const invocation *call);

#endif
