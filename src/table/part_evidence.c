/* SPDX-License-Identifier: MIT */
/* part_evidence.c - see part_evidence.h. */
#include "table/part_evidence.h"

#include "base/memory.h"

#include <string.h>

crd_i_part_evidence *crd_i_part_evidence_create(crd_context *context, size_t count) {
    crd_i_part_evidence *part = crd_i_alloc_zeroed(context, 1, sizeof *part);
    if (part == NULL) return NULL;
    part->context = context;
    part->count = count;
    part->fields = crd_i_alloc_zeroed(context, count + 1, sizeof *part->fields);
    if (part->fields != NULL) return part;
    crd_free(context, part);
    return NULL;
}

crd_i_part_evidence *crd_i_part_evidence_create_like(const crd_i_part_evidence *part, size_t count) {
    crd_i_part_evidence *evidence = crd_i_part_evidence_create(part->context, count);
    if (evidence == NULL) return NULL;
    crd_i_field_evidence *fields = evidence->fields;
    *evidence = *part;
    evidence->fields = fields;
    evidence->count = count;
    return evidence;
}

void crd_i_part_evidence_destroy(crd_i_part_evidence *part) {
    if (part == NULL) return;
    for (size_t i = 0; i < part->count; i++) crd_i_dictionary_destroy(part->fields[i].texts);
    crd_free(part->context, part->fields);
    crd_free(part->context, part);
}

bool crd_i_field_evidence_add_text(crd_context *context, crd_i_field_evidence *field, crd_text text, size_t most) {
    if (field->has_more_texts) return true;
    if (field->texts == NULL) field->texts = crd_i_dictionary_create(context);
    if (field->texts == NULL || crd_i_dictionary_add(field->texts, text) < 0) return false;
    if (crd_i_dictionary_size(field->texts) <= most) return true;
    field->has_more_texts = true;
    crd_i_dictionary_destroy(field->texts);
    field->texts = NULL;
    return true;
}

/* Removes evidence that cannot affect a format any more, so equal cells have equal evidence. */
static void reduce_formats(crd_i_column_format_evidence *formats) {
    const bool has_cells = formats->cells > 0;
    if (formats->fits == 0) *formats = (crd_i_column_format_evidence){.cells = has_cells};
    formats->cells = has_cells;
    formats->decimals = 0;
    if (formats->has_currencies) formats->currency = 0;
    const unsigned by_comma = (1U << CRD_I_READING_COMMA) | (1U << CRD_I_READING_PERCENT_COMMA);
    if ((formats->fits & by_comma) == 0) formats->decimals_differ = false;
    if ((formats->fits & (1U << CRD_I_READING_BOOLEAN)) == 0) memset(formats->spellings, 0, sizeof formats->spellings);
}

bool crd_i_field_evidence_combine(crd_context *context, crd_i_field_evidence *field, const crd_i_field_evidence *other,
                                  size_t most) {
    const crd_i_dictionary *texts = other->texts;
    field->is_open = field->is_open || other->is_open;
    field->has_infinite = field->has_infinite || other->has_infinite;
    field->has_words = field->has_words || other->has_words;
    field->has_unread_marks = field->has_unread_marks || other->has_unread_marks;
    if (other->type > field->type) field->type = other->type;
    crd_i_column_format_evidence_combine(&field->formats, &other->formats);
    reduce_formats(&field->formats);
    for (size_t i = 0; texts != NULL && i < crd_i_dictionary_size(texts); i++)
        if (!crd_i_field_evidence_add_text(context, field, crd_i_dictionary_text(texts, i), most)) return false;
    if (other->has_more_texts && !field->has_more_texts) {
        field->has_more_texts = true;
        crd_i_dictionary_destroy(field->texts);
        field->texts = NULL;
    }
    return true;
}

const char *crd_i_part_evidence_difference(const crd_i_part_evidence *a, const crd_i_part_evidence *b) {
    if (a->has_values != b->has_values) return "one part has the values of its columns, the other does not";
    if (a->finds_formats != b->finds_formats || a->splits_dates != b->splits_dates)
        return "formats were detected in one part, but not in the other";
    if (a->is_file != b->is_file || a->by_name != b->by_name) return "the parts were read from different formats";
    if (a->point != b->point || a->states_comma != b->states_comma)
        return "the parts were read with different decimal marks";
    return NULL;
}

static crd_i_column_format_marks marks_of(const crd_i_part_evidence *part) {
    crd_i_column_format_marks marks = {false, false, false};
    for (size_t i = 0; i < part->count; i++) crd_i_column_format_marks_add(&marks, &part->fields[i].formats);
    return marks;
}

bool crd_i_part_evidence_has_comma(const crd_i_part_evidence *part) {
    return part->finds_formats && part->is_file && part->point == '\0' && marks_of(part).has_comma;
}

char crd_i_part_evidence_convention(const crd_i_part_evidence *part) {
    if (!part->finds_formats || !part->is_file) return '\0';
    if (part->point != '\0') return part->point;
    const crd_i_column_format_marks marks = marks_of(part);
    return crd_i_column_format_marks_convention(&marks);
}

static crd_i_column_format part_evidence_format(const crd_i_part_evidence *part, size_t field, char convention,
                                                bool is_target) {
    const crd_i_column_format plain = {CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    const crd_i_field_evidence *evidence = &part->fields[field];
    crd_i_column_format_doubt doubt;
    if (!part->finds_formats) return plain;
    const crd_i_column_format format = crd_i_column_format_evidence_decide(&evidence->formats, convention, &doubt);
    if (format.part >= CRD_I_PART_COUNT && !part->splits_dates) return plain;
    return is_target && crd_i_column_format_type(format) != CRD_TYPE_CATEGORICAL ? plain : format;
}

crd_column_type crd_i_part_evidence_decide(const crd_i_part_evidence *part, size_t field, char convention,
                                           bool is_target, crd_i_column_format *format) {
    const crd_column_type type = is_target ? CRD_TYPE_CATEGORICAL : part->fields[field].type;
    *format = part_evidence_format(part, field, convention, is_target);
    if (!crd_i_column_format_is_plain(*format)) return crd_i_column_format_type(*format);
    if (part->states_comma && type == CRD_TYPE_NUMERIC) format->reading = CRD_I_READING_COMMA;
    return type;
}
