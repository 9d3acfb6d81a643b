/* SPDX-License-Identifier: MIT */
/* network_draft.c - see network_draft.h. */
#include "network/formats/network_draft.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

crd_status crd_i_draft_begin(crd_i_draft *draft, crd_context *context, const char *file, crd_error *error) {
    crd_i_stage_report("reading the network", 0, 0);
    memset(draft, 0, sizeof *draft);
    draft->context = draft->letters.context = context;
    draft->file = file;
    draft->error = error;
    return crd_i_network_create(context, crd_text_of(""), &draft->network, error);
}

crd_status crd_i_draft_name(crd_i_draft *draft, crd_text name) {
    if (crd_text_equal(name, crd_text_of(CRD_I_NETWORK_UNNAMED))) name = crd_text_of("");
    const crd_text copy = crd_i_text_copy(draft->context, name);
    if (copy.bytes == NULL) return crd_i_fail_memory(draft->error);
    crd_free(draft->context, (void *)draft->network->name.bytes);
    draft->network->name = copy;
    return CRD_OK;
}

crd_status crd_i_draft_end(crd_i_draft *draft, crd_status status, crd_network **out) {
    if (status == CRD_OK) {
        status = crd_i_network_finish(draft->network, draft->error);
        if (status != CRD_OK) crd_i_error_place(draft->error, draft->file, 0, 0);
    }
    crd_free(draft->context, draft->words);
    crd_free(draft->context, draft->numbers);
    crd_free(draft->context, draft->family);
    crd_i_buffer_clear(&draft->letters);
    if (status != CRD_OK) {
        crd_network_destroy(draft->network);
        draft->network = NULL;
    }
    *out = draft->network;
    return status;
}

crd_status crd_i_draft_here(const crd_i_draft *draft, crd_i_file_place place, crd_status status) {
    crd_i_error_place(draft->error, draft->file, place.line, place.column);
    return status;
}

crd_status crd_i_draft_fail(const crd_i_draft *draft, crd_i_file_place place, crd_status status, const char *format,
                            ...) {
    char message[sizeof draft->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return crd_i_draft_here(draft, place, crd_i_fail(draft->error, status, "%s", message));
}

void crd_i_draft_clear_words(crd_i_draft *draft) {
    draft->word_count = 0;
    draft->letters.length = draft->letters_used = 0;
}

void crd_i_draft_clear_numbers(crd_i_draft *draft) {
    draft->number_count = 0;
}

crd_status crd_i_draft_word(crd_i_draft *draft, crd_text word) {
    if (draft->word_count == draft->word_room &&
        !crd_i_reserve(draft->context, &draft->words, &draft->word_room, draft->word_count + 1, sizeof *draft->words))
        return crd_i_fail_memory(draft->error);
    draft->words[draft->word_count++] = word;
    return CRD_OK;
}

crd_status crd_i_draft_letters_word(crd_i_draft *draft) {
    const crd_text word = {"", draft->letters.length - draft->letters_used};
    draft->letters_used = draft->letters.length;
    return crd_i_draft_word(draft, word);
}

void crd_i_draft_settle(crd_i_draft *draft) {
    const char *cursor = draft->letters.bytes == NULL ? "" : (const char *)draft->letters.bytes;
    for (size_t i = 0; i < draft->word_count; i++) {
        draft->words[i].bytes = cursor;
        cursor += draft->words[i].length;
    }
}

static int network_draft_hexadecimal(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

crd_status crd_i_draft_decode(const crd_i_draft *draft, crd_text text, crd_i_buffer *buffer) {
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];
        const int high = byte == '%' && text.length - i > 2 ? network_draft_hexadecimal(text.bytes[i + 1]) : -1;
        const int low = high >= 0 ? network_draft_hexadecimal(text.bytes[i + 2]) : -1;
        if (low >= 0 && high + low > 0) {
            byte = (char)(high * 16 + low);
            i += 2;
        }
        if (!crd_i_buffer_append(buffer, &byte, 1)) return crd_i_fail_memory(draft->error);
    }
    return CRD_OK;
}

crd_status crd_i_draft_decode_states(crd_i_draft *draft, crd_i_file_place place, crd_text text) {
    const size_t declared = draft->word_count;
    const char *cursor = text.bytes, *end = text.bytes + text.length;
    crd_i_draft_clear_words(draft);
    for (;;) {
        const char *comma = cursor == end ? NULL : memchr(cursor, ',', (size_t)(end - cursor));
        const char *after = comma == NULL ? end : comma;
        if (cursor > text.bytes && cursor < after && *cursor == ' ') cursor++;
        crd_status status = crd_i_draft_decode(draft, (crd_text){cursor, (size_t)(after - cursor)}, &draft->letters);
        if (status == CRD_OK) status = crd_i_draft_letters_word(draft);
        if (status != CRD_OK) return status;
        if (comma == NULL) break;
        cursor = comma + 1;
    }
    crd_i_draft_settle(draft);
    if (draft->word_count == declared) return CRD_OK;
    return crd_i_draft_fail(draft, place, CRD_ERROR_SYNTAX,
                            "the property with the names of states has %zu names, but %zu %s declared",
                            draft->word_count, declared, declared == 1 ? "is" : "are");
}

crd_status crd_i_draft_number(crd_i_draft *draft, double number) {
    if (draft->number_count == draft->number_room &&
        !crd_i_reserve(draft->context, &draft->numbers, &draft->number_room, draft->number_count + 1, sizeof number))
        return crd_i_fail_memory(draft->error);
    draft->numbers[draft->number_count++] = number;
    return CRD_OK;
}

crd_status crd_i_draft_node(crd_i_draft *draft, crd_i_file_place place, crd_text name, crd_node_kind kind) {
    const crd_text utility = crd_text_of(CRD_I_UTILITY_STATE);
    const bool is_utility = kind == CRD_NODE_UTILITY;
    size_t node;
    crd_status status = kind == CRD_NODE_GAUSSIAN
                            ? crd_i_network_add_gaussian(draft->network, name, &node, draft->error)
                            : crd_i_network_add(draft->network, name, is_utility ? &utility : draft->words,
                                                is_utility ? 1 : draft->word_count, &node, draft->error);
    if (status != CRD_OK) return crd_i_draft_here(draft, place, status);
    crd_i_network_set_kind(draft->network, node, kind);
    return CRD_OK;
}

static int32_t network_draft_find(const crd_i_draft *draft, const crd_i_dictionary *names, size_t word) {
    return crd_i_dictionary_find(names == NULL ? draft->network->names : names, draft->words[word]);
}

bool crd_i_draft_knows(const crd_i_draft *draft, const crd_i_dictionary *names) {
    for (size_t i = 0; i < draft->word_count; i++)
        if (network_draft_find(draft, names, i) < 0) return false;
    return true;
}

crd_status crd_i_draft_family(crd_i_draft *draft, crd_i_file_place place, const crd_i_dictionary *names, size_t *node) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (draft->word_count == 0) return crd_i_draft_fail(draft, place, CRD_ERROR_SYNTAX, "missing variable name");
    if (!crd_i_reserve(draft->context, &draft->family, &draft->family_room, draft->word_count, sizeof *draft->family))
        return crd_i_fail_memory(draft->error);
    for (size_t i = 0; i < draft->word_count; i++) {
        int32_t found = network_draft_find(draft, names, i);
        if (found < 0)
            return crd_i_draft_fail(draft, place, CRD_ERROR_COLUMN, "unknown variable %s",
                                    crd_i_quote(draft->words[i], quoted));
        draft->family[i] = (uint32_t)found;
    }
    *node = draft->family[0];
    crd_status status =
        crd_i_network_set_parents(draft->network, *node, draft->family + 1, draft->word_count - 1, draft->error);
    return status == CRD_OK ? CRD_OK : crd_i_draft_here(draft, place, status);
}

crd_status crd_i_draft_wrong_count(const crd_i_draft *draft, crd_i_file_place place, const crd_i_node *node,
                                   size_t expected) {
    char quoted[CRD_I_QUOTED_ROOM];
    return crd_i_draft_fail(draft, place, CRD_ERROR_SYNTAX, "%zu number%s here, but %s needs %zu", draft->number_count,
                            draft->number_count == 1 ? " stands" : "s stand", crd_i_quote(node->name, quoted),
                            expected);
}

crd_status crd_i_draft_table(crd_i_draft *draft, crd_i_file_place place, size_t index) {
    const crd_i_node *node = &draft->network->nodes[index];
    size_t cells = node->rows * crd_i_node_width(node);
    if (draft->number_count != cells) return crd_i_draft_wrong_count(draft, place, node, cells);
    double *table = crd_i_alloc(draft->context, cells, sizeof *table);
    if (table == NULL) return crd_i_fail_memory(draft->error);
    memcpy(table, draft->numbers, cells * sizeof *table);
    crd_status status = crd_i_network_take_table(draft->network, index, table, draft->error);
    if (status == CRD_OK) return CRD_OK;
    crd_free(draft->context, table);
    return crd_i_draft_here(draft, place, status);
}
