/* SPDX-License-Identifier: MIT */
/* network_writer.c - see network_writer.h. */
#include "network/formats/network_writer.h"

#include "base/error.h"

#include <credence/number.h>

#include <stdio.h>
#include <string.h>

void crd_i_put(crd_i_writing *writing, const char *bytes, size_t length) {
    if (!writing->failed && !crd_i_buffer_append(writing->out, bytes, length)) writing->failed = true;
}

void crd_i_put_words(crd_i_writing *writing, const char *words) {
    crd_i_put(writing, words, strlen(words));
}

void crd_i_put_number(crd_i_writing *writing, double number) {
    char text[CRD_NUMBER_ROOM];
    crd_i_put(writing, text, crd_number_format(number, text));
}

void crd_i_put_count(crd_i_writing *writing, size_t count) {
    char text[32];
    crd_i_put(writing, text, (size_t)snprintf(text, sizeof text, "%zu", count));
}

void crd_i_put_quoted(crd_i_writing *writing, crd_text text) {
    size_t start = 0;
    crd_i_put_words(writing, "\"");
    for (size_t i = 0; i < text.length; i++) {
        const char byte = text.bytes[i];
        if (byte == '\0') crd_i_writing_refuse(writing, text);
        if (byte != '"' && byte != '\\' && byte != '\n' && byte != '\r') continue;
        const char escape[2] = {'\\', byte == '\n' ? 'n' : byte == '\r' ? 'r' : byte};
        crd_i_put(writing, text.bytes + start, i - start);
        crd_i_put(writing, escape, 2);
        start = i + 1;
    }
    crd_i_put(writing, text.bytes + start, text.length - start);
    crd_i_put_words(writing, "\"");
}

void crd_i_put_brackets(crd_i_writing *writing, const crd_network *network, const crd_i_node *node, size_t row,
                        const char *bracket) {
    size_t stride = node->rows;
    for (size_t i = 0; i < node->parent_count; i++) {
        const crd_i_node *parent = &network->nodes[node->parents[i]];
        if (!crd_i_node_is_discrete(parent)) continue;
        if (row % stride == 0) crd_i_put_words(writing, bracket);
        stride /= crd_i_node_states(parent);
    }
}

void crd_i_put_encoded(crd_i_writing *writing, crd_text name) {
    for (size_t i = 0; i < name.length; i++) {
        const unsigned char byte = (unsigned char)name.bytes[i];
        const bool is_end = byte == ' ' && (i == 0 || i + 1 == name.length);
        char code[4];
        if (byte == '\0') crd_i_writing_refuse(writing, name);
        if (byte >= ' ' && byte != 0x7f && !is_end && strchr("%\"\\{}()[],;|&<", (char)byte) == NULL)
            crd_i_put(writing, name.bytes + i, 1);
        else crd_i_put(writing, code, (size_t)snprintf(code, sizeof code, "%%%02X", byte));
    }
}

void crd_i_put_encoded_list(crd_i_writing *writing, const crd_i_dictionary *names) {
    for (size_t i = 0; i < crd_i_dictionary_size(names); i++) {
        if (i > 0) crd_i_put_words(writing, ", ");
        crd_i_put_encoded(writing, crd_i_dictionary_text(names, i));
    }
}

void crd_i_writing_refuse(crd_i_writing *writing, crd_text name) {
    if (writing->refused.bytes == NULL) writing->refused = name;
}

crd_status crd_i_writing_end(const crd_i_writing *writing, const char *why, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (writing->failed) return crd_i_fail_memory(error);
    if (writing->refused.bytes != NULL)
        return crd_i_fail(error, CRD_ERROR_SYNTAX, "the name %s %s", crd_i_quote(writing->refused, quoted), why);
    return CRD_OK;
}
