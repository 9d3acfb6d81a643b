/* SPDX-License-Identifier: MIT */
/* sequence_rows.c - converts rows into steps. See sequence_rows.h. */
#include "sequence/data/sequence_rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/read/reader.h"
#include "table/text_refusal.h"

#include <math.h>
#include <string.h>

enum { UNMAPPED = -2 };

/* ---- Frames ---- */

void crd_i_row_source_restart(crd_i_row_source *source) {
    for (size_t i = 0; source->maps != NULL && i <= source->columns->count; i++)
        crd_free(source->context, source->maps[i].codes);
    crd_free(source->context, source->maps);
    source->maps = NULL;
    crd_i_sequence_columns_release(source->columns);
    source->columns = NULL;
    source->frame = NULL;
}

void crd_i_row_source_clear(crd_i_row_source *source) {
    crd_i_row_source_restart(source);
    crd_free(source->context, source->lines);
    source->lines = NULL;
}

/* Copies the sequence options, including their texts. Returns false if out of memory. */
static bool take_source(const crd_sequence_options *source, crd_i_sequence_columns *columns) {
    columns->source = *source;
    columns->source.sequence = columns->source.time = (crd_text){NULL, 0};
    columns->has_source = true;
    if (source->sequence.bytes != NULL) columns->source.sequence = crd_i_text_copy(columns->context, source->sequence);
    if (source->time.bytes != NULL) columns->source.time = crd_i_text_copy(columns->context, source->time);
    return (source->sequence.bytes == NULL) == (columns->source.sequence.bytes == NULL) &&
           (source->time.bytes == NULL) == (columns->source.time.bytes == NULL);
}

/* Sets up the columns when the first frame has been read. */
static crd_status sequence_rows_take_columns(crd_i_row_source *source, crd_error *error) {
    const crd_frame *frame = source->frame;
    size_t target = crd_i_reader_target(source->reader);
    crd_i_sequence_columns *columns = crd_i_sequence_columns_create(source->context, frame->column_count);
    crd_i_schema *schema = NULL;
    if (columns == NULL) return crd_i_fail_memory(error);
    columns->owns_values = true;
    columns->is_part = crd_i_reader_is_shard(source->reader);
    columns->target = target;
    source->id = crd_i_reader_key(source->reader, CRD_I_KEY_SEQUENCE);
    source->time = crd_i_reader_key(source->reader, CRD_I_KEY_TIME);
    for (size_t i = 0; i < frame->column_count; i++)
        if (i != target && i != source->id && i != source->time) columns->sources[columns->count++] = i;
    if (crd_i_reader_keeps_text(source->reader)) columns->text_columns = crd_reader_column_count(source->reader);
    crd_status status = crd_i_reader_schema(source->reader, &schema, error);
    if (status == CRD_OK) {
        crd_i_sequence_columns_set_schema(columns, frame, schema);
        source->maps = crd_i_alloc_zeroed(source->context, columns->count + 1, sizeof *source->maps);
        if (source->maps == NULL || !take_source(&source->source, columns)) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) {
        source->columns = columns;
        return CRD_OK;
    }
    crd_free(source->context, source->maps);
    source->maps = NULL;
    crd_i_sequence_columns_release(columns);
    return status;
}

crd_status crd_i_row_source_take_columns(crd_i_row_source *source, crd_error *error) {
    source->frame = crd_i_reader_frame(source->reader);
    return source->columns == NULL ? sequence_rows_take_columns(source, error) : CRD_OK;
}

/* Stores the file name of the frame, for error messages. */
static bool keep_place(crd_i_row_source *source) {
    crd_i_sequence_columns *columns = source->columns;
    size_t input = source->input;
    if (input < columns->place_count) return true;
    if (!crd_i_reserve(source->context, &columns->places, &columns->place_capacity, input + 1, sizeof *columns->places))
        return false;
    while (columns->place_count <= input) {
        const char *place = columns->place_count == input ? crd_reader_place(source->reader) : "";
        columns->places[columns->place_count] = crd_i_text_copy(source->context, crd_text_of(place)).bytes;
        if (columns->places[columns->place_count] == NULL) return false;
        columns->place_count++;
    }
    return true;
}

crd_status crd_i_row_source_next(crd_i_row_source *source, crd_error *error) {
    source->frame = NULL;
    crd_status status = crd_reader_next(source->reader, &source->frame, error);
    if (status != CRD_OK || source->frame == NULL) return status;
    if (source->columns == NULL) status = sequence_rows_take_columns(source, error);
    if (status != CRD_OK) return status;
    source->input = crd_i_reader_input(source->reader);
    if (!keep_place(source) || !crd_i_reserve(source->context, &source->lines, &source->lines_capacity,
                                              source->frame->rows, sizeof *source->lines))
        return crd_i_fail_memory(error);
    crd_i_reader_lines(source->reader, source->lines);
    return CRD_OK;
}

void crd_i_row_source_place(const crd_i_row_source *source, size_t row, crd_error *error) {
    crd_i_error_place(error, crd_reader_place(source->reader), source->lines[row], 0);
}

/* ---- Batches ---- */

/* Lays out the areas: the columns, then labels, times, rows and insertion marks, if present. `widths` must have room
 * for 4 more areas. */
static crd_status begin_store(crd_sequences *sequences, size_t *widths, crd_i_extra_areas extra, size_t memory_bytes,
                              crd_error *error) {
    size_t count = sequences->columns->count;
    const struct {
        bool is_there;
        size_t *area, width;
    } areas[] = {{sequences->columns->target != SIZE_MAX, &sequences->label_area, sizeof(int32_t)},
                 {extra.time, &sequences->time_area, sizeof(double)},
                 {extra.row, &sequences->row_area, sizeof(uint64_t)},
                 {extra.inserted, &sequences->inserted_area, 1}};
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
        if (!areas[i].is_there) continue;
        *areas[i].area = count;
        widths[count++] = areas[i].width;
    }
    sequences->texts.memory_bytes = sequences->text_ends.memory_bytes = memory_bytes / 4;
    return crd_i_step_store_begin(&sequences->store, sequences->context, widths, count, memory_bytes, error);
}

/* Creates a batch. The column widths come from `like` or, if it is NULL, from the frame. */
static crd_status begin_batch(crd_i_sequence_columns *columns, const crd_frame *frame, const crd_sequences *like,
                              crd_i_extra_areas extra, size_t memory_bytes, crd_sequences **out, crd_error *error) {
    crd_sequences *sequences = NULL;
    *out = NULL;
    for (size_t i = 0; like == NULL && i < columns->count; i++)
        if (frame->columns[columns->sources[i]].kind == CRD_KIND_TEXT)
            return crd_i_fail_text(error, frame->columns[columns->sources[i]].name, "sequences support");
    size_t *widths = crd_i_alloc(columns->context, columns->count + 4, sizeof *widths);
    if (widths == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_sequences_create(columns, &sequences, error);
    if (status == CRD_OK) {
        for (size_t i = 0; i < columns->count; i++) {
            sequences->kinds[i] = like != NULL ? like->kinds[i] : frame->columns[columns->sources[i]].kind;
            widths[i] = sequences->kinds[i] == CRD_KIND_CATEGORY ? sizeof(int32_t) : sizeof(double);
            if (like != NULL) widths[i] = like->store.widths[i];
        }
        status = begin_store(sequences, widths, extra, memory_bytes, error);
    }
    crd_free(columns->context, widths);
    if (status != CRD_OK) crd_sequences_destroy(sequences);
    else *out = sequences;
    return status;
}

crd_status crd_i_row_source_begin(const crd_i_row_source *source, crd_i_extra_areas extra, crd_sequences **out,
                                  crd_error *error) {
    return begin_batch(source->columns, source->frame, NULL, extra, source->memory_bytes, out, error);
}

crd_status crd_i_row_source_begin_like(const crd_sequences *like, crd_i_extra_areas extra, crd_sequences **out,
                                       crd_error *error) {
    return begin_batch(like->columns, NULL, like, extra, like->store.spool.memory_bytes, out, error);
}

/* Returns the code that a value of the frame has in all batches; negative: out of memory. */
static int32_t map_code(crd_i_row_source *source, size_t column, const crd_i_dictionary *values, int32_t code) {
    crd_i_code_map *map = &source->maps[column];
    if (map->serial != crd_i_dictionary_serial(values)) map->count = 0;
    map->serial = crd_i_dictionary_serial(values);
    size_t size = crd_i_dictionary_size(values);
    if (map->count < size) {
        if (!crd_i_reserve(source->context, &map->codes, &map->capacity, size, sizeof *map->codes)) return -1;
        while (map->count < size) map->codes[map->count++] = UNMAPPED;
    }
    if (map->codes[code] >= 0) return map->codes[code];
    crd_i_dictionary **all = &source->columns->values[column];
    if (*all == NULL) *all = crd_i_dictionary_create(source->context);
    if (*all == NULL) return -1;
    map->codes[code] = crd_i_dictionary_add(*all, crd_i_dictionary_text(values, (size_t)code));
    return map->codes[code];
}

static bool sequence_rows_add_codes(crd_i_row_source *source, size_t column, const crd_i_column *source_column,
                                    size_t first, size_t count, int32_t *into) {
    for (size_t i = 0; i < count; i++) {
        into[i] = -1;
        if (!crd_i_column_present(source_column, first + i)) continue;
        int32_t code = source_column->codes[first + i];
        const crd_i_code_map *map = &source->maps[column];
        bool is_known = map->serial == crd_i_dictionary_serial(source_column->dictionary) &&
                        (size_t)code < map->count && map->codes[code] >= 0;
        into[i] = is_known ? map->codes[code] : map_code(source, column, source_column->dictionary, code);
        if (into[i] < 0) return false;
    }
    return true;
}

static void sequence_rows_add_numbers(const crd_i_column *column, size_t first, size_t count, double *into) {
    if (column->validity == NULL) memcpy(into, column->numbers + first, count * sizeof *into);
    else
        for (size_t i = 0; i < count; i++)
            into[i] = crd_i_column_present(column, first + i) ? column->numbers[first + i] : NAN;
}

/* Copies the values of a column into an area. If all bytes are 0xFF, a number or a code is missing. */
static bool sequence_rows_add_cells(crd_i_row_source *source, size_t column, size_t area, size_t first, size_t count,
                                    crd_sequences *into) {
    const crd_i_sequence_columns *columns = source->columns;
    size_t origin = column < columns->count ? columns->sources[column] : columns->target;
    const crd_i_column *cells = &source->frame->columns[origin];
    if (column < columns->count && into->kinds[column] == CRD_KIND_NONE) into->kinds[column] = cells->kind;
    void *workspace = crd_i_sequences_cells(into, area);
    switch (cells->kind) {
    case CRD_KIND_NUMBER: sequence_rows_add_numbers(cells, first, count, workspace); return true;
    case CRD_KIND_CATEGORY: return sequence_rows_add_codes(source, column, cells, first, count, workspace);
    case CRD_KIND_TEXT:
    case CRD_KIND_NONE: break;
    }
    memset(workspace, 0xFF, count * crd_i_sequences_cell_bytes(into, area));
    return true;
}

/* Records the lines of rows. Rows on consecutive lines form one run. */
static bool add_lines(const crd_i_row_source *source, size_t first, size_t count, crd_sequences *into) {
    for (size_t i = 0; i < count; i++) {
        uint64_t row = into->rows_read + i, line = source->lines[first + i];
        const crd_i_line_run *last = into->run_count == 0 ? NULL : &into->runs[into->run_count - 1];
        if (last != NULL && last->place == source->input && last->line + (row - last->row) == line) continue;
        if (!crd_i_reserve(source->context, &into->runs, &into->run_capacity, into->run_count + 1, sizeof *into->runs))
            return false;
        into->runs[into->run_count++] = (crd_i_line_run){row, line, source->input};
    }
    return true;
}

static crd_status sequence_rows_add_texts(const crd_i_row_source *source, size_t row, crd_sequences *into,
                                          crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < source->columns->text_columns; i++) {
        crd_text text = crd_reader_cell(source->reader, row, i);
        uint32_t length = (uint32_t)text.length;
        status = crd_i_spool_append(&into->texts, &length, sizeof length, error);
        if (status == CRD_OK) status = crd_i_spool_append(&into->texts, text.bytes, text.length, error);
    }
    uint64_t end = crd_i_spool_length(&into->texts);
    return status == CRD_OK ? crd_i_spool_append(&into->text_ends, &end, sizeof end, error) : status;
}

crd_status crd_i_row_source_add(crd_i_row_source *source, size_t origin, size_t target, crd_sequences *into,
                                crd_error *error) {
    const crd_i_sequence_columns *columns = source->columns;
    crd_i_step_store *store = &into->store;
    if (!add_lines(source, origin, target - origin, into)) return crd_i_fail_memory(error);
    for (size_t row = origin; columns->text_columns > 0 && row < target; row++) {
        crd_status status = sequence_rows_add_texts(source, row, into, error);
        if (status != CRD_OK) return status;
    }
    for (size_t count; origin < target; origin += count) {
        crd_status status = crd_i_step_store_room(store, target - origin, &count, error);
        if (status != CRD_OK) return status;
        bool done = true;
        for (size_t i = 0; done && i < columns->count; i++)
            done = sequence_rows_add_cells(source, i, i, origin, count, into);
        if (done && into->label_area != SIZE_MAX)
            done = sequence_rows_add_cells(source, columns->count, into->label_area, origin, count, into);
        if (!done) return crd_i_fail_memory(error);
        if (into->time_area != SIZE_MAX)
            sequence_rows_add_numbers(&source->frame->columns[source->time], origin, count,
                                      crd_i_sequences_cells(into, into->time_area));
        uint64_t *rows = into->row_area == SIZE_MAX ? NULL : crd_i_sequences_cells(into, into->row_area);
        for (size_t i = 0; rows != NULL && i < count; i++) rows[i] = into->rows_read + i;
        if (into->inserted_area != SIZE_MAX) memset(crd_i_sequences_cells(into, into->inserted_area), 0, count);
        into->rows_read += count;
        status = crd_i_step_store_advance(store, count, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_row_source_insert(crd_sequences *into, uint64_t steps, crd_error *error) {
    crd_i_step_store *store = &into->store;
    for (size_t count; steps > 0; steps -= count) {
        if (crd_i_context_cancelled(into->context)) return crd_i_fail_cancelled(error);
        crd_status status = crd_i_step_store_room(store, steps, &count, error);
        if (status != CRD_OK) return status;
        for (size_t i = 0; i < store->area_count; i++)
            memset(crd_i_sequences_cells(into, i), i == into->inserted_area ? 1 : 0xFF,
                   count * crd_i_sequences_cell_bytes(into, i));
        status = crd_i_step_store_advance(store, count, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_row_source_end(crd_sequences *into, crd_error *error) {
    into->starts[into->count] = into->store.steps;
    return crd_i_step_store_end(&into->store, error);
}
