/* SPDX-License-Identifier: MIT */
/* section.c - see section.h. */
#include "io/section.h"

#include "base/error.h"
#include "io/page_source.h"

#include <string.h>

/* The magic number is not text. A transfer that converts line ends or clears the eighth bit damages it visibly. */
const unsigned char crd_i_section_magic[CRD_I_MAGIC_LENGTH] = {0x8D, 'C', 'R', 'D', 0x0D, 0x0A, 0x1A, 0x0A};

enum { CONTAINER_VERSION = 1, HEAD_LENGTH = 20, SECTION_HEAD_LENGTH = 20, CRITICAL = 1, PAGED = 2 };

static crd_status section_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: %s", description);
}

static void overwrite_u32(crd_i_encoder *encoder, size_t index, uint32_t value) {
    for (size_t i = 0; i < 4; i++) encoder->buffer.bytes[index + i] = (unsigned char)(value >> (8 * i));
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

/* Increments the number of sections in the head. */
static void count_section(crd_i_encoder *encoder) {
    crd_i_cursor head = {encoder->buffer.bytes + 12, encoder->buffer.bytes + 16, false};
    overwrite_u32(encoder, 12, crd_i_decode_u32(&head) + 1);
}

void crd_i_section_begin_paged(crd_i_encoder *encoder, const char tag[4], uint32_t version, uint64_t length) {
    size_t begun = encoder->buffer.length;
    crd_i_encode_bytes(encoder, tag, 4);
    crd_i_encode_u32(encoder, version);
    crd_i_encode_u32(encoder, CRITICAL | PAGED);
    crd_i_encode_u64(encoder, length);
    if (encoder->failed) return;
    crd_i_encode_u32(encoder, crd_i_checksum(encoder->buffer.bytes + begun, SECTION_HEAD_LENGTH));
    if (!encoder->failed) count_section(encoder);
}

void crd_i_section_end(crd_i_encoder *encoder, size_t begun) {
    if (encoder->failed) return;
    uint64_t length = encoder->buffer.length - begun - SECTION_HEAD_LENGTH;
    overwrite_u32(encoder, begun + 12, (uint32_t)length);
    overwrite_u32(encoder, begun + 16, (uint32_t)(length >> 32));
    crd_i_encode_u32(encoder, crd_i_checksum(encoder->buffer.bytes + begun, encoder->buffer.length - begun));
    if (!encoder->failed) count_section(encoder);
}

void crd_i_section_file_end(crd_i_encoder *encoder) {
    if (encoder->failed) return;
    overwrite_u32(encoder, 16, crd_i_checksum(encoder->buffer.bytes, 16));
}

crd_status crd_i_section_file_open(const unsigned char *bytes, size_t length, crd_i_section_file *out,
                                   crd_error *error) {
    size_t begins = length < CRD_I_MAGIC_LENGTH ? length : CRD_I_MAGIC_LENGTH;
    if (length == 0 || memcmp(bytes, crd_i_section_magic, begins) != 0)
        return crd_i_fail(error, CRD_ERROR_NOT_A_MODEL,
                          "not a model file: it does not begin with the signature of one");
    if (length < HEAD_LENGTH) return section_damaged(error, "it ends inside its header");
    crd_i_cursor cursor = {bytes + CRD_I_MAGIC_LENGTH, bytes + length, false};
    uint32_t version = crd_i_decode_u32(&cursor);
    uint32_t sections = crd_i_decode_u32(&cursor);
    if (crd_i_decode_u32(&cursor) != crd_i_checksum(bytes, 16))
        return section_damaged(error, "the checksum of its header is wrong");
    if (version != CONTAINER_VERSION)
        return crd_i_fail(error, CRD_ERROR_TOO_NEW,
                          "the model file has version %u, but this library reads version %d: use a newer library",
                          (unsigned)version, CONTAINER_VERSION);
    out->cursor = cursor;
    out->sections_left = sections;
    out->pages = NULL;
    return CRD_OK;
}

/* Returns how many of the first bytes of a file of `size` bytes must be in memory: all bytes before the content of a
 * paged section, or all bytes. If the first `length` bytes do not show it, returns how many are needed to continue,
 * which is more than `length`. */
static uint64_t bytes_needed(const unsigned char *bytes, size_t length, uint64_t size) {
    enum { CHECKSUM_LENGTH = 4 };
    uint64_t index = HEAD_LENGTH;
    if (length < HEAD_LENGTH || memcmp(bytes, crd_i_section_magic, CRD_I_MAGIC_LENGTH) != 0) return size;
    while (index < size && size - index >= SECTION_HEAD_LENGTH + CHECKSUM_LENGTH) {
        if (index + SECTION_HEAD_LENGTH > length) return index + SECTION_HEAD_LENGTH;
        crd_i_cursor head = {bytes + index + 8, bytes + length, false};
        uint32_t flags = crd_i_decode_u32(&head);
        uint64_t content = crd_i_decode_u64(&head);
        index += SECTION_HEAD_LENGTH + CHECKSUM_LENGTH;
        if ((flags & PAGED) != 0) return index;
        if (content > size - index) return size;
        index += content;
    }
    return size;
}

crd_status crd_i_section_file_load(crd_context *context, const char *path, unsigned char **bytes, size_t *length,
                                   crd_i_page_source **pages, crd_error *error) {
    int file;
    uint64_t size;
    *pages = NULL;
    crd_status status = crd_i_file_read_needed(context, path, bytes_needed, bytes, length, &file, &size, error);
    if (status != CRD_OK || file < 0) return status;
    status = crd_i_page_source_open(context, file, path, *length, size - *length, pages, error);
    if (status == CRD_OK) return CRD_OK;
    crd_free(context, *bytes);
    *bytes = NULL;
    return status;
}

/* Checks the checksum of a paged section's head. Its content follows in memory, or stays in the file. */
static crd_status open_paged(crd_i_section_file *file, const unsigned char *start, uint64_t length, crd_i_section *out,
                             crd_error *error) {
    crd_i_cursor *cursor = &file->cursor;
    uint32_t stated = crd_i_decode_u32(cursor);
    if (cursor->failed) return section_damaged(error, "it ends inside a checksum");
    if (stated != crd_i_checksum(start, SECTION_HEAD_LENGTH))
        return section_damaged(error, "the checksum of a section is wrong");
    uint64_t there = file->pages == NULL ? crd_i_cursor_left(cursor) : crd_i_page_source_length(file->pages);
    if (file->sections_left > 1 || there != length || (file->pages != NULL && crd_i_cursor_left(cursor) > 0))
        return section_damaged(error, "its last section has an unexpected length");
    out->content.at = cursor->at;
    out->content.end = cursor->at = cursor->end;
    return CRD_OK;
}

crd_status crd_i_section_next(crd_i_section_file *file, crd_i_section *out, bool *more, crd_error *error) {
    crd_i_cursor *cursor = &file->cursor;
    *more = file->sections_left > 0;
    if (!*more) {
        if (crd_i_cursor_left(cursor) != 0) return section_damaged(error, "extra bytes after its last section");
        return CRD_OK;
    }
    const unsigned char *start = cursor->at;
    if (!crd_i_cursor_holds(cursor, 1, SECTION_HEAD_LENGTH))
        return section_damaged(error, "it ends where a section should begin");
    memcpy(out->tag, cursor->at, 4);
    cursor->at += 4;
    out->version = crd_i_decode_u32(cursor);
    uint32_t flags = crd_i_decode_u32(cursor);
    uint64_t length = crd_i_decode_u64(cursor);
    out->is_paged = (flags & PAGED) != 0;
    out->content.failed = false;
    if (out->is_paged) {
        crd_status status = open_paged(file, start, length, out, error);
        if (status != CRD_OK) return status;
    } else {
        if (!crd_i_cursor_holds(cursor, length, 1)) return section_damaged(error, "it ends inside a section");
        out->content.at = cursor->at;
        out->content.end = cursor->at + length;
        cursor->at += length;
        size_t covered = (size_t)(cursor->at - start);
        uint32_t stated = crd_i_decode_u32(cursor);
        if (cursor->failed) return section_damaged(error, "it ends inside a checksum");
        if (stated != crd_i_checksum(start, covered))
            return section_damaged(error, "the checksum of a section is wrong");
    }
    if ((flags & ~(uint32_t)(CRITICAL | PAGED)) != 0)
        return crd_i_fail(error, CRD_ERROR_TOO_NEW, "the model file uses unknown flags: use a newer library");
    out->critical = (flags & CRITICAL) != 0;
    file->sections_left--;
    return CRD_OK;
}
