/* SPDX-License-Identifier: MIT */
/* little_endian.h - reads bytes as words, lowest byte first, independent of the byte order of the machine. */
#ifndef CRD_BASE_LITTLE_ENDIAN_H
#define CRD_BASE_LITTLE_ENDIAN_H

#include <stdint.h>

/* Reads 8 bytes as a word. Compilers translate this expression to one load. */
static inline uint64_t crd_i_word_64(const char *cursor) {
    const unsigned char *b = (const unsigned char *)cursor;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

static inline uint32_t crd_i_word_32(const char *cursor) {
    const unsigned char *b = (const unsigned char *)cursor;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

#endif
