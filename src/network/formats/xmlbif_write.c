/* SPDX-License-Identifier: MIT */
/* xmlbif_write.c - see xmlbif.h. */
#include "base/utf8.h"
#include "network/formats/network_writer.h"
#include "network/formats/xmlbif.h"

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
