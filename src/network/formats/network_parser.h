/* SPDX-License-Identifier: MIT */
/* network_parser.h - a network draft together with its token stream, shared by the readers of BIF, NET and UAI. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_PARSER_H
#define CRD_NETWORK_FORMATS_NETWORK_PARSER_H

#include "network/formats/network_draft.h"

/* ======== Tokens ========
 *
 * Tokens are words and marks with their places. BIF , NET and UAI differ only in the meaning of bytes. */

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

typedef struct crd_i_parser {
    crd_i_draft draft;
    crd_i_tokens tokens;
    crd_text bytes;      /* the whole text */
    crd_i_tokens *later; /* positions of tables that refer to variables declared later */
    size_t later_count, later_room;
} crd_i_parser;

/* Starts parsing at the first token. */
CRD_MUST_USE crd_status crd_i_parser_begin(crd_i_parser *parser, crd_context *context, crd_text bytes,
                                           const crd_i_network_token_rules *rules, const char *file, crd_error *error);
/* Ends parsing; see crd_i_draft_end. */
CRD_MUST_USE crd_status crd_i_parser_end(crd_i_parser *parser, crd_status status, crd_network **out);

void crd_i_parser_next(crd_i_parser *parser);
bool crd_i_parser_at_mark(const crd_i_parser *parser, char mark);
bool crd_i_parser_at_word(const crd_i_parser *parser, const char *word);
/* Returns whether the parser is at the end of the file or at an unterminated token. */
bool crd_i_parser_at_end(const crd_i_parser *parser);

/* Reports that the current token is not the expected one. */
crd_status crd_i_parser_unexpected(const crd_i_parser *parser, const char *expected);
/* Consumes a required mark. */
CRD_MUST_USE crd_status crd_i_parser_take_mark(crd_i_parser *parser, char mark);
/* Appends the current word without its escapes. */
CRD_MUST_USE crd_status crd_i_parser_decode(const crd_i_parser *parser, crd_i_buffer *buffer);
/* Reads words into the draft, up to and including the mark `end`. */
CRD_MUST_USE crd_status crd_i_parser_take_words(crd_i_parser *parser, char end);
/* Reads numbers into the draft, up to and including the mark `end`. */
CRD_MUST_USE crd_status crd_i_parser_take_numbers(crd_i_parser *parser, char end);
/* Parses the current token as a number. Returns false if it is not a number. */
bool crd_i_parser_number(const crd_i_parser *parser, double *number);
/* Saves these tokens for a second pass after everything else has been read. */
CRD_MUST_USE crd_status crd_i_parser_put_off(crd_i_parser *parser, const crd_i_tokens *tokens);

#endif
