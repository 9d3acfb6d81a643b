/* SPDX-License-Identifier: MIT */
/* cholesky.h - Cholesky factorization of a covariance matrix S = L L^T, L lower triangular. Matrices are stored row by
 * row. */
#ifndef CRD_MATH_CHOLESKY_H
#define CRD_MATH_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* Computes L from matrix = L L^T, with zeros above the diagonal. Reads only the lower triangle of `matrix`. Returns
 * false if the matrix is not positive definite, or so close to singular that rounding decides. */
bool crd_i_cholesky(const double *matrix, size_t size, double *lower);

/* Computes the inverse of a lower triangular matrix without zeros on its diagonal. The inverse is lower triangular
 * too. */
void crd_i_invert_lower(const double *lower, size_t size, double *inverse);

/* Computes the same factor in place, in a layout for many rows: matrix = U^T U, so the rows of U are the columns of L.
 * The diagonal holds the inverses of U's diagonal. Entries below the diagonal are neither read nor changed. `variances`
 * is the original diagonal. *half_log_determinant is the sum of the logarithms of the factor's diagonal. Returns false
 * if the variance that the preceding variables leave unexplained is at most 2^-36 of the variable's variance, which no
 * measurement can distinguish from zero. */
bool crd_i_factor(double *matrix, size_t size, const double *variances, double *half_log_determinant);
/* Returns the squared Mahalanobis length x^T S^-1 x. Overwrites x. */
double crd_i_factor_squares(const double *upper, size_t size, double *x);
/* Computes crd_i_factor_squares for several vectors x at once, interleaved entry by entry. Each result is bit-identical
 * to the result for one vector. */
enum { CRD_I_FACTOR_LANES = 8 };
void crd_i_factor_squares_of_many(const double *upper, size_t size, double *x, double squares[CRD_I_FACTOR_LANES]);

#endif
