/* SPDX-License-Identifier: MIT */
/* sequences.c - creates, selects and queries sequences. See credence/sequence.h and sequences.h.
 *
 * Contents:
 *   1. Column information
 *   2. Blocks of steps
 *   3. Sequences
 *   4. Steps from rows
 *   5. Sequences without labels */
#include "sequence/data/sequences.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/column_schema.h"
#include "table/read/reader.h"

#include <math.h>
#include <string.h>

/* ======== 1. Column information ======== */

static void sequence_columns_release(crd_i_sequence_columns *columns) {
    if (columns == NULL || atomic_fetch_sub(&columns->users, 1) > 1) return;
    for (size_t i = 0; columns->values != NULL && columns->owns_values && i <= columns->count; i++)
        crd_i_dictionary_destroy(columns->values[i]);
    for (size_t i = 0; i < columns->place_count; i++) crd_free(columns->context, (void *)columns->places[i]);
    crd_free(columns->context, (void *)columns->source.sequence.bytes);
    crd_free(columns->context, (void *)columns->source.time.bytes);
    crd_free(columns->context, columns->places);
    crd_free(columns->context, columns->values);
    crd_free(columns->context, columns->sources);
    crd_free(columns->context, columns->schema_columns);
    crd_i_schema_destroy(columns->schema);
    crd_free(columns->context, columns);
}

/* Creates column information for frames with `frame_columns` columns. The caller decides which of them are
 * observations. Returns NULL if out of memory. */
static crd_i_sequence_columns *sequence_columns_create(crd_context *context, size_t frame_columns) {
    crd_i_sequence_columns *columns = crd_i_alloc_zeroed(context, 1, sizeof *columns);
    if (columns == NULL) return NULL;
    columns->context = context;
    atomic_init(&columns->users, 1);
    columns->target = SIZE_MAX;
    columns->sources = crd_i_alloc_zeroed(context, frame_columns, sizeof *columns->sources);
    columns->schema_columns = crd_i_alloc_zeroed(context, frame_columns, sizeof *columns->schema_columns);
    columns->values = crd_i_alloc_zeroed(context, frame_columns + 1, sizeof(crd_i_dictionary *));
    if (columns->sources != NULL && columns->schema_columns != NULL && columns->values != NULL) return columns;
    sequence_columns_release(columns);
    return NULL;
}

/* Sets the schema and takes ownership of it. Its columns have the names of the frame's columns. */
static void sequence_columns_set_schema(crd_i_sequence_columns *columns, const crd_frame *frame, crd_i_schema *schema) {
    columns->schema = schema;
    size_t next = 0;
    for (size_t i = 0; i < columns->count; i++) {
        crd_text name = frame->columns[columns->sources[i]].name;
        /* Both lists are in the order of the file. */
        while (next < schema->count && !crd_text_equal(schema->columns[next].name, name)) next++;
        columns->schema_columns[i] = next < schema->count ? next++ : crd_i_schema_find(schema, name);
    }
}

/* ======== 2. Blocks of steps ======== */

enum { BLOCK_BYTES = 256 * 1024, LEAST_STEPS = 64, MOST_STEPS = 8192 };

/* Begins a store with the given areas. The widths must be 1, 4 or 8. */
static crd_status step_store_begin(crd_i_step_store *store, crd_context *context, const size_t *widths,
                                   size_t area_count, size_t memory_bytes, crd_error *error) {
    *store = (crd_i_step_store){.context = context, .area_count = area_count};
    store->spool.context = context;
    store->spool.memory_bytes = memory_bytes;
    store->widths = crd_i_alloc(context, area_count, sizeof *store->widths);
    store->offsets = crd_i_alloc(context, area_count, sizeof *store->offsets);
    if (store->widths == NULL || store->offsets == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < area_count; i++) {
        store->widths[i] = widths[i];
        store->offsets[i] = store->step_bytes;
        store->step_bytes += widths[i];
    }
    size_t steps = BLOCK_BYTES / (store->step_bytes + 1) / 8 * 8;
    store->block_steps = steps < LEAST_STEPS ? LEAST_STEPS : steps > MOST_STEPS ? MOST_STEPS : steps;
    return CRD_OK;
}

static void step_store_clear(crd_i_step_store *store) {
    crd_free(store->context, store->widths);
    crd_free(store->context, store->offsets);
    crd_free(store->context, store->current);
    crd_i_spool_clear(&store->spool);
    *store = (crd_i_step_store){.context = store->context};
}

crd_status crd_i_step_store_room(crd_i_step_store *store, uint64_t wanted, size_t *got, crd_error *error) {
    *got = 0;
    if (store->current == NULL) store->current = crd_i_alloc(store->context, store->block_steps, store->step_bytes + 1);
    if (store->current == NULL) return crd_i_fail_memory(error);
    size_t left = store->block_steps - store->current_steps;
    *got = wanted < left ? (size_t)wanted : left;
    return CRD_OK;
}

crd_status crd_i_step_store_advance(crd_i_step_store *store, size_t steps, crd_error *error) {
    store->current_steps += steps;
    store->steps += steps;
    if (store->current_steps < store->block_steps) return CRD_OK;
    store->current_steps = 0;
    return crd_i_spool_append(&store->spool, store->current, store->block_steps * store->step_bytes, error);
}

/* Finishes the store. No steps may be added afterwards.
 *
 * The areas of the last block are moved closer together, because it has fewer steps. */
static crd_status step_store_end(crd_i_step_store *store, crd_error *error) {
    crd_status status = CRD_OK;
    if (store->current_steps > 0) {
        size_t stride = (store->current_steps + 7) / 8 * 8;
        unsigned char *buffer = crd_i_spool_room(&store->spool, stride * store->step_bytes + 1);
        if (buffer == NULL) return crd_i_fail_memory(error);
        memset(buffer, 0, stride * store->step_bytes);
        for (size_t i = 0; i < store->area_count; i++)
            memcpy(buffer + store->offsets[i] * stride, store->current + store->offsets[i] * store->block_steps,
                   store->current_steps * store->widths[i]);
        status = crd_i_spool_add(&store->spool, stride * store->step_bytes, error);
    }
    crd_free(store->context, store->current);
    store->current = NULL;
    store->current_steps = 0;
    return status;
}

/* ======== 3. Sequences ======== */

/* ---- Creation ---- */

/* Creates an empty batch. */
static crd_status sequences_create(crd_i_sequence_columns *columns, crd_sequences **out, crd_error *error) {
    *out = NULL;
    crd_context *context = columns->context;
    crd_sequences *sequences = crd_i_alloc_zeroed(context, 1, sizeof *sequences);
    if (sequences == NULL) return crd_i_fail_memory(error);
    sequences->context = sequences->ids.context = sequences->store.context = context;
    sequences->texts.context = sequences->text_ends.context = context;
    sequences->serial = crd_i_context_serial(context);
    sequences->label_area = sequences->inserted_area = sequences->row_area = sequences->time_area = SIZE_MAX;
    sequences->is_in_order = true;
    sequences->types = crd_i_alloc_zeroed(context, columns->count, sizeof *sequences->types);
    if (sequences->types == NULL ||
        !crd_i_reserve(context, &sequences->starts, &sequences->starts_capacity, 1, sizeof *sequences->starts)) {
        crd_sequences_destroy(sequences);
        return crd_i_fail_memory(error);
    }
    sequences->starts[0] = 0;
    sequences->columns = columns;
    atomic_fetch_add(&columns->users, 1);
    *out = sequences;
    return CRD_OK;
}

void crd_sequences_destroy(crd_sequences *sequences) {
    if (sequences == NULL) return;
    crd_context *context = sequences->context;
    sequence_columns_release(sequences->columns);
    crd_free(context, sequences->types);
    crd_free(context, sequences->starts);
    crd_free(context, sequences->chosen);
    crd_free(context, sequences->id_ends);
    crd_i_buffer_clear(&sequences->ids);
    step_store_clear(&sequences->store);
    crd_free(context, sequences->runs);
    crd_free(context, sequences->latest);
    crd_i_spool_clear(&sequences->texts);
    crd_i_spool_clear(&sequences->text_ends);
    crd_free(context, sequences);
}

bool crd_i_sequences_add(crd_sequences *sequences, uint64_t start, crd_text id) {
    crd_context *context = sequences->context;
    size_t count = sequences->count;
    if (!crd_i_reserve(context, &sequences->starts, &sequences->starts_capacity, count + 2, sizeof(uint64_t)))
        return false;
    if (id.bytes != NULL) {
        if (!crd_i_reserve(context, &sequences->id_ends, &sequences->id_ends_capacity, count + 1, sizeof(uint64_t)) ||
            !crd_i_buffer_append(&sequences->ids, id.bytes, id.length))
            return false;
        sequences->id_ends[count] = sequences->ids.length;
    }
    sequences->starts[count] = start;
    sequences->count++;
    return true;
}

/* Creates a schema with all columns of a frame; `target` is marked as the target. NULL: out of memory. */
static crd_i_schema *schema_of_frame(crd_context *context, const crd_frame *frame, size_t target) {
    crd_i_schema *schema = crd_i_schema_create(context);
    for (size_t i = 0; schema != NULL && i < frame->column_count; i++) {
        const crd_i_column *column = &frame->columns[i];
        bool done = crd_i_schema_add(schema, column->name, column->type, i);
        if (done && column->declared != NULL) {
            schema->columns[i].values = crd_i_dictionary_clone(column->declared);
            done = schema->columns[i].values != NULL;
        }
        if (done) continue;
        crd_i_schema_destroy(schema);
        schema = NULL;
    }
    if (schema == NULL) return NULL;
    schema->width = frame->column_count;
    schema->has_header = true;
    schema->target = target;
    return schema;
}

static crd_status sequences_find_target(const crd_frame *frame, crd_text target, size_t *out, crd_error *error) {
    *out = SIZE_MAX;
    if (target.bytes == NULL) return CRD_OK;
    char shown[CRD_I_QUOTED_ROOM];
    int32_t code = crd_i_dictionary_find(frame->names, target);
    if (code < 0)
        crd_i_fail(error, CRD_ERROR_COLUMN, "the target column '%s' does not exist", crd_i_quote(target, shown));
    else if (frame->columns[code].type == CRD_TYPE_NUMERIC)
        crd_i_fail(error, CRD_ERROR_COLUMN, "the target '%s' must be a category, not a number",
                   crd_i_quote(target, shown));
    else {
        *out = (size_t)code;
        return CRD_OK;
    }
    crd_i_error_subject(error, target);
    return CRD_ERROR_COLUMN;
}

static crd_i_sequence_columns *columns_of_frame(crd_context *context, const crd_frame *frame, size_t target) {
    crd_i_sequence_columns *columns = sequence_columns_create(context, frame->column_count);
    crd_i_schema *schema = columns == NULL ? NULL : schema_of_frame(context, frame, target);
    if (schema == NULL) {
        sequence_columns_release(columns);
        return NULL;
    }
    columns->target = target;
    for (size_t i = 0; i < frame->column_count; i++)
        if (i != target) columns->sources[columns->count++] = i;
    for (size_t i = 0; i < columns->count; i++) columns->values[i] = frame->columns[columns->sources[i]].dictionary;
    if (target != SIZE_MAX) columns->values[columns->count] = frame->columns[target].dictionary;
    sequence_columns_set_schema(columns, frame, schema);
    return columns;
}

static crd_status check_lengths(const crd_frame *frame, const size_t *lengths, size_t count, crd_error *error) {
    size_t rows = 0;
    if (lengths == NULL && count > 0) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing sequence lengths");
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] > frame->rows - rows)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the sequence lengths sum to more than the %zu rows",
                              frame->rows);
        rows += lengths[i];
    }
    if (rows == frame->rows) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the sequence lengths sum to %zu, but the frame has %zu rows", rows,
                      frame->rows);
}

crd_status crd_sequences_from_frame(crd_context *context, const crd_frame *frame, crd_text target,
                                    const size_t *lengths, size_t count, crd_sequences **out, crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new sequences");
    *out = NULL;
    if (context == NULL || frame == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context or frame");
    size_t target_column;
    crd_status status = check_lengths(frame, lengths, count, error);
    if (status == CRD_OK) status = sequences_find_target(frame, target, &target_column, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < frame->column_count; i++)
        if (frame->columns[i].type == CRD_TYPE_TEXT)
            return crd_i_fail_text(error, frame->columns[i].name, "sequences support");
    crd_i_sequence_columns *columns = columns_of_frame(context, frame, target_column);
    if (columns == NULL) return crd_i_fail_memory(error);
    crd_sequences *sequences = NULL;
    status = sequences_create(columns, &sequences, error);
    sequence_columns_release(columns);
    if (status != CRD_OK) return status;
    sequences->frame = frame;
    for (size_t i = 0; i < columns->count; i++) sequences->types[i] = frame->columns[columns->sources[i]].type;
    const crd_text no_id = {NULL, 0};
    uint64_t start = 0;
    for (size_t i = 0; i < count; i++) {
        if (!crd_i_sequences_add(sequences, start, no_id)) {
            crd_sequences_destroy(sequences);
            return crd_i_fail_memory(error);
        }
        start += lengths[i];
    }
    sequences->starts[count] = start;
    *out = sequences;
    return CRD_OK;
}

crd_status crd_sequences_select(const crd_sequences *sequences, const size_t *chosen, size_t count, crd_sequences **out,
                                crd_error *error) {
    crd_context *context = sequences->context;
    crd_sequences *new_sequences;
    crd_status status = sequences_create(sequences->columns, &new_sequences, error);
    *out = NULL;
    if (status != CRD_OK) return status;
    new_sequences->chosen = crd_i_alloc(context, count, sizeof *new_sequences->chosen);
    if (new_sequences->chosen == NULL ||
        !crd_i_reserve(context, &new_sequences->starts, &new_sequences->starts_capacity, count + 1,
                       sizeof *new_sequences->starts)) {
        crd_sequences_destroy(new_sequences);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < sequences->columns->count; i++) new_sequences->types[i] = sequences->types[i];
    for (size_t i = 0; i < count; i++) {
        size_t number = chosen[i];
        new_sequences->starts[i + 1] = new_sequences->starts[i] + crd_sequences_length(sequences, number);
        new_sequences->whole = crd_i_sequences_whole(sequences, &number);
        new_sequences->chosen[i] = number;
    }
    new_sequences->count = count;
    new_sequences->is_in_order = sequences->is_in_order;
    *out = new_sequences;
    return CRD_OK;
}

crd_status crd_sequences_divide(const crd_sequences *sequences, unsigned part, unsigned parts, size_t *first,
                                crd_sequences **out, crd_error *error) {
    *first = 0;
    *out = NULL;
    if (part >= parts) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid part %u of %u", part, parts);
    size_t *chosen = crd_i_alloc(sequences->context, sequences->count, sizeof *chosen), own = 0;
    if (chosen == NULL) return crd_i_fail_memory(error);
    /* Counts one extra step per sequence, so that empty sequences are divided, too. */
    const uint64_t share = (crd_sequences_rows(sequences) + sequences->count) / parts + 1;
    for (size_t i = 0; i < sequences->count; i++) {
        const uint64_t of = (sequences->starts[i] + i) / share;
        if (of < part) *first = i + 1;
        if (of == part) chosen[own++] = i;
    }
    const crd_status status = crd_sequences_select(sequences, chosen, own, out, error);
    crd_free(sequences->context, chosen);
    return status;
}

/* ---- Queries ---- */

size_t crd_sequences_count(const crd_sequences *sequences) {
    return sequences->count;
}

uint64_t crd_sequences_length(const crd_sequences *sequences, size_t sequence) {
    return sequences->starts[sequence + 1] - sequences->starts[sequence];
}

uint64_t crd_sequences_rows(const crd_sequences *sequences) {
    return sequences->starts[sequences->count];
}

uint64_t crd_sequences_crowded(const crd_sequences *sequences) {
    return sequences->whole == NULL ? sequences->crowded : sequences->whole->crowded;
}

crd_text crd_sequences_id(const crd_sequences *sequences, size_t sequence) {
    crd_text id = {"", 0};
    sequences = crd_i_sequences_whole(sequences, &sequence);
    if (sequences->id_ends == NULL) return id;
    uint64_t start = sequence == 0 ? 0 : sequences->id_ends[sequence - 1];
    id.length = (size_t)(sequences->id_ends[sequence] - start);
    if (id.length > 0) id.bytes = (const char *)sequences->ids.bytes + start;
    return id;
}

int crd_sequences_latest(const crd_sequences *sequences, size_t sequence, double *out, int *is_date) {
    sequences = crd_i_sequences_whole(sequences, &sequence);
    if (sequences->latest == NULL) return 0;
    *out = sequences->latest[sequence];
    *is_date = sequences->has_dates;
    return 1;
}

int crd_i_sequences_source(const crd_sequences *sequences, crd_sequence_options *out) {
    const crd_i_sequence_columns *columns = sequences->columns;
    const crd_sequence_options none = CRD_SEQUENCE_OPTIONS_INIT;
    crd_i_copy_out(columns->has_source ? &columns->source : &none, sizeof none, out);
    return columns->has_source;
}

int crd_sequences_are_in_order(const crd_sequences *sequences) {
    return sequences->is_in_order;
}

size_t crd_sequences_column_count(const crd_sequences *sequences) {
    return sequences->columns->count;
}

crd_text crd_sequences_column_name(const crd_sequences *sequences, size_t column) {
    const crd_i_sequence_columns *columns = sequences->columns;
    return columns->schema->columns[columns->schema_columns[column]].name;
}

crd_column_type crd_i_sequences_column_type(const crd_sequences *sequences, size_t column) {
    return sequences->types[column];
}

static size_t sequences_size(const crd_i_dictionary *values) {
    return values == NULL ? 0 : crd_i_dictionary_size(values);
}

size_t crd_sequences_value_count(const crd_sequences *sequences, size_t column) {
    return sequences_size(sequences->columns->values[column]);
}

crd_text crd_sequences_value(const crd_sequences *sequences, size_t column, size_t code) {
    return crd_i_dictionary_text(sequences->columns->values[column], code);
}

int crd_sequences_has_target(const crd_sequences *sequences) {
    return sequences->columns->target != SIZE_MAX;
}

crd_text crd_sequences_target(const crd_sequences *sequences) {
    const crd_i_schema *schema = sequences->columns->schema;
    const crd_text none = {NULL, 0};
    return crd_sequences_has_target(sequences) ? schema->columns[schema->target].name : none;
}

size_t crd_sequences_label_count(const crd_sequences *sequences) {
    return sequences_size(crd_i_sequences_labels(sequences));
}

crd_text crd_sequences_label(const crd_sequences *sequences, size_t code) {
    return crd_i_dictionary_text(crd_i_sequences_labels(sequences), code);
}

bool crd_i_sequences_are_part(const crd_sequences *sequences) {
    return sequences->columns->is_part;
}

crd_i_group *crd_i_sequences_group(const crd_sequences *sequences) {
    return sequences->columns->is_shared ? sequences->context->group : NULL;
}

crd_context *crd_i_sequences_context(const crd_sequences *sequences) {
    return sequences->context;
}

const crd_i_dictionary *crd_i_sequences_values(const crd_sequences *sequences, size_t column) {
    return sequences->columns->values[column];
}

const crd_i_dictionary *crd_i_sequences_labels(const crd_sequences *sequences) {
    return sequences->columns->values[sequences->columns->count];
}

const crd_i_schema *crd_i_sequences_schema(const crd_sequences *sequences) {
    return sequences->columns->schema;
}

size_t crd_i_sequences_schema_column(const crd_sequences *sequences, size_t column) {
    return sequences->columns->schema_columns[column];
}

const crd_i_line_run *crd_i_sequences_find_run(const crd_sequences *sequences, uint64_t row) {
    size_t low = 0, high = sequences->run_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sequences->runs[middle].row <= row) low = middle + 1;
        else high = middle;
    }
    return low == 0 ? NULL : &sequences->runs[low - 1];
}

/* ======== 4. Steps from rows ======== */

enum { UNMAPPED = -2 };

/* ---- Frames ---- */

void crd_i_row_source_restart(crd_i_row_source *source) {
    for (size_t i = 0; source->maps != NULL && i <= source->columns->count; i++)
        crd_free(source->context, source->maps[i].codes);
    crd_free(source->context, source->maps);
    source->maps = NULL;
    sequence_columns_release(source->columns);
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
    crd_i_sequence_columns *columns = sequence_columns_create(source->context, frame->column_count);
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
        sequence_columns_set_schema(columns, frame, schema);
        source->maps = crd_i_alloc_zeroed(source->context, columns->count + 1, sizeof *source->maps);
        if (source->maps == NULL || !take_source(&source->source, columns)) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) {
        source->columns = columns;
        return CRD_OK;
    }
    crd_free(source->context, source->maps);
    source->maps = NULL;
    sequence_columns_release(columns);
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
    return step_store_begin(&sequences->store, sequences->context, widths, count, memory_bytes, error);
}

/* Creates a batch. The column widths come from `like` or, if it is NULL, from the frame. */
static crd_status begin_batch(crd_i_sequence_columns *columns, const crd_frame *frame, const crd_sequences *like,
                              crd_i_extra_areas extra, size_t memory_bytes, crd_sequences **out, crd_error *error) {
    crd_sequences *sequences = NULL;
    *out = NULL;
    for (size_t i = 0; like == NULL && i < columns->count; i++)
        if (frame->columns[columns->sources[i]].type == CRD_TYPE_TEXT)
            return crd_i_fail_text(error, frame->columns[columns->sources[i]].name, "sequences support");
    size_t *widths = crd_i_alloc(columns->context, columns->count + 4, sizeof *widths);
    if (widths == NULL) return crd_i_fail_memory(error);
    crd_status status = sequences_create(columns, &sequences, error);
    if (status == CRD_OK) {
        for (size_t i = 0; i < columns->count; i++) {
            sequences->types[i] = like != NULL ? like->types[i] : frame->columns[columns->sources[i]].type;
            widths[i] = sequences->types[i] == CRD_TYPE_CATEGORICAL ? sizeof(int32_t) : sizeof(double);
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
    if (column < columns->count && into->types[column] == CRD_TYPE_NONE) into->types[column] = cells->type;
    void *workspace = crd_i_sequences_cells(into, area);
    switch (cells->type) {
    case CRD_TYPE_NUMERIC: sequence_rows_add_numbers(cells, first, count, workspace); return true;
    case CRD_TYPE_CATEGORICAL: return sequence_rows_add_codes(source, column, cells, first, count, workspace);
    case CRD_TYPE_TEXT:
    case CRD_TYPE_NONE: break;
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
        crd_text text = crd_i_reader_cell(source->reader, row, i);
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
    for (size_t count = 0; origin < target; origin += count) {
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
    return step_store_end(&into->store, error);
}

/* ======== 5. Sequences without labels ======== */

/* Returns a copy of the schema without its target; NULL: out of memory. */
static crd_i_schema *schema_without_target(const crd_i_schema *source_schema) {
    crd_i_schema *schema = crd_i_schema_clone(source_schema);
    if (schema == NULL || schema->target == SIZE_MAX) return schema;
    const size_t target = schema->target, limit = schema->count - target - 1;
    const crd_i_schema_column column = schema->columns[target];
    memmove(schema->columns + target, schema->columns + target + 1, limit * sizeof column);
    schema->columns[schema->count - 1] = column;
    schema->target = SIZE_MAX;
    crd_i_schema_drop_last(schema);
    return schema;
}

static crd_i_sequence_columns *columns_without_target(const crd_i_sequence_columns *like) {
    crd_i_sequence_columns *columns = sequence_columns_create(like->context, like->count);
    crd_i_schema *schema = columns == NULL ? NULL : schema_without_target(like->schema);
    if (schema == NULL) {
        sequence_columns_release(columns);
        return NULL;
    }
    columns->count = like->count;
    columns->schema = schema;
    for (size_t i = 0; i < like->count; i++) {
        const size_t place = like->schema_columns[i];
        columns->values[i] = like->values[i];
        columns->schema_columns[i] = place > like->schema->target ? place - 1 : place;
    }
    return columns;
}

crd_status crd_i_sequences_unlabeled(const crd_sequences *sequences, crd_sequences **out, crd_error *error) {
    const size_t count = crd_sequences_count(sequences);
    size_t *all = crd_i_alloc(sequences->context, count, sizeof *all);
    *out = NULL;
    if (all == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) all[i] = i;
    crd_status status = crd_sequences_select(sequences, all, count, out, error);
    crd_free(sequences->context, all);
    if (status != CRD_OK) return status;
    crd_i_sequence_columns *columns = columns_without_target((*out)->columns);
    if (columns == NULL) {
        crd_sequences_destroy(*out);
        *out = NULL;
        return crd_i_fail_memory(error);
    }
    sequence_columns_release((*out)->columns);
    (*out)->columns = columns;
    return CRD_OK;
}
