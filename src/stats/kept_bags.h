/* SPDX-License-Identifier: MIT */
/* kept_bags.h - the distinct texts of the stored training rows, as bags of terms (text/bag.h), indexed by a hash of
 * their bytes.
 *
 * A row stores the hash instead of the text, so rows with texts are short. The hash is not keyed, because it is
 * written to files and used to sample rows. If two bags have the same hash, the smaller one by bytes is kept. */
#ifndef CRD_STATS_KEPT_BAGS_H
#define CRD_STATS_KEPT_BAGS_H

#include "base/buffer.h"
#include "io/byte_codec.h"

/* Rows are stored while their bags together do not exceed this number of bytes. */
enum { CRD_I_BAGS_MOST_BYTES = 1 << 26 };

typedef struct crd_i_kept_bag {
    uint64_t key;
    size_t offset, length; /* its bytes in `bytes` */
} crd_i_kept_bag;

/* Zero-initialize it, then set the contexts of the struct and of `bytes`. */
typedef struct crd_i_kept_bags {
    crd_context *context;
    crd_i_buffer bytes;
    crd_i_kept_bag *bags; /* in insertion order */
    size_t count, capacity;
    uint32_t *places; /* hash table, at least twice as large as `bags`: 1 + index of a bag, or 0 */
    unsigned place_bits;
} crd_i_kept_bags;

void crd_i_kept_bags_clear(crd_i_kept_bags *bags);
/* Returns the key of a bag; never UINT64_MAX. */
uint64_t crd_i_kept_bag_key(crd_text bag);
/* Stores a copy of a bag. false: out of memory. */
CRD_MUST_USE bool crd_i_kept_bags_add(crd_i_kept_bags *bags, uint64_t key, crd_text bag);
/* Returns the bag of a key; bytes NULL: there is none. */
crd_text crd_i_kept_bags_find(const crd_i_kept_bags *bags, uint64_t key);

/* Writes the bags of these keys, which are distinct and ascending. First come all terms, sorted by bytes and
 * front-coded, then for each bag the delta-coded term numbers and their counts. */
void crd_i_kept_bags_write(const crd_i_kept_bags *bags, const uint64_t *keys, size_t count, crd_i_encoder *encoder);
/* Reads the bags for the keys that were written. CRD_ERROR_DAMAGED: a bag does not match its key. */
CRD_MUST_USE crd_status crd_i_kept_bags_read(crd_i_kept_bags *bags, const uint64_t *keys, size_t count,
                                             crd_i_cursor *cursor, crd_error *error);

#endif
