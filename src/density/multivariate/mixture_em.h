/* SPDX-License-Identifier: MIT */
/* mixture_em.h - mixtures of multivariate normal densities, fitted to the rows of one class by EM. */
#ifndef CRD_DENSITY_MULTIVARIATE_MIXTURE_EM_H
#define CRD_DENSITY_MULTIVARIATE_MIXTURE_EM_H

#include "density/multivariate/normal.h"

/* Complete rows, with the columns of normal.h. Random starts of EM are drawn by position, so the result depends on the
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
    crd_context *context;
    size_t count, columns;
    double *shares, *log_shares;   /* for each component */
    double *means;                 /* component by component */
    crd_i_normal_matrix *matrices; /* one for each component; their memory is in */
    double *cells, *variances;     /* these two arrays */
    double likelihood;             /* log likelihood of the rows */
    double objective;              /* the objective that EM maximizes: see mixture_em.c */
    bool settled;
    size_t steps;
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

#endif
