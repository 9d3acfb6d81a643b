/* SPDX-License-Identifier: MIT */
/* class_prior.h - the class prior P(class). */
#ifndef CRD_CLASSIFY_CLASS_PRIOR_H
#define CRD_CLASSIFY_CLASS_PRIOR_H

#include "base/dictionary.h"
#include "settings/settings_internal.h"

#include <credence/classifier.h>

/* Computes the prior terms of all classes. `counts` are the rows of each class. */
CRD_MUST_USE crd_status crd_i_prior_derive(const crd_settings *settings, const crd_i_dictionary *classes,
                                           const double *counts, crd_term *priors, crd_error *error);

/* Computes the prior term of one class with `count` of `total` rows, unless priors are specified. */
void crd_i_prior_fill(const crd_settings *settings, double count, double total, size_t class_count, crd_term *prior);

#endif
