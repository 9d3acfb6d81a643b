/* SPDX-License-Identifier: MIT */
/* byte_codec.h - writes little-endian integers and texts to a buffer, and reads them back from untrusted bytes. */
#ifndef CRD_BASE_BYTE_CODEC_H
#define CRD_BASE_BYTE_CODEC_H

#include "base/buffer.h"

/* A writer. The first failure is permanent: check `failed` once, at the end. The failure means that memory ran out,
 * unless the code that writes has stored another status here. */
typedef struct crd_i_encoder {
    crd_i_buffer buffer;
    bool failed;
    crd_status status; /* CRD_OK: memory ran out */
    crd_error error;   /* set if status is another one */
} crd_i_encoder;

void crd_i_encode_u8(crd_i_encoder *encoder, uint8_t value);
void crd_i_encode_u32(crd_i_encoder *encoder, uint32_t value);
void crd_i_encode_u64(crd_i_encoder *encoder, uint64_t value);
/* Writes `count` integers. */
void crd_i_encode_u64s(crd_i_encoder *encoder, const uint64_t *values, size_t count);
void crd_i_encode_text(crd_i_encoder *encoder, crd_text text); /* u32 length, bytes */
void crd_i_encode_bytes(crd_i_encoder *encoder, const void *bytes, size_t length);
/* Writes seven bits per byte, lowest first. All bytes except the last have the eighth bit set, so small numbers take
 * one byte. */
enum { CRD_I_MOST_VARINT = 10 };
void crd_i_encode_varint(crd_i_encoder *encoder, uint64_t value);

/* A reader. It never reads past the end: such a read sets `failed` and returns zero. */
typedef struct crd_i_cursor {
    const unsigned char *at, *end;
    bool failed;
} crd_i_cursor;

/* Returns a cursor over the bytes of a buffer. */
crd_i_cursor crd_i_cursor_of(const crd_i_buffer *buffer);
uint8_t crd_i_decode_u8(crd_i_cursor *cursor);
uint32_t crd_i_decode_u32(crd_i_cursor *cursor);
uint64_t crd_i_decode_u64(crd_i_cursor *cursor);
/* Reads `count` integers, which must be present: see crd_i_cursor_holds. */
void crd_i_decode_u64s(crd_i_cursor *cursor, uint64_t *values, size_t count);
crd_text crd_i_decode_text(crd_i_cursor *cursor); /* points into the bytes */
/* Copies `length` bytes to `out`, which becomes zero if fewer remain. */
void crd_i_decode_bytes(crd_i_cursor *cursor, void *out, size_t length);
/* Returns a cursor over the next `length` bytes, or over all that remain, and skips them. */
crd_i_cursor crd_i_decode_part(crd_i_cursor *cursor, uint64_t length);
crd_i_cursor crd_i_decode_rest(crd_i_cursor *cursor);
/* Reads a varint. An encoding that is longer than necessary fails too. */
uint64_t crd_i_decode_long_varint(crd_i_cursor *cursor);
static inline uint64_t crd_i_decode_varint(crd_i_cursor *cursor) {
    return cursor->at < cursor->end && *cursor->at < 0x80 ? *cursor->at++ : crd_i_decode_long_varint(cursor);
}
size_t crd_i_cursor_left(const crd_i_cursor *cursor);
/* Returns whether `count` items of at least `item_size` bytes can still follow; otherwise sets `failed`. Call it before
 * you allocate memory for a count from a file. */
bool crd_i_cursor_holds(crd_i_cursor *cursor, uint64_t count, size_t item_size);

#endif
