/* SPDX-License-Identifier: MIT */
/* sequence_starts.h - initial models for Baum-Welch, and reinitialization of empty states.
 *
 * Hidden states begin at seed steps that are far apart (k-means++; Arthur and Vassilvitskii 2007), each with the steps
 * nearest to its seed. In a left-to-right topology, each sequence is divided into as many parts as there are states: of
 * equal length in the first start, at random positions in later starts. If there are labels, they determine the states
 * of their steps, and unlabeled steps are not counted.
 *
 * Transition counts begin with pseudo-counts, so none is impossible unless the settings forbid it. Value counts and
 * transitions have random factors, because equal states would stay equal. Probabilities of values, counts and rates
 * include a share of their overall distribution, because EM never leaves a zero.
 *
 * If there are categorical columns, every second start is drawn: value probabilities are random around their overall
 * frequencies, and transitions are random and sparse. All values of a categorical column are equally far from each
 * other, so seeds contain little information.
 *
 * If all observations are numeric, every second start is spread: half of the weight of each step is divided among all
 * states, and transitions are drawn as above. Such starts find states that alternate, which starts with persistent
 * states do not reach. */
#ifndef CRD_SEQUENCE_TRAIN_SEQUENCE_STARTS_H
#define CRD_SEQUENCE_TRAIN_SEQUENCE_STARTS_H

#include "math/random.h"
#include "sequence/train/hmm_training.h"

/* ---- a sample of steps in memory, evenly spaced over all sequences, from which the seeds of states are
 * drawn. */

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

/* Returns whether all observations are categorical. Then only drawn starts differ much, and many should be tried. */
bool crd_i_sequence_starts_are_blind(const crd_i_training_problem *problem);

/* Creates the initial model number `start` for a random seed. */
CRD_MUST_USE crd_status crd_i_sequence_start(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                             const crd_i_step_sample *sample, uint64_t seed, size_t start,
                                             crd_i_training_model **out, crd_error *error);

/* Reinitializes a state without steps. It receives the steps of the sample that are most similar to the step that the
 * model explains worst, and transitions to and from all states. They are added to the statistics of an E step. */
CRD_MUST_USE crd_status crd_i_sequence_rescue(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                              const crd_i_step_sample *sample, const crd_hmm *hmm, size_t state,
                                              crd_i_expectation *statistics, crd_error *error);

#endif
