/* SPDX-License-Identifier: MIT */
/* hash_key.h - keys for hash tables whose contents come from outside: which entries collide depends on the key, and
 * nobody who chooses the entries knows it. */
#ifndef CRD_BASE_HASH_KEY_H
#define CRD_BASE_HASH_KEY_H

#include "base/context.h"

/* The last round of splitmix64 (Steele, Lea, Flood 2014): every bit of the result depends on every bit. */
static inline uint64_t crd_i_hash_scatter(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* An odd number for a table at this address, which differs from run to run where the system randomises it. No result
 * may depend on it. */
static inline uint64_t crd_i_hash_key(crd_context *context, const void *address) {
    return crd_i_hash_scatter((uint64_t)(uintptr_t)address ^ crd_i_hash_scatter(crd_i_context_serial(context))) | 1;
}

#endif
