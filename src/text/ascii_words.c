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

static unsigned ascii_words_class(unsigned char byte) {
    return crd_i_ascii_classes[byte];
}

/* How a word continues after a run of letters, digits and joiners. It ends, it continues after the next byte, or a
 * non-ASCII character may belong to it. */
typedef enum word_sequel { WORD_ENDS, WORD_GOES_ON, WORD_GOES_BEYOND } word_sequel;

/* Applies rules WB6, WB7, WB11 and WB12 of UAX #29 to the byte at `index`. This byte is not part of a word on its own,
 * and it has a byte before it. */
static inline word_sequel ascii_words_sequel(const unsigned char *bytes, size_t index, size_t length) {
    if (index == length) return WORD_ENDS;
    unsigned class = ascii_words_class(bytes[index]);
    if (class == 0) return WORD_ENDS;
    if (class == BEYOND) return WORD_GOES_BEYOND;
    if (index + 1 == length) return WORD_ENDS;
    unsigned before = ascii_words_class(bytes[index - 1]), ahead = ascii_words_class(bytes[index + 1]);
    if (ahead == BEYOND) return WORD_GOES_BEYOND;
    bool is_between = ((class & IN_LETTERS) != 0 && (before & ahead & LETTER) != 0) ||
                      ((class & IN_DIGITS) != 0 && (before & ahead & DIGIT) != 0);
    return is_between ? WORD_GOES_ON : WORD_ENDS;
}

size_t crd_i_ascii_word_end(const unsigned char *bytes, size_t first, size_t length, unsigned *seen) {
    size_t index = first;
    for (*seen = 0;; index++) {
        for (; index < length && (ascii_words_class(bytes[index]) & CRD_I_ASCII_WORD) != 0; index++)
            *seen |= ascii_words_class(bytes[index]);
        word_sequel then = ascii_words_sequel(bytes, index, length);
        if (then != WORD_GOES_ON) return then == WORD_ENDS ? index : SIZE_MAX;
    }
}

/* ---- Many words ---- */

/* A function that copies a run of letters, digits and joiners from `first` on to `destination`, case-folded if
 * `fold_case`. Returns the length of the run. Sets *has_letter if the run contains a letter or digit. */
typedef size_t run_function(const unsigned char *bytes, size_t first, size_t length, bool fold_case, char *destination,
                            bool *has_letter);

static inline size_t plain_run(const unsigned char *bytes, size_t first, size_t length, bool fold_case,
                               char *destination, bool *has_letter) {
    size_t index = first;
    unsigned seen = 0;
    for (unsigned class; index < length && ((class = ascii_words_class(bytes[index])) & CRD_I_ASCII_WORD) != 0;
         index++) {
        bool is_upper = fold_case && bytes[index] >= 'A' && bytes[index] <= 'Z';
        if (index - first <= CRD_I_MOST_TOKEN)
            destination[index - first] = (char)(bytes[index] | (is_upper ? 0x20 : 0));
        seen |= class;
    }
    *has_letter |= (seen & (LETTER | DIGIT)) != 0;
    return index - first;
}

/* Finds words as crd_i_ascii_words_function does. Inlined for each `run` function. */
static inline __attribute__((always_inline)) size_t find_words(run_function *run, crd_text text, bool fold_case,
                                                               size_t *cursor, char *destination, size_t *written,
                                                               crd_i_term *terms, size_t capacity) {
    const unsigned char *bytes = (const unsigned char *)text.bytes;
    const size_t length = text.length, begin = *cursor;
    size_t count = 0, used = 0, first = begin;
    while (count < capacity) {
        unsigned class = 0;
        while (first < length && ((class = ascii_words_class(bytes[first])) & (CRD_I_ASCII_WORD | BEYOND)) == 0)
            first++;
        if (first == length) break;
        /* A non-ASCII character may belong to the byte before it, which begins a segment. */
        if (class == BEYOND) {
            if (first > *cursor) first--;
            break;
        }
        size_t end = first, size = 0;
        bool has_letter = false;
        word_sequel then = WORD_GOES_ON;
        while (then == WORD_GOES_ON) {
            /* After the first run: a byte between two letters or digits. */
            if (size > 0) destination[used + size++] = (char)bytes[end++];
            size_t run_length = run(bytes, end, length, fold_case, destination + used + size, &has_letter);
            end += run_length;
            size += run_length;
            then = size > CRD_I_MOST_TOKEN ? WORD_GOES_BEYOND : ascii_words_sequel(bytes, end, length);
        }
        if (then == WORD_GOES_BEYOND) break;
        if (has_letter) {
            terms[count++] = (crd_i_term){destination + used, (uint32_t)size, first, end};
            used += size;
        }
        *cursor = first = end;
    }
    *cursor = first;
    *written = used;
    return count;
}

size_t crd_i_ascii_words_plain(crd_text text, bool fold_case, size_t *cursor, char *destination, size_t *written,
                               crd_i_term *terms, size_t capacity) {
    return find_words(plain_run, text, fold_case, cursor, destination, written, terms, capacity);
}

#ifdef __SSE2__

/* Returns a mask of the bytes of a block in the range of `count` bytes from `first` on. SSE2 has only signed
 * comparisons, so the bytes are shifted first. */
static inline __m128i in_range(__m128i block, char first, int count) {
    const __m128i moved = _mm_sub_epi8(block, _mm_set1_epi8((char)(first - 128)));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8((char)(count - 128)));
}

/* Copies a run as plain_run does, 16 bytes at a time. */
static inline size_t sse2_run(const unsigned char *bytes, size_t first, size_t length, bool fold_case,
                              char *destination, bool *has_letter) {
    size_t index = first;
    while (index + 16 <= length && index - first <= CRD_I_MOST_TOKEN) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)(bytes + index));
        const __m128i upper = in_range(block, 'A', 26);
        const __m128i lower = in_range(_mm_or_si128(block, _mm_set1_epi8(0x20)), 'a', 26);
        const __m128i letters = _mm_or_si128(lower, in_range(block, '0', 10));
        const __m128i all = _mm_or_si128(letters, _mm_cmpeq_epi8(block, _mm_set1_epi8('_')));
        if (fold_case) block = _mm_or_si128(block, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
        _mm_storeu_si128((__m128i *)(void *)(destination + (index - first)), block);
        unsigned others = ~(unsigned)_mm_movemask_epi8(all) & 0xffffu;
        unsigned run = (unsigned)__builtin_ctz(others | 0x10000u);
        *has_letter |= ((unsigned)_mm_movemask_epi8(letters) & ((1u << run) - 1)) != 0;
        index += run;
        if (run < 16) return index - first;
    }
    return index - first + plain_run(bytes, index, length, fold_case, destination + (index - first), has_letter);
}

static size_t ascii_words_sse2(crd_text text, bool fold_case, size_t *cursor, char *destination, size_t *written,
                               crd_i_term *terms, size_t capacity) {
    return find_words(sse2_run, text, fold_case, cursor, destination, written, terms, capacity);
}

crd_i_ascii_words_function *crd_i_ascii_words_simd(void) {
    return ascii_words_sse2;
}

#else

crd_i_ascii_words_function *crd_i_ascii_words_simd(void) {
    return NULL;
}

#endif
