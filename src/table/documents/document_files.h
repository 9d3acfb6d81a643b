/* SPDX-License-Identifier: MIT */
/* document_files.h - the bytes of files of documents: decompressed, and, where they are text, in UTF-8 as far as they show what they are in. */
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
    char encoding[CRD_I_ENCODING_ROOM]; /* that was declared; "": none, or UTF-8 */
    size_t
        most_bytes; /* of a file of one document, the rest of which is skipped; 0: one longer than max_record is an error */
    size_t max_record;
} crd_i_document_files;

CRD_MUST_USE crd_status crd_i_document_files_init(crd_i_document_files *files, crd_context *context, bool is_text,
                                                  const crd_i_decoder *decoders, const crd_reader_options *options,
                                                  crd_error *error);
CRD_MUST_USE crd_status crd_i_document_files_open(const crd_i_document_files *files, const char *path,
                                                  crd_i_source **out, crd_error *error);
/* Reads until there are `wanted` bytes, or all, which sets *is_read. */
CRD_MUST_USE crd_status crd_i_document_files_read(crd_i_source *from, size_t wanted, crd_i_buffer *to, bool *is_read,
                                                  crd_error *error);
/* A whole file, as far as it is read, which the caller frees; on failure there is nothing to free. */
CRD_MUST_USE crd_status crd_i_document_files_load(const crd_i_document_files *files, const char *path, crd_i_buffer *to,
                                                  crd_error *error);
/* CRD_ERROR_LIMIT: a document is longer than max_record. */
crd_status crd_i_document_files_fail(const crd_i_document_files *files, crd_error *error);

#endif
