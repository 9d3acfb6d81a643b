/* SPDX-License-Identifier: MIT */
/* scorer_parts.c - the parts of a classifier's scorer and their contributions to the score of a row. With them, a
 * caller can recompute a posterior as a sum of its terms. */
#include "classify/classify_row.h"

#include "base/error.h"
#include "base/memory.h"

static const crd_i_scorer *scorer_parts_uncorrected(const crd_classifier *classifier) {
    return crd_i_scorer_uncorrected(classifier->scorer);
}

static crd_status scorer_parts_check_index(size_t index, size_t count, const char *description, crd_error *error) {
    return index < count ? CRD_OK : crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown %s %zu", description, index);
}

/* ---- Joint densities ---- */

static const crd_i_scorer_joints *scorer_parts_joints(const crd_classifier *classifier) {
    return scorer_parts_uncorrected(classifier)->type->joints;
}

size_t crd_classifier_joint_count(const crd_classifier *classifier) {
    return scorer_parts_joints(classifier) == NULL
               ? 0
               : scorer_parts_joints(classifier)->count(scorer_parts_uncorrected(classifier));
}

crd_status crd_classifier_joint(const crd_classifier *classifier, size_t joint, crd_joint *out, crd_error *error) {
    crd_status status = scorer_parts_check_index(joint, crd_classifier_joint_count(classifier), "joint density", error);
    if (status != CRD_OK) return status;
    crd_joint found_joint = CRD_JOINT_INIT;
    scorer_parts_joints(classifier)->describe(scorer_parts_uncorrected(classifier), classifier, joint, &found_joint);
    crd_i_copy_out(&found_joint, sizeof found_joint, out);
    return CRD_OK;
}

crd_status crd_classifier_joint_attributes(const crd_classifier *classifier, size_t joint, size_t *out,
                                           crd_error *error) {
    crd_status status = scorer_parts_check_index(joint, crd_classifier_joint_count(classifier), "joint density", error);
    if (status != CRD_OK) return status;
    return scorer_parts_joints(classifier)
        ->attributes(scorer_parts_uncorrected(classifier), classifier, joint, out, error);
}

crd_status crd_classifier_joint_terms(const crd_classifier *classifier, size_t joint, const crd_value *values,
                                      double *log_values, crd_error *error) {
    crd_status status = scorer_parts_check_index(joint, crd_classifier_joint_count(classifier), "joint density", error);
    if (status != CRD_OK) return status;
    crd_i_open_row row;
    status = crd_i_row_open(classifier, values, &row, error);
    for (size_t k = 0; status == CRD_OK && k < classifier->class_count; k++) log_values[k] = 0;
    if (status == CRD_OK)
        status = scorer_parts_joints(classifier)
                     ->add(scorer_parts_uncorrected(classifier), &row.scored, joint, log_values, error);
    crd_i_row_close(&row);
    return status;
}

int crd_classifier_is_joint(const crd_classifier *classifier, size_t attribute) {
    return attribute < classifier->attribute_count && classifier->attributes[attribute].is_joint;
}

double crd_classifier_attribute_weight(const crd_classifier *classifier, size_t attribute) {
    return crd_i_scorer_weight(classifier->scorer, attribute);
}

/* ---- Pairs ---- */

static const crd_i_scorer_pairs *scorer_parts_pairs(const crd_classifier *classifier) {
    return scorer_parts_uncorrected(classifier)->type->pairs;
}

size_t crd_classifier_pair_count(const crd_classifier *classifier) {
    return scorer_parts_pairs(classifier) == NULL
               ? 0
               : scorer_parts_pairs(classifier)->count(scorer_parts_uncorrected(classifier));
}

crd_status crd_classifier_pair(const crd_classifier *classifier, size_t pair, crd_pair *out, crd_error *error) {
    crd_status status = scorer_parts_check_index(pair, crd_classifier_pair_count(classifier), "pair", error);
    if (status != CRD_OK) return status;
    crd_pair found_pair = CRD_PAIR_INIT;
    scorer_parts_pairs(classifier)->describe(scorer_parts_uncorrected(classifier), pair, &found_pair);
    crd_i_copy_out(&found_pair, sizeof found_pair, out);
    return CRD_OK;
}

crd_status crd_classifier_pair_terms(const crd_classifier *classifier, const crd_value *values, double *log_values,
                                     crd_error *error) {
    crd_i_open_row row;
    crd_status status = crd_i_row_open(classifier, values, &row, error);
    if (status == CRD_OK && scorer_parts_pairs(classifier) != NULL)
        scorer_parts_pairs(classifier)->terms(scorer_parts_uncorrected(classifier), &row.scored, log_values);
    crd_i_row_close(&row);
    return status;
}

/* ---- Members ---- */

static const crd_i_scorer_members *members_of(const crd_classifier *classifier) {
    return scorer_parts_uncorrected(classifier)->type->members;
}

size_t crd_classifier_member_count(const crd_classifier *classifier) {
    return members_of(classifier) == NULL ? 0 : members_of(classifier)->count(scorer_parts_uncorrected(classifier));
}

crd_status crd_classifier_member(const crd_classifier *classifier, size_t member, crd_ensemble_member *out,
                                 crd_error *error) {
    crd_status status = scorer_parts_check_index(member, crd_classifier_member_count(classifier), "member", error);
    if (status != CRD_OK) return status;
    crd_ensemble_member ensemble_member = CRD_ENSEMBLE_MEMBER_INIT;
    members_of(classifier)->describe(scorer_parts_uncorrected(classifier), member, &ensemble_member);
    crd_i_copy_out(&ensemble_member, sizeof ensemble_member, out);
    return CRD_OK;
}

const char *crd_classifier_ensemble_rule(const crd_classifier *classifier) {
    return members_of(classifier) == NULL ? NULL : members_of(classifier)->rule(scorer_parts_uncorrected(classifier));
}

double crd_classifier_ensemble_factor(const crd_classifier *classifier, size_t class_index) {
    if (members_of(classifier) == NULL || class_index >= classifier->class_count) return 0;
    return members_of(classifier)->log_factor(scorer_parts_uncorrected(classifier), class_index);
}

crd_status crd_classifier_member_posteriors(const crd_classifier *classifier, const crd_value *values,
                                            double *log_posteriors, crd_error *error) {
    crd_i_open_row row;
    crd_status status = crd_i_row_open(classifier, values, &row, error);
    if (status == CRD_OK && members_of(classifier) != NULL)
        status = members_of(classifier)
                     ->posteriors(scorer_parts_uncorrected(classifier), &row.scored, log_posteriors, error);
    crd_i_row_close(&row);
    return status;
}

/* ---- Calibration ---- */

int crd_classifier_calibration(const crd_classifier *classifier, crd_calibration *out) {
    const crd_i_scorer_correction *correction = classifier->scorer->type->correction;
    if (correction == NULL) return 0;
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    correction->describe(classifier->scorer, &calibration);
    crd_i_copy_out(&calibration, sizeof calibration, out);
    return 1;
}

int crd_classifier_calibration_point(const crd_classifier *classifier, size_t class_index, size_t index, double *source,
                                     double *destination) {
    const crd_i_scorer_correction *correction = classifier->scorer->type->correction;
    if (correction == NULL || class_index >= classifier->class_count) return 0;
    return correction->point(classifier->scorer, class_index, index, source, destination);
}
