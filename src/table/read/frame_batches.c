/* SPDX-License-Identifier: MIT */
/* frame_batches.c - a reader over frames. See credence/data.h and row_batches.h.
 *
 * The columns are the columns of the first frame. A column that is categorical in one frame is categorical in all
 * frames.
 *
 * Contents:
 *   1. Reader over frames
 *   2. Slices of batches
 *   3. Formats of cells */
#include "base/error.h"
#include "base/memory.h"
#include "table/read/reader_internal.h"
#include "table/read/row_batches.h"

#include <credence/number.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Converts cells of the worker's slice into a column that has a format. */
static CRD_MUST_USE crd_status batches_convert_formed(crd_worker *worker, size_t index,
                                                      const crd_i_conversion *conversion, crd_i_column *into,
                                                      crd_i_cell_fault *fault);

/* ======== 1. Reader over frames ======== */

typedef struct frame_source {
    crd_i_batch_source base;
    crd_context *context;
    const crd_frame *const *frames; /* borrowed from the caller */
    size_t frame_count, next;
    crd_column_type *types;    /* of each column, over all frames */
    crd_i_dictionary **values; /* of each column: the values that any frame declares; NULL: none */
} frame_source;

typedef struct frame_batch {
    crd_i_row_batch base;
    const frame_source *source;
    const crd_frame *frame;
} frame_batch;

/* Returns the column of a frame that matches column `index` of the first frame; NULL: none. */
static const crd_i_column *frame_batches_find_column(const frame_source *source, const crd_frame *frame, size_t index) {
    if (frame == source->frames[0]) return &frame->columns[index];
    int32_t code = crd_i_dictionary_find(frame->names, source->frames[0]->columns[index].name);
    return code < 0 ? NULL : &frame->columns[code];
}

/* ---- Batches ---- */

static void borrow_numbers(const crd_i_column *column, size_t first, size_t rows, crd_i_column *into) {
    into->type = CRD_TYPE_NUMERIC;
    into->numbers = rows == 0 ? NULL : column->numbers + first;
    if (column->validity != NULL) into->validity = column->validity + first / 8;
}

/* Returns the text of a present cell. Numbers are formatted into `number`. */
static crd_text frame_batches_cell_text(const crd_i_column *column, size_t row, char number[CRD_NUMBER_ROOM]) {
    if (column->type == CRD_TYPE_TEXT) return column->texts[row];
    if (column->type == CRD_TYPE_CATEGORICAL)
        return crd_i_dictionary_text(column->dictionary, (size_t)column->codes[row]);
    crd_text text = {number, crd_number_format(column->numbers[row], number)};
    return text;
}

/* Stores codes of the room's dictionary. Numbers become texts. */
static crd_status make_codes(const crd_i_column *column, uint64_t batch, size_t first, size_t rows,
                             const crd_i_conversion *conversion, crd_i_column_room *workspace, int32_t *codes,
                             crd_i_cell_fault *fault) {
    bool has_map = column->type == CRD_TYPE_CATEGORICAL;
    size_t size = has_map ? crd_i_dictionary_size(column->dictionary) : 0;
    if (!crd_i_column_room_map(conversion->context, workspace, batch, size)) return crd_i_cell_fail_memory(fault);
    for (size_t row = 0; row < rows; row++) {
        char number[CRD_NUMBER_ROOM];
        int32_t unmapped = CRD_I_MAP_UNKNOWN, *code = &unmapped;
        codes[row] = CRD_I_MAP_MISSING;
        if (!crd_i_column_present(column, first + row)) continue;
        if (has_map) code = &workspace->map[column->codes[first + row]];
        if (*code == CRD_I_MAP_UNKNOWN) {
            crd_text text = frame_batches_cell_text(column, first + row, number);
            crd_status status = crd_i_conversion_code(conversion, workspace->dictionary, text, row, &unmapped, fault);
            if (status != CRD_OK) return status;
            *code = unmapped;
        }
        codes[row] = *code;
    }
    return CRD_OK;
}

/* Parses texts as numbers. */
static crd_status parse_numbers(const crd_i_column *column, size_t first, size_t rows,
                                const crd_i_conversion *conversion, double *numbers, crd_i_cell_fault *fault) {
    char buffer[CRD_NUMBER_ROOM];
    for (size_t row = 0; row < rows; row++) {
        numbers[row] = NAN;
        if (!crd_i_column_present(column, first + row)) continue;
        crd_text text = frame_batches_cell_text(column, first + row, buffer);
        if (conversion->missing != NULL && crd_i_missing_has(conversion->missing, text, false)) continue;
        crd_number_class class = crd_number_parse(text, &numbers[row]);
        if (class == CRD_NUMBER_NONE)
            return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, "is a text that is not a number");
        if (class == CRD_NUMBER_INFINITE)
            return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, "is infinite: numbers must be finite");
    }
    return CRD_OK;
}

/* Stores texts that borrow the column's texts; an empty text is missing. */
static void take_texts(const crd_i_column *column, size_t first, size_t rows, crd_i_column_room *workspace) {
    const crd_text none = {NULL, 0};
    for (size_t row = 0; row < rows; row++) {
        crd_text text = none;
        char *written = column->type == CRD_TYPE_NUMERIC ? workspace->written + row * CRD_NUMBER_ROOM : NULL;
        if (crd_i_column_present(column, first + row)) text = frame_batches_cell_text(column, first + row, written);
        workspace->texts[row] = text.length > 0 ? text : none;
    }
}

/* Converts cells to a column of this type. */
static crd_status frame_batches_convert_column(const crd_i_column *column, uint64_t batch, crd_column_type type,
                                               size_t first, size_t rows, const crd_i_conversion *conversion,
                                               crd_i_column_room *workspace, crd_i_column *into,
                                               crd_i_cell_fault *fault) {
    into->type = type;
    if (type == CRD_TYPE_TEXT) {
        if (!crd_i_column_room_texts(conversion->context, workspace, rows, column->type == CRD_TYPE_NUMERIC))
            return crd_i_cell_fail_memory(fault);
        take_texts(column, first, rows, workspace);
        into->texts = workspace->texts;
        return CRD_OK;
    }
    if (!crd_i_reserve(conversion->context, &workspace->numbers, &workspace->numbers_capacity, rows,
                       sizeof *workspace->numbers))
        return crd_i_cell_fail_memory(fault);
    if (type == CRD_TYPE_NUMERIC) {
        into->numbers = workspace->numbers;
        return parse_numbers(column, first, rows, conversion, workspace->numbers, fault);
    }
    int32_t *codes = (int32_t *)(void *)workspace->numbers;
    into->codes = codes;
    into->dictionary = workspace->dictionary;
    return make_codes(column, batch, first, rows, conversion, workspace, codes, fault);
}

static crd_status frame_batches_convert(const crd_i_row_batch *base, size_t index, crd_column_type type, size_t first,
                                        size_t rows, const crd_i_conversion *conversion, crd_i_column_room *workspace,
                                        crd_i_column *into, crd_i_cell_fault *fault) {
    const frame_batch *batch = (const frame_batch *)base;
    const crd_i_column *column = frame_batches_find_column(batch->source, batch->frame, index);
    into->validity = NULL;
    into->numbers = NULL;
    into->codes = NULL;
    into->texts = NULL;
    into->dictionary = NULL;
    into->type = CRD_TYPE_NONE;
    if (column == NULL || column->type == CRD_TYPE_NONE) return CRD_OK;
    if (type == CRD_TYPE_NUMERIC && column->type == CRD_TYPE_NUMERIC) {
        borrow_numbers(column, first, rows, into);
        return CRD_OK;
    }
    return frame_batches_convert_column(column, base->serial, type, first, rows, conversion, workspace, into, fault);
}

static void frame_batches_destroy_batch(crd_i_row_batch *base) {
    crd_free(((frame_batch *)base)->source->context, base);
}

/* ---- The source ---- */

static crd_status frames_next(crd_i_batch_source *base, crd_i_row_batch **out, crd_error *error) {
    frame_source *source = (frame_source *)base;
    *out = NULL;
    if (source->next == source->frame_count) return CRD_OK;
    frame_batch *batch = crd_i_alloc_zeroed(source->context, 1, sizeof *batch);
    if (batch == NULL) return crd_i_fail_memory(error);
    batch->source = source;
    batch->frame = source->frames[source->next++];
    batch->base.users = 1;
    batch->base.rows = batch->frame->rows;
    batch->base.serial = crd_i_context_serial(source->context);
    batch->base.convert = frame_batches_convert;
    batch->base.destroy = frame_batches_destroy_batch;
    *out = &batch->base;
    return CRD_OK;
}

static crd_status frames_rewind(crd_i_batch_source *base, crd_error *error) {
    (void)error;
    ((frame_source *)base)->next = 0;
    return CRD_OK;
}

static crd_text frames_name(const crd_i_batch_source *base, size_t column) {
    return ((const frame_source *)base)->frames[0]->columns[column].name;
}

static crd_column_type frames_type(const crd_i_batch_source *base, size_t column) {
    return ((const frame_source *)base)->types[column];
}

static const char *frames_foreign(const crd_i_batch_source *base, size_t column) {
    (void)base;
    (void)column;
    return NULL;
}

static const crd_i_dictionary *frames_values(const crd_i_batch_source *base, size_t column) {
    return ((const frame_source *)base)->values[column];
}

static void frames_close(crd_i_batch_source *base) {
    frame_source *source = (frame_source *)base;
    for (size_t i = 0; source->values != NULL && i < base->column_count; i++)
        crd_i_dictionary_destroy(source->values[i]);
    crd_free(source->context, source->values);
    crd_free(source->context, source->types);
    crd_free(source->context, (void *)source->frames);
    crd_free(source->context, source);
}

static void frame_batches_find_types(frame_source *source) {
    for (size_t i = 0; i < source->base.column_count; i++) {
        for (size_t k = 0; k < source->frame_count; k++) {
            const crd_i_column *column = frame_batches_find_column(source, source->frames[k], i);
            if (column != NULL && column->type > source->types[i]) source->types[i] = column->type;
        }
    }
}

static bool frame_batches_join_values(frame_source *source, size_t index, const crd_i_dictionary *declared) {
    crd_i_dictionary **values = &source->values[index];
    if (*values == NULL) *values = crd_i_dictionary_create(source->context);
    if (*values == NULL) return false;
    for (size_t code = 0; code < crd_i_dictionary_size(declared); code++)
        if (crd_i_dictionary_add(*values, crd_i_dictionary_text(declared, code)) < 0) return false;
    return true;
}

static bool find_values(frame_source *source) {
    for (size_t i = 0; i < source->base.column_count; i++) {
        for (size_t k = 0; k < source->frame_count; k++) {
            const crd_i_column *column = frame_batches_find_column(source, source->frames[k], i);
            if (column == NULL || column->declared == NULL) continue;
            if (!frame_batches_join_values(source, i, column->declared)) return false;
        }
    }
    return true;
}

static crd_status make_source(crd_context *context, const crd_frame *const *frames, size_t count, frame_source **out,
                              crd_error *error) {
    frame_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) return crd_i_fail_memory(error);
    source->context = context;
    source->base.name = frames_name;
    source->base.type = frames_type;
    source->base.foreign = frames_foreign;
    source->base.values = frames_values;
    source->base.next = frames_next;
    source->base.rewind = frames_rewind;
    source->base.close = frames_close;
    source->base.column_count = frames[0]->column_count;
    source->frame_count = count;
    const crd_frame **copy = crd_i_alloc(context, count, sizeof *copy);
    source->frames = copy;
    source->types = crd_i_alloc_zeroed(context, source->base.column_count, sizeof *source->types);
    source->values = crd_i_alloc_zeroed(context, source->base.column_count, sizeof(crd_i_dictionary *));
    bool done = copy != NULL && source->types != NULL && source->values != NULL;
    for (size_t i = 0; done && i < count; i++) {
        copy[i] = frames[i];
        source->base.rows += frames[i]->rows;
    }
    if (done) frame_batches_find_types(source);
    if (!done || !find_values(source)) {
        frames_close(&source->base);
        return crd_i_fail_memory(error);
    }
    *out = source;
    return CRD_OK;
}

crd_status crd_reader_open_frames(crd_context *context, const crd_frame *const *frames, size_t frame_count,
                                  const char *name, const crd_reader_options *options, crd_reader **out,
                                  crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new reader");
    *out = NULL;
    if (context == NULL || frames == NULL || frame_count == 0)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context or frames");
    for (size_t i = 0; i < frame_count; i++)
        if (frames[i] == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "frame %zu is missing", i + 1);
    frame_source *source = NULL;
    crd_status status = make_source(context, frames, frame_count, &source, error);
    if (status != CRD_OK) return status;
    return crd_i_reader_open_batches(context, &source->base, name == NULL ? "frame" : name, options, out, error);
}

/* ---- One column of a frame ---- */

crd_status crd_frame_set_column_type(crd_frame *frame, size_t index, crd_column_type type, crd_error *error) {
    if (frame == NULL || frame->origin != NULL || index >= frame->column_count || type == CRD_TYPE_NONE)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing frame, unknown column or missing type");
    crd_i_column *column = &frame->columns[index];
    if (column->type == type) return CRD_OK;
    const crd_i_conversion conversion = {frame->context, NULL, SIZE_MAX, NULL, false};
    crd_i_column_room workspace = {.dictionary = NULL};
    crd_i_column new_column = {.name = column->name, .type = type};
    crd_i_cell_fault fault = {.status = CRD_OK};
    crd_status status = CRD_OK;
    if (type == CRD_TYPE_CATEGORICAL) workspace.dictionary = crd_i_dictionary_create(frame->context);
    if (type == CRD_TYPE_CATEGORICAL && workspace.dictionary == NULL) return crd_i_fail_memory(error);
    status = frame_batches_convert_column(column, crd_i_context_serial(frame->context), type, 0, frame->rows,
                                          &conversion, &workspace, &new_column, &fault);
    crd_free(frame->context, workspace.map);
    if (status != CRD_OK) {
        char shown[CRD_I_QUOTED_ROOM];
        crd_i_dictionary_destroy(workspace.dictionary);
        crd_free(frame->context, workspace.numbers);
        crd_free(frame->context, workspace.texts);
        crd_free(frame->context, workspace.written);
        if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
        crd_i_fail(error, status, "row %zu of column '%s' %s", fault.row + 1, crd_i_quote(column->name, shown),
                   fault.what);
        crd_i_error_subject(error, column->name);
        return status;
    }
    new_column.owned = type == CRD_TYPE_TEXT ? (void *)workspace.texts : (void *)workspace.numbers;
    new_column.owned_texts = workspace.written;
    new_column.owns_dictionary = new_column.dictionary != NULL;
    if (type == CRD_TYPE_TEXT) {
        /* the memory that the texts borrow */
        new_column.dictionary = column->dictionary;
        new_column.owns_dictionary = column->owns_dictionary;
    } else if (column->owns_dictionary) {
        crd_i_dictionary_destroy(column->dictionary);
    }
    crd_free(frame->context, column->owned_texts);
    crd_free(frame->context, column->owned);
    crd_free(frame->context, column->owned_bits);
    *column = new_column;
    frame->layout = crd_i_context_serial(frame->context);
    return CRD_OK;
}

/* ======== 2. Slices of batches ========
 *
 * A chunk is a slice of one batch, and its line numbers are row numbers. */

/* ---- Entering ---- */

/* This format never splits records, because there are no bytes. */
static const crd_i_format columns_format = {.code = CRD_FORMAT_COLUMNS};

/* Returns the texts that mean missing in columns; NULL: none.
 *
 * Only texts that the caller lists mean missing, unless columns are to be read like a file. NULL: none. */
static const crd_i_missing *batches_missing(const crd_reader *reader) {
    if (reader->dialect.has_missing || reader->options.like_file) return &reader->missing;
    return reader->added.texts != NULL ? &reader->added : NULL;
}

bool crd_i_batches_values(const crd_reader *reader, size_t field, crd_i_dictionary **out) {
    const crd_i_batch_source *source = reader->batches.source;
    const crd_i_dictionary *values = source->values(source, field);
    *out = NULL;
    if (values == NULL) return true;
    crd_i_dictionary *dictionary = crd_i_dictionary_create(reader->context);
    for (size_t code = 0; dictionary != NULL && code < crd_i_dictionary_size(values); code++) {
        crd_text text = crd_i_dictionary_text(values, code);
        if (batches_missing(reader) != NULL && crd_i_missing_has_category(batches_missing(reader), text, false))
            continue;
        if (crd_i_dictionary_add(dictionary, text) >= 0) continue;
        crd_i_dictionary_destroy(dictionary);
        dictionary = NULL;
    }
    *out = dictionary;
    return dictionary != NULL;
}

static crd_status batch_slices_declare_values(const crd_reader *reader, size_t field, crd_i_declared *declared,
                                              crd_error *error) {
    size_t most = reader->options.max_categories;
    if (declared->type != CRD_TYPE_CATEGORICAL) return CRD_OK;
    if (!crd_i_batches_values(reader, field, &declared->values)) return crd_i_fail_memory(error);
    if (declared->values == NULL || crd_i_dictionary_size(declared->values) <= most) return CRD_OK;
    crd_text name = reader->batches.source->name(reader->batches.source, field);
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_LIMIT,
               "column '%s' has a dictionary of %zu values, more than %zu: is it an identifier?",
               crd_i_quote(name, shown), crd_i_dictionary_size(declared->values), most);
    crd_i_error_subject(error, name);
    return CRD_ERROR_LIMIT;
}

crd_status crd_i_batches_enter(crd_reader *reader, bool is_again, crd_error *error) {
    crd_i_batch_source *source = reader->batches.source;
    crd_i_file_header *file = &reader->position.entry->header;
    if (is_again) {
        if (source->rewind == NULL) return crd_i_fail(error, CRD_ERROR_TYPE, "cannot be read again");
        crd_status status = source->rewind(source, error);
        if (status != CRD_OK) return status;
    }
    crd_i_batch_leave(reader->batches.current);
    reader->batches.current = NULL;
    reader->batches.row = reader->batches.rows_before = 0;
    file->format = &columns_format;
    file->decimal = '.';
    file->has_header = !reader->options.like_file || reader->options.header != CRD_CHOICE_NO;
    file->width = source->column_count;
    file->has_row_names = source->has_row_names;
    file->is_named = source->has_row_names;
    if (source->column_count == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "the table has no columns");
    for (size_t i = 0; i < source->column_count; i++) {
        crd_status status = crd_i_file_header_add_name(reader, source->name(source, i), 0, error);
        if (status != CRD_OK) return status;
        crd_i_declared *declared = crd_i_file_header_declare(reader);
        if (declared == NULL) return crd_i_fail_memory(error);
        declared->type = source->type(source, i);
        declared->foreign = source->foreign(source, i);
        status = batch_slices_declare_values(reader, i, declared, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_batches_settle_types(crd_reader *reader, crd_error *error) {
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        if (column->field == SIZE_MAX) continue;
        const char *foreign = reader->batches.source->foreign(reader->batches.source, column->field);
        if (foreign != NULL) {
            char shown[CRD_I_QUOTED_ROOM];
            crd_i_fail(error, CRD_ERROR_COLUMN,
                       "column '%s' is %s, neither a number nor a category: ignore it, or convert it to columns of "
                       "numbers or texts",
                       crd_i_quote(column->name, shown), foreign);
            crd_i_reader_place_error(reader, error);
            crd_i_error_subject(error, column->name);
            return CRD_ERROR_COLUMN;
        }
        crd_column_type own_type = reader->batches.source->type(reader->batches.source, column->field);
        bool has_labels = crd_i_intervals_are(&column->intervals) && own_type == CRD_TYPE_CATEGORICAL;
        if (has_labels) column->type = own_type;
        column->is_found = reader->options.like_file && !column->is_fixed;
        if (column->type == CRD_TYPE_NONE)
            column->type = reader->batches.source->type(reader->batches.source, column->field);
        column->is_fixed = true;
    }
    return CRD_OK;
}

/* ---- Taking slices, under the reader's lock ---- */

enum { SLICE_CELLS = 1 << 17, LEAST_SLICE = 1024, STEP = 64 };

/* Returns the number of rows in a slice, a multiple of 8 for validity bitmaps. It depends only on the options and
 * the number of columns. */
static size_t slice_rows(const crd_reader *reader) {
    size_t columns = reader->column_count + 1, least = LEAST_SLICE, step = STEP;
    size_t cells = SLICE_CELLS;
    if (reader->options.block_bytes > 0) {
        cells = reader->options.block_bytes / sizeof(double);
        least = step = 8;
    }
    size_t rows = cells / columns / step * step;
    return rows < least ? least : rows;
}

void crd_i_batch_leave(crd_i_row_batch *batch) {
    if (batch != NULL && --batch->users == 0) batch->destroy(batch);
}

/* Finds the next slice of any batch; *rows is 0 at the end. */
static crd_status cut_slice(crd_reader *reader, size_t *rows, crd_error *error) {
    *rows = 0;
    while (reader->batches.current == NULL || reader->batches.row == reader->batches.current->rows) {
        crd_i_batch_leave(reader->batches.current);
        reader->batches.current = NULL;
        reader->batches.row = 0;
        if (crd_i_context_cancelled(reader->context)) return crd_i_fail_cancelled(error);
        crd_status status = reader->batches.source->next(reader->batches.source, &reader->batches.current, error);
        if (status != CRD_OK || reader->batches.current == NULL) return status;
    }
    size_t left = reader->batches.current->rows - reader->batches.row, most = slice_rows(reader);
    *rows = left < most ? left : most;
    return CRD_OK;
}

crd_status crd_i_batches_take(crd_worker *worker, size_t *rows, crd_error *error) {
    crd_reader *reader = worker->reader;
    crd_i_batch_leave(worker->batch);
    worker->batch = NULL;
    for (;;) {
        if (reader->position.is_drained) {
            *rows = 0;
            return CRD_OK;
        }
        crd_status status = cut_slice(reader, rows, error);
        if (status != CRD_OK && error->place[0] == '\0') crd_i_reader_place_error(reader, error);
        if (status != CRD_OK || *rows == 0) {
            reader->position.is_drained = true;
            return status;
        }
        bool is_own = true;
        if (crd_i_reader_is_shard(reader) && reader->shard.division == CRD_I_DIVIDE_ROWS) {
            is_own = crd_i_shard_is_dealt_chunk(reader, reader->shard.chunk++);
            reader->position.is_entry_fresh = true; /* rows before it may have been skipped */
        }
        reader->position.records.next_line = reader->batches.rows_before + 1;
        worker->batch_from = reader->batches.row;
        reader->batches.row += *rows;
        reader->batches.rows_before += *rows;
        if (!is_own) continue;
        worker->batch = reader->batches.current;
        worker->batch->users++;
        worker->batch_rows = *rows;
        return CRD_OK;
    }
}

/* ---- Converting a slice, in each worker ---- */

static crd_status batch_slices_fail_cell(const crd_worker *worker, size_t index, const crd_i_cell_fault *fault,
                                         crd_error *error) {
    if (fault->status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    if (crd_i_is_cancelled(fault->status)) return crd_i_fail_cancelled(error);
    const crd_i_reader_column *column = &worker->reader->columns[index];
    const crd_text name =
        column->source.bytes != NULL ? column->source : column->name; /* for a part of a date, name the field */
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, fault->status, "%s '%s' %s", fault->row == SIZE_MAX ? "column" : "the cell of column",
               crd_i_quote(name, shown), fault->what);
    crd_i_error_subject(error, name);
    crd_i_error_place(error, NULL, fault->row == SIZE_MAX ? 0 : fault->row + 1, worker->entry->fields[index] + 1);
    return fault->status;
}

/* Checks that every row has a weight and that no weight is negative. */
static crd_status batch_slices_check_weights(const crd_i_column *weights, size_t rows, crd_i_cell_fault *fault) {
    for (size_t row = 0; row < rows; row++) {
        if (!crd_i_column_present(weights, row))
            return crd_i_cell_fail(fault, CRD_ERROR_WEIGHT, row,
                                   "is missing: use 0 to ignore the row, or 1 to count it once");
        if (weights->numbers[row] < 0)
            return crd_i_cell_fail(fault, CRD_ERROR_WEIGHT, row,
                                   "is negative: a weight is the number of rows that a row counts as");
    }
    return CRD_OK;
}

/* Stores the numbers that missing-value texts denote, as in files. Returns their count, at most `most`. */
static size_t missing_numbers(const crd_i_missing *missing, double *numbers, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < crd_i_dictionary_size(missing->texts) && count < most; i++)
        if (crd_number_parse(crd_i_dictionary_text(missing->texts, i), &numbers[count]) == CRD_NUMBER_FINITE) count++;
    return count;
}

/* Replaces numbers that mean missing by NaN. Copies borrowed numbers to the room first. */
static crd_status drop_missing_numbers(const crd_i_conversion *conversion, size_t rows, crd_i_column_room *workspace,
                                       crd_i_column *column, crd_i_cell_fault *fault) {
    enum { MOST = 64 };
    double numbers[MOST];
    const size_t count = missing_numbers(conversion->missing, numbers, MOST);
    if (count == 0) return CRD_OK;
    if (!crd_i_reserve(conversion->context, &workspace->numbers, &workspace->numbers_capacity, rows,
                       sizeof *workspace->numbers))
        return crd_i_cell_fail_memory(fault);
    for (size_t row = 0; row < rows; row++) {
        double number = column->numbers[row];
        for (size_t i = 0; i < count; i++)
            if (number == numbers[i]) number = NAN;
        workspace->numbers[row] = number;
    }
    column->numbers = workspace->numbers;
    return CRD_OK;
}

static bool batch_slices_has_cells(const crd_i_column *column, size_t rows) {
    size_t row = 0;
    while (row < rows && !crd_i_column_present(column, row)) row++;
    return row < rows;
}

/* A "?" in the target column of typed rows is a label. If predictions are compared with labels, it is a label only if it
 * is a class of the model. */
static bool keeps_mark(const crd_reader *reader, size_t index) {
    const bool is_compared = reader->binding.is_bound && !reader->binding.needs_target;
    return index == reader->target && (!is_compared || reader->columns[index].has_mark);
}

static crd_status batch_slices_convert_column(crd_worker *worker, size_t index, crd_i_column *into, crd_error *error) {
    const crd_reader *reader = worker->reader;
    const crd_i_reader_column *column = &reader->columns[index];
    crd_i_worker_column *worker_column = &worker->columns[index];
    const crd_i_conversion conversion = {reader->context, batches_missing(reader),
                                         crd_i_reader_most_categories(reader, index), &column->truth,
                                         keeps_mark(reader, index)};
    into->type = CRD_TYPE_NONE;
    into->validity = NULL;
    into->declared = NULL;
    into->is_constant = false;
    size_t field = worker->entry->fields[index];
    if (field == SIZE_MAX || column->type == CRD_TYPE_NONE) return CRD_OK;
    if (column->type == CRD_TYPE_CATEGORICAL && worker_column->dictionary == NULL) {
        worker_column->dictionary = crd_i_dictionary_create(reader->context);
        if (worker_column->dictionary == NULL) return crd_i_fail_memory(error);
    }
    crd_i_worker_forget_ids(worker, index);
    worker_column->workspace.dictionary = worker_column->dictionary;
    into->declared = column->type == CRD_TYPE_CATEGORICAL ? column->declared : NULL;
    crd_i_cell_fault fault = {.status = CRD_OK};
    crd_status status =
        crd_i_column_format_is_plain(column->format)
            ? worker->batch->convert(worker->batch, field, column->type, worker->batch_from, worker->batch_rows,
                                     &conversion, &worker_column->workspace, into, &fault)
            : batches_convert_formed(worker, index, &conversion, into, &fault);
    if (status == CRD_OK && into->type == CRD_TYPE_NUMERIC && reader->options.like_file && index != reader->weight &&
        conversion.missing->has_number)
        status = drop_missing_numbers(&conversion, worker->batch_rows, &worker_column->workspace, into, &fault);
    if (status == CRD_OK && (column->is_found || index == reader->target)) {
        if (batch_slices_has_cells(into, worker->batch_rows)) worker_column->has_cells = true;
        else if (column->is_found) into->type = CRD_TYPE_NONE;
    }
    if (status == CRD_OK && index == reader->weight)
        status = batch_slices_check_weights(into, worker->batch_rows, &fault);
    return status == CRD_OK ? CRD_OK : batch_slices_fail_cell(worker, index, &fault, error);
}

/* Reports the fault of the first row if there are several. A fault of a whole column precedes faults of rows. */
crd_status crd_i_worker_convert_batch(crd_worker *worker, crd_error *error) {
    crd_status status = CRD_OK;
    worker->frame->rows = worker->batch_rows;
    if (worker->batch->prepare != NULL)
        status = worker->batch->prepare(worker->batch, worker->batch_from, worker->batch_rows, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < worker->reader->column_count; i++) {
        crd_error fault = {.status = CRD_OK};
        crd_status found_status = batch_slices_convert_column(worker, i, &worker->frame->columns[i], &fault);
        if (found_status == CRD_OK || (status != CRD_OK && fault.line >= error->line)) continue;
        status = found_status;
        *error = fault;
    }
    return status;
}

/* ======== 3. Formats of cells ========
 *
 * Dates are recognized by their type, texts by their content. The texts of a slice become codes of a worker's own
 * dictionary. Each distinct text is converted to a value only once. */

enum { SLICE = 1 << 13, MOST_TEXTS = 1 << 16, SECONDS_A_DAY = 86400 };

struct crd_i_formed_value {
    bool is_known;
    int32_t code;  /* of a category, or the code for missing */
    double number; /* of a number */
};

crd_i_cell_content crd_i_batches_content(const crd_reader *reader, size_t field) {
    const crd_i_batch_source *source = reader->batches.source;
    return source->content == NULL ? CRD_I_CELLS_OTHER : source->content(source, field);
}

void crd_i_batches_clear_formed(crd_context *context, crd_i_worker_column *column) {
    crd_i_dictionary_destroy(column->formed.dictionary);
    crd_i_column_room_clear(context, &column->formed);
    crd_free(context, column->values);
}

void crd_i_batches_forget_formed(crd_i_worker_column *column) {
    for (size_t i = 0; i < column->values_capacity; i++) column->values[i].is_known = false;
}

/* ---- Finding formats ---- */

/* Adds the texts of a batch that are not yet in the dictionary to the evidence. */
static crd_status look_at_batch(const crd_reader *reader, const crd_i_row_batch *batch, size_t index,
                                crd_i_column_room *workspace, crd_i_column_format_evidence *evidence,
                                crd_i_cell_fault *fault) {
    const crd_i_conversion conversion = {reader->context, batches_missing(reader), SIZE_MAX, NULL, false};
    for (size_t first = 0; first < batch->rows && crd_i_column_format_evidence_is_open(evidence); first += SLICE) {
        const size_t rows = batch->rows - first < SLICE ? batch->rows - first : SLICE;
        if (crd_i_dictionary_size(workspace->dictionary) > MOST_TEXTS) {
            crd_i_dictionary_empty(workspace->dictionary);
            workspace->map_of = 0;
        }
        const size_t known = crd_i_dictionary_size(workspace->dictionary);
        crd_i_column column = {.type = CRD_TYPE_NONE};
        crd_status status = batch->convert(batch, reader->columns[index].field, CRD_TYPE_CATEGORICAL, first, rows,
                                           &conversion, workspace, &column, fault);
        if (status != CRD_OK) return status;
        for (size_t code = known; code < crd_i_dictionary_size(workspace->dictionary); code++)
            crd_i_column_format_evidence_add(evidence, crd_i_dictionary_text(workspace->dictionary, code), '\0', false);
    }
    return CRD_OK;
}

/* Adds the texts of all wanted columns to the evidence. A column with an invalid cell gets no format; the error is
 * reported when the cell is read. */
static crd_status look_at_columns(const crd_reader *reader, const crd_i_row_batch *batch, bool *is_wanted,
                                  crd_i_column_room *rooms, crd_i_column_format_evidence *evidence, crd_error *error) {
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_cell_fault fault = {.status = CRD_OK};
        if (!is_wanted[i]) continue;
        if (rooms[i].dictionary == NULL) rooms[i].dictionary = crd_i_dictionary_create(reader->context);
        crd_status status = rooms[i].dictionary == NULL
                                ? CRD_ERROR_MEMORY
                                : look_at_batch(reader, batch, i, &rooms[i], &evidence[i], &fault);
        if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
        if (crd_i_is_cancelled(status)) return crd_i_fail_cancelled(error);
        is_wanted[i] = status == CRD_OK && crd_i_column_format_evidence_is_open(&evidence[i]);
    }
    return CRD_OK;
}

static bool is_any(const bool *is_wanted, size_t count) {
    size_t i = 0;
    while (i < count && !is_wanted[i]) i++;
    return i < count;
}

crd_status crd_i_batches_look(crd_reader *reader, bool *is_wanted, crd_i_column_format_evidence *evidence,
                              crd_error *error) {
    crd_i_batch_source *source = reader->batches.source;
    crd_i_column_room *rooms = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *rooms);
    crd_status status = rooms == NULL ? crd_i_fail_memory(error) : CRD_OK;
    while (status == CRD_OK && is_any(is_wanted, reader->column_count)) {
        crd_i_row_batch *batch = NULL;
        status = source->next(source, &batch, error);
        if (status != CRD_OK || batch == NULL) break;
        status = look_at_columns(reader, batch, is_wanted, rooms, evidence, error);
        crd_i_batch_leave(batch);
    }
    for (size_t i = 0; rooms != NULL && i < reader->column_count; i++) {
        crd_i_dictionary_destroy(rooms[i].dictionary);
        crd_i_column_room_clear(reader->context, &rooms[i]);
    }
    crd_free(reader->context, rooms);
    if (status != CRD_OK) {
        crd_i_reader_place_error(reader, error);
        return status;
    }
    return source->rewind(source, error);
}

/* ---- Dates and times, whose type makes them numbers ---- */

static bool find_moment(crd_i_cell_content content, double number, crd_i_moment *out) {
    if (content == CRD_I_CELLS_DATES) return fabs(number) < 1e9 && crd_i_moment_of_days((int64_t)number, 0, false, out);
    const double days = floor(number / SECONDS_A_DAY);
    return fabs(days) < 1e9 && crd_i_moment_of_days((int64_t)days, number - days * SECONDS_A_DAY, true, out);
}

static crd_status batch_formats_fail(crd_i_column_format format, size_t row, crd_i_cell_fault *fault) {
    char what[sizeof fault->what];
    snprintf(what, sizeof what, "is not %s", crd_i_column_format_noun(format));
    return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, what);
}

/* Converts moments to a date part, in place. Codes use the same memory, half the size of a number each. */
static crd_status batch_formats_take_parts(crd_i_column_format format, crd_i_cell_content content,
                                           const crd_i_conversion *conversion, crd_i_column_room *workspace,
                                           size_t rows, crd_column_type type, crd_i_cell_fault *fault) {
    const crd_i_conversion plain = {conversion->context, NULL, conversion->max_categories, conversion->truth,
                                    conversion->keeps_mark};
    char *memory = (char *)workspace->numbers;
    for (size_t row = 0; row < rows; row++) {
        double number;
        int32_t code = CRD_I_MAP_MISSING;
        crd_i_moment moment;
        memcpy(&number, memory + row * sizeof number, sizeof number);
        const bool is_there = number == number;
        if (is_there && !find_moment(content, number, &moment)) return batch_formats_fail(format, row, fault);
        if (type == CRD_TYPE_NUMERIC) {
            if (is_there) number = crd_i_column_format_moment_number(format, &moment);
            memcpy(memory + row * sizeof number, &number, sizeof number);
            continue;
        }
        const crd_text text = is_there ? crd_i_column_format_moment_text(format, &moment) : (crd_text){NULL, 0};
        if (text.bytes != NULL) {
            crd_status status = crd_i_conversion_code(&plain, workspace->dictionary, text, row, &code, fault);
            if (status != CRD_OK) return status;
        }
        memcpy(memory + row * sizeof code, &code, sizeof code);
    }
    return CRD_OK;
}

/* Converts moments, stored as numbers in the column's room, to a date part. */
static crd_status convert_parts(crd_worker *worker, size_t index, crd_i_cell_content content,
                                const crd_i_conversion *conversion, crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    crd_i_column_room *workspace = &worker->columns[index].workspace;
    crd_status status = batch_formats_take_parts(column->format, content, conversion, workspace, worker->batch_rows,
                                                 column->type, fault);
    into->type = column->type;
    if (column->type == CRD_TYPE_CATEGORICAL) {
        into->numbers = NULL;
        into->codes = (const int32_t *)(const void *)workspace->numbers;
        into->dictionary = workspace->dictionary;
    }
    return status;
}

static crd_status convert_moments(crd_worker *worker, size_t index, crd_i_cell_content content,
                                  const crd_i_conversion *conversion, crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    crd_i_column_room *workspace = &worker->columns[index].workspace;
    crd_status status =
        worker->batch->convert(worker->batch, worker->entry->fields[index], CRD_TYPE_NUMERIC, worker->batch_from,
                               worker->batch_rows, conversion, workspace, into, fault);
    const bool is_time = column->format.reading == CRD_I_READING_TIME && content == CRD_I_CELLS_TIMES;
    if (status != CRD_OK || is_time) return status;
    if (content == CRD_I_CELLS_TIMES) return batch_formats_fail(column->format, SIZE_MAX, fault);
    return convert_parts(worker, index, content, conversion, into, fault);
}

/* Converts a column that has a date format but another type, as happens if a table has no value of the column. All
 * cells must be missing. */
static crd_status convert_missing(crd_worker *worker, size_t index, const crd_i_conversion *conversion,
                                  crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    crd_i_column_room *workspace = &worker->columns[index].workspace;
    const size_t rows = worker->batch_rows;
    crd_status status = worker->batch->convert(worker->batch, worker->entry->fields[index], CRD_TYPE_NUMERIC,
                                               worker->batch_from, rows, conversion, workspace, into, fault);
    if (status != CRD_OK || into->type == CRD_TYPE_NONE) return status;
    if (!crd_i_reserve(conversion->context, &workspace->numbers, &workspace->numbers_capacity, rows, sizeof(double)))
        return crd_i_cell_fail_memory(fault);
    for (size_t row = 0; row < rows; row++) {
        if (into->numbers[row] == into->numbers[row]) return batch_formats_fail(column->format, row, fault);
        workspace->numbers[row] = NAN;
    }
    into->numbers = workspace->numbers;
    return convert_parts(worker, index, CRD_I_CELLS_DATES, conversion, into, fault);
}

/* ---- Texts ---- */

/* Converts a text by the column's format. A word that is not a truth value becomes a category, as in files. */
static crd_status batch_formats_read_text(const crd_i_reader_column *column, crd_text text,
                                          const crd_i_conversion *conversion, crd_i_dictionary *dictionary, size_t row,
                                          struct crd_i_formed_value *out, crd_i_cell_fault *fault) {
    char shown[CRD_I_QUOTED_ROOM], what[sizeof fault->what];
    out->number = NAN;
    out->code = CRD_I_MAP_MISSING;
    out->is_known = true;
    snprintf(what, sizeof what, "is '%s', which is not %s", crd_i_quote(text, shown),
             crd_i_column_format_noun(column->format));
    if (column->type == CRD_TYPE_NUMERIC) {
        crd_number_class class = crd_i_column_format_number(column->format, text, &out->number);
        if (class == CRD_NUMBER_NONE) return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, what);
        if (class == CRD_NUMBER_INFINITE)
            return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, "is infinite: numbers must be finite");
        return CRD_OK;
    }
    crd_text value = text;
    if (!crd_i_column_format_text(column->format, text, &value)) {
        if (column->format.reading != CRD_I_READING_BOOLEAN) return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, what);
        value = text;
    }
    const crd_i_conversion plain = {conversion->context, NULL, conversion->max_categories, conversion->truth,
                                    conversion->keeps_mark};
    return value.bytes == NULL ? CRD_OK : crd_i_conversion_code(&plain, dictionary, value, row, &out->code, fault);
}

/* Prepares the dictionary of texts. It is emptied when it exceeds a limit, because identifiers would fill the
 * memory. */
static bool open_formed(const crd_reader *reader, crd_i_worker_column *column) {
    if (column->formed.dictionary == NULL) column->formed.dictionary = crd_i_dictionary_create(reader->context);
    if (column->formed.dictionary == NULL) return false;
    if (crd_i_dictionary_size(column->formed.dictionary) > MOST_TEXTS) {
        crd_i_dictionary_empty(column->formed.dictionary);
        column->formed.map_of = 0;
        crd_i_batches_forget_formed(column);
    }
    return true;
}

static bool reserve_values(crd_context *context, crd_i_worker_column *column) {
    const size_t before = column->values_capacity;
    if (!crd_i_reserve(context, &column->values, &column->values_capacity,
                       crd_i_dictionary_size(column->formed.dictionary) + 1, sizeof *column->values))
        return false;
    for (size_t i = before; i < column->values_capacity; i++) column->values[i].is_known = false;
    return true;
}

static crd_status batch_formats_convert_texts(crd_worker *worker, size_t index, const crd_i_conversion *conversion,
                                              crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    crd_i_worker_column *worker_column = &worker->columns[index];
    const size_t rows = worker->batch_rows;
    const crd_i_conversion any = {conversion->context, conversion->missing, SIZE_MAX, NULL, conversion->keeps_mark};
    crd_i_column texts = {.type = CRD_TYPE_NONE};
    if (!open_formed(worker->reader, worker_column)) return crd_i_cell_fail_memory(fault);
    crd_status status = worker->batch->convert(worker->batch, worker->entry->fields[index], CRD_TYPE_CATEGORICAL,
                                               worker->batch_from, rows, &any, &worker_column->formed, &texts, fault);
    if (status != CRD_OK) return status;
    if (!crd_i_reserve(conversion->context, &worker_column->workspace.numbers,
                       &worker_column->workspace.numbers_capacity, rows, sizeof(double)) ||
        !reserve_values(conversion->context, worker_column))
        return crd_i_cell_fail_memory(fault);
    const bool is_number = column->type == CRD_TYPE_NUMERIC;
    int32_t *codes = (int32_t *)(void *)worker_column->workspace.numbers;
    for (size_t row = 0; row < rows && status == CRD_OK; row++) {
        struct crd_i_formed_value none = {true, CRD_I_MAP_MISSING, NAN}, *value = &none;
        if (texts.codes[row] >= 0) value = &worker_column->values[texts.codes[row]];
        if (!value->is_known)
            status = batch_formats_read_text(
                column, crd_i_dictionary_text(worker_column->formed.dictionary, (size_t)texts.codes[row]), conversion,
                worker_column->dictionary, row, value, fault);
        if (is_number) worker_column->workspace.numbers[row] = value->number;
        else codes[row] = value->code;
    }
    into->type = column->type;
    into->numbers = is_number ? worker_column->workspace.numbers : NULL;
    into->codes = is_number ? NULL : codes;
    into->texts = NULL;
    into->dictionary = is_number ? NULL : worker_column->dictionary;
    return status;
}

static crd_status batches_convert_formed(crd_worker *worker, size_t index, const crd_i_conversion *conversion,
                                         crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    const size_t field = worker->entry->fields[index];
    const crd_i_cell_content content = crd_i_batches_content(worker->reader, field);
    if (crd_i_column_format_is_plain(crd_i_worker_column_format(worker, index)))
        return worker->batch->convert(worker->batch, field, column->type, worker->batch_from, worker->batch_rows,
                                      conversion, &worker->columns[index].workspace, into, fault);
    const bool is_date = crd_i_reading_is_date(column->format.reading);
    if (content == CRD_I_CELLS_TEXTS) return batch_formats_convert_texts(worker, index, conversion, into, fault);
    if (content != CRD_I_CELLS_OTHER && (is_date || column->format.reading == CRD_I_READING_TIME))
        return convert_moments(worker, index, content, conversion, into, fault);
    /* A typed number keeps its value, whatever the column's format. It cannot be a date part, unless all cells are
     * missing. */
    if (is_date && column->format.part != CRD_I_PART_WHOLE)
        return convert_missing(worker, index, conversion, into, fault);
    return worker->batch->convert(worker->batch, field, column->type, worker->batch_from, worker->batch_rows,
                                  conversion, &worker->columns[index].workspace, into, fault);
}
