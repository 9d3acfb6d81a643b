/* SPDX-License-Identifier: MIT */
/* weighted_rows.h - a model of steps whose emission class is known only up to probabilities. Each step is counted in
 * every class, weighted by the class's probability. The probabilities are rounded to multiples of 2^-32 that sum to 1,
 * so steps count as a whole and exact sums stay short. It supports all families, and is also used for the final model
 * of EM training. */
#ifndef CRD_SEQUENCE_WEIGHTED_ROWS_H
#define CRD_SEQUENCE_WEIGHTED_ROWS_H

#include "model/model_internal.h"
#include "sequence/data/sequences.h"

typedef struct crd_i_weighted_rows crd_i_weighted_rows; /* used by one thread */

/* Creates the rows. Takes ownership of `schema`, which has the columns of the sequences and a target. `names` are the
 * names of the classes. */
CRD_MUST_USE crd_status crd_i_weighted_rows_create(const crd_sequences *sequences, crd_i_schema *schema,
                                                   const crd_settings *settings, const crd_text *names, size_t classes,
                                                   crd_i_weighted_rows **out, crd_error *error);
void crd_i_weighted_rows_destroy(crd_i_weighted_rows *rows); /* NULL is allowed */

/* Adds steps with the probabilities weights[step * stride + class]. A step whose probabilities are all 0 is ignored. */
CRD_MUST_USE crd_status crd_i_weighted_rows_add(crd_i_weighted_rows *rows, const crd_i_observation_block *block,
                                                const double *weights, size_t stride, crd_error *error);
/* Gets the model of all steps; the caller owns it. No steps can be added afterwards. */
CRD_MUST_USE crd_status crd_i_weighted_rows_model(crd_i_weighted_rows *rows, crd_model **out, crd_error *error);

#endif
