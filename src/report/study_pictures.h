/* SPDX-License-Identifier: MIT */
/* study_pictures.h - distributions of attributes under each class, as pictures. */
#ifndef CRD_REPORT_STUDY_PICTURES_H
#define CRD_REPORT_STUDY_PICTURES_H

#include "report/study.h"

/* Of these attributes of a classifier of the study's model: densities of numbers with their decision regions, relative frequencies of categories, telling
 * words of texts. */
CRD_MUST_USE crd_status crd_i_study_distributions(crd_i_study *study, const crd_classifier *classifier,
                                                  const size_t *attributes, size_t count, crd_error *error);
/* The words of a text attribute that tell each class from the rest. */
CRD_MUST_USE crd_status crd_i_study_words(crd_i_study *study, const crd_classifier *classifier, size_t attribute,
                                          crd_error *error);

#endif
