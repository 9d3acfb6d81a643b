/* SPDX-License-Identifier: MIT */
/* network_parser.c - see network_parser.h. */
#include "network/formats/network_parser.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/decimal/decimal.h"

#include <stdio.h>
#include <string.h>

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
        return crd_i_draft_fail(&parser->draft, token->place, CRD_ERROR_SYNTAX, "the file ends, but expected %s",
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
