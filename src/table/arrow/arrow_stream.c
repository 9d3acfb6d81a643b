/* SPDX-License-Identifier: MIT */
/* arrow_stream.c - a reader over an Arrow C stream. See credence/data.h and row_batches.h.
 *
 * The stream is moved into the source: the caller's struct is marked as released, and the source releases it once. Each
 * record batch is released when the last worker that has a slice of it is done. */
#include "table/arrow/arrow_column.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "table/arrow/arrow_names.h"

#include <errno.h>
#include <string.h>

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

static crd_status arrow_stream_convert(const crd_i_row_batch *base, size_t index, crd_kind kind, size_t first,
                                       size_t rows, const crd_i_conversion *conversion, crd_i_column_room *workspace,
                                       crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_arrow_column column = arrow_stream_column((const stream_batch *)base, index);
    crd_status status = crd_i_arrow_check_column(&column, fault);
    if (status != CRD_OK) return status;
    return crd_i_arrow_convert(&column, base->serial, kind, first, rows, conversion, workspace, into, fault);
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
    if (!column.type.is_indexed || column.type.foreign != NULL || crd_i_arrow_check_column(&column, &fault) != CRD_OK)
        return CRD_OK;
    if (source->values[index] == NULL) source->values[index] = crd_i_dictionary_create(source->context);
    if (source->values[index] == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_arrow_add_dictionary(&column, &conversion, source->values[index], &fault);
    if (status == CRD_OK) return CRD_OK;
    crd_text name = crd_i_arrow_name(source->schema.children[index], index, source->numbered[index]);
    return crd_i_arrow_report(&fault, name, error);
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
        status = crd_i_arrow_check_batch(&source->schema, &batch->array, error);
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

static crd_kind stream_kind(const crd_i_batch_source *base, size_t column) {
    return crd_i_arrow_type_kind(&((const stream_source *)base)->types[column]);
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
    crd_status status = crd_i_arrow_check_schema(&source->schema, error);
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
    source->base.kind = stream_kind;
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
