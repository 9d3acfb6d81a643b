/* SPDX-License-Identifier: MIT */
/* mixture_store.c - mixtures as lists of numbers, so that a mixture that was fitted once need not be fitted again: see
 * mixture_em.h. Shares, means and covariances are stored as they were fitted. Their factors are computed again, with
 * bit-identical results. */
#include "density/multivariate/mixture_em.h"

#include "math/cholesky.h"
#include "math/functions/elementary.h"

#include <math.h>

static size_t mixture_store_size(size_t count, size_t columns) {
    return 2 + count * (1 + columns + columns * (columns + 1) / 2);
}

size_t crd_i_mixture_stored_size(const crd_i_mixture *mixture) {
    return mixture_store_size(mixture->count, mixture->columns);
}

/* Writes the numbers of a mixture to `destination`, and returns their end. */
double *crd_i_mixture_store(const crd_i_mixture *mixture, double *destination) {
    size_t columns = mixture->columns;
    *destination++ = mixture->settled;
    *destination++ = (double)mixture->count;
    for (size_t k = 0; k < mixture->count; k++) {
        const crd_i_normal_matrix *matrix = &mixture->matrices[k];
        *destination++ = mixture->shares[k];
        for (size_t i = 0; i < columns; i++) *destination++ = mixture->means[k * columns + i];
        for (size_t i = 0; i < columns; i++) {
            for (size_t j = 0; j < i; j++) *destination++ = matrix->cells[i * columns + j];
            *destination++ = matrix->variances[i];
        }
    }
    return destination;
}

/* Reads component k. Returns false if its share or covariance is invalid. */
static bool restore_component(crd_i_mixture *mixture, size_t k, const double *source) {
    size_t columns = mixture->columns;
    crd_i_normal_matrix *matrix = &mixture->matrices[k];
    mixture->shares[k] = *source++;
    if (!(mixture->shares[k] > 0 && mixture->shares[k] <= 1)) return false;
    mixture->log_shares[k] = crd_log(mixture->shares[k]);
    for (size_t i = 0; i < columns; i++) mixture->means[k * columns + i] = *source++;
    for (size_t i = 0; i < columns; i++) {
        for (size_t j = 0; j < i; j++) matrix->cells[i * columns + j] = matrix->cells[j * columns + i] = *source++;
        matrix->variances[i] = matrix->cells[i * columns + i] = *source++;
        /* Columns are scaled, so the variances of a fitted mixture are far inside this range. */
        if (!(matrix->variances[i] > 0x1p-200 && matrix->variances[i] < 0x1p300)) return false;
        if (!(fabs(mixture->means[k * columns + i]) < 0x1p300)) return false;
    }
    return crd_i_factor(matrix->cells, columns, matrix->variances, &matrix->half_log_determinant) &&
           isfinite(matrix->half_log_determinant);
}

bool crd_i_mixture_restore(crd_i_mixture *mixture, crd_context *context, size_t columns, const double **source,
                           const double *end, bool *is_one) {
    const crd_i_mixture none = {.context = NULL};
    const double *cursor = *source;
    *mixture = none;
    *is_one = end - cursor >= 2 && cursor[1] >= 1 && cursor[1] <= CRD_I_MIXTURE_MOST && cursor[1] == floor(cursor[1]) &&
              (cursor[0] == 0 || cursor[0] == 1);
    size_t count = *is_one ? (size_t)cursor[1] : 0;
    *is_one = *is_one && (size_t)(end - cursor) >= mixture_store_size(count, columns);
    if (!*is_one) return true;
    if (!crd_i_mixture_init(mixture, context, count, columns)) return false;
    mixture->settled = cursor[0] == 1;
    double sum = 0;
    size_t each = (mixture_store_size(count, columns) - 2) / count;
    for (size_t k = 0; *is_one && k < count; k++) {
        *is_one = restore_component(mixture, k, cursor + 2 + k * each);
        sum += mixture->shares[k];
    }
    *is_one = *is_one && fabs(sum - 1) < 1e-9;
    if (*is_one) *source = cursor + mixture_store_size(count, columns);
    else crd_i_mixture_clear(mixture);
    return true;
}
