/* SPDX-License-Identifier: MIT */
/* joint_scorer.h - joint densities of blocks of attributes, combined with the single densities of the other
 * attributes:
 *
 *   log P(c | x) = log P(c) + sum over single attributes of w_i log p(x_i | c) + sum over blocks of log p(x_B | c)
 *                - log evidence
 *
 * Contents:
 *   1. Blocks and single attributes
 *   2. Blocks of attributes
 *   3. AODE
 *   4. Naive Bayes */
#ifndef CRD_CLASSIFY_JOINT_SCORER_H
#define CRD_CLASSIFY_JOINT_SCORER_H

#include "classify/classifier_internal.h"
#include "density/multivariate/joint_density.h"

/* ======== 1. Blocks and single attributes ======== */

/* Derives the blocks named in the classifier's settings. The scorer begins with a naive Bayes scorer whose weights
 * can be set. Returns CRD_ERROR_SETTING if the model does not store the statistics of a block. */
CRD_MUST_USE crd_status crd_i_joint_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                  const crd_i_schema_view *view, crd_error *error);

/* Returns whether these settings fit a joint density of numbers to rows. */
bool crd_i_joint_scorer_fits_rows(const crd_settings *settings);

/* ======== 2. Blocks of attributes ========
 *
 * A joint density of several attributes as part of a score, derived from their joint sufficient statistics in the
 * model. */

struct crd_i_joint_block {
    crd_i_joint *joint;
    size_t *attributes; /* for each column of the joint density: its attribute in the classifier */
};

/* Returns CRD_ERROR_SETTING, because `description`, such as "joint=numbers", needs a tally that the model does not
 * store. */
CRD_MUST_USE crd_status crd_i_joint_block_not_kept(const char *description, const char *tally, crd_error *error);

/* Derives the `number`-th joint density of a classifier and adds its estimates. Its attributes are scored jointly
 * from then on. If required and available, it is fitted to stored rows. Earlier fits are reused. */
CRD_MUST_USE crd_status crd_i_joint_block_derive(crd_classifier *classifier, const crd_model *model,
                                                 const crd_i_schema_view *schema_view,
                                                 const crd_i_model_joint_tally *kept, const crd_i_joint_type *type,
                                                 size_t number, crd_i_joint_block *out, crd_error *error);
void crd_i_joint_block_clear(crd_i_joint_block *block); /* accepts an all-zero block */

/* Return the scratch size in doubles for a row, and the row's values in the density's layout. */
size_t crd_i_joint_block_scratch(const crd_i_joint_block *block);
const crd_i_joint_cell *crd_i_joint_block_cells(const crd_i_joint_block *block, const crd_i_scored_row *row);
/* Adds the block's term to the sum of each class. */
void crd_i_joint_block_add(const crd_i_joint_block *block, const crd_i_scored_row *row, double *sums);

void crd_i_joint_block_describe(const crd_i_joint_block *block, crd_joint *out);
void crd_i_joint_block_attributes(const crd_i_joint_block *block, size_t *out);

/* ======== 3. AODE ========
 *
 * Averaged one-dependence estimators (Webb, Boughton and Wang 2005) over all attributes: see
 * density/multivariate/joint_density.h. */

/* Derives the scorer. Returns CRD_ERROR_SETTING if the model does not store pair counts. */
CRD_MUST_USE crd_status crd_i_aode_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                 const crd_i_schema_view *view, crd_error *error);

/* Returns the joint density of a classifier that has an AODE scorer. */
const crd_i_joint_block *crd_i_aode_scorer_block(const crd_classifier *classifier);

/* ======== 4. Naive Bayes ========
 *
 * Attributes are independent given the class,
 *
 *   log P(c | x) = log P(c) + sum over i of w_i log p(x_i | c) - log evidence
 *
 * with a weight w_i on each attribute, which is 1 in plain naive Bayes. */

/* First member of other scorers that add to these terms. */
typedef struct crd_i_naive_scorer {
    crd_i_scorer base;
    double *weights; /* weight of each attribute's own density; NULL: all 1 */
} crd_i_naive_scorer;

/* Creates the scorer and assigns it to the classifier. */
CRD_MUST_USE crd_status crd_i_naive_scorer_create(crd_classifier *classifier, crd_error *error);
/* Takes ownership of the weights. The scorer must begin with a naive Bayes scorer. */
void crd_i_naive_scorer_set_weights(crd_i_scorer *scorer, double *weights);
double crd_i_naive_scorer_weight(const crd_i_scorer *scorer, size_t attribute);

/* Adds the weighted terms of all attributes that are not scored jointly. The row's scratch must have room for all
 * classes. */
void crd_i_naive_scorer_add(const crd_i_naive_scorer *scorer, const crd_i_scored_row *row, double *sums);

/* Returns CRD_ERROR_SETTING if the classifier is not plain naive Bayes, which `description`, such as "draws take",
 * requires. `instead` names an alternative, such as ", or predict". */
CRD_MUST_USE crd_status crd_i_naive_scorer_require(const crd_classifier *classifier, const char *description,
                                                   const char *instead, crd_error *error);

#endif
