/* SPDX-License-Identifier: MIT */
/* classifier_internal.h - the parts of a classifier: log priors, a density per attribute, and the scorer that
 * computes log posteriors from them.
 *
 * Contents:
 *   1. Scorers
 *   2. Family comparison
 *   3. Classifiers
 *   4. Class prior */
#ifndef CRD_CLASSIFY_CLASSIFIER_INTERNAL_H
#define CRD_CLASSIFY_CLASSIFIER_INTERNAL_H

#include "base/dictionary.h"
#include "density/univariate/family.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "settings/settings_internal.h"

#include <credence/classifier.h>
#include <credence/network.h>

/* ======== 1. Scorers ========
 *
 * A scorer computes the log posteriors of the classes from the values of a row. Each scorer is one table of functions
 * in its own file:
 *
 *   naive       classify/naive_scorer.c          log prior + one weighted log density per attribute
 *   joint       classify/joint_scorer.c          joint densities of some attributes, single densities of the others
 *   AODE        classify/aode_scorer.c           averaged one-dependence estimators over all attributes
 *   network     network_model/network_scorer.c   a Bayesian network, with exact inference for each row
 *   pairwise    fit/pairwise_scorer.c            log-linear in attributes and pairs, with fitted weights
 *   calibrated  fit/calibration.c                another scorer with calibrated probabilities
 *   known words fit/word_weights.c               another scorer, less certain of texts with unseen words
 *   trees       ensemble/tree_scorer.c           randomized decision trees, averaged over their prunings
 *   ensemble    ensemble/ensemble_scorer.c       other classifiers, whose predictions are combined
 *
 * methods/method_table.c maps each method to its scorer. */

/* One value of a row, converted for the densities. */
typedef struct crd_i_one_cell {
    bool is_present, is_unseen;
    double number;
    int32_t code;
    crd_text text;          /* the text of a text attribute; bytes NULL: missing */
    bool is_bag;            /* `text` is a bag of terms in the format of text/tokens.h */
    crd_i_terms_read terms; /* for a text that was read: its distinct terms */
    const double *logs;     /* for a text that was read: log P(text | class) of each class */
} crd_i_one_cell;

#define CRD_I_MISSING_CELL                                                                                             \
    (crd_i_one_cell) {                                                                                                 \
        .code = CRD_I_CODE_MISSING                                                                                     \
    }

/* Returns a column of one row that points to the value. The value must outlive the column. */
static inline crd_i_cells crd_i_cells_of(const crd_i_one_cell *cell) {
    const crd_i_cells cells = {.rows = 1,
                               .numbers = &cell->number,
                               .codes = &cell->code,
                               .texts = &cell->text,
                               .are_bags = cell->is_bag,
                               .text_logs = cell->logs};
    return cells;
}

typedef struct crd_i_scorer crd_i_scorer;

/* A row to be scored: one value for each attribute of the classifier, and scratch space. */
typedef struct crd_i_scored_row {
    const crd_classifier *classifier;
    const crd_i_one_cell *cells;
    double *scratch; /* scorer->scratch doubles */
} crd_i_scored_row;

typedef struct crd_i_joint_block crd_i_joint_block;

/* Functions of scorers with joint densities, which replace the single densities of their attributes. A network is one
 * joint density. */
typedef struct crd_i_scorer_joints {
    size_t (*count)(const crd_i_scorer *scorer);
    void (*describe)(const crd_i_scorer *scorer, const crd_classifier *classifier, size_t joint, crd_joint *out);
    /* Writes the attributes that the joint density covers to `out`, which must hold out->attribute_count of them. */
    crd_status (*attributes)(const crd_i_scorer *scorer, const crd_classifier *classifier, size_t joint, size_t *out,
                             crd_error *error);
    /* Adds the term of the joint density to the sum of each class. */
    crd_status (*add)(const crd_i_scorer *scorer, const crd_i_scored_row *row, size_t joint, double *sums,
                      crd_error *error);
    /* Returns the density and its attributes. The function pointer is NULL if the joint density is a network or the
     * base of trees. */
    const crd_i_joint_block *(*block)(const crd_i_scorer *scorer, size_t joint);
    /* Returns the network. The function pointer is NULL if the scorer does not use a network. */
    const crd_network *(*network)(const crd_i_scorer *scorer);
    /* Adds the parameters of trees in the format of docs/export.md. Returns false if memory runs out. The function
     * pointer is NULL if the scorer does not use trees. */
    bool (*tree_parameters)(const crd_i_scorer *scorer, crd_i_parameter_list *list);
} crd_i_scorer_joints;

/* Functions of scorers that sum weighted terms of attributes and pairs of attributes. */
typedef struct crd_i_scorer_pairs {
    size_t (*count)(const crd_i_scorer *scorer);
    void (*describe)(const crd_i_scorer *scorer, size_t pair, crd_pair *out);
    /* Computes the weighted terms as a matrix, pairs x classes. */
    void (*terms)(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *terms);
    /* Returns the AODE density that the terms come from. The function pointer is NULL if they come from trees. */
    const crd_i_joint_block *(*block)(const crd_i_scorer *scorer);
} crd_i_scorer_pairs;

/* Functions of ensembles, which combine the predictions of several classifiers. */
typedef struct crd_i_scorer_members {
    size_t (*count)(const crd_i_scorer *scorer);
    void (*describe)(const crd_i_scorer *scorer, size_t member, crd_ensemble_member *out);
    const char *(*rule)(const crd_i_scorer *scorer);
    double (*log_factor)(const crd_i_scorer *scorer, size_t class_index);
    /* Computes the log posteriors of each member, members x classes. A class that a member does not have gets
     * -INFINITY. */
    crd_status (*posteriors)(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posteriors,
                             crd_error *error);
    /* Adds the numbers of estimated parameters of all members. Returns false if memory runs out. */
    bool (*estimates)(const crd_i_scorer *scorer, crd_i_estimates *target_estimates);
} crd_i_scorer_members;

/* Functions of scorers that correct the probabilities of another scorer. */
typedef struct crd_i_scorer_correction {
    const crd_i_scorer *(*of)(const crd_i_scorer *scorer);
    void (*apply)(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior, double *probabilities,
                  crd_answer *answer);
    void (*describe)(const crd_i_scorer *scorer, crd_calibration *out);
    /* Adds the parameters of the correction in the format of docs/export.md. Returns false if memory runs out. */
    bool (*list_parameters)(const crd_i_scorer *scorer, crd_i_parameter_list *parameter);
    /* Returns one point of the correction, like crd_classifier_calibration_point. */
    bool (*point)(const crd_i_scorer *scorer, size_t class_index, size_t index, double *source, double *destination);
} crd_i_scorer_correction;

typedef struct crd_i_scorer_type {
    const char *name;

    /* Computes the log posteriors, the probabilities (NULL: not needed) and the answer. Threads may call it at the same
     * time. Only networks fail, if inference needs too much memory. */
    crd_status (*score)(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                        double *probabilities, crd_answer *answer, crd_error *error);
    /* Destroys the scorer, also if it was only partly created. */
    void (*destroy)(crd_i_scorer *scorer);

    /* True if log posteriors are sums of the log prior and log densities of single attributes, all with weight 1.
     * Blocks of rows are then scored column by column (posteriors.h), and operations that require naive Bayes are
     * supported. */
    bool is_naive;

    /* The following members are optional. `weight` returns the weight of an attribute's own density; NULL: all weights
     * are 1. */
    double (*weight)(const crd_i_scorer *scorer, size_t attribute);
    const crd_i_scorer_joints *joints;
    const crd_i_scorer_pairs *pairs;
    const crd_i_scorer_members *members;
    const crd_i_scorer_correction *correction;
} crd_i_scorer_type;

/* The first member of each scorer's struct. */
struct crd_i_scorer {
    const crd_i_scorer_type *type;
    crd_context *context;
    size_t scratch;     /* scratch space for scoring a row, in doubles */
    bool is_generative; /* the sums are log P(class, values), so their log-sum-exp is the log evidence of the row */
};

void crd_i_scorer_destroy(crd_i_scorer *scorer); /* NULL is allowed */

/* Returns the scorer whose probabilities this scorer corrects; `scorer` if it is not a correction. */
const crd_i_scorer *crd_i_scorer_uncorrected(const crd_i_scorer *scorer);
/* Returns the weight of an attribute's own density. */
double crd_i_scorer_weight(const crd_i_scorer *scorer, size_t attribute);

/* ======== 2. Family comparison ========
 *
 * The families tried for a numeric column, and the chosen one: see fit/fit_internal.h. */

typedef struct crd_i_candidate {
    const crd_i_family *family;
    char left_out[120]; /* why it was not considered; "" if it was */
    bool is_chosen;
    double score, standard_error; /* mean score of the held-out rows, and its standard error */
} crd_i_candidate;

/* All numeric families, in the order of their table. It is a single allocation; free it with crd_free. */
typedef struct crd_i_comparison {
    crd_context *context;
    size_t count;
    const crd_i_family *chosen;
    crd_i_candidate each[];
} crd_i_comparison;

/* ======== 3. Classifiers ======== */

typedef struct crd_i_attribute {
    crd_text name;
    crd_column_type type;
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

/* ======== 4. Class prior ======== */

/* Computes the prior terms of all classes. `counts` are the rows of each class. */
CRD_MUST_USE crd_status crd_i_prior_derive(const crd_settings *settings, const crd_i_dictionary *classes,
                                           const double *counts, crd_term *priors, crd_error *error);

/* Computes the prior term of one class with `count` of `total` rows, unless priors are specified. */
void crd_i_prior_fill(const crd_settings *settings, double count, double total, size_t class_count, crd_term *prior);

#endif
