/* SPDX-License-Identifier: MIT */
/* mail_pass.c - copies a message with one header field added, and without existing fields of the same name, and writes
 * the field for a decision.
 *
 * The first bytes are held back until it is clear how lines end and whether there is a header. After that, the bytes of
 * the header pass through an automaton. It holds back only the beginning of a line that may be a field to remove. The
 * body is written unchanged. Some delivery agents treat a lone carriage return as a line break, so a field after a lone
 * carriage return is also removed. In this case the end of the field remains, because it ends the enclosing line.
 *
 * Contents:
 *   1. Held-back bytes
 *   2. Header automaton
 *   3. Messages
 *   4. Decision header */
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"

#include <credence/mail_filter.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Held-back bytes ======== */

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

/* ---- Position of the field ---- */

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

/* ======== 2. Header automaton ======== */

/* Writes the bytes that are held back. */
static crd_status mail_pass_release(crd_mail_pass *pass, crd_error *error) {
    const size_t held = pass->held;
    pass->held = 0;
    return mail_pass_put(pass, pass->holds, held, error);
}

/* The fate of one byte of the header. */
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

/* ======== 3. Messages ======== */

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

/* ======== 4. Decision header ========
 *
 * crd_mail_header writes a decision as a header field.
 *
 * Delivery agents match the field with regular expressions, so the decision comes first and is one token. Bytes that a
 * token cannot contain are written as %XX. Encoded words (RFC 2047) are not allowed in quoted strings, and agents do
 * not decode them. */

enum {
    LINE_WIDTH = 78,  /* recommended by RFC 5322; its limit is 998 */
    MOST_CLASS = 700, /* keeps a line with two class names within the limit */
    MOST_TERM = 180,
    MOST_REASONS = 20
};

static bool mail_header_add(crd_i_buffer *out, const char *text) {
    return crd_i_buffer_append(out, text, strlen(text));
}

static bool is_token(unsigned char byte) {
    return byte > ' ' && byte < 0x7F && strchr("()<>@,;:\\\"/[]?=%", byte) == NULL;
}

/* Returns whether a byte of a term is written unchanged. A space is, if it is between other characters. Otherwise a
 * line could consist only of spaces, which would look like the end of the header. */
static bool is_plain_in_term(crd_text text, size_t index) {
    const unsigned char byte = (unsigned char)text.bytes[index];
    if (byte == ' ')
        return index > 0 && index + 1 < text.length && text.bytes[index - 1] != ' ' && text.bytes[index + 1] != ' ';
    return byte > ' ' && byte < 0x7F && strchr("(),\"\\%", byte) == NULL;
}

/* Appends a text, truncated to about `most` characters. A UTF-8 character is never split. */
static bool add_encoded(crd_i_buffer *out, crd_text text, bool is_term, size_t most) {
    static const char digits[] = "0123456789ABCDEF";
    size_t used = 0;
    for (size_t i = 0; i < text.length; i++) {
        const unsigned char byte = (unsigned char)text.bytes[i];
        const bool is_plain = is_term ? is_plain_in_term(text, i) : is_token(byte);
        /* A UTF-8 character may have three more bytes, which follow its first byte, so space for all of them is
         * needed. */
        if ((byte & 0xC0) != 0x80 && used + 12 > most) return mail_header_add(out, "...");
        if (used + 3 > most) return mail_header_add(out, "...");
        const char encoded[] = {'%', digits[byte >> 4], digits[byte & 15]};
        if (!crd_i_buffer_append(out, is_plain ? &text.bytes[i] : encoded, is_plain ? 1 : sizeof encoded)) return false;
        used += is_plain ? 1 : sizeof encoded;
    }
    return true;
}

/* Appends scaled / 10^decimals with a decimal point in every locale. */
static bool add_decimal(crd_i_buffer *out, uint64_t scaled, unsigned decimals) {
    char digits[32], text[40];
    snprintf(digits, sizeof digits, "%0*llu", (int)decimals + 1, (unsigned long long)scaled);
    const int whole = (int)(strlen(digits) - decimals);
    snprintf(text, sizeof text, "%.*s.%s", whole, digits, digits + whole);
    return mail_header_add(out, text);
}

/* Appends a probability with four decimals, or with as many as are needed to distinguish it from 0 and 1. */
static bool add_probability(crd_i_buffer *out, double probability) {
    enum { LEAST = 4, MOST = 15 };
    double scale = 1e4;
    unsigned decimals = LEAST;
    uint64_t scaled = (uint64_t)(probability * scale + 0.5);
    while (decimals < MOST && ((scaled == 0 && probability > 0) || (scaled == (uint64_t)scale && probability < 1))) {
        scale *= 10;
        decimals++;
        scaled = (uint64_t)(probability * scale + 0.5);
    }
    return add_decimal(out, scaled, decimals);
}

/* Appends a weight with its sign and one decimal. */
static bool mail_header_add_weight(crd_i_buffer *out, double weight) {
    const double size = fabs(weight);
    if (isnan(weight)) return mail_header_add(out, "?");
    if (!mail_header_add(out, weight < 0 && size >= 0.05 ? "-" : "+")) return false;
    return size > 1e15 ? mail_header_add(out, "inf") : add_decimal(out, (uint64_t)(size * 10 + 0.5), 1);
}

/* Appends the reasons of a decision: terms, their columns and weights. */
static bool add_reasons(crd_i_buffer *out, const crd_mail_decision *decision) {
    const size_t count = decision->reason_count < MOST_REASONS ? decision->reason_count : MOST_REASONS;
    bool done = count == 0 || mail_header_add(out, "; reasons=\"");
    for (size_t i = 0; done && i < count; i++) {
        const crd_mail_reason *reason = &decision->reasons[i];
        done = (i == 0 || mail_header_add(out, ", ")) && add_encoded(out, reason->term, true, MOST_TERM);
        if (done && reason->column.bytes != NULL)
            done = mail_header_add(out, " (") && add_encoded(out, reason->column, true, MOST_TERM) &&
                   mail_header_add(out, ")");
        done = done && mail_header_add(out, " ") && mail_header_add_weight(out, reason->weight);
    }
    return done && (count == 0 || mail_header_add(out, "\""));
}

static const char DEFAULT_NAME[] = "X-Credence";

int crd_mail_is_field_name(crd_text name) {
    if (name.length < 3 || name.length > CRD_MAIL_MAX_FIELD_NAME) return 0;
    if ((name.bytes[0] | 0x20) != 'x' || name.bytes[1] != '-') return 0;
    for (size_t i = 0; i < name.length; i++)
        if (name.bytes[i] <= ' ' || name.bytes[i] > '~' || name.bytes[i] == ':') return 0;
    return 1;
}

static bool mail_header_add_field(crd_i_buffer *out, const crd_mail_decision *decision) {
    bool done = crd_i_buffer_append(out, decision->field_name.bytes, decision->field_name.length) &&
                mail_header_add(out, ": ") && add_encoded(out, decision->decision, false, MOST_CLASS);
    if (done && decision->top_class.bytes != NULL)
        done = mail_header_add(out, "; class=") && add_encoded(out, decision->top_class, false, MOST_CLASS);
    if (done && !isnan(decision->probability))
        done = mail_header_add(out, "; probability=") && add_probability(out, decision->probability);
    return done && add_reasons(out, decision);
}

/* Folds a field before spaces, except for the first space, so the decision stays on the first line. A line has at most
 * LINE_WIDTH characters, unless a single word is longer. Unfolding, which removes the line breaks, restores the
 * text. */
static bool mail_header_fold(const crd_i_buffer *buffer, size_t name_length, crd_i_buffer *out) {
    const char *text = (const char *)buffer->bytes;
    size_t line = 0;
    for (size_t index = 0; index < buffer->length;) {
        size_t end = index + 1;
        while (end < buffer->length && text[end] != ' ') end++;
        const bool folds = line > name_length + 2 && line + (end - index) > LINE_WIDTH;
        if (folds && !mail_header_add(out, "\n")) return false;
        if (!crd_i_buffer_append(out, text + index, end - index)) return false;
        line = (folds ? 0 : line) + (end - index);
        index = end;
    }
    return mail_header_add(out, "\n");
}

crd_status crd_mail_header(crd_context *context, const crd_mail_decision *decision, char **out, size_t *length,
                           crd_error *error) {
    crd_mail_decision read = CRD_MAIL_DECISION_INIT;
    crd_i_buffer field = {.context = context}, folded = {.context = context};
    *out = NULL;
    *length = 0;
    if (!crd_i_copy_in(decision, &read, sizeof read))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the crd_mail_decision is not initialized");
    if (read.decision.bytes == NULL || read.decision.length == 0)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing decision for the header");
    if (!isnan(read.probability) && !(read.probability >= 0 && read.probability <= 1))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the probability must be between 0 and 1");
    if (read.field_name.bytes == NULL) read.field_name = crd_text_of(DEFAULT_NAME);
    if (!crd_mail_is_field_name(read.field_name))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the name of the header field must begin with X-");
    const bool done = mail_header_add_field(&field, &read) && mail_header_fold(&field, read.field_name.length, &folded);
    crd_i_buffer_clear(&field);
    if (!done) {
        crd_i_buffer_clear(&folded);
        return crd_i_fail_memory(error);
    }
    *out = (char *)folded.bytes;
    *length = folded.length;
    return CRD_OK;
}
