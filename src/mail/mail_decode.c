/* SPDX-License-Identifier: MIT */
/* mail_decode.c - see mail_internal.h. */
#include "mail/mail_internal.h"

#include "base/text.h"

#include <string.h>
#include <strings.h>

enum { CHUNK = 4096 };

/* ---- Base64 ---- */

/* Values of base64_digit for bytes that are not digits: whitespace, padding, and anything else. */
enum { BASE64_BLANK = 64, BASE64_PAD = 65, BASE64_NONE = 66 };

static unsigned base64_digit(unsigned char byte) {
    if (byte >= 'A' && byte <= 'Z') return (unsigned)(byte - 'A');
    if (byte >= 'a' && byte <= 'z') return (unsigned)(byte - 'a' + 26);
    if (byte >= '0' && byte <= '9') return (unsigned)(byte - '0' + 52);
    if (byte == '+') return 62;
    if (byte == '/') return 63;
    if (byte == '=') return BASE64_PAD;
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' ? BASE64_BLANK : BASE64_NONE;
}

crd_i_decoded crd_i_base64_decode(crd_text text, size_t most, crd_i_buffer *out) {
    const size_t end = out->length + (most < SIZE_MAX / 2 ? most : SIZE_MAX / 2);
    uint32_t group = 0;
    unsigned digits = 0, padding = 0;
    for (size_t i = 0; i < text.length && out->length < end;) {
        unsigned char *buffer = crd_i_buffer_room(out, CHUNK);
        size_t written = 0;
        if (buffer == NULL) return CRD_I_DECODED_NO_MEMORY;
        for (; i < text.length && written + 3 <= CHUNK; i++) {
            const unsigned digit = base64_digit((unsigned char)text.bytes[i]);
            if (digit == BASE64_BLANK) continue;
            if (digit == BASE64_NONE || (padding > 0 && digit != BASE64_PAD)) return CRD_I_DECODED_IRREGULAR;
            if (digit == BASE64_PAD && (++padding > 2 || digits < 2)) return CRD_I_DECODED_IRREGULAR;
            group = group << 6 | (digit == BASE64_PAD ? 0 : digit);
            if (++digits < 4) continue;
            buffer[written++] = (unsigned char)(group >> 16);
            if (padding < 2) buffer[written++] = (unsigned char)(group >> 8);
            if (padding < 1) buffer[written++] = (unsigned char)group;
            digits = 0;
        }
        out->length += written;
    }
    return out->length < end && digits != 0 ? CRD_I_DECODED_IRREGULAR : CRD_I_DECODED;
}

/* ---- Quoted-printable ---- */

int crd_i_hex_digit(unsigned char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

crd_i_decoded crd_i_quoted_printable_decode(crd_text text, size_t most, bool is_word, crd_i_buffer *out) {
    const size_t end = out->length + (most < SIZE_MAX / 2 ? most : SIZE_MAX / 2);
    const char *cursor = text.bytes, *stop = text.bytes + text.length;
    while (cursor < stop && out->length < end) {
        const char *mark = memchr(cursor, '=', (size_t)(stop - cursor));
        const size_t run = (size_t)((mark != NULL ? mark : stop) - cursor);
        if (!crd_i_buffer_append(out, cursor, run)) return CRD_I_DECODED_NO_MEMORY;
        for (size_t i = out->length - run; is_word && i < out->length; i++)
            if (out->bytes[i] == '_') out->bytes[i] = ' ';
        if (mark == NULL) break;
        cursor = mark + 1;
        if (cursor < stop && *cursor == '\n') {
            cursor++;
        } else if (stop - cursor >= 2 && cursor[0] == '\r' && cursor[1] == '\n') {
            cursor += 2;
        } else {
            const int high = stop - cursor >= 2 ? crd_i_hex_digit((unsigned char)cursor[0]) : -1;
            const int low = stop - cursor >= 2 ? crd_i_hex_digit((unsigned char)cursor[1]) : -1;
            if (high < 0 || low < 0) return CRD_I_DECODED_IRREGULAR;
            const unsigned char byte = (unsigned char)(high << 4 | low);
            if (!crd_i_buffer_append(out, &byte, 1)) return CRD_I_DECODED_NO_MEMORY;
            cursor += 2;
        }
    }
    return CRD_I_DECODED;
}

/* ---- Charsets ---- */

bool crd_i_charset_is_plain(crd_text charset) {
    static const char *const names[] = {"us-ascii",       "utf-8", "iso-8859-1", "windows-1252", "ascii",
                                        "ansi_x3.4-1968", "utf8",  "latin1",     "cp1252",       "iso8859-1"};
    if (charset.length == 0) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (charset.length == strlen(names[i]) && strncasecmp(charset.bytes, names[i], charset.length) == 0)
            return true;
    return false;
}

size_t crd_i_utf8_write(uint32_t character, char bytes[4]) {
    if (character == 0 || character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) return 0;
    if (character < 0x80) {
        bytes[0] = (char)character;
        return 1;
    }
    const size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, character >>= 6) bytes[i] = (char)(0x80 | (character & 0x3f));
    bytes[0] = (char)((0xf00U >> length & 0xf0U) | character);
    return length;
}

/* The windows-1252 characters 0x80 to 0x9f. Other bytes have the same meaning as in Latin-1. */
static const uint16_t windows_1252[32] = {0x20ac, ' ',    0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                          0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, ' ',    0x017d, ' ',
                                          ' ',    0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                          0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, ' ',    0x017e, 0x0178};

/* Returns how many bytes at the beginning are ASCII other than NUL, eight at a time. */
static size_t ascii_run(const char *bytes, size_t length) {
    const uint64_t ones = 0x0101010101010101U, highs = 0x8080808080808080U;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        if ((word | (word - ones)) & highs) break;
    }
    while (i < length && (unsigned char)(bytes[i] - 1) < 0x7f) i++;
    return i;
}

bool crd_i_text_decode(crd_text text, crd_i_buffer *out) {
    for (size_t i = 0; i < text.length;) {
        const size_t run = ascii_run(text.bytes + i, text.length - i);
        if (!crd_i_buffer_append(out, text.bytes + i, run)) return false;
        i += run;
        if (i == text.length) break;
        const unsigned char byte = (unsigned char)text.bytes[i];
        const crd_text view = {text.bytes + i, text.length - i};
        size_t length = byte == 0 ? 0 : crd_i_utf8_length(view);
        if (length > 0) {
            if (!crd_i_buffer_append(out, view.bytes, length)) return false;
        } else {
            char bytes[4] = " ";
            const size_t written =
                byte == 0 ? 1 : crd_i_utf8_write(byte < 0xa0 ? windows_1252[byte - 0x80] : byte, bytes);
            if (!crd_i_buffer_append(out, bytes, written)) return false;
            length = 1;
        }
        i += length;
    }
    return true;
}
