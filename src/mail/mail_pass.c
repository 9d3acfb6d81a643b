/* SPDX-License-Identifier: MIT */
/* mail_pass.c - crd_mail_pass: copies a message with one header field added, and without existing fields of the same
 * name.
 *
 * The first bytes are held back until it is clear how lines end and whether there is a header. After that, the bytes of
 * the header pass through an automaton. It holds back only the beginning of a line that may be a field to remove. The
 * body is written unchanged. Some delivery agents treat a lone carriage return as a line break, so a field after a lone
 * carriage return is also removed. In this case the end of the field remains, because it ends the enclosing line. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <credence/mail_filter.h>

#include <stdbool.h>
#include <string.h>

enum {
    BEGINNING = 64 * 1024, /* most bytes held back while looking for the end of the first line */
    MOST_HELD = 1024,      /* most bytes held back in the header; a line has at most 998 characters */
    MOST_NAME = CRD_MAIL_MAX_FIELD_NAME
};

/* States of the automaton. */
typedef enum place {
    LINE_BEGINS,
    LINE_BEGINS_CR, /* after a carriage return at the beginning of a line, which is held back */
    IN_NAME,        /* the line so far, which is held back, is the beginning of the name */
    BEHIND_NAME,    /* after the name and whitespace, which are held back */
    BEHIND_LINE,    /* after the name, whitespace and a line break; a folded line makes it a field */
    /* in a field that remains */
    IN_FIELD,
    AFTER_RETURN,     /* in a field that remains, after a carriage return, which is held back */
    IN_REMOVED,       /* in a removed field, up to the line feed */
    IN_REMOVED_INNER, /* in a field after a lone carriage return, which is removed up to the next line break */
    IN_BODY
} place;

struct crd_mail_pass {
    crd_context *context;
    crd_mail_write write;
    void *user;
    crd_text header; /* owned; `bytes` is NULL if the message is not changed */
    /* the envelope and the new field have been written */
    bool has_begun;
    bool removes; /* the previous line belongs to a removed field, so its folded lines are removed too */
    place place;
    bool is_inner;            /* the name that is being read follows a lone carriage return */
    char name[MOST_NAME + 1]; /* name of the fields to remove, in lower case */
    size_t name_length;       /* bytes of the name that have been matched */
    /* number of bytes in `holds` */
    size_t held;
    unsigned char holds[MOST_HELD];
    /* number of bytes in `beginning` */
    size_t begun_length;
    unsigned char beginning[BEGINNING];
};

/* Passes bytes to the caller's function. */
static crd_status mail_pass_put(const crd_mail_pass *pass, const void *bytes, size_t length, crd_error *error) {
    if (length == 0) return CRD_OK;
    const int why = pass->write(pass->user, bytes, length);
    return why == 0 ? CRD_OK : crd_i_fail_system(error, why, "the message cannot be written");
}

/* ---- Where the field goes ---- */

/* Returns the index after the line feed that ends the line at `first`, or `length` if the line has no end. */
static size_t line_end(const unsigned char *bytes, size_t first, size_t length) {
    const unsigned char *end = first < length ? memchr(bytes + first, '\n', length - first) : NULL;
    return end == NULL ? length : (size_t)(end - bytes) + 1;
}

static bool mail_pass_begins(const unsigned char *bytes, size_t first, size_t length, const char *with) {
    const size_t count = strlen(with);
    return length - first >= count && memcmp(bytes + first, with, count) == 0;
}

/* Returns whether a line begins a header: it is a field, or the empty line after a header without fields. */
static bool begins_header(const unsigned char *bytes, size_t first, size_t length) {
    size_t index = first;
    if (index < length && bytes[index] == '\r') index++;
    if (index < length && bytes[index] == '\n') return true;
    for (index = first; index < length && bytes[index] > ' ' && bytes[index] < 0x7F && bytes[index] != ':';) index++;
    if (index == first) return false;
    while (index < length && (bytes[index] == ' ' || bytes[index] == '\t')) index++;
    return index < length && bytes[index] == ':';
}

/* Returns the length of the envelope lines that mbox files and delivery agents write before the header. A line without
 * an end is not an envelope line, unless these bytes are the whole message. */
static size_t envelope_length(const unsigned char *bytes, size_t length, bool is_whole) {
    size_t end = 0;
    while (end < length && !begins_header(bytes, end, length) &&
           (mail_pass_begins(bytes, end, length, ">From ") ||
            (end == 0 && mail_pass_begins(bytes, end, length, "From ")))) {
        const size_t next = line_end(bytes, end, length);
        if (!is_whole && bytes[next - 1] != '\n') break;
        end = next;
    }
    return end;
}

static bool ends_with_crlf(const unsigned char *bytes, size_t end) {
    return end >= 2 && bytes[end - 1] == '\n' && bytes[end - 2] == '\r';
}

/* Writes the new field with the line breaks of the message. */
static crd_status put_header(const crd_mail_pass *pass, bool has_crlf, crd_error *error) {
    crd_status status = CRD_OK;
    const unsigned char *text = (const unsigned char *)pass->header.bytes;
    for (size_t index = 0, end; index < pass->header.length && status == CRD_OK; index = end) {
        end = line_end(text, index, pass->header.length);
        status = mail_pass_put(pass, text + index, end - index - 1, error);
        if (status == CRD_OK) status = mail_pass_put(pass, has_crlf ? "\r\n" : "\n", has_crlf ? 2 : 1, error);
    }
    return status;
}

/* ---- The header ---- */

/* Writes the bytes that are held back. */
static crd_status mail_pass_release(crd_mail_pass *pass, crd_error *error) {
    const size_t held = pass->held;
    pass->held = 0;
    return mail_pass_put(pass, pass->holds, held, error);
}

/* What happens to one byte of the header. */
typedef enum pass_fate {
    WRITTEN,
    HELD,
    REMOVED,
    RELEASED /* the bytes held back are written, and the byte is examined again */
} pass_fate;

static unsigned char mail_pass_lower(unsigned char byte) {
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* Starts matching the name if `byte` is its first letter. Returns whether it is. */
static bool begin_name(crd_mail_pass *pass, unsigned char byte, bool is_inner) {
    if (mail_pass_lower(byte) != (unsigned char)pass->name[0]) return false;
    pass->name_length = 1;
    pass->is_inner = is_inner;
    pass->place = pass->name[1] == '\0' ? BEHIND_NAME : IN_NAME;
    return true;
}

/* Handles a byte at the beginning of a line. */
static pass_fate step_line(crd_mail_pass *pass, unsigned char byte) {
    const bool is_folded = byte == ' ' || byte == '\t';
    pass->removes = pass->removes && is_folded;
    if (pass->removes) {
        pass->place = IN_REMOVED;
        return REMOVED;
    }
    if (begin_name(pass, byte, false)) return HELD;
    if (byte == '\r') pass->place = LINE_BEGINS_CR;
    else {
        pass->place = byte == '\n' ? IN_BODY : IN_FIELD;
        return WRITTEN;
    }
    return HELD;
}

static pass_fate step_name(crd_mail_pass *pass, unsigned char byte) {
    if (mail_pass_lower(byte) != (unsigned char)pass->name[pass->name_length]) {
        pass->place = IN_FIELD;
        return RELEASED;
    }
    if (pass->name[++pass->name_length] == '\0') pass->place = BEHIND_NAME;
    return HELD;
}

/* Handles a byte after the name of a field to remove. A colon completes the field. */
static pass_fate step_behind_name(crd_mail_pass *pass, unsigned char byte) {
    if (byte == ':' || pass->held == MOST_HELD) {
        pass->held = 0;
        pass->removes = !pass->is_inner;
        pass->place = pass->is_inner ? IN_REMOVED_INNER : IN_REMOVED;
        return REMOVED;
    }
    if (byte == ' ' || byte == '\t' || byte == '\r') return HELD;
    const bool is_after_return = pass->holds[pass->held - 1] == '\r';
    pass->place = byte == '\n' ? BEHIND_LINE : is_after_return ? AFTER_RETURN : IN_FIELD;
    return byte == '\n' ? HELD : RELEASED;
}

/* Handles the first byte after a line that has only the name. If the line is folded, both lines are a field. */
static pass_fate step_behind_line(crd_mail_pass *pass, unsigned char byte) {
    const bool is_field = byte == ' ' || byte == '\t';
    pass->removes = is_field && !pass->is_inner;
    pass->place = is_field && pass->is_inner ? IN_REMOVED_INNER : LINE_BEGINS;
    if (is_field) pass->held = 0;
    return RELEASED;
}

/* Handles one byte of the message, and returns what happens to it. */
static pass_fate mail_pass_step(crd_mail_pass *pass, unsigned char byte) {
    switch (pass->place) {
    case LINE_BEGINS: return step_line(pass, byte);
    case LINE_BEGINS_CR:
        if (begin_name(pass, byte, false)) return HELD;
        pass->place = byte == '\n' ? IN_BODY : IN_FIELD;
        return RELEASED;
    case IN_NAME: return step_name(pass, byte);
    case BEHIND_NAME: return step_behind_name(pass, byte);
    case BEHIND_LINE: return step_behind_line(pass, byte);
    case IN_FIELD:
        if (byte == '\n') pass->place = LINE_BEGINS;
        if (byte == '\r') pass->place = AFTER_RETURN;
        return byte == '\r' ? HELD : WRITTEN;
    case AFTER_RETURN:
        if (begin_name(pass, byte, true)) return HELD;
        pass->place = IN_FIELD;
        return RELEASED;
    case IN_REMOVED:
        if (byte == '\n') pass->place = LINE_BEGINS;
        return REMOVED;
    case IN_REMOVED_INNER:
        if (byte != '\n' && byte != '\r') return REMOVED;
        pass->place = IN_FIELD;
        return RELEASED;
    case IN_BODY: break;
    }
    return WRITTEN;
}

/* Writes or holds back bytes of the message. Consecutive bytes that are written are passed on together. */
static crd_status pass_bytes(crd_mail_pass *pass, const unsigned char *bytes, size_t length, crd_error *error) {
    size_t first = 0;
    crd_status status = CRD_OK;
    for (size_t i = 0; i < length && pass->place != IN_BODY && status == CRD_OK;) {
        const pass_fate fate = mail_pass_step(pass, bytes[i]);
        if (fate == WRITTEN) {
            i++;
            continue;
        }
        status = mail_pass_put(pass, bytes + first, i - first, error);
        first = i;
        if (fate == RELEASED) {
            if (status == CRD_OK) status = mail_pass_release(pass, error);
            continue;
        }
        if (fate == HELD) pass->holds[pass->held++] = bytes[i];
        first = ++i;
    }
    return status == CRD_OK ? mail_pass_put(pass, bytes + first, length - first, error) : status;
}

/* ---- The message ---- */

/* Writes the envelope, the new field and the bytes held back at the beginning. A message without a header gets an empty
 * line after the new field. */
static crd_status mail_pass_begin(crd_mail_pass *pass, crd_error *error) {
    const unsigned char *bytes = pass->beginning;
    const size_t length = pass->begun_length, envelope = envelope_length(bytes, length, length < BEGINNING);
    const size_t first_end = line_end(bytes, envelope, length);
    const bool has_crlf = ends_with_crlf(bytes, first_end > envelope ? first_end : envelope);
    const bool has_header = begins_header(bytes, envelope, length);
    const char *line = has_crlf ? "\r\n" : "\n";
    pass->has_begun = true;
    pass->place = has_header ? LINE_BEGINS : IN_BODY;
    crd_status status = mail_pass_put(pass, bytes, envelope, error);
    const bool lacks_end = envelope > 0 && bytes[envelope - 1] != '\n';
    if (status == CRD_OK && lacks_end) status = mail_pass_put(pass, line, strlen(line), error);
    if (status == CRD_OK) status = put_header(pass, has_crlf, error);
    if (status == CRD_OK && !has_header) status = mail_pass_put(pass, line, strlen(line), error);
    return status == CRD_OK ? pass_bytes(pass, bytes + envelope, length - envelope, error) : status;
}

/* Stores the name of the new header field in lower case. Returns false if it is empty or too long. */
static bool mail_pass_take_name(crd_mail_pass *pass, crd_text header) {
    const char *colon = memchr(header.bytes, ':', header.length);
    const size_t length = colon == NULL ? 0 : (size_t)(colon - header.bytes);
    if (length == 0 || length > MOST_NAME) return false;
    for (size_t i = 0; i < length; i++) pass->name[i] = (char)mail_pass_lower((unsigned char)header.bytes[i]);
    return true;
}

crd_status crd_mail_pass_create(crd_context *context, crd_text header, crd_mail_write write, void *user,
                                crd_mail_pass **out, crd_error *error) {
    *out = NULL;
    if (header.bytes != NULL && (header.length == 0 || header.bytes[header.length - 1] != '\n'))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the last line of the header field must end with a line feed");
    crd_mail_pass *pass = crd_i_alloc(context, 1, sizeof *pass);
    if (pass == NULL) return crd_i_fail_memory(error);
    /* Do not clear the large buffer `beginning`; most messages need little of it. */
    memset(pass, 0, offsetof(crd_mail_pass, beginning));
    pass->context = context;
    pass->write = write;
    pass->user = user;
    if (header.bytes == NULL) {
        pass->has_begun = true;
        pass->place = IN_BODY;
    } else {
        if (!mail_pass_take_name(pass, header)) {
            crd_mail_pass_destroy(pass);
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the header field has no name, or a name that is too long");
        }
        pass->header = crd_i_text_copy(context, header);
        if (pass->header.bytes == NULL) {
            crd_mail_pass_destroy(pass);
            return crd_i_fail_memory(error);
        }
    }
    *out = pass;
    return CRD_OK;
}

crd_status crd_mail_pass_push(crd_mail_pass *pass, const void *bytes, size_t length, crd_error *error) {
    size_t taken = 0;
    crd_status status = CRD_OK;
    if (!pass->has_begun) {
        const size_t capacity = BEGINNING - pass->begun_length;
        taken = length < capacity ? length : capacity;
        if (taken > 0) memcpy(pass->beginning + pass->begun_length, bytes, taken);
        pass->begun_length += taken;
        if (pass->begun_length < BEGINNING) return CRD_OK;
        status = mail_pass_begin(pass, error);
    }
    return status == CRD_OK ? pass_bytes(pass, (const unsigned char *)bytes + taken, length - taken, error) : status;
}

crd_status crd_mail_pass_end(crd_mail_pass *pass, crd_error *error) {
    crd_status status = pass->has_begun ? CRD_OK : mail_pass_begin(pass, error);
    return status == CRD_OK ? mail_pass_release(pass, error) : status;
}

void crd_mail_pass_destroy(crd_mail_pass *pass) {
    if (pass == NULL) return;
    crd_free(pass->context, (void *)pass->header.bytes);
    crd_free(pass->context, pass);
}
