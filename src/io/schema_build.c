/* SPDX-License-Identifier: MIT */
/* schema_build.c - builds, compares and merges schemas. See credence/schema.h. */
#include "io/schema_merge.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

crd_status crd_schema_create(crd_context *context, crd_schema **out, crd_error *error) {
    if (out == NULL || context == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context or pointer");
    *out = NULL;
    crd_i_schema *inner = crd_i_schema_create(context);
    if (inner == NULL) return crd_i_fail_memory(error);
    inner->has_header = true;
    return crd_i_schema_wrap(inner, out, error);
}

/* ---- Columns ---- */

static crd_status schema_build_fail_column(crd_text name, const char *description, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "column '%s' %s", crd_i_quote(name, shown), description);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

static bool schema_build_has_nul(crd_text text) {
    return text.length > 0 && memchr(text.bytes, '\0', text.length) != NULL;
}

/* Returns the field with this name; SIZE_MAX: there is none. */
static size_t schema_build_find_field(const crd_schema *schema, crd_text name) {
    size_t i = 0;
    while (i < schema->inner->width && !crd_text_equal(schema->fields[i].name, name)) i++;
    return i < schema->inner->width ? i : SIZE_MAX;
}

static crd_status check_form(const crd_schema_column *column, crd_error *error) {
    crd_i_form form;
    if (!crd_i_form_find(column->form, &form))
        return schema_build_fail_column(column->name, "has an unknown form", error);
    crd_kind kind = crd_i_form_kind(form);
    bool is_category = column->kind == CRD_KIND_CATEGORY || column->value_count > 0 || column->role == CRD_ROLE_TARGET;
    if (column->cuts != NULL && kind == CRD_KIND_NUMBER) return CRD_OK;
    if (column->role == CRD_ROLE_WEIGHT || column->cuts != NULL || (is_category && kind != CRD_KIND_CATEGORY) ||
        (column->kind == CRD_KIND_NUMBER && kind != CRD_KIND_NUMBER) || column->kind == CRD_KIND_TEXT)
        return schema_build_fail_column(column->name, "has a form that does not fit its type or role", error);
    return CRD_OK;
}

/* Checks the name, kind, role, values and cut points of a new column. */
static crd_status schema_build_check_column(const crd_schema *schema, const crd_schema_column *column,
                                            crd_error *error) {
    bool is_category = column->kind == CRD_KIND_CATEGORY || column->value_count > 0 || column->cuts != NULL;
    if (column->cuts != NULL && !crd_i_cuts_fit(column->cuts, column->cut_count))
        return schema_build_fail_column(column->name, "must have finite and ascending cut points", error);
    if (column->name.length == 0 || schema_build_has_nul(column->name))
        return schema_build_fail_column(column->name, "has a name that is empty, or has a NUL byte", error);
    if (schema_build_find_field(schema, column->name) != SIZE_MAX)
        return schema_build_fail_column(column->name, "exists already", error);
    if (column->role == CRD_ROLE_TARGET && schema->inner->target != SIZE_MAX)
        return schema_build_fail_column(column->name, "would be a second target", error);
    if (column->role == CRD_ROLE_WEIGHT && schema->inner->weight.name.bytes != NULL)
        return schema_build_fail_column(column->name, "would be a second weight", error);
    bool is_text = column->kind == CRD_KIND_TEXT;
    if (column->role == CRD_ROLE_TARGET && (column->kind == CRD_KIND_NUMBER || is_text))
        return schema_build_fail_column(column->name, "is the target, which must be a category", error);
    if (is_text && (column->value_count > 0 || column->cuts != NULL))
        return schema_build_fail_column(column->name, "is a text, which cannot have declared values", error);
    if (column->role == CRD_ROLE_WEIGHT && (is_category || is_text))
        return schema_build_fail_column(column->name, "is the weight, which must be a number", error);
    if (column->kind == CRD_KIND_NUMBER && column->value_count > 0)
        return schema_build_fail_column(column->name, "is a number, which cannot have declared values", error);
    if (!crd_i_utf8_is_valid(column->name))
        return schema_build_fail_column(column->name, "has a name that is not valid UTF-8", error);
    for (size_t i = 0; i < column->value_count; i++) {
        if (schema_build_has_nul(column->values[i]))
            return schema_build_fail_column(column->name, "has a value with a NUL byte", error);
        if (!crd_i_utf8_is_valid(column->values[i]))
            return schema_build_fail_column(column->name, "has a value that is not valid UTF-8", error);
    }
    return column->form.length > 0 ? check_form(column, error) : CRD_OK;
}

/* Adds a column to the inner schema. Adds nothing if it fails. */
static bool add_inner(crd_i_schema *inner, const crd_schema_column *column) {
    bool is_category = column->role == CRD_ROLE_TARGET || column->value_count > 0;
    size_t before = inner->count;
    crd_i_form form;
    bool done =
        crd_i_form_find(column->form, &form)
            ? crd_i_schema_add_formed(inner, column->name, form, inner->width)
            : crd_i_schema_add(inner, column->name, is_category ? CRD_KIND_CATEGORY : column->kind, inner->width);
    for (size_t i = 0; done && i < column->value_count; i++)
        done = crd_i_schema_declare(inner, inner->count - 1, column->values[i]);
    if (done && column->cuts != NULL)
        done = crd_i_schema_set_intervals(inner, inner->count - 1, column->cuts, column->cut_count);
    while (!done && inner->count > before) crd_i_schema_drop_last(inner);
    return done;
}

/* Enlarges the array of fields by one empty field. */
static bool grow_fields(crd_schema *schema) {
    size_t width = schema->inner->width;
    crd_i_schema_field *fields = crd_i_alloc_zeroed(schema->context, width + 1, sizeof *fields);
    if (fields == NULL) return false;
    if (width > 0) memcpy(fields, schema->fields, width * sizeof *fields);
    fields[width].column = SIZE_MAX;
    crd_free(schema->context, schema->fields);
    schema->fields = fields;
    return true;
}

/* Sets the role of a column whose field has a name. false: out of memory. */
static bool add_role(crd_schema *schema, const crd_schema_column *column, crd_i_schema_field *field) {
    crd_i_schema *inner = schema->inner;
    if (column->role == CRD_ROLE_IGNORED) return true;
    if (column->role == CRD_ROLE_WEIGHT) return crd_i_schema_set_weight(inner, column->name, inner->width);
    size_t first = inner->count;
    if (!add_inner(inner, column)) return false;
    if (!crd_i_schema_field_order(schema->context, &inner->columns[first], field)) {
        while (inner->count > first) crd_i_schema_drop_last(inner);
        return false;
    }
    field->column = first;
    field->parts = inner->count - first;
    if (column->role == CRD_ROLE_TARGET) inner->target = first;
    return true;
}

crd_status crd_schema_add_column(crd_schema *schema, const crd_schema_column *given, crd_error *error) {
    crd_schema_column column = CRD_SCHEMA_COLUMN_INIT;
    if (!crd_i_copy_in(given, &column, sizeof column))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the column is not initialized");
    if (column.values == NULL) column.value_count = 0;
    if (schema->part != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the schema of a part of a table cannot get more columns");
    crd_status status = schema_build_check_column(schema, &column, error);
    if (status != CRD_OK) return status;
    if (!grow_fields(schema)) return crd_i_fail_memory(error);
    crd_i_schema_field *field = &schema->fields[schema->inner->width];
    field->name = crd_i_text_copy(schema->context, column.name);
    if (field->name.bytes == NULL || !add_role(schema, &column, field)) {
        crd_free(schema->context, (void *)field->name.bytes);
        return crd_i_fail_memory(error);
    }
    schema->inner->width++;
    return CRD_OK;
}

crd_status crd_schema_set_missing(crd_schema *schema, const crd_text *texts, size_t count, crd_error *error) {
    return crd_i_schema_set_missing(schema->inner, texts, count, false) ? CRD_OK : crd_i_fail_memory(error);
}

void crd_schema_set_header(crd_schema *schema, int has_header) {
    schema->inner->has_header = has_header != 0;
}

crd_role crd_schema_role(const crd_schema *schema, size_t column) {
    if (column == crd_schema_target(schema)) return CRD_ROLE_TARGET;
    if (column == crd_schema_weight(schema)) return CRD_ROLE_WEIGHT;
    return schema->fields[column].column == SIZE_MAX ? CRD_ROLE_IGNORED : CRD_ROLE_ATTRIBUTE;
}

/* ---- Comparing ---- */

/* Returns the cut points of a part of a column; NULL if the column does not have this part, or no cut points. */
static const double *cuts_of_part(const crd_schema *schema, size_t column, size_t part, size_t *count) {
    *count = 0;
    return part < crd_schema_column_parts(schema, column) ? crd_schema_part_cuts(schema, column, part, count) : NULL;
}

static bool equal_cuts(const crd_schema *a, size_t of_a, const crd_schema *b, size_t of_b) {
    bool equal = true;
    for (size_t part = 0; equal && part < CRD_I_MOST_PARTS; part++) {
        size_t first, second;
        const double *cuts = cuts_of_part(a, of_a, part, &first), *others = cuts_of_part(b, of_b, part, &second);
        equal = (cuts == NULL) == (others == NULL) && first == second;
        for (size_t i = 0; equal && i < first; i++) equal = cuts[i] == others[i];
    }
    return equal;
}

static bool equal_columns(const crd_schema *a, const crd_schema *b, size_t i) {
    bool equal = crd_text_equal(crd_schema_column_name(a, i), crd_schema_column_name(b, i)) &&
                 crd_schema_role(a, i) == crd_schema_role(b, i) &&
                 crd_schema_column_kind(a, i) == crd_schema_column_kind(b, i) &&
                 crd_i_form_equal(crd_i_schema_field_form(a, i), crd_i_schema_field_form(b, i)) &&
                 crd_schema_value_count(a, i) == crd_schema_value_count(b, i) && equal_cuts(a, i, b, i);
    for (size_t value = 0; equal && value < crd_schema_value_count(a, i); value++)
        equal = crd_text_equal(crd_schema_value(a, i, value), crd_schema_value(b, i, value));
    return equal;
}

int crd_schema_equal(const crd_schema *a, const crd_schema *b) {
    bool equal = a->inner->width == b->inner->width && a->inner->has_header == b->inner->has_header &&
                 crd_i_schema_equal_missing(a->inner, b->inner);
    for (size_t i = 0; equal && i < a->inner->width; i++) equal = equal_columns(a, b, i);
    return equal;
}

/* ---- Merging ---- */

crd_status crd_i_schema_fail_differ(crd_text name, const char *description, crd_error *error) {
    (void)schema_build_fail_column(name, description, error);
    if (error != NULL) error->status = CRD_ERROR_SCHEMA_DIFFERS;
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Computes the role of a column in the merged schema. of_a or of_b is SIZE_MAX if that schema lacks the column. */
static crd_status merge_role(const crd_schema *a, size_t of_a, const crd_schema *b, size_t of_b, crd_role *role,
                             crd_error *error) {
    crd_role first = of_a == SIZE_MAX ? crd_schema_role(b, of_b) : crd_schema_role(a, of_a);
    crd_role second = of_b == SIZE_MAX ? first : crd_schema_role(b, of_b);
    crd_text name = of_a == SIZE_MAX ? crd_schema_column_name(b, of_b) : crd_schema_column_name(a, of_a);
    *role = first > second ? first : second;
    if (*role == CRD_ROLE_IGNORED && first != second)
        return crd_i_schema_fail_differ(name, "is ignored in one schema and not in the other", error);
    bool both_targets = crd_schema_target(a) != SIZE_MAX && crd_schema_target(b) != SIZE_MAX;
    bool both_weights = crd_schema_weight(a) != SIZE_MAX && crd_schema_weight(b) != SIZE_MAX;
    bool is_in_both = of_a != SIZE_MAX && of_b != SIZE_MAX;
    bool differs = first != second || !is_in_both;
    if ((*role == CRD_ROLE_TARGET && both_targets && differs) || (first != second && first > 0 && second > 0))
        return crd_i_schema_fail_differ(name, "is the target of one schema, but the other has another target", error);
    if (*role == CRD_ROLE_WEIGHT && both_weights && differs)
        return crd_i_schema_fail_differ(name, "is the weight of one schema, but the other has another weight", error);
    return CRD_OK;
}

/* Returns whether one format is date and the other datetime, in columns in memory. Such a column is a date column if no
 * cell of its part has a time of day; cells of other parts may have one. */
static bool are_moments(const crd_schema *const *schemas, crd_text form, crd_text other) {
    const crd_text date = crd_text_of("date"), moment = crd_text_of("datetime");
    return schemas[0]->part != NULL && !schemas[0]->part->is_file &&
           ((crd_text_equal(form, date) && crd_text_equal(other, moment)) ||
            (crd_text_equal(form, moment) && crd_text_equal(other, date)));
}

/* Sets the format that a column has in both schemas, or in one if the other has no cell of it. */
static crd_status merge_forms(const crd_schema *const *schemas, const size_t *fields, crd_schema_column *column,
                              crd_error *error) {
    for (int i = 0; i < 2; i++) {
        if (fields[i] == SIZE_MAX) continue;
        crd_text form = crd_schema_column_form(schemas[i], fields[i]);
        bool is_blank = form.length == 0 && crd_schema_column_kind(schemas[i], fields[i]) == CRD_KIND_NONE;
        bool is_other_blank = column->form.bytes == NULL;
        if (is_blank) continue;
        if (!is_other_blank && are_moments(schemas, column->form, form)) form = crd_text_of("datetime");
        else if (!is_other_blank && !crd_text_equal(column->form, form))
            return crd_i_schema_fail_differ(column->name, "has different forms in the schemas: specify one for both",
                                            error);
        column->form = form;
    }
    return CRD_OK;
}

/* Lists the values of both schemas in an array, which the caller frees. */
static crd_status schema_build_join_values(crd_context *context, const crd_schema *const *schemas, const size_t *fields,
                                           crd_schema_column *column, crd_error *error) {
    size_t most = 0;
    for (int i = 0; i < 2; i++)
        if (fields[i] != SIZE_MAX) most += crd_schema_value_count(schemas[i], fields[i]);
    crd_text *values = crd_i_alloc(context, most, sizeof *values);
    if (values == NULL) return crd_i_fail_memory(error);
    for (int i = 0; i < 2; i++) {
        size_t count = fields[i] == SIZE_MAX ? 0 : crd_schema_value_count(schemas[i], fields[i]);
        for (size_t k = 0; k < count; k++) values[column->value_count++] = crd_schema_value(schemas[i], fields[i], k);
    }
    column->values = values;
    if (column->kind == CRD_KIND_TEXT) column->value_count = 0;
    return CRD_OK;
}

/* Computes the kind, format, intervals and values of a column from the schemas only, without evidence. */
static crd_status schema_build_join_column(crd_context *context, const crd_schema *const *schemas, const size_t *fields,
                                           crd_schema_column *column, crd_error *error) {
    for (int i = 0; i < 2; i++) {
        crd_kind kind = fields[i] == SIZE_MAX ? CRD_KIND_NONE : crd_schema_column_kind(schemas[i], fields[i]);
        if (kind > column->kind) column->kind = kind;
    }
    if (fields[0] != SIZE_MAX && fields[1] != SIZE_MAX && !equal_cuts(schemas[0], fields[0], schemas[1], fields[1]))
        return crd_i_schema_fail_differ(column->name, "has different intervals in the schemas", error);
    const int first = fields[0] == SIZE_MAX;
    column->cuts = crd_schema_cuts(schemas[first], fields[first], &column->cut_count);
    if (column->role == CRD_ROLE_TARGET) column->kind = CRD_KIND_CATEGORY;
    crd_status status = merge_forms(schemas, fields, column, error);
    return status == CRD_OK ? schema_build_join_values(context, schemas, fields, column, error) : status;
}

/* A column of the merged schema: its field in each schema, SIZE_MAX if that schema lacks it. */
typedef struct merged_field {
    crd_text name;
    size_t fields[2];
} merged_field;

/* Copies the cut points of the last field's parts. They are the same in both schemas. */
static crd_status copy_part_cuts(crd_schema *into, const crd_schema *const *schemas, const size_t *fields,
                                 crd_error *error) {
    const crd_i_schema_field *field = &into->fields[into->inner->width - 1];
    const int first = fields[0] == SIZE_MAX;
    for (size_t part = 0; part < field->parts; part++) {
        size_t count;
        const double *cuts = cuts_of_part(schemas[first], fields[first], part, &count);
        if (cuts != NULL && !crd_i_schema_set_intervals(into->inner, field->column + part, cuts, count))
            return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* Adds a field to `into`. `part` is the combined evidence, in which the field has index `index`; NULL: none. */
static crd_status merge_column(crd_schema *into, const crd_schema *const *schemas, const merged_field *field,
                               const crd_i_part_evidence *part, size_t index, char convention, crd_error *error) {
    crd_schema_column column = CRD_SCHEMA_COLUMN_INIT;
    column.name = field->name;
    crd_status status = merge_role(schemas[0], field->fields[0], schemas[1], field->fields[1], &column.role, error);
    if (status != CRD_OK) return status;
    status = part != NULL && part->fields[index].is_open
                 ? crd_i_schema_decide(part, index, convention, schemas, field->fields, &column, error)
                 : schema_build_join_column(into->context, schemas, field->fields, &column, error);
    if (status == CRD_OK) status = crd_schema_add_column(into, &column, error);
    if (status == CRD_OK && crd_schema_column_parts(into, into->inner->width - 1) > 1)
        status = copy_part_cuts(into, schemas, field->fields, error);
    crd_free(into->context, (void *)column.values);
    return status;
}

static int schema_build_by_name(const void *left, const void *right) {
    const crd_text *a = &((const merged_field *)left)->name, *b = &((const merged_field *)right)->name;
    const size_t length = a->length < b->length ? a->length : b->length;
    const int order = length == 0 ? 0 : memcmp(a->bytes, b->bytes, length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* Returns the field with this name like schema_build_find_field. Tries `place` first, because most fields have the same position in
 * both schemas. */
static size_t find_near(const crd_schema *schema, crd_text name, size_t place) {
    const bool is_there = place < schema->inner->width && crd_text_equal(schema->fields[place].name, name);
    return is_there ? place : schema_build_find_field(schema, name);
}

/* Lists the columns of both schemas: the columns of the first in order, then the others. If fields are matched by name,
 * they are sorted by name. */
static merged_field *list_fields(const crd_schema *a, const crd_schema *b, size_t *count) {
    merged_field *fields = crd_i_alloc(a->context, a->inner->width + b->inner->width, sizeof *fields);
    *count = 0;
    if (fields == NULL) return NULL;
    for (size_t i = 0; i < a->inner->width; i++)
        fields[(*count)++] = (merged_field){a->fields[i].name, {i, find_near(b, a->fields[i].name, i)}};
    for (size_t i = 0; i < b->inner->width; i++)
        if (find_near(a, b->fields[i].name, i) == SIZE_MAX)
            fields[(*count)++] = (merged_field){b->fields[i].name, {SIZE_MAX, i}};
    if (a->part != NULL && a->part->by_name) qsort(fields, *count, sizeof *fields, schema_build_by_name);
    return fields;
}

static crd_status merge_fields(crd_schema *into, const crd_schema *const *schemas, const merged_field *fields,
                               size_t count, crd_error *error) {
    crd_i_part_evidence *part = NULL;
    crd_status status = CRD_OK;
    if (schemas[0]->part != NULL) {
        part = crd_i_part_evidence_create_like(schemas[0]->part, count);
        if (part == NULL) return crd_i_fail_memory(error);
    }
    for (size_t i = 0; status == CRD_OK && part != NULL && i < count; i++)
        status = crd_i_schema_combine_evidence(part, i, schemas[0], fields[i].fields[0], schemas[1],
                                               fields[i].fields[1], error);
    const char convention = part == NULL ? '\0' : crd_i_part_evidence_convention(part);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = merge_column(into, schemas, &fields[i], part, i, convention, error);
    into->part = part;
    for (size_t i = 0; status == CRD_OK && part != NULL && i < count; i++)
        if (!crd_i_schema_keep_texts(into, i, schemas, fields[i].fields)) status = crd_i_fail_memory(error);
    return status;
}

static crd_status merge_into(crd_schema *into, const crd_schema *a, const crd_schema *b, crd_error *error) {
    if (a->inner->has_header != b->inner->has_header)
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
                          "one schema is for files with a header, the other for files without a header");
    if (!crd_i_schema_equal_missing(a->inner, b->inner))
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the schemas treat different texts as missing values");
    crd_status status = crd_i_schema_check_parts(a, b, error);
    if (status != CRD_OK) return status;
    const crd_i_schema *first = a->inner;
    if (!crd_i_schema_set_missing(into->inner, first->missing, first->missing_count, first->missing_any_case))
        return crd_i_fail_memory(error);
    crd_schema_set_header(into, a->inner->has_header);
    const crd_schema *const schemas[] = {a, b};
    size_t count;
    merged_field *fields = list_fields(a, b, &count);
    status = fields == NULL ? crd_i_fail_memory(error) : merge_fields(into, schemas, fields, count, error);
    crd_free(a->context, fields);
    return status;
}

crd_status crd_schema_merge(crd_schema *schema, const crd_schema *other, crd_error *error) {
    crd_schema *merged;
    crd_status status = crd_schema_create(schema->context, &merged, error);
    if (status == CRD_OK) status = merge_into(merged, schema, other, error);
    if (status == CRD_OK) {
        crd_schema before = *schema;
        *schema = *merged;
        *merged = before;
    }
    crd_schema_destroy(merged);
    return status;
}

/* ---- Frames ---- */

crd_status crd_schema_apply_to_frame(const crd_schema *schema, crd_frame *frame, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < crd_frame_column_count(frame); i++) {
        size_t field = schema_build_find_field(schema, crd_frame_column_name(frame, i));
        crd_kind kind = field == SIZE_MAX ? CRD_KIND_NONE : crd_schema_column_kind(schema, field);
        size_t cuts;
        if (field != SIZE_MAX && crd_schema_cuts(schema, field, &cuts) != NULL) kind = CRD_KIND_NONE;
        if (kind != CRD_KIND_NONE) status = crd_frame_set_kind(frame, i, kind, error);
    }
    return status;
}
