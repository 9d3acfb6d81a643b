/* delimited.c - rows as fields between commas, semicolons or tabs (RFC 4180), or between runs of blanks. */
#include "data/reader_parts.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>

/* An upper bound of the fields in the record at hand, found without splitting it: separators in quotes count too. */
static size_t most_fields(const crd_i_records *records) {
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

/* Splits the first record into row 0, which also says how many fields there are. */
static crd_status split_first(crd_reader *reader, crd_error *error) {
    crd_i_records *records = &reader->records;
    size_t most = most_fields(records);
    if (most > CRD_I_MAX_FIELDS) return crd_i_heading_fail_limit(records->line, error);
    if (!crd_i_reader_reserve(reader, 1, most)) return crd_i_fail_memory(error);
    reader->lines[0] = records->line;
    return crd_i_records_split(records, reader->cells, most, &reader->heading.width, error);
}

static bool is_all_numbers(const crd_reader *reader) {
    for (size_t field = 0; field < reader->heading.width; field++) {
        double number;
        crd_text text = crd_i_reader_text(reader, 0, field);
        if (crd_i_decimal_parse(text, reader->heading.decimal, &number) == CRD_NUMBER_NONE) return false;
    }
    return true;
}

static crd_status name_fields(crd_reader *reader, crd_error *error) {
    crd_i_heading *heading = &reader->heading;
    crd_status status = CRD_OK;
    for (size_t field = 0; field < heading->width && status == CRD_OK; field++) {
        char numbered[24];
        crd_text name = {NULL, 0};
        if (heading->has_header) name = crd_i_reader_text(reader, 0, field);
        if (name.length == 0) {
            name.length = (size_t)snprintf(numbered, sizeof numbered, "c%zu", field + 1);
            name.bytes = numbered;
        }
        status = crd_i_heading_add_name(reader, name, reader->lines[0], error);
    }
    return status;
}

/* Finds the first record that is not empty, and what separates its fields. */
static crd_status find_first(crd_reader *reader, crd_error *error) {
    crd_i_records *records = &reader->records;
    crd_i_heading *heading = &reader->heading;
    heading->separator = reader->options.separator;
    heading->decimal = reader->options.decimal;
    records->separator = crd_i_separator_byte(heading->separator);
    bool found;
    crd_status status = crd_i_records_next(records, &found, error);
    if (status != CRD_OK) return status;
    if (!found) return crd_i_fail(error, CRD_ERROR_EMPTY, "the file is empty");
    if (heading->separator != CRD_SEPARATOR_AUTO) return CRD_OK;
    crd_text line = {(const char *)records->bytes + records->start, records->length};
    heading->separator = crd_i_detect_separator(line, &reader->missing, heading->decimal);
    records->separator = crd_i_separator_byte(heading->separator);
    /* Now that the separator is known, quotes may open elsewhere. */
    crd_i_records_again(records);
    return crd_i_records_next(records, &found, error);
}

static crd_status begin(crd_reader *reader, crd_error *error) {
    crd_i_heading *heading = &reader->heading;
    crd_status status = find_first(reader, error);
    if (status == CRD_OK) status = split_first(reader, error);
    if (status != CRD_OK) return status;
    switch (reader->options.header) {
    case CRD_YES: heading->has_header = true; break;
    case CRD_NO: heading->has_header = false; break;
    case CRD_AUTO:
        heading->has_header = heading->separator != CRD_SEPARATOR_BLANK;
        heading->assumed_absent = heading->has_header && is_all_numbers(reader);
        if (heading->assumed_absent) heading->has_header = false;
        break;
    }
    status = name_fields(reader, error);
    if (status != CRD_OK) return status;
    if (heading->has_header) {
        crd_i_reader_begin_rows(reader);
    } else {
        reader->rows = 1;
    }
    return CRD_OK;
}

static crd_status split(crd_reader *reader, crd_i_cell *cells, crd_error *error) {
    size_t count, width = reader->heading.width;
    crd_status status = crd_i_records_split(&reader->records, cells, width, &count, error);
    if (status != CRD_OK || count == width) return status;
    return crd_i_heading_fail_fields(reader, count, error);
}

const crd_i_format crd_i_format_delimited = {
    .code = CRD_FORMAT_DELIMITED,
    .begin = begin,
    .split = split,
};
