/* SPDX-License-Identifier: MIT */
/* query_joint.h - reports the joint distribution of some variables. The probabilities may come from table counts, a
 * model
 * or a network. A single variable and an event are joint distributions, too. */
#ifndef CREDENCE_CLI_QUERY_JOINT_H
#define CREDENCE_CLI_QUERY_JOINT_H

#include "core/report.h"

/* Longer tables are truncated unless --all is given. */
enum { QUERY_VALUES_SHOWN = 20 };

/* A joint distribution with one cell per combination of values. The last variable varies fastest. */
typedef struct joint_distribution {
    size_t count;          /* number of variables, at least one */
    const crd_text *names; /* names of the variables */
    const size_t *sizes;   /* number of values of each variable */
    const void *data;      /* passed to the callbacks below as `object` */
    /* Returns the name of a value. Numbers are formatted into `buffer`. */
    crd_text (*value)(const void *object, size_t variable, size_t value, char buffer[CRD_NUMBER_ROOM]);
    /* Adds the content of a cell to the table: one number, and its standard error if has_errors. */
    void (*add)(crd_result_table *t, const void *object, size_t cell);
    /* Returns whether the text report lists the cell. NULL: it lists all cells. */
    bool (*is_seen)(const void *object, size_t cell);
    bool has_errors;
    bool is_hidden;    /* only in JSON */
    bool all;          /* list all cells, not only the first QUERY_VALUES_SHOWN */
    bool is_drawn;     /* draw a plot if the report has plots */
    const char *given; /* the evidence, for the title of the plot; NULL or "": none */
} joint_distribution;

/* Returns the number of cells. */
size_t joint_cells(const joint_distribution *j);
/* Returns the index of the variable's value in a cell. */
size_t joint_value(const joint_distribution *j, size_t cell, size_t variable);
/* Reports the table and its plot. In JSON the table consists of nested objects under `key`, the first variable
 * outermost. */
int joint_report(crd_result *r, crd_text key, const joint_distribution *j);

/* Adds the key of several variables to `out`: their names with commas between them, such as "a,b". */
void joint_add_key(string *out, const crd_text *names, const size_t *columns, size_t count);

#endif
