/* SPDX-License-Identifier: MIT */
/* aode_scorer.h - averaged one-dependence estimators (AODE; Webb, Boughton and Wang 2005) over all attributes: see
 * density/multivariate/aode.h. */
#ifndef CRD_CLASSIFY_AODE_SCORER_H
#define CRD_CLASSIFY_AODE_SCORER_H

#include "classify/joint_scorer.h"

/* Derives the scorer. Returns CRD_ERROR_SETTING if the model does not store pair counts. */
CRD_MUST_USE crd_status crd_i_aode_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                 const crd_i_schema_view *view, crd_error *error);

/* Returns the joint density of a classifier that has an AODE scorer. */
const crd_i_joint_block *crd_i_aode_scorer_block(const crd_classifier *classifier);

#endif
