/* SPDX-License-Identifier: MIT */
/* dictionary_internal.h - the struct of a dictionary, and its lookup of short texts for hot loops.
 *
 * A text of up to CRD_I_PACKED_LENGTH bytes is packed into two words, with its length in the top byte. Packed texts are
 * equal exactly when the texts are equal, so comparing them reads no text bytes. A longer text is packed as a hash and
 * a length that no short text has; if these are equal, the bytes are compared. */
#ifndef CRD_BASE_DICTIONARY_INTERNAL_H
#define CRD_BASE_DICTIONARY_INTERNAL_H

#include "base/dictionary.h"
#include "base/little_endian.h"

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

#endif
