/* SPDX-License-Identifier: MIT */
/* file_header.c - enters a file: opens it, detects its format, and collects its column declarations. See
 * reader_internal.h. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* ---- Headings ---- */

void crd_i_file_header_clear(crd_context *context, crd_i_file_header *header) {
    crd_i_dictionary_destroy(header->names);
    for (size_t i = 0; i < header->declared_count; i++) crd_i_dictionary_destroy(header->declared[i].values);
    crd_free(context, header->declared);
    memset(header, 0, sizeof *header);
}

crd_status crd_i_file_header_fail_limit(uint64_t line, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_LIMIT, "more than %zu columns", CRD_I_MAX_FIELDS);
    crd_i_error_place(error, NULL, line, 0);
    return CRD_ERROR_LIMIT;
}

crd_status crd_i_reader_fail_encoding(const crd_reader *reader, const char *description, crd_text text,
                                      crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    const char *encoding = reader->dialect.encoding[0] == '\0' ? "UTF-8" : reader->dialect.encoding;
    crd_i_fail(error, CRD_ERROR_SYNTAX, "%s is not valid %s: '%s'", description, encoding, crd_i_quote(text, shown));
    if (reader->batches.source == NULL && reader->dialect.encoding[0] == '\0')
        crd_i_error_hint(error, "use encoding=%s if the file has this encoding", crd_i_utf8_guess_encoding(text));
    return CRD_ERROR_SYNTAX;
}

/* Fails because two columns, numbered from 0, have the same name. */
static crd_status file_header_fail_twice(crd_text name, size_t first, size_t second, uint64_t line, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "columns %zu and %zu are both called '%s'", first + 1, second + 1,
               crd_i_quote(name, shown));
    crd_i_error_place(error, NULL, line, second + 1);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

static crd_status file_header_add_name(crd_reader *reader, crd_text name, uint64_t line, crd_error *error) {
    crd_i_file_header *header = &reader->position.entry->header;
    if (header->names == NULL) {
        header->names = crd_i_dictionary_create(reader->context);
        if (header->names == NULL) return crd_i_fail_memory(error);
    }
    size_t field = crd_i_dictionary_size(header->names);
    if (field >= CRD_I_MAX_FIELDS) return crd_i_file_header_fail_limit(line, error);
    int32_t code = crd_i_dictionary_add(header->names, name);
    if (code < 0) return crd_i_fail_memory(error);
    return (size_t)code == field ? CRD_OK : file_header_fail_twice(name, (size_t)code, field, line, error);
}

crd_status crd_i_file_header_add_name(crd_reader *reader, crd_text name, uint64_t line, crd_error *error) {
    if (reader->dialect.takes_any_bytes || crd_i_utf8_is_valid(name))
        return file_header_add_name(reader, name, line, error);
    const crd_i_dictionary *names = reader->position.entry->header.names;
    size_t field = names == NULL ? 1 : crd_i_dictionary_size(names) + 1;
    char what[64];
    snprintf(what, sizeof what, "the name of column %zu", field);
    crd_status status = crd_i_reader_fail_encoding(reader, what, name, error);
    crd_i_error_place(error, NULL, line, field);
    return status;
}

crd_status crd_i_file_header_add_column(crd_reader *reader, crd_text name, crd_error *error) {
    return file_header_add_name(reader, name, reader->position.entry->header.line, error);
}

crd_i_declared *crd_i_file_header_declare(crd_reader *reader) {
    crd_i_file_header *header = &reader->position.entry->header;
    if (!crd_i_reserve(reader->context, &header->declared, &header->declared_capacity, header->declared_count + 1,
                       sizeof *header->declared)) {
        return NULL;
    }
    crd_i_declared *declared = &header->declared[header->declared_count++];
    memset(declared, 0, sizeof *declared);
    return declared;
}

crd_i_cell crd_i_file_header_left_out(const crd_i_file_header *header, size_t field) {
    const crd_i_declared *declared = header->declared == NULL ? NULL : &header->declared[field];
    bool has_default = declared != NULL && (declared->type == CRD_TYPE_NUMERIC || declared->values != NULL);
    const crd_i_cell missing = {0, 0, CRD_I_CELL_MISSING}, left_out = {(uint32_t)field, 0, CRD_I_CELL_DEFAULT};
    return has_default ? left_out : missing;
}

crd_text crd_i_file_header_default(const crd_i_file_header *header, size_t field) {
    const crd_i_declared *declared = &header->declared[field];
    return declared->values != NULL ? crd_i_dictionary_text(declared->values, 0) : crd_text_of("0");
}

crd_status crd_i_file_header_fail_fields(const crd_i_file_header *header, uint64_t line, size_t found,
                                         crd_error *error) {
    const char *plural = found == 1 ? "" : "s";
    if (header->has_row_names)
        crd_i_fail(error, CRD_ERROR_SYNTAX, "%zu field%s instead of %zu as in the other rows", found, plural,
                   header->width);
    else
        crd_i_fail(error, CRD_ERROR_SYNTAX, "%zu field%s instead of %zu as in the %s", found, plural,
                   header->width - header->has_end_separator, header->has_header ? "header" : "first row");
    crd_i_error_place(error, NULL, line, 0);
    return CRD_ERROR_SYNTAX;
}

/* ---- Entries ---- */

void crd_i_entry_release(crd_context *context, crd_i_entry *entry) {
    if (entry == NULL || --entry->users > 0) return;
    crd_i_file_header_clear(context, &entry->header);
    for (size_t i = 0; entry->declared != NULL && i < entry->column_count; i++) {
        crd_i_dictionary_destroy(entry->declared[i]);
    }
    crd_free(context, entry->declared);
    crd_free(context, entry->fields);
    crd_free(context, entry->readings);
    crd_free(context, entry->first_fields);
    crd_free(context, entry->columns);
    crd_free(context, entry);
}

/* Copies the declared values. Later files may add declared values, but rows of this file must keep a snapshot. */
static bool file_header_copy_declared(const crd_reader *reader, crd_i_entry *entry) {
    if (reader->binding.is_bound || reader->input_count == 1) return true;
    entry->declared = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *entry->declared);
    if (entry->declared == NULL) return false;
    entry->column_count = reader->column_count;
    for (size_t i = 0; i < reader->column_count; i++) {
        if (reader->columns[i].declared == NULL) continue;
        entry->declared[i] = crd_i_dictionary_clone(reader->columns[i].declared);
        if (entry->declared[i] == NULL) return false;
    }
    return true;
}

static bool file_header_list_columns(const crd_reader *reader, crd_i_entry *entry) {
    entry->columns = crd_i_alloc(reader->context, entry->header.width, sizeof *entry->columns);
    if (entry->columns == NULL) return false;
    for (size_t field = 0; field < entry->header.width; field++) entry->columns[field] = -1;
    for (size_t i = reader->column_count; i-- > 0;)
        if (entry->fields[i] != SIZE_MAX) entry->columns[entry->fields[i]] = (int32_t)i;
    return true;
}

crd_status crd_i_entry_settle(crd_reader *reader, crd_error *error) {
    crd_i_entry *entry = reader->position.entry;
    entry->fields = crd_i_alloc(reader->context, reader->column_count, sizeof *entry->fields);
    entry->readings = crd_i_alloc(reader->context, reader->column_count, sizeof *entry->readings);
    if (entry->fields == NULL || entry->readings == NULL || !file_header_copy_declared(reader, entry))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < reader->column_count; i++) {
        entry->fields[i] = reader->columns[i].field;
        entry->readings[i] = reader->columns[i].reading;
    }
    if (entry->header.format != NULL && entry->header.format->split_sparse != NULL &&
        !file_header_list_columns(reader, entry))
        return crd_i_fail_memory(error);
    reader->position.records.resyncs = reader->options.bad_row != NULL;
    crd_i_shard_enter(reader);
    return CRD_OK;
}

/* ---- Entering ---- */

enum { LEAST_LOOK = 16 }; /* number of bytes to wait for, also from a pipe */

/* Returns the first bytes of the input's source, which is at its first byte. */
static crd_status file_header_peek(crd_reader *reader, crd_i_input *input, crd_text *first, crd_error *error) {
    crd_i_source *bytes = input->source;
    input->source = NULL;
    return crd_i_source_peek(reader->context, bytes, input->can_reread ? CRD_I_ENCODING_LOOK : LEAST_LOOK, first,
                             &input->source, error);
}

/* Wraps the source to convert it to UTF-8. A byte order mark overrides a declared encoding, because no text begins
 * with one by chance. */
static crd_status decode_text(crd_reader *reader, crd_i_input *input, crd_text first, crd_error *error) {
    size_t mark;
    const char *encoding = crd_i_encoding_detect(first, &mark);
    if (encoding == NULL || (mark == 0 && reader->dialect.has_encoding)) encoding = reader->dialect.encoding;
    if (reader->dialect.takes_any_bytes || encoding[0] == '\0') return CRD_OK;
    crd_i_source *bytes = input->source;
    input->source = NULL;
    return crd_i_source_transcode(reader->context, bytes, encoding, mark, &input->source, error);
}

static crd_format wanted_format(const crd_reader *reader) {
    const crd_reader_options *options = &reader->options;
    bool is_delimited = options->separator != CRD_SEPARATOR_AUTO || options->skip_lines > 0 || options->header_line > 0;
    return options->format == CRD_FORMAT_AUTO && is_delimited ? CRD_FORMAT_DELIMITED : options->format;
}

/* Wraps the source so that JSON objects over several lines become single lines. In tagged text, a brace at the start
 * of a line is a token. */
static crd_status decode_json(crd_reader *reader, crd_i_input *input, crd_text first, crd_error *error) {
    static const char MARK[] = "\xEF\xBB\xBF";
    size_t mark =
        first.length >= sizeof MARK - 1 && memcmp(first.bytes, MARK, sizeof MARK - 1) == 0 ? sizeof MARK - 1 : 0;
    crd_text text = {first.bytes + mark, first.length - mark};
    crd_format wanted = wanted_format(reader);
    bool may_be = wanted == CRD_FORMAT_AUTO && !reader->options.tagged_text;
    bool is_it = wanted == CRD_FORMAT_JSON || (may_be && crd_i_json_objects_recognize(text));
    if (!is_it) return CRD_OK;
    crd_i_source *bytes = input->source;
    input->source = NULL;
    return crd_i_source_json_objects(reader->context, bytes, &input->source, error);
}

static crd_status file_header_decode(crd_reader *reader, crd_i_input *input, crd_error *error) {
    crd_text first;
    crd_status status = file_header_peek(reader, input, &first, error);
    const crd_i_source *plain = input->source;
    if (status == CRD_OK) status = decode_text(reader, input, first, error);
    if (status == CRD_OK && input->source != plain) status = file_header_peek(reader, input, &first, error);
    return status == CRD_OK ? decode_json(reader, input, first, error) : status;
}

static crd_status file_header_keep(crd_reader *reader, crd_i_input *input, crd_error *error) {
    crd_i_source *pipe = input->source;
    crd_status status = crd_i_source_keep(reader->context, pipe, &input->source, error);
    input->keeper = input->source;
    return status;
}

void crd_i_reader_keep_pipes(crd_reader *reader, bool is_wanted) {
    if (reader->batches.source != NULL || reader->pass.is_keeping_decided) return;
    reader->pass.is_keeping_decided = true;
    reader->pass.keeps_no_pipes = !is_wanted;
    for (size_t i = 0; i < reader->input_count; i++) {
        crd_i_input *input = &reader->inputs[i];
        if (is_wanted) {
            input->can_reread = true;
        } else if (input->keeper != NULL) {
            crd_i_source_stop_keeping(input->keeper);
            input->keeper = NULL;
        }
    }
}

/* Moves to the first byte of the input. Rewinds a source that was given or stays open, and opens other sources
 * again. */
static crd_status file_header_open_input(crd_reader *reader, crd_i_input *input, crd_error *error) {
    bool is_untouched = !input->is_entered;
    input->is_entered = true;
    if (input->source != NULL && !is_untouched) {
        if (input->source->rewind == NULL) return crd_i_fail(error, CRD_ERROR_TYPE, "cannot be read again");
        return input->source->rewind(input->source, error);
    }
    crd_status status = CRD_OK;
    if (input->source == NULL) {
        crd_i_source *file = NULL;
        status = crd_i_source_open(reader->context, input->path, &file, error);
        if (status == CRD_OK)
            status = crd_i_source_decode(reader->context, file, crd_i_decoders, &input->source, error);
        input->file = file;
    }
    if (status == CRD_OK && input->source->rewind == NULL && !reader->pass.keeps_no_pipes)
        status = file_header_keep(reader, input, error);
    if (status == CRD_OK) status = file_header_decode(reader, input, error);
    if (status != CRD_OK) {
        input->file = NULL;
        input->keeper = NULL;
        return status;
    }
    /* Workers read this without a lock, so write it only if the file was replaced after it was inspected. */
    if (input->source->rewind == NULL && input->can_reread) input->can_reread = false;
    return CRD_OK;
}

enum { BLOCK_BYTES = 64 * 1024 }; /* bytes per read, up to the first row */

static void begin_records(crd_reader *reader) {
    crd_i_source *source = reader->inputs[reader->position.current].source;
    size_t block = reader->options.block_bytes > 0 ? reader->options.block_bytes : BLOCK_BYTES;
    crd_i_slow_parse_begin(&reader->position.records, reader->context, source, block);
    reader->position.records.max_record = reader->options.max_record;
    reader->position.records.quote = reader->options.quote;
    reader->position.records.has_tagged_text = reader->options.tagged_text != 0;
}

crd_status crd_i_reader_return(crd_reader *reader, crd_error *error) {
    crd_i_source *source = reader->inputs[reader->position.current].source;
    crd_status status = source->rewind(source, error);
    if (status != CRD_OK) return status;
    begin_records(reader);
    return crd_i_detect_text(&reader->position.records, true, error);
}

static crd_status read_heading(crd_reader *reader, crd_error *error) {
    crd_format wanted = wanted_format(reader);
    if (wanted == CRD_FORMAT_JSON) wanted = CRD_FORMAT_JSON_LINES; /* the source was converted to JSON Lines */
    reader->position.entry->header.decimal = '.';
    crd_status status =
        crd_i_detect_text(&reader->position.records, reader->inputs[reader->position.current].can_reread, error);
    if (status == CRD_OK)
        status = crd_i_format_find(&reader->position.records, wanted, &reader->position.entry->header.format, error);
    if (status == CRD_OK) status = reader->position.entry->header.format->begin(reader, error);
    return status;
}

crd_status crd_i_reader_enter(crd_reader *reader, size_t index, crd_error *error) {
    crd_i_input *left = &reader->inputs[reader->position.current];
    bool can_reopen = left->path != NULL && strcmp(left->path, "-") != 0 && left->keeper == NULL;
    if (can_reopen && index != reader->position.current) {
        crd_i_source_close(left->source);
        left->source = NULL;
        left->file = NULL;
    }
    crd_i_input *input = &reader->inputs[index];
    reader->position.current = index;
    crd_i_entry_release(reader->context, reader->position.entry);
    reader->position.entry = crd_i_alloc_zeroed(reader->context, 1, sizeof *reader->position.entry);
    if (reader->position.entry == NULL) return crd_i_fail_memory(error);
    reader->position.entry->users = 1;
    reader->position.entry->input = index;
    reader->position.is_entry_fresh = true;
    crd_status status;
    if (reader->batches.source != NULL) {
        status = crd_i_batches_enter(reader, input->is_entered, error);
        input->is_entered = true;
    } else {
        status = file_header_open_input(reader, input, error);
        if (status == CRD_OK) {
            begin_records(reader);
            status = read_heading(reader, error);
        }
    }
    if (status != CRD_OK) crd_i_reader_place_error(reader, error);
    return status;
}
