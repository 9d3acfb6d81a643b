/* SPDX-License-Identifier: MIT */
/* checksum_sse42.c - CRC-32C with the SSE 4.2 instruction of x86 processors. A single dependency chain is already
 * several times as fast as a disk, so there is no interleaving. */
#include "io/section.h"

#ifdef CRD_I_CHECKSUM_SSE42

#include "base/buffer.h"
#include "base/processor.h"

#include <immintrin.h>

__attribute__((target("sse4.2,crc32"))) static uint32_t compute(const unsigned char *bytes, size_t length) {
    uint64_t remainder = UINT32_MAX;
    size_t i = 0;
    for (; length - i >= 8; i += 8) remainder = _mm_crc32_u64(remainder, crd_i_word_64((const char *)bytes + i));
    for (; i < length; i++) remainder = _mm_crc32_u8((uint32_t)remainder, bytes[i]);
    return ~(uint32_t)remainder;
}

static bool checksum_sse42_is_supported(void) {
    return crd_i_processor_has(CRD_I_PROCESSOR_SSE42);
}

const crd_i_checksum_way crd_i_checksum_sse42 = {"sse4.2", checksum_sse42_is_supported, compute};

#endif
