/* SPDX-License-Identifier: MIT */
/* delimited.c - rows as fields between commas, semicolons or tabs (RFC 4180), or between runs of blanks. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>

/* An upper bound of the fields in the record at hand, found without splitting it: separators in quotes count too. */
static size_t most_fields(const crd_i_slow_parse *records) {
    const char *bytes = (const char *)records->bytes + records->start;
    bool at_blanks = records->separator == ' ', behind_blank = true;
    size_t count = at_blanks ? 0 : 1;
    for (size_t i = 0; i < records->length; i++) {
        bool separates = bytes[i] == records->separator || (at_blanks && bytes[i] == '\t');
        count += at_blanks ? behind_blank && !separates : separates;
        behind_blank = separates;
    }
    return count;
}

/* The first record, which says how many fields there are, and what the columns are called, if it is the header. It is
 * parsed in a copy, since it may turn out to be a row, and a record can be parsed once only. */
typedef struct first_record {
    crd_i_slow_parse copy;
    crd_i_cell *cells;
} first_record;

static void clear_first(crd_context *context, first_record *first) {
    crd_i_slow_parse_clear(&first->copy);
    crd_free(context, first->cells);
}

static crd_status split_first(crd_reader *reader, first_record *first, crd_error *error) {
    const crd_i_slow_parse *records = &reader->records;
    size_t most = most_fields(records);
    if (most > CRD_I_MAX_FIELDS) return crd_i_file_header_fail_limit(records->line, error);
    first->cells = crd_i_alloc(reader->context, most, sizeof *first->cells);
    if (first->cells == NULL || !crd_i_slow_parse_copy_last(records, &first->copy)) return crd_i_fail_memory(error);
    reader->entry->heading.line = records->line;
    return crd_i_slow_parse_split(&first->copy, first->cells, most, &reader->entry->heading.width, error);
}

static bool is_all_numbers(const crd_i_file_header *heading, const first_record *first) {
    for (size_t field = 0; field < heading->width; field++) {
        double number;
        crd_text text = crd_i_slow_parse_text(&first->copy, first->cells[field]);
        if (crd_i_decimal_parse(text, heading->decimal, &number) == CRD_NUMBER_NONE) return false;
    }
    return true;
}

static crd_status name_fields(crd_reader *reader, const first_record *first, crd_error *error) {
    crd_i_file_header *heading = &reader->entry->heading;
    crd_status status = CRD_OK;
    for (size_t field = 0; field < heading->width && status == CRD_OK; field++) {
        char numbered[24];
        crd_text name = {NULL, 0};
        if (heading->has_header) name = crd_i_slow_parse_text(&first->copy, first->cells[field]);
        if (name.length == 0) {
            name.length = (size_t)snprintf(numbered, sizeof numbered, "c%zu", field + 1);
            name.bytes = numbered;
        }
        status = crd_i_file_header_add_name(reader, name, heading->line, error);
    }
    return status;
}

/* Finds the first record that is not empty, and what separates its fields. */
static crd_status find_first(crd_reader *reader, crd_error *error) {
    crd_i_slow_parse *records = &reader->records;
    crd_i_file_header *heading = &reader->entry->heading;
    heading->separator = reader->options.separator;
    heading->decimal = reader->options.decimal;
    records->separator = crd_i_separator_byte(heading->separator);
    bool found;
    crd_status status = crd_i_slow_parse_next(records, &found, error);
    if (status != CRD_OK) return status;
    if (!found) return crd_i_fail(error, CRD_ERROR_EMPTY, "the file is empty");
    if (heading->separator != CRD_SEPARATOR_AUTO) return CRD_OK;
    crd_text line = {(const char *)records->bytes + records->start, records->length};
    heading->separator = crd_i_detect_separator(line, &reader->missing, heading->decimal);
    records->separator = crd_i_separator_byte(heading->separator);
    /* Now that the separator is known, quotes may open elsewhere. */
    crd_i_slow_parse_again(records);
    return crd_i_slow_parse_next(records, &found, error);
}

static bool has_text(const crd_i_file_header *heading, const first_record *first, crd_text text) {
    for (size_t field = 0; field < heading->width; field++)
        if (crd_text_equal(crd_i_slow_parse_text(&first->copy, first->cells[field]), text)) return true;
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

/* A schema without a header is one of files that have none. Else a file between blanks has none, nor has one whose
 * first record is all numbers, unless these are the names that a schema has. */
static void find_header(const crd_reader *reader, const first_record *first, crd_i_file_header *heading) {
    heading->has_header = heading->assumed_absent = false;
    if (reader->has_schema && !reader->has_header) return;
    bool may_be_header = heading->separator != CRD_SEPARATOR_BLANK;
    bool has_numbers = may_be_header && is_all_numbers(heading, first);
    heading->has_header = (may_be_header && !has_numbers) || has_names_of_schema(reader, first);
    heading->assumed_absent = has_numbers && !heading->has_header;
}

static crd_status read_first(crd_reader *reader, first_record *first, crd_error *error) {
    crd_i_file_header *heading = &reader->entry->heading;
    crd_status status = split_first(reader, first, error);
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
    first_record first = {.copy = {.context = reader->context}};
    crd_status status = find_first(reader, error);
    if (status == CRD_OK) status = read_first(reader, &first, error);
    clear_first(reader->context, &first);
    return status;
}

/* The first record again, under the separator that was found. */
static crd_status read_again(crd_reader *reader, crd_error *error) {
    first_record first = {.copy = {.context = reader->context}};
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
    return crd_i_file_header_fail_fields(heading, lane->records.line, count, error);
}

const crd_i_format crd_i_format_delimited = {
    .code = CRD_FORMAT_DELIMITED,
    .begin = begin,
    .reconsider = reconsider,
    .split = split,
};
