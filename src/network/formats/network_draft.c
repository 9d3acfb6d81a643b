/* SPDX-License-Identifier: MIT */
/* network_draft.c - see network_draft.h.
 *
 * Contents:
 *   1. Draft
 *   2. Identifiers */
#include "network/formats/network_draft.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Draft ======== */

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
    return crd_i_draft_fail(draft, place, CRD_ERROR_SYNTAX, "expected %zu number%s for %s, got %zu", expected,
                            expected == 1 ? "" : "s", crd_i_quote(node->name, quoted), draft->number_count);
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

/* ======== 2. Identifiers ========
 *
 * Identifiers replace names in formats whose readers accept only identifiers. */

static bool network_identifiers_is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static bool network_identifiers_is_letter(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool may_stand(char byte, bool is_first, const crd_i_identifier_rules *rules) {
    if (network_identifiers_is_letter(byte)) return true;
    return !is_first && byte != '\0' && (network_identifiers_is_digit(byte) || strchr(rules->further, byte) != NULL);
}

/* Returns whether a name that begins with digits contains only digits and letters and does not look like a number
 * with an exponent. */
static bool is_digits_and_letters(crd_text name) {
    size_t digits = 0;
    while (digits < name.length && network_identifiers_is_digit(name.bytes[digits])) digits++;
    if (digits < name.length && (name.bytes[digits] == 'e' || name.bytes[digits] == 'E')) return false;
    for (size_t i = digits; i < name.length; i++)
        if (!network_identifiers_is_letter(name.bytes[i]) && !network_identifiers_is_digit(name.bytes[i])) return false;
    return true;
}

static char network_identifiers_lower(char byte) {
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool is_keyword(crd_text name, const crd_i_identifier_rules *rules) {
    for (const char *const *keyword = rules->keywords; keyword != NULL && *keyword != NULL; keyword++) {
        size_t i = 0;
        while (i < name.length && network_identifiers_lower(name.bytes[i]) == (*keyword)[i] && (*keyword)[i] != '\0')
            i++;
        if (i == name.length && (*keyword)[i] == '\0') return true;
    }
    return false;
}

bool crd_i_is_identifier(crd_text name, const crd_i_identifier_rules *rules) {
    if (name.length == 0 || (rules->most_bytes > 0 && name.length > rules->most_bytes)) return false;
    if (network_identifiers_is_digit(name.bytes[0])) return rules->may_begin_with_digit && is_digits_and_letters(name);
    for (size_t i = 0; i < name.length; i++)
        if (!may_stand(name.bytes[i], i == 0, rules)) return false;
    return !is_keyword(name, rules);
}

/* Appends the beginning of a name that fits, with an underscore for each character that is not allowed. A UTF-8
 * character counts once. */
static bool append_stem(crd_i_buffer *buffer, crd_text name, const crd_i_identifier_rules *rules, size_t most) {
    if (name.length > 0 && network_identifiers_is_digit(name.bytes[0]) && !crd_i_buffer_append(buffer, "_", 1))
        return false;
    for (size_t i = 0; i < name.length && buffer->length < most; i++) {
        const char byte = name.bytes[i];
        const bool goes_on = ((unsigned char)byte & 0xC0) == 0x80;
        if (goes_on && i > 0) continue;
        if (!crd_i_buffer_append(buffer, may_stand(byte, buffer->length == 0, rules) ? &byte : "_", 1)) return false;
    }
    return buffer->length > 0 || crd_i_buffer_append(buffer, "_", 1);
}

/* Appends an identifier to `all` that is neither one of the names nor in `all`. */
static bool network_identifiers_make(crd_i_dictionary *all, crd_i_buffer *buffer, const crd_i_dictionary *names,
                                     crd_text name, const crd_i_identifier_rules *rules) {
    enum { SUFFIX_ROOM = 24 };
    for (size_t number = 1;; number++) {
        char suffix[SUFFIX_ROOM];
        const size_t length = number == 1 ? 0 : (size_t)snprintf(suffix, sizeof suffix, "_%zu", number);
        buffer->length = 0;
        if (!append_stem(buffer, name, rules, rules->most_bytes == 0 ? SIZE_MAX : rules->most_bytes - length) ||
            !crd_i_buffer_append(buffer, suffix, length))
            return false;
        const crd_text view = {(const char *)buffer->bytes, buffer->length};
        if (crd_i_dictionary_find(names, view) < 0 && crd_i_dictionary_find(all, view) < 0 && !is_keyword(view, rules))
            return crd_i_dictionary_add(all, view) >= 0;
    }
}

/* Creates an identifier for each name. Returns NULL if memory runs out. */
static crd_i_dictionary *network_identifiers_create(crd_context *context, const crd_i_dictionary *names,
                                                    const crd_i_identifier_rules *rules) {
    crd_i_buffer buffer = {context, NULL, 0, 0};
    crd_i_dictionary *all = crd_i_dictionary_create(context);
    bool is_done = all != NULL;
    for (size_t i = 0; is_done && i < crd_i_dictionary_size(names); i++) {
        const crd_text name = crd_i_dictionary_text(names, i);
        is_done = crd_i_is_identifier(name, rules) ? crd_i_dictionary_add(all, name) >= 0
                                                   : network_identifiers_make(all, &buffer, names, name, rules);
    }
    crd_i_buffer_clear(&buffer);
    if (is_done) return all;
    crd_i_dictionary_destroy(all);
    return NULL;
}

bool crd_i_network_identifiers_create(crd_i_network_identifiers *identifiers, const crd_network *network,
                                      const crd_i_identifier_rules *nodes, const crd_i_identifier_rules *states) {
    *identifiers = (crd_i_network_identifiers){.network = network};
    identifiers->nodes = network_identifiers_create(network->context, network->names, nodes);
    identifiers->states = crd_i_alloc_zeroed(network->context, network->count, sizeof(crd_i_dictionary *));
    if (identifiers->nodes == NULL || identifiers->states == NULL) return false;
    for (size_t i = 0; i < network->count; i++) {
        identifiers->states[i] = network_identifiers_create(network->context, network->nodes[i].states, states);
        if (identifiers->states[i] == NULL) return false;
    }
    return true;
}

void crd_i_network_identifiers_clear(crd_i_network_identifiers *identifiers) {
    const crd_network *network = identifiers->network;
    for (size_t i = 0; identifiers->states != NULL && i < network->count; i++)
        crd_i_dictionary_destroy(identifiers->states[i]);
    crd_free(network->context, identifiers->states);
    crd_i_dictionary_destroy(identifiers->nodes);
}

bool crd_i_network_identifiers_rename(const crd_i_network_identifiers *identifiers, size_t node) {
    return !crd_text_equal(crd_i_dictionary_text(identifiers->nodes, node), identifiers->network->nodes[node].name);
}

bool crd_i_network_identifiers_rename_states(const crd_i_network_identifiers *identifiers, size_t node) {
    const crd_i_dictionary *states = identifiers->network->nodes[node].states;
    for (size_t i = 0; i < crd_i_dictionary_size(states); i++)
        if (!crd_text_equal(crd_i_dictionary_text(identifiers->states[node], i), crd_i_dictionary_text(states, i)))
            return true;
    return false;
}
