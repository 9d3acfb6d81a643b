/* SPDX-License-Identifier: MIT */
/* encoded_words.c - see encoded_words.h. */
#include "mail/encoded_words.h"

#include "mail/gmime_body.h"
#include "mail/mail_decode.h"

#include <string.h>

/* Returns the next "=?", which may begin an encoded word, or NULL. */
static const char *find_mark(const char *cursor, const char *end) {
    while (cursor < end) {
        cursor = memchr(cursor, '=', (size_t)(end - cursor));
        if (cursor == NULL || end - cursor < 2) return NULL;
        if (cursor[1] == '?') return cursor;
        cursor++;
    }
    return NULL;
}

/* Decodes the encoded word "=?charset?Q?text?=" at `cursor` and appends its bytes. Returns the end of the word, or NULL
 * if it is malformed or its charset is not plain. */
static const char *decode_word(const char *cursor, const char *end, crd_i_buffer *out, bool *has_failed) {
    const char *charset = cursor + 2;
    const char *kind = memchr(charset, '?', (size_t)(end - charset));
    if (kind == NULL || end - kind < 3 || kind[2] != '?') return NULL;
    const char *text = kind + 3;
    const char *stop = memchr(text, '?', (size_t)(end - text));
    if (stop == NULL || end - stop < 2 || stop[1] != '=' || stop == text) return NULL;
    const crd_text content = {text, (size_t)(stop - text)};
    if (kind == charset || !crd_i_charset_is_plain((crd_text){charset, (size_t)(kind - charset)})) return NULL;
    crd_i_decoded decoded_part;
    if ((kind[1] | 0x20) == 'b') {
        decoded_part = crd_i_base64_decode(content, SIZE_MAX, out);
    } else if ((kind[1] | 0x20) == 'q') {
        decoded_part = crd_i_quoted_printable_decode(content, SIZE_MAX, true, out);
    } else {
        return NULL;
    }
    *has_failed = decoded_part == CRD_I_DECODED_NO_MEMORY;
    return decoded_part == CRD_I_DECODED ? stop + 2 : NULL;
}

/* Returns whether there are only spaces and tabs up to `end`. */
static bool encoded_words_is_blank(const char *cursor, const char *end) {
    while (cursor < end && (*cursor == ' ' || *cursor == '\t')) cursor++;
    return cursor == end;
}

static bool is_plain_ascii(crd_text text) {
    for (size_t i = 0; i < text.length; i++)
        if ((unsigned char)text.bytes[i] >= 0x80 || text.bytes[i] == '\0') return false;
    return true;
}

/* Decodes a line with encoded words and appends its bytes to *out. Returns false if the line is irregular, or if memory
 * runs out (*has_failed). */
static bool decode_line(crd_text line, crd_i_buffer *out, bool *has_failed) {
    const char *cursor = line.bytes, *end = line.bytes + line.length;
    bool is_behind_word = false;
    if (!is_plain_ascii(line)) return false;
    for (;;) {
        const char *mark = find_mark(cursor, end);
        const char *stop = mark != NULL ? mark : end;
        /* Whitespace between two encoded words is not part of the text (RFC 2047, section 6.2). */
        const bool is_dropped = is_behind_word && mark != NULL && encoded_words_is_blank(cursor, stop);
        if (!is_dropped && !crd_i_buffer_append(out, cursor, (size_t)(stop - cursor))) {
            *has_failed = true;
            return false;
        }
        if (mark == NULL) return true;
        /* Strictly, "=?" in the middle of a word does not begin an encoded word. GMime decides what it means. */
        if (mark > line.bytes && mark[-1] != ' ' && mark[-1] != '\t') return false;
        cursor = decode_word(mark, end, out, has_failed);
        if (cursor == NULL || (cursor < end && *cursor != ' ' && *cursor != '\t')) return false;
        is_behind_word = true;
    }
}

/* Appends a header value without line breaks and without leading whitespace. Tabs become spaces. */
static bool encoded_words_unfold(crd_text value, crd_i_buffer *out) {
    unsigned char *buffer = crd_i_buffer_room(out, value.length + 1);
    size_t length = 0;
    if (buffer == NULL) return false;
    for (size_t i = 0; i < value.length; i++) {
        const char byte = value.bytes[i];
        if (byte == '\n' || byte == '\r' || (length == 0 && (byte == ' ' || byte == '\t'))) continue;
        buffer[length++] = (unsigned char)(byte == '\t' ? ' ' : byte);
    }
    out->length += length;
    return true;
}

bool crd_i_header_value_decode(crd_text value, bool always_gmime, crd_i_buffer scratch[2], crd_i_buffer *out) {
    bool has_failed = false;
    scratch[0].length = scratch[1].length = 0;
    if (!encoded_words_unfold(value, &scratch[0])) return false;
    const crd_text line = {(const char *)scratch[0].bytes, scratch[0].length};
    if (find_mark(line.bytes, line.bytes + line.length) == NULL) return crd_i_text_decode(line, out);
    if (!always_gmime && decode_line(line, &scratch[1], &has_failed))
        return crd_i_text_decode((crd_text){(const char *)scratch[1].bytes, scratch[1].length}, out);
    return !has_failed && crd_i_gmime_decode_words(&scratch[0], out);
}
