/* SPDX-License-Identifier: MIT */
/* study_pictures.h - draws the distributions of attributes in each class. */
#ifndef CRD_REPORT_STUDY_PICTURES_H
#define CRD_REPORT_STUDY_PICTURES_H

#include "report/study.h"

/* Draws the distributions of the given attributes in each class: densities with decision regions for numbers, relative
 * frequencies for categories, and the most informative words for texts. The classifier must belong to the study's
 * model. */
CRD_MUST_USE crd_status crd_i_study_distributions(crd_i_study *study, const crd_classifier *classifier,
                                                  const size_t *attributes, size_t count, crd_error *error);
/* Lists or draws the words of a text attribute that distinguish each class from the others. */
CRD_MUST_USE crd_status crd_i_study_words(crd_i_study *study, const crd_classifier *classifier, size_t attribute,
                                          crd_error *error);

#endif
