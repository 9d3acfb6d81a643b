/* SPDX-License-Identifier: MIT */
/* page_export.c - crd_page_export: inserts a document into the web app's HTML page. The document is Base64, which
 * contains no character with a meaning in HTML. */
#include "base/error.h"
#include "export/export_writer.h"

#include <string.h>

static const char place[] = "<script id=\"credence-document\" type=\"application/octet-stream\">";

/* Returns where the document goes, or NULL if the page has no place for it. */
static const char *page_export_find_place(crd_text page) {
    const size_t length = sizeof place - 1;
    for (size_t index = 0; index + length <= page.length; index++) {
        const char *begin = memchr(page.bytes + index, '<', page.length - index - length + 1);
        if (begin == NULL) return NULL;
        if (memcmp(begin, place, length) == 0) return begin + length;
        index = (size_t)(begin - page.bytes);
    }
    return NULL;
}

static void write_base64(crd_i_export_writer *writer, crd_text bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t index = 0; index < bytes.length && !writer->is_refused; index += 3) {
        const size_t left = bytes.length - index;
        uint32_t group = (uint32_t)(unsigned char)bytes.bytes[index] << 16;
        if (left > 1) group |= (uint32_t)(unsigned char)bytes.bytes[index + 1] << 8;
        if (left > 2) group |= (unsigned char)bytes.bytes[index + 2];
        const char four[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                              left > 2 ? digits[group & 63] : '='};
        crd_i_export_bytes(writer, four, sizeof four);
    }
}

crd_status crd_page_export(crd_text page, crd_text name, crd_text document, crd_export_sink sink, void *user,
                           crd_error *error) {
    crd_i_export_writer writer = {.sink = sink, .user = user};
    if ((page.bytes == NULL && page.length > 0) || (name.bytes == NULL && name.length > 0) ||
        (document.bytes == NULL && document.length > 0) || sink == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing bytes of a text, or missing sink");
    const char *cursor = page_export_find_place(page);
    if (cursor == NULL) return crd_i_fail(error, CRD_ERROR_SYNTAX, "the page has no place for a document");
    const size_t before = (size_t)(cursor - page.bytes);
    crd_i_export_bytes(&writer, page.bytes, before);
    write_base64(&writer, name);
    crd_i_export_text(&writer, " ");
    write_base64(&writer, document);
    crd_i_export_bytes(&writer, cursor, page.length - before);
    crd_i_export_flush(&writer);
    return writer.is_refused ? crd_i_fail(error, CRD_ERROR_CANCELLED, "the sink of the export rejected the output")
                             : CRD_OK;
}
