/* SPDX-License-Identifier: MIT */
/* xml_elements.c - see xml_elements.h. */
#include "network/formats/xml_elements.h"

#include "base/error.h"
#include "math/decimal/decimal.h"

#include <stdio.h>

crd_status crd_i_xml_unexpected(const crd_i_draft *draft, const crd_i_xml *xml, const char *expected) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (xml->kind == CRD_I_XML_BROKEN) return crd_i_draft_fail(draft, xml->place, CRD_ERROR_SYNTAX, "%s", xml->problem);
    if (xml->kind == CRD_I_XML_END)
        return crd_i_draft_fail(draft, xml->place, CRD_ERROR_SYNTAX, "the file ends, but expected %s", expected);
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
    const crd_status status = crd_i_xml_decode(xml, buffer, start, solid, &bad);
    if (status == CRD_OK) return CRD_OK;
    if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(draft->error);
    return crd_i_draft_fail(draft, crd_i_xml_place_of(xml, bad), status,
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
            return crd_i_draft_fail(draft, crd_i_xml_place_of(xml, begin), CRD_ERROR_SYNTAX,
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
