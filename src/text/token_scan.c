/* SPDX-License-Identifier: MIT */
/* token_scan.c - see token_scan.h.
 *
 * A word of ASCII that no character beyond it touches is found by a table; the rules for ASCII are those of word_breaks.c,
 * which finds the others. */
#include "text/token_scan.h"

#include "base/error.h"
#include "text/ascii_words.h"
#include "text/unicode.h"
#include "text/word_breaks.h"

#include <string.h>

/* A part of the text that is a token. */
typedef struct token_part {
    size_t from, to;
    bool is_ascii;
} token_part;

/* The next word at or behind scan->at; false: there is none. */
static bool find_word(crd_i_token_scan *scan, token_part *out) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes;
    const size_t length = scan->text.length;
    size_t boundary = scan->at; /* behind it bytes were passed that begin segments */
    for (size_t at = boundary; at < length;) {
        unsigned class = crd_i_ascii_classes[bytes[at]], seen;
        if ((class & (CRD_I_ASCII_WORD | CRD_I_ASCII_BEYOND)) == 0) {
            at++;
            continue;
        }
        out->is_ascii = class != CRD_I_ASCII_BEYOND;
        out->from = at;
        out->to = out->is_ascii ? crd_i_ascii_word_end(bytes, at, length, &seen) : SIZE_MAX;
        bool has_letter = out->to != SIZE_MAX && (seen & (CRD_I_ASCII_LETTER | CRD_I_ASCII_DIGIT)) != 0;
        if (out->to == SIZE_MAX) {
            /* What follows may belong to the byte before it (WB3c, WB4), which begins a segment. */
            if (class == CRD_I_ASCII_BEYOND && at > boundary) out->from--;
            out->is_ascii = false;
            out->to = crd_i_word_end(scan->text, out->from, &has_letter);
        }
        at = boundary = out->to;
        if (has_letter) return true;
    }
    scan->at = length;
    return false;
}

static bool is_ascii_blank(unsigned char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || byte == '\0';
}

/* Whether a character separates tokens between blanks, and its length. */
static bool is_blank(const crd_i_token_scan *scan, size_t at, size_t *length, uint32_t *character) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes + at;
    *length = 1;
    *character = bytes[0];
    if (bytes[0] < 0x80) return is_ascii_blank(bytes[0]);
    *character = crd_i_unicode_decode(bytes, scan->text.length - at, length);
    return *character == UINT32_MAX || crd_i_unicode_is_white(*character);
}

static bool find_unblank(crd_i_token_scan *scan, token_part *out) {
    size_t at = scan->at, length;
    uint32_t character = 0;
    while (at < scan->text.length && is_blank(scan, at, &length, &character)) at += length;
    out->from = at;
    for (out->is_ascii = true; at < scan->text.length && !is_blank(scan, at, &length, &character); at += length)
        out->is_ascii &= character < 0x80;
    out->to = at;
    if (out->to == out->from) scan->at = scan->text.length;
    return out->to > out->from;
}

/* ---- Tokens into the buffer ---- */

static crd_status stem(const crd_i_token_scan *scan, char *word, size_t *length, crd_error *error) {
    crd_text made = crd_i_stemmer_stem(scan->stemmer, (crd_text){word, *length});
    if (made.bytes == NULL) return crd_i_fail_memory(error);
    if (made.length > CRD_I_TOKEN_ROOM) return CRD_OK;
    *length = made.length;
    memmove(word, made.bytes, made.length);
    return CRD_OK;
}

static crd_status put_token(crd_i_token_scan *scan, const token_part *part, crd_i_token *token, crd_error *error) {
    const char *bytes = scan->text.bytes + part->from;
    char *at = scan->buffer + scan->used;
    size_t length = part->to - part->from;
    crd_status status = CRD_OK;
    if (part->is_ascii) {
        if (length > CRD_I_MOST_TOKEN) length = CRD_I_MOST_TOKEN;
        if (scan->normal.fold_case)
            for (size_t i = 0; i < length; i++)
                at[i] = (char)(bytes[i] | (bytes[i] >= 'A' && bytes[i] <= 'Z' ? 0x20 : 0));
        else memcpy(at, bytes, length);
    } else {
        status = crd_i_normal_form(&scan->normal, (crd_text){bytes, length}, CRD_I_MOST_TOKEN, at, &length, error);
    }
    if (status == CRD_OK && scan->stemmer != NULL) status = stem(scan, at, &length, error);
    if (status != CRD_OK) return status;
    *token = (crd_i_token){scan->used, scan->used + (uint32_t)length, part->from, part->to};
    scan->used = token->end;
    scan->buffer[scan->used++] = ' ';
    return CRD_OK;
}

/* ---- Characters ---- */

static void put_characters(crd_i_token_scan *scan, size_t length, size_t from, size_t to, crd_i_token *tokens,
                           size_t *count) {
    for (size_t i = 0; i < length; i++) {
        char byte = scan->buffer[scan->used];
        if ((byte & 0xc0) != 0x80) tokens[(*count)++] = (crd_i_token){scan->used, scan->used, from, to};
        tokens[*count - 1].end = ++scan->used;
    }
}

/* A character with what combines with it. */
static crd_status put_marked(crd_i_token_scan *scan, size_t from, crd_i_token *tokens, size_t *count,
                             crd_error *error) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes;
    const size_t end = scan->text.length;
    size_t to = from, length;
    bool combines = true;
    for (size_t i = 0; i < CRD_I_MOST_MARKED && to < end && combines; i++) {
        uint32_t character = crd_i_unicode_decode(bytes + to, end - to, &length);
        crd_status status = i == 0 ? CRD_OK : crd_i_normal_combines(&scan->normal, character, &combines, error);
        if (status != CRD_OK) return status;
        if (combines) to += length;
    }
    crd_text part = {scan->text.bytes + from, to - from};
    crd_status status =
        crd_i_normal_form(&scan->normal, part, 3 * CRD_I_MOST_MARKED, scan->buffer + scan->used, &length, error);
    if (status != CRD_OK) return status;
    put_characters(scan, length, from, to, tokens, count);
    scan->at = to;
    return CRD_OK;
}

static crd_status scan_characters(crd_i_token_scan *scan, crd_i_token *tokens, size_t room, size_t *count,
                                  crd_error *error) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes;
    const size_t end = scan->text.length;
    while (scan->at < end && *count + 3 * CRD_I_MOST_MARKED <= room) {
        size_t from = scan->at, to = from, length;
        uint32_t character = 0;
        while (to < end && is_blank(scan, to, &length, &character)) to += length;
        bool is_beyond = to == from && (bytes[from] >= 0x80 || (from + 1 < end && bytes[from + 1] >= 0x80));
        if (is_beyond) {
            crd_status status = put_marked(scan, from, tokens, count, error);
            if (status != CRD_OK) return status;
            continue;
        }
        bool is_gap = to > from;
        scan->at = is_gap ? to : ++to;
        if (is_gap && (from == 0 || to == end)) continue;
        unsigned char byte = is_gap ? ' ' : bytes[from];
        scan->buffer[scan->used] = (char)(byte | (scan->normal.fold_case && byte >= 'A' && byte <= 'Z' ? 0x20 : 0));
        put_characters(scan, 1, from, to, tokens, count);
    }
    return CRD_OK;
}

crd_status crd_i_token_scan_next(crd_i_token_scan *scan, crd_i_token *tokens, size_t room, size_t *count,
                                 crd_error *error) {
    token_part part;
    *count = 0;
    if (scan->unit == CRD_I_TOKENS_CHARACTERS) return scan_characters(scan, tokens, room, count, error);
    while (*count < room && (scan->unit == CRD_I_TOKENS_WORDS ? find_word(scan, &part) : find_unblank(scan, &part))) {
        scan->at = part.to;
        crd_status status = put_token(scan, &part, &tokens[*count], error);
        if (status != CRD_OK) return status;
        ++*count;
    }
    return CRD_OK;
}
