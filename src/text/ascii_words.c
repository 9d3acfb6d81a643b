/* SPDX-License-Identifier: MIT */
/* ascii_words.c - see ascii_words.h. */
#include "text/ascii_words.h"

#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define LETTER CRD_I_ASCII_LETTER
#define DIGIT CRD_I_ASCII_DIGIT
#define JOINER CRD_I_ASCII_JOINER
#define BEYOND CRD_I_ASCII_BEYOND
#define IN_LETTERS CRD_I_ASCII_IN_LETTERS
#define IN_DIGITS CRD_I_ASCII_IN_DIGITS

/* clang-format off */
#define EACH4(v) v, v, v, v
#define EACH16(v) EACH4(v), EACH4(v), EACH4(v), EACH4(v)
#define EACH32(v) EACH16(v), EACH16(v)
#define EACH26(v) EACH16(v), EACH4(v), EACH4(v), v, v
const unsigned char crd_i_ascii_classes[256] = {
    EACH32(0),
    EACH4(0), 0, 0, 0, /* ' */ IN_LETTERS | IN_DIGITS, EACH4(0), /* , */ IN_DIGITS, 0, /* . */ IN_LETTERS | IN_DIGITS, 0,
    EACH4(DIGIT), EACH4(DIGIT), DIGIT, DIGIT, /* : */ IN_LETTERS, /* ; */ IN_DIGITS, EACH4(0),
    0, EACH26(LETTER), EACH4(0), JOINER,
    0, EACH26(LETTER), EACH4(0), 0,
    EACH32(BEYOND), EACH32(BEYOND), EACH32(BEYOND), EACH32(BEYOND)};
/* clang-format on */

static unsigned class_of(unsigned char byte) {
    return crd_i_ascii_classes[byte];
}

/* What follows the letters, digits and joiners of a word. */
typedef enum word_sequel { WORD_ENDS, WORD_GOES_ON, WORD_GOES_BEYOND } word_sequel;

/* WB6, WB7, WB11 and WB12; the byte at `at`, which is no part of a word by itself, has one before it. */
static inline word_sequel sequel(const unsigned char *bytes, size_t at, size_t length) {
    if (at == length) return WORD_ENDS;
    unsigned class = class_of(bytes[at]);
    if (class == 0) return WORD_ENDS;
    if (class == BEYOND) return WORD_GOES_BEYOND;
    if (at + 1 == length) return WORD_ENDS;
    unsigned before = class_of(bytes[at - 1]), ahead = class_of(bytes[at + 1]);
    if (ahead == BEYOND) return WORD_GOES_BEYOND;
    bool is_between = ((class & IN_LETTERS) != 0 && (before & ahead & LETTER) != 0) ||
                      ((class & IN_DIGITS) != 0 && (before & ahead & DIGIT) != 0);
    return is_between ? WORD_GOES_ON : WORD_ENDS;
}

size_t crd_i_ascii_word_end(const unsigned char *bytes, size_t from, size_t length, unsigned *seen) {
    size_t at = from;
    for (*seen = 0;; at++) {
        for (; at < length && (class_of(bytes[at]) & CRD_I_ASCII_WORD) != 0; at++) *seen |= class_of(bytes[at]);
        word_sequel then = sequel(bytes, at, length);
        if (then != WORD_GOES_ON) return then == WORD_ENDS ? at : SIZE_MAX;
    }
}

/* ---- Many words ---- */

/* A run of letters, digits and joiners from `from` on, folded into `to`: its length, and whether it has others than joiners. */
typedef size_t run_function(const unsigned char *bytes, size_t from, size_t length, bool fold_case, char *to,
                            bool *has_letter);

static inline size_t plain_run(const unsigned char *bytes, size_t from, size_t length, bool fold_case, char *to,
                               bool *has_letter) {
    size_t at = from;
    unsigned seen = 0;
    for (unsigned class; at < length && ((class = class_of(bytes[at])) & CRD_I_ASCII_WORD) != 0; at++) {
        bool is_upper = fold_case && bytes[at] >= 'A' && bytes[at] <= 'Z';
        if (at - from <= CRD_I_MOST_TOKEN) to[at - from] = (char)(bytes[at] | (is_upper ? 0x20 : 0));
        seen |= class;
    }
    *has_letter |= (seen & (LETTER | DIGIT)) != 0;
    return at - from;
}

static inline __attribute__((always_inline)) size_t find_words(run_function *run, crd_text text, bool fold_case,
                                                               size_t *at, char *to, size_t *written, crd_i_term *terms,
                                                               size_t room) {
    const unsigned char *bytes = (const unsigned char *)text.bytes;
    const size_t length = text.length, begin = *at;
    size_t count = 0, used = 0, from = begin;
    while (count < room) {
        unsigned class = 0;
        while (from < length && ((class = class_of(bytes[from])) & (CRD_I_ASCII_WORD | BEYOND)) == 0) from++;
        if (from == length) break;
        /* A character beyond ASCII may belong to the byte before it, which begins a segment. */
        if (class == BEYOND) {
            if (from > *at) from--;
            break;
        }
        size_t end = from, size = 0;
        bool has_letter = false;
        word_sequel then = WORD_GOES_ON;
        while (then == WORD_GOES_ON) {
            /* Behind the first run a byte that stands between two others. */
            if (size > 0) to[used + size++] = (char)bytes[end++];
            size_t run_length = run(bytes, end, length, fold_case, to + used + size, &has_letter);
            end += run_length;
            size += run_length;
            then = size > CRD_I_MOST_TOKEN ? WORD_GOES_BEYOND : sequel(bytes, end, length);
        }
        if (then == WORD_GOES_BEYOND) break;
        if (has_letter) {
            terms[count++] = (crd_i_term){to + used, (uint32_t)size, from, end};
            used += size;
        }
        *at = from = end;
    }
    *at = from;
    *written = used;
    return count;
}

size_t crd_i_ascii_words_plain(crd_text text, bool fold_case, size_t *at, char *to, size_t *written, crd_i_term *terms,
                               size_t room) {
    return find_words(plain_run, text, fold_case, at, to, written, terms, room);
}

#ifdef __SSE2__

/* Bytes of a block that lie from `first` on, `count` of them: compared as signed numbers, which are all there are. */
static inline __m128i in_range(__m128i block, char first, int count) {
    const __m128i moved = _mm_sub_epi8(block, _mm_set1_epi8((char)(first - 128)));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8((char)(count - 128)));
}

static inline size_t sse2_run(const unsigned char *bytes, size_t from, size_t length, bool fold_case, char *to,
                              bool *has_letter) {
    size_t at = from;
    while (at + 16 <= length && at - from <= CRD_I_MOST_TOKEN) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)(bytes + at));
        const __m128i upper = in_range(block, 'A', 26);
        const __m128i lower = in_range(_mm_or_si128(block, _mm_set1_epi8(0x20)), 'a', 26);
        const __m128i letters = _mm_or_si128(lower, in_range(block, '0', 10));
        const __m128i all = _mm_or_si128(letters, _mm_cmpeq_epi8(block, _mm_set1_epi8('_')));
        if (fold_case) block = _mm_or_si128(block, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
        _mm_storeu_si128((__m128i *)(void *)(to + (at - from)), block);
        unsigned others = ~(unsigned)_mm_movemask_epi8(all) & 0xffffu;
        unsigned run = (unsigned)__builtin_ctz(others | 0x10000u);
        *has_letter |= ((unsigned)_mm_movemask_epi8(letters) & ((1u << run) - 1)) != 0;
        at += run;
        if (run < 16) return at - from;
    }
    return at - from + plain_run(bytes, at, length, fold_case, to + (at - from), has_letter);
}

static size_t ascii_words_sse2(crd_text text, bool fold_case, size_t *at, char *to, size_t *written, crd_i_term *terms,
                               size_t room) {
    return find_words(sse2_run, text, fold_case, at, to, written, terms, room);
}

crd_i_ascii_words_function *crd_i_ascii_words_simd(void) {
    return ascii_words_sse2;
}

#else

crd_i_ascii_words_function *crd_i_ascii_words_simd(void) {
    return NULL;
}

#endif
