/* SPDX-License-Identifier: MIT */
/* network_tokens.h - splits text into words and marks with their places. BIF, NET and UAI differ only in the meaning
 * of bytes. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_TOKENS_H
#define CRD_NETWORK_FORMATS_NETWORK_TOKENS_H

#include "network/formats/network_draft.h"

typedef enum crd_i_byte_meaning {
    CRD_I_BYTE_WORD = 0, /* a part of a word */
    CRD_I_BYTE_BLANK,
    CRD_I_BYTE_MARK,
    CRD_I_BYTE_QUOTE,   /* opens and closes a word of arbitrary bytes */
    CRD_I_BYTE_COMMENT, /* the rest of the line is a comment */
    CRD_I_BYTE_SLASH    /* before a word: opens a comment if a slash or a star follows; inside a word: part of it */
} crd_i_byte_meaning;

typedef struct crd_i_network_token_rules {
    unsigned char meanings[256];
    /* Inside quotes, a backslash escapes the next byte and line breaks are allowed. If false, neither holds. */
    bool has_escapes;
} crd_i_network_token_rules;

typedef enum crd_i_token_kind {
    CRD_I_TOKEN_END,
    CRD_I_TOKEN_WORD,
    CRD_I_TOKEN_MARK,
    CRD_I_TOKEN_UNCLOSED
} crd_i_token_kind;

/* The current token and the position of the next one. A copy continues from the same position. */
typedef struct crd_i_tokens {
    const crd_i_network_token_rules *rules;
    const char *cursor, *end, *line_start;
    uint64_t line_at; /* line of `cursor` */
    crd_i_token_kind kind;
    crd_text text; /* for a quoted word: the text between the quotes */
    bool is_quoted;
    crd_i_file_place place;
} crd_i_tokens;

/* Returns a tokenizer positioned before the first token. */
crd_i_tokens crd_i_tokens_begin(const crd_i_network_token_rules *rules, crd_text bytes);
/* Reads the next token. An unterminated comment or quote is UNCLOSED, and nothing follows it. */
void crd_i_tokens_next(crd_i_tokens *tokens);
/* Skips to the next `mark` outside double quotes on one line. Comments and single quotes have no meaning here. The
 * mark, or the end, becomes the current token. */
void crd_i_tokens_pass(crd_i_tokens *tokens, char mark);
/* Moves to a later position in the same text, where the next token is read. */
void crd_i_tokens_move(crd_i_tokens *tokens, const char *target);
bool crd_i_tokens_is_mark(const crd_i_tokens *tokens, char mark);
/* Returns whether the current token is this word, without quotes. */
bool crd_i_tokens_is_word(const crd_i_tokens *tokens, const char *word);
/* Returns whether the current token begins a field such as `name = value;`. A truncated field also counts. */
bool crd_i_tokens_at_field(crd_i_tokens tokens);
/* Returns whether the current token is a word that looks like a number. */
bool crd_i_tokens_is_number(const crd_i_tokens *tokens);

#endif
