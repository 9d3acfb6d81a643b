/* SPDX-License-Identifier: MIT */
/* xmlbif.c - see xmlbif.h.
 *
 * As with BIF, tables that stand before the variables that they speak of wait until everything else is read, and tables
 * are as large as the text has numbers. */
#include "network/formats/xmlbif.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/formats/xml_elements.h"

#include <string.h>

typedef struct reader {
    crd_i_draft draft;
    crd_i_xml xml;
    crd_i_buffer name; /* of a variable or the network */
    crd_i_xml *later;  /* definitions that speak of variables which follow */
    size_t later_count, later_room;
    bool has_network;
} reader;

static void next(reader *own) {
    crd_i_xml_next(&own->xml);
}

static crd_status memory(const reader *own) {
    return crd_i_fail_memory(own->draft.error);
}

/* Variables and definitions stand in no others: where one opens inside of an element, that was not closed. */
static crd_status check_closed(const reader *own, const char *name, crd_i_file_place place) {
    static const char *const blocks[] = {"VARIABLE", "DEFINITION", "PROBABILITY", "NETWORK"};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (crd_i_xml_is(&own->xml, blocks[i]))
            return crd_i_draft_fail(&own->draft, place, CRD_ERROR_SYNTAX,
                                    "this <%s> is not closed where <%s> opens in line %llu", name, blocks[i],
                                    (unsigned long long)own->xml.place.line);
    return CRD_OK;
}

/* The same as a word of the draft. */
static crd_status read_word(reader *own, const char *name) {
    crd_status status = crd_i_xml_read_text(&own->draft, &own->xml, name, &own->draft.letters);
    return status == CRD_OK ? crd_i_draft_letters_word(&own->draft) : status;
}

static crd_status read_kind(const reader *own, crd_node_kind *kind) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_text type = crd_i_xml_attribute(&own->xml, "TYPE");
    *kind = CRD_NODE_CHANCE;
    if (type.bytes == NULL || crd_text_equal(type, crd_text_of("nature")) ||
        crd_text_equal(type, crd_text_of("chance")))
        return CRD_OK;
    *kind = CRD_NODE_DECISION;
    if (crd_text_equal(type, crd_text_of("decision"))) return CRD_OK;
    *kind = CRD_NODE_UTILITY;
    if (crd_text_equal(type, crd_text_of("utility"))) return CRD_OK;
    return crd_i_draft_fail(&own->draft, own->xml.place, CRD_ERROR_SYNTAX,
                            "the type %s of a variable is neither nature nor decision nor utility",
                            crd_i_quote(type, quoted));
}

static crd_text name_of(const reader *own) {
    const crd_text name = {own->name.bytes == NULL ? "" : (const char *)own->name.bytes, own->name.length};
    return name;
}

static crd_status read_variable(reader *own) {
    const crd_i_file_place start = own->xml.place;
    crd_i_file_place place = start;
    crd_node_kind kind;
    bool has_name = false;
    crd_status status = read_kind(own, &kind);
    crd_i_draft_clear_words(&own->draft);
    if (status != CRD_OK) return status;
    for (next(own); status == CRD_OK && !crd_i_xml_at_close(&own->draft, &own->xml, "VARIABLE", &status); next(own)) {
        if (own->xml.kind != CRD_I_XML_OPEN) continue;
        status = check_closed(own, "VARIABLE", start);
        if (status != CRD_OK) return status;
        if (crd_i_xml_is(&own->xml, "NAME") && !has_name) {
            own->name.length = 0;
            has_name = true;
            place = own->xml.place;
            status = crd_i_xml_read_text(&own->draft, &own->xml, "NAME", &own->name);
        } else if (crd_i_xml_is(&own->xml, "OUTCOME")) {
            status = read_word(own, "OUTCOME");
        } else if (crd_i_xml_is(&own->xml, "VALUE")) {
            status = read_word(own, "VALUE");
        } else {
            status = crd_i_xml_pass_element(&own->draft, &own->xml);
        }
    }
    if (status != CRD_OK) return status;
    if (!has_name) return crd_i_draft_fail(&own->draft, place, CRD_ERROR_SYNTAX, "this variable has no <NAME>");
    crd_i_draft_settle(&own->draft);
    return crd_i_draft_node(&own->draft, place, name_of(own), kind);
}

/* Puts the word in the place `first` in front of the others. */
static void bring_forward(crd_i_draft *draft, size_t first) {
    const crd_text word = draft->words[first];
    memmove(draft->words + 1, draft->words, first * sizeof *draft->words);
    draft->words[0] = word;
}

/* The names and numbers of a definition as words, the variable first, and numbers of the draft. */
static crd_status take_definition(reader *own, const char *tag, bool *has_table) {
    const crd_i_file_place place = own->xml.place;
    size_t first = SIZE_MAX;
    crd_status status = CRD_OK;
    crd_i_draft_clear_words(&own->draft);
    crd_i_draft_clear_numbers(&own->draft);
    *has_table = false;
    for (next(own); status == CRD_OK && !crd_i_xml_at_close(&own->draft, &own->xml, tag, &status); next(own)) {
        if (own->xml.kind != CRD_I_XML_OPEN) continue;
        status = check_closed(own, tag, place);
        if (status != CRD_OK) return status;
        if (crd_i_xml_is(&own->xml, "FOR")) {
            if (first != SIZE_MAX)
                return crd_i_draft_fail(&own->draft, own->xml.place, CRD_ERROR_SYNTAX,
                                        "this table is for two variables jointly: each needs a CPT of its own");
            first = own->draft.word_count;
            status = read_word(own, "FOR");
        } else if (crd_i_xml_is(&own->xml, "GIVEN")) {
            status = read_word(own, "GIVEN");
        } else if (crd_i_xml_is(&own->xml, "TABLE")) {
            *has_table = true;
            status = crd_i_xml_read_numbers(&own->draft, &own->xml, "TABLE");
        } else {
            status = crd_i_xml_pass_element(&own->draft, &own->xml);
        }
    }
    if (status != CRD_OK) return status;
    if (first == SIZE_MAX)
        return crd_i_draft_fail(&own->draft, place, CRD_ERROR_SYNTAX, "this definition has no <FOR>");
    crd_i_draft_settle(&own->draft);
    bring_forward(&own->draft, first);
    return CRD_OK;
}

static crd_status put_off(reader *own, const crd_i_xml *start) {
    if (!crd_i_reserve(own->draft.context, &own->later, &own->later_room, own->later_count + 1, sizeof *own->later))
        return memory(own);
    own->later[own->later_count++] = *start;
    return CRD_OK;
}

/* may_wait: until its variables are known. */
static crd_status read_definition(reader *own, bool may_wait) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_i_xml start = own->xml;
    bool has_table;
    size_t node = 0;
    const char *tag = crd_i_xml_is(&own->xml, "DEFINITION") ? "DEFINITION" : "PROBABILITY";
    crd_status status = take_definition(own, tag, &has_table);
    if (status != CRD_OK) return status;
    if (may_wait && !crd_i_draft_knows(&own->draft, NULL)) return put_off(own, &start);
    status = crd_i_draft_family(&own->draft, start.place, NULL, &node);
    if (status != CRD_OK || own->draft.network->nodes[node].kind == CRD_NODE_DECISION) return status;
    if (!has_table)
        return crd_i_draft_fail(&own->draft, start.place, CRD_ERROR_EMPTY, "the definition of %s has no <TABLE>",
                                crd_i_quote(own->draft.network->nodes[node].name, quoted));
    return crd_i_draft_table(&own->draft, start.place, node);
}

static crd_status read_network(reader *own) {
    crd_status status = CRD_OK;
    if (own->has_network) return crd_i_xml_unexpected(&own->draft, &own->xml, "no second network");
    own->has_network = true;
    for (next(own); status == CRD_OK && !crd_i_xml_at_close(&own->draft, &own->xml, "NETWORK", &status); next(own)) {
        if (own->xml.kind != CRD_I_XML_OPEN) continue;
        if (crd_i_context_cancelled(own->draft.context)) return crd_i_fail_cancelled(own->draft.error);
        if (crd_i_xml_is(&own->xml, "VARIABLE")) {
            status = read_variable(own);
        } else if (crd_i_xml_is(&own->xml, "DEFINITION") || crd_i_xml_is(&own->xml, "PROBABILITY")) {
            status = read_definition(own, true);
        } else if (crd_i_xml_is(&own->xml, "NAME")) {
            own->name.length = 0;
            status = crd_i_xml_read_text(&own->draft, &own->xml, "NAME", &own->name);
            if (status == CRD_OK) status = crd_i_draft_name(&own->draft, name_of(own));
        } else {
            status = crd_i_xml_pass_element(&own->draft, &own->xml);
        }
    }
    return status;
}

static crd_status read_document(reader *own) {
    crd_status status = CRD_OK;
    do next(own);
    while (own->xml.kind == CRD_I_XML_TEXT);
    if (own->xml.kind != CRD_I_XML_OPEN || !crd_i_xml_is(&own->xml, "BIF"))
        return crd_i_xml_unexpected(&own->draft, &own->xml, "\"<BIF>\", which XMLBIF begins with,");
    for (next(own); status == CRD_OK && !crd_i_xml_at_close(&own->draft, &own->xml, "BIF", &status); next(own)) {
        if (own->xml.kind != CRD_I_XML_OPEN) continue;
        status =
            crd_i_xml_is(&own->xml, "NETWORK") ? read_network(own) : crd_i_xml_pass_element(&own->draft, &own->xml);
    }
    for (size_t i = 0; status == CRD_OK && i < own->later_count; i++) {
        own->xml = own->later[i];
        status = read_definition(own, false);
    }
    return status;
}

crd_status crd_i_xmlbif_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                             crd_error *error) {
    reader own = {.xml = crd_i_xml_begin(bytes), .name = {.context = context}};
    crd_status status = crd_i_draft_begin(&own.draft, context, place, error);
    if (status == CRD_OK) status = read_document(&own);
    crd_free(context, own.later);
    crd_i_buffer_clear(&own.name);
    return crd_i_draft_end(&own.draft, status, out);
}

static bool begins_with(const char *at, const char *end, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/* To behind the next `word`; the end if there is none. */
static const char *pass(const char *at, const char *end, const char *word) {
    while (at < end && !begins_with(at, end, word)) at++;
    return at < end ? at + strlen(word) : end;
}

static const char *pass_blanks(const char *at, const char *end) {
    while (at < end && crd_i_xml_is_blank(*at)) at++;
    return at;
}

/* Behind "<!DOCTYPE BIF". */
static bool is_type(const char *at, const char *end) {
    at = pass_blanks(at, end);
    if (at == end || *at == '>' || begins_with(at, end, "SYSTEM") || begins_with(at, end, "PUBLIC")) return true;
    if (*at != '[') return false;
    at = pass_blanks(at + 1, end);
    return at == end || *at == ']' || *at == '%' || begins_with(at, end, "<!--") || begins_with(at, end, "<!E") ||
           begins_with(at, end, "<!A") || begins_with(at, end, "<!N");
}

/* Whether the document type is that of XMLBIF; it may go on beyond these bytes. */
static bool has_type(const char *at, const char *end) {
    static const char type[] = "<!DOCTYPE BIF";
    for (;;) {
        at = pass_blanks(at, end);
        if (begins_with(at, end, "<?")) at = pass(at, end, "?>");
        else if (begins_with(at, end, "<!--")) at = pass(at, end, "-->");
        else return begins_with(at, end, type) && is_type(at + strlen(type), end);
    }
}

/* Whether the first line has nothing but blanks outside of its elements: a row of a table whose first value is XML goes on. */
static bool is_line_of_xml(crd_i_xml xml) {
    const char *line = memchr(xml.at, '\n', (size_t)(xml.end - xml.at));
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

/* Any XML, unless it is a table of tags: so reading it can report what it is not. */
bool crd_i_xmlbif_recognise(crd_text beginning) {
    crd_i_xml xml = crd_i_xml_begin(beginning);
    while (xml.at < xml.end && crd_i_xml_is_blank(*xml.at)) xml.at++;
    const char *first = xml.at;
    if (first == xml.end || *first != '<') return false;
    if (begins_with(first, xml.end, "<?xml") && xml.end - first > 5 && crd_i_xml_is_blank(first[5]) &&
        is_line_of_xml(xml))
        return true;
    if (has_type(first, xml.end)) return true;
    return crd_i_xml_pass_prolog(&xml) && crd_i_xml_is(&xml, "BIF") &&
           crd_i_xml_has_child(xml, crd_i_xml_attribute(&xml, "VERSION").bytes != NULL, "NETWORK");
}
