/* SPDX-License-Identifier: MIT */
/* xml.c - see xml.h. */
#include "network/formats/xml.h"

#include <string.h>

crd_i_xml crd_i_xml_begin(crd_text bytes) {
    crd_i_xml xml = {.line_at = 1};
    xml.at = xml.line_start = bytes.bytes;
    xml.end = bytes.bytes + bytes.length;
    return xml;
}

bool crd_i_xml_is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static char upper(char byte) {
    return byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte;
}

static bool is_same(crd_text text, const char *word) {
    if (text.length != strlen(word)) return false;
    for (size_t i = 0; i < text.length; i++)
        if (upper(text.bytes[i]) != upper(word[i])) return false;
    return true;
}

bool crd_i_xml_is(const crd_i_xml *xml, const char *name) {
    return is_same(xml->name, name);
}

static bool has(const crd_i_xml *xml, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(xml->end - xml->at) >= length && memcmp(xml->at, word, length) == 0;
}

/* Goes on to `to`, and keeps count of the lines. */
static void go_to(crd_i_xml *xml, const char *to) {
    const char *line;
    while ((line = memchr(xml->at, '\n', (size_t)(to - xml->at))) != NULL) {
        xml->line_at++;
        xml->line_start = xml->at = line + 1;
    }
    xml->at = to;
}

/* To behind the next `word`; the text in front of it in *passed. False where there is none. */
static bool pass_to(crd_i_xml *xml, const char *word, crd_text *passed) {
    const size_t length = strlen(word);
    const char *found = xml->at;
    passed->bytes = xml->at;
    while ((found = memchr(found, word[0], (size_t)(xml->end - found))) != NULL) {
        if ((size_t)(xml->end - found) >= length && memcmp(found, word, length) == 0) {
            passed->length = (size_t)(found - passed->bytes);
            go_to(xml, found + length);
            return true;
        }
        found++;
    }
    return false;
}

static void set_broken(crd_i_xml *xml, const char *problem) {
    xml->kind = CRD_I_XML_BROKEN;
    xml->problem = problem;
    xml->at = xml->end;
}

static crd_text attribute_of(crd_text attributes, const char *name) {
    const char *at = attributes.bytes, *end = at + attributes.length;
    while (at < end) {
        while (at < end && crd_i_xml_is_blank(*at)) at++;
        crd_text found = {at, 0};
        while (at < end && !crd_i_xml_is_blank(*at) && *at != '=') at++;
        found.length = (size_t)(at - found.bytes);
        while (at < end && (crd_i_xml_is_blank(*at) || *at == '=')) at++;
        if (at == end || (*at != '"' && *at != '\'')) break;
        const char quote = *at++;
        crd_text value = {at, 0};
        while (at < end && *at != quote) at++;
        value.length = (size_t)(at - value.bytes);
        if (is_same(found, name)) return value;
        if (at < end) at++;
    }
    return (crd_text){NULL, 0};
}

crd_text crd_i_xml_attribute(const crd_i_xml *xml, const char *name) {
    return attribute_of(xml->text, name);
}

/* Behind "<?". */
static void pass_instruction(crd_i_xml *xml) {
    crd_text content;
    if (!pass_to(xml, "?>", &content)) {
        set_broken(xml, "a processing instruction (<?) begins here and does not end");
        return;
    }
    if (content.length < 4 || memcmp(content.bytes, "xml", 3) != 0 || !crd_i_xml_is_blank(content.bytes[3])) return;
    content.bytes += 3;
    content.length -= 3;
    const crd_text encoding = attribute_of(content, "encoding");
    if (encoding.bytes == NULL || is_same(encoding, "UTF-8") || is_same(encoding, "US-ASCII") ||
        is_same(encoding, "ASCII"))
        return;
    if (is_same(encoding, "ISO-8859-1") || is_same(encoding, "LATIN1")) xml->is_latin = true;
    else set_broken(xml, "the encoding of this file is neither UTF-8 nor ISO-8859-1: save it as UTF-8");
}

static bool pass_comment(crd_i_xml *xml) {
    crd_text content;
    xml->at += 4;
    if (pass_to(xml, "-->", &content)) return true;
    set_broken(xml, "a comment begins here and does not end");
    return false;
}

/* Behind "<!DOCTYPE": brackets around declarations, in which quotes and comments may hold anything. */
static void pass_doctype(crd_i_xml *xml) {
    size_t depth = 0;
    while (xml->at < xml->end) {
        const char byte = *xml->at;
        if (has(xml, "<!--")) {
            if (!pass_comment(xml)) return;
            continue;
        }
        const char *closing = NULL;
        if (byte == '"' || byte == '\'') {
            closing = memchr(xml->at + 1, byte, (size_t)(xml->end - xml->at - 1));
            if (closing == NULL) break;
        }
        if (byte == '[') depth++;
        if (byte == ']' && depth > 0) depth--;
        go_to(xml, closing == NULL ? xml->at + 1 : closing + 1);
        if (byte == '>' && depth == 0) return;
    }
    set_broken(xml, "a document type (<!DOCTYPE) begins here and does not end");
}

/* At a "<" that opens a tag: to behind its ">", which quotes may hold. */
static void take_tag(crd_i_xml *xml) {
    const bool closes = xml->at + 1 < xml->end && xml->at[1] == '/';
    const char *at = xml->at + (closes ? 2 : 1), *end = xml->end;
    char quote = '\0';
    xml->name.bytes = at;
    while (at < end && !crd_i_xml_is_blank(*at) && *at != '>' && *at != '/' && *at != '=' && *at != '<') at++;
    xml->name.length = (size_t)(at - xml->name.bytes);
    xml->text.bytes = at;
    while (at < end && (quote != '\0' || (*at != '>' && *at != '<'))) {
        if (quote != '\0') quote = *at == quote ? '\0' : quote;
        else if (*at == '"' || *at == '\'') quote = *at;
        at++;
    }
    if (xml->name.length == 0 || at == end || *at != '>') {
        set_broken(xml, "a tag (<) begins here and does not end: write &lt; for the sign itself");
        return;
    }
    xml->text.length = (size_t)(at - xml->text.bytes);
    xml->kind = closes ? CRD_I_XML_CLOSE : CRD_I_XML_OPEN;
    if (!closes && xml->text.length > 0 && at[-1] == '/') {
        xml->is_empty = true;
        xml->text.length--;
    }
    go_to(xml, at + 1);
}

static void set_place(crd_i_xml *xml) {
    xml->kind = CRD_I_XML_END;
    xml->place.line = xml->line_at;
    xml->place.column = (uint64_t)(xml->at - xml->line_start) + 1;
    xml->text.bytes = xml->at;
    xml->text.length = 0;
}

void crd_i_xml_next(crd_i_xml *xml) {
    if (xml->is_empty) {
        xml->is_empty = false;
        xml->kind = CRD_I_XML_CLOSE;
        return;
    }
    for (;;) {
        set_place(xml);
        if (xml->at == xml->end) return;
        if (*xml->at != '<') {
            const char *found = memchr(xml->at, '<', (size_t)(xml->end - xml->at));
            go_to(xml, found == NULL ? xml->end : found);
            xml->kind = CRD_I_XML_TEXT;
            xml->text.length = (size_t)(xml->at - xml->text.bytes);
            return;
        }
        if (has(xml, "<!--")) {
            pass_comment(xml);
        } else if (has(xml, "<?")) {
            xml->at += 2;
            pass_instruction(xml);
        } else if (has(xml, "<!DOCTYPE")) {
            xml->at += 9;
            pass_doctype(xml);
        } else if (has(xml, "<![CDATA[")) {
            xml->at += 9;
            if (pass_to(xml, "]]>", &xml->text)) xml->kind = CRD_I_XML_CDATA;
            else set_broken(xml, "a section (<![CDATA[) begins here and does not end");
        } else {
            take_tag(xml);
        }
        if (xml->kind != CRD_I_XML_END) return;
    }
}

crd_i_file_place crd_i_xml_place_of(const crd_i_xml *xml, const char *at) {
    crd_i_file_place place = xml->place;
    for (const char *byte = xml->text.bytes; byte < at; byte++) {
        place.column++;
        if (*byte != '\n') continue;
        place.line++;
        place.column = 1;
    }
    return place;
}

/* A character's number as UTF-8. */
static size_t encode(uint32_t number, char bytes[4]) {
    static const unsigned char marks[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    const size_t length = number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; number >>= 6) bytes[i] = (char)(0x80 | (number & 0x3f));
    bytes[0] = (char)(marks[length] | number);
    return length;
}

/* The number of the character that "&...;" stands for, the text without these two; 0 where there is none. */
static uint32_t reference(crd_text text) {
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
        const char byte = upper(text.bytes[i]);
        uint32_t digit = 99;
        if (byte >= '0' && byte <= '9') digit = (uint32_t)(byte - '0');
        else if (is_hexadecimal && byte >= 'A' && byte <= 'F') digit = (uint32_t)(byte - 'A' + 10);
        if (digit == 99) return 0;
        number = number * (is_hexadecimal ? 16 : 10) + digit;
        if (number > 0x10ffff) return 0;
    }
    return number >= 0xd800 && number < 0xe000 ? 0 : number;
}

crd_status crd_i_xml_decode(const crd_i_xml *xml, crd_i_buffer *to, size_t start, size_t *solid, const char **bad) {
    const char *at = xml->text.bytes, *end = at + xml->text.length;
    const bool is_plain = xml->kind == CRD_I_XML_CDATA;
    while (at < end) {
        char bytes[4] = {*at};
        size_t length = 1;
        const bool is_layout = !is_plain && crd_i_xml_is_blank(*at);
        *bad = at++;
        if (is_layout) {
            if (to->length == start) continue;
        } else if (!is_plain && bytes[0] == '&') {
            const char *semicolon = memchr(at, ';', (size_t)(end - at));
            if (semicolon == NULL) return CRD_ERROR_SYNTAX;
            const uint32_t number = reference((crd_text){at, (size_t)(semicolon - at)});
            if (number == 0) return CRD_ERROR_SYNTAX;
            length = encode(number, bytes);
            at = semicolon + 1;
        } else if (xml->is_latin && (unsigned char)bytes[0] >= 0x80) {
            length = encode((unsigned char)bytes[0], bytes);
        }
        if (!crd_i_buffer_append(to, bytes, length)) return CRD_ERROR_MEMORY;
        if (!is_layout) *solid = to->length;
    }
    return CRD_OK;
}
