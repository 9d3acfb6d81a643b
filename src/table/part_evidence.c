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

/* Removes evidence that cannot affect a form any more, so equal cells have equal evidence. */
static void reduce_forms(crd_i_form_evidence *forms) {
    const bool has_cells = forms->cells > 0;
    if (forms->fits == 0) *forms = (crd_i_form_evidence){.cells = has_cells};
    forms->cells = has_cells;
    forms->decimals = 0;
    if (forms->has_currencies) forms->currency = 0;
    const unsigned by_comma = (1U << CRD_I_READING_COMMA) | (1U << CRD_I_READING_PERCENT_COMMA);
    if ((forms->fits & by_comma) == 0) forms->decimals_differ = false;
    if ((forms->fits & (1U << CRD_I_READING_BOOLEAN)) == 0) memset(forms->spellings, 0, sizeof forms->spellings);
}

bool crd_i_field_evidence_combine(crd_context *context, crd_i_field_evidence *field, const crd_i_field_evidence *other,
                                  size_t most) {
    const crd_i_dictionary *texts = other->texts;
    field->is_open = field->is_open || other->is_open;
    field->has_infinite = field->has_infinite || other->has_infinite;
    field->has_words = field->has_words || other->has_words;
    field->has_unread_marks = field->has_unread_marks || other->has_unread_marks;
    if (other->kind > field->kind) field->kind = other->kind;
    crd_i_form_evidence_combine(&field->forms, &other->forms);
    reduce_forms(&field->forms);
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
    if (a->finds_forms != b->finds_forms || a->splits_dates != b->splits_dates)
        return "forms were detected in one part, but not in the other";
    if (a->is_file != b->is_file || a->by_name != b->by_name) return "the parts were read from different formats";
    if (a->point != b->point || a->states_comma != b->states_comma)
        return "the parts were read with different decimal marks";
    return NULL;
}

static crd_i_form_marks marks_of(const crd_i_part_evidence *part) {
    crd_i_form_marks marks = {false, false, false};
    for (size_t i = 0; i < part->count; i++) crd_i_form_marks_add(&marks, &part->fields[i].forms);
    return marks;
}

bool crd_i_part_evidence_has_comma(const crd_i_part_evidence *part) {
    return part->finds_forms && part->is_file && part->point == '\0' && marks_of(part).has_comma;
}

char crd_i_part_evidence_convention(const crd_i_part_evidence *part) {
    if (!part->finds_forms || !part->is_file) return '\0';
    if (part->point != '\0') return part->point;
    const crd_i_form_marks marks = marks_of(part);
    return crd_i_form_marks_convention(&marks);
}

static crd_i_form part_evidence_form(const crd_i_part_evidence *part, size_t field, char convention, bool is_target) {
    const crd_i_form plain = {CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    const crd_i_field_evidence *evidence = &part->fields[field];
    crd_i_form_doubt doubt;
    if (!part->finds_forms) return plain;
    const crd_i_form form = crd_i_form_evidence_decide(&evidence->forms, convention, &doubt);
    if (form.part >= CRD_I_PART_COUNT && !part->splits_dates) return plain;
    return is_target && crd_i_form_kind(form) != CRD_KIND_CATEGORY ? plain : form;
}

crd_kind crd_i_part_evidence_decide(const crd_i_part_evidence *part, size_t field, char convention, bool is_target,
                                    crd_i_form *form) {
    const crd_kind kind = is_target ? CRD_KIND_CATEGORY : part->fields[field].kind;
    *form = part_evidence_form(part, field, convention, is_target);
    if (!crd_i_form_is_plain(*form)) return crd_i_form_kind(*form);
    if (part->states_comma && kind == CRD_KIND_NUMBER) form->reading = CRD_I_READING_COMMA;
    return kind;
}
