/* SPDX-License-Identifier: MIT */
/* sequences.c - creates, selects and queries sequences. See credence/sequence.h and sequences_internal.h. */
#include "sequence/data/sequences.h"

#include "base/error.h"
#include "base/memory.h"
#include "table/text_refusal.h"

#include <math.h>
#include <string.h>

/* ---- Column information of all batches ---- */

crd_i_sequence_columns *crd_i_sequence_columns_create(crd_context *context, size_t frame_columns) {
    crd_i_sequence_columns *columns = crd_i_alloc_zeroed(context, 1, sizeof *columns);
    if (columns == NULL) return NULL;
    columns->context = context;
    atomic_init(&columns->users, 1);
    columns->target = SIZE_MAX;
    columns->sources = crd_i_alloc_zeroed(context, frame_columns, sizeof *columns->sources);
    columns->schema_columns = crd_i_alloc_zeroed(context, frame_columns, sizeof *columns->schema_columns);
    columns->values = crd_i_alloc_zeroed(context, frame_columns + 1, sizeof(crd_i_dictionary *));
    if (columns->sources != NULL && columns->schema_columns != NULL && columns->values != NULL) return columns;
    crd_i_sequence_columns_release(columns);
    return NULL;
}

void crd_i_sequence_columns_release(crd_i_sequence_columns *columns) {
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

void crd_i_sequence_columns_set_schema(crd_i_sequence_columns *columns, const crd_frame *frame, crd_i_schema *schema) {
    columns->schema = schema;
    size_t next = 0;
    for (size_t i = 0; i < columns->count; i++) {
        crd_text name = frame->columns[columns->sources[i]].name;
        /* Both lists are in the order of the file. */
        while (next < schema->count && !crd_text_equal(schema->columns[next].name, name)) next++;
        columns->schema_columns[i] = next < schema->count ? next++ : crd_i_schema_find(schema, name);
    }
}

/* ---- Creation ---- */

crd_status crd_i_sequences_create(crd_i_sequence_columns *columns, crd_sequences **out, crd_error *error) {
    *out = NULL;
    crd_context *context = columns->context;
    crd_sequences *sequences = crd_i_alloc_zeroed(context, 1, sizeof *sequences);
    if (sequences == NULL) return crd_i_fail_memory(error);
    sequences->context = sequences->ids.context = sequences->store.context = context;
    sequences->texts.context = sequences->text_ends.context = context;
    sequences->serial = crd_i_context_serial(context);
    sequences->label_area = sequences->inserted_area = sequences->row_area = sequences->time_area = SIZE_MAX;
    sequences->is_in_order = true;
    sequences->kinds = crd_i_alloc_zeroed(context, columns->count, sizeof *sequences->kinds);
    if (sequences->kinds == NULL ||
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
    crd_i_sequence_columns_release(sequences->columns);
    crd_free(context, sequences->kinds);
    crd_free(context, sequences->starts);
    crd_free(context, sequences->chosen);
    crd_free(context, sequences->id_ends);
    crd_i_buffer_clear(&sequences->ids);
    crd_i_step_store_clear(&sequences->store);
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
        bool done = crd_i_schema_add(schema, column->name, column->kind, i);
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
    else if (frame->columns[code].kind == CRD_KIND_NUMBER)
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
    crd_i_sequence_columns *columns = crd_i_sequence_columns_create(context, frame->column_count);
    crd_i_schema *schema = columns == NULL ? NULL : schema_of_frame(context, frame, target);
    if (schema == NULL) {
        crd_i_sequence_columns_release(columns);
        return NULL;
    }
    columns->target = target;
    for (size_t i = 0; i < frame->column_count; i++)
        if (i != target) columns->sources[columns->count++] = i;
    for (size_t i = 0; i < columns->count; i++) columns->values[i] = frame->columns[columns->sources[i]].dictionary;
    if (target != SIZE_MAX) columns->values[columns->count] = frame->columns[target].dictionary;
    crd_i_sequence_columns_set_schema(columns, frame, schema);
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
        if (frame->columns[i].kind == CRD_KIND_TEXT)
            return crd_i_fail_text(error, frame->columns[i].name, "sequences support");
    crd_i_sequence_columns *columns = columns_of_frame(context, frame, target_column);
    if (columns == NULL) return crd_i_fail_memory(error);
    crd_sequences *sequences = NULL;
    status = crd_i_sequences_create(columns, &sequences, error);
    crd_i_sequence_columns_release(columns);
    if (status != CRD_OK) return status;
    sequences->frame = frame;
    for (size_t i = 0; i < columns->count; i++) sequences->kinds[i] = frame->columns[columns->sources[i]].kind;
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
    crd_status status = crd_i_sequences_create(sequences->columns, &new_sequences, error);
    *out = NULL;
    if (status != CRD_OK) return status;
    new_sequences->chosen = crd_i_alloc(context, count, sizeof *new_sequences->chosen);
    if (new_sequences->chosen == NULL ||
        !crd_i_reserve(context, &new_sequences->starts, &new_sequences->starts_capacity, count + 1,
                       sizeof *new_sequences->starts)) {
        crd_sequences_destroy(new_sequences);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < sequences->columns->count; i++) new_sequences->kinds[i] = sequences->kinds[i];
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

int crd_sequences_source(const crd_sequences *sequences, crd_sequence_options *out) {
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

crd_kind crd_sequences_column_kind(const crd_sequences *sequences, size_t column) {
    return sequences->kinds[column];
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

bool crd_i_sequences_are_shared(const crd_sequences *sequences) {
    return sequences->columns->is_shared;
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
