/* SPDX-License-Identifier: MIT */
/* evidence_weight.c - weights of evidence log P(x | a) - log P(x | b) (Good 1950). Differences that are only rounding
 * errors become 0. */
#include <credence/explain.h>

#include <float.h>
#include <math.h>

/* Each logarithm has an error of a few units in the last place: relative to the logarithm, or to 1 if the quotient
 * inside it was rounded. */
double crd_weight_settle(double difference, double scale) {
    static const double UNITS = 8;
    if (!isfinite(difference)) return difference;
    return fabs(difference) <= UNITS * DBL_EPSILON * scale ? 0 : difference;
}

double crd_weight_of_evidence(double log_a, double log_b) {
    return crd_weight_settle(log_a - log_b, fmax(1, fmax(fabs(log_a), fabs(log_b))));
}
