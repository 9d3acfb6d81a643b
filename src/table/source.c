/* SPDX-License-Identifier: MIT */
/* source.c - reads bytes from files, standard input, memory and callbacks, and chooses a decompressor. See source.h.
 *
 * Files are read, not mapped: a file that is cut short while it is read must be an error, not a signal.
 *
 * Contents:
 *   1. Byte sources
 *   2. Text encodings
 *   3. Unsupported text columns */
#include "table/source.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* ======== 1. Byte sources ======== */

void crd_i_source_close(crd_i_source *source) {
    if (source != NULL) source->close(source);
}

/* ---- Files ---- */

typedef struct file_source {
    crd_i_source base;
    int descriptor;
    bool is_standard_input; /* the descriptor belongs to the process and is not closed */
    bool is_regular;
    uint64_t begin; /* position when opened: a part of standard input may already be read */
    uint64_t size;  /* when opened or rewound */
    uint64_t position;
} file_source;

/* Waits until a pipe or another stream has bytes. A signal interrupts only one thread, maybe another one. So the wait
 * ends from time to time to check whether reading was canceled. */
static void await_bytes(const file_source *file) {
    enum { MILLISECONDS = 100 };
    while (!crd_i_context_cancelled(file->base.context) && !crd_i_os_await(file->descriptor, MILLISECONDS)) continue;
}

static crd_status file_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got,
                            crd_error *error) {
    file_source *file = (file_source *)source;
    *got = 0;
    int64_t count;
    do {
        if (!file->is_regular) await_bytes(file);
        if (crd_i_context_cancelled(source->context)) return crd_i_fail_cancelled(error);
        count = crd_i_os_read(file->descriptor, bytes, capacity);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return crd_i_fail_system(error, errno, "cannot be read");
    if (count == 0 && file->is_regular && file->position < file->size) {
        return crd_i_fail(error, CRD_ERROR_SYSTEM, "the file shrank while it was read: got %llu bytes, expected %llu",
                          (unsigned long long)file->position, (unsigned long long)file->size);
    }
    file->position += (uint64_t)count;
    source->taken += (uint64_t)count;
    *got = (size_t)count;
    return CRD_OK;
}

static crd_status file_seek(crd_i_source *source, uint64_t offset, crd_error *error) {
    file_source *file = (file_source *)source;
    crd_i_os_facts facts;
    uint64_t limit = file->begin + offset;
    if (!crd_i_os_seek(file->descriptor, limit) || !crd_i_os_facts_of_open(file->descriptor, &facts)) {
        return crd_i_fail_system(error, errno, offset == 0 ? "cannot be read again" : "cannot be read from the middle");
    }
    file->position = limit;
    source->taken = offset;
    file->size = facts.size;
    return CRD_OK;
}

static crd_status file_rewind(crd_i_source *source, crd_error *error) {
    return file_seek(source, 0, error);
}

static void file_close(crd_i_source *source) {
    file_source *file = (file_source *)source;
    if (!file->is_standard_input && file->descriptor >= 0) crd_i_os_close(file->descriptor);
    crd_free(source->context, file);
}

crd_status crd_i_source_open(crd_context *context, const char *path, crd_i_source **out, crd_error *error) {
    *out = NULL;
    file_source *file = crd_i_alloc_zeroed(context, 1, sizeof *file);
    if (file == NULL) return crd_i_fail_memory(error);
    file->base.context = context;
    file->base.read = file_read;
    file->base.close = file_close;
    file->is_standard_input = strcmp(path, "-") == 0;
    do {
        file->descriptor = file->is_standard_input ? CRD_I_STDIN : crd_i_os_open(path, CRD_I_OS_READ);
    } while (file->descriptor < 0 && errno == EINTR && !crd_i_context_cancelled(context));
    crd_i_os_facts facts;
    int fault = 0;
    if (file->descriptor < 0 || !crd_i_os_facts_of_open(file->descriptor, &facts)) {
        fault = errno;
    } else if (facts.kind == CRD_I_OS_FOLDER) {
        fault = EISDIR;
    }
    if (fault != 0) {
        file_close(&file->base);
        return crd_i_fail_system(error, fault, "cannot be opened");
    }
    file->is_regular = facts.kind == CRD_I_OS_FILE;
    if (file->is_regular) {
        int64_t index = crd_i_os_position(file->descriptor);
        file->begin = file->position = index < 0 ? 0 : (uint64_t)index;
        file->size = facts.size;
        file->base.rewind = file_rewind;
        file->base.seek = file_seek;
    }
    *out = &file->base;
    return CRD_OK;
}

/* ---- Memory ---- */

typedef struct memory_source {
    crd_i_source base;
    const unsigned char *bytes;
    size_t length, position;
} memory_source;

static crd_status memory_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got,
                              crd_error *error) {
    (void)error;
    memory_source *memory = (memory_source *)source;
    size_t left = memory->length - memory->position;
    *got = left < capacity ? left : capacity;
    if (*got > 0) memcpy(bytes, memory->bytes + memory->position, *got);
    memory->position += *got;
    source->taken += *got;
    return CRD_OK;
}

static crd_status memory_rewind(crd_i_source *source, crd_error *error) {
    (void)error;
    ((memory_source *)source)->position = 0;
    source->taken = 0;
    return CRD_OK;
}

static void memory_close(crd_i_source *source) {
    crd_free(source->context, source);
}

crd_status crd_i_source_memory(crd_context *context, const void *bytes, size_t length, bool can_rewind,
                               crd_i_source **out, crd_error *error) {
    *out = NULL;
    memory_source *memory = crd_i_alloc_zeroed(context, 1, sizeof *memory);
    if (memory == NULL) return crd_i_fail_memory(error);
    memory->base.context = context;
    memory->base.read = memory_read;
    memory->base.rewind = can_rewind ? memory_rewind : NULL;
    memory->base.close = memory_close;
    memory->bytes = bytes;
    memory->length = length;
    *out = &memory->base;
    return CRD_OK;
}

/* ---- Callbacks ---- */

typedef struct callback_source {
    crd_i_source base;
    crd_input_callbacks callbacks;
} callback_source;

static crd_status callback_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got,
                                crd_error *error) {
    const crd_input_callbacks *callbacks = &((callback_source *)source)->callbacks;
    *got = 0;
    if (crd_i_context_cancelled(source->context)) return crd_i_fail_cancelled(error);
    if (capacity > INT_MAX) capacity = INT_MAX;
    int64_t count = callbacks->read(callbacks->user, bytes, capacity);
    if (count < 0) {
        bool is_errno = count >= -INT_MAX && count < -1;
        return crd_i_fail_system(error, is_errno ? (int)-count : EIO, "cannot be read");
    }
    if ((uint64_t)count > capacity) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the read function returned %lld bytes, but at most %zu were requested", (long long)count,
                          capacity);
    }
    *got = (size_t)count;
    source->taken += *got;
    return CRD_OK;
}

static crd_status callback_rewind(crd_i_source *source, crd_error *error) {
    const crd_input_callbacks *callbacks = &((callback_source *)source)->callbacks;
    int fault = callbacks->rewind(callbacks->user);
    if (fault != 0) return crd_i_fail_system(error, fault > 0 ? fault : EIO, "cannot be read again");
    source->taken = 0;
    return CRD_OK;
}

static void callback_close(crd_i_source *source) {
    const crd_input_callbacks *callbacks = &((callback_source *)source)->callbacks;
    if (callbacks->close != NULL) callbacks->close(callbacks->user);
    crd_free(source->context, source);
}

crd_status crd_i_source_callbacks(crd_context *context, const crd_input_callbacks *callbacks, crd_i_source **out,
                                  crd_error *error) {
    *out = NULL;
    callback_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) {
        if (callbacks->close != NULL) callbacks->close(callbacks->user);
        return crd_i_fail_memory(error);
    }
    source->base.context = context;
    source->base.read = callback_read;
    source->base.rewind = callbacks->rewind == NULL ? NULL : callback_rewind;
    source->base.close = callback_close;
    source->callbacks = *callbacks;
    *out = &source->base;
    return CRD_OK;
}

/* ---- Decoding ---- */

/* A source whose first bytes were inspected. They are returned again before the other bytes. */
typedef struct peeked_source {
    crd_i_source base;
    crd_i_source *inner;
    size_t length, position;
    unsigned char first[];
} peeked_source;

static crd_status peeked_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got,
                              crd_error *error) {
    peeked_source *peeked = (peeked_source *)source;
    size_t left = peeked->length - peeked->position;
    if (left == 0) return peeked->inner->read(peeked->inner, bytes, capacity, got, error);
    *got = left < capacity ? left : capacity;
    memcpy(bytes, peeked->first + peeked->position, *got);
    peeked->position += *got;
    return CRD_OK;
}

static crd_status peeked_rewind(crd_i_source *source, crd_error *error) {
    peeked_source *peeked = (peeked_source *)source;
    crd_status status = peeked->inner->rewind(peeked->inner, error);
    if (status == CRD_OK) peeked->length = peeked->position = 0;
    return status;
}

static crd_status peeked_seek(crd_i_source *source, uint64_t offset, crd_error *error) {
    peeked_source *peeked = (peeked_source *)source;
    crd_status status = peeked->inner->seek(peeked->inner, offset, error);
    if (status == CRD_OK) peeked->length = peeked->position = 0;
    return status;
}

static void peeked_close(crd_i_source *source) {
    crd_i_source_close(((peeked_source *)source)->inner);
    crd_free(source->context, source);
}

/* Takes over `inner`, and reads its first bytes, or all bytes if there are fewer. */
static crd_status source_peek(crd_context *context, crd_i_source *inner, size_t wanted, peeked_source **out,
                              crd_error *error) {
    peeked_source *peeked = crd_i_alloc_zeroed(context, 1, sizeof *peeked + wanted);
    *out = NULL;
    if (peeked == NULL) {
        crd_i_source_close(inner);
        return crd_i_fail_memory(error);
    }
    peeked->base.context = context;
    peeked->base.read = peeked_read;
    peeked->base.rewind = inner->rewind == NULL ? NULL : peeked_rewind;
    peeked->base.seek = inner->seek == NULL ? NULL : peeked_seek;
    peeked->base.close = peeked_close;
    peeked->base.is_decompressed = inner->is_decompressed;
    peeked->inner = inner;
    while (peeked->length < wanted) {
        size_t got;
        crd_status status =
            peeked->inner->read(peeked->inner, peeked->first + peeked->length, wanted - peeked->length, &got, error);
        if (status != CRD_OK) {
            crd_i_source_close(&peeked->base);
            return status;
        }
        if (got == 0) break;
        peeked->length += got;
    }
    *out = peeked;
    return CRD_OK;
}

crd_status crd_i_source_peek(crd_context *context, crd_i_source *inner, size_t wanted, crd_text *first,
                             crd_i_source **out, crd_error *error) {
    peeked_source *peeked;
    *out = NULL;
    crd_status status = source_peek(context, inner, wanted, &peeked, error);
    if (status != CRD_OK) return status;
    *first = (crd_text){(const char *)peeked->first, peeked->length};
    *out = &peeked->base;
    return CRD_OK;
}

crd_status crd_i_source_decode(crd_context *context, crd_i_source *inner, const crd_i_decoder *decoders,
                               crd_i_source **out, crd_error *error) {
    *out = NULL;
    if (decoders == NULL) {
        *out = inner;
        return CRD_OK;
    }
    peeked_source *peeked;
    size_t longest = 0;
    for (const crd_i_decoder *decoder = decoders; decoder->name != NULL; decoder++) {
        if (decoder->magic_length > longest) longest = decoder->magic_length;
    }
    crd_status status = source_peek(context, inner, longest, &peeked, error);
    if (status != CRD_OK) return status;
    for (const crd_i_decoder *decoder = decoders; decoder->name != NULL; decoder++) {
        if (decoder->magic_length <= peeked->length &&
            memcmp(peeked->first, decoder->magic, decoder->magic_length) == 0) {
            status = decoder->wrap(context, &peeked->base, out, error);
            if (status == CRD_OK) (*out)->is_decompressed = true;
            return status;
        }
    }
    *out = &peeked->base;
    return CRD_OK;
}

/* ======== 2. Text encodings ========
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

/* ======== 3. Unsupported text columns ======== */

crd_status crd_i_fail_text(crd_error *error, crd_text column, const char *description) {
    char name[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "column '%s' is a text, but %s numbers and categories only",
               crd_i_quote(column, name), description);
    crd_i_error_hint(error, "ignore the column, or use the method naive");
    crd_i_error_subject(error, column);
    return CRD_ERROR_COLUMN;
}
