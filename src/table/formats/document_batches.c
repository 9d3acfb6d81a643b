/* SPDX-License-Identifier: MIT */
/* document_batches.c - a reader whose rows are documents in folders and files. See document_batches.h.
 *
 * A batch contains a limited number of files, or a piece of one file. So memory is bounded, and all workers have
 * something to do. The end of a batch depends only on the files.
 *
 * Contents:
 *   1. Document files
 *   2. Folder listing
 *   3. Document reader
 *   4. Plain text documents */
#include "table/formats/document_batches.h"

#include "base/buffer.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "table/parse/slow_parse.h"
#include "table/text_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct crd_i_document_files {
    crd_context *context;
    bool is_text;
    bool takes_any_bytes;
    char encoding[CRD_I_ENCODING_ROOM]; /* declared encoding; "": none, or UTF-8 */
    /* maximum bytes to read from a file with one document; 0: a document longer than max_record is an error */
    size_t most_bytes;
    size_t max_record;
} crd_i_document_files;

/* ======== 1. Document files ========
 *
 * Files are decompressed and, if they are text in a detectable encoding, converted to UTF-8. */

static crd_status document_files_init(crd_i_document_files *files, crd_context *context, bool is_text,
                                      const crd_reader_options *options, crd_error *error) {
    *files = (crd_i_document_files){.context = context, .is_text = is_text};
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

static crd_status document_files_open(const crd_i_document_files *files, const char *path, crd_i_source **out,
                                      crd_error *error) {
    crd_i_source *file = NULL, *decoded = NULL;
    *out = NULL;
    crd_status status = crd_i_source_open(files->context, path, &file, error);
    if (status == CRD_OK) status = crd_i_source_decode(files->context, file, crd_i_decoders, &decoded, error);
    if (status == CRD_OK && files->is_text && !files->takes_any_bytes)
        return document_files_transcode(files, decoded, out, error);
    *out = decoded;
    return status;
}

/* Reads until there are `wanted` bytes, or until the end, which sets *is_read. */
static crd_status document_files_read(crd_i_source *source, size_t wanted, crd_i_buffer *buffer, bool *is_read,
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

/* Fails with CRD_ERROR_LIMIT because a document is longer than max_record. */
static crd_status document_files_fail(const crd_i_document_files *files, crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_LIMIT, "a document longer than %zu bytes", files->max_record);
}

/* Reads a whole file, up to the limit. The caller frees the buffer. On failure there is nothing to free. */
static crd_status document_files_load(const crd_i_document_files *files, const char *path, crd_i_buffer *buffer,
                                      crd_error *error) {
    crd_i_source *file = NULL;
    bool is_read = false;
    *buffer = (crd_i_buffer){.context = files->context};
    crd_status status = document_files_open(files, path, &file, error);
    const size_t most = files->most_bytes;
    for (size_t wanted = 1 << 14; status == CRD_OK && !is_read && (most == 0 || buffer->length < most); wanted *= 2) {
        status = document_files_read(file, most > 0 && wanted > most ? most : wanted, buffer, &is_read, error);
        if (status == CRD_OK && most == 0 && buffer->length > files->max_record)
            status = document_files_fail(files, error);
    }
    crd_i_source_close(file);
    if (status != CRD_OK) crd_i_buffer_clear(buffer);
    return status;
}

/* ======== 2. Folder listing ========
 *
 * The files of a folder and its subfolders are sorted by the bytes of their names. */

enum { MOST_DEPTH = 128 };

typedef struct walk_level {
    crd_i_buffer bytes; /* names, each with its NUL */
    const char **names; /* sorted */
    size_t count, next;
    size_t path_length; /* of the folder, including the slash after it */
} walk_level;

typedef struct crd_i_folder_walk {
    crd_context *context;
    crd_i_buffer path; /* of the current file or folder, with its NUL */
    walk_level levels[MOST_DEPTH];
    size_t depth;
} crd_i_folder_walk;

static int folder_walk_by_name(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const char *folder_walk_path(const crd_i_folder_walk *walk) {
    return (const char *)walk->path.bytes;
}

static bool folder_walk_append_name(crd_i_folder_walk *walk, size_t length, const char *name, const char *ending) {
    walk->path.length = length;
    return crd_i_buffer_append(&walk->path, name, strlen(name)) &&
           crd_i_buffer_append(&walk->path, ending, strlen(ending) + 1);
}

static crd_status fail_path(const crd_i_folder_walk *walk, int fault, crd_error *error) {
    crd_status status = crd_i_fail_system(error, fault, "cannot be read");
    crd_i_error_place(error, folder_walk_path(walk), 0, 0);
    return status;
}

static crd_status read_names(crd_i_folder_walk *walk, crd_i_os_folder *folder, walk_level *level, crd_error *error) {
    for (;;) {
        const char *name = crd_i_os_folder_next(folder);
        if (name == NULL) return errno == 0 ? CRD_OK : fail_path(walk, errno, error);
        if (name[0] == '.') continue;
        if (!crd_i_buffer_append(&level->bytes, name, strlen(name) + 1)) return crd_i_fail_memory(error);
        level->count++;
    }
}

static crd_status sort_names(crd_i_folder_walk *walk, walk_level *level, crd_error *error) {
    level->names = crd_i_alloc(walk->context, level->count, sizeof *level->names);
    if (level->names == NULL) return crd_i_fail_memory(error);
    const char *name = (const char *)level->bytes.bytes;
    for (size_t i = 0; i < level->count; i++, name += strlen(name) + 1) level->names[i] = name;
    qsort(level->names, level->count, sizeof *level->names, folder_walk_by_name);
    return CRD_OK;
}

/* Enters the current folder, whose path ends with a slash. */
static crd_status folder_walk_enter(crd_i_folder_walk *walk, crd_error *error) {
    if (walk->depth == MOST_DEPTH) {
        crd_i_fail(error, CRD_ERROR_LIMIT, "folders are nested more than %d deep", (int)MOST_DEPTH);
        crd_i_error_place(error, folder_walk_path(walk), 0, 0);
        return CRD_ERROR_LIMIT;
    }
    crd_i_os_folder *folder = crd_i_os_folder_open(folder_walk_path(walk));
    if (folder == NULL) return fail_path(walk, errno, error);
    walk_level *level = &walk->levels[walk->depth++];
    *level = (walk_level){.bytes = {.context = walk->context}, .path_length = strlen(folder_walk_path(walk))};
    crd_status status = read_names(walk, folder, level, error);
    crd_i_os_folder_close(folder);
    return status == CRD_OK ? sort_names(walk, level, error) : status;
}

static void folder_walk_leave(crd_i_folder_walk *walk) {
    walk_level *level = &walk->levels[--walk->depth];
    crd_i_buffer_clear(&level->bytes);
    crd_free(walk->context, level->names);
}

static void folder_walk_end(crd_i_folder_walk *walk) {
    if (walk == NULL) return;
    while (walk->depth > 0) folder_walk_leave(walk);
    crd_i_buffer_clear(&walk->path);
    crd_free(walk->context, walk);
}

static crd_status folder_walk_begin(crd_context *context, const char *path, crd_i_folder_walk **out, crd_error *error) {
    *out = NULL;
    crd_i_folder_walk *walk = crd_i_alloc_zeroed(context, 1, sizeof *walk);
    if (walk == NULL) return crd_i_fail_memory(error);
    walk->context = walk->path.context = context;
    size_t length = strlen(path);
    bool has_slash = length > 0 && crd_i_os_is_separator(path[length - 1]);
    crd_status status = folder_walk_append_name(walk, 0, path, has_slash ? "" : "/") ? folder_walk_enter(walk, error)
                                                                                     : crd_i_fail_memory(error);
    if (status != CRD_OK) {
        folder_walk_end(walk);
        return status;
    }
    *out = walk;
    return CRD_OK;
}

/* Returns the next regular file and its size. The path is valid until the next call; NULL: there are no more files.
 * Skips names that begin with a point, links to folders, and anything that is not a regular file. Errors contain the
 * folder's path. */
static crd_status folder_walk_next(crd_i_folder_walk *walk, const char **path, uint64_t *bytes, crd_error *error) {
    *path = NULL;
    while (walk->depth > 0) {
        walk_level *level = &walk->levels[walk->depth - 1];
        crd_i_os_facts facts;
        if (crd_i_context_cancelled(walk->context)) return crd_i_fail_cancelled(error);
        if (level->next == level->count) {
            folder_walk_leave(walk);
            continue;
        }
        const char *name = level->names[level->next++];
        if (!folder_walk_append_name(walk, level->path_length, name, "")) return crd_i_fail_memory(error);
        /* Skip entries that have disappeared, and broken links. */
        if (!crd_i_os_facts_of_link(folder_walk_path(walk), &facts)) continue;
        bool is_link = facts.kind == CRD_I_OS_LINK;
        if (is_link && !crd_i_os_facts_of(folder_walk_path(walk), &facts)) continue;
        if (facts.kind == CRD_I_OS_FILE) {
            *path = folder_walk_path(walk);
            *bytes = facts.size;
            return CRD_OK;
        }
        if (facts.kind != CRD_I_OS_FOLDER || is_link) continue;
        crd_status status = CRD_OK;
        if (!folder_walk_append_name(walk, level->path_length, name, "/")) status = crd_i_fail_memory(error);
        else status = folder_walk_enter(walk, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* ======== 3. Document reader ======== */

enum {
    BATCH_FILES = 256,
    BATCH_BYTES = 1 << 20, /* of the files of a batch, or of a piece; more if a document is larger */
    LAST_BYTES = 1 << 16,  /* of a document that is too long: more than the line that begins the next one */
    PATH_FIELD = 0         /* the path is the first column */
};

typedef struct place_of_documents {
    char *path;     /* owned */
    crd_text label; /* owned; bytes NULL: none */
} place_of_documents;

typedef struct document_source {
    crd_i_batch_source base;
    crd_context *context;
    const crd_i_document_type *type;
    crd_i_document_files files;
    place_of_documents *places;
    size_t place_count, next_place; /* the next one to begin; the current one is before it */
    crd_text *names;                /* owned: column names */
    bool has_classes;
    crd_i_folder_walk *walk; /* of the current folder; NULL: none */
    crd_i_source *file;      /* the current file; NULL: none */
    crd_i_buffer buffer;     /* bytes that were read, but are not in a batch yet */
    bool file_is_read;       /* to its end */
    uint64_t number;         /* number of documents taken from the file */
} document_source;

typedef struct document_row {
    crd_i_document document;
    size_t path;         /* offset in the batch's `paths`, or for a part in its `names` */
    unsigned char *file; /* owned: the bytes of a whole file */
    void *owned;         /* memory of the texts that `read` returned */
} document_row;

typedef struct document_batch {
    crd_i_row_batch base;
    const document_source *source;
    crd_text label;
    crd_i_buffer paths, names, piece;
    document_row *rows;
    size_t capacity;
    crd_text *texts; /* per row one text per column of the type; valid once a row is prepared */
    crd_text *row_names;
} document_batch;

static size_t text_field(const document_source *source) {
    return source->has_classes ? 2 : 1;
}

static void document_batches_place_error(crd_error *error, const char *path, uint64_t number) {
    crd_i_error_place(error, strcmp(path, "-") == 0 ? "standard input" : path, number, 0);
}

/* ---- Batches ---- */

static crd_status document_batches_load(const document_source *source, document_row *row, crd_error *error) {
    crd_i_buffer bytes = {.context = source->context};
    crd_status status = document_files_load(&source->files, row->document.path, &bytes, error);
    if (status != CRD_OK) return status;
    row->file = bytes.bytes;
    row->document.bytes = (crd_text){(const char *)bytes.bytes, bytes.length};
    return CRD_OK;
}

static crd_status document_batches_prepare(crd_i_row_batch *base, size_t first, size_t rows, crd_error *error) {
    document_batch *batch = (document_batch *)base;
    const document_source *source = batch->source;
    size_t width = source->type->column_count;
    for (size_t i = first; i < first + rows; i++) {
        document_row *row = &batch->rows[i];
        crd_status status = CRD_OK;
        if (crd_i_context_cancelled(source->context)) return crd_i_fail_cancelled(error);
        if (row->document.number == 0) status = document_batches_load(source, row, error);
        if (status == CRD_OK)
            status = source->type->read(source->context, &row->document, batch->texts + i * width, &row->owned, error);
        if (status == CRD_OK) continue;
        if (status != CRD_ERROR_MEMORY && !crd_i_is_cancelled(status))
            document_batches_place_error(error, row->document.path, row->document.number);
        return status;
    }
    return CRD_OK;
}

static crd_text document_batches_cell_text(const crd_i_row_batch *base, size_t column, size_t row) {
    const document_batch *batch = (const document_batch *)base;
    size_t first = text_field(batch->source);
    if (column == PATH_FIELD) return batch->row_names[row];
    if (column < first) return batch->label;
    return batch->texts[row * batch->source->type->column_count + column - first];
}

static crd_status document_batches_convert(const crd_i_row_batch *base, size_t column, crd_column_type type,
                                           size_t first, size_t rows, const crd_i_conversion *conversion,
                                           crd_i_column_room *workspace, crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_text none = {NULL, 0};
    into->validity = NULL;
    into->numbers = NULL;
    into->codes = NULL;
    into->texts = NULL;
    into->dictionary = NULL;
    into->type = type;
    if (type == CRD_TYPE_NUMERIC)
        return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, SIZE_MAX, "is a column of texts, not of numbers");
    if (type == CRD_TYPE_TEXT) {
        if (!crd_i_column_room_texts(conversion->context, workspace, rows, false)) return crd_i_cell_fail_memory(fault);
        for (size_t row = 0; row < rows; row++) {
            crd_text text = document_batches_cell_text(base, column, first + row);
            workspace->texts[row] = text.length > 0 ? text : none;
        }
        into->texts = workspace->texts;
        return CRD_OK;
    }
    if (!crd_i_reserve(conversion->context, &workspace->numbers, &workspace->numbers_capacity, rows,
                       sizeof *workspace->numbers))
        return crd_i_cell_fail_memory(fault);
    int32_t *codes = (int32_t *)(void *)workspace->numbers;
    into->codes = codes;
    into->dictionary = workspace->dictionary;
    crd_status status = CRD_OK;
    for (size_t row = 0; row < rows && status == CRD_OK; row++) {
        crd_text text = document_batches_cell_text(base, column, first + row);
        codes[row] = CRD_I_MAP_MISSING;
        if (text.bytes != NULL)
            status = crd_i_conversion_code(conversion, workspace->dictionary, text, row, &codes[row], fault);
    }
    return status;
}

static void document_batches_destroy_batch(crd_i_row_batch *base) {
    document_batch *batch = (document_batch *)base;
    crd_context *context = batch->paths.context;
    for (size_t i = 0; i < base->rows; i++) {
        if (batch->rows[i].owned != NULL) batch->source->type->release(context, batch->rows[i].owned);
        crd_free(context, batch->rows[i].file);
    }
    crd_free(context, batch->rows);
    crd_free(context, batch->texts);
    crd_free(context, batch->row_names);
    crd_i_buffer_clear(&batch->paths);
    crd_i_buffer_clear(&batch->names);
    crd_i_buffer_clear(&batch->piece);
    crd_free(context, batch);
}

static document_batch *create_batch(const document_source *source) {
    document_batch *batch = crd_i_alloc_zeroed(source->context, 1, sizeof *batch);
    if (batch == NULL) return NULL;
    batch->source = source;
    batch->label = source->places[source->next_place - 1].label;
    batch->paths.context = batch->names.context = batch->piece.context = source->context;
    batch->base.users = 1;
    batch->base.serial = crd_i_context_serial(source->context);
    batch->base.prepare = document_batches_prepare;
    batch->base.convert = document_batches_convert;
    batch->base.text = document_batches_cell_text;
    batch->base.destroy = document_batches_destroy_batch;
    return batch;
}

static document_row *document_batches_add_row(document_batch *batch) {
    if (!crd_i_reserve(batch->paths.context, &batch->rows, &batch->capacity, batch->base.rows + 1, sizeof *batch->rows))
        return NULL;
    document_row *row = &batch->rows[batch->base.rows++];
    *row = (document_row){.file = NULL};
    return row;
}

/* Names rows that are parts of a file by its path and their number. */
static bool name_parts(document_batch *batch) {
    const char *path = (const char *)batch->paths.bytes, *shown = strcmp(path, "-") == 0 ? "standard input" : path;
    for (size_t i = 0; i < batch->base.rows; i++) {
        document_row *row = &batch->rows[i];
        char number[24];
        int digits = snprintf(number, sizeof number, ":%llu", (unsigned long long)row->document.number);
        row->document.path = path;
        row->path = batch->names.length;
        if (!crd_i_buffer_append(&batch->names, shown, strlen(shown)) ||
            !crd_i_buffer_append(&batch->names, number, (size_t)digits))
            return false;
    }
    for (size_t i = 0; i < batch->base.rows; i++) {
        size_t begin = batch->rows[i].path;
        size_t end = i + 1 < batch->base.rows ? batch->rows[i + 1].path : batch->names.length;
        batch->row_names[i] = (crd_text){(const char *)batch->names.bytes + begin, end - begin};
    }
    return true;
}

/* Sets the pointers into memory that has grown, once all rows are there. */
static bool settle_batch(document_batch *batch, bool are_parts) {
    crd_context *context = batch->paths.context;
    size_t rows = batch->base.rows, width = batch->source->type->column_count;
    batch->row_names = crd_i_alloc_zeroed(context, rows, sizeof *batch->row_names);
    batch->texts = crd_i_alloc_zeroed(context, rows * width, sizeof *batch->texts);
    if (batch->row_names == NULL || batch->texts == NULL) return false;
    if (are_parts) return name_parts(batch);
    for (size_t i = 0; i < rows; i++) {
        const char *path = (const char *)batch->paths.bytes + batch->rows[i].path;
        batch->rows[i].document.path = path;
        batch->row_names[i] = crd_text_of(path);
    }
    return true;
}

/* ---- Folders ---- */

/* Lists the next files of the folder; if there are none, the batch has no rows. */
static crd_status list_files(document_source *source, document_batch *batch, crd_error *error) {
    uint64_t total = 0;
    while (batch->base.rows < BATCH_FILES && total < BATCH_BYTES) {
        const char *path;
        uint64_t bytes;
        crd_status status = folder_walk_next(source->walk, &path, &bytes, error);
        if (status != CRD_OK) return status;
        if (path == NULL) {
            folder_walk_end(source->walk);
            source->walk = NULL;
            break;
        }
        if (source->type->is_file != NULL && !source->type->is_file(path)) continue;
        document_row *row = document_batches_add_row(batch);
        if (row == NULL) return crd_i_fail_memory(error);
        row->path = batch->paths.length;
        if (!crd_i_buffer_append(&batch->paths, path, strlen(path) + 1)) return crd_i_fail_memory(error);
        total += bytes;
    }
    return settle_batch(batch, false) ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- Files of several documents ---- */

static bool document_batches_is_blank(crd_text text) {
    size_t i = 0;
    while (i < text.length && strchr(" \t\r\n", text.bytes[i]) != NULL && text.bytes[i] != '\0') i++;
    return i == text.length;
}

/* Finds the complete documents in the bytes read; sets *end to their end. */
static crd_status document_batches_cut(document_source *source, document_batch *batch, size_t *end, crd_error *error) {
    const char *bytes = (const char *)source->buffer.bytes;
    size_t length = source->buffer.length;
    *end = 0;
    while (*end < length) {
        size_t found = source->type->measure(bytes + *end, length - *end, source->file_is_read);
        if (found == 0) break;
        const size_t most = source->type->most_bytes;
        if (most == 0 && found > source->files.max_record) return document_files_fail(&source->files, error);
        crd_text document = {bytes + *end, most > 0 && found > most ? most : found};
        source->number++;
        *end += found;
        if (batch->label.bytes != NULL && document_batches_is_blank(document)) continue;
        document_row *row = document_batches_add_row(batch);
        if (row == NULL) return crd_i_fail_memory(error);
        row->document.number = source->number;
        row->document.bytes = document;
    }
    return CRD_OK;
}

/* Moves the bytes read to the batch, except those after `end`. */
static bool document_batches_hand_over(document_source *source, document_batch *batch, size_t end) {
    crd_i_buffer buffer = {.context = source->context};
    if (end < source->buffer.length &&
        !crd_i_buffer_append(&buffer, source->buffer.bytes + end, source->buffer.length - end))
        return false;
    batch->piece = source->buffer;
    source->buffer = buffer;
    return true;
}

/* Drops the bytes of a document beyond the limit while its end is not found, except the last ones, in which its end
 * may begin. */
static void drop_rest(crd_i_buffer *buffer, size_t most) {
    if (buffer->length <= most + 2 * LAST_BYTES) return;
    memmove(buffer->bytes + most, buffer->bytes + buffer->length - LAST_BYTES, LAST_BYTES);
    buffer->length = most + LAST_BYTES;
}

/* Rejects archives, which users pass instead of the folder they contain: they would be meaningless documents. */
static crd_status refuse_archive(const crd_i_buffer *first, const char *path, crd_error *error) {
    static const struct {
        size_t index;
        const char *magic, *name;
    } archives[] = {{257, "ustar", "a tar archive: unpack it"},
                    {0, "PK\3\4", "a ZIP archive: unpack it"},
                    {0, "7z\xBC\xAF", "a 7-Zip archive: unpack it"},
                    {0,
                     "\xFD"
                     "7zXZ",
                     "compressed by xz: only gzip and zstd are supported"},
                    {0, "BZh91AY&SY", "compressed by bzip2: only gzip and zstd are supported"}};
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
        const size_t length = strlen(archives[i].magic);
        if (first->length < archives[i].index + length ||
            memcmp(first->bytes + archives[i].index, archives[i].magic, length) != 0)
            continue;
        crd_i_fail(error, CRD_ERROR_SYNTAX, "this is %s", archives[i].name);
        document_batches_place_error(error, path, 0);
        return CRD_ERROR_SYNTAX;
    }
    return CRD_OK;
}

static crd_status cut_file(document_source *source, document_batch *batch, crd_error *error) {
    const char *path = source->places[source->next_place - 1].path;
    size_t end = 0;
    crd_status status = CRD_OK;
    uint64_t number = source->number;
    for (size_t wanted = BATCH_BYTES; status == CRD_OK && end == 0; wanted = 2 * source->buffer.length) {
        status = document_files_read(source->file, wanted, &source->buffer, &source->file_is_read, error);
        if (status != CRD_OK) break;
        if (number == 0 && refuse_archive(&source->buffer, path, error) != CRD_OK) return CRD_ERROR_SYNTAX;
        status = document_batches_cut(source, batch, &end, error);
        if (source->file_is_read) break;
        if (status != CRD_OK || end > 0) break;
        if (source->type->most_bytes > 0) drop_rest(&source->buffer, source->type->most_bytes);
        else if (source->buffer.length > source->files.max_record) status = document_files_fail(&source->files, error);
    }
    if (status != CRD_OK && status != CRD_ERROR_MEMORY && !crd_i_is_cancelled(status))
        document_batches_place_error(error, path, batch->base.rows == 0 ? number + 1 : source->number);
    if (status != CRD_OK) return status;
    if (!document_batches_hand_over(source, batch, end) ||
        !crd_i_buffer_append(&batch->paths, path, strlen(path) + 1) || !settle_batch(batch, true))
        return crd_i_fail_memory(error);
    if (source->file_is_read && source->buffer.length == 0) {
        crd_i_source_close(source->file);
        source->file = NULL;
    }
    return CRD_OK;
}

/* ---- The source ---- */

static crd_status fail_place(const char *path, int fault, crd_error *error) {
    crd_status status = crd_i_fail_system(error, fault, "cannot be opened");
    document_batches_place_error(error, path, 0);
    return status;
}

static crd_status begin_place(document_source *source, crd_error *error) {
    const char *path = source->places[source->next_place++].path;
    crd_i_os_facts facts;
    bool is_standard_input = strcmp(path, "-") == 0;
    if (!is_standard_input && !crd_i_os_facts_of(path, &facts)) return fail_place(path, errno, error);
    if (!is_standard_input && facts.kind == CRD_I_OS_FOLDER)
        return folder_walk_begin(source->context, path, &source->walk, error);
    source->file_is_read = false;
    source->buffer.length = 0;
    source->number = 0;
    crd_status status = document_files_open(&source->files, path, &source->file, error);
    if (status != CRD_OK && status != CRD_ERROR_MEMORY) document_batches_place_error(error, path, 0);
    return status;
}

static crd_status documents_next(crd_i_batch_source *base, crd_i_row_batch **out, crd_error *error) {
    document_source *source = (document_source *)base;
    *out = NULL;
    for (;;) {
        crd_status status = CRD_OK;
        if (source->walk == NULL && source->file == NULL) {
            if (source->next_place == source->place_count) return CRD_OK;
            status = begin_place(source, error);
            if (status != CRD_OK) return status;
        }
        document_batch *batch = create_batch(source);
        if (batch == NULL) return crd_i_fail_memory(error);
        status = source->walk != NULL ? list_files(source, batch, error) : cut_file(source, batch, error);
        if (status == CRD_OK && batch->base.rows > 0) {
            *out = &batch->base;
            return CRD_OK;
        }
        document_batches_destroy_batch(&batch->base);
        if (status != CRD_OK) return status;
    }
}

static void end_place(document_source *source) {
    folder_walk_end(source->walk);
    crd_i_source_close(source->file);
    source->walk = NULL;
    source->file = NULL;
}

static crd_status documents_rewind(crd_i_batch_source *base, crd_error *error) {
    (void)error;
    document_source *source = (document_source *)base;
    end_place(source);
    source->next_place = 0;
    return CRD_OK;
}

static crd_text documents_name(const crd_i_batch_source *base, size_t column) {
    return ((const document_source *)base)->names[column];
}

static crd_column_type documents_type(const crd_i_batch_source *base, size_t column) {
    return column < text_field((const document_source *)base) ? CRD_TYPE_CATEGORICAL : CRD_TYPE_TEXT;
}

static const char *documents_foreign(const crd_i_batch_source *base, size_t column) {
    (void)base;
    (void)column;
    return NULL;
}

static const crd_i_dictionary *documents_values(const crd_i_batch_source *base, size_t column) {
    (void)base;
    (void)column;
    return NULL;
}

static void documents_close(crd_i_batch_source *base) {
    document_source *source = (document_source *)base;
    crd_context *context = source->context;
    end_place(source);
    crd_i_buffer_clear(&source->buffer);
    for (size_t i = 0; source->places != NULL && i < source->place_count; i++) {
        crd_free(context, source->places[i].path);
        crd_free(context, (void *)source->places[i].label.bytes);
    }
    for (size_t i = 0; source->names != NULL && i < base->column_count; i++)
        crd_free(context, (void *)source->names[i].bytes);
    crd_free(context, source->places);
    crd_free(context, source->names);
    crd_free(context, source);
}

static bool document_batches_copy_text(crd_context *context, crd_text view, crd_text *target_text) {
    *target_text = crd_i_text_copy(context, view);
    return target_text->bytes != NULL;
}

static bool take_places(document_source *source, const crd_document_source *sources, size_t count) {
    source->places = crd_i_alloc_zeroed(source->context, count, sizeof *source->places);
    if (source->places == NULL) return false;
    source->place_count = count;
    for (size_t i = 0; i < count; i++) {
        crd_text path;
        if (!document_batches_copy_text(source->context, crd_text_of(sources[i].path), &path)) return false;
        source->places[i].path = (char *)path.bytes;
        if (strcmp(sources[i].path, "-") == 0) source->base.rewind = NULL;
        if (sources[i].label.bytes == NULL) continue;
        source->has_classes = true;
        if (!document_batches_copy_text(source->context, sources[i].label, &source->places[i].label)) return false;
    }
    return true;
}

static bool document_batches_take_names(document_source *source, const crd_text *names, crd_text class_name) {
    size_t first = text_field(source), count = first + source->type->column_count;
    source->names = crd_i_alloc_zeroed(source->context, count, sizeof *source->names);
    if (source->names == NULL) return false;
    source->base.column_count = count;
    bool done =
        document_batches_copy_text(source->context, crd_text_of("path"), &source->names[PATH_FIELD]) &&
        (!source->has_classes || document_batches_copy_text(source->context, class_name, &source->names[first - 1]));
    for (size_t i = 0; done && i < source->type->column_count; i++) {
        crd_text name = names != NULL ? names[i] : crd_text_of(source->type->columns[i]);
        done = document_batches_copy_text(source->context, name, &source->names[first + i]);
    }
    return done;
}

/* Checks all paths first: a missing path should be reported before hours are spent on the paths before it. */
static crd_status check_places(const crd_document_source *sources, size_t count, crd_error *error) {
    for (size_t i = 0; i < count; i++) {
        crd_i_os_facts facts;
        if (sources[i].path == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "source %zu has no path", i + 1);
        if (strcmp(sources[i].path, "-") != 0 && !crd_i_os_facts_of(sources[i].path, &facts))
            return fail_place(sources[i].path, errno, error);
    }
    return CRD_OK;
}

crd_status crd_i_documents_open(crd_context *context, const crd_document_source *sources, size_t count,
                                const crd_i_document_type *type, const crd_text *names, crd_text class_name,
                                const crd_reader_options *options, crd_reader **out, crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new reader");
    *out = NULL;
    if (context == NULL || sources == NULL || count == 0)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context or documents");
    crd_status status = check_places(sources, count, error);
    if (status != CRD_OK) return status;
    document_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) return crd_i_fail_memory(error);
    source->context = source->buffer.context = context;
    source->type = type;
    source->base = (crd_i_batch_source){.has_row_names = true,
                                        .name = documents_name,
                                        .type = documents_type,
                                        .foreign = documents_foreign,
                                        .values = documents_values,
                                        .next = documents_next,
                                        .rewind = documents_rewind,
                                        .close = documents_close};
    status = document_files_init(&source->files, context, type->is_text, options, error);
    source->files.most_bytes = type->most_bytes;
    if (status == CRD_OK &&
        (!take_places(source, sources, count) || !document_batches_take_names(source, names, class_name)))
        status = crd_i_fail_memory(error);
    if (status != CRD_OK) {
        documents_close(&source->base);
        return status;
    }
    return crd_i_reader_open_batches(context, &source->base, count == 1 ? sources[0].path : "documents", options, out,
                                     error);
}

/* ======== 4. Plain text documents ======== */

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

crd_status crd_reader_open_documents(crd_context *context, const crd_document_source *sources, size_t count,
                                     const crd_document_options *document, const crd_reader_options *options,
                                     crd_reader **out, crd_error *error) {
    crd_document_options names = CRD_DOCUMENT_OPTIONS_INIT;
    if (document != NULL && !crd_i_copy_in(document, &names, sizeof names))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    if (names.text_name.bytes == NULL) names.text_name = crd_text_of("text");
    if (names.class_name.bytes == NULL) names.class_name = crd_text_of("class");
    return crd_i_documents_open(context, sources, count, &crd_i_text_documents, &names.text_name, names.class_name,
                                options, out, error);
}
