/* SPDX-License-Identifier: MIT */
/* schema_file.c - reads and writes a schema as a JSON text that people can edit.
 *
 *   {
 *     "credence_schema": 1,
 *     "target": "Play",
 *     "weight": "Days",
 *     "header": true,
 *     "missing": ["", "?", "NA", "NaN", "null"],
 *     "columns": [
 *       {"name": "Day", "type": "ignored"},
 *       {"name": "Outlook", "type": "categorical", "values": ["Overcast", "Rain", "Sunny"]},
 *       {"name": "Humidity", "type": "numeric"},
 *       {"name": "Fee", "type": "numeric", "format": "comma"},
 *       {"name": "Wind", "type": "categorical", "cuts": [2.5, 10]},
 *       {"name": "Days", "type": "numeric"},
 *       {"name": "Play", "type": "categorical"}
 *     ]
 *   }
 *
 * Columns have the order of the file. Members may have any order, and all except the first and "columns" are optional.
 * The five texts of "missing" above represent all usual spellings in upper and lower case, unless "missing_any_case" is
 * present. If it is true, the usual spellings in the list match in any case; if it is false, all texts match exactly.
 * An unknown member is an error, because it is more likely a mistake than something to ignore. The schema of a table
 * part also has a member "part": see schema_part.c.
 *
 * Contents:
 *   1. JSON file
 *   2. Schemas */
#include "base/byte_codec.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/page_source.h"
#include "io/public_schema.h"
#include "table/formats/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. JSON file ======== */

enum { VERSION = 1 };

/* A column of the file has a crd_column_type or is ignored. */
enum { IGNORED = CRD_TYPE_TEXT + 1, TYPE_COUNT };

/* ---- Writing ---- */

static void schema_file_put(crd_i_encoder *encoder, const char *text) {
    crd_i_encode_bytes(encoder, text, strlen(text));
}

void crd_i_schema_put_text(crd_i_encoder *encoder, crd_text text) {
    schema_file_put(encoder, "\"");
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        char escape[8];
        if (byte == '"' || byte == '\\') snprintf(escape, sizeof escape, "\\%c", (char)byte);
        else if (byte == '\n') snprintf(escape, sizeof escape, "\\n");
        else if (byte < 0x20 || byte == 0x7F) snprintf(escape, sizeof escape, "\\u%04x", (unsigned)byte);
        else snprintf(escape, sizeof escape, "%c", (char)byte);
        schema_file_put(encoder, escape);
    }
    schema_file_put(encoder, "\"");
}

static void put_points(crd_i_encoder *encoder, const double *cuts, size_t count) {
    char number[CRD_NUMBER_ROOM];
    schema_file_put(encoder, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) schema_file_put(encoder, ", ");
        crd_number_format(cuts[i], number);
        schema_file_put(encoder, number);
    }
    schema_file_put(encoder, "]");
}

/* Writes the cut points of a column, or of each of its parts by name. The values of such a column are the labels of its
 * intervals, and are not listed. Returns whether the column itself has cut points. */
static bool put_cuts(crd_i_encoder *encoder, const crd_schema *schema, size_t column) {
    size_t count, parts = crd_schema_column_parts(schema, column);
    const double *cuts = crd_i_schema_cuts(schema, column, &count);
    if (cuts != NULL) {
        schema_file_put(encoder, ", \"cuts\": ");
        put_points(encoder, cuts, count);
        return true;
    }
    bool is_open = false;
    for (size_t part = 0; parts > 1 && part < parts; part++) {
        if ((cuts = crd_i_schema_part_cuts(schema, column, part, &count)) == NULL) continue;
        schema_file_put(encoder, is_open ? ", " : ", \"cuts\": {");
        is_open = true;
        crd_i_schema_put_text(encoder, crd_schema_part_name(schema, column, part));
        schema_file_put(encoder, ": ");
        put_points(encoder, cuts, count);
    }
    if (is_open) schema_file_put(encoder, "}");
    return false;
}

static void put_column(crd_i_encoder *encoder, const crd_schema *schema, size_t i) {
    crd_text name = crd_schema_column_name(schema, i);
    size_t type = crd_schema_is_ignored(schema, i) ? IGNORED : (size_t)crd_schema_column_type(schema, i);
    schema_file_put(encoder, i == 0 ? "\n    {" : ",\n    {");
    if (name.length > 0) {
        schema_file_put(encoder, "\"name\": ");
        crd_i_schema_put_text(encoder, name);
        schema_file_put(encoder, ", ");
    }
    schema_file_put(encoder, "\"type\": \"");
    schema_file_put(encoder, type == IGNORED ? "ignored" : crd_column_type_name((crd_column_type)type));
    schema_file_put(encoder, "\"");
    crd_text format = crd_schema_column_format(schema, i);
    if (format.length > 0) {
        schema_file_put(encoder, ", \"format\": ");
        crd_i_schema_put_text(encoder, format);
    }
    size_t values = put_cuts(encoder, schema, i) ? 0 : crd_schema_value_count(schema, i);
    if (values > 0) schema_file_put(encoder, ", \"values\": [");
    for (size_t k = 0; k < values; k++) {
        if (k > 0) schema_file_put(encoder, ", ");
        crd_i_schema_put_text(encoder, crd_schema_value(schema, i, k));
    }
    schema_file_put(encoder, values > 0 ? "]}" : "}");
}

static void put_missing(crd_i_encoder *encoder, const crd_i_schema *inner) {
    crd_text *texts = crd_i_alloc(inner->context, inner->missing_count, sizeof *texts);
    size_t count = texts == NULL ? 0 : crd_i_schema_written_missing(inner, texts);
    if (texts == NULL) encoder->failed = true;
    schema_file_put(encoder, "  \"missing\": [");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) schema_file_put(encoder, ", ");
        crd_i_schema_put_text(encoder, texts[i]);
    }
    schema_file_put(encoder, "],\n");
    if (crd_i_schema_states_missing(inner))
        schema_file_put(encoder, inner->missing_any_case ? "  \"missing_any_case\": true,\n"
                                                         : "  \"missing_any_case\": false,\n");
    crd_free(inner->context, texts);
}

crd_status crd_schema_encode(const crd_schema *schema, char **text, size_t *length, crd_error *error) {
    *text = NULL;
    *length = 0;
    const crd_i_schema *inner = schema->inner;
    crd_i_encoder encoder = {.buffer = {.context = schema->context}};
    schema_file_put(&encoder, "{\n  \"credence_schema\": 1,\n");
    if (inner->target != SIZE_MAX) {
        schema_file_put(&encoder, "  \"target\": ");
        crd_i_schema_put_text(&encoder, inner->columns[inner->target].name);
        schema_file_put(&encoder, ",\n");
    }
    if (inner->weight.name.bytes != NULL) {
        schema_file_put(&encoder, "  \"weight\": ");
        crd_i_schema_put_text(&encoder, inner->weight.name);
        schema_file_put(&encoder, ",\n");
    }
    schema_file_put(&encoder, inner->has_header ? "  \"header\": true,\n" : "  \"header\": false,\n");
    put_missing(&encoder, inner);
    schema_file_put(&encoder, "  \"columns\": [");
    for (size_t i = 0; i < inner->width; i++) put_column(&encoder, schema, i);
    schema_file_put(&encoder, "\n  ]");
    if (schema->part != NULL) crd_i_schema_put_part(&encoder, schema);
    schema_file_put(&encoder, "\n}\n");
    if (encoder.failed) {
        crd_i_buffer_clear(&encoder.buffer);
        return crd_i_fail_memory(error);
    }
    *text = (char *)encoder.buffer.bytes;
    *length = encoder.buffer.length;
    return CRD_OK;
}

/* ---- Reading ---- */

/* The name of an ignored field, which the inner schema cannot store. */
typedef struct ignored_name {
    size_t position;
    crd_text name; /* points into the text being read */
} ignored_name;

typedef struct file_parser {
    crd_context *context;
    crd_i_json json;
    crd_i_schema *inner;
    crd_i_dictionary *names; /* names of all fields that have one */
    ignored_name *ignored;
    size_t ignored_count, ignored_capacity;
    bool has_version, has_missing, has_header, has_columns, has_any_case, any_case;
    crd_text target, weight; /* bytes NULL: not specified */
    uint64_t target_line, weight_line;
    crd_i_schema_part_draft part;
} file_parser;

/* Reports an error at a line. `format` contains one %s, for the text. */
static crd_status fail_at_line(uint64_t line, crd_error *error, const char *format, crd_text text) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SYNTAX, format, crd_i_quote(text, shown));
    crd_i_error_place(error, NULL, line, 0);
    return CRD_ERROR_SYNTAX;
}

static crd_status fail_plain(uint64_t line, crd_error *error, const char *message) {
    crd_i_fail(error, CRD_ERROR_SYNTAX, "%s", message);
    crd_i_error_place(error, NULL, line, 0);
    return CRD_ERROR_SYNTAX;
}

static crd_status fail_text(const file_parser *p, crd_error *error, const char *format, crd_text text) {
    return fail_at_line(p->json.line, error, format, text);
}

static crd_status schema_file_expect(file_parser *p, crd_i_json_token wanted, const char *name, crd_error *error) {
    crd_i_json_token token = crd_i_json_next(&p->json);
    return token == wanted ? CRD_OK : crd_i_json_fail(&p->json, token, name, error);
}

/* Reads one item of an array, or one member of an object whose key is the latest token. `index` counts the items. */
typedef crd_status file_reader(file_parser *p, size_t index, void *into, crd_error *error);
static file_reader read_cut;

/* Reads the content of an array or object after its opening bracket. */
static crd_status schema_file_read_all(file_parser *p, bool is_object, file_reader *read, void *into,
                                       crd_error *error) {
    crd_i_json_token close = is_object ? CRD_I_JSON_CLOSE_OBJECT : CRD_I_JSON_CLOSE_ARRAY;
    crd_i_json_token token = crd_i_json_next(&p->json);
    for (size_t index = 0; token != close || index > 0; index++) {
        if (is_object && token != CRD_I_JSON_TEXT) return crd_i_json_fail(&p->json, token, "a key in quotes", error);
        bool is_item = token == CRD_I_JSON_TEXT || token == CRD_I_JSON_OPEN_OBJECT ||
                       (token == CRD_I_JSON_NUMBER && read == read_cut);
        if (!is_object && !is_item) {
            return crd_i_json_fail(&p->json, token, "a text or an object", error);
        }
        crd_status status = read(p, index, into, error);
        if (status != CRD_OK) return status;
        token = crd_i_json_next(&p->json);
        if (token == close) return CRD_OK;
        if (token != CRD_I_JSON_COMMA) return crd_i_json_fail(&p->json, token, "a comma or the end", error);
        token = crd_i_json_next(&p->json);
    }
    return CRD_OK;
}

static bool key_is(const file_parser *p, const char *key) {
    return crd_text_equal(p->json.text, crd_text_of(key));
}

typedef struct text_list {
    crd_context *context;
    crd_text *items;
    size_t count, capacity;
} text_list;

static crd_status schema_file_read_item(file_parser *p, size_t index, void *into, crd_error *error) {
    (void)index;
    text_list *list = into;
    if (p->json.text.bytes == NULL || *p->json.token != '"') {
        return crd_i_json_fail(&p->json, CRD_I_JSON_OPEN_OBJECT, "a text", error);
    }
    if (!crd_i_reserve(list->context, &list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
        return crd_i_fail_memory(error);
    }
    list->items[list->count++] = p->json.text;
    return CRD_OK;
}

static crd_status schema_file_read_missing(file_parser *p, crd_error *error) {
    text_list list = {.context = p->context};
    crd_status status = schema_file_read_all(p, false, schema_file_read_item, &list, error);
    if (status == CRD_OK && !crd_i_schema_set_missing(p->inner, list.items, list.count, false)) {
        status = crd_i_fail_memory(error);
    }
    crd_free(p->context, list.items);
    return status;
}

/* A list of cut points of a column, or of one of its parts. */
typedef struct cut_list {
    crd_text part; /* bytes NULL: the column itself */
    uint64_t line;
    double *points; /* owned */
    size_t count, capacity;
} cut_list;

/* The members of a column that were read so far. */
typedef struct file_column {
    crd_text name;
    size_t type; /* TYPE_COUNT: not specified */
    bool has_format;
    crd_i_column_format format;
    text_list values;
    bool has_values;
    uint64_t values_line;
    cut_list *cuts; /* owned */
    size_t cut_lists, cut_capacity;
    bool has_cuts, has_part_cuts;
} file_column;

static crd_status schema_file_read_type(file_parser *p, file_column *column, crd_error *error) {
    crd_status status = schema_file_expect(p, CRD_I_JSON_TEXT, "a type in quotes", error);
    if (status != CRD_OK) return status;
    crd_column_type type;
    if (key_is(p, "ignored")) {
        column->type = IGNORED;
    } else if (crd_i_column_type_find(p->json.text, &type)) {
        column->type = type;
    } else {
        return fail_text(p, error, "unknown type '%s': expected numeric, categorical, text, none or ignored",
                         p->json.text);
    }
    return CRD_OK;
}

static crd_status schema_file_read_format(file_parser *p, file_column *column, crd_error *error) {
    crd_status status = schema_file_expect(p, CRD_I_JSON_TEXT, "a format in quotes", error);
    if (status != CRD_OK) return status;
    column->has_format = true;
    if (crd_i_column_format_find(p->json.text, &column->format)) return CRD_OK;
    return fail_text(p, error, "unknown format '%s'", p->json.text);
}

static crd_status read_cut(file_parser *p, size_t index, void *into, crd_error *error) {
    (void)index;
    cut_list *cut = into;
    if (!crd_i_reserve(p->context, &cut->points, &cut->capacity, cut->count + 1, sizeof *cut->points))
        return crd_i_fail_memory(error);
    bool is_number = p->json.text.bytes != NULL && *p->json.token != '"' && *p->json.token != '{';
    if (!is_number || crd_number_parse(p->json.text, &cut->points[cut->count++]) != CRD_NUMBER_FINITE)
        return fail_plain(p->json.line, error, "a cut point is not a finite number");
    if (crd_i_cuts_fit(cut->points, cut->count)) return CRD_OK;
    return fail_text(p, error, "the cut point '%s' is not above the one before it", p->json.text);
}

/* Reads a list of cut points after its opening bracket. */
static crd_status read_cut_list(file_parser *p, file_column *column, crd_text part, crd_error *error) {
    if (!crd_i_reserve(p->context, &column->cuts, &column->cut_capacity, column->cut_lists + 1, sizeof *column->cuts))
        return crd_i_fail_memory(error);
    cut_list *list = &column->cuts[column->cut_lists++];
    *list = (cut_list){.part = part, .line = p->json.line};
    return schema_file_read_all(p, false, read_cut, list, error);
}

static crd_status read_part_cuts(file_parser *p, size_t index, void *into, crd_error *error) {
    (void)index;
    const crd_text part = p->json.text;
    crd_status status = schema_file_expect(p, CRD_I_JSON_COLON, "a colon", error);
    if (status == CRD_OK) status = schema_file_expect(p, CRD_I_JSON_OPEN_ARRAY, "[ and a list of cut points", error);
    return status == CRD_OK ? read_cut_list(p, into, part, error) : status;
}

static crd_status schema_file_read_cuts(file_parser *p, file_column *column, crd_error *error) {
    column->has_cuts = true;
    crd_i_json_token token = crd_i_json_next(&p->json);
    column->has_part_cuts = token == CRD_I_JSON_OPEN_OBJECT;
    if (column->has_part_cuts) return schema_file_read_all(p, true, read_part_cuts, column, error);
    if (token != CRD_I_JSON_OPEN_ARRAY) return crd_i_json_fail(&p->json, token, "[ and a list of cut points", error);
    return read_cut_list(p, column, (crd_text){NULL, 0}, error);
}

/* Reads one member of a column. Unknown and repeated members are errors. Earlier versions wrote "kind" and "form". */
static crd_status read_column_member(file_parser *p, size_t index, void *into, crd_error *error) {
    (void)index;
    file_column *column = into;
    crd_text key = p->json.text;
    bool is_name = key_is(p, "name"), is_type = key_is(p, "type") || key_is(p, "kind"), is_values = key_is(p, "values");
    bool is_format = key_is(p, "format") || key_is(p, "form"), is_cuts = key_is(p, "cuts");
    if (!is_name && !is_type && !is_values && !is_format && !is_cuts) {
        return fail_text(p, error, "unknown member '%s' of a column: expected name, type, format, values or cuts", key);
    }
    if ((is_name && column->name.bytes != NULL) || (is_type && column->type < TYPE_COUNT) ||
        (is_values && column->has_values) || (is_format && column->has_format) || (is_cuts && column->has_cuts)) {
        return fail_text(p, error, "'%s' occurs twice in one column", key);
    }
    crd_status status = schema_file_expect(p, CRD_I_JSON_COLON, "a colon", error);
    if (status != CRD_OK) return status;
    if (is_type) return schema_file_read_type(p, column, error);
    if (is_format) return schema_file_read_format(p, column, error);
    if (is_cuts) return schema_file_read_cuts(p, column, error);
    if (is_name) {
        status = schema_file_expect(p, CRD_I_JSON_TEXT, "a name in quotes", error);
        column->name = p->json.text;
        if (status == CRD_OK && column->name.length == 0)
            return fail_plain(p->json.line, error, "a column's name is empty");
        return status;
    }
    column->has_values = true;
    column->values_line = p->json.line;
    status = schema_file_expect(p, CRD_I_JSON_OPEN_ARRAY, "[ and a list of values", error);
    return status == CRD_OK ? schema_file_read_all(p, false, schema_file_read_item, &column->values, error) : status;
}

/* Declares the values, or the interval labels, of the last column of the inner schema. */
static crd_status schema_file_declare_values(file_parser *p, const file_column *column, crd_error *error) {
    size_t index = p->inner->count - 1;
    for (size_t i = 0; i < column->cut_lists; i++) {
        if (!crd_i_schema_set_intervals(p->inner, index, column->cuts[i].points, column->cuts[i].count))
            return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < column->values.count; i++) {
        crd_text value = column->values.items[i];
        if (!crd_i_schema_declare(p->inner, index, value)) return crd_i_fail_memory(error);
        if (crd_i_dictionary_size(p->inner->columns[index].values) == i) {
            return fail_at_line(column->values_line, error, "the value '%s' occurs twice in one column", value);
        }
    }
    return CRD_OK;
}

static crd_status ignore_column(file_parser *p, size_t index, const file_column *column, crd_error *error) {
    if (!crd_i_reserve(p->context, &p->ignored, &p->ignored_capacity, p->ignored_count + 1, sizeof *p->ignored)) {
        return crd_i_fail_memory(error);
    }
    p->ignored[p->ignored_count].position = index;
    p->ignored[p->ignored_count++].name = column->name;
    return CRD_OK;
}

/* Sets the cut points of the parts, which are the columns from `first` on. Each must be a number without cut points. */
static crd_status cut_parts(file_parser *p, size_t first, const file_column *column, crd_error *error) {
    for (size_t i = 0; i < column->cut_lists; i++) {
        const cut_list *list = &column->cuts[i];
        size_t part = first;
        while (part < p->inner->count && !crd_text_equal(p->inner->columns[part].name, list->part)) part++;
        const bool is_there = part < p->inner->count;
        if (is_there && crd_i_intervals_are(&p->inner->columns[part].intervals))
            return fail_at_line(list->line, error, "cut points of '%s' occur twice", list->part);
        if (!is_there || p->inner->columns[part].type != CRD_TYPE_NUMERIC)
            return fail_at_line(list->line, error, "'%s' has cut points, but is not a numeric part of this column",
                                list->part);
        if (!crd_i_schema_set_intervals(p->inner, part, list->points, list->count)) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* Adds a column with a format, which may have several parts. */
static crd_status add_formed(file_parser *p, size_t index, const file_column *column, crd_error *error) {
    crd_column_type type = crd_i_column_format_type(column->format);
    bool are_intervals = column->has_cuts && !column->has_part_cuts && type == CRD_TYPE_NUMERIC;
    if (column->type != CRD_TYPE_NONE && column->type != (size_t)type && !are_intervals)
        return fail_text(p, error, "the format of '%s' does not fit its type", column->name);
    size_t before = p->inner->count;
    if (!crd_i_schema_add_formed(p->inner, column->name, column->format, index)) return crd_i_fail_memory(error);
    bool has_parts = p->inner->count > before + 1;
    if (column->has_cuts && !column->has_part_cuts && (!are_intervals || has_parts))
        return fail_text(p, error, "'%s' has cut points, but its format is not a number", column->name);
    if (column->has_part_cuts && !has_parts)
        return fail_text(p, error, "'%s' has cut points of parts, but has no parts", column->name);
    if (!has_parts) return schema_file_declare_values(p, column, error);
    for (size_t i = before; i < p->inner->count; i++) {
        size_t known = crd_i_dictionary_size(p->names);
        int32_t code = crd_i_dictionary_add(p->names, p->inner->columns[i].name);
        if (code < 0) return crd_i_fail_memory(error);
        if ((size_t)code < known) return fail_text(p, error, "two columns are called '%s'", p->inner->columns[i].name);
    }
    return cut_parts(p, before, column, error);
}

/* Checks a column after all its members were read, and adds it. */
static crd_status schema_file_add_column(file_parser *p, size_t index, const file_column *column, crd_error *error) {
    if (column->type == TYPE_COUNT) return fail_plain(p->json.line, error, "missing type of a column");
    if (column->name.bytes == NULL && column->type != IGNORED)
        return fail_plain(p->json.line, error, "missing name of a column");
    if (column->has_values && column->type != CRD_TYPE_CATEGORICAL) {
        return fail_text(p, error, "'%s' has values, but is not a category", column->name);
    }
    if (column->has_part_cuts && !column->has_format)
        return fail_text(p, error, "'%s' has cut points of parts, but has no parts", column->name);
    if (column->has_cuts && !column->has_part_cuts && (column->has_values || column->type != CRD_TYPE_CATEGORICAL)) {
        return fail_text(p, error, "'%s' has cut points, but is not a category without values", column->name);
    }
    if (column->name.bytes != NULL) {
        size_t known = crd_i_dictionary_size(p->names);
        int32_t code = crd_i_dictionary_add(p->names, column->name);
        if (code < 0) return crd_i_fail_memory(error);
        if ((size_t)code < known) return fail_text(p, error, "two columns are called '%s'", column->name);
    }
    if (column->type == IGNORED) return ignore_column(p, index, column, error);
    if (column->has_format) return add_formed(p, index, column, error);
    if (!crd_i_schema_add(p->inner, column->name, (crd_column_type)column->type, index))
        return crd_i_fail_memory(error);
    return schema_file_declare_values(p, column, error);
}

static crd_status schema_file_read_column(file_parser *p, size_t index, void *into, crd_error *error) {
    (void)into;
    if (*p->json.token != '{') return crd_i_json_fail(&p->json, CRD_I_JSON_TEXT, "a column, in braces", error);
    file_column read = {.type = TYPE_COUNT, .values = {.context = p->context}};
    crd_status status = schema_file_read_all(p, true, read_column_member, &read, error);
    if (status == CRD_OK) status = schema_file_add_column(p, index, &read, error);
    crd_free(p->context, read.values.items);
    for (size_t i = 0; i < read.cut_lists; i++) crd_free(p->context, read.cuts[i].points);
    crd_free(p->context, read.cuts);
    p->inner->width = index + 1;
    return status;
}

static crd_status schema_file_read_version(file_parser *p, crd_error *error) {
    crd_status status = schema_file_expect(p, CRD_I_JSON_NUMBER, "a version", error);
    if (status != CRD_OK || crd_text_equal(p->json.text, crd_text_of("1"))) return status;
    crd_i_fail(error, CRD_ERROR_TOO_NEW, "unsupported schema version: expected %d", VERSION);
    crd_i_error_place(error, NULL, p->json.line, 0);
    return CRD_ERROR_TOO_NEW;
}

static crd_status read_truth(file_parser *p, bool *truth, crd_error *error) {
    crd_i_json_token token = crd_i_json_next(&p->json);
    *truth = token == CRD_I_JSON_TRUE;
    bool fits = token == CRD_I_JSON_TRUE || token == CRD_I_JSON_FALSE;
    return fits ? CRD_OK : crd_i_json_fail(&p->json, token, "true or false", error);
}

/* Reads one member of the schema. Unknown and repeated members are errors. */
static crd_status schema_file_read_member(file_parser *p, size_t index, void *into, crd_error *error) {
    (void)index, (void)into;
    crd_text key = p->json.text;
    static const char *const KEYS[] = {"credence_schema",  "header", "missing", "columns",
                                       "missing_any_case", "target", "weight",  "part"};
    enum { TARGET = 5, PART = 7 };
    bool *const seen[TARGET] = {&p->has_version, &p->has_header, &p->has_missing, &p->has_columns, &p->has_any_case};
    size_t which = 0;
    while (which < sizeof KEYS / sizeof KEYS[0] && !key_is(p, KEYS[which])) which++;
    if (which == sizeof KEYS / sizeof KEYS[0]) {
        return fail_text(p, error,
                         "unknown member '%s' of the schema: expected credence_schema, target, weight, header, "
                         "missing, columns or part",
                         key);
    }
    crd_text *name = which == TARGET ? &p->target : &p->weight;
    bool is_twice = which < TARGET ? *seen[which] : which == PART ? p->part.is_there : name->bytes != NULL;
    if (is_twice) return fail_text(p, error, "'%s' occurs twice in the schema", key);
    if (which < TARGET) *seen[which] = true;
    crd_status status = schema_file_expect(p, CRD_I_JSON_COLON, "a colon", error);
    if (status != CRD_OK) return status;
    switch (which) {
    case 0: return schema_file_read_version(p, error);
    case 1: return read_truth(p, &p->inner->has_header, error);
    case 2:
        status = schema_file_expect(p, CRD_I_JSON_OPEN_ARRAY, "[ and a list of texts", error);
        return status == CRD_OK ? schema_file_read_missing(p, error) : status;
    case 3:
        status = schema_file_expect(p, CRD_I_JSON_OPEN_ARRAY, "[ and a list of columns", error);
        return status == CRD_OK ? schema_file_read_all(p, false, schema_file_read_column, NULL, error) : status;
    case 4: return read_truth(p, &p->any_case, error);
    case PART: return crd_i_schema_read_part(&p->json, &p->part, error);
    default: break;
    }
    status = schema_file_expect(p, CRD_I_JSON_TEXT, "a name in quotes", error);
    *name = p->json.text;
    *(which == TARGET ? &p->target_line : &p->weight_line) = p->json.line;
    return status;
}

static crd_status schema_file_read(file_parser *p, crd_error *error) {
    crd_status status = schema_file_expect(p, CRD_I_JSON_OPEN_OBJECT, "a schema, in braces", error);
    if (status == CRD_OK) status = schema_file_read_all(p, true, schema_file_read_member, NULL, error);
    if (status == CRD_OK) status = schema_file_expect(p, CRD_I_JSON_END, "the end of the file", error);
    if (status != CRD_OK) return status;
    if (!p->has_version) return fail_plain(0, error, "not a schema: it has no \"credence_schema\": 1");
    if (p->inner->count == 0) return fail_plain(0, error, "the schema has no column that is not ignored");
    return CRD_OK;
}

static crd_status schema_file_choose_weight(file_parser *p, crd_error *error) {
    if (p->weight.bytes == NULL) return CRD_OK;
    size_t found = crd_i_schema_find(p->inner, p->weight);
    const char *wrong = NULL;
    if (found == SIZE_MAX) wrong = "the weight '%s' is missing or ignored in the schema";
    else if (p->inner->columns[found].type == CRD_TYPE_CATEGORICAL)
        wrong = "the weight '%s' is a category in the schema: a weight must be a number";
    else if (p->inner->columns[found].type == CRD_TYPE_TEXT)
        wrong = "the weight '%s' is a text in the schema: a weight must be a number";
    else if (p->target.bytes != NULL && crd_text_equal(p->target, p->weight))
        wrong = "'%s' cannot be both the target and the weight";
    if (wrong != NULL) return fail_at_line(p->weight_line, error, wrong, p->weight);
    crd_i_schema_take_weight(p->inner, found);
    return p->inner->count > 0 ? CRD_OK : fail_plain(0, error, "the schema has no column except its weight");
}

/* Interprets the list of missing texts, after "missing_any_case" was read or found absent. */
static crd_status settle_missing(file_parser *p, crd_error *error) {
    crd_i_schema *inner = p->inner;
    if (!p->has_missing) return CRD_OK;
    bool done = p->has_any_case ? crd_i_schema_set_missing(inner, inner->missing, inner->missing_count, p->any_case)
                                : crd_i_schema_read_missing(inner, inner->missing, inner->missing_count);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Creates the schema, with its target, its weight and the names of its ignored fields. */
static crd_status schema_file_finish(file_parser *p, crd_schema **out, crd_error *error) {
    crd_status status = schema_file_choose_weight(p, error);
    if (status == CRD_OK) status = settle_missing(p, error);
    if (status != CRD_OK) return status;
    crd_i_schema *inner = p->inner;
    p->inner = NULL;
    status = crd_i_schema_wrap(inner, out, error);
    if (status == CRD_OK && p->target.bytes != NULL) {
        status = crd_schema_set_target(*out, p->target, error);
        if (status != CRD_OK) crd_i_error_place(error, NULL, p->target_line, 0);
    }
    for (size_t i = 0; status == CRD_OK && i < p->ignored_count; i++) {
        crd_text *name = &(*out)->fields[p->ignored[i].position].name;
        if (p->ignored[i].name.bytes == NULL) continue;
        *name = crd_i_text_copy(p->context, p->ignored[i].name);
        if (name->bytes == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) status = crd_i_schema_take_part(*out, &p->part, error);
    if (status != CRD_OK) {
        crd_schema_destroy(*out);
        *out = NULL;
    }
    return status;
}

crd_status crd_schema_decode(crd_context *context, const char *text, size_t length, crd_schema **out,
                             crd_error *error) {
    *out = NULL;
    /* The JSON parser decodes texts in place, so it needs a copy. */
    crd_text copy = crd_i_text_copy(context, (crd_text){text, length});
    if (copy.bytes == NULL) return crd_i_fail_memory(error);
    file_parser p = {.context = context, .json = crd_i_json_begin((char *)copy.bytes, length, 1)};
    p.part.context = context;
    p.inner = crd_i_schema_create(context);
    p.names = crd_i_dictionary_create(context);
    crd_status status = CRD_ERROR_MEMORY;
    if (p.inner == NULL || p.names == NULL) {
        crd_i_fail_memory(error);
    } else {
        p.inner->has_header = true;
        status = schema_file_read(&p, error);
    }
    if (status == CRD_OK) status = schema_file_finish(&p, out, error);
    crd_i_schema_destroy(p.inner);
    crd_i_dictionary_destroy(p.names);
    crd_free(context, p.ignored);
    crd_i_schema_clear_part_draft(&p.part);
    crd_free(context, (void *)copy.bytes);
    return status;
}

crd_status crd_schema_load(crd_context *context, const char *path, crd_schema **out, crd_error *error) {
    *out = NULL;
    unsigned char *bytes;
    size_t length;
    crd_status status = crd_i_file_read(context, path, &bytes, &length, error);
    if (status != CRD_OK) return status;
    status = crd_schema_decode(context, (const char *)bytes, length, out, error);
    crd_free(context, bytes);
    if (status != CRD_OK && error != NULL) crd_i_error_place(error, path, error->line, error->field);
    return status;
}

/* ======== 2. Schemas ========
 *
 * Builds, compares and merges schemas: see credence/schema.h. */

crd_status crd_schema_create(crd_context *context, crd_schema **out, crd_error *error) {
    if (out == NULL || context == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context or pointer");
    *out = NULL;
    crd_i_schema *inner = crd_i_schema_create(context);
    if (inner == NULL) return crd_i_fail_memory(error);
    inner->has_header = true;
    return crd_i_schema_wrap(inner, out, error);
}

/* ---- Columns ---- */

static crd_status schema_build_fail_column(crd_text name, const char *description, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "column '%s' %s", crd_i_quote(name, shown), description);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

static bool schema_build_has_nul(crd_text text) {
    return text.length > 0 && memchr(text.bytes, '\0', text.length) != NULL;
}

/* Returns the field with this name; SIZE_MAX: there is none. */
static size_t schema_build_find_field(const crd_schema *schema, crd_text name) {
    size_t i = 0;
    while (i < schema->inner->width && !crd_text_equal(schema->fields[i].name, name)) i++;
    return i < schema->inner->width ? i : SIZE_MAX;
}

static crd_status check_column_format(const crd_schema_column *column, crd_error *error) {
    crd_i_column_format format;
    if (!crd_i_column_format_find(column->format, &format))
        return schema_build_fail_column(column->name, "has an unknown format", error);
    crd_column_type type = crd_i_column_format_type(format);
    bool is_category =
        column->type == CRD_TYPE_CATEGORICAL || column->value_count > 0 || column->role == CRD_ROLE_TARGET;
    if (column->cuts != NULL && type == CRD_TYPE_NUMERIC) return CRD_OK;
    if (column->role == CRD_ROLE_WEIGHT || column->cuts != NULL || (is_category && type != CRD_TYPE_CATEGORICAL) ||
        (column->type == CRD_TYPE_NUMERIC && type != CRD_TYPE_NUMERIC) || column->type == CRD_TYPE_TEXT)
        return schema_build_fail_column(column->name, "has a format that does not fit its type or role", error);
    return CRD_OK;
}

/* Checks the name, type, role, values and cut points of a new column. */
static crd_status schema_build_check_column(const crd_schema *schema, const crd_schema_column *column,
                                            crd_error *error) {
    bool is_category = column->type == CRD_TYPE_CATEGORICAL || column->value_count > 0 || column->cuts != NULL;
    if (column->cuts != NULL && !crd_i_cuts_fit(column->cuts, column->cut_count))
        return schema_build_fail_column(column->name, "must have finite and ascending cut points", error);
    if (column->name.length == 0 || schema_build_has_nul(column->name))
        return schema_build_fail_column(column->name, "has a name that is empty, or has a NUL byte", error);
    if (schema_build_find_field(schema, column->name) != SIZE_MAX)
        return schema_build_fail_column(column->name, "exists already", error);
    if (column->role == CRD_ROLE_TARGET && schema->inner->target != SIZE_MAX)
        return schema_build_fail_column(column->name, "would be a second target", error);
    if (column->role == CRD_ROLE_WEIGHT && schema->inner->weight.name.bytes != NULL)
        return schema_build_fail_column(column->name, "would be a second weight", error);
    bool is_text = column->type == CRD_TYPE_TEXT;
    if (column->role == CRD_ROLE_TARGET && (column->type == CRD_TYPE_NUMERIC || is_text))
        return schema_build_fail_column(column->name, "is the target, which must be a category", error);
    if (is_text && (column->value_count > 0 || column->cuts != NULL))
        return schema_build_fail_column(column->name, "is a text, which cannot have declared values", error);
    if (column->role == CRD_ROLE_WEIGHT && (is_category || is_text))
        return schema_build_fail_column(column->name, "is the weight, which must be a number", error);
    if (column->type == CRD_TYPE_NUMERIC && column->value_count > 0)
        return schema_build_fail_column(column->name, "is a number, which cannot have declared values", error);
    if (!crd_i_utf8_is_valid(column->name))
        return schema_build_fail_column(column->name, "has a name that is not valid UTF-8", error);
    for (size_t i = 0; i < column->value_count; i++) {
        if (schema_build_has_nul(column->values[i]))
            return schema_build_fail_column(column->name, "has a value with a NUL byte", error);
        if (!crd_i_utf8_is_valid(column->values[i]))
            return schema_build_fail_column(column->name, "has a value that is not valid UTF-8", error);
    }
    return column->format.length > 0 ? check_column_format(column, error) : CRD_OK;
}

/* Adds a column to the inner schema. Adds nothing if it fails. */
static bool add_inner(crd_i_schema *inner, const crd_schema_column *column) {
    bool is_category = column->role == CRD_ROLE_TARGET || column->value_count > 0;
    size_t before = inner->count;
    crd_i_column_format format;
    bool done =
        crd_i_column_format_find(column->format, &format)
            ? crd_i_schema_add_formed(inner, column->name, format, inner->width)
            : crd_i_schema_add(inner, column->name, is_category ? CRD_TYPE_CATEGORICAL : column->type, inner->width);
    for (size_t i = 0; done && i < column->value_count; i++)
        done = crd_i_schema_declare(inner, inner->count - 1, column->values[i]);
    if (done && column->cuts != NULL)
        done = crd_i_schema_set_intervals(inner, inner->count - 1, column->cuts, column->cut_count);
    while (!done && inner->count > before) crd_i_schema_drop_last(inner);
    return done;
}

/* Enlarges the array of fields by one empty field. */
static bool grow_fields(crd_schema *schema) {
    size_t width = schema->inner->width;
    crd_i_schema_field *fields = crd_i_alloc_zeroed(schema->context, width + 1, sizeof *fields);
    if (fields == NULL) return false;
    if (width > 0) memcpy(fields, schema->fields, width * sizeof *fields);
    fields[width].column = SIZE_MAX;
    crd_free(schema->context, schema->fields);
    schema->fields = fields;
    return true;
}

/* Sets the role of a column whose field has a name. false: out of memory. */
static bool add_role(crd_schema *schema, const crd_schema_column *column, crd_i_schema_field *field) {
    crd_i_schema *inner = schema->inner;
    if (column->role == CRD_ROLE_IGNORED) return true;
    if (column->role == CRD_ROLE_WEIGHT) return crd_i_schema_set_weight(inner, column->name, inner->width);
    size_t first = inner->count;
    if (!add_inner(inner, column)) return false;
    if (!crd_i_schema_field_order(schema->context, &inner->columns[first], field)) {
        while (inner->count > first) crd_i_schema_drop_last(inner);
        return false;
    }
    field->column = first;
    field->parts = inner->count - first;
    if (column->role == CRD_ROLE_TARGET) inner->target = first;
    return true;
}

crd_status crd_schema_add_column(crd_schema *schema, const crd_schema_column *given, crd_error *error) {
    crd_schema_column column = CRD_SCHEMA_COLUMN_INIT;
    if (!crd_i_copy_in(given, &column, sizeof column))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the column is not initialized");
    if (column.values == NULL) column.value_count = 0;
    if (schema->part != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the schema of a part of a table cannot get more columns");
    crd_status status = schema_build_check_column(schema, &column, error);
    if (status != CRD_OK) return status;
    if (!grow_fields(schema)) return crd_i_fail_memory(error);
    crd_i_schema_field *field = &schema->fields[schema->inner->width];
    field->name = crd_i_text_copy(schema->context, column.name);
    if (field->name.bytes == NULL || !add_role(schema, &column, field)) {
        crd_free(schema->context, (void *)field->name.bytes);
        return crd_i_fail_memory(error);
    }
    schema->inner->width++;
    return CRD_OK;
}

crd_role crd_schema_role(const crd_schema *schema, size_t column) {
    if (column == crd_schema_target(schema)) return CRD_ROLE_TARGET;
    if (column == crd_schema_weight(schema)) return CRD_ROLE_WEIGHT;
    return schema->fields[column].column == SIZE_MAX ? CRD_ROLE_IGNORED : CRD_ROLE_ATTRIBUTE;
}

/* ---- Comparison ---- */

/* Returns the cut points of a part of a column; NULL if the column does not have this part, or no cut points. */
static const double *cuts_of_part(const crd_schema *schema, size_t column, size_t part, size_t *count) {
    *count = 0;
    return part < crd_schema_column_parts(schema, column) ? crd_i_schema_part_cuts(schema, column, part, count) : NULL;
}

static bool equal_cuts(const crd_schema *a, size_t of_a, const crd_schema *b, size_t of_b) {
    bool equal = true;
    for (size_t part = 0; equal && part < CRD_I_MOST_PARTS; part++) {
        size_t first, second;
        const double *cuts = cuts_of_part(a, of_a, part, &first), *others = cuts_of_part(b, of_b, part, &second);
        equal = (cuts == NULL) == (others == NULL) && first == second;
        for (size_t i = 0; equal && i < first; i++) equal = cuts[i] == others[i];
    }
    return equal;
}

static bool equal_columns(const crd_schema *a, const crd_schema *b, size_t i) {
    bool equal = crd_text_equal(crd_schema_column_name(a, i), crd_schema_column_name(b, i)) &&
                 crd_schema_role(a, i) == crd_schema_role(b, i) &&
                 crd_schema_column_type(a, i) == crd_schema_column_type(b, i) &&
                 crd_i_column_format_equal(crd_i_schema_field_format(a, i), crd_i_schema_field_format(b, i)) &&
                 crd_schema_value_count(a, i) == crd_schema_value_count(b, i) && equal_cuts(a, i, b, i);
    for (size_t value = 0; equal && value < crd_schema_value_count(a, i); value++)
        equal = crd_text_equal(crd_schema_value(a, i, value), crd_schema_value(b, i, value));
    return equal;
}

bool crd_i_schema_equal(const crd_schema *a, const crd_schema *b) {
    bool equal = a->inner->width == b->inner->width && a->inner->has_header == b->inner->has_header &&
                 crd_i_schema_equal_missing(a->inner, b->inner);
    for (size_t i = 0; equal && i < a->inner->width; i++) equal = equal_columns(a, b, i);
    return equal;
}

/* ---- Merging ---- */

crd_status crd_i_schema_fail_differ(crd_text name, const char *description, crd_error *error) {
    (void)schema_build_fail_column(name, description, error);
    if (error != NULL) error->status = CRD_ERROR_SCHEMA_DIFFERS;
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Computes the role of a column in the merged schema. of_a or of_b is SIZE_MAX if that schema lacks the column. */
static crd_status merge_role(const crd_schema *a, size_t of_a, const crd_schema *b, size_t of_b, crd_role *role,
                             crd_error *error) {
    crd_role first = of_a == SIZE_MAX ? crd_schema_role(b, of_b) : crd_schema_role(a, of_a);
    crd_role second = of_b == SIZE_MAX ? first : crd_schema_role(b, of_b);
    crd_text name = of_a == SIZE_MAX ? crd_schema_column_name(b, of_b) : crd_schema_column_name(a, of_a);
    *role = first > second ? first : second;
    if (*role == CRD_ROLE_IGNORED && first != second)
        return crd_i_schema_fail_differ(name, "is ignored in one schema and not in the other", error);
    bool both_targets = crd_schema_target(a) != SIZE_MAX && crd_schema_target(b) != SIZE_MAX;
    bool both_weights = crd_schema_weight(a) != SIZE_MAX && crd_schema_weight(b) != SIZE_MAX;
    bool is_in_both = of_a != SIZE_MAX && of_b != SIZE_MAX;
    bool differs = first != second || !is_in_both;
    if ((*role == CRD_ROLE_TARGET && both_targets && differs) || (first != second && first > 0 && second > 0))
        return crd_i_schema_fail_differ(name, "is the target of one schema, but the other has another target", error);
    if (*role == CRD_ROLE_WEIGHT && both_weights && differs)
        return crd_i_schema_fail_differ(name, "is the weight of one schema, but the other has another weight", error);
    return CRD_OK;
}

/* Returns whether one format is date and the other datetime, in columns in memory. Such a column is a date column if no
 * cell of its part has a time of day; cells of other parts may have one. */
static bool are_moments(const crd_schema *const *schemas, crd_text format, crd_text other) {
    const crd_text date = crd_text_of("date"), moment = crd_text_of("datetime");
    return schemas[0]->part != NULL && !schemas[0]->part->is_file &&
           ((crd_text_equal(format, date) && crd_text_equal(other, moment)) ||
            (crd_text_equal(format, moment) && crd_text_equal(other, date)));
}

/* Sets the format that a column has in both schemas, or in one if the other has no cell of it. */
static crd_status merge_formats(const crd_schema *const *schemas, const size_t *fields, crd_schema_column *column,
                                crd_error *error) {
    for (int i = 0; i < 2; i++) {
        if (fields[i] == SIZE_MAX) continue;
        crd_text format = crd_schema_column_format(schemas[i], fields[i]);
        bool is_blank = format.length == 0 && crd_schema_column_type(schemas[i], fields[i]) == CRD_TYPE_NONE;
        bool is_other_blank = column->format.bytes == NULL;
        if (is_blank) continue;
        if (!is_other_blank && are_moments(schemas, column->format, format)) format = crd_text_of("datetime");
        else if (!is_other_blank && !crd_text_equal(column->format, format))
            return crd_i_schema_fail_differ(column->name, "has different formats in the schemas: specify one for both",
                                            error);
        column->format = format;
    }
    return CRD_OK;
}

/* Lists the values of both schemas in an array, which the caller frees. */
static crd_status schema_build_join_values(crd_context *context, const crd_schema *const *schemas, const size_t *fields,
                                           crd_schema_column *column, crd_error *error) {
    size_t most = 0;
    for (int i = 0; i < 2; i++)
        if (fields[i] != SIZE_MAX) most += crd_schema_value_count(schemas[i], fields[i]);
    crd_text *values = crd_i_alloc(context, most, sizeof *values);
    if (values == NULL) return crd_i_fail_memory(error);
    for (int i = 0; i < 2; i++) {
        size_t count = fields[i] == SIZE_MAX ? 0 : crd_schema_value_count(schemas[i], fields[i]);
        for (size_t k = 0; k < count; k++) values[column->value_count++] = crd_schema_value(schemas[i], fields[i], k);
    }
    column->values = values;
    if (column->type == CRD_TYPE_TEXT) column->value_count = 0;
    return CRD_OK;
}

/* Computes the type, format, intervals and values of a column from the schemas only, without evidence. */
static crd_status schema_build_join_column(crd_context *context, const crd_schema *const *schemas, const size_t *fields,
                                           crd_schema_column *column, crd_error *error) {
    for (int i = 0; i < 2; i++) {
        crd_column_type type = fields[i] == SIZE_MAX ? CRD_TYPE_NONE : crd_schema_column_type(schemas[i], fields[i]);
        if (type > column->type) column->type = type;
    }
    if (fields[0] != SIZE_MAX && fields[1] != SIZE_MAX && !equal_cuts(schemas[0], fields[0], schemas[1], fields[1]))
        return crd_i_schema_fail_differ(column->name, "has different intervals in the schemas", error);
    const int first = fields[0] == SIZE_MAX;
    column->cuts = crd_i_schema_cuts(schemas[first], fields[first], &column->cut_count);
    if (column->role == CRD_ROLE_TARGET) column->type = CRD_TYPE_CATEGORICAL;
    crd_status status = merge_formats(schemas, fields, column, error);
    return status == CRD_OK ? schema_build_join_values(context, schemas, fields, column, error) : status;
}

/* A column of the merged schema: its field in each schema, SIZE_MAX if that schema lacks it. */
typedef struct merged_field {
    crd_text name;
    size_t fields[2];
} merged_field;

/* Copies the cut points of the last field's parts. They are the same in both schemas. */
static crd_status copy_part_cuts(crd_schema *into, const crd_schema *const *schemas, const size_t *fields,
                                 crd_error *error) {
    const crd_i_schema_field *field = &into->fields[into->inner->width - 1];
    const int first = fields[0] == SIZE_MAX;
    for (size_t part = 0; part < field->parts; part++) {
        size_t count;
        const double *cuts = cuts_of_part(schemas[first], fields[first], part, &count);
        if (cuts != NULL && !crd_i_schema_set_intervals(into->inner, field->column + part, cuts, count))
            return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* Adds a field to `into`. `part` is the combined evidence, in which the field has index `index`; NULL: none. */
static crd_status merge_column(crd_schema *into, const crd_schema *const *schemas, const merged_field *field,
                               const crd_i_part_evidence *part, size_t index, char convention, crd_error *error) {
    crd_schema_column column = CRD_SCHEMA_COLUMN_INIT;
    column.name = field->name;
    crd_status status = merge_role(schemas[0], field->fields[0], schemas[1], field->fields[1], &column.role, error);
    if (status != CRD_OK) return status;
    status = part != NULL && part->fields[index].is_open
                 ? crd_i_schema_decide(part, index, convention, schemas, field->fields, &column, error)
                 : schema_build_join_column(into->context, schemas, field->fields, &column, error);
    if (status == CRD_OK) status = crd_schema_add_column(into, &column, error);
    if (status == CRD_OK && crd_schema_column_parts(into, into->inner->width - 1) > 1)
        status = copy_part_cuts(into, schemas, field->fields, error);
    crd_free(into->context, (void *)column.values);
    return status;
}

static int schema_build_by_name(const void *left, const void *right) {
    const crd_text *a = &((const merged_field *)left)->name, *b = &((const merged_field *)right)->name;
    const size_t length = a->length < b->length ? a->length : b->length;
    const int order = length == 0 ? 0 : memcmp(a->bytes, b->bytes, length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* Returns the field with this name like schema_build_find_field. Tries `place` first, because most fields have the same
 * position in both schemas. */
static size_t find_near(const crd_schema *schema, crd_text name, size_t place) {
    const bool is_there = place < schema->inner->width && crd_text_equal(schema->fields[place].name, name);
    return is_there ? place : schema_build_find_field(schema, name);
}

/* Lists the columns of both schemas: the columns of the first in order, then the others. If fields are matched by name,
 * they are sorted by name. */
static merged_field *list_fields(const crd_schema *a, const crd_schema *b, size_t *count) {
    merged_field *fields = crd_i_alloc(a->context, a->inner->width + b->inner->width, sizeof *fields);
    *count = 0;
    if (fields == NULL) return NULL;
    for (size_t i = 0; i < a->inner->width; i++)
        fields[(*count)++] = (merged_field){a->fields[i].name, {i, find_near(b, a->fields[i].name, i)}};
    for (size_t i = 0; i < b->inner->width; i++)
        if (find_near(a, b->fields[i].name, i) == SIZE_MAX)
            fields[(*count)++] = (merged_field){b->fields[i].name, {SIZE_MAX, i}};
    if (a->part != NULL && a->part->by_name) qsort(fields, *count, sizeof *fields, schema_build_by_name);
    return fields;
}

static crd_status merge_fields(crd_schema *into, const crd_schema *const *schemas, const merged_field *fields,
                               size_t count, crd_error *error) {
    crd_i_part_evidence *part = NULL;
    crd_status status = CRD_OK;
    if (schemas[0]->part != NULL) {
        part = crd_i_part_evidence_create_like(schemas[0]->part, count);
        if (part == NULL) return crd_i_fail_memory(error);
    }
    for (size_t i = 0; status == CRD_OK && part != NULL && i < count; i++)
        status = crd_i_schema_combine_evidence(part, i, schemas[0], fields[i].fields[0], schemas[1],
                                               fields[i].fields[1], error);
    const char convention = part == NULL ? '\0' : crd_i_part_evidence_convention(part);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = merge_column(into, schemas, &fields[i], part, i, convention, error);
    into->part = part;
    for (size_t i = 0; status == CRD_OK && part != NULL && i < count; i++)
        if (!crd_i_schema_keep_texts(into, i, schemas, fields[i].fields)) status = crd_i_fail_memory(error);
    return status;
}

static crd_status merge_into(crd_schema *into, const crd_schema *a, const crd_schema *b, crd_error *error) {
    if (a->inner->has_header != b->inner->has_header)
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
                          "one schema is for files with a header, the other for files without a header");
    if (!crd_i_schema_equal_missing(a->inner, b->inner))
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the schemas treat different texts as missing values");
    crd_status status = crd_i_schema_check_parts(a, b, error);
    if (status != CRD_OK) return status;
    const crd_i_schema *first = a->inner;
    if (!crd_i_schema_set_missing(into->inner, first->missing, first->missing_count, first->missing_any_case))
        return crd_i_fail_memory(error);
    into->inner->has_header = a->inner->has_header;
    const crd_schema *const schemas[] = {a, b};
    size_t count;
    merged_field *fields = list_fields(a, b, &count);
    status = fields == NULL ? crd_i_fail_memory(error) : merge_fields(into, schemas, fields, count, error);
    crd_free(a->context, fields);
    return status;
}

crd_status crd_schema_merge(crd_schema *schema, const crd_schema *other, crd_error *error) {
    crd_schema *merged;
    crd_status status = crd_schema_create(schema->context, &merged, error);
    if (status == CRD_OK) status = merge_into(merged, schema, other, error);
    if (status == CRD_OK) {
        crd_schema before = *schema;
        *schema = *merged;
        *merged = before;
    }
    crd_schema_destroy(merged);
    return status;
}

/* ---- Frames ---- */
