/* SPDX-License-Identifier: MIT */
/* protobuf.c - see protobuf.h. A field begins with its number and wire type. An integer has seven bits per byte, least
 * significant first. Any other field is a length followed by that number of bytes. */
#include "export/protobuf.h"

#include "base/memory.h"

#include <string.h>

enum { WIRE_INTEGER = 0, WIRE_BYTES = 2, LONGEST_INTEGER = 10 };

static void protobuf_append(crd_i_protobuf *protobuf, const void *bytes, size_t length) {
    if (!protobuf->is_failed && length > 0)
        protobuf->is_failed = !crd_i_buffer_append(&protobuf->buffer, bytes, length);
}

/* Encodes an integer as a varint and returns its length in bytes. */
static size_t protobuf_encode(uint64_t value, unsigned char out[LONGEST_INTEGER]) {
    size_t length = 0;
    do {
        out[length++] = (unsigned char)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
    return length;
}

static void put_integer(crd_i_protobuf *protobuf, uint64_t value) {
    unsigned char bytes[LONGEST_INTEGER];
    protobuf_append(protobuf, bytes, protobuf_encode(value, bytes));
}

void crd_i_protobuf_integer(crd_i_protobuf *protobuf, unsigned field, int64_t value) {
    put_integer(protobuf, (uint64_t)field << 3 | WIRE_INTEGER);
    put_integer(protobuf, (uint64_t)value);
}

void crd_i_protobuf_bytes(crd_i_protobuf *protobuf, unsigned field, const void *bytes, size_t length) {
    put_integer(protobuf, (uint64_t)field << 3 | WIRE_BYTES);
    put_integer(protobuf, length);
    protobuf_append(protobuf, bytes, length);
}

void crd_i_protobuf_text(crd_i_protobuf *protobuf, unsigned field, const char *text) {
    crd_i_protobuf_bytes(protobuf, field, text, strlen(text));
}

size_t crd_i_protobuf_open(crd_i_protobuf *protobuf, unsigned field) {
    put_integer(protobuf, (uint64_t)field << 3 | WIRE_BYTES);
    return protobuf->buffer.length;
}

/* Inserts the length of the message before its content, which moves towards the end. */
void crd_i_protobuf_close(crd_i_protobuf *protobuf, size_t opened) {
    unsigned char bytes[LONGEST_INTEGER];
    if (protobuf->is_failed) return;
    size_t length = protobuf->buffer.length - opened, capacity = protobuf_encode(length, bytes);
    protobuf_append(protobuf, bytes, capacity);
    if (protobuf->is_failed) return;
    memmove(protobuf->buffer.bytes + opened + capacity, protobuf->buffer.bytes + opened, length);
    memcpy(protobuf->buffer.bytes + opened, bytes, capacity);
}

/* Appends 8 bytes, least significant first. */
static void protobuf_put_word(crd_i_protobuf *protobuf, uint64_t word) {
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(word >> (8 * i));
    protobuf_append(protobuf, bytes, sizeof bytes);
}

void crd_i_protobuf_doubles(crd_i_protobuf *protobuf, unsigned field, const double *numbers, size_t count) {
    put_integer(protobuf, (uint64_t)field << 3 | WIRE_BYTES);
    put_integer(protobuf, count * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &numbers[i], sizeof word);
        protobuf_put_word(protobuf, word);
    }
}

void crd_i_protobuf_longs(crd_i_protobuf *protobuf, unsigned field, const int64_t *numbers, size_t count) {
    put_integer(protobuf, (uint64_t)field << 3 | WIRE_BYTES);
    put_integer(protobuf, count * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) protobuf_put_word(protobuf, (uint64_t)numbers[i]);
}
