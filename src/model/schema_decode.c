/* SPDX-License-Identifier: MIT */
/* schema_decode.c - see schema_decode.h. */
#include "model/schema_decode.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/exact/ieee754.h"
#include "model/model_internal.h"
#include "model/model_sections.h"

#include <string.h>

static crd_status schema_decode_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: %s", description);
}

static bool schema_decode_has_nul(crd_text text) {
    return text.length > 0 && memchr(text.bytes, '\0', text.length) != NULL;
}

enum { LEAST_TEXT = 4, LEAST_COLUMN = LEAST_TEXT + 1 + 8, LEAST_FORM = 4 + 1 + 1 + LEAST_TEXT };

static crd_status schema_decode_read_missing(crd_i_cursor *cursor, bool is_stated, crd_i_schema *schema,
                                             crd_error *error) {
    uint8_t any_case = is_stated ? crd_i_decode_u8(cursor) : 0;
    if (any_case > 1) return schema_decode_damaged(error, "the missing texts are invalid");
    uint32_t count = crd_i_decode_u32(cursor);
    if (!crd_i_cursor_holds(cursor, count, LEAST_TEXT))
        return schema_decode_damaged(error, "the list of missing texts is too short");
    crd_text *texts = crd_i_alloc(schema->context, count, sizeof *texts);
    if (texts == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (uint32_t i = 0; i < count && status == CRD_OK; i++) {
        texts[i] = crd_i_decode_text(cursor);
        if (cursor->failed || schema_decode_has_nul(texts[i]) ||
            (i > 0 && crd_i_text_compare(texts[i - 1], texts[i]) >= 0))
            status = schema_decode_damaged(error, "the missing texts are not in order");
    }
    if (status == CRD_OK) {
        bool done = is_stated ? crd_i_schema_set_missing(schema, texts, count, any_case == 1)
                              : crd_i_schema_read_missing(schema, texts, count);
        if (!done) status = crd_i_fail_memory(error);
        /* Each list has only one valid encoding, so equal models have equal bytes. */
        else if (crd_i_schema_states_missing(schema) != is_stated)
            status = schema_decode_damaged(error, "the missing texts are invalid");
    }
    crd_free(schema->context, texts);
    return status;
}

static crd_status schema_decode_read_column(crd_i_cursor *cursor, crd_i_schema *schema, crd_i_dictionary *names,
                                            crd_error *error) {
    crd_text name = crd_i_decode_text(cursor);
    uint8_t kind = crd_i_decode_u8(cursor);
    uint64_t position = crd_i_decode_u64(cursor);
    size_t i = schema->count;
    if (cursor->failed) return schema_decode_damaged(error, "the list of columns is too short");
    if (schema_decode_has_nul(name)) return schema_decode_damaged(error, "a column's name has a NUL byte");
    if (kind > CRD_KIND_TEXT) return schema_decode_damaged(error, "a column has an unknown type");
    if (position >= schema->width || (i > 0 && position < schema->columns[i - 1].position))
        return schema_decode_damaged(error, "a column is out of place");
    int32_t code = crd_i_dictionary_add(names, name);
    if (code < 0) return crd_i_fail_memory(error);
    if ((size_t)code != i) return schema_decode_damaged(error, "two columns have the same name");
    if (!crd_i_schema_add(schema, name, (crd_kind)kind, (size_t)position)) return crd_i_fail_memory(error);
    return CRD_OK;
}

static crd_status schema_decode_read_columns(crd_i_cursor *cursor, crd_i_schema *schema, bool has_target,
                                             crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor), target = has_target ? crd_i_decode_u32(cursor) : 0;
    if (!crd_i_cursor_holds(cursor, count, LEAST_COLUMN))
        return schema_decode_damaged(error, "the list of columns is too short");
    if (has_target && target >= count) return schema_decode_damaged(error, "the target is not one of the columns");
    crd_i_dictionary *names = crd_i_dictionary_create(schema->context);
    crd_status status = names == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (uint32_t i = 0; i < count && status == CRD_OK; i++)
        status = schema_decode_read_column(cursor, schema, names, error);
    crd_i_dictionary_destroy(names);
    if (status == CRD_OK && !has_target) return crd_i_schema_stand_in(schema) ? CRD_OK : crd_i_fail_memory(error);
    schema->target = target;
    if (status == CRD_OK && schema->columns[target].kind != CRD_KIND_CATEGORY)
        status = schema_decode_damaged(error, "the target is not a category");
    return status;
}

crd_status crd_i_schema_decode(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_i_schema **out,
                               crd_error *error) {
    bool states_missing = version > CRD_I_VERSIONS_TO_STATE_MISSING;
    bool has_target = version - (states_missing ? CRD_I_VERSIONS_TO_STATE_MISSING : 0) != CRD_I_VERSION_WITHOUT_TARGET;
    *out = NULL;
    crd_i_schema *schema = crd_i_schema_create(context);
    if (schema == NULL) return crd_i_fail_memory(error);
    uint64_t width = crd_i_decode_u64(cursor);
    uint8_t has_header = crd_i_decode_u8(cursor);
    crd_status status = CRD_OK;
    if (cursor->failed || width > CRD_I_MOST_WIDTH || has_header > 1)
        status = schema_decode_damaged(error, "the schema is invalid");
    schema->width = (size_t)width;
    schema->has_header = has_header == 1;
    if (status == CRD_OK) status = schema_decode_read_missing(cursor, states_missing, schema, error);
    if (status == CRD_OK) status = schema_decode_read_columns(cursor, schema, has_target, error);
    if (status == CRD_OK) {
        *out = schema;
        return CRD_OK;
    }
    crd_i_schema_destroy(schema);
    return status;
}

crd_status crd_i_schema_decode_weight(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error) {
    crd_text name = crd_i_decode_text(cursor);
    uint64_t position = crd_i_decode_u64(cursor);
    if (cursor->failed) return schema_decode_damaged(error, "the weight is too short");
    if (schema_decode_has_nul(name)) return schema_decode_damaged(error, "the weight's name has a NUL byte");
    bool is_apart = position < schema->width && crd_i_schema_find(schema, name) == SIZE_MAX;
    for (size_t i = 0; is_apart && i < schema->count; i++) is_apart = schema->columns[i].position != position;
    if (!is_apart) return schema_decode_damaged(error, "the weight is one of the other columns, or out of place");
    return crd_i_schema_set_weight(schema, name, (size_t)position) ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status schema_decode_read_form(crd_i_cursor *cursor, crd_i_schema *schema, uint32_t *next,
                                          crd_error *error) {
    uint32_t column = crd_i_decode_u32(cursor);
    crd_i_form form = {.reading = crd_i_decode_u8(cursor)};
    form.part = crd_i_decode_u8(cursor);
    crd_text field = crd_i_decode_text(cursor);
    if (cursor->failed) return schema_decode_damaged(error, "the list of forms is too short");
    if (column < *next || column >= schema->count || (schema->lacks_target && column == schema->target))
        return schema_decode_damaged(error, "a form belongs to no column, or is out of place");
    *next = column + 1;
    if (crd_i_form_is_plain(form) || !crd_i_form_is_known(form))
        return schema_decode_damaged(error, "a column has an unknown form");
    /* Numbers that are discretized are categories: see crd_i_schema_check_fields. */
    crd_kind kind = schema->columns[column].kind, own_kind = crd_i_form_kind(form);
    if (kind != own_kind && !(kind == CRD_KIND_CATEGORY && own_kind == CRD_KIND_NUMBER))
        return schema_decode_damaged(error, "the form of a column does not fit its type");
    if (schema_decode_has_nul(field) || (field.length > 0) != (form.part != CRD_I_PART_WHOLE))
        return schema_decode_damaged(error,
                                     "a form has no field name where one is needed, or an unexpected field name");
    if (field.length == 0) field.bytes = NULL;
    return crd_i_schema_set_form(schema, column, form, field) ? CRD_OK : crd_i_fail_memory(error);
}

crd_status crd_i_schema_decode_forms(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor), next = 0;
    if (count == 0 || !crd_i_cursor_holds(cursor, count, LEAST_FORM))
        return schema_decode_damaged(error, "the list of forms is too short");
    crd_status status = CRD_OK;
    for (uint32_t i = 0; i < count && status == CRD_OK; i++)
        status = schema_decode_read_form(cursor, schema, &next, error);
    return status;
}

crd_status crd_i_schema_check_fields(const crd_i_schema *schema, crd_error *error) {
    for (size_t i = 0; i < schema->count; i++) {
        const crd_i_schema_column *column = &schema->columns[i];
        bool has_numbers = crd_i_form_is_plain(column->form) || crd_i_form_kind(column->form) == CRD_KIND_NUMBER;
        bool is_formed = !crd_i_form_is_plain(column->form) && column->kind != crd_i_form_kind(column->form);
        if (crd_i_intervals_are(&column->intervals) ? !has_numbers : is_formed)
            return schema_decode_damaged(error, "the form of a column does not fit its type");
    }
    for (size_t i = 1; i < schema->count; i++) {
        const crd_i_schema_column *a = &schema->columns[i - 1], *b = &schema->columns[i];
        if (a->position != b->position) continue;
        bool are_parts = a->form.part != CRD_I_PART_WHOLE && a->form.part < b->form.part;
        if (!are_parts || a->form.reading != b->form.reading || !crd_text_equal(a->field, b->field))
            return schema_decode_damaged(error, "a column is out of place");
    }
    return CRD_OK;
}

static crd_status schema_decode_read_cuts(crd_i_cursor *cursor, crd_i_schema *schema, size_t *next, crd_error *error) {
    uint32_t column = crd_i_decode_u32(cursor), count = crd_i_decode_u32(cursor);
    if (!crd_i_cursor_holds(cursor, count, sizeof(uint64_t)))
        return schema_decode_damaged(error, "a list of cut points is too short");
    if (column < *next || column >= schema->count || schema->columns[column].kind != CRD_KIND_CATEGORY)
        return schema_decode_damaged(error, "cut points belong to no categorical column, or are out of order");
    *next = column + 1;
    double *cuts = crd_i_alloc(schema->context, count, sizeof *cuts);
    if (cuts == NULL) return crd_i_fail_memory(error);
    for (uint32_t i = 0; i < count; i++) cuts[i] = crd_i_double_of(crd_i_decode_u64(cursor));
    crd_status status = CRD_OK;
    if (!crd_i_cuts_fit(cuts, count)) status = schema_decode_damaged(error, "cut points are not in order");
    else if (!crd_i_intervals_set(schema->context, &schema->columns[column].intervals, cuts, count))
        status = crd_i_fail_memory(error);
    crd_free(schema->context, cuts);
    return status;
}

crd_status crd_i_schema_decode_cuts(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor);
    size_t next = 0;
    crd_status status =
        cursor->failed || count == 0 ? schema_decode_damaged(error, "the list of cut points is empty") : CRD_OK;
    for (uint32_t i = 0; status == CRD_OK && i < count; i++)
        status = schema_decode_read_cuts(cursor, schema, &next, error);
    return status;
}

crd_status crd_i_schema_check_labels(const crd_i_schema *schema, crd_error *error) {
    char buffer[CRD_I_INTERVAL_ROOM];
    for (size_t i = 0; i < schema->count; i++) {
        const crd_i_schema_column *column = &schema->columns[i];
        if (!crd_i_intervals_are(&column->intervals)) continue;
        size_t count = column->values == NULL ? 0 : crd_i_dictionary_size(column->values);
        bool fits = count == column->intervals.cut_count + 1;
        for (size_t k = 0; fits && k < count; k++)
            fits = crd_text_equal(crd_i_dictionary_text(column->values, k),
                                  crd_i_intervals_label(&column->intervals, k, buffer));
        if (!fits) return schema_decode_damaged(error, "the values of a column do not match its cut points");
    }
    return CRD_OK;
}
