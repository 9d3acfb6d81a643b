/* SPDX-License-Identifier: MIT */
/* normal.h - interface between the source files of the multivariate normal density:
 *
 *   normal.c                       the density: derivation, evaluation, description
 *   normal.c               means and sums of products from a joint tally of cross-moments
 *   normal.c            covariances of classes, regularized and factored
 *   normal_covariance_selection.c  the shape that minimizes the log loss of held-out rows
 *   normal.c             the shape without stored rows: maximum marginal likelihood, from the moments
 *
 * "Columns" are here the columns that vary. Columns that are constant over all rows carry no information and are
 * dropped. Each column is centered at its overall mean and divided by a power of two near its overall standard
 * deviation. So no result leaves the range of a double, and a column's offset costs no precision. Matrices are stored
 * row by row. */
#ifndef CRD_DENSITY_MULTIVARIATE_NORMAL_H
#define CRD_DENSITY_MULTIVARIATE_NORMAL_H

#include "density/multivariate/joint_density.h"

/* Means and sums of products over the complete rows. If there are incomplete rows, each pair of columns has its own
 * sums, over all rows that have both cells. */
typedef struct crd_i_normal_moments {
    crd_context *context;
    size_t classes, columns;
    size_t *places;  /* for each column: its index in the joint tally */
    int *exponents;  /* for each column: its cells are divided by 2^exponent */
    double *centres; /* overall means, not divided */
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
double crd_i_normal_centred(const crd_i_normal_moments *moments, size_t column, double x);

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

#endif
