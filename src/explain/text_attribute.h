/* SPDX-License-Identifier: MIT */
/* text_attribute.h - access to the density of a text attribute. */
#ifndef CRD_EXPLAIN_TEXT_ATTRIBUTE_H
#define CRD_EXPLAIN_TEXT_ATTRIBUTE_H

#include "classify/classifier_internal.h"
#include "density/univariate/term_density.h"

/* Sets *out to the density of a text attribute, which the classifier owns. CRD_ERROR_COLUMN: the attribute is not text.
 * CRD_ERROR_EMPTY: no text was ever present. */
CRD_MUST_USE crd_status crd_i_text_density(const crd_classifier *classifier, size_t attribute,
                                           const crd_i_term_density **out, crd_error *error);

#endif
