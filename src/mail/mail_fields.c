/* SPDX-License-Identifier: MIT */
/* mail_fields.c - the texts extracted from a message, its header fields, and the host names in headers, texts and
 * links.
 *
 * Contents:
 *   1. Texts
 *   2. Header fields
 *   3. Host names */
#include "mail/mail_internal.h"

#include "base/text.h"

#include <string.h>
#include <strings.h>

/* ======== 1. Texts ======== */

void crd_i_mail_fields_init(crd_i_mail_fields *fields, crd_context *context) {
    *fields = (crd_i_mail_fields){.has_failed = false};
    for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++) fields->texts[i].context = context;
}

void crd_i_mail_fields_clear(crd_i_mail_fields *fields) {
    for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++) crd_i_buffer_clear(&fields->texts[i]);
    fields->has_failed = false;
}

void crd_i_mail_put(crd_i_mail_fields *fields, crd_mail_field field, const void *bytes, size_t length) {
    crd_i_buffer *text = &fields->texts[field];
    if (text->capacity - text->length > length) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
        return;
    }
    if (fields->has_failed || crd_i_buffer_append(text, bytes, length)) return;
    fields->has_failed = true;
}

void crd_i_mail_put_lower(crd_i_mail_fields *fields, crd_mail_field field, const char *bytes, size_t length) {
    crd_i_buffer *text = &fields->texts[field];
    if (length == 0) return;
    unsigned char *buffer = fields->has_failed ? NULL : crd_i_buffer_room(text, length);
    if (buffer == NULL) {
        fields->has_failed = true;
        return;
    }
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        buffer[i] = byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte | 0x20) : byte;
    }
    text->length += length;
}

void crd_i_mail_separate(crd_i_mail_fields *fields, crd_mail_field field, size_t begin) {
    const crd_i_buffer *text = &fields->texts[field];
    if (text->length > begin && text->bytes[text->length - 1] != ' ') crd_i_mail_put(fields, field, " ", 1);
}

/* ======== 2. Header fields ========
 *
 * The header of a message is split into fields with names and values (RFC 5322, section 2.2). */

size_t crd_i_mail_line(crd_text text) {
    const char *end = text.length > 0 ? memchr(text.bytes, '\n', text.length) : NULL;
    return end != NULL ? (size_t)(end - text.bytes) + 1 : text.length;
}

size_t crd_i_mail_blank_line(crd_text text) {
    if (text.length > 0 && text.bytes[0] == '\n') return 1;
    return text.length > 1 && text.bytes[0] == '\r' && text.bytes[1] == '\n' ? 2 : 0;
}

size_t crd_i_mail_header_next(crd_text text, crd_i_mail_header *header) {
    size_t colon = 0;
    while (colon < text.length && text.bytes[colon] > ' ' && text.bytes[colon] <= '~' && text.bytes[colon] != ':')
        colon++;
    const size_t name = colon;
    while (colon > 0 && colon < text.length && (text.bytes[colon] == ' ' || text.bytes[colon] == '\t')) colon++;
    if (colon == 0 || colon == text.length || text.bytes[colon] != ':') return 0;
    size_t end = colon;
    do {
        end += crd_i_mail_line((crd_text){text.bytes + end, text.length - end});
    } while (end < text.length && (text.bytes[end] == ' ' || text.bytes[end] == '\t'));
    size_t stop = end;
    if (stop > colon + 1 && text.bytes[stop - 1] == '\n') stop--;
    if (stop > colon + 1 && text.bytes[stop - 1] == '\r') stop--;
    header->name = (crd_text){text.bytes, name};
    header->value = (crd_text){text.bytes + colon + 1, stop - colon - 1};
    return end;
}

bool crd_i_mail_is_named(crd_text name, const char *lower) {
    return name.length == strlen(lower) && strncasecmp(name.bytes, lower, name.length) == 0;
}

void crd_i_mime_headers_take(crd_i_mime_headers *headers, const crd_i_mail_header *header) {
    crd_text *into = NULL;
    if (header->name.length < 9 || (header->name.bytes[0] | 0x20) != 'c') return;
    if (crd_i_mail_is_named(header->name, "content-type")) into = &headers->type;
    if (crd_i_mail_is_named(header->name, "content-transfer-encoding")) into = &headers->encoding;
    if (crd_i_mail_is_named(header->name, "content-disposition")) into = &headers->disposition;
    if (into != NULL && into->bytes == NULL) *into = header->value;
}

/* ---- Structured values ---- */

static bool is_token_byte(char byte) {
    return byte > ' ' && byte <= '~' && strchr("()<>@,;:\\\"/[]?=", byte) == NULL;
}

static void header_fields_skip_blanks(crd_text *text) {
    while (text->length > 0 && strchr(" \t\r\n", text->bytes[0]) != NULL && text->bytes[0] != '\0') {
        text->bytes++;
        text->length--;
    }
}

static crd_text take_token(crd_text *text) {
    crd_text token = {text->bytes, 0};
    while (token.length < text->length && is_token_byte(text->bytes[token.length])) token.length++;
    text->bytes += token.length;
    text->length -= token.length;
    return token;
}

static bool header_fields_take_byte(crd_text *text, char byte) {
    header_fields_skip_blanks(text);
    if (text->length == 0 || text->bytes[0] != byte) return false;
    text->bytes++;
    text->length--;
    return true;
}

/* Reads a token, or a quoted string without escapes, line breaks, bytes above ASCII and encoded words. Returns false if
 * there is none. */
static bool header_fields_take_value(crd_text *text, crd_text *value) {
    header_fields_skip_blanks(text);
    if (text->length == 0 || text->bytes[0] != '"') {
        *value = take_token(text);
        return value->length > 0;
    }
    const char *end = memchr(text->bytes + 1, '"', text->length - 1);
    if (end == NULL) return false;
    *value = (crd_text){text->bytes + 1, (size_t)(end - text->bytes) - 1};
    for (size_t i = 0; i < value->length; i++) {
        const char byte = value->bytes[i];
        if (byte < ' ' || byte > '~' || byte == '\\') return false;
        if (byte == '=' && i + 1 < value->length && value->bytes[i + 1] == '?') return false;
    }
    text->length -= (size_t)(end + 1 - text->bytes);
    text->bytes = end + 1;
    return true;
}

/* Reads parameters "; name=value" up to the end of the text. A trailing semicolon is allowed. Rejects duplicates. */
static bool header_fields_take_parameters(crd_text text, crd_i_mime_type *type, bool is_disposition) {
    for (;;) {
        header_fields_skip_blanks(&text);
        if (text.length == 0) return true;
        if (!header_fields_take_byte(&text, ';')) return false;
        header_fields_skip_blanks(&text);
        if (text.length == 0) return true;
        const crd_text name = take_token(&text);
        crd_text value;
        if (name.length == 0 || memchr(name.bytes, '*', name.length) != NULL) return false;
        if (!header_fields_take_byte(&text, '=') || !header_fields_take_value(&text, &value)) return false;
        crd_text *into = NULL;
        if (is_disposition) {
            if (crd_i_mail_is_named(name, "filename")) into = &type->name;
        } else {
            if (crd_i_mail_is_named(name, "charset")) into = &type->charset;
            if (crd_i_mail_is_named(name, "boundary")) into = &type->boundary;
            if (crd_i_mail_is_named(name, "name")) into = &type->name;
        }
        if (into != NULL && into->length > 0) return false;
        if (into != NULL) *into = value;
    }
}

bool crd_i_mime_type_parse(const crd_i_mime_headers *headers, crd_i_mime_type *type) {
    crd_text view = headers->type, name = {NULL, 0};
    *type = (crd_i_mime_type){{"text", 4}, {"plain", 5}, {NULL, 0}, {NULL, 0}, {NULL, 0}, false};
    if (view.bytes != NULL) {
        header_fields_skip_blanks(&view);
        type->type = take_token(&view);
        if (type->type.length == 0 || !header_fields_take_byte(&view, '/')) return false;
        type->subtype = take_token(&view);
        if (type->subtype.length == 0 || !header_fields_take_parameters(view, type, false)) return false;
    }
    view = headers->disposition;
    if (view.bytes == NULL) return true;
    header_fields_skip_blanks(&view);
    type->is_attachment = crd_i_mail_is_named(take_token(&view), "attachment");
    name = type->name;
    type->name = (crd_text){NULL, 0};
    if (!header_fields_take_parameters(view, type, true)) return false;
    if (type->name.length == 0) type->name = name;
    return true;
}

/* ======== 3. Host names ======== */

enum { LONGEST_HOST = 253, MOST_HOST_BYTES = 1 << 14 };

static bool mail_hosts_is_letter(unsigned char byte) {
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static bool mail_hosts_is_digit(unsigned char byte) {
    return byte >= '0' && byte <= '9';
}

/* Returns whether a host name can contain a byte: letters, digits, "-._", and bytes above ASCII, which occur in
 * internationalized names. Each element of the table holds the bits of 32 bytes. */
static bool is_host_byte(unsigned char byte) {
    static const uint32_t host_bytes[8] = {0,          0x03ff6000, 0x87fffffe, 0x07fffffe,
                                           0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
    return (host_bytes[byte >> 5] >> (byte & 31) & 1) != 0;
}

/* Returns whether the current message already has a host in this field. */
static bool field_has(const crd_i_buffer *text, size_t begin, const char *host, size_t length) {
    const char *cursor = (const char *)text->bytes + begin, *end = (const char *)text->bytes + text->length;
    while ((size_t)(end - cursor) > length) {
        const char *blank = memchr(cursor, ' ', (size_t)(end - cursor));
        if (blank == NULL) break;
        if ((size_t)(blank - cursor) == length && memcmp(cursor, host, length) == 0) return true;
        cursor = blank + 1;
    }
    return false;
}

/* Appends a host and a space, unless the message already has it. */
static void put_once(crd_i_mail_fields *fields, crd_mail_field field, size_t begin, const char *host, size_t length) {
    const crd_i_buffer *text = &fields->texts[field];
    if (text->length > begin && field_has(text, begin, host, length)) return;
    crd_i_mail_put(fields, field, host, length);
    crd_i_mail_put(fields, field, " ", 1);
}

/* Writes a host as a single word under the word boundary rules (UAX #29). These rules split at hyphens, and at periods
 * that are not between two letters or two digits, so such characters become underscores. Returns the length. */
static size_t write_word(crd_text host, char word[LONGEST_HOST]) {
    for (size_t i = 0; i < host.length; i++) {
        const unsigned char byte = (unsigned char)host.bytes[i];
        const bool is_inside = i > 0 && i + 1 < host.length;
        word[i] = (char)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
        if (byte == '-' || (byte == '.' && (!is_inside || mail_hosts_is_digit((unsigned char)host.bytes[i - 1]) !=
                                                              mail_hosts_is_digit((unsigned char)host.bytes[i + 1]))))
            word[i] = '_';
    }
    return host.length;
}

/* Appends a host and, if `with_domains`, each domain of at least two labels that contains it. */
static void put_host(crd_i_mail_fields *fields, crd_mail_field field, size_t begin, crd_text host, bool with_domains) {
    char word[LONGEST_HOST];
    while (host.length > 0 && (host.bytes[host.length - 1] == '.' || host.bytes[host.length - 1] == '-')) host.length--;
    if (host.length == 0 || host.length > LONGEST_HOST || !crd_i_utf8_is_valid(host) ||
        fields->texts[field].length - begin > MOST_HOST_BYTES)
        return;
    for (;;) {
        put_once(fields, field, begin, word, write_word(host, word));
        const char *dot = memchr(host.bytes, '.', host.length);
        if (!with_domains || dot == NULL) return;
        host.length -= (size_t)(dot + 1 - host.bytes);
        host.bytes = dot + 1;
        if (memchr(host.bytes, '.', host.length) == NULL) return;
    }
}

/* Appends the host of an authority such as "user@host:port/path", which begins at `cursor`. */
static void put_authority(crd_i_mail_fields *fields, size_t begin, const char *cursor, const char *end) {
    const char *host = cursor;
    while (cursor < end && (is_host_byte((unsigned char)*cursor) || strchr(":@%+!$&*=~", *cursor) != NULL) &&
           *cursor != '\0') {
        if (*cursor == '@') host = cursor + 1;
        cursor++;
    }
    const char *stop = host;
    while (stop < cursor && is_host_byte((unsigned char)*stop)) stop++;
    if (stop - host > 4 && strncasecmp(host, "www.", 4) == 0) host += 4;
    put_host(fields, CRD_MAIL_LINKS, begin, (crd_text){host, (size_t)(stop - host)}, false);
}

void crd_i_mail_scan_links(crd_i_mail_fields *fields, size_t begin, crd_text text) {
    const char *cursor = text.bytes, *end = text.bytes + text.length;
    while (cursor < end && fields->texts[CRD_MAIL_LINKS].length - begin <= MOST_HOST_BYTES) {
        const char *colon = memchr(cursor, ':', (size_t)(end - cursor));
        if (colon == NULL) break;
        cursor = colon + 1;
        if (end - colon < 4 || colon[1] != '/' || colon[2] != '/' || colon == text.bytes) continue;
        if (!mail_hosts_is_letter((unsigned char)colon[-1])) continue;
        put_authority(fields, begin, colon + 3, end);
        cursor = colon + 3;
    }
}

void crd_i_mail_put_link(crd_i_mail_fields *fields, size_t begin, crd_text url) {
    const char *cursor = url.bytes, *end = url.bytes + url.length;
    while (cursor < end && (*cursor == ' ' || *cursor == '\n' || *cursor == '\r' || *cursor == '\t')) cursor++;
    const char *name = cursor;
    while (cursor < end && mail_hosts_is_letter((unsigned char)*cursor)) cursor++;
    if (cursor < end && *cursor == ':') cursor++;
    if (cursor - name == 7 && strncasecmp(name, "mailto:", 7) == 0) put_authority(fields, begin, cursor, end);
    else if (end - cursor > 2 && (cursor[0] == '/' || cursor[0] == '\\') && (cursor[1] == '/' || cursor[1] == '\\'))
        put_authority(fields, begin, cursor + 2, end);
}

/* Hosts are runs of host bytes with a period whose last label begins with a letter. Mail addresses, as in "for
 * <somebody@host>", and version numbers of programs are skipped. */
void crd_i_mail_put_received(crd_i_mail_fields *fields, size_t begin, crd_text value) {
    const char *cursor = value.bytes, *end = value.bytes + value.length;
    const char *date = memchr(cursor, ';', value.length);
    if (date != NULL) end = date;
    while (cursor < end) {
        const char *start = cursor;
        while (cursor < end && is_host_byte((unsigned char)*cursor)) cursor++;
        if (cursor == start) {
            cursor++;
            continue;
        }
        const char *last = cursor;
        while (last > start && last[-1] != '.') last--;
        const bool is_mailbox = (start > value.bytes && start[-1] == '@') || (cursor < end && *cursor == '@');
        if (last == start || last == cursor || is_mailbox) continue;
        const crd_text host = {start, (size_t)(cursor - start)};
        if (mail_hosts_is_letter((unsigned char)*last)) put_host(fields, CRD_MAIL_RECEIVED, begin, host, true);
    }
}
