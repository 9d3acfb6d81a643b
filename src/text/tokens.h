/* SPDX-License-Identifier: MIT */
/* tokens.h - the terms of a text: words, n-grams of them, or n-grams of characters.
 *
 * A text is cut into tokens, which are normalised, and runs of tokens are its terms:
 *   words        segments between the word boundaries of UAX #29 that have a letter or a digit
 *   blanks       runs of what is no white space
 *   characters   code points, where a run of white space is one blank, and none at either end
 * Normalised: case folding (full, without a language's own rules) and the canonical composition NFC, so that texts that are
 * canonically equivalent have the same terms; then stemmed. Of a token longer than CRD_I_MOST_TOKEN characters that many
 * count. An n-gram is its words with a blank between them, a sparse bigram of distance d two words with d - 1 asterisks
 * between them. Under `hash_bits` a term is the number of its bucket, as #hex.
 *
 * Any bytes are a text: each that is no UTF-8, and NUL, separates tokens. Memory does not grow with the text. */
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
    unsigned sparse_bigrams;          /* the greatest distance; 0: none */
    unsigned hash_bits;               /* 0: terms are what they are */
    char stemmer[CRD_I_STEMMER_ROOM]; /* Snowball's name of a language; empty: none */
} crd_i_token_rules;

typedef struct crd_i_term {
    const char *bytes;
    uint32_t length;
    size_t from, to; /* the bytes of the text that it was made of */
} crd_i_term;

typedef struct crd_i_tokenizer crd_i_tokenizer;

/* CRD_ERROR_SETTING: rules that do not fit together, or need a library that the build is without. */
CRD_MUST_USE crd_status crd_i_tokenizer_create(crd_context *context, const crd_i_token_rules *rules,
                                               crd_i_tokenizer **out, crd_error *error);
void crd_i_tokenizer_destroy(crd_i_tokenizer *tokenizer);

/* The text has to live until its last terms were taken. */
CRD_MUST_USE crd_status crd_i_tokenizer_begin(crd_i_tokenizer *tokenizer, crd_text text, crd_error *error);
/* The next terms, at most CRD_I_MOST_TERMS; none at the end of the text. They live until the next call, and CRD_I_TERM_PADDING
 * bytes behind each can be read, whatever they are. */
enum { CRD_I_MOST_TERMS = 256, CRD_I_TERM_PADDING = 16 };
CRD_MUST_USE crd_status crd_i_tokenizer_next(crd_i_tokenizer *tokenizer, const crd_i_term **terms, size_t *count,
                                             crd_error *error);

#endif
