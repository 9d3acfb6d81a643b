/* SPDX-License-Identifier: MIT */
/* normal.h - what the files of the multivariate normal density share:
 *
 *   normal.c           the density: deriving, asking, describing
 *   normal_moments.c   what is read of a joint tally of cross-moments
 *   normal_covariance.c    covariances of classes, regularised and factored
 *   normal_covariance_selection.c       the shape under which the classes of rows held out are most likely
 *   normal_shrinkage.c  the shape where no rows are kept: by marginal likelihood, from the moments alone
 *
 * Columns are counted here without those that are constant over all rows, which say nothing. Each is centred about its
 * overall mean and divided by a power of two near its overall deviation, so that nothing leaves the range of a double
 * and no offset of a column costs digits. Matrices are row by row. */
#ifndef CRD_DENSITY_MULTIVARIATE_NORMAL_H
#define CRD_DENSITY_MULTIVARIATE_NORMAL_H

#include "density/multivariate/joint_density.h"

/* Of complete rows; where there are incomplete ones, of every pair of columns those of all rows that have both cells. */
typedef struct crd_i_normal_moments {
    crd_context *context;
    size_t classes, columns;
    size_t *places;   /* of each column: its number in the joint tally */
    int *exponents;   /* of each column: it is divided by 2^exponent */
    double *centres;  /* overall means, undivided */
    double *rows;     /* of each class: the sum of weights */
    double *means;    /* class by class */
    double *products; /* class by class, then of all rows: sums of products of deviations from the own mean */
    double *pairs;    /* class by class, then of all rows: the weight of the rows that have both cells; NULL: `rows` */
    double *shifts;   /* class by class: over the rows that have both cells, the sum of deviations of the first column
                       * from its mean over all rows that have it; NULL where `pairs` is */
    double missing;   /* the part of the rows of the most frequent column that the rarest pair of columns lacks */
    double all_rows;
    double incomplete; /* of these, */
    double left_out;   /* and besides these, in a model that has kept no sums of them */
} crd_i_normal_moments;

CRD_MUST_USE crd_status crd_i_normal_moments_read(crd_context *context, const crd_i_joint_source *joint_source,
                                                  crd_i_normal_moments *out, crd_error *error);
void crd_i_normal_moments_clear(crd_i_normal_moments *moments); /* all zero is fine */
/* The covariance of all rows; and frees what it and those of classes are made of. */
void crd_i_normal_whole(const crd_i_normal_moments *moments, double *out);
void crd_i_normal_moments_drop_products(crd_i_normal_moments *moments);
/* A cell of a column, centred and divided; bounded, so that its square is finite. */
double crd_i_normal_centred(const crd_i_normal_moments *moments, size_t column, double x);

/* What covariances are made of: the moments of all rows, or of those that are not held out. */
typedef struct crd_i_normal_source {
    size_t classes, columns;
    const double *rows;     /* of each class */
    const double *products; /* class by class */
    const double *pairs;    /* class by class: the rows behind each sum of products; NULL: `rows` */
    const double *whole;    /* covariance of all rows */
    double all_rows;
    double missing; /* see crd_i_normal_moments */
} crd_i_normal_source;

typedef struct crd_i_normal_shape {
    double to_shared;          /* how far each class's covariance is drawn to that of all classes, 0 to 1 */
    double to_diagonal;        /* how far the result is drawn to its own diagonal, 0 to 1 */
    double borrowed;           /* rows' worth of the shared covariance that each class has besides its own */
    double target_to_diagonal; /* how far the shared covariance is drawn to its diagonal first, 0 to 1 */
    double degrees;            /* of Student's t; INFINITY: the normal density itself */
    double exponent;           /* of the density */
} crd_i_normal_shape;

/* How the diagonal is kept from vanishing, and what squared deviations are divided by. */
typedef struct crd_i_normal_rules {
    bool sample;         /* n - 1, and n less the number of classes; else n */
    const double *least; /* of each column: no variance is less */
} crd_i_normal_rules;

/* A covariance, of which only the diagonal and what is below it are held here; above and on the diagonal stands its
 * factor (crd_i_factor) once it has one. */
typedef struct crd_i_normal_matrix {
    double *cells;
    double *variances; /* the diagonal */
    double half_log_determinant;
} crd_i_normal_matrix;

/* The covariance that classes share, from the sums of their products. Where it is singular, because columns depend on
 * each other, it is drawn to its diagonal until it is not. */
void crd_i_normal_pool(const crd_i_normal_source *source, const crd_i_normal_rules *rules, crd_i_normal_matrix *out);
/* That of one class under a shape, with its factor. Where it is singular, because its rows are few or agree, it borrows
 * more rows from the shared one until it is not. */
void crd_i_normal_of_class(const crd_i_normal_source *source, const crd_i_normal_rules *rules,
                           const crd_i_normal_matrix *pooled, const crd_i_normal_shape *shape, size_t class,
                           crd_i_normal_matrix *out);

/* Doubles that the numbers of so many columns take. */
static inline size_t crd_i_normal_indices_room(size_t columns) {
    return (columns * sizeof(size_t) + sizeof(double) - 1) / sizeof(double);
}
/* The part of a matrix that belongs to so many of its columns, ascending, with its factor. */
void crd_i_normal_part(const crd_i_normal_matrix *matrix, size_t columns, const size_t *present, size_t count,
                       crd_i_normal_matrix *out);

/* That of one class under the form `diagonal`: its variances, as the gaussian family has them
 * (gaussian_parameters.c). */
void crd_i_normal_variances(const crd_i_normal_source *source, const crd_i_normal_rules *rules,
                            const crd_settings *settings, size_t class, crd_i_normal_matrix *out);

/* The log density at the mean in so many dimensions, where the determinant is 1; and how much less it is at a squared
 * distance. */
double crd_i_normal_peak(size_t columns, double degrees);
double crd_i_normal_fall(double squares, size_t columns, double degrees);

/* A covariance, both of its triangles. */
void crd_i_normal_copy_matrix(const crd_i_normal_matrix *matrix, size_t columns, double *destination);

/* Which parts of a shape are to be found. */
typedef struct crd_i_normal_free {
    bool to_shared, to_diagonal, tails; /* tails: degrees and exponent */
} crd_i_normal_free;

/* The shape by rows that are kept, beginning from one. */
CRD_MUST_USE crd_status crd_i_normal_fit(const crd_i_normal_moments *moments, const crd_i_joint_source *joint_source,
                                         const crd_i_normal_rules *rules, const crd_settings *settings,
                                         crd_i_normal_free wanted, crd_i_normal_shape *shape, crd_error *error);
/* Whether there are rows to fit to, and not so many columns that it would take too long. */
bool crd_i_normal_can_fit(const crd_i_normal_moments *moments, const crd_i_joint_source *joint_source);

/* What the moments alone tell; sets to_shared, to_diagonal, borrowed and target_to_diagonal. */
CRD_MUST_USE bool crd_i_normal_evidence(const crd_i_normal_moments *moments, const crd_i_normal_rules *rules,
                                        crd_i_normal_free wanted, crd_i_normal_shape *shape);

#endif
