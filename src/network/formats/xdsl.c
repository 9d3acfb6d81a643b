/* SPDX-License-Identifier: MIT */
/* xdsl.c - networks in the format of GeNIe and SMILE: see network_format.h.
 *
 * Contents:
 *   1. Reader
 *   2. Writer */
#include "network/formats/network_format.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/formats/network_draft.h"
#include "network/formats/network_writer.h"
#include "network/formats/xml.h"

#include <string.h>

/* ======== 1. Reader ======== */

typedef struct xdsl_reader {
    crd_i_draft draft;
    crd_i_xml xml;
    crd_i_dictionary *identifiers; /* node numbers by their identifiers in this file */
    crd_i_buffer name, text;       /* name of the current node, and text of the current element */
    bool has_tables;               /* second pass: nodes are known, and their arcs and tables are read */
} xdsl_reader;

static crd_text xdsl_text(const crd_i_buffer *buffer) {
    return (crd_text){buffer->bytes == NULL ? "" : (const char *)buffer->bytes, buffer->length};
}

static void xdsl_next(xdsl_reader *reader) {
    crd_i_xml_next(&reader->xml);
}

/* Reads the required attribute id into the buffer, which is overwritten. */
static crd_status read_identifier(xdsl_reader *reader, crd_i_buffer *buffer) {
    bool has = false;
    buffer->length = 0;
    const crd_i_file_place place = reader->xml.place;
    crd_status status = crd_i_xml_read_attribute(&reader->draft, &reader->xml, "id", buffer, &has);
    if (status != CRD_OK || has) return status;
    return crd_i_draft_fail(&reader->draft, place, CRD_ERROR_SYNTAX, "this element has no attribute id");
}

/* Reads the text of an element as words separated by whitespace. */
static crd_status xdsl_read_words(xdsl_reader *reader, const char *tag) {
    reader->text.length = 0;
    crd_status status = crd_i_xml_read_text(&reader->draft, &reader->xml, tag, &reader->text);
    const crd_text text = xdsl_text(&reader->text);
    for (size_t i = 0; status == CRD_OK && i < text.length;) {
        size_t end = i;
        while (end < text.length && !crd_i_xml_is_gap(text.bytes[end])) end++;
        if (end > i && !crd_i_buffer_append(&reader->draft.letters, text.bytes + i, end - i))
            return crd_i_fail_memory(reader->draft.error);
        if (end > i) status = crd_i_draft_letters_word(&reader->draft);
        i = end + 1;
    }
    return status;
}

/* ---- Nodes ---- */

/* Reads a property with original names: the name of the node, or of its states so far. */
static crd_status xdsl_read_property(xdsl_reader *reader) {
    const crd_i_file_place place = reader->xml.place;
    crd_status status = read_identifier(reader, &reader->text);
    if (status != CRD_OK) return status;
    const bool is_name = crd_text_equal(xdsl_text(&reader->text), crd_text_of(CRD_I_XDSL_NAME));
    if (!is_name && !crd_text_equal(xdsl_text(&reader->text), crd_text_of(CRD_I_XDSL_STATES)))
        return crd_i_xml_pass_element(&reader->draft, &reader->xml);
    reader->text.length = 0;
    status = crd_i_xml_read_text(&reader->draft, &reader->xml, "property", &reader->text);
    if (status != CRD_OK) return status;
    if (!is_name) return crd_i_draft_decode_states(&reader->draft, place, xdsl_text(&reader->text));
    reader->name.length = 0;
    return crd_i_draft_decode(&reader->draft, xdsl_text(&reader->text), &reader->name);
}

static crd_status read_state(xdsl_reader *reader) {
    crd_status status = read_identifier(reader, &reader->text);
    if (status == CRD_OK && !crd_i_buffer_append(&reader->draft.letters, reader->text.bytes, reader->text.length))
        status = crd_i_fail_memory(reader->draft.error);
    if (status == CRD_OK) status = crd_i_draft_letters_word(&reader->draft);
    return status == CRD_OK ? crd_i_xml_pass_element(&reader->draft, &reader->xml) : status;
}

/* Reads a node with its states. The second pass reads its parents and table. */
static crd_status xdsl_read_node(xdsl_reader *reader, const char *tag, crd_node_kind kind) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_i_file_place place = reader->xml.place;
    crd_status status = read_identifier(reader, &reader->name);
    if (status != CRD_OK) return status;
    const int32_t code = crd_i_dictionary_add(reader->identifiers, xdsl_text(&reader->name));
    if (code < 0) return crd_i_fail_memory(reader->draft.error);
    if ((size_t)code != reader->draft.network->count)
        return crd_i_draft_fail(&reader->draft, place, CRD_ERROR_COLUMN, "two nodes are called %s",
                                crd_i_quote(xdsl_text(&reader->name), quoted));
    crd_i_draft_clear_words(&reader->draft);
    for (xdsl_next(reader); status == CRD_OK && !crd_i_xml_at_close(&reader->draft, &reader->xml, tag, &status);
         xdsl_next(reader)) {
        if (status != CRD_OK || reader->xml.kind != CRD_I_XML_OPEN) continue;
        if (crd_i_xml_is(&reader->xml, "state")) status = read_state(reader);
        else if (crd_i_xml_is(&reader->xml, "property")) status = xdsl_read_property(reader);
        else status = crd_i_xml_pass_element(&reader->draft, &reader->xml);
    }
    if (status != CRD_OK) return status;
    crd_i_draft_settle(&reader->draft);
    return crd_i_draft_node(&reader->draft, place, xdsl_text(&reader->name), kind);
}

/* ---- Arcs and tables ---- */

/* Adds a row for each of the words, with probability 1 for the state that it names. */
static crd_status certain_rows(xdsl_reader *reader, crd_i_file_place place, const crd_i_node *node) {
    char quoted[2][CRD_I_QUOTED_ROOM];
    crd_i_draft_settle(&reader->draft);
    for (size_t i = 0; i < reader->draft.word_count; i++) {
        const int32_t certain = crd_i_node_find(node, reader->draft.words[i]);
        if (certain < 0)
            return crd_i_draft_fail(&reader->draft, place, CRD_ERROR_COLUMN, "%s has no state %s",
                                    crd_i_quote(node->name, quoted[0]), crd_i_quote(reader->draft.words[i], quoted[1]));
        for (size_t state = 0; state < crd_i_node_states(node); state++) {
            const crd_status status = crd_i_draft_number(&reader->draft, (size_t)certain == state ? 1 : 0);
            if (status != CRD_OK) return status;
        }
    }
    return CRD_OK;
}

/* Reads the parents of a node. The words of the draft begin with the node itself. */
static crd_status xdsl_read_parents(xdsl_reader *reader, crd_i_file_place place) {
    size_t node;
    crd_i_draft_clear_words(&reader->draft);
    if (!crd_i_buffer_append(&reader->draft.letters, reader->name.bytes, reader->name.length))
        return crd_i_fail_memory(reader->draft.error);
    crd_status status = crd_i_draft_letters_word(&reader->draft);
    if (status == CRD_OK && reader->xml.kind == CRD_I_XML_OPEN) status = xdsl_read_words(reader, "parents");
    if (status != CRD_OK) return status;
    crd_i_draft_settle(&reader->draft);
    return crd_i_draft_family(&reader->draft, place, reader->identifiers, &node);
}

/* Reads the parents and the table of a node, in the second pass. */
static crd_status xdsl_read_table(xdsl_reader *reader, const char *tag) {
    const crd_i_file_place place = reader->xml.place;
    crd_status status = read_identifier(reader, &reader->name);
    if (status != CRD_OK) return status;
    const size_t index = (size_t)crd_i_dictionary_find(reader->identifiers, xdsl_text(&reader->name));
    const crd_i_node *node = &reader->draft.network->nodes[index];
    bool has_results = false;
    crd_i_draft_clear_numbers(&reader->draft);
    for (xdsl_next(reader); status == CRD_OK && !crd_i_xml_at_close(&reader->draft, &reader->xml, tag, &status);
         xdsl_next(reader)) {
        if (status != CRD_OK || reader->xml.kind != CRD_I_XML_OPEN) continue;
        const bool is_results = crd_i_xml_is(&reader->xml, "resultingstates");
        has_results = has_results || is_results;
        if (crd_i_xml_is(&reader->xml, "parents")) {
            status = xdsl_read_parents(reader, place);
        } else if (crd_i_xml_is(&reader->xml, "probabilities")) {
            status = crd_i_xml_read_numbers(&reader->draft, &reader->xml, "probabilities");
        } else if (crd_i_xml_is(&reader->xml, "utilities")) {
            status = crd_i_xml_read_numbers(&reader->draft, &reader->xml, "utilities");
        } else if (is_results) {
            crd_i_draft_clear_words(&reader->draft);
            status = xdsl_read_words(reader, "resultingstates");
            if (status == CRD_OK) status = certain_rows(reader, place, node);
        } else {
            status = crd_i_xml_pass_element(&reader->draft, &reader->xml);
        }
    }
    if (status == CRD_OK && node->parents == NULL) status = xdsl_read_parents(reader, place);
    if (status != CRD_OK || node->kind == CRD_NODE_DECISION) return status;
    return crd_i_draft_table(&reader->draft, place, index);
}

/* ---- Document ---- */

static crd_status read_element(xdsl_reader *reader) {
    static const struct {
        const char *tag;
        crd_node_kind kind;
    } nodes[] = {{"cpt", CRD_NODE_CHANCE},
                 {"deterministic", CRD_NODE_CHANCE},
                 {"decision", CRD_NODE_DECISION},
                 {"utility", CRD_NODE_UTILITY}};
    char quoted[2][CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (crd_i_xml_is(&reader->xml, nodes[i].tag))
            return reader->has_tables ? xdsl_read_table(reader, nodes[i].tag)
                                      : xdsl_read_node(reader, nodes[i].tag, nodes[i].kind);
    const crd_i_file_place place = reader->xml.place;
    const crd_text tag = reader->xml.name;
    crd_status status = read_identifier(reader, &reader->name);
    if (status != CRD_OK) return status;
    return crd_i_draft_fail(
        &reader->draft, place, CRD_ERROR_SYNTAX,
        "%s is a node of the unsupported type %s: convert it to a node with a table of probabilities",
        crd_i_quote(xdsl_text(&reader->name), quoted[0]), crd_i_quote(tag, quoted[1]));
}

static crd_status xdsl_read_nodes(xdsl_reader *reader) {
    crd_status status = CRD_OK;
    for (xdsl_next(reader); status == CRD_OK && !crd_i_xml_at_close(&reader->draft, &reader->xml, "nodes", &status);
         xdsl_next(reader)) {
        if (status != CRD_OK || reader->xml.kind != CRD_I_XML_OPEN) continue;
        if (crd_i_context_cancelled(reader->draft.context)) return crd_i_fail_cancelled(reader->draft.error);
        status = read_element(reader);
    }
    return status;
}

/* Reads the user properties of the network, one of which may be its name. */
static crd_status read_properties(xdsl_reader *reader) {
    crd_status status = CRD_OK;
    crd_i_draft_clear_words(&reader->draft);
    for (xdsl_next(reader);
         status == CRD_OK && !crd_i_xml_at_close(&reader->draft, &reader->xml, "properties", &status);
         xdsl_next(reader)) {
        if (status != CRD_OK || reader->xml.kind != CRD_I_XML_OPEN) continue;
        status = crd_i_xml_is(&reader->xml, "property") ? xdsl_read_property(reader)
                                                        : crd_i_xml_pass_element(&reader->draft, &reader->xml);
    }
    return status == CRD_OK ? crd_i_draft_name(&reader->draft, xdsl_text(&reader->name)) : status;
}

static crd_status xdsl_read_document(xdsl_reader *reader) {
    crd_status status = CRD_OK;
    do xdsl_next(reader);
    while (reader->xml.kind == CRD_I_XML_TEXT);
    if (reader->xml.kind != CRD_I_XML_OPEN || !crd_i_xml_is(&reader->xml, "smile"))
        return crd_i_xml_unexpected(&reader->draft, &reader->xml, "\"<smile>\", the root element of a GeNIe file");
    bool has_name = false;
    reader->name.length = 0;
    status = crd_i_xml_read_attribute(&reader->draft, &reader->xml, "id", &reader->name, &has_name);
    if (status == CRD_OK && has_name) status = crd_i_draft_name(&reader->draft, xdsl_text(&reader->name));
    if (status != CRD_OK) return status;
    for (xdsl_next(reader); status == CRD_OK && !crd_i_xml_at_close(&reader->draft, &reader->xml, "smile", &status);
         xdsl_next(reader)) {
        if (status != CRD_OK || reader->xml.kind != CRD_I_XML_OPEN) continue;
        if (crd_i_xml_is(&reader->xml, "nodes")) status = xdsl_read_nodes(reader);
        else if (crd_i_xml_is(&reader->xml, "properties")) status = read_properties(reader);
        else status = crd_i_xml_pass_element(&reader->draft, &reader->xml);
    }
    return status;
}

crd_status crd_i_xdsl_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                           crd_error *error) {
    xdsl_reader reader = {.name = {.context = context}, .text = {.context = context}};
    crd_status status = crd_i_draft_begin(&reader.draft, context, place, error);
    if (status == CRD_OK && (reader.identifiers = crd_i_dictionary_create(context)) == NULL)
        status = crd_i_fail_memory(error);
    for (int pass = 0; status == CRD_OK && pass < 2; pass++) {
        reader.xml = crd_i_xml_begin(bytes);
        reader.has_tables = pass == 1;
        status = xdsl_read_document(&reader);
    }
    crd_i_dictionary_destroy(reader.identifiers);
    crd_i_buffer_clear(&reader.name);
    crd_i_buffer_clear(&reader.text);
    return crd_i_draft_end(&reader.draft, status, out);
}

/* A data table may begin with <smile>, which is also used in chats. Therefore the first child is checked. */
bool crd_i_xdsl_recognize(crd_text beginning) {
    static const char *const children[] = {"nodes", "properties", "extensions"};
    crd_i_xml xml = crd_i_xml_begin(beginning);
    if (!crd_i_xml_pass_prolog(&xml) || !crd_i_xml_is(&xml, "smile")) return false;
    const bool has_version = crd_i_xml_attribute(&xml, "version").bytes != NULL;
    bool has_child = false;
    for (size_t i = 0; i < sizeof children / sizeof *children; i++)
        has_child = has_child || crd_i_xml_has_child(xml, has_version, children[i]);
    return has_child;
}

/* ======== 2. Writer ======== */

static const crd_i_identifier_rules rules = {.further = ""};

static void put_id(crd_i_writing *writing, const char *tag, crd_text identifier, const char *end) {
    crd_i_put_words(writing, "<");
    crd_i_put_words(writing, tag);
    crd_i_put_words(writing, " id=\"");
    crd_i_put(writing, identifier.bytes, identifier.length);
    crd_i_put_words(writing, end);
}

static void put_numbers(crd_i_writing *writing, const char *tag, const crd_i_node *node) {
    const size_t count = node->rows * crd_i_node_states(node);
    crd_i_put_words(writing, "      <");
    crd_i_put_words(writing, tag);
    crd_i_put_words(writing, ">");
    for (size_t i = 0; i < count && !writing->failed; i++) {
        if (i > 0) crd_i_put_words(writing, " ");
        crd_i_put_number(writing, node->table[i]);
    }
    crd_i_put_words(writing, "</");
    crd_i_put_words(writing, tag);
    crd_i_put_words(writing, ">\n");
}

static void put_properties(crd_i_writing *writing, const crd_i_network_identifiers *identifiers, size_t index) {
    const crd_i_node *node = &identifiers->network->nodes[index];
    if (crd_i_network_identifiers_rename(identifiers, index)) {
        crd_i_put_words(writing, "      <property id=\"" CRD_I_XDSL_NAME "\">");
        crd_i_put_encoded(writing, node->name);
        crd_i_put_words(writing, "</property>\n");
    }
    if (node->kind != CRD_NODE_UTILITY && crd_i_network_identifiers_rename_states(identifiers, index)) {
        crd_i_put_words(writing, "      <property id=\"" CRD_I_XDSL_STATES "\">");
        crd_i_put_encoded_list(writing, node->states);
        crd_i_put_words(writing, "</property>\n");
    }
}

static void xdsl_write_put_node(crd_i_writing *writing, const crd_i_network_identifiers *identifiers, size_t index) {
    static const char *const tags[] = {
        [CRD_NODE_CHANCE] = "cpt", [CRD_NODE_DECISION] = "decision", [CRD_NODE_UTILITY] = "utility"};
    const crd_i_node *node = &identifiers->network->nodes[index];
    const char *tag = tags[node->kind];
    crd_i_put_words(writing, "    ");
    put_id(writing, tag, crd_i_dictionary_text(identifiers->nodes, index), "\">\n");
    for (size_t i = 0; node->kind != CRD_NODE_UTILITY && i < crd_i_node_states(node); i++) {
        crd_i_put_words(writing, "      ");
        put_id(writing, "state", crd_i_dictionary_text(identifiers->states[index], i), "\" />\n");
    }
    for (size_t i = 0; i < node->parent_count; i++) {
        const crd_text parent = crd_i_dictionary_text(identifiers->nodes, node->parents[i]);
        crd_i_put_words(writing, i == 0 ? "      <parents>" : " ");
        crd_i_put(writing, parent.bytes, parent.length);
    }
    if (node->parent_count > 0) crd_i_put_words(writing, "</parents>\n");
    if (node->table != NULL) put_numbers(writing, node->kind == CRD_NODE_UTILITY ? "utilities" : "probabilities", node);
    put_properties(writing, identifiers, index);
    crd_i_put_words(writing, "    </");
    crd_i_put_words(writing, tag);
    crd_i_put_words(writing, ">\n");
}

/* Writes the names that GeNIe displays. Some readers require this element. */
static void put_extensions(crd_i_writing *writing, const crd_i_network_identifiers *identifiers) {
    crd_i_put_words(writing, "  <extensions>\n    <genie version=\"1.0\" app=\"Credence\" name=\"network\">\n");
    for (size_t i = 0; i < identifiers->network->count; i++) {
        const crd_text name = crd_i_dictionary_text(identifiers->nodes, i);
        crd_i_put_words(writing, "      ");
        put_id(writing, "node", name, "\">\n        <name>");
        crd_i_put(writing, name.bytes, name.length);
        crd_i_put_words(writing, "</name>\n      </node>\n");
    }
    crd_i_put_words(writing, "    </genie>\n  </extensions>\n");
}

crd_status crd_i_xdsl_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing writing = {out, false, {NULL, 0}};
    crd_i_network_identifiers identifiers;
    writing.failed = !crd_i_network_identifiers_create(&identifiers, network, &rules, &rules);
    crd_i_put_words(&writing, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<smile version=\"1.0\" id=\"");
    const bool has_name = crd_i_is_identifier(network->name, &rules);
    const crd_text name = has_name ? network->name : crd_text_of(CRD_I_NETWORK_UNNAMED);
    crd_i_put(&writing, name.bytes, name.length);
    crd_i_put_words(&writing, "\">\n");
    if (!has_name && network->name.length > 0) {
        crd_i_put_words(&writing, "  <properties>\n    <property id=\"" CRD_I_XDSL_NAME "\">");
        crd_i_put_encoded(&writing, network->name);
        crd_i_put_words(&writing, "</property>\n  </properties>\n");
    }
    crd_i_put_words(&writing, "  <nodes>\n");
    for (size_t i = 0; !writing.failed && i < network->count; i++) xdsl_write_put_node(&writing, &identifiers, i);
    crd_i_put_words(&writing, "  </nodes>\n");
    if (!writing.failed) put_extensions(&writing, &identifiers);
    crd_i_put_words(&writing, "</smile>\n");
    crd_i_network_identifiers_clear(&identifiers);
    return crd_i_writing_end(&writing, "cannot be written: it contains a NUL byte", error);
}
