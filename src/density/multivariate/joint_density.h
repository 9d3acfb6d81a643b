/* SPDX-License-Identifier: MIT */
/* joint_density.h - joint densities of several attributes under each class, which drop the independence assumption of
 * naive Bayes.
 *
 * A family (family.h) is a distribution of one attribute under a condition. A joint density is a distribution of
 * several attributes at once, so these may depend on each other. It is derived once, from a joint tally
 * (stats/joint_tally.h) under settings, and is immutable afterwards. Each type of joint density is one file with one
 * table of functions, crd_i_joint_type.
 *
 * Contents:
 *   1. Joint densities
 *   2. AODE terms
 *   3. Multivariate normal density
 *   4. Normal mixtures
 *   5. Mixture selection */
#ifndef CRD_DENSITY_MULTIVARIATE_JOINT_DENSITY_H
#define CRD_DENSITY_MULTIVARIATE_JOINT_DENSITY_H

#include "density/univariate/family.h"

#include "base/arena.h"
#include "stats/joint_tally.h"

/* ======== 1. Joint densities ======== */

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
    crd_i_arena *arena; /* contains the density */
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

/* ======== 2. AODE terms ========
 *
 * Access to the terms of single attributes and of pairs in aode.c, for methods that weight them differently. */

/* Returns the number of terms: one for each column, and one for each pair of columns. */
size_t crd_i_aode_pair_count(const crd_i_joint *aode);
/* Computes the terms of a row, term by term, with the classes innermost. The first terms are log P(x_i | c) for each
 * column i. Then follows for each pair i < j the gain log P(x_j | c, x_i) - log P(x_j | c). Terms with a missing cell
 * are 0. A tree-augmented naive Bayes is the sum of all column terms and of the pair terms of its tree. `workspace` has
 * the capacity of the density's workspace. */
void crd_i_aode_pair_terms(const crd_i_joint *aode, const crd_i_joint_cell *cells, double *values, double *workspace);

/* ======== 3. Multivariate normal density ========
 *
 * The density is in normal.c, the selection of its shape by the log loss of held-out rows in
 * normal_covariance_selection.c.
 *
 * "Columns" are here the columns that vary. Columns that are constant over all rows carry no information and are
 * dropped. Each column is centered at its overall mean and divided by a power of two near its overall standard
 * deviation. So no result leaves the range of a double, and a column's offset costs no precision. Matrices are stored
 * row by row. */

/* Means and sums of products over the complete rows. If there are incomplete rows, each pair of columns has its own
 * sums, over all rows that have both cells. */
typedef struct crd_i_normal_moments {
    crd_context *context;
    size_t classes, columns;
    size_t *places;  /* for each column: its index in the joint tally */
    int *exponents;  /* for each column: its cells are divided by 2^exponent */
    double *centers; /* overall means, not divided */
    double *rows;    /* for each class: the sum of weights */
    double *means;   /* class by class */
    /* class by class, then for all rows: sums of products of deviations from the mean of the class, or of all rows */
    double *products;
    double *pairs; /* class by class, then for all rows: the weight of the rows that have both cells; NULL: `rows` */
    /* class by class, for each pair of columns: the sum of deviations of the first column over the rows that have both
     * cells. Deviations are from its mean over all rows that have it. NULL if `pairs` is NULL */
    double *shifts;
    double missing; /* 1 - (rows of the rarest pair of columns) / (rows of the most frequent column) */
    double all_rows;
    double incomplete; /* how many of all_rows lack a cell */
    double left_out;   /* incomplete rows that are excluded from all_rows, because the model has no sums of them */
} crd_i_normal_moments;

CRD_MUST_USE crd_status crd_i_normal_moments_read(crd_context *context, const crd_i_joint_source *joint_source,
                                                  crd_i_normal_moments *out, crd_error *error);
void crd_i_normal_moments_clear(crd_i_normal_moments *moments); /* an all-zero object is allowed */
/* crd_i_normal_whole computes the covariance of all rows. normal_moments_drop_products frees `products`, `pairs`
 * and `shifts`, which only the estimation of covariances needs. */
void crd_i_normal_whole(const crd_i_normal_moments *moments, double *out);
/* Returns a cell `x` of a column, centered and divided. The result is bounded, so its square is finite. */
double crd_i_normal_centerd(const crd_i_normal_moments *moments, size_t column, double x);

/* The input of covariance estimates: the moments of all rows, or of the rows that are not held out. */
typedef struct crd_i_normal_source {
    size_t classes, columns;
    const double *rows;     /* for each class */
    const double *products; /* class by class */
    const double *pairs;    /* class by class: the weight of the rows in each sum of products; NULL: `rows` */
    const double *whole;    /* covariance of all rows */
    double all_rows;
    double missing; /* see crd_i_normal_moments */
} crd_i_normal_source;

typedef struct crd_i_normal_shape {
    double to_shared;          /* shrinkage of each class's covariance towards the shared covariance, 0 to 1 */
    double to_diagonal;        /* shrinkage of the result towards its own diagonal, 0 to 1 */
    double borrowed;           /* equivalent sample size of the shared covariance, added to the rows of each class */
    double target_to_diagonal; /* shrinkage of the shared covariance towards its diagonal, which comes first; 0 to 1 */
    double degrees;            /* degrees of freedom of Student's t; INFINITY: the normal density */
    double exponent;           /* the density is raised to this power */
} crd_i_normal_shape;

/* Lower bounds of variances, and the divisors of sums of squared deviations. */
typedef struct crd_i_normal_rules {
    bool sample; /* divisors are n - 1, and n minus the number of classes for the shared covariance; otherwise n */
    const double *least; /* for each column: the minimum variance */
} crd_i_normal_rules;

/* A covariance matrix. `cells` stores the entries below the diagonal; the diagonal itself is in `variances`. After
 * factoring, the entries of `cells` on and above the diagonal are the factor (crd_i_factor). */
typedef struct crd_i_normal_matrix {
    double *cells;
    double *variances; /* the diagonal */
    double half_log_determinant;
} crd_i_normal_matrix;

/* Computes the pooled covariance, which all classes share, from the sums of products. If it is singular because columns
 * are collinear, it is shrunk towards its diagonal until it is regular. */
void crd_i_normal_pool(const crd_i_normal_source *source, const crd_i_normal_rules *rules, crd_i_normal_matrix *out);
/* Computes and factors the covariance of one class under a shape. If it is singular, because the class has few rows or
 * equal ones, it borrows more rows from the shared covariance until it is regular. */
void crd_i_normal_of_class(const crd_i_normal_source *source, const crd_i_normal_rules *rules,
                           const crd_i_normal_matrix *pooled, const crd_i_normal_shape *shape, size_t class,
                           crd_i_normal_matrix *out);

/* Returns the number of doubles that take at least as much memory as `columns` values of type size_t. */
static inline size_t crd_i_normal_indices_room(size_t columns) {
    return (columns * sizeof(size_t) + sizeof(double) - 1) / sizeof(double);
}
/* Computes and factors the submatrix of `count` of the columns, whose indices `present` are ascending. */
void crd_i_normal_part(const crd_i_normal_matrix *matrix, size_t columns, const size_t *present, size_t count,
                       crd_i_normal_matrix *out);

/* crd_i_normal_peak returns the log density at the mean in `columns` dimensions, for a covariance with determinant 1.
 * crd_i_normal_fall returns by how much the log density decreases at a squared Mahalanobis distance of `squares`. */
double crd_i_normal_peak(size_t columns, double degrees);
double crd_i_normal_fall(double squares, size_t columns, double degrees);

/* Copies a covariance to `destination`, as a full symmetric matrix. */
void crd_i_normal_copy_matrix(const crd_i_normal_matrix *matrix, size_t columns, double *destination);

/* Which parameters of a shape are free; the others are fixed. */
typedef struct crd_i_normal_free {
    bool to_shared, to_diagonal, tails; /* tails: degrees and exponent */
} crd_i_normal_free;

/* Fits the free parameters of *shape to the stored rows, by cross-validated log loss. On input, *shape contains the
 * fixed parameters. */
CRD_MUST_USE crd_status crd_i_normal_fit(const crd_i_normal_moments *moments, const crd_i_joint_source *joint_source,
                                         const crd_i_normal_rules *rules, const crd_settings *settings,
                                         crd_i_normal_free wanted, crd_i_normal_shape *shape, crd_error *error);
/* Returns whether there are stored rows, and few enough columns to fit a shape in reasonable time. */
bool crd_i_normal_can_fit(const crd_i_normal_moments *moments, const crd_i_joint_source *joint_source);

/* ======== 4. Normal mixtures ========
 *
 * Mixtures of multivariate normal densities are fitted to the rows of one class by EM. */

/* Complete rows, with the columns of the density. Random starts of EM are drawn by position, so the result depends on the
 * order of the rows. */
typedef struct crd_i_mixture_rows {
    size_t rows, columns;
    const double *x; /* row by row */
    const double *weights;
    double sum;             /* sum of the weights */
    const bool *is_imputed; /* for each row: whether some of its cells were imputed; NULL: none were */
} crd_i_mixture_rows;

/* Imputes the missing (NaN) cells of `x` by random draws, and marks their rows in `is_imputed`. The rows of the classes
 * are stored consecutively in `x`. Variances are at least `least`. false: out of memory. */
CRD_MUST_USE bool crd_i_mixture_impute(crd_context *context, const crd_i_mixture_rows *classes, size_t class_count,
                                       double least, double *x, bool *is_imputed);

typedef struct crd_i_mixture {
    crd_i_arena *arena;
    size_t count, columns;
    double *shares, *log_shares;   /* for each component */
    double *means;                 /* component by component */
    crd_i_normal_matrix *matrices; /* one for each component; their memory is in */
    double *cells, *variances;     /* these two arrays */
    double likelihood;             /* log likelihood of the rows */
    double objective;              /* the objective that EM maximizes: see mixture_em.c */
    bool settled;
} crd_i_mixture;

/* Fits a mixture of `count` components by EM, with at most `steps` steps; if these are too few, `settled` is false.
 * `shared` is the covariance within classes as a full symmetric matrix, which must have a factor. Components that lose
 * all rows are dropped, so the result may have fewer. *out is cleared on failure. */
CRD_MUST_USE crd_status crd_i_mixture_fit(crd_context *context, const crd_i_mixture_rows *rows, const double *shared,
                                          size_t count, size_t steps, crd_i_mixture *out, crd_error *error);
void crd_i_mixture_clear(crd_i_mixture *mixture); /* an all-zero object is allowed */

/* Storage of a mixture as a list of numbers (mixture_em.c). The list begins with whether the mixture has settled,
 * and the number of components. Each component follows with its share, its mean, and the lower triangle of its
 * covariance, row by row. Numbers that are read may be any finite values. */
size_t crd_i_mixture_stored_size(const crd_i_mixture *mixture);
double *crd_i_mixture_store(const crd_i_mixture *mixture, double *destination); /* returns the end of the list */
/* Reads a mixture and moves *source past its numbers. Sets *is_one to whether the numbers describe a valid mixture;
 * otherwise the mixture is cleared. false: out of memory. */
CRD_MUST_USE bool crd_i_mixture_restore(crd_i_mixture *mixture, crd_context *context, size_t columns,
                                        const double **source, const double *end, bool *is_one);

/* Returns the log density at `x` of a mixture with the shares, means and covariances of these components. The
 * components are Student's t distributions with the given degrees of freedom; INFINITY: normal densities. `peak` is
 * their crd_i_normal_peak. `work` has room for a row. */
double crd_i_mixture_log_density(const crd_i_mixture *mixture, const double *x, double peak, double degrees,
                                 double *work);

enum { CRD_I_MIXTURE_MOST = CRD_I_MOST_CURVES }; /* maximum number of components */

/* ======== 5. Mixture selection ========
 *
 * The number of components of each class's mixture, and the length of their tails, are selected on held-out rows. */

typedef struct crd_i_mixture_tails {
    double degrees; /* degrees of freedom of Student's t, which replaces each component; INFINITY: the normal density */
    double exponent; /* the density is raised to this power */
} crd_i_mixture_tails;

enum { CRD_I_MIXTURE_STEPS = 500 };

#endif
