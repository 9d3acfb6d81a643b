/* SPDX-License-Identifier: MIT */
/* emission_model.c - creates an emission model. See emission_model.h. Observations are evaluated in emission_fill.c. */
#include "sequence/emission_model.h"

#include "base/memory.h"

#include <credence/number.h>

#include <math.h>

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
        bool is_category = classifier->attributes[i].kind == CRD_KIND_CATEGORY;
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
