/* dictionary.c - see dictionary.h. */
#include "base/dictionary.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct crd_i_dictionary {
    crd_context *context;
    uint64_t serial, key;
    crd_i_buffer bytes; /* all texts, one after the other */
    size_t *starts;     /* starts[code] .. starts[code + 1] */
    uint64_t *hashes;   /* by code */
    size_t count, starts_capacity, hashes_capacity;
    int32_t *slots; /* code + 1, or 0 for free; slot_count is a power of two, at most half of it full */
    size_t slot_count;
};

static uint64_t mix(uint64_t a) {
    a ^= a >> 32;
    a *= UINT64_C(0xd6e8feb86659fd93);
    a ^= a >> 32;
    a *= UINT64_C(0xd6e8feb86659fd93);
    return a ^ (a >> 32);
}

/* Up to 7 bytes, different for different ones of one length: a copy of any length would cost more than the rest. */
static uint64_t short_word(const char *at, size_t length) {
    if (length >= 4) {
        uint32_t first, last;
        memcpy(&first, at, 4);
        memcpy(&last, at + length - 4, 4);
        return first | (uint64_t)last << 32;
    }
    if (length == 0) return 0;
    uint64_t first = (unsigned char)at[0], middle = (unsigned char)at[length / 2], last = (unsigned char)at[length - 1];
    return first | middle << 8 | last << 16;
}

static uint64_t hash(uint64_t key, crd_text text) {
    uint64_t state = key ^ (text.length * UINT64_C(0x9e3779b97f4a7c15));
    const char *at = text.bytes;
    size_t left = text.length;
    while (left >= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        state = mix(state ^ word) + key;
        at += 8, left -= 8;
    }
    return mix(state ^ short_word(at, left));
}

crd_i_dictionary *crd_i_dictionary_create(crd_context *context) {
    crd_i_dictionary *dictionary = crd_i_alloc_zeroed(context, 1, sizeof *dictionary);
    if (dictionary == NULL) return NULL;
    dictionary->context = context;
    dictionary->bytes.context = context;
    dictionary->serial = crd_i_context_serial(context);
    /* The address differs from run to run where the system randomises it; order never depends on the hash. */
    dictionary->key = mix((uint64_t)(uintptr_t)dictionary ^ mix(dictionary->serial));
    return dictionary;
}

void crd_i_dictionary_destroy(crd_i_dictionary *dictionary) {
    if (dictionary == NULL) return;
    crd_i_buffer_clear(&dictionary->bytes);
    crd_free(dictionary->context, dictionary->starts);
    crd_free(dictionary->context, dictionary->hashes);
    crd_free(dictionary->context, dictionary->slots);
    crd_free(dictionary->context, dictionary);
}

crd_i_dictionary *crd_i_dictionary_clone(const crd_i_dictionary *dictionary) {
    crd_i_dictionary *copy = crd_i_dictionary_create(dictionary->context);
    if (copy == NULL) return NULL;
    for (size_t code = 0; code < dictionary->count; code++) {
        if (crd_i_dictionary_add(copy, crd_i_dictionary_text(dictionary, code)) < 0) {
            crd_i_dictionary_destroy(copy);
            return NULL;
        }
    }
    return copy;
}

size_t crd_i_dictionary_size(const crd_i_dictionary *dictionary) {
    return dictionary->count;
}

crd_text crd_i_dictionary_text(const crd_i_dictionary *dictionary, size_t code) {
    size_t start = dictionary->starts[code];
    /* Texts of length zero may be all there is, with no bytes allocated. */
    const char *bytes = dictionary->bytes.bytes == NULL ? "" : (const char *)dictionary->bytes.bytes + start;
    crd_text text = {bytes, dictionary->starts[code + 1] - start};
    return text;
}

/* Without a call, as most texts are shorter than its cost. */
static bool same_text(crd_text a, crd_text b) {
    if (a.length != b.length) return false;
    const char *own = a.bytes, *other = b.bytes;
    size_t left = a.length;
    for (; left >= 8; own += 8, other += 8, left -= 8) {
        uint64_t word, other_word;
        memcpy(&word, own, 8);
        memcpy(&other_word, other, 8);
        if (word != other_word) return false;
    }
    return short_word(own, left) == short_word(other, left);
}

/* The slot that holds the text, or the free slot where it would go. */
static size_t slot_of(const crd_i_dictionary *dictionary, crd_text text, uint64_t text_hash) {
    size_t mask = dictionary->slot_count - 1;
    size_t slot = (size_t)text_hash & mask;
    while (dictionary->slots[slot] != 0) {
        size_t code = (size_t)dictionary->slots[slot] - 1;
        if (dictionary->hashes[code] == text_hash && same_text(crd_i_dictionary_text(dictionary, code), text)) break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

int32_t crd_i_dictionary_find(const crd_i_dictionary *dictionary, crd_text text) {
    if (dictionary->count == 0) return -1;
    return dictionary->slots[slot_of(dictionary, text, hash(dictionary->key, text))] - 1;
}

static bool grow_slots(crd_i_dictionary *dictionary) {
    size_t slot_count = dictionary->slot_count == 0 ? 16 : dictionary->slot_count * 2;
    int32_t *slots = crd_i_alloc_zeroed(dictionary->context, slot_count, sizeof *slots);
    if (slots == NULL) return false;
    for (size_t code = 0; code < dictionary->count; code++) {
        size_t slot = (size_t)dictionary->hashes[code] & (slot_count - 1);
        while (slots[slot] != 0) slot = (slot + 1) & (slot_count - 1);
        slots[slot] = (int32_t)code + 1;
    }
    crd_free(dictionary->context, dictionary->slots);
    dictionary->slots = slots;
    dictionary->slot_count = slot_count;
    return true;
}

int32_t crd_i_dictionary_add(crd_i_dictionary *dictionary, crd_text text) {
    uint64_t text_hash = hash(dictionary->key, text);
    if (dictionary->count > 0) {
        int32_t found = dictionary->slots[slot_of(dictionary, text, text_hash)];
        if (found != 0) return found - 1;
    }
    size_t count = dictionary->count;
    if (count >= INT32_MAX - 1) return -1;
    if (2 * (count + 1) > dictionary->slot_count && !grow_slots(dictionary)) return -1;
    if (!crd_i_reserve(dictionary->context, &dictionary->starts, &dictionary->starts_capacity, count + 2,
                       sizeof *dictionary->starts))
        return -1;
    if (!crd_i_reserve(dictionary->context, &dictionary->hashes, &dictionary->hashes_capacity, count + 1,
                       sizeof *dictionary->hashes))
        return -1;
    if (!crd_i_buffer_append(&dictionary->bytes, text.bytes, text.length)) return -1;
    if (count == 0) dictionary->starts[0] = 0;
    dictionary->starts[count + 1] = dictionary->bytes.length;
    dictionary->hashes[count] = text_hash;
    dictionary->count = count + 1;
    size_t mask = dictionary->slot_count - 1;
    size_t slot = (size_t)text_hash & mask;
    while (dictionary->slots[slot] != 0) slot = (slot + 1) & mask;
    dictionary->slots[slot] = (int32_t)count + 1;
    return (int32_t)count;
}

void crd_i_dictionary_empty(crd_i_dictionary *dictionary) {
    dictionary->count = 0;
    dictionary->bytes.length = 0;
    if (dictionary->slots != NULL) memset(dictionary->slots, 0, dictionary->slot_count * sizeof *dictionary->slots);
    dictionary->serial = crd_i_context_serial(dictionary->context);
}

uint64_t crd_i_dictionary_serial(const crd_i_dictionary *dictionary) {
    return dictionary->serial;
}

typedef struct ordered {
    crd_text text;
    double number;
    int32_t code;
} ordered;

static int by_text(const void *left, const void *right) {
    const ordered *a = left, *b = right;
    return crd_i_text_compare(a->text, b->text);
}

static int by_number(const void *left, const void *right) {
    const ordered *a = left, *b = right;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return crd_i_text_compare(a->text, b->text);
}

size_t crd_i_dictionary_order(const crd_i_dictionary *dictionary, const bool *is_live,
                              bool (*parse)(crd_text text, double *value), int32_t *codes) {
    ordered *items = crd_i_alloc(dictionary->context, dictionary->count, sizeof *items);
    if (items == NULL) return SIZE_MAX;
    size_t live = 0;
    bool all_numbers = true;
    for (size_t code = 0; code < dictionary->count; code++) {
        if (is_live != NULL && !is_live[code]) continue;
        ordered *item = &items[live++];
        item->text = crd_i_dictionary_text(dictionary, code);
        item->code = (int32_t)code;
        item->number = 0;
        all_numbers = all_numbers && parse(item->text, &item->number);
    }
    /* qsort may allocate behind our back, but it falls back to sorting in place when it cannot. */
    qsort(items, live, sizeof *items, all_numbers ? by_number : by_text);
    for (size_t i = 0; i < live; i++) codes[i] = items[i].code;
    crd_free(dictionary->context, items);
    return live;
}
