/* SPDX-License-Identifier: MIT */
/* scan_delimiters_plain.c - finds marks on any CPU: 64 bytes are eight words.
 *
 * A byte b of a word is zero exactly if the top bits of (b & 0x7f) + 0x7f and of b are both clear. A byte equals
 * another if their difference is zero. */
#include "table/parse/scan_delimiters.h"

#include "base/buffer.h"

#define TARGET

enum { WORDS = CRD_I_MARKS_STEP / 8 };

static const uint64_t EVERY = UINT64_C(0x0101010101010101), LOW_BITS = UINT64_C(0x7f7f7f7f7f7f7f7f);

typedef struct step {
    uint64_t words[WORDS];
} step;

static inline step load(const char *cursor) {
    step loaded;
    for (unsigned i = 0; i < WORDS; i++) loaded.words[i] = crd_i_word_64(cursor + 8 * i);
    return loaded;
}

/* Sets bit i if byte i is zero. A multiplication moves the lowest bit of each byte to the top byte. */
static inline uint64_t find_zeros(uint64_t word) {
    uint64_t tops = ~(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
    return (tops >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

typedef uint64_t pattern;

static inline pattern spread(char byte) {
    return EVERY * (unsigned char)byte;
}

static inline uint64_t find_byte(step here, pattern all) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < WORDS; i++) mask |= find_zeros(here.words[i] ^ all) << 8 * i;
    return mask;
}

/* Bits above a zero byte may be wrong because it borrows, but then a zero byte exists. */
static inline bool has_odd(step here, pattern quotes) {
    uint64_t any = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        uint64_t word = here.words[i], difference = word ^ quotes;
        any |= ((word - EVERY) & ~word) | ((difference - EVERY) & ~difference);
    }
    return (any & ~LOW_BITS) != 0;
}

/* Counts bits in pairs, fours and eights, then adds up all bytes by a multiplication. */
static inline size_t count_bits(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (size_t)(bits * EVERY >> 56);
}

static inline uint32_t *store(uint64_t marks, uint32_t base, uint32_t *destination) {
    for (; marks != 0; marks &= marks - 1) *destination++ = base + (uint32_t)count_bits((marks & (0 - marks)) - 1);
    return destination;
}

#include "table/parse/scan_delimiters_kernel.h"

static bool is_supported(void) {
    return true;
}

const crd_i_marker crd_i_marker_plain = {"plain", is_supported, find};
