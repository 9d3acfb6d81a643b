/* SPDX-License-Identifier: MIT */
/* byte_codec.c - see byte_codec.h. */
#include "base/byte_codec.h"

#include "base/buffer.h"

#include <string.h>

void crd_i_encode_bytes(crd_i_encoder *encoder, const void *bytes, size_t length) {
    if (encoder->failed) return;
    encoder->failed = !crd_i_buffer_append(&encoder->buffer, bytes, length);
}

/* Reserves `length` more bytes, which count as written. NULL: writing has failed. */
static unsigned char *byte_codec_take_room(crd_i_encoder *encoder, size_t length) {
    if (encoder->failed) return NULL;
    unsigned char *space = crd_i_buffer_room(&encoder->buffer, length);
    encoder->failed = space == NULL;
    if (space != NULL) encoder->buffer.length += length;
    return space;
}

/* Written so that compilers combine the bytes into one store. */
static void put_u32(unsigned char *destination, uint32_t value) {
    destination[0] = (unsigned char)value;
    destination[1] = (unsigned char)(value >> 8);
    destination[2] = (unsigned char)(value >> 16);
    destination[3] = (unsigned char)(value >> 24);
}

static void put_u64(unsigned char *destination, uint64_t value) {
    destination[0] = (unsigned char)value;
    destination[1] = (unsigned char)(value >> 8);
    destination[2] = (unsigned char)(value >> 16);
    destination[3] = (unsigned char)(value >> 24);
    destination[4] = (unsigned char)(value >> 32);
    destination[5] = (unsigned char)(value >> 40);
    destination[6] = (unsigned char)(value >> 48);
    destination[7] = (unsigned char)(value >> 56);
}

void crd_i_encode_u8(crd_i_encoder *encoder, uint8_t value) {
    crd_i_encode_bytes(encoder, &value, 1);
}

void crd_i_encode_u32(crd_i_encoder *encoder, uint32_t value) {
    unsigned char *buffer = byte_codec_take_room(encoder, 4);
    if (buffer != NULL) put_u32(buffer, value);
}

void crd_i_encode_u64(crd_i_encoder *encoder, uint64_t value) {
    unsigned char *buffer = byte_codec_take_room(encoder, 8);
    if (buffer != NULL) put_u64(buffer, value);
}

void crd_i_encode_u64s(crd_i_encoder *encoder, const uint64_t *values, size_t count) {
    unsigned char *buffer = count > SIZE_MAX / 8 ? NULL : byte_codec_take_room(encoder, 8 * count);
    if (buffer == NULL) encoder->failed = true;
    else
        for (size_t i = 0; i < count; i++) put_u64(buffer + 8 * i, values[i]);
}

void crd_i_encode_text(crd_i_encoder *encoder, crd_text text) {
    unsigned char *buffer = text.length > UINT32_MAX ? NULL : byte_codec_take_room(encoder, 4 + text.length);
    if (buffer == NULL) {
        encoder->failed = true;
        return;
    }
    put_u32(buffer, (uint32_t)text.length);
    if (text.length > 0) memcpy(buffer + 4, text.bytes, text.length);
}

void crd_i_encode_varint(crd_i_encoder *encoder, uint64_t value) {
    unsigned char bytes[CRD_I_MOST_VARINT];
    size_t length = 0;
    for (; value >= 0x80; value >>= 7) bytes[length++] = (unsigned char)(value | 0x80);
    bytes[length++] = (unsigned char)value;
    crd_i_encode_bytes(encoder, bytes, length);
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

void crd_i_decode_u64s(crd_i_cursor *cursor, uint64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) values[i] = crd_i_word_64((const char *)cursor->at + 8 * i);
    cursor->at += 8 * count;
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

void crd_i_decode_bytes(crd_i_cursor *cursor, void *out, size_t length) {
    const crd_i_cursor part = crd_i_decode_part(cursor, length);
    if (part.failed) memset(out, 0, length);
    else if (length > 0) memcpy(out, part.at, length);
}

crd_i_cursor crd_i_cursor_of(const crd_i_buffer *buffer) {
    static const unsigned char none[1];
    const unsigned char *begin = buffer->bytes == NULL ? none : buffer->bytes;
    return (crd_i_cursor){.at = begin, .end = begin + buffer->length};
}

crd_i_cursor crd_i_decode_rest(crd_i_cursor *cursor) {
    return crd_i_decode_part(cursor, crd_i_cursor_left(cursor));
}

crd_i_cursor crd_i_decode_part(crd_i_cursor *cursor, uint64_t length) {
    if (!crd_i_cursor_holds(cursor, length, 1)) return (crd_i_cursor){.failed = true};
    const crd_i_cursor part = {.at = cursor->at, .end = length == 0 ? cursor->at : cursor->at + length};
    cursor->at = part.end;
    return part;
}

uint64_t crd_i_decode_long_varint(crd_i_cursor *cursor) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end && !cursor->failed; shift += 7) {
        unsigned char byte = *cursor->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte >= 0x80) continue;
        bool is_least = byte != 0 || shift == 0, fits = shift < 63 || byte <= 1;
        cursor->failed = !is_least || !fits;
        return cursor->failed ? 0 : value;
    }
    cursor->failed = true;
    return 0;
}
