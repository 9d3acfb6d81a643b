/* SPDX-License-Identifier: MIT */
/* xdsl.c - see xdsl.h. */
#include "network/formats/xdsl.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/formats/xml_elements.h"

#include <string.h>

typedef struct reader {
    crd_i_draft draft;
    crd_i_xml xml;
    crd_i_dictionary *identifiers; /* node numbers by what they are called in this file */
    crd_i_buffer name, text;       /* of the node that is read, and of what it holds */
    bool has_tables;               /* nodes are known: their arcs and tables are read */
} reader;

static crd_text text_of(const crd_i_buffer *buffer) {
    return (crd_text){buffer->bytes == NULL ? "" : (const char *)buffer->bytes, buffer->length};
}

static void next(reader *own) {
    crd_i_xml_next(&own->xml);
}

/* An attribute that has to be there, in the place of what the buffer holds. */
static crd_status read_identifier(reader *own, crd_i_buffer *to) {
    bool has = false;
    to->length = 0;
    const crd_i_file_place place = own->xml.place;
    crd_status status = crd_i_xml_read_attribute(&own->draft, &own->xml, "id", to, &has);
    if (status != CRD_OK || has) return status;
    return crd_i_draft_fail(&own->draft, place, CRD_ERROR_SYNTAX, "this element has no attribute id");
}

/* What an element says as words between blanks. */
static crd_status read_words(reader *own, const char *tag) {
    own->text.length = 0;
    crd_status status = crd_i_xml_read_text(&own->draft, &own->xml, tag, &own->text);
    const crd_text text = text_of(&own->text);
    for (size_t i = 0; status == CRD_OK && i < text.length;) {
        size_t end = i;
        while (end < text.length && !crd_i_xml_is_gap(text.bytes[end])) end++;
        if (end > i && !crd_i_buffer_append(&own->draft.letters, text.bytes + i, end - i))
            return crd_i_fail_memory(own->draft.error);
        if (end > i) status = crd_i_draft_letters_word(&own->draft);
        i = end + 1;
    }
    return status;
}

/* ---- Nodes ---- */

/* A property that has names in the place of identifiers: the node's, or those of the states so far. */
static crd_status read_property(reader *own) {
    const crd_i_file_place place = own->xml.place;
    crd_status status = read_identifier(own, &own->text);
    if (status != CRD_OK) return status;
    const bool is_name = crd_text_equal(text_of(&own->text), crd_text_of(CRD_I_XDSL_NAME));
    if (!is_name && !crd_text_equal(text_of(&own->text), crd_text_of(CRD_I_XDSL_STATES)))
        return crd_i_xml_pass_element(&own->draft, &own->xml);
    own->text.length = 0;
    status = crd_i_xml_read_text(&own->draft, &own->xml, "property", &own->text);
    if (status != CRD_OK) return status;
    if (!is_name) return crd_i_draft_decode_states(&own->draft, place, text_of(&own->text));
    own->name.length = 0;
    return crd_i_draft_decode(&own->draft, text_of(&own->text), &own->name);
}

static crd_status read_state(reader *own) {
    crd_status status = read_identifier(own, &own->text);
    if (status == CRD_OK && !crd_i_buffer_append(&own->draft.letters, own->text.bytes, own->text.length))
        status = crd_i_fail_memory(own->draft.error);
    if (status == CRD_OK) status = crd_i_draft_letters_word(&own->draft);
    return status == CRD_OK ? crd_i_xml_pass_element(&own->draft, &own->xml) : status;
}

static crd_status read_node(reader *own, const char *tag, crd_node_kind kind) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_i_file_place place = own->xml.place;
    crd_status status = read_identifier(own, &own->name);
    if (status != CRD_OK) return status;
    const int32_t code = crd_i_dictionary_add(own->identifiers, text_of(&own->name));
    if (code < 0) return crd_i_fail_memory(own->draft.error);
    if ((size_t)code != own->draft.network->count)
        return crd_i_draft_fail(&own->draft, place, CRD_ERROR_COLUMN, "two nodes are called %s",
                                crd_i_quote(text_of(&own->name), quoted));
    crd_i_draft_clear_words(&own->draft);
    for (next(own); status == CRD_OK && !crd_i_xml_at_close(&own->draft, &own->xml, tag, &status); next(own)) {
        if (status != CRD_OK || own->xml.kind != CRD_I_XML_OPEN) continue;
        if (crd_i_xml_is(&own->xml, "state")) status = read_state(own);
        else if (crd_i_xml_is(&own->xml, "property")) status = read_property(own);
        else status = crd_i_xml_pass_element(&own->draft, &own->xml);
    }
    if (status != CRD_OK) return status;
    crd_i_draft_settle(&own->draft);
    return crd_i_draft_node(&own->draft, place, text_of(&own->name), kind);
}

/* ---- Arcs and tables ---- */

/* A row with one certain state for each of the words. */
static crd_status certain_rows(reader *own, crd_i_file_place place, const crd_i_node *node) {
    char quoted[2][CRD_I_QUOTED_ROOM];
    crd_i_draft_settle(&own->draft);
    for (size_t i = 0; i < own->draft.word_count; i++) {
        const int32_t certain = crd_i_node_find(node, own->draft.words[i]);
        if (certain < 0)
            return crd_i_draft_fail(&own->draft, place, CRD_ERROR_COLUMN, "%s has no state %s",
                                    crd_i_quote(node->name, quoted[0]), crd_i_quote(own->draft.words[i], quoted[1]));
        for (size_t state = 0; state < crd_i_node_states(node); state++) {
            const crd_status status = crd_i_draft_number(&own->draft, (size_t)certain == state ? 1 : 0);
            if (status != CRD_OK) return status;
        }
    }
    return CRD_OK;
}

/* The parents of a node; the words begin with the node itself. */
static crd_status read_parents(reader *own, crd_i_file_place place) {
    size_t node;
    crd_i_draft_clear_words(&own->draft);
    if (!crd_i_buffer_append(&own->draft.letters, own->name.bytes, own->name.length))
        return crd_i_fail_memory(own->draft.error);
    crd_status status = crd_i_draft_letters_word(&own->draft);
    if (status == CRD_OK && own->xml.kind == CRD_I_XML_OPEN) status = read_words(own, "parents");
    if (status != CRD_OK) return status;
    crd_i_draft_settle(&own->draft);
    return crd_i_draft_family(&own->draft, place, own->identifiers, &node);
}

static crd_status read_table(reader *own, const char *tag) {
    const crd_i_file_place place = own->xml.place;
    crd_status status = read_identifier(own, &own->name);
    if (status != CRD_OK) return status;
    const size_t index = (size_t)crd_i_dictionary_find(own->identifiers, text_of(&own->name));
    const crd_i_node *node = &own->draft.network->nodes[index];
    bool has_results = false;
    crd_i_draft_clear_numbers(&own->draft);
    for (next(own); status == CRD_OK && !crd_i_xml_at_close(&own->draft, &own->xml, tag, &status); next(own)) {
        if (status != CRD_OK || own->xml.kind != CRD_I_XML_OPEN) continue;
        const bool is_results = crd_i_xml_is(&own->xml, "resultingstates");
        has_results = has_results || is_results;
        if (crd_i_xml_is(&own->xml, "parents")) {
            status = read_parents(own, place);
        } else if (crd_i_xml_is(&own->xml, "probabilities")) {
            status = crd_i_xml_read_numbers(&own->draft, &own->xml, "probabilities");
        } else if (crd_i_xml_is(&own->xml, "utilities")) {
            status = crd_i_xml_read_numbers(&own->draft, &own->xml, "utilities");
        } else if (is_results) {
            crd_i_draft_clear_words(&own->draft);
            status = read_words(own, "resultingstates");
            if (status == CRD_OK) status = certain_rows(own, place, node);
        } else {
            status = crd_i_xml_pass_element(&own->draft, &own->xml);
        }
    }
    if (status == CRD_OK && node->parents == NULL) status = read_parents(own, place);
    if (status != CRD_OK || node->kind == CRD_NODE_DECISION) return status;
    return crd_i_draft_table(&own->draft, place, index);
}

/* ---- The document ---- */

static crd_status read_element(reader *own) {
    static const struct {
        const char *tag;
        crd_node_kind kind;
    } nodes[] = {{"cpt", CRD_NODE_CHANCE},
                 {"deterministic", CRD_NODE_CHANCE},
                 {"decision", CRD_NODE_DECISION},
                 {"utility", CRD_NODE_UTILITY}};
    char quoted[2][CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (crd_i_xml_is(&own->xml, nodes[i].tag))
            return own->has_tables ? read_table(own, nodes[i].tag) : read_node(own, nodes[i].tag, nodes[i].kind);
    const crd_i_file_place place = own->xml.place;
    const crd_text tag = own->xml.name;
    crd_status status = read_identifier(own, &own->name);
    if (status != CRD_OK) return status;
    return crd_i_draft_fail(&own->draft, place, CRD_ERROR_SYNTAX,
                            "%s is a node of type %s, which cannot be read: make it one with a table of probabilities",
                            crd_i_quote(text_of(&own->name), quoted[0]), crd_i_quote(tag, quoted[1]));
}

static crd_status read_nodes(reader *own) {
    crd_status status = CRD_OK;
    for (next(own); status == CRD_OK && !crd_i_xml_at_close(&own->draft, &own->xml, "nodes", &status); next(own)) {
        if (status != CRD_OK || own->xml.kind != CRD_I_XML_OPEN) continue;
        if (crd_i_context_cancelled(own->draft.context)) return crd_i_fail_cancelled(own->draft.error);
        status = read_element(own);
    }
    return status;
}

/* The user properties of the network, one of which may be its name. */
static crd_status read_properties(reader *own) {
    crd_status status = CRD_OK;
    crd_i_draft_clear_words(&own->draft);
    for (next(own); status == CRD_OK && !crd_i_xml_at_close(&own->draft, &own->xml, "properties", &status); next(own)) {
        if (status != CRD_OK || own->xml.kind != CRD_I_XML_OPEN) continue;
        status =
            crd_i_xml_is(&own->xml, "property") ? read_property(own) : crd_i_xml_pass_element(&own->draft, &own->xml);
    }
    return status == CRD_OK ? crd_i_draft_name(&own->draft, text_of(&own->name)) : status;
}

static crd_status read_document(reader *own) {
    crd_status status = CRD_OK;
    do next(own);
    while (own->xml.kind == CRD_I_XML_TEXT);
    if (own->xml.kind != CRD_I_XML_OPEN || !crd_i_xml_is(&own->xml, "smile"))
        return crd_i_xml_unexpected(&own->draft, &own->xml, "\"<smile>\", which a network of GeNIe begins with,");
    bool has_name = false;
    own->name.length = 0;
    status = crd_i_xml_read_attribute(&own->draft, &own->xml, "id", &own->name, &has_name);
    if (status == CRD_OK && has_name) status = crd_i_draft_name(&own->draft, text_of(&own->name));
    if (status != CRD_OK) return status;
    for (next(own); status == CRD_OK && !crd_i_xml_at_close(&own->draft, &own->xml, "smile", &status); next(own)) {
        if (status != CRD_OK || own->xml.kind != CRD_I_XML_OPEN) continue;
        if (crd_i_xml_is(&own->xml, "nodes")) status = read_nodes(own);
        else if (crd_i_xml_is(&own->xml, "properties")) status = read_properties(own);
        else status = crd_i_xml_pass_element(&own->draft, &own->xml);
    }
    return status;
}

crd_status crd_i_xdsl_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                           crd_error *error) {
    reader own = {.name = {.context = context}, .text = {.context = context}};
    crd_status status = crd_i_draft_begin(&own.draft, context, place, error);
    if (status == CRD_OK && (own.identifiers = crd_i_dictionary_create(context)) == NULL)
        status = crd_i_fail_memory(error);
    for (int pass = 0; status == CRD_OK && pass < 2; pass++) {
        own.xml = crd_i_xml_begin(bytes);
        own.has_tables = pass == 1;
        status = read_document(&own);
    }
    crd_i_dictionary_destroy(own.identifiers);
    crd_i_buffer_clear(&own.name);
    crd_i_buffer_clear(&own.text);
    return crd_i_draft_end(&own.draft, status, out);
}

/* <smile> is also a word of chats, which a table may begin with. */
bool crd_i_xdsl_recognise(crd_text beginning) {
    static const char *const children[] = {"nodes", "properties", "extensions"};
    crd_i_xml xml = crd_i_xml_begin(beginning);
    if (!crd_i_xml_pass_prolog(&xml) || !crd_i_xml_is(&xml, "smile")) return false;
    const bool has_version = crd_i_xml_attribute(&xml, "version").bytes != NULL;
    bool has_child = false;
    for (size_t i = 0; i < sizeof children / sizeof *children; i++)
        has_child = has_child || crd_i_xml_has_child(xml, has_version, children[i]);
    return has_child;
}
