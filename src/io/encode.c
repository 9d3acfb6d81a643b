/* encode.c - see encode.h. */
#include "io/encode.h"

#include <string.h>

void crd_i_encode_bytes(crd_i_encoder *encoder, const void *bytes, size_t length) {
    if (encoder->failed) return;
    encoder->failed = !crd_i_buffer_append(&encoder->buffer, bytes, length);
}

static void encode_little_endian(crd_i_encoder *encoder, uint64_t value, size_t length) {
    unsigned char bytes[8];
    for (size_t i = 0; i < length; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    crd_i_encode_bytes(encoder, bytes, length);
}

void crd_i_encode_u8(crd_i_encoder *encoder, uint8_t value) {
    encode_little_endian(encoder, value, 1);
}

void crd_i_encode_u32(crd_i_encoder *encoder, uint32_t value) {
    encode_little_endian(encoder, value, 4);
}

void crd_i_encode_u64(crd_i_encoder *encoder, uint64_t value) {
    encode_little_endian(encoder, value, 8);
}

void crd_i_encode_text(crd_i_encoder *encoder, crd_text text) {
    if (text.length > UINT32_MAX) {
        encoder->failed = true;
        return;
    }
    crd_i_encode_u32(encoder, (uint32_t)text.length);
    crd_i_encode_bytes(encoder, text.bytes, text.length);
}

size_t crd_i_cursor_left(const crd_i_cursor *cursor) {
    return cursor->failed ? 0 : (size_t)(cursor->end - cursor->at);
}

bool crd_i_cursor_holds(crd_i_cursor *cursor, uint64_t count, size_t item_size) {
    if (count > crd_i_cursor_left(cursor) / item_size) cursor->failed = true;
    return !cursor->failed;
}

static uint64_t decode_little_endian(crd_i_cursor *cursor, size_t length) {
    if (!crd_i_cursor_holds(cursor, 1, length)) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) value |= (uint64_t)cursor->at[i] << (8 * i);
    cursor->at += length;
    return value;
}

uint8_t crd_i_decode_u8(crd_i_cursor *cursor) {
    return (uint8_t)decode_little_endian(cursor, 1);
}

uint32_t crd_i_decode_u32(crd_i_cursor *cursor) {
    return (uint32_t)decode_little_endian(cursor, 4);
}

uint64_t crd_i_decode_u64(crd_i_cursor *cursor) {
    return decode_little_endian(cursor, 8);
}

crd_text crd_i_decode_text(crd_i_cursor *cursor) {
    crd_text text = {"", 0};
    uint32_t length = crd_i_decode_u32(cursor);
    if (!crd_i_cursor_holds(cursor, length, 1)) return text;
    text.bytes = (const char *)cursor->at;
    text.length = length;
    cursor->at += length;
    return text;
}
