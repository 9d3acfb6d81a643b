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

#endif
