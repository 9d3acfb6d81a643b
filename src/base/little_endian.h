/* SPDX-License-Identifier: MIT */
/* little_endian.h - bytes as words, the first byte lowest, whatever the order of bytes in this machine's words. */
#ifndef CRD_BASE_LITTLE_ENDIAN_H
#define CRD_BASE_LITTLE_ENDIAN_H

#include <stdint.h>

/* Written so that compilers make one load of it. */
static inline uint64_t crd_i_word_64(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

static inline uint32_t crd_i_word_32(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

#endif
