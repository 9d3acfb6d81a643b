/* SPDX-License-Identifier: MIT */
/* network_files_support.h - networks with any names and kinds of nodes in tests of their files, and whether two are the
 * same to the bit. */
#ifndef NETWORK_FILES_SUPPORT_H
#define NETWORK_FILES_SUPPORT_H

#include "network_support.h"

/* Names too, unless the format has none. */
static inline void assert_same_network(const crd_network *a, const crd_network *b, bool with_names) {
    if (with_names) assert_true(crd_text_equal(a->name, b->name));
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const crd_i_node *left = &a->nodes[i], *right = &b->nodes[i];
        if (with_names) assert_true(crd_text_equal(left->name, right->name));
        assert_int_equal(left->kind, right->kind);
        assert_int_equal(crd_i_node_states(left), crd_i_node_states(right));
        for (size_t j = 0; with_names && j < crd_i_node_states(left); j++)
            assert_true(
                crd_text_equal(crd_i_dictionary_text(left->states, j), crd_i_dictionary_text(right->states, j)));
        assert_int_equal(left->parent_count, right->parent_count);
        if (left->parent_count > 0)
            assert_memory_equal(left->parents, right->parents, left->parent_count * sizeof *left->parents);
        assert_int_equal(left->table == NULL, right->table == NULL);
        if (left->table != NULL)
            assert_memory_equal(left->table, right->table, left->rows * crd_i_node_width(left) * sizeof(double));
    }
}

/* Written, recognized by its bytes, and read again. */
static inline crd_network *through(crd_context *context, const crd_network *network, crd_network_format format) {
    crd_error error;
    crd_text text;
    crd_network *again = NULL;
    assert_done(crd_network_write(network, format, &text, &error), error);
    assert_int_equal(crd_network_recognize(text), format);
    assert_done(crd_network_read(context, text, "written", CRD_NETWORK_FORMAT_ANY, &again, &error), error);
    crd_free(context, (void *)text.bytes);
    return again;
}

static inline crd_network *read_as(crd_context *context, const char *text, crd_network_format format) {
    crd_network *network = NULL;
    crd_error error;
    assert_int_equal(crd_network_recognize(crd_text_of(text)), format);
    assert_done(crd_network_read(context, crd_text_of(text), "text", CRD_NETWORK_FORMAT_ANY, &network, &error), error);
    return network;
}

static inline bool has_state(const crd_network *network, size_t node, size_t state, const char *name) {
    return crd_text_equal(crd_i_dictionary_text(network->nodes[node].states, state), crd_text_of(name));
}

/* A text that is wrong, and what is said of it. */
typedef struct wrong_text {
    const char *text;
    crd_status status;
    uint64_t line, column;
    const char *part; /* of the message */
} wrong_text;

static inline void assert_wrong(crd_context *context, const wrong_text *wrong, crd_network_format format) {
    crd_network *network = NULL;
    crd_error error;
    crd_status status = crd_network_read(context, crd_text_of(wrong->text), "file", format, &network, &error);
    if (status != wrong->status || error.line != wrong->line || error.field != wrong->column ||
        strstr(error.message, wrong->part) == NULL || strcmp(error.place, "file") != 0)
        fail_msg("%s\n-> %s %s:%d:%d: %s", wrong->text, crd_status_name(status), error.place, (int)error.line,
                 (int)error.field, error.message);
    assert_null(network);
}

/* All of them, and nothing leaks. */
static inline void assert_all_wrong(const wrong_text *wrongs, size_t count, crd_network_format format) {
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (size_t i = 0; i < count; i++) assert_wrong(context, &wrongs[i], format);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Every beginning of a file, and every file with one byte changed, is read or refused, and nothing leaks. */
static inline void assert_damage_is_found(const char *text, crd_network_format format) {
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    static const char bytes[] = "{}()[];,\"/*9<>&=|%\n-";
    char damaged[4096];
    const size_t length = strlen(text);
    assert_true(length < sizeof damaged);
    for (size_t i = 0; i < length; i++)
        for (size_t kind = 0; kind < sizeof bytes; kind++) {
            crd_network *network = NULL;
            crd_error error;
            memcpy(damaged, text, length + 1);
            damaged[i] = bytes[kind];
            const crd_text whole = {damaged, bytes[kind] == '\0' ? i : length};
            if (crd_network_read(context, whole, "damaged", format, &network, &error) == CRD_OK)
                crd_network_destroy(network);
            else assert_true(error.message[0] != '\0');
        }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

#endif
