/* SPDX-License-Identifier: MIT */
/* training_parts.h - parts of sequences: samples on which initial models are tried, and folds for cross-validation. */
#ifndef CRD_SEQUENCE_TRAINING_PARTS_H
#define CRD_SEQUENCE_TRAINING_PARTS_H

#include "sequence/train/hmm_training.h"

/* Pieces that are evenly spaced among all steps. They are whole sequences if the topology is left to right. If there
 * are few steps, all of them are used. */
typedef struct crd_i_training_part {
    crd_i_training_steps steps;
    crd_i_segment *segments; /* NULL: all steps are used */
} crd_i_training_part;

CRD_MUST_USE crd_status crd_i_training_part_create(const crd_i_training_problem *problem,
                                                   const crd_i_training_steps *all, crd_i_training_part *out,
                                                   crd_error *error);
void crd_i_training_part_clear(crd_i_training_part *part, crd_context *context);

/* Five folds, to which sequences are assigned in turn. If there are fewer than five sequences, pieces of them are
 * assigned. */
typedef struct crd_i_training_folds {
    size_t count; /* number of folds; below 2: there are too few steps */
    crd_i_segment *segments;
    size_t segment_count;
    crd_i_segment *segment; /* the segments of the current fold, then all others; `segment_count` entries */
} crd_i_training_folds;

CRD_MUST_USE crd_status crd_i_training_folds_create(const crd_i_training_problem *problem, crd_i_training_folds *out,
                                                    crd_error *error);
void crd_i_training_folds_clear(crd_i_training_folds *folds, crd_context *context);
/* Gets the segments of fold `which`, and of all other folds. They are valid until the next call. */
void crd_i_training_folds_part(crd_i_training_folds *folds, size_t which, crd_i_training_steps *held,
                               crd_i_training_steps *others);

#endif
