/* SPDX-License-Identifier: MIT */
/* count_terms.c - see count_terms.h. */
#include "structure/count_terms.h"

#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>

/* Largest counts in tables of precomputed values. The table of n log n takes up to 8 MiB, and there is only one.
 * There are many tables of log Gamma, so each takes at most 512 KiB. */
enum { MOST_TABULATED = 1 << 20, MOST_TABULATED_GAMMA = 1 << 16 };

double crd_i_count_terms_scale(double rows, double least_pseudo) {
    double greatest = rows * crd_log(rows + 2) + rows;
    int exponent;
    if (least_pseudo > 0) greatest += rows * (10 + fabs(crd_log(least_pseudo)));
    frexp(greatest, &exponent);
    return ldexp(1, 61 - exponent);
}

double crd_i_count_term_real(double pseudo, double count) {
    if (!(count > 0)) return 0;
    if (pseudo == 0) return count * crd_log(count);
    return crd_i_log_gamma(pseudo + count) - crd_i_log_gamma(pseudo);
}

static int64_t count_terms_fixed(const crd_i_count_terms *terms, double value) {
    return (int64_t)floor(value * terms->scale + 0.5);
}

int64_t crd_i_count_term_far(const crd_i_count_terms *terms, double count) {
    return count_terms_fixed(terms, crd_i_count_term_real(terms->pseudo, count));
}

bool crd_i_count_terms_init(crd_i_count_terms *terms, crd_context *context, double pseudo, double scale, double rows) {
    *terms = (crd_i_count_terms){.context = context, .pseudo = pseudo, .scale = scale};
    if (!(rows < (pseudo == 0 ? MOST_TABULATED : MOST_TABULATED_GAMMA))) return true;
    terms->size = (size_t)rows + 1;
    terms->values = crd_i_alloc(context, terms->size, sizeof *terms->values);
    if (terms->values == NULL) {
        terms->size = 0;
        return false;
    }
    terms->values[0] = 0;
    /* log Gamma(a + n) - log Gamma(a) is the sum of log(a + i) for i < n. The sum is compensated (Kahan 1965). */
    double sum = 0, remainder = 0;
    for (size_t n = 1; n < terms->size; n++) {
        if (pseudo == 0) {
            terms->values[n] = count_terms_fixed(terms, (double)n * crd_log((double)n));
            continue;
        }
        const double term = crd_log(pseudo + (double)(n - 1)) - remainder, next = sum + term;
        remainder = (next - sum) - term;
        sum = next;
        terms->values[n] = count_terms_fixed(terms, sum);
    }
    return true;
}

void crd_i_count_terms_clear(crd_i_count_terms *terms) {
    if (terms->values != NULL) crd_free(terms->context, terms->values);
    terms->values = NULL;
    terms->size = 0;
}
