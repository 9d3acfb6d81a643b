/* SPDX-License-Identifier: MIT */
/* explain_parts.h - the components of a posterior other than the prior and single attributes: the terms of joint
 * densities
 * and pairs, which are added to the others, and the members of an ensemble. */
#ifndef CREDENCE_CLI_EXPLAIN_PARTS_H
#define CREDENCE_CLI_EXPLAIN_PARTS_H

#include "verbs/explain/explain_row.h"

/* One line of the worksheet. */
typedef struct part {
    string string;   /* such as "length=1, width=2" */
    string working;  /* such as "jointly, by normal" */
    bool is_density; /* true: shown as p(string | class); false: shown as a factor */
    bool is_powered; /* true: a probability, not a density, raised to `exponent` */
    double exponent;
    double *log_values; /* for each class */
} part;

/* The terms of one row. */
typedef struct parts {
    /* the lines: joint densities, single attributes, the pairs that differ most, and one for the other pairs */
    part *items;
    size_t count;
    bool replaces_attributes; /* single attributes are among the items */
    bool has_trees;           /* attributes have factors of averaged trees */
    /* All terms, in the order in which the classifier adds them: */
    size_t joints, pairs, classes;
    double *joint_terms, *pair_terms;
} parts;

/* Returns whether the classifier averages trees, in which missing values count too. */
bool parts_have_trees(const crd_classifier *classifier);

int parts_read(const reasons *r, parts *out);
void parts_free(parts *p);

/* Returns the sum plus the terms of a class, added in the classifier's order. */
double parts_add(const parts *p, size_t class_index, double sum);

/* Adds the members "joints" and "pairs" to the object of a class, if there are any. */
int parts_report(crd_result *out, const reasons *r, const parts *p, size_t class_index);

/* Reports the posteriors of the ensemble members and how they are pooled: "pool" and "members". */
int parts_report_members(crd_result *out, const reasons *r);

#endif
