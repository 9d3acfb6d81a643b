/* SPDX-License-Identifier: MIT */
/* document_files.h - reads document files: decompresses them and, if they are text in a detectable encoding,
 * converts them to UTF-8. */
#ifndef CRD_TABLE_DOCUMENTS_DOCUMENT_FILES_H
#define CRD_TABLE_DOCUMENTS_DOCUMENT_FILES_H

#include "base/buffer.h"
#include "table/source.h"
#include "table/text_encoding.h"

typedef struct crd_i_document_files {
    crd_context *context;
    const crd_i_decoder *decoders;
    bool is_text;
    bool takes_any_bytes;
    char encoding[CRD_I_ENCODING_ROOM]; /* declared encoding; "": none, or UTF-8 */
    size_t
        /* maximum bytes to read from a file with one document; 0: a document longer than max_record is an error */
        most_bytes;
    size_t max_record;
} crd_i_document_files;

CRD_MUST_USE crd_status crd_i_document_files_init(crd_i_document_files *files, crd_context *context, bool is_text,
                                                  const crd_i_decoder *decoders, const crd_reader_options *options,
                                                  crd_error *error);
CRD_MUST_USE crd_status crd_i_document_files_open(const crd_i_document_files *files, const char *path,
                                                  crd_i_source **out, crd_error *error);
/* Reads until there are `wanted` bytes, or until the end, which sets *is_read. */
CRD_MUST_USE crd_status crd_i_document_files_read(crd_i_source *source, size_t wanted, crd_i_buffer *buffer,
                                                  bool *is_read, crd_error *error);
/* Reads a whole file, up to the limit. The caller frees the buffer. On failure there is nothing to free. */
CRD_MUST_USE crd_status crd_i_document_files_load(const crd_i_document_files *files, const char *path,
                                                  crd_i_buffer *buffer, crd_error *error);
/* Fails with CRD_ERROR_LIMIT because a document is longer than max_record. */
crd_status crd_i_document_files_fail(const crd_i_document_files *files, crd_error *error);

#endif
