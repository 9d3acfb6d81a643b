/* SPDX-License-Identifier: MIT */
/* report.h - the result of a verb: a tree of credence/result.h, with what the command adds to it. Here, if memory runs
 * out, the command ends. */
#ifndef CREDENCE_CLI_REPORT_H
#define CREDENCE_CLI_REPORT_H

#include "core/output.h"

/* Creates a result for all formats. context NULL: a new one. */
crd_result *report_create(crd_context *context);
/* Creates a result for the format of --format, with pictures if `is_drawn` and --plot names a file. */
crd_result *report_create_for(const invocation *call, bool is_drawn);
/* Creates a result for all formats, with pictures if --plot names a file. */
crd_result *report_create_drawn(const invocation *call);

/* Copies the contents of a string, which live as long as the result, and frees the string. */
const char *report_take(crd_result *r, string *text);

/* Add nodes whose key is a name in the data. */
void report_object_named(crd_result *r, crd_text key);
void report_number_named(crd_result *r, crd_text key, double value);
/* Adds a column whose key and title are a name in the data. */
void column_add_named(crd_result_table *t, crd_text name);
/* Adds a column of bars. */
void column_add_bar(crd_result_table *t);
/* Adds e^log_value, which may be outside the range of doubles. */
void cell_exponential(crd_result_table *t, double log_value);
/* Adds a probability as a fraction and as a number. If the table would be too wide, people see only the number. */
void cell_fraction(crd_result_table *t, double log_value, const char *fraction);

/* Takes ownership of the picture that a function of credence/plot.h drew, if it succeeded. Otherwise reports its
 * error. */
int report_add_picture(crd_result *r, crd_status status, char **svg, const crd_error *error);

#endif
