/* SPDX-License-Identifier: MIT */
/* text_source.c - see text_source.h.
 *
 * Contents:
 *   1. Text encodings
 *   2. JSON objects */
#include "table/text_source.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* ======== 1. Text encodings ========
 *
 * Converts texts in other encodings to UTF-8, block by block. An incomplete character at the end of a
 * block is converted with the next block. */

/* ---- Names ---- */

static char to_lower(char byte) {
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool is_same_name(const char *a, const char *b) {
    while (*a != '\0' && to_lower(*a) == to_lower(*b)) a++, b++;
    return *a == *b;
}

/* Rejects other arguments of iconv, such as the locale's encoding or //IGNORE: a file must be read in the same way
 * everywhere. */
static bool text_encoding_is_name(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.:+";
    size_t length = 0;
    for (; name[length] != '\0'; length++)
        if (strchr(letters, to_lower(name[length])) == NULL) return false;
    return length > 0 && length < CRD_I_ENCODING_ROOM;
}

crd_status crd_i_encoding_find(const char *name, char known[CRD_I_ENCODING_ROOM], crd_error *error) {
    /* Common names that some iconv implementations lack. UTF-16 without a mark is most often little-endian. */
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
    crd_i_os_converter *test = NULL;
    if (known[0] == '\0' && text_encoding_is_name(name)) {
        for (size_t i = 0; i <= strlen(name); i++)
            known[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
    }
    if (known[0] != '\0') test = crd_i_os_converter_open(known);
    if (test != NULL) {
        crd_i_os_converter_close(test);
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
    /* The characters of 0x80 to 0x9F. All others are the same as in Latin-1. */
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

/* Returns whether all bytes are units of UTF-16 with some characters below U+0100 and no control characters. NUL bytes
 * are then the upper halves of these characters, and do not occur elsewhere. `high` is the position of the upper half
 * of a unit, 0 or 1. */
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
    /* They include separators and digits, which occur in every script. */
    return units >= 2 && narrow >= 2 && narrow >= units / 8;
}

const char *crd_i_encoding_detect(crd_text first, size_t *mark) {
    /* Longer marks come first, because the mark of UTF-32LE begins with the mark of UTF-16LE. */
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
    crd_i_os_converter *converter;
    size_t mark;    /* number of bytes before the text */
    size_t to_skip; /* number of these bytes still to skip */
    size_t unit;    /* bytes of the smallest code unit, and so of an invalid character */
    bool inner_ended, is_flushed;
    char input[INPUT_ROOM];
    size_t input_begin, input_end;
    char output[OUTPUT_ROOM];
    size_t output_begin, output_end;
} transcoding_source;

/* Moves the remaining bytes to the front, and reads more bytes after them. */
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

/* Converts into the empty output, until the output is full or more input is needed. Returns whether input is needed. */
static bool text_encoding_convert(transcoding_source *source) {
    char *in = source->input + source->input_begin, *out = source->output;
    size_t in_left = source->input_end - source->input_begin, out_left = OUTPUT_ROOM;
    bool needs_more = false;
    while (!needs_more && out_left > 0) {
        bool is_done = in_left == 0 || crd_i_os_convert(source->converter, &in, &in_left, &out, &out_left);
        bool is_cut = !is_done && errno == EINVAL;
        if (is_done || (is_cut && !source->inner_ended)) {
            needs_more = true;
        } else if (errno == E2BIG && !is_cut) {
            break;
        } else {
            size_t taken = is_cut || in_left < source->unit ? in_left : source->unit;
            in += taken;
            in_left -= taken;
            *out++ = (char)INVALID;
            out_left--;
            (void)crd_i_os_convert(source->converter, NULL, NULL, NULL, NULL); /* back to the initial shift state */
        }
    }
    source->input_begin = (size_t)(in - source->input);
    source->output_begin = 0;
    source->output_end = OUTPUT_ROOM - out_left;
    return needs_more;
}

/* Converts characters that the converter held back because a combining character could have followed. */
static void text_encoding_flush(transcoding_source *source) {
    char *out = source->output;
    size_t left = OUTPUT_ROOM;
    source->is_flushed = true;
    if (!crd_i_os_convert(source->converter, NULL, NULL, &out, &left)) left = OUTPUT_ROOM;
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
    (void)crd_i_os_convert(source->converter, NULL, NULL, NULL, NULL);
}

static crd_status transcoding_rewind(crd_i_source *base, crd_error *error) {
    transcoding_source *source = (transcoding_source *)base;
    crd_status status = source->inner->rewind(source->inner, error);
    if (status == CRD_OK) text_encoding_begin(source);
    return status;
}

static void transcoding_close(crd_i_source *base) {
    transcoding_source *source = (transcoding_source *)base;
    if (source->converter != NULL) crd_i_os_converter_close(source->converter);
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
    source->converter = crd_i_os_converter_open(known);
    if (source->converter == NULL) {
        int fault = errno;
        transcoding_close(&source->base);
        return fault == ENOMEM ? crd_i_fail_memory(error)
                               : crd_i_fail_system(error, fault, "cannot convert from %s", known);
    }
    text_encoding_begin(source);
    *out = &source->base;
    return CRD_OK;
}

/* ======== 2. JSON objects ======== */

enum { OBJECTS_ROOM = 1 << 15 };

/* The place of the next byte relative to the objects. */
typedef enum object_place {
    AT_BEGINNING,
    BEFORE_FIRST, /* after the opening bracket */
    BEFORE_NEXT,  /* after a comma */
    IN_OBJECT,
    BEHIND_OBJECT,
    AT_END /* after the closing bracket */
} object_place;

typedef struct objects_source {
    crd_i_source base;
    crd_i_source *inner;
    object_place place;
    bool is_array;
    size_t depth; /* number of open brackets and braces, in an object */
    bool in_text, is_escaped;
    bool line_is_used; /* an object is on the line that is being written */
    uint64_t owed;     /* line ends still to write: those inside the last object, or one that separates two objects */
    uint64_t line;     /* line number in the input */
    crd_error fault;   /* an error between objects, where reading stops; its status is CRD_OK until then */
    size_t input_begin, input_end;
    unsigned char input[OBJECTS_ROOM];
} objects_source;

static bool json_objects_is_gap(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Returns the first byte from *cursor that is not whitespace, and moves *cursor after it. NUL: none. */
static char next_byte(crd_text text, size_t *cursor) {
    while (*cursor < text.length && json_objects_is_gap(text.bytes[*cursor])) (*cursor)++;
    return *cursor < text.length ? text.bytes[(*cursor)++] : '\0';
}

bool crd_i_json_objects_recognize(crd_text first) {
    size_t index = 0;
    char byte = next_byte(first, &index);
    if (byte == '[') {
        size_t limit = index;
        byte = next_byte(first, &index);
        return byte == '{' || (byte == ']' && next_byte(first, &index) == '\0') ||
               (byte == '\0' && limit < first.length && first.bytes[first.length - 1] == '\n');
    }
    if (byte != '{') return false;
    /* A line that ends within an object. */
    char last = byte;
    for (; index < first.length && first.bytes[index] != '\n'; index++)
        if (!json_objects_is_gap(first.bytes[index])) last = first.bytes[index];
    return index < first.length && (last == '{' || last == '[' || last == ',');
}

static crd_status json_objects_fail(const objects_source *source, const char *message, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SYNTAX, "%s", message);
    crd_i_error_place(error, NULL, source->line, 0);
    return CRD_ERROR_SYNTAX;
}

/* Returns the output for a byte of an object. Line ends become spaces. */
static char pass_byte(objects_source *source, char byte) {
    if (source->in_text) {
        bool ends = byte == '"' && !source->is_escaped;
        source->is_escaped = byte == '\\' && !source->is_escaped;
        source->in_text = !ends;
        return byte;
    }
    if (byte == '"') source->in_text = true;
    if (byte == '{' || byte == '[') source->depth++;
    if ((byte == '}' || byte == ']') && --source->depth == 0) source->place = BEHIND_OBJECT;
    if (byte == '\n') source->owed++;
    return byte == '\n' || byte == '\r' ? ' ' : byte;
}

/* Handles a byte between objects that does not begin an object. */
static crd_status pass_mark(objects_source *source, char byte, crd_error *error) {
    object_place place = source->place;
    if (place == AT_END) return json_objects_fail(source, "text after the end of the array", error);
    if (place == AT_BEGINNING && byte == '[') {
        source->is_array = true;
        source->place = BEFORE_FIRST;
    } else if (source->is_array && byte == ',' && place == BEHIND_OBJECT) {
        source->place = BEFORE_NEXT;
    } else if (source->is_array && byte == ']' && place != BEFORE_NEXT) {
        source->place = AT_END;
    } else if (source->is_array && place == BEHIND_OBJECT) {
        return json_objects_fail(source, "expected a comma or the end of the array after an object", error);
    } else if (byte == '[') {
        return json_objects_fail(source, "an array in an array: rows must be objects, such as {\"name\": value}",
                                 error);
    } else {
        return json_objects_fail(source, "rows must be objects, such as {\"name\": value}", error);
    }
    return CRD_OK;
}

static bool begins_object(const objects_source *source, char byte) {
    if (byte != '{' || source->place == AT_END) return false;
    return source->place != BEHIND_OBJECT || !source->is_array;
}

/* Handles the next byte of the buffered input. *wrote: a byte was written to *destination. The first byte of an object
 * stays in the input if a line end must be written before it. */
static crd_status json_objects_pass(objects_source *source, unsigned char *destination, bool *wrote, crd_error *error) {
    char byte = (char)source->input[source->input_begin];
    *wrote = true;
    if (source->place != IN_OBJECT && begins_object(source, byte)) {
        if (source->line_is_used) {
            source->line_is_used = false;
            source->owed++;
            *wrote = false;
            return CRD_OK;
        }
        source->line_is_used = true;
        source->place = IN_OBJECT;
        source->depth = 0;
    }
    source->input_begin++;
    crd_status status = CRD_OK;
    if (source->place == IN_OBJECT) {
        *destination = (unsigned char)pass_byte(source, byte);
    } else if (byte == '\n') {
        source->line_is_used = false;
        *destination = '\n';
    } else {
        *wrote = false;
        bool is_mark = source->place == AT_BEGINNING && (unsigned char)byte >= 0x80; /* a byte order mark */
        if (!json_objects_is_gap(byte) && !is_mark) status = pass_mark(source, byte, error);
    }
    source->line += byte == '\n';
    return status;
}

static void json_objects_end(objects_source *source) {
    if (source->place == IN_OBJECT) {
        (void)json_objects_fail(source, "an object is not closed: the file may be truncated", &source->fault);
    } else if (source->is_array && source->place != AT_END) {
        (void)json_objects_fail(source, "the array is not closed: the file may be truncated", &source->fault);
    }
}

static crd_status objects_read(crd_i_source *base, unsigned char *bytes, size_t capacity, size_t *got,
                               crd_error *error) {
    objects_source *source = (objects_source *)base;
    *got = 0;
    while (*got < capacity && source->fault.status == CRD_OK) {
        if (source->owed > 0 && source->place != IN_OBJECT) {
            bytes[(*got)++] = '\n';
            source->owed--;
            source->line_is_used = false;
            continue;
        }
        if (source->input_begin == source->input_end) {
            if (*got > 0) break;
            size_t count = 0;
            crd_status status = source->inner->read(source->inner, source->input, OBJECTS_ROOM, &count, error);
            if (status != CRD_OK) return status;
            if (count == 0) {
                json_objects_end(source);
                break;
            }
            source->input_begin = 0;
            source->input_end = count;
        }
        bool wrote;
        if (json_objects_pass(source, &bytes[*got], &wrote, &source->fault) != CRD_OK) break;
        *got += wrote;
    }
    return CRD_OK;
}

static crd_status objects_finish(const crd_i_source *base, crd_error *error) {
    const objects_source *source = (const objects_source *)base;
    if (source->fault.status != CRD_OK && error != NULL) *error = source->fault;
    return source->fault.status;
}

static void json_objects_begin(objects_source *source) {
    source->place = AT_BEGINNING;
    source->is_array = source->in_text = source->is_escaped = source->line_is_used = false;
    source->owed = 0;
    source->line = 1;
    source->fault.status = CRD_OK;
    source->input_begin = source->input_end = 0;
}

static crd_status objects_rewind(crd_i_source *base, crd_error *error) {
    objects_source *source = (objects_source *)base;
    crd_status status = source->inner->rewind(source->inner, error);
    if (status == CRD_OK) json_objects_begin(source);
    return status;
}

static void objects_close(crd_i_source *base) {
    crd_i_source_close(((objects_source *)base)->inner);
    crd_free(base->context, base);
}

crd_status crd_i_source_json_objects(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error) {
    *out = NULL;
    objects_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) {
        crd_i_source_close(inner);
        return crd_i_fail_memory(error);
    }
    source->base.context = context;
    source->base.read = objects_read;
    source->base.rewind = inner->rewind == NULL ? NULL : objects_rewind;
    source->base.finish = objects_finish;
    source->base.close = objects_close;
    source->base.is_decompressed = inner->is_decompressed;
    source->inner = inner;
    json_objects_begin(source);
    *out = &source->base;
    return CRD_OK;
}
