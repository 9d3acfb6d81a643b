/* SPDX-License-Identifier: MIT */
/* special_inverse.c - quantiles from tails, for any distribution on [0, end]; see special.h.
 *
 * On the lower side, ln F is nearly linear in ln x (F behaves like x^a near 0). On the upper side, ln Q is nearly
 * linear in x (Q behaves like e^-x). Newton's steps use these coordinates, so few are needed. Positive doubles are
 * ordered like their bits, so bisecting the bits between two of them ends after at most 64 steps, anywhere from 1e-300
 * to 1e300. */
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>

static double special_inverse_halfway(double low, double high) {
    uint64_t first = crd_i_bits_of(low), limit = crd_i_bits_of(high);
    return crd_i_double_of(first + (limit - first) / 2);
}

/* Returns the next point of Newton's method from x, or NaN if it is undefined there. */
static double special_inverse_newton(const crd_i_continuous *d, double x, crd_i_tails tails, double p,
                                     bool from_above) {
    double density = d->density(d->parameters, x);
    bool on_lower_side = tails.below < 0.5;
    double tail = on_lower_side ? tails.below : tails.above;
    double wanted = on_lower_side == from_above ? 1 - p : p;
    if (!(tail > 0) || !(wanted > 0) || !(density > 0) || isinf(density)) return NAN;
    double gap = crd_log(wanted) - crd_log(tail);
    if (on_lower_side) return x * crd_exp(gap * tail / (x * density));
    return x - gap * tail / density;
}

double crd_i_continuous_quantile(const crd_i_continuous *d, double p, bool from_above) {
    if (!(p > 0)) return from_above ? d->end : 0;
    if (!(p < 1)) return from_above ? 0 : d->end;
    double low = 0, high = d->end, x = isinf(d->end) ? 1 : d->end / 2;
    for (int i = 0; i < 200; i++) {
        crd_i_tails tails = d->tails(d->parameters, x);
        double excess = from_above ? p - tails.above : tails.below - p;
        if (excess == 0) return x;
        if (excess < 0) low = x;
        else high = x;
        if (crd_i_bits_of(high) - crd_i_bits_of(low) <= 1) break;
        double next = special_inverse_newton(d, x, tails, p, from_above);
        bool is_inside = next > low && next < high;
        if (is_inside && fabs(next - x) <= x * 0x1p-51) return next;
        /* Every third step bisects, in case steps that stay inside the bracket make slow progress. */
        x = is_inside && i % 3 != 2 ? next : special_inverse_halfway(low, high);
    }
    return x;
}
