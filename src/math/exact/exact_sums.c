/* SPDX-License-Identifier: MIT */
/* exact_sums.c - exact sums in shared windows of two's complement limbs; see exact_sums.h.
 *
 * Invariants
 *   - width 0: all entries are zero, base is 0. Otherwise every entry is its limbs as a two's complement number of
 *     64 * width bits, times 2^(64 * base). Any such number is allowed, because windows are also filled from files.
 *   - Headroom is made before a number is added, never after. Both the entry and the added number are brought into
 *     [-2^(b - 2), 2^(b - 2)], b = 64 * width, by growing the window if necessary. Their sum is then within
 *     [-2^(b - 1), 2^(b - 1)). No addition overflows or must be undone, so only growing can fail.
 *
 * A double covers at most two limbs, a product of two doubles three, and a product of three doubles four. Zero limbs at
 * either end are dropped before room is made, so a column of integers stays in one limb. */
#include "math/exact/exact_sums.h"

#include "base/memory.h"
#include "math/exact/ieee754.h"
#include "math/exact/limbs.h"

#include <string.h>

static const uint64_t SIGN_BIT = UINT64_C(1) << 63;

static uint64_t sign_limb(uint64_t top) {
    return top & SIGN_BIT ? UINT64_MAX : 0;
}

static uint64_t *limbs_of(const crd_i_sums *sums, size_t cell) {
    return sums->limbs + cell * sums->width;
}

void crd_i_sums_init(crd_i_sums *sums, crd_context *context) {
    memset(sums, 0, sizeof *sums);
    sums->context = context;
}

void crd_i_sums_clear(crd_i_sums *sums) {
    crd_free(sums->context, sums->limbs);
    crd_i_sums_init(sums, sums->context);
}

/* ---- Memory ---- */

static bool exact_sums_allocate(crd_i_sums *sums, size_t cells, uint32_t width) {
    if (cells == 0 || width == 0) return true;
    if (cells > SIZE_MAX / sizeof *sums->limbs / width) return false;
    return crd_i_reserve(sums->context, &sums->limbs, &sums->capacity, cells * width, sizeof *sums->limbs);
}

bool crd_i_sums_extend(crd_i_sums *sums, size_t cells) {
    if (cells <= sums->cells) return true;
    if (!exact_sums_allocate(sums, cells, sums->width)) return false;
    if (sums->width > 0)
        memset(limbs_of(sums, sums->cells), 0, (cells - sums->cells) * sums->width * sizeof *sums->limbs);
    sums->cells = cells;
    return true;
}

bool crd_i_sums_set_window(crd_i_sums *sums, int32_t base, uint32_t width) {
    if (!exact_sums_allocate(sums, sums->cells, width)) return false;
    sums->base = width == 0 ? 0 : base;
    sums->width = width;
    if (sums->cells > 0 && width > 0) memset(sums->limbs, 0, sums->cells * width * sizeof *sums->limbs);
    return true;
}

/* Extends the window to hold the limbs [low, end) in addition to its own. */
static bool exact_sums_grow(crd_i_sums *sums, int32_t low, int32_t end) {
    if (sums->width == 0) return crd_i_sums_set_window(sums, low, (uint32_t)(end - low));
    int32_t old_end = sums->base + (int32_t)sums->width;
    if (low > sums->base) low = sums->base;
    if (end < old_end) end = old_end;
    uint32_t width = (uint32_t)(end - low), old_width = sums->width;
    if (width == old_width) return true;
    if (!exact_sums_allocate(sums, sums->cells, width)) return false;
    size_t below = (size_t)(sums->base - low), above = (size_t)(end - old_end);
    for (size_t cell = sums->cells; cell-- > 0;) {
        /* Starts with the last entry, because every entry moves up. */
        uint64_t *destination = sums->limbs + cell * width;
        memmove(destination + below, sums->limbs + cell * old_width, old_width * sizeof *destination);
        uint64_t extension = sign_limb(destination[below + old_width - 1]);
        for (size_t i = 0; i < below; i++) destination[i] = 0;
        for (size_t i = 0; i < above; i++) destination[below + old_width + i] = extension;
    }
    sums->base = low;
    sums->width = width;
    return true;
}

/* Returns whether the top limb of a two's complement number leaves `spare` + 1 bits unused besides the sign. */
static bool has_headroom(uint64_t top, unsigned spare) {
    uint64_t limit = UINT64_C(1) << (62 - spare);
    return top + limit < 2 * limit;
}

/* ---- Adding ---- */

/* Makes room for adding a magnitude of `count` limbs from absolute position `low` on, with a nonzero top limb. */
static bool exact_sums_make_room(crd_i_sums *sums, size_t cell, int32_t low, uint32_t count, uint64_t top) {
    int32_t end = low + (int32_t)count + (top >> 62 == 0 ? 0 : 1);
    if (sums->width > 0) {
        int32_t window_end = sums->base + (int32_t)sums->width;
        if (!has_headroom(limbs_of(sums, cell)[sums->width - 1], 0) && end <= window_end) end = window_end + 1;
        if (low >= sums->base && end <= window_end) return true;
    }
    return exact_sums_grow(sums, low, end);
}

/* Adds or subtracts the magnitude of `count` limbs after room has been made. Signs are practically random, so no branch
 * depends on them: subtracting is adding the complement and one. Limbs beyond the magnitude change only if the carry
 * differs from the sign's. */
static inline void add_within(crd_i_sums *sums, size_t cell, int32_t low, const uint64_t *magnitude, uint32_t count,
                              bool negative) {
    uint64_t sign = negative ? UINT64_MAX : 0, carry = negative;
    uint64_t *destination = limbs_of(sums, cell) + (low - sums->base);
    uint64_t *end = limbs_of(sums, cell) + sums->width;
    for (uint32_t i = 0; i < count; i++, destination++)
        *destination = crd_i_limb_add(*destination, magnitude[i] ^ sign, &carry);
    for (; carry != negative && destination < end; destination++)
        *destination = crd_i_limb_add(*destination, sign, &carry);
}

/* Adds or subtracts the magnitude of `count` limbs; the lowest has weight 2^(64 * low). */
static bool add_magnitude(crd_i_sums *sums, size_t cell, int32_t low, const uint64_t *magnitude, uint32_t count,
                          bool negative) {
    while (count > 0 && magnitude[count - 1] == 0) count--;
    if (count == 0) return true;
    while (magnitude[0] == 0) magnitude++, low++, count--;
    if (!exact_sums_make_room(sums, cell, low, count, magnitude[count - 1])) return false;
    add_within(sums, cell, low, magnitude, count, negative);
    return true;
}

/* Returns whether the window holds `count` limbs from `low` on, with top limb `top`, and has headroom. */
static inline bool is_roomy(const crd_i_sums *sums, size_t cell, int32_t low, uint32_t count, uint64_t top) {
    return sums->width > 0 && low >= sums->base && low + (int32_t)count <= sums->base + (int32_t)sums->width &&
           top >> 62 == 0 && has_headroom(limbs_of(sums, cell)[sums->width - 1], 0);
}

/* Works like add_magnitude for an integer of count - 1 limbs times 2^exponent. limbs[count - 1] is room for
 * shifting. */
static bool add_shifted(crd_i_sums *sums, size_t cell, uint64_t *limbs, uint32_t count, int32_t exponent,
                        bool negative) {
    const int32_t bias = 64 * 128; /* makes the exponent nonnegative, so division rounds down */
    int32_t low = (exponent + bias) / 64 - 128;
    unsigned shift = (unsigned)(exponent + bias) % 64;
    uint64_t passed = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t limb = i + 1 < count ? limbs[i] : 0;
        limbs[i] = limb << shift | passed;
        passed = limb >> 1 >> (63 - shift);
    }
    /* Usually there is room for zero limbs too, so the code does not search for them: their positions are practically
     * random. */
    if (!is_roomy(sums, cell, low, count, limbs[count - 1]))
        return add_magnitude(sums, cell, low, limbs, count, negative);
    add_within(sums, cell, low, limbs, count, negative);
    return true;
}

bool crd_i_sums_add_integer(crd_i_sums *sums, size_t cell, int64_t value) {
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return add_magnitude(sums, cell, 0, &magnitude, 1, value < 0);
}

bool crd_i_sums_add(crd_i_sums *sums, size_t cell, double x) {
    crd_i_parts a = crd_i_parts_of(x);
    uint64_t limbs[2] = {a.mantissa, 0};
    return add_shifted(sums, cell, limbs, 2, a.exponent, a.negative);
}

bool crd_i_sums_add_product(crd_i_sums *sums, size_t cell, double x, double y) {
    crd_i_parts a = crd_i_parts_of(x), b = crd_i_parts_of(y);
    crd_i_limb product = crd_i_limb_multiply(a.mantissa, b.mantissa);
    uint64_t limbs[3] = {product.low, product.high, 0};
    return add_shifted(sums, cell, limbs, 3, a.exponent + b.exponent, a.negative != b.negative);
}

bool crd_i_sums_add_product3(crd_i_sums *sums, size_t cell, double x, double y, double z) {
    crd_i_parts a = crd_i_parts_of(x), b = crd_i_parts_of(y), c = crd_i_parts_of(z);
    crd_i_limb product = crd_i_limb_multiply(a.mantissa, b.mantissa);
    crd_i_limb low = crd_i_limb_multiply(product.low, c.mantissa);
    crd_i_limb high = crd_i_limb_multiply_add(product.high, c.mantissa, low.high, 0);
    uint64_t limbs[4] = {low.low, high.low, high.high, 0};
    return add_shifted(sums, cell, limbs, 4, a.exponent + b.exponent + c.exponent,
                       (a.negative != b.negative) != c.negative);
}

bool crd_i_sums_add_digits(crd_i_sums *sums, size_t cell, const int64_t *digits, size_t count, int32_t exponent) {
    uint64_t low = 0, middle = 0, high = 0, carry;
    for (size_t i = 0; i < count; i++) {
        high = high << CRD_I_DIGIT_BITS | middle >> (64 - CRD_I_DIGIT_BITS);
        middle = middle << CRD_I_DIGIT_BITS | low >> (64 - CRD_I_DIGIT_BITS);
        low <<= CRD_I_DIGIT_BITS;
        uint64_t digit = (uint64_t)digits[i], sign = sign_limb(digit);
        carry = 0;
        low = crd_i_limb_add(low, digit, &carry);
        middle = crd_i_limb_add(middle, sign, &carry);
        high = crd_i_limb_add(high, sign, &carry);
    }
    uint64_t sign = sign_limb(high);
    carry = sign & 1;
    uint64_t limbs[4];
    limbs[0] = crd_i_limb_add(low ^ sign, 0, &carry);
    limbs[1] = crd_i_limb_add(middle ^ sign, 0, &carry);
    limbs[2] = crd_i_limb_add(high ^ sign, 0, &carry);
    return add_shifted(sums, cell, limbs, 4, exponent, sign != 0);
}

/* ---- Combining ---- */

/* Extends [*low, *end), absolute positions, to the limbs that an entry needs with `spare` extra bits. A zero entry
 * needs none. An empty span has *low == *end. */
static void include_span(const crd_i_sums *sums, size_t cell, unsigned spare, int32_t *low, int32_t *end) {
    if (sums->width == 0) return;
    const uint64_t *limbs = limbs_of(sums, cell);
    uint32_t first = 0, count = sums->width;
    while (first < count && limbs[first] == 0) first++;
    if (first == count) return;
    uint64_t extension = sign_limb(limbs[count - 1]);
    while (count > first + 1 && limbs[count - 1] == extension && has_headroom(limbs[count - 2], spare) &&
           sign_limb(limbs[count - 2]) == extension)
        count--;
    if (!has_headroom(limbs[count - 1], spare)) count++;
    int32_t cell_low = sums->base + (int32_t)first, cell_end = sums->base + (int32_t)count;
    bool empty = *low == *end;
    if (empty || cell_low < *low) *low = cell_low;
    if (empty || cell_end > *end) *end = cell_end;
}

/* Computes sums[to] += sign * other[from] after room has been made. `other` may be `sums`. */
static void combine_within(crd_i_sums *sums, size_t limit, const crd_i_sums *other, size_t first, int sign) {
    uint64_t *limbs = limbs_of(sums, limit);
    uint64_t carry = 0;
    for (uint32_t i = 0; i < sums->width; i++) {
        uint64_t limb = crd_i_sums_limb(other, first, sums->base + (int32_t)i);
        limbs[i] = sign < 0 ? crd_i_limb_subtract(limbs[i], limb, &carry) : crd_i_limb_add(limbs[i], limb, &carry);
    }
}

bool crd_i_sums_reserve(crd_i_sums *sums, size_t limit, const crd_i_sums *other, size_t first) {
    int32_t low = 0, end = 0;
    include_span(other, first, 1, &low, &end);
    if (low == end) return true;
    /* One bit more than a combination needs, so the result has headroom for undoing it. */
    include_span(sums, limit, 1, &low, &end);
    return exact_sums_grow(sums, low, end);
}

bool crd_i_sums_combine(crd_i_sums *sums, size_t limit, const crd_i_sums *other, size_t first, int sign) {
    int32_t low = 0, end = 0;
    include_span(other, first, 0, &low, &end);
    if (low == end) return true;
    include_span(sums, limit, 0, &low, &end);
    if (!exact_sums_grow(sums, low, end)) return false;
    combine_within(sums, limit, other, first, sign);
    return true;
}

bool crd_i_sums_combine_all(crd_i_sums *sums, const crd_i_sums *other, const size_t *map, int sign) {
    /* If several entries, fewer than 2^spare in total, may be added to one, this makes room for their sum. */
    unsigned spare = 0;
    while (map != NULL && other->cells >> spare > 0) spare++;
    int32_t low = 0, end = 0;
    for (size_t cell = 0; cell < other->cells; cell++) include_span(other, cell, spare, &low, &end);
    if (low == end) return true;
    for (size_t cell = 0; cell < other->cells; cell++)
        include_span(sums, map == NULL ? cell : map[cell], 0, &low, &end);
    if (!exact_sums_grow(sums, low, end)) return false;
    for (size_t cell = 0; cell < other->cells; cell++)
        combine_within(sums, map == NULL ? cell : map[cell], other, cell, sign);
    return true;
}

bool crd_i_sums_add_scaled(crd_i_sums *sums, size_t cell, const crd_i_sums *other, size_t first, double x) {
    crd_i_magnitude magnitude = crd_i_sums_magnitude(other, first);
    crd_i_parts factor = crd_i_parts_of(x);
    for (int32_t index = magnitude.low; index < magnitude.end; index++) {
        crd_i_limb product = crd_i_limb_multiply(crd_i_magnitude_limb(&magnitude, index), factor.mantissa);
        uint64_t limbs[3] = {product.low, product.high, 0};
        if (!add_shifted(sums, cell, limbs, 3, factor.exponent + 64 * index, magnitude.negative != factor.negative))
            return false;
    }
    return true;
}

/* ---- Queries ---- */

int crd_i_sums_sign(const crd_i_sums *sums, size_t cell) {
    if (sums->width == 0) return 0;
    const uint64_t *limbs = limbs_of(sums, cell);
    if (limbs[sums->width - 1] & SIGN_BIT) return -1;
    for (uint32_t i = 0; i < sums->width; i++)
        if (limbs[i] != 0) return 1;
    return 0;
}

uint64_t crd_i_sums_limb(const crd_i_sums *sums, size_t cell, int32_t limb) {
    if (sums->width == 0 || limb < sums->base) return 0;
    const uint64_t *limbs = limbs_of(sums, cell);
    int32_t i = limb - sums->base;
    return i < (int32_t)sums->width ? limbs[i] : sign_limb(limbs[sums->width - 1]);
}

crd_i_magnitude crd_i_sums_magnitude(const crd_i_sums *sums, size_t cell) {
    crd_i_magnitude magnitude = {sums, cell, 0, 0, crd_i_sums_sign(sums, cell) < 0};
    uint32_t low = 0, end = sums->width;
    while (low < end && limbs_of(sums, cell)[low] == 0) low++;
    magnitude.low = sums->base + (int32_t)low;
    magnitude.end = sums->base + (int32_t)end;
    while (magnitude.end > magnitude.low && crd_i_magnitude_limb(&magnitude, magnitude.end - 1) == 0) magnitude.end--;
    return magnitude;
}

uint64_t crd_i_magnitude_limb(const crd_i_magnitude *magnitude, int32_t limb) {
    uint64_t own = crd_i_sums_limb(magnitude->sums, magnitude->cell, limb);
    /* Negating means inverting and adding one, which changes limbs up to the lowest nonzero limb. */
    if (!magnitude->negative || limb < magnitude->low) return own;
    return limb == magnitude->low ? 0 - own : ~own;
}

double crd_i_sums_value(const crd_i_sums *sums, size_t cell) {
    crd_i_magnitude magnitude = crd_i_sums_magnitude(sums, cell);
    if (magnitude.low == magnitude.end) return 0;
    uint64_t top = crd_i_magnitude_limb(&magnitude, magnitude.end - 1);
    uint64_t next = magnitude.end - 1 > magnitude.low ? crd_i_magnitude_limb(&magnitude, magnitude.end - 2) : 0;
    unsigned zeros = crd_i_limb_leading_zeros(top);
    if (zeros > 0) {
        top = top << zeros | next >> (64 - zeros);
        next <<= zeros;
    }
    bool more = next != 0 || magnitude.end - 2 > magnitude.low;
    return crd_i_round(magnitude.negative, top, more, 64 * ((int64_t)magnitude.end - 1) - zeros);
}

void crd_i_sums_trimmed(const crd_i_sums *sums, int32_t *base, uint32_t *width) {
    int32_t low = 0, end = 0;
    for (size_t cell = 0; sums->width > 0 && cell < sums->cells; cell++) {
        const uint64_t *limbs = limbs_of(sums, cell);
        uint32_t first = 0, count = sums->width;
        while (first < count && limbs[first] == 0) first++;
        if (first == count) continue;
        while (count > first + 1 && limbs[count - 1] == sign_limb(limbs[count - 2])) count--;
        bool empty = low == end;
        if (empty || sums->base + (int32_t)first < low) low = sums->base + (int32_t)first;
        if (empty || sums->base + (int32_t)count > end) end = sums->base + (int32_t)count;
    }
    *base = low == end ? 0 : low;
    *width = (uint32_t)(end - low);
}

static void write_exponent(char *destination, int32_t exponent) {
    *destination++ = 'p';
    *destination++ = exponent < 0 ? '-' : '+';
    uint32_t left = exponent < 0 ? 0 - (uint32_t)exponent : (uint32_t)exponent;
    char digits[12];
    size_t count = 0;
    do digits[count++] = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    while (count > 0) *destination++ = digits[--count];
    *destination = '\0';
}

char *crd_i_sums_text(const crd_i_sums *sums, size_t cell) {
    crd_i_magnitude magnitude = crd_i_sums_magnitude(sums, cell);
    size_t limbs = (size_t)(magnitude.end - magnitude.low);
    char *text = crd_i_alloc(sums->context, 16 * limbs + sizeof "-0x0p-2147483648", 1);
    if (text == NULL) return NULL;
    char *destination = text;
    if (magnitude.negative) *destination++ = '-';
    *destination++ = '0';
    *destination++ = 'x';
    int32_t exponent = 64 * magnitude.low;
    if (limbs == 0) {
        *destination++ = '0';
        exponent = 0;
    }
    char *first = destination;
    for (int32_t index = magnitude.end; index-- > magnitude.low;) {
        uint64_t limb = crd_i_magnitude_limb(&magnitude, index);
        for (unsigned shift = 64; shift > 0;) {
            shift -= 4;
            unsigned digit = (unsigned)(limb >> shift & 15);
            if (digit != 0 || destination > first) *destination++ = "0123456789abcdef"[digit];
        }
    }
    while (destination > first && destination[-1] == '0') {
        destination--;
        exponent += 4;
    }
    write_exponent(destination, exponent);
    return text;
}
