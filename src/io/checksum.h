/* SPDX-License-Identifier: MIT */
/* checksum.h - CRC-32C (Castagnoli et al. 1993), which detects every error burst of up to 32 bits. */
#ifndef CRD_IO_CHECKSUM_H
#define CRD_IO_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint32_t crd_i_checksum(const unsigned char *bytes, size_t length);

/* An implementation. All implementations give the same result. */
typedef struct crd_i_checksum_way {
    const char *name;
    bool (*is_supported)(void);
    uint32_t (*compute)(const unsigned char *bytes, size_t length);
} crd_i_checksum_way;

extern const crd_i_checksum_way crd_i_checksum_plain;
#if defined(__GNUC__) && defined(__x86_64__)
#define CRD_I_CHECKSUM_SSE42
extern const crd_i_checksum_way crd_i_checksum_sse42;
#endif

#endif
