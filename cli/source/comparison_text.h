/* SPDX-License-Identifier: MIT */
/* comparison_text.h - comparisons of candidates in words and tables: the library's sentences with options in them, and the
 * budget. */
#ifndef CREDENCE_CLI_COMPARISON_TEXT_H
#define CREDENCE_CLI_COMPARISON_TEXT_H

#include "core/options.h"
#include "core/report.h"

#include <credence/compare.h>

/* Reads --budget, if it is given. */
int comparison_read_budget(const arguments *given, double *budget);

/* Adds why the candidate is recommended; and which were not tried, nothing if all were. */
void comparison_add_reason(crd_context *context, const crd_selection *selection, string *out);
void comparison_add_not_tried(crd_context *context, const crd_selection *selection, string *out);
/* Adds why a candidate has no scores. */
void comparison_add_why_left_out(const crd_comparison_result *one, string *out);

/* Sorts the candidates that have scores by log loss, equal ones in the order of their simplicity. Returns how many there
 * are. */
size_t comparison_order(const crd_selection *selection, size_t *order);

/* Adds how the settings of a model were chosen, if they were: "choice", with the best candidates, or all of them. */
void comparison_report_choice(crd_context *context, const crd_model *model, bool shows_all, report *r);

enum { COMPARISON_SHOWN = 10 };

#endif
