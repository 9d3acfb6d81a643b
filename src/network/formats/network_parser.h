/* SPDX-License-Identifier: MIT */
/* network_parser.h - a draft of a network and the tokens that it is made of: what the readers of BIF, NET and UAI
 * share. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_PARSER_H
#define CRD_NETWORK_FORMATS_NETWORK_PARSER_H

#include "network/formats/network_tokens.h"

typedef struct crd_i_parser {
    crd_i_draft draft;
    crd_i_tokens tokens;
    crd_text bytes;      /* the whole text */
    crd_i_tokens *later; /* where tables stand that speak of variables which follow */
    size_t later_count, later_room;
} crd_i_parser;

/* At the first token. */
CRD_MUST_USE crd_status crd_i_parser_begin(crd_i_parser *parser, crd_context *context, crd_text bytes,
                                           const crd_i_network_token_rules *rules, const char *file, crd_error *error);
/* As crd_i_draft_end. */
CRD_MUST_USE crd_status crd_i_parser_end(crd_i_parser *parser, crd_status status, crd_network **out);

void crd_i_parser_next(crd_i_parser *parser);
bool crd_i_parser_at_mark(const crd_i_parser *parser, char mark);
bool crd_i_parser_at_word(const crd_i_parser *parser, const char *word);
/* At the end of the file, or at something that has no end. */
bool crd_i_parser_at_end(const crd_i_parser *parser);

/* What stands at the latest token is not what should. */
crd_status crd_i_parser_unexpected(const crd_i_parser *parser, const char *expected);
/* Takes a mark that must stand here. */
CRD_MUST_USE crd_status crd_i_parser_take_mark(crd_i_parser *parser, char mark);
/* Appends what the latest token, a word, says, without its escapes. */
CRD_MUST_USE crd_status crd_i_parser_decode(const crd_i_parser *parser, crd_i_buffer *to);
/* Takes words, into the draft, up to the mark that ends them, which is taken too. */
CRD_MUST_USE crd_status crd_i_parser_take_words(crd_i_parser *parser, char end);
/* The same of numbers. */
CRD_MUST_USE crd_status crd_i_parser_take_numbers(crd_i_parser *parser, char end);
/* The latest token as a number; false where it is none. */
bool crd_i_parser_number(const crd_i_parser *parser, double *number);
/* Comes back to these tokens once everything else is read. */
CRD_MUST_USE crd_status crd_i_parser_put_off(crd_i_parser *parser, const crd_i_tokens *tokens);

#endif
