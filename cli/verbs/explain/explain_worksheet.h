/* explain_worksheet.h - the working of one answer on paper: for each class the product of its terms, the evidence, the
 * posterior, and what each attribute weighs for one class against another. */
#ifndef CREDENCE_CLI_EXPLAIN_WORKSHEET_H
#define CREDENCE_CLI_EXPLAIN_WORKSHEET_H

#include "verbs/explain/explain_parts.h"

/* Adds the logarithms of prior and terms, those of the parts as well, in the order in which the classifier does. */
int worksheet_log_joint(const reasons *r, const parts *p, size_t class_index, double *out);

int worksheet_print(output *out, const reasons *r);
/* The line of the class that is decided for, alone. */
void worksheet_print_decision(output *out, const reasons *r);

#endif
