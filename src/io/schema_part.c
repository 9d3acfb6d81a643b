/* SPDX-License-Identifier: MIT */
/* schema_part.c - merges the schemas of table parts. See credence/schema.h and part_evidence.h.
 *
 * If cells determine the kind of a field, the evidence of all parts decides its kind, format and values. The decimal
 * mark of a file depends on all of its columns, so the evidence of all columns is combined before any column is
 * decided. */
#include "io/schema_merge.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

static crd_status fail_parts(const char *description, crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "%s", description);
}

crd_status crd_i_schema_check_parts(const crd_schema *a, const crd_schema *b, crd_error *error) {
    const crd_i_part_evidence *mine = a->part, *theirs = b->part;
    if ((mine == NULL) != (theirs == NULL))
        return fail_parts("one schema is of a part of a table, the other of a whole table", error);
    const char *difference = mine == NULL ? NULL : crd_i_part_evidence_difference(mine, theirs);
    return difference == NULL ? CRD_OK : fail_parts(difference, error);
}

static const crd_i_field_evidence *evidence_of(const crd_schema *schema, size_t field) {
    return field == SIZE_MAX ? NULL : &schema->part->fields[field];
}

/* Returns whether the field's kind was specified. A column in memory without a cell has no kind, whatever it has
 * elsewhere. */
static bool schema_part_is_given(const crd_schema *schema, size_t field) {
    return field != SIZE_MAX && !schema->part->fields[field].is_open &&
           (crd_schema_column_kind(schema, field) != CRD_KIND_NONE || crd_schema_column_parts(schema, field) > 1 ||
            crd_schema_is_ignored(schema, field));
}

/* Returns whether an open field has no cell in this part, so the other part decides. */
static bool is_bare(const crd_i_field_evidence *evidence) {
    return evidence != NULL && evidence->is_open && evidence->kind == CRD_KIND_NONE && evidence->forms.cells == 0 &&
           evidence->texts == NULL && !evidence->has_more_texts && !evidence->has_words;
}

crd_status crd_i_schema_combine_evidence(crd_i_part_evidence *part, size_t index, const crd_schema *a, size_t of_a,
                                         const crd_schema *b, size_t of_b, crd_error *error) {
    const crd_i_field_evidence *const both[] = {evidence_of(a, of_a), evidence_of(b, of_b)};
    const bool is_open = (both[0] != NULL && both[0]->is_open) || (both[1] != NULL && both[1]->is_open);
    if ((is_bare(both[0]) && schema_part_is_given(b, of_b)) || (is_bare(both[1]) && schema_part_is_given(a, of_a)))
        return CRD_OK;
    if (is_open && (schema_part_is_given(a, of_a) || schema_part_is_given(b, of_b)))
        return crd_i_schema_fail_differ(of_a == SIZE_MAX ? crd_schema_column_name(b, of_b)
                                                         : crd_schema_column_name(a, of_a),
                                        "has a specified type or form in one part, and a detected one in the other: "
                                        "specify the same for every part",
                                        error);
    for (int i = 0; i < 2; i++)
        if (both[i] != NULL &&
            !crd_i_field_evidence_combine(part->context, &part->fields[index], both[i], CRD_I_MOST_TEXTS_OF_PARTS))
            return crd_i_fail_memory(error);
    return CRD_OK;
}

static crd_status fail_texts(crd_text name, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_LIMIT,
               "'%s' is a category in one part, but has more than %d different values in another part, which did not "
               "treat it as a category: treat it as a category in every part",
               crd_i_quote(name, shown), (int)CRD_I_MOST_PART_TEXTS);
    crd_i_error_subject(error, name);
    return CRD_ERROR_LIMIT;
}

/* Adds a value of the merged column. For truth values it adds the word in lower case; other texts are missing cells and
 * are skipped. */
static void schema_part_add_value(crd_i_form form, crd_text text, crd_text *values, size_t *count) {
    crd_text value = text;
    if (!crd_i_form_is_plain(form) && !crd_i_form_text(form, text, &value)) return;
    values[(*count)++] = value;
}

static size_t schema_part_count_texts(const crd_schema *schema, size_t field) {
    const crd_i_dictionary *texts = schema->part->fields[field].texts;
    return crd_schema_value_count(schema, field) + (texts == NULL ? 0 : crd_i_dictionary_size(texts));
}

/* Lists the values of a category, from both parts. Texts that a part stored because it read the field as something else
 * are values, too. */
static crd_status list_values(crd_context *context, const crd_schema *const *schemas, const size_t *fields,
                              crd_i_form form, crd_schema_column *column, crd_error *error) {
    size_t most = 0;
    for (int i = 0; i < 2; i++) {
        if (fields[i] == SIZE_MAX) continue;
        most += schema_part_count_texts(schemas[i], fields[i]);
        if (schemas[i]->part->fields[fields[i]].has_more_texts) return fail_texts(column->name, error);
    }
    crd_text *values = crd_i_alloc(context, most, sizeof *values);
    if (values == NULL) return crd_i_fail_memory(error);
    for (int i = 0; i < 2; i++) {
        if (fields[i] == SIZE_MAX) continue;
        const crd_i_dictionary *texts = schemas[i]->part->fields[fields[i]].texts;
        const bool is_read = !crd_i_form_is_plain(crd_i_schema_field_form(schemas[i], fields[i]));
        for (size_t k = 0; !is_read && k < crd_schema_value_count(schemas[i], fields[i]); k++)
            schema_part_add_value(form, crd_schema_value(schemas[i], fields[i], k), values, &column->value_count);
        for (size_t k = 0; texts != NULL && k < crd_i_dictionary_size(texts); k++)
            schema_part_add_value(form, crd_i_dictionary_text(texts, k), values, &column->value_count);
    }
    column->values = values;
    return CRD_OK;
}

crd_status crd_i_schema_decide(const crd_i_part_evidence *part, size_t index, char convention,
                               const crd_schema *const *schemas, const size_t *fields, crd_schema_column *column,
                               crd_error *error) {
    crd_i_form form;
    column->values = NULL;
    column->value_count = 0;
    column->kind = crd_i_part_evidence_decide(part, index, convention, column->role == CRD_ROLE_TARGET, &form);
    column->form = crd_i_form_name(form);
    if (column->kind != CRD_KIND_CATEGORY || !part->has_values) return CRD_OK;
    return list_values(part->context, schemas, fields, form, column, error);
}

/* Stores the texts. If a part read the field as a plain category, its values are the texts. */
bool crd_i_schema_keep_texts(crd_schema *schema, size_t index, const crd_schema *const *schemas, const size_t *fields) {
    crd_i_field_evidence *evidence = &schema->part->fields[index];
    const bool is_category = crd_schema_column_kind(schema, index) == CRD_KIND_CATEGORY &&
                             crd_i_form_is_plain(crd_i_schema_field_form(schema, index));
    if (!schema->part->has_values || !evidence->is_open) return true;
    if (is_category) {
        crd_i_dictionary_destroy(evidence->texts);
        evidence->texts = NULL;
        evidence->has_more_texts = false;
        return true;
    }
    for (int i = 0; i < 2; i++) {
        if (fields[i] == SIZE_MAX || !crd_i_form_is_plain(crd_i_schema_field_form(schemas[i], fields[i]))) continue;
        for (size_t k = 0; k < crd_schema_value_count(schemas[i], fields[i]); k++)
            if (!crd_i_field_evidence_add_text(schema->context, evidence, crd_schema_value(schemas[i], fields[i], k),
                                               CRD_I_MOST_TEXTS_OF_PARTS))
                return false;
    }
    return true;
}

int crd_schema_is_part(const crd_schema *schema) {
    return schema->part != NULL;
}

static crd_status schema_part_fail_infinite(crd_text name, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_NUMBER,
               "'%s' is a number in every part, but has an infinite value: numbers must be finite",
               crd_i_quote(name, shown));
    crd_i_error_subject(error, name);
    return CRD_ERROR_NUMBER;
}

crd_status crd_schema_complete(crd_schema *schema, crd_error *error) {
    for (size_t i = 0; schema->part != NULL && i < schema->part->count; i++)
        if (schema->part->fields[i].has_infinite && crd_schema_column_kind(schema, i) == CRD_KIND_NUMBER)
            return schema_part_fail_infinite(crd_schema_column_name(schema, i), error);
    crd_i_part_evidence_destroy(schema->part);
    schema->part = NULL;
    return CRD_OK;
}
