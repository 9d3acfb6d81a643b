/* SPDX-License-Identifier: MIT */
/* student_prior_strength.c - empirical Bayes estimate of K, the prior strength of the student family in pseudo-counts:
 * the K with the largest marginal likelihood of the rows.
 *
 * K pseudo-counts with mean m0 and variance V define the normal-inverse-gamma prior of student.c. The mean of a
 * condition is normal with mean m0 and variance s^2 / K. The variance s^2 is inverse gamma with shape (K - 1) / 2 and
 * scale K V / 2. Integrating over both gives the density of the n rows of a condition with mean m and squared
 * deviations S (Bernardo and Smith, Bayesian Theory, 1994, 5.2). In units of sqrt(V), its logarithm is, up to a
 * constant that does not depend on K,
 *
 *   T = K + S / V + K n / (K + n) (m - m0)^2 / V
 *   log Gamma((K - 1 + n) / 2) - log Gamma((K - 1) / 2)
 *     + (K - 1)/2 log K - (K - 1 + n)/2 log T + 1/2 log (K / (K + n))
 *
 * K maximizes the sum over conditions. The prior is proper only for K > 1; the sum falls without bound as K approaches
 * 1. If the conditions do not differ, the sum increases without end, so K stops at 2^20 + 1. The sum may have several
 * local maxima. So K - 1 is tried at powers of two from 2^-10 on, and golden-section search (Kiefer 1953) refines the
 * best of them. */
#include "density/univariate/gaussian.h"

#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <float.h>
#include <math.h>

enum { LEAST_POWER = -10, GREATEST_POWER = 20, NARROWINGS = 44 };

/* Returns log (Gamma(a + n) / Gamma(a)). It is accurate even if a is large compared with n. */
static double prior_strength_log_rising(double a, double n) {
    crd_i_pair above = crd_i_log_gamma_pair(crd_i_pair_sum(a, n)), below = crd_i_log_gamma_pair(crd_i_pair_of(a));
    return crd_i_pair_subtract(above, below).high;
}

/* The statistics of a condition that its density depends on. */
typedef struct strength_condition {
    double rows, squares, away; /* n, S / V, (m - m0)^2 / V */
} strength_condition;

static strength_condition prior_strength_measure(const crd_i_facts *facts, const crd_i_overall *overall) {
    double distance = fabs(facts->mean - overall->mean);
    crd_i_scaled away = crd_i_scaled_of(distance > DBL_MAX ? DBL_MAX : distance);
    crd_i_scaled squares = crd_i_scaled_multiply(facts->variance.value, crd_i_scaled_of(facts->rows));
    const strength_condition condition = {
        facts->rows, crd_i_scaled_value(crd_i_scaled_divide(squares, overall->V.value)),
        crd_i_scaled_value(crd_i_scaled_divide(crd_i_scaled_multiply(away, away), overall->V.value))};
    return condition;
}

/* Returns the log marginal likelihood of all conditions for a prior strength K, up to a constant. */
static double prior_strength_log_likelihood(const strength_condition *conditions, size_t count, double K) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double n = conditions[i].rows;
        double more = conditions[i].squares + K / (K + n) * n * conditions[i].away;
        /* log T = log K + log(1 + more / K), so large terms that are equal cancel before rounding. */
        double ratio = more / K, sum_of_both = 1 + ratio;
        double log_more = crd_log(sum_of_both) - ((sum_of_both - 1) - ratio) / sum_of_both;
        sum += prior_strength_log_rising((K - 1) / 2, n / 2) - n / 2 * (crd_log(K) + log_more) -
               (K - 1) / 2 * log_more + crd_log(K / (K + n)) / 2;
    }
    return sum;
}

/* Returns K = 1 + 2^power. */
static double at_power(double power) {
    static const double LOG_2 = 0x1.62e42fefa39efp-1;
    return 1 + crd_exp(power * LOG_2);
}

/* Returns the K of maximum likelihood: the best power of two, refined by golden-section search. */
static double prior_strength_find(const strength_condition *conditions, size_t count) {
    static const double GOLDEN = 0x1.3c6ef372fe95p-1; /* (sqrt 5 - 1) / 2 */
    double best = LEAST_POWER, greatest = -INFINITY;
    for (int power = LEAST_POWER; power <= GREATEST_POWER; power++) {
        double height = prior_strength_log_likelihood(conditions, count, at_power(power));
        if (!(height > greatest)) continue;
        greatest = height;
        best = power;
    }
    if (best == GREATEST_POWER) return at_power(GREATEST_POWER);
    double low = best - 1, high = best + 1;
    double left = high - GOLDEN * (high - low), right = low + GOLDEN * (high - low);
    double at_left = prior_strength_log_likelihood(conditions, count, at_power(left));
    double at_right = prior_strength_log_likelihood(conditions, count, at_power(right));
    for (int i = 0; i < NARROWINGS; i++) {
        if (at_left >= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - GOLDEN * (high - low);
            at_left = prior_strength_log_likelihood(conditions, count, at_power(left));
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + GOLDEN * (high - low);
            at_right = prior_strength_log_likelihood(conditions, count, at_power(right));
        }
    }
    return at_power((low + high) / 2);
}

bool crd_i_student_strength(crd_context *context, const crd_i_facts *facts, size_t count, const crd_i_overall *overall,
                            double *out) {
    strength_condition *conditions = crd_i_alloc(context, count, sizeof *conditions);
    if (conditions == NULL) return false;
    size_t used = 0;
    for (size_t k = 0; k < count; k++)
        if (facts[k].rows > 0) conditions[used++] = prior_strength_measure(&facts[k], overall);
    *out = prior_strength_find(conditions, used);
    crd_free(context, conditions);
    return true;
}
