/* SPDX-License-Identifier: MIT */
/* scan_delimiters_kernel.h - finding marks, for any way to look at 64 bytes. Included by the file of each way, which has before
 * it
 *
 *   TARGET                    what functions have to say to the compiler
 *   step, load(at)            64 bytes
 *   pattern, spread(byte)     a byte to be found, as many times as it takes
 *   find_byte(here, pattern)  a bit for each of them that is the byte, the first lowest
 *   has_odd(here, pattern)    whether one is that byte, or a NUL byte
 *   count_bits(bits)
 *   store(marks, base, to)    writes base plus the place of each bit, the lowest first; returns where the next goes
 *
 * and gets find(), see scan_delimiters.h. */
#include <string.h>

/* What was found in 64 bytes, or fewer at the end. */
typedef struct found {
    uint64_t marks, line_ends, quotes, returns, valid;
} found;

/* Each bit whether an odd number of bits is set up to it: from quotes to what they enclose, the first of them with it.
 * Of two that stand for one, the first closes and the second opens again. */
static inline uint64_t enclosed(uint64_t quotes) {
    for (unsigned shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
    return quotes;
}

/* Where quotes are about: takes the marks between them out, and sees whether all is where it should be. Returns those
 * that are the second of two. */
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
    uint32_t *to = offsets;
    char last_step[CRD_I_MARKS_STEP];
    for (size_t at = 0; at < length; at += CRD_I_MARKS_STEP) {
        const char *from = bytes + at;
        found in = {.valid = UINT64_MAX};
        if (length - at < CRD_I_MARKS_STEP) {
            char padding = ' ';
            while (padding == delimiters.separator || padding == delimiters.quote) padding++;
            memset(last_step, padding, sizeof last_step);
            memcpy(last_step, from, length - at);
            from = last_step;
            in.valid = (UINT64_C(1) << (length - at)) - 1;
        }
        step here = load(from);
        in.line_ends = find_byte(here, newlines);
        in.marks = find_byte(here, separators) | in.line_ends;
        if (has_odd(here, quotes) || is_among_quotes(&so_far)) {
            in.quotes = find_byte(here, quotes);
            in.returns = find_byte(here, returns);
            uint64_t doubled = take_quotes(&in, &so_far);
            if (so_far.doubled != NULL && doubled != 0) {
                uint32_t *last = so_far.doubled + so_far.doubled_count;
                so_far.doubled_count += (size_t)(store(doubled, base + (uint32_t)at, last) - last);
            }
            so_far.has_odd |= find_byte(here, zeros) != 0;
        }
        so_far.behind_mark = in.marks >> 63 != 0;
        so_far.line_ends += count_bits(in.line_ends);
        if (offsets != NULL) to = store(in.marks, base + (uint32_t)at, to);
    }
    *marked = so_far;
    return offsets == NULL ? 0 : (size_t)(to - offsets);
}
