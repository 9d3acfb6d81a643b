/* SPDX-License-Identifier: MIT */
/* scorer.h - how a classifier scores a row: from its cells to the log posterior of each class.
 *
 * One table of functions for each way of scoring, in a file of its own:
 *
 *   naive      classify/naive_scorer.c          log prior + one log density an attribute, each with a weight
 *   joint      classify/joint_scorer.c          joint densities of some attributes beside the others' own
 *   AODE       classify/aode_scorer.c           averaged one-dependence estimators over all attributes
 *   network    network_model/network_scorer.c   a Bayesian network, exact inference row by row
 *   pairwise   fit/pairwise_scorer.c            log-linear in attributes and pairs, with fitted weights
 *   calibrated fit/calibrated_scorer.c          any other, its probabilities corrected
 *   known words fit/known_words_scorer.c        any other, less certain of texts that have unseen words
 *   ensemble   ensemble/ensemble_scorer.c       other classifiers, whose answers are pooled
 *
 * Which method has which is in methods/method_table.c. */
#ifndef CRD_CLASSIFY_SCORER_H
#define CRD_CLASSIFY_SCORER_H

#include "density/univariate/family.h"
#include "model/frame_binding.h"

#include <credence/classifier.h>
#include <credence/network.h>

/* One cell as densities take it. */
typedef struct crd_i_one_cell {
    bool is_present, is_unseen;
    double number;
    int32_t code;
    crd_text text;          /* of a text; bytes NULL: there is none */
    bool is_bag;            /* the text is a bag of terms, as text/bag.h writes them */
    crd_i_terms_read terms; /* of a text that was read: its distinct terms */
    const double *logs;     /* likewise: log P(text | class) of each class */
} crd_i_one_cell;

#define CRD_I_MISSING_CELL                                                                                             \
    (crd_i_one_cell) {                                                                                                 \
        .code = CRD_I_CODE_MISSING                                                                                     \
    }

/* A column of one row that has the cell; the cell must outlive it. */
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

/* A row that was asked for: its cells, one for each attribute of the classifier, and what scoring works in. */
typedef struct crd_i_scored_row {
    const crd_classifier *classifier;
    const crd_i_one_cell *cells;
    double *scratch; /* scorer->scratch doubles */
} crd_i_scored_row;

typedef struct crd_i_joint_block crd_i_joint_block;

/* Joint densities that a score has terms of, in the place of their attributes' own. A network is one of them. */
typedef struct crd_i_scorer_joints {
    size_t (*count)(const crd_i_scorer *scorer);
    void (*describe)(const crd_i_scorer *scorer, const crd_classifier *classifier, size_t joint, crd_joint *out);
    /* The attributes that it covers, out->attribute_count of them. */
    crd_status (*attributes)(const crd_i_scorer *scorer, const crd_classifier *classifier, size_t joint, size_t *out,
                             crd_error *error);
    /* Adds its term to the sum of each class. */
    crd_status (*add)(const crd_i_scorer *scorer, const crd_i_scored_row *row, size_t joint, double *sums,
                      crd_error *error);
    /* The density and its attributes; NULL in the place of the function: it is a network. */
    const crd_i_joint_block *(*block)(const crd_i_scorer *scorer, size_t joint);
    /* The network; NULL in the place of the function: there is none. */
    const crd_network *(*network)(const crd_i_scorer *scorer);
} crd_i_scorer_joints;

/* Terms of attributes and of pairs of them, each with a weight. */
typedef struct crd_i_scorer_pairs {
    size_t (*count)(const crd_i_scorer *scorer);
    void (*describe)(const crd_i_scorer *scorer, size_t pair, crd_pair *out);
    /* The weighted terms, pairs x classes. */
    void (*terms)(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *terms);
    /* The AODE whose terms these are. */
    const crd_i_joint_block *(*block)(const crd_i_scorer *scorer);
} crd_i_scorer_pairs;

/* Classifiers whose answers are pooled. */
typedef struct crd_i_scorer_members {
    size_t (*count)(const crd_i_scorer *scorer);
    void (*describe)(const crd_i_scorer *scorer, size_t member, crd_ensemble_member *out);
    const char *(*rule)(const crd_i_scorer *scorer);
    double (*log_factor)(const crd_i_scorer *scorer, size_t class_index);
    /* Members x classes; classes that a member cannot answer for are at -INFINITY. */
    crd_status (*posteriors)(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posteriors,
                             crd_error *error);
    /* Adds what all members have estimated. false: out of memory. */
    bool (*estimates)(const crd_i_scorer *scorer, crd_i_estimates *target_estimates);
} crd_i_scorer_members;

/* A correction of another scorer's probabilities. */
typedef struct crd_i_scorer_correction {
    const crd_i_scorer *(*of)(const crd_i_scorer *scorer);
    void (*apply)(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior, double *probabilities,
                  crd_answer *answer);
    void (*describe)(const crd_i_scorer *scorer, crd_calibration *out);
    /* Adds what it is computed from, as docs/export.md has it. false: out of memory. */
    bool (*list_parameters)(const crd_i_scorer *scorer, crd_i_parameter_list *parameter);
    /* As crd_classifier_calibration_point. */
    bool (*point)(const crd_i_scorer *scorer, size_t class_index, size_t index, double *source, double *destination);
} crd_i_scorer_correction;

typedef struct crd_i_scorer_type {
    const char *name;

    /* Log posteriors, probabilities (NULL: not needed) and the answer. For any thread; only networks fail, where an
     * answer would take too much memory. */
    crd_status (*score)(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                        double *probabilities, crd_answer *answer, crd_error *error);
    /* Takes one that is half made, too. */
    void (*destroy)(crd_i_scorer *scorer);

    /* Log posteriors are sums of log prior and log densities of single attributes, all with weight 1: blocks of rows
     * are then scored column by column (row_block.h), and what needs naive Bayes alone can be asked. */
    bool is_naive;

    /* Each optional. The weight of an attribute's own density; without it, 1. */
    double (*weight)(const crd_i_scorer *scorer, size_t attribute);
    const crd_i_scorer_joints *joints;
    const crd_i_scorer_pairs *pairs;
    const crd_i_scorer_members *members;
    const crd_i_scorer_correction *correction;
} crd_i_scorer_type;

/* What every scorer begins with. */
struct crd_i_scorer {
    const crd_i_scorer_type *type;
    crd_context *context;
    size_t scratch;     /* doubles that scoring a row works in */
    bool is_generative; /* the sums are log P(class, cells): what they sum to is the row's evidence */
};

void crd_i_scorer_destroy(crd_i_scorer *scorer); /* NULL is fine */

/* The scorer whose probabilities this one corrects, or itself. */
const crd_i_scorer *crd_i_scorer_uncorrected(const crd_i_scorer *scorer);
/* The weight of an attribute's own density. */
double crd_i_scorer_weight(const crd_i_scorer *scorer, size_t attribute);

#endif
