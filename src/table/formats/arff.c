/* SPDX-License-Identifier: MIT */
/* arff.c - reads rows from attribute-relation files (ARFF), the format of Weka.
 *
 *   % a comment
 *   @relation weather
 *   @attribute outlook {sunny, overcast, 'light rain'}
 *   @attribute temperature numeric   % a comment may end a line too
 *   @data
 *   sunny, 29.5
 *   {0 overcast, 1 ?}          a sparse row: omitted cells are zero, or the first value of their list
 *
 * Keywords match in any letter case. Names and values may be in single or double quotes, in which a backslash escapes
 * the next character. The types numeric, real and integer are numeric; string and lists of values are categorical. A
 * list declares the values of its column. Date and relational columns are not supported, but can be ignored. Weights
 * of rows or columns are an error, because a model without them would differ from what the file means.
 *
 * Contents:
 *   1. Words
 *   2. Declarations
 *   3. Rows
 *   4. Format detection */
#include "table/read/column_names.h"
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* ======== 1. Words ======== */

typedef struct arff_scanner {
    const crd_i_slow_parse *records; /* their latest record is scanned */
    char *cursor, *end;
    size_t field; /* field for error messages, from 1; 0: none */
} arff_scanner;

static arff_scanner scan_record(const crd_i_slow_parse *records) {
    char *begin = (char *)records->bytes + records->start;
    arff_scanner scan = {records, begin, begin + records->length, 0};
    return scan;
}

static crd_status arff_fail(const arff_scanner *scan, crd_error *error, const char *message) {
    crd_i_fail(error, CRD_ERROR_SYNTAX, "%s", message);
    crd_i_error_place(error, NULL, scan->records->line, scan->field);
    return CRD_ERROR_SYNTAX;
}

/* Fails with a message about a text. `format` has one %s, for the text. */
static crd_status arff_fail_about(const arff_scanner *scan, crd_error *error, const char *format, crd_text text) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SYNTAX, format, crd_i_quote(text, shown));
    crd_i_error_place(error, NULL, scan->records->line, scan->field);
    return CRD_ERROR_SYNTAX;
}

static bool arff_is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

static void arff_skip_blanks(arff_scanner *scan) {
    while (scan->cursor < scan->end && arff_is_blank(*scan->cursor)) scan->cursor++;
}

/* Returns whether only spaces or a comment follow on the line. */
static bool at_end(arff_scanner *scan) {
    arff_skip_blanks(scan);
    if (scan->cursor < scan->end && *scan->cursor == '%') scan->cursor = scan->end;
    return scan->cursor == scan->end;
}

/* Moves after `byte` if it is the next byte that is not a space. */
static bool arff_take(arff_scanner *scan, char byte) {
    if (at_end(scan) || *scan->cursor != byte) return false;
    scan->cursor++;
    return true;
}

static char meaning_of_escape(char letter) {
    switch (letter) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return letter;
    }
}

/* Parses a quoted text from its opening quote, and decodes it in place. */
static crd_status arff_take_quoted(arff_scanner *scan, crd_text *word, crd_error *error) {
    char quote = *scan->cursor, *begin = scan->cursor + 1, *destination = begin, *start = begin;
    for (; start < scan->end && *start != quote; start++) {
        bool escapes = *start == '\\' && start + 1 < scan->end;
        if (escapes) start++;
        *destination++ = escapes ? meaning_of_escape(*start) : *start;
    }
    if (start == scan->end) return arff_fail(scan, error, "a quote opens here and is never closed");
    scan->cursor = start + 1;
    word->bytes = begin;
    word->length = (size_t)(destination - begin);
    return CRD_OK;
}

/* The list is short, so a loop costs less than a call. */
static bool arff_is_one(char byte, const char *stops) {
    while (*stops != '\0' && *stops != byte) stops++;
    return *stops != '\0';
}

/* Parses the next word. It ends at one of `stops`; a word in quotes must be followed by one of them or the end. */
static crd_status arff_take_word(arff_scanner *scan, const char *stops, crd_text *word, bool *quoted,
                                 crd_error *error) {
    arff_skip_blanks(scan);
    *quoted = scan->cursor < scan->end && (*scan->cursor == '\'' || *scan->cursor == '"');
    if (*quoted) {
        crd_status status = arff_take_quoted(scan, word, error);
        if (status != CRD_OK) return status;
        if (scan->cursor == scan->end || arff_is_one(*scan->cursor, stops)) return CRD_OK;
        if (at_end(scan) || arff_is_one(*scan->cursor, stops)) return CRD_OK;
        return arff_fail(scan, error, "text after a closing quote");
    }
    char *begin = scan->cursor;
    while (scan->cursor < scan->end && !arff_is_one(*scan->cursor, stops)) {
        /* 50% is a word, but a % that begins a word or follows a space begins a comment. */
        if (*scan->cursor == '%' && (scan->cursor == begin || arff_is_blank(scan->cursor[-1]))) break;
        scan->cursor++;
    }
    word->bytes = begin;
    word->length = (size_t)(scan->cursor - begin);
    *word = crd_i_text_trim(*word);
    return CRD_OK;
}

static bool arff_is_word(crd_text text, const char *lower) {
    size_t length = strlen(lower);
    if (text.length != length) return false;
    for (size_t i = 0; i < length; i++) {
        char byte = text.bytes[i];
        if (byte >= 'A' && byte <= 'Z') byte = (char)(byte - 'A' + 'a');
        if (byte != lower[i]) return false;
    }
    return true;
}

/* ======== 2. Declarations ======== */

/* Parses a list of values after its opening brace. */
static crd_status arff_read_values(crd_reader *reader, arff_scanner *scan, crd_i_declared *declared, crd_error *error) {
    declared->type = CRD_TYPE_CATEGORICAL;
    declared->values = crd_i_dictionary_create(reader->context);
    if (declared->values == NULL) return crd_i_fail_memory(error);
    for (;;) {
        crd_text value;
        bool quoted;
        crd_status status = arff_take_word(scan, ",}", &value, &quoted, error);
        if (status != CRD_OK) return status;
        if (at_end(scan)) return arff_fail(scan, error, "a list of values opens here and is never closed");
        if (value.length == 0) return arff_fail(scan, error, "an empty value in a list of values");
        size_t count = crd_i_dictionary_size(declared->values);
        int32_t code = crd_i_dictionary_add(declared->values, value);
        if (code < 0) return crd_i_fail_memory(error);
        if ((size_t)code < count) return arff_fail_about(scan, error, "the value '%s' is declared twice", value);
        if (count >= reader->options.max_categories) {
            crd_i_fail(error, CRD_ERROR_LIMIT, "more than %zu values are declared for one column",
                       reader->options.max_categories);
            crd_i_error_place(error, NULL, scan->records->line, scan->field);
            return CRD_ERROR_LIMIT;
        }
        if (*scan->cursor++ == '}') return CRD_OK;
    }
}

/* Skips the declarations inside a relation, up to its @end. */
static crd_status skip_relation(crd_reader *reader, const arff_scanner *scan, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    uint64_t opened = records->line;
    for (size_t depth = 1; depth > 0;) {
        bool is_found, quoted;
        crd_status status = crd_i_slow_parse_next(records, &is_found, error);
        if (status != CRD_OK) return status;
        if (!is_found) {
            crd_i_fail(error, CRD_ERROR_SYNTAX, "a relation opens here and is not closed by @end");
            crd_i_error_place(error, NULL, opened, scan->field);
            return CRD_ERROR_SYNTAX;
        }
        arff_scanner inner = scan_record(records);
        crd_text keyword, name, type = {"", 0};
        status = arff_take_word(&inner, " \t", &keyword, &quoted, error);
        if (status == CRD_OK && arff_is_word(keyword, "@attribute")) {
            status = arff_take_word(&inner, " \t", &name, &quoted, error);
            if (status == CRD_OK) status = arff_take_word(&inner, " \t", &type, &quoted, error);
        }
        if (status != CRD_OK) return status;
        depth += arff_is_word(type, "relational");
        depth -= arff_is_word(keyword, "@end");
    }
    return CRD_OK;
}

static crd_status arff_read_type(crd_reader *reader, arff_scanner *scan, crd_i_declared *declared, crd_error *error) {
    static const struct {
        const char *word;
        crd_column_type type;
        const char *foreign;
    } TYPES[] = {
        {"numeric", CRD_TYPE_NUMERIC, NULL}, {"real", CRD_TYPE_NUMERIC, NULL},
        {"integer", CRD_TYPE_NUMERIC, NULL}, {"string", CRD_TYPE_CATEGORICAL, NULL},
        {"date", CRD_TYPE_NONE, "a date"},   {"relational", CRD_TYPE_NONE, "a relation"},
    };
    enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };
    if (arff_take(scan, '{')) {
        crd_status status = arff_read_values(reader, scan, declared, error);
        if (status != CRD_OK) return status;
    } else {
        crd_text word;
        bool quoted;
        crd_status status = arff_take_word(scan, " \t{", &word, &quoted, error);
        if (status != CRD_OK) return status;
        if (word.length == 0) return arff_fail(scan, error, "an @attribute without a type");
        size_t type = 0;
        while (type < TYPE_COUNT && !arff_is_word(word, TYPES[type].word)) type++;
        if (type == TYPE_COUNT) {
            return arff_fail_about(
                scan, error, "unknown type '%s': expected numeric, real, integer, string, date, relational or {values}",
                word);
        }
        declared->type = TYPES[type].type;
        declared->foreign = TYPES[type].foreign;
        if (arff_is_word(word, "relational")) return skip_relation(reader, scan, error);
        if (arff_is_word(word, "date")) return CRD_OK; /* a date format may follow */
    }
    if (arff_take(scan, '{'))
        return arff_fail(scan, error, "a weight of an attribute, which is not supported: remove it");
    return at_end(scan) ? CRD_OK : arff_fail(scan, error, "text after the type of an attribute");
}

static crd_status arff_read_attribute(crd_reader *reader, arff_scanner *scan, crd_i_column_names *names,
                                      crd_error *error) {
    crd_text name;
    bool quoted;
    scan->field = ++reader->position.entry->header.width;
    crd_status status = arff_take_word(scan, " \t{", &name, &quoted, error);
    if (status != CRD_OK) return status;
    if (name.length == 0) return arff_fail(scan, error, "an @attribute without a name");
    if (names->count >= CRD_I_MAX_FIELDS) return crd_i_file_header_fail_limit(reader->position.records.line, error);
    if (!crd_i_column_names_add(names, name)) return crd_i_fail_memory(error);
    crd_i_declared *declared = crd_i_file_header_declare(reader);
    return declared == NULL ? crd_i_fail_memory(error) : arff_read_type(reader, scan, declared, error);
}

static crd_status fail_early_end(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_SYNTAX, "the file ends before @data");
}

/* Reads the keyword of the next line. */
static crd_status next_keyword(crd_reader *reader, arff_scanner *scan, crd_text *keyword, crd_error *error) {
    bool is_found, quoted;
    crd_status status = crd_i_slow_parse_next(&reader->position.records, &is_found, error);
    if (status != CRD_OK) return status;
    if (!is_found) return fail_early_end(error);
    *scan = scan_record(&reader->position.records);
    return arff_take_word(scan, " \t", keyword, &quoted, error);
}

static crd_status arff_read_header(crd_reader *reader, crd_i_column_names *names, crd_error *error) {
    reader->position.records.is_lines = true;
    reader->position.records.comment = '%';
    reader->position.entry->header.has_header = true;
    arff_scanner scan;
    crd_text keyword;
    crd_status status = next_keyword(reader, &scan, &keyword, error);
    if (status == CRD_OK && !arff_is_word(keyword, "@relation")) {
        return arff_fail_about(&scan, error, "found '%s', expected @relation, the first line of an ARFF file", keyword);
    }
    while (status == CRD_OK) {
        crd_i_slow_parse_release(&reader->position.records);
        status = next_keyword(reader, &scan, &keyword, error);
        if (status != CRD_OK || arff_is_word(keyword, "@data")) break;
        if (!arff_is_word(keyword, "@attribute")) {
            return arff_fail_about(&scan, error, "found '%s', expected @attribute or @data", keyword);
        }
        status = arff_read_attribute(reader, &scan, names, error);
    }
    if (status != CRD_OK) return status;
    if (!at_end(&scan)) return arff_fail(&scan, error, "text after @data: the rows begin on the next line");
    if (reader->position.entry->header.width == 0)
        return arff_fail(&scan, error, "@data needs at least one @attribute before it");
    reader->position.entry->header.line = reader->position.records.line;
    return crd_i_column_names_settle(names, reader, reader->position.records.line, error);
}

static crd_status arff_begin(crd_reader *reader, crd_error *error) {
    crd_i_column_names names = {.context = reader->context};
    crd_status status = arff_read_header(reader, &names, error);
    crd_i_column_names_clear(&names);
    return status;
}

/* ======== 3. Rows ======== */

static crd_status take_cell(arff_scanner *scan, const char *stops, crd_i_cell *cell, crd_error *error) {
    static const char EMPTY[] = "an empty cell: write ? for a missing value";
    crd_text word;
    bool quoted;
    crd_status status = arff_take_word(scan, stops, &word, &quoted, error);
    if (status != CRD_OK) return status;
    if (!quoted && word.length == 0) return arff_fail(scan, error, EMPTY);
    bool is_missing = !quoted && word.length == 1 && word.bytes[0] == '?';
    crd_i_cell_form form = is_missing ? CRD_I_CELL_MISSING : quoted ? CRD_I_CELL_QUOTED : CRD_I_CELL_PLAIN;
    *cell = crd_i_slow_parse_cell(scan->records, word.bytes, word.bytes + word.length, form);
    return CRD_OK;
}

static const char ROW_WEIGHT[] = "a weight of a row, which is not supported: remove it";

/* The destination of the cells of a row. */
typedef struct row_cells {
    crd_context *context;
    crd_i_cell *dense; /* one for each field; NULL: cells are added to `sparse` */
    crd_i_sparse_rows *sparse;
} row_cells;

static bool arff_put_cell(const row_cells *row, size_t field, crd_i_cell cell) {
    if (row->dense == NULL) return crd_i_sparse_rows_put(row->sparse, row->context, field, cell);
    row->dense[field] = cell;
    return true;
}

static crd_status split_whole(arff_scanner *scan, const crd_i_file_header *header, const row_cells *row,
                              crd_error *error) {
    size_t count = 0, width = header->width;
    do {
        crd_i_cell cell;
        scan->field = count + 1;
        if (count == width && arff_take(scan, '{')) return arff_fail(scan, error, ROW_WEIGHT);
        crd_status status = take_cell(scan, ",", &cell, error);
        if (status != CRD_OK) return status;
        if (count < width && !arff_put_cell(row, count, cell)) return crd_i_fail_memory(error);
        count++;
    } while (arff_take(scan, ','));
    return count == width ? CRD_OK : crd_i_file_header_fail_fields(header, scan->records->line, count, error);
}

/* Parses the number of a column in a sparse row, from 0; it must be at least `least`. */
static crd_status take_index(arff_scanner *scan, size_t width, size_t least, size_t *index, crd_error *error) {
    arff_skip_blanks(scan);
    char *begin = scan->cursor;
    *index = 0;
    for (; scan->cursor < scan->end && *scan->cursor >= '0' && *scan->cursor <= '9'; scan->cursor++) {
        if (*index < width) *index = *index * 10 + (size_t)(*scan->cursor - '0');
    }
    if (scan->cursor == begin || scan->cursor == scan->end || !arff_is_blank(*scan->cursor)) {
        return arff_fail(scan, error, "a sparse row must contain column numbers, from 0, and values");
    }
    if (*index >= width) return arff_fail(scan, error, "invalid column number in a sparse row");
    if (*index < least) return arff_fail(scan, error, "the column numbers of a sparse row must ascend");
    scan->field = *index + 1;
    return CRD_OK;
}

/* Parses a sparse row after its opening brace. */
static crd_status split_braced(arff_scanner *scan, const crd_i_file_header *header, const row_cells *row,
                               crd_error *error) {
    for (size_t i = 0; row->dense != NULL && i < header->width; i++)
        row->dense[i] = crd_i_file_header_left_out(header, i);
    if (!arff_take(scan, '}')) {
        size_t least = 0, index;
        do {
            crd_i_cell cell;
            crd_status status = take_index(scan, header->width, least, &index, error);
            if (status == CRD_OK) status = take_cell(scan, ",}", &cell, error);
            if (status != CRD_OK) return status;
            if (!arff_put_cell(row, index, cell)) return crd_i_fail_memory(error);
            least = index + 1;
        } while (arff_take(scan, ','));
        if (!arff_take(scan, '}')) return arff_fail(scan, error, "a sparse row is not closed by }");
    }
    if (at_end(scan)) return CRD_OK;
    bool has_weight = arff_take(scan, ',') && arff_take(scan, '{');
    return arff_fail(scan, error, has_weight ? ROW_WEIGHT : "text after a sparse row");
}

static crd_status arff_split_row(crd_worker *worker, const row_cells *row, crd_error *error) {
    const crd_i_file_header *header = &worker->entry->header;
    arff_scanner scan = scan_record(&worker->records);
    return arff_take(&scan, '{') ? split_braced(&scan, header, row, error) : split_whole(&scan, header, row, error);
}

static crd_status arff_split(crd_worker *worker, crd_i_cell *cells, crd_error *error) {
    const row_cells row = {worker->reader->context, cells, NULL};
    return arff_split_row(worker, &row, error);
}

static crd_status split_sparse(crd_worker *worker, crd_i_sparse_rows *rows, crd_error *error) {
    const row_cells row = {worker->reader->context, NULL, rows};
    return arff_split_row(worker, &row, error);
}

/* Returns whether omitted cells are zero, as a number or as a code, or missing. They are if the column has the type
 * that the file declares, its first value has code 0 in this worker, and its values are within the limit. */
static bool leaves_zeros_out(const crd_worker *worker, size_t index) {
    size_t field = worker->entry->fields[index];
    if (field == SIZE_MAX) return true;
    const crd_i_declared *declared = &worker->entry->header.declared[field];
    const crd_i_reader_column *column = &worker->reader->columns[index];
    if (declared->type != CRD_TYPE_NUMERIC && declared->values == NULL) return true;
    if (!column->is_fixed) return false;
    if (declared->values == NULL) return column->type == CRD_TYPE_NUMERIC;
    const crd_i_dictionary *met = worker->columns[index].dictionary;
    return column->type == CRD_TYPE_CATEGORICAL &&
           crd_i_dictionary_size(declared->values) <= worker->reader->options.max_categories &&
           (met == NULL || crd_i_dictionary_size(met) == 0 ||
            crd_i_dictionary_find(met, crd_i_dictionary_text(declared->values, 0)) == 0);
}

/* Rows are stored sparsely if there are many columns, and the first row of the chunk is sparse. */
static bool arff_is_sparse(const crd_worker *worker) {
    enum { LEAST_WIDTH = 64 };
    const crd_i_slow_parse *records = &worker->records;
    size_t first = records->next;
    while (first < records->end && (arff_is_blank((char)records->bytes[first]) || records->bytes[first] == '\n' ||
                                    records->bytes[first] == '\r'))
        first++;
    bool is = worker->entry->header.width >= LEAST_WIDTH && first < records->end && records->bytes[first] == '{';
    for (size_t i = 0; is && i < worker->reader->column_count; i++) is = leaves_zeros_out(worker, i);
    return is;
}

/* ======== 4. Format detection ======== */

/* Comments may come first. A file without @relation is recognized too, so its error is reported and it is not read as
 * delimited text. */
static bool arff_recognize(crd_text beginning) {
    static const char *const FIRST[] = {"@relation", "@attribute"};
    const char *cursor = beginning.bytes, *end = cursor + beginning.length;
    for (;;) {
        while (cursor < end && (arff_is_blank(*cursor) || *cursor == '\r' || *cursor == '\n')) cursor++;
        if (cursor == end) return false;
        if (*cursor != '%') break;
        const char *line_end = memchr(cursor, '\n', (size_t)(end - cursor));
        if (line_end == NULL) return false;
        cursor = line_end;
    }
    crd_text word = {cursor, 0};
    while (cursor + word.length < end && !arff_is_blank(cursor[word.length])) word.length++;
    return cursor + word.length < end && (arff_is_word(word, FIRST[0]) || arff_is_word(word, FIRST[1]));
}

const crd_i_format crd_i_format_arff = {
    .code = CRD_FORMAT_ARFF,
    .opens = "@%",
    .reach = 65536,
    .recognize = arff_recognize,
    .begin = arff_begin,
    .split = arff_split,
    .split_sparse = split_sparse,
    .is_sparse = arff_is_sparse,
};
