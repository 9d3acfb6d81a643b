/* SPDX-License-Identifier: MIT */
/* cholesky.c - see cholesky.h. Sums run in the order of the columns, so that every machine gets the same bits; a
 * library of linear algebra would choose its own order for each machine. */
#include "math/cholesky.h"

#include "math/functions/elementary.h"

#include <float.h>
#include <math.h>

bool crd_i_cholesky(const double *matrix, size_t size, double *lower) {
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) {
            double rest = j > i ? 0 : matrix[i * size + j];
            for (size_t k = 0; k < j && j <= i; k++) rest -= lower[i * size + k] * lower[j * size + k];
            if (j < i) {
                lower[i * size + j] = rest / lower[j * size + j];
            } else if (j > i) {
                lower[i * size + j] = 0;
            } else {
                /* What is left of a variance that the variables before it explain is no more than rounding. */
                if (!(rest > (double)size * DBL_EPSILON * matrix[i * size + i])) return false;
                lower[i * size + i] = sqrt(rest);
            }
        }
    }
    return true;
}

void crd_i_invert_lower(const double *lower, size_t size, double *inverse) {
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) {
            double rest = i == j ? 1 : 0;
            for (size_t k = j; k < i; k++) rest -= lower[i * size + k] * inverse[k * size + j];
            inverse[i * size + j] = j > i ? 0 : rest / lower[i * size + i];
        }
    }
}

/* Row after row is taken out of those below it, which lie side by side in memory: each cell still sees them in the
 * order of the columns. */
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
    for (size_t lane = 0; lane < LANES; lane++) squares[lane] = 0;
    for (size_t k = 0; k < size; k++) {
        const double *row = upper + k * size;
        double z[LANES];
        for (size_t lane = 0; lane < LANES; lane++) {
            z[lane] = x[k * LANES + lane] * row[k];
            squares[lane] += z[lane] * z[lane];
        }
        for (size_t i = k + 1; i < size; i++)
            for (size_t lane = 0; lane < LANES; lane++) x[i * LANES + lane] -= z[lane] * row[i];
    }
}
