/* checksum.c - CRC-32C, four bits at a time: the table of sixteen is small enough to be checked by eye, and model
 * files are small. Reflected polynomial 0x82f63b78; table[i] is the remainder of the four bits i. */
#include "io/checksum.h"

static const uint32_t table[16] = {
    0x00000000u, 0x105ec76fu, 0x20bd8edeu, 0x30e349b1u, 0x417b1dbcu, 0x5125dad3u, 0x61c69362u, 0x7198540du,
    0x82f63b78u, 0x92a8fc17u, 0xa24bb5a6u, 0xb21572c9u, 0xc38d26c4u, 0xd3d3e1abu, 0xe330a81au, 0xf36e6f75u,
};

uint32_t crd_i_checksum(const unsigned char *bytes, size_t length) {
    uint32_t remainder = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        remainder ^= bytes[i];
        remainder = (remainder >> 4) ^ table[remainder & 15];
        remainder = (remainder >> 4) ^ table[remainder & 15];
    }
    return ~remainder;
}
