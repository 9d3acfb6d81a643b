/* SPDX-License-Identifier: MIT */
/* show_pictures.h - pictures of a model: its prior, densities with decision regions, conditional tables, most
 * informative words, nomograms. Each function does nothing if the report has no pictures. */
#ifndef CREDENCE_CLI_SHOW_PICTURES_H
#define CREDENCE_CLI_SHOW_PICTURES_H

#include "verbs/show/show_values.h"

int picture_prior(crd_result *r, const crd_classifier *classifier, const size_t *classes, size_t count);
/* Draws a numeric or categorical attribute. */
int picture_attribute(crd_result *r, const attribute_view *v);
int picture_words(crd_result *r, const attribute_view *v, const crd_informative_words *words);
int picture_nomograms(crd_result *r, const crd_classifier *classifier, crd_text target);

#endif
