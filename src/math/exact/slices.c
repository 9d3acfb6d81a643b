/* SPDX-License-Identifier: MIT */
/* slices.c - see slices.h: chooses scales, and adds the seven sums to the wide integers. */
#include "math/exact/slices.h"

#include "math/exact/ieee754.h"
#include "math/exact/limbs.h"
#include "math/exact/slices_internal.h"

#include <math.h>
#include <string.h>

const crd_i_slicer *const crd_i_slicers[] = {
#ifdef CRD_I_SLICES_AVX2
    &crd_i_slicer_avx512,
    &crd_i_slicer_avx2,
#endif
#ifdef CRD_I_SLICES_PLAIN
    &crd_i_slicer_plain,
#endif
    NULL,
};

const crd_i_slicer *crd_i_slicer_best(void) {
    size_t i = 0;
    while (crd_i_slicers[i] != NULL && !crd_i_slicers[i]->is_supported()) i++;
    return crd_i_slicers[i];
}

/* If magnitudes are below 2^e, the sums range from 2^(2 e - 128) to 2^(2 e + 10). With these bounds both are normal
 * doubles. Values outside the bounds are rare and are added one by one. */
enum { LEAST_EXPONENT = -440, MOST_EXPONENT = 500, EXPONENTS = MOST_EXPONENT - LEAST_EXPONENT + 1 };

/* Slice i is a multiple of 2^(e - FIRST_BITS - i * CRD_I_DIGIT_BITS). */
enum { FIRST_BITS = 20, LAST_BITS = FIRST_BITS + 2 * CRD_I_DIGIT_BITS };

static double slices_power_of_two(int exponent) {
    return crd_i_double_of((uint64_t)(exponent + 1023) << 52);
}

/* Finds the exponents for which a finite, nonzero value fits. The smallest is the exponent of the power of two above
 * it. The largest is the exponent whose third slice ends with the lowest bit of the value. */
static void slices_fitting(double value, int *least, int *most) {
    crd_i_parts parts = crd_i_parts_of(value);
    uint64_t lowest = parts.mantissa & (0 - parts.mantissa);
    *least = parts.exponent + 64 - (int)crd_i_limb_leading_zeros(parts.mantissa);
    *most = parts.exponent + 63 - (int)crd_i_limb_leading_zeros(lowest) + LAST_BITS;
    if (*least < LEAST_EXPONENT) *least = LEAST_EXPONENT;
    if (*most > MOST_EXPONENT) *most = MOST_EXPONENT;
}

bool crd_i_scales_choose(const double *values, size_t stride, size_t count, int *exponent) {
    int32_t changes[EXPONENTS + 1] = {0}; /* changes in the number of fitting values between adjacent exponents */
    int first = EXPONENTS, last = 0;
    for (size_t i = 0; i < count; i++) {
        double value = values[i * stride];
        int least, most;
        if (value == 0 || value - value != 0) continue;
        slices_fitting(value, &least, &most);
        if (least > most) continue;
        least -= LEAST_EXPONENT;
        most -= LEAST_EXPONENT;
        changes[least]++;
        changes[most + 1]--;
        if (least < first) first = least;
        if (most > last) last = most;
    }
    int32_t fit = 0, best = 0;
    int begin = 0, end = 0; /* the first run of exponents for which most values fit */
    for (int i = first; i <= last; i++) {
        fit += changes[i];
        if (fit > best) {
            best = fit;
            begin = i;
            end = i + 1;
        } else if (fit == best && end == i) {
            end = i + 1;
        }
    }
    *exponent = LEAST_EXPONENT + begin + (end - begin) / 3;
    return best > 0;
}

void crd_i_scales_set(crd_i_scales *scales, size_t column, int exponent) {
    scales->exponents[column] = exponent;
    scales->limits[column] = slices_power_of_two(exponent);
    /* The unit in the last place of 1.5 * 2^(k + 52), and of all numbers within 2^(k + 51) of it, is 2^k. */
    for (int i = 0; i < CRD_I_SLICES; i++)
        scales->constants[i][column] = 1.5 * slices_power_of_two(exponent - FIRST_BITS - i * CRD_I_DIGIT_BITS + 52);
}

bool crd_i_slices_pour(const crd_i_scales *scales, size_t column, crd_i_parts_row *parts, crd_i_sums *sums,
                       crd_i_sums *squares, size_t cell) {
    int exponent = scales->exponents[column];
    int64_t digits[CRD_I_PARTS];
    uint64_t any = 0;
    for (int i = 0; i < CRD_I_PARTS; i++) {
        /* In its own unit, each sum is an integer of at most 2^53. Products of slices 0 and 1, and of slices 1 and 2,
         * count twice. */
        int unit = i < 2 ? exponent - LAST_BITS + (1 - i) * CRD_I_DIGIT_BITS
                         : 2 * (exponent - LAST_BITS) + (6 - i) * CRD_I_DIGIT_BITS;
        digits[i] = (int64_t)(parts->sums[i][column] * slices_power_of_two(-unit)) * (i == 3 || i == 5 ? 2 : 1);
        any |= (uint64_t)digits[i];
        parts->sums[i][column] = 0;
    }
    if (any == 0) return true;
    return crd_i_sums_add_digits(sums, cell, digits, 2, exponent - LAST_BITS) &&
           crd_i_sums_add_digits(squares, cell, digits + 2, CRD_I_PARTS - 2, 2 * (exponent - LAST_BITS));
}

/* ---- With weights ---- */

enum { MOST_WEIGHTED_EXPONENT = 250 };

static bool is_moderate(int exponent) {
    return -MOST_WEIGHTED_EXPONENT <= exponent && exponent <= MOST_WEIGHTED_EXPONENT;
}

bool crd_i_slice_weights(const double *weights, size_t count, double *workspace, crd_i_sliced_weights *out) {
    crd_i_scales scale;
    double *slices[CRD_I_SLICES] = {workspace, workspace + count, workspace + 2 * count}, greatest = 0;
    if (crd_i_slicer_best() == NULL) return false;
    for (size_t i = 0; i < count; i++) greatest = weights[i] > greatest ? weights[i] : greatest;
    const crd_i_parts parts = crd_i_parts_of(greatest);
    out->exponent = greatest == 0 ? 0 : parts.exponent + 64 - (int)crd_i_limb_leading_zeros(parts.mantissa);
    if (!is_moderate(out->exponent)) return false;
    crd_i_scales_set(&scale, 0, out->exponent);
    const double constants[CRD_I_SLICES] = {scale.constants[0][0], scale.constants[1][0], scale.constants[2][0]};
    bool is_used[CRD_I_SLICES] = {true};
    for (size_t i = 0; i < count; i++) {
        const double both = (weights[i] + constants[1]) - constants[1], last = weights[i] - both;
        const double first = (weights[i] + constants[0]) - constants[0], second = both - first;
        const bool fits = (last + constants[2]) - constants[2] == last;
        slices[0][i] = fits ? first : NAN;
        slices[1][i] = fits ? second : 0;
        slices[2][i] = fits ? last : 0;
        is_used[1] |= second != 0;
        is_used[2] |= last != 0;
    }
    out->used = is_used[2] ? 3 : is_used[1] ? 2 : 1;
    for (int i = 0; i < CRD_I_SLICES; i++) out->slices[i] = slices[i];
    return true;
}

bool crd_i_weighted_scales_set(crd_i_weighted_scales *scales, int exponent, int weight_exponent) {
    if (!is_moderate(exponent)) return false;
    scales->weight_exponent = weight_exponent;
    for (size_t i = 0; i < CRD_I_PANEL; i++) crd_i_scales_set(&scales->numbers, i, exponent);
    /* The unit of the product of first slices is 2^(2 e - 40). */
    for (int i = 0; i < CRD_I_SQUARE_SLICES - 1; i++)
        scales->square_constants[i] =
            1.5 * slices_power_of_two(2 * (exponent - FIRST_BITS) - (i - 1) * CRD_I_DIGIT_BITS + 52);
    return true;
}

/* Adds up all lanes, each part in its own unit; the unit of the last part is 2^exponent. */
static void total_parts(const crd_i_weighted_parts *parts, size_t first, size_t count, int exponent, int64_t *digits) {
    for (size_t i = 0; i < count; i++) {
        const double *sums = parts->sums[first + i];
        const double scale = slices_power_of_two(-exponent - (int)(count - 1 - i) * CRD_I_DIGIT_BITS);
        digits[i] = 0;
        for (size_t worker = 0; worker < CRD_I_PANEL; worker++) digits[i] += (int64_t)(sums[worker] * scale);
    }
}

bool crd_i_weighted_pour(const crd_i_weighted_scales *scales, const crd_i_weighted_parts *parts, crd_i_sums *powers,
                         size_t cell) {
    enum { WEIGHTS = 2, FIRSTS = 5, SQUARES = 8, HALF = SQUARES / 2 };
    const int unit = scales->numbers.exponents[0] - LAST_BITS, weight_unit = scales->weight_exponent - LAST_BITS;
    const int square_unit = weight_unit + 2 * unit;
    int64_t digits[SQUARES];
    total_parts(parts, 0, WEIGHTS, weight_unit, digits);
    if (!crd_i_sums_add_digits(&powers[0], cell, digits, WEIGHTS, weight_unit)) return false;
    total_parts(parts, WEIGHTS, FIRSTS, weight_unit + unit, digits);
    if (!crd_i_sums_add_digits(&powers[1], cell, digits, FIRSTS, weight_unit + unit)) return false;
    total_parts(parts, WEIGHTS + FIRSTS, SQUARES, square_unit, digits);
    return crd_i_sums_add_digits(&powers[2], cell, digits, HALF, square_unit + HALF * CRD_I_DIGIT_BITS) &&
           crd_i_sums_add_digits(&powers[2], cell, digits + HALF, HALF, square_unit);
}
