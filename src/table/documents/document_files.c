/* SPDX-License-Identifier: MIT */
/* document_files.c - see document_files.h. */
#include "table/documents/document_files.h"

#include "base/error.h"
#include "base/memory.h"
#include "table/parse/slow_parse.h"

#include <string.h>

crd_status crd_i_document_files_init(crd_i_document_files *files, crd_context *context, bool is_text,
                                     const crd_i_decoder *decoders, const crd_reader_options *options,
                                     crd_error *error) {
    *files = (crd_i_document_files){.context = context, .is_text = is_text, .decoders = decoders};
    files->max_record = options == NULL || options->max_record == 0 ? CRD_I_USUAL_MAX_RECORD : options->max_record;
    if (files->max_record > CRD_I_MAX_RECORD) files->max_record = CRD_I_MAX_RECORD;
    if (options == NULL || options->encoding == NULL) return CRD_OK;
    files->takes_any_bytes = strcmp(options->encoding, "bytes") == 0;
    return files->takes_any_bytes ? CRD_OK : crd_i_encoding_find(options->encoding, files->encoding, error);
}

/* Takes over `inner`, also when it fails. */
static crd_status document_files_transcode(const crd_i_document_files *files, crd_i_source *inner, crd_i_source **out,
                                           crd_error *error) {
    crd_text first = {NULL, 0};
    size_t mark = 0;
    crd_i_source *peeked = NULL;
    crd_status status = crd_i_source_peek(files->context, inner, CRD_I_ENCODING_LOOK, &first, &peeked, error);
    *out = peeked;
    if (status != CRD_OK) return status;
    const char *known = crd_i_encoding_detect(first, &mark);
    if (known == NULL) known = files->encoding;
    if (known[0] == '\0' && mark == 0) return CRD_OK;
    *out = NULL;
    return crd_i_source_transcode(files->context, peeked, known[0] == '\0' ? "UTF-8" : known, mark, out, error);
}

crd_status crd_i_document_files_open(const crd_i_document_files *files, const char *path, crd_i_source **out,
                                     crd_error *error) {
    crd_i_source *file = NULL, *decoded = NULL;
    *out = NULL;
    crd_status status = crd_i_source_open(files->context, path, &file, error);
    if (status == CRD_OK) status = crd_i_source_decode(files->context, file, files->decoders, &decoded, error);
    if (status == CRD_OK && files->is_text && !files->takes_any_bytes)
        return document_files_transcode(files, decoded, out, error);
    *out = decoded;
    return status;
}

crd_status crd_i_document_files_read(crd_i_source *source, size_t wanted, crd_i_buffer *buffer, bool *is_read,
                                     crd_error *error) {
    crd_status status = CRD_OK;
    while (status == CRD_OK && !*is_read && buffer->length < wanted) {
        size_t got = 0;
        unsigned char *space = crd_i_buffer_room(buffer, wanted - buffer->length);
        if (space == NULL) return crd_i_fail_memory(error);
        if (crd_i_context_cancelled(buffer->context)) return crd_i_fail_cancelled(error);
        status = source->read(source, space, wanted - buffer->length, &got, error);
        buffer->length += got;
        *is_read = got == 0;
    }
    if (status == CRD_OK && *is_read && source->finish != NULL) status = source->finish(source, error);
    return status;
}

crd_status crd_i_document_files_load(const crd_i_document_files *files, const char *path, crd_i_buffer *buffer,
                                     crd_error *error) {
    crd_i_source *file = NULL;
    bool is_read = false;
    *buffer = (crd_i_buffer){.context = files->context};
    crd_status status = crd_i_document_files_open(files, path, &file, error);
    const size_t most = files->most_bytes;
    for (size_t wanted = 1 << 14; status == CRD_OK && !is_read && (most == 0 || buffer->length < most); wanted *= 2) {
        status = crd_i_document_files_read(file, most > 0 && wanted > most ? most : wanted, buffer, &is_read, error);
        if (status == CRD_OK && most == 0 && buffer->length > files->max_record)
            status = crd_i_document_files_fail(files, error);
    }
    crd_i_source_close(file);
    if (status != CRD_OK) crd_i_buffer_clear(buffer);
    return status;
}

crd_status crd_i_document_files_fail(const crd_i_document_files *files, crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_LIMIT, "a document longer than %zu bytes", files->max_record);
}
