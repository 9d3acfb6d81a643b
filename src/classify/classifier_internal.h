/* SPDX-License-Identifier: MIT */
/* classifier_internal.h - the parts of a classifier: log priors, a density per attribute, and the scorer that
 * computes log posteriors from them. */
#ifndef CRD_CLASSIFY_CLASSIFIER_INTERNAL_H
#define CRD_CLASSIFY_CLASSIFIER_INTERNAL_H

#include "base/dictionary.h"
#include "classify/family_comparison.h"
#include "classify/scorer.h"
#include "model/fit_cache.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "settings/settings_internal.h"

#include <credence/classifier.h>

typedef struct crd_i_attribute {
    crd_text name;
    crd_kind kind;
    const crd_i_family *family;   /* NULL if the attribute has no family */
    crd_i_density *density;       /* NULL if no value was ever present */
    crd_i_dictionary *values;     /* for a categorical attribute, in order: code = the density's value */
    crd_i_intervals intervals;    /* owned: for a categorical attribute that is also given as numbers */
    crd_i_comparison *comparison; /* the comparison by which its family was chosen; NULL: it was specified */
    bool is_joint;                /* scored by a joint density instead of its own */
} crd_i_attribute;

struct crd_classifier {
    crd_context *context;
    uint64_t serial; /* identifies its attribute names in caches */
    crd_settings *settings;
    crd_i_dictionary *classes; /* in order: code = class index */
    size_t class_count;
    crd_term *priors;   /* prior term of each class */
    double *log_priors; /* log priors, contiguous: the initial sums of a row */
    crd_i_attribute *attributes;
    size_t attribute_count;
    crd_i_estimates estimates;
    crd_i_scorer *scorer;            /* NULL until derived */
    crd_i_fit_cache fitted;          /* fitted values that were not among the model's fits */
    const crd_i_simd_columns *lanes; /* SIMD implementation; results do not depend on it */
};

/* Lower bound of log probabilities that are multiplied by fitted weights, so no single one rules out a class. */
#define CRD_I_LEAST_LOG_PROBABILITY (-50.0)

/* Sets up the classes and attributes of a model with declared values and no rows. All attributes are scored jointly.
 * Log priors are 0. */
CRD_MUST_USE crd_status crd_i_classifier_declare(crd_classifier *classifier, const crd_model *model,
                                                 const crd_i_schema_view *view, crd_error *error);

/* Return whether an attribute has a density that differs between classes, and whether it is used, that is, not
 * replaced by a joint density. */
bool crd_i_attribute_has_density(const crd_i_attribute *attribute);
bool crd_i_attribute_counts(const crd_i_attribute *attribute);

/* ---- the class prior P(class). */

/* Computes the prior terms of all classes. `counts` are the rows of each class. */
CRD_MUST_USE crd_status crd_i_prior_derive(const crd_settings *settings, const crd_i_dictionary *classes,
                                           const double *counts, crd_term *priors, crd_error *error);

/* Computes the prior term of one class with `count` of `total` rows, unless priors are specified. */
void crd_i_prior_fill(const crd_settings *settings, double count, double total, size_t class_count, crd_term *prior);

#endif
