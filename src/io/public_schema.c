/* SPDX-License-Identifier: MIT */
/* public_schema.c - see credence/schema.h; schema_file.c reads and writes its file. */
#include "io/public_schema.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "processes/group.h"
#include "table/read/reader.h"

#include <credence/number.h>

#include <string.h>

static bool public_schema_is_number(crd_text text, double *value) {
    return crd_number_parse(text, value) == CRD_NUMBER_FINITE;
}

void crd_schema_destroy(crd_schema *schema) {
    if (schema == NULL) return;
    for (size_t i = 0; schema->fields != NULL && i < schema->inner->width; i++) {
        crd_free(schema->context, (void *)schema->fields[i].name.bytes);
        crd_free(schema->context, schema->fields[i].values);
    }
    crd_free(schema->context, schema->fields);
    crd_i_part_evidence_destroy(schema->part);
    crd_i_schema_destroy(schema->inner);
    crd_free(schema->context, schema);
}

bool crd_i_schema_field_order(crd_context *context, const crd_i_schema_column *column, crd_i_schema_field *field) {
    if (column->values == NULL) return true;
    field->values = crd_i_alloc(context, crd_i_dictionary_size(column->values), sizeof *field->values);
    bool has_intervals = crd_i_intervals_are(&column->intervals);
    if (field->values != NULL &&
        crd_i_dictionary_order(column->values, NULL, has_intervals ? crd_i_interval_begin : public_schema_is_number,
                               field->values) != SIZE_MAX)
        return true;
    crd_free(context, field->values);
    field->values = NULL;
    return false;
}

static bool public_schema_fill_field(crd_context *context, const crd_i_schema_column *column,
                                     crd_i_schema_field *field) {
    field->name = crd_i_text_copy(context, crd_i_schema_field_name(column));
    return field->name.bytes != NULL && crd_i_schema_field_order(context, column, field);
}

bool crd_i_schema_add_formed(crd_i_schema *inner, crd_text name, crd_i_column_format format, size_t position) {
    crd_i_column_format formats[CRD_I_MOST_PARTS];
    size_t count = crd_i_column_format_split(format, formats);
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        crd_text none = {NULL, 0}, full = none;
        const char *suffix = crd_i_part_suffix(formats[i].part);
        char *bytes = crd_i_alloc(inner->context, name.length + strlen(suffix) + 1, 1);
        if (bytes == NULL) return false;
        memcpy(bytes, name.bytes, name.length);
        memcpy(bytes + name.length, suffix, strlen(suffix) + 1);
        full = (crd_text){bytes, name.length + strlen(suffix)};
        done = crd_i_schema_add(inner, full, crd_i_column_format_type(formats[i]), position) &&
               crd_i_schema_set_column_format(inner, inner->count - 1, formats[i], count > 1 ? name : none);
        crd_free(inner->context, bytes);
    }
    return done;
}

crd_status crd_i_schema_wrap(crd_i_schema *inner, crd_schema **out, crd_error *error) {
    *out = NULL;
    crd_context *context = inner->context;
    crd_schema *schema = crd_i_alloc_zeroed(context, 1, sizeof *schema);
    if (schema == NULL) {
        crd_i_schema_destroy(inner);
        return crd_i_fail_memory(error);
    }
    schema->context = context;
    schema->inner = inner;
    schema->fields = crd_i_alloc_zeroed(context, inner->width, sizeof *schema->fields);
    bool done = schema->fields != NULL;
    for (size_t i = 0; done && i < inner->width; i++) schema->fields[i].column = SIZE_MAX;
    for (size_t i = 0; done && i < inner->count; i++) {
        crd_i_schema_field *field = &schema->fields[inner->columns[i].position];
        if (field->parts++ > 0) continue;
        field->column = i;
        done = public_schema_fill_field(context, &inner->columns[i], field);
    }
    if (done && inner->weight.name.bytes != NULL) {
        crd_text *name = &schema->fields[inner->weight.position].name;
        *name = crd_i_text_copy(context, inner->weight.name);
        done = name->bytes != NULL;
    }
    if (!done) {
        crd_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    *out = schema;
    return CRD_OK;
}

crd_status crd_i_schema_order_fields(crd_schema *schema, crd_error *error) {
    for (size_t i = 0; i < schema->inner->width; i++) {
        crd_i_schema_field *field = &schema->fields[i];
        if (field->column == SIZE_MAX) continue;
        crd_free(schema->context, field->values);
        field->values = NULL;
        if (!crd_i_schema_field_order(schema->context, &schema->inner->columns[field->column], field))
            return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

crd_status crd_schema_from_reader(const crd_reader *reader, int with_values, crd_schema **out, crd_error *error) {
    *out = NULL;
    crd_i_schema *inner;
    crd_status status =
        with_values ? crd_i_reader_schema_seen(reader, &inner, error) : crd_i_reader_schema(reader, &inner, error);
    if (status == CRD_OK) status = crd_i_schema_wrap(inner, out, error);
    if (status != CRD_OK) return status;
    /* If the columns come from another schema, the reader's first file may have other fields. */
    bool is_files = inner->width == crd_reader_column_count(reader);
    for (size_t i = 0; is_files && i < inner->width; i++) {
        crd_i_schema_field *field = &(*out)->fields[i];
        if (field->name.bytes != NULL) continue;
        field->name = crd_i_text_copy(inner->context, crd_reader_column_name(reader, i));
        if (field->name.bytes != NULL) continue;
        crd_schema_destroy(*out);
        *out = NULL;
        return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* A schema that is merged with those of other processes. They agree on types and formats, and each has the values of its
 * own rows. */
typedef struct merged_schema {
    crd_context *context;
    crd_schema *own, *merged;
} merged_schema;

static crd_status merged_schema_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const merged_schema *schema = object;
    char *text = NULL;
    size_t length = 0;
    const crd_status status = crd_schema_encode(schema->own, &text, &length, error);
    if (status == CRD_OK) crd_i_encode_bytes(encoder, text, length);
    crd_free(schema->context, text);
    return status;
}

static crd_status merged_schema_add(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    merged_schema *schema = object;
    crd_schema *next = NULL;
    const crd_i_cursor text = crd_i_decode_rest(part);
    crd_status status = crd_schema_decode(schema->context, (const char *)text.at, crd_i_cursor_left(&text),
                                          rank == 0 ? &schema->merged : &next, error);
    if (status == CRD_OK && rank > 0) status = crd_schema_merge(schema->merged, next, error);
    crd_schema_destroy(next);
    return status;
}

/* Replaces the schema of this process by that of all rows. */
static crd_status merge_of_processes(const crd_reader *reader, crd_schema **schema, crd_error *error) {
    static const crd_i_merging merging = {merged_schema_encode, merged_schema_add};
    crd_context *context = crd_i_reader_context(reader);
    merged_schema both = {.context = context, .own = *schema};
    if (crd_i_reader_group(reader) == NULL) return crd_i_group_agree(context->group, CRD_OK, error);
    const crd_status status = crd_i_group_merge(context->group, &merging, &both, error);
    crd_schema_destroy(*schema);
    *schema = both.merged;
    return status;
}

crd_status crd_schema_from_rows(crd_reader *reader, int with_values, crd_schema **out, crd_error *error) {
    *out = NULL;
    const bool is_part = crd_i_reader_is_part(reader);
    if (is_part) crd_i_reader_collect(reader, with_values != 0 ? CRD_I_COLLECT_TEXTS : CRD_I_COLLECT_TYPES);
    crd_status status = crd_i_reader_read_all(reader, error);
    if (status == CRD_OK && is_part) crd_i_reader_drop_unshown_types(reader);
    if (status == CRD_OK) status = crd_schema_from_reader(reader, with_values, out, error);
    if (status == CRD_OK && is_part) status = crd_i_reader_part(reader, &(*out)->part, error);
    status = status == CRD_OK ? merge_of_processes(reader, out, error)
                              : crd_i_group_fail(crd_i_reader_context(reader)->group, status, error);
    if (status == CRD_OK) return CRD_OK;
    crd_schema_destroy(*out);
    *out = NULL;
    return status;
}

crd_status crd_schema_apply(const crd_schema *schema, crd_reader *reader, crd_error *error) {
    return crd_i_reader_adopt(reader, schema->inner, error);
}

size_t crd_schema_column_count(const crd_schema *schema) {
    return schema->inner->width;
}

crd_text crd_schema_column_name(const crd_schema *schema, size_t column) {
    crd_text none = {"", 0};
    return schema->fields[column].name.bytes == NULL ? none : schema->fields[column].name;
}

int crd_schema_is_ignored(const crd_schema *schema, size_t column) {
    return schema->fields[column].column == SIZE_MAX && column != crd_schema_weight(schema);
}

crd_column_type crd_schema_column_type(const crd_schema *schema, size_t column) {
    size_t inner = schema->fields[column].column;
    if (column == crd_schema_weight(schema)) return CRD_TYPE_NUMERIC;
    return inner == SIZE_MAX || schema->fields[column].parts > 1 ? CRD_TYPE_NONE : schema->inner->columns[inner].type;
}

crd_i_column_format crd_i_schema_field_format(const crd_schema *schema, size_t column) {
    const crd_i_schema_field *field = &schema->fields[column];
    crd_i_column_format formats[CRD_I_MOST_PARTS] = {{CRD_I_READING_PLAIN, CRD_I_PART_WHOLE}};
    for (size_t i = 0; field->column != SIZE_MAX && i < field->parts && i < CRD_I_MOST_PARTS; i++)
        formats[i] = schema->inner->columns[field->column + i].format;
    return crd_i_column_format_join(formats, field->parts < CRD_I_MOST_PARTS ? field->parts : CRD_I_MOST_PARTS);
}

size_t crd_schema_column_parts(const crd_schema *schema, size_t column) {
    return column == crd_schema_weight(schema) ? 1 : schema->fields[column].parts;
}

crd_text crd_schema_part_name(const crd_schema *schema, size_t column, size_t part) {
    const crd_i_schema_field *field = &schema->fields[column];
    return field->parts > 1 ? schema->inner->columns[field->column + part].name
                            : crd_schema_column_name(schema, column);
}

crd_text crd_schema_column_format(const crd_schema *schema, size_t column) {
    return crd_i_column_format_name(crd_i_schema_field_format(schema, column));
}

const double *crd_i_schema_part_cuts(const crd_schema *schema, size_t column, size_t part, size_t *count) {
    static const double NO_CUTS[1] = {0};
    size_t inner = schema->fields[column].column;
    *count = 0;
    if (inner == SIZE_MAX || !crd_i_intervals_are(&schema->inner->columns[inner + part].intervals)) return NULL;
    const crd_i_intervals *intervals = &schema->inner->columns[inner + part].intervals;
    *count = intervals->cut_count;
    return *count == 0 ? NO_CUTS : intervals->cuts;
}

const double *crd_i_schema_cuts(const crd_schema *schema, size_t column, size_t *count) {
    *count = 0;
    return schema->fields[column].parts > 1 ? NULL : crd_i_schema_part_cuts(schema, column, 0, count);
}

size_t crd_schema_value_count(const crd_schema *schema, size_t column) {
    const crd_i_schema_field *field = &schema->fields[column];
    /* A column with several parts has no values of its own. */
    return field->values == NULL || field->parts > 1
               ? 0
               : crd_i_dictionary_size(schema->inner->columns[field->column].values);
}

crd_text crd_schema_value(const crd_schema *schema, size_t column, size_t value) {
    const crd_i_schema_field *field = &schema->fields[column];
    return crd_i_dictionary_text(schema->inner->columns[field->column].values, (size_t)field->values[value]);
}

size_t crd_schema_target(const crd_schema *schema) {
    size_t target = schema->inner->target;
    return target == SIZE_MAX ? SIZE_MAX : schema->inner->columns[target].position;
}

int crd_schema_has_header(const crd_schema *schema) {
    return schema->inner->has_header;
}

size_t crd_schema_weight(const crd_schema *schema) {
    return schema->inner->weight.name.bytes == NULL ? SIZE_MAX : schema->inner->weight.position;
}

crd_status crd_schema_set_target(crd_schema *schema, crd_text name, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    size_t column = crd_i_schema_find(schema->inner, name);
    const char *wrong = column == SIZE_MAX ? "is missing or ignored in the schema"
                        : schema->inner->columns[column].type == CRD_TYPE_NUMERIC
                            ? "is a number in the schema: a target must be a category"
                        : schema->inner->columns[column].type == CRD_TYPE_TEXT
                            ? "is a text in the schema: a target must be a category"
                            : NULL;
    if (wrong != NULL) {
        crd_i_fail(error, CRD_ERROR_COLUMN, "the target '%s' %s", crd_i_quote(name, shown), wrong);
        crd_i_error_subject(error, name);
        return CRD_ERROR_COLUMN;
    }
    schema->inner->target = column;
    schema->inner->columns[column].type = CRD_TYPE_CATEGORICAL;
    return CRD_OK;
}
