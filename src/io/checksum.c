/* SPDX-License-Identifier: MIT */
/* checksum.c - CRC-32C: chooses the fastest implementation, and contains the portable one.
 *
 * The reflected polynomial is 0x82f63b78. NIBBLES[i] is the remainder of the four bits i; this table is small enough to
 * be checked by eye. Short inputs are processed four bits at a time. For long inputs, eight tables of 256 entries are
 * computed from it on the stack, and process eight bytes at a time ("slicing by eight"). Computing them takes as long
 * as processing a few thousand bytes. */
#include "io/section.h"

#include "base/buffer.h"

static const uint32_t NIBBLES[16] = {
    0x00000000u, 0x105ec76fu, 0x20bd8edeu, 0x30e349b1u, 0x417b1dbcu, 0x5125dad3u, 0x61c69362u, 0x7198540du,
    0x82f63b78u, 0x92a8fc17u, 0xa24bb5a6u, 0xb21572c9u, 0xc38d26c4u, 0xd3d3e1abu, 0xe330a81au, 0xf36e6f75u,
};

enum { LONG_RUN = 1 << 14, EIGHT = 8 };

static uint32_t add_byte(uint32_t remainder, unsigned char byte) {
    remainder ^= byte;
    remainder = (remainder >> 4) ^ NIBBLES[remainder & 15];
    return (remainder >> 4) ^ NIBBLES[remainder & 15];
}

/* Computes the tables: tables[k][i] is the remainder of the byte i followed by k zero bytes. */
static void make_tables(uint32_t tables[EIGHT][256]) {
    for (uint32_t i = 0; i < 256; i++) tables[0][i] = add_byte(0, (unsigned char)i);
    for (size_t k = 1; k < EIGHT; k++)
        for (size_t i = 0; i < 256; i++) tables[k][i] = add_byte(tables[k - 1][i], 0);
}

static uint32_t add_eights(uint32_t remainder, const unsigned char *bytes, size_t length) {
    uint32_t tables[EIGHT][256];
    make_tables(tables);
    for (size_t i = 0; i < length; i += EIGHT) {
        uint64_t word = crd_i_word_64((const char *)bytes + i) ^ remainder;
        remainder = 0;
        for (size_t k = 0; k < EIGHT; k++) remainder ^= tables[EIGHT - 1 - k][word >> 8 * k & 255];
    }
    return remainder;
}

static uint32_t checksum_compute(const unsigned char *bytes, size_t length) {
    uint32_t remainder = UINT32_MAX;
    size_t i = 0;
    if (length >= LONG_RUN) {
        i = length / EIGHT * EIGHT;
        remainder = add_eights(remainder, bytes, i);
    }
    for (; i < length; i++) remainder = add_byte(remainder, bytes[i]);
    return ~remainder;
}

static bool checksum_is_supported(void) {
    return true;
}

const crd_i_checksum_way crd_i_checksum_plain = {"plain", checksum_is_supported, checksum_compute};

uint32_t crd_i_checksum(const unsigned char *bytes, size_t length) {
#ifdef CRD_I_CHECKSUM_SSE42
    if (crd_i_checksum_sse42.is_supported()) return crd_i_checksum_sse42.compute(bytes, length);
#endif
    return checksum_compute(bytes, length);
}
