/* SPDX-License-Identifier: MIT */
/* step_sample.h - a sample of steps in memory, evenly spaced over all sequences, from which the seeds of states are
 * drawn. */
#ifndef CRD_SEQUENCE_STEP_SAMPLE_H
#define CRD_SEQUENCE_STEP_SAMPLE_H

#include "math/random.h"
#include "sequence/train/hmm_training.h"

typedef struct crd_i_step_sample {
    const crd_i_observation_facts *facts;
    crd_context *context;
    size_t steps;
    double **numbers; /* values of each column; NULL: not numeric */
    int32_t **codes;
} crd_i_step_sample;

CRD_MUST_USE crd_status crd_i_step_sample_create(const crd_i_training_problem *problem, crd_i_step_sample **out,
                                                 crd_error *error);
void crd_i_step_sample_destroy(crd_i_step_sample *sample); /* NULL is allowed */

/* Returns the distance between a step of the sample and a step of a block, a sum over the columns. A numeric column
 * contributes the squared difference divided by the column's variance. A categorical column contributes 0 if the values
 * are equal; otherwise 2 / d, where d is the probability that two random steps differ. A column with a missing value
 * contributes 2, the expected contribution of two random steps. */
double crd_i_step_sample_distance(const crd_i_step_sample *sample, size_t of, const crd_i_observation_block *block,
                                  size_t t);
/* Returns steps of the sample as a block of observations. The block points into the sample. */
crd_i_observation_block crd_i_step_sample_block(const crd_i_step_sample *sample, size_t source, size_t steps,
                                                const double **numbers, const int32_t **codes);

/* Draws seeds that are far apart (k-means++; Arthur and Vassilvitskii 2007). Each seed is drawn with probability
 * proportional to the distance from the earlier seeds, and is the best of a few draws. If all distances are 0, any step
 * is drawn. Only steps with source[i] = which are candidates (`source` NULL: all steps). seeds[0 .. first - 1] are
 * given. `nearest` and `distances` have an entry for each step of the sample. Returns false if there are no candidates,
 * or if cancelled. */
bool crd_i_step_sample_seed(const crd_i_step_sample *sample, const int32_t *source, int32_t which, size_t first,
                            size_t count, crd_i_random *random, size_t *seeds, int32_t *nearest, double *distances,
                            double *workspace);

#endif
