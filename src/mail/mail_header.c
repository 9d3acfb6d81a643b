/* SPDX-License-Identifier: MIT */
/* mail_header.c - crd_mail_header: writes a decision as a header field.
 *
 * Delivery agents match the field with regular expressions, so the decision comes first and is one token. Bytes that a
 * token cannot contain are written as %XX. Encoded words (RFC 2047) are not allowed in quoted strings, and agents do
 * not decode them. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/struct_size.h"

#include <credence/mail_filter.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

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
