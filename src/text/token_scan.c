/* SPDX-License-Identifier: MIT */
/* token_scan.c - see token_scan.h.
 *
 * ASCII words without adjacent non-ASCII characters are found with a table. The rules for them are the same as in
 * word_breaks.c, which finds all other words. */
#include "text/token_scan.h"

#include "base/error.h"
#include "text/ascii_words.h"
#include "text/unicode.h"
#include "text/word_breaks.h"

#include <string.h>

/* A part of the text that becomes a token. */
typedef struct token_part {
    size_t first, end;
    bool is_ascii;
} token_part;

/* Finds the next word from scan->index on. Returns false at the end of the text. */
static bool token_scan_find_word(crd_i_token_scan *scan, token_part *out) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes;
    const size_t length = scan->text.length;
    size_t boundary = scan->index; /* the bytes that are skipped after it begin segments */
    for (size_t index = boundary; index < length;) {
        unsigned class = crd_i_ascii_classes[bytes[index]], seen;
        if ((class & (CRD_I_ASCII_WORD | CRD_I_ASCII_BEYOND)) == 0) {
            index++;
            continue;
        }
        out->is_ascii = class != CRD_I_ASCII_BEYOND;
        out->first = index;
        out->end = out->is_ascii ? crd_i_ascii_word_end(bytes, index, length, &seen) : SIZE_MAX;
        bool has_letter = out->end != SIZE_MAX && (seen & (CRD_I_ASCII_LETTER | CRD_I_ASCII_DIGIT)) != 0;
        if (out->end == SIZE_MAX) {
            /* The next character may belong to the byte before it (WB3c, WB4), which begins a segment. */
            if (class == CRD_I_ASCII_BEYOND && index > boundary) out->first--;
            out->is_ascii = false;
            out->end = crd_i_word_end(scan->text, out->first, &has_letter);
        }
        index = boundary = out->end;
        if (has_letter) return true;
    }
    scan->index = length;
    return false;
}

static bool is_ascii_blank(unsigned char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || byte == '\0';
}

/* Returns whether a character separates tokens of the unit `blanks`, and its length. */
static bool token_scan_is_blank(const crd_i_token_scan *scan, size_t index, size_t *length, uint32_t *character) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes + index;
    *length = 1;
    *character = bytes[0];
    if (bytes[0] < 0x80) return is_ascii_blank(bytes[0]);
    *character = crd_i_unicode_decode(bytes, scan->text.length - index, length);
    return *character == UINT32_MAX || crd_i_unicode_is_white(*character);
}

/* Finds the next run of characters that are not whitespace. Returns false at the end of the text. */
static bool find_unblank(crd_i_token_scan *scan, token_part *out) {
    size_t index = scan->index, length;
    uint32_t character = 0;
    while (index < scan->text.length && token_scan_is_blank(scan, index, &length, &character)) index += length;
    out->first = index;
    for (out->is_ascii = true; index < scan->text.length && !token_scan_is_blank(scan, index, &length, &character);
         index += length)
        out->is_ascii &= character < 0x80;
    out->end = index;
    if (out->end == out->first) scan->index = scan->text.length;
    return out->end > out->first;
}

/* ---- Tokens into the buffer ---- */

static crd_status token_scan_stem(const crd_i_token_scan *scan, char *word, size_t *length, crd_error *error) {
    crd_text view = crd_i_stemmer_stem(scan->stemmer, (crd_text){word, *length});
    if (view.bytes == NULL) return crd_i_fail_memory(error);
    if (view.length > CRD_I_TOKEN_ROOM) return CRD_OK;
    *length = view.length;
    memmove(word, view.bytes, view.length);
    return CRD_OK;
}

/* Folds, normalizes and stems a token, and appends it to the buffer with a space after it. */
static crd_status token_scan_put(crd_i_token_scan *scan, const token_part *part, crd_i_token *token, crd_error *error) {
    const char *bytes = scan->text.bytes + part->first;
    char *cursor = scan->buffer + scan->used;
    size_t length = part->end - part->first;
    crd_status status = CRD_OK;
    if (part->is_ascii) {
        if (length > CRD_I_MOST_TOKEN) length = CRD_I_MOST_TOKEN;
        if (scan->normal.fold_case)
            for (size_t i = 0; i < length; i++)
                cursor[i] = (char)(bytes[i] | (bytes[i] >= 'A' && bytes[i] <= 'Z' ? 0x20 : 0));
        else memcpy(cursor, bytes, length);
    } else {
        status = crd_i_normal_form(&scan->normal, (crd_text){bytes, length}, CRD_I_MOST_TOKEN, cursor, &length, error);
    }
    if (status == CRD_OK && scan->stemmer != NULL) status = token_scan_stem(scan, cursor, &length, error);
    if (status != CRD_OK) return status;
    *token = (crd_i_token){scan->used, scan->used + (uint32_t)length, part->first, part->end};
    scan->used = token->end;
    scan->buffer[scan->used++] = ' ';
    return CRD_OK;
}

/* ---- Characters ---- */

static void put_characters(crd_i_token_scan *scan, size_t length, size_t first, size_t limit, crd_i_token *tokens,
                           size_t *count) {
    for (size_t i = 0; i < length; i++) {
        char byte = scan->buffer[scan->used];
        if ((byte & 0xc0) != 0x80) tokens[(*count)++] = (crd_i_token){scan->used, scan->used, first, limit};
        tokens[*count - 1].end = ++scan->used;
    }
}

/* Reads a character together with the marks that combine with it, and appends its normal form as tokens. */
static crd_status put_marked(crd_i_token_scan *scan, size_t first, crd_i_token *tokens, size_t *count,
                             crd_error *error) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes;
    const size_t end = scan->text.length;
    size_t limit = first, length;
    bool combines = true;
    for (size_t i = 0; i < CRD_I_MOST_MARKED && limit < end && combines; i++) {
        uint32_t character = crd_i_unicode_decode(bytes + limit, end - limit, &length);
        crd_status status = i == 0 ? CRD_OK : crd_i_normal_combines(&scan->normal, character, &combines, error);
        if (status != CRD_OK) return status;
        if (combines) limit += length;
    }
    crd_text part = {scan->text.bytes + first, limit - first};
    crd_status status =
        crd_i_normal_form(&scan->normal, part, 3 * CRD_I_MOST_MARKED, scan->buffer + scan->used, &length, error);
    if (status != CRD_OK) return status;
    put_characters(scan, length, first, limit, tokens, count);
    scan->index = limit;
    return CRD_OK;
}

/* Reads tokens that are characters. A run of whitespace becomes one space, or nothing at either end of the text. */
static crd_status scan_characters(crd_i_token_scan *scan, crd_i_token *tokens, size_t capacity, size_t *count,
                                  crd_error *error) {
    const unsigned char *bytes = (const unsigned char *)scan->text.bytes;
    const size_t end = scan->text.length;
    while (scan->index < end && *count + 3 * CRD_I_MOST_MARKED <= capacity) {
        size_t first = scan->index, limit = first, length;
        uint32_t character = 0;
        while (limit < end && token_scan_is_blank(scan, limit, &length, &character)) limit += length;
        bool is_beyond = limit == first && (bytes[first] >= 0x80 || (first + 1 < end && bytes[first + 1] >= 0x80));
        if (is_beyond) {
            crd_status status = put_marked(scan, first, tokens, count, error);
            if (status != CRD_OK) return status;
            continue;
        }
        bool is_gap = limit > first;
        scan->index = is_gap ? limit : ++limit;
        if (is_gap && (first == 0 || limit == end)) continue;
        unsigned char byte = is_gap ? ' ' : bytes[first];
        scan->buffer[scan->used] = (char)(byte | (scan->normal.fold_case && byte >= 'A' && byte <= 'Z' ? 0x20 : 0));
        put_characters(scan, 1, first, limit, tokens, count);
    }
    return CRD_OK;
}

crd_status crd_i_token_scan_next(crd_i_token_scan *scan, crd_i_token *tokens, size_t capacity, size_t *count,
                                 crd_error *error) {
    token_part part;
    *count = 0;
    if (scan->unit == CRD_I_TOKENS_CHARACTERS) return scan_characters(scan, tokens, capacity, count, error);
    while (*count < capacity &&
           (scan->unit == CRD_I_TOKENS_WORDS ? token_scan_find_word(scan, &part) : find_unblank(scan, &part))) {
        scan->index = part.end;
        crd_status status = token_scan_put(scan, &part, &tokens[*count], error);
        if (status != CRD_OK) return status;
        ++*count;
    }
    return CRD_OK;
}
