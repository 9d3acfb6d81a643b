/* SPDX-License-Identifier: MIT */
/* field_forms.c - forms of fields, and the columns derived from a field with several parts. See reader_internal.h
 * and form.h. */
#include "table/read/reader_internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

void crd_i_reader_column_clear(crd_context *context, crd_i_reader_column *column) {
    crd_free(context, (void *)column->name.bytes);
    crd_free(context, (void *)column->source.bytes);
    crd_i_dictionary_destroy(column->declared);
    crd_i_intervals_clear(context, &column->intervals);
}

static bool field_forms_is_taken(const crd_reader *reader, crd_text name) {
    size_t i = 0;
    while (i < reader->column_count && !crd_text_equal(reader->columns[i].name, name)) i++;
    return i < reader->column_count;
}

/* Appends underscores if another column already has the name. */
crd_text crd_i_reader_part_name(const crd_reader *reader, const crd_i_reader_column *field, unsigned part) {
    const char *suffix = crd_i_part_suffix(part);
    size_t length = field->name.length + strlen(suffix), more = 0;
    char *bytes = crd_i_alloc(reader->context, length + reader->column_count + 1, 1);
    crd_text name = {bytes, length};
    if (bytes == NULL) return name;
    memcpy(bytes, field->name.bytes, field->name.length);
    memcpy(bytes + field->name.length, suffix, strlen(suffix));
    while (more < reader->column_count && field_forms_is_taken(reader, name)) {
        bytes[length + more++] = '_';
        name.length++;
    }
    bytes[name.length] = '\0';
    return name;
}

static size_t count_columns(const crd_reader *reader) {
    crd_i_form forms[CRD_I_MOST_PARTS];
    size_t count = 0;
    for (size_t i = 0; i < reader->column_count; i++) count += crd_i_form_split(reader->columns[i].form, forms);
    return count;
}

/* Fills in the column of a part. */
static bool field_forms_fill_part(const crd_reader *reader, const crd_i_reader_column *field, crd_i_form form,
                                  crd_i_reader_column *column) {
    *column = (crd_i_reader_column){.position = field->position, .field = field->field, .form = form};
    column->kind = crd_i_form_kind(form);
    column->is_fixed = column->is_settled = true;
    column->is_open = field->is_open;
    column->shown = field->shown;
    column->name = crd_i_reader_part_name(reader, field, form.part);
    column->source = crd_i_text_copy(reader->context, field->name);
    return column->name.bytes != NULL && column->source.bytes != NULL;
}

crd_status crd_i_reader_split_forms(crd_reader *reader, crd_error *error) {
    size_t count = count_columns(reader), used = 0, target = SIZE_MAX, weight = SIZE_MAX;
    if (count == reader->column_count) return CRD_OK;
    crd_i_reader_column *columns = crd_i_alloc_zeroed(reader->context, count, sizeof *columns);
    bool *is_moved = crd_i_alloc_zeroed(reader->context, count, sizeof *is_moved);
    bool done = columns != NULL && is_moved != NULL;
    for (size_t i = 0; done && i < reader->column_count; i++) {
        crd_i_form forms[CRD_I_MOST_PARTS];
        size_t parts = crd_i_form_split(reader->columns[i].form, forms);
        if (i == reader->target) target = used;
        if (i == reader->weight) weight = used;
        if (parts == 1) {
            is_moved[used] = true;
            columns[used++] = reader->columns[i];
            continue;
        }
        for (size_t part = 0; done && part < parts; part++)
            done = field_forms_fill_part(reader, &reader->columns[i], forms[part], &columns[used++]);
    }
    if (!done) {
        for (size_t i = 0; i < used; i++)
            if (!is_moved[i]) crd_i_reader_column_clear(reader->context, &columns[i]);
        crd_free(reader->context, columns);
        crd_free(reader->context, is_moved);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < reader->column_count; i++)
        if (reader->columns[i].form.part >= CRD_I_PART_COUNT)
            crd_i_reader_column_clear(reader->context, &reader->columns[i]);
    crd_free(reader->context, is_moved);
    crd_free(reader->context, reader->columns);
    reader->columns = columns;
    reader->column_count = count;
    reader->target = target;
    reader->weight = weight;
    return CRD_OK;
}
