/* SPDX-License-Identifier: MIT */
/* network_tokens.h - a text cut into words and marks, each with its place: BIF, NET and UAI differ only in what
 * bytes mean. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_TOKENS_H
#define CRD_NETWORK_FORMATS_NETWORK_TOKENS_H

#include "network/formats/network_draft.h"

typedef enum crd_i_byte_meaning {
    CRD_I_BYTE_WORD = 0, /* a part of a word */
    CRD_I_BYTE_BLANK,
    CRD_I_BYTE_MARK,
    CRD_I_BYTE_QUOTE,   /* opens and closes a word of any bytes */
    CRD_I_BYTE_COMMENT, /* the rest of the line is a comment */
    CRD_I_BYTE_SLASH    /* in front of a word: opens a comment if another or a star follows; inside one: a part of it */
} crd_i_byte_meaning;

typedef struct crd_i_network_token_rules {
    unsigned char meanings[256];
    /* In quotes a backslash keeps the next byte from closing them, and lines may end; else neither. */
    bool has_escapes;
} crd_i_network_token_rules;

typedef enum crd_i_token_kind {
    CRD_I_TOKEN_END,
    CRD_I_TOKEN_WORD,
    CRD_I_TOKEN_MARK,
    CRD_I_TOKEN_UNCLOSED
} crd_i_token_kind;

/* The latest token, and where the next one is looked for. Copies go on from the same place. */
typedef struct crd_i_tokens {
    const crd_i_network_token_rules *rules;
    const char *at, *end, *line_start;
    uint64_t line_at; /* of `at` */
    crd_i_token_kind kind;
    crd_text text; /* of a quoted word: what is between the quotes */
    bool is_quoted;
    crd_i_file_place place;
} crd_i_tokens;

/* Before the first token. */
crd_i_tokens crd_i_tokens_begin(const crd_i_network_token_rules *rules, crd_text bytes);
/* A comment or a quote that does not end is UNCLOSED, and there is nothing behind it. */
void crd_i_tokens_next(crd_i_tokens *tokens);
/* To the next `mark` that is not between two quotes of one line, whatever else stands there: comments and single quotes
 * mean nothing. It is the latest token then, or the end is. */
void crd_i_tokens_pass(crd_i_tokens *tokens, char mark);
/* To a place ahead in the same text, from which the next token is looked for. */
void crd_i_tokens_move(crd_i_tokens *tokens, const char *to);
bool crd_i_tokens_is_mark(const crd_i_tokens *tokens, char mark);
/* A word without quotes. */
bool crd_i_tokens_is_word(const crd_i_tokens *tokens, const char *word);
/* Whether the latest token begins a field such as `name = value;`. The end in the middle of one is no objection. */
bool crd_i_tokens_at_field(crd_i_tokens tokens);
/* Whether it is a word that looks like a number. */
bool crd_i_tokens_is_number(const crd_i_tokens *tokens);

#endif
