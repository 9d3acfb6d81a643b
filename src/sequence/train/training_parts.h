/* SPDX-License-Identifier: MIT */
/* training_parts.h - parts of sequences: those on which starts are tried, and folds that are held out. */
#ifndef CRD_SEQUENCE_TRAINING_PARTS_H
#define CRD_SEQUENCE_TRAINING_PARTS_H

#include "sequence/train/hmm_training.h"

/* Pieces that lie evenly among all steps; all of them where they are few, or where a topology needs whole sequences. */
typedef struct crd_i_training_part {
    crd_i_training_steps steps;
    crd_i_segment *segments; /* NULL: the part is all */
} crd_i_training_part;

CRD_MUST_USE crd_status crd_i_training_part_create(const crd_i_training_problem *problem,
                                                   const crd_i_training_steps *all, crd_i_training_part *out,
                                                   crd_error *error);
void crd_i_training_part_clear(crd_i_training_part *part, crd_context *context);

/* Five folds of sequences, dealt in turn; of fewer than five, of pieces of them. */
typedef struct crd_i_training_folds {
    size_t count; /* of folds; below 2: there are too few steps */
    crd_i_segment *segments;
    size_t segment_count;
    crd_i_segment *segment; /* as many: those of the fold at hand, and behind them the others */
} crd_i_training_folds;

CRD_MUST_USE crd_status crd_i_training_folds_create(const crd_i_training_problem *problem, crd_i_training_folds *out,
                                                    crd_error *error);
void crd_i_training_folds_clear(crd_i_training_folds *folds, crd_context *context);
/* The segments of fold `which`, and of all others, until the next call. */
void crd_i_training_folds_part(crd_i_training_folds *folds, size_t which, crd_i_training_steps *held,
                               crd_i_training_steps *others);

#endif
