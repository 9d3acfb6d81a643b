/* SPDX-License-Identifier: MIT */
/* big_integer.c - see big_integer.h.
 *
 * Limbs have 32 bits, so every intermediate result fits in 64 bits, which all machines support. Only 64 bits of the
 * quotient are needed, whatever the lengths. The dividend is therefore first cut to 63 bits more than the divisor, and
 * two digits of long division follow (Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D). */
#include "math/exact/big_integer.h"

#include "math/exact/limbs.h"

#include <string.h>

void crd_i_big_trim(crd_i_big *a) {
    while (a->count > 0 && a->limbs[a->count - 1] == 0) a->count--;
}

void crd_i_big_set(crd_i_big *a, uint64_t value) {
    a->limbs[0] = (uint32_t)value;
    a->limbs[1] = (uint32_t)(value >> 32);
    a->count = 2;
    crd_i_big_trim(a);
}

void crd_i_big_copy(crd_i_big *a, const crd_i_big *b) {
    memcpy(a->limbs, b->limbs, b->count * sizeof *b->limbs);
    a->count = b->count;
}

size_t crd_i_big_bits(const crd_i_big *a) {
    if (a->count == 0) return 0;
    return 32 * a->count + 32 - crd_i_limb_leading_zeros(a->limbs[a->count - 1]);
}

int crd_i_big_compare(const crd_i_big *a, const crd_i_big *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

void crd_i_big_add(crd_i_big *a, const crd_i_big *b) {
    while (a->count < b->count) a->limbs[a->count++] = 0;
    uint64_t carry = 0;
    for (size_t i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limbs[i] + (i < b->count ? b->limbs[i] : 0);
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) a->limbs[a->count++] = (uint32_t)carry;
}

void crd_i_big_subtract(crd_i_big *a, const crd_i_big *b) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < a->count && (i < b->count || borrow != 0); i++) {
        uint64_t difference = (uint64_t)a->limbs[i] - (i < b->count ? b->limbs[i] : 0) - borrow;
        a->limbs[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    crd_i_big_trim(a);
}

void crd_i_big_shift_left(crd_i_big *a, size_t bits) {
    if (a->count == 0) return;
    size_t whole = bits / 32;
    unsigned part = (unsigned)(bits % 32);
    uint32_t above = 0;
    for (size_t i = a->count; i-- > 0;) {
        uint64_t shifted = (uint64_t)a->limbs[i] << part;
        uint32_t high = (uint32_t)(shifted >> 32);
        if (i + 1 == a->count) {
            if (high != 0) a->limbs[a->count + whole] = high;
            a->count += high != 0;
        } else {
            a->limbs[i + 1 + whole] = above | high;
        }
        above = (uint32_t)shifted;
    }
    a->limbs[whole] = above;
    memset(a->limbs, 0, whole * sizeof *a->limbs);
    a->count += whole;
}

void crd_i_big_multiply_small(crd_i_big *a, uint32_t factor, uint32_t term) {
    uint64_t carry = term;
    for (size_t i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limbs[i] * factor;
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) a->limbs[a->count++] = (uint32_t)carry;
    crd_i_big_trim(a);
}

void crd_i_big_multiply_power_of_5(crd_i_big *a, unsigned power) {
    const uint32_t most = 1220703125; /* 5^13, the largest power of 5 that fits in 32 bits */
    for (; power >= 13; power -= 13) crd_i_big_multiply_small(a, most, 0);
    uint32_t remainder = 1;
    while (power-- > 0) remainder *= 5;
    if (remainder > 1) crd_i_big_multiply_small(a, remainder, 0);
}

void crd_i_big_multiply_power_of_10(crd_i_big *a, unsigned power) {
    crd_i_big_multiply_power_of_5(a, power);
    crd_i_big_shift_left(a, power);
}

void crd_i_big_multiply(crd_i_big *product, const crd_i_big *a, const crd_i_big *b) {
    product->count = a->count + b->count;
    memset(product->limbs, 0, product->count * sizeof *product->limbs);
    for (size_t i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b->count; j++) {
            carry += (uint64_t)a->limbs[i] * b->limbs[j] + product->limbs[i + j];
            product->limbs[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product->limbs[i + b->count] = (uint32_t)carry;
    }
    crd_i_big_trim(product);
}

/* ---- Division ---- */

/* Returns the 32 bits of a * 2^shift at limb i; shift may be negative. */
static uint32_t shifted_limb(const crd_i_big *a, int64_t shift, size_t i) {
    int64_t lowest = (int64_t)(32 * i) - shift; /* position in a of the requested bits */
    int64_t whole = lowest >= 0 ? lowest / 32 : -((31 - lowest) / 32);
    unsigned part = (unsigned)(lowest - 32 * whole);
    uint64_t low = whole >= 0 && whole < (int64_t)a->count ? a->limbs[whole] : 0;
    uint64_t high = whole >= -1 && whole + 1 < (int64_t)a->count ? a->limbs[whole + 1] : 0;
    return (uint32_t)((high << 32 | low) >> part);
}

/* Returns whether any of the lowest `bits` bits of a is set. */
static bool any_below(const crd_i_big *a, int64_t bits) {
    for (size_t i = 0; i < a->count && bits > 0; i++, bits -= 32) {
        uint32_t limb = bits >= 32 ? a->limbs[i] : a->limbs[i] & ((UINT32_C(1) << bits) - 1);
        if (limb != 0) return true;
    }
    return false;
}

/* Computes remainder[0 .. count] -= digit * divisor[0 .. count - 1]. Returns the borrow out of the top. */
static uint32_t subtract_multiple(uint32_t *remainder, const uint32_t *divisor, size_t count, uint64_t digit) {
    uint64_t carry = 0, borrow = 0;
    for (size_t i = 0; i <= count; i++) {
        carry += i < count ? digit * divisor[i] : 0;
        uint64_t difference = (uint64_t)remainder[i] - (uint32_t)carry - borrow;
        remainder[i] = (uint32_t)difference;
        borrow = difference >> 63;
        carry >>= 32;
    }
    return (uint32_t)borrow;
}

static void add_back(uint32_t *remainder, const uint32_t *divisor, size_t count) {
    uint64_t carry = 0;
    for (size_t i = 0; i <= count; i++) {
        carry += (uint64_t)remainder[i] + (i < count ? divisor[i] : 0);
        remainder[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Returns one digit of the quotient. The remainder has count + 1 limbs and is less than 2^32 times the divisor, whose
 * top bit is set. */
static uint64_t divide_digit(uint32_t *remainder, const uint32_t *divisor, size_t count) {
    uint64_t high = (uint64_t)remainder[count] << 32 | remainder[count - 1];
    uint64_t digit = high / divisor[count - 1];
    if (digit > UINT32_MAX) digit = UINT32_MAX;
    /* The estimate is too large by two at most. */
    if (subtract_multiple(remainder, divisor, count, digit) != 0) {
        digit--;
        add_back(remainder, divisor, count);
        if (remainder[count] != 0) {
            digit--;
            add_back(remainder, divisor, count);
        }
    }
    return digit;
}

crd_i_ratio crd_i_big_divide(const crd_i_big *a, const crd_i_big *b, uint32_t *scratch) {
    size_t count = b->count;
    int64_t normalize = (int64_t)(32 * count - crd_i_big_bits(b));
    /* With 63 bits more than the divisor, the quotient is in (2^62, 2^64), which has two digits. */
    int64_t align = (int64_t)(32 * count + 63) - (int64_t)crd_i_big_bits(a);
    uint32_t *divisor = scratch, *remainder = scratch + count;
    for (size_t i = 0; i < count; i++) divisor[i] = shifted_limb(b, normalize, i);
    for (size_t i = 0; i < count + 2; i++) remainder[i] = shifted_limb(a, align, i);

    uint64_t high = divide_digit(remainder + 1, divisor, count);
    uint64_t low = divide_digit(remainder, divisor, count);
    crd_i_ratio ratio = {high << 32 | low, normalize - align, any_below(a, -align)};
    for (size_t i = 0; i < count && !ratio.more; i++) ratio.more = remainder[i] != 0;
    unsigned zeros = crd_i_limb_leading_zeros(ratio.top);
    ratio.top <<= zeros;
    ratio.exponent -= zeros;
    return ratio;
}
