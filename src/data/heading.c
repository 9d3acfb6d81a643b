/* heading.c - entering a file: opening it, and what its first line says. See reader_parts.h. */
#include "data/reader_parts.h"

#include "base/error.h"
#include "base/memory.h"

#include <credence/number.h>

#include <stdio.h>
#include <string.h>

/* More fields than any file has: stops a line of nothing but separators before memory does. */
static const size_t MAX_FIELDS = (size_t)1 << 24;

void crd_i_heading_clear(crd_i_heading *heading) {
    crd_i_dictionary_destroy(heading->names);
    heading->names = NULL;
}

/* At the first byte of the input: a source given or kept is rewound, others are opened anew. */
static crd_status open_input(crd_reader *reader, crd_i_input *input, crd_error *error) {
    if (input->source != NULL) {
        if (reader->frame == NULL) return CRD_OK;
        if (input->source->rewind == NULL) return crd_i_fail(error, CRD_ERROR_KIND, "cannot be read again");
        return input->source->rewind(input->source, error);
    }
    crd_i_source *file = NULL;
    crd_status status = crd_i_source_open(reader->context, input->path, &file, error);
    if (status != CRD_OK) return status;
    status = crd_i_source_decode(reader->context, file, reader->decoders, &input->source, error);
    if (status == CRD_OK) input->can_reread = input->can_reread && input->source->rewind != NULL;
    return status;
}

/* An upper bound of the fields in the record at hand, found without splitting it. */
static size_t most_fields(const crd_i_records *records) {
    const char *bytes = (const char *)records->bytes + records->start;
    if (records->separator == ' ') return records->length / 2 + 1;
    size_t count = 1;
    for (size_t i = 0; i < records->length; i++) count += bytes[i] == records->separator;
    return count;
}

/* Splits the first record into row 0, which also says how many fields there are. */
static crd_status split_first(crd_reader *reader, crd_error *error) {
    crd_i_records *records = &reader->records;
    size_t most = most_fields(records);
    if (most > MAX_FIELDS) {
        crd_i_fail(error, CRD_ERROR_LIMIT, "more than %zu fields in a line", MAX_FIELDS);
        crd_i_error_place(error, NULL, records->line, 0);
        return CRD_ERROR_LIMIT;
    }
    if (!crd_i_reserve(reader->context, &reader->cells, &reader->cells_capacity, most, sizeof *reader->cells) ||
        !crd_i_reserve(reader->context, &reader->lines, &reader->lines_capacity, 1, sizeof *reader->lines)) {
        return crd_i_fail_memory(error);
    }
    reader->lines[0] = records->line;
    return crd_i_records_split(records, reader->cells, most, &reader->heading.width, error);
}

static bool is_all_numbers(const crd_reader *reader) {
    for (size_t field = 0; field < reader->heading.width; field++) {
        double number;
        if (crd_number_parse(crd_i_reader_text(reader, 0, field), &number) == CRD_NUMBER_NONE) return false;
    }
    return true;
}

static crd_status fail_twice(const crd_reader *reader, crd_text name, size_t first, size_t second, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "columns %zu and %zu are both called '%s'", first + 1, second + 1,
               crd_i_quote(name, shown));
    crd_i_error_place(error, NULL, reader->lines[0], second + 1);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

static crd_status name_fields(crd_reader *reader, crd_error *error) {
    crd_i_heading *heading = &reader->heading;
    heading->names = crd_i_dictionary_create(reader->context);
    if (heading->names == NULL) return crd_i_fail_memory(error);
    for (size_t field = 0; field < heading->width; field++) {
        char numbered[24];
        crd_text name = {NULL, 0};
        if (heading->has_header) name = crd_i_reader_text(reader, 0, field);
        if (name.length == 0) {
            name.length = (size_t)snprintf(numbered, sizeof numbered, "c%zu", field + 1);
            name.bytes = numbered;
        }
        int32_t code = crd_i_dictionary_add(heading->names, name);
        if (code < 0) return crd_i_fail_memory(error);
        if ((size_t)code != field) return fail_twice(reader, name, (size_t)code, field, error);
    }
    return CRD_OK;
}

static crd_status read_heading(crd_reader *reader, crd_error *error) {
    crd_i_records *records = &reader->records;
    crd_i_heading *heading = &reader->heading;
    crd_status status = crd_i_detect_text(records, error);
    if (status != CRD_OK) return status;
    heading->separator = reader->options.separator;
    records->separator = crd_i_separator_byte(heading->separator);
    bool found;
    status = crd_i_records_next(records, &found, error);
    if (status != CRD_OK) return status;
    if (!found) return crd_i_fail(error, CRD_ERROR_EMPTY, "the file is empty");
    if (heading->separator == CRD_SEPARATOR_AUTO) {
        crd_text line = {(const char *)records->bytes + records->start, records->length};
        heading->separator = crd_i_detect_separator(line, &reader->missing);
        records->separator = crd_i_separator_byte(heading->separator);
        /* Now that the separator is known, quotes may open elsewhere. */
        crd_i_records_again(records);
        status = crd_i_records_next(records, &found, error);
        if (status != CRD_OK) return status;
    }
    status = split_first(reader, error);
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
        crd_i_records_release(records);
        reader->frame_offset = records->next_offset;
    } else {
        reader->rows = 1;
    }
    return CRD_OK;
}

crd_status crd_i_reader_enter(crd_reader *reader, size_t index, crd_error *error) {
    crd_i_input *left = &reader->inputs[reader->current];
    bool can_reopen = left->path != NULL && strcmp(left->path, "-") != 0;
    if (can_reopen && index != reader->current) {
        crd_i_source_close(left->source);
        left->source = NULL;
    }
    crd_i_input *input = &reader->inputs[index];
    reader->current = index;
    reader->rows = 0;
    reader->frame_offset = 0;
    reader->rows_are_out = false;
    crd_i_heading_clear(&reader->heading);
    memset(&reader->heading, 0, sizeof reader->heading);
    crd_status status = open_input(reader, input, error);
    if (status == CRD_OK) {
        crd_i_records_begin(&reader->records, reader->context, input->source, reader->options.block_bytes);
        status = read_heading(reader, error);
    }
    if (status != CRD_OK) crd_i_reader_place_error(reader, error);
    return status;
}
