/* SPDX-License-Identifier: MIT */
/* tokenizer.c - builds terms from runs of tokens. See tokens.h.
 *
 * All tokens are in one buffer, with a space between words. So an n-gram is a part of the buffer, and nothing is
 * copied. Each batch begins with the last tokens of the previous batch, as many as n-grams and pairs reach back.
 *
 * Contents:
 *   1. ASCII words
 *   2. Word boundaries
 *   3. Tokens
 *   4. Terms */
#include "text/tokens.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct crd_i_token {
    uint32_t begin, end; /* position in the buffer */
    size_t first, limit; /* position in the text */
} crd_i_token;

typedef struct crd_i_token_scan {
    crd_i_token_unit unit;
    crd_i_normal_forms normal;
    crd_i_stemmer *stemmer; /* NULL: none */
    crd_text text;
    size_t index; /* position of the next byte to read */
    char *buffer;
    uint32_t used;
} crd_i_token_scan;

/* ======== 1. ASCII words ======== */

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

/* Returns the end of the ASCII word at `first`, and sets *seen to the classes of its bytes. Returns SIZE_MAX if a
 * non-ASCII character may belong to the word. */
static size_t ascii_word_end(const unsigned char *bytes, size_t first, size_t length, unsigned *seen) {
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

/* ======== 2. Word boundaries ========
 *
 * The boundaries are defined by UAX #29 (Unicode Text Segmentation). */

/* The state at a position in a segment: the class of its last character that is not EXTEND or ZWJ (WB4). After a
 * character that joins two others, the state is instead what must follow. */
typedef enum segment_state {
    AFTER_OTHER,
    AFTER_LETTER,
    AFTER_HEBREW,
    AFTER_DIGIT,
    AFTER_KATAKANA,
    AFTER_JOINER,
    BEFORE_LETTER, /* WB7 */
    BEFORE_HEBREW, /* WB7c */
    BEFORE_DIGIT   /* WB11 */
} segment_state;

static bool is_letter_class(crd_i_word_class class) {
    return class == CRD_I_WORD_LETTER || class == CRD_I_WORD_HEBREW;
}

/* Returns the class of the next character that is not EXTEND or ZWJ (WB4). */
static crd_i_word_class class_ahead(crd_text text, size_t index) {
    while (index < text.length) {
        size_t length;
        uint32_t character =
            crd_i_unicode_decode((const unsigned char *)text.bytes + index, text.length - index, &length);
        crd_i_word_class class = crd_i_unicode_word_class(character);
        if (class != CRD_I_WORD_EXTEND && class != CRD_I_WORD_ZWJ) return class;
        index += length;
    }
    return CRD_I_WORD_NEWLINE;
}

static segment_state state_of(crd_i_word_class class) {
    switch (class) {
    case CRD_I_WORD_LETTER: return AFTER_LETTER;
    case CRD_I_WORD_HEBREW: return AFTER_HEBREW;
    case CRD_I_WORD_DIGIT: return AFTER_DIGIT;
    case CRD_I_WORD_KATAKANA: return AFTER_KATAKANA;
    case CRD_I_WORD_JOINER: return AFTER_JOINER;
    default: return AFTER_OTHER;
    }
}

/* Returns whether the segment continues with a character that joins two others, given the class of the next character:
 * WB6, WB7a, WB7b, WB12. */
static bool goes_between(segment_state *state, crd_i_word_class class, crd_i_word_class ahead) {
    bool is_mid = class == CRD_I_WORD_MID_BOTH || class == CRD_I_WORD_SINGLE_QUOTE;
    if (*state == AFTER_DIGIT) {
        *state = BEFORE_DIGIT;
        return (is_mid || class == CRD_I_WORD_MID_DIGIT) && ahead == CRD_I_WORD_DIGIT;
    }
    if (*state != AFTER_LETTER && *state != AFTER_HEBREW) return false;
    if (*state == AFTER_HEBREW && class == CRD_I_WORD_DOUBLE_QUOTE) {
        *state = BEFORE_HEBREW;
        return ahead == CRD_I_WORD_HEBREW;
    }
    bool is_hebrew_quote = *state == AFTER_HEBREW && class == CRD_I_WORD_SINGLE_QUOTE;
    *state = BEFORE_LETTER;
    return is_hebrew_quote || ((is_mid || class == CRD_I_WORD_MID_LETTER) && is_letter_class(ahead));
}

/* Returns whether the segment continues with a character of a class that words consist of: WB5, WB7 to WB11, WB13 to
 * WB13b. */
static bool word_breaks_goes_on(segment_state state, crd_i_word_class class) {
    switch (state) {
    case AFTER_LETTER:
    case AFTER_HEBREW:
    case AFTER_DIGIT: return is_letter_class(class) || class == CRD_I_WORD_DIGIT || class == CRD_I_WORD_JOINER;
    case AFTER_KATAKANA: return class == CRD_I_WORD_KATAKANA || class == CRD_I_WORD_JOINER;
    case AFTER_JOINER: return true;
    case BEFORE_LETTER: return is_letter_class(class);
    case BEFORE_HEBREW: return class == CRD_I_WORD_HEBREW;
    case BEFORE_DIGIT: return class == CRD_I_WORD_DIGIT;
    case AFTER_OTHER: break;
    }
    return false;
}

/* Returns the end of the segment that begins at `first`, which must be a boundary before the end of the text. Sets
 * *has_letter to whether the segment has a letter or a digit. Segments without either may end where the rules have no
 * boundary. */
static size_t word_end(crd_text text, size_t first, bool *has_letter) {
    const unsigned char *bytes = (const unsigned char *)text.bytes;
    size_t length, index = first;
    uint32_t character = crd_i_unicode_decode(bytes + first, text.length - first, &length);
    crd_i_word_class class = crd_i_unicode_word_class(character);
    *has_letter = crd_i_unicode_is_letter(character);
    index += length;
    if (class == CRD_I_WORD_NEWLINE) return index; /* WB3a */
    segment_state state = state_of(class);
    for (bool is_joined = class == CRD_I_WORD_ZWJ; index < text.length; index += length) {
        character = crd_i_unicode_decode(bytes + index, text.length - index, &length);
        class = crd_i_unicode_word_class(character);
        bool is_emoji = is_joined && crd_i_unicode_is_pictographic(character);
        is_joined = class == CRD_I_WORD_ZWJ;
        if (class == CRD_I_WORD_NEWLINE) return index;                       /* WB3b */
        if (class == CRD_I_WORD_EXTEND || class == CRD_I_WORD_ZWJ) continue; /* WB4 */
        if (class >= CRD_I_WORD_LETTER && class <= CRD_I_WORD_JOINER) {
            if (!is_emoji && !word_breaks_goes_on(state, class)) return index; /* WB3c */
            state = state_of(class);
        } else if (class == CRD_I_WORD_OTHER || !goes_between(&state, class, class_ahead(text, index + length))) {
            if (!is_emoji) return index;
            state = AFTER_OTHER;
        }
        *has_letter |= crd_i_unicode_is_letter(character);
    }
    return index;
}

/* ======== 3. Tokens ========
 *
 * Reads the tokens of a text one after the other, and writes them to a buffer, folded and normalized. */

/* A part of the text that becomes a token. */
typedef struct token_part {
    size_t first, end;
    bool is_ascii;
} token_part;

/* Finds the next word from scan->index on. Returns false at the end of the text. */
static bool token_scan_find_word(crd_i_token_scan *scan, token_part *out) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes;
    const size_t length = scan->text.length;
    size_t boundary = scan->index; /* the bytes that are skipped after it begin segments */
    for (size_t index = boundary; index < length;) {
        unsigned class = crd_i_ascii_classes[bytes[index]], seen;
        if ((class & (CRD_I_ASCII_WORD | CRD_I_ASCII_BEYOND)) == 0) {
            index++;
            continue;
        }
        out->is_ascii = class != CRD_I_ASCII_BEYOND;
        out->first = index;
        out->end = out->is_ascii ? ascii_word_end(bytes, index, length, &seen) : SIZE_MAX;
        bool has_letter = out->end != SIZE_MAX && (seen & (CRD_I_ASCII_LETTER | CRD_I_ASCII_DIGIT)) != 0;
        if (out->end == SIZE_MAX) {
            /* The next character may belong to the byte before it (WB3c, WB4), which begins a segment. */
            if (class == CRD_I_ASCII_BEYOND && index > boundary) out->first--;
            out->is_ascii = false;
            out->end = word_end(scan->text, out->first, &has_letter);
        }
        index = boundary = out->end;
        if (has_letter) return true;
    }
    scan->index = length;
    return false;
}

static bool is_ascii_blank(unsigned char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || byte == '\0';
}

/* Returns whether a character separates tokens of the unit `blanks`, and its length. */
static bool token_scan_is_blank(const crd_i_token_scan *scan, size_t index, size_t *length, uint32_t *character) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes + index;
    *length = 1;
    *character = bytes[0];
    if (bytes[0] < 0x80) return is_ascii_blank(bytes[0]);
    *character = crd_i_unicode_decode(bytes, scan->text.length - index, length);
    return *character == UINT32_MAX || crd_i_unicode_is_white(*character);
}

/* Finds the next run of characters that are not whitespace. Returns false at the end of the text. */
static bool find_unblank(crd_i_token_scan *scan, token_part *out) {
    size_t index = scan->index, length;
    uint32_t character = 0;
    while (index < scan->text.length && token_scan_is_blank(scan, index, &length, &character)) index += length;
    out->first = index;
    for (out->is_ascii = true; index < scan->text.length && !token_scan_is_blank(scan, index, &length, &character);
         index += length)
        out->is_ascii &= character < 0x80;
    out->end = index;
    if (out->end == out->first) scan->index = scan->text.length;
    return out->end > out->first;
}

/* ---- Tokens into the buffer ---- */

static crd_status token_scan_stem(const crd_i_token_scan *scan, char *word, size_t *length, crd_error *error) {
    crd_text view = crd_i_stemmer_stem(scan->stemmer, (crd_text){word, *length});
    if (view.bytes == NULL) return crd_i_fail_memory(error);
    if (view.length > CRD_I_TOKEN_ROOM) return CRD_OK;
    *length = view.length;
    memmove(word, view.bytes, view.length);
    return CRD_OK;
}

/* Folds, normalizes and stems a token, and appends it to the buffer with a space after it. */
static crd_status token_scan_put(crd_i_token_scan *scan, const token_part *part, crd_i_token *token, crd_error *error) {
    const char *bytes = scan->text.bytes + part->first;
    char *cursor = scan->buffer + scan->used;
    size_t length = part->end - part->first;
    crd_status status = CRD_OK;
    if (part->is_ascii) {
        if (length > CRD_I_MOST_TOKEN) length = CRD_I_MOST_TOKEN;
        if (scan->normal.fold_case)
            for (size_t i = 0; i < length; i++)
                cursor[i] = (char)(bytes[i] | (bytes[i] >= 'A' && bytes[i] <= 'Z' ? 0x20 : 0));
        else memcpy(cursor, bytes, length);
    } else {
        status =
            crd_i_normal_form_write(&scan->normal, (crd_text){bytes, length}, CRD_I_MOST_TOKEN, cursor, &length, error);
    }
    if (status == CRD_OK && scan->stemmer != NULL) status = token_scan_stem(scan, cursor, &length, error);
    if (status != CRD_OK) return status;
    *token = (crd_i_token){scan->used, scan->used + (uint32_t)length, part->first, part->end};
    scan->used = token->end;
    scan->buffer[scan->used++] = ' ';
    return CRD_OK;
}

/* ---- Characters ---- */

static void put_characters(crd_i_token_scan *scan, size_t length, size_t first, size_t limit, crd_i_token *tokens,
                           size_t *count) {
    for (size_t i = 0; i < length; i++) {
        char byte = scan->buffer[scan->used];
        if ((byte & 0xc0) != 0x80) tokens[(*count)++] = (crd_i_token){scan->used, scan->used, first, limit};
        tokens[*count - 1].end = ++scan->used;
    }
}

/* Reads a character together with the marks that combine with it, and appends its normal form as tokens. */
static crd_status put_marked(crd_i_token_scan *scan, size_t first, crd_i_token *tokens, size_t *count,
                             crd_error *error) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes;
    const size_t end = scan->text.length;
    size_t limit = first, length;
    bool combines = true;
    for (size_t i = 0; i < CRD_I_MOST_MARKED && limit < end && combines; i++) {
        uint32_t character = crd_i_unicode_decode(bytes + limit, end - limit, &length);
        crd_status status = i == 0 ? CRD_OK : crd_i_normal_combines(&scan->normal, character, &combines, error);
        if (status != CRD_OK) return status;
        if (combines) limit += length;
    }
    crd_text part = {scan->text.bytes + first, limit - first};
    crd_status status =
        crd_i_normal_form_write(&scan->normal, part, 3 * CRD_I_MOST_MARKED, scan->buffer + scan->used, &length, error);
    if (status != CRD_OK) return status;
    put_characters(scan, length, first, limit, tokens, count);
    scan->index = limit;
    return CRD_OK;
}

/* Reads tokens that are characters. A run of whitespace becomes one space, or nothing at either end of the text. */
static crd_status scan_characters(crd_i_token_scan *scan, crd_i_token *tokens, size_t capacity, size_t *count,
                                  crd_error *error) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes;
    const size_t end = scan->text.length;
    while (scan->index < end && *count + 3 * CRD_I_MOST_MARKED <= capacity) {
        size_t first = scan->index, limit = first, length;
        uint32_t character = 0;
        while (limit < end && token_scan_is_blank(scan, limit, &length, &character)) limit += length;
        bool is_beyond = limit == first && (bytes[first] >= 0x80 || (first + 1 < end && bytes[first + 1] >= 0x80));
        if (is_beyond) {
            crd_status status = put_marked(scan, first, tokens, count, error);
            if (status != CRD_OK) return status;
            continue;
        }
        bool is_gap = limit > first;
        scan->index = is_gap ? limit : ++limit;
        if (is_gap && (first == 0 || limit == end)) continue;
        unsigned char byte = is_gap ? ' ' : bytes[first];
        scan->buffer[scan->used] = (char)(byte | (scan->normal.fold_case && byte >= 'A' && byte <= 'Z' ? 0x20 : 0));
        put_characters(scan, 1, first, limit, tokens, count);
    }
    return CRD_OK;
}

/* Appends at most `capacity` tokens to `tokens`, and their bytes to the buffer; *count is 0 only at the end of the
 * text. The buffer must have room for CRD_I_TOKEN_ROOM bytes and a space for each token. If tokens are characters,
 * `capacity` is at least CRD_I_MOST_MARKED * 3. */
static crd_status token_scan_next(crd_i_token_scan *scan, crd_i_token *tokens, size_t capacity, size_t *count,
                                  crd_error *error) {
    token_part part;
    *count = 0;
    if (scan->unit == CRD_I_TOKENS_CHARACTERS) return scan_characters(scan, tokens, capacity, count, error);
    while (*count < capacity &&
           (scan->unit == CRD_I_TOKENS_WORDS ? token_scan_find_word(scan, &part) : find_unblank(scan, &part))) {
        scan->index = part.end;
        crd_status status = token_scan_put(scan, &part, &tokens[*count], error);
        if (status != CRD_OK) return status;
        ++*count;
    }
    return CRD_OK;
}

/* ======== 4. Terms ======== */

enum { MOST_BEHIND = CRD_I_MOST_NGRAM > CRD_I_MOST_SPARSE ? CRD_I_MOST_NGRAM : CRD_I_MOST_SPARSE };
/* A sparse bigram: two words, and two bytes for each step between them. A hashed term: # and hexadecimal digits. */
enum { PAIR_ROOM = 2 * CRD_I_TOKEN_ROOM + 2 * CRD_I_MOST_SPARSE, HASH_ROOM = 10 };

struct crd_i_tokenizer {
    crd_context *context;
    crd_i_token_rules rules;
    crd_i_token_scan scan;
    crd_i_ascii_words_function *find_words; /* if terms are single words, not hashed or stemmed; otherwise NULL */
    size_t end;                             /* how many tokens terms reach back */
    /* how many tokens are read at a time, so that they have at most CRD_I_MOST_TERMS terms */
    size_t batch;
    size_t token_count;
    crd_i_token *tokens;
    size_t term_count, composed;
    char *composed_bytes; /* bytes of sparse bigrams and hashed terms */
    crd_i_term terms[CRD_I_MOST_TERMS];
};

static bool has_bigrams(const crd_i_token_rules *rules) {
    return rules->least_ngram <= 2 && rules->most_ngram >= 2;
}

/* Returns CRD_ERROR_SETTING if the tokens are characters, but a rule needs words. */
static crd_status check_rules(const crd_i_token_rules *rules, crd_error *error) {
    if (rules->unit != CRD_I_TOKENS_CHARACTERS) return CRD_OK;
    const char *name = rules->sparse_bigrams > 0 ? "sparse-bigrams" : "stem";
    if (rules->sparse_bigrams == 0 && rules->stemmer[0] == '\0') return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING, "%s needs words, and tokens is characters", name);
    crd_i_error_subject(error, crd_text_of(name));
    return CRD_ERROR_SETTING;
}

crd_status crd_i_tokenizer_create(crd_context *context, const crd_i_token_rules *rules, crd_i_tokenizer **out,
                                  crd_error *error) {
    *out = NULL;
    crd_status status = check_rules(rules, error);
    if (status != CRD_OK) return status;
    crd_i_tokenizer *tokenizer = crd_i_alloc(context, 1, sizeof *tokenizer);
    if (tokenizer == NULL) return crd_i_fail_memory(error);
    memset(tokenizer, 0, offsetof(crd_i_tokenizer, terms));
    tokenizer->context = context;
    tokenizer->rules = *rules;
    tokenizer->scan.unit = rules->unit;
    tokenizer->scan.normal.fold_case = rules->fold_case;
    bool is_plain = rules->unit == CRD_I_TOKENS_WORDS && rules->most_ngram == 1 && rules->sparse_bigrams == 0 &&
                    rules->hash_bits == 0 && rules->stemmer[0] == '\0';
    if (is_plain) tokenizer->find_words = crd_i_ascii_words_simd() ? crd_i_ascii_words_simd() : crd_i_ascii_words_plain;
    unsigned pairs = rules->sparse_bigrams - (rules->sparse_bigrams > 0 && has_bigrams(rules) ? 1 : 0);
    size_t each = rules->most_ngram - rules->least_ngram + 1 + pairs;
    tokenizer->end = rules->most_ngram - 1 > rules->sparse_bigrams ? rules->most_ngram - 1 : rules->sparse_bigrams;
    tokenizer->batch = CRD_I_MOST_TERMS / each;
    tokenizer->tokens = crd_i_alloc(context, tokenizer->end + tokenizer->batch, sizeof *tokenizer->tokens);
    size_t capacity = (tokenizer->end + tokenizer->batch) * (CRD_I_TOKEN_ROOM + 1) + CRD_I_TERM_PADDING;
    tokenizer->scan.buffer = crd_i_alloc(context, capacity, 1);
    size_t composed =
        rules->hash_bits > 0 ? HASH_ROOM * CRD_I_MOST_TERMS + PAIR_ROOM : PAIR_ROOM * pairs * tokenizer->batch;
    if (composed > 0) tokenizer->composed_bytes = crd_i_alloc_zeroed(context, composed + CRD_I_TERM_PADDING, 1);
    if (tokenizer->tokens == NULL || tokenizer->scan.buffer == NULL ||
        (composed > 0 && tokenizer->composed_bytes == NULL))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK && rules->stemmer[0] != '\0')
        status = crd_i_stemmer_create(context, rules->stemmer, &tokenizer->scan.stemmer, error);
    if (status != CRD_OK) {
        crd_i_tokenizer_destroy(tokenizer);
        return status;
    }
    *out = tokenizer;
    return CRD_OK;
}

void crd_i_tokenizer_destroy(crd_i_tokenizer *tokenizer) {
    if (tokenizer == NULL) return;
    crd_i_stemmer_destroy(tokenizer->scan.stemmer);
    crd_free(tokenizer->context, tokenizer->tokens);
    crd_free(tokenizer->context, tokenizer->scan.buffer);
    crd_free(tokenizer->context, tokenizer->composed_bytes);
    crd_free(tokenizer->context, tokenizer);
}

crd_status crd_i_tokenizer_begin(crd_i_tokenizer *tokenizer, crd_text text, crd_error *error) {
    (void)error;
    tokenizer->scan.text = text;
    tokenizer->scan.index = 0;
    tokenizer->scan.used = 0;
    tokenizer->token_count = 0;
    return CRD_OK;
}

/* ---- Terms of tokens ---- */

/* Returns the hash bucket of a term: FNV-1a with an additional mixing step. The bucket is part of the model, so the
 * hash must be the same on every machine. */
static uint64_t bucket_of(const char *bytes, size_t length, unsigned bits) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return crd_i_hash_scatter(hash) >> (64 - bits);
}

/* Adds a term, or the name of its bucket if terms are hashed. */
static void tokenizer_add_term(crd_i_tokenizer *t, const char *bytes, size_t length, size_t first, size_t limit) {
    if (t->rules.hash_bits > 0) {
        static const char digits[] = "0123456789abcdef";
        uint64_t bucket = bucket_of(bytes, length, t->rules.hash_bits);
        char *cursor = t->composed_bytes + t->composed;
        size_t width = (t->rules.hash_bits + 3) / 4;
        cursor[0] = '#';
        for (size_t i = 0; i < width; i++) cursor[1 + i] = digits[bucket >> 4 * (width - 1 - i) & 15];
        t->composed += HASH_ROOM;
        bytes = cursor;
        length = 1 + width;
    }
    t->terms[t->term_count++] = (crd_i_term){bytes, (uint32_t)length, first, limit};
}

/* Adds a sparse bigram, for example "a * b" for two words with one word between them. */
static void tokenizer_add_pair(crd_i_tokenizer *t, const crd_i_token *first, const crd_i_token *second,
                               size_t distance) {
    char *begin = t->composed_bytes + t->composed, *cursor = begin;
    const char *words = t->scan.buffer;
    memcpy(cursor, words + first->begin, first->end - first->begin);
    cursor += first->end - first->begin;
    for (size_t i = 1; i < distance; i++) memcpy(cursor + 2 * (i - 1), " *", 2);
    cursor += 2 * (distance - 1);
    *cursor++ = ' ';
    memcpy(cursor, words + second->begin, second->end - second->begin);
    cursor += second->end - second->begin;
    /* A hashed bigram needs no memory, because only the number of its bucket is stored. */
    if (t->rules.hash_bits == 0) t->composed += (size_t)(cursor - begin);
    tokenizer_add_term(t, begin, (size_t)(cursor - begin), first->first, second->limit);
}

/* Adds all terms that end with token `last`. */
static void add_terms(crd_i_tokenizer *t, size_t last) {
    const crd_i_token *end = &t->tokens[last];
    for (size_t n = t->rules.least_ngram; n <= t->rules.most_ngram && n <= last + 1; n++) {
        const crd_i_token *begin = &t->tokens[last + 1 - n];
        const char *bytes = t->scan.buffer + begin->begin;
        size_t length = end->end - begin->begin;
        bool is_gap = t->rules.unit == CRD_I_TOKENS_CHARACTERS && length == 1 && *bytes == ' ';
        if (!is_gap) tokenizer_add_term(t, bytes, length, begin->first, end->limit);
    }
    for (size_t d = has_bigrams(&t->rules) ? 2 : 1; d <= t->rules.sparse_bigrams && d <= last; d++)
        tokenizer_add_pair(t, &t->tokens[last - d], end, d);
}

/* Drops the tokens that no later term can reach back to. */
static void drop_tokens(crd_i_tokenizer *t) {
    size_t kept = t->token_count < t->end ? t->token_count : t->end, first = t->token_count - kept;
    uint32_t begin = kept == 0 ? t->scan.used : t->tokens[first].begin;
    memmove(t->scan.buffer, t->scan.buffer + begin, t->scan.used - begin);
    for (size_t i = 0; i < kept; i++) {
        t->tokens[i] = t->tokens[first + i];
        t->tokens[i].begin -= begin;
        t->tokens[i].end -= begin;
    }
    t->scan.used -= begin;
    t->token_count = kept;
}

/* Reads terms that are single words: ASCII words many at a time, and the words between them one by one. */
static crd_status next_words(crd_i_tokenizer *t, size_t *count, crd_error *error) {
    crd_i_token_scan *scan = &t->scan;
    crd_i_token token;
    size_t fresh = 1;
    scan->used = 0;
    while (*count < CRD_I_MOST_TERMS && scan->index < scan->text.length && fresh > 0) {
        size_t written;
        *count += t->find_words(scan->text, scan->normal.fold_case, &scan->index, scan->buffer + scan->used, &written,
                                t->terms + *count, CRD_I_MOST_TERMS - *count);
        scan->used += (uint32_t)written;
        if (*count == CRD_I_MOST_TERMS || scan->index == scan->text.length) break;
        crd_status status = token_scan_next(scan, &token, 1, &fresh, error);
        if (status != CRD_OK) return status;
        if (fresh > 0)
            t->terms[(*count)++] =
                (crd_i_term){scan->buffer + token.begin, token.end - token.begin, token.first, token.limit};
    }
    return CRD_OK;
}

crd_status crd_i_tokenizer_next(crd_i_tokenizer *tokenizer, const crd_i_term **terms, size_t *count, crd_error *error) {
    *terms = tokenizer->terms;
    *count = 0;
    if (tokenizer->find_words != NULL) return next_words(tokenizer, count, error);
    for (size_t fresh = 1; *count == 0 && fresh > 0;) {
        drop_tokens(tokenizer);
        size_t first = tokenizer->token_count;
        crd_status status =
            token_scan_next(&tokenizer->scan, tokenizer->tokens + first, tokenizer->batch, &fresh, error);
        if (status != CRD_OK) return status;
        tokenizer->token_count += fresh;
        tokenizer->term_count = tokenizer->composed = 0;
        for (size_t i = first; i < first + fresh; i++) add_terms(tokenizer, i);
        *count = tokenizer->term_count;
    }
    return CRD_OK;
}
