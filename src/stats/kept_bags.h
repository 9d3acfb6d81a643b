/* SPDX-License-Identifier: MIT */
/* kept_bags.h - the texts of kept rows, each once, as bags of terms (text/bag.h) under a hash of their bytes.
 *
 * A row has the hash in the place of the text, so that rows with texts are of few words as others are. The hash is not
 * keyed, since it goes into files and into the choice of rows; of two bags with one hash the lesser by bytes stays. */
#ifndef CRD_STATS_KEPT_BAGS_H
#define CRD_STATS_KEPT_BAGS_H

#include "base/buffer.h"
#include "io/byte_codec.h"

/* Rows are kept while their bags have no more bytes together. */
enum { CRD_I_BAGS_MOST_BYTES = 1 << 26 };

typedef struct crd_i_kept_bag {
    uint64_t key;
    size_t offset, length; /* of its bytes */
} crd_i_kept_bag;

/* Zero-initialised with its context and that of its bytes set. */
typedef struct crd_i_kept_bags {
    crd_context *context;
    crd_i_buffer bytes;
    crd_i_kept_bag *bags; /* in the order of adding */
    size_t count, capacity;
    uint32_t *places; /* by hash, at least twice as many as bags: 1 + a bag, or 0 */
    unsigned place_bits;
} crd_i_kept_bags;

void crd_i_kept_bags_clear(crd_i_kept_bags *bags);
/* The key of a bag; never UINT64_MAX. */
uint64_t crd_i_kept_bag_key(crd_text bag);
/* Puts a copy there. false: out of memory. */
CRD_MUST_USE bool crd_i_kept_bags_add(crd_i_kept_bags *bags, uint64_t key, crd_text bag);
/* The bag of a key; bytes NULL: there is none. */
crd_text crd_i_kept_bags_find(const crd_i_kept_bags *bags, uint64_t key);

/* Those of the keys given, which are in ascending order, each once: the terms of all in the order of their bytes, each by
 * what it does not share with the one before, then of each bag the terms' numbers, as differences, and times. */
void crd_i_kept_bags_write(const crd_i_kept_bags *bags, const uint64_t *keys, size_t count, crd_i_encoder *encoder);
/* Back, for the keys that were written. CRD_ERROR_DAMAGED where a bag has not its key. */
CRD_MUST_USE crd_status crd_i_kept_bags_read(crd_i_kept_bags *bags, const uint64_t *keys, size_t count,
                                             crd_i_cursor *cursor, crd_error *error);

#endif
