/* SPDX-License-Identifier: MIT */
/* frame_batches.c - a reader over frames. See credence/data.h and row_batches.h.
 *
 * The columns are the columns of the first frame. A column that is categorical in one frame is categorical in all
 * frames. */
#include "table/read/row_batches.h"

#include "base/error.h"
#include "base/memory.h"

#include <credence/number.h>

#include <math.h>

typedef struct frame_source {
    crd_i_batch_source base;
    crd_context *context;
    const crd_frame *const *frames; /* borrowed from the caller */
    size_t frame_count, next;
    crd_kind *kinds;           /* of each column, over all frames */
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
    into->kind = CRD_KIND_NUMBER;
    into->numbers = rows == 0 ? NULL : column->numbers + first;
    if (column->validity != NULL) into->validity = column->validity + first / 8;
}

/* Returns the text of a present cell. Numbers are formatted into `number`. */
static crd_text frame_batches_cell_text(const crd_i_column *column, size_t row, char number[CRD_NUMBER_ROOM]) {
    if (column->kind == CRD_KIND_TEXT) return column->texts[row];
    if (column->kind == CRD_KIND_CATEGORY) return crd_i_dictionary_text(column->dictionary, (size_t)column->codes[row]);
    crd_text text = {number, crd_number_format(column->numbers[row], number)};
    return text;
}

/* Stores codes of the room's dictionary. Numbers become texts. */
static crd_status make_codes(const crd_i_column *column, uint64_t batch, size_t first, size_t rows,
                             const crd_i_conversion *conversion, crd_i_column_room *workspace, int32_t *codes,
                             crd_i_cell_fault *fault) {
    bool has_map = column->kind == CRD_KIND_CATEGORY;
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
        char *written = column->kind == CRD_KIND_NUMBER ? workspace->written + row * CRD_NUMBER_ROOM : NULL;
        if (crd_i_column_present(column, first + row)) text = frame_batches_cell_text(column, first + row, written);
        workspace->texts[row] = text.length > 0 ? text : none;
    }
}

/* Converts cells to a column of this kind. */
static crd_status frame_batches_convert_column(const crd_i_column *column, uint64_t batch, crd_kind kind, size_t first,
                                               size_t rows, const crd_i_conversion *conversion,
                                               crd_i_column_room *workspace, crd_i_column *into,
                                               crd_i_cell_fault *fault) {
    into->kind = kind;
    if (kind == CRD_KIND_TEXT) {
        if (!crd_i_column_room_texts(conversion->context, workspace, rows, column->kind == CRD_KIND_NUMBER))
            return crd_i_cell_fail_memory(fault);
        take_texts(column, first, rows, workspace);
        into->texts = workspace->texts;
        return CRD_OK;
    }
    if (!crd_i_reserve(conversion->context, &workspace->numbers, &workspace->numbers_capacity, rows,
                       sizeof *workspace->numbers))
        return crd_i_cell_fail_memory(fault);
    if (kind == CRD_KIND_NUMBER) {
        into->numbers = workspace->numbers;
        return parse_numbers(column, first, rows, conversion, workspace->numbers, fault);
    }
    int32_t *codes = (int32_t *)(void *)workspace->numbers;
    into->codes = codes;
    into->dictionary = workspace->dictionary;
    return make_codes(column, batch, first, rows, conversion, workspace, codes, fault);
}

static crd_status frame_batches_convert(const crd_i_row_batch *base, size_t index, crd_kind kind, size_t first,
                                        size_t rows, const crd_i_conversion *conversion, crd_i_column_room *workspace,
                                        crd_i_column *into, crd_i_cell_fault *fault) {
    const frame_batch *batch = (const frame_batch *)base;
    const crd_i_column *column = frame_batches_find_column(batch->source, batch->frame, index);
    into->validity = NULL;
    into->numbers = NULL;
    into->codes = NULL;
    into->texts = NULL;
    into->dictionary = NULL;
    into->kind = CRD_KIND_NONE;
    if (column == NULL || column->kind == CRD_KIND_NONE) return CRD_OK;
    if (kind == CRD_KIND_NUMBER && column->kind == CRD_KIND_NUMBER) {
        borrow_numbers(column, first, rows, into);
        return CRD_OK;
    }
    return frame_batches_convert_column(column, base->serial, kind, first, rows, conversion, workspace, into, fault);
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

static crd_kind frames_kind(const crd_i_batch_source *base, size_t column) {
    return ((const frame_source *)base)->kinds[column];
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
    crd_free(source->context, source->kinds);
    crd_free(source->context, (void *)source->frames);
    crd_free(source->context, source);
}

static void frame_batches_find_kinds(frame_source *source) {
    for (size_t i = 0; i < source->base.column_count; i++) {
        for (size_t k = 0; k < source->frame_count; k++) {
            const crd_i_column *column = frame_batches_find_column(source, source->frames[k], i);
            if (column != NULL && column->kind > source->kinds[i]) source->kinds[i] = column->kind;
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
    source->base.kind = frames_kind;
    source->base.foreign = frames_foreign;
    source->base.values = frames_values;
    source->base.next = frames_next;
    source->base.rewind = frames_rewind;
    source->base.close = frames_close;
    source->base.column_count = frames[0]->column_count;
    source->frame_count = count;
    const crd_frame **copy = crd_i_alloc(context, count, sizeof *copy);
    source->frames = copy;
    source->kinds = crd_i_alloc_zeroed(context, source->base.column_count, sizeof *source->kinds);
    source->values = crd_i_alloc_zeroed(context, source->base.column_count, sizeof(crd_i_dictionary *));
    bool done = copy != NULL && source->kinds != NULL && source->values != NULL;
    for (size_t i = 0; done && i < count; i++) {
        copy[i] = frames[i];
        source->base.rows += frames[i]->rows;
    }
    if (done) frame_batches_find_kinds(source);
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

crd_status crd_frame_set_kind(crd_frame *frame, size_t index, crd_kind kind, crd_error *error) {
    if (frame == NULL || frame->origin != NULL || index >= frame->column_count || kind == CRD_KIND_NONE)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing frame, unknown column or missing type");
    crd_i_column *column = &frame->columns[index];
    if (column->kind == kind) return CRD_OK;
    const crd_i_conversion conversion = {frame->context, NULL, SIZE_MAX, NULL, false};
    crd_i_column_room workspace = {.dictionary = NULL};
    crd_i_column new_column = {.name = column->name, .kind = kind};
    crd_i_cell_fault fault = {.status = CRD_OK};
    crd_status status = CRD_OK;
    if (kind == CRD_KIND_CATEGORY) workspace.dictionary = crd_i_dictionary_create(frame->context);
    if (kind == CRD_KIND_CATEGORY && workspace.dictionary == NULL) return crd_i_fail_memory(error);
    status = frame_batches_convert_column(column, crd_i_context_serial(frame->context), kind, 0, frame->rows,
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
    new_column.owned = kind == CRD_KIND_TEXT ? (void *)workspace.texts : (void *)workspace.numbers;
    new_column.owned_texts = workspace.written;
    new_column.owns_dictionary = new_column.dictionary != NULL;
    if (kind == CRD_KIND_TEXT) {
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
