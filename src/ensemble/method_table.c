/* SPDX-License-Identifier: MIT */
/* method_table.c - the methods, whose table fit/fit_internal.h declares, and the kinds of models, whose table
 * model/model_internal.h declares. */
#include "base/error.h"
#include "classify/joint_scorer.h"
#include "ensemble/ensemble_scorer.h"
#include "fit/fit_internal.h"
#include "model/model_internal.h"
#include "network_model/model_network.h"

/* Derives naive Bayes, with joint densities if the settings specify them, and with fitted attribute weights if
 * requested. */
static crd_status derive_densities(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                   crd_error *error) {
    bool is_joint = crd_i_settings_together(classifier->settings) != CRD_I_TOGETHER_NONE;
    crd_status status = is_joint ? crd_i_joint_scorer_derive(classifier, model, view, error)
                                 : crd_i_naive_scorer_create(classifier, error);
    if (status == CRD_OK && classifier->settings->attribute_weights_fitted)
        status = crd_i_attribute_weights_derive(classifier, model, view, error);
    return status;
}

/* Returns CRD_ERROR_SETTING: states belong to a sequence, so a single row has no posterior. */
static crd_status method_table_refuse_rows(crd_classifier *classifier, const crd_model *model,
                                           const crd_i_schema_view *view, crd_error *error) {
    (void)classifier, (void)model, (void)view;
    crd_i_fail(error, CRD_ERROR_SETTING,
               "the method sequence needs a model of sequences, but this model is for single rows");
    crd_i_error_subject(error, crd_text_of("method"));
    return CRD_ERROR_SETTING;
}

static const char by_pairs[] = "models all pairs of attributes";

const crd_i_method_entry crd_i_methods[CRD_I_METHOD_COUNT] = {
    [CRD_I_METHOD_NAIVE] = {derive_densities, NULL, false},
    [CRD_I_METHOD_JOINT] = {derive_densities, NULL, false},
    [CRD_I_METHOD_AODE] = {crd_i_aode_scorer_derive, by_pairs, false},
    [CRD_I_METHOD_PAIRWISE] = {crd_i_pairwise_scorer_derive, by_pairs, true},
    [CRD_I_METHOD_TREES] = {crd_i_tree_scorer_derive, "uses all attributes in every tree", true},
    [CRD_I_METHOD_BAGGING] = {crd_i_resampled_derive, NULL, false},
    [CRD_I_METHOD_BOOSTING] = {crd_i_resampled_derive, NULL, false},
    [CRD_I_METHOD_STACKING] = {crd_i_stacking_derive, "chooses the settings of its members", true},
    [CRD_I_METHOD_NETWORK] = {crd_i_network_scorer_derive, "models attributes jointly, by the structure", false},
    [CRD_I_METHOD_SEQUENCE] = {method_table_refuse_rows, NULL, false},
};

const crd_i_model_kind *const crd_i_model_kinds[] = {&crd_i_tallied_kind,          &crd_i_members_kind,
                                                     &crd_i_network_kind,          &crd_i_sequence_kind,
                                                     &crd_i_sequence_classes_kind, NULL};
