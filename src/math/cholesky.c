/* SPDX-License-Identifier: MIT */
/* cholesky.c - see cholesky.h. Sums run in column order, so every machine computes the same bits. A linear algebra
 * library would choose a different order on each machine. */
#include "math/cholesky.h"

#include "math/functions/elementary.h"

#include <float.h>
#include <math.h>

bool crd_i_cholesky(const double *matrix, size_t size, double *lower) {
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) {
            double remainder = j > i ? 0 : matrix[i * size + j];
            for (size_t k = 0; k < j && j <= i; k++) remainder -= lower[i * size + k] * lower[j * size + k];
            if (j < i) {
                lower[i * size + j] = remainder / lower[j * size + j];
            } else if (j > i) {
                lower[i * size + j] = 0;
            } else {
                /* The variance that the preceding variables do not explain is no larger than rounding error. */
                if (!(remainder > (double)size * DBL_EPSILON * matrix[i * size + i])) return false;
                lower[i * size + i] = sqrt(remainder);
            }
        }
    }
    return true;
}

void crd_i_invert_lower(const double *lower, size_t size, double *inverse) {
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) {
            double remainder = i == j ? 1 : 0;
            for (size_t k = j; k < i; k++) remainder -= lower[i * size + k] * inverse[k * size + j];
            inverse[i * size + j] = j > i ? 0 : remainder / lower[i * size + i];
        }
    }
}

/* Subtracts each row from the rows below it, which are contiguous in memory. Each entry still receives the rows in
 * column order. */
bool crd_i_factor(double *matrix, size_t size, const double *variances, double *half_log_determinant) {
    double sum = 0;
    for (size_t k = 0; k < size; k++) {
        double *row = matrix + k * size;
        if (!(row[k] > 0x1p-36 * variances[k])) return false;
        double root = sqrt(row[k]), inverse = 1 / root;
        sum += crd_log(root);
        row[k] = inverse;
        for (size_t i = k + 1; i < size; i++) row[i] *= inverse;
        for (size_t j = k + 1; j < size; j++) {
            double *below = matrix + j * size, part = row[j];
            for (size_t i = j; i < size; i++) below[i] -= part * row[i];
        }
    }
    *half_log_determinant = sum;
    return true;
}

double crd_i_factor_squares(const double *upper, size_t size, double *x) {
    double squares = 0;
    for (size_t k = 0; k < size; k++) {
        const double *row = upper + k * size;
        double z = x[k] * row[k];
        squares += z * z;
        for (size_t i = k + 1; i < size; i++) x[i] -= z * row[i];
    }
    return squares;
}

void crd_i_factor_squares_of_many(const double *upper, size_t size, double *x, double squares[CRD_I_FACTOR_LANES]) {
    enum { LANES = CRD_I_FACTOR_LANES };
    for (size_t worker = 0; worker < LANES; worker++) squares[worker] = 0;
    for (size_t k = 0; k < size; k++) {
        const double *row = upper + k * size;
        double z[LANES];
        for (size_t worker = 0; worker < LANES; worker++) {
            z[worker] = x[k * LANES + worker] * row[k];
            squares[worker] += z[worker] * z[worker];
        }
        for (size_t i = k + 1; i < size; i++)
            for (size_t worker = 0; worker < LANES; worker++) x[i * LANES + worker] -= z[worker] * row[i];
    }
}
