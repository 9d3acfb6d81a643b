/* SPDX-License-Identifier: MIT */
/* byte_codec.h - little-endian integers and texts, written to a buffer and read back from hostile bytes. */
#ifndef CRD_IO_BYTE_CODEC_H
#define CRD_IO_BYTE_CODEC_H

#include "base/buffer.h"

/* Writing. The first failure sticks: check `failed` once, at the end. It is out of memory, unless the writer of something
 * that had to be read first has put another here. */
typedef struct crd_i_encoder {
    crd_i_buffer buffer;
    bool failed;
    crd_status status; /* CRD_OK: out of memory */
    crd_error error;   /* where status is another */
} crd_i_encoder;

void crd_i_encode_u8(crd_i_encoder *encoder, uint8_t value);
void crd_i_encode_u32(crd_i_encoder *encoder, uint32_t value);
void crd_i_encode_u64(crd_i_encoder *encoder, uint64_t value);
/* The same; `count` of them. */
void crd_i_encode_u64s(crd_i_encoder *encoder, const uint64_t *values, size_t count);
void crd_i_encode_text(crd_i_encoder *encoder, crd_text text); /* u32 length, bytes */
void crd_i_encode_bytes(crd_i_encoder *encoder, const void *bytes, size_t length);
/* Seven bits a byte, the lowest first, all but the last with the eighth bit set: small numbers take one byte. */
enum { CRD_I_MOST_VARINT = 10 };
void crd_i_encode_varint(crd_i_encoder *encoder, uint64_t value);

/* Reading. Nothing is read past the end: a read that would be sets `failed` and gives zero. */
typedef struct crd_i_cursor {
    const unsigned char *at, *end;
    bool failed;
} crd_i_cursor;

uint8_t crd_i_decode_u8(crd_i_cursor *cursor);
uint32_t crd_i_decode_u32(crd_i_cursor *cursor);
uint64_t crd_i_decode_u64(crd_i_cursor *cursor);
/* `count` of them, which are there: see crd_i_cursor_holds. */
void crd_i_decode_u64s(crd_i_cursor *cursor, uint64_t *values, size_t count);
crd_text crd_i_decode_text(crd_i_cursor *cursor); /* points into the bytes */
/* One that takes more bytes than it needs fails too. */
uint64_t crd_i_decode_long_varint(crd_i_cursor *cursor);
static inline uint64_t crd_i_decode_varint(crd_i_cursor *cursor) {
    return cursor->at < cursor->end && *cursor->at < 0x80 ? *cursor->at++ : crd_i_decode_long_varint(cursor);
}
size_t crd_i_cursor_left(const crd_i_cursor *cursor);
/* Whether `count` items of at least `item_size` bytes can still follow; sets `failed` where not. To be asked before
 * allocating for a count that a file states. */
bool crd_i_cursor_holds(crd_i_cursor *cursor, uint64_t count, size_t item_size);

#endif
