/* SPDX-License-Identifier: MIT */
/* emission_model.c - creates emission models, binds them to sequences, and evaluates observations. See
 * hmm_internal.h.
 *
 * Contents:
 *   1. Emission model
 *   2. Column binding
 *   3. Log densities */
#include "sequence/data/sequences.h"
#include "sequence/hmm_internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "classify/joint_scorer.h"
#include "math/functions/elementary.h"

#include <credence/number.h>
#include <math.h>
#include <string.h>

/* Translated codes from this value downwards are words: word w has the code CRD_I_CODE_WORD - w. */
enum { CRD_I_CODE_WORD = CRD_I_CODE_UNSEEN - 1 };

typedef struct crd_i_bound_attribute {
    size_t column;  /* column of the sequences; SIZE_MAX: all values are missing */
    bool is_number; /* the sequences' column is numeric */
    int32_t *codes; /* for each of the sequences' values, or intervals: the model's code, or a negative code */
    double *words;  /* log probabilities of each word, one entry per class */
    size_t word_count, word_capacity;
} crd_i_bound_attribute;

struct crd_i_emission_binding {
    crd_context *context;
    const crd_i_emission_model *emission;
    const crd_sequences *sequences;
    crd_i_bound_attribute *attributes; /* for each attribute */
    int32_t *state_of_label;           /* for each label: its state; negative: the label is not a state */
};

/* ======== 1. Emission model ======== */

/* ---- Components ---- */

/* Finds the class of a component; UINT32_MAX: there is none. */
static crd_status emission_model_find_class(const crd_i_emission_model *model, crd_text state, size_t component,
                                            uint32_t *out, crd_error *error) {
    char *buffer = crd_i_alloc(model->context, state.length + CRD_I_COMPONENT_ROOM, 1);
    if (buffer == NULL) return crd_i_fail_memory(error);
    int32_t found = crd_i_dictionary_find(model->classifier->classes,
                                          crd_i_component_name(state, component, model->components, buffer));
    crd_free(model->context, buffer);
    *out = found < 0 ? UINT32_MAX : (uint32_t)found;
    return CRD_OK;
}

/* Computes the component weights of a state as relative frequencies. If the state has no rows, all its components have
 * equal weights. */
static void emission_model_weigh(crd_i_emission_model *model, const double *rows, size_t state) {
    const uint32_t *classes = model->class_of + state * model->components;
    double *logs = model->log_weights + state * model->components, total = 0, known = 0;
    for (size_t m = 0; m < model->components; m++) {
        if (classes[m] == UINT32_MAX) continue;
        total += rows[classes[m]];
        known++;
    }
    for (size_t m = 0; m < model->components; m++) {
        if (classes[m] == UINT32_MAX) logs[m] = -INFINITY;
        else logs[m] = total > 0 ? crd_i_log_ratio(rows[classes[m]], total) : crd_i_log_ratio(1, known);
    }
}

/* Gets the number of rows of each class of the classifier. */
static void emission_model_read_rows(const crd_i_emission_model *model, const crd_model *emissions, double *rows) {
    const crd_i_dictionary *known = crd_i_model_target(emissions)->values;
    for (size_t i = 0; i < model->classifier->class_count; i++) {
        int32_t code = crd_i_dictionary_find(known, crd_i_dictionary_text(model->classifier->classes, i));
        rows[i] = code < 0 ? 0 : crd_i_model_class_rows(emissions, (size_t)code);
    }
}

/* Maps each state and component to a class of the classifier, and computes the component weights. */
static crd_status match_classes(crd_i_emission_model *model, const crd_model *emissions, const crd_i_dictionary *states,
                                crd_error *error) {
    size_t count = model->states * model->components;
    model->class_of = crd_i_alloc(model->context, count, sizeof *model->class_of);
    model->log_weights = crd_i_alloc(model->context, count, sizeof *model->log_weights);
    double *rows = crd_i_alloc(model->context, model->classifier->class_count, sizeof *rows);
    crd_status status =
        model->class_of == NULL || model->log_weights == NULL || rows == NULL ? crd_i_fail_memory(error) : CRD_OK;
    model->is_plain = model->components == 1 && model->classifier->class_count == model->states;
    if (status == CRD_OK) emission_model_read_rows(model, emissions, rows);
    for (size_t k = 0; status == CRD_OK && k < model->states; k++) {
        for (size_t m = 0; status == CRD_OK && m < model->components; m++) {
            uint32_t *class_of = &model->class_of[k * model->components + m];
            status = emission_model_find_class(model, crd_i_dictionary_text(states, k), m, class_of, error);
            model->is_plain = model->is_plain && *class_of == k;
        }
        if (status == CRD_OK) emission_model_weigh(model, rows, k);
    }
    crd_free(model->context, rows);
    return status;
}

/* ---- The model ---- */

/* Creates the word models of categorical columns. If states are hidden, words keep the probabilities under which the
 * likelihood was maximized, unless the settings specify suffixes. */
static crd_status create_unseen(crd_i_emission_model *model, const crd_i_hmm_content *content,
                                const crd_settings *settings, crd_error *error) {
    const crd_classifier *classifier = model->classifier;
    const bool may_have = !content->is_hidden || settings->unseen_words == CRD_I_UNSEEN_SUFFIX;
    model->unseen = crd_i_alloc_zeroed(model->context, classifier->attribute_count, sizeof *model->unseen);
    if (model->unseen == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; may_have && status == CRD_OK && i < classifier->attribute_count; i++) {
        bool is_category = classifier->attributes[i].type == CRD_TYPE_CATEGORICAL;
        if (is_category && crd_i_attribute_counts(&classifier->attributes[i]))
            status = crd_i_unseen_words_create(content->emissions, classifier, i, settings, &model->unseen[i], error);
    }
    return status;
}

crd_status crd_i_emission_model_create(const crd_i_hmm_content *content, const crd_i_dictionary *states,
                                       const crd_settings *settings, crd_i_emission_model **out, crd_error *error) {
    crd_settings *own_settings = NULL;
    *out = NULL;
    crd_i_emission_model *model = crd_i_alloc_zeroed(content->context, 1, sizeof *model);
    if (model == NULL) return crd_i_fail_memory(error);
    model->context = content->context;
    model->states = crd_i_dictionary_size(states);
    model->components = content->components;
    crd_status status = crd_i_emission_settings(content->context, settings, &own_settings, error);
    if (status == CRD_OK) status = crd_classifier_create(content->emissions, own_settings, &model->classifier, error);
    if (status == CRD_OK) status = match_classes(model, content->emissions, states, error);
    if (status == CRD_OK) status = create_unseen(model, content, settings, error);
    crd_settings_destroy(own_settings);
    if (status != CRD_OK) {
        crd_i_emission_model_destroy(model);
        return status;
    }
    *out = model;
    return CRD_OK;
}

void crd_i_emission_model_destroy(crd_i_emission_model *emission) {
    if (emission == NULL) return;
    for (size_t i = 0; emission->unseen != NULL && i < emission->classifier->attribute_count; i++)
        crd_i_unseen_words_destroy(emission->unseen[i]);
    crd_free(emission->context, emission->unseen);
    crd_free(emission->context, emission->class_of);
    crd_free(emission->context, emission->log_weights);
    crd_classifier_destroy(emission->classifier);
    crd_free(emission->context, emission);
}

/* ======== 2. Column binding ========
 *
 * The mapping between the columns of sequences and the attributes of an emission model. Columns are matched by name,
 * and codes are translated. */

/* ---- Columns ---- */

static crd_status fail_kind(crd_text name, const char *theirs, const char *ours, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' has %s, but the model has %s", crd_i_quote(name, quoted),
               theirs, ours);
    crd_i_error_subject(error, name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Checks that a column's type fits its attribute. A column without any value fits every attribute. */
static crd_status emission_binding_check_type(const crd_i_attribute *attribute, crd_column_type type,
                                              crd_error *error) {
    bool is_number = attribute->type == CRD_TYPE_NUMERIC;
    if (attribute->type == CRD_TYPE_NONE || type == CRD_TYPE_NONE || type == attribute->type) return CRD_OK;
    if (type == CRD_TYPE_NUMERIC && crd_i_intervals_are(&attribute->intervals)) return CRD_OK;
    return is_number ? fail_kind(attribute->name, "categories", "numbers", error)
                     : fail_kind(attribute->name, "numbers", "categories", error);
}

/* Finds the column of an attribute; SIZE_MAX: there is none with values. */
static crd_status emission_binding_find_column(const crd_sequences *sequences, const crd_i_dictionary *names,
                                               const crd_i_attribute *attribute, size_t *column, crd_error *error) {
    int32_t found = crd_i_dictionary_find(names, attribute->name);
    crd_column_type type = found < 0 ? CRD_TYPE_NONE : crd_i_sequences_column_type(sequences, (size_t)found);
    *column = type == CRD_TYPE_NONE ? SIZE_MAX : (size_t)found;
    return emission_binding_check_type(attribute, type, error);
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
    if (status != CRD_OK || bound->column == SIZE_MAX || attribute->type == CRD_TYPE_NONE) return status;
    bound->is_number = attribute->type == CRD_TYPE_NUMERIC;
    if (bound->is_number) return CRD_OK;
    if (crd_i_sequences_column_type(binding->sequences, bound->column) == CRD_TYPE_NUMERIC)
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

/* ======== 3. Log densities ========
 *
 * Log P(observation | state) is computed for a range of steps and all states.
 *
 * Numeric columns are added column by column to sums grouped by class, with several steps per SIMD vector, in tables
 * that fit in the L1 cache. The sums are then transposed to one row per step, to which categorical columns are added.
 * If columns have a joint density, steps are evaluated one by one. */

/* Maximum number of sums: a table that fits in the L1 cache together with a few columns. */
enum { MOST_SUMS = 2048, MOST_STEPS = 128 };

/* Log probabilities of the integers below this limit are cached, so the probabilities of a count are computed only
 * once. */
enum { KEPT_NUMBERS = 256 };

struct crd_i_emission_room {
    crd_context *context;
    crd_i_observation_room observations;
    size_t chunk;          /* number of steps that are evaluated together */
    void *block;           /* memory block that contains the following arrays */
    double *sums;          /* [class * chunk + step] */
    double *column;        /* numbers of a chunk */
    double *rows;          /* [step * classes + class], if classes are not states */
    double *shares;        /* weights of the components of all states at one step */
    double *scratch;       /* scratch space of the scorer, if steps are evaluated one by one */
    crd_i_one_cell *cells; /* values of one step, by attribute, if steps are evaluated one by one */
    /* For each attribute with a discrete family: cached log probabilities [number * classes + class]; NaN: not yet
     * computed. NULL: the attribute has a density. */
    double **kept;
    size_t attributes;
};

/* ---- Workspace ---- */

static bool emission_fill_is_by_rows(const crd_i_emission_model *emission) {
    return !emission->classifier->scorer->type->is_naive;
}

static size_t chunk_of(size_t classes) {
    size_t steps = MOST_SUMS / classes / CRD_I_SIMD * CRD_I_SIMD;
    return steps > MOST_STEPS ? MOST_STEPS : steps < CRD_I_SIMD ? CRD_I_SIMD : steps;
}

static double *emission_fill_take(double **source, size_t count) {
    double *taken = *source;
    *source += count;
    return taken;
}

static bool has_whole_numbers(const crd_i_attribute *attribute) {
    return attribute->type == CRD_TYPE_NUMERIC && crd_i_attribute_counts(attribute) &&
           attribute->density->family->is_discrete;
}

static bool emission_fill_keep_numbers(crd_i_emission_room *workspace, const crd_classifier *classifier) {
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        if (!has_whole_numbers(&classifier->attributes[i])) continue;
        workspace->kept[i] =
            crd_i_alloc(workspace->context, KEPT_NUMBERS * classifier->class_count, sizeof **workspace->kept);
        if (workspace->kept[i] == NULL) return false;
        for (size_t x = 0; x < KEPT_NUMBERS; x++) workspace->kept[i][x * classifier->class_count] = NAN;
    }
    return true;
}

crd_status crd_i_emission_room_create(const crd_i_emission_binding *binding, crd_i_emission_room **out,
                                      crd_error *error) {
    const crd_i_emission_model *emission = binding->emission;
    const crd_classifier *classifier = emission->classifier;
    size_t classes = classifier->class_count, chunk = chunk_of(classes);
    size_t parts = emission->states * emission->components, scratch = classifier->scorer->scratch;
    *out = NULL;
    crd_i_emission_room *workspace = crd_i_alloc_zeroed(binding->context, 1, sizeof *workspace);
    if (workspace == NULL) return crd_i_fail_memory(error);
    workspace->context = workspace->observations.context = binding->context;
    workspace->chunk = chunk;
    workspace->block = crd_i_alloc_zeroed(
        binding->context, 2 * chunk * classes + chunk + parts + scratch + CRD_I_SIMD_ALIGNMENT / sizeof(double),
        sizeof(double));
    workspace->cells = crd_i_alloc_zeroed(binding->context, classifier->attribute_count, sizeof *workspace->cells);
    workspace->kept = crd_i_alloc_zeroed(binding->context, classifier->attribute_count, sizeof *workspace->kept);
    workspace->attributes = classifier->attribute_count;
    if (workspace->block == NULL || workspace->cells == NULL || workspace->kept == NULL ||
        !emission_fill_keep_numbers(workspace, classifier)) {
        crd_i_emission_room_destroy(workspace);
        return crd_i_fail_memory(error);
    }
    size_t past = (uintptr_t)workspace->block % CRD_I_SIMD_ALIGNMENT;
    double *next = (double *)((char *)workspace->block + (CRD_I_SIMD_ALIGNMENT - past) % CRD_I_SIMD_ALIGNMENT);
    workspace->sums = emission_fill_take(&next, chunk * classes);
    workspace->column = emission_fill_take(&next, chunk);
    workspace->rows = emission_fill_take(&next, chunk * classes);
    workspace->shares = emission_fill_take(&next, parts);
    workspace->scratch = emission_fill_take(&next, scratch);
    *out = workspace;
    return CRD_OK;
}

void crd_i_emission_room_destroy(crd_i_emission_room *workspace) {
    if (workspace == NULL) return;
    crd_i_observation_room_clear(&workspace->observations);
    crd_free(workspace->context, workspace->block);
    for (size_t i = 0; workspace->kept != NULL && i < workspace->attributes; i++)
        crd_free(workspace->context, workspace->kept[i]);
    crd_free(workspace->context, workspace->kept);
    crd_free(workspace->context, workspace->cells);
    crd_free(workspace->context, workspace);
}

/* ---- Column by column ---- */

/* Returns a column's numbers, with numbers outside the support of the family replaced by NaN. Copies them if some are
 * replaced, or if vectors would read past the last number. Sets *some_missing if any number is missing. */
static const double *emission_fill_load_numbers(const crd_i_density *density, const double *source, size_t count,
                                                double *room, bool *some_missing) {
    const bool is_copied = density->family->covers != NULL || count % CRD_I_SIMD != 0;
    const double *numbers = is_copied ? room : source;
    size_t missing = 0;
    if (is_copied) memcpy(room, source, count * sizeof *room);
    for (size_t i = 0; density->family->covers != NULL && i < count; i++)
        if (!isnan(room[i]) && !density->family->covers(density, room[i])) room[i] = NAN;
    for (size_t i = 0; i < count; i++) missing += numbers[i] != numbers[i];
    *some_missing = missing > 0;
    return numbers;
}

/* Computes the sums of the log densities of all numeric columns, one row per step; zeros if there are no such
 * columns. */
static void emission_fill_add_numbers(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                                      size_t source, size_t count, crd_i_emission_room *workspace, double *rows,
                                      size_t stride) {
    const crd_classifier *classifier = binding->emission->classifier;
    size_t classes = classifier->class_count;
    bool any = false;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (bound->column == SIZE_MAX || attribute->type != CRD_TYPE_NUMERIC || !crd_i_attribute_counts(attribute) ||
            workspace->kept[i] != NULL)
            continue;
        if (!any) memset(workspace->sums, 0, workspace->chunk * classes * sizeof *workspace->sums);
        any = true;
        bool some_missing;
        const double *numbers = emission_fill_load_numbers(attribute->density, steps->numbers[bound->column] + source,
                                                           count, workspace->column, &some_missing);
        const crd_i_cells cells = {.rows = count, .numbers = numbers};
        const crd_i_block block = {.lanes = classifier->lanes,
                                   .rows = count,
                                   .stride = workspace->chunk,
                                   .some_missing = some_missing,
                                   .sums = workspace->sums,
                                   .row_sums = workspace->scratch};
        crd_i_density_add_block(attribute->density, &cells, &block);
    }
    if (any) {
        classifier->lanes->transpose(workspace->sums, workspace->chunk, classes, count, rows, stride);
        return;
    }
    for (size_t row = 0; row < count; row++) memset(rows + row * stride, 0, classes * sizeof *rows);
}

/* Adds the log probabilities of an integer under all classes, using the cache. */
static void add_whole_number(const crd_i_density *density, double x, double *kept, size_t classes, double *row) {
    const crd_i_cells cell = {.rows = 1, .numbers = &x};
    if (isnan(x) || (density->family->covers != NULL && !density->family->covers(density, x))) return;
    if (!(x >= 0 && x < KEPT_NUMBERS && x == floor(x))) {
        density->family->add(density, &cell, row);
        return;
    }
    double *logs = kept + (size_t)x * classes;
    if (isnan(logs[0])) {
        memset(logs, 0, classes * sizeof *logs);
        density->family->add(density, &cell, logs);
    }
    for (size_t k = 0; k < classes; k++) row[k] += logs[k];
}

static void add_whole_numbers(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                              size_t source, size_t count, const crd_i_emission_room *workspace, double *rows,
                              size_t stride) {
    const crd_classifier *classifier = binding->emission->classifier;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        if (bound->column == SIZE_MAX || workspace->kept[i] == NULL) continue;
        for (size_t row = 0; row < count; row++)
            add_whole_number(classifier->attributes[i].density, steps->numbers[bound->column][source + row],
                             workspace->kept[i], classifier->class_count, rows + row * stride);
    }
}

/* Returns the model's code of a value. */
static int32_t code_of(const crd_i_bound_attribute *bound, const crd_i_attribute *attribute,
                       const crd_i_observation_block *steps, size_t step) {
    if (bound->is_number) {
        double x = steps->numbers[bound->column][step];
        return isnan(x) ? CRD_I_CODE_MISSING : bound->codes[crd_i_intervals_find(&attribute->intervals, x)];
    }
    int32_t code = steps->codes[bound->column][step];
    return code < 0 ? CRD_I_CODE_MISSING : bound->codes[code];
}

static void add_code(const crd_i_density *density, const crd_i_bound_attribute *bound, int32_t code, size_t classes,
                     double *row) {
    if (code >= 0) {
        const crd_i_cells cells = {.rows = 1, .codes = &code};
        density->family->add(density, &cells, row);
    } else if (code <= CRD_I_CODE_WORD) {
        const double *logs = bound->words + (size_t)(CRD_I_CODE_WORD - code) * classes;
        for (size_t k = 0; k < classes; k++) row[k] += logs[k];
    }
}

static void emission_fill_add_categories(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                                         size_t source, size_t count, double *rows, size_t stride) {
    const crd_classifier *classifier = binding->emission->classifier;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (bound->column == SIZE_MAX || attribute->type != CRD_TYPE_CATEGORICAL || !crd_i_attribute_counts(attribute))
            continue;
        for (size_t row = 0; row < count; row++)
            add_code(attribute->density, bound, code_of(bound, attribute, steps, source + row), classifier->class_count,
                     rows + row * stride);
    }
}

/* ---- Step by step ---- */

/* Reads the values of one step for the scorer. */
static void emission_fill_read_cells(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                                     size_t step, crd_i_one_cell *cells) {
    const crd_classifier *classifier = binding->emission->classifier;
    const crd_i_one_cell missing = CRD_I_MISSING_CELL;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        const crd_i_attribute *attribute = &classifier->attributes[i];
        crd_i_one_cell *cell = &cells[i];
        *cell = missing;
        if (bound->column == SIZE_MAX || attribute->type == CRD_TYPE_NONE) continue;
        if (attribute->type == CRD_TYPE_NUMERIC) {
            const crd_i_density *density = attribute->density;
            cell->number = steps->numbers[bound->column][step];
            cell->is_present = !isnan(cell->number);
            cell->is_unseen = cell->is_present && crd_i_attribute_counts(attribute) &&
                              density->family->covers != NULL && !density->family->covers(density, cell->number);
            continue;
        }
        cell->code = code_of(bound, attribute, steps, step);
        cell->is_present = cell->code != CRD_I_CODE_MISSING;
        cell->is_unseen = cell->code < CRD_I_CODE_MISSING;
    }
}

/* Computes the log densities of one step under all classes, including joint densities. */
static crd_status emission_fill_add_step(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                                         size_t step, crd_i_emission_room *workspace, double *row, crd_error *error) {
    const crd_classifier *classifier = binding->emission->classifier;
    const crd_i_scorer *scorer = classifier->scorer;
    const crd_i_scored_row scored = {classifier, workspace->cells, workspace->scratch};
    crd_status status = CRD_OK;
    emission_fill_read_cells(binding, steps, step, workspace->cells);
    memset(row, 0, classifier->class_count * sizeof *row);
    crd_i_naive_scorer_add((const crd_i_naive_scorer *)scorer, &scored, row);
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (workspace->cells[i].code <= CRD_I_CODE_WORD && crd_i_attribute_counts(&classifier->attributes[i]))
            add_code(NULL, &binding->attributes[i], workspace->cells[i].code, classifier->class_count, row);
    for (size_t i = 0; status == CRD_OK && i < scorer->type->joints->count(scorer); i++)
        status = scorer->type->joints->add(scorer, &scored, i, row, error);
    return status;
}

/* ---- From classes to states ---- */

/* Computes log w_m P(x | state, m) of the components of all states. */
static void weigh_components(const crd_i_emission_model *model, const double *row, double *parts) {
    for (size_t i = 0; i < model->states * model->components; i++)
        parts[i] = model->class_of[i] == UINT32_MAX ? -INFINITY : row[model->class_of[i]] + model->log_weights[i];
}

/* Computes log sum_m w_m P(x | state, m), relative to the largest term. */
static void mix_components(const crd_i_emission_model *model, const double *row, double *shares, double *logs) {
    size_t components = model->components;
    weigh_components(model, row, shares);
    for (size_t k = 0; k < model->states; k++) {
        double greatest = -INFINITY, *parts = shares + k * components;
        for (size_t m = 0; m < components; m++)
            if (parts[m] > greatest) greatest = parts[m];
        logs[k] = greatest;
        for (size_t m = 0; m < components && greatest > -INFINITY; m++) parts[m] -= greatest;
    }
    model->classifier->lanes->exp(shares, model->states * components, shares);
    for (size_t k = 0; k < model->states; k++) {
        double total = 0;
        for (size_t m = 0; m < components; m++) total += shares[k * components + m];
        if (logs[k] > -INFINITY) logs[k] += crd_log(total);
    }
}

/* The rows to compute: states, states restricted by labels, or components. */
typedef enum fill_form { OF_STATES, OF_CLAMPED_STATES, OF_COMPONENTS } fill_form;

/* Computes the rows of a chunk of steps, and converts classes to states or components. */
static crd_status fill_chunk(const crd_i_emission_binding *binding, const crd_i_observation_block *steps, size_t source,
                             size_t count, fill_form form, crd_i_emission_room *workspace, double *logs, size_t stride,
                             crd_error *error) {
    const crd_i_emission_model *emission = binding->emission;
    double *rows = emission->is_plain ? logs : workspace->rows;
    size_t row_stride = emission->is_plain ? stride : emission->classifier->class_count;
    crd_status status = CRD_OK;
    if (emission_fill_is_by_rows(emission)) {
        for (size_t row = 0; status == CRD_OK && row < count; row++)
            status = emission_fill_add_step(binding, steps, source + row, workspace, rows + row * row_stride, error);
    } else {
        emission_fill_add_numbers(binding, steps, source, count, workspace, rows, row_stride);
        add_whole_numbers(binding, steps, source, count, workspace, rows, row_stride);
        emission_fill_add_categories(binding, steps, source, count, rows, row_stride);
    }
    for (size_t row = 0; !emission->is_plain && row < count; row++) {
        const double *from_row = rows + row * row_stride;
        if (form == OF_COMPONENTS) weigh_components(emission, from_row, logs + row * stride);
        else mix_components(emission, from_row, workspace->shares, logs + row * stride);
    }
    return status;
}

static void emission_fill_clamp(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                                double *logs, size_t stride) {
    for (size_t t = 0; steps->labels != NULL && t < steps->steps; t++) {
        int32_t label = steps->labels[t], state = label < 0 ? -1 : binding->state_of_label[label];
        for (size_t k = 0; state >= 0 && k < binding->emission->states; k++)
            if (k != (size_t)state) logs[t * stride + k] = -INFINITY;
    }
}

static crd_status emission_fill_block(const crd_i_emission_binding *binding, size_t sequence, uint64_t source,
                                      uint64_t target, fill_form form, double *logs, size_t stride,
                                      crd_i_emission_room *workspace, crd_error *error) {
    for (uint64_t index = source; index < target;) {
        crd_i_observation_block steps;
        size_t most = target - index < CRD_I_BLOCK_STEPS ? (size_t)(target - index) : CRD_I_BLOCK_STEPS;
        crd_status status =
            crd_i_sequences_block(binding->sequences, sequence, index, most, &workspace->observations, &steps, error);
        double *rows = logs + (index - source) * stride;
        for (size_t i = 0; status == CRD_OK && i < steps.steps; i += workspace->chunk) {
            size_t count = steps.steps - i < workspace->chunk ? steps.steps - i : workspace->chunk;
            status = fill_chunk(binding, &steps, i, count, form, workspace, rows + i * stride, stride, error);
        }
        if (status != CRD_OK) return status;
        if (form == OF_CLAMPED_STATES) emission_fill_clamp(binding, &steps, rows, stride);
        index += steps.steps;
    }
    return CRD_OK;
}

crd_status crd_i_emission_fill(const crd_i_emission_binding *binding, size_t sequence, uint64_t source, uint64_t target,
                               double *logs, size_t stride, crd_i_emission_room *workspace, crd_error *error) {
    return emission_fill_block(binding, sequence, source, target, OF_STATES, logs, stride, workspace, error);
}

crd_status crd_i_emission_fill_clamped(const crd_i_emission_binding *binding, size_t sequence, uint64_t source,
                                       uint64_t target, double *logs, size_t stride, crd_i_emission_room *workspace,
                                       crd_error *error) {
    return emission_fill_block(binding, sequence, source, target, OF_CLAMPED_STATES, logs, stride, workspace, error);
}

crd_status crd_i_emission_fill_components(const crd_i_emission_binding *binding, size_t sequence, uint64_t source,
                                          uint64_t target, double *logs, size_t stride, crd_i_emission_room *workspace,
                                          crd_error *error) {
    return emission_fill_block(binding, sequence, source, target, OF_COMPONENTS, logs, stride, workspace, error);
}
