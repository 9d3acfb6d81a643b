/* SPDX-License-Identifier: MIT */
/* explain_weights.h - weights of evidence: what the prior and each term of a row add to the log odds of one class
 * against another, log P(x_i | a) - log P(x_i | b), and which terms weigh most. */
#ifndef CREDENCE_CLI_EXPLAIN_WEIGHTS_H
#define CREDENCE_CLI_EXPLAIN_WEIGHTS_H

#include "verbs/explain/explain_parts.h"

/* Lines are the prior, the attributes, then the parts. */
typedef struct weights {
    struct weight *lines;
    size_t line_count;
    size_t *order; /* lines of terms, by their absolute weight, greatest first, then in the order of columns */
    size_t term_count;
    size_t listed;   /* of these terms, the first */
    size_t *missing; /* attributes whose cells are missing, which have no lines */
    size_t missing_count;
} weights;

/* Where no two classes are compared, all weigh the same. */
int weights_read(const reasons *r, const parts *p, weights *out);
void weights_free(weights *w);
/* As a picture, where the report has some. */
int weights_draw(report *out, const reasons *r, const parts *p, const weights *w);

/* The table of weights: the prior, the terms listed, the sum of the others, the total; for machines the member "weights". */
void weights_report(report *out, const reasons *r, const parts *p, const weights *w);
/* "missing, left out: a, b, c and 4 others", below a table; nothing where no cell is missing. */
void weights_report_missing(report *out, const reasons *r, const weights *w);

#endif
