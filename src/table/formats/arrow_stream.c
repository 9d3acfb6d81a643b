/* SPDX-License-Identifier: MIT */
/* arrow_stream.c - a reader over an Arrow C stream. See credence/data.h and row_batches.h.
 *
 * The stream is moved into the source: the caller's struct is marked as released, and the source releases it once. Each
 * record batch is released when the last worker that has a slice of it is done.
 *
 * Contents:
 *   1. Validation
 *   2. Frame over a record batch
 *   3. Stream reader */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "table/formats/arrow_column.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

/* ======== 1. Validation ========
 *
 * External data is validated as far as possible: schemas, the number of children and buffers, lengths and offsets.
 * Buffer sizes cannot be checked, because the interface does not contain them. */

static crd_status arrow_check_schema(const struct ArrowSchema *schema, crd_error *error) {
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0 || schema->dictionary != NULL) {
        char shown[CRD_I_QUOTED_ROOM];
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the Arrow format is '%s', but expected a struct, '+s': pass a table, not a single column",
                          crd_i_quote(crd_text_of(schema->format == NULL ? "" : schema->format), shown));
    }
    if (schema->n_children < 0 || (schema->n_children > 0 && schema->children == NULL)) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the Arrow schema lacks children");
    }
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] != NULL) continue;
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "child %lld of the Arrow schema is missing", (long long)i + 1);
    }
    return CRD_OK;
}

/* Returns whether an array's own buffers, `buffers` in number for the type, can be read up to its length. Only
 * validity bits of arrays without nulls, and buffers of empty arrays, may be absent. */
static bool arrow_check_is_whole(const struct ArrowArray *array, int64_t buffers) {
    if (array->length < 0 || array->offset < 0 || array->offset >= INT64_MAX - array->length) return false;
    if (array->n_buffers < buffers || (array->n_buffers > 0 && array->buffers == NULL)) return false;
    return buffers < 2 || array->length == 0 || array->buffers[1] != NULL;
}

/* Checks that a record batch matches a schema: both are structs with the same children, and all children are there. */
static crd_status arrow_check_batch(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                    crd_error *error) {
    if (array->n_children != schema->n_children) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the Arrow array has %lld children, but its schema has %lld",
                          (long long)array->n_children, (long long)schema->n_children);
    }
    if ((array->n_children > 0 && array->children == NULL) || !arrow_check_is_whole(array, 0)) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the Arrow array lacks buffers or children");
    }
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i] != NULL) continue;
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "child %lld of the Arrow array is missing", (long long)i + 1);
    }
    return CRD_OK;
}

static int64_t buffers_of(const crd_i_arrow_type *type) {
    switch (type->layout) {
    case CRD_I_ARROW_NULL:
    case CRD_I_ARROW_FOREIGN: return 0;
    case CRD_I_ARROW_TEXT:
    case CRD_I_ARROW_VIEW: return 3;
    default: return 2;
    }
}

/* Checks that the array's own buffers can be read for all rows. */
static crd_status arrow_check_column(const crd_i_arrow_column *column, crd_i_cell_fault *fault) {
    const struct ArrowArray *array = column->array, *parent = column->parent;
    const crd_i_arrow_type *type = &column->type;
    static const char LACKS[] = "lacks buffers";
    if (array->length < parent->length || array->length - parent->length < parent->offset) {
        return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, "is shorter than the batch");
    }
    if (type->is_run_end) {
        bool has_runs = array->n_children == 2 && array->children != NULL && array->children[0] != NULL &&
                        array->children[1] != NULL;
        if (!has_runs || !arrow_check_is_whole(array, 0) || !arrow_check_is_whole(array->children[0], 2)) {
            return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, "has no runs");
        }
        if (array->children[1]->length < array->children[0]->length) {
            return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, "has fewer values than runs");
        }
        array = array->children[1];
    }
    if (type->is_indexed) {
        if (!arrow_check_is_whole(array, 2)) return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, LACKS);
        array = array->dictionary;
        if (array == NULL || !arrow_check_is_whole(array, buffers_of(type))) {
            return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, "has no dictionary");
        }
    }
    if (arrow_check_is_whole(array, buffers_of(type))) return CRD_OK;
    return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, LACKS);
}

/* ======== 2. Frame over a record batch ========
 *
 * Cell i of a child is its element parent.offset + i, which lies at child.offset + parent.offset + i of its buffers;
 * a null of the parent is a null of every child. */

/* Converts a fault of the column to an error. */
static crd_status arrow_report(const crd_i_cell_fault *fault, crd_text name, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    if (fault->status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    if (crd_i_is_cancelled(fault->status)) return crd_i_fail_cancelled(error);
    crd_i_quote(name, shown);
    if (fault->row == SIZE_MAX) crd_i_fail(error, fault->status, "column '%s' %s", shown, fault->what);
    else crd_i_fail(error, fault->status, "row %zu of column '%s' %s", fault->row + 1, shown, fault->what);
    crd_i_error_subject(error, name);
    return fault->status;
}

static crd_status import_child(crd_frame *frame, const struct ArrowArray *parent, const struct ArrowSchema *schema,
                               const struct ArrowArray *array, size_t index, crd_error *error) {
    char numbered[CRD_I_ARROW_NAME_ROOM];
    crd_text name = crd_i_arrow_name(schema, index, numbered);
    const crd_i_arrow_column arrow = {crd_i_arrow_type_of(schema), parent, array};
    const crd_i_conversion conversion = {frame->context, NULL, SIZE_MAX, NULL, false};
    crd_column_type type = crd_i_arrow_column_type(&arrow.type);
    crd_i_column_room workspace = {.dictionary = NULL};
    crd_i_column column = {.type = CRD_TYPE_NONE};
    crd_i_cell_fault fault = {.status = CRD_OK};
    if (type == CRD_TYPE_CATEGORICAL) {
        workspace.dictionary = crd_i_dictionary_create(frame->context);
        if (workspace.dictionary == NULL) return crd_i_fail_memory(error);
    }
    crd_status status = arrow_check_column(&arrow, &fault);
    if (status == CRD_OK)
        status = crd_i_arrow_convert(&arrow, crd_i_context_serial(frame->context), type, 0, frame->rows, &conversion,
                                     &workspace, &column, &fault);
    if (status != CRD_OK) status = arrow_report(&fault, name, error);
    column.owns_dictionary = column.dictionary != NULL;
    column.owned = workspace.numbers;
    column.owned_bits = workspace.bits;
    if (arrow.type.is_indexed && column.dictionary != NULL) {
        column.arrow_schema = schema;
        column.arrow_array = array;
    }
    if (status == CRD_OK) status = crd_i_frame_add(frame, name, &column, error);
    crd_free(frame->context, workspace.map);
    if (status == CRD_OK) return CRD_OK;
    crd_i_dictionary_destroy(workspace.dictionary);
    crd_free(frame->context, workspace.numbers);
    crd_free(frame->context, workspace.bits);
    return status;
}

crd_status crd_frame_borrow_arrow(crd_context *context, const struct ArrowSchema *schema,
                                  const struct ArrowArray *array, crd_frame **out, crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new frame");
    *out = NULL;
    if (context == NULL || schema == NULL || array == NULL || schema->release == NULL || array->release == NULL) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context, or the Arrow schema or array is released");
    }
    crd_status status = arrow_check_schema(schema, error);
    if (status == CRD_OK) status = arrow_check_batch(schema, array, error);
    if (status != CRD_OK) return status;
    crd_frame *frame = NULL;
    status = crd_frame_create(context, (size_t)array->length, &frame, error);
    for (int64_t i = 0; i < array->n_children && status == CRD_OK; i++) {
        status = import_child(frame, array, schema->children[i], array->children[i], (size_t)i, error);
    }
    if (status != CRD_OK) {
        crd_frame_destroy(frame);
        return status;
    }
    *out = frame;
    return CRD_OK;
}

crd_status crd_frame_declare_dictionary(crd_frame *frame, size_t index, crd_error *error) {
    if (frame == NULL || frame->origin != NULL || index >= frame->column_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing frame, or unknown column");
    crd_i_column *column = &frame->columns[index];
    if (column->type != CRD_TYPE_CATEGORICAL) {
        char shown[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_ARGUMENT, "column '%s' is not a category, so it has no dictionary",
                   crd_i_quote(column->name, shown));
        crd_i_error_subject(error, column->name);
        return CRD_ERROR_ARGUMENT;
    }
    if (column->arrow_array != NULL) {
        /* Any parent is sufficient, because the dictionary does not depend on rows. */
        const struct ArrowArray parent = {.length = 0};
        const crd_i_arrow_column arrow = {crd_i_arrow_type_of(column->arrow_schema), &parent, column->arrow_array};
        const crd_i_conversion conversion = {frame->context, NULL, SIZE_MAX, NULL, false};
        crd_i_cell_fault fault = {.status = CRD_OK};
        crd_status status = crd_i_arrow_add_dictionary(&arrow, &conversion, column->dictionary, &fault);
        if (status != CRD_OK) return arrow_report(&fault, column->name, error);
    }
    column->declared = column->dictionary;
    return CRD_OK;
}

/* ======== 3. Stream reader ======== */

typedef struct stream_source {
    crd_i_batch_source base;
    crd_context *context;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    crd_i_arrow_type *types; /* of each column */
    char (*numbered)[CRD_I_ARROW_NAME_ROOM];
    crd_i_dictionary **values; /* of each column: values of all dictionaries so far, if they are declared; NULL: none */
    size_t max_categories;     /* maximum number per column */
    crd_i_row_batch *first;    /* read ahead, for its dictionaries */
    int (*renew)(void *user, struct ArrowArrayStream *out);
    void *renew_user;
} stream_source;

typedef struct stream_batch {
    crd_i_row_batch base;
    const stream_source *source;
    struct ArrowArray array;
} stream_batch;

/* ---- Batches ---- */

static crd_i_arrow_column arrow_stream_column(const stream_batch *batch, size_t column) {
    crd_i_arrow_column arrow = {batch->source->types[column], &batch->array, batch->array.children[column]};
    return arrow;
}

static crd_status arrow_stream_convert(const crd_i_row_batch *base, size_t index, crd_column_type type, size_t first,
                                       size_t rows, const crd_i_conversion *conversion, crd_i_column_room *workspace,
                                       crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_arrow_column column = arrow_stream_column((const stream_batch *)base, index);
    crd_status status = arrow_check_column(&column, fault);
    if (status != CRD_OK) return status;
    return crd_i_arrow_convert(&column, base->serial, type, first, rows, conversion, workspace, into, fault);
}

static void arrow_stream_destroy_batch(crd_i_row_batch *base) {
    stream_batch *batch = (stream_batch *)base;
    if (batch->array.release != NULL) batch->array.release(&batch->array);
    crd_free(batch->source->context, batch);
}

/* ---- The source ---- */

static crd_status fail_stream(stream_source *source, int fault, const char *description, crd_error *error) {
    const char *detail = source->stream.release == NULL || source->stream.get_last_error == NULL
                             ? NULL
                             : source->stream.get_last_error(&source->stream);
    crd_i_fail_system(error, fault, "%s", description);
    if (detail != NULL && detail[0] != '\0') {
        char shown[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_SYSTEM, "%s: %s", description, crd_i_quote(crd_text_of(detail), shown));
        if (error != NULL) error->system_error = fault;
    }
    return CRD_ERROR_SYSTEM;
}

/* Collects dictionary values. Faults of the array are reported by the conversion, which knows the row. */
static crd_status gather_values(stream_source *source, const stream_batch *batch, size_t index, crd_error *error) {
    const crd_i_arrow_column column = arrow_stream_column(batch, index);
    const crd_i_conversion conversion = {source->context, NULL, source->max_categories, NULL, false};
    crd_i_cell_fault fault = {.status = CRD_OK};
    if (!column.type.is_indexed || column.type.foreign != NULL || arrow_check_column(&column, &fault) != CRD_OK)
        return CRD_OK;
    if (source->values[index] == NULL) source->values[index] = crd_i_dictionary_create(source->context);
    if (source->values[index] == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_arrow_add_dictionary(&column, &conversion, source->values[index], &fault);
    if (status == CRD_OK) return CRD_OK;
    crd_text name = crd_i_arrow_name(source->schema.children[index], index, source->numbered[index]);
    return arrow_report(&fault, name, error);
}

static crd_status read_batch(stream_source *source, crd_i_row_batch **out, crd_error *error) {
    *out = NULL;
    stream_batch *batch = crd_i_alloc_zeroed(source->context, 1, sizeof *batch);
    if (batch == NULL) return crd_i_fail_memory(error);
    batch->source = source;
    crd_status status = CRD_OK;
    int fault = source->stream.get_next(&source->stream, &batch->array);
    if (fault != 0) {
        batch->array.release = NULL; /* whatever was left there is not an array */
        status = fail_stream(source, fault, "the Arrow stream cannot be read", error);
    } else if (batch->array.release != NULL) {
        status = arrow_check_batch(&source->schema, &batch->array, error);
        for (size_t i = 0; source->values != NULL && status == CRD_OK && i < source->base.column_count; i++)
            status = gather_values(source, batch, i, error);
    }
    if (status != CRD_OK || batch->array.release == NULL) {
        arrow_stream_destroy_batch(&batch->base);
        return status;
    }
    batch->base.users = 1;
    batch->base.rows = (size_t)batch->array.length;
    batch->base.serial = crd_i_context_serial(source->context);
    batch->base.convert = arrow_stream_convert;
    batch->base.destroy = arrow_stream_destroy_batch;
    *out = &batch->base;
    return CRD_OK;
}

static crd_status stream_next(crd_i_batch_source *base, crd_i_row_batch **out, crd_error *error) {
    stream_source *source = (stream_source *)base;
    if (source->first == NULL) return read_batch(source, out, error);
    *out = source->first;
    source->first = NULL;
    return CRD_OK;
}

/* Compares schemas: a stream with other columns would be read with the types of the first. */
static bool has_equal_schema(const struct ArrowSchema *a, const struct ArrowSchema *b) {
    bool is_equal = a->n_children == b->n_children && (a->dictionary == NULL) == (b->dictionary == NULL) &&
                    strcmp(a->format == NULL ? "" : a->format, b->format == NULL ? "" : b->format) == 0;
    if (is_equal && a->dictionary != NULL) is_equal = has_equal_schema(a->dictionary, b->dictionary);
    for (int64_t i = 0; is_equal && i < a->n_children; i++) is_equal = has_equal_schema(a->children[i], b->children[i]);
    return is_equal;
}

static crd_status stream_rewind(crd_i_batch_source *base, crd_error *error) {
    stream_source *source = (stream_source *)base;
    if (source->first != NULL) arrow_stream_destroy_batch(source->first);
    source->first = NULL;
    if (source->stream.release != NULL) source->stream.release(&source->stream);
    memset(&source->stream, 0, sizeof source->stream);
    int fault = source->renew(source->renew_user, &source->stream);
    if (fault != 0 || source->stream.release == NULL) {
        source->stream.release = NULL;
        return fail_stream(source, fault, "the Arrow stream cannot be restarted", error);
    }
    struct ArrowSchema schema = {.release = NULL};
    fault = source->stream.get_schema(&source->stream, &schema);
    if (fault != 0 || schema.release == NULL)
        return fail_stream(source, fault, "the restarted Arrow stream has no schema", error);
    bool is_equal = has_equal_schema(&source->schema, &schema);
    schema.release(&schema);
    if (is_equal) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the restarted Arrow stream has other columns");
}

static crd_text stream_name(const crd_i_batch_source *base, size_t column) {
    const stream_source *source = (const stream_source *)base;
    return crd_i_arrow_name(source->schema.children[column], column, source->numbered[column]);
}

static crd_column_type stream_type(const crd_i_batch_source *base, size_t column) {
    return crd_i_arrow_column_type(&((const stream_source *)base)->types[column]);
}

static crd_i_cell_content stream_content(const crd_i_batch_source *base, size_t column) {
    const crd_i_arrow_type *type = &((const stream_source *)base)->types[column];
    if (type->layout == CRD_I_ARROW_TEXT || type->layout == CRD_I_ARROW_VIEW || type->layout == CRD_I_ARROW_FIXED)
        return CRD_I_CELLS_TEXTS;
    if (type->layout != CRD_I_ARROW_NUMBER || type->is_indexed || type->is_run_end || type->format[0] != 't')
        return CRD_I_CELLS_OTHER;
    switch (type->format[1]) {
    case 'd': return CRD_I_CELLS_DATES;
    case 's': return CRD_I_CELLS_MOMENTS;
    case 't': return CRD_I_CELLS_TIMES;
    default: return CRD_I_CELLS_OTHER;
    }
}

static const char *stream_foreign(const crd_i_batch_source *base, size_t column) {
    return ((const stream_source *)base)->types[column].foreign;
}

static const crd_i_dictionary *stream_values(const crd_i_batch_source *base, size_t column) {
    const stream_source *source = (const stream_source *)base;
    return source->values == NULL ? NULL : source->values[column];
}

static void stream_close(crd_i_batch_source *base) {
    stream_source *source = (stream_source *)base;
    if (source->first != NULL) arrow_stream_destroy_batch(source->first);
    for (size_t i = 0; source->values != NULL && i < base->column_count; i++)
        crd_i_dictionary_destroy(source->values[i]);
    crd_free(source->context, source->values);
    if (source->schema.release != NULL) source->schema.release(&source->schema);
    if (source->stream.release != NULL) source->stream.release(&source->stream);
    crd_free(source->context, source->types);
    crd_free(source->context, source->numbered);
    crd_free(source->context, source);
}

static crd_status arrow_stream_read_schema(stream_source *source, crd_error *error) {
    int fault = source->stream.get_schema(&source->stream, &source->schema);
    if (fault != 0) {
        source->schema.release = NULL;
        return fail_stream(source, fault, "the Arrow stream has no schema", error);
    }
    if (source->schema.release == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the schema of the Arrow stream is released");
    crd_status status = arrow_check_schema(&source->schema, error);
    if (status != CRD_OK) return status;
    size_t count = source->base.column_count = (size_t)source->schema.n_children;
    source->types = crd_i_alloc(source->context, count, sizeof *source->types);
    source->numbered = crd_i_alloc_zeroed(source->context, count, sizeof *source->numbered);
    if (source->types == NULL || source->numbered == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) source->types[i] = crd_i_arrow_type_of(source->schema.children[i]);
    return CRD_OK;
}

static void read_renewal(stream_source *source, const crd_reader_options *options) {
    crd_reader_options given = CRD_READER_OPTIONS_INIT;
    if (options == NULL || !crd_i_copy_in(options, &given, sizeof given) || given.renew == NULL) return;
    source->renew = given.renew;
    source->renew_user = given.renew_user;
    source->base.rewind = stream_rewind;
}

/* Reads the first batch ahead, because the values that dictionaries declare must be known before the first frame. */
static crd_status declare_dictionaries(stream_source *source, const crd_reader_options *options, crd_error *error) {
    crd_reader_options given = CRD_READER_OPTIONS_INIT;
    if (options == NULL || !crd_i_copy_in(options, &given, sizeof given) || !given.declare_dictionaries) return CRD_OK;
    source->max_categories = given.max_categories == 0 ? CRD_I_DEFAULT_MAX_CATEGORIES : given.max_categories;
    source->values = crd_i_alloc_zeroed(source->context, source->base.column_count, sizeof(crd_i_dictionary *));
    return source->values == NULL ? crd_i_fail_memory(error) : read_batch(source, &source->first, error);
}

crd_status crd_reader_open_arrow(crd_context *context, struct ArrowArrayStream *stream, const char *name,
                                 const crd_reader_options *options, crd_reader **out, crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new reader");
    *out = NULL;
    if (context == NULL || stream == NULL || stream->release == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context, or the Arrow stream is released");
    stream_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) {
        stream->release(stream);
        return crd_i_fail_memory(error);
    }
    source->context = context;
    source->stream = *stream;
    stream->release = NULL;
    source->base.name = stream_name;
    source->base.type = stream_type;
    source->base.content = stream_content;
    source->base.foreign = stream_foreign;
    source->base.values = stream_values;
    source->base.next = stream_next;
    source->base.close = stream_close;
    read_renewal(source, options);
    crd_status status = arrow_stream_read_schema(source, error);
    if (status == CRD_OK) status = declare_dictionaries(source, options, error);
    if (status != CRD_OK) {
        crd_i_error_place(error, name == NULL ? "stream" : name, 0, 0);
        stream_close(&source->base);
        return status;
    }
    return crd_i_reader_open_batches(context, &source->base, name == NULL ? "stream" : name, options, out, error);
}
