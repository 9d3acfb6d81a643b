/* SPDX-License-Identifier: MIT */
/* text_encoding.c - see text_encoding.h. Converts block by block; a character that a block ends in waits for the next. */
#include "table/text_encoding.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

/* ---- Names ---- */

static char to_lower(char byte) {
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool is_same_name(const char *a, const char *b) {
    while (*a != '\0' && to_lower(*a) == to_lower(*b)) a++, b++;
    return *a == *b;
}

/* What iconv takes beyond names (a locale's encoding, //IGNORE) is not for files that others read too. */
static bool text_encoding_is_name(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.:+";
    size_t length = 0;
    for (; name[length] != '\0'; length++)
        if (strchr(letters, to_lower(name[length])) == NULL) return false;
    return length > 0 && length < CRD_I_ENCODING_ROOM;
}

crd_status crd_i_encoding_find(const char *name, char known[CRD_I_ENCODING_ROOM], crd_error *error) {
    /* Names that people use and not every iconv has. UTF-16 without a mark is most often little-endian. */
    static const struct {
        const char *name, *known;
    } ALIASES[] = {
        {"utf-8", ""},
        {"utf8", ""},
        {"ascii", ""},
        {"us-ascii", ""},
        {"latin1", "ISO-8859-1"},
        {"latin-1", "ISO-8859-1"},
        {"windows-1252", "CP1252"},
        {"ansi", "CP1252"},
        {"utf-16", "UTF-16LE"},
        {"utf16", "UTF-16LE"},
        {"utf16le", "UTF-16LE"},
        {"utf16be", "UTF-16BE"},
        {"utf-32", "UTF-32LE"},
        {"utf32", "UTF-32LE"},
    };
    char shown[CRD_I_QUOTED_ROOM];
    known[0] = '\0';
    for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++) {
        if (!is_same_name(ALIASES[i].name, name)) continue;
        memcpy(known, ALIASES[i].known, strlen(ALIASES[i].known) + 1);
        if (known[0] == '\0') return CRD_OK;
    }
    iconv_t test = (iconv_t)-1;
    if (known[0] == '\0' && text_encoding_is_name(name)) {
        for (size_t i = 0; i <= strlen(name); i++)
            known[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
    }
    if (known[0] != '\0') test = iconv_open("UTF-8", known);
    if (test != (iconv_t)-1) {
        iconv_close(test);
        return CRD_OK;
    }
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "unknown encoding '%s': expected for example utf-8, utf-16le, latin1 or cp1252",
                      crd_i_quote(crd_text_of(name), shown));
}

/* ---- Windows-1252 ---- */

static char *text_encoding_write_utf8(unsigned code, char *destination) {
    if (code < 0x80) {
        *destination++ = (char)code;
    } else if (code < 0x800) {
        *destination++ = (char)(0xC0 | code >> 6);
        *destination++ = (char)(0x80 | (code & 0x3F));
    } else {
        *destination++ = (char)(0xE0 | code >> 12);
        *destination++ = (char)(0x80 | (code >> 6 & 0x3F));
        *destination++ = (char)(0x80 | (code & 0x3F));
    }
    return destination;
}

size_t crd_i_encoding_read_western(crd_text text, char *destination) {
    /* The characters of 0x80 .. 0x9F; all others are those of Latin-1. */
    static const uint16_t codes[] = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                     0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                     0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                     0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};
    char *end = destination;
    for (size_t i = 0; i < text.length; i++) {
        unsigned byte = (unsigned char)text.bytes[i];
        end = text_encoding_write_utf8(byte >= 0x80 && byte < 0xA0 ? codes[byte - 0x80] : byte, end);
    }
    return (size_t)(end - destination);
}

/* ---- Detection ---- */

/* Whether all bytes are units of UTF-16 in which some character is below U+0100, and none a control character: NULs are
 * the upper halves of these, and nowhere else. `high` is where the upper half of a unit is, 0 or 1. */
static bool is_utf16(crd_text first, size_t high) {
    size_t units = first.length / 2, narrow = 0;
    for (size_t i = 0; i < units; i++) {
        unsigned char upper = (unsigned char)first.bytes[2 * i + high],
                      lower = (unsigned char)first.bytes[2 * i + 1 - high];
        if (lower == '\0') return false;
        if (upper != '\0') continue;
        if ((lower < 0x20 && lower != '\t' && lower != '\n' && lower != '\r') || lower == 0x7F) return false;
        narrow++;
    }
    /* Separators and digits are among them in every script. */
    return units >= 2 && narrow >= 2 && narrow >= units / 8;
}

const char *crd_i_encoding_detect(crd_text first, size_t *mark) {
    /* The longer marks first: that of UTF-32LE begins with that of UTF-16LE. */
    static const struct {
        const char *mark;
        size_t length;
        const char *encoding;
    } MARKS[] = {
        {"\xEF\xBB\xBF", 3, ""},     {"\xFF\xFE\0\0", 4, "UTF-32LE"}, {"\0\0\xFE\xFF", 4, "UTF-32BE"},
        {"\xFF\xFE", 2, "UTF-16LE"}, {"\xFE\xFF", 2, "UTF-16BE"},
    };
    for (size_t i = 0; i < sizeof MARKS / sizeof MARKS[0]; i++) {
        *mark = MARKS[i].length;
        if (*mark <= first.length && memcmp(first.bytes, MARKS[i].mark, *mark) == 0) return MARKS[i].encoding;
    }
    *mark = 0;
    if (is_utf16(first, 1)) return "UTF-16LE";
    return is_utf16(first, 0) ? "UTF-16BE" : NULL;
}

/* ---- Conversion ---- */

enum { INPUT_ROOM = 1 << 15, OUTPUT_ROOM = 1 << 17, INVALID = 0xFF };

typedef struct transcoding_source {
    crd_i_source base;
    crd_i_source *inner;
    iconv_t converter;
    size_t mark;    /* bytes at the beginning that are none of the text */
    size_t to_skip; /* of these, still to come */
    size_t unit;    /* bytes of the smallest code unit: what an invalid one takes at least */
    bool inner_ended, is_flushed;
    char input[INPUT_ROOM];
    size_t input_begin, input_end;
    char output[OUTPUT_ROOM];
    size_t output_begin, output_end;
} transcoding_source;

/* Moves what is left to the front, and reads behind it. */
static crd_status text_encoding_refill(transcoding_source *source, crd_error *error) {
    size_t left = source->input_end - source->input_begin, got = 0;
    memmove(source->input, source->input + source->input_begin, left);
    crd_status status =
        source->inner->read(source->inner, (unsigned char *)source->input + left, INPUT_ROOM - left, &got, error);
    source->input_begin = 0;
    source->input_end = left + got;
    if (status != CRD_OK) return status;
    source->inner_ended = got == 0;
    size_t skipped = source->to_skip < source->input_end ? source->to_skip : source->input_end;
    source->to_skip -= skipped;
    source->input_begin = skipped;
    return CRD_OK;
}

/* Into the output, which is empty, until that has no more room or more input is needed; whether it is. */
static bool text_encoding_convert(transcoding_source *source) {
    char *in = source->input + source->input_begin, *out = source->output;
    size_t in_left = source->input_end - source->input_begin, out_left = OUTPUT_ROOM;
    bool needs_more = false;
    while (!needs_more && out_left > 0) {
        size_t result = in_left == 0 ? 0 : iconv(source->converter, &in, &in_left, &out, &out_left);
        bool is_cut = result == (size_t)-1 && errno == EINVAL;
        if (result != (size_t)-1 || (is_cut && !source->inner_ended)) {
            needs_more = true;
        } else if (errno == E2BIG && !is_cut) {
            break;
        } else {
            size_t taken = is_cut || in_left < source->unit ? in_left : source->unit;
            in += taken;
            in_left -= taken;
            *out++ = (char)INVALID;
            out_left--;
            (void)iconv(source->converter, NULL, NULL, NULL, NULL); /* back to the initial shift state */
        }
    }
    source->input_begin = (size_t)(in - source->input);
    source->output_begin = 0;
    source->output_end = OUTPUT_ROOM - out_left;
    return needs_more;
}

/* Characters that the converter held back because the next one could have been combined with them. */
static void text_encoding_flush(transcoding_source *source) {
    char *out = source->output;
    size_t left = OUTPUT_ROOM;
    source->is_flushed = true;
    if (iconv(source->converter, NULL, NULL, &out, &left) == (size_t)-1) left = OUTPUT_ROOM;
    source->output_begin = 0;
    source->output_end = OUTPUT_ROOM - left;
}

static crd_status transcoding_read(crd_i_source *base, unsigned char *bytes, size_t capacity, size_t *got,
                                   crd_error *error) {
    transcoding_source *source = (transcoding_source *)base;
    *got = 0;
    while (source->output_begin == source->output_end) {
        bool needs_more = text_encoding_convert(source);
        if (source->output_end > 0) break;
        if (needs_more && source->inner_ended && source->is_flushed) return CRD_OK;
        if (source->inner_ended) {
            text_encoding_flush(source);
            continue;
        }
        crd_status status = text_encoding_refill(source, error);
        if (status != CRD_OK) return status;
    }
    size_t left = source->output_end - source->output_begin;
    *got = left < capacity ? left : capacity;
    memcpy(bytes, source->output + source->output_begin, *got);
    source->output_begin += *got;
    return CRD_OK;
}

static void text_encoding_begin(transcoding_source *source) {
    source->inner_ended = source->is_flushed = false;
    source->input_begin = source->input_end = source->output_begin = source->output_end = 0;
    source->to_skip = source->mark;
    (void)iconv(source->converter, NULL, NULL, NULL, NULL);
}

static crd_status transcoding_rewind(crd_i_source *base, crd_error *error) {
    transcoding_source *source = (transcoding_source *)base;
    crd_status status = source->inner->rewind(source->inner, error);
    if (status == CRD_OK) text_encoding_begin(source);
    return status;
}

static void transcoding_close(crd_i_source *base) {
    transcoding_source *source = (transcoding_source *)base;
    if (source->converter != (iconv_t)-1) iconv_close(source->converter);
    crd_i_source_close(source->inner);
    crd_free(base->context, source);
}

crd_status crd_i_source_transcode(crd_context *context, crd_i_source *inner, const char *known, size_t mark,
                                  crd_i_source **out, crd_error *error) {
    *out = NULL;
    transcoding_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) {
        crd_i_source_close(inner);
        return crd_i_fail_memory(error);
    }
    source->base.context = context;
    source->base.read = transcoding_read;
    source->base.rewind = inner->rewind == NULL ? NULL : transcoding_rewind;
    source->base.close = transcoding_close;
    source->base.is_decompressed = inner->is_decompressed;
    source->inner = inner;
    source->mark = mark;
    source->unit = strncmp(known, "UTF-16", 6) == 0 ? 2 : strncmp(known, "UTF-32", 6) == 0 ? 4 : 1;
    source->converter = iconv_open("UTF-8", known);
    if (source->converter == (iconv_t)-1) {
        int fault = errno;
        transcoding_close(&source->base);
        return fault == ENOMEM ? crd_i_fail_memory(error)
                               : crd_i_fail_system(error, fault, "cannot convert from %s", known);
    }
    text_encoding_begin(source);
    *out = &source->base;
    return CRD_OK;
}
