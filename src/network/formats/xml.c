/* SPDX-License-Identifier: MIT */
/* xml.c - see xml.h.
 *
 * Contents:
 *   1. Tags and text
 *   2. Elements and content */
#include "network/formats/xml.h"

#include "base/error.h"
#include "math/decimal/decimal.h"

#include <stdio.h>
#include <string.h>

/* ======== 1. Tags and text ======== */

crd_i_xml crd_i_xml_begin(crd_text bytes) {
    crd_i_xml xml = {.line_at = 1};
    xml.cursor = xml.line_start = bytes.bytes;
    xml.end = bytes.bytes + bytes.length;
    return xml;
}

bool crd_i_xml_is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static char xml_upper(char byte) {
    return byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte;
}

static bool xml_is_same(crd_text text, const char *word) {
    if (text.length != strlen(word)) return false;
    for (size_t i = 0; i < text.length; i++)
        if (xml_upper(text.bytes[i]) != xml_upper(word[i])) return false;
    return true;
}

bool crd_i_xml_is(const crd_i_xml *xml, const char *name) {
    return xml_is_same(xml->name, name);
}

static bool xml_has(const crd_i_xml *xml, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(xml->end - xml->cursor) >= length && memcmp(xml->cursor, word, length) == 0;
}

/* Moves to `target`, and counts lines. */
static void go_to(crd_i_xml *xml, const char *target) {
    const char *line;
    while ((line = memchr(xml->cursor, '\n', (size_t)(target - xml->cursor))) != NULL) {
        xml->line_at++;
        xml->line_start = xml->cursor = line + 1;
    }
    xml->cursor = target;
}

/* Moves to after the next `word`, and sets *passed to the text before it. Returns false if there is none. */
static bool pass_to(crd_i_xml *xml, const char *word, crd_text *passed) {
    const size_t length = strlen(word);
    const char *match = xml->cursor;
    passed->bytes = xml->cursor;
    while ((match = memchr(match, word[0], (size_t)(xml->end - match))) != NULL) {
        if ((size_t)(xml->end - match) >= length && memcmp(match, word, length) == 0) {
            passed->length = (size_t)(match - passed->bytes);
            go_to(xml, match + length);
            return true;
        }
        match++;
    }
    return false;
}

static void set_broken(crd_i_xml *xml, const char *problem) {
    xml->kind = CRD_I_XML_BROKEN;
    xml->problem = problem;
    xml->cursor = xml->end;
}

static crd_text xml_attribute(crd_text attributes, const char *name) {
    const char *cursor = attributes.bytes, *end = cursor + attributes.length;
    while (cursor < end) {
        while (cursor < end && crd_i_xml_is_blank(*cursor)) cursor++;
        crd_text view = {cursor, 0};
        while (cursor < end && !crd_i_xml_is_blank(*cursor) && *cursor != '=') cursor++;
        view.length = (size_t)(cursor - view.bytes);
        while (cursor < end && (crd_i_xml_is_blank(*cursor) || *cursor == '=')) cursor++;
        if (cursor == end || (*cursor != '"' && *cursor != '\'')) break;
        const char quote = *cursor++;
        crd_text value = {cursor, 0};
        while (cursor < end && *cursor != quote) cursor++;
        value.length = (size_t)(cursor - value.bytes);
        if (xml_is_same(view, name)) return value;
        if (cursor < end) cursor++;
    }
    return (crd_text){NULL, 0};
}

crd_text crd_i_xml_attribute(const crd_i_xml *xml, const char *name) {
    return xml_attribute(xml->text, name);
}

/* Skips a processing instruction, after "<?". Takes the encoding from the XML declaration. */
static void pass_instruction(crd_i_xml *xml) {
    crd_text content;
    if (!pass_to(xml, "?>", &content)) {
        set_broken(xml, "a processing instruction (<?) begins here and does not end");
        return;
    }
    if (content.length < 4 || memcmp(content.bytes, "xml", 3) != 0 || !crd_i_xml_is_blank(content.bytes[3])) return;
    content.bytes += 3;
    content.length -= 3;
    const crd_text encoding = xml_attribute(content, "encoding");
    if (encoding.bytes == NULL || xml_is_same(encoding, "UTF-8") || xml_is_same(encoding, "US-ASCII") ||
        xml_is_same(encoding, "ASCII"))
        return;
    if (xml_is_same(encoding, "ISO-8859-1") || xml_is_same(encoding, "LATIN1")) xml->is_latin = true;
    else set_broken(xml, "the encoding of this file must be UTF-8 or ISO-8859-1: save it as UTF-8");
}

static bool xml_pass_comment(crd_i_xml *xml) {
    crd_text content;
    xml->cursor += 4;
    if (pass_to(xml, "-->", &content)) return true;
    set_broken(xml, "a comment begins here and does not end");
    return false;
}

/* Skips the document type, after "<!DOCTYPE". Declarations are in brackets; their quotes and comments may contain
 * anything. */
static void pass_doctype(crd_i_xml *xml) {
    size_t depth = 0;
    while (xml->cursor < xml->end) {
        const char byte = *xml->cursor;
        if (xml_has(xml, "<!--")) {
            if (!xml_pass_comment(xml)) return;
            continue;
        }
        const char *closing = NULL;
        if (byte == '"' || byte == '\'') {
            closing = memchr(xml->cursor + 1, byte, (size_t)(xml->end - xml->cursor - 1));
            if (closing == NULL) break;
        }
        if (byte == '[') depth++;
        if (byte == ']' && depth > 0) depth--;
        go_to(xml, closing == NULL ? xml->cursor + 1 : closing + 1);
        if (byte == '>' && depth == 0) return;
    }
    set_broken(xml, "a document type (<!DOCTYPE) begins here and does not end");
}

/* Reads a tag, from its "<" to after its ">". Quoted attribute values may contain ">". */
static void take_tag(crd_i_xml *xml) {
    const bool closes = xml->cursor + 1 < xml->end && xml->cursor[1] == '/';
    const char *cursor = xml->cursor + (closes ? 2 : 1), *end = xml->end;
    char quote = '\0';
    xml->name.bytes = cursor;
    while (cursor < end && !crd_i_xml_is_blank(*cursor) && *cursor != '>' && *cursor != '/' && *cursor != '=' &&
           *cursor != '<')
        cursor++;
    xml->name.length = (size_t)(cursor - xml->name.bytes);
    xml->text.bytes = cursor;
    while (cursor < end && (quote != '\0' || (*cursor != '>' && *cursor != '<'))) {
        if (quote != '\0') quote = *cursor == quote ? '\0' : quote;
        else if (*cursor == '"' || *cursor == '\'') quote = *cursor;
        cursor++;
    }
    if (xml->name.length == 0 || cursor == end || *cursor != '>') {
        set_broken(xml, "a tag (<) begins here and does not end: write &lt; for a literal <");
        return;
    }
    xml->text.length = (size_t)(cursor - xml->text.bytes);
    xml->kind = closes ? CRD_I_XML_CLOSE : CRD_I_XML_OPEN;
    if (!closes && xml->text.length > 0 && cursor[-1] == '/') {
        xml->is_empty = true;
        xml->text.length--;
    }
    go_to(xml, cursor + 1);
}

static void xml_set_place(crd_i_xml *xml) {
    xml->kind = CRD_I_XML_END;
    xml->place.line = xml->line_at;
    xml->place.column = (uint64_t)(xml->cursor - xml->line_start) + 1;
    xml->text.bytes = xml->cursor;
    xml->text.length = 0;
}

void crd_i_xml_next(crd_i_xml *xml) {
    if (xml->is_empty) {
        xml->is_empty = false;
        xml->kind = CRD_I_XML_CLOSE;
        return;
    }
    for (;;) {
        xml_set_place(xml);
        if (xml->cursor == xml->end) return;
        if (*xml->cursor != '<') {
            const char *match = memchr(xml->cursor, '<', (size_t)(xml->end - xml->cursor));
            go_to(xml, match == NULL ? xml->end : match);
            xml->kind = CRD_I_XML_TEXT;
            xml->text.length = (size_t)(xml->cursor - xml->text.bytes);
            return;
        }
        if (xml_has(xml, "<!--")) {
            xml_pass_comment(xml);
        } else if (xml_has(xml, "<?")) {
            xml->cursor += 2;
            pass_instruction(xml);
        } else if (xml_has(xml, "<!DOCTYPE")) {
            xml->cursor += 9;
            pass_doctype(xml);
        } else if (xml_has(xml, "<![CDATA[")) {
            xml->cursor += 9;
            if (pass_to(xml, "]]>", &xml->text)) xml->kind = CRD_I_XML_CDATA;
            else set_broken(xml, "a section (<![CDATA[) begins here and does not end");
        } else {
            take_tag(xml);
        }
        if (xml->kind != CRD_I_XML_END) return;
    }
}

/* Returns the place of a byte of the current piece's text. */
static crd_i_file_place xml_place_of(const crd_i_xml *xml, const char *cursor) {
    crd_i_file_place place = xml->place;
    for (const char *byte = xml->text.bytes; byte < cursor; byte++) {
        place.column++;
        if (*byte != '\n') continue;
        place.line++;
        place.column = 1;
    }
    return place;
}

/* Encodes a character number as UTF-8. Returns the number of bytes. */
static size_t xml_encode(uint32_t number, char bytes[4]) {
    static const unsigned char marks[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    const size_t length = number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; number >>= 6) bytes[i] = (char)(0x80 | (number & 0x3f));
    bytes[0] = (char)(marks[length] | number);
    return length;
}

/* Returns the number of the character that a reference represents, or 0 if it is invalid. `text` is the text between
 * "&" and ";". */
static uint32_t xml_reference(crd_text text) {
    static const struct {
        const char *name;
        uint32_t number;
    } known[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (crd_text_equal(text, crd_text_of(known[i].name))) return known[i].number;
    if (text.length < 2 || text.bytes[0] != '#') return 0;
    const bool is_hexadecimal = text.bytes[1] == 'x';
    if (is_hexadecimal && text.length == 2) return 0;
    uint32_t number = 0;
    for (size_t i = is_hexadecimal ? 2 : 1; i < text.length; i++) {
        const char byte = xml_upper(text.bytes[i]);
        uint32_t digit = 99;
        if (byte >= '0' && byte <= '9') digit = (uint32_t)(byte - '0');
        else if (is_hexadecimal && byte >= 'A' && byte <= 'F') digit = (uint32_t)(byte - 'A' + 10);
        if (digit == 99) return 0;
        number = number * (is_hexadecimal ? 16 : 10) + digit;
        if (number > 0x10ffff) return 0;
    }
    return number >= 0xd800 && number < 0xe000 ? 0 : number;
}

/* Appends the decoded TEXT or CDATA piece to `buffer`, in which the element's text begins at `start`. Leading
 * whitespace is skipped. *solid, initially `start`, is set to the end of `buffer` without trailing whitespace.
 * Whitespace written as references or CDATA is not trimmed. Returns CRD_ERROR_SYNTAX, with *bad at the place, for an
 * unknown reference or one that is not a character. */
static crd_status xml_decode(const crd_i_xml *xml, crd_i_buffer *buffer, size_t start, size_t *solid,
                             const char **bad) {
    const char *cursor = xml->text.bytes, *end = cursor + xml->text.length;
    const bool is_plain = xml->kind == CRD_I_XML_CDATA;
    while (cursor < end) {
        char bytes[4] = {*cursor};
        size_t length = 1;
        const bool is_layout = !is_plain && crd_i_xml_is_blank(*cursor);
        *bad = cursor++;
        if (is_layout) {
            if (buffer->length == start) continue;
        } else if (!is_plain && bytes[0] == '&') {
            const char *semicolon = memchr(cursor, ';', (size_t)(end - cursor));
            if (semicolon == NULL) return CRD_ERROR_SYNTAX;
            const uint32_t number = xml_reference((crd_text){cursor, (size_t)(semicolon - cursor)});
            if (number == 0) return CRD_ERROR_SYNTAX;
            length = xml_encode(number, bytes);
            cursor = semicolon + 1;
        } else if (xml->is_latin && (unsigned char)bytes[0] >= 0x80) {
            length = xml_encode((unsigned char)bytes[0], bytes);
        }
        if (!crd_i_buffer_append(buffer, bytes, length)) return CRD_ERROR_MEMORY;
        if (!is_layout) *solid = buffer->length;
    }
    return CRD_OK;
}

/* ======== 2. Elements and content ========
 *
 * The readers of XMLBIF and XDSL share these functions. */

crd_status crd_i_xml_unexpected(const crd_i_draft *draft, const crd_i_xml *xml, const char *expected) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (xml->kind == CRD_I_XML_BROKEN) return crd_i_draft_fail(draft, xml->place, CRD_ERROR_SYNTAX, "%s", xml->problem);
    if (xml->kind == CRD_I_XML_END)
        return crd_i_draft_fail(draft, xml->place, CRD_ERROR_SYNTAX, "unexpected end of file: expected %s", expected);
    const bool is_tag = xml->kind == CRD_I_XML_OPEN || xml->kind == CRD_I_XML_CLOSE;
    return crd_i_draft_fail(draft, xml->place, CRD_ERROR_SYNTAX, "found \"%s%s%s\", expected %s",
                            is_tag ? (xml->kind == CRD_I_XML_CLOSE ? "</" : "<") : "",
                            crd_i_quote(is_tag ? xml->name : xml->text, quoted), is_tag ? ">" : "", expected);
}

bool crd_i_xml_at_close(const crd_i_draft *draft, const crd_i_xml *xml, const char *name, crd_status *status) {
    char expected[32];
    const crd_i_xml_kind kind = xml->kind;
    if (kind == CRD_I_XML_CLOSE && crd_i_xml_is(xml, name)) return true;
    if (kind == CRD_I_XML_CLOSE || kind == CRD_I_XML_END || kind == CRD_I_XML_BROKEN) {
        snprintf(expected, sizeof expected, "\"</%s>\"", name);
        *status = crd_i_xml_unexpected(draft, xml, expected);
    }
    return false;
}

crd_status crd_i_xml_pass_element(const crd_i_draft *draft, crd_i_xml *xml) {
    size_t depth = 0;
    for (;; crd_i_xml_next(xml)) {
        if (xml->kind == CRD_I_XML_OPEN) depth++;
        if (xml->kind == CRD_I_XML_CLOSE && --depth == 0) return CRD_OK;
        if (xml->kind == CRD_I_XML_END || xml->kind == CRD_I_XML_BROKEN)
            return crd_i_xml_unexpected(draft, xml, "a closing tag");
    }
}

static crd_status xml_elements_decode(const crd_i_draft *draft, const crd_i_xml *xml, crd_i_buffer *buffer,
                                      size_t start, size_t *solid) {
    const char *bad = NULL;
    const crd_status status = xml_decode(xml, buffer, start, solid, &bad);
    if (status == CRD_OK) return CRD_OK;
    if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(draft->error);
    return crd_i_draft_fail(draft, xml_place_of(xml, bad), status,
                            "unknown character reference: write &amp; for a literal &");
}

crd_status crd_i_xml_read_attribute(const crd_i_draft *draft, const crd_i_xml *xml, const char *name,
                                    crd_i_buffer *buffer, bool *has) {
    size_t solid = buffer->length;
    crd_i_xml piece = *xml;
    piece.kind = CRD_I_XML_TEXT;
    piece.text = crd_i_xml_attribute(xml, name);
    *has = piece.text.bytes != NULL;
    const crd_status status = *has ? xml_elements_decode(draft, &piece, buffer, buffer->length, &solid) : CRD_OK;
    buffer->length = solid;
    return status;
}

crd_status crd_i_xml_read_text(const crd_i_draft *draft, crd_i_xml *xml, const char *name, crd_i_buffer *buffer) {
    const size_t start = buffer->length;
    size_t solid = start;
    crd_status status = CRD_OK;
    for (crd_i_xml_next(xml); status == CRD_OK && !crd_i_xml_at_close(draft, xml, name, &status); crd_i_xml_next(xml)) {
        if (xml->kind == CRD_I_XML_OPEN) return crd_i_xml_unexpected(draft, xml, "text");
        if (status != CRD_OK) break;
        status = xml_elements_decode(draft, xml, buffer, start, &solid);
    }
    buffer->length = solid;
    return status;
}

bool crd_i_xml_is_gap(char byte) {
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r' || byte == ',';
}

bool crd_i_xml_is_blanks(const crd_i_xml *xml) {
    size_t i = 0;
    while (i < xml->text.length && crd_i_xml_is_blank(xml->text.bytes[i])) i++;
    return xml->kind == CRD_I_XML_TEXT && i == xml->text.length;
}

bool crd_i_xml_pass_prolog(crd_i_xml *xml) {
    do crd_i_xml_next(xml);
    while (crd_i_xml_is_blanks(xml));
    return xml->kind == CRD_I_XML_OPEN;
}

bool crd_i_xml_has_child(crd_i_xml xml, bool may_be_cut, const char *name) {
    do crd_i_xml_next(&xml);
    while (crd_i_xml_is_blanks(&xml));
    if (xml.kind == CRD_I_XML_BROKEN) return may_be_cut;
    return xml.kind == CRD_I_XML_END || (xml.kind == CRD_I_XML_OPEN && crd_i_xml_is(&xml, name));
}

/* Appends the numbers in a piece of text to the numbers of the draft. */
static crd_status xml_elements_take_numbers(crd_i_draft *draft, const crd_i_xml *xml) {
    char quoted[CRD_I_QUOTED_ROOM];
    const char *cursor = xml->text.bytes, *end = cursor + xml->text.length;
    for (;;) {
        while (cursor < end && crd_i_xml_is_gap(*cursor)) cursor++;
        if (cursor == end) return CRD_OK;
        const char *begin = cursor;
        while (cursor < end && !crd_i_xml_is_gap(*cursor)) cursor++;
        const crd_text word = {begin, (size_t)(cursor - begin)};
        double number;
        const crd_number_class class = xml->end - cursor >= CRD_I_DECIMAL_PADDING
                                           ? crd_i_decimal_parse_padded(begin, cursor, '.', &number)
                                           : crd_number_parse(word, &number);
        if (class != CRD_NUMBER_FINITE)
            return crd_i_draft_fail(draft, xml_place_of(xml, begin), CRD_ERROR_SYNTAX,
                                    "found \"%s\", expected a number", crd_i_quote(word, quoted));
        crd_status status = crd_i_draft_number(draft, number);
        if (status != CRD_OK) return status;
    }
}

crd_status crd_i_xml_read_numbers(crd_i_draft *draft, crd_i_xml *xml, const char *name) {
    crd_status status = CRD_OK;
    for (crd_i_xml_next(xml); status == CRD_OK && !crd_i_xml_at_close(draft, xml, name, &status); crd_i_xml_next(xml)) {
        if (xml->kind == CRD_I_XML_OPEN) return crd_i_xml_unexpected(draft, xml, "a number");
        if (status == CRD_OK) status = xml_elements_take_numbers(draft, xml);
    }
    return status;
}
