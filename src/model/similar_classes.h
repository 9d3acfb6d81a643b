/* SPDX-License-Identifier: MIT */
/* similar_classes.h - names of classes that are probably one class written in two ways: see crd_summary_similar_class. */
#ifndef CRD_MODEL_SIMILAR_CLASSES_H
#define CRD_MODEL_SIMILAR_CLASSES_H

#include "model/model_internal.h"

/* Whether two different names are equal except for case, surrounding spaces, or the way a number is written. */
bool crd_i_names_are_similar(crd_text a, crd_text b);

/* Fails with CRD_ERROR_SCHEMA_DIFFERS if rows in `batch` have a class that is similar to a class of the model, and is not one of them. */
CRD_MUST_USE crd_status crd_i_model_check_new_classes(const crd_model *model, const crd_model *batch, crd_error *error);

#endif
