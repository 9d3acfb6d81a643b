/* SPDX-License-Identifier: MIT */
/* sequence_classes_train.c - trains an HMM for each class of whole sequences. See credence/sequence_classes.h. */
#include "sequence/sequence_class_models.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/schema_view.h"
#include "sequence/data/sequences_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- Labels ---- */

static crd_status fail_two(const crd_sequences *sequences, size_t sequence, uint64_t step, int32_t a, int32_t b,
                           crd_error *error) {
    char id[CRD_I_QUOTED_ROOM], first[CRD_I_QUOTED_ROOM], second[CRD_I_QUOTED_ROOM];
    const crd_text name = crd_sequences_id(sequences, sequence);
    crd_i_quote(name, id);
    crd_i_quote(crd_sequences_label(sequences, (size_t)a), first);
    crd_i_quote(crd_sequences_label(sequences, (size_t)b), second);
    if (name.length > 0)
        crd_i_fail(error, CRD_ERROR_SYNTAX,
                   "the sequence '%s' has two classes, '%s' and '%s': the target must be the same in all of its rows",
                   id, first, second);
    else
        crd_i_fail(error, CRD_ERROR_SYNTAX,
                   "sequence %zu has two classes, '%s' and '%s': the target must be the same in all of its rows",
                   sequence + 1, first, second);
    crd_i_sequences_place_error(sequences, sequence, step, error);
    return CRD_ERROR_SYNTAX;
}

/* Finds the label of a sequence; -1: it has none. Two different labels are an error. */
static crd_status classes_train_find_label(const crd_sequences *sequences, size_t sequence,
                                           crd_i_observation_room *workspace, int32_t *label, crd_error *error) {
    const uint64_t length = crd_sequences_length(sequences, sequence);
    crd_i_observation_block block;
    *label = -1;
    for (uint64_t source = 0; source < length; source += block.steps) {
        crd_status status =
            crd_i_sequences_block(sequences, sequence, source, CRD_I_BLOCK_STEPS, workspace, &block, error);
        if (status != CRD_OK) return status;
        for (size_t i = 0; block.labels != NULL && i < block.steps; i++) {
            if (block.labels[i] < 0) continue;
            if (*label >= 0 && block.labels[i] != *label)
                return fail_two(sequences, sequence, source + i, *label, block.labels[i], error);
            *label = block.labels[i];
        }
    }
    return CRD_OK;
}

crd_status crd_i_sequence_classes_labels(const crd_sequences *sequences, int32_t *labels, crd_error *error) {
    crd_context *context = crd_i_sequences_context(sequences);
    crd_i_observation_room workspace = {.context = context};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(sequences); i++) {
        if (crd_i_context_cancelled(context)) status = crd_i_fail_cancelled(error);
        else status = classes_train_find_label(sequences, i, &workspace, &labels[i], error);
    }
    crd_i_observation_room_clear(&workspace);
    return status;
}

/* ---- Training ---- */

typedef struct class_split {
    crd_context *context;
    int32_t *labels; /* class of each sequence */
    size_t *chosen;  /* sequences of the current class */
    int32_t *order;  /* codes of the classes that have sequences, in order */
    size_t count;    /* number of these classes */
} class_split;

static void clear_split(class_split *split) {
    crd_free(split->context, split->labels);
    crd_free(split->context, split->chosen);
    crd_free(split->context, split->order);
}

/* Finds the class of each sequence, and lists the classes that have sequences. */
static crd_status classes_train_open_split(const crd_sequences *sequences, class_split *split, crd_error *error) {
    const size_t count = crd_sequences_count(sequences);
    const crd_i_dictionary *names = crd_i_sequences_labels(sequences);
    const size_t known = names == NULL ? 0 : crd_i_dictionary_size(names);
    split->labels = crd_i_alloc(split->context, count, sizeof *split->labels);
    split->chosen = crd_i_alloc(split->context, count, sizeof *split->chosen);
    split->order = crd_i_alloc(split->context, known, sizeof *split->order);
    bool *is_live = crd_i_alloc_zeroed(split->context, known, sizeof *is_live);
    crd_status status = CRD_OK;
    if (split->labels == NULL || split->chosen == NULL || split->order == NULL || is_live == NULL)
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_sequence_classes_labels(sequences, split->labels, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        if (split->labels[i] >= 0) is_live[split->labels[i]] = true;
    if (status == CRD_OK && known > 0) {
        split->count = crd_i_dictionary_order(names, is_live, crd_i_schema_view_number, split->order);
        if (split->count == SIZE_MAX) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK && split->count == 0)
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "no sequence has a class: the target has no labels");
    crd_free(split->context, is_live);
    return status;
}

static size_t classes_train_choose(const crd_sequences *sequences, const class_split *split, int32_t label) {
    size_t chosen = 0;
    for (size_t i = 0; i < crd_sequences_count(sequences); i++)
        if (split->labels[i] == label) split->chosen[chosen++] = i;
    return chosen;
}

/* Adds the name of the class to an error that concerns only its sequences. */
static void classes_train_name_class(crd_text class_name, crd_error *error) {
    char message[sizeof error->message], quoted[CRD_I_QUOTED_ROOM];
    if (error == NULL) return;
    snprintf(message, sizeof message, "class '%.100s': %.500s", crd_i_quote(class_name, quoted), error->message);
    memcpy(error->message, message, sizeof message);
}

/* Returns a name for the hidden states that is not the name of a column. */
static crd_text state_name(const crd_sequences *sequences) {
    static const char *const names[] = {"state", "hidden state", "hidden state of the sequence",
                                        "hidden state of the class"};
    const crd_i_schema *schema = crd_i_sequences_schema(sequences);
    size_t i = 0;
    while (i + 1 < sizeof names / sizeof *names && crd_i_schema_find(schema, crd_text_of(names[i])) != SIZE_MAX) i++;
    return crd_text_of(names[i]);
}

static crd_status train_class(const crd_sequences *sequences, const class_split *split, size_t k,
                              const crd_settings *settings, const crd_hmm_train_options *options,
                              crd_i_sequence_classes *classes, crd_error *error) {
    const crd_text name = crd_sequences_label(sequences, (size_t)split->order[k]);
    const size_t count = classes_train_choose(sequences, split, split->order[k]);
    crd_sequences *part = NULL;
    if (!crd_i_sequence_classes_set(classes, k, name, (double)count)) return crd_i_fail_memory(error);
    crd_status status = crd_sequences_select(sequences, split->chosen, count, &part, error);
    if (status == CRD_OK)
        status = crd_hmm_train(part, state_name(sequences), settings, options, &classes->models[k], NULL, error);
    crd_sequences_destroy(part);
    if (status != CRD_OK && status != CRD_ERROR_MEMORY && status != CRD_ERROR_CANCELLED)
        classes_train_name_class(name, error);
    return status;
}

crd_status crd_sequence_classes_train(const crd_sequences *sequences, const crd_settings *settings,
                                      const crd_hmm_train_options *options, crd_model **out, crd_error *error) {
    crd_hmm_train_options hmm_train = CRD_HMM_TRAIN_OPTIONS_INIT;
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &hmm_train, sizeof hmm_train))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    if (!crd_sequences_has_target(sequences))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "sequence classification needs a target");
    hmm_train.ignore_labels = 1;
    class_split split = {.context = crd_i_sequences_context(sequences)};
    crd_i_sequence_classes *classes = NULL;
    crd_status status = classes_train_open_split(sequences, &split, error);
    if (status == CRD_OK) {
        const crd_i_schema *schema = crd_i_sequences_schema(sequences);
        classes = crd_i_sequence_classes_create(split.context, crd_sequences_target(sequences),
                                                schema->columns[schema->target].position, split.count);
        if (classes == NULL) status = crd_i_fail_memory(error);
    }
    for (size_t k = 0; status == CRD_OK && k < split.count; k++)
        status = train_class(sequences, &split, k, settings, &hmm_train, classes, error);
    clear_split(&split);
    if (status == CRD_OK) return crd_i_sequence_classes_model(classes, settings, out, error);
    crd_i_sequence_classes_destroy(classes);
    return status;
}
