/* SPDX-License-Identifier: MIT */
/* query_terms.h - query --terms TEXT: what of a text a model counts. */
#ifndef CREDENCE_CLI_QUERY_TERMS_H
#define CREDENCE_CLI_QUERY_TERMS_H

#include "core/verb.h"

int query_terms(const invocation *call);

#endif
