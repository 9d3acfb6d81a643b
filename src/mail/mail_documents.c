/* SPDX-License-Identifier: MIT */
/* mail_documents.c - reads messages from folders, Maildirs and mbox files as rows of a reader.
 *
 * A file that begins with a line "From " is an mbox. Each of its messages begins with such a line, after an empty line
 * (RFC 4155). Lines inside messages that begin with "From " are quoted with '>' (the mboxrd variant). Content-Length
 * headers are ignored, because they are wrong after quoting. */
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "io/page_source.h"
#include "mail/mail_internal.h"
#include "table/formats/document_batches.h"

#include <string.h>

/* ---- mbox ---- */

/* Returns whether a line separates messages: "From ", an address and a date, of which only the time is checked. Sets
 * *is_whole to whether the line has an end. */
static bool is_separator(const char *line, size_t length, bool *is_whole) {
    const char *end = memchr(line, '\n', length);
    *is_whole = end != NULL;
    crd_i_mail_header header;
    if (length < 5 || memcmp(line, "From ", 5) != 0) return false;
    if (crd_i_mail_header_next((crd_text){line, length}, &header) > 0) return false;
    if (end == NULL) end = line + length;
    for (const char *cursor = line + 6; cursor + 2 < end; cursor++)
        if (*cursor == ':' && cursor[-1] >= '0' && cursor[-1] <= '9' && cursor[1] >= '0' && cursor[1] <= '5' &&
            cursor[2] >= '0' && cursor[2] <= '9')
            return true;
    return false;
}

/* Returns the length of the first message in the bytes, or 0 if more bytes are needed to find its end. `are_all`: the
 * bytes reach the end of the file. */
static size_t mail_documents_measure(const char *bytes, size_t length, bool are_all) {
    bool is_whole;
    const bool is_mbox = is_separator(bytes, length, &is_whole);
    if (!is_whole && !are_all) return 0;
    const char *cursor = bytes, *end = bytes + length;
    while (is_mbox && cursor < end) {
        const char *line = memchr(cursor, '\n', (size_t)(end - cursor));
        if (line == NULL || end - line < 2) break;
        cursor = ++line;
        if (*line != 'F') continue;
        const bool is_behind_blank = line - bytes > 2 && (line[-2] == '\n' || (line[-2] == '\r' && line[-3] == '\n'));
        if (is_behind_blank && is_separator(line, (size_t)(end - line), &is_whole)) {
            if (!is_whole && !are_all) return 0;
            return (size_t)(line - bytes);
        }
        if (is_behind_blank && !is_whole && !are_all) return 0;
    }
    return are_all ? length : 0;
}

/* Returns the next line after `cursor` that begins with one or more '>' followed by "From ", or NULL. */
static const char *find_quoted(const char *cursor, const char *end) {
    while (end - cursor > 6) {
        const char *line = memchr(cursor, '\n', (size_t)(end - cursor));
        if (line == NULL || end - line < 7) return NULL;
        cursor = line + 1;
        if (*cursor != '>') continue;
        while (cursor < end && *cursor == '>') cursor++;
        if (end - cursor >= 5 && memcmp(cursor, "From ", 5) == 0) return line + 1;
    }
    return NULL;
}

/* Removes one '>' from each quoted line. Sets *out to a copy that the caller frees, or to NULL if no line is quoted.
 * Returns false if memory runs out. */
static bool mail_documents_unquote(crd_context *context, crd_text message, char **out, size_t *length) {
    const char *cursor = message.bytes, *end = message.bytes + message.length;
    const char *quoted = find_quoted(cursor, end);
    *out = NULL;
    *length = 0;
    if (quoted == NULL) return true;
    char *copy = crd_i_alloc(context, message.length, 1);
    if (copy == NULL) return false;
    while (cursor < end) {
        const char *stop = quoted != NULL ? quoted : end;
        memcpy(copy + *length, cursor, (size_t)(stop - cursor));
        *length += (size_t)(stop - cursor);
        cursor = quoted != NULL ? quoted + 1 : end;
        if (quoted != NULL) quoted = find_quoted(cursor, end);
    }
    *out = copy;
    return true;
}

/* ---- Maildir ---- */

/* Returns whether a file is a message. In a Maildir, which has a folder "cur", only the files in its folders cur and
 * new are messages. Elsewhere all files are. */
static bool is_message_file(const char *path) {
    static const char cur[] = "/cur";
    char sibling[4096];
    crd_i_os_facts facts;
    const char *name = crd_i_os_file_name(path);
    if (name == path) return true;
    size_t folder = (size_t)(name - path) - 1;
    const bool has_name = folder >= 4 && crd_i_os_is_separator(path[folder - 4]);
    const char *last = has_name ? path + folder - 3 : path;
    const bool is_tmp = has_name && memcmp(last, "tmp", 3) == 0;
    const bool is_kept = has_name && (memcmp(last, "cur", 3) == 0 || memcmp(last, "new", 3) == 0);
    if (is_kept) return true;
    if (is_tmp) folder -= 4;
    if (folder + sizeof cur > sizeof sibling) return true;
    memcpy(sibling, path, folder);
    memcpy(sibling + folder, cur, sizeof cur);
    return !crd_i_os_facts_of(sibling, &facts) || facts.kind != CRD_I_OS_FOLDER;
}

/* ---- Messages ---- */

/* Parses one message. The texts belong to *owned, which `release` destroys. */
static crd_status mail_documents_read(crd_context *context, const crd_i_document *document, crd_text *texts,
                                      void **owned, crd_error *error) {
    const crd_mail_options options = CRD_MAIL_OPTIONS_INIT;
    crd_text message = document->bytes;
    char *unquoted = NULL;
    size_t length = 0;
    *owned = NULL;
    if (document->number > 0 && !mail_documents_unquote(context, message, &unquoted, &length))
        return crd_i_fail_memory(error);
    if (unquoted != NULL) message = (crd_text){unquoted, length};
    crd_mail *mail;
    const crd_status status = crd_mail_parse(context, message.bytes, message.length, &options, &mail, error);
    crd_free(context, unquoted);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++) texts[i] = crd_mail_text(mail, (crd_mail_field)i);
    *owned = mail;
    return CRD_OK;
}

static void mail_documents_release(crd_context *context, void *owned) {
    (void)context;
    crd_mail_destroy(owned);
}

static const crd_i_document_type messages = {.columns = crd_i_mail_field_names,
                                             .column_count = CRD_MAIL_FIELD_COUNT,
                                             .most_bytes = CRD_I_MAIL_MOST_BYTES,
                                             .is_file = is_message_file,
                                             .measure = mail_documents_measure,
                                             .read = mail_documents_read,
                                             .release = mail_documents_release};

crd_status crd_reader_open_mail(crd_context *context, const crd_document_source *sources, size_t count,
                                const crd_reader_options *options, crd_reader **out, crd_error *error) {
    return crd_i_documents_open(context, sources, count, &messages, NULL, crd_text_of("class"), options, out, error);
}
