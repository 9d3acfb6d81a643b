/* SPDX-License-Identifier: MIT */
/* joint_density.h - a density of several attributes together under each class: what naive Bayes does without.
 *
 * A family (family.h) says what one attribute is like under a condition; a joint density says it of several at once, so
 * that they need not be independent. It is derived from a joint tally (stats/joint_tally.h) under settings, once, and immutable.
 * A kind of joint density is one file with one table of functions, declared below. */
#ifndef CRD_DENSITY_MULTIVARIATE_JOINT_DENSITY_H
#define CRD_DENSITY_MULTIVARIATE_JOINT_DENSITY_H

#include "density/univariate/family.h"
#include "stats/joint_tally.h"

typedef struct crd_i_joint_type crd_i_joint_type;

/* A joint tally as it is seen: conditions and values by their place in the views from here on. */
typedef struct crd_i_joint_source {
    const crd_i_joint_tally *joint_tally;
    crd_i_joint_tally_view view;
    const crd_text *names;      /* of each column, for errors */
    const double *class_counts; /* rows of each condition of the view, complete or not */
    /* Rows that the model keeps (crd_i_kept_rows), or NULL: of the joint tally's columns, with conditions and codes by
     * their place in the views, each different row once and with its weight; in the order of a hash of what is in them,
     * so that any first part of them is a fair sample, and the same one on every machine. */
    const crd_i_joint_tally_rows *rows;
    /* What `fitted` gave before, from the same rows under the same settings, or NULL. A file may have said it, so that
     * it can be anything finite. */
    const double *fitted;
    size_t fitted_count;
} crd_i_joint_source;

/* One cell of a row: a number, or the place of a category in its column's view. */
typedef struct crd_i_joint_cell {
    bool is_present;
    double number;
    int32_t code;
} crd_i_joint_cell;

/* Doubles that the cells of a row of so many columns take. */
static inline size_t crd_i_joint_cells_room(size_t columns) {
    return (columns * sizeof(crd_i_joint_cell) + sizeof(double) - 1) / sizeof(double);
}

/* Embedded first in each. */
typedef struct crd_i_joint {
    const crd_i_joint_type *type;
    crd_context *context;
    size_t conditions, column_count;
    size_t capacity;              /* doubles that `add` works in, for one row at a time */
    double rows, incomplete_rows; /* that it was estimated from, and of these, those that lack a cell; 0: not known */
    const bool *takes; /* of each column: whether the density speaks of it; the others are left to their own */
} crd_i_joint;

struct crd_i_joint_type {
    const char *name;
    const char *summary; /* one line */
    const crd_i_joint_tally_type *reads;
    /* Whether it is fitted to rows, too, where the model keeps them; NULL: never. */
    bool (*asks_rows)(const crd_settings *settings);

    crd_status (*derive)(crd_context *context, const crd_i_joint_source *joint_source, const crd_settings *settings,
                         crd_i_joint **out, crd_error *error);
    void (*destroy)(crd_i_joint *joint);
    /* sums[condition] += log P(the present cells of the columns it takes | condition), for one row: missing cells are
     * marginalised. room has joint->room doubles, whatever is in them. */
    void (*add)(const crd_i_joint *joint, const crd_i_joint_cell *cells, double *sums, double *workspace);
    /* Draws cells of the columns it takes under a condition; NULL: it cannot. */
    void (*draw)(const crd_i_joint *joint, size_t condition, crd_i_random *random, crd_i_joint_cell *cells);
    /* The finite numbers that were fitted to rows, so that they need not be fitted again; NULL: none were. `fitted`
     * itself is NULL where asks_rows is. */
    const double *(*fitted)(const crd_i_joint *joint, size_t *count);
    /* Adds how many numbers it took. false: out of memory. */
    bool (*estimates)(const crd_i_joint *joint, crd_i_estimates *estimates);
    /* Adds all that the density is computed from, as docs/export.md has it. false: out of memory. */
    bool (*list_parameters)(const crd_i_joint *joint, crd_i_parameter_list *parameter);
    /* What is to be said of it in `show`, a line; NULL: nothing. Written into out, cut off at size. */
    void (*describe)(const crd_i_joint *joint, char *out, size_t size);
};

extern const crd_i_joint_type crd_i_joint_table;          /* from cells */
extern const crd_i_joint_type crd_i_joint_normal;         /* from cross, and rows where there are */
extern const crd_i_joint_type crd_i_joint_normal_mixture; /* from rows */
extern const crd_i_joint_type crd_i_joint_a1de;           /* from pairs */

/* The type of that name; NULL where there is none. Each is one line in the table of joint_density.c. */
const crd_i_joint_type *crd_i_joint_named(const char *name);

void crd_i_joint_destroy(crd_i_joint *joint); /* NULL is fine */

#endif
