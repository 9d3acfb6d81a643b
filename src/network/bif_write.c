/* bif_write.c - see bif.h. */
#include "network/bif.h"

#include "base/error.h"

#include <credence/number.h>

#include <stdio.h>
#include <string.h>

/* Appending fails only for want of memory: once it has, nothing more is written. */
typedef struct writer {
    crd_i_buffer *out;
    bool failed;
    bool unwritable; /* a name that the format has no way for was met */
} writer;

static void put(writer *to, const char *bytes, size_t length) {
    if (!to->failed && !crd_i_buffer_append(to->out, bytes, length)) to->failed = true;
}

static void put_words(writer *to, const char *words) {
    put(to, words, strlen(words));
}

static bool is_plain(char byte) {
    return byte > ' ' && strchr("(){}[],;|\"", byte) == NULL;
}

/* Quoted where the bare name would be read as something else. */
static void put_name(writer *to, crd_text name) {
    static const char *const keywords[] = {"network", "variable", "probability", "property",
                                           "type",    "discrete", "table",       "default"};
    bool bare = name.length > 0;
    for (size_t i = 0; i < name.length; i++) {
        unsigned char byte = (unsigned char)name.bytes[i];
        if (byte < 0x80 && !is_plain((char)byte)) bare = false;
        if (byte == '"' || byte == '\n' || byte == '\r') to->unwritable = true;
    }
    if (name.length > 1 && name.bytes[0] == '/' && (name.bytes[1] == '/' || name.bytes[1] == '*')) bare = false;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (crd_text_equal(name, crd_text_of(keywords[i]))) bare = false;
    if (!bare) put_words(to, "\"");
    put(to, name.bytes, name.length);
    if (!bare) put_words(to, "\"");
}

static void put_variable(writer *to, const crd_i_node *node) {
    char count[48];
    put_words(to, "variable ");
    put_name(to, node->name);
    snprintf(count, sizeof count, " {\n  type discrete [ %zu ] { ", crd_i_node_states(node));
    put_words(to, count);
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        if (i > 0) put_words(to, ", ");
        put_name(to, crd_i_dictionary_text(node->states, i));
    }
    put_words(to, " };\n}\n");
}

static void put_row(writer *to, const double *row, size_t count) {
    char text[CRD_NUMBER_ROOM];
    for (size_t i = 0; i < count; i++) {
        put_words(to, i == 0 ? " " : ", ");
        put(to, text, crd_number_format(row[i], text));
    }
    put_words(to, ";\n");
}

static void put_table(writer *to, const crd_network *network, const crd_i_node *node) {
    size_t states = crd_i_node_states(node);
    put_words(to, "probability ( ");
    put_name(to, node->name);
    for (size_t i = 0; i < node->parent_count; i++) {
        put_words(to, i == 0 ? " | " : ", ");
        put_name(to, network->nodes[node->parents[i]].name);
    }
    put_words(to, " ) {\n");
    for (size_t row = 0; row < node->rows && !to->failed; row++) {
        size_t stride = node->rows;
        put_words(to, node->parent_count == 0 ? "  table" : "  (");
        for (size_t i = 0; i < node->parent_count; i++) {
            const crd_i_node *parent = &network->nodes[node->parents[i]];
            stride /= crd_i_node_states(parent);
            if (i > 0) put_words(to, ", ");
            put_name(to, crd_i_dictionary_text(parent->states, row / stride % crd_i_node_states(parent)));
        }
        if (node->parent_count > 0) put_words(to, ")");
        put_row(to, node->table + row * states, states);
    }
    put_words(to, "}\n");
}

crd_status crd_i_bif_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    writer to = {out, false, false};
    put_words(&to, "network ");
    put_name(&to, network->name);
    put_words(&to, " {\n}\n");
    for (size_t i = 0; i < network->count; i++) put_variable(&to, &network->nodes[i]);
    for (size_t i = 0; i < network->count; i++) put_table(&to, network, &network->nodes[i]);
    if (to.unwritable)
        return crd_i_fail(error, CRD_ERROR_SYNTAX,
                          "a name with a double quote or a line's end cannot be written as BIF");
    return to.failed ? crd_i_fail_memory(error) : CRD_OK;
}
