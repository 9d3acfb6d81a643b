/* SPDX-License-Identifier: MIT */
/* explain_parts.h - what an answer is made of beyond prior and attributes: the terms of joint densities and of
 * pairs, which are added to theirs; members that answer instead; and calibration, which comes last. */
#ifndef CREDENCE_CLI_EXPLAIN_PARTS_H
#define CREDENCE_CLI_EXPLAIN_PARTS_H

#include "verbs/explain/explain_row.h"

/* One line of the working. */
typedef struct part {
    string string;   /* "length=1, width=2" */
    string working;  /* "together, by normal" */
    bool is_density; /* whether what stands in p( | class), or is a factor by itself */
    bool is_powered; /* whether it is a probability, and no density, raised to this: */
    double exponent;
    double *log_values; /* of each class */
} part;

/* Of one row. */
typedef struct parts {
    part *
        items; /* joint densities; attributes alone and the pairs that differ most, then what the others make together */
    size_t count;
    bool replaces_attributes; /* attributes alone are among the items */
    /* All terms, in the order in which the classifier adds them: */
    size_t joints, pairs, classes;
    double *joint_terms, *pair_terms;
} parts;

int parts_read(const reasons *r, parts *out);
void parts_free(parts *p);

/* Adds the terms of a class, in the classifier's order. */
double parts_add(const parts *p, size_t class_index, double sum);

/* The members "joints" and "pairs" of a class's object, where there are any. */
int parts_report(report *out, const reasons *r, const parts *p, size_t class_index);

/* What the members of a stacked ensemble answer, and how that is pooled: "pool" and "members". */
int parts_report_members(report *out, const reasons *r);

#endif
