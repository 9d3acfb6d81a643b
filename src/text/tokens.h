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
 * text. */
#ifndef CRD_TEXT_TOKENS_H
#define CRD_TEXT_TOKENS_H

#include "base/context.h"

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

#endif
