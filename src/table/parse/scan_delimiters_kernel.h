/* SPDX-License-Identifier: MIT */
/* scan_delimiters_kernel.h - the scanner, generic over the operations on 64 bytes. Each implementation includes this
 * file after it defines
 *   TARGET                    function attributes for the compiler
 *   step, load(at)            64 bytes
 *   pattern, spread(byte)     a byte to search for, repeated
 *   find_byte(here, pattern)  a bit for each position with the byte, the first lowest
 *   has_odd(here, pattern)    whether any position has the byte or a NUL byte
 *   count_bits(bits)
 *   store(marks, base, to)    writes base plus the position of each bit, the lowest first; returns the next address
 * and gets find(), see scan_delimiters.h. */
#include <string.h>

/* The positions found in 64 bytes, or fewer at the end. */
typedef struct found {
    uint64_t marks, line_ends, quotes, returns, valid;
} found;

/* Sets each bit to the parity of the bits up to it. This converts quotes to the ranges they enclose, including the
 * opening quote. In a doubled pair, the first quote closes and the second opens again. */
static inline uint64_t enclosed(uint64_t quotes) {
    for (unsigned shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
    return quotes;
}

/* Removes marks inside quotes and checks that all quotes are regular. Called only near quotes. Returns the second
 * quotes of doubled pairs. */
TARGET static inline uint64_t take_quotes(found *in, crd_i_marked *marked) {
    uint64_t inside = enclosed(in->quotes) ^ (marked->is_inside ? UINT64_MAX : 0);
    uint64_t opening = in->quotes & inside, closing = in->quotes & ~inside;
    uint64_t behind_quotes = closing << 1 | marked->behind_quote;
    uint64_t doubled = opening & behind_quotes;
    marked->has_inner |= (in->line_ends & inside) != 0;
    in->marks &= ~inside;
    in->line_ends &= ~inside;
    uint64_t odd = opening & ~(doubled | in->marks << 1 | marked->behind_mark);
    uint64_t their_returns = behind_quotes & in->returns;
    odd |= behind_quotes & in->valid & ~(doubled | in->marks | in->returns);
    odd |= (their_returns << 1 | marked->behind_return) & ~in->line_ends;
    marked->is_inside = inside >> 63 != 0;
    marked->behind_quote = closing >> 63 != 0;
    marked->behind_return = their_returns >> 63 != 0;
    marked->has_odd |= odd != 0;
    marked->has_quotes |= in->quotes != 0;
    return doubled;
}

static inline bool is_among_quotes(const crd_i_marked *marked) {
    return marked->is_inside | marked->behind_quote | marked->behind_return;
}

TARGET static size_t find(const char *bytes, size_t length, crd_i_delimiters delimiters, uint32_t base,
                          uint32_t *offsets, crd_i_marked *marked) {
    const pattern separators = spread(delimiters.separator), quotes = spread(delimiters.quote);
    const pattern newlines = spread('\n'), returns = spread('\r'), zeros = spread('\0');
    crd_i_marked so_far = *marked;
    uint32_t *destination = offsets;
    char last_step[CRD_I_MARKS_STEP];
    for (size_t index = 0; index < length; index += CRD_I_MARKS_STEP) {
        const char *start = bytes + index;
        found in = {.valid = UINT64_MAX};
        if (length - index < CRD_I_MARKS_STEP) {
            char padding = ' ';
            while (padding == delimiters.separator || padding == delimiters.quote) padding++;
            memset(last_step, padding, sizeof last_step);
            memcpy(last_step, start, length - index);
            start = last_step;
            in.valid = (UINT64_C(1) << (length - index)) - 1;
        }
        step here = load(start);
        in.line_ends = find_byte(here, newlines);
        in.marks = find_byte(here, separators) | in.line_ends;
        if (has_odd(here, quotes) || is_among_quotes(&so_far)) {
            in.quotes = find_byte(here, quotes);
            in.returns = find_byte(here, returns);
            uint64_t doubled = take_quotes(&in, &so_far);
            if (so_far.doubled != NULL && doubled != 0) {
                uint32_t *last = so_far.doubled + so_far.doubled_count;
                so_far.doubled_count += (size_t)(store(doubled, base + (uint32_t)index, last) - last);
            }
            so_far.has_odd |= find_byte(here, zeros) != 0;
        }
        so_far.behind_mark = in.marks >> 63 != 0;
        so_far.line_ends += count_bits(in.line_ends);
        if (offsets != NULL) destination = store(in.marks, base + (uint32_t)index, destination);
    }
    *marked = so_far;
    return offsets == NULL ? 0 : (size_t)(destination - offsets);
}
