/* SPDX-License-Identifier: MIT */
/* classifier_internal.h - what a classifier is made of: log priors, a density for each attribute, and the scorer
 * that makes log posteriors of them. */
#ifndef CRD_CLASSIFY_CLASSIFIER_INTERNAL_H
#define CRD_CLASSIFY_CLASSIFIER_INTERNAL_H

#include "classify/family_comparison.h"
#include "classify/scorer.h"
#include "model/fit_cache.h"
#include "model/model_internal.h"
#include "model/schema_view.h"

typedef struct crd_i_attribute {
    crd_text name;
    crd_kind kind;
    const crd_i_family *family;   /* of its kind; NULL for none */
    crd_i_density *density;       /* NULL: no cell was ever present */
    crd_i_dictionary *values;     /* of a category, in order: code = the density's value */
    crd_i_intervals intervals;    /* owned: of a category that is given as numbers too */
    crd_i_comparison *comparison; /* by which its family was chosen; NULL: it was stated */
    bool is_joint;                /* scored together with others, in the place of its own density */
} crd_i_attribute;

struct crd_classifier {
    crd_context *context;
    uint64_t serial; /* stands for its attributes' names in caches */
    crd_settings *settings;
    crd_i_dictionary *classes; /* in order: code = class index */
    size_t class_count;
    crd_term *priors;   /* of each class */
    double *log_priors; /* their logarithms, side by side: what a row's sums begin as */
    crd_i_attribute *attributes;
    size_t attribute_count;
    crd_i_estimates estimates;
    crd_i_scorer *scorer;            /* NULL until it is derived */
    crd_i_fit_cache fitted;          /* what was fitted for it, and was not among the model's fits */
    const crd_i_simd_columns *lanes; /* how it computes; results do not depend on it */
};

/* Log probabilities below this count as this where they are raised to fitted weights, so that no single one rules a
 * class out. */
#define CRD_I_LEAST_LOG_PROBABILITY (-50.0)

/* The classes and attributes of a model that has declared values and no rows; all attributes are scored together. Log
 * priors are 0. */
CRD_MUST_USE crd_status crd_i_classifier_declare(crd_classifier *classifier, const crd_model *model,
                                                 const crd_i_schema_view *order, crd_error *error);

/* Whether an attribute has a density that differs between classes; and whether that counts: the attribute is not scored
 * together with others. */
bool crd_i_attribute_has_density(const crd_i_attribute *attribute);
bool crd_i_attribute_counts(const crd_i_attribute *attribute);

#endif
