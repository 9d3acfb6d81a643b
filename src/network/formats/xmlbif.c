/* SPDX-License-Identifier: MIT */
/* xmlbif.c - networks as XMLBIF 0.3: see network_format.h.
 *
 * As in BIF, a table that comes before the variables that it refers to is read after everything else. Memory is
 * allocated only for numbers that are in the text.
 *
 * Contents:
 *   1. Reader
 *   2. Writer */
#include "network/formats/network_format.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "network/formats/network_writer.h"
#include "network/formats/xml.h"

#include <string.h>

/* ======== 1. Reader ======== */

typedef struct xmlbif_reader {
    crd_i_draft draft;
    crd_i_xml xml;
    crd_i_buffer name; /* name of a variable or the network */
    crd_i_xml *later;  /* definitions that refer to later variables */
    size_t later_count, later_room;
    bool has_network;
} xmlbif_reader;

static void xmlbif_next(xmlbif_reader *reader) {
    crd_i_xml_next(&reader->xml);
}

static crd_status xmlbif_memory(const xmlbif_reader *reader) {
    return crd_i_fail_memory(reader->draft.error);
}

/* Fails if a variable or definition opens inside an element: such elements are not nested, so the element was not
 * closed. */
static crd_status xmlbif_check_closed(const xmlbif_reader *reader, const char *name, crd_i_file_place place) {
    static const char *const blocks[] = {"VARIABLE", "DEFINITION", "PROBABILITY", "NETWORK"};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (crd_i_xml_is(&reader->xml, blocks[i]))
            return crd_i_draft_fail(&reader->draft, place, CRD_ERROR_SYNTAX,
                                    "this <%s> is not closed before <%s> opens in line %llu", name, blocks[i],
                                    (unsigned long long)reader->xml.place.line);
    return CRD_OK;
}

/* Reads the text of an element as a word of the draft. */
static crd_status xmlbif_read_word(xmlbif_reader *reader, const char *name) {
    crd_status status = crd_i_xml_read_text(&reader->draft, &reader->xml, name, &reader->draft.letters);
    return status == CRD_OK ? crd_i_draft_letters_word(&reader->draft) : status;
}

static crd_status xmlbif_read_kind(const xmlbif_reader *reader, crd_node_kind *kind) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_text type = crd_i_xml_attribute(&reader->xml, "TYPE");
    *kind = CRD_NODE_CHANCE;
    if (type.bytes == NULL || crd_text_equal(type, crd_text_of("nature")) ||
        crd_text_equal(type, crd_text_of("chance")))
        return CRD_OK;
    *kind = CRD_NODE_DECISION;
    if (crd_text_equal(type, crd_text_of("decision"))) return CRD_OK;
    *kind = CRD_NODE_UTILITY;
    if (crd_text_equal(type, crd_text_of("utility"))) return CRD_OK;
    return crd_i_draft_fail(&reader->draft, reader->xml.place, CRD_ERROR_SYNTAX,
                            "the type %s of a variable must be nature, decision or utility", crd_i_quote(type, quoted));
}

static crd_text xmlbif_name(const xmlbif_reader *reader) {
    const crd_text name = {reader->name.bytes == NULL ? "" : (const char *)reader->name.bytes, reader->name.length};
    return name;
}

static crd_status xmlbif_read_variable(xmlbif_reader *reader) {
    const crd_i_file_place start = reader->xml.place;
    crd_i_file_place place = start;
    crd_node_kind kind;
    bool has_name = false;
    crd_status status = xmlbif_read_kind(reader, &kind);
    crd_i_draft_clear_words(&reader->draft);
    if (status != CRD_OK) return status;
    for (xmlbif_next(reader);
         status == CRD_OK && !crd_i_xml_at_close(&reader->draft, &reader->xml, "VARIABLE", &status);
         xmlbif_next(reader)) {
        if (reader->xml.kind != CRD_I_XML_OPEN) continue;
        status = xmlbif_check_closed(reader, "VARIABLE", start);
        if (status != CRD_OK) return status;
        if (crd_i_xml_is(&reader->xml, "NAME") && !has_name) {
            reader->name.length = 0;
            has_name = true;
            place = reader->xml.place;
            status = crd_i_xml_read_text(&reader->draft, &reader->xml, "NAME", &reader->name);
        } else if (crd_i_xml_is(&reader->xml, "OUTCOME")) {
            status = xmlbif_read_word(reader, "OUTCOME");
        } else if (crd_i_xml_is(&reader->xml, "VALUE")) {
            status = xmlbif_read_word(reader, "VALUE");
        } else {
            status = crd_i_xml_pass_element(&reader->draft, &reader->xml);
        }
    }
    if (status != CRD_OK) return status;
    if (!has_name) return crd_i_draft_fail(&reader->draft, place, CRD_ERROR_SYNTAX, "this variable has no <NAME>");
    crd_i_draft_settle(&reader->draft);
    return crd_i_draft_node(&reader->draft, place, xmlbif_name(reader), kind);
}

/* Moves the word at position `first` to the front. */
static void bring_forward(crd_i_draft *draft, size_t first) {
    const crd_text word = draft->words[first];
    memmove(draft->words + 1, draft->words, first * sizeof *draft->words);
    draft->words[0] = word;
}

/* Reads the names of a definition as words of the draft, the variable first, and its table as numbers of the draft. */
static crd_status take_definition(xmlbif_reader *reader, const char *tag, bool *has_table) {
    const crd_i_file_place place = reader->xml.place;
    size_t first = SIZE_MAX;
    crd_status status = CRD_OK;
    crd_i_draft_clear_words(&reader->draft);
    crd_i_draft_clear_numbers(&reader->draft);
    *has_table = false;
    for (xmlbif_next(reader); status == CRD_OK && !crd_i_xml_at_close(&reader->draft, &reader->xml, tag, &status);
         xmlbif_next(reader)) {
        if (reader->xml.kind != CRD_I_XML_OPEN) continue;
        status = xmlbif_check_closed(reader, tag, place);
        if (status != CRD_OK) return status;
        if (crd_i_xml_is(&reader->xml, "FOR")) {
            if (first != SIZE_MAX)
                return crd_i_draft_fail(&reader->draft, reader->xml.place, CRD_ERROR_SYNTAX,
                                        "this table is a joint table of two variables: each needs a CPT of its own");
            first = reader->draft.word_count;
            status = xmlbif_read_word(reader, "FOR");
        } else if (crd_i_xml_is(&reader->xml, "GIVEN")) {
            status = xmlbif_read_word(reader, "GIVEN");
        } else if (crd_i_xml_is(&reader->xml, "TABLE")) {
            *has_table = true;
            status = crd_i_xml_read_numbers(&reader->draft, &reader->xml, "TABLE");
        } else {
            status = crd_i_xml_pass_element(&reader->draft, &reader->xml);
        }
    }
    if (status != CRD_OK) return status;
    if (first == SIZE_MAX)
        return crd_i_draft_fail(&reader->draft, place, CRD_ERROR_SYNTAX, "this definition has no <FOR>");
    crd_i_draft_settle(&reader->draft);
    bring_forward(&reader->draft, first);
    return CRD_OK;
}

static crd_status put_off(xmlbif_reader *reader, const crd_i_xml *start) {
    if (!crd_i_reserve(reader->draft.context, &reader->later, &reader->later_room, reader->later_count + 1,
                       sizeof *reader->later))
        return xmlbif_memory(reader);
    reader->later[reader->later_count++] = *start;
    return CRD_OK;
}

/* Reads a definition. If `may_wait`, a definition whose variables are not declared yet is put off. */
static crd_status read_definition(xmlbif_reader *reader, bool may_wait) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_i_xml start = reader->xml;
    bool has_table;
    size_t node = 0;
    const char *tag = crd_i_xml_is(&reader->xml, "DEFINITION") ? "DEFINITION" : "PROBABILITY";
    crd_status status = take_definition(reader, tag, &has_table);
    if (status != CRD_OK) return status;
    if (may_wait && !crd_i_draft_knows(&reader->draft, NULL)) return put_off(reader, &start);
    status = crd_i_draft_family(&reader->draft, start.place, NULL, &node);
    if (status != CRD_OK || reader->draft.network->nodes[node].kind == CRD_NODE_DECISION) return status;
    if (!has_table)
        return crd_i_draft_fail(&reader->draft, start.place, CRD_ERROR_EMPTY, "the definition of %s has no <TABLE>",
                                crd_i_quote(reader->draft.network->nodes[node].name, quoted));
    return crd_i_draft_table(&reader->draft, start.place, node);
}

static crd_status xmlbif_read_network(xmlbif_reader *reader) {
    crd_status status = CRD_OK;
    if (reader->has_network)
        return crd_i_draft_fail(&reader->draft, reader->xml.place, CRD_ERROR_SYNTAX,
                                "the file has two networks: remove the second, which begins here");
    reader->has_network = true;
    for (xmlbif_next(reader); status == CRD_OK && !crd_i_xml_at_close(&reader->draft, &reader->xml, "NETWORK", &status);
         xmlbif_next(reader)) {
        if (reader->xml.kind != CRD_I_XML_OPEN) continue;
        if (crd_i_context_cancelled(reader->draft.context)) return crd_i_fail_cancelled(reader->draft.error);
        if (crd_i_xml_is(&reader->xml, "VARIABLE")) {
            status = xmlbif_read_variable(reader);
        } else if (crd_i_xml_is(&reader->xml, "DEFINITION") || crd_i_xml_is(&reader->xml, "PROBABILITY")) {
            status = read_definition(reader, true);
        } else if (crd_i_xml_is(&reader->xml, "NAME")) {
            reader->name.length = 0;
            status = crd_i_xml_read_text(&reader->draft, &reader->xml, "NAME", &reader->name);
            if (status == CRD_OK) status = crd_i_draft_name(&reader->draft, xmlbif_name(reader));
        } else {
            status = crd_i_xml_pass_element(&reader->draft, &reader->xml);
        }
    }
    return status;
}

static crd_status xmlbif_read_document(xmlbif_reader *reader) {
    crd_status status = CRD_OK;
    do xmlbif_next(reader);
    while (reader->xml.kind == CRD_I_XML_TEXT);
    if (reader->xml.kind != CRD_I_XML_OPEN || !crd_i_xml_is(&reader->xml, "BIF"))
        return crd_i_xml_unexpected(&reader->draft, &reader->xml, "\"<BIF>\", the root element of an XMLBIF file");
    for (xmlbif_next(reader); status == CRD_OK && !crd_i_xml_at_close(&reader->draft, &reader->xml, "BIF", &status);
         xmlbif_next(reader)) {
        if (reader->xml.kind != CRD_I_XML_OPEN) continue;
        status = crd_i_xml_is(&reader->xml, "NETWORK") ? xmlbif_read_network(reader)
                                                       : crd_i_xml_pass_element(&reader->draft, &reader->xml);
    }
    for (size_t i = 0; status == CRD_OK && i < reader->later_count; i++) {
        reader->xml = reader->later[i];
        status = read_definition(reader, false);
    }
    return status;
}

crd_status crd_i_xmlbif_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                             crd_error *error) {
    xmlbif_reader reader = {.xml = crd_i_xml_begin(bytes), .name = {.context = context}};
    crd_status status = crd_i_draft_begin(&reader.draft, context, place, error);
    if (status == CRD_OK) status = xmlbif_read_document(&reader);
    crd_free(context, reader.later);
    crd_i_buffer_clear(&reader.name);
    return crd_i_draft_end(&reader.draft, status, out);
}

static bool xmlbif_begins_with(const char *cursor, const char *end, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(end - cursor) >= length && memcmp(cursor, word, length) == 0;
}

/* Returns the position after the next `word`; the end if there is none. */
static const char *xmlbif_pass(const char *cursor, const char *end, const char *word) {
    while (cursor < end && !xmlbif_begins_with(cursor, end, word)) cursor++;
    return cursor < end ? cursor + strlen(word) : end;
}

static const char *xmlbif_pass_blanks(const char *cursor, const char *end) {
    while (cursor < end && crd_i_xml_is_blank(*cursor)) cursor++;
    return cursor;
}

/* Returns whether the text after "<!DOCTYPE BIF" continues like a document type. */
static bool is_type(const char *cursor, const char *end) {
    cursor = xmlbif_pass_blanks(cursor, end);
    if (cursor == end || *cursor == '>' || xmlbif_begins_with(cursor, end, "SYSTEM") ||
        xmlbif_begins_with(cursor, end, "PUBLIC"))
        return true;
    if (*cursor != '[') return false;
    cursor = xmlbif_pass_blanks(cursor + 1, end);
    return cursor == end || *cursor == ']' || *cursor == '%' || xmlbif_begins_with(cursor, end, "<!--") ||
           xmlbif_begins_with(cursor, end, "<!E") || xmlbif_begins_with(cursor, end, "<!A") ||
           xmlbif_begins_with(cursor, end, "<!N");
}

/* Returns whether the text begins with the document type of XMLBIF. The document type may be truncated. */
static bool has_type(const char *cursor, const char *end) {
    static const char type[] = "<!DOCTYPE BIF";
    for (;;) {
        cursor = xmlbif_pass_blanks(cursor, end);
        if (xmlbif_begins_with(cursor, end, "<?")) cursor = xmlbif_pass(cursor, end, "?>");
        else if (xmlbif_begins_with(cursor, end, "<!--")) cursor = xmlbif_pass(cursor, end, "-->");
        else return xmlbif_begins_with(cursor, end, type) && is_type(cursor + strlen(type), end);
    }
}

/* Returns whether the first line contains only whitespace outside its elements. In a row of a data table whose first
 * value is XML, other values follow. */
static bool is_line_of_xml(crd_i_xml xml) {
    const char *line = memchr(xml.cursor, '\n', (size_t)(xml.end - xml.cursor));
    size_t depth = 0;
    bool is_outside_blank = true;
    if (line != NULL) xml.end = line;
    do {
        crd_i_xml_next(&xml);
        if (xml.kind == CRD_I_XML_OPEN) depth++;
        if (xml.kind == CRD_I_XML_CLOSE && depth > 0) depth--;
        if (xml.kind == CRD_I_XML_TEXT && depth == 0 && !crd_i_xml_is_blanks(&xml)) is_outside_blank = false;
    } while (xml.kind != CRD_I_XML_END && xml.kind != CRD_I_XML_BROKEN);
    return is_outside_blank;
}

/* Accepts any XML except a table of tags, so that reading it can report what is wrong with it. */
bool crd_i_xmlbif_recognize(crd_text beginning) {
    crd_i_xml xml = crd_i_xml_begin(beginning);
    while (xml.cursor < xml.end && crd_i_xml_is_blank(*xml.cursor)) xml.cursor++;
    const char *first = xml.cursor;
    if (first == xml.end || *first != '<') return false;
    if (xmlbif_begins_with(first, xml.end, "<?xml") && xml.end - first > 5 && crd_i_xml_is_blank(first[5]) &&
        is_line_of_xml(xml))
        return true;
    if (has_type(first, xml.end)) return true;
    return crd_i_xml_pass_prolog(&xml) && crd_i_xml_is(&xml, "BIF") &&
           crd_i_xml_has_child(xml, crd_i_xml_attribute(&xml, "VERSION").bytes != NULL, "NETWORK");
}

/* ======== 2. Writer ======== */

static const char *escape_of(char byte) {
    switch (byte) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&apos;";
    default: return NULL;
    }
}

/* Returns whether XML 1.0 can represent all characters of the text. It cannot represent invalid UTF-8, most control
 * characters, U+FFFE and U+FFFF. */
static bool is_xml(crd_text text) {
    bool is = crd_i_utf8_is_valid(text);
    for (size_t i = 0; is && i < text.length; i++) {
        const unsigned char *cursor = (const unsigned char *)text.bytes + i;
        const bool is_control = *cursor < ' ' && *cursor != '\t' && *cursor != '\n' && *cursor != '\r';
        const bool is_noncharacter = *cursor == 0xef && cursor[1] == 0xbf && (cursor[2] == 0xbe || cursor[2] == 0xbf);
        is = !is_control && !is_noncharacter;
    }
    return is;
}

static void xmlbif_write_put_text(crd_i_writing *writing, crd_text text) {
    size_t start = 0;
    if (!is_xml(text)) crd_i_writing_refuse(writing, text);
    for (size_t i = 0; i < text.length; i++) {
        const char byte = text.bytes[i];
        const char *escape = escape_of(byte);
        const bool is_control = (unsigned char)byte < ' ' || byte == 0x7f;
        const bool is_end = byte == ' ' && (i == 0 || i + 1 == text.length);
        if (escape == NULL && !is_control && !is_end) continue;
        crd_i_put(writing, text.bytes + start, i - start);
        start = i + 1;
        if (escape != NULL) {
            crd_i_put_words(writing, escape);
            continue;
        }
        crd_i_put_words(writing, "&#");
        crd_i_put_count(writing, (unsigned char)byte);
        crd_i_put_words(writing, ";");
    }
    crd_i_put(writing, text.bytes + start, text.length - start);
}

static void put_element(crd_i_writing *writing, const char *name, crd_text text) {
    crd_i_put_words(writing, "<");
    crd_i_put_words(writing, name);
    crd_i_put_words(writing, ">");
    xmlbif_write_put_text(writing, text);
    crd_i_put_words(writing, "</");
    crd_i_put_words(writing, name);
    crd_i_put_words(writing, ">\n");
}

static void xmlbif_write_put_variable(crd_i_writing *writing, const crd_i_node *node) {
    static const char *const types[] = {
        [CRD_NODE_CHANCE] = "nature", [CRD_NODE_DECISION] = "decision", [CRD_NODE_UTILITY] = "utility"};
    crd_i_put_words(writing, "<VARIABLE TYPE=\"");
    crd_i_put_words(writing, types[node->kind]);
    crd_i_put_words(writing, "\">\n  ");
    put_element(writing, "NAME", node->name);
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        crd_i_put_words(writing, "  ");
        put_element(writing, "OUTCOME", crd_i_dictionary_text(node->states, i));
    }
    crd_i_put_words(writing, "</VARIABLE>\n");
}

static void put_definition(crd_i_writing *writing, const crd_network *network, const crd_i_node *node) {
    const size_t states = crd_i_node_states(node);
    crd_i_put_words(writing, "<DEFINITION>\n  ");
    put_element(writing, "FOR", node->name);
    for (size_t i = 0; i < node->parent_count; i++) {
        crd_i_put_words(writing, "  ");
        put_element(writing, "GIVEN", network->nodes[node->parents[i]].name);
    }
    if (node->table != NULL) {
        crd_i_put_words(writing, "  <TABLE>");
        for (size_t i = 0; i < node->rows * states && !writing->failed; i++) {
            crd_i_put_words(writing, i % states == 0 ? "\n    " : " ");
            crd_i_put_number(writing, node->table[i]);
        }
        crd_i_put_words(writing, "\n  </TABLE>\n");
    }
    crd_i_put_words(writing, "</DEFINITION>\n");
}

crd_status crd_i_xmlbif_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing writing = {out, false, {NULL, 0}};
    crd_i_put_words(&writing, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<BIF VERSION=\"0.3\">\n<NETWORK>\n");
    put_element(&writing, "NAME", network->name);
    for (size_t i = 0; i < network->count; i++) xmlbif_write_put_variable(&writing, &network->nodes[i]);
    for (size_t i = 0; i < network->count; i++) put_definition(&writing, network, &network->nodes[i]);
    crd_i_put_words(&writing, "</NETWORK>\n</BIF>\n");
    return crd_i_writing_end(
        &writing, "cannot be written: it contains a character that XML does not allow, such as a control character",
        error);
}
