/* SPDX-License-Identifier: MIT */
/* strict_schema.c - checks that a file has exactly the columns of a schema. See reader_internal.h and
 * credence/data.h.
 *
 * It reports columns of the schema that the file lacks, fields that the schema does not contain, and columns of
 * another type, as far as the first rows show. Text in later rows is reported when the row is read. A model's schema
 * does not contain the names of columns that were ignored in training, only their number. That many unknown fields
 * are allowed. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* The types of differences, in the order of the message. */
typedef enum schema_difference { ABSENT, UNKNOWN, TEXT, NUMBERS, DIFFERENCES } schema_difference;

/* Names with one type of difference; names that do not fit are only counted. */
typedef struct name_list {
    char text[440];
    size_t capacity, used, count, unnamed;
} name_list;

typedef struct schema_comparison {
    name_list lists[DIFFERENCES];
    crd_text first; /* the first name of all; bytes NULL: there is no difference */
} schema_comparison;

static void strict_schema_add(schema_comparison *c, schema_difference difference, crd_text name, const char *remark) {
    name_list *list = &c->lists[difference];
    char shown[CRD_I_QUOTED_ROOM];
    if (c->first.bytes == NULL) c->first = name;
    const char *gap = list->count++ == 0 ? "" : ", ";
    size_t needed = strlen(gap) + strlen(crd_i_quote_item(name, shown)) + strlen(remark);
    if (list->unnamed > 0 || list->used + needed >= list->capacity) {
        list->unnamed++;
        return;
    }
    list->used += (size_t)snprintf(list->text + list->used, list->capacity - list->used, "%s%s%s", gap, shown, remark);
}

static void compare_absent(const crd_reader *reader, schema_comparison *c) {
    const crd_i_file_header *header = &reader->position.entry->header;
    crd_text latest = {NULL, 0};
    /* Rows that have not arrived may have further keys. */
    if (header->is_open && !reader->position.records.at_end) return;
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        crd_text name = column->source.bytes != NULL ? column->source : column->name;
        bool is_target = i == reader->target, may_lack = reader->binding.is_bound && !reader->binding.needs_target;
        if (column->field != SIZE_MAX || column->is_ignored || (is_target && may_lack)) continue;
        if (latest.bytes != NULL && crd_text_equal(latest, name)) continue; /* another part of the same field */
        latest = name;
        strict_schema_add(c, ABSENT, name, is_target ? " (the target)" : i == reader->weight ? " (the weight)" : "");
    }
}

static crd_status compare_unknown(const crd_reader *reader, schema_comparison *c, crd_error *error) {
    const crd_i_file_header *header = &reader->position.entry->header;
    bool *is_known = crd_i_alloc_zeroed(reader->context, header->width, sizeof *is_known);
    size_t unknown = 0;
    if (is_known == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < reader->column_count; i++)
        if (reader->columns[i].field < header->width) is_known[reader->columns[i].field] = true;
    for (size_t field = 0; field < header->width; field++) {
        crd_text name = crd_i_dictionary_text(header->names, field);
        bool names_row = crd_i_file_header_leaves_field(header, field);
        is_known[field] = is_known[field] || names_row || crd_i_reader_knows_field(reader, name);
        unknown += !is_known[field];
    }
    for (size_t field = 0; unknown > reader->binding.left_out && field < header->width; field++)
        if (!is_known[field]) strict_schema_add(c, UNKNOWN, crd_i_dictionary_text(header->names, field), "");
    crd_free(reader->context, is_known);
    return CRD_OK;
}

bool crd_i_reader_knows_field(const crd_reader *reader, crd_text name) {
    bool is_weight =
        reader->binding.optional_weight.bytes != NULL && crd_text_equal(reader->binding.optional_weight, name);
    return is_weight || (!reader->binding.has_schema && crd_i_dictionary_find(reader->first.names, name) >= 0);
}

static crd_status compare_types(crd_reader *reader, schema_comparison *c, crd_error *error) {
    if (!reader->binding.has_schema) return CRD_OK;
    crd_column_type *types = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *types);
    if (types == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_reader_look_for_types(reader, types, error);
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        if (i == reader->target && reader->binding.is_bound && !reader->binding.needs_target) continue;
        if (column->type == CRD_TYPE_NUMERIC && types[i] == CRD_TYPE_CATEGORICAL)
            strict_schema_add(c, TEXT, column->name, "");
        if (column->type == CRD_TYPE_CATEGORICAL && types[i] == CRD_TYPE_NUMERIC && column->has_words_only)
            strict_schema_add(c, NUMBERS, column->name, "");
    }
    crd_free(reader->context, types);
    return status;
}

static crd_status strict_schema_compare(crd_reader *reader, size_t capacity, bool by_name, schema_comparison *c,
                                        crd_error *error) {
    crd_status status = CRD_OK;
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < DIFFERENCES; i++) c->lists[i].capacity = capacity;
    if (by_name) compare_absent(reader, c);
    if (by_name) status = compare_unknown(reader, c, error);
    return status == CRD_OK ? compare_types(reader, c, error) : status;
}

static crd_status strict_schema_fail(const crd_reader *reader, const schema_comparison *c, crd_error *error) {
    static const char *const words[DIFFERENCES] = {[ABSENT] = "absent",
                                                   [UNKNOWN] = "unknown",
                                                   [TEXT] = "text instead of numbers",
                                                   [NUMBERS] = "numbers instead of categories"};
    char message[sizeof error->message];
    size_t used = (size_t)snprintf(message, sizeof message, "the columns are not as expected");
    for (size_t i = 0; i < DIFFERENCES && used < sizeof message; i++) {
        const name_list *list = &c->lists[i];
        if (list->count == 0) continue;
        used += (size_t)snprintf(message + used, sizeof message - used, "; %s: %s", words[i], list->text);
        if (list->unnamed > 0 && used < sizeof message)
            used += (size_t)snprintf(message + used, sizeof message - used, "%s%zu more",
                                     list->used == 0 ? "" : " and ", list->unnamed);
    }
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "%s", message);
    crd_i_error_place(error, NULL, reader->position.entry->header.line, 0);
    crd_i_error_subject(error, c->first);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

crd_status crd_i_reader_check_strictly(crd_reader *reader, bool by_name, crd_error *error) {
    enum { ROOM = 440 };
    schema_comparison c;
    if (!reader->options.strict || (!reader->binding.has_schema && reader->position.current == 0)) return CRD_OK;
    if (!by_name && reader->binding.has_header && reader->options.header == CRD_CHOICE_AUTO) {
        crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the header with the column names is missing");
        crd_i_error_place(error, NULL, reader->position.entry->header.line, 0);
        return CRD_ERROR_SCHEMA_DIFFERS;
    }
    crd_status status = strict_schema_compare(reader, ROOM, by_name, &c, error);
    if (status != CRD_OK || c.first.bytes == NULL) return status;
    size_t ways = 0;
    for (size_t i = 0; i < DIFFERENCES; i++) ways += c.lists[i].count > 0;
    if (ways > 1) status = strict_schema_compare(reader, ROOM / ways, by_name, &c, error);
    return status == CRD_OK ? strict_schema_fail(reader, &c, error) : status;
}
