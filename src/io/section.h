/* SPDX-License-Identifier: MIT */
/* section.h - the container of a model file: a head, then sections. A checksum covers every byte.
 *
 *   head:    magic (8 bytes), u32 container version, u32 number of sections, u32 CRC-32C of those 16 bytes
 *   section: tag (4 bytes), u32 version, u32 flags (1: critical), u64 length, `length` bytes,
 *            u32 CRC-32C of everything in the section before it
 *
 * A reader skips an unknown section unless it is critical. Nothing follows the last section. The last section may be
 * paged (flag 2): a u32 CRC-32C of its head follows its length, and its content has its own checksums, so it need not
 * be read as a whole. */
#ifndef CRD_IO_SECTION_H
#define CRD_IO_SECTION_H

#include "base/byte_codec.h"
#include "io/page_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CRD_I_MAGIC_LENGTH = 8 };
extern const unsigned char crd_i_section_magic[CRD_I_MAGIC_LENGTH];

/* Writing: begin the file, then begin and end each section; the counts and checksums are filled in. */
void crd_i_section_file_begin(crd_i_encoder *encoder);
size_t crd_i_section_begin(crd_i_encoder *encoder, const char tag[4], uint32_t version, bool critical);
void crd_i_section_end(crd_i_encoder *encoder, size_t begun);
/* Begins the last section, which is paged. The caller writes its content of this length after it. */
void crd_i_section_begin_paged(crd_i_encoder *encoder, const char tag[4], uint32_t version, uint64_t length);
void crd_i_section_file_end(crd_i_encoder *encoder);

/* A section that was read. crd_i_section_file_open checks the head. crd_i_section_next returns the sections in order,
 * verified, and sets *more to false after the last one. */
typedef struct crd_i_section {
    char tag[4];
    uint32_t version;
    bool critical, is_paged;
    crd_i_cursor content; /* empty if a paged section is left in its file */
} crd_i_section;

typedef struct crd_i_section_file {
    crd_i_cursor cursor;
    uint32_t sections_left;
    crd_i_page_source *pages; /* content of the paged section if it is left in its file, otherwise NULL; borrowed */
} crd_i_section_file;

/* Loads the bytes of a file that must be in memory, and opens its paged section. *pages is NULL if everything is in
 * memory. */
CRD_MUST_USE crd_status crd_i_section_file_load(crd_context *context, const char *path, unsigned char **bytes,
                                                size_t *length, crd_i_page_source **pages, crd_error *error);

/* Opens the container. Returns CRD_ERROR_NOT_A_MODEL, CRD_ERROR_TOO_NEW or CRD_ERROR_DAMAGED on failure. */
CRD_MUST_USE crd_status crd_i_section_file_open(const unsigned char *bytes, size_t length, crd_i_section_file *out,
                                                crd_error *error);
CRD_MUST_USE crd_status crd_i_section_next(crd_i_section_file *file, crd_i_section *out, bool *more, crd_error *error);

/* ======== Checksum ========
 *
 * CRC-32C (Castagnoli et al. 1993) detects every error burst of up to 32 bits. */

uint32_t crd_i_checksum(const unsigned char *bytes, size_t length);

/* An implementation. All implementations give the same result. */
typedef struct crd_i_checksum_way {
    const char *name;
    bool (*is_supported)(void);
    uint32_t (*compute)(const unsigned char *bytes, size_t length);
} crd_i_checksum_way;

extern const crd_i_checksum_way crd_i_checksum_plain;
#if defined(__GNUC__) && defined(__x86_64__)
#define CRD_I_CHECKSUM_SSE42
extern const crd_i_checksum_way crd_i_checksum_sse42;
#endif

#endif
