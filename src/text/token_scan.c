/* SPDX-License-Identifier: MIT */
/* token_scan.c - see token_scan.h. */
#include "text/token_scan.h"

#include "base/error.h"

#include <string.h>

static bool is_blank(unsigned char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || byte == '\0';
}

static bool is_letter(unsigned char byte) {
    return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte >= 0x80;
}

static bool is_digit(unsigned char byte) {
    return byte >= '0' && byte <= '9';
}

/* WB6, WB7, WB11 and WB12: a word goes on behind a character between two letters or two digits. */
static bool goes_on(const unsigned char *bytes, size_t at, size_t length) {
    unsigned char byte = bytes[at];
    if (is_letter(byte) || is_digit(byte) || byte == '_') return true;
    if (at + 1 >= length) return false;
    if (is_letter(bytes[at - 1]) && is_letter(bytes[at + 1])) return byte == ':' || byte == '.' || byte == '\'';
    if (is_digit(bytes[at - 1]) && is_digit(bytes[at + 1]))
        return byte == ',' || byte == ';' || byte == '.' || byte == '\'';
    return false;
}

/* The next token as a part of the text; false: there is none. */
static bool find_token(const crd_i_token_scan *scan, size_t *from, size_t *to) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes;
    size_t length = scan->text.length, at = scan->at;
    if (scan->unit == CRD_I_TOKENS_BLANKS) {
        while (at < length && is_blank(bytes[at])) at++;
        *from = at;
        while (at < length && !is_blank(bytes[at])) at++;
        *to = at;
        return *to > *from;
    }
    for (bool has_letter = false; !has_letter;) {
        while (at < length && !is_letter(bytes[at]) && !is_digit(bytes[at]) && bytes[at] != '_') at++;
        *from = at;
        if (at == length) return false;
        for (; at < length && (at == *from || goes_on(bytes, at, length)); at++)
            has_letter |= is_letter(bytes[at]) || is_digit(bytes[at]);
    }
    *to = at;
    return true;
}

static crd_status put_token(crd_i_token_scan *scan, size_t from, size_t to, crd_i_token *token, crd_error *error) {
    size_t length = to - from < CRD_I_MOST_TOKEN ? to - from : CRD_I_MOST_TOKEN;
    char *at = scan->buffer + scan->used;
    memcpy(at, scan->text.bytes + from, length);
    for (size_t i = 0; scan->fold_case && i < length; i++)
        if (at[i] >= 'A' && at[i] <= 'Z') at[i] = (char)(at[i] | 0x20);
    if (scan->stemmer != NULL) {
        crd_text stem = crd_i_stemmer_stem(scan->stemmer, (crd_text){at, length});
        if (stem.bytes == NULL) return crd_i_fail_memory(error);
        length = stem.length < CRD_I_TOKEN_ROOM ? stem.length : CRD_I_TOKEN_ROOM;
        memmove(at, stem.bytes, length);
    }
    const crd_i_token made = {scan->used, scan->used + (uint32_t)length, from, to};
    *token = made;
    scan->used = made.end;
    scan->buffer[scan->used++] = ' ';
    return CRD_OK;
}

/* Characters: a run of blanks is one, of which there is none at either end. */
static size_t scan_characters(crd_i_token_scan *scan, crd_i_token *tokens, size_t room) {
    const char *bytes = scan->text.bytes;
    size_t length = scan->text.length, count = 0;
    while (count < room && scan->at < length) {
        size_t from = scan->at, to = from;
        while (to < length && is_blank((unsigned char)bytes[to])) to++;
        bool is_gap = to > from;
        if (is_gap && (from == 0 || to == length)) {
            scan->at = to;
            continue;
        }
        if (!is_gap) to++;
        char byte = is_gap ? ' ' : bytes[from];
        if (scan->fold_case && byte >= 'A' && byte <= 'Z') byte = (char)(byte | 0x20);
        scan->buffer[scan->used] = byte;
        tokens[count++] = (crd_i_token){scan->used, scan->used + 1, from, to};
        scan->used++;
        scan->at = to;
    }
    return count;
}

crd_status crd_i_token_scan_next(crd_i_token_scan *scan, crd_i_token *tokens, size_t room, size_t *count,
                                 crd_error *error) {
    *count = 0;
    if (scan->unit == CRD_I_TOKENS_CHARACTERS) {
        *count = scan_characters(scan, tokens, room);
        return CRD_OK;
    }
    size_t from, to;
    while (*count < room && find_token(scan, &from, &to)) {
        scan->at = to;
        crd_status status = put_token(scan, from, to, &tokens[*count], error);
        if (status != CRD_OK) return status;
        ++*count;
    }
    return CRD_OK;
}
