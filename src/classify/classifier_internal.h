/* classifier_internal.h - what a classifier is made of: log priors, and a density for each attribute. */
#ifndef CRD_CLASSIFY_CLASSIFIER_INTERNAL_H
#define CRD_CLASSIFY_CLASSIFIER_INTERNAL_H

#include "density/univariate/family.h"

#include <credence/classifier.h>

typedef struct crd_i_attribute {
    crd_text name;
    crd_kind kind;
    const crd_i_family *family;          /* of its kind; NULL for none */
    crd_i_density *density;              /* NULL: no cell was ever present */
    crd_i_dictionary *values;            /* of a category, in order: code = the density's value */
    struct crd_i_comparison *comparison; /* by which its family was chosen; NULL: it was stated */
} crd_i_attribute;

typedef struct crd_i_compound crd_i_compound;

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
    crd_i_compound *compound;        /* what it has beyond naive Bayes, see compound.h; NULL: nothing */
    const crd_i_simd_columns *lanes; /* how it computes; results do not depend on it */
};

/* Fills in the terms of all classes. counts are the rows of each class. */
CRD_MUST_USE crd_status crd_i_prior_derive(const crd_settings *settings, const crd_i_dictionary *classes,
                                           const double *counts, crd_term *priors, crd_error *error);

/* The term of one class with `count` of `total` rows, unless priors are given. */
void crd_i_prior_fill(const crd_settings *settings, double count, double total, size_t class_count, crd_term *prior);

/* One cell as the density takes it. CRD_ERROR_COLUMN or CRD_ERROR_NUMBER where the value does not fit. */
typedef struct crd_i_one_cell {
    bool is_present, is_unseen;
    double number;
    int32_t code;
} crd_i_one_cell;
CRD_MUST_USE crd_status crd_i_classifier_cell(const crd_classifier *classifier, size_t attribute,
                                              const crd_value *value, crd_i_one_cell *cell, crd_error *error);
/* Whether a density counts at all. */
bool crd_i_attribute_speaks(const crd_i_attribute *attribute);

/* Sums of log prior and log densities become log posteriors, in place, probabilities (NULL: not wanted) and the answer.
 * answer->unseen is set before. With g the greatest sum and t the total of all exp(sum - g), in the classes' order, a
 * probability is exp(sum - g) / t, and a log posterior sum - g - log t: here and in moments_batch.h, and nowhere else. Where the sums still are the log priors, nothing was said, and that is certain: the log evidence is 0, not the
 * rounding of the priors' sum. */
void crd_i_classifier_conclude(const crd_i_simd_columns *lanes, const double *log_priors, size_t classes, double *sums,
                               double *probabilities, crd_answer *answer);
/* The only class whose prior is not zero; SIZE_MAX: there are several, or none. */
size_t crd_i_classifier_only_class(const double *log_priors, size_t count);
/* Where no class is left, since the densities of numbers so far off are below all doubles: a class that is the only one
 * is certain all the same. The evidence stays zero. */
void crd_i_classifier_be_certain(const double *log_priors, size_t count, double *log_posterior, double *probabilities,
                                 crd_answer *answer);

#endif
