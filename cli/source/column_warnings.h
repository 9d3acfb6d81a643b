/* SPDX-License-Identifier: MIT */
/* column_warnings.h - warns of properties of a training table that its owner may not have intended. */
#ifndef CREDENCE_CLI_COLUMN_WARNINGS_H
#define CREDENCE_CLI_COLUMN_WARNINGS_H

#include "core/invocation.h"

/* Warns of a model without attributes, of columns that are almost numeric, and of identifiers. If the reader can start
 * again, also warns of row numbers and codes, judged by the first rows. */
void column_warnings_report(const invocation *call, const crd_summary *summary, crd_reader *reader);
/* Returns ENDED_FAILED if the target is a quantity rather than a class: more than 100 distinct numbers, with fractions
 * or with fewer than 10 rows each on average. An option or a schema that declares the target categorical prevents
 * this. */
int column_warnings_check_target(const invocation *call, const crd_summary *summary, const crd_reader *reader);

/* Returns whether the option `by`, whose value is a list of columns, names this column. */
bool column_is_named_by(const invocation *call, const char *option_name, const crd_reader *reader, crd_text name);

#endif
