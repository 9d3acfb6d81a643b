/* SPDX-License-Identifier: MIT */
/* network_identifiers.c - see network_identifiers.h. */
#include "network/formats/network_identifiers.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

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
