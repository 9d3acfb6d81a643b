/* SPDX-License-Identifier: MIT */
/* query_joint.h - the joint distribution of some variables as a part of a report, whoever computed it: the counts of a
 * table, a model, or a network. One variable alone, and an event, are joint distributions too. */
#ifndef CREDENCE_CLI_QUERY_JOINT_H
#define CREDENCE_CLI_QUERY_JOINT_H

#include "core/report.h"

/* Longer tables are cut, unless --all. */
enum { QUERY_VALUES_SHOWN = 20 };

/* A cell for each combination of values, those of the last variable varying fastest. */
typedef struct joint_distribution {
    size_t count;          /* of variables, at least one */
    const crd_text *names; /* theirs */
    const size_t *sizes;   /* how many values each has */
    const void *data;      /* given to the calls below */
    /* The name of a value; `room` is for one that is a number. */
    crd_text (*value)(const void *object, size_t variable, size_t value, char buffer[CRD_NUMBER_ROOM]);
    /* Adds what a cell has: one number, and one more where there are errors. */
    void (*add)(report_table *t, const void *object, size_t cell);
    /* Whether people see the cell; NULL: all. */
    bool (*is_seen)(const void *object, size_t cell);
    bool has_errors;
    bool is_hidden;    /* for machines alone */
    bool all;          /* people see all cells, not the first few only */
    bool is_drawn;     /* as bars, where the report has pictures */
    const char *given; /* what is known, for the picture's title; NULL or "": nothing */
} joint_distribution;

size_t joint_cells(const joint_distribution *j);
/* Which value of a variable a cell has. */
size_t joint_value(const joint_distribution *j, size_t cell, size_t variable);
/* The table, in JSON as objects inside objects, the first variable outermost, below a key that is `key`; and its picture. */
int joint_report(report *r, crd_text key, const joint_distribution *j);

/* The key of some variables together: "a,b". */
void joint_add_key(string *out, const crd_text *names, const size_t *columns, size_t count);

#endif
