/* bif_tokens.c - see bif_tokens.h. */
#include "network/bif_tokens.h"

#include <stdbool.h>
#include <string.h>

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == ',' || byte == '|';
}

static bool is_mark(char byte) {
    return byte != '\0' && strchr("(){}[];", byte) != NULL;
}

static bool has(const crd_i_bif_tokens *tokens, const char *word) {
    size_t length = strlen(word);
    return (size_t)(tokens->end - tokens->at) >= length && memcmp(tokens->at, word, length) == 0;
}

static void step(crd_i_bif_tokens *tokens) {
    if (*tokens->at++ != '\n') return;
    tokens->line_at++;
    tokens->line_start = tokens->at;
}

static void set_place(crd_i_bif_tokens *tokens, crd_i_bif_kind kind) {
    tokens->kind = kind;
    tokens->line = tokens->line_at;
    tokens->column = (uint64_t)(tokens->at - tokens->line_start) + 1;
    tokens->text.bytes = tokens->at;
    tokens->text.length = 0;
    tokens->is_quoted = 0;
}

/* Blanks and comments; false where a comment does not end. */
static bool skip_blanks(crd_i_bif_tokens *tokens) {
    while (tokens->at < tokens->end) {
        if (is_blank(*tokens->at)) {
            step(tokens);
        } else if (has(tokens, "//")) {
            while (tokens->at < tokens->end && *tokens->at != '\n') tokens->at++;
        } else if (has(tokens, "/*")) {
            set_place(tokens, CRD_I_BIF_UNCLOSED);
            tokens->at += 2;
            while (tokens->at < tokens->end && !has(tokens, "*/")) step(tokens);
            if (tokens->at == tokens->end) return false;
            tokens->at += 2;
        } else {
            break;
        }
    }
    return true;
}

crd_i_bif_tokens crd_i_bif_begin(crd_text bytes) {
    crd_i_bif_tokens tokens = {0};
    tokens.at = tokens.line_start = bytes.bytes;
    tokens.end = bytes.bytes + bytes.length;
    tokens.line_at = 1;
    return tokens;
}

void crd_i_bif_next(crd_i_bif_tokens *tokens) {
    if (!skip_blanks(tokens)) return;
    set_place(tokens, CRD_I_BIF_END);
    if (tokens->at == tokens->end) return;
    if (is_mark(*tokens->at)) {
        tokens->kind = CRD_I_BIF_MARK;
        tokens->text.length = 1;
        tokens->at++;
    } else if (*tokens->at == '"') {
        tokens->kind = CRD_I_BIF_UNCLOSED;
        tokens->is_quoted = 1;
        tokens->text.bytes = ++tokens->at;
        while (tokens->at < tokens->end && *tokens->at != '"' && *tokens->at != '\n') tokens->at++;
        if (tokens->at == tokens->end || *tokens->at == '\n') return;
        tokens->text.length = (size_t)(tokens->at++ - tokens->text.bytes);
        tokens->kind = CRD_I_BIF_WORD;
    } else {
        tokens->kind = CRD_I_BIF_WORD;
        while (tokens->at < tokens->end && !is_blank(*tokens->at) && !is_mark(*tokens->at) && *tokens->at != '"')
            tokens->at++;
        tokens->text.length = (size_t)(tokens->at - tokens->text.bytes);
    }
}
