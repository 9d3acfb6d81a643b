/* SPDX-License-Identifier: MIT */
/* network_tokens.c - see network_tokens.h. */
#include "network/formats/network_tokens.h"

#include <string.h>

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
