/* SPDX-License-Identifier: MIT */
/* comparison_text.h - comparisons of candidates as text and tables. Uses the library's sentences with option names, and
 * reads the budget. */
#ifndef CREDENCE_CLI_COMPARISON_TEXT_H
#define CREDENCE_CLI_COMPARISON_TEXT_H

#include "core/options.h"
#include "core/report.h"

#include <credence/compare.h>

/* Reads --budget, if it is given. */
int comparison_read_budget(const arguments *given, double *budget);

/* Add the reason for the recommendation, and the candidates that were not tried (nothing if all were). */
void comparison_add_reason(crd_context *context, const crd_selection *selection, string *out);
void comparison_add_not_tried(crd_context *context, const crd_selection *selection, string *out);
/* Adds the reason why a candidate has no scores. */
void comparison_add_why_left_out(const crd_comparison_result *one, string *out);

/* Sorts the candidates that have scores by log loss. Ties are in the order of simplicity. Returns the number of these
 * candidates. */
size_t comparison_order(const crd_selection *selection, size_t *order);

/* Adds the object "choice" if --method auto chose the model's settings: the reason, and the best candidates or all of
 * them. */
void comparison_report_choice(crd_context *context, const crd_model *model, bool shows_all, crd_result *r);

enum { COMPARISON_SHOWN = 10 };

#endif
