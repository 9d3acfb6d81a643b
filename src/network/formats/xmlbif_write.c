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

/* Whether XML 1.0 has a way to write all characters of the text: it has none for most control characters, nor for U+FFFE and U+FFFF. */
static bool is_xml(crd_text text) {
    bool is = crd_i_utf8_is_valid(text);
    for (size_t i = 0; is && i < text.length; i++) {
        const unsigned char *at = (const unsigned char *)text.bytes + i;
        const bool is_control = *at < ' ' && *at != '\t' && *at != '\n' && *at != '\r';
        const bool is_noncharacter = *at == 0xef && at[1] == 0xbf && (at[2] == 0xbe || at[2] == 0xbf);
        is = !is_control && !is_noncharacter;
    }
    return is;
}

static void put_text(crd_i_writing *to, crd_text text) {
    size_t start = 0;
    if (!is_xml(text)) crd_i_writing_refuse(to, text);
    for (size_t i = 0; i < text.length; i++) {
        const char byte = text.bytes[i];
        const char *escape = escape_of(byte);
        const bool is_control = (unsigned char)byte < ' ' || byte == 0x7f;
        const bool is_end = byte == ' ' && (i == 0 || i + 1 == text.length);
        if (escape == NULL && !is_control && !is_end) continue;
        crd_i_put(to, text.bytes + start, i - start);
        start = i + 1;
        if (escape != NULL) {
            crd_i_put_words(to, escape);
            continue;
        }
        crd_i_put_words(to, "&#");
        crd_i_put_count(to, (unsigned char)byte);
        crd_i_put_words(to, ";");
    }
    crd_i_put(to, text.bytes + start, text.length - start);
}

static void put_element(crd_i_writing *to, const char *name, crd_text text) {
    crd_i_put_words(to, "<");
    crd_i_put_words(to, name);
    crd_i_put_words(to, ">");
    put_text(to, text);
    crd_i_put_words(to, "</");
    crd_i_put_words(to, name);
    crd_i_put_words(to, ">\n");
}

static void put_variable(crd_i_writing *to, const crd_i_node *node) {
    static const char *const types[] = {
        [CRD_NODE_CHANCE] = "nature", [CRD_NODE_DECISION] = "decision", [CRD_NODE_UTILITY] = "utility"};
    crd_i_put_words(to, "<VARIABLE TYPE=\"");
    crd_i_put_words(to, types[node->kind]);
    crd_i_put_words(to, "\">\n  ");
    put_element(to, "NAME", node->name);
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        crd_i_put_words(to, "  ");
        put_element(to, "OUTCOME", crd_i_dictionary_text(node->states, i));
    }
    crd_i_put_words(to, "</VARIABLE>\n");
}

static void put_definition(crd_i_writing *to, const crd_network *network, const crd_i_node *node) {
    const size_t states = crd_i_node_states(node);
    crd_i_put_words(to, "<DEFINITION>\n  ");
    put_element(to, "FOR", node->name);
    for (size_t i = 0; i < node->parent_count; i++) {
        crd_i_put_words(to, "  ");
        put_element(to, "GIVEN", network->nodes[node->parents[i]].name);
    }
    if (node->table != NULL) {
        crd_i_put_words(to, "  <TABLE>");
        for (size_t i = 0; i < node->rows * states && !to->failed; i++) {
            crd_i_put_words(to, i % states == 0 ? "\n    " : " ");
            crd_i_put_number(to, node->table[i]);
        }
        crd_i_put_words(to, "\n  </TABLE>\n");
    }
    crd_i_put_words(to, "</DEFINITION>\n");
}

crd_status crd_i_xmlbif_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing to = {out, false, {NULL, 0}};
    crd_i_put_words(&to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<BIF VERSION=\"0.3\">\n<NETWORK>\n");
    put_element(&to, "NAME", network->name);
    for (size_t i = 0; i < network->count; i++) put_variable(&to, &network->nodes[i]);
    for (size_t i = 0; i < network->count; i++) put_definition(&to, network, &network->nodes[i]);
    crd_i_put_words(&to, "</NETWORK>\n</BIF>\n");
    return crd_i_writing_end(
        &to, "cannot be written: it has a character that XML cannot have, such as a control character", error);
}
