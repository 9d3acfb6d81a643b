/* SPDX-License-Identifier: MIT */
/* sequence_classes.c - trains sequence classification models, which have an HMM for each class, and classifies with
 * them. See credence/sequence_classes.h.
 *
 * The states of each class's HMM are hidden, and were fitted to all of its sequences together. So such models can be
 * neither merged nor updated.
 *
 * Contents:
 *   1. Model kind
 *   2. Training
 *   3. Classification */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classify/classifier_internal.h"
#include "io/section.h"
#include "math/exact/ieee754.h"
#include "math/functions/elementary.h"
#include "model/model_parts.h"
#include "model/model_sections.h"
#include "model/schema_view.h"
#include "sequence/data/sequences.h"
#include "sequence/hmm_internal.h"

#include <credence/hmm_decode.h>
#include <credence/sequence_classes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The content: an HMM for each class of whole sequences, and the number of its training sequences. */
static void sequence_classes_destroy(crd_sequence_classes *classes); /* NULL is allowed, and so are missing models */

/* ======== 1. Model kind ======== */

static const char tag[] = {'S', 'E', 'Q', 'C'};

enum { NESTING = 2, LEAST_CLASS = 4 + 8 + 8, MAX_CLASSES = 1 << 20 };

/* ---- The content ---- */

/* Returns the content of a sequence classification model; NULL: the model is not one. */
const crd_sequence_classes *crd_model_sequence_classes(const crd_model *model) {
    return model->kind == &crd_i_sequence_classes_kind ? model->content : NULL;
}

/* Creates a content for `count` classes, without names and models yet. Returns NULL if out of memory. */
static crd_sequence_classes *sequence_classes_create(crd_context *context, crd_text target, size_t position,
                                                     size_t count) {
    crd_sequence_classes *classes = crd_i_alloc_zeroed(context, 1, sizeof *classes);
    if (classes == NULL) return NULL;
    classes->context = context;
    classes->position = position;
    classes->count = count;
    classes->target = crd_i_text_copy(context, target);
    classes->names = crd_i_alloc_zeroed(context, count, sizeof *classes->names);
    classes->sequences = crd_i_alloc_zeroed(context, count, sizeof *classes->sequences);
    classes->models = crd_i_alloc_zeroed(context, count, sizeof *classes->models);
    if (classes->target.bytes != NULL && classes->names != NULL && classes->sequences != NULL &&
        classes->models != NULL)
        return classes;
    sequence_classes_destroy(classes);
    return NULL;
}

static void sequence_classes_destroy(crd_sequence_classes *classes) {
    if (classes == NULL) return;
    crd_context *context = classes->context;
    for (size_t i = 0; classes->names != NULL && i < classes->count; i++)
        crd_free(context, (void *)classes->names[i].bytes);
    for (size_t i = 0; classes->models != NULL && i < classes->count; i++) crd_model_destroy(classes->models[i]);
    crd_free(context, (void *)classes->target.bytes);
    crd_free(context, classes->names);
    crd_free(context, classes->sequences);
    crd_free(context, classes->models);
    crd_free(context, classes);
}

/* Sets the name, which is copied, and the number of sequences of a class. Returns false if out of memory. */
static bool sequence_classes_set(crd_sequence_classes *classes, size_t class_index, crd_text name, double sequences) {
    classes->names[class_index] = crd_i_text_copy(classes->context, name);
    classes->sequences[class_index] = sequences;
    return classes->names[class_index].bytes != NULL;
}

/* Creates the schema: the observation columns of all classes, and the target. A column may have no values in some
 * classes. NULL: out of memory. */
static crd_i_schema *classes_kind_make_schema(const crd_sequence_classes *classes) {
    crd_i_schema *schema = crd_i_schema_clone(classes->models[0]->schema);
    if (schema == NULL) return NULL;
    crd_i_schema_drop_stand_in(schema);
    for (size_t k = 1; k < classes->count; k++)
        for (size_t i = 0; i < schema->count; i++)
            if (schema->columns[i].type == CRD_TYPE_NONE)
                schema->columns[i].type = classes->models[k]->schema->columns[i].type;
    if (crd_i_schema_add(schema, classes->target, CRD_TYPE_CATEGORICAL, classes->position)) {
        schema->target = schema->count - 1;
        if (schema->width <= classes->position) schema->width = classes->position + 1;
        return schema;
    }
    crd_i_schema_destroy(schema);
    return NULL;
}

/* Creates a model with this content, and takes ownership of `classes`, even on failure. The method of the settings
 * becomes `sequence`. */
static crd_status sequence_classes_model(crd_sequence_classes *classes, const crd_settings *settings, crd_model **out,
                                         crd_error *error) {
    crd_settings *own_settings = NULL;
    *out = NULL;
    crd_i_schema *schema = classes_kind_make_schema(classes);
    crd_status status = schema == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK)
        status = settings == NULL ? crd_settings_create(classes->context, &own_settings, error)
                                  : crd_i_settings_copy(classes->context, settings, &own_settings, error);
    if (status == CRD_OK) status = crd_settings_set(own_settings, "method", crd_text_of("sequence"), error);
    if (status == CRD_OK) {
        status = crd_i_model_create_bare(classes->context, schema, own_settings, out, error);
        schema = NULL;
    }
    crd_i_schema_destroy(schema);
    crd_settings_destroy(own_settings);
    if (status != CRD_OK) {
        sequence_classes_destroy(classes);
        return status;
    }
    (*out)->kind = &crd_i_sequence_classes_kind;
    (*out)->content = classes;
    return CRD_OK;
}

/* ---- Queries ---- */

/* ---- The kind ---- */

static crd_status classes_kind_clone(crd_context *context, const void *content, void **out, crd_error *error) {
    const crd_sequence_classes *classes = content;
    crd_sequence_classes *sequence =
        sequence_classes_create(context, classes->target, classes->position, classes->count);
    crd_status status = sequence == NULL ? crd_i_fail_memory(error) : CRD_OK;
    *out = NULL;
    for (size_t i = 0; status == CRD_OK && i < classes->count; i++) {
        if (!sequence_classes_set(sequence, i, classes->names[i], classes->sequences[i]))
            status = crd_i_fail_memory(error);
        else status = crd_i_model_clone(classes->models[i], &sequence->models[i], error);
    }
    if (status == CRD_OK) *out = sequence;
    else sequence_classes_destroy(sequence);
    return status;
}

static void classes_kind_destroy(crd_context *context, void *content) {
    (void)context;
    sequence_classes_destroy(content);
}

static crd_status classes_kind_refuse(const crd_model *model, const char *description, crd_error *error) {
    (void)model;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "the model classifies whole sequences and cannot %s: train a new model of all sequences",
                      description);
}

static crd_status classes_kind_derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                      crd_error *error) {
    (void)classifier, (void)model, (void)view;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "the model classifies whole sequences and cannot classify a single row");
}

/* ---- Files ---- */

static void classes_kind_write(const crd_model *model, crd_i_encoder *encoder) {
    const crd_sequence_classes *classes = crd_model_sequence_classes(model);
    const size_t begun = crd_i_section_begin(encoder, tag, CRD_I_FILE_VERSION, true);
    crd_i_model_write_settings(model->settings, encoder);
    crd_i_encode_text(encoder, classes->target);
    crd_i_encode_u64(encoder, classes->position);
    crd_i_encode_u32(encoder, (uint32_t)classes->count);
    for (size_t i = 0; i < classes->count && !encoder->failed; i++) {
        crd_i_encode_text(encoder, classes->names[i]);
        crd_i_encode_u64(encoder, crd_i_bits_of(classes->sequences[i]));
        crd_i_model_write_nested(classes->models[i], encoder);
    }
    crd_i_section_end(encoder, begun);
}

static crd_status classes_kind_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: %s", description);
}

static bool classes_kind_is_text(crd_text text) {
    return text.length > 0 && memchr(text.bytes, '\0', text.length) == NULL;
}

/* Returns whether a model has hidden states and the same columns as the first class's model, none of which is the
 * target. */
static bool is_alike(const crd_sequence_classes *classes, const crd_model *model) {
    const crd_i_hmm_content *content = crd_i_hmm_content_of(model);
    const crd_i_schema *first = classes->models[0]->schema, *schema = model->schema;
    bool fits = content != NULL && content->is_hidden && schema->count == first->count &&
                schema->has_header == first->has_header && schema->width == first->width;
    for (size_t i = 0; fits && i < schema->count; i++) {
        const crd_column_type a = schema->columns[i].type, b = first->columns[i].type;
        fits = crd_text_equal(schema->columns[i].name, first->columns[i].name) &&
               schema->columns[i].position == first->columns[i].position &&
               (a == b || a == CRD_TYPE_NONE || b == CRD_TYPE_NONE) &&
               !crd_text_equal(schema->columns[i].name, classes->target);
    }
    return fits;
}

/* Reads the name, the number of sequences and the HMM of a class. */
static crd_status classes_kind_read_class(crd_sequence_classes *classes, size_t i, crd_i_cursor *cursor,
                                          crd_error *error) {
    const crd_text name = crd_i_decode_text(cursor);
    const double sequences = crd_i_double_of(crd_i_decode_u64(cursor));
    const uint64_t length = crd_i_decode_u64(cursor);
    if (cursor->failed || !classes_kind_is_text(name) ||
        !(sequences > 0 && sequences <= 0x1p53 && sequences == floor(sequences)) ||
        !crd_i_cursor_holds(cursor, length, 1))
        return classes_kind_damaged(error, "a sequence class is invalid");
    if (!sequence_classes_set(classes, i, name, sequences)) return crd_i_fail_memory(error);
    crd_status status =
        crd_i_model_decode_part(classes->context, cursor->at, (size_t)length, NESTING, &classes->models[i], error);
    cursor->at += length;
    if (status == CRD_ERROR_NOT_A_MODEL || (status == CRD_OK && !is_alike(classes, classes->models[i])))
        return classes_kind_damaged(error, "the models of its classes are not sequence models");
    return status;
}

/* Checks that the names of the classes are distinct and in order. */
static crd_status classes_kind_check_names(const crd_sequence_classes *classes, crd_error *error) {
    crd_i_dictionary *names = crd_i_dictionary_create(classes->context);
    int32_t *order = crd_i_alloc(classes->context, classes->count, sizeof *order);
    bool done = names != NULL && order != NULL, fits = true;
    for (size_t i = 0; done && fits && i < classes->count; i++) {
        const int32_t code = crd_i_dictionary_add(names, classes->names[i]);
        done = code >= 0;
        fits = code == (int32_t)i;
    }
    if (done && fits) done = crd_i_dictionary_order(names, NULL, crd_i_schema_view_number, order) != SIZE_MAX;
    for (size_t i = 0; done && fits && i < classes->count; i++) fits = order[i] == (int32_t)i;
    crd_i_dictionary_destroy(names);
    crd_free(classes->context, order);
    if (!done) return crd_i_fail_memory(error);
    return fits ? CRD_OK : classes_kind_damaged(error, "its classes are not in order");
}

static crd_status classes_kind_read_parts(crd_context *context, crd_i_cursor *cursor, crd_settings *settings,
                                          crd_sequence_classes **out, crd_error *error) {
    crd_status status = crd_i_model_read_settings(cursor, settings, error);
    if (status != CRD_OK) return status;
    const crd_text target = crd_i_decode_text(cursor);
    const uint64_t position = crd_i_decode_u64(cursor);
    const uint32_t count = crd_i_decode_u32(cursor);
    if (cursor->failed || !classes_kind_is_text(target) || position >= CRD_I_MOST_WIDTH || count == 0 ||
        count > MAX_CLASSES || !crd_i_cursor_holds(cursor, count, LEAST_CLASS) ||
        settings->method != CRD_I_METHOD_SEQUENCE)
        return classes_kind_damaged(error, "its sequence classes are invalid");
    *out = sequence_classes_create(context, target, (size_t)position, count);
    if (*out == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) status = classes_kind_read_class(*out, i, cursor, error);
    return status == CRD_OK ? classes_kind_check_names(*out, error) : status;
}

static crd_status classes_kind_read(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_model **out,
                                    crd_error *error) {
    crd_settings *settings = NULL;
    crd_sequence_classes *classes = NULL;
    (void)version;
    *out = NULL;
    crd_status status = crd_settings_create(context, &settings, error);
    if (status == CRD_OK) status = classes_kind_read_parts(context, cursor, settings, &classes, error);
    if (status == CRD_OK) status = sequence_classes_model(classes, settings, out, error);
    else sequence_classes_destroy(classes);
    crd_settings_destroy(settings);
    return status;
}

const crd_i_model_kind crd_i_sequence_classes_kind = {.name = "sequence classes",
                                                      .tag = tag,
                                                      .newest_version = CRD_I_FILE_VERSION,
                                                      .nesting = NESTING,
                                                      .write = classes_kind_write,
                                                      .read = classes_kind_read,
                                                      .clone = classes_kind_clone,
                                                      .destroy = classes_kind_destroy,
                                                      .derive = classes_kind_derive,
                                                      .refuse = classes_kind_refuse};

/* ======== 2. Training ======== */

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

/* Gets the class of each sequence as a label code; -1: it has no label. Returns CRD_ERROR_SYNTAX if a sequence has two
 * different labels. */
static crd_status sequence_classes_labels(const crd_sequences *sequences, int32_t *labels, crd_error *error) {
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
    if (status == CRD_OK) status = sequence_classes_labels(sequences, split->labels, error);
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

static size_t list_sequences_of_class(const crd_sequences *sequences, const class_split *split, int32_t label) {
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
                              crd_sequence_classes *classes, crd_error *error) {
    const crd_text name = crd_sequences_label(sequences, (size_t)split->order[k]);
    const size_t count = list_sequences_of_class(sequences, split, split->order[k]);
    crd_sequences *part = NULL;
    if (!sequence_classes_set(classes, k, name, (double)count)) return crd_i_fail_memory(error);
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
    crd_sequence_classes *classes = NULL;
    crd_status status = classes_train_open_split(sequences, &split, error);
    if (status == CRD_OK) {
        const crd_i_schema *schema = crd_i_sequences_schema(sequences);
        classes = sequence_classes_create(split.context, crd_sequences_target(sequences),
                                          schema->columns[schema->target].position, split.count);
        if (classes == NULL) status = crd_i_fail_memory(error);
    }
    for (size_t k = 0; status == CRD_OK && k < split.count; k++)
        status = train_class(sequences, &split, k, settings, &hmm_train, classes, error);
    clear_split(&split);
    if (status == CRD_OK) return sequence_classes_model(classes, settings, out, error);
    sequence_classes_destroy(classes);
    return status;
}

/* ======== 3. Classification ========
 *
 * Whole sequences are classified by Bayes' rule (Rabiner 1989):
 *
 *   P(c | x) = P(c) P(x | HMM of c) / sum over classes k of P(k) P(x | HMM of k) */

/* ---- Derivation ---- */

/* Computes the log prior of each class from its number of sequences, under the setting `prior`. */
static crd_status sequence_classifier_derive_priors(crd_sequence_classifier *classifier, const crd_settings *settings,
                                                    crd_error *error) {
    const crd_sequence_classes *classes = classifier->classes;
    crd_i_dictionary *names = crd_i_dictionary_create(classifier->context);
    crd_term *terms = crd_i_alloc_zeroed(classifier->context, classes->count, sizeof *terms);
    bool done = names != NULL && terms != NULL;
    for (size_t i = 0; done && i < classes->count; i++) {
        const crd_term blank = CRD_TERM_INIT;
        terms[i] = blank;
        done = crd_i_dictionary_add(names, classes->names[i]) >= 0;
    }
    crd_status status =
        done ? crd_i_prior_derive(settings, names, classes->sequences, terms, error) : crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < classes->count; i++) classifier->log_priors[i] = terms[i].log_value;
    crd_i_dictionary_destroy(names);
    crd_free(classifier->context, terms);
    return status;
}

/* Derives the HMM of a class. It uses the given settings, except for the class prior, which it does not need, and the
 * number of states, which its training has determined. */
static crd_status derive_model(const crd_model *model, const crd_settings *settings, crd_hmm **out, crd_error *error) {
    crd_settings *own_settings = NULL;
    crd_status status = crd_i_settings_copy(model->context, settings, &own_settings, error);
    if (status == CRD_OK) status = crd_settings_set(own_settings, "prior", crd_text_of("frequency"), error);
    if (status == CRD_OK) {
        const char *states = crd_settings_get(crd_model_settings(model), "states");
        status = crd_settings_set(own_settings, "states", crd_text_of(states), error);
    }
    if (status == CRD_OK) status = crd_hmm_create(model, own_settings, out, error);
    crd_settings_destroy(own_settings);
    return status;
}

crd_status crd_sequence_classifier_create(const crd_model *model, const crd_settings *settings,
                                          crd_sequence_classifier **out, crd_error *error) {
    *out = NULL;
    const crd_sequence_classes *classes = crd_model_sequence_classes(model);
    if (classes == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the model does not classify whole sequences");
    if (settings == NULL) settings = model->settings;
    crd_sequence_classifier *classifier = crd_i_alloc_zeroed(model->context, 1, sizeof *classifier);
    if (classifier == NULL) return crd_i_fail_memory(error);
    classifier->context = model->context;
    classifier->classes = classes;
    classifier->log_priors = crd_i_alloc(model->context, classes->count, sizeof *classifier->log_priors);
    classifier->hmms = crd_i_alloc_zeroed(model->context, classes->count, sizeof *classifier->hmms);
    crd_status status = classifier->log_priors == NULL || classifier->hmms == NULL
                            ? crd_i_fail_memory(error)
                            : sequence_classifier_derive_priors(classifier, settings, error);
    for (size_t i = 0; status == CRD_OK && i < classes->count; i++)
        status = derive_model(classes->models[i], settings, &classifier->hmms[i], error);
    if (status == CRD_OK) *out = classifier;
    else crd_sequence_classifier_destroy(classifier);
    return status;
}

void crd_sequence_classifier_destroy(crd_sequence_classifier *classifier) {
    if (classifier == NULL) return;
    for (size_t i = 0; classifier->hmms != NULL && i < classifier->classes->count; i++)
        crd_hmm_destroy(classifier->hmms[i]);
    crd_free(classifier->context, classifier->hmms);
    crd_free(classifier->context, classifier->log_priors);
    crd_free(classifier->context, classifier);
}

/* ---- Prediction ---- */

/* Converts the log joint probabilities of one sequence into log posteriors, and finds the most probable class. */
static crd_sequence_answer sequence_classifier_settle(double *logs, size_t classes) {
    crd_sequence_answer answer = CRD_SEQUENCE_ANSWER_INIT;
    const double evidence = crd_i_log_sum_exp(logs, classes);
    double greatest = -INFINITY;
    answer.log_evidence = evidence;
    for (size_t k = 0; k < classes; k++) {
        if (evidence > -INFINITY) logs[k] -= evidence;
        if (logs[k] > greatest + (answer.decision < 0 ? 0 : CRD_TIE_MARGIN)) answer.decision = (int32_t)k;
        greatest = fmax(greatest, logs[k]);
    }
    for (size_t k = 0; answer.decision >= 0 && k < classes; k++) answer.tied += logs[k] >= greatest - CRD_TIE_MARGIN;
    return answer;
}

crd_status crd_sequence_classifier_posteriors(const crd_sequence_classifier *classifier, const crd_sequences *sequences,
                                              unsigned threads, double *log_likelihoods, double *log_posteriors,
                                              crd_sequence_answer *answers, crd_error *error) {
    const size_t count = crd_sequences_count(sequences), classes = classifier->classes->count;
    double *column = crd_i_alloc(classifier->context, count, sizeof *column);
    double *all = crd_i_alloc(classifier->context, count, classes * sizeof *all);
    crd_status status = column == NULL || all == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t k = 0; status == CRD_OK && k < classes; k++) {
        status = crd_hmm_log_likelihoods(classifier->hmms[k], sequences, threads, column, error);
        for (size_t i = 0; status == CRD_OK && i < count; i++) {
            if (log_likelihoods != NULL) log_likelihoods[i * classes + k] = column[i];
            all[i * classes + k] = classifier->log_priors[k] + column[i];
        }
    }
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        const crd_sequence_answer answer = sequence_classifier_settle(all + i * classes, classes);
        for (size_t k = 0; log_posteriors != NULL && k < classes; k++)
            log_posteriors[i * classes + k] = all[i * classes + k];
        if (answers != NULL) crd_i_copy_out_item(&answer, sizeof answer, answers, i);
    }
    crd_free(classifier->context, column);
    crd_free(classifier->context, all);
    return status;
}
