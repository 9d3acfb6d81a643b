/* SPDX-License-Identifier: MIT */
/* mixture_em.h - several multivariate normal densities on top of each other, fitted to the rows of one class. */
#ifndef CRD_DENSITY_MULTIVARIATE_MIXTURE_EM_H
#define CRD_DENSITY_MULTIVARIATE_MIXTURE_EM_H

#include "density/multivariate/normal.h"

/* Complete rows, of columns as normal.h has them. Their order says which are drawn as starts. */
typedef struct crd_i_mixture_rows {
    size_t rows, columns;
    const double *x; /* row by row */
    const double *weights;
    double sum;             /* of the weights */
    const bool *is_imputed; /* of each row, whether some of its cells were drawn; NULL: of none */
} crd_i_mixture_rows;

/* Draws the cells of x that are missing, NaN, and marks their rows; the rows of the classes stand there one behind the other. No
 * variance is taken to be less than `least`. false: out of memory. */
CRD_MUST_USE bool crd_i_mixture_impute(crd_context *context, const crd_i_mixture_rows *classes, size_t class_count,
                                       double least, double *x, bool *is_imputed);

typedef struct crd_i_mixture {
    crd_context *context;
    size_t count, columns;
    double *shares, *log_shares;   /* of each component */
    double *means;                 /* component by component */
    crd_i_normal_matrix *matrices; /* of each, */
    double *cells, *variances;     /* which lie here */
    double likelihood;             /* log likelihood of the rows */
    double objective;              /* what the last steps made greater: see mixture_em.c */
    bool settled;
    size_t steps;
} crd_i_mixture;

/* `shared` is the covariance within classes, both triangles; it has a factor. Components that are left without rows go,
 * so there may be fewer. At most `steps` steps: where that is not enough, it is not settled. Cleared also on failure.
 */
CRD_MUST_USE crd_status crd_i_mixture_fit(crd_context *context, const crd_i_mixture_rows *rows, const double *shared,
                                          size_t count, size_t steps, crd_i_mixture *out, crd_error *error);
void crd_i_mixture_clear(crd_i_mixture *mixture); /* all zero is fine */
/* Room for so many components, to be filled in. false: out of memory; it is to be cleared all the same. */
CRD_MUST_USE bool crd_i_mixture_init(crd_i_mixture *mixture, crd_context *context, size_t count, size_t columns);

/* A mixture as numbers, and back from numbers that may be anything finite (mixture_store.c): whether it has settled,
 * how many components there are, then of each its share, mean, and covariance, the lower triangle row by row. */
size_t crd_i_mixture_stored_size(const crd_i_mixture *mixture);
double *crd_i_mixture_store(const crd_i_mixture *mixture, double *destination); /* what is behind it */
/* Moves *from behind what it took. *is_one: whether the numbers are those of a mixture; if not, it is clear. */
CRD_MUST_USE bool crd_i_mixture_restore(crd_i_mixture *mixture, crd_context *context, size_t columns,
                                        const double **source, const double *end, bool *is_one);

/* The log density at x of a mixture of Student's t of so many degrees (INFINITY: of normal densities) that has these
 * components; `peak` is crd_i_normal_peak of them. `work` has room for a row. */
double crd_i_mixture_log_density(const crd_i_mixture *mixture, const double *x, double peak, double degrees,
                                 double *work);

enum { CRD_I_MIXTURE_MOST = CRD_I_MOST_CURVES }; /* components */

#endif
