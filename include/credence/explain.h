/* SPDX-License-Identifier: MIT */
/* credence/explain.h - weights of evidence, counterfactuals, expected information gain, and dependence of attributes
 * within classes.
 *
 *   weights      two classes    -->  what a term adds to the log odds of one against the other
 *   what-if      a row          -->  its counterfactuals: the smallest changes of a cell that change the decision; and the
 *                                    expected information gain of each missing cell
 *   dependence   labelled rows  -->  the pairs of attributes that depend on each other within a class
 *
 * A what-if uses posteriors of the classifier and nothing else, so that it holds for every kind of classifier. */
#ifndef CREDENCE_EXPLAIN_H
#define CREDENCE_EXPLAIN_H

#include <credence/decide.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Weights of evidence ---- */

/* What a term adds to the log odds of class a against class b, log P(x | a) - log P(x | b) in nats; 0 where that is no
 * more than what rounding can have left of equal logarithms, NaN where both are -INFINITY. */
CRD_API double crd_weight_of_evidence(double log_a, double log_b);
/* The same for a sum of weights: 0 where it is no more than their rounding. `scale` is the sum over them of the greater
 * of |log_a|, |log_b| and 1. */
CRD_API double crd_weight_settle(double sum, double scale);

/* ---- Counterfactuals and information gain ---- */

/* Immutable, shared by threads. */
typedef struct crd_what_if crd_what_if;

/* The classifier, which must outlive it, is one of the model, to which no reference is kept. */
CRD_API CRD_MUST_USE crd_status crd_what_if_create(const crd_model *model, const crd_classifier *classifier,
                                                   crd_what_if **out, crd_error *error);
CRD_API void crd_what_if_destroy(crd_what_if *what_if);

/* Another value of one cell under which the decision is another. */
typedef struct crd_counterfactual {
    size_t size; /* of an array: that of its first item is that of all */
    size_t attribute;
    crd_value value; /* a text lives as long as the what-if */
    /* How far away it is. Of a number: in units of its standard deviation over all rows learned. Of a category,
     * whose values are all as far apart: sqrt(2 / (1 - sum of p^2)), p the relative frequencies of its values. With
     * it two rows drawn at random differ by sqrt(2) in the root mean square, as they do in a number, and an
     * attribute of two values is the same either way. */
    double deviations;
    int32_t decision;   /* the class that is decided for then, or by a rule the action that is taken */
    double probability; /* the posterior then of the class decided for, or that the action is called as; else NaN */
} crd_counterfactual;

#define CRD_COUNTERFACTUAL_INIT                                                                                        \
    { sizeof(crd_counterfactual), 0, {CRD_KIND_NONE, 0, {NULL, 0}}, 0, -1, 0 }

/* Numbers are looked for up to so many deviations away. */
#define CRD_WHAT_IF_FARTHEST 64

#define CRD_WHAT_IF_VALUES 1000

/* How the search for changes goes. */
typedef struct crd_counterfactual_search {
    size_t size;
    const crd_rule *rule; /* decides; NULL: the greatest posterior does */
    int is_thorough;      /* 0: where there are very many attributes, only those that weigh most for the decision are
                           * tried, and of a category no more than its first CRD_WHAT_IF_VALUES values */
    size_t looked_at;     /* set: how many present cells were tried */
    size_t present;       /* set: of how many */
} crd_counterfactual_search;

#define CRD_COUNTERFACTUAL_SEARCH_INIT                                                                                 \
    { sizeof(crd_counterfactual_search), NULL, 0, 0, 0 }

/* For each attribute whose cell is present the nearest other value that changes the decision, smallest change first
 * (equal ones by the greater probability, then in the attributes' order); `out` has room for every attribute, and
 * *count is how many there are. A number is the nearest to within rounding of it, on either side: it changes the
 * decision, and its neighbour towards the row's value does not; a whole one where the family is one of whole
 * numbers. An interval that is far narrower than the classes' spread can be overlooked. A category is one that
 * training has seen; of several, that with the greatest probability. Values that would be left out do not count, and
 * neither does having no decision. Where the row itself has none, there are no changes. */
CRD_API CRD_MUST_USE crd_status crd_what_if_counterfactuals(const crd_what_if *what_if, const crd_value *values,
                                                            crd_counterfactual_search *search, crd_counterfactual *out,
                                                            size_t *count, crd_error *error);

/* The expected information gain of a missing cell: the mutual information of cell and class, given the cells that are
 * present. */
typedef struct crd_information_gain {
    size_t size; /* of an array: that of its first item is that of all */
    size_t attribute;
    double bits;
} crd_information_gain;

#define CRD_INFORMATION_GAIN_INIT                                                                                      \
    { sizeof(crd_information_gain), 0, 0 }

typedef struct crd_information_gain_search {
    size_t size;
    int is_thorough; /* 0: where very many cells are missing, only those of the greatest information gain when no other cell is known are
                       * looked at, and of categories only the first CRD_WHAT_IF_VALUES values */
    size_t looked_at;   /* set: how many missing cells were */
    size_t missing;     /* set: of how many */
    double uncertainty; /* set: the entropy of the posterior in bits, which no information gain exceeds */
} crd_information_gain_search;

#define CRD_INFORMATION_GAIN_SEARCH_INIT                                                                               \
    { sizeof(crd_information_gain_search), 0, 0, 0, 0 }

/* For each attribute with a density whose cell is missing, most first (equal ones in the attributes' order).
 * `out` has room for every attribute; *count is how many there are. Exact sums for categories, and for families of
 * whole numbers where these are few; for other numbers the mean over quantiles of the classes' densities, good to about
 * a hundredth of a bit. Where every class is at zero there is no gain, and the uncertainty is NaN. */
CRD_API CRD_MUST_USE crd_status crd_what_if_information_gain(const crd_what_if *what_if, const crd_value *values,
                                                             crd_information_gain_search *search,
                                                             crd_information_gain *out, size_t *count,
                                                             crd_error *error);

/* ---- Classes against the rest ---- */

/* How an attribute differs between a class and all others, by what a model has counted. */
typedef struct crd_class_contrast {
    size_t size;
    double divergence; /* Kullback-Leibler divergence of the class from the rest, in nats: of normal densities, or of
                        * categories with one pseudo-count spread over the values; 0 where nothing is known */
    /* Of numbers: means, and their difference over the standard deviation of all rows; NaN where there are none. */
    double mean, others_mean, standardized_difference;
    /* Of categories: the value that tells most for the class, by its part of the divergence, its number, and its relative
     * frequency in the class and in the rest; SIZE_MAX and NaN where there are no cells in the class, or in the rest. */
    size_t value;
    double frequency, others_frequency;
} crd_class_contrast;

#define CRD_CLASS_CONTRAST_INIT                                                                                        \
    { sizeof(crd_class_contrast), 0, 0, 0, 0, 0, 0, 0 }

CRD_API CRD_MUST_USE crd_status crd_summary_contrast(const crd_summary *summary, size_t attribute, size_t class_index,
                                                     crd_class_contrast *out, crd_error *error);

/* ---- Dependence within classes ---- */

typedef struct crd_dependence crd_dependence;

/* At most so many attributes are paired: those of the greatest mutual information with the class. */
#define CRD_DEPENDENCE_COLUMNS 64

/* Keeps no reference to the model. */
CRD_API CRD_MUST_USE crd_status crd_dependence_create(const crd_model *model, crd_dependence **out, crd_error *error);
CRD_API void crd_dependence_destroy(crd_dependence *dependence);

/* Rows with their classes, as the model would learn them. Values that the model has never seen are missing, and rows of
 * classes that it has never seen are left out. A failing call changes nothing. */
CRD_API CRD_MUST_USE crd_status crd_dependence_add(crd_dependence *dependence, const crd_frame *frame,
                                                   crd_error *error);
/* All rows of a reader that is bound to the model to learn; on failure some of them may have been added. */
CRD_API CRD_MUST_USE crd_status crd_dependence_read(crd_dependence *dependence, crd_reader *reader, crd_error *error);

typedef struct crd_dependence_facts {
    size_t size;
    double rows;                /* that were added, by their weight */
    size_t attributes, columns; /* how many have ever had a cell, and how many of them are paired */
    size_t pairs;               /* that were measured */
    size_t left_out;            /* pairs of categories with too many values to count them together */
} crd_dependence_facts;

#define CRD_DEPENDENCE_FACTS_INIT                                                                                      \
    { sizeof(crd_dependence_facts), 0, 0, 0, 0, 0 }

CRD_API void crd_dependence_facts_of(const crd_dependence *dependence, crd_dependence_facts *out);

/* Two attributes, the first of them first in the model. */
typedef struct crd_dependent_pair {
    size_t size; /* of an array: that of its first item is that of all */
    size_t attributes[2];
    double
        bits; /* a row: the mutual information given the class, less its expectation under independence. Two numbers have
                       * at most 11.6, which is where one follows from the other. */
    double rows;      /* that have both cells */
    double statistic; /* of the likelihood ratio: twice what a joint density gains in log likelihood, in nats */
    double degrees;   /* how many numbers more that density takes */
    int matters;      /* see below */
} crd_dependent_pair;

#define CRD_DEPENDENT_PAIR_INIT                                                                                        \
    { sizeof(crd_dependent_pair), {0, 0}, 0, 0, 0, 0, 0 }

/* What is less, in bits, does not change answers by much. */
#define CRD_DEPENDENCE_LEAST 0.01

/* The pairs that were measured: those that matter first, then by bits, most first (equal ones in the attributes'
 * order). Writes at most `room`; *count is how many there are. The mutual information within each class is that of
 *
 *   - two categories: their contingency table;
 *   - two numbers: -1/2 log(1 - r^2), r their correlation;
 *   - a number and a category: -1/2 log(1 - e^2), e^2 the share of the number's variance that lies between the
 *     categories, of those with more than one row.
 *
 * A pair matters where it is significant among so many (the chi-squared test of the likelihood ratio at the level 0.01,
 * divided by the number of pairs, after Bonferroni) and a joint density is expected to gain CRD_DEPENDENCE_LEAST bits a
 * row on rows that it has not seen: (statistic - 2 degrees) / 2 rows, in bits (Akaike 1974). */
CRD_API CRD_MUST_USE crd_status crd_dependence_pairs(const crd_dependence *dependence, crd_dependent_pair *out,
                                                     size_t room, size_t *count, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
