/* SPDX-License-Identifier: MIT */
/* tokens.h - the terms of a text: words, n-grams of words, or n-grams of characters.
 *
 * A text is split into tokens, the tokens are normalized, and runs of tokens are the terms:
 *
 *   words       segments between the word boundaries of UAX #29 that contain a letter or a digit
 *   blanks      runs of characters that are not whitespace
 *   characters  code points; a run of whitespace is one space, and is dropped at either end
 *
 * Normalization applies full case folding (without language-specific rules) and canonical composition (NFC), so
 * canonically equivalent texts have the same terms. Then it applies stemming. Only the first CRD_I_MOST_TOKEN
 * characters of a longer token count. An n-gram is its words with a space between them. A sparse bigram of distance d
 * is two words with d - 1 asterisks between them. With `hash_bits`, a term is the number of its bucket, as #hex.
 *
 * Any bytes are a text: each byte that is not valid UTF-8, and NUL, separates tokens. Memory does not grow with the
 * text.
 *
 * Contents:
 *   1. Terms
 *   2. ASCII words
 *   3. Stems
 *   4. Character properties
 *   5. Normalization
 *   6. Bags of terms */
#ifndef CRD_TEXT_TOKENS_H
#define CRD_TEXT_TOKENS_H

#include "base/buffer.h"
#include "base/context.h"

/* ======== 1. Terms ======== */

typedef enum crd_i_token_unit { CRD_I_TOKENS_WORDS, CRD_I_TOKENS_BLANKS, CRD_I_TOKENS_CHARACTERS } crd_i_token_unit;

enum { CRD_I_MOST_TOKEN = 64, CRD_I_MOST_NGRAM = 8, CRD_I_MOST_SPARSE = 8 };
enum { CRD_I_LEAST_HASH_BITS = 8, CRD_I_MOST_HASH_BITS = 30 };
enum { CRD_I_STEMMER_ROOM = 24 };

/* Plain data, to be compared field by field. */
typedef struct crd_i_token_rules {
    crd_i_token_unit unit;
    bool fold_case;
    unsigned least_ngram, most_ngram;
    unsigned sparse_bigrams;          /* maximum distance; 0: none */
    unsigned hash_bits;               /* 0: terms are not hashed */
    char stemmer[CRD_I_STEMMER_ROOM]; /* Snowball's name of a language; empty: none */
} crd_i_token_rules;

typedef struct crd_i_term {
    const char *bytes;
    uint32_t length;
    size_t from, to; /* the bytes of the text that the term covers */
} crd_i_term;

typedef struct crd_i_tokenizer crd_i_tokenizer;

/* Creates a tokenizer. Returns CRD_ERROR_SETTING if the rules contradict each other or need a library that this build
 * lacks. */
CRD_MUST_USE crd_status crd_i_tokenizer_create(crd_context *context, const crd_i_token_rules *rules,
                                               crd_i_tokenizer **out, crd_error *error);
void crd_i_tokenizer_destroy(crd_i_tokenizer *tokenizer);

/* Begins a text, which must stay valid until its last terms have been read. */
CRD_MUST_USE crd_status crd_i_tokenizer_begin(crd_i_tokenizer *tokenizer, crd_text text, crd_error *error);
/* Returns the next terms, at most CRD_I_MOST_TERMS; none at the end of the text. They are valid until the next call.
 * CRD_I_TERM_PADDING bytes after each term are readable, with any values. */
enum { CRD_I_MOST_TERMS = 256, CRD_I_TERM_PADDING = 16 };
CRD_MUST_USE crd_status crd_i_tokenizer_next(crd_i_tokenizer *tokenizer, const crd_i_term **terms, size_t *count,
                                             crd_error *error);

/* ======== 2. ASCII words ========
 *
 * Many words are found and folded per call. Most texts consist mostly of ASCII words. See tokenizer.c for the rules. */

/* The role of a byte in words: part of a word, not ASCII, or part of a word only between two letters or between two
 * digits. */
enum {
    CRD_I_ASCII_LETTER = 1,
    CRD_I_ASCII_DIGIT = 2,
    CRD_I_ASCII_JOINER = 4,
    CRD_I_ASCII_WORD = CRD_I_ASCII_LETTER | CRD_I_ASCII_DIGIT | CRD_I_ASCII_JOINER,
    CRD_I_ASCII_BEYOND = 8,
    CRD_I_ASCII_IN_LETTERS = 16,
    CRD_I_ASCII_IN_DIGITS = 32
};
extern const unsigned char crd_i_ascii_classes[256];

/* This many bytes after the last word in `destination` may be overwritten. */
enum { CRD_I_ASCII_SLACK = 16 };

/* Finds at most `capacity` words from *cursor on. Writes them consecutively to `destination`, case-folded if
 * `fold_case`, and sets *written to the number of bytes. Returns the number of words. Stops at the end of the text, at
 * a word longer than CRD_I_MOST_TOKEN, and where a non-ASCII character may belong to a word. *cursor is then a
 * boundary, from which word_end can continue. */
typedef size_t crd_i_ascii_words_function(crd_text text, bool fold_case, size_t *cursor, char *destination,
                                          size_t *written, crd_i_term *terms, size_t capacity);
crd_i_ascii_words_function crd_i_ascii_words_plain;
/* Returns a faster implementation for this machine; NULL if there is none. */
crd_i_ascii_words_function *crd_i_ascii_words_simd(void);

/* ======== 3. Stems ========
 *
 * Snowball's rules, in the languages that its library supports. */

/* Returns the name of a language; NULL after the last one. A build without the library has no languages. */
const char *crd_i_stemmer_language(size_t index);
bool crd_i_stemmer_knows(const char *language);

typedef struct crd_i_stemmer crd_i_stemmer;
CRD_MUST_USE crd_status crd_i_stemmer_create(crd_context *context, const char *language, crd_i_stemmer **out,
                                             crd_error *error);
void crd_i_stemmer_destroy(crd_i_stemmer *stemmer);
/* Returns the stem of a case-folded word, valid until the next call. The bytes are NULL if memory runs out. */
crd_text crd_i_stemmer_stem(crd_i_stemmer *stemmer, crd_text word);

/* ======== 4. Character properties ========
 *
 * The properties and the normalization that tokens need are from libunistring. ASCII is supported in every build. */

/* The values of the property Word_Break (UAX #29) that matter for words. Spaces, emoji and regional indicators are
 * OTHER. A byte that is not UTF-8 breaks words like a line end. */
typedef enum crd_i_word_class {
    CRD_I_WORD_OTHER,
    CRD_I_WORD_LETTER,
    CRD_I_WORD_HEBREW,
    CRD_I_WORD_DIGIT,
    CRD_I_WORD_KATAKANA,
    CRD_I_WORD_JOINER, /* ExtendNumLet: the low line and similar characters */
    CRD_I_WORD_MID_LETTER,
    CRD_I_WORD_MID_DIGIT,
    CRD_I_WORD_MID_BOTH, /* MidNumLet */
    CRD_I_WORD_SINGLE_QUOTE,
    CRD_I_WORD_DOUBLE_QUOTE,
    CRD_I_WORD_EXTEND, /* also Format */
    CRD_I_WORD_ZWJ,
    CRD_I_WORD_NEWLINE
} crd_i_word_class;

crd_i_word_class crd_i_unicode_word_class(uint32_t character);
/* Returns whether a character is a letter or a number: general category L or N. */
bool crd_i_unicode_is_letter(uint32_t character);
bool crd_i_unicode_is_white(uint32_t character);
bool crd_i_unicode_is_pictographic(uint32_t character);

/* Writes the canonical composition (NFC) of a UTF-8 text to `destination`, case-folded if `fold_case`. On input,
 * *length is the capacity of `destination`; on output, the number of bytes written. A longer result is truncated at a
 * character. The only error is CRD_ERROR_MEMORY. */
CRD_MUST_USE crd_status crd_i_unicode_normalize(crd_text text, bool fold_case, char *destination, size_t *length,
                                                crd_error *error);

/* Returns the first character of `bytes`, which must not be empty, and its length. If the bytes are not UTF-8, returns
 * UINT32_MAX and length 1. */
uint32_t crd_i_unicode_decode(const unsigned char *bytes, size_t left, size_t *length);

/* ======== 5. Normalization ========
 *
 * Case folding and canonical composition of a part of a text. */

/* Maximum number of bytes of a token, and of a normalized character: case folding replaces one character by up to
 * three. */
enum { CRD_I_TOKEN_ROOM = 4 * CRD_I_MOST_TOKEN, CRD_I_CHARACTER_ROOM = 12 };
/* If tokens are characters, a character and its combining marks are normalized together, up to this many. */
enum { CRD_I_MOST_MARKED = 8 };

/* A cached character with its normal form. */
typedef struct crd_i_known_character {
    uint32_t character; /* 0: none */
    uint8_t length;
    bool combines; /* it may combine with the character before it, so it cannot be normalized on its own */
    char bytes[CRD_I_CHARACTER_ROOM];
} crd_i_known_character;
enum { CRD_I_KNOWN_CHARACTERS = 512 };

typedef struct crd_i_normal_forms {
    bool fold_case;
    crd_i_known_character known[CRD_I_KNOWN_CHARACTERS];
} crd_i_normal_forms;

/* Writes the normal form of a part of the text to `destination`, at most `most` characters. `destination` has room for
 * four bytes per character. Returns CRD_ERROR_SYNTAX for a non-ASCII character if this build has no libunistring. */
CRD_MUST_USE crd_status crd_i_normal_form_write(crd_i_normal_forms *forms, crd_text part, size_t most,
                                                char *destination, size_t *length, crd_error *error);
/* Sets *combines to whether a character may combine with the character before it. Errors as for crd_i_normal_form_write. */
CRD_MUST_USE crd_status crd_i_normal_combines(crd_i_normal_forms *forms, uint32_t character, bool *combines,
                                              crd_error *error);

/* ======== 6. Bags of terms ========
 *
 * The terms of a text and how often each occurs, as canonical bytes. A model represents a text by its bag.
 *
 *   number of distinct terms, then for each, in the order of their bytes: length, bytes, times
 *
 * Numbers are base 128 (LEB128), low digits first; the top bit is set in all bytes except the last. */

/* Appends the bag of a text to `out`. On failure, `out` is unchanged. */
CRD_MUST_USE crd_status crd_i_bag_encode(crd_i_tokenizer *tokenizer, crd_text text, crd_i_buffer *out,
                                         crd_error *error);

typedef struct crd_i_bag_cursor {
    const unsigned char *cursor, *end;
    uint64_t left; /* terms that are not read yet */
} crd_i_bag_cursor;

/* Begins to read a bag, whose bytes may come from any source. Returns CRD_ERROR_DAMAGED if they are not a bag. Errors
 * further on in the bag are found while reading. */
CRD_MUST_USE crd_status crd_i_bag_begin(crd_text bag, crd_i_bag_cursor *cursor, crd_error *error);
/* Reads the next term, which points into the bag. Sets *more to false at the end. Returns CRD_ERROR_DAMAGED if the
 * bytes are not a bag. */
CRD_MUST_USE crd_status crd_i_bag_next(crd_i_bag_cursor *cursor, crd_text *term, uint32_t *times, bool *more,
                                       crd_error *error);

#endif
