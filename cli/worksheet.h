/* worksheet.h - the working of one answer on paper: for each class the product of its terms, the evidence, the
 * posterior, and what each attribute weighs for one class against another. */
#ifndef CREDENCE_CLI_WORKSHEET_H
#define CREDENCE_CLI_WORKSHEET_H

#include "output.h"

/* One row and its answer. Terms are asked for again where they are written: the classifier gives the same ones. */
typedef struct reasons {
    const crd_classifier *classifier;
    const crd_value *values;                     /* one an attribute */
    const double *log_posterior, *probabilities; /* one a class */
    const crd_answer *answer;
    /* Before calibration; the same where there is none. */
    const double *found_log_posterior, *found;
    bool all;    /* long lists in full */
    bool paired; /* whether two classes are weighed against each other */
    size_t pair[2];
} reasons;

/* Adds the logarithms of prior and terms, those of the parts as well, in the order in which the classifier does. */
struct parts;
int worksheet_log_joint(const reasons *r, const struct parts *p, size_t class_index, double *out);

/* Adds a cell as it is named: the category, the number in full, or "?" where it is missing. */
void worksheet_add_value(string *out, const crd_value *value);

int worksheet_print(output *out, const reasons *r);
/* The line of the class that is decided for, alone. */
void worksheet_print_decision(output *out, const reasons *r);

#endif
