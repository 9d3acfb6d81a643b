/* marks_plain.c - finding marks on every processor: eight bytes at a time in one word.
 *
 * A byte b of a word is zero exactly where (b & 0x7f) + 0x7f and b both leave the top bit clear; comparing with another
 * byte is looking for zero in the difference. The test is exact for every byte, so bits can be taken one by one. */
#include "data/marks.h"

#include "base/words.h"

static const uint64_t EVERY = UINT64_C(0x0101010101010101), LOW_BITS = UINT64_C(0x7f7f7f7f7f7f7f7f);

/* The top bit of each byte that is zero. */
static uint64_t zeros(uint64_t word) {
    return ~(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
}

/* Which byte the lowest set bit is in, where only top bits are set: a multiplication that moves it to a known place. */
static unsigned first_byte(uint64_t tops) {
    uint64_t below = (tops & (0 - tops)) - 1;
    return (unsigned)((below & EVERY) * EVERY >> 56) - 1;
}

/* One byte, where quotes are about. True for a mark. */
static bool step(char byte, char separator, crd_i_marked *marked) {
    bool is_return = false, closes = false, is_mark = false;
    if (marked->behind_return && byte != '\n') marked->has_odd = true;
    if (marked->is_inside) {
        closes = byte == '"';
        marked->is_inside = !closes;
        if (byte == '\n') marked->has_odd = true;
    } else {
        is_mark = byte == separator || byte == '\n';
        is_return = marked->behind_quote && byte == '\r';
        if (marked->behind_quote && !is_mark && !is_return) marked->has_odd = true;
        if (byte == '"') {
            if (!marked->behind_mark) marked->has_odd = true;
            marked->is_inside = marked->has_quotes = true;
        }
        marked->line_ends += byte == '\n';
    }
    marked->behind_mark = is_mark;
    marked->behind_quote = closes;
    marked->behind_return = is_return;
    return is_mark;
}

static size_t find(const char *bytes, size_t length, char separator, uint32_t base, uint32_t *offsets,
                   crd_i_marked *marked) {
    uint64_t separators = EVERY * (unsigned char)separator, line_ends = EVERY * '\n', quotes = EVERY * '"';
    size_t count = 0;
    for (size_t at = 0; at < length; at += 8) {
        uint64_t valid = length - at >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * (length - at)) - 1;
        uint64_t word = crd_i_word_64(bytes + at);
        if ((zeros(word) & valid) != 0) marked->has_odd = true;
        bool is_last = valid != UINT64_MAX;
        if (marked->is_inside || marked->behind_quote || marked->behind_return || is_last ||
            zeros(word ^ quotes) != 0) {
            for (size_t i = at; i < length && i < at + 8; i++)
                if (step(bytes[i], separator, marked)) offsets[count++] = base + (uint32_t)i;
            continue;
        }
        uint64_t end_marks = zeros(word ^ line_ends);
        for (uint64_t left = end_marks; left != 0; left &= left - 1) marked->line_ends++;
        uint64_t marks = zeros(word ^ separators) | end_marks;
        marked->behind_mark = marks >> 63 != 0;
        for (; marks != 0; marks &= marks - 1) offsets[count++] = base + (uint32_t)at + first_byte(marks);
    }
    return count;
}

static bool is_supported(void) {
    return true;
}

const crd_i_marker crd_i_marker_plain = {"plain", is_supported, find};
