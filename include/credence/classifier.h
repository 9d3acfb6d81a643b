/* SPDX-License-Identifier: MIT */
/* credence/classifier.h - a classifier is a model under settings: it computes posteriors and explains them.
 *
 * A classifier is derived once and immutable, so threads may share it. It keeps no reference to its model. A call for
 * one row allocates no memory, unless the settings go beyond naive Bayes. */
#ifndef CREDENCE_CLASSIFIER_H
#define CREDENCE_CLASSIFIER_H

#include <credence/model.h>
#include <credence/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the settings of the classifier, which are valid as long as the classifier. */
CRD_API const crd_settings *crd_classifier_settings(const crd_classifier *classifier);
/* Returns the type of an attribute. */
CRD_API crd_column_type crd_classifier_attribute_type(const crd_classifier *classifier, size_t attribute);

/* ---- Families: the class-conditional densities of attributes ---- */

/* One entry of the table of families. Initialize it with CRD_FAMILY_INIT. */
typedef struct crd_family {
    size_t size;
    const char *name;     /* "gaussian" */
    const char *summary;  /* one line of description */
    crd_column_type type; /* the type of attributes that the family models */
    int is_discrete;      /* for numbers: probabilities of integers; 0: densities */
} crd_family;

#define CRD_FAMILY_INIT                                                                                                \
    { sizeof(crd_family), NULL, NULL, CRD_TYPE_NONE, 0 }

/* Writes entry `index` of the table of families to *out. Returns 0 if there is no such entry. */
CRD_API int crd_family_at(size_t index, crd_family *out);

/* Writes the family of an attribute to *out. Under the setting auto this is the selected family. Returns 0 and sets the
 * name to NULL if the attribute has no type. */
CRD_API int crd_classifier_family(const crd_classifier *classifier, size_t attribute, crd_family *out);

/* The score of a family in the selection by the setting auto: docs/families.md describes the rule. Initialize it with
 * CRD_CANDIDATE_INIT. */
typedef struct crd_candidate {
    size_t size;
    const char *family;
    int is_chosen;
    /* Why the family was not considered, valid as long as the classifier; NULL: it was considered. */
    const char *left_out;
    /* The mean score on held-out rows and its standard error. A score of -log 2 means no information. */
    double score, standard_error;
} crd_candidate;

#define CRD_CANDIDATE_INIT                                                                                             \
    { sizeof(crd_candidate), NULL, 0, NULL, 0, 0 }

/* Writes entry `index` of the family comparison for an attribute to *out, in the order of the table of families.
 * Returns 0 if there is no such entry. An attribute whose family auto did not select has no entries. */
CRD_API int crd_classifier_candidate(const crd_classifier *classifier, size_t attribute, size_t index,
                                     crd_candidate *out);

/* Computes the mean and the standard deviation of a numeric attribute's density under one class. Returns
 * CRD_ERROR_EMPTY if the attribute has no density, and CRD_ERROR_COLUMN if it is not numeric. */
CRD_API CRD_MUST_USE crd_status crd_classifier_moments(const crd_classifier *classifier, size_t attribute,
                                                       size_t class_index, double *mean, double *deviation,
                                                       crd_error *error);
/* Computes the p-quantile *x of a numeric attribute's density under one class. Returns CRD_ERROR_EMPTY if the attribute
 * has no density, and CRD_ERROR_COLUMN if it is not numeric. */
CRD_API CRD_MUST_USE crd_status crd_classifier_quantile(const crd_classifier *classifier, size_t attribute,
                                                        size_t class_index, double p, double *x, crd_error *error);
/* Writes the parameters of a numeric attribute's density under one class to `out`, at most CRD_TERM_PARAMETERS, and
 * their number to *count. Returns CRD_ERROR_EMPTY if the attribute has no density, and CRD_ERROR_COLUMN if it is not
 * numeric. */
CRD_API CRD_MUST_USE crd_status crd_classifier_parameters(const crd_classifier *classifier, size_t attribute,
                                                          size_t class_index, crd_term_parameter *out, size_t *count,
                                                          crd_error *error);

/* One part of a density that is a sum of parts: a bin of a histogram, or a component of a mixture. Initialize it with
 * CRD_DENSITY_COMPONENT_INIT. */
typedef struct crd_density_component {
    size_t size;
    double weight;   /* the probability of the part */
    double from, to; /* bins only: the interval; NaN for components of a mixture */
    double mean, sd; /* components of a mixture only; NaN for bins */
} crd_density_component;

#define CRD_DENSITY_COMPONENT_INIT                                                                                     \
    { sizeof(crd_density_component), 0, 0, 0, 0, 0 }

/* Writes part `index` of a numeric attribute's density under one class to *component. Returns 0 after the last part,
 * and for families whose densities have no parts. */
CRD_API int crd_classifier_component(const crd_classifier *classifier, size_t attribute, size_t class_index,
                                     size_t index, crd_density_component *component);

/* The margin for ties. Two classes tie if their log posteriors differ by at most this amount, which covers the rounding
 * errors of sums with many terms. */
#define CRD_TIE_MARGIN 1e-12

/* Posteriors of the rows of a frame. The caller keeps and reuses the object, one per thread. */
typedef struct crd_posteriors crd_posteriors;
/* Creates an empty object for posteriors in *out. Destroy it with crd_posteriors_destroy. */
CRD_API CRD_MUST_USE crd_status crd_posteriors_create(crd_context *context, crd_posteriors **out, crd_error *error);
/* Frees the object. `posteriors` may be NULL. */
CRD_API void crd_posteriors_destroy(crd_posteriors *posteriors);

/* Classifies all rows of a frame and stores the results in `posteriors`. Columns are matched by name: extra columns are
 * ignored, absent ones are missing. The results are bit-identical to row-by-row calls. */
CRD_API CRD_MUST_USE crd_status crd_classifier_classify(const crd_classifier *classifier, const crd_frame *frame,
                                                        crd_posteriors *posteriors, crd_error *error);
/* Returns how many rows a frame may have, at least 1, so that its posteriors need only a few megabytes. Pass the result
 * to crd_reader_set_frame_rows if there may be very many classes. */
CRD_API size_t crd_posteriors_frame_rows(size_t classes);
/* Returns the number of rows that were classified. */
CRD_API size_t crd_posteriors_rows(const crd_posteriors *posteriors);
/* Returns the log posteriors of a row, one per class. They are valid until the next classification. */
CRD_API const double *crd_posteriors_log(const crd_posteriors *posteriors, size_t row);
/* Returns the probabilities of a row, one per class, as crd_classifier_posterior computes them. */
CRD_API const double *crd_posteriors_probabilities(const crd_posteriors *posteriors, size_t row);
/* Returns the prediction for a row, which is valid until the next classification. */
CRD_API const crd_answer *crd_posteriors_answer(const crd_posteriors *posteriors, size_t row);

/* Logs a warning that names the categorical columns whose values did not occur in training, as far as the reader has
 * read them. Such columns are often spelled differently. `rows` is the number of rows that were read: one row does not
 * cause a warning. Nothing is logged if a group of processes shares the rows. crd_assessment_run also calls this
 * function. Experimental. */
CRD_API void crd_classifier_warn_unseen(const crd_classifier *classifier, const crd_reader *reader, uint64_t rows);

/* Classifies rows of numbers in memory on several threads. The columns of `rows` are the attributes in their order; its
 * classes, weights and threads are ignored. Categorical attributes can only be missing. The results are bit-identical to
 * row-by-row calls for any number of threads. A value that crd_classifier_posterior would reject is an error; the first
 * one in the first such row is reported. The error's line is the row number and its field is the attribute number, both
 * counted from 1. On failure the content of the arrays is undefined. */
CRD_API CRD_MUST_USE crd_status crd_classifier_classify_rows(const crd_classifier *classifier, const crd_rows *rows,
                                                             const crd_results *results, crd_error *error);

/* ---- Terms: log posterior = log prior + one term per attribute - log evidence ---- */

/* Computes the prior term of a class. */
CRD_API CRD_MUST_USE crd_status crd_classifier_prior(const crd_classifier *classifier, size_t class_index,
                                                     crd_term *term, crd_error *error);

/* ---- Joint densities: one term for several attributes together, added after the terms of single attributes ---- */

/* A joint density of several attributes. Initialize it with CRD_JOINT_INIT. A Bayesian network is a joint density of
 * all attributes that are its nodes. Its term is the log ratio of a class's posterior given all values to its prior in
 * the network, up to a constant. */

typedef struct crd_joint {
    size_t size;
    const char *name;       /* "normal" */
    const char *summary;    /* one line of description */
    size_t attribute_count; /* number of attributes that it covers */
    char description[256];  /* one line about what was estimated and how; may be empty */
    double rows;            /* number or total weight of the rows that it was estimated from; 0: unknown */
    double incomplete_rows; /* number of these rows that lack a value of the attributes */
} crd_joint;

#define CRD_JOINT_INIT                                                                                                 \
    { sizeof(crd_joint), NULL, NULL, 0, {0}, 0, 0 }

/* Returns the number of joint densities. */
CRD_API size_t crd_classifier_joint_count(const crd_classifier *classifier);
/* Writes a description of a joint density to *out. */
CRD_API CRD_MUST_USE crd_status crd_classifier_joint(const crd_classifier *classifier, size_t joint, crd_joint *out,
                                                     crd_error *error);
/* Writes the attributes that a joint density covers to `out`, ordered by the bytes of their names. `out` must have
 * space for all of them: see crd_joint.attribute_count. */
CRD_API CRD_MUST_USE crd_status crd_classifier_joint_attributes(const crd_classifier *classifier, size_t joint,
                                                                size_t *out, crd_error *error);
/* Computes the term of a joint density for each class, given a row. These are exactly the terms that the posterior
 * sums. `log_values` must have space for every class. */
CRD_API CRD_MUST_USE crd_status crd_classifier_joint_terms(const crd_classifier *classifier, size_t joint,
                                                           const crd_value *values, double *log_values,
                                                           crd_error *error);
/* Returns non-zero if a joint density, pairs or ensemble members cover an attribute instead of its own density. */
CRD_API int crd_classifier_is_joint(const crd_classifier *classifier, size_t attribute);
/* Returns the exponent (attribute weight) of an attribute's density. It is 1 unless the settings specify fitted
 * weights. */
CRD_API double crd_classifier_attribute_weight(const crd_classifier *classifier, size_t attribute);

/* ---- Pairs: the method pairs is a pairwise log-linear model. Each attribute and each pair of attributes has a term
 * with a fitted exponent, added after the terms of single attributes. ---- */

/* A pair of attributes in the method pairs. Initialize it with CRD_PAIR_INIT. */
typedef struct crd_pair {
    size_t size;
    size_t attributes[2]; /* twice the same attribute: a term of this attribute only */
    double exponent;      /* the exponent of its term; 0: the term is not used */
} crd_pair;

#define CRD_PAIR_INIT                                                                                                  \
    { sizeof(crd_pair), {0, 0}, 0 }

/* Returns the number of pairs. Single attributes come first. Returns 0 for all methods other than pairs. */
CRD_API size_t crd_classifier_pair_count(const crd_classifier *classifier);
/* Writes a pair of the method pairs to *out. */
CRD_API CRD_MUST_USE crd_status crd_classifier_pair(const crd_classifier *classifier, size_t pair, crd_pair *out,
                                                    crd_error *error);
/* Computes the terms of all pairs for each class, given a row: pairs x classes values. They include the exponents and
 * are exactly the terms that the posterior sums. */
CRD_API CRD_MUST_USE crd_status crd_classifier_pair_terms(const crd_classifier *classifier, const crd_value *values,
                                                          double *log_values, crd_error *error);

/* ---- Members: the classifiers of an ensemble, whose posteriors are pooled ---- */

/* A member of an ensemble. Initialize it with CRD_ENSEMBLE_MEMBER_INIT. */
typedef struct crd_ensemble_member {
    size_t size;
    const crd_classifier *classifier; /* valid as long as the ensemble */
    double weight;
} crd_ensemble_member;

#define CRD_ENSEMBLE_MEMBER_INIT                                                                                       \
    { sizeof(crd_ensemble_member), NULL, 0 }

/* Returns the number of ensemble members. Returns 0 if the classifier is not an ensemble. */
CRD_API size_t crd_classifier_member_count(const crd_classifier *classifier);
/* Writes a member of the ensemble, with its weight, to *out. */
CRD_API CRD_MUST_USE crd_status crd_classifier_member(const crd_classifier *classifier, size_t member,
                                                      crd_ensemble_member *out, crd_error *error);
/* Returns the rule that pools the members' posteriors, or NULL if there are no members:
 *   "average"  the weighted mean of probabilities
 *   "gibbs"    one member, drawn by weight for each row
 *   "product"  the product of probabilities to the power of the weights, times a factor per class
 *   "vote"     e to the power of the summed weights of the members that predict a class */
CRD_API const char *crd_classifier_ensemble_rule(const crd_classifier *classifier);
/* Returns the logarithm of a class's factor. Returns 0 if the pooling rule has no factors. */
CRD_API double crd_classifier_ensemble_factor(const crd_classifier *classifier, size_t class_index);
/* Computes the log posteriors of each member for a row: members x classes values, with the classes of this classifier.
 * If a row is impossible for a member, all of its log posteriors are -INFINITY, and the member is ignored. */
CRD_API CRD_MUST_USE crd_status crd_classifier_member_posteriors(const crd_classifier *classifier,
                                                                 const crd_value *values, double *log_posteriors,
                                                                 crd_error *error);

/* ---- Calibration: the last step, which replaces the computed probabilities ---- */

/* A calibration. Initialize it with CRD_CALIBRATION_INIT. */
typedef struct crd_calibration {
    size_t size;
    /* "isotonic", "platt" or "known-words"; isotonic calibration becomes "platt" if there are too few rows. */
    const char *rule;
    double slope; /* for platt: the factor of log probabilities */
} crd_calibration;

#define CRD_CALIBRATION_INIT                                                                                           \
    { sizeof(crd_calibration), NULL, 1 }

/* Writes the calibration to *out. Returns 0 if the classifier is not calibrated. */
CRD_API int crd_classifier_calibration(const crd_classifier *classifier, crd_calibration *out);
/* Writes one point of the calibration of a class. For isotonic calibration, point `index` of the class's curve maps the
 * probability *uncalibrated to *calibrated. For platt, index 0 sets *calibrated to the logarithm of the class's
 * factor. Returns 0 after the last point. */
CRD_API int crd_classifier_calibration_point(const crd_classifier *classifier, size_t class_index, size_t index,
                                             double *uncalibrated, double *calibrated);
/* Computes log posteriors and probabilities of a row before calibration: see crd_classifier_posterior. */
CRD_API CRD_MUST_USE crd_status crd_classifier_uncalibrated(const crd_classifier *classifier, const crd_value *values,
                                                            double *log_posterior, double *probabilities,
                                                            crd_answer *answer, crd_error *error);

/* The number of estimated parameters of one type. `what` is "class probabilities", "conditional probabilities", "means"
 * or "deviations". */
typedef struct crd_estimate {
    const char *what;
    uint64_t count;
} crd_estimate;
/* Counts the estimated parameters by type. Writes at most `capacity` items to `out` and returns the number of items.
 * Parameters of attributes that a joint density or pairs cover are not included. For an ensemble, the counts are sums
 * over its members. */
CRD_API size_t crd_classifier_estimates(const crd_classifier *classifier, crd_estimate *out, size_t capacity);

/* A point where the decision changes. */
typedef struct crd_cut_point {
    double at;
    uint32_t below, above; /* the predicted classes on either side */
} crd_cut_point;
/* Computes the decision boundaries of one numeric attribute: every point where the decision by this attribute and the
 * priors changes, in ascending order. Writes at most `capacity` points to `out` and their number to *count. Supports
 * only the family gaussian; returns CRD_ERROR_COLUMN for other families. */
CRD_API CRD_MUST_USE crd_status crd_classifier_cut_points(const crd_classifier *classifier, size_t attribute,
                                                          crd_cut_point *out, size_t capacity, size_t *count,
                                                          crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
