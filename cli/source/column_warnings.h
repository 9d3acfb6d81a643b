/* SPDX-License-Identifier: MIT */
/* column_warnings.h - what in a table that was learned may not be as its owner meant it. */
#ifndef CREDENCE_CLI_COLUMN_WARNINGS_H
#define CREDENCE_CLI_COLUMN_WARNINGS_H

#include "core/invocation.h"

/* Warns of a model without attributes, of columns that are nearly numbers, and of identifiers. */
void column_warnings_report(const invocation *call, const crd_summary *summary, const crd_reader *reader);

#endif
