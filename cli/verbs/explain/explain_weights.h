/* SPDX-License-Identifier: MIT */
/* explain_weights.h - weights of evidence (Good 1950): the contributions of the prior and of each term to the log
 * odds of
 * class a against class b, log P(x_i | a) - log P(x_i | b). */
#ifndef CREDENCE_CLI_EXPLAIN_WEIGHTS_H
#define CREDENCE_CLI_EXPLAIN_WEIGHTS_H

#include "verbs/explain/explain_parts.h"

/* The lines are the prior, the attributes, then the parts. */
typedef struct weights {
    struct weight *lines;
    size_t line_count;
    size_t *order; /* lines of terms, by absolute weight, largest first; ties are in the order of the columns */
    size_t term_count;
    size_t listed;   /* how many of these terms are listed */
    size_t *missing; /* attributes with missing cells, which have no lines */
    size_t missing_count;
} weights;

/* Computes the weights. If the row compares no two classes, all weights are equal. Free `out` with weights_free. */
int weights_read(const reasons *r, const parts *p, weights *out);
void weights_free(weights *w);
/* Draws the weights if the report has plots. */
int weights_draw(crd_result *out, const reasons *r, const parts *p, const weights *w);

/* Reports the prior, the listed terms, the sum of the others and the total, and the JSON member "weights". */
void weights_report(crd_result *out, const reasons *r, const parts *p, const weights *w);
/* Adds a line such as "missing, ignored: a, b, c and 4 others" below a table. Adds nothing if no cell is missing. */
void weights_report_missing(crd_result *out, const reasons *r, const weights *w);

#endif
