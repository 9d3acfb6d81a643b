/* SPDX-License-Identifier: MIT */
/* section.c - see section.h. */
#include "io/section.h"

#include "base/error.h"
#include "io/checksum.h"

#include <string.h>

/* Not text, and damaged visibly by a transfer that changes line ends or strips the eighth bit. */
const unsigned char crd_i_section_magic[CRD_I_MAGIC_LENGTH] = {0x8D, 'C', 'R', 'D', 0x0D, 0x0A, 0x1A, 0x0A};

enum { CONTAINER_VERSION = 1, HEAD_LENGTH = 20, SECTION_HEAD_LENGTH = 20, CRITICAL = 1 };

static void overwrite_u32(crd_i_encoder *encoder, size_t at, uint32_t value) {
    for (size_t i = 0; i < 4; i++) encoder->buffer.bytes[at + i] = (unsigned char)(value >> (8 * i));
}

void crd_i_section_file_begin(crd_i_encoder *encoder) {
    crd_i_encode_bytes(encoder, crd_i_section_magic, CRD_I_MAGIC_LENGTH);
    crd_i_encode_u32(encoder, CONTAINER_VERSION);
    crd_i_encode_u32(encoder, 0);
    crd_i_encode_u32(encoder, 0);
}

size_t crd_i_section_begin(crd_i_encoder *encoder, const char tag[4], uint32_t version, bool critical) {
    size_t begun = encoder->buffer.length;
    crd_i_encode_bytes(encoder, tag, 4);
    crd_i_encode_u32(encoder, version);
    crd_i_encode_u32(encoder, critical ? CRITICAL : 0);
    crd_i_encode_u64(encoder, 0);
    return begun;
}

void crd_i_section_end(crd_i_encoder *encoder, size_t begun) {
    if (encoder->failed) return;
    uint64_t length = encoder->buffer.length - begun - SECTION_HEAD_LENGTH;
    overwrite_u32(encoder, begun + 12, (uint32_t)length);
    overwrite_u32(encoder, begun + 16, (uint32_t)(length >> 32));
    crd_i_encode_u32(encoder, crd_i_checksum(encoder->buffer.bytes + begun, encoder->buffer.length - begun));
    if (encoder->failed) return;
    /* The number of sections so far stands in the head. */
    crd_i_cursor head = {encoder->buffer.bytes + 12, encoder->buffer.bytes + 16, false};
    overwrite_u32(encoder, 12, crd_i_decode_u32(&head) + 1);
}

void crd_i_section_file_end(crd_i_encoder *encoder) {
    if (encoder->failed) return;
    overwrite_u32(encoder, 16, crd_i_checksum(encoder->buffer.bytes, 16));
}

static crd_status damaged(crd_error *error, const char *what) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: %s", what);
}

crd_status crd_i_section_file_open(const unsigned char *bytes, size_t length, crd_i_section_file *out,
                                   crd_error *error) {
    size_t begins = length < CRD_I_MAGIC_LENGTH ? length : CRD_I_MAGIC_LENGTH;
    if (length == 0 || memcmp(bytes, crd_i_section_magic, begins) != 0)
        return crd_i_fail(error, CRD_ERROR_NOT_A_MODEL, "not a model file: it does not begin as one does");
    if (length < HEAD_LENGTH) return damaged(error, "it ends inside its head");
    crd_i_cursor cursor = {bytes + CRD_I_MAGIC_LENGTH, bytes + length, false};
    uint32_t version = crd_i_decode_u32(&cursor);
    uint32_t sections = crd_i_decode_u32(&cursor);
    if (crd_i_decode_u32(&cursor) != crd_i_checksum(bytes, 16))
        return damaged(error, "the checksum of its head is wrong");
    if (version != CONTAINER_VERSION)
        return crd_i_fail(error, CRD_ERROR_TOO_NEW,
                          "the model file has version %u, and this library reads version %d: use a newer library",
                          (unsigned)version, CONTAINER_VERSION);
    out->rest = cursor;
    out->sections_left = sections;
    return CRD_OK;
}

crd_status crd_i_section_next(crd_i_section_file *file, crd_i_section *out, bool *more, crd_error *error) {
    crd_i_cursor *rest = &file->rest;
    *more = file->sections_left > 0;
    if (!*more) {
        if (crd_i_cursor_left(rest) != 0) return damaged(error, "something follows its last section");
        return CRD_OK;
    }
    const unsigned char *start = rest->at;
    if (!crd_i_cursor_holds(rest, 1, SECTION_HEAD_LENGTH))
        return damaged(error, "it ends where a section should begin");
    memcpy(out->tag, rest->at, 4);
    rest->at += 4;
    out->version = crd_i_decode_u32(rest);
    uint32_t flags = crd_i_decode_u32(rest);
    uint64_t length = crd_i_decode_u64(rest);
    if (!crd_i_cursor_holds(rest, length, 1)) return damaged(error, "it ends inside a section");
    out->content.at = rest->at;
    out->content.end = rest->at + length;
    out->content.failed = false;
    rest->at += length;
    size_t covered = (size_t)(rest->at - start);
    uint32_t stated = crd_i_decode_u32(rest);
    if (rest->failed) return damaged(error, "it ends inside a checksum");
    if (stated != crd_i_checksum(start, covered)) return damaged(error, "the checksum of a section is wrong");
    if ((flags & ~(uint32_t)CRITICAL) != 0)
        return crd_i_fail(error, CRD_ERROR_TOO_NEW, "the model file uses flags that this library does not know");
    out->critical = (flags & CRITICAL) != 0;
    file->sections_left--;
    return CRD_OK;
}
