/* SPDX-License-Identifier: MIT */
/* joint_density.h - joint densities of several attributes under each class, which drop the independence assumption of
 * naive Bayes.
 *
 * A family (family.h) is a distribution of one attribute under a condition. A joint density is a distribution of
 * several attributes at once, so these may depend on each other. It is derived once, from a joint tally
 * (stats/joint_tally.h) under settings, and is immutable afterwards. Each type of joint density is one file with one
 * table of functions, crd_i_joint_type. */
#ifndef CRD_DENSITY_MULTIVARIATE_JOINT_DENSITY_H
#define CRD_DENSITY_MULTIVARIATE_JOINT_DENSITY_H

#include "density/univariate/family.h"
#include "stats/joint_tally.h"

typedef struct crd_i_joint_type crd_i_joint_type;

/* The input of a joint density. Conditions and values are numbered by their position in the views, not by their number
 * in the joint tally. */
typedef struct crd_i_joint_source {
    const crd_i_joint_tally *joint_tally;
    crd_i_joint_tally_view view;
    const crd_text *names;      /* one for each column, for error messages */
    const double *class_counts; /* rows of each condition of the view, complete or incomplete */
    /* The stored training rows (crd_i_kept_rows), or NULL. Their columns are the joint tally's columns, and their
     * conditions and codes are positions in the views. Each distinct row occurs once, with its weight. Rows are ordered
     * by a hash of their contents, so every prefix is a fair sample, and it is the same sample on every machine. */
    const crd_i_joint_tally_rows *rows;
    /* The numbers that `fitted` returned earlier for the same rows and settings, or NULL. They may come from a file, so
     * they are finite but otherwise unchecked. */
    const double *fitted;
    size_t fitted_count;
} crd_i_joint_source;

/* One cell of a row: a number, or the position of a category in its column's view. */
typedef struct crd_i_joint_cell {
    bool is_present;
    double number;
    int32_t code;
} crd_i_joint_cell;

/* Returns the number of doubles that take at least as much memory as the cells of a row with `columns` columns. */
static inline size_t crd_i_joint_cells_room(size_t columns) {
    return (columns * sizeof(crd_i_joint_cell) + sizeof(double) - 1) / sizeof(double);
}

/* The common part of all joint densities: the first member of each. */
typedef struct crd_i_joint {
    const crd_i_joint_type *type;
    crd_context *context;
    size_t conditions, column_count;
    size_t capacity;              /* number of doubles in the workspace of `add`, for one row at a time */
    double rows, incomplete_rows; /* rows it was estimated from, and how many of them lack a cell; 0: unknown */
    const bool *takes; /* for each column: whether the density covers it; the other columns keep their own families */
} crd_i_joint;

struct crd_i_joint_type {
    const char *name;
    const char *summary; /* one line */
    const crd_i_joint_tally_type *reads;
    /* Returns whether the density is also fitted to the stored rows, if the model has any. NULL: never. */
    bool (*asks_rows)(const crd_settings *settings);

    crd_status (*derive)(crd_context *context, const crd_i_joint_source *joint_source, const crd_settings *settings,
                         crd_i_joint **out, crd_error *error);
    void (*destroy)(crd_i_joint *joint);
    /* Adds log P(present cells of the covered columns | condition) to sums[condition], for one row. Missing cells are
     * marginalized out. `workspace` has joint->capacity doubles of any content. */
    void (*add)(const crd_i_joint *joint, const crd_i_joint_cell *cells, double *sums, double *workspace);
    /* Draws the cells of the covered columns under a condition. NULL: drawing is not supported. */
    void (*draw)(const crd_i_joint *joint, size_t condition, crd_i_random *random, crd_i_joint_cell *cells);
    /* Returns the finite numbers that were fitted to rows, so they can be stored instead of being fitted again. Returns
     * NULL if no numbers were fitted. `fitted` itself is NULL if `asks_rows` is NULL. */
    const double *(*fitted)(const crd_i_joint *joint, size_t *count);
    /* Adds the number of estimated parameters to `estimates`. false: out of memory. */
    bool (*estimates)(const crd_i_joint *joint, crd_i_estimates *estimates);
    /* Adds all parameters of the density to the list, as described in docs/export.md. false: out of memory. */
    bool (*list_parameters)(const crd_i_joint *joint, crd_i_parameter_list *parameter);
    /* Writes a one-line description for `show` into `out`, truncated to `size` bytes. NULL: none. */
    void (*describe)(const crd_i_joint *joint, char *out, size_t size);
};

extern const crd_i_joint_type crd_i_joint_table;          /* from cells */
extern const crd_i_joint_type crd_i_joint_normal;         /* from cross, and from stored rows if there are any */
extern const crd_i_joint_type crd_i_joint_normal_mixture; /* from rows */
extern const crd_i_joint_type crd_i_joint_a1de;           /* from pairs */

/* Returns the type called `name`, or NULL if the name is unknown. Each type is one entry of the table in
 * joint_density.c. */
const crd_i_joint_type *crd_i_joint_named(const char *name);

void crd_i_joint_destroy(crd_i_joint *joint); /* NULL is allowed */

#endif
