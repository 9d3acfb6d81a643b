/* SPDX-License-Identifier: MIT */
/* column_binding.c - maps the fields of a file to the columns of the frames. See reader_internal.h and reader.h.
 *
 * If both the file and the columns have names, they are matched by name. Otherwise they are matched by position: all
 * fields, or, for the columns of a schema, all except the target.
 *
 * Contents:
 *   1. Field mapping
 *   2. Column selectors */
#include "base/error.h"
#include "base/memory.h"
#include "base/selector.h"
#include "base/text.h"
#include "table/read/reader_internal.h"

#include <stdio.h>
#include <string.h>

/* ======== 1. Field mapping ======== */

void crd_i_reader_free_columns(crd_reader *reader) {
    for (size_t i = 0; i < reader->column_count; i++) crd_i_reader_column_clear(reader->context, &reader->columns[i]);
    crd_free(reader->context, reader->columns);
    reader->columns = NULL;
    reader->column_count = 0;
}

/* Replaces the columns by `count` empty ones. On failure the old columns are unchanged. */
static crd_status replace_columns(crd_reader *reader, size_t count, crd_error *error) {
    crd_i_reader_column *columns = crd_i_alloc_zeroed(reader->context, count, sizeof *columns);
    if (columns == NULL) return crd_i_fail_memory(error);
    crd_i_reader_free_columns(reader);
    reader->columns = columns;
    reader->column_count = count;
    reader->target = reader->weight = SIZE_MAX;
    reader->has_intervals = false;
    reader->binding.left_out = 0;
    crd_free(reader->context, (void *)reader->binding.optional_weight.bytes);
    reader->binding.optional_weight = (crd_text){NULL, 0};
    return CRD_OK;
}

crd_status crd_i_reader_adopt_columns(crd_reader *reader, crd_error *error) {
    const crd_i_file_header *header = &reader->position.entry->header;
    crd_status status = replace_columns(reader, header->width, error);
    if (status != CRD_OK) return status;
    reader->binding.width = header->width - header->has_end_separator;
    reader->binding.has_header = header->has_header;
    for (size_t field = 0; field < header->width; field++) {
        crd_i_reader_column *column = &reader->columns[field];
        column->position = column->field = field;
        column->is_ignored = crd_i_file_header_leaves_field(header, field);
        column->name = crd_i_text_copy(reader->context, crd_i_dictionary_text(header->names, field));
        if (column->name.bytes == NULL) return crd_i_fail_memory(error);
        if (header->declared == NULL) continue;
        const crd_i_declared *declared = &header->declared[field];
        /* If rows in columns are to be read like a file, cells determine the type, unless values are declared. */
        if (!reader->options.like_file || reader->batches.source == NULL || declared->values != NULL)
            column->type = column->declared_type = declared->type;
        column->is_fixed = column->type != CRD_TYPE_NONE;
        if (declared->values == NULL) continue;
        column->declared = crd_i_dictionary_clone(declared->values);
        if (column->declared == NULL) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* ---- Matching ---- */

/* Returns whether the target may be absent. Rows to predict need no target. Rows to learn or remove need one, unless
 * the caller set their class. */
static bool may_lack_target(const crd_reader *reader) {
    return reader->binding.is_bound && reader->target != SIZE_MAX && !reader->binding.needs_target;
}

static crd_status fail_width(const crd_reader *reader, crd_error *error) {
    size_t found = reader->position.entry->header.width;
    const char *plural = found == 1 ? "" : "s";
    crd_i_fail(error, CRD_ERROR_COLUMN, "%zu field%s instead of %zu", found, plural, reader->binding.width);
    if (error != NULL) {
        size_t used = strlen(error->message);
        char *end = error->message + used;
        size_t capacity = sizeof error->message - used;
        if (may_lack_target(reader)) {
            snprintf(end, capacity, ", or %zu without the target: without a header, columns are matched by position",
                     reader->binding.width - 1);
        } else {
            snprintf(end, capacity, ": without a header, columns are matched by position");
        }
    }
    crd_i_error_place(error, NULL, reader->position.entry->header.line, 0);
    return CRD_ERROR_COLUMN;
}

/* Returns the position after the last column in use, and sets *used to the number of such columns, except the
 * target. */
static size_t count_used(const crd_reader *reader, bool with_target, size_t *used) {
    size_t end = 0;
    *used = 0;
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        *used += i != reader->target;
        if ((with_target || i != reader->target) && column->position >= end) end = column->position + 1;
    }
    return end;
}

/* Matches tagged text, which may lack the fields after the columns in use: for example, a corpus of tokens without
 * other annotations. If the target may be absent too, the file may contain only the columns in use. */
static bool meet_tagged_text(crd_reader *reader) {
    size_t used, found = reader->position.entry->header.width;
    if (!reader->binding.is_bound || !reader->options.tagged_text || found >= reader->binding.width) return false;
    const bool may_lack = may_lack_target(reader);
    const bool are_first = found >= count_used(reader, !may_lack, &used);
    if (!are_first && !(may_lack && found == used)) return false;
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        size_t before = 0;
        for (size_t j = 0; !are_first && j < reader->column_count; j++)
            before += j != reader->target && reader->columns[j].position < column->position;
        column->field = are_first ? column->position : before;
        if (column->field >= found || (!are_first && i == reader->target)) column->field = SIZE_MAX;
    }
    return true;
}

static crd_status meet_by_position(crd_reader *reader, crd_error *error) {
    size_t found = reader->position.entry->header.width;
    size_t target_position = SIZE_MAX;
    if (meet_tagged_text(reader)) return crd_i_reader_check_strictly(reader, false, error);
    if (found != reader->binding.width) {
        if (!may_lack_target(reader) || found + 1 != reader->binding.width) return fail_width(reader, error);
        target_position = reader->columns[reader->target].position;
    }
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        bool moved_up = target_position != SIZE_MAX && column->position > target_position;
        column->reading = CRD_I_READ_BY_FORMAT;
        column->field = moved_up ? column->position - 1 : column->position;
        if (column->position == target_position || column->field >= found) column->field = SIZE_MAX;
    }
    return crd_i_reader_check_strictly(reader, false, error);
}

/* Names in a warning; a long list is truncated. */
typedef struct name_list {
    char text[600];
    size_t used, count;
    bool is_cut;
    crd_text first;
} name_list;

static void list_name(name_list *list, crd_text name) {
    char shown[CRD_I_QUOTED_ROOM];
    const char *gap = list->used == 0 ? "" : ", ";
    size_t capacity = sizeof list->text - list->used;
    if (list->count++ == 0) list->first = name;
    if (list->is_cut) return;
    crd_i_quote_item(name, shown);
    list->is_cut = strlen(gap) + strlen(shown) + sizeof ", ..." > capacity;
    int length = list->is_cut ? snprintf(list->text + list->used, capacity, ", ...")
                              : snprintf(list->text + list->used, capacity, "%s%s", gap, shown);
    list->used += (size_t)length;
}

static bool column_binding_is_same_but_case(crd_text a, crd_text b) {
    bool is = a.length == b.length;
    for (size_t i = 0; is && i < a.length; i++) {
        unsigned char x = (unsigned char)a.bytes[i], y = (unsigned char)b.bytes[i];
        is = x == y || ((x ^ y) == 0x20 && (x | 0x20) >= 'a' && (x | 0x20) <= 'z');
    }
    return is;
}

/* Lists the field whose name resembles the name of an absent column. */
static void column_binding_list_near(const crd_reader *reader, name_list *list, crd_text name) {
    for (size_t field = 0; field < reader->position.entry->header.width; field++) {
        crd_text view = crd_i_dictionary_text(reader->position.entry->header.names, field);
        if (column_binding_is_same_but_case(name, view)) list_name(list, view);
    }
}

/* Adds a hint if the columns exist with other letter case. */
static void hint_at_case(const crd_reader *reader, crd_error *error) {
    name_list near = {.used = 0};
    for (size_t i = 0; i < reader->column_count && !near.is_cut; i++)
        if (i != reader->target) column_binding_list_near(reader, &near, reader->columns[i].name);
    if (near.count > 0)
        crd_i_error_hint(error, "the file has %s, but names are case-sensitive: rename the columns", near.text);
}

static void warn_of_absent(crd_reader *reader) {
    crd_i_input *input = &reader->inputs[reader->position.current];
    name_list absent = {.used = 0}, near = {.used = 0};
    if (input->warned) return;
    for (size_t i = 0; i < reader->column_count; i++) {
        if (reader->columns[i].field != SIZE_MAX || i == reader->target) continue;
        list_name(&absent, reader->columns[i].name);
        if (!absent.is_cut) column_binding_list_near(reader, &near, reader->columns[i].name);
    }
    if (absent.count == 0) return;
    input->warned = true;
    crd_i_context_log(reader->context, CRD_LOG_WARNING, CRD_LOG_COLUMNS_MISSING, absent.first,
                      "%s: %zu column%s absent and count%s as missing: %s%s%s%s", input->place, absent.count,
                      absent.count == 1 ? " is" : "s are", absent.count == 1 ? "s" : "", absent.text,
                      near.count == 0 ? "" : "; the file has ", near.text,
                      near.count == 0 ? "" : ", but names are case-sensitive");
}

/* Warns about columns of a later file that the first file lacks. If only the first file defines the columns, users
 * may miss them. */
static void column_binding_warn_of_more(crd_reader *reader) {
    crd_i_input *input = &reader->inputs[reader->position.current];
    name_list more = {.used = 0};
    if (reader->position.current == 0 || reader->binding.has_schema || input->warned_of_more) return;
    for (size_t field = 0; field < reader->position.entry->header.width; field++) {
        crd_text name = crd_i_dictionary_text(reader->position.entry->header.names, field);
        if (crd_i_file_header_leaves_field(&reader->position.entry->header, field)) continue;
        if (crd_i_dictionary_find(reader->first.names, name) < 0) list_name(&more, name);
    }
    if (more.count == 0) return;
    input->warned_of_more = true;
    crd_i_context_log(reader->context, CRD_LOG_WARNING, CRD_LOG_COLUMNS_IGNORED, more.first,
                      "%s: %zu column%s not in the first file and ignored: %s", input->place, more.count,
                      more.count == 1 ? " is" : "s are", more.text);
}

/* Adds a field for each column that no row has contained yet, because later rows may contain it. */
static crd_status add_fields(crd_reader *reader, crd_error *error) {
    crd_i_file_header *header = &reader->position.entry->header;
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        if (column->field != SIZE_MAX) continue;
        const crd_text name = column->source.bytes != NULL ? column->source : column->name;
        const int32_t known = crd_i_dictionary_find(header->names, name);
        crd_status status = known >= 0 ? CRD_OK : crd_i_file_header_add_column(reader, name, error);
        if (status != CRD_OK) return status;
        column->reading = CRD_I_READ_BY_FORMAT;
        column->field = known >= 0 ? (size_t)known : header->width++;
    }
    return CRD_OK;
}

/* Fails if a required column is absent. `format` has one %s for its name. */
static crd_status need_column(const crd_reader *reader, size_t index, const char *format, crd_error *error) {
    if (index == SIZE_MAX || reader->columns[index].field != SIZE_MAX) return CRD_OK;
    char shown[CRD_I_QUOTED_ROOM];
    crd_text name = reader->columns[index].name;
    crd_i_fail(error, CRD_ERROR_COLUMN, format, crd_i_quote(name, shown));
    crd_i_error_place(error, NULL, reader->position.entry->header.line, 0);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

static crd_status need_target_and_weight(const crd_reader *reader, crd_error *error) {
    crd_status status = CRD_OK;
    if (!may_lack_target(reader))
        status = need_column(reader, reader->target, "the target '%s' is not among the columns", error);
    if (status != CRD_OK) return status;
    return need_column(reader, reader->weight,
                       "the weight '%s' is not among the columns: add it, with weight 1 for rows that count once",
                       error);
}

static void find_fields(crd_reader *reader) {
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        const bool is_part = column->source.bytes != NULL;
        int32_t code =
            crd_i_dictionary_find(reader->position.entry->header.names, is_part ? column->source : column->name);
        column->reading = CRD_I_READ_BY_FORMAT;
        if (code < 0 && is_part && reader->binding.is_bound) {
            code = crd_i_dictionary_find(reader->position.entry->header.names, column->name);
            column->reading = CRD_I_READ_AS_PART;
        }
        column->field = code < 0 ? SIZE_MAX : (size_t)code;
    }
}

/* Adds a hint if no expected column is present: the first line may be a row, or the header may be a later line. */
static void column_binding_hint_at_header(const crd_reader *reader, crd_error *error) {
    const size_t found = reader->position.entry->header.width;
    const bool fits = found == reader->binding.width || (may_lack_target(reader) && found + 1 == reader->binding.width);
    if (reader->position.entry->header.format->code != CRD_FORMAT_DELIMITED ||
        reader->options.header != CRD_CHOICE_AUTO || reader->options.header_line > 0)
        return;
    if (reader->suggested_line > 0 && reader->position.current == 0)
        crd_i_error_hint(error, "line %llu contains '%s': use header=%llu if this line names the columns",
                         (unsigned long long)reader->suggested_line, reader->suggested_name,
                         (unsigned long long)reader->suggested_line);
    else if (fits && !reader->position.entry->header.shows_names)
        crd_i_error_hint(error, "use header=no if the file has no header: columns are then matched by position");
}

static crd_status meet_by_name(crd_reader *reader, crd_error *error) {
    size_t attributes = 0, absent = 0, first = 0;
    find_fields(reader);
    crd_status status = crd_i_reader_check_strictly(reader, true, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < reader->column_count; i++) {
        if (i == reader->target || i == reader->weight || reader->columns[i].key != CRD_I_KEY_NONE) continue;
        if (attributes++ == 0) first = i;
        absent += reader->columns[i].field == SIZE_MAX;
    }
    char shown[CRD_I_QUOTED_ROOM];
    if (attributes > 0 && absent == attributes) {
        const crd_i_reader_column *column = &reader->columns[first];
        crd_i_quote(column->source.bytes != NULL ? column->source : column->name, shown); /* its name in files */
        if (attributes == 1) crd_i_fail(error, CRD_ERROR_COLUMN, "the expected column '%s' is missing", shown);
        else
            crd_i_fail(error, CRD_ERROR_COLUMN, "all of the %zu expected columns are missing, such as '%s'", attributes,
                       shown);
        crd_i_error_place(error, NULL, reader->position.entry->header.line, 0);
        column_binding_hint_at_header(reader, error);
        hint_at_case(reader, error);
        return CRD_ERROR_COLUMN;
    }
    status = need_target_and_weight(reader, error);
    if (status == CRD_OK) status = crd_i_reader_need_keys(reader, error);
    if (status != CRD_OK) return status;
    warn_of_absent(reader);
    column_binding_warn_of_more(reader);
    return reader->position.entry->header.is_open ? add_fields(reader, error) : CRD_OK;
}

/* Maps the columns of the first file to fields of the current one, for crd_i_reader_cell. */
static crd_status meet_first(crd_reader *reader, crd_error *error) {
    if (reader->position.current == 0) return CRD_OK;
    const crd_i_file_header *first = &reader->first, *header = &reader->position.entry->header;
    size_t *fields = crd_i_alloc(reader->context, first->width, sizeof *fields);
    if (fields == NULL) return crd_i_fail_memory(error);
    crd_free(reader->context, reader->position.entry->first_fields);
    reader->position.entry->first_fields = fields;
    for (size_t i = 0; i < first->width; i++) {
        fields[i] = i < header->width ? i : SIZE_MAX;
        if (first->has_header && header->has_header) {
            int32_t code = crd_i_dictionary_find(header->names, crd_i_dictionary_text(first->names, i));
            fields[i] = code < 0 ? SIZE_MAX : (size_t)code;
        }
    }
    return CRD_OK;
}

/* Adds the values that a later file declares, like the values of the first file. */
static crd_status column_binding_join_declared(crd_reader *reader, crd_error *error) {
    const crd_i_declared *declared = reader->position.entry->header.declared;
    if (declared == NULL || reader->binding.is_bound) return CRD_OK;
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        if (column->declared == NULL || column->field == SIZE_MAX) continue;
        const crd_i_dictionary *values = declared[column->field].values;
        for (size_t code = 0; values != NULL && code < crd_i_dictionary_size(values); code++) {
            if (crd_i_dictionary_add(column->declared, crd_i_dictionary_text(values, code)) < 0) {
                return crd_i_fail_memory(error);
            }
        }
    }
    return CRD_OK;
}

crd_status crd_i_reader_meet(crd_reader *reader, crd_error *error) {
    crd_status status = meet_first(reader, error);
    if (status == CRD_OK) {
        const crd_i_file_header *header = &reader->position.entry->header;
        bool by_name = header->has_header && (reader->binding.has_header || header->is_named);
        status = by_name ? meet_by_name(reader, error) : meet_by_position(reader, error);
    }
    if (status == CRD_OK) status = column_binding_join_declared(reader, error);
    if (status == CRD_OK) status = crd_i_reader_find_decimal_mark(reader, error);
    if (status != CRD_OK) crd_i_reader_place_error(reader, error);
    return status;
}

/* ---- Schemas ---- */

static bool declare_all(crd_i_schema *schema, size_t column, const crd_i_dictionary *values) {
    for (size_t code = 0; values != NULL && code < crd_i_dictionary_size(values); code++) {
        if (!crd_i_schema_declare(schema, column, crd_i_dictionary_text(values, code))) return false;
    }
    return true;
}

/* Declares the values that the dictionaries of columns in memory contain so far. */
static bool declare_of_batches(const crd_reader *reader, size_t field, crd_i_schema *schema) {
    crd_i_dictionary *values;
    if (reader->batches.source == NULL || field == SIZE_MAX) return true;
    bool done = crd_i_batches_values(reader, field, &values);
    if (done) done = declare_all(schema, schema->count - 1, values);
    crd_i_dictionary_destroy(values);
    return done;
}

/* Returns the format for the schema. Numbers read with a decimal comma at the caller's request keep the decimal comma. */
static crd_i_column_format column_binding_format(const crd_reader *reader, const crd_i_reader_column *column) {
    bool has_comma = reader->dialect.has_decimal_mark && reader->options.decimal == ',' &&
                     !reader->binding.has_schema && reader->first.format->code == CRD_FORMAT_DELIMITED;
    crd_i_column_format format = column->format;
    if (has_comma && column->type == CRD_TYPE_NUMERIC && crd_i_column_format_is_plain(format))
        format.reading = CRD_I_READING_COMMA;
    return format;
}

/* Adds a column to the schema, or one for each part of its field. */
static bool column_binding_add_parts(const crd_reader *reader, const crd_i_reader_column *column,
                                     crd_i_schema *schema) {
    crd_i_column_format formats[CRD_I_MOST_PARTS];
    size_t count = crd_i_column_format_split(column->format, formats);
    if (count == 1)
        return crd_i_schema_add(schema, column->name, column->type, column->position) &&
               crd_i_schema_set_column_format(schema, schema->count - 1, column_binding_format(reader, column),
                                              column->source);
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        crd_text name = crd_i_reader_part_name(reader, column, formats[i].part);
        done = name.bytes != NULL &&
               crd_i_schema_add(schema, name, crd_i_column_format_type(formats[i]), column->position) &&
               crd_i_schema_set_column_format(schema, schema->count - 1, formats[i], column->name);
        crd_free(reader->context, (void *)name.bytes);
    }
    return done;
}

static bool column_binding_add(const crd_reader *reader, bool with_seen, crd_i_schema *schema) {
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        if (column->is_ignored || column->key != CRD_I_KEY_NONE) continue;
        if (i == reader->weight) {
            if (!crd_i_schema_set_weight(schema, column->name, column->position)) return false;
            continue;
        }
        if (i == reader->target) schema->target = schema->count;
        if (!column_binding_add_parts(reader, column, schema)) return false;
        const crd_i_intervals *intervals = &column->intervals;
        if (crd_i_intervals_are(intervals)) {
            if (!crd_i_schema_set_intervals(schema, schema->count - 1, intervals->cuts, intervals->cut_count))
                return false;
            continue;
        }
        if (column->type != CRD_TYPE_CATEGORICAL) continue;
        if (!declare_all(schema, schema->count - 1, column->declared)) return false;
        schema->columns[schema->count - 1].keeps_order = column->keeps_order;
        if (!declare_of_batches(reader, column->field, schema)) return false;
        for (unsigned worker = 0; with_seen && worker < reader->lane_count; worker++) {
            if (!declare_all(schema, schema->count - 1, reader->lanes[worker]->columns[i].dictionary)) return false;
        }
    }
    return true;
}

static bool add_missing(const crd_reader *reader, crd_i_schema *schema) {
    size_t count = crd_i_dictionary_size(reader->missing.texts);
    crd_text *missing = crd_i_alloc(reader->context, count, sizeof *missing);
    if (missing == NULL) return false;
    for (size_t i = 0; i < count; i++) missing[i] = crd_i_dictionary_text(reader->missing.texts, i);
    bool done = crd_i_schema_set_missing(schema, missing, count, reader->missing.any_case);
    crd_free(reader->context, missing);
    return done;
}

/* Returns whether quotes enclose nothing. Stored for text columns only, because later files may have too few quotes
 * to detect it. */
static bool has_literal_quotes(const crd_reader *reader) {
    const bool is_literal =
        reader->dialect.has_quote ? reader->options.no_quotes != 0 : reader->dialect.has_literal_quotes;
    bool has_texts = false;
    for (size_t i = 0; i < reader->column_count; i++) has_texts = has_texts || reader->columns[i].type == CRD_TYPE_TEXT;
    return has_texts && is_literal && reader->first.separator == '\t';
}

static crd_status column_binding_make_schema(const crd_reader *reader, bool with_seen, crd_i_schema **out,
                                             crd_error *error) {
    *out = NULL;
    crd_i_schema *schema = crd_i_schema_create(reader->context);
    if (schema == NULL) return crd_i_fail_memory(error);
    schema->width = reader->binding.width;
    schema->has_header = reader->binding.has_header;
    schema->has_literal_quotes = has_literal_quotes(reader);
    if (!column_binding_add(reader, with_seen, schema) || !add_missing(reader, schema)) {
        crd_i_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    *out = schema;
    return CRD_OK;
}

crd_status crd_i_reader_schema(const crd_reader *reader, crd_i_schema **out, crd_error *error) {
    return column_binding_make_schema(reader, false, out, error);
}

crd_status crd_i_reader_schema_seen(const crd_reader *reader, crd_i_schema **out, crd_error *error) {
    return column_binding_make_schema(reader, true, out, error);
}

/* Applies the caller's decimal mark for this file, which overrides the format's. */
static crd_i_column_format column_binding_mark_given(const crd_reader *reader, crd_i_column_format format) {
    if (!reader->dialect.has_decimal_mark) return format;
    bool is_comma = reader->options.decimal == ',';
    bool is_whole = format.reading == CRD_I_READING_POINT || format.reading == CRD_I_READING_COMMA;
    bool is_percent = format.reading == CRD_I_READING_PERCENT || format.reading == CRD_I_READING_PERCENT_COMMA;
    if (is_whole) format.reading = is_comma ? CRD_I_READING_COMMA : CRD_I_READING_POINT;
    if (is_percent) format.reading = is_comma ? CRD_I_READING_PERCENT_COMMA : CRD_I_READING_PERCENT;
    return format;
}

/* Copies a column of the schema, or its weight, to the next reader column. */
static bool column_binding_take(crd_reader *reader, size_t index, const crd_i_schema_column *schema) {
    crd_i_reader_column *column = &reader->columns[index];
    column->position = schema->position;
    column->type = schema->type;
    column->is_fixed = schema->type != CRD_TYPE_NONE;
    if (reader->options.strict)
        column->has_words_only =
            reader->binding.is_bound ? schema->has_words_only : crd_i_schema_are_words(schema->values);
    column->format = column_binding_mark_given(reader, schema->format);
    column->truth = schema->truth;
    column->scale = schema->scale;
    column->has_mark = schema->has_mark;
    column->is_settled = true;
    column->is_new = reader->binding.is_bound && schema->type == CRD_TYPE_NONE;
    column->name = crd_i_text_copy(reader->context, schema->name);
    if (column->name.bytes == NULL) return false;
    if (schema->field.bytes != NULL) column->source = crd_i_text_copy(reader->context, schema->field);
    if (schema->values != NULL) column->declared = crd_i_dictionary_clone(schema->values);
    column->keeps_order = schema->keeps_order;
    const crd_i_intervals *intervals = &schema->intervals;
    if (crd_i_intervals_are(intervals)) {
        column->type = CRD_TYPE_NUMERIC;
        reader->has_intervals = true;
        if (!crd_i_intervals_set(reader->context, &column->intervals, intervals->cuts, intervals->cut_count))
            return false;
    }
    return (schema->field.bytes == NULL) == (column->source.bytes == NULL) &&
           (schema->values == NULL) == (column->declared == NULL);
}

static bool take_bound_columns(crd_reader *reader, const crd_i_schema *schema, bool with_weight) {
    const crd_i_schema_weight *weight = &schema->weight;
    size_t count = 0;
    for (size_t i = 0; i <= schema->count; i++) {
        const crd_i_schema_column *column = i < schema->count ? &schema->columns[i] : NULL;
        if (with_weight && reader->weight == SIZE_MAX && (column == NULL || column->position > weight->position)) {
            const crd_i_schema_column numbers = {
                .name = weight->name, .type = CRD_TYPE_NUMERIC, .position = weight->position};
            reader->weight = count;
            if (!column_binding_take(reader, count++, &numbers)) return false;
        }
        if (column == NULL) break;
        bool is_target = i == schema->target;
        if (is_target) reader->target = count;
        if (!column_binding_take(reader, count, column)) return false;
        if (is_target && !crd_i_intervals_are(&column->intervals)) reader->columns[count].type = CRD_TYPE_CATEGORICAL;
        if (is_target) reader->columns[count].is_fixed = true;
        count++;
    }
    return true;
}

/* Copies the information a strict reader needs about fields that are not columns: the number of ignored fields, and
 * the weight. */
static bool take_others(crd_reader *reader, const crd_i_schema *schema, bool with_weight) {
    size_t fields = schema->weight.name.bytes != NULL;
    for (size_t i = 0; i < schema->count; i++)
        fields += i == 0 || schema->columns[i].position != schema->columns[i - 1].position;
    reader->binding.left_out = schema->width > fields ? schema->width - fields : 0;
    if (with_weight || schema->weight.name.bytes == NULL) return true;
    reader->binding.optional_weight = crd_i_text_copy(reader->context, schema->weight.name);
    return reader->binding.optional_weight.bytes != NULL;
}

/* The purpose of the rows of a reader with a schema. */
typedef enum binding_purpose { TO_ANSWER, TO_LEARN, TO_TRAIN } binding_purpose;

/* Detects again whether the first record of the first file is a header, now that a schema is known. */
static crd_status reconsider_header(crd_reader *reader, crd_error *error) {
    const crd_i_format *format = reader->position.entry->header.format;
    if (format->reconsider == NULL) return CRD_OK;
    crd_status status = format->reconsider(reader, error);
    const crd_i_file_header *header = &reader->position.entry->header;
    bool is_changed = header->has_header != reader->first.has_header || header->line != reader->first.line;
    if (status == CRD_OK && is_changed) status = crd_i_reader_show_first(reader, error);
    if (status != CRD_OK) crd_i_reader_place_error(reader, error);
    return status;
}

/* Reads the first file again without quotes if the schema shows that quotes enclose nothing. */
static crd_status reconsider_quotes(crd_reader *reader, const crd_i_schema *schema, crd_error *error) {
    const bool is_news =
        schema->has_literal_quotes && !reader->dialect.has_literal_quotes && !reader->dialect.has_quote;
    if (!is_news) return CRD_OK;
    reader->dialect.has_literal_quotes = true;
    if (reader->batches.source != NULL || reader->position.entry->header.separator != '\t' ||
        !reader->inputs[0].can_reread)
        return CRD_OK;
    crd_status status = crd_i_reader_enter(reader, 0, error);
    return status == CRD_OK ? crd_i_reader_show_first(reader, error) : status;
}

/* Matches cells to learn only with the words of declared values. Other values of the column stay as spelled. */
static void take_truth_to_learn(crd_i_reader_column *column) {
    if (column->declared != NULL) column->truth = crd_i_truth_words_of(column->declared);
    else column->truth.is_exact = false;
}

static crd_status take_schema(crd_reader *reader, const crd_i_schema *schema, binding_purpose purpose,
                              crd_error *error) {
    if (reader->has_begun) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader has already started");
    if (!reader->dialect.has_missing && !crd_i_reader_set_missing(reader, schema)) return crd_i_fail_memory(error);
    bool with_weight = purpose != TO_ANSWER && schema->weight.name.bytes != NULL;
    crd_status status = replace_columns(reader, schema->count + with_weight, error);
    if (status != CRD_OK) return status;
    reader->binding.has_schema = true;
    reader->binding.is_bound = purpose != TO_TRAIN;
    reader->binding.needs_target = purpose == TO_LEARN && reader->binding.row_class.bytes == NULL;
    reader->binding.width = schema->width;
    reader->binding.has_header = schema->has_header;
    if (!take_bound_columns(reader, schema, with_weight) || !take_others(reader, schema, with_weight))
        return crd_i_fail_memory(error);
    if (purpose != TO_ANSWER)
        for (size_t i = 0; i < reader->column_count; i++) take_truth_to_learn(&reader->columns[i]);
    status = reconsider_quotes(reader, schema, error);
    if (status == CRD_OK) status = reconsider_header(reader, error);
    return status == CRD_OK ? crd_i_reader_meet(reader, error) : status;
}

crd_status crd_i_reader_bind(crd_reader *reader, const crd_i_schema *schema, crd_error *error) {
    return take_schema(reader, schema, TO_ANSWER, error);
}

crd_status crd_i_reader_bind_to_learn(crd_reader *reader, const crd_i_schema *schema, crd_error *error) {
    return take_schema(reader, schema, TO_LEARN, error);
}

crd_status crd_i_reader_adopt(crd_reader *reader, const crd_i_schema *schema, crd_error *error) {
    return take_schema(reader, schema, TO_TRAIN, error);
}

/* ======== 2. Column selectors ======== */

static crd_text selected_column_name(const void *reader, size_t column) {
    return crd_reader_column_name(reader, column);
}

static size_t column_selector_find(const void *owner, crd_text name) {
    const crd_reader *reader = owner;
    int32_t code = crd_i_dictionary_find(reader->first.names, name);
    return code < 0 || (size_t)code >= crd_reader_column_count(reader) ? SIZE_MAX : (size_t)code;
}

/* Adds a hint that the header may be another line, because no column has this name. */
static void column_selector_hint_at_header(const crd_reader *reader, crd_text selector, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    const bool is_stated = reader->options.header != CRD_CHOICE_AUTO || reader->options.header_line > 0;
    if (is_stated || reader->first.format->code != CRD_FORMAT_DELIMITED) return;
    const unsigned long long line = reader->suggested_line;
    if (line > 0 && strcmp(crd_i_quote(selector, shown), reader->suggested_name) == 0)
        crd_i_error_hint(error, "line %llu contains '%s': use header=%llu if this line names the columns", line, shown,
                         line);
    else if (!reader->first.has_header && !crd_i_selector_is_place(selector, SIZE_MAX))
        crd_i_error_hint(error, "use header=yes if the first line names the columns");
}

crd_status crd_reader_select(const crd_reader *reader, crd_text selector, size_t *columns, size_t *count,
                             crd_error *error) {
    crd_i_names names = {"column", reader, crd_reader_column_count(reader), selected_column_name, column_selector_find};
    crd_status status = crd_i_select(&names, selector, columns, count, error);
    /* The missing column is more likely inside the nested value. */
    if (status == CRD_ERROR_COLUMN && reader->has_one_object && error != NULL) {
        *error = reader->nested;
        crd_i_error_place(error, reader->inputs[0].place, reader->nested.line, 0);
        return reader->nested.status;
    }
    if (status != CRD_OK) crd_i_error_place(error, reader->inputs[0].place, 0, 0);
    if (status == CRD_ERROR_COLUMN) column_selector_hint_at_header(reader, selector, error);
    return status;
}

/* ---- Roles by selectors ---- */

typedef crd_status (*selector_role)(crd_reader *reader, size_t column, crd_error *error);

/* Gives a role to the columns that a selector matches. At most `most` columns can have the role. */
static crd_status give_role(crd_reader *reader, crd_text selector, const char *name, size_t most, selector_role give,
                            crd_error *error) {
    size_t count = 0;
    size_t *columns = crd_i_alloc(reader->context, crd_reader_column_count(reader), sizeof *columns);
    if (columns == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_reader_select(reader, selector, columns, &count, error);
    if (status == CRD_OK && count > most) {
        char shown[CRD_I_QUOTED_ROOM];
        status = crd_i_fail(error, CRD_ERROR_COLUMN, "'%s' selects %zu columns, but there can be only one %s",
                            crd_i_quote(selector, shown), count, name);
        crd_i_error_subject(error, selector);
        crd_i_error_place(error, reader->inputs[0].place, 0, 0);
    }
    for (size_t i = 0; status == CRD_OK && i < count; i++) status = give(reader, columns[i], error);
    crd_free(reader->context, columns);
    return status;
}

crd_status crd_reader_select_target(crd_reader *reader, crd_text selector, crd_error *error) {
    return give_role(reader, selector, "target", 1, crd_reader_set_target, error);
}

crd_status crd_reader_select_weight(crd_reader *reader, crd_text selector, crd_error *error) {
    return give_role(reader, selector, "weight", 1, crd_reader_set_weight, error);
}

crd_status crd_reader_select_ignored(crd_reader *reader, crd_text selector, crd_error *error) {
    return give_role(reader, selector, "ignored column", SIZE_MAX, crd_reader_ignore, error);
}
