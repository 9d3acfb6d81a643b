/* SPDX-License-Identifier: MIT */
/* step_sample.h - some steps of sequences in memory, evenly spread over all: what seeds of states are drawn from. */
#ifndef CRD_SEQUENCE_STEP_SAMPLE_H
#define CRD_SEQUENCE_STEP_SAMPLE_H

#include "math/random.h"
#include "sequence/train/hmm_training.h"

typedef struct crd_i_step_sample {
    const crd_i_observation_facts *facts;
    crd_context *context;
    size_t steps;
    double **numbers; /* of each column; NULL: it is no number */
    int32_t **codes;
} crd_i_step_sample;

CRD_MUST_USE crd_status crd_i_step_sample_create(const crd_i_training_problem *problem, crd_i_step_sample **out,
                                                 crd_error *error);
void crd_i_step_sample_destroy(crd_i_step_sample *sample); /* NULL is fine */

/* How far a step of the sample is from one of a block: the squared difference of numbers over the column's variance, and of
 * categories 2 where they differ, over the probability that two steps do. Columns of which one cell is missing count as they
 * do in the mean, 2. */
double crd_i_step_sample_distance(const crd_i_step_sample *sample, size_t of, const crd_i_observation_block *block,
                                  size_t t);
/* The sample as a block of observations. The pointers are the sample's. */
crd_i_observation_block crd_i_step_sample_block(const crd_i_step_sample *sample, size_t source, size_t steps,
                                                const double **numbers, const int32_t **codes);

/* Steps far apart (k-means++; Arthur and Vassilvitskii 2007): drawn with a probability in proportion to the distance from those
 * before, the best of a few draws; where all are as those before, any. Of steps with from[i] = which only (from NULL: all); seeds[0 .. first) are there
 * already. `nearest` and `distances` are of each step of the sample. false: no step is there to be drawn, or the call was cancelled. */
bool crd_i_step_sample_seed(const crd_i_step_sample *sample, const int32_t *source, int32_t which, size_t first,
                            size_t count, crd_i_random *random, size_t *seeds, int32_t *nearest, double *distances,
                            double *workspace);

#endif
