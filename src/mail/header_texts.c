/* SPDX-License-Identifier: MIT */
/* header_texts.c - see header_texts.h.
 *
 * A word of a header is a term of its own, apart from the same word of another header: it is joined to the name by an underscore, at
 * which no rule of word boundaries splits (UAX #29, ExtendNumLet). Of values that are as good as unique, such as
 * message ids and dates, only what messages share is taken. */
#include "mail/header_texts.h"

#include "mail/encoded_words.h"
#include "mail/mail_hosts.h"

#include <string.h>
#include <strings.h>

enum { LONGEST_WORD = 40, LONGEST_NAME = 32, MOST_WORDS = 200 };

typedef enum header_rule {
    RULE_WORDS,  /* all words */
    RULE_TEXT,   /* a text of its own */
    RULE_HOSTS,  /* hosts */
    RULE_IDS,    /* words behind an '@': the hosts of ids */
    RULE_ZONE,   /* the zone of a date */
    RULE_TYPE,   /* words, without the boundary */
    RULE_NOTHING /* what filters and stores of mail add: the class of a message would follow from where it was found */
} header_rule;

static const struct {
    const char *name; /* in small letters; up to the end, unless it ends with a star */
    header_rule rule;
    crd_mail_field field;
} rules[] = {
    {"from", RULE_TEXT, CRD_MAIL_FROM},
    {"subject", RULE_TEXT, CRD_MAIL_SUBJECT},
    {"received", RULE_HOSTS, CRD_MAIL_RECEIVED},
    {"date", RULE_ZONE, CRD_MAIL_HEADERS},
    {"message-id", RULE_IDS, CRD_MAIL_HEADERS},
    {"in-reply-to", RULE_IDS, CRD_MAIL_HEADERS},
    {"references", RULE_IDS, CRD_MAIL_HEADERS},
    {"content-type", RULE_TYPE, CRD_MAIL_HEADERS},
    {"status", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-status", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-keywords", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-uid*", RULE_NOTHING, CRD_MAIL_HEADERS},
    {"x-imapbase", RULE_NOTHING, CRD_MAIL_HEADERS},
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

static size_t find_rule(crd_text name) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (name.length == 0 || (name.bytes[0] | 0x20) != rules[i].name[0]) continue;
        const size_t length = strlen(rules[i].name);
        const bool is_prefix = rules[i].name[length - 1] == '*';
        if (is_prefix ? name.length >= length - 1 && strncasecmp(name.bytes, rules[i].name, length - 1) == 0
                      : name.length == length && strncasecmp(name.bytes, rules[i].name, length) == 0)
            return i;
    }
    return CRD_NONE;
}

/* ---- Words ---- */

/* A header's name as the beginning of its words: letters and digits, in small letters. */
typedef struct word_prefix {
    char bytes[LONGEST_NAME + 1];
    size_t length;
} word_prefix;

static bool is_word_byte(char byte) {
    return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || (byte >= '0' && byte <= '9') ||
           (unsigned char)byte >= 0x80;
}

static bool is_digit(char byte) {
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

static void put_word(crd_i_mail_parser *parser, const word_prefix *prefix, const char *word, size_t length) {
    crd_i_mail_fields *fields = parser->fields;
    crd_i_mail_put(fields, CRD_MAIL_HEADERS, prefix->bytes, prefix->length + 1);
    crd_i_mail_put_lower(fields, CRD_MAIL_HEADERS, word, length);
    crd_i_mail_put(fields, CRD_MAIL_HEADERS, " ", 1);
}

/* Runs of letters and digits; a point between two letters, or two digits, is in a word, as in hosts and versions. */
static void put_words(crd_i_mail_parser *parser, const word_prefix *prefix, const char *at, const char *end,
                      bool is_id) {
    bool is_taken = !is_id;
    for (size_t words = 0; at < end && words < MOST_WORDS;) {
        const char *start = at;
        while (at < end && (is_word_byte(*at) || (*at == '.' && at > start && end - at > 1 && is_word_byte(at[1]) &&
                                                  is_digit(at[-1]) == is_digit(at[1]))))
            at++;
        const size_t length = (size_t)(at - start);
        if (is_taken && length > 0 && length <= LONGEST_WORD) {
            put_word(parser, prefix, start, length);
            words++;
        }
        if (at < end && is_id) is_taken = *at == '@' || (is_taken && *at == '-');
        if (length == 0) at++;
    }
}

/* "+0200" of "Mon, 16 Nov 2026 08:00:00 +0200 (CEST)" as "p0200", and "GMT". */
static void put_zone(crd_i_mail_parser *parser, const word_prefix *prefix, const char *at, const char *end) {
    const char *comment = memchr(at, '(', (size_t)(end - at));
    if (comment != NULL) end = comment;
    while (end > at && end[-1] == ' ') end--;
    const char *zone = end;
    while (zone > at && zone[-1] != ' ') zone--;
    if (zone == end || end - zone > 6) return;
    const char sign = *zone == '-' ? 'm' : 'p';
    char word[8] = {sign};
    if (*zone != '+' && *zone != '-') {
        put_word(parser, prefix, zone, (size_t)(end - zone));
        return;
    }
    memcpy(word + 1, zone + 1, (size_t)(end - zone) - 1);
    put_word(parser, prefix, word, (size_t)(end - zone));
}

static void put_other(crd_i_mail_parser *parser, crd_text name, header_rule rule, const char *at, const char *end) {
    const word_prefix prefix = prefix_of(name);
    if (prefix.length == 0) return;
    crd_i_mail_put(parser->fields, CRD_MAIL_HEADERS, prefix.bytes, prefix.length);
    crd_i_mail_put(parser->fields, CRD_MAIL_HEADERS, " ", 1);
    if (rule == RULE_ZONE) {
        put_zone(parser, &prefix, at, end);
        return;
    }
    if (rule == RULE_TYPE)
        for (const char *found = at; end - found > 9; found++)
            if ((*found | 0x20) == 'b' && strncasecmp(found, "boundary=", 9) == 0) end = found;
    put_words(parser, &prefix, at, end, rule == RULE_IDS);
}

void crd_i_header_texts_add(crd_i_mail_parser *parser, const crd_i_mail_header *header) {
    const size_t index = find_rule(header->name);
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
    if (fields->has_failed || !crd_i_header_value_decode(value, parser->always_gmime, parser->scratch, out)) {
        fields->has_failed = true;
        return;
    }
    if (!is_text && out->length > 0)
        put_other(parser, header->name, rule, (const char *)out->bytes, (const char *)out->bytes + out->length);
}
