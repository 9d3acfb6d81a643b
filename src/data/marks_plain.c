/* marks_plain.c - finding marks on every processor: eight bytes at a time in one word.
 *
 * A byte b of a word is zero exactly where (b & 0x7f) + 0x7f and b both leave the top bit clear; comparing with another
 * byte is looking for zero in the difference. The test is exact for every byte, so bits can be taken one by one. */
#include "data/marks.h"

#include <string.h>

static const uint64_t EVERY = UINT64_C(0x0101010101010101), LOW_BITS = UINT64_C(0x7f7f7f7f7f7f7f7f);

/* The top bit of each byte that is zero. */
static uint64_t zeros(uint64_t word) {
    return ~(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
}

/* The first byte lowest, whatever the order of bytes in this machine's words. */
static uint64_t load(const char *at) {
    const unsigned char *bytes = (const unsigned char *)at;
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++) word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

/* Which byte the lowest set bit is in, where only top bits are set: a multiplication that moves it to a known place. */
static unsigned first_byte(uint64_t tops) {
    uint64_t below = (tops & (0 - tops)) - 1;
    return (unsigned)((below & EVERY) * EVERY >> 56) - 1;
}

static size_t find(const char *bytes, size_t length, char separator, uint32_t base, uint32_t *offsets,
                   crd_i_marked *marked) {
    uint64_t separators = EVERY * (unsigned char)separator, line_ends = EVERY * '\n', quotes = EVERY * '"';
    uint64_t odd = 0;
    size_t count = 0, ends = 0;
    for (size_t at = 0; at < length; at += 8) {
        uint64_t valid = length - at >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * (length - at)) - 1;
        uint64_t word = load(bytes + at);
        odd |= (zeros(word) | zeros(word ^ quotes)) & valid;
        uint64_t end_marks = zeros(word ^ line_ends) & valid;
        for (uint64_t left = end_marks; left != 0; left &= left - 1) ends++;
        uint64_t marks = (zeros(word ^ separators) & valid) | end_marks;
        for (; marks != 0; marks &= marks - 1) offsets[count++] = base + (uint32_t)at + first_byte(marks);
    }
    marked->line_ends += ends;
    if (odd != 0) marked->has_odd = true;
    return count;
}

static bool is_supported(void) {
    return true;
}

const crd_i_marker crd_i_marker_plain = {"plain", is_supported, find};
