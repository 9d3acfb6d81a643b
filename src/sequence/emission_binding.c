/* SPDX-License-Identifier: MIT */
/* emission_binding.c - columns of sequences to attributes of a model: see emission_binding.h. */
#include "sequence/emission_binding.h"

#include "base/memory.h"
#include "base/text.h"

/* ---- Columns ---- */

static crd_status fail_kind(crd_text name, const char *theirs, const char *ours, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' has %s where the model has %s", crd_i_quote(name, quoted),
               theirs, ours);
    crd_i_error_subject(error, name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* A column in which no cell is present fits any attribute. */
static crd_status check_kind(const crd_i_attribute *attribute, crd_kind kind, crd_error *error) {
    bool is_number = attribute->kind == CRD_KIND_NUMBER;
    if (attribute->kind == CRD_KIND_NONE || kind == CRD_KIND_NONE || kind == attribute->kind) return CRD_OK;
    if (kind == CRD_KIND_NUMBER && crd_i_intervals_are(&attribute->intervals)) return CRD_OK;
    return is_number ? fail_kind(attribute->name, "categories", "numbers", error)
                     : fail_kind(attribute->name, "numbers", "categories", error);
}

/* The column of an attribute; SIZE_MAX: there is none with cells. */
static crd_status find_column(const crd_sequences *sequences, const crd_i_dictionary *names,
                              const crd_i_attribute *attribute, size_t *column, crd_error *error) {
    int32_t found = crd_i_dictionary_find(names, attribute->name);
    crd_kind kind = found < 0 ? CRD_KIND_NONE : crd_sequences_column_kind(sequences, (size_t)found);
    *column = kind == CRD_KIND_NONE ? SIZE_MAX : (size_t)found;
    return check_kind(attribute, kind, error);
}

/* ---- Values ---- */

/* Logarithms of a word, of all classes. */
static crd_status add_word(crd_i_bound_attribute *to, const crd_i_emission_model *emission, size_t attribute,
                           crd_text word, double *room, int32_t *code, crd_error *error) {
    size_t classes = emission->classifier->class_count;
    if (!crd_i_reserve(emission->context, &to->words, &to->word_capacity, (to->word_count + 1) * classes,
                       sizeof *to->words))
        return crd_i_fail_memory(error);
    crd_i_unseen_words_log(emission->unseen[attribute], word, room, to->words + to->word_count * classes);
    *code = CRD_I_CODE_WORD - (int32_t)to->word_count++;
    return CRD_OK;
}

/* The codes that cells have: values may be those of all batches of a reader. */
static crd_status mark_used(const crd_sequences *sequences, size_t column, crd_context *context, bool *is_used,
                            crd_error *error) {
    crd_i_observation_room room = {.context = context};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(sequences); i++) {
        uint64_t length = crd_sequences_length(sequences, i);
        for (uint64_t from = 0; status == CRD_OK && from < length;) {
            crd_i_observation_block block = {0};
            status = crd_i_sequences_block(sequences, i, from, CRD_I_BLOCK_STEPS, &room, &block, error);
            for (size_t t = 0; t < block.steps; t++)
                if (block.codes[column][t] >= 0) is_used[block.codes[column][t]] = true;
            from += block.steps;
        }
    }
    crd_i_observation_room_clear(&room);
    return status;
}

/* A column of words: those of its cells, each with probabilities of its own. */
static crd_status match_words(crd_i_bound_attribute *to, const crd_i_emission_binding *binding, size_t attribute,
                              const crd_i_dictionary *values, crd_error *error) {
    const crd_i_emission_model *emission = binding->emission;
    size_t count = crd_i_dictionary_size(values);
    bool *is_used = crd_i_alloc_zeroed(emission->context, count, sizeof *is_used);
    double *room = crd_i_alloc(emission->context, crd_i_unseen_words_room(emission->unseen[attribute]), sizeof *room);
    crd_status status = is_used == NULL || room == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = mark_used(binding->sequences, to->column, emission->context, is_used, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        to->codes[i] = CRD_I_CODE_UNSEEN;
        if (is_used[i])
            status = add_word(to, emission, attribute, crd_i_dictionary_text(values, i), room, &to->codes[i], error);
    }
    crd_free(emission->context, is_used);
    crd_free(emission->context, room);
    return status;
}

static crd_status match_values(crd_i_bound_attribute *to, const crd_i_emission_binding *binding, size_t attribute,
                               const crd_i_dictionary *values, crd_error *error) {
    const crd_i_attribute *of = &binding->emission->classifier->attributes[attribute];
    size_t count = values == NULL ? 0 : crd_i_dictionary_size(values);
    to->codes = crd_i_alloc(binding->context, count, sizeof *to->codes);
    if (to->codes == NULL) return crd_i_fail_memory(error);
    if (count > 0 && binding->emission->unseen[attribute] != NULL)
        return match_words(to, binding, attribute, values, error);
    for (size_t i = 0; i < count; i++) {
        int32_t code = crd_i_dictionary_find(of->values, crd_i_dictionary_text(values, i));
        to->codes[i] = code < 0 ? CRD_I_CODE_UNSEEN : code;
    }
    return CRD_OK;
}

/* Of numbers that stand for intervals the code of each. */
static crd_status match_intervals(crd_i_bound_attribute *to, const crd_i_emission_model *emission,
                                  const crd_i_attribute *of, crd_error *error) {
    crd_i_dictionary *labels = crd_i_intervals_labels(emission->context, &of->intervals);
    size_t count = labels == NULL ? 0 : crd_i_dictionary_size(labels);
    to->codes = crd_i_alloc(emission->context, count, sizeof *to->codes);
    to->is_number = true;
    bool done = labels != NULL && to->codes != NULL;
    for (size_t i = 0; done && i < count; i++) {
        int32_t code = crd_i_dictionary_find(of->values, crd_i_dictionary_text(labels, i));
        to->codes[i] = code < 0 ? CRD_I_CODE_UNSEEN : code;
    }
    crd_i_dictionary_destroy(labels);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status bind_attribute(crd_i_emission_binding *to, size_t i, const crd_i_dictionary *names,
                                 crd_error *error) {
    const crd_i_attribute *attribute = &to->emission->classifier->attributes[i];
    crd_i_bound_attribute *bound = &to->attributes[i];
    crd_status status = find_column(to->sequences, names, attribute, &bound->column, error);
    if (status != CRD_OK || bound->column == SIZE_MAX || attribute->kind == CRD_KIND_NONE) return status;
    bound->is_number = attribute->kind == CRD_KIND_NUMBER;
    if (bound->is_number) return CRD_OK;
    if (crd_sequences_column_kind(to->sequences, bound->column) == CRD_KIND_NUMBER)
        return match_intervals(bound, to->emission, attribute, error);
    return match_values(bound, to, i, crd_i_sequences_values(to->sequences, bound->column), error);
}

static crd_status match_labels(crd_i_emission_binding *to, const crd_i_dictionary *states, crd_error *error) {
    const crd_i_dictionary *labels = crd_i_sequences_labels(to->sequences);
    size_t count = labels == NULL ? 0 : crd_i_dictionary_size(labels);
    to->state_of_label = crd_i_alloc(to->context, count, sizeof *to->state_of_label);
    if (to->state_of_label == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        to->state_of_label[i] = crd_i_dictionary_find(states, crd_i_dictionary_text(labels, i));
    return CRD_OK;
}

/* ---- The binding ---- */

static crd_i_dictionary *name_columns(crd_context *context, const crd_sequences *sequences) {
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
    crd_i_emission_binding *made = crd_i_alloc_zeroed(context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    made->context = context;
    made->emission = emission;
    made->sequences = sequences;
    made->attributes = crd_i_alloc_zeroed(context, attributes, sizeof *made->attributes);
    crd_i_dictionary *names = name_columns(context, sequences);
    crd_status status = made->attributes == NULL || names == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < attributes; i++) status = bind_attribute(made, i, names, error);
    if (status == CRD_OK) status = match_labels(made, states, error);
    crd_i_dictionary_destroy(names);
    if (status != CRD_OK) {
        crd_i_emission_binding_destroy(made);
        return status;
    }
    *out = made;
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
