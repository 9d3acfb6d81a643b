/* SPDX-License-Identifier: MIT */
/* reader.c - opens data files and configures their columns. reader_internal.h lists the other files of this module.
 *
 * Contents:
 *   1. Opening
 *   2. Column settings
 *   3. First frame */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

enum { MOST_BLOCK_BYTES = 64 * 1024 * 1024 };

void crd_i_reader_place_error(const crd_reader *reader, crd_error *error) {
    if (error == NULL) return;
    crd_i_error_place(error, reader->inputs[reader->position.current].place, error->line, error->field);
}

/* ======== 1. Opening ======== */

/* Sets the separator and quote bytes from the options; NUL means none. */
static crd_status take_dialect(crd_reader_options *given, crd_error *error) {
    if (given->separator != CRD_SEPARATOR_OTHER) given->separator_byte = crd_i_separator_byte(given->separator);
    else if (given->separator_byte != '\0') given->separator = crd_i_separator_of_byte(given->separator_byte);
    if (given->quote == '\0') given->quote = '"';
    if (given->no_quotes) given->quote = '\0';
    char separator = given->separator_byte, quote = given->quote;
    if (separator == '\n' || separator == '\r' || (separator == '\0' && given->separator == CRD_SEPARATOR_OTHER))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a separator must be one byte, and cannot be NUL or a line end");
    if (quote == '\n' || quote == '\r' || quote == ' ' || quote == '\t')
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a quote cannot be a space, a tab or a line end");
    if (separator != '\0' && separator == quote)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the separator and the quote cannot be the same byte");
    if (given->separator == CRD_SEPARATOR_OTHER && separator == given->decimal)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the separator and the decimal mark cannot be the same byte");
    return CRD_OK;
}

bool crd_i_reader_set_missing(crd_reader *reader, const crd_i_schema *schema) {
    const crd_i_dictionary *added = reader->added.texts;
    if (!crd_i_missing_set(&reader->missing, reader->context, schema->missing, schema->missing_count,
                           schema->missing_any_case))
        return false;
    for (size_t i = 0; added != NULL && i < crd_i_dictionary_size(added); i++)
        if (!crd_i_missing_add(&reader->missing, crd_i_dictionary_text(added, i))) return false;
    reader->missing.spares_usual = reader->options.like_file != 0;
    return true;
}

static bool set_given_missing(crd_reader *reader, const crd_reader_options *given) {
    const bool any_case = given->missing_rule == CRD_MISSING_ANY_CASE;
    if (!crd_i_missing_set(&reader->missing, reader->context, given->missing, given->missing_count, any_case))
        return false;
    reader->missing.spares_usual = given->like_file != 0;
    return true;
}

static bool take_missing(crd_reader *reader, const crd_reader_options *given) {
    bool is_added = given->missing != NULL && given->missing_rule == CRD_MISSING_ADDED;
    reader->dialect.has_missing = given->missing != NULL && !is_added;
    if (reader->dialect.has_missing) return set_given_missing(reader, given);
    if (is_added && !crd_i_missing_set(&reader->added, reader->context, given->missing, given->missing_count, false))
        return false;
    crd_i_schema *usual = crd_i_schema_create(reader->context);
    bool done = usual != NULL && crd_i_reader_set_missing(reader, usual);
    crd_i_schema_destroy(usual);
    return done;
}

/* Sets the header options, and the selectors that may be names in the header. */
static crd_status take_header(crd_reader *reader, crd_reader_options *given, crd_error *error) {
    const uint64_t line = given->header_line, skipped = given->skip_lines;
    if (line > 0 && given->header == CRD_CHOICE_NO)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "line %llu cannot be the header if the files have no header",
                          (unsigned long long)line);
    if (line > 0 && line <= skipped)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "line %llu cannot be the header: the first %llu lines are skipped",
                          (unsigned long long)line, (unsigned long long)skipped);
    reader->dialect.selectors =
        crd_i_alloc_zeroed(reader->context, given->selector_count, sizeof *reader->dialect.selectors);
    if (reader->dialect.selectors == NULL) return crd_i_fail_memory(error);
    for (; reader->dialect.selector_count < given->selector_count; reader->dialect.selector_count++) {
        const crd_text copy = crd_i_text_copy(reader->context, given->selectors[reader->dialect.selector_count]);
        if (copy.bytes == NULL) return crd_i_fail_memory(error);
        reader->dialect.selectors[reader->dialect.selector_count] = copy;
    }
    given->selectors = NULL;
    given->selector_count = 0;
    return CRD_OK;
}

static crd_status reader_take_options(crd_reader *reader, const crd_reader_options *options, crd_error *error) {
    crd_reader_options given = CRD_READER_OPTIONS_INIT;
    if (options != NULL) {
        if (!crd_i_copy_in(options, &given, sizeof given))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    }
    if (given.max_categories == 0) given.max_categories = CRD_I_DEFAULT_MAX_CATEGORIES;
    if (given.block_bytes > MOST_BLOCK_BYTES) given.block_bytes = MOST_BLOCK_BYTES;
    if (given.max_record == 0) given.max_record = CRD_I_USUAL_MAX_RECORD;
    if (given.max_record > CRD_I_MAX_RECORD) given.max_record = CRD_I_MAX_RECORD;
    crd_status status = crd_i_shard_check(&given, error);
    if (status == CRD_OK) status = take_header(reader, &given, error);
    if (status != CRD_OK) return status;
    reader->dialect.has_decimal_mark = given.decimal != '\0';
    if (given.decimal == '\0') given.decimal = '.';
    if (given.decimal != '.' && given.decimal != ',') {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the decimal mark must be a point or a comma");
    }
    reader->dialect.has_quote = given.quote != '\0' || given.no_quotes;
    reader->dialect.has_literal_quotes = given.literal_quotes_between_tabs != 0;
    status = take_dialect(&given, error);
    if (status != CRD_OK) return status;
    reader->options.like_file = given.like_file;
    if (!take_missing(reader, &given)) return crd_i_fail_memory(error);
    given.missing = NULL;
    if (given.encoding != NULL) {
        reader->dialect.takes_any_bytes = strcmp(given.encoding, "bytes") == 0;
        if (!reader->dialect.takes_any_bytes)
            status = crd_i_encoding_find(given.encoding, reader->dialect.encoding, error);
    }
    reader->dialect.has_encoding = given.encoding != NULL;
    given.encoding = NULL;
    reader->options = given;
    return status;
}

static crd_status reader_create(crd_context *context, size_t input_count, const crd_reader_options *options,
                                crd_reader **out, crd_error *error) {
    crd_reader *reader = crd_i_alloc_zeroed(context, 1, sizeof *reader);
    if (reader == NULL) return crd_i_fail_memory(error);
    reader->context = context;
    reader->target = reader->weight = SIZE_MAX;
    reader->position.records.context = reader->pass.shared_bad.context = context;
    crd_status status = crd_i_sequencer_make(&reader->sequencer, error);
    if (status == CRD_OK) {
        int fault = pthread_mutex_init(&reader->cutting, NULL);
        reader->has_mutex = fault == 0;
        if (fault != 0) status = crd_i_fail_system(error, fault, "cannot create a lock");
    }
    if (status == CRD_OK) status = reader_take_options(reader, options, error);
    if (status == CRD_OK) {
        reader->inputs = crd_i_alloc_zeroed(context, input_count, sizeof *reader->inputs);
        if (reader->inputs == NULL) status = crd_i_fail_memory(error);
    }
    if (status != CRD_OK) {
        crd_reader_close(reader);
        return status;
    }
    reader->input_count = input_count;
    *out = reader;
    return CRD_OK;
}

crd_status crd_i_reader_show_first(crd_reader *reader, crd_error *error) {
    crd_i_dictionary *names = crd_i_dictionary_clone(reader->position.entry->header.names);
    if (names == NULL) return crd_i_fail_memory(error);
    crd_i_dictionary_destroy(reader->first.names);
    reader->first = reader->position.entry->header;
    reader->first.declared = NULL;
    reader->first.declared_count = 0;
    reader->first.names = names;
    return CRD_OK;
}

/* Reads up to the first row. The columns of the first file become the frame columns, unless a schema is bound. */
static crd_status enter_first(crd_reader *reader, crd_error *error) {
    crd_status status = crd_i_reader_enter(reader, 0, error);
    if (status == CRD_OK) status = crd_i_reader_show_first(reader, error);
    return status == CRD_OK ? crd_i_reader_adopt_columns(reader, error) : status;
}

/* Checks a path early: an error should be reported before hours are spent on the files before it. */
static crd_status look_at_path(crd_reader *reader, crd_i_input *input, const char *path, crd_error *error) {
    bool is_standard_input = strcmp(path, "-") == 0;
    input->path = crd_i_text_copy(reader->context, crd_text_of(path)).bytes;
    input->place = crd_i_text_copy(reader->context, crd_text_of(is_standard_input ? "standard input" : path)).bytes;
    if (input->path == NULL || input->place == NULL) return crd_i_fail_memory(error);
    crd_i_os_facts facts;
    int fault = 0;
    if (is_standard_input ? !crd_i_os_facts_of_open(CRD_I_STDIN, &facts)
                          : !crd_i_os_facts_of(path, &facts) || !crd_i_os_may_read(path)) {
        fault = errno;
    } else if (facts.kind == CRD_I_OS_FOLDER) {
        fault = EISDIR;
    }
    if (fault != 0) {
        crd_status status = crd_i_fail_system(error, fault, "cannot be opened");
        crd_i_error_place(error, input->place, 0, 0);
        return status;
    }
    input->can_reread = facts.kind == CRD_I_OS_FILE;
    int64_t before = is_standard_input ? crd_i_os_position(CRD_I_STDIN) : 0;
    if (input->can_reread && before >= 0 && facts.size > (uint64_t)before) input->bytes = facts.size - (uint64_t)before;
    return CRD_OK;
}

/* Checks that the input can be shared: each process of a group reads a part, so all processes must be able to open
 * it. */
static crd_status check_is_shared(const crd_reader *reader, const crd_i_input *input, crd_error *error) {
    if (crd_i_reader_group(reader) == NULL || input->can_reread) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_ARGUMENT, "several processes cannot share a pipe: store the rows in a file");
    crd_i_error_place(error, input->place, 0, 0);
    return CRD_ERROR_ARGUMENT;
}

/* Takes over the source of an input that was opened before. */
static void take_input(crd_i_input *input, crd_input *opened) {
    input->source = opened->source;
    input->file = opened->file;
    if (input->source->rewind == NULL) input->can_reread = false;
    opened->source = opened->file = NULL;
}

static crd_status reader_abandon(crd_reader *reader, crd_status status) {
    crd_reader_close(reader);
    return status;
}

/* Enters the first input, once all inputs are known. Closes the reader if that fails. */
static crd_status begin_inputs(crd_reader *reader, crd_reader **out, crd_error *error) {
    bool all_known = true;
    for (size_t i = 0; i < reader->input_count; i++) {
        reader->position.total_bytes += reader->inputs[i].bytes;
        all_known = all_known && reader->inputs[i].can_reread;
    }
    if (!all_known) reader->position.total_bytes = 0;
    crd_i_shard_lay_out(reader);
    crd_status status = enter_first(reader, error);
    if (status != CRD_OK) return reader_abandon(reader, status);
    *out = reader;
    return CRD_OK;
}

crd_status crd_reader_open(crd_context *context, const char *const *paths, size_t path_count,
                           const crd_reader_options *options, crd_reader **out, crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new reader");
    *out = NULL;
    if (context == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context");
    if (paths == NULL || path_count == 0) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing file");
    crd_reader *reader = NULL;
    crd_status status = reader_create(context, path_count, options, &reader, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < path_count && status == CRD_OK; i++) {
        status = look_at_path(reader, &reader->inputs[i], paths[i], error);
        if (status == CRD_OK) status = check_is_shared(reader, &reader->inputs[i], error);
    }
    crd_input *opened = reader->options.input;
    if (status == CRD_OK && opened != NULL && opened->source != NULL) take_input(&reader->inputs[0], opened);
    return status == CRD_OK ? begin_inputs(reader, out, error) : reader_abandon(reader, status);
}

crd_status crd_reader_open_inputs(crd_context *context, crd_input *const *inputs, size_t input_count,
                                  const crd_reader_options *options, crd_reader **out, crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new reader");
    *out = NULL;
    if (context == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context");
    if (inputs == NULL || input_count == 0) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing input");
    crd_reader *reader = NULL;
    crd_status status = reader_create(context, input_count, options, &reader, error);
    for (size_t i = 0; i < input_count && status == CRD_OK; i++) {
        crd_i_input *input = &reader->inputs[i];
        if (inputs[i] == NULL || inputs[i]->context != context || inputs[i]->source == NULL) {
            status = crd_i_fail(error, CRD_ERROR_ARGUMENT,
                                "input %zu is missing, was used before, or belongs to another context", i + 1);
            break;
        }
        input->place = crd_i_text_copy(context, crd_text_of(inputs[i]->place)).bytes;
        if (input->place == NULL) status = crd_i_fail_memory(error);
        input->bytes = inputs[i]->bytes;
        input->can_reread = true;
        take_input(input, inputs[i]);
    }
    return status == CRD_OK ? begin_inputs(reader, out, error) : reader_abandon(reader, status);
}

crd_status crd_reader_open_memory(crd_context *context, const void *bytes, size_t length, const char *name,
                                  const crd_reader_options *options, crd_reader **out, crd_error *error) {
    crd_input *input;
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new reader");
    *out = NULL;
    if (context == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context");
    crd_status status = crd_input_from_memory(context, bytes, length, name, &input, error);
    if (status == CRD_OK) status = crd_reader_open_inputs(context, &input, 1, options, out, error);
    crd_input_close(input);
    return status;
}

crd_status crd_i_reader_open_source(crd_context *context, crd_i_source *source, const char *place,
                                    const crd_reader_options *options, crd_reader **out, crd_error *error) {
    *out = NULL;
    crd_reader *reader = NULL;
    crd_status status = reader_create(context, 1, options, &reader, error);
    if (status != CRD_OK) {
        crd_i_source_close(source);
        return status;
    }
    crd_i_input *input = &reader->inputs[0];
    input->source = source;
    input->file = source;
    input->can_reread = source->rewind != NULL;
    input->place = crd_i_text_copy(context, crd_text_of(place)).bytes;
    if (input->place == NULL) return reader_abandon(reader, crd_i_fail_memory(error));
    return begin_inputs(reader, out, error);
}

crd_status crd_i_reader_open_batches(crd_context *context, crd_i_batch_source *source, const char *place,
                                     const crd_reader_options *options, crd_reader **out, crd_error *error) {
    *out = NULL;
    crd_reader *reader = NULL;
    crd_status status = reader_create(context, 1, options, &reader, error);
    if (status != CRD_OK) {
        source->close(source);
        return status;
    }
    reader->batches.source = source;
    reader->inputs[0].can_reread = source->rewind != NULL;
    reader->inputs[0].place = crd_i_text_copy(context, crd_text_of(place)).bytes;
    if (reader->inputs[0].place == NULL) return reader_abandon(reader, crd_i_fail_memory(error));
    return begin_inputs(reader, out, error);
}

void crd_reader_close(crd_reader *reader) {
    if (reader == NULL) return;
    for (size_t i = 0; i < reader->input_count; i++) {
        crd_i_source_close(reader->inputs[i].source);
        crd_free(reader->context, (void *)reader->inputs[i].path);
        crd_free(reader->context, (void *)reader->inputs[i].place);
    }
    crd_free(reader->context, reader->inputs);
    crd_i_simd_columns_destroy(reader);
    crd_i_batch_leave(reader->batches.current);
    if (reader->batches.source != NULL) reader->batches.source->close(reader->batches.source);
    crd_i_reader_free_columns(reader);
    crd_free(reader->context, (void *)reader->binding.optional_weight.bytes);
    crd_free(reader->context, (void *)reader->binding.row_class.bytes);
    crd_i_file_header_clear(reader->context, &reader->first);
    crd_i_entry_release(reader->context, reader->position.entry);
    crd_i_slow_parse_clear(&reader->position.records);
    crd_i_missing_clear(&reader->missing);
    crd_i_missing_clear(&reader->added);
    for (size_t i = 0; i < reader->dialect.selector_count; i++)
        crd_free(reader->context, (void *)reader->dialect.selectors[i].bytes);
    crd_free(reader->context, reader->dialect.selectors);
    crd_i_buffer_clear(&reader->pass.shared_bad);
    crd_i_sequencer_clear(&reader->sequencer);
    if (reader->has_mutex) pthread_mutex_destroy(&reader->cutting);
    crd_free(reader->context, reader);
}

bool crd_i_reader_is_strict(const crd_reader *reader) {
    return reader->options.strict != 0;
}

/* ======== 2. Column settings ======== */

size_t crd_reader_column_count(const crd_reader *reader) {
    return reader->first.width - reader->first.has_end_separator;
}

crd_text crd_reader_column_name(const crd_reader *reader, size_t column) {
    return crd_i_dictionary_text(reader->first.names, column);
}

int crd_reader_has_header(const crd_reader *reader) {
    return reader->first.has_header;
}

int crd_reader_header_assumed_absent(const crd_reader *reader) {
    return reader->first.assumed_absent;
}

uint64_t crd_reader_header_line(const crd_reader *reader) {
    return reader->first.has_header ? reader->first.line : 0;
}

crd_format crd_reader_format(const crd_reader *reader) {
    return reader->first.format->code;
}

crd_separator crd_reader_separator(const crd_reader *reader) {
    return crd_i_separator_of_byte(reader->first.separator);
}

char crd_reader_separator_byte(const crd_reader *reader) {
    return reader->first.separator;
}

int crd_reader_has_row_names(const crd_reader *reader) {
    return reader->first.has_row_names;
}

/* Finds the frame column of a column of the first file; SIZE_MAX: the schema does not contain it. */
static crd_status reader_find_column(const crd_reader *reader, size_t field, size_t *out, crd_error *error) {
    *out = SIZE_MAX;
    if (reader->has_begun) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader has already started");
    if (reader->binding.is_bound)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the columns of the reader are bound to a model");
    if (field >= reader->first.width) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid column %zu", field + 1);
    if (!reader->binding.has_schema) *out = field;
    for (size_t i = 0; i < reader->column_count && *out == SIZE_MAX; i++) {
        if (reader->columns[i].field == field) *out = i;
    }
    return CRD_OK;
}

static crd_status fail_not_in_schema(const crd_reader *reader, size_t field, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_text name = crd_i_dictionary_text(reader->first.names, field);
    crd_i_fail(error, CRD_ERROR_COLUMN, "'%s' is missing or ignored in the schema", crd_i_quote(name, shown));
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

/* Fails because of a column's role. `role` is "the target" or "the weight". */
static crd_status reader_fail_column(const crd_reader *reader, size_t column, const char *role, const char *description,
                                     crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_text name = reader->columns[column].name;
    crd_i_fail(error, CRD_ERROR_COLUMN, "the %s '%s' %s", role, crd_i_quote(name, shown), description);
    crd_i_error_place(error, reader->inputs[0].place, 0, 0);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

static const char TARGET_IS_CATEGORY[] = "must be a category, not a number";
static const char TARGET_IS_NO_TEXT[] = "must be a category, not a text";
static const char WEIGHT_IS_NUMBER[] = "must be a number, not a category";
static const char HAS_PARTS[] = "has several parts, such as the year of a date, so its cut points need a schema";
static const char WEIGHT_IS_PLAIN[] = "must be a plain number, without a format";
static const char TARGET_IS_ONE_CATEGORY[] = "must be a category, without a format of numbers or of several parts";
static const char IS_NEEDED[] = "cannot be ignored";
static const char IS_BOTH[] = "cannot be both the target and the weight";

crd_status crd_reader_set_column_type(crd_reader *reader, size_t field, crd_column_type type, crd_error *error) {
    size_t column;
    crd_status status = reader_find_column(reader, field, &column, error);
    if (status != CRD_OK) return status;
    if (column == SIZE_MAX) return fail_not_in_schema(reader, field, error);
    if (column == reader->target) {
        if (type == CRD_TYPE_TEXT) return reader_fail_column(reader, column, "target", TARGET_IS_NO_TEXT, error);
        return type == CRD_TYPE_NUMERIC ? reader_fail_column(reader, column, "target", TARGET_IS_CATEGORY, error)
                                        : CRD_OK;
    }
    if (column == reader->weight) {
        bool is_number = type == CRD_TYPE_NUMERIC || type == CRD_TYPE_NONE;
        return is_number ? CRD_OK : reader_fail_column(reader, column, "weight", WEIGHT_IS_NUMBER, error);
    }
    crd_i_reader_column *reader_column = &reader->columns[column];
    /* A column with intervals is already categorical. */
    if (crd_i_intervals_are(&reader_column->intervals) && type == CRD_TYPE_CATEGORICAL) return CRD_OK;
    crd_i_intervals_clear(reader->context, &reader_column->intervals);
    reader_column->type = type;
    reader_column->is_fixed = type != CRD_TYPE_NONE;
    reader_column->format = (crd_i_column_format){CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    return CRD_OK;
}

crd_status crd_reader_set_cuts(crd_reader *reader, size_t field, const double *cuts, size_t count, crd_error *error) {
    size_t column;
    crd_status status = reader_find_column(reader, field, &column, error);
    if (status != CRD_OK) return status;
    if (column == SIZE_MAX) return fail_not_in_schema(reader, field, error);
    if (column == reader->weight) return reader_fail_column(reader, column, "weight", WEIGHT_IS_NUMBER, error);
    if (!crd_i_cuts_fit(cuts, count))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "cut points must be finite and ascending");
    crd_i_reader_column *reader_column = &reader->columns[column];
    crd_i_column_format formats[CRD_I_MOST_PARTS];
    if (crd_i_column_format_split(reader_column->format, formats) > 1)
        return reader_fail_column(reader, column, "column", HAS_PARTS, error);
    crd_i_intervals new_intervals = {NULL, 0};
    if (!crd_i_intervals_set(reader->context, &new_intervals, cuts, count)) return crd_i_fail_memory(error);
    crd_i_dictionary *labels = crd_i_intervals_labels(reader->context, &new_intervals);
    if (labels == NULL) {
        crd_i_intervals_clear(reader->context, &new_intervals);
        return crd_i_fail_memory(error);
    }
    crd_i_intervals_clear(reader->context, &reader_column->intervals);
    crd_i_dictionary_destroy(reader_column->declared);
    reader_column->intervals = new_intervals;
    reader_column->declared = labels;
    reader_column->type = CRD_TYPE_NUMERIC;
    reader_column->is_fixed = reader->has_intervals = true;
    return CRD_OK;
}

crd_status crd_reader_set_column_format(crd_reader *reader, size_t field, crd_text name, crd_error *error) {
    size_t column;
    crd_i_column_format format;
    if (!crd_i_column_format_find(name, &format)) {
        char shown[CRD_I_QUOTED_ROOM];
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown format '%s'", crd_i_quote(name, shown));
    }
    crd_status status = reader_find_column(reader, field, &column, error);
    if (status != CRD_OK) return status;
    if (column == SIZE_MAX) return fail_not_in_schema(reader, field, error);
    if (column == reader->weight) return reader_fail_column(reader, column, "weight", WEIGHT_IS_PLAIN, error);
    if (column == reader->target && crd_i_column_format_type(format) != CRD_TYPE_CATEGORICAL)
        return reader_fail_column(reader, column, "target", TARGET_IS_ONE_CATEGORY, error);
    crd_i_reader_column *reader_column = &reader->columns[column];
    if (reader_column->source.bytes != NULL)
        return reader_fail_column(reader, column, "column", "is a part of a field, which has its own format", error);
    reader_column->format = format;
    reader_column->type = crd_i_column_format_type(format);
    crd_i_intervals_clear(reader->context, &reader_column->intervals);
    reader_column->is_fixed = true;
    return CRD_OK;
}

size_t crd_column_format_count(void) {
    return crd_i_column_format_count();
}

crd_text crd_column_format_name(size_t index) {
    return crd_i_column_format_name_at(index);
}

const char *crd_column_format_example(size_t index) {
    return crd_i_column_format_example_at(index);
}

crd_status crd_reader_declare(crd_reader *reader, size_t field, crd_text value, crd_error *error) {
    size_t column;
    crd_status status = reader_find_column(reader, field, &column, error);
    if (status != CRD_OK) return status;
    if (column == SIZE_MAX) return fail_not_in_schema(reader, field, error);
    if (column == reader->weight) return reader_fail_column(reader, column, "weight", WEIGHT_IS_NUMBER, error);
    crd_i_reader_column *reader_column = &reader->columns[column];
    if (crd_i_intervals_are(&reader_column->intervals)) {
        if (crd_i_dictionary_find(reader_column->declared, value) >= 0) return CRD_OK;
        return reader_fail_column(reader, column, "column", "has intervals, and cannot have other values", error);
    }
    if (reader_column->declared == NULL) reader_column->declared = crd_i_dictionary_create(reader->context);
    if (reader_column->declared == NULL || crd_i_dictionary_add(reader_column->declared, value) < 0)
        return crd_i_fail_memory(error);
    reader_column->type = CRD_TYPE_CATEGORICAL;
    reader_column->is_fixed = true;
    reader_column->truth = crd_i_truth_words_of(reader_column->declared);
    return CRD_OK;
}

crd_status crd_reader_keep_order(crd_reader *reader, size_t field, crd_error *error) {
    size_t column;
    crd_status status = reader_find_column(reader, field, &column, error);
    if (status != CRD_OK) return status;
    if (column == SIZE_MAX) return fail_not_in_schema(reader, field, error);
    reader->columns[column].keeps_order = true;
    return CRD_OK;
}

crd_status crd_reader_ignore(crd_reader *reader, size_t field, crd_error *error) {
    size_t column;
    crd_status status = reader_find_column(reader, field, &column, error);
    if (status != CRD_OK) return status;
    if (column == SIZE_MAX) return CRD_OK;
    if (column == reader->target) return reader_fail_column(reader, column, "target", IS_NEEDED, error);
    if (column == reader->weight) return reader_fail_column(reader, column, "weight", IS_NEEDED, error);
    reader->columns[column].is_ignored = true;
    return CRD_OK;
}

/* Resets the former target or weight column to the type that its file declares. */
static void forget_role(crd_reader *reader, size_t column) {
    if (column == SIZE_MAX) return;
    crd_i_reader_column *before = &reader->columns[column];
    if (crd_i_intervals_are(&before->intervals)) return;
    before->type = before->declared_type;
    before->is_fixed = before->type != CRD_TYPE_NONE;
}

crd_status crd_reader_set_target(crd_reader *reader, size_t field, crd_error *error) {
    size_t column;
    crd_status status = reader_find_column(reader, field, &column, error);
    if (status != CRD_OK) return status;
    if (column == SIZE_MAX) return fail_not_in_schema(reader, field, error);
    crd_i_reader_column *target = &reader->columns[column];
    if (target->is_ignored) return reader_fail_column(reader, column, "target", IS_NEEDED, error);
    if (column == reader->weight) return reader_fail_column(reader, column, "target", IS_BOTH, error);
    bool has_intervals = crd_i_intervals_are(&target->intervals);
    if (target->type == CRD_TYPE_TEXT && target->declared_type != CRD_TYPE_TEXT)
        return reader_fail_column(reader, column, "target", TARGET_IS_NO_TEXT, error);
    if (target->type == CRD_TYPE_NUMERIC && target->declared_type != CRD_TYPE_NUMERIC && !has_intervals)
        return reader_fail_column(reader, column, "target", TARGET_IS_CATEGORY, error);
    if (reader->target != column) forget_role(reader, reader->target);
    if (!crd_i_column_format_is_plain(target->format) &&
        crd_i_column_format_type(target->format) != CRD_TYPE_CATEGORICAL && !has_intervals)
        return reader_fail_column(reader, column, "target", TARGET_IS_ONE_CATEGORY, error);
    if (!has_intervals) target->type = CRD_TYPE_CATEGORICAL;
    target->is_fixed = true;
    reader->target = column;
    return CRD_OK;
}

crd_status crd_reader_set_weight(crd_reader *reader, size_t field, crd_error *error) {
    size_t column;
    crd_status status = reader_find_column(reader, field, &column, error);
    if (status != CRD_OK) return status;
    if (column == SIZE_MAX) return fail_not_in_schema(reader, field, error);
    crd_i_reader_column *weight = &reader->columns[column];
    if (weight->is_ignored) return reader_fail_column(reader, column, "weight", IS_NEEDED, error);
    if (column == reader->target) return reader_fail_column(reader, column, "weight", IS_BOTH, error);
    if (weight->type == CRD_TYPE_CATEGORICAL || weight->type == CRD_TYPE_TEXT ||
        crd_i_intervals_are(&weight->intervals))
        return reader_fail_column(reader, column, "weight", WEIGHT_IS_NUMBER, error);
    if (!crd_i_column_format_is_plain(weight->format))
        return reader_fail_column(reader, column, "weight", WEIGHT_IS_PLAIN, error);
    if (reader->weight != column) forget_role(reader, reader->weight);
    weight->type = CRD_TYPE_NUMERIC;
    weight->is_fixed = true;
    reader->weight = column;
    return CRD_OK;
}

void crd_i_reader_drop_target(crd_reader *reader) {
    forget_role(reader, reader->target);
    reader->target = SIZE_MAX;
}

crd_status crd_reader_set_class(crd_reader *reader, crd_text name, crd_error *error) {
    const bool is_name = name.length > 0 && memchr(name.bytes, 0, name.length) == NULL && crd_i_utf8_is_valid(name);
    if (reader->has_begun) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader has already started");
    if (!is_name) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the name of a class must be nonempty UTF-8 text");
    const crd_text copy = crd_i_text_copy(reader->context, name);
    if (copy.bytes == NULL) return crd_i_fail_memory(error);
    crd_free(reader->context, (void *)reader->binding.row_class.bytes);
    reader->binding.row_class = copy;
    return CRD_OK;
}

void crd_reader_accept_similar_classes(crd_reader *reader) {
    reader->binding.accepts_similar_classes = true;
}

bool crd_i_reader_accepts_similar_classes(const crd_reader *reader) {
    return reader->binding.accepts_similar_classes;
}

crd_text crd_i_reader_class(const crd_reader *reader) {
    return reader->binding.row_class;
}

crd_text crd_reader_weight(const crd_reader *reader) {
    crd_text none = {NULL, 0};
    return reader->weight == SIZE_MAX ? none : reader->columns[reader->weight].name;
}

void crd_reader_set_frame_rows(crd_reader *reader, size_t most) {
    reader->frame_rows = most;
}

/* ======== 3. First frame ======== */

static void take_out_ignored(crd_reader *reader) {
    size_t kept = 0, target = SIZE_MAX, weight = SIZE_MAX;
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        if (column->is_ignored) {
            crd_i_reader_column_clear(reader->context, column);
            continue;
        }
        if (i == reader->target) target = kept;
        if (i == reader->weight) weight = kept;
        reader->columns[kept++] = *column;
    }
    reader->column_count = kept;
    reader->target = target;
    reader->weight = weight;
}

/* Checks that no column of the first file is declared with an unsupported type. */
static crd_status check_foreign(const crd_reader *reader, crd_error *error) {
    const crd_i_declared *declared = reader->position.entry->header.declared;
    if (declared == NULL || reader->binding.is_bound) return CRD_OK;
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        if (column->is_fixed || column->field == SIZE_MAX || declared[column->field].foreign == NULL) continue;
        char shown[CRD_I_QUOTED_ROOM];
        crd_i_fail(
            error, CRD_ERROR_TYPE,
            "'%s' is declared as %s, neither a number nor a category: ignore it, or declare it as a number or category",
            crd_i_quote(column->name, shown), declared[column->field].foreign);
        crd_i_reader_place_error(reader, error);
        crd_i_error_subject(error, column->name);
        return CRD_ERROR_TYPE;
    }
    return CRD_OK;
}

/* Removes ignored columns and fixes all columns. */
crd_status crd_i_reader_begin(crd_reader *reader, crd_error *error) {
    if (reader->has_begun) return CRD_OK;
    if (reader->inspection.collects) crd_i_reader_mark_open(reader);
    take_out_ignored(reader);
    crd_status status = crd_i_reader_split_formats(reader, error);
    if (status == CRD_OK)
        status =
            reader->batches.source != NULL ? crd_i_batches_settle_types(reader, error) : check_foreign(reader, error);
    if (status == CRD_OK) status = crd_i_entry_settle(reader, error);
    for (size_t i = 0; i < reader->column_count; i++)
        reader->has_texts = reader->has_texts || reader->columns[i].type == CRD_TYPE_TEXT;
    reader->has_begun = true;
    return status;
}
