/* json_lines.c - rows as JSON objects, one a line: {"Outlook": "Sunny", "Temperature": 18.5, "Play": null}
 *
 * The keys of the first object are the columns. A key that a later row lacks is missing there; one that only later rows
 * have is left out, with one warning, because no frame before it had the column. A text is a text, even if it looks
 * like a number; true and false are categories. Values that are objects or arrays are refused. */
#include "data/json.h"
#include "data/reader_parts.h"

#include "base/error.h"
#include "base/memory.h"

static const crd_i_cell ABSENT = {0, 0, CRD_I_CELL_MISSING};

/* A null is missing too, but has a text. */
static bool is_absent(crd_i_cell cell) {
    return cell.form == CRD_I_CELL_MISSING && cell.length == 0;
}

/* The field of a key, SIZE_MAX where there is none. Rows mostly have their keys in the same order. */
static size_t field_of(const crd_i_heading *heading, crd_text key, size_t expected) {
    if (expected < heading->width && crd_text_equal(crd_i_dictionary_text(heading->names, expected), key)) {
        return expected;
    }
    int32_t code = crd_i_dictionary_find(heading->names, key);
    return code < 0 ? SIZE_MAX : (size_t)code;
}

static void warn_of_more(crd_reader *reader, crd_text key) {
    crd_i_input *input = &reader->inputs[reader->current];
    if (input->warned_of_more) return;
    input->warned_of_more = true;
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_context_log(reader->context, CRD_LOG_WARNING,
                      "%s:%llu: '%s' is no key of the first object, and is left out, as are others like it",
                      input->place, (unsigned long long)reader->records.line, crd_i_quote(key, shown));
}

static crd_status fail_key(const crd_i_json *json, crd_text key, const char *what, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SYNTAX, "the key '%s' %s, at byte %zu", crd_i_quote(key, shown), what,
               (size_t)(json->token - json->line_start) + 1);
    crd_i_error_place(error, NULL, json->line, 0);
    return CRD_ERROR_SYNTAX;
}

static crd_status read_value(const crd_reader *reader, crd_i_json *json, crd_text key, crd_i_cell *cell,
                             crd_error *error) {
    crd_i_json_token token = crd_i_json_next(json);
    crd_i_cell_form form = CRD_I_CELL_PLAIN;
    switch (token) {
    case CRD_I_JSON_NUMBER: break;
    case CRD_I_JSON_TEXT:
    case CRD_I_JSON_TRUE:
    case CRD_I_JSON_FALSE: form = CRD_I_CELL_TEXT; break;
    case CRD_I_JSON_NULL: form = CRD_I_CELL_MISSING; break;
    case CRD_I_JSON_OPEN_OBJECT:
        return fail_key(json, key, "holds an object, where a number, a text, true, false or null must be", error);
    case CRD_I_JSON_OPEN_ARRAY:
        return fail_key(json, key, "holds an array, where a number, a text, true, false or null must be", error);
    default: return crd_i_json_fail(json, token, "a value", error);
    }
    *cell = crd_i_records_cell(&reader->records, json->text.bytes, json->text.bytes + json->text.length, form);
    return CRD_OK;
}

/* One member, its key being the latest token. The first object's keys are columns as they come. */
static crd_status read_member(crd_reader *reader, crd_i_json *json, bool is_first, size_t expected, crd_error *error) {
    crd_i_heading *heading = &reader->heading;
    crd_text key = json->text;
    if (key.length == 0) return fail_key(json, key, "is empty: it must name a column", error);
    size_t field = heading->names == NULL ? SIZE_MAX : field_of(heading, key, expected);
    size_t width = is_first ? heading->width : 0;
    crd_i_cell *row = reader->cells + reader->rows * heading->width;
    if (is_first ? field != SIZE_MAX : field != SIZE_MAX && !is_absent(row[field])) {
        return fail_key(json, key, "stands twice in one object", error);
    }
    if (is_first) {
        crd_status status = crd_i_heading_add_name(reader, key, json->line, error);
        if (status != CRD_OK) return status;
        if (!crd_i_reader_reserve(reader, 1, width + 1)) return crd_i_fail_memory(error);
        row = reader->cells;
        field = width;
    } else if (field == SIZE_MAX) {
        warn_of_more(reader, key);
    }
    crd_i_json_token token = crd_i_json_next(json);
    if (token != CRD_I_JSON_COLON) return crd_i_json_fail(json, token, "a colon", error);
    crd_i_cell cell = ABSENT;
    crd_status status = read_value(reader, json, key, &cell, error);
    if (status != CRD_OK) return status;
    if (field != SIZE_MAX) row[field] = cell;
    if (is_first) heading->width = width + 1;
    return CRD_OK;
}

static crd_status read_object(crd_reader *reader, bool is_first, crd_error *error) {
    crd_i_records *records = &reader->records;
    crd_i_json json = crd_i_json_begin((char *)records->bytes + records->start, records->length, records->line);
    crd_i_json_token token = crd_i_json_next(&json);
    if (token == CRD_I_JSON_OPEN_ARRAY) return crd_i_json_fail(&json, token, "an object (one a line, no array)", error);
    if (token != CRD_I_JSON_OPEN_OBJECT) return crd_i_json_fail(&json, token, "an object", error);
    token = crd_i_json_next(&json);
    for (size_t expected = 0; token != CRD_I_JSON_CLOSE_OBJECT; expected++) {
        if (token == CRD_I_JSON_END) return crd_i_json_fail(&json, token, "a whole object, on one line,", error);
        if (token != CRD_I_JSON_TEXT) return crd_i_json_fail(&json, token, "a key in quotes", error);
        crd_status status = read_member(reader, &json, is_first, expected, error);
        if (status != CRD_OK) return status;
        token = crd_i_json_next(&json);
        if (token == CRD_I_JSON_CLOSE_OBJECT) break;
        if (token != CRD_I_JSON_COMMA) return crd_i_json_fail(&json, token, "a comma or }", error);
        token = crd_i_json_next(&json);
        if (token == CRD_I_JSON_CLOSE_OBJECT) return crd_i_json_fail(&json, token, "a key in quotes", error);
    }
    token = crd_i_json_next(&json);
    return token == CRD_I_JSON_END ? CRD_OK : crd_i_json_fail(&json, token, "the end of the line", error);
}

/* An array is recognised as well, to be refused with words that help. */
static bool recognise(crd_text beginning) {
    const char *at = beginning.bytes, *end = at + beginning.length;
    if (*at == '{') return true;
    at++;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
    return at < end && (*at == '{' || *at == '\n');
}

static crd_status begin(crd_reader *reader, crd_error *error) {
    reader->records.is_lines = true;
    bool found;
    crd_status status = crd_i_records_next(&reader->records, &found, error);
    if (status != CRD_OK) return status;
    if (!found) return crd_i_fail(error, CRD_ERROR_EMPTY, "the file is empty");
    if (!crd_i_reader_reserve(reader, 1, 1)) return crd_i_fail_memory(error);
    reader->lines[0] = reader->records.line;
    reader->heading.has_header = true;
    status = read_object(reader, true, error);
    if (status != CRD_OK) return status;
    if (reader->heading.width == 0) {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "the first object has no keys, which are the columns");
        crd_i_error_place(error, NULL, reader->records.line, 0);
        return CRD_ERROR_SYNTAX;
    }
    reader->rows = 1;
    return CRD_OK;
}

static crd_status split(crd_reader *reader, crd_i_cell *cells, crd_error *error) {
    for (size_t i = 0; i < reader->heading.width; i++) cells[i] = ABSENT;
    return read_object(reader, false, error);
}

const crd_i_format crd_i_format_json_lines = {
    .code = CRD_FORMAT_JSON_LINES,
    .opens = "{[",
    .reach = 16,
    .recognise = recognise,
    .begin = begin,
    .split = split,
};
