/* checksum.h - CRC-32C (Castagnoli), which finds every burst of errors up to 32 bits. */
#ifndef CRD_IO_CHECKSUM_H
#define CRD_IO_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint32_t crd_i_checksum(const unsigned char *bytes, size_t length);

#endif
