/* SPDX-License-Identifier: MIT */
/* column_warnings.h - what in a table that was learned may not be as its owner meant it. */
#ifndef CREDENCE_CLI_COLUMN_WARNINGS_H
#define CREDENCE_CLI_COLUMN_WARNINGS_H

#include "core/invocation.h"

/* Warns of a model without attributes, of columns that are nearly numbers, of identifiers, and, by the first rows of a
 * reader that can begin again, of row numbers and of codes. */
void column_warnings_report(const invocation *call, const crd_summary *summary, crd_reader *reader);
/* ENDED_FAILED where the target is a quantity rather than a class: more than 100 distinct numbers, with fractions or fewer
 * than 10 rows each on average, unless an option or a schema settles that it is a category. */
int column_warnings_check_target(const invocation *call, const crd_summary *summary, const crd_reader *reader);

/* Whether an option that takes columns names this one. */
bool column_is_named_by(const invocation *call, const char *by, const crd_reader *reader, crd_text name);

#endif
