/* SPDX-License-Identifier: MIT */
/* delimited.c - rows as fields between separators (RFC 4180), or between runs of blanks. */
#include "table/read/column_names.h"
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* The first record, which says how many fields there are, and what the columns are called, if it is the header. It is
 * parsed in a copy, since it may turn out to be a row, and a record can be parsed once only. */
typedef struct first_record {
    crd_i_slow_parse copy;
    crd_i_cell *cells;
    crd_i_first_rows rows; /* it, and those behind it */
    crd_i_column_names names;
} first_record;

static first_record no_record(crd_context *context) {
    first_record first = {
        .copy = {.context = context}, .rows = {.copy = {.context = context}}, .names = {.context = context}};
    return first;
}

static void clear_first(crd_context *context, first_record *first) {
    crd_i_slow_parse_clear(&first->copy);
    crd_free(context, first->cells);
    crd_i_first_rows_clear(&first->rows);
    crd_i_column_names_clear(&first->names);
}

static crd_status split_first(crd_reader *reader, first_record *first, crd_error *error) {
    const crd_i_slow_parse *records = &reader->records;
    size_t most = crd_i_slow_parse_most_fields(records);
    if (most > CRD_I_MAX_FIELDS) return crd_i_file_header_fail_limit(records->line, error);
    first->cells = crd_i_alloc(reader->context, most, sizeof *first->cells);
    if (first->cells == NULL || !crd_i_slow_parse_copy_last(records, &first->copy)) return crd_i_fail_memory(error);
    reader->entry->heading.line = records->line;
    return crd_i_slow_parse_split(&first->copy, first->cells, most, &reader->entry->heading.width, error);
}

/* Bytes that are no text may have no NUL among those that were looked at, but soon have a control character. */
static crd_status check_text(const crd_reader *reader, crd_error *error) {
    const crd_i_slow_parse *records = &reader->records;
    for (size_t i = 0; i < records->length && !reader->takes_any_bytes; i++) {
        char byte = (char)records->bytes[records->start + i];
        if (!crd_i_is_control(byte) || byte == records->separator) continue;
        crd_i_fail(error, CRD_ERROR_SYNTAX,
                   "the control character 0x%02x: this is not a text file, or one whose separator it is",
                   (unsigned)(unsigned char)byte);
        crd_i_error_place(error, NULL, records->line, 0);
        return CRD_ERROR_SYNTAX;
    }
    return CRD_OK;
}

static crd_text text_of(const first_record *first, size_t field) {
    return crd_i_slow_parse_text(&first->copy, first->cells[field]);
}

static bool is_number(const crd_i_file_header *heading, crd_text text) {
    double number;
    return crd_i_decimal_parse(text, heading->decimal, &number) != CRD_NUMBER_NONE;
}

static bool is_all_numbers(const crd_i_file_header *heading, const first_record *first) {
    for (size_t field = 0; field < heading->width; field++)
        if (!is_number(heading, text_of(first, field))) return false;
    return true;
}

/* ---- The dialect ---- */

/* Rows behind the first that are looked at: of a pipe, whose rows may be long in coming, one. */
enum { LOOKED_AT = 20 };

static crd_i_dialect_rules dialect_rules(const crd_reader *reader) {
    bool is_at_hand = reader->inputs[reader->current].can_reread;
    crd_i_dialect_rules rules = {&reader->missing, reader->options.decimal, is_at_hand ? LOOKED_AT : 1,
                                 reader->options.tagged_text != 0};
    return rules;
}

/* A line that states the separator comes before all others, and is no row. */
static crd_status pass_statement(crd_reader *reader, bool *found, crd_error *error) {
    crd_i_slow_parse *records = &reader->records;
    crd_text line = {(const char *)records->bytes + records->start, records->length};
    char stated = crd_i_detect_stated_separator(line);
    if (stated == '\0' || stated == records->quote) return CRD_OK;
    if (records->separator == '\0') records->separator = stated;
    crd_i_slow_parse_release(records);
    return crd_i_slow_parse_next(records, found, error);
}

/* Bytes that show whether quotes enclose fields between tabs: of a pipe, those that whoever opened it has waited for. */
enum { QUOTES_LOOK = 1 << 20, QUOTES_LOOK_OF_PIPE = 1 << 16 };

/* Whether there is one in the first line. */
static bool has_tab(const crd_i_slow_parse *records) {
    const char *bytes = crd_i_slow_parse_bytes(records);
    size_t length = records->end - records->kept;
    const char *end = length == 0 ? NULL : memchr(bytes, '\n', length);
    size_t line = end == NULL ? length : (size_t)(end - bytes);
    return line > 0 && memchr(bytes, '\t', line) != NULL;
}

/* Texts between tabs may have quotes that enclose nothing, unless it is said what quotes are. */
static crd_status look_at_quotes(crd_reader *reader, crd_error *error) {
    crd_i_slow_parse *records = &reader->records;
    char separator = reader->options.separator_byte;
    if (reader->quote_given || (separator != '\t' && separator != '\0')) return CRD_OK;
    if (reader->has_literal_quotes) records->quote = '\0'; /* unless another separator is found: restore_quotes */
    /* Rows that are waited for one by one cannot be looked at beforehand. */
    if (reader->has_literal_quotes || reader->options.prompt) return CRD_OK;
    crd_status status = crd_i_slow_parse_peek(records, QUOTES_LOOK_OF_PIPE, error);
    if (status != CRD_OK || !has_tab(records)) return status;
    if (reader->inputs[reader->current].can_reread) status = crd_i_slow_parse_peek(records, QUOTES_LOOK, error);
    if (status != CRD_OK) return status;
    crd_text beginning = {crd_i_slow_parse_bytes(records), records->end - records->kept};
    if (crd_i_detect_literal_quotes(beginning, records->at_end, records->quote)) {
        if (reader->current == 0) reader->has_literal_quotes = true; /* the other files' too */
        records->quote = '\0';
    }
    return CRD_OK;
}

/* Fields that turn out not to be between tabs may be enclosed all the same. */
static bool restore_quotes(crd_reader *reader) {
    crd_i_slow_parse *records = &reader->records;
    if (records->separator == '\t' || records->separator == '\0' || records->quote == reader->options.quote)
        return false;
    records->quote = reader->options.quote;
    return true;
}

/* Finds the first record that is not empty, and what separates its fields. */
static crd_status find_first(crd_reader *reader, crd_error *error) {
    crd_i_slow_parse *records = &reader->records;
    crd_i_file_header *heading = &reader->entry->heading;
    heading->decimal = reader->options.decimal;
    records->separator = reader->options.separator_byte;
    bool found = false;
    crd_status status = look_at_quotes(reader, error);
    if (status == CRD_OK) status = crd_i_slow_parse_next(records, &found, error);
    if (status == CRD_OK && found) status = pass_statement(reader, &found, error);
    if (status != CRD_OK) return status;
    if (!found) return crd_i_fail(error, CRD_ERROR_EMPTY, "the file is empty");
    crd_i_dialect_rules rules = dialect_rules(reader);
    const bool is_known = records->separator != '\0';
    if (!is_known) status = crd_i_detect_separator(records, &rules, error);
    if (status == CRD_OK && rules.are_tokens && records->separator == '\t')
        status = crd_i_detect_tabs(records, &rules, &records->has_comments, error);
    if (status != CRD_OK) return status;
    if (restore_quotes(reader) || !is_known || records->has_comments) {
        /* Now that the separator is known, quotes may open elsewhere. */
        crd_i_slow_parse_again(records);
        status = crd_i_slow_parse_next(records, &found, error);
    }
    heading->separator = records->separator;
    return status;
}

/* ---- The header ---- */

static bool has_text(const crd_i_file_header *heading, const first_record *first, crd_text text) {
    for (size_t field = 0; field < heading->width; field++)
        if (crd_text_equal(text_of(first, field), text)) return true;
    return false;
}

/* Whether the record has the names of all columns that a schema says to be named in a header; the target and the weight
 * may be left out. */
static bool has_names_of_schema(const crd_reader *reader, const first_record *first) {
    bool has_all = reader->has_schema && reader->has_header;
    size_t names = 0;
    for (size_t i = 0; has_all && i < reader->column_count; i++) {
        if (i == reader->target || i == reader->weight) continue;
        has_all = has_text(&reader->entry->heading, first, reader->columns[i].name);
        names++;
    }
    return has_all && names > 0;
}

/* A schema without a header is one of files that have none. Else a file whose first record is all numbers has none, nor
 * has one between blanks where the rows behind it do not show that it is one; unless it has the names of a schema. */
static void find_header(const crd_reader *reader, const first_record *first, crd_i_file_header *heading) {
    heading->has_header = heading->assumed_absent = false;
    if (reader->has_schema && !reader->has_header) return;
    crd_i_dialect_rules rules = dialect_rules(reader);
    bool may_be_header = heading->separator != ' ' || crd_i_detect_blank_header(&first->rows, &rules);
    bool has_numbers = may_be_header && is_all_numbers(heading, first);
    heading->has_header = (may_be_header && !has_numbers) || has_names_of_schema(reader, first);
    heading->assumed_absent = has_numbers && !heading->has_header;
}

/* Whether what was taken for a header has what rows have: a value that a row behind it has in the same column. */
static bool is_like_rows(const first_record *first, size_t width) {
    const crd_i_first_rows *rows = &first->rows;
    for (size_t row = 1; row < rows->rows; row++) {
        for (size_t field = 0; field < width && field < rows->widths[row]; field++) {
            crd_text name = text_of(first, field);
            if (name.length > 0 && crd_text_equal(crd_i_first_rows_text(rows, row, field), name)) return true;
        }
    }
    return false;
}

/* Names that stand twice are the columns' all the same, unless the record is rather a row. */
static crd_status check_names(const crd_reader *reader, const first_record *first, crd_error *error) {
    const crd_i_file_header *heading = &reader->entry->heading;
    size_t one, other;
    bool found;
    if (!heading->has_header || reader->options.header == CRD_CHOICE_YES) return CRD_OK;
    if (!crd_i_column_names_find_twice(&first->names, &one, &other, &found)) return crd_i_fail_memory(error);
    if (!found || has_names_of_schema(reader, first)) return CRD_OK;
    crd_text name = first->names.given[one];
    if (!is_number(heading, name) && !is_like_rows(first, heading->width)) return CRD_OK;
    crd_i_file_header_fail_twice(name, one, other, heading->line, error);
    crd_i_error_hint(error, "header=no if the first line is a row, header=yes if it names the columns");
    return CRD_ERROR_COLUMN;
}

static void warn_of_row_names(crd_reader *reader) {
    crd_i_input *input = &reader->inputs[reader->current];
    char shown[CRD_I_QUOTED_ROOM];
    crd_text name = crd_i_dictionary_text(reader->entry->heading.names, 0);
    if (input->warned_of_row_names) return;
    input->warned_of_row_names = true;
    crd_i_context_log(reader->context, CRD_LOG_NOTE, CRD_LOG_ROW_NAMES, name,
                      "%s: rows have one field more than the header: the first is taken for the names of rows, and is "
                      "left out as '%s'",
                      input->place, crd_i_quote(name, shown));
}

static crd_status name_fields(crd_reader *reader, first_record *first, crd_error *error) {
    crd_i_file_header *heading = &reader->entry->heading;
    const crd_text none = {"", 0};
    crd_status status = CRD_OK;
    heading->has_row_names = heading->has_header && crd_i_detect_row_names(&first->rows);
    bool done = !heading->has_row_names || crd_i_column_names_add(&first->names, none);
    for (size_t field = 0; field < heading->width && done; field++)
        done = crd_i_column_names_add(&first->names, heading->has_header ? text_of(first, field) : none);
    status = done ? check_names(reader, first, error) : crd_i_fail_memory(error);
    if (status != CRD_OK) return status;
    heading->width += heading->has_row_names;
    status = crd_i_column_names_settle(&first->names, reader, heading->line, error);
    if (status == CRD_OK && heading->has_row_names) warn_of_row_names(reader);
    return status;
}

static crd_status read_first(crd_reader *reader, first_record *first, crd_error *error) {
    crd_i_file_header *heading = &reader->entry->heading;
    crd_i_dialect_rules rules = dialect_rules(reader);
    crd_status status = check_text(reader, error);
    if (status == CRD_OK) status = split_first(reader, first, error);
    if (status == CRD_OK && reader->options.header != CRD_CHOICE_NO)
        status = crd_i_detect_first_rows(&reader->records, &rules, &first->rows, error);
    if (status != CRD_OK) return status;
    switch (reader->options.header) {
    case CRD_CHOICE_YES: heading->has_header = true; break;
    case CRD_CHOICE_NO: heading->has_header = false; break;
    case CRD_CHOICE_AUTO: find_header(reader, first, heading); break;
    }
    status = name_fields(reader, first, error);
    if (status == CRD_OK && !heading->has_header) crd_i_slow_parse_again(&reader->records);
    return status;
}

static crd_status begin(crd_reader *reader, crd_error *error) {
    first_record first = no_record(reader->context);
    crd_status status = find_first(reader, error);
    if (status == CRD_OK) status = read_first(reader, &first, error);
    clear_first(reader->context, &first);
    return status;
}

/* The first record again, under the separator that was found. */
static crd_status read_again(crd_reader *reader, crd_error *error) {
    first_record first = no_record(reader->context);
    bool found;
    crd_status status = crd_i_slow_parse_next(&reader->records, &found, error);
    if (status == CRD_OK) status = read_first(reader, &first, error);
    clear_first(reader->context, &first);
    return status;
}

static crd_status reconsider(crd_reader *reader, crd_error *error) {
    crd_i_file_header *heading = &reader->entry->heading;
    if (reader->options.header != CRD_CHOICE_AUTO) return CRD_OK;
    const crd_i_file_header before = *heading;
    heading->names = NULL;
    if (before.has_header) crd_i_slow_parse_again(&reader->records);
    crd_status status = read_again(reader, error);
    crd_i_dictionary_destroy(status == CRD_OK ? before.names : heading->names);
    if (status != CRD_OK) *heading = before;
    return status;
}

static crd_status split(crd_worker *lane, crd_i_cell *cells, crd_error *error) {
    const crd_i_file_header *heading = &lane->entry->heading;
    size_t count;
    crd_status status = crd_i_slow_parse_split(&lane->records, cells, heading->width, &count, error);
    if (status != CRD_OK || count == heading->width) return status;
    status = crd_i_file_header_fail_fields(heading, lane->records.line, count, error);
    if (lane->records.has_tagged_text && heading->separator == ' ')
        crd_i_error_hint(error, "between blanks, all lines have as many words, with a tag for each token or for none; "
                                "separator=tab if blanks are within tokens");
    return status;
}

const crd_i_format crd_i_format_delimited = {
    .code = CRD_FORMAT_DELIMITED,
    .begin = begin,
    .reconsider = reconsider,
    .split = split,
};
