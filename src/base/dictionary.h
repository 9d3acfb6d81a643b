/* SPDX-License-Identifier: MIT */
/* dictionary.h - an append-only set of texts with codes 0, 1, 2, ... in insertion order.
 *
 * It is designed for two loads: a handful of values that are looked up for every value of a file, and a million
 * distinct values in one column. It uses open addressing over codes. Short texts are packed into two words each, which
 * decide nearly every comparison, and growing does not touch the texts. Each dictionary has its own hash key, so an
 * input cannot be made to collide on purpose without knowledge of the key.
 *
 * Contents:
 *   1. The set of texts
 *   2. Packed texts
 *   3. Hash keys */
#ifndef CRD_BASE_DICTIONARY_H
#define CRD_BASE_DICTIONARY_H

#include "base/buffer.h"
#include "base/context.h"

/* ======== 1. The set of texts ======== */

typedef struct crd_i_dictionary crd_i_dictionary;

/* Creates an empty dictionary. Returns NULL if memory runs out. */
crd_i_dictionary *crd_i_dictionary_create(crd_context *context);
void crd_i_dictionary_destroy(crd_i_dictionary *dictionary);
/* Returns a copy, or NULL if memory runs out. */
crd_i_dictionary *crd_i_dictionary_clone(const crd_i_dictionary *dictionary);

size_t crd_i_dictionary_size(const crd_i_dictionary *dictionary);
/* Returns the text of a code. The text is valid until the next text is added. */
crd_text crd_i_dictionary_text(const crd_i_dictionary *dictionary, size_t code);
/* Returns the code of a text, or -1 if the dictionary does not contain it. */
int32_t crd_i_dictionary_find(const crd_i_dictionary *dictionary, crd_text text);
/* Returns the code of a text, which is added if it is new. Returns -1 if memory runs out. */
int32_t crd_i_dictionary_add(crd_i_dictionary *dictionary, crd_text text);
/* Append many texts at once. crd_i_dictionary_append adds a text that the dictionary does not contain yet; the text can
 * be found only after crd_i_dictionary_index is called, once after the last append. Both return false if memory runs
 * out. */
CRD_MUST_USE bool crd_i_dictionary_append(crd_i_dictionary *dictionary, crd_text text);
CRD_MUST_USE bool crd_i_dictionary_index(crd_i_dictionary *dictionary);
/* Removes all texts and gives the dictionary a new serial. */
void crd_i_dictionary_empty(crd_i_dictionary *dictionary);
/* Returns a number that differs for every dictionary of a context and changes when a dictionary is emptied. As long as
 * the serial stays the same, codes below a given size keep their meaning. */
uint64_t crd_i_dictionary_serial(const crd_i_dictionary *dictionary);

/* Writes the codes in display and file order: numerically if every text is a finite number (ties in byte order),
 * otherwise in byte order. If `is_live` is not NULL, only codes with is_live[code] are written. Returns the number of
 * codes written, or SIZE_MAX if memory runs out. `parse` returns true and sets the value if a text is a number. */
size_t crd_i_dictionary_order(const crd_i_dictionary *dictionary, const bool *is_live,
                              bool (*parse)(crd_text text, double *value), int32_t *codes);

/* ======== 2. Packed texts ========
 *
 * The struct of a dictionary, and its lookup of short texts for hot loops.
 *
 * A text of up to CRD_I_PACKED_LENGTH bytes is packed into two words, with its length in the top byte. Packed texts are
 * equal exactly when the texts are equal, so comparing them reads no text bytes. A longer text is packed as a hash and
 * a length that no short text has; if these are equal, the bytes are compared. */

enum {
    CRD_I_PACKED_LENGTH = 15,
    CRD_I_PACKED_PADDING = 16 /* bytes after the end of a text that packing may read */
};

typedef struct crd_i_packed {
    uint64_t low, high;
} crd_i_packed;

struct crd_i_dictionary {
    crd_context *context;
    uint64_t serial;
    uint64_t keys[3];     /* odd multipliers of the hash */
    crd_i_buffer bytes;   /* all texts, concatenated */
    size_t *starts;       /* text `code` is bytes starts[code] .. starts[code + 1] */
    crd_i_packed *packed; /* indexed by code + 1; entry 0 is a value that no text has */
    size_t count, starts_capacity, packed_capacity;
    int32_t *slots; /* code + 1, or 0 if the slot is free */
    size_t slot_count;
    unsigned shift; /* slot_count is 2^(64 - shift) */
};

/* Packs a text of up to CRD_I_PACKED_LENGTH bytes. At least CRD_I_PACKED_PADDING bytes after the text must be readable;
 * their values do not matter. */
static inline crd_i_packed crd_i_pack_padded(const char *bytes, size_t length) {
#define FIRST(count) (UINT64_MAX >> (64 - 8 * (count)))
#define ALL UINT64_MAX
    static const uint64_t MASKS[CRD_I_PACKED_LENGTH + 1][2] = {
        {0, 0},          {FIRST(1), 0},   {FIRST(2), 0},   {FIRST(3), 0},   {FIRST(4), 0},   {FIRST(5), 0},
        {FIRST(6), 0},   {FIRST(7), 0},   {ALL, 0},        {ALL, FIRST(1)}, {ALL, FIRST(2)}, {ALL, FIRST(3)},
        {ALL, FIRST(4)}, {ALL, FIRST(5)}, {ALL, FIRST(6)}, {ALL, FIRST(7)}};
#undef ALL
#undef FIRST
    crd_i_packed packed = {crd_i_word_64(bytes) & MASKS[length][0],
                           (crd_i_word_64(bytes + 8) & MASKS[length][1]) | (uint64_t)length << 56};
    return packed;
}

/* Returns the first slot to probe. Multiplying by secret odd numbers and taking the top bits makes few pairs of texts
 * collide, whoever chose the texts. The second round separates neighboring hashes, for example of numbered texts, which
 * would otherwise make long runs of occupied slots. */
static inline size_t crd_i_dictionary_slot(const crd_i_dictionary *dictionary, crd_i_packed packed) {
    uint64_t hash = packed.low * dictionary->keys[0] + packed.high * dictionary->keys[1];
    return (size_t)((hash ^ hash >> 32) * dictionary->keys[2] >> dictionary->shift);
}

/* Works like crd_i_dictionary_find, for a text of up to CRD_I_PACKED_LENGTH bytes. */
static inline int32_t crd_i_dictionary_find_packed(const crd_i_dictionary *dictionary, crd_i_packed packed) {
    if (dictionary->slot_count == 0) return -1;
    for (size_t slot = crd_i_dictionary_slot(dictionary, packed);; slot = (slot + 1) & (dictionary->slot_count - 1)) {
        int32_t taken = dictionary->slots[slot];
        crd_i_packed other = dictionary->packed[taken];
        if (((other.low ^ packed.low) | (other.high ^ packed.high)) == 0) return taken - 1;
        if (taken == 0) return -1;
    }
}

/* ======== 3. Hash keys ========
 *
 * Keys for hash tables with contents from outside. The key determines which entries collide, and someone who chooses
 * the entries does not know the key. */

/* Applies the last round of splitmix64 (Steele, Lea, Flood 2014): every bit of the result depends on every bit of
 * `z`. */
static inline uint64_t crd_i_hash_scatter(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Returns an odd number for a table at this address. The number differs between runs if the system randomizes
 * addresses. No result may depend on it. */
static inline uint64_t crd_i_hash_key(crd_context *context, const void *address) {
    return crd_i_hash_scatter((uint64_t)(uintptr_t)address ^ crd_i_hash_scatter(crd_i_context_serial(context))) | 1;
}

#endif
