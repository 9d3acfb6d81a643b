/* SPDX-License-Identifier: MIT */
/* mail_hosts.c - see mail_hosts.h. */
#include "mail/mail_hosts.h"

#include "base/utf8.h"

#include <string.h>
#include <strings.h>

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
