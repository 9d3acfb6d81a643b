/* SPDX-License-Identifier: MIT */
/* similar_classes.h - class names that probably denote one class in two spellings: see crd_summary_similar_class. */
#ifndef CRD_MODEL_SIMILAR_CLASSES_H
#define CRD_MODEL_SIMILAR_CLASSES_H

#include "model/model_internal.h"

/* Returns whether two different names are equal except for case, surrounding spaces, or number formatting. */
bool crd_i_names_are_similar(crd_text a, crd_text b);

/* Fails with CRD_ERROR_SCHEMA_DIFFERS if rows in `batch` have a class that is similar to a class of the model but
 * not equal to one. */
CRD_MUST_USE crd_status crd_i_model_check_new_classes(const crd_model *model, const crd_model *batch, crd_error *error);

#endif
