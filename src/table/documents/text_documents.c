/* SPDX-License-Identifier: MIT */
/* text_documents.c - see text_documents.h. */
#include "table/documents/text_documents.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "table/text_encoding.h"

#include <string.h>

/* A line, with its end. */
static size_t text_documents_measure(const char *bytes, size_t length, bool are_all) {
    const char *end = memchr(bytes, '\n', length);
    if (end != NULL) return (size_t)(end - bytes) + 1;
    return are_all ? length : 0;
}

static crd_text without_line_end(crd_text line) {
    if (line.length > 0 && line.bytes[line.length - 1] == '\n') {
        line.length--;
        if (line.length > 0 && line.bytes[line.length - 1] == '\r') line.length--;
    }
    return line;
}

static crd_status text_documents_read(crd_context *context, const crd_i_document *document, crd_text *texts,
                                      void **owned, crd_error *error) {
    crd_text text = document->number > 0 ? without_line_end(document->bytes) : document->bytes;
    *owned = NULL;
    texts[0] = text;
    if (crd_i_utf8_is_valid(text)) return CRD_OK;
    char *converted = crd_i_alloc(context, text.length, CRD_I_ENCODING_WESTERN_GROWTH);
    if (converted == NULL) return crd_i_fail_memory(error);
    texts[0] = (crd_text){converted, crd_i_encoding_read_western(text, converted)};
    *owned = converted;
    return CRD_OK;
}

static const char *const COLUMNS[] = {"text"};

const crd_i_document_type crd_i_text_documents = {.columns = COLUMNS,
                                                  .column_count = 1,
                                                  .is_text = true,
                                                  .measure = text_documents_measure,
                                                  .read = text_documents_read,
                                                  .release = crd_free};
