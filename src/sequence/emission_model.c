/* SPDX-License-Identifier: MIT */
/* emission_model.c - see emission_model.h; how observations are evaluated is in emission_fill.c. */
#include "sequence/emission_model.h"

#include "base/memory.h"

#include <credence/number.h>

#include <math.h>

/* ---- Components ---- */

/* The class of a component; UINT32_MAX: there is none. */
static crd_status find_class(const crd_i_emission_model *of, crd_text state, size_t component, uint32_t *out,
                             crd_error *error) {
    char *room = crd_i_alloc(of->context, state.length + CRD_I_COMPONENT_ROOM, 1);
    if (room == NULL) return crd_i_fail_memory(error);
    int32_t found =
        crd_i_dictionary_find(of->classifier->classes, crd_i_component_name(state, component, of->components, room));
    crd_free(of->context, room);
    *out = found < 0 ? UINT32_MAX : (uint32_t)found;
    return CRD_OK;
}

/* Relative frequencies of a state's components; where it has no rows, all that there are alike. */
static void weigh(crd_i_emission_model *of, const double *rows, size_t state) {
    const uint32_t *classes = of->class_of + state * of->components;
    double *logs = of->log_weights + state * of->components, total = 0, known = 0;
    for (size_t m = 0; m < of->components; m++) {
        if (classes[m] == UINT32_MAX) continue;
        total += rows[classes[m]];
        known++;
    }
    for (size_t m = 0; m < of->components; m++) {
        if (classes[m] == UINT32_MAX) logs[m] = -INFINITY;
        else logs[m] = total > 0 ? crd_i_log_ratio(rows[classes[m]], total) : crd_i_log_ratio(1, known);
    }
}

/* How many rows each class of the classifier has. */
static void read_rows(const crd_i_emission_model *of, const crd_model *emissions, double *rows) {
    const crd_i_dictionary *known = crd_i_model_target(emissions)->values;
    for (size_t i = 0; i < of->classifier->class_count; i++) {
        int32_t code = crd_i_dictionary_find(known, crd_i_dictionary_text(of->classifier->classes, i));
        rows[i] = code < 0 ? 0 : crd_i_model_class_rows(emissions, (size_t)code);
    }
}

static crd_status match_classes(crd_i_emission_model *of, const crd_model *emissions, const crd_i_dictionary *states,
                                crd_error *error) {
    size_t count = of->states * of->components;
    of->class_of = crd_i_alloc(of->context, count, sizeof *of->class_of);
    of->log_weights = crd_i_alloc(of->context, count, sizeof *of->log_weights);
    double *rows = crd_i_alloc(of->context, of->classifier->class_count, sizeof *rows);
    crd_status status =
        of->class_of == NULL || of->log_weights == NULL || rows == NULL ? crd_i_fail_memory(error) : CRD_OK;
    of->is_plain = of->components == 1 && of->classifier->class_count == of->states;
    if (status == CRD_OK) read_rows(of, emissions, rows);
    for (size_t k = 0; status == CRD_OK && k < of->states; k++) {
        for (size_t m = 0; status == CRD_OK && m < of->components; m++) {
            uint32_t *class_of = &of->class_of[k * of->components + m];
            status = find_class(of, crd_i_dictionary_text(states, k), m, class_of, error);
            of->is_plain = of->is_plain && *class_of == k;
        }
        if (status == CRD_OK) weigh(of, rows, k);
    }
    crd_free(of->context, rows);
    return status;
}

/* ---- The model ---- */

/* Where states are hidden, words have the probabilities under which the likelihood was maximised, unless the settings state
 * suffixes. */
static crd_status create_unseen(crd_i_emission_model *of, const crd_i_hmm_content *content,
                                const crd_settings *settings, crd_error *error) {
    const crd_classifier *classifier = of->classifier;
    const bool may_have = !content->is_hidden || settings->unseen_words == CRD_I_UNSEEN_SUFFIX;
    of->unseen = crd_i_alloc_zeroed(of->context, classifier->attribute_count, sizeof *of->unseen);
    if (of->unseen == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; may_have && status == CRD_OK && i < classifier->attribute_count; i++) {
        bool is_category = classifier->attributes[i].kind == CRD_KIND_CATEGORY;
        if (is_category && crd_i_attribute_counts(&classifier->attributes[i]))
            status = crd_i_unseen_words_create(content->emissions, classifier, i, settings, &of->unseen[i], error);
    }
    return status;
}

crd_status crd_i_emission_model_create(const crd_i_hmm_content *content, const crd_i_dictionary *states,
                                       const crd_settings *settings, crd_i_emission_model **out, crd_error *error) {
    crd_settings *own = NULL;
    *out = NULL;
    crd_i_emission_model *made = crd_i_alloc_zeroed(content->context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    made->context = content->context;
    made->states = crd_i_dictionary_size(states);
    made->components = content->components;
    crd_status status = crd_i_emission_settings(content->context, settings, &own, error);
    if (status == CRD_OK) status = crd_classifier_create(content->emissions, own, &made->classifier, error);
    if (status == CRD_OK) status = match_classes(made, content->emissions, states, error);
    if (status == CRD_OK) status = create_unseen(made, content, settings, error);
    crd_settings_destroy(own);
    if (status != CRD_OK) {
        crd_i_emission_model_destroy(made);
        return status;
    }
    *out = made;
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
