/* SPDX-License-Identifier: MIT */
/* column_schema.c - see column_schema.h. */
#include "table/column_schema.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/missing_values.h"

#include <credence/schema.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_bytes(const void *left, const void *right) {
    const crd_text *a = left, *b = right;
    return crd_i_text_compare(*a, *b);
}

static void column_schema_free_texts(crd_context *context, crd_text *texts, size_t count) {
    for (size_t i = 0; i < count; i++) crd_free(context, (void *)texts[i].bytes);
    crd_free(context, texts);
}

bool crd_i_schema_set_missing(crd_i_schema *schema, const crd_text *missing, size_t count, bool any_case) {
    crd_text *texts = crd_i_alloc(schema->context, count, sizeof *texts);
    if (texts == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        texts[i] = crd_i_text_copy(schema->context, any_case ? crd_i_missing_spelling(missing[i]) : missing[i]);
        if (texts[i].bytes == NULL) {
            column_schema_free_texts(schema->context, texts, i);
            return false;
        }
    }
    qsort(texts, count, sizeof *texts, by_bytes);
    size_t kept = 0;
    bool has_usual = false;
    for (size_t i = 0; i < count; i++) {
        has_usual = has_usual || crd_i_is_usual_missing(texts[i]);
        if (kept > 0 && crd_text_equal(texts[kept - 1], texts[i])) {
            crd_free(schema->context, (void *)texts[i].bytes);
        } else {
            texts[kept++] = texts[i];
        }
    }
    column_schema_free_texts(schema->context, schema->missing, schema->missing_count);
    schema->missing = texts;
    schema->missing_count = kept;
    schema->missing_any_case = any_case && has_usual;
    return true;
}

bool crd_i_schema_equal_missing(const crd_i_schema *a, const crd_i_schema *b) {
    bool equal = a->missing_count == b->missing_count && a->missing_any_case == b->missing_any_case;
    for (size_t i = 0; equal && i < a->missing_count; i++) equal = crd_text_equal(a->missing[i], b->missing[i]);
    return equal;
}

static const crd_text STAND_FOR_USUAL[] = {{"", 0}, {"?", 1}, {"NA", 2}, {"NaN", 3}, {"null", 4}};
enum { STANDING_COUNT = sizeof STAND_FOR_USUAL / sizeof *STAND_FOR_USUAL };

static bool column_schema_is_among(crd_text text, const crd_text *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (crd_text_equal(texts[i], text)) return true;
    return false;
}

static bool are_among(const crd_text *these, size_t these_count, const crd_text *texts, size_t count) {
    for (size_t i = 0; i < these_count; i++)
        if (!column_schema_is_among(these[i], texts, count)) return false;
    return true;
}

static bool has_all_usual(const crd_i_schema *schema) {
    size_t count;
    const crd_text *usual = crd_i_usual_missing(&count);
    return are_among(usual, count, schema->missing, schema->missing_count);
}

bool crd_i_schema_keep_values(crd_i_schema *schema, const crd_i_dictionary *values) {
    for (size_t code = 0; schema->missing_any_case && code < crd_i_dictionary_size(values); code++) {
        crd_text value = crd_i_dictionary_text(values, code), spelling = crd_i_missing_spelling(value);
        if (!crd_i_is_usual_missing(value) || column_schema_is_among(value, STAND_FOR_USUAL, STANDING_COUNT)) continue;
        size_t kept = 0;
        crd_text *texts = crd_i_alloc(schema->context, schema->missing_count, sizeof *texts);
        if (texts == NULL) return false;
        for (size_t i = 0; i < schema->missing_count; i++)
            if (!crd_text_equal(schema->missing[i], spelling)) texts[kept++] = schema->missing[i];
        bool done = crd_i_schema_set_missing(schema, texts, kept, true);
        crd_free(schema->context, texts);
        if (!done) return false;
    }
    return true;
}

bool crd_i_schema_states_missing(const crd_i_schema *schema) {
    if (schema->missing_any_case) return !has_all_usual(schema);
    return are_among(STAND_FOR_USUAL, STANDING_COUNT, schema->missing, schema->missing_count);
}

size_t crd_i_schema_written_missing(const crd_i_schema *schema, crd_text *texts) {
    bool is_short = schema->missing_any_case && has_all_usual(schema);
    size_t count = 0;
    for (size_t i = 0; i < schema->missing_count; i++) {
        crd_text text = schema->missing[i];
        if (is_short && crd_i_is_usual_missing(text) && !column_schema_is_among(text, STAND_FOR_USUAL, STANDING_COUNT))
            continue;
        texts[count++] = text;
    }
    return count;
}

bool crd_i_schema_read_missing(crd_i_schema *schema, const crd_text *texts, size_t count) {
    if (!are_among(STAND_FOR_USUAL, STANDING_COUNT, texts, count))
        return crd_i_schema_set_missing(schema, texts, count, false);
    size_t usual_count;
    const crd_text *usual = crd_i_usual_missing(&usual_count);
    crd_text *all = crd_i_alloc(schema->context, usual_count + count, sizeof *all);
    if (all == NULL) return false;
    memcpy(all, usual, usual_count * sizeof *all);
    memcpy(all + usual_count, texts, count * sizeof *all);
    bool done = crd_i_schema_set_missing(schema, all, usual_count + count, true);
    crd_free(schema->context, all);
    return done;
}

const crd_text *crd_schema_usual_missing(size_t *count) {
    return crd_i_usual_missing(count);
}

int crd_schema_is_usual_missing(crd_text text) {
    return crd_i_is_usual_missing(text) && !crd_i_missing_is_category(text);
}

crd_i_schema *crd_i_schema_create(crd_context *context) {
    crd_i_schema *schema = crd_i_alloc_zeroed(context, 1, sizeof *schema);
    if (schema == NULL) return NULL;
    schema->context = context;
    schema->target = SIZE_MAX;
    size_t count;
    const crd_text *usual = crd_i_usual_missing(&count);
    if (!crd_i_schema_set_missing(schema, usual, count, true)) {
        crd_i_schema_destroy(schema);
        return NULL;
    }
    return schema;
}

void crd_i_schema_destroy(crd_i_schema *schema) {
    if (schema == NULL) return;
    while (schema->count > 0) crd_i_schema_drop_last(schema);
    crd_free(schema->context, schema->columns);
    crd_free(schema->context, (void *)schema->weight.name.bytes);
    column_schema_free_texts(schema->context, schema->missing, schema->missing_count);
    crd_free(schema->context, schema);
}

crd_i_schema *crd_i_schema_clone(const crd_i_schema *schema) {
    crd_i_schema *copy = crd_i_schema_create(schema->context);
    if (copy == NULL) return NULL;
    copy->target = schema->target;
    copy->lacks_target = schema->lacks_target;
    copy->width = schema->width;
    copy->has_header = schema->has_header;
    copy->has_literal_quotes = schema->has_literal_quotes;
    if (!crd_i_schema_set_missing(copy, schema->missing, schema->missing_count, schema->missing_any_case)) goto fail;
    if (schema->weight.name.bytes != NULL &&
        !crd_i_schema_set_weight(copy, schema->weight.name, schema->weight.position))
        goto fail;
    for (size_t i = 0; i < schema->count; i++) {
        const crd_i_schema_column *column = &schema->columns[i];
        if (!crd_i_schema_add(copy, column->name, column->type, column->position) ||
            !crd_i_schema_set_column_format(copy, i, column->format, column->field) ||
            !crd_i_intervals_copy(copy->context, &copy->columns[i].intervals, &column->intervals))
            goto fail;
        copy->columns[i].keeps_order = column->keeps_order;
        copy->columns[i].truth = column->truth;
        copy->columns[i].has_words_only = column->has_words_only;
        copy->columns[i].scale = column->scale;
        if (column->values == NULL) continue;
        copy->columns[i].values = crd_i_dictionary_clone(column->values);
        if (copy->columns[i].values == NULL) goto fail;
    }
    return copy;
fail:
    crd_i_schema_destroy(copy);
    return NULL;
}

bool crd_i_schema_add(crd_i_schema *schema, crd_text name, crd_column_type type, size_t position) {
    if (!crd_i_reserve(schema->context, &schema->columns, &schema->capacity, schema->count + 1,
                       sizeof *schema->columns))
        return false;
    crd_text copy = crd_i_text_copy(schema->context, name);
    if (copy.bytes == NULL) return false;
    schema->columns[schema->count++] = (crd_i_schema_column){.name = copy, .type = type, .position = position};
    return true;
}

bool crd_i_schema_set_intervals(crd_i_schema *schema, size_t column, const double *cuts, size_t count) {
    crd_i_schema_column *schema_column = &schema->columns[column];
    crd_i_intervals new_intervals = {NULL, 0};
    if (!crd_i_intervals_set(schema->context, &new_intervals, cuts, count)) return false;
    crd_i_dictionary *labels = crd_i_intervals_labels(schema->context, &new_intervals);
    if (labels == NULL) {
        crd_i_intervals_clear(schema->context, &new_intervals);
        return false;
    }
    crd_i_dictionary_destroy(schema_column->values);
    crd_i_intervals_clear(schema->context, &schema_column->intervals);
    schema_column->values = labels;
    schema_column->intervals = new_intervals;
    schema_column->type = CRD_TYPE_CATEGORICAL;
    return true;
}

bool crd_i_schema_set_column_format(crd_i_schema *schema, size_t column, crd_i_column_format format, crd_text field) {
    crd_i_schema_column *schema_column = &schema->columns[column];
    crd_text copy = {NULL, 0};
    if (field.bytes != NULL) {
        copy = crd_i_text_copy(schema->context, field);
        if (copy.bytes == NULL) return false;
    }
    crd_free(schema->context, (void *)schema_column->field.bytes);
    schema_column->field = copy;
    schema_column->format = format;
    return true;
}

void crd_i_schema_drop_last(crd_i_schema *schema) {
    crd_i_schema_column *last = &schema->columns[--schema->count];
    crd_free(schema->context, (void *)last->name.bytes);
    crd_free(schema->context, (void *)last->field.bytes);
    crd_i_dictionary_destroy(last->values);
    crd_i_intervals_clear(schema->context, &last->intervals);
}

bool crd_i_schema_declare(crd_i_schema *schema, size_t column, crd_text value) {
    crd_i_schema_column *schema_column = &schema->columns[column];
    if (schema_column->values == NULL) schema_column->values = crd_i_dictionary_create(schema->context);
    return schema_column->values != NULL && crd_i_dictionary_add(schema_column->values, value) >= 0;
}

bool crd_i_schema_set_weight(crd_i_schema *schema, crd_text name, size_t position) {
    crd_text copy = crd_i_text_copy(schema->context, name);
    if (copy.bytes == NULL) return false;
    crd_free(schema->context, (void *)schema->weight.name.bytes);
    schema->weight.name = copy;
    schema->weight.position = position;
    return true;
}

bool crd_i_schema_stand_in(crd_i_schema *schema) {
    /* No name of a column has a NUL byte. */
    const crd_text name = {"\0", 1};
    if (!crd_i_schema_add(schema, name, CRD_TYPE_CATEGORICAL, SIZE_MAX)) return false;
    schema->target = schema->count - 1;
    schema->lacks_target = true;
    return true;
}

void crd_i_schema_drop_stand_in(crd_i_schema *schema) {
    if (!schema->lacks_target) return;
    crd_i_schema_drop_last(schema);
    schema->target = SIZE_MAX;
    schema->lacks_target = false;
}

void crd_i_schema_take_weight(crd_i_schema *schema, size_t column) {
    crd_i_schema_column *schema_column = &schema->columns[column];
    crd_free(schema->context, (void *)schema->weight.name.bytes);
    schema->weight.name = schema_column->name;
    schema->weight.position = schema_column->position;
    crd_free(schema->context, (void *)schema_column->field.bytes);
    crd_i_dictionary_destroy(schema_column->values);
    crd_i_intervals_clear(schema->context, &schema_column->intervals);
    schema->count--;
    memmove(schema_column, schema_column + 1, (schema->count - column) * sizeof *schema_column);
    if (schema->target != SIZE_MAX && schema->target > column) schema->target--;
}

bool crd_i_schema_are_words(const crd_i_dictionary *values) {
    size_t count = values == NULL ? 0 : crd_i_dictionary_size(values), code = 0;
    double number;
    while (code < count && crd_number_parse(crd_i_dictionary_text(values, code), &number) == CRD_NUMBER_NONE) code++;
    return count > 0 && code == count;
}

size_t crd_i_schema_find(const crd_i_schema *schema, crd_text name) {
    for (size_t i = 0; i < schema->count; i++) {
        if (crd_text_equal(schema->columns[i].name, name)) return i;
    }
    return SIZE_MAX;
}

/* ---- Typed cells ---- */

static crd_status column_schema_fail_cell(crd_text cell, crd_text column, const char *description, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_NUMBER, "'%s' %s", crd_i_quote(cell, shown), description);
    crd_i_error_subject(error, column);
    return CRD_ERROR_NUMBER;
}

static crd_status column_schema_fail_format(const crd_i_schema_column *column, crd_text cell, crd_error *error) {
    char why[96];
    snprintf(why, sizeof why, "is not %s", crd_i_column_format_noun(column->format));
    return column_schema_fail_cell(cell, column->name, why, error);
}

static crd_status read_category(const crd_i_schema_column *column, crd_text cell, crd_value *out, crd_error *error) {
    const crd_i_column_format format = column->format;
    *out = (crd_value){CRD_TYPE_CATEGORICAL, 0, cell};
    if (crd_i_column_format_type(format) != CRD_TYPE_CATEGORICAL || crd_i_column_format_is_part_value(format, cell))
        return CRD_OK;
    if (!crd_i_column_format_text(format, cell, &out->text)) {
        out->text = cell;
        return format.reading == CRD_I_READING_BOOLEAN ? CRD_OK : column_schema_fail_format(column, cell, error);
    }
    if (out->text.bytes == NULL) *out = (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}};
    return CRD_OK;
}

/* Chooses between a plain number and the number that the text is in files whose column has a decimal comma: 2.369 is
 * 2369 in a column of thousands. */
static void choose_number(crd_context *context, const crd_i_schema_column *column, crd_text cell, double *number) {
    char name[CRD_I_QUOTED_ROOM], shown[CRD_I_QUOTED_ROOM], chosen[CRD_NUMBER_ROOM];
    double in_files;
    if (!crd_i_column_format_has_comma(column->format)) return;
    if (crd_i_column_format_number(column->format, cell, &in_files) != CRD_NUMBER_FINITE || in_files == *number) return;
    const double scale = column->scale;
    const bool is_known = scale > 0;
    const bool is_nearer = crd_i_column_format_distance(in_files, scale) < crd_i_column_format_distance(*number, scale);
    if (is_known && is_nearer) *number = in_files;
    chosen[crd_number_format(*number, chosen)] = '\0';
    crd_i_context_log(context, CRD_LOG_WARNING, CRD_LOG_DECIMAL_CHOSEN, column->name,
                      "'%s' for '%s' can have a decimal point or a decimal comma: it is read as %s",
                      crd_i_quote(cell, shown), crd_i_quote(column->name, name), chosen);
}

static crd_status column_schema_read_number(crd_context *context, const crd_i_schema_column *column, crd_text cell,
                                            crd_value *out, crd_error *error) {
    const crd_i_column_format format = column->format;
    const bool takes_number = format.reading <= CRD_I_READING_PERCENT_COMMA || format.part == CRD_I_PART_YEAR;
    *out = (crd_value){CRD_TYPE_NUMERIC, 0, {NULL, 0}};
    crd_number_class class = takes_number ? crd_number_parse(cell, &out->number) : CRD_NUMBER_NONE;
    if (class == CRD_NUMBER_FINITE) choose_number(context, column, cell, &out->number);
    if (class == CRD_NUMBER_NONE && !crd_i_column_format_is_plain(format))
        class = crd_i_column_format_number(format, cell, &out->number);
    if (class == CRD_NUMBER_NONE) return column_schema_fail_format(column, cell, error);
    return class == CRD_NUMBER_FINITE
               ? CRD_OK
               : column_schema_fail_cell(cell, column->name, "is infinite: numbers must be finite", error);
}

crd_status crd_i_schema_read_cell(crd_context *context, const crd_i_schema_column *column, crd_column_type type,
                                  crd_text cell, crd_value *out, crd_error *error) {
    return type == CRD_TYPE_NUMERIC ? column_schema_read_number(context, column, cell, out, error)
                                    : read_category(column, cell, out, error);
}

crd_status crd_i_fail_text(crd_error *error, crd_text column, const char *description) {
    char name[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "column '%s' is a text, but %s numbers and categories only",
               crd_i_quote(column, name), description);
    crd_i_error_hint(error, "ignore the column, or use the method naive");
    crd_i_error_subject(error, column);
    return CRD_ERROR_COLUMN;
}
