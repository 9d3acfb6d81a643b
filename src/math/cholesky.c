/* cholesky.c - see cholesky.h. Sums run in the order of the columns, so that every machine gets the same bits. */
#include "math/cholesky.h"

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
