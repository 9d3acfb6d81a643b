/* SPDX-License-Identifier: MIT */
/* json_lines.c - rows as JSON objects, one per line: {"Outlook": "Sunny", "Temperature": 18.5, "Play": null}
 *
 * The keys of all objects are the columns, sorted by bytes, so row order does not matter. Input that can be read
 * again is first read once for its keys. For other input, the first LOOK_ROWS rows, or LOOK_BYTES bytes, determine
 * the keys; a later new key is an error unless the columns are known from elsewhere. If a row lacks a key, its cell
 * is missing. A text is a text, even if it looks like a number; true and false are categories. A value that is an
 * object or an array is an error, unless its column is ignored.
 *
 * Contents:
 *   1. Objects
 *   2. Keys
 *   3. Format */
#include "table/formats/json.h"
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* Limits on what is kept in memory until the rows are read. */
enum { LOOK_ROWS = 4096, LOOK_BYTES = 8 * 1024 * 1024 };

/* The state of one object being parsed. */
typedef struct json_object {
    const crd_reader *reader;
    crd_worker *worker; /* worker of the row; NULL if only keys are wanted */
    crd_i_json json;
    crd_i_dictionary *keys;      /* receives the keys if only keys are wanted, otherwise NULL */
    crd_i_sparse_rows *rows;     /* receives the row if `keys` is NULL */
    crd_error *nested;           /* if only keys are wanted: the error of the first value that is not a cell */
    size_t cells;                /* number of values that are cells */
    crd_i_dictionary *strangers; /* keys of this object that are not fields; NULL: none yet */
} json_object;

/* ======== 1. Objects ======== */

static crd_status json_lines_fail_key(const crd_i_json *json, crd_text key, const char *description, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SYNTAX, "the key '%s' %s, at byte %zu", crd_i_quote(key, shown), description,
               (size_t)(json->token - json->line_start) + 1);
    crd_i_error_place(error, NULL, json->line, 0);
    return CRD_ERROR_SYNTAX;
}

static crd_status json_lines_fail_twice(const json_object *object, crd_text key, crd_error *error) {
    return json_lines_fail_key(&object->json, key, "occurs twice in one object", error);
}

/* Warns when it is known that no earlier row has such a key. */
static void json_lines_warn_of_more(crd_worker *worker, uint64_t line, crd_text key) {
    if (worker->has_stranger) return;
    worker->has_stranger = true;
    worker->stranger_line = line;
    crd_i_quote(key, worker->stranger);
}

/* Handles a key that is not a field, in a row after those that defined the fields. */
static crd_status meet_stranger(json_object *object, crd_text key, crd_error *error) {
    const crd_reader *reader = object->reader;
    /* If the whole file was read for its keys, only invalid, skipped rows have others. */
    bool is_at_fault = crd_i_reader_skips(reader) && !object->worker->entry->header.is_open;
    if (object->worker->entry->input == 0 && !reader->binding.has_schema && !is_at_fault) {
        char shown[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_COLUMN,
                   "the key '%s' first occurs here, too late for a new column: input that cannot be read twice needs "
                   "its columns in advance",
                   crd_i_quote(key, shown));
        crd_i_error_place(error, NULL, object->json.line, 0);
        crd_i_error_subject(error, key);
        return CRD_ERROR_COLUMN;
    }
    if (reader->options.strict && reader->binding.left_out == 0 && !is_at_fault &&
        !crd_i_reader_knows_field(reader, key)) {
        char shown[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the key '%s' is not an expected column", crd_i_quote(key, shown));
        crd_i_error_place(error, NULL, object->json.line, 0);
        crd_i_error_subject(error, key);
        return CRD_ERROR_SCHEMA_DIFFERS;
    }
    if (!reader->binding.has_schema && !is_at_fault) json_lines_warn_of_more(object->worker, object->json.line, key);
    if (object->strangers == NULL) object->strangers = crd_i_dictionary_create(reader->context);
    if (object->strangers == NULL) return crd_i_fail_memory(error);
    size_t count = crd_i_dictionary_size(object->strangers);
    int32_t code = crd_i_dictionary_add(object->strangers, key);
    if (code < 0) return crd_i_fail_memory(error);
    return (size_t)code < count ? json_lines_fail_twice(object, key, error) : CRD_OK;
}

/* Finds the field of a key; SIZE_MAX if its value is not needed. */
static crd_status json_lines_find_field(json_object *object, crd_text key, size_t *field, crd_error *error) {
    *field = SIZE_MAX;
    if (object->keys != NULL) {
        if (crd_i_dictionary_add(object->keys, key) < 0) return crd_i_fail_memory(error);
        if (crd_i_dictionary_size(object->keys) <= CRD_I_MAX_FIELDS) return CRD_OK;
        return crd_i_file_header_fail_limit(object->json.line, error);
    }
    int32_t code = crd_i_dictionary_find(object->worker->entry->header.names, key);
    if (code < 0) return meet_stranger(object, key, error);
    if (crd_i_sparse_rows_has(object->rows, (size_t)code)) return json_lines_fail_twice(object, key, error);
    *field = (size_t)code;
    return CRD_OK;
}

/* Fails because a value contains others, and describes its first element. */
static crd_status fail_nested(const crd_i_json *json, crd_text key, bool is_array, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    const char *cursor = json->cursor;
    while (cursor < json->end && strchr(" \t\r", *cursor) != NULL && *cursor != '\0') cursor++;
    const bool has_objects = is_array && cursor < json->end && *cursor == '{';
    json_lines_fail_key(json, key,
                        is_array ? "holds an array, but must be a number, a text, true, false or null"
                                 : "holds an object, but must be a number, a text, true, false or null",
                        error);
    crd_i_quote(key, shown);
    const bool is_plain = strpbrk(shown, "\"'\\") == NULL;
    /* Responses of web services contain their rows like this. */
    if (has_objects && is_plain)
        crd_i_error_hint(error, "if the rows are in that array, jq -c '.[\"%s\"][]' writes them as JSON lines", shown);
    else
        crd_i_error_hint(error,
                         "use ignore=%s, or flatten it: jq -c '[paths(type != \"object\" and type != \"array\") as $p "
                         "| {key: $p | map(tostring) | join(\".\"), value: getpath($p)}] | from_entries'",
                         is_plain ? shown : "COLUMN");
    return CRD_ERROR_SYNTAX;
}

/* Skips a value whose opening bracket or brace is the latest token. */
static crd_status skip_nested(crd_i_json *json, crd_error *error) {
    for (size_t depth = 1; depth > 0;) {
        const crd_i_json_token token = crd_i_json_next(json);
        switch (token) {
        case CRD_I_JSON_OPEN_OBJECT:
        case CRD_I_JSON_OPEN_ARRAY: depth++; break;
        case CRD_I_JSON_CLOSE_OBJECT:
        case CRD_I_JSON_CLOSE_ARRAY: depth--; break;
        case CRD_I_JSON_END:
        case CRD_I_JSON_FAULT: return crd_i_json_fail(json, token, "the end of a value", error);
        default: break;
        }
    }
    return CRD_OK;
}

/* Returns whether a value of the field is used by a column. Before the first frame, when rows are only inspected,
 * none is. */
static bool is_used(const json_object *object, size_t field) {
    return object->keys == NULL && field != SIZE_MAX && object->worker->entry->columns != NULL &&
           object->worker->entry->columns[field] >= 0;
}

static crd_status json_lines_read_nested(json_object *object, crd_text key, size_t field, bool is_array,
                                         crd_error *error) {
    crd_i_json *json = &object->json;
    if (is_used(object, field)) return fail_nested(json, key, is_array, error);
    if (object->nested != NULL && object->nested->status == CRD_OK)
        (void)fail_nested(json, key, is_array, object->nested);
    return skip_nested(json, error);
}

/* Reads a value. *form is the form of a cell; DEFAULT: the value is not a cell. */
static crd_status json_lines_read_value(json_object *object, crd_text key, size_t field, crd_i_cell_form *form,
                                        crd_error *error) {
    crd_i_json *json = &object->json;
    crd_i_json_token token = crd_i_json_next(json);
    *form = CRD_I_CELL_PLAIN;
    object->cells++;
    switch (token) {
    case CRD_I_JSON_NUMBER: return CRD_OK;
    case CRD_I_JSON_TEXT:
    case CRD_I_JSON_TRUE:
    case CRD_I_JSON_FALSE: *form = CRD_I_CELL_TEXT; return CRD_OK;
    case CRD_I_JSON_NULL: *form = CRD_I_CELL_MISSING; return CRD_OK;
    case CRD_I_JSON_OPEN_OBJECT:
    case CRD_I_JSON_OPEN_ARRAY:
        *form = CRD_I_CELL_DEFAULT;
        object->cells--;
        return json_lines_read_nested(object, key, field, token == CRD_I_JSON_OPEN_ARRAY, error);
    default: return crd_i_json_fail(json, token, "a value", error);
    }
}

/* Reads one member; its key is the latest token. */
static crd_status json_lines_read_member(json_object *object, crd_error *error) {
    crd_i_json *json = &object->json;
    crd_text key = json->text;
    if (key.length == 0) return json_lines_fail_key(json, key, "is empty: it must name a column", error);
    size_t field;
    crd_status status = json_lines_find_field(object, key, &field, error);
    if (status != CRD_OK) return status;
    crd_i_json_token token = crd_i_json_next(json);
    if (token != CRD_I_JSON_COLON) return crd_i_json_fail(json, token, "a colon", error);
    crd_i_cell_form form;
    status = json_lines_read_value(object, key, field, &form, error);
    if (status != CRD_OK || field == SIZE_MAX || form == CRD_I_CELL_DEFAULT) return status;
    const char *end = json->text.bytes + json->text.length;
    crd_i_cell cell = crd_i_slow_parse_cell(&object->worker->records, json->text.bytes, end, form);
    return crd_i_sparse_rows_put(object->rows, object->reader->context, field, cell) ? CRD_OK
                                                                                     : crd_i_fail_memory(error);
}

static crd_status json_lines_read_object(json_object *object, crd_error *error) {
    crd_i_json *json = &object->json;
    crd_i_json_token token = crd_i_json_next(json);
    if (token == CRD_I_JSON_OPEN_ARRAY)
        return crd_i_json_fail(json, token, "an object (one per line, not an array)", error);
    if (token != CRD_I_JSON_OPEN_OBJECT) return crd_i_json_fail(json, token, "an object", error);
    token = crd_i_json_next(json);
    while (token != CRD_I_JSON_CLOSE_OBJECT) {
        if (token == CRD_I_JSON_END) return crd_i_json_fail(json, token, "a whole object on one line", error);
        if (token != CRD_I_JSON_TEXT) return crd_i_json_fail(json, token, "a key in quotes", error);
        crd_status status = json_lines_read_member(object, error);
        if (status != CRD_OK) return status;
        token = crd_i_json_next(json);
        if (token == CRD_I_JSON_CLOSE_OBJECT) break;
        if (token != CRD_I_JSON_COMMA) return crd_i_json_fail(json, token, "a comma or }", error);
        token = crd_i_json_next(json);
        if (token == CRD_I_JSON_CLOSE_OBJECT) return crd_i_json_fail(json, token, "a key in quotes", error);
    }
    token = crd_i_json_next(json);
    return token == CRD_I_JSON_END ? CRD_OK : crd_i_json_fail(json, token, "the end of the line", error);
}

/* ======== 2. Keys ======== */

/* Information about values that are not cells, in the objects whose keys are read. */
typedef struct nested_values {
    crd_error first; /* error of the first such value; status CRD_OK: there is none */
    uint64_t objects;
    bool has_cells; /* the first object has other values */
} nested_values;

static crd_status json_lines_read_keys(const crd_reader *reader, char *bytes, size_t length, uint64_t line,
                                       crd_i_dictionary *keys, nested_values *nested, crd_error *error) {
    json_object object = {
        .reader = reader, .json = crd_i_json_begin(bytes, length, line), .keys = keys, .nested = &nested->first};
    const crd_status status = json_lines_read_object(&object, error);
    if (status != CRD_OK) return status;
    if (nested->objects++ == 0) nested->has_cells = object.cells > 0;
    return CRD_OK;
}

/* Adds the keys of an object. If invalid rows are skipped, their keys are ignored. */
static crd_status add_keys(const crd_reader *reader, char *bytes, size_t length, uint64_t line, crd_i_dictionary *keys,
                           nested_values *nested, crd_error *error) {
    if (!crd_i_reader_skips(reader)) return json_lines_read_keys(reader, bytes, length, line, keys, nested, error);
    crd_i_dictionary *dictionary = crd_i_dictionary_create(reader->context);
    if (dictionary == NULL) return crd_i_fail_memory(error);
    crd_status status = json_lines_read_keys(reader, bytes, length, line, dictionary, nested, error);
    for (size_t i = 0; status == CRD_OK && i < crd_i_dictionary_size(dictionary); i++)
        if (crd_i_dictionary_add(keys, crd_i_dictionary_text(dictionary, i)) < 0) status = crd_i_fail_memory(error);
    crd_i_dictionary_destroy(dictionary);
    return status == CRD_ERROR_SYNTAX ? CRD_OK : status;
}

/* Reads the keys of the whole file, or up to its first fault, which is reported when the rows are read; then
 * rewinds. */
static crd_status find_keys(crd_reader *reader, crd_i_dictionary *keys, nested_values *nested, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    crd_status status = CRD_OK;
    for (bool is_found = true; status == CRD_OK;) {
        status = crd_i_slow_parse_next(records, &is_found, error);
        if (status == CRD_ERROR_SYNTAX && crd_i_reader_skips(reader)) {
            status = CRD_OK;
            continue;
        }
        if (status != CRD_OK || !is_found) break;
        status = add_keys(reader, (char *)records->bytes + records->start, records->length, records->line, keys, nested,
                          error);
        crd_i_slow_parse_release(records);
    }
    if (status != CRD_OK && status != CRD_ERROR_SYNTAX) return status;
    return crd_i_reader_return(reader, error);
}

/* Finds the length of the line that begins `first` bytes into the memory, reading as needed; SIZE_MAX: none, or
 * longer than `most`. */
static crd_status peek_line(crd_i_slow_parse *records, size_t first, size_t most, size_t *length, crd_error *error) {
    *length = SIZE_MAX;
    for (size_t searched = first;;) {
        size_t held = records->end - records->kept;
        const unsigned char *bytes = records->bytes + records->kept;
        const unsigned char *end = held <= searched ? NULL : memchr(bytes + searched, '\n', held - searched);
        if (end != NULL) *length = (size_t)(end - bytes) - first;
        else if (records->at_end && held > first) *length = held - first;
        if (*length != SIZE_MAX && *length > most) *length = SIZE_MAX;
        if (end != NULL || records->at_end || held - first > most) return CRD_OK;
        searched = held;
        crd_status status = crd_i_slow_parse_peek(records, held + 1, error);
        if (status != CRD_OK) return status;
    }
}

/* Reads the keys of the first rows, which stay to be read, from a copy, because parsing modifies texts with escapes. */
static crd_status peek_keys(crd_reader *reader, crd_i_dictionary *keys, nested_values *nested, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    char *copy = NULL;
    size_t capacity = 0, rows = 0, first = 0, length = 0;
    crd_status status = CRD_OK;
    while (rows < LOOK_ROWS) {
        size_t bound = rows > 0 ? LOOK_BYTES : records->max_record;
        if (first > bound) break;
        status = peek_line(records, first, bound - first, &length, error);
        if (status != CRD_OK || length == SIZE_MAX) break;
        crd_text line = {crd_i_slow_parse_bytes(records) + first, length};
        first += length + 1;
        if (length > 0 && line.bytes[length - 1] == '\r') line.length--;
        if (crd_i_text_trim(line).length == 0) continue;
        if (!crd_i_reserve(reader->context, &copy, &capacity, length, 1)) {
            status = crd_i_fail_memory(error);
            break;
        }
        memcpy(copy, line.bytes, line.length);
        status = add_keys(reader, copy, line.length, 0, keys, nested, error);
        if (status != CRD_OK) break;
        rows++;
    }
    crd_free(reader->context, copy);
    return status == CRD_ERROR_SYNTAX ? CRD_OK : status;
}

static bool no_number(crd_text text, double *value) {
    (void)text;
    (void)value;
    return false;
}

static crd_status json_lines_name_fields(crd_reader *reader, const crd_i_dictionary *keys, crd_error *error) {
    size_t count = crd_i_dictionary_size(keys);
    int32_t *order = crd_i_alloc(reader->context, count, sizeof *order);
    if (order == NULL) return crd_i_fail_memory(error);
    bool done = crd_i_dictionary_order(keys, NULL, no_number, order) != SIZE_MAX;
    crd_status status = done ? CRD_OK : crd_i_fail_memory(error);
    for (size_t i = 0; i < count && status == CRD_OK; i++) {
        crd_text name = crd_i_dictionary_text(keys, (size_t)order[i]);
        status = crd_i_file_header_add_name(reader, name, reader->position.entry->header.line, error);
    }
    crd_free(reader->context, order);
    reader->position.entry->header.width = count;
    return status;
}

/* Fails because no object has a key, or because the first object is invalid. */
static crd_status fail_no_keys(crd_reader *reader, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    crd_i_dictionary *keys = crd_i_dictionary_create(reader->context);
    if (keys == NULL) return crd_i_fail_memory(error);
    nested_values nested = {.objects = 0};
    crd_status status = json_lines_read_keys(reader, (char *)records->bytes + records->start, records->length,
                                             records->line, keys, &nested, error);
    crd_i_dictionary_destroy(keys);
    if (status != CRD_OK) return status;
    crd_i_fail(error, CRD_ERROR_SYNTAX, "no object has keys, and keys are the column names");
    crd_i_error_place(error, NULL, records->line, 0);
    return CRD_ERROR_SYNTAX;
}

/* Fails because the first object contains only objects and arrays, so it is not a row. */
static crd_status fail_no_rows(const nested_values *nested, crd_error *error) {
    const bool has_hint = strstr(nested->first.hint, "[]'") != NULL;
    if (error != NULL) *error = nested->first;
    if (nested->objects == 1 && !has_hint)
        crd_i_error_hint(error, "if each key holds a column, jq -c '(.[keys[0]] | keys[]) as $i | map_values(.[$i])' "
                                "writes the rows as JSON lines");
    return CRD_ERROR_SYNTAX;
}

/* ======== 3. Format ======== */

/* Recognizes an array too, if JSON Lines was requested, to reject it with a helpful message. */
static bool json_lines_recognize(crd_text beginning) {
    const char *cursor = beginning.bytes, *end = cursor + beginning.length;
    if (*cursor == '{') return true;
    cursor++;
    while (cursor < end && (*cursor == ' ' || *cursor == '\t' || *cursor == '\r')) cursor++;
    return cursor < end && (*cursor == '{' || *cursor == '\n');
}

static crd_status begin_with(crd_reader *reader, crd_i_dictionary *keys, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    /* Readers of parts do not read the whole file; a schema defines their columns. */
    bool is_read_twice = reader->inputs[reader->position.current].can_reread && reader->options.shard_count == 0,
         is_found;
    nested_values nested = {.objects = 0};
    records->is_lines = true;
    crd_status status =
        is_read_twice ? find_keys(reader, keys, &nested, error) : peek_keys(reader, keys, &nested, error);
    if (status != CRD_OK) return status;
    if (nested.first.status != CRD_OK && !nested.has_cells && nested.objects > 0) return fail_no_rows(&nested, error);
    reader->has_one_object = nested.first.status != CRD_OK && nested.objects == 1;
    if (reader->has_one_object) reader->nested = nested.first;
    records->is_lines = true;
    status = crd_i_slow_parse_next(records, &is_found, error);
    if (status != CRD_OK) return status;
    if (!is_found && records->source->finish != NULL) status = records->source->finish(records->source, error);
    if (status != CRD_OK) return status;
    if (!is_found) return crd_i_fail(error, CRD_ERROR_EMPTY, "the file is empty");
    if (crd_i_dictionary_size(keys) == 0) return fail_no_keys(reader, error);
    reader->position.entry->header.line = records->line;
    crd_i_slow_parse_again(records);
    reader->position.entry->header.has_header = true;
    reader->position.entry->header.is_open = !is_read_twice;
    return json_lines_name_fields(reader, keys, error);
}

static crd_status json_lines_begin(crd_reader *reader, crd_error *error) {
    crd_i_dictionary *keys = crd_i_dictionary_create(reader->context);
    if (keys == NULL) return crd_i_fail_memory(error);
    crd_status status = begin_with(reader, keys, error);
    crd_i_dictionary_destroy(keys);
    return status;
}

static crd_status json_lines_split(crd_worker *worker, crd_i_sparse_rows *rows, crd_error *error) {
    const crd_i_slow_parse *records = &worker->records;
    json_object object = {
        .reader = worker->reader,
        .worker = worker,
        .json = crd_i_json_begin((char *)records->bytes + records->start, records->length, records->line),
        .rows = rows,
    };
    crd_status status = json_lines_read_object(&object, error);
    crd_i_dictionary_destroy(object.strangers);
    return status;
}

const crd_i_format crd_i_format_json_lines = {
    .code = CRD_FORMAT_JSON_LINES,
    .opens = "{[",
    .reach = 16,
    .recognize = json_lines_recognize,
    .begin = json_lines_begin,
    .split_sparse = json_lines_split,
};
