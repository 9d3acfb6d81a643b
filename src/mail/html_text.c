/* SPDX-License-Identifier: MIT */
/* html_text.c - extracts the visible text of an HTML document. The reader does not build a tree. Tags are dropped
 * without looking for their partners. For a hidden element, only its name and nesting depth are stored.
 *
 * Contents:
 *   1. Entities and character references
 *   2. Visible text */
#include "mail/mail_internal.h"

#include <credence/base.h>
#include <string.h>
#include <strings.h>

/* ======== 1. Entities and character references ======== */

enum { LONGEST_ENTITY = 8, MOST_DIGITS = 8 };

/* Names of the characters from U+00A0 on, in order. */
static const char latin_1[96][LONGEST_ENTITY] = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

static const struct {
    char name[LONGEST_ENTITY];
    uint16_t character;
} others[] = {{"quot", '"'},     {"amp", '&'},       {"lt", '<'},        {"gt", '>'},        {"apos", '\''},
              {"euro", 0x20ac},  {"ndash", 0x2013},  {"mdash", 0x2014},  {"lsquo", 0x2018},  {"rsquo", 0x2019},
              {"sbquo", 0x201a}, {"ldquo", 0x201c},  {"rdquo", 0x201d},  {"bdquo", 0x201e},  {"dagger", 0x2020},
              {"bull", 0x2022},  {"hellip", 0x2026}, {"permil", 0x2030}, {"lsaquo", 0x2039}, {"rsaquo", 0x203a},
              {"trade", 0x2122}, {"OElig", 0x152},   {"oelig", 0x153},   {"Scaron", 0x160},  {"scaron", 0x161},
              {"Yuml", 0x178},   {"ensp", ' '},      {"emsp", ' '},      {"thinsp", ' '},    {"zwnj", 0x200c},
              {"zwj", 0x200d},   {"fnof", 0x192},    {"larr", 0x2190},   {"rarr", 0x2192}};

static bool is_digit_of(unsigned char byte, unsigned base) {
    const int digit = crd_i_hex_digit(byte);
    return digit >= 0 && digit < (int)base;
}

/* Reads a numeric reference such as "&#8364;" or "&#x20ac;". Returns its length without the semicolon, or 0 if there is
 * none. */
static size_t read_reference(crd_text text, uint32_t *character) {
    const bool is_hex = text.length > 2 && (text.bytes[2] | 0x20) == 'x';
    const size_t first = is_hex ? 3 : 2;
    size_t i = first;
    for (; i < text.length && i - first < MOST_DIGITS && is_digit_of((unsigned char)text.bytes[i], is_hex ? 16 : 10);
         i++)
        *character = *character * (is_hex ? 16 : 10) + (uint32_t)crd_i_hex_digit((unsigned char)text.bytes[i]);
    return i > first ? i : 0;
}

/* Returns the character with an entity name, or 0 if the name is unknown. */
static uint32_t html_entities_find_name(crd_text name) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].name) == name.length && memcmp(others[i].name, name.bytes, name.length) == 0)
            return others[i].character;
    for (size_t i = 0; i < sizeof latin_1 / sizeof *latin_1; i++)
        if (strlen(latin_1[i]) == name.length && memcmp(latin_1[i], name.bytes, name.length) == 0)
            return (uint32_t)(0xa0 + i);
    return 0;
}

/* Decodes the entity at the beginning of a text, which begins with '&'. Returns its length, including a semicolon if
 * there is one, or 0 if it is not an entity. Sets *written to the number of UTF-8 bytes in `bytes`: 0 for invisible
 * characters such as the soft hyphen. */
static size_t html_entity(crd_text text, char bytes[4], size_t *written) {
    uint32_t character = 0;
    size_t taken = 0;
    *written = 0;
    if (text.length > 1 && text.bytes[1] == '#') {
        taken = read_reference(text, &character);
    } else {
        size_t length = 0;
        while (length < LONGEST_ENTITY - 1 && length + 1 < text.length &&
               (is_digit_of((unsigned char)text.bytes[length + 1], 10) ||
                ((text.bytes[length + 1] | 0x20) >= 'a' && (text.bytes[length + 1] | 0x20) <= 'z')))
            length++;
        character = html_entities_find_name((crd_text){text.bytes + 1, length});
        taken = character != 0 ? length + 1 : 0;
    }
    if (taken == 0) return 0;
    if (taken < text.length && text.bytes[taken] == ';') taken++;
    if (character == 0xad || (character >= 0x200b && character <= 0x200f) || character == 0x2060 || character == 0xfeff)
        return taken;
    *written = crd_i_utf8_write(character == 0xa0 ? ' ' : character, bytes);
    if (*written == 0) bytes[(*written)++] = ' ';
    return taken;
}

/* ======== 2. Visible text ======== */

enum { LONGEST_TAG = 12, LONGEST_URL = 1024 };

/* State while a document is read. */
typedef struct html_reader {
    const char *cursor, *end;
    const size_t *begin;
    crd_i_mail_fields *fields;
    char hidden[LONGEST_TAG]; /* name of the hidden element */
    size_t hidden_depth;      /* nesting depth of elements with this name; 0: the text is visible */
} html_reader;

static bool is_space(char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool is_name_byte(char byte) {
    return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == ':';
}

/* Returns the first occurrence of `word`, which is in lower case, or NULL. The case of letters is ignored, except that
 * the first byte must match exactly. */
static const char *html_text_find_word(const char *cursor, const char *end, const char *word) {
    const size_t length = strlen(word);
    while ((size_t)(end - cursor) >= length) {
        const char *match = memchr(cursor, word[0], (size_t)(end - cursor) - length + 1);
        if (match == NULL) return NULL;
        if (strncasecmp(match, word, length) == 0) return match;
        cursor = match + 1;
    }
    return NULL;
}

/* Returns whether a text contains `word`, which is in lower case, ignoring case. */
static bool html_text_has_word(crd_text text, const char *word) {
    const char lower = word[0], *end = text.bytes + text.length;
    const size_t length = strlen(word);
    for (const char *cursor = text.bytes; (size_t)(end - cursor) >= length; cursor++)
        if ((*cursor | 0x20) == lower && strncasecmp(cursor, word, length) == 0) return true;
    return false;
}

/* ---- Text ---- */

static void html_text_put(html_reader *reader, const char *bytes, size_t length) {
    if (reader->hidden_depth == 0) crd_i_mail_put(reader->fields, CRD_MAIL_BODY, bytes, length);
}

/* Appends a line break unless the text already ends with one. */
static void put_line_end(html_reader *reader) {
    const crd_i_buffer *body = &reader->fields->texts[CRD_MAIL_BODY];
    if (body->length > reader->begin[CRD_MAIL_BODY] && body->bytes[body->length - 1] != '\n')
        html_text_put(reader, "\n", 1);
}

/* Appends text and decodes its entities. Leading whitespace is dropped if the body already ends with whitespace. */
static void html_put_text(html_reader *reader, const char *cursor, const char *end) {
    const crd_i_buffer *body = &reader->fields->texts[CRD_MAIL_BODY];
    if (body->length > 0 && is_space((char)body->bytes[body->length - 1]))
        while (cursor < end && is_space(*cursor)) cursor++;
    while (cursor < end && reader->hidden_depth == 0) {
        const char *mark = memchr(cursor, '&', (size_t)(end - cursor));
        html_text_put(reader, cursor, (size_t)((mark != NULL ? mark : end) - cursor));
        if (mark == NULL) return;
        char bytes[4];
        size_t written;
        const size_t taken = html_entity((crd_text){mark, (size_t)(end - mark)}, bytes, &written);
        html_text_put(reader, taken > 0 ? bytes : mark, taken > 0 ? written : 1);
        cursor = mark + (taken > 0 ? taken : 1);
    }
}

/* ---- Tags ---- */

/* Elements that begin a new line, in byte order. */
static const char block_names[][LONGEST_TAG] = {
    "address", "article", "blockquote", "body",     "br",     "button", "caption", "center", "dd",      "dir",
    "div",     "dl",      "dt",         "fieldset", "footer", "form",   "h1",      "h2",     "h3",      "h4",
    "h5",      "h6",      "head",       "header",   "hr",     "html",   "img",     "input",  "label",   "legend",
    "li",      "main",    "menu",       "nav",      "ol",     "option", "p",       "pre",    "section", "select",
    "table",   "tbody",   "td",         "textarea", "tfoot",  "th",     "thead",   "title",  "tr",      "ul"};

/* Elements without an end tag. */
static const char *const void_names[] = {"area", "base",  "br",   "col",  "embed", "hr",
                                         "img",  "input", "link", "meta", "wbr"};

static bool is_block(const char name[LONGEST_TAG]) {
    size_t low = 0, high = sizeof block_names / sizeof *block_names;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = strcmp(name, block_names[middle]);
        if (order == 0) return true;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return false;
}

static bool is_void(const char name[LONGEST_TAG]) {
    for (size_t i = 0; i < sizeof void_names / sizeof *void_names; i++)
        if (strcmp(name, void_names[i]) == 0) return true;
    return false;
}

/* Returns the '>' that ends a tag, or NULL if the tag has no end. A '>' inside quotes does not count, unless the quote
 * is never closed. */
static const char *find_tag_end(const char *cursor, const char *end) {
    const char *first = cursor < end ? memchr(cursor, '>', (size_t)(end - cursor)) : NULL;
    for (char quote = 0; first != NULL && cursor < end; cursor++) {
        if (quote != 0) {
            if (*cursor == quote) quote = 0;
        } else if (*cursor == '>') {
            return cursor;
        } else if ((*cursor == '"' || *cursor == '\'') && cursor[-1] == '=') {
            quote = *cursor;
        }
    }
    return first;
}

static bool html_text_is_named(crd_text name, const char *wanted) {
    return name.length == strlen(wanted) && strncasecmp(name.bytes, wanted, name.length) == 0;
}

/* Appends the host of a URL, with its entities decoded, to the links. */
static void read_link(html_reader *reader, crd_text url) {
    char decoded[LONGEST_URL + 4];
    size_t length = 0;
    if (memchr(url.bytes, '&', url.length) == NULL) {
        crd_i_mail_put_link(reader->fields, reader->begin[CRD_MAIL_LINKS], url);
        return;
    }
    for (size_t i = 0; i < url.length && length < LONGEST_URL;) {
        size_t written = 0;
        const crd_text view = {url.bytes + i, url.length - i};
        const size_t taken = url.bytes[i] == '&' ? html_entity(view, decoded + length, &written) : 0;
        if (taken == 0) decoded[length++] = url.bytes[i++];
        i += taken;
        length += written;
    }
    crd_i_mail_put_link(reader->fields, reader->begin[CRD_MAIL_LINKS], (crd_text){decoded, length});
}

/* Returns whether a style hides its element. Only the first 256 bytes are examined, without whitespace. */
static bool is_hiding(crd_text style) {
    char packed[256];
    size_t length = 0;
    for (size_t i = 0; i < style.length && length < sizeof packed; i++)
        if (!is_space(style.bytes[i])) packed[length++] = style.bytes[i];
    const crd_text text = {packed, length};
    return html_text_has_word(text, "display:none") || html_text_has_word(text, "visibility:hidden") ||
           html_text_has_word(text, "font-size:0;") || html_text_has_word(text, "font-size:0px");
}

/* Reads the attributes between the name of a tag and its end. Adds links and alternative texts. Returns whether the
 * attributes hide the element. */
static bool read_attributes(html_reader *reader, const char *cursor, const char *end) {
    bool is_hidden = false;
    while (cursor < end) {
        while (cursor < end && !is_name_byte(*cursor)) cursor++;
        crd_text name = {cursor, 0}, value = {NULL, 0};
        while (cursor < end && is_name_byte(*cursor)) cursor++;
        name.length = (size_t)(cursor - name.bytes);
        while (cursor < end && is_space(*cursor)) cursor++;
        if (cursor < end && *cursor == '=') {
            cursor++;
            while (cursor < end && is_space(*cursor)) cursor++;
            const char quote = cursor < end && (*cursor == '"' || *cursor == '\'') ? *cursor : 0;
            if (quote != 0) cursor++;
            value.bytes = cursor;
            if (quote != 0) {
                const char *close = memchr(cursor, quote, (size_t)(end - cursor));
                cursor = close != NULL ? close : end;
            } else {
                while (cursor < end && !is_space(*cursor)) cursor++;
            }
            value.length = (size_t)(cursor - value.bytes);
            if (quote != 0 && cursor < end) cursor++;
        }
        if (html_text_is_named(name, "hidden") ||
            (value.bytes != NULL && html_text_is_named(name, "style") && is_hiding(value)))
            is_hidden = true;
        if (value.bytes == NULL) continue;
        if (html_text_is_named(name, "href") || html_text_is_named(name, "src") || html_text_is_named(name, "action") ||
            html_text_is_named(name, "background"))
            read_link(reader, value);
        if (html_text_is_named(name, "alt")) html_put_text(reader, value.bytes, value.bytes + value.length);
    }
    return is_hidden;
}

/* Reads a tag, starting at its name, and moves the reader after it. Skips the content of scripts and style sheets. */
static void read_tag(html_reader *reader, bool is_end) {
    char name[LONGEST_TAG] = "";
    const char *cursor = reader->cursor;
    for (size_t i = 0; cursor < reader->end && is_name_byte(*cursor); cursor++, i++)
        if (i + 1 < LONGEST_TAG) name[i] = (char)(*cursor >= 'A' && *cursor <= 'Z' ? *cursor | 0x20 : *cursor);
    const char *close = find_tag_end(cursor, reader->end);
    reader->cursor = close != NULL ? close + 1 : reader->end;
    if (close == NULL) return;
    if (is_block(name)) put_line_end(reader);
    if (is_end) {
        if (reader->hidden_depth > 0 && strcmp(name, reader->hidden) == 0) reader->hidden_depth--;
        return;
    }
    const bool is_hidden = read_attributes(reader, cursor, close);
    if (is_block(name)) put_line_end(reader);
    const bool has_content = close[-1] != '/' && !is_void(name);
    if (reader->hidden_depth > 0) {
        if (has_content && strcmp(name, reader->hidden) == 0) reader->hidden_depth++;
    } else if (is_hidden && has_content) {
        memcpy(reader->hidden, name, sizeof name);
        reader->hidden_depth = 1;
    }
    const bool is_script = strcmp(name, "script") == 0;
    if (!is_script && strcmp(name, "style") != 0) return;
    const char *last = html_text_find_word(reader->cursor, reader->end, is_script ? "</script" : "</style");
    reader->cursor = last != NULL ? last : reader->end;
}

/* Skips a comment or declaration. A comment without an end stops at the next '>'. *has_ends is cleared as soon as one
 * comment has no end, because then no later comment has one, and searching for each of them would take quadratic
 * time. */
static void skip_declaration(html_reader *reader, bool *has_ends) {
    const char *cursor = reader->cursor;
    const char *stop = NULL;
    if (*has_ends && reader->end - cursor >= 3 && memcmp(cursor, "!--", 3) == 0) {
        stop = html_text_find_word(cursor + 1, reader->end, "-->");
        *has_ends = stop != NULL;
        if (stop != NULL) stop += 2;
    }
    if (stop == NULL) stop = memchr(cursor, '>', (size_t)(reader->end - cursor));
    reader->cursor = stop != NULL ? stop + 1 : reader->end;
}

void crd_i_html_to_text(crd_text html, const size_t begin[CRD_MAIL_FIELD_COUNT], crd_i_mail_fields *fields) {
    html_reader reader = {html.bytes, html.bytes + html.length, begin, fields, "", 0};
    bool has_ends = true;
    while (reader.cursor < reader.end) {
        const char *tag = memchr(reader.cursor, '<', (size_t)(reader.end - reader.cursor));
        html_put_text(&reader, reader.cursor, tag != NULL ? tag : reader.end);
        if (tag == NULL) break;
        reader.cursor = tag + 1;
        const char next = reader.cursor < reader.end ? *reader.cursor : ' ';
        if (next == '!' || next == '?') {
            skip_declaration(&reader, &has_ends);
        } else if ((next | 0x20) >= 'a' && (next | 0x20) <= 'z') {
            read_tag(&reader, false);
        } else if (next == '/') {
            reader.cursor++;
            read_tag(&reader, true);
        } else {
            html_text_put(&reader, "<", 1);
        }
    }
}
