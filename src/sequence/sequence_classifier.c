/* SPDX-License-Identifier: MIT */
/* sequence_classifier.c - classifies whole sequences by Bayes' rule, with one HMM per class (Rabiner 1989):
 *
 *   P(c | x) = P(c) P(x | HMM of c) / sum over classes k of P(k) P(x | HMM of k)
 *
 * See credence/sequence_classes.h. */
#include "sequence/sequence_class_models.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/class_prior.h"
#include "math/functions/elementary.h"

#include <credence/hmm_decode.h>

#include <math.h>

struct crd_sequence_classifier {
    crd_context *context;
    const crd_i_sequence_classes *classes;
    double *log_priors;
    crd_hmm **models; /* HMM of each class */
};

/* ---- Derivation ---- */

/* Computes the log prior of each class from its number of sequences, under the setting `prior`. */
static crd_status sequence_classifier_derive_priors(crd_sequence_classifier *classifier, const crd_settings *settings,
                                                    crd_error *error) {
    const crd_i_sequence_classes *classes = classifier->classes;
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
    const crd_i_sequence_classes *classes = crd_i_sequence_classes_of(model);
    if (classes == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the model does not classify whole sequences");
    if (settings == NULL) settings = model->settings;
    crd_sequence_classifier *classifier = crd_i_alloc_zeroed(model->context, 1, sizeof *classifier);
    if (classifier == NULL) return crd_i_fail_memory(error);
    classifier->context = model->context;
    classifier->classes = classes;
    classifier->log_priors = crd_i_alloc(model->context, classes->count, sizeof *classifier->log_priors);
    classifier->models = crd_i_alloc_zeroed(model->context, classes->count, sizeof *classifier->models);
    crd_status status = classifier->log_priors == NULL || classifier->models == NULL
                            ? crd_i_fail_memory(error)
                            : sequence_classifier_derive_priors(classifier, settings, error);
    for (size_t i = 0; status == CRD_OK && i < classes->count; i++)
        status = derive_model(classes->models[i], settings, &classifier->models[i], error);
    if (status == CRD_OK) *out = classifier;
    else crd_sequence_classifier_destroy(classifier);
    return status;
}

void crd_sequence_classifier_destroy(crd_sequence_classifier *classifier) {
    if (classifier == NULL) return;
    for (size_t i = 0; classifier->models != NULL && i < classifier->classes->count; i++)
        crd_hmm_destroy(classifier->models[i]);
    crd_free(classifier->context, classifier->models);
    crd_free(classifier->context, classifier->log_priors);
    crd_free(classifier->context, classifier);
}

size_t crd_sequence_classifier_class_count(const crd_sequence_classifier *classifier) {
    return classifier->classes->count;
}

crd_text crd_sequence_classifier_class(const crd_sequence_classifier *classifier, size_t class_index) {
    return classifier->classes->names[class_index];
}

double crd_sequence_classifier_log_prior(const crd_sequence_classifier *classifier, size_t class_index) {
    return classifier->log_priors[class_index];
}

const crd_hmm *crd_sequence_classifier_hmm(const crd_sequence_classifier *classifier, size_t class_index) {
    return classifier->models[class_index];
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
        status = crd_hmm_log_likelihoods(classifier->models[k], sequences, threads, column, error);
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

crd_status crd_sequence_classifier_truths(const crd_sequence_classifier *classifier, const crd_sequences *sequences,
                                          int32_t *classes, crd_error *error) {
    crd_status status = crd_i_sequence_classes_labels(sequences, classes, error);
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(sequences); i++) {
        if (classes[i] < 0) continue;
        const crd_text label = crd_sequences_label(sequences, (size_t)classes[i]);
        size_t k = 0;
        while (k < classifier->classes->count && !crd_text_equal(classifier->classes->names[k], label)) k++;
        classes[i] = k < classifier->classes->count ? (int32_t)k : -1;
    }
    return status;
}
