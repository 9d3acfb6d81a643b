/* SPDX-License-Identifier: MIT */
/* delimited.c - rows as fields between separators (RFC 4180), or between runs of spaces.
 *
 * Contents:
 *   1. Dialect
 *   2. Header
 *   3. Skipped lines
 *   4. Format */
#include "table/read/column_names.h"
#include "table/read/detect_dialect.h"
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/selector.h"

#include <string.h>

/* The first record, which determines the number of fields and, if it is the header, the column names. It is parsed
 * in a copy, because it may be a row, and a record can be parsed only once. */
typedef struct first_record {
    crd_i_slow_parse copy;
    crd_i_cell *cells;
    crd_i_first_rows rows; /* this record and the ones after it */
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

static crd_status delimited_split_first(crd_reader *reader, first_record *first, crd_error *error) {
    const crd_i_slow_parse *records = &reader->position.records;
    size_t most = crd_i_slow_parse_most_fields(records);
    if (most > CRD_I_MAX_FIELDS) return crd_i_file_header_fail_limit(records->line, error);
    first->cells = crd_i_alloc(reader->context, most, sizeof *first->cells);
    if (first->cells == NULL || !crd_i_slow_parse_copy_last(records, &first->copy)) return crd_i_fail_memory(error);
    reader->position.entry->header.line = records->line;
    return crd_i_slow_parse_split(&first->copy, first->cells, most, &reader->position.entry->header.width, error);
}

/* Rejects binary data: its first bytes may contain no NUL, but soon contain a control character. */
static crd_status delimited_check_text(const crd_reader *reader, crd_error *error) {
    const crd_i_slow_parse *records = &reader->position.records;
    for (size_t i = 0; i < records->length && !reader->dialect.takes_any_bytes; i++) {
        char byte = (char)records->bytes[records->start + i];
        if (!crd_i_is_control(byte) || byte == records->separator) continue;
        crd_i_fail(
            error, CRD_ERROR_SYNTAX,
            "unexpected control character 0x%02x: this is not a text file, unless the character is its separator",
            (unsigned)(unsigned char)byte);
        crd_i_error_place(error, NULL, records->line, 0);
        return CRD_ERROR_SYNTAX;
    }
    return CRD_OK;
}

static crd_text delimited_text(const first_record *first, size_t field) {
    return crd_i_slow_parse_text(&first->copy, first->cells[field]);
}

/* ======== 1. Dialect ======== */

/* Returns whether rows arrive one by one and may be late: then only one row after the first is inspected. */
static bool is_prompt(const crd_reader *reader) {
    return reader->options.prompt != 0 && !reader->inputs[reader->position.current].can_reread;
}

static crd_i_dialect_rules rules_for(const crd_reader *reader, size_t lines) {
    crd_i_dialect_rules rules = {&reader->missing, reader->options.decimal, is_prompt(reader) ? 1 : lines,
                                 reader->options.tagged_text != 0};
    return rules;
}

/* Number of rows below the first to inspect for the separator. */
enum { LOOKED_AT = 20 };

static crd_i_dialect_rules dialect_rules(const crd_reader *reader) {
    return rules_for(reader, LOOKED_AT);
}

/* Returns the separator given by the options or by a line of the file; '\0': none. */
static char stated_separator(const crd_reader *reader) {
    const char option = reader->options.separator_byte;
    return option != '\0' ? option : reader->position.entry->header.stated_separator;
}

/* Skips a line that declares the separator. It comes first and is not a row. */
static crd_status pass_statement(crd_reader *reader, bool *is_found, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    crd_text line = {(const char *)records->bytes + records->start, records->length};
    char stated = crd_i_detect_stated_separator(line);
    if (stated == '\0' || stated == records->quote) return CRD_OK;
    if (records->separator == '\0') records->separator = stated;
    reader->position.entry->header.stated_separator = stated;
    crd_i_slow_parse_release(records);
    return crd_i_slow_parse_next(records, is_found, error);
}

/* Number of bytes to inspect for quotes around tab-separated fields; for a pipe, the bytes that were already waited
 * for. */
enum { QUOTES_LOOK = 1 << 20, QUOTES_LOOK_OF_PIPE = 1 << 16 };

/* Returns whether the first line has a tab. */
static bool has_tab(const crd_i_slow_parse *records) {
    const char *bytes = crd_i_slow_parse_bytes(records);
    size_t length = records->end - records->kept;
    const char *end = length == 0 ? NULL : memchr(bytes, '\n', length);
    size_t line = end == NULL ? length : (size_t)(end - bytes);
    return line > 0 && memchr(bytes, '\t', line) != NULL;
}

/* Detects whether quotes in tab-separated texts enclose nothing, unless the quote character is given. */
static crd_status look_at_quotes(crd_reader *reader, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    char separator = stated_separator(reader);
    if (reader->dialect.has_quote || (separator != '\t' && separator != '\0')) return CRD_OK;
    if (reader->dialect.has_literal_quotes)
        records->quote = '\0'; /* unless another separator is found: restore_quotes */
    /* Rows that arrive one by one cannot be inspected ahead. */
    if (reader->dialect.has_literal_quotes || reader->options.prompt) return CRD_OK;
    crd_status status = crd_i_slow_parse_peek(records, QUOTES_LOOK_OF_PIPE, error);
    if (status != CRD_OK || !has_tab(records)) return status;
    if (reader->inputs[reader->position.current].can_reread)
        status = crd_i_slow_parse_peek(records, QUOTES_LOOK, error);
    if (status != CRD_OK) return status;
    crd_text beginning = {crd_i_slow_parse_bytes(records), records->end - records->kept};
    if (crd_i_detect_literal_quotes(beginning, records->at_end, records->quote)) {
        if (reader->position.current == 0) reader->dialect.has_literal_quotes = true; /* for the other files too */
        records->quote = '\0';
    }
    return CRD_OK;
}

/* Restores the quote character if fields turn out not to be tab-separated. */
static bool restore_quotes(crd_reader *reader) {
    crd_i_slow_parse *records = &reader->position.records;
    if (records->separator == '\t' || records->separator == '\0' || records->quote == reader->options.quote)
        return false;
    records->quote = reader->options.quote;
    return true;
}

/* Finds the first non-empty record and its separator. */
static crd_status delimited_find_first(crd_reader *reader, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    crd_i_file_header *header = &reader->position.entry->header;
    header->decimal = reader->options.decimal;
    records->separator = stated_separator(reader);
    bool is_found = false;
    crd_status status = look_at_quotes(reader, error);
    if (status == CRD_OK) status = crd_i_slow_parse_next(records, &is_found, error);
    if (status == CRD_OK && is_found) status = pass_statement(reader, &is_found, error);
    if (status != CRD_OK) return status;
    if (!is_found) return crd_i_fail(error, CRD_ERROR_EMPTY, "the file is empty");
    crd_i_dialect_rules rules = dialect_rules(reader);
    const bool is_known = records->separator != '\0';
    if (!is_known) status = crd_i_detect_separator(records, &rules, error);
    if (status == CRD_OK && rules.are_tokens && records->separator == '\t')
        status = crd_i_detect_tabs(records, &rules, &records->has_comments, error);
    if (status != CRD_OK) return status;
    if (restore_quotes(reader) || !is_known || records->has_comments) {
        /* Now that the separator is known, quotes may open elsewhere. */
        crd_i_slow_parse_again(records);
        status = crd_i_slow_parse_next(records, &is_found, error);
    }
    header->separator = records->separator;
    return status;
}

/* ======== 2. Header ======== */

static crd_text delimited_cell(const void *first, size_t field) {
    return delimited_text(first, field);
}

static crd_i_header_cells delimited_cells(const crd_reader *reader, const first_record *first) {
    crd_i_header_cells cells = {first, reader->position.entry->header.width, delimited_cell};
    return cells;
}

static bool delimited_has_cell(const crd_i_header_cells *cells, crd_text text) {
    bool has = false;
    for (size_t field = 0; !has && field < cells->count; field++)
        has = crd_text_equal(cells->text(cells->owner, field), text);
    return has;
}

/* Returns the name of a schema column in files. */
static crd_text name_in_schema(const void *owner, size_t i) {
    const crd_reader *reader = owner;
    return reader->columns[i].source.bytes != NULL ? reader->columns[i].source : reader->columns[i].name;
}

static crd_text name_in_first_file(const void *owner, size_t i) {
    return crd_reader_column_name(owner, i);
}

static crd_text name_expected(const void *owner, size_t i) {
    const crd_reader *reader = owner;
    const crd_text selector = reader->dialect.selectors[i], none = {"", 0};
    return crd_i_selector_is_place(selector, reader->position.entry->header.width) ? none : selector;
}

/* Returns whether a schema, or the first file, defines column names. */
static bool has_known_names(const crd_reader *reader) {
    if (reader->binding.has_schema) return reader->binding.has_header;
    return reader->position.current > 0 && reader->first.has_header && reader->first.names != NULL;
}

/* Returns the names that a header of the current file should contain. */
static crd_i_wanted_names wanted_names(const crd_reader *reader) {
    crd_i_wanted_names names = {reader, reader->dialect.selector_count, name_expected};
    if (!has_known_names(reader)) return names;
    names.count = reader->binding.has_schema ? reader->column_count : reader->first.width;
    names.name = reader->binding.has_schema ? name_in_schema : name_in_first_file;
    return names;
}

/* Returns whether the record contains a known name. If names are numbers, which may be values, all required names
 * must be there. */
static bool has_known_name(const crd_reader *reader, const crd_i_header_cells *cells) {
    const crd_i_wanted_names names = wanted_names(reader);
    bool has_all = true;
    size_t needed = 0;
    for (size_t i = 0; i < names.count; i++) {
        double number;
        const crd_text name = names.name(names.owner, i);
        const bool has = name.length > 0 && delimited_has_cell(cells, name);
        if (has && crd_i_decimal_parse(name, reader->options.decimal, &number) == CRD_NUMBER_NONE) return true;
        if (reader->binding.has_schema && (i == reader->target || i == reader->weight)) continue;
        has_all = has_all && has;
        needed++;
    }
    return has_all && needed > 0;
}

/* Returns what the caller's selectors show about the header. A name takes precedence over a position. */
static crd_i_selector_clue find_clue(const crd_reader *reader, const crd_i_header_cells *cells) {
    crd_i_selector_clue selector = CRD_I_CLUE_NONE;
    for (size_t i = 0; i < reader->dialect.selector_count && selector != CRD_I_CLUE_NAME; i++) {
        const crd_i_selector_clue clue = crd_i_detect_clue(cells, reader->dialect.selectors[i]);
        if (clue != CRD_I_CLUE_NONE) selector = clue;
    }
    return selector;
}

/* The decision about the first record. */
typedef struct header_choice {
    bool has_header;
    bool is_found_absent; /* the records show it, and the caller did not */
    crd_i_title_find title;
} header_choice;

static crd_i_title_search title_search(const crd_reader *reader) {
    crd_i_title_search search = {stated_separator(reader), reader->position.records.quote, is_prompt(reader)};
    return search;
}

/* Finds a later line that has the names, if the first record has none of them. */
static crd_status find_title(crd_reader *reader, crd_i_title_find *title, crd_error *error) {
    const crd_i_wanted_names names = wanted_names(reader);
    const crd_i_title_search search = title_search(reader);
    if (names.count == 0 || reader->options.tagged_text != 0) return CRD_OK;
    return crd_i_title_find_header(&reader->position.records, &search, &names, title, error);
}

/* Stores a line that may be the header, for the error about a name that is not found. */
static void suggest_line(crd_reader *reader, const crd_i_title_find *title) {
    if (title->line == 0 || reader->position.current > 0) return;
    reader->suggested_line = title->line;
    crd_i_quote(title->name, reader->suggested_name);
}

/* Decides by the rows, for a file for which neither a schema nor an earlier file defines column names. */
static crd_status choose_by_rows(crd_reader *reader, const first_record *first, const crd_i_header_cells *cells,
                                 header_choice *choice, crd_error *error) {
    const crd_i_dialect_rules rules = rules_for(reader, CRD_I_HEADER_LINES);
    const crd_i_selector_clue clue = find_clue(reader, cells);
    const bool is_tagged = reader->options.tagged_text != 0;
    choice->has_header = clue == CRD_I_CLUE_NAME;
    if (choice->has_header || is_tagged) return CRD_OK;
    const crd_i_header_votes votes = crd_i_detect_header(&first->rows, &rules);
    const bool shows_names = votes.names > votes.data, shows_data = votes.data > votes.names;
    const bool are_numbers = crd_i_detect_all_numbers(&first->rows, &rules);
    const bool follows_rows = reader->position.current > 0 && !reader->first.has_header;
    if (clue != CRD_I_CLUE_NO_NAMES && !are_numbers) {
        crd_i_title_find title = {.line = 0};
        crd_status status = find_title(reader, &title, error);
        if (status == CRD_OK && title.line == 0 && !shows_names) {
            const crd_i_title_search search = title_search(reader);
            status = crd_i_title_find_table(&reader->position.records, &search, &rules, &title, error);
        }
        if (status != CRD_OK) return status;
        if (title.follows_title) choice->title = title;
        else if (!shows_names) suggest_line(reader, &title);
    }
    const bool is_row_else = clue == CRD_I_CLUE_NO_NAMES || are_numbers || follows_rows;
    choice->has_header = shows_names || (!shows_data && !is_row_else);
    choice->is_found_absent = !choice->has_header;
    return CRD_OK;
}

static crd_status choose_header(crd_reader *reader, const first_record *first, header_choice *choice,
                                crd_error *error) {
    const crd_i_dialect_rules rules = rules_for(reader, CRD_I_HEADER_LINES);
    const crd_i_header_cells cells = delimited_cells(reader, first);
    if (reader->binding.has_schema && !reader->binding.has_header) return CRD_OK;
    if (!has_known_names(reader)) return choose_by_rows(reader, first, &cells, choice, error);
    choice->has_header = has_known_name(reader, &cells);
    if (reader->options.tagged_text != 0) return CRD_OK;
    choice->is_found_absent = !choice->has_header && crd_i_detect_all_numbers(&first->rows, &rules);
    if (choice->has_header || choice->is_found_absent) return CRD_OK;
    crd_i_title_find title = {.line = 0};
    crd_status status = find_title(reader, &title, error);
    if (status != CRD_OK || title.follows_title) {
        choice->title = title;
        return status;
    }
    if (!reader->binding.has_schema) return choose_by_rows(reader, first, &cells, choice, error);
    const crd_i_header_votes votes = crd_i_detect_header(&first->rows, &rules);
    reader->position.entry->header.shows_names = votes.names > votes.data;
    if (votes.names <= votes.data) suggest_line(reader, &title);
    choice->has_header = true; /* with other columns, which is an error */
    return CRD_OK;
}

static void warn_of_row_names(crd_reader *reader) {
    crd_i_input *input = &reader->inputs[reader->position.current];
    const crd_i_file_header *header = &reader->position.entry->header;
    char shown[CRD_I_QUOTED_ROOM];
    if (input->warned_of_row_names || !(header->has_row_names || header->has_end_separator)) return;
    input->warned_of_row_names = true;
    crd_text name = crd_i_dictionary_text(header->names, header->has_row_names ? 0 : header->width - 1);
    if (header->has_end_separator)
        crd_i_context_log(reader->context, CRD_LOG_NOTE, CRD_LOG_ROW_NAMES, name,
                          "%s: rows end with a separator, but the header does not: the empty last field is ignored",
                          input->place);
    else
        crd_i_context_log(reader->context, CRD_LOG_NOTE, CRD_LOG_ROW_NAMES, name,
                          "%s: rows have one field more than the header: the first field is treated as row names, and "
                          "ignored as '%s'",
                          input->place, crd_i_quote(name, shown));
}

static crd_status delimited_name_fields(crd_reader *reader, first_record *first, crd_error *error) {
    crd_i_file_header *header = &reader->position.entry->header;
    const crd_text none = {"", 0};
    header->has_row_names =
        header->has_header && crd_i_detect_row_names(&first->rows) && crd_i_detect_named_rows(&first->rows);
    header->has_end_separator = header->has_header && crd_i_detect_end_separator(&first->rows);
    bool done = !header->has_row_names || crd_i_column_names_add(&first->names, none);
    for (size_t field = 0; field < header->width && done; field++)
        done = crd_i_column_names_add(&first->names, header->has_header ? delimited_text(first, field) : none);
    if (done && header->has_end_separator) done = crd_i_column_names_add(&first->names, none);
    if (!done) return crd_i_fail_memory(error);
    header->width += header->has_row_names || header->has_end_separator;
    crd_status status = crd_i_column_names_settle(&first->names, reader, header->line, error);
    if (status == CRD_OK) warn_of_row_names(reader);
    return status;
}

/* Reads the first record and detects whether it is the header, unless that is known. If a later line is the header,
 * sets choice->title to that line and does nothing else. */
static crd_status read_first(crd_reader *reader, first_record *first, header_choice *choice, crd_error *error) {
    crd_i_file_header *file = &reader->position.entry->header;
    const bool is_stated = reader->options.header != CRD_CHOICE_AUTO || reader->options.header_line > 0;
    const bool is_known = choice->has_header || is_stated;
    const crd_i_dialect_rules rules = rules_for(reader, is_known ? LOOKED_AT : CRD_I_HEADER_LINES);
    crd_status status = delimited_check_text(reader, error);
    if (status == CRD_OK) status = delimited_split_first(reader, first, error);
    if (status == CRD_OK && reader->options.header != CRD_CHOICE_NO)
        status = crd_i_detect_first_rows(&reader->position.records, &rules, &first->rows, error);
    if (status == CRD_OK && !is_known) status = choose_header(reader, first, choice, error);
    if (status != CRD_OK || choice->title.line > 0) return status;
    file->has_header = is_stated ? reader->options.header != CRD_CHOICE_NO : choice->has_header;
    file->assumed_absent = choice->is_found_absent;
    status = delimited_name_fields(reader, first, error);
    if (status == CRD_OK && !file->has_header) crd_i_slow_parse_again(&reader->position.records);
    return status;
}

static void note_title(crd_reader *reader, uint64_t line) {
    crd_i_input *input = &reader->inputs[reader->position.current];
    const crd_text none = {"", 0};
    if (input->warned_of_title) return;
    input->warned_of_title = true;
    crd_i_context_log(reader->context, CRD_LOG_NOTE, CRD_LOG_LINES_SKIPPED, none,
                      "%s: line %llu is the header: the lines before it are skipped", input->place,
                      (unsigned long long)line);
}

/* Skips from the latest record to the line that is the header. */
static crd_status pass_title(crd_reader *reader, const crd_i_title_find *title, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    crd_i_slow_parse_again(records);
    crd_i_slow_parse_release(records);
    crd_i_slow_parse_skip(records, title->bytes);
    records->next_line = records->scan_line = title->line;
    note_title(reader, title->line);
    return delimited_find_first(reader, error);
}

/* Reads the header from the latest record, which is the first one. */
static crd_status delimited_read_header(crd_reader *reader, crd_error *error) {
    header_choice choice = {.has_header = false};
    crd_status status = CRD_OK;
    for (bool is_read = false; status == CRD_OK && !is_read;) {
        first_record first = no_record(reader->context);
        status = read_first(reader, &first, &choice, error);
        clear_first(reader->context, &first);
        is_read = status != CRD_OK || choice.title.line == 0;
        if (!is_read) status = pass_title(reader, &choice.title, error);
        choice = (header_choice){.has_header = true};
    }
    return status;
}

/* ======== 3. Skipped lines ======== */

/* Skips a line of any length; the first may declare the separator. *is_found is false if there is none. */
static crd_status skip_line(crd_reader *reader, bool is_first, bool *is_found, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    *is_found = false;
    for (bool is_whole = true;; is_whole = false) {
        crd_status status = crd_i_slow_parse_peek(records, 1, error);
        const size_t held = records->end - records->kept;
        if (status != CRD_OK || held == 0) return status;
        const char *bytes = crd_i_slow_parse_bytes(records), *end = memchr(bytes, '\n', held);
        const size_t length = end == NULL ? held : (size_t)(end - bytes);
        crd_text line = {bytes, length > 0 && bytes[length - 1] == '\r' ? length - 1 : length};
        if (is_first && is_whole) reader->position.entry->header.stated_separator = crd_i_detect_stated_separator(line);
        *is_found = true;
        crd_i_slow_parse_skip(records, length + (end != NULL));
        if (end != NULL) return CRD_OK;
    }
}

static crd_status skip_lines(crd_reader *reader, crd_error *error) {
    crd_i_slow_parse *records = &reader->position.records;
    const uint64_t header_line = reader->options.header_line;
    const uint64_t lines = header_line > 0 ? header_line - 1 : reader->options.skip_lines;
    bool is_found = true;
    crd_status status = CRD_OK;
    for (uint64_t line = 0; status == CRD_OK && is_found && line < lines; line++) {
        status = skip_line(reader, line == 0, &is_found, error);
        if (status == CRD_OK && is_found) records->next_line = records->scan_line = line + 2;
    }
    if (status == CRD_OK && lines > 0) status = crd_i_slow_parse_peek(records, 1, error);
    if (status != CRD_OK || records->end > records->kept || lines == 0) return status;
    return crd_i_fail(error, CRD_ERROR_EMPTY, "no lines after the first %llu line%s, which are skipped",
                      (unsigned long long)lines, lines == 1 ? "" : "s");
}

/* ======== 4. Format ======== */

static crd_status delimited_begin(crd_reader *reader, crd_error *error) {
    crd_status status = skip_lines(reader, error);
    if (status == CRD_OK) status = delimited_find_first(reader, error);
    return status == CRD_OK ? delimited_read_header(reader, error) : status;
}

static crd_status delimited_reconsider(crd_reader *reader, crd_error *error) {
    crd_i_file_header *file = &reader->position.entry->header;
    bool is_found;
    if (reader->options.header != CRD_CHOICE_AUTO || reader->options.header_line > 0) return CRD_OK;
    const crd_i_file_header before = *file;
    file->names = NULL;
    if (before.has_header) crd_i_slow_parse_again(&reader->position.records);
    crd_status status = crd_i_slow_parse_next(&reader->position.records, &is_found, error);
    if (status == CRD_OK) status = delimited_read_header(reader, error);
    crd_i_dictionary_destroy(status == CRD_OK ? before.names : file->names);
    if (status != CRD_OK) *file = before;
    return status;
}

static crd_status delimited_split(crd_worker *worker, crd_i_cell *cells, crd_error *error) {
    const crd_i_file_header *header = &worker->entry->header;
    size_t count;
    crd_status status = crd_i_slow_parse_split(&worker->records, cells, header->width, &count, error);
    if (status != CRD_OK) return status;
    if (header->has_end_separator && count + 1 == header->width)
        cells[count++] = (crd_i_cell){0, 0, CRD_I_CELL_MISSING};
    if (count == header->width && !(header->has_end_separator && cells[count - 1].length > 0)) return CRD_OK;
    status = crd_i_file_header_fail_fields(header, worker->records.line, count, error);
    if (worker->records.has_tagged_text && header->separator == ' ')
        crd_i_error_hint(error, "if fields are separated by spaces, each line must have the same number of words, and "
                                "all tokens or none must have a tag; use separator=tab if tokens contain spaces");
    else if (count >= header->width && header->separator == ',')
        crd_i_error_hint(error, "quote numbers and texts that contain a comma, or skip such rows with bad_rows=skip");
    return status;
}

const crd_i_format crd_i_format_delimited = {
    .code = CRD_FORMAT_DELIMITED,
    .begin = delimited_begin,
    .reconsider = delimited_reconsider,
    .split = delimited_split,
};
