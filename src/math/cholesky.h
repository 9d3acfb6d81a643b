/* SPDX-License-Identifier: MIT */
/* cholesky.h - a covariance matrix as the product of a lower triangle and its transpose. Matrices are row by row. */
#ifndef CRD_MATH_CHOLESKY_H
#define CRD_MATH_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* matrix = lower * transpose of lower, zeros above the diagonal; reads the lower triangle of matrix alone. False where
 * it is not positive definite, or so nearly not that rounding decides. */
bool crd_i_cholesky(const double *matrix, size_t size, double *lower);

/* The inverse of a lower triangle with no zero on its diagonal; it is one too. */
void crd_i_invert_lower(const double *lower, size_t size, double *inverse);

/* The same factor, made to be asked many rows: in place, matrix = transpose of upper * upper, so that the rows of upper
 * are the columns of the lower triangle; on its diagonal stand the inverses. What is below the diagonal is neither read
 * nor changed; `variances` are the diagonal as it was. *half_log_determinant is the sum of the logarithms of the
 * factor's diagonal. False where what the variables before it leave of a variance is no more than 2^-36 of it, which no
 * measurement can tell from nothing. */
bool crd_i_factor(double *matrix, size_t size, const double *variances, double *half_log_determinant);
/* The squared length of x by the inverse of the matrix; x is used up. */
double crd_i_factor_squares(const double *upper, size_t size, double *x);
/* The same of several x side by side, cell by cell, to the bit of each alone. */
enum { CRD_I_FACTOR_LANES = 8 };
void crd_i_factor_squares_of_many(const double *upper, size_t size, double *x, double squares[CRD_I_FACTOR_LANES]);

#endif
