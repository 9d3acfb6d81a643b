/* SPDX-License-Identifier: MIT */
/* calibrated_scorer.c - see calibrated_scorer.h. */
#include "fit/calibrated_scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"
#include "fit/calibration.h"

typedef struct calibrated_scorer {
    crd_i_scorer base;
    crd_i_scorer *inner;
    crd_i_calibration *calibration;
} calibrated_scorer;

/* ---- Scoring ---- */

static const crd_i_scorer *calibrated_scorer_inner(const crd_i_scorer *scorer) {
    return ((const calibrated_scorer *)scorer)->inner;
}

static void calibrated_scorer_apply(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                    double *probabilities, crd_answer *answer) {
    const crd_classifier *classifier = row->classifier;
    if (answer->decision < 0) return;
    double evidence = answer->log_evidence; /* evidence depends on the values only, so calibration does not change it */
    crd_i_calibration_apply(((const calibrated_scorer *)scorer)->calibration, log_posterior);
    crd_i_classifier_conclude(classifier->lanes, classifier->log_priors, classifier->class_count, log_posterior,
                              probabilities, answer);
    answer->log_evidence = evidence;
}

static crd_status calibrated_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row,
                                          double *log_posterior, double *probabilities, crd_answer *answer,
                                          crd_error *error) {
    const crd_i_scorer *inner = calibrated_scorer_inner(scorer);
    crd_status status = inner->type->score(inner, row, log_posterior, probabilities, answer, error);
    if (status == CRD_OK) calibrated_scorer_apply(scorer, row, log_posterior, probabilities, answer);
    return status;
}

static void calibrated_scorer_destroy(crd_i_scorer *scorer) {
    calibrated_scorer *calibrated = (calibrated_scorer *)scorer;
    crd_i_calibration_destroy(calibrated->calibration);
    crd_i_scorer_destroy(calibrated->inner);
    crd_free(scorer->context, scorer);
}

static void calibrated_scorer_describe(const crd_i_scorer *scorer, crd_calibration *out) {
    crd_i_calibration_rule rule =
        crd_i_calibration_describe(((const calibrated_scorer *)scorer)->calibration, &out->slope);
    out->rule = rule == CRD_I_CALIBRATION_ISOTONIC ? "isotonic" : "scaling";
}

static bool calibrated_scorer_find_point(const crd_i_scorer *scorer, size_t class_index, size_t index, double *source,
                                         double *destination) {
    return crd_i_calibration_point(((const calibrated_scorer *)scorer)->calibration, class_index, index, source,
                                   destination);
}

static bool calibrated_scorer_list_parameters(const crd_i_scorer *scorer, crd_i_parameter_list *parameter) {
    return crd_i_calibration_list_parameters(((const calibrated_scorer *)scorer)->calibration, parameter);
}

static const crd_i_scorer_correction correction = {calibrated_scorer_inner, calibrated_scorer_apply,
                                                   calibrated_scorer_describe, calibrated_scorer_list_parameters,
                                                   calibrated_scorer_find_point};

static const crd_i_scorer_type calibrated_type = {.name = "calibrated",
                                                  .score = calibrated_scorer_score,
                                                  .destroy = calibrated_scorer_destroy,
                                                  .correction = &correction};

/* ---- Derivation ---- */

/* Fits the calibration to the stored rows and adds it to the classifier's cache of fits. */
static crd_status calibrated_scorer_fit(crd_classifier *classifier, const crd_model *model,
                                        const crd_i_schema_view *view, const char *description, crd_i_calibration **out,
                                        crd_error *error) {
    crd_i_held_out *inner;
    crd_status status = crd_i_held_out_create(model, classifier, view, "calibration=KIND", &inner, error);
    if (status == CRD_OK) status = crd_i_calibration_fit(classifier, inner, model->held_out_posteriors, out, error);
    crd_i_held_out_destroy(inner);
    if (status != CRD_OK) return status;
    double *numbers = NULL;
    size_t count;
    bool done = crd_i_calibration_numbers(*out, &numbers, &count) &&
                crd_i_fit_cache_put(&classifier->fitted, description, classifier->settings, numbers, count);
    crd_free(classifier->context, numbers);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Restores the calibration that the model stores, or fits it. Then adjusts it to a specified prior. */
static crd_status calibrated_scorer_find(crd_classifier *classifier, const crd_model *model,
                                         const crd_i_schema_view *view, crd_i_calibration **out, crd_error *error) {
    static const char description[] = "calibration";
    const crd_settings *settings = classifier->settings;
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, description, settings);
    if (known != NULL && !crd_i_calibration_restore(classifier->context, settings->calibration, classifier->class_count,
                                                    known->numbers, known->count, out))
        return crd_i_fail_memory(error);
    crd_status status = *out != NULL ? CRD_OK : calibrated_scorer_fit(classifier, model, view, description, out, error);
    if (status == CRD_OK && !crd_i_calibration_state_prior(*out, classifier, model, view))
        status = crd_i_fail_memory(error);
    return status;
}

crd_status crd_i_calibrated_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                          const crd_i_schema_view *view, crd_error *error) {
    calibrated_scorer *scorer = crd_i_alloc_zeroed(classifier->context, 1, sizeof *scorer);
    if (scorer == NULL) return crd_i_fail_memory(error);
    const crd_i_scorer base = {
        .type = &calibrated_type, .context = classifier->context, .scratch = classifier->scorer->scratch};
    scorer->base = base;
    scorer->inner = classifier->scorer;
    classifier->scorer = &scorer->base;
    return calibrated_scorer_find(classifier, model, view, &scorer->calibration, error);
}
