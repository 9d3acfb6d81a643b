/* SPDX-License-Identifier: MIT */
/* weighted_rows.h - a tallied model of steps whose emission class is known up to probabilities: each step is counted in every
 * class, weighed by the probability of it, rounded to multiples of 2^-32 that sum to 1, so that steps count as a whole and
 * exact sums stay short. For all families; and what is left of training by EM. */
#ifndef CRD_SEQUENCE_WEIGHTED_ROWS_H
#define CRD_SEQUENCE_WEIGHTED_ROWS_H

#include "model/model_internal.h"
#include "sequence/data/sequences_internal.h"

typedef struct crd_i_weighted_rows crd_i_weighted_rows; /* of one thread */

/* The schema, which is taken over, has the columns of the sequences and a target; the classes have these names. */
CRD_MUST_USE crd_status crd_i_weighted_rows_create(const crd_sequences *sequences, crd_i_schema *schema,
                                                   const crd_settings *settings, const crd_text *names, size_t classes,
                                                   crd_i_weighted_rows **out, crd_error *error);
void crd_i_weighted_rows_destroy(crd_i_weighted_rows *rows); /* NULL is fine */

/* Adds steps, with probabilities weights[step * stride + class], which may be all 0: such a step does not count. */
CRD_MUST_USE crd_status crd_i_weighted_rows_add(crd_i_weighted_rows *rows, const crd_i_observation_block *block,
                                                const double *weights, size_t stride, crd_error *error);
/* The model of all that was added, which is the caller's. Nothing can be added any more. */
CRD_MUST_USE crd_status crd_i_weighted_rows_model(crd_i_weighted_rows *rows, crd_model **out, crd_error *error);

#endif
