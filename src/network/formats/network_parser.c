/* SPDX-License-Identifier: MIT */
/* network_parser.c - see network_parser.h.
 *
 * Contents:
 *   1. Tokens
 *   2. Parser */
#include "network/formats/network_parser.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/decimal/decimal.h"

#include <stdio.h>
#include <string.h>

/* ======== 1. Tokens ======== */

crd_i_tokens crd_i_tokens_begin(const crd_i_network_token_rules *rules, crd_text bytes) {
    crd_i_tokens tokens = {.rules = rules, .line_at = 1};
    tokens.cursor = tokens.line_start = bytes.bytes;
    tokens.end = bytes.bytes + bytes.length;
    return tokens;
}

static crd_i_byte_meaning network_tokens_meaning(const crd_i_tokens *tokens, char byte) {
    return (crd_i_byte_meaning)tokens->rules->meanings[(unsigned char)byte];
}

static void network_tokens_step(crd_i_tokens *tokens) {
    if (*tokens->cursor++ != '\n') return;
    tokens->line_at++;
    tokens->line_start = tokens->cursor;
}

/* Begins a token at the cursor. */
static void network_tokens_set_place(crd_i_tokens *tokens, crd_i_token_kind kind) {
    tokens->kind = kind;
    tokens->place.line = tokens->line_at;
    tokens->place.column = (uint64_t)(tokens->cursor - tokens->line_start) + 1;
    tokens->text.bytes = tokens->cursor;
    tokens->text.length = 0;
    tokens->is_quoted = false;
}

static void pass_line(crd_i_tokens *tokens) {
    const char *match = memchr(tokens->cursor, '\n', (size_t)(tokens->end - tokens->cursor));
    tokens->cursor = match == NULL ? tokens->end : match;
}

/* Skips a comment from its slash and star on. Returns false if it does not end. */
static bool network_tokens_pass_comment(crd_i_tokens *tokens) {
    network_tokens_set_place(tokens, CRD_I_TOKEN_UNCLOSED);
    tokens->cursor += 2;
    while (tokens->end - tokens->cursor >= 2) {
        if (tokens->cursor[0] == '*' && tokens->cursor[1] == '/') {
            tokens->cursor += 2;
            return true;
        }
        network_tokens_step(tokens);
    }
    tokens->cursor = tokens->end;
    return false;
}

/* Skips whitespace and comments. Returns false if a comment does not end. */
static bool network_tokens_pass_blanks(crd_i_tokens *tokens) {
    while (tokens->cursor < tokens->end) {
        crd_i_byte_meaning here = network_tokens_meaning(tokens, *tokens->cursor);
        char following = tokens->end - tokens->cursor < 2 ? '\0' : tokens->cursor[1];
        if (here == CRD_I_BYTE_BLANK) {
            network_tokens_step(tokens);
        } else if (here == CRD_I_BYTE_COMMENT || (here == CRD_I_BYTE_SLASH && following == '/')) {
            pass_line(tokens);
        } else if (here == CRD_I_BYTE_SLASH && following == '*') {
            if (!network_tokens_pass_comment(tokens)) return false;
        } else {
            return true;
        }
    }
    return true;
}

/* Reads a quoted word, after the opening quote. */
static void network_tokens_take_quoted(crd_i_tokens *tokens, char quote) {
    const bool has_escapes = tokens->rules->has_escapes;
    tokens->kind = CRD_I_TOKEN_UNCLOSED;
    tokens->is_quoted = true;
    tokens->text.bytes = tokens->cursor;
    while (tokens->cursor < tokens->end && *tokens->cursor != quote) {
        if (!has_escapes && *tokens->cursor == '\n') break;
        if (has_escapes && *tokens->cursor == '\\' && tokens->end - tokens->cursor > 1) network_tokens_step(tokens);
        network_tokens_step(tokens);
    }
    if (tokens->cursor == tokens->end || *tokens->cursor != quote) {
        tokens->cursor = tokens->end;
        return;
    }
    tokens->kind = CRD_I_TOKEN_WORD;
    tokens->text.length = (size_t)(tokens->cursor++ - tokens->text.bytes);
}

void crd_i_tokens_next(crd_i_tokens *tokens) {
    if (!network_tokens_pass_blanks(tokens)) return;
    network_tokens_set_place(tokens, CRD_I_TOKEN_END);
    if (tokens->cursor == tokens->end) return;
    const char *cursor = tokens->cursor, *end = tokens->end;
    switch (network_tokens_meaning(tokens, *cursor)) {
    case CRD_I_BYTE_MARK:
        tokens->kind = CRD_I_TOKEN_MARK;
        tokens->text.length = 1;
        tokens->cursor++;
        break;
    case CRD_I_BYTE_QUOTE:
        tokens->cursor++;
        network_tokens_take_quoted(tokens, *cursor);
        break;
    default:
        do cursor++;
        while (cursor < end && (network_tokens_meaning(tokens, *cursor) == CRD_I_BYTE_WORD ||
                                network_tokens_meaning(tokens, *cursor) == CRD_I_BYTE_SLASH));
        tokens->kind = CRD_I_TOKEN_WORD;
        tokens->text.length = (size_t)(cursor - tokens->cursor);
        tokens->cursor = cursor;
    }
}

void crd_i_tokens_pass(crd_i_tokens *tokens, char mark) {
    while (tokens->cursor < tokens->end && *tokens->cursor != mark) {
        const char *quote = NULL;
        if (network_tokens_meaning(tokens, *tokens->cursor) == CRD_I_BYTE_QUOTE) {
            size_t length = 1, remainder = (size_t)(tokens->end - tokens->cursor);
            while (length < remainder && tokens->cursor[length] != *tokens->cursor && tokens->cursor[length] != '\n')
                length++;
            if (length < remainder && tokens->cursor[length] == *tokens->cursor) quote = tokens->cursor + length;
        }
        if (quote != NULL) tokens->cursor = quote;
        network_tokens_step(tokens);
    }
    network_tokens_set_place(tokens, CRD_I_TOKEN_END);
    if (tokens->cursor == tokens->end) return;
    tokens->kind = CRD_I_TOKEN_MARK;
    tokens->text.length = 1;
    tokens->cursor++;
}

void crd_i_tokens_move(crd_i_tokens *tokens, const char *target) {
    while (tokens->cursor < target) network_tokens_step(tokens);
}

bool crd_i_tokens_is_mark(const crd_i_tokens *tokens, char mark) {
    return tokens->kind == CRD_I_TOKEN_MARK && tokens->text.bytes[0] == mark;
}

bool crd_i_tokens_is_word(const crd_i_tokens *tokens, const char *word) {
    return tokens->kind == CRD_I_TOKEN_WORD && !tokens->is_quoted && crd_text_equal(tokens->text, crd_text_of(word));
}

bool crd_i_tokens_at_field(crd_i_tokens tokens) {
    if (tokens.kind != CRD_I_TOKEN_WORD || tokens.is_quoted) return false;
    crd_i_tokens_next(&tokens);
    if (!crd_i_tokens_is_mark(&tokens, '=')) return false;
    while (tokens.kind == CRD_I_TOKEN_WORD || tokens.kind == CRD_I_TOKEN_MARK) {
        if (crd_i_tokens_is_mark(&tokens, ';')) return true;
        if (crd_i_tokens_is_mark(&tokens, '}')) return false;
        crd_i_tokens_next(&tokens);
    }
    return true;
}

bool crd_i_tokens_is_number(const crd_i_tokens *tokens) {
    const char first = tokens->text.length == 0 ? '\0' : tokens->text.bytes[0];
    return tokens->kind == CRD_I_TOKEN_WORD && !tokens->is_quoted &&
           ((first >= '0' && first <= '9') || first == '.' || first == '-' || first == '+');
}

/* ======== 2. Parser ======== */

crd_status crd_i_parser_begin(crd_i_parser *parser, crd_context *context, crd_text bytes,
                              const crd_i_network_token_rules *rules, const char *file, crd_error *error) {
    memset(parser, 0, sizeof *parser);
    parser->bytes = bytes;
    parser->tokens = crd_i_tokens_begin(rules, bytes);
    crd_i_parser_next(parser);
    return crd_i_draft_begin(&parser->draft, context, file, error);
}

crd_status crd_i_parser_end(crd_i_parser *parser, crd_status status, crd_network **out) {
    crd_free(parser->draft.context, parser->later);
    return crd_i_draft_end(&parser->draft, status, out);
}

void crd_i_parser_next(crd_i_parser *parser) {
    crd_i_tokens_next(&parser->tokens);
}

bool crd_i_parser_at_mark(const crd_i_parser *parser, char mark) {
    return crd_i_tokens_is_mark(&parser->tokens, mark);
}

bool crd_i_parser_at_word(const crd_i_parser *parser, const char *word) {
    return crd_i_tokens_is_word(&parser->tokens, word);
}

bool crd_i_parser_at_end(const crd_i_parser *parser) {
    return parser->tokens.kind == CRD_I_TOKEN_END || parser->tokens.kind == CRD_I_TOKEN_UNCLOSED;
}

crd_status crd_i_parser_unexpected(const crd_i_parser *parser, const char *expected) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_i_tokens *token = &parser->tokens;
    if (token->kind == CRD_I_TOKEN_END)
        return crd_i_draft_fail(&parser->draft, token->place, CRD_ERROR_SYNTAX, "unexpected end of file: expected %s",
                                expected);
    if (token->kind == CRD_I_TOKEN_UNCLOSED)
        return crd_i_draft_fail(&parser->draft, token->place, CRD_ERROR_SYNTAX, "a %s begins here and does not end",
                                token->is_quoted ? "quoted name" : "comment");
    return crd_i_draft_fail(&parser->draft, token->place, CRD_ERROR_SYNTAX, "found \"%s\", expected %s",
                            crd_i_quote(token->text, quoted), expected);
}

crd_status crd_i_parser_take_mark(crd_i_parser *parser, char mark) {
    char expected[4] = {'"', mark, '"', '\0'};
    if (!crd_i_parser_at_mark(parser, mark)) return crd_i_parser_unexpected(parser, expected);
    crd_i_parser_next(parser);
    return CRD_OK;
}

crd_status crd_i_parser_decode(const crd_i_parser *parser, crd_i_buffer *buffer) {
    const crd_text text = parser->tokens.text;
    const bool has_escapes = parser->tokens.is_quoted && parser->tokens.rules->has_escapes;
    for (size_t i = 0; i < text.length; i++) {
        size_t run = i;
        while (run < text.length && !(has_escapes && text.bytes[run] == '\\')) run++;
        if (!crd_i_buffer_append(buffer, text.bytes + i, run - i)) return crd_i_fail_memory(parser->draft.error);
        if (run + 1 >= text.length) break;
        i = run + 1;
        char byte = text.bytes[i];
        if (byte == 'n') byte = '\n';
        if (byte == 'r') byte = '\r';
        if (!crd_i_buffer_append(buffer, &byte, 1)) return crd_i_fail_memory(parser->draft.error);
    }
    return CRD_OK;
}

crd_status crd_i_parser_take_words(crd_i_parser *parser, char end) {
    crd_i_draft *draft = &parser->draft;
    const bool has_escapes = parser->tokens.rules->has_escapes;
    crd_i_draft_clear_words(draft);
    for (; parser->tokens.kind == CRD_I_TOKEN_WORD; crd_i_parser_next(parser)) {
        crd_status status = CRD_OK;
        if (!has_escapes) {
            status = crd_i_draft_word(draft, parser->tokens.text);
        } else {
            status = crd_i_parser_decode(parser, &draft->letters);
            if (status == CRD_OK) status = crd_i_draft_letters_word(draft);
        }
        if (status != CRD_OK) return status;
    }
    if (has_escapes) crd_i_draft_settle(draft);
    if (!crd_i_parser_at_mark(parser, end)) {
        char expected[32];
        snprintf(expected, sizeof expected, "a name or \"%c\"", end);
        return crd_i_parser_unexpected(parser, expected);
    }
    crd_i_parser_next(parser);
    return CRD_OK;
}

bool crd_i_parser_number(const crd_i_parser *parser, double *number) {
    const crd_i_tokens *token = &parser->tokens;
    if (token->kind != CRD_I_TOKEN_WORD) return false;
    const char *after = token->text.bytes + token->text.length;
    crd_number_class class = token->end - after >= CRD_I_DECIMAL_PADDING
                                 ? crd_i_decimal_parse_padded(token->text.bytes, after, '.', number)
                                 : crd_number_parse(token->text, number);
    return class == CRD_NUMBER_FINITE;
}

crd_status crd_i_parser_take_numbers(crd_i_parser *parser, char end) {
    crd_i_draft_clear_numbers(&parser->draft);
    for (; parser->tokens.kind == CRD_I_TOKEN_WORD; crd_i_parser_next(parser)) {
        double value;
        if (!crd_i_parser_number(parser, &value)) return crd_i_parser_unexpected(parser, "a number");
        crd_status status = crd_i_draft_number(&parser->draft, value);
        if (status != CRD_OK) return status;
    }
    if (!crd_i_parser_at_mark(parser, end)) {
        char expected[32];
        snprintf(expected, sizeof expected, "a number or \"%c\"", end);
        return crd_i_parser_unexpected(parser, expected);
    }
    crd_i_parser_next(parser);
    return CRD_OK;
}

crd_status crd_i_parser_put_off(crd_i_parser *parser, const crd_i_tokens *tokens) {
    if (!crd_i_reserve(parser->draft.context, &parser->later, &parser->later_room, parser->later_count + 1,
                       sizeof *parser->later))
        return crd_i_fail_memory(parser->draft.error);
    parser->later[parser->later_count++] = *tokens;
    return CRD_OK;
}
