/* slices_kernel.h - slicing, written once for vectors of any length. Each way includes it after defining
 *
 *   LANES                   doubles in a vector
 *   TARGET                  the attribute of functions that asks for the processor's instructions, or nothing
 *   TAKE(values, which)     a vector of values[which[0]], values[which[1]], ...
 *   MULTIPLY_ADD(a, b, c)   a * b + c; with or without rounding between, as neither has anything to round here
 *   LARGER(a, b)            of each two halves of lanes, signed integers, the larger
 *   ANY(v)                  whether a lane is not zero */
#include "math/slices.h"

#include <string.h>

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t lane_bits __attribute__((vector_size(8 * LANES)));
typedef int32_t half_lanes __attribute__((vector_size(8 * LANES)));

/* Magnitudes are in the order of their upper halves; so the largest of these, which every processor can compare, has
 * the exponent. The largest of the lower halves mean nothing. */
TARGET static unsigned gather(const double *values, const uint16_t *which, size_t count, double block[CRD_I_BLOCK]) {
    const lane_bits magnitude = (lane_bits){0} + INT64_MAX;
    half_lanes most = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        lanes taken = TAKE(values, which + i);
        memcpy(block + i, &taken, sizeof taken);
        most = LARGER((half_lanes)((lane_bits)taken & magnitude), most);
    }
    if (i < count) {
        lanes taken = {0};
        for (int lane = 0; i + (size_t)lane < count; lane++) taken[lane] = values[which[i + (size_t)lane]];
        memcpy(block + i, &taken, sizeof taken);
        most = LARGER((half_lanes)((lane_bits)taken & magnitude), most);
    }
    unsigned field = 0;
    for (int lane = 0; lane < LANES; lane++) {
        unsigned own = (unsigned)(((lane_bits)most)[lane] >> 52);
        if (own > field) field = own;
    }
    return field;
}

/* In units of 2^(e - 20), 2^(e - 42) and 2^(e - 64) the slices are integers of at most 2^20, 2^21 and 2^21, since half
 * a unit is the most that rounding to one leaves to the next. (The second is the difference of what two roundings give,
 * so that the processor need not finish the one to begin the other.) The largest sum is that of order 2, with 2 * 2^20
 * * 2^21 + 2^21 * 2^21 = 2^43 a value; so 1,024 values are exact. */
TARGET static void slice(const double block[CRD_I_BLOCK], size_t count, const double constants[CRD_I_SLICES],
                         crd_i_sliced *sliced) {
    const lanes zero = {0}, first = zero + constants[0], second = zero + constants[1], third = zero + constants[2];
    lanes sum01 = zero, sum2 = zero;
    lanes square0 = zero, square1 = zero, square2 = zero;
    lanes product01 = zero, product02 = zero, product12 = zero;
    size_t left_count = 0;
    for (size_t i = 0; i < count; i += LANES) {
        lanes rest;
        memcpy(&rest, block + i, sizeof rest);
        lanes slice0 = (rest + first) - first;
        lanes both = (rest + second) - second;
        lanes slice1 = both - slice0;
        rest -= both;
        lanes slice2 = (rest + third) - third;
        rest -= slice2;
        sum01 += both;
        sum2 += slice2;
        square0 = MULTIPLY_ADD(slice0, slice0, square0);
        square1 = MULTIPLY_ADD(slice1, slice1, square1);
        square2 = MULTIPLY_ADD(slice2, slice2, square2);
        product01 = MULTIPLY_ADD(slice0, slice1, product01);
        product02 = MULTIPLY_ADD(slice0, slice2, product02);
        product12 = MULTIPLY_ADD(slice1, slice2, product12);
        if (!ANY(rest)) continue;
        for (int lane = 0; lane < LANES; lane++)
            if (rest[lane] != 0) sliced->left[left_count++] = (uint16_t)(i + (size_t)lane);
    }
    memset(sliced->sums, 0, sizeof sliced->sums);
    memset(sliced->squares, 0, sizeof sliced->squares);
    for (int lane = 0; lane < LANES; lane++) {
        sliced->sums[0] += sum01[lane];
        sliced->sums[1] += sum2[lane];
        sliced->squares[0] += square0[lane];
        sliced->squares[1] += 2 * product01[lane];
        sliced->squares[2] += square1[lane] + 2 * product02[lane];
        sliced->squares[3] += 2 * product12[lane];
        sliced->squares[4] += square2[lane];
    }
    sliced->left_count = left_count;
}
