/* SPDX-License-Identifier: MIT */
/* hash_key.h - keys for hash tables with contents from outside. The key determines which entries collide, and someone
 * who chooses the entries does not know the key. */
#ifndef CRD_BASE_HASH_KEY_H
#define CRD_BASE_HASH_KEY_H

#include "base/context.h"

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
