/* SPDX-License-Identifier: MIT */
/* calibration.h - any scorer, with its probabilities calibrated: see calibration.h. */
#ifndef CRD_FIT_CALIBRATION_H
#define CRD_FIT_CALIBRATION_H

#include "classify/classifier_internal.h"

/* Wraps the classifier's scorer. Uses the calibration that the model stores; if there is none, fits it now. */
CRD_MUST_USE crd_status crd_i_calibrated_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                       const crd_i_schema_view *view, crd_error *error);

#endif
