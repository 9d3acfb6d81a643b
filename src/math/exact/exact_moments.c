/* SPDX-License-Identifier: MIT */
/* exact_moments.c - see exact_moments.h for the equations.
 *
 * The sums are integers times powers of 2^64. They are copied into one block of memory as natural numbers with signs. n
 * q and s t are brought to a common power, subtracted, and divided once. A single column is treated as a pair of the
 * column with itself, t = s. Sums with n q < s^2, which no multiset of rows has, count as having no spread. */
#include "math/exact/exact_moments.h"

#include "base/memory.h"
#include "math/exact/big_integer.h"
#include "math/exact/ieee754.h"
#include "math/exact/limbs.h"

#include <math.h>

/* The number sign * a natural number * 2^(32 * base). */
typedef struct scaled_big {
    crd_i_big big;
    int64_t base;
    int sign;
} scaled_big;

/* The sums of one condition, and all numbers computed from them, in one block of memory. */
typedef struct moments_workspace {
    crd_context *context;
    uint32_t *block, *next;
    scaled_big n, s, t, q;
} moments_workspace;

static crd_i_big exact_moments_take(moments_workspace *work, size_t limbs) {
    crd_i_big big = {work->next, 0};
    work->next += limbs;
    return big;
}

static size_t limbs_in(const crd_i_magnitude *magnitude) {
    return 2 * (size_t)(magnitude->end - magnitude->low);
}

/* Loads a magnitude, with room for one more limb. */
static scaled_big exact_moments_load(moments_workspace *work, const crd_i_magnitude *magnitude) {
    size_t count = limbs_in(magnitude);
    scaled_big loaded = {exact_moments_take(work, count + 1), 2 * (int64_t)magnitude->low,
                         magnitude->negative ? -1 : count > 0};
    for (int32_t index = magnitude->low; index < magnitude->end; index++) {
        uint64_t limb = crd_i_magnitude_limb(magnitude, index);
        loaded.big.limbs[loaded.big.count++] = (uint32_t)limb;
        loaded.big.limbs[loaded.big.count++] = (uint32_t)(limb >> 32);
    }
    crd_i_big_trim(&loaded.big);
    return loaded;
}

static size_t exact_moments_distance(int64_t a, int64_t b) {
    return (size_t)(a > b ? a - b : b - a);
}

/* Allocates the workspace. Returns false if memory runs out. The block holds the four sums; n q and s t, each with room
 * to be brought to the other's base; 1, n - 1 and n (n - 1), or n^2; and the scratch for dividing by the latter. */
static bool open_workspace(moments_workspace *work, crd_i_comoment_cell cell) {
    crd_i_magnitude n = crd_i_sums_magnitude(cell.n, cell.n_cell), s = crd_i_sums_magnitude(cell.s, cell.s_cell);
    crd_i_magnitude t = crd_i_sums_magnitude(cell.t, cell.t_cell), q = crd_i_sums_magnitude(cell.q, cell.q_cell);
    size_t spread = 2 * exact_moments_distance((int64_t)n.low + q.low, (int64_t)s.low + t.low);
    size_t unit = 2 * exact_moments_distance(n.low, 0); /* from the lowest limb of n to the limb of 1 */
    size_t sums = limbs_in(&n) + limbs_in(&s) + limbs_in(&t) + limbs_in(&q) + 4;
    size_t products = limbs_in(&n) + limbs_in(&q) + limbs_in(&s) + limbs_in(&t) + 2 * spread + 6;
    size_t divisors = 8 * (limbs_in(&n) + unit + 2);
    work->context = cell.n->context;
    work->block = crd_i_alloc(work->context, sums + products + divisors, sizeof *work->block);
    if (work->block == NULL) return false;
    work->next = work->block;
    work->n = exact_moments_load(work, &n);
    work->s = exact_moments_load(work, &s);
    work->t = exact_moments_load(work, &t);
    work->q = exact_moments_load(work, &q);
    return true;
}

/* Returns the sums of a column paired with itself. */
static crd_i_comoment_cell with_itself(crd_i_moment_cell moment) {
    crd_i_comoment_cell pair = {moment.n,    moment.s,    moment.s,    moment.q,
                                moment.cell, moment.cell, moment.cell, moment.cell};
    return pair;
}

static void close_workspace(moments_workspace *work) {
    crd_free(work->context, work->block);
}

static scaled_big exact_moments_product(moments_workspace *work, const scaled_big *a, const scaled_big *b,
                                        size_t more) {
    scaled_big result = {exact_moments_take(work, a->big.count + b->big.count + more), a->base + b->base,
                         a->sign * b->sign};
    crd_i_big_multiply(&result.big, &a->big, &b->big);
    return result;
}

/* Expresses a as a multiple of 2^(32 * base), base <= a->base, in its own room. */
static void exact_moments_rebase(scaled_big *a, int64_t base) {
    crd_i_big_shift_left(&a->big, 32 * (size_t)(a->base - base));
    a->base = base;
}

/* Computes n q - s t. */
static scaled_big exact_moments_find_spread(moments_workspace *work) {
    size_t more = exact_moments_distance(work->n.base + work->q.base, work->s.base + work->t.base) + 1;
    scaled_big nq = exact_moments_product(work, &work->n, &work->q, more);
    scaled_big st = exact_moments_product(work, &work->s, &work->t, more);
    int64_t base = nq.base < st.base ? nq.base : st.base;
    exact_moments_rebase(&nq, base);
    exact_moments_rebase(&st, base);
    if (st.sign == 0) return nq;
    st.sign = -st.sign;
    if (nq.sign == 0) return st;
    if (nq.sign == st.sign) {
        crd_i_big_add(&nq.big, &st.big);
        return nq;
    }
    scaled_big *larger = crd_i_big_compare(&nq.big, &st.big) < 0 ? &st : &nq;
    crd_i_big_subtract(&larger->big, larger == &st ? &nq.big : &st.big);
    if (larger->big.count == 0) larger->sign = 0;
    return *larger;
}

/* Computes n - 1. Returns false if n <= 1. */
static bool find_one_less(moments_workspace *work, scaled_big *result) {
    size_t unit = exact_moments_distance(work->n.base, 0);
    result->big = exact_moments_take(work, work->n.big.count + unit + 2);
    result->base = work->n.base;
    result->sign = 1;
    crd_i_big_copy(&result->big, &work->n.big);
    if (result->base > 0) exact_moments_rebase(result, 0);
    crd_i_big one = exact_moments_take(work, unit + 2);
    crd_i_big_set(&one, 1);
    crd_i_big_shift_left(&one, 32 * (size_t)-result->base);
    if (crd_i_big_compare(&result->big, &one) <= 0) return false;
    crd_i_big_subtract(&result->big, &one);
    return true;
}

/* Returns the quotient a / b, both nonzero, including both exponents. */
static crd_i_ratio exact_moments_divide(moments_workspace *work, const scaled_big *a, const scaled_big *b) {
    crd_i_ratio ratio = crd_i_big_divide(&a->big, &b->big, work->next);
    ratio.exponent += 32 * (a->base - b->base);
    return ratio;
}

static crd_i_scaled round_ratio(crd_i_ratio ratio) {
    crd_i_scaled rounded = {crd_i_round(false, ratio.top, ratio.more, -64), ratio.exponent + 64};
    if (rounded.mantissa >= 1) {
        rounded.mantissa = 0.5;
        rounded.exponent++;
    }
    return rounded;
}

/* Returns the difference between +-top * 2^exponent and `rounded`, or 0 if `rounded` is not rounded to 53 bits. The
 * difference of the two integers is small, so it is correct modulo 2^64, even though a mantissa that was rounded up to
 * 2^64 does not fit. */
static double left_over(bool negative, crd_i_ratio ratio, double rounded) {
    crd_i_parts parts = crd_i_parts_of(rounded);
    int64_t shift = parts.exponent - ratio.exponent;
    if (shift < 11 || shift > 12) return 0;
    uint64_t over = ratio.top - (parts.mantissa << shift);
    bool is_below = over >> 63 != 0;
    if (over == 0) return 0;
    if (is_below) over = 0 - over;
    unsigned zeros = crd_i_limb_leading_zeros(over);
    return crd_i_round(negative != is_below, over << zeros, false, ratio.exponent - zeros);
}

bool crd_i_comoments_mean(crd_i_comoment_cell cell, double *mean, double *remainder, bool *defined) {
    *mean = 0;
    if (remainder != NULL) *remainder = 0;
    *defined = crd_i_sums_sign(cell.n, cell.n_cell) > 0;
    if (!*defined) return false;
    moments_workspace work;
    if (!open_workspace(&work, cell)) return false;
    if (work.s.sign != 0) {
        crd_i_ratio ratio = exact_moments_divide(&work, &work.s, &work.n);
        *mean = crd_i_round(work.s.sign < 0, ratio.top, ratio.more, ratio.exponent);
        if (remainder != NULL) *remainder = left_over(work.s.sign < 0, ratio, *mean);
    }
    close_workspace(&work);
    return true;
}

static const crd_i_signed NOTHING = {0, {0, 0}};

bool crd_i_comoments_covariance(crd_i_comoment_cell cell, bool sample, crd_i_signed *covariance, bool *defined) {
    *covariance = NOTHING;
    *defined = crd_i_sums_sign(cell.n, cell.n_cell) > 0;
    if (!*defined) return false;
    moments_workspace work;
    if (!open_workspace(&work, cell)) return false;
    scaled_big less = work.n;
    if (sample) *defined = find_one_less(&work, &less);
    if (*defined) {
        scaled_big spread = exact_moments_find_spread(&work);
        scaled_big divisor = exact_moments_product(&work, &work.n, &less, 0);
        covariance->sign = spread.sign;
        if (spread.sign != 0) covariance->size = round_ratio(exact_moments_divide(&work, &spread, &divisor));
    }
    close_workspace(&work);
    return *defined;
}

bool crd_i_comoments_deviations(crd_i_comoment_cell cell, crd_i_signed *sum_of_products) {
    *sum_of_products = NOTHING;
    if (crd_i_sums_sign(cell.n, cell.n_cell) <= 0) return true;
    moments_workspace work;
    if (!open_workspace(&work, cell)) return false;
    scaled_big spread = exact_moments_find_spread(&work);
    sum_of_products->sign = spread.sign;
    if (spread.sign != 0) sum_of_products->size = round_ratio(exact_moments_divide(&work, &spread, &work.n));
    close_workspace(&work);
    return true;
}

bool crd_i_moments_mean(crd_i_moment_cell cell, double *mean, double *remainder, bool *defined) {
    return crd_i_comoments_mean(with_itself(cell), mean, remainder, defined);
}

bool crd_i_moments_variance(crd_i_moment_cell cell, bool sample, crd_i_scaled *variance, bool *defined) {
    crd_i_signed covariance;
    bool is_found = crd_i_comoments_covariance(with_itself(cell), sample, &covariance, defined);
    *variance = covariance.sign > 0 ? covariance.size : NOTHING.size;
    return is_found;
}

bool crd_i_moments_deviations(crd_i_moment_cell cell, crd_i_scaled *sum_of_squared_deviations) {
    crd_i_signed deviations;
    bool is_found = crd_i_comoments_deviations(with_itself(cell), &deviations);
    *sum_of_squared_deviations = deviations.sign > 0 ? deviations.size : NOTHING.size;
    return is_found;
}

bool crd_i_moments_possible(crd_i_moment_cell moment, bool *possible) {
    int n_sign = crd_i_sums_sign(moment.n, moment.cell);
    *possible =
        n_sign == 0 && crd_i_sums_sign(moment.s, moment.cell) == 0 && crd_i_sums_sign(moment.q, moment.cell) == 0;
    if (n_sign <= 0) return true;
    moments_workspace work;
    if (!open_workspace(&work, with_itself(moment))) return false;
    *possible = exact_moments_find_spread(&work).sign >= 0;
    close_workspace(&work);
    return true;
}

/* ---- Doubles with a separate exponent ---- */

/* Normalizes mantissa * 2^exponent, mantissa in [2^-60, 2^60] or 0, to the form that the header specifies. This is
 * exact. */
static crd_i_scaled exact_moments_normalized(double mantissa, int64_t exponent) {
    crd_i_scaled result = {0, 0};
    if (mantissa == 0) return result;
    uint64_t bits = crd_i_bits_of(mantissa);
    result.exponent = exponent + (int64_t)(bits >> 52) - 1022;
    result.mantissa = crd_i_double_of((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1022) << 52);
    return result;
}

/* Returns 2^-shift for shifts 0 .. 1000. */
static double power_down(int64_t shift) {
    return crd_i_double_of((uint64_t)(1023 - shift) << 52);
}

crd_i_scaled crd_i_scaled_of(double value) {
    crd_i_parts parts = crd_i_parts_of(value);
    return exact_moments_normalized((double)parts.mantissa, parts.exponent);
}

crd_i_scaled crd_i_scaled_add(crd_i_scaled a, crd_i_scaled b) {
    if (a.mantissa == 0) return b;
    if (b.mantissa == 0) return a;
    if (a.exponent < b.exponent) {
        crd_i_scaled swapped = a;
        a = b;
        b = swapped;
    }
    int64_t shift = a.exponent - b.exponent;
    if (shift > 60) return a; /* less than half of the last place */
    return exact_moments_normalized(a.mantissa + b.mantissa * power_down(shift), a.exponent);
}

crd_i_scaled crd_i_scaled_multiply(crd_i_scaled a, crd_i_scaled b) {
    return exact_moments_normalized(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

crd_i_scaled crd_i_scaled_divide(crd_i_scaled a, crd_i_scaled b) {
    return exact_moments_normalized(a.mantissa / b.mantissa, a.exponent - b.exponent);
}

double crd_i_scaled_value(crd_i_scaled a) {
    if (a.mantissa == 0) return 0;
    crd_i_parts parts = crd_i_parts_of(a.mantissa);
    return crd_i_round(false, parts.mantissa << 11, false, a.exponent + parts.exponent - 11);
}

double crd_i_signed_value(crd_i_signed a) {
    double size = crd_i_scaled_value(a.size);
    return a.sign < 0 ? -size : size;
}

double crd_i_scaled_root(crd_i_scaled a) {
    /* An even exponent can be halved. IEEE square roots are correctly rounded. */
    bool odd = a.exponent % 2 != 0;
    double root = sqrt(odd ? a.mantissa * 0.5 : a.mantissa);
    return crd_i_scaled_value(exact_moments_normalized(root, (a.exponent + odd) / 2));
}
