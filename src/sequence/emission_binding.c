/* SPDX-License-Identifier: MIT */
/* emission_binding.c - binds the columns of sequences to the attributes of a model. See emission_binding.h. */
#include "sequence/emission_binding.h"

#include "base/memory.h"
#include "base/text.h"

/* ---- Columns ---- */

static crd_status fail_kind(crd_text name, const char *theirs, const char *ours, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' has %s, but the model has %s", crd_i_quote(name, quoted),
               theirs, ours);
    crd_i_error_subject(error, name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Checks that a column's type fits its attribute. A column without any value fits every attribute. */
static crd_status emission_binding_check_kind(const crd_i_attribute *attribute, crd_kind kind, crd_error *error) {
    bool is_number = attribute->kind == CRD_KIND_NUMBER;
    if (attribute->kind == CRD_KIND_NONE || kind == CRD_KIND_NONE || kind == attribute->kind) return CRD_OK;
    if (kind == CRD_KIND_NUMBER && crd_i_intervals_are(&attribute->intervals)) return CRD_OK;
    return is_number ? fail_kind(attribute->name, "categories", "numbers", error)
                     : fail_kind(attribute->name, "numbers", "categories", error);
}

/* Finds the column of an attribute; SIZE_MAX: there is none with values. */
static crd_status emission_binding_find_column(const crd_sequences *sequences, const crd_i_dictionary *names,
                                               const crd_i_attribute *attribute, size_t *column, crd_error *error) {
    int32_t found = crd_i_dictionary_find(names, attribute->name);
    crd_kind kind = found < 0 ? CRD_KIND_NONE : crd_sequences_column_kind(sequences, (size_t)found);
    *column = kind == CRD_KIND_NONE ? SIZE_MAX : (size_t)found;
    return emission_binding_check_kind(attribute, kind, error);
}

/* ---- Values ---- */

/* Computes the log probabilities of a word in all classes, and assigns a code to it. */
static crd_status emission_binding_add_word(crd_i_bound_attribute *bound, const crd_i_emission_model *emission,
                                            size_t attribute, crd_text word, double *workspace, int32_t *code,
                                            crd_error *error) {
    size_t classes = emission->classifier->class_count;
    if (!crd_i_reserve(emission->context, &bound->words, &bound->word_capacity, (bound->word_count + 1) * classes,
                       sizeof *bound->words))
        return crd_i_fail_memory(error);
    crd_i_unseen_words_log(emission->unseen[attribute], word, workspace, bound->words + bound->word_count * classes);
    *code = CRD_I_CODE_WORD - (int32_t)bound->word_count++;
    return CRD_OK;
}

/* Marks the codes that occur in the column. The dictionary may contain values of all batches of a reader. */
static crd_status mark_used(const crd_sequences *sequences, size_t column, crd_context *context, bool *is_used,
                            crd_error *error) {
    crd_i_observation_room workspace = {.context = context};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(sequences); i++) {
        uint64_t length = crd_sequences_length(sequences, i);
        for (uint64_t source = 0; status == CRD_OK && source < length;) {
            crd_i_observation_block block = {0};
            status = crd_i_sequences_block(sequences, i, source, CRD_I_BLOCK_STEPS, &workspace, &block, error);
            for (size_t t = 0; t < block.steps; t++)
                if (block.codes[column][t] >= 0) is_used[block.codes[column][t]] = true;
            source += block.steps;
        }
    }
    crd_i_observation_room_clear(&workspace);
    return status;
}

/* Matches the values of a word column. Each value that occurs gets its own probabilities. */
static crd_status match_words(crd_i_bound_attribute *bound, const crd_i_emission_binding *binding, size_t attribute,
                              const crd_i_dictionary *values, crd_error *error) {
    const crd_i_emission_model *emission = binding->emission;
    size_t count = crd_i_dictionary_size(values);
    bool *is_used = crd_i_alloc_zeroed(emission->context, count, sizeof *is_used);
    double *workspace =
        crd_i_alloc(emission->context, crd_i_unseen_words_room(emission->unseen[attribute]), sizeof *workspace);
    crd_status status = is_used == NULL || workspace == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = mark_used(binding->sequences, bound->column, emission->context, is_used, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        bound->codes[i] = CRD_I_CODE_UNSEEN;
        if (is_used[i])
            status = emission_binding_add_word(bound, emission, attribute, crd_i_dictionary_text(values, i), workspace,
                                               &bound->codes[i], error);
    }
    crd_free(emission->context, is_used);
    crd_free(emission->context, workspace);
    return status;
}

static crd_status emission_binding_match_values(crd_i_bound_attribute *bound, const crd_i_emission_binding *binding,
                                                size_t attribute, const crd_i_dictionary *values, crd_error *error) {
    const crd_i_attribute *source_attribute = &binding->emission->classifier->attributes[attribute];
    size_t count = values == NULL ? 0 : crd_i_dictionary_size(values);
    bound->codes = crd_i_alloc(binding->context, count, sizeof *bound->codes);
    if (bound->codes == NULL) return crd_i_fail_memory(error);
    if (count > 0 && binding->emission->unseen[attribute] != NULL)
        return match_words(bound, binding, attribute, values, error);
    for (size_t i = 0; i < count; i++) {
        int32_t code = crd_i_dictionary_find(source_attribute->values, crd_i_dictionary_text(values, i));
        bound->codes[i] = code < 0 ? CRD_I_CODE_UNSEEN : code;
    }
    return CRD_OK;
}

/* Matches the intervals of a discretized attribute to the model's codes, for a numeric column. */
static crd_status match_intervals(crd_i_bound_attribute *attribute, const crd_i_emission_model *emission,
                                  const crd_i_attribute *source_attribute, crd_error *error) {
    crd_i_dictionary *labels = crd_i_intervals_labels(emission->context, &source_attribute->intervals);
    size_t count = labels == NULL ? 0 : crd_i_dictionary_size(labels);
    attribute->codes = crd_i_alloc(emission->context, count, sizeof *attribute->codes);
    attribute->is_number = true;
    bool done = labels != NULL && attribute->codes != NULL;
    for (size_t i = 0; done && i < count; i++) {
        int32_t code = crd_i_dictionary_find(source_attribute->values, crd_i_dictionary_text(labels, i));
        attribute->codes[i] = code < 0 ? CRD_I_CODE_UNSEEN : code;
    }
    crd_i_dictionary_destroy(labels);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status bind_attribute(crd_i_emission_binding *binding, size_t i, const crd_i_dictionary *names,
                                 crd_error *error) {
    const crd_i_attribute *attribute = &binding->emission->classifier->attributes[i];
    crd_i_bound_attribute *bound = &binding->attributes[i];
    crd_status status = emission_binding_find_column(binding->sequences, names, attribute, &bound->column, error);
    if (status != CRD_OK || bound->column == SIZE_MAX || attribute->kind == CRD_KIND_NONE) return status;
    bound->is_number = attribute->kind == CRD_KIND_NUMBER;
    if (bound->is_number) return CRD_OK;
    if (crd_sequences_column_kind(binding->sequences, bound->column) == CRD_KIND_NUMBER)
        return match_intervals(bound, binding->emission, attribute, error);
    return emission_binding_match_values(bound, binding, i, crd_i_sequences_values(binding->sequences, bound->column),
                                         error);
}

static crd_status emission_binding_match_labels(crd_i_emission_binding *binding, const crd_i_dictionary *states,
                                                crd_error *error) {
    const crd_i_dictionary *labels = crd_i_sequences_labels(binding->sequences);
    size_t count = labels == NULL ? 0 : crd_i_dictionary_size(labels);
    binding->state_of_label = crd_i_alloc(binding->context, count, sizeof *binding->state_of_label);
    if (binding->state_of_label == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        binding->state_of_label[i] = crd_i_dictionary_find(states, crd_i_dictionary_text(labels, i));
    return CRD_OK;
}

/* ---- The binding ---- */

static crd_i_dictionary *emission_binding_name_columns(crd_context *context, const crd_sequences *sequences) {
    crd_i_dictionary *names = crd_i_dictionary_create(context);
    for (size_t i = 0; names != NULL && i < crd_sequences_column_count(sequences); i++) {
        if (crd_i_dictionary_add(names, crd_sequences_column_name(sequences, i)) >= 0) continue;
        crd_i_dictionary_destroy(names);
        names = NULL;
    }
    return names;
}

crd_status crd_i_emission_bind(const crd_i_emission_model *emission, const crd_sequences *sequences,
                               const crd_i_dictionary *states, crd_i_emission_binding **out, crd_error *error) {
    crd_context *context = emission->context;
    size_t attributes = emission->classifier->attribute_count;
    *out = NULL;
    crd_i_emission_binding *binding = crd_i_alloc_zeroed(context, 1, sizeof *binding);
    if (binding == NULL) return crd_i_fail_memory(error);
    binding->context = context;
    binding->emission = emission;
    binding->sequences = sequences;
    binding->attributes = crd_i_alloc_zeroed(context, attributes, sizeof *binding->attributes);
    crd_i_dictionary *names = emission_binding_name_columns(context, sequences);
    crd_status status = binding->attributes == NULL || names == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < attributes; i++) status = bind_attribute(binding, i, names, error);
    if (status == CRD_OK) status = emission_binding_match_labels(binding, states, error);
    crd_i_dictionary_destroy(names);
    if (status != CRD_OK) {
        crd_i_emission_binding_destroy(binding);
        return status;
    }
    *out = binding;
    return CRD_OK;
}

void crd_i_emission_binding_destroy(crd_i_emission_binding *binding) {
    if (binding == NULL) return;
    for (size_t i = 0; binding->attributes != NULL && i < binding->emission->classifier->attribute_count; i++) {
        crd_free(binding->context, binding->attributes[i].codes);
        crd_free(binding->context, binding->attributes[i].words);
    }
    crd_free(binding->context, binding->attributes);
    crd_free(binding->context, binding->state_of_label);
    crd_free(binding->context, binding);
}
