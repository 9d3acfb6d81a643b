/* SPDX-License-Identifier: MIT */
/* credence/explain.h - explanations of predictions: weights of evidence, counterfactuals, expected information gain,
 * differences between classes, and dependence of attributes within classes.
 *
 *   weights of evidence  two classes   -->  how much a term adds to the log odds of one class against the other
 *   counterfactuals      a row         -->  the smallest changes of single values that change the prediction
 *   information gain     a row         -->  the information about the class to be expected from each missing value
 *   class contrast       a class       -->  how an attribute differs between the class and all other classes
 *   dependence           labeled rows  -->  the pairs of attributes that are dependent given the class
 *
 * Counterfactuals and information gains use only the posteriors of the classifier, so they work for every method. */
#ifndef CREDENCE_EXPLAIN_H
#define CREDENCE_EXPLAIN_H

#ifndef CRD_EXPERIMENTAL
#error "credence/explain.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/decide.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Weights of evidence ---- */

/* Returns the weight of evidence: the amount that a term adds to the log odds of class a against class b, log P(x | a)
 * - log P(x | b), in nats (Good 1950). `log_a` and `log_b` are the two logarithms. Returns 0 if the difference is
 * within the rounding error of equal logarithms, and NaN if both are -INFINITY. */
CRD_API double crd_weight_of_evidence(double log_a, double log_b);
/* Rounds a sum of weights of evidence to 0 if it is within the rounding error of its terms; otherwise returns it
 * unchanged. `scale` is the sum, over the weights, of the maximum of |log_a|, |log_b| and 1. */
CRD_API double crd_weight_settle(double sum, double scale);

/* ---- Counterfactuals and information gain ---- */

/* Data of a model and a classifier for counterfactuals and information gains. It is immutable, and threads may share
 * it. */
typedef struct crd_what_if crd_what_if;

/* Creates the object in *out for a model and a classifier of that model. The classifier must outlive it. It keeps no
 * reference to the model. Destroy it with crd_what_if_destroy. */
CRD_API CRD_MUST_USE crd_status crd_what_if_create(const crd_model *model, const crd_classifier *classifier,
                                                   crd_what_if **out, crd_error *error);
/* Frees the object. NULL is allowed. */
CRD_API void crd_what_if_destroy(crd_what_if *what_if);

/* A counterfactual explanation: another value of one attribute with which the decision changes (Wachter, Mittelstadt
 * and Russell 2018). Initialize it with CRD_COUNTERFACTUAL_INIT. */
typedef struct crd_counterfactual {
    size_t size; /* in an array, the size of the first item applies to all items */
    size_t attribute;
    crd_value value; /* a text lives as long as the crd_what_if object */
    /* Distance from the row's value. For a number: in standard deviations over all learned rows. For a category, whose
     * values are all equally far apart: sqrt(2 / (1 - sum of p^2)), where p are the relative frequencies of the values.
     * Then the root mean square distance of two random rows is sqrt(2), as for numbers. An attribute with two values
     * has the same distance either way. */
    double deviations;
    int32_t decision; /* the class that is predicted with the new value or, with a rule, the action */
    /* Posterior, with the new value, of the predicted class or of the class with the action's name; NaN if the action
     * is not a class. */
    double probability;
} crd_counterfactual;

#define CRD_COUNTERFACTUAL_INIT                                                                                        \
    { sizeof(crd_counterfactual), 0, {CRD_TYPE_NONE, 0, {NULL, 0}}, 0, -1, 0 }

/* Changes of numbers are searched up to this many standard deviations away. */
#define CRD_WHAT_IF_FARTHEST 64

/* Number of values of a categorical attribute that are tried if the search is not thorough. */
#define CRD_WHAT_IF_VALUES 1000

/* Options and statistics of a search for counterfactuals. Initialize it with CRD_COUNTERFACTUAL_SEARCH_INIT. */
typedef struct crd_counterfactual_search {
    size_t size;
    const crd_rule *rule; /* the decision rule; NULL: the class with the largest posterior */
    /* Zero: if there are very many attributes, only those with the largest weight for the decision are tried. For a
     * categorical attribute, only the first CRD_WHAT_IF_VALUES values are tried. */
    int is_thorough;
    size_t looked_at; /* out: number of present values that were tried */
    size_t present;   /* out: number of present values in the row */
} crd_counterfactual_search;

#define CRD_COUNTERFACTUAL_SEARCH_INIT                                                                                 \
    { sizeof(crd_counterfactual_search), NULL, 0, 0, 0 }

/* Searches, for each attribute that is present in the row, the nearest other value that changes the decision. `values`
 * is the row. Writes the counterfactuals to `out`, which must have space for every attribute, and their number to *count.
 * The smallest change comes first; ties are ordered by larger probability, then by attribute. Writes none if the row
 * itself has no decision.
 *
 * - A number is exact to rounding: it changes the decision, and the adjacent number towards the row's value does not.
 *   For discrete families it is an integer. The search can miss an interval that is far narrower than the spread of the
 *   classes.
 * - A category is a value that occurred in training. If several change the decision, it is the one with the largest
 *   probability.
 * - Values that the classifier would ignore are not counterfactuals, and neither are values without a decision. */
CRD_API CRD_MUST_USE crd_status crd_what_if_counterfactuals(const crd_what_if *what_if, const crd_value *values,
                                                            crd_counterfactual_search *search, crd_counterfactual *out,
                                                            size_t *count, crd_error *error);

/* The expected information gain of a missing value X: its mutual information with the class C, given the present values
 * x (Lindley 1956). Initialize it with CRD_INFORMATION_GAIN_INIT.
 *
 *   I(C; X | x) = H(C | x) - sum over v of P(X = v | x) H(C | x, X = v) */
typedef struct crd_information_gain {
    size_t size; /* in an array, the size of the first item applies to all items */
    size_t attribute;
    double bits;
} crd_information_gain;

#define CRD_INFORMATION_GAIN_INIT                                                                                      \
    { sizeof(crd_information_gain), 0, 0 }

/* Options and statistics of a search for information gains. Initialize it with CRD_INFORMATION_GAIN_SEARCH_INIT. */
typedef struct crd_information_gain_search {
    size_t size;
    /* Zero: if very many values are missing, only the attributes with the largest gain in an otherwise empty row are
     * examined. For a categorical attribute, only the first CRD_WHAT_IF_VALUES values are used. */
    int is_thorough;
    size_t looked_at;   /* out: number of missing values that were examined */
    size_t missing;     /* out: number of missing values in the row */
    double uncertainty; /* out: the entropy of the posterior in bits, which no information gain exceeds */
} crd_information_gain_search;

#define CRD_INFORMATION_GAIN_SEARCH_INIT                                                                               \
    { sizeof(crd_information_gain_search), 0, 0, 0, 0 }

/* Computes the expected information gain of each missing value whose attribute has a density. `values` is the row.
 * Writes the gains to `out`, which must have space for every attribute, and their number to *count. The largest gain
 * comes first; ties are in the order of the attributes. The sums are exact for categories, and for discrete families
 * with few integers. For other numbers the gain is an average over quantiles of the class densities, accurate to about
 * 0.01 bits. If every class has probability 0, there are 0 gains and the uncertainty is NaN. */
CRD_API CRD_MUST_USE crd_status crd_what_if_information_gain(const crd_what_if *what_if, const crd_value *values,
                                                             crd_information_gain_search *search,
                                                             crd_information_gain *out, size_t *count,
                                                             crd_error *error);

/* ---- One class compared with all others ---- */

/* The difference of an attribute between a class and all other classes, computed from a model's statistics. Initialize
 * it with CRD_CLASS_CONTRAST_INIT. */
typedef struct crd_class_contrast {
    size_t size;
    /* Kullback-Leibler divergence of the class from the rest, in nats. It is computed for normal densities, or for
     * categories with one pseudo-count spread over the values. It is 0 if the class or the rest has no values. */
    double divergence;
    /* For numeric attributes: the means, and their difference divided by the standard deviation of all rows. NaN if
     * they cannot be computed. */
    double mean, others_mean, standardized_difference;
    /* For categorical attributes: the value with the largest term in the divergence, and its relative frequencies in
     * the class and in the rest. SIZE_MAX and NaN if the class or the rest has no values. */
    size_t value;
    double frequency, others_frequency;
} crd_class_contrast;

#define CRD_CLASS_CONTRAST_INIT                                                                                        \
    { sizeof(crd_class_contrast), 0, 0, 0, 0, 0, 0, 0 }

/* Computes how an attribute differs between a class and all other classes, and writes the result to *out.
 * CRD_ERROR_ARGUMENT: the attribute or the class does not exist. */
CRD_API CRD_MUST_USE crd_status crd_summary_contrast(const crd_summary *summary, size_t attribute, size_t class_index,
                                                     crd_class_contrast *out, crd_error *error);

/* ---- Dependence within classes ---- */

/* Joint sums of pairs of attributes within each class, from which their dependence is computed. */
typedef struct crd_dependence crd_dependence;

/* The maximum number of attributes that are paired. If there are more, the attributes with the largest mutual
 * information with the class are chosen. */
#define CRD_DEPENDENCE_COLUMNS 64

/* Creates an empty object in *out for the attributes and classes of a model. It keeps no reference to the model.
 * Destroy it with crd_dependence_destroy. */
CRD_API CRD_MUST_USE crd_status crd_dependence_create(const crd_model *model, crd_dependence **out, crd_error *error);
/* Frees the object. NULL is allowed. */
CRD_API void crd_dependence_destroy(crd_dependence *dependence);

/* Adds the labeled rows of a frame, which are read as the model would learn them. Values that the model has never seen
 * are missing, and rows with unknown classes are skipped. A call that fails changes nothing. */
CRD_API CRD_MUST_USE crd_status crd_dependence_add(crd_dependence *dependence, const crd_frame *frame,
                                                   crd_error *error);
/* Adds all rows of a reader that is bound to the model with crd_model_bind_to_learn. If it fails, some rows may already
 * have been added. */
CRD_API CRD_MUST_USE crd_status crd_dependence_read(crd_dependence *dependence, crd_reader *reader, crd_error *error);

/* Counts of a dependence computation. Initialize it with CRD_DEPENDENCE_FACTS_INIT. */
typedef struct crd_dependence_facts {
    size_t size;
    double rows;                /* total weight of the added rows */
    size_t attributes, columns; /* attributes with at least one value, and how many of them are paired */
    size_t pairs;               /* number of pairs that were measured */
    size_t left_out; /* pairs of categorical attributes that were skipped because they have too many values */
} crd_dependence_facts;

#define CRD_DEPENDENCE_FACTS_INIT                                                                                      \
    { sizeof(crd_dependence_facts), 0, 0, 0, 0, 0 }

/* Writes the counts to *out. */
CRD_API void crd_dependence_facts_of(const crd_dependence *dependence, crd_dependence_facts *out);

/* The dependence of two attributes given the class. Initialize it with CRD_DEPENDENT_PAIR_INIT. */
typedef struct crd_dependent_pair {
    size_t size; /* in an array, the size of the first item applies to all items */
    size_t attributes[2];
    /* Mutual information per row given the class, minus its expectation under independence. For two numeric attributes
     * it is at most 11.6; then one attribute is a function of the other. */
    double bits;
    double rows;      /* number of rows with values in both attributes */
    double statistic; /* likelihood-ratio statistic: twice the gain in log likelihood of a joint density, in nats */
    double degrees;   /* degrees of freedom: the number of additional parameters of the joint density */
    int matters;      /* non-zero if the dependence is significant and large: see crd_dependence_pairs */
} crd_dependent_pair;

#define CRD_DEPENDENT_PAIR_INIT                                                                                        \
    { sizeof(crd_dependent_pair), {0, 0}, 0, 0, 0, 0, 0 }

/* The smallest expected gain in bits per row that matters. A smaller gain hardly changes predictions. */
#define CRD_DEPENDENCE_LEAST 0.01

/* Computes the dependence of all measured pairs. Writes at most `room` pairs to `out` and sets *count to the number of
 * all pairs. Pairs that matter come first, then pairs are ordered by bits, largest first; ties are in the order of the
 * attributes. The mutual information within each class is computed for
 *
 * - two categorical attributes: from their contingency table;
 * - two numeric attributes: as -1/2 log(1 - r^2), where r is their correlation;
 * - one of each: as -1/2 log(1 - e^2), where e^2 is the share of the number's variance between categories with more
 *   than one row.
 *
 * A pair matters under two conditions. It must be significant: the chi-squared test of the likelihood ratio at level
 * 0.01, with Bonferroni's correction for the number of pairs. And a joint density must be expected to gain at least
 * CRD_DEPENDENCE_LEAST bits per row on new rows: (statistic - 2 degrees) / (2 rows), converted to bits (Akaike
 * 1974). */
CRD_API CRD_MUST_USE crd_status crd_dependence_pairs(const crd_dependence *dependence, crd_dependent_pair *out,
                                                     size_t room, size_t *count, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
