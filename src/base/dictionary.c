/* SPDX-License-Identifier: MIT */
/* dictionary.c - see dictionary.h.
 *
 * Contents:
 *   1. The set of texts
 *   2. Display order */
#include "base/dictionary.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ======== 1. The set of texts ======== */

/* The length field of texts that are too long to be packed. */
static const uint64_t LONG = UINT64_C(0xff) << 56;
/* No text has this length. */
static const crd_i_packed NO_TEXT = {0, UINT64_MAX};

static uint64_t dictionary_mix(uint64_t a) {
    a ^= a >> 32;
    a *= UINT64_C(0xd6e8feb86659fd93);
    a ^= a >> 32;
    a *= UINT64_C(0xd6e8feb86659fd93);
    return a ^ (a >> 32);
}

/* Hashes a text longer than CRD_I_PACKED_LENGTH. The last eight bytes may overlap the word before them, which is
 * harmless because lengths are compared too. */
static uint64_t hash_long(uint64_t key, crd_text text) {
    uint64_t state = key;
    const char *last = text.bytes + text.length - 8;
    for (const char *cursor = text.bytes; cursor < last; cursor += 8)
        state = dictionary_mix(state ^ crd_i_word_64(cursor)) + key;
    return dictionary_mix(state ^ crd_i_word_64(last));
}

/* Packs a text like crd_i_pack_padded, but reads no bytes after the text. If the text is shorter than two words, the
 * words overlap. A copy of variable length would cost more than everything else here. */
static crd_i_packed pack_short(crd_text text) {
    size_t length = text.length;
    const char *cursor = text.bytes;
    crd_i_packed packed = {0, (uint64_t)length << 56};
    if (length > 8) {
        packed.low = crd_i_word_64(cursor);
        packed.high |= crd_i_word_64(cursor + length - 8) >> 8 * (16 - length);
    } else if (length >= 4) {
        packed.low = crd_i_word_32(cursor) | (uint64_t)crd_i_word_32(cursor + length - 4) << 8 * (length - 4);
    } else if (length > 0) {
        size_t middle = length / 2, last = length - 1;
        packed.low = (unsigned char)cursor[0] | (uint64_t)(unsigned char)cursor[middle] << 8 * middle |
                     (uint64_t)(unsigned char)cursor[last] << 8 * last;
    }
    return packed;
}

static crd_i_packed dictionary_pack(const crd_i_dictionary *dictionary, crd_text text) {
    if (text.length <= CRD_I_PACKED_LENGTH) return pack_short(text);
    crd_i_packed packed = {hash_long(dictionary->keys[0], text), LONG | text.length};
    return packed;
}

crd_i_dictionary *crd_i_dictionary_create(crd_context *context) {
    crd_i_dictionary *dictionary = crd_i_alloc_zeroed(context, 1, sizeof *dictionary);
    if (dictionary == NULL) return NULL;
    dictionary->context = context;
    dictionary->bytes.context = context;
    dictionary->serial = crd_i_context_serial(context);
    /* The address differs between runs if the system randomizes addresses. The order of texts never depends on the
     * hash. */
    uint64_t key = dictionary_mix((uint64_t)(uintptr_t)dictionary ^ dictionary_mix(dictionary->serial));
    for (size_t i = 0; i < sizeof dictionary->keys / sizeof *dictionary->keys; i++) {
        key = dictionary_mix(key + UINT64_C(0x9e3779b97f4a7c15));
        dictionary->keys[i] = key | 1;
    }
    return dictionary;
}

void crd_i_dictionary_destroy(crd_i_dictionary *dictionary) {
    if (dictionary == NULL) return;
    crd_i_buffer_clear(&dictionary->bytes);
    crd_free(dictionary->context, dictionary->starts);
    crd_free(dictionary->context, dictionary->packed);
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
    /* If all texts are empty, no bytes are allocated. */
    const char *bytes = dictionary->bytes.bytes == NULL ? "" : (const char *)dictionary->bytes.bytes + start;
    crd_text text = {bytes, dictionary->starts[code + 1] - start};
    return text;
}

static int32_t dictionary_find(const crd_i_dictionary *dictionary, crd_text text, crd_i_packed packed) {
    if (text.length <= CRD_I_PACKED_LENGTH) return crd_i_dictionary_find_packed(dictionary, packed);
    if (dictionary->slot_count == 0) return -1;
    for (size_t slot = crd_i_dictionary_slot(dictionary, packed);; slot = (slot + 1) & (dictionary->slot_count - 1)) {
        int32_t taken = dictionary->slots[slot];
        if (taken == 0) return -1;
        crd_i_packed other = dictionary->packed[taken];
        if (other.low == packed.low && other.high == packed.high &&
            crd_text_equal(crd_i_dictionary_text(dictionary, (size_t)taken - 1), text))
            return taken - 1;
    }
}

int32_t crd_i_dictionary_find(const crd_i_dictionary *dictionary, crd_text text) {
    return dictionary_find(dictionary, text, dictionary_pack(dictionary, text));
}

static void dictionary_take_slot(crd_i_dictionary *dictionary, size_t code) {
    int32_t *slots = dictionary->slots;
    size_t slot = crd_i_dictionary_slot(dictionary, dictionary->packed[code + 1]);
    while (slots[slot] != 0) slot = (slot + 1) & (dictionary->slot_count - 1);
    slots[slot] = (int32_t)code + 1;
}

/* Extra probes cost most when few texts are looked up for every value; slots cost most when there are many texts.
 * Therefore at most a quarter of the slots is occupied in a small table, and at most half in a large one. */
enum { LEAST_SLOTS = 16, FEW_SLOTS = 4096 };

/* The slots of many texts are spread over memory, so they are prefetched this many texts ahead. */
enum { AHEAD = 16 };
#ifdef __GNUC__
#define FETCH(address) __builtin_prefetch(address, 1)
#else
#define FETCH(address) ((void)(address))
#endif

static bool dictionary_is_enough(size_t slot_count, size_t count) {
    return count <= slot_count / (slot_count <= FEW_SLOTS ? 4 : 2);
}

static bool has_slot(const crd_i_dictionary *dictionary, size_t count) {
    return dictionary_is_enough(dictionary->slot_count, count);
}

static bool dictionary_grow_slots(crd_i_dictionary *dictionary, size_t count) {
    size_t slot_count = LEAST_SLOTS;
    while (!dictionary_is_enough(slot_count, count)) slot_count *= 2;
    int32_t *slots = crd_i_alloc_zeroed(dictionary->context, slot_count, sizeof *slots);
    if (slots == NULL) return false;
    crd_free(dictionary->context, dictionary->slots);
    dictionary->slots = slots;
    dictionary->slot_count = slot_count;
    for (dictionary->shift = 64; slot_count > 1; slot_count /= 2) dictionary->shift--;
    for (size_t code = 0; code < dictionary->count; code++) {
        if (code + AHEAD < dictionary->count)
            FETCH(&slots[crd_i_dictionary_slot(dictionary, dictionary->packed[code + AHEAD + 1])]);
        dictionary_take_slot(dictionary, code);
    }
    return true;
}

static bool dictionary_make_room(crd_i_dictionary *dictionary) {
    size_t count = dictionary->count;
    if (count >= INT32_MAX - 1) return false;
    if (!crd_i_reserve(dictionary->context, &dictionary->starts, &dictionary->starts_capacity, count + 2,
                       sizeof *dictionary->starts))
        return false;
    if (!crd_i_reserve(dictionary->context, &dictionary->packed, &dictionary->packed_capacity, count + 2,
                       sizeof *dictionary->packed))
        return false;
    dictionary->packed[0] = NO_TEXT;
    return true;
}

/* Appends a text and its packed form without entering it in a slot. Room must have been made. */
static bool dictionary_append(crd_i_dictionary *dictionary, crd_text text, crd_i_packed packed) {
    size_t count = dictionary->count;
    if (!crd_i_buffer_append(&dictionary->bytes, text.bytes, text.length)) return false;
    if (count == 0) dictionary->starts[0] = 0;
    dictionary->starts[count + 1] = dictionary->bytes.length;
    dictionary->packed[count + 1] = packed;
    dictionary->count = count + 1;
    return true;
}

static int32_t dictionary_insert(crd_i_dictionary *dictionary, crd_text text, crd_i_packed packed) {
    size_t count = dictionary->count;
    if (!dictionary_make_room(dictionary)) return -1;
    if (!has_slot(dictionary, count + 1) && !dictionary_grow_slots(dictionary, count + 1)) return -1;
    if (!dictionary_append(dictionary, text, packed)) return -1;
    dictionary_take_slot(dictionary, count);
    return (int32_t)count;
}

bool crd_i_dictionary_append(crd_i_dictionary *dictionary, crd_text text) {
    return dictionary_make_room(dictionary) && dictionary_append(dictionary, text, dictionary_pack(dictionary, text));
}

bool crd_i_dictionary_index(crd_i_dictionary *dictionary) {
    return dictionary->count == 0 || dictionary_grow_slots(dictionary, dictionary->count);
}

int32_t crd_i_dictionary_add(crd_i_dictionary *dictionary, crd_text text) {
    crd_i_packed packed = dictionary_pack(dictionary, text);
    int32_t found = dictionary_find(dictionary, text, packed);
    return found >= 0 ? found : dictionary_insert(dictionary, text, packed);
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

/* ======== 2. Display order ========
 *
 * The order in which texts are displayed and written. A model file stores its values in this order. A dictionary that
 * was read from a model file is therefore already sorted, except for the few texts that were added since. Only these
 * are sorted, and then merged with the others. */

typedef struct order_ordered {
    crd_text text;
    double number; /* 0 for all items unless all are numbers */
    int32_t code;
} order_ordered;

static int dictionary_order_compare(const void *left, const void *right) {
    const order_ordered *a = left, *b = right;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return crd_i_text_compare(a->text, b->text);
}

/* The live codes to sort, and their numbers; NULL if not all texts are numbers. */
typedef struct order_listing {
    const crd_i_dictionary *dictionary;
    int32_t *codes;
    double *numbers;
    size_t count;
} order_listing;

static order_ordered dictionary_order_item(const order_listing *list, size_t i) {
    order_ordered item = {crd_i_dictionary_text(list->dictionary, (size_t)list->codes[i]),
                          list->numbers == NULL ? 0 : list->numbers[i], list->codes[i]};
    return item;
}

/* Parses all texts and stores their numbers if all of them are numbers. Returns false if memory runs out. */
static bool parse_all(crd_context *context, order_listing *list, bool (*parse)(crd_text text, double *value)) {
    double first;
    if (list->count == 0 || !parse(dictionary_order_item(list, 0).text, &first)) return true;
    double *numbers = crd_i_alloc(context, list->count, sizeof *numbers);
    if (numbers == NULL) return false;
    for (size_t i = 0; i < list->count; i++) {
        if (parse(dictionary_order_item(list, i).text, &numbers[i])) continue;
        crd_free(context, numbers);
        return true;
    }
    list->numbers = numbers;
    return true;
}

/* Returns the length of the longest sorted prefix. */
static size_t count_ordered(const order_listing *list) {
    if (list->count == 0) return 0;
    order_ordered before = dictionary_order_item(list, 0);
    for (size_t i = 1; i < list->count; i++) {
        order_ordered item = dictionary_order_item(list, i);
        if (dictionary_order_compare(&before, &item) > 0) return i;
        before = item;
    }
    return list->count;
}

/* Returns the position of an item within the first `end` items, which are sorted. */
static size_t dictionary_order_place(const order_listing *list, size_t end, const order_ordered *item) {
    size_t begin = 0;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        order_ordered other = dictionary_order_item(list, middle);
        if (dictionary_order_compare(&other, item) < 0) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

/* Merges sorted items into the first `end` items, which are also sorted, starting from the last. */
static void dictionary_order_merge(const order_listing *list, size_t end, const order_ordered *items, size_t count) {
    while (count-- > 0) {
        size_t place = dictionary_order_place(list, end, &items[count]);
        memmove(list->codes + place + count + 1, list->codes + place, (end - place) * sizeof *list->codes);
        list->codes[place + count] = items[count].code;
        end = place;
    }
}

/* Sorts the list. Returns false if memory runs out. */
static bool dictionary_sort(crd_context *context, const order_listing *list) {
    size_t in_order = count_ordered(list), others = list->count - in_order;
    if (others == 0) return true;
    order_ordered *items = crd_i_alloc(context, others, sizeof *items);
    if (items == NULL) return false;
    for (size_t i = 0; i < others; i++) items[i] = dictionary_order_item(list, in_order + i);
    /* qsort may allocate memory without the context, but it sorts in place if the allocation fails. */
    qsort(items, others, sizeof *items, dictionary_order_compare);
    dictionary_order_merge(list, in_order, items, others);
    crd_free(context, items);
    return true;
}

size_t crd_i_dictionary_order(const crd_i_dictionary *dictionary, const bool *is_live,
                              bool (*parse)(crd_text text, double *value), int32_t *codes) {
    crd_context *context = dictionary->context;
    order_listing list = {dictionary, codes, NULL, 0};
    size_t size = crd_i_dictionary_size(dictionary);
    for (size_t code = 0; code < size; code++)
        if (is_live == NULL || is_live[code]) codes[list.count++] = (int32_t)code;
    bool done = parse_all(context, &list, parse) && dictionary_sort(context, &list);
    crd_free(context, list.numbers);
    return done ? list.count : SIZE_MAX;
}
