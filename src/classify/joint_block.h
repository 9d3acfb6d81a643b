/* SPDX-License-Identifier: MIT */
/* joint_block.h - one joint density of a block of attributes, as part of a score: derived from what the model has
 * tallied of these attributes together. */
#ifndef CRD_CLASSIFY_JOINT_BLOCK_H
#define CRD_CLASSIFY_JOINT_BLOCK_H

#include "classify/classifier_internal.h"
#include "density/multivariate/joint_density.h"

struct crd_i_joint_block {
    crd_i_joint *joint;
    size_t *attributes; /* of the classifier, for each column of the joint density */
};

/* The tally of a type that covers all attributes; NULL: the model has not kept it. */
const crd_i_model_joint_tally *crd_i_joint_block_tally(const crd_model *model, const crd_i_joint_tally_type *type);
/* CRD_ERROR_SETTING: `what` reads a tally that the model has not kept. */
CRD_MUST_USE crd_status crd_i_joint_block_not_kept(const char *what, const char *tally, crd_error *error);

/* Derives the `number`-th of a classifier, whose estimates it adds to; the attributes that it covers are scored
 * together from then on. Fitted to kept rows where that is to be and they are there; what was fitted before stays
 * so. */
CRD_MUST_USE crd_status crd_i_joint_block_derive(crd_classifier *classifier, const crd_model *model,
                                                 const crd_i_schema_view *order, const crd_i_model_joint_tally *kept,
                                                 const crd_i_joint_type *type, size_t number, crd_i_joint_block *out,
                                                 crd_error *error);
void crd_i_joint_block_clear(crd_i_joint_block *block); /* all zero is fine */

/* Doubles that it works in for a row; and the row's cells there, as the density takes them. */
size_t crd_i_joint_block_scratch(const crd_i_joint_block *block);
const crd_i_joint_cell *crd_i_joint_block_cells(const crd_i_joint_block *block, const crd_i_scored_row *row);
/* Adds its term to the sum of each class. */
void crd_i_joint_block_add(const crd_i_joint_block *block, const crd_i_scored_row *row, double *sums);

void crd_i_joint_block_describe(const crd_i_joint_block *block, crd_joint *out);
void crd_i_joint_block_attributes(const crd_i_joint_block *block, size_t *out);

#endif
