/* SPDX-License-Identifier: MIT */
/* evidence_weight.c - weights of evidence: differences of logarithms, without what rounding leaves of equal ones. */
#include <credence/explain.h>

#include <float.h>
#include <math.h>

/* Each logarithm is within a few units in the last place of itself, or of 1 where the quotient it is of was rounded. */
double crd_weight_settle(double difference, double scale) {
    static const double UNITS = 8;
    if (!isfinite(difference)) return difference;
    return fabs(difference) <= UNITS * DBL_EPSILON * scale ? 0 : difference;
}

double crd_weight_of_evidence(double log_a, double log_b) {
    return crd_weight_settle(log_a - log_b, fmax(1, fmax(fabs(log_a), fabs(log_b))));
}
