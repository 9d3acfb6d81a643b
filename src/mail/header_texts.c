/* SPDX-License-Identifier: MIT */
/* header_texts.c - converts headers to texts. Each word of a header becomes a term that is distinct from the same word
 * in another header: it is joined to the header's name by an underscore. No word boundary rule splits at an underscore
 * (UAX #29, ExtendNumLet). From values that are practically unique, such as message ids and dates, only the parts that
 * messages share are used.
 *
 * Contents:
 *   1. Header values
 *   2. Headers */
#include "mail/mail_internal.h"

#include "base/buffer.h"

#include <string.h>
#include <strings.h>

/* ======== 1. Header values ========
 *
 * Values are unfolded, and encoded words (RFC 2047) are decoded. */

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

/* Appends a header value to *out as UTF-8, without line breaks and leading whitespace. Encoded words in plain charsets
 * are decoded here, and all others by GMime. Without GMime, the latter stay encoded. Both `scratch` buffers are
 * overwritten. Returns false if memory runs out. */
static bool header_value_decode(crd_text value, bool always_gmime, crd_i_buffer scratch[2], crd_i_buffer *out) {
    bool has_failed = false;
    scratch[0].length = scratch[1].length = 0;
    if (!encoded_words_unfold(value, &scratch[0])) return false;
    const crd_text line = {(const char *)scratch[0].bytes, scratch[0].length};
    if (find_mark(line.bytes, line.bytes + line.length) == NULL) return crd_i_text_decode(line, out);
    if (!always_gmime && decode_line(line, &scratch[1], &has_failed))
        return crd_i_text_decode((crd_text){(const char *)scratch[1].bytes, scratch[1].length}, out);
    return !has_failed && crd_i_gmime_decode_words(&scratch[0], out);
}

/* ======== 2. Headers ======== */

enum { LONGEST_WORD = 40, LONGEST_NAME = 32, MOST_WORDS = 200 };

/* How the value of a header becomes terms. */
typedef enum header_rule {
    RULE_WORDS,  /* all words */
    RULE_TEXT,   /* a separate text column */
    RULE_HOSTS,  /* host names */
    RULE_IDS,    /* words after an '@': the hosts of message ids */
    RULE_ZONE,   /* time zone of a date */
    RULE_TYPE,   /* words, except for the boundary parameter */
    RULE_DOMAIN, /* the domain of a signature, d=... */
    RULE_NAME,   /* only the name of the header, because its value is unique */
    /* nothing: the header was added on delivery, by a filter or by a mail store, and shows where a message was stored
     * instead of what it is */
    RULE_NOTHING
} header_rule;

/* The first matching rule applies. Other headers have RULE_WORDS. */
static const struct {
    const char *name; /* lower case; a star at the beginning or end matches any bytes */
    header_rule rule;
    crd_mail_field field;
} rules[] = {
    {"from", RULE_TEXT, CRD_MAIL_FROM},
    {"subject", RULE_TEXT, CRD_MAIL_SUBJECT},
    {"received", RULE_HOSTS, CRD_MAIL_RECEIVED},
    {"date", RULE_ZONE, CRD_MAIL_HEADERS},
    {"delivery-date", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"delivered-date", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-delivery-date", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-received-date", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-mdarrival-date", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"*-date", RULE_ZONE, CRD_MAIL_HEADERS},
    {"message-id", RULE_IDS, CRD_MAIL_HEADERS},
    {"in-reply-to", RULE_IDS, CRD_MAIL_HEADERS},
    {"references", RULE_IDS, CRD_MAIL_HEADERS},
    {"content-type", RULE_TYPE, CRD_MAIL_HEADERS},
    {"dkim-signature", RULE_DOMAIN, CRD_MAIL_HEADERS},
    {"domainkey-signature", RULE_DOMAIN, CRD_MAIL_HEADERS},
    {"x-google-dkim-signature", RULE_DOMAIN, CRD_MAIL_HEADERS},
    {"arc-message-signature", RULE_DOMAIN, CRD_MAIL_HEADERS},
    {"arc-seal", RULE_DOMAIN, CRD_MAIL_HEADERS},
    {"thread-index", RULE_NAME, CRD_MAIL_HEADERS},
    {"x-originalarrivaltime", RULE_NAME, CRD_MAIL_HEADERS},
    {"return-path", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"delivered-to", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-delivered-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-delivery-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-original-to", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-original-delivered-to", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-resolved-to", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-real-to", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-rcpt-to", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-apparently-to", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-forwarded-to", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-forwarded-for", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"envelope-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-envelope-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-received", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-sieve*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-cyrus-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-dovecot-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-getmail-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-fetchmail*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-tuid", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-account-key", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-kmail-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-gnus-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-from-line", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"xref", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"status", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-status", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-keywords", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-uid*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-imap*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-mozilla-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"content-length", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"lines", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-credence*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-spam*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-bogosity", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-ham-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-dspam-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-crm114-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-popfile-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-rspam*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-barracuda-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-amavis-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-mailscanner*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-virus-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-antivirus*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-greylist*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-quarantine*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-proofpoint-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-ironport-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-forefront-antispam-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-microsoft-antispam*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-exchange-antispam-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-ms-exchange-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-gmail-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-gm-*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-folder", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-evolution*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-label*", RULE_NOTHING, CRD_MAIL_HEADERS},
};

/* Returns whether a header name matches the pattern of a rule, ignoring case. */
static bool header_texts_has_name(crd_text name, const char *pattern) {
    const size_t length = strlen(pattern);
    if (pattern[0] == '*')
        return name.length >= length - 1 &&
               strncasecmp(name.bytes + name.length - (length - 1), pattern + 1, length - 1) == 0;
    if ((name.bytes[0] | 0x20) != pattern[0]) return false;
    if (pattern[length - 1] == '*')
        return name.length >= length - 1 && strncasecmp(name.bytes, pattern, length - 1) == 0;
    return name.length == length && strncasecmp(name.bytes, pattern, length) == 0;
}

static size_t header_texts_find_rule(crd_text name) {
    for (size_t i = 0; name.length > 0 && i < sizeof rules / sizeof *rules; i++)
        if (header_texts_has_name(name, rules[i].name)) return i;
    return CRD_NONE;
}

/* ---- Words ---- */

/* The header name as a prefix of its words: its letters and digits, in lower case, and an underscore. */
typedef struct word_prefix {
    char bytes[LONGEST_NAME + 1];
    size_t length;
} word_prefix;

static bool is_word_byte(char byte) {
    return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || (byte >= '0' && byte <= '9') ||
           (unsigned char)byte >= 0x80;
}

static bool header_texts_is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static word_prefix prefix_of(crd_text name) {
    word_prefix prefix = {"", 0};
    for (size_t i = 0; i < name.length && prefix.length < LONGEST_NAME; i++) {
        if (!is_word_byte(name.bytes[i])) continue;
        const char byte = name.bytes[i];
        prefix.bytes[prefix.length++] = (char)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
    }
    prefix.bytes[prefix.length] = '_';
    return prefix;
}

/* Appends a word with its prefix to the field of headers. */
static void header_texts_put_word(crd_i_mail_parser *parser, const word_prefix *prefix, const char *word,
                                  size_t length) {
    crd_i_mail_fields *fields = parser->fields;
    crd_i_mail_put(fields, CRD_MAIL_HEADERS, prefix->bytes, prefix->length + 1);
    crd_i_mail_put_lower(fields, CRD_MAIL_HEADERS, word, length);
    crd_i_mail_put(fields, CRD_MAIL_HEADERS, " ", 1);
}

/* Returns whether a value contains a time of day, such as 10:08, and therefore perhaps a date. */
static bool has_time(const char *cursor, const char *end) {
    for (; end - cursor >= 5; cursor++)
        if (cursor[2] == ':' && header_texts_is_digit(cursor[0]) && header_texts_is_digit(cursor[1]) &&
            header_texts_is_digit(cursor[3]) && header_texts_is_digit(cursor[4]))
            return true;
    return false;
}

/* Returns whether a word is a number or the name of a month or a day of the week. */
static bool is_date_word(const char *word, size_t length) {
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdecmontuewedthufrisatsun";
    size_t digits = 0;
    while (digits < length && header_texts_is_digit(word[digits])) digits++;
    if (digits == length) return true;
    for (const char *name = names; length == 3 && *name != '\0'; name += 3)
        if (strncasecmp(word, name, 3) == 0) return true;
    return false;
}

/* Appends the words of a value: runs of letters and digits. A period between two letters or two digits belongs to a
 * word, as in hosts and version numbers. If `is_id`, only words after an '@' are appended. Dates are skipped: they show
 * when a message was sent, and training messages of different classes are often collected at different times. */
static void put_words(crd_i_mail_parser *parser, const word_prefix *prefix, const char *cursor, const char *end,
                      bool is_id) {
    const bool is_dated = has_time(cursor, end);
    bool is_taken = !is_id;
    for (size_t words = 0; cursor < end && words < MOST_WORDS;) {
        const char *start = cursor;
        while (cursor < end && (is_word_byte(*cursor) ||
                                (*cursor == '.' && cursor > start && end - cursor > 1 && is_word_byte(cursor[1]) &&
                                 header_texts_is_digit(cursor[-1]) == header_texts_is_digit(cursor[1]))))
            cursor++;
        const size_t length = (size_t)(cursor - start);
        if (is_taken && length > 0 && length <= LONGEST_WORD && !(is_dated && is_date_word(start, length))) {
            header_texts_put_word(parser, prefix, start, length);
            words++;
        }
        if (cursor < end && is_id) is_taken = *cursor == '@' || (is_taken && *cursor == '-');
        if (length == 0) cursor++;
    }
}

/* Returns whether a word is a time zone: +0200, or letters such as GMT. */
static bool is_zone(const char *word, size_t length) {
    const bool is_offset = length == 5 && (*word == '+' || *word == '-');
    size_t i = is_offset ? 1 : 0;
    while (i < length &&
           (is_offset ? header_texts_is_digit(word[i]) : is_word_byte(word[i]) && !header_texts_is_digit(word[i])))
        i++;
    return length > 0 && length <= 5 && i == length && !is_date_word(word, length);
}

/* Appends the time zone of a date. For example, "Mon, 16 Nov 2026 08:00:00 +0200 (CEST)" gives "p0200", and letters
 * such as "GMT" are unchanged. If the date has no zone, its last word is the year, and nothing is appended. */
static void put_zone(crd_i_mail_parser *parser, const word_prefix *prefix, const char *cursor, const char *end) {
    const char *comment = memchr(cursor, '(', (size_t)(end - cursor));
    if (comment != NULL) end = comment;
    while (end > cursor && end[-1] == ' ') end--;
    const char *zone = end;
    while (zone > cursor && zone[-1] != ' ') zone--;
    const size_t length = (size_t)(end - zone);
    if (!is_zone(zone, length)) return;
    char word[8] = {*zone == '-' ? 'm' : 'p'};
    if (*zone != '+' && *zone != '-') {
        header_texts_put_word(parser, prefix, zone, length);
        return;
    }
    memcpy(word + 1, zone + 1, length - 1);
    header_texts_put_word(parser, prefix, word, length);
}

/* Appends the domain that signed a message: the tag "d=" in a list of tags (RFC 6376). All other tags are unique or
 * times. */
static void put_domain(crd_i_mail_parser *parser, const word_prefix *prefix, const char *cursor, const char *end) {
    while (cursor < end) {
        while (cursor < end && (*cursor == ' ' || *cursor == ';')) cursor++;
        const char *tag = cursor;
        while (cursor < end && *cursor != ';') cursor++;
        if (cursor - tag > 2 && (*tag | 0x20) == 'd' && (tag[1] == '=' || tag[1] == ' '))
            put_words(parser, prefix, tag + 1, cursor, false);
    }
}

/* Returns whether a mail filter wrote the value, under a name that the user chose: see crd_mail_header. */
static bool is_decision(const char *cursor, const char *end) {
    static const char parameter[] = "; probability=";
    const size_t length = sizeof parameter - 1;
    for (; (size_t)(end - cursor) > length; cursor++)
        if (*cursor == ';' && memcmp(cursor, parameter, length) == 0) return header_texts_is_digit(cursor[length]);
    return false;
}

/* Appends the header's name and, depending on the rule, the terms of its value. */
static void put_other(crd_i_mail_parser *parser, crd_text name, header_rule rule, const char *cursor, const char *end) {
    const word_prefix prefix = prefix_of(name);
    if (prefix.length == 0 || (rule == RULE_WORDS && is_decision(cursor, end))) return;
    crd_i_mail_put(parser->fields, CRD_MAIL_HEADERS, prefix.bytes, prefix.length);
    crd_i_mail_put(parser->fields, CRD_MAIL_HEADERS, " ", 1);
    if (rule == RULE_ZONE) {
        put_zone(parser, &prefix, cursor, end);
        return;
    }
    if (rule == RULE_DOMAIN) put_domain(parser, &prefix, cursor, end);
    if (rule == RULE_DOMAIN || rule == RULE_NAME) return;
    if (rule == RULE_TYPE)
        for (const char *match = cursor; end - match > 9; match++)
            if ((*match | 0x20) == 'b' && strncasecmp(match, "boundary=", 9) == 0) end = match;
    put_words(parser, &prefix, cursor, end, rule == RULE_IDS);
}

void crd_i_header_texts_add(crd_i_mail_parser *parser, const crd_i_mail_header *header) {
    const size_t index = header_texts_find_rule(header->name);
    const header_rule rule = index != CRD_NONE ? rules[index].rule : RULE_WORDS;
    crd_i_mail_fields *fields = parser->fields;
    crd_text value = header->value;
    if (value.length > CRD_I_MAIL_MOST_VALUE) value.length = CRD_I_MAIL_MOST_VALUE;
    if (rule == RULE_NOTHING || fields->has_failed) return;
    if (rule == RULE_HOSTS) {
        crd_i_mail_put_received(fields, parser->begin[CRD_MAIL_RECEIVED], value);
        return;
    }
    const bool is_text = rule == RULE_TEXT;
    crd_i_buffer *out = is_text ? &fields->texts[rules[index].field] : &parser->value;
    if (is_text) crd_i_mail_separate(fields, rules[index].field, parser->begin[rules[index].field]);
    else out->length = 0;
    if (fields->has_failed || !header_value_decode(value, parser->always_gmime, parser->scratch, out)) {
        fields->has_failed = true;
        return;
    }
    if (!is_text && out->length > 0)
        put_other(parser, header->name, rule, (const char *)out->bytes, (const char *)out->bytes + out->length);
}
