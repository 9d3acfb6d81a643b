/* SPDX-License-Identifier: MIT */
/* network_parser.h - a network draft together with its token stream, shared by the readers of BIF, NET and UAI. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_PARSER_H
#define CRD_NETWORK_FORMATS_NETWORK_PARSER_H

#include "network/formats/network_tokens.h"

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
