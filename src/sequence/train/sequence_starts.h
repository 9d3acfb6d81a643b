/* SPDX-License-Identifier: MIT */
/* sequence_starts.h - models from which Baum and Welch's algorithm starts, and states that begin anew.
 *
 * Hidden states begin at steps that are far apart (k-means++), each with the steps that are nearest to it; of a left-to-right
 * topology each sequence is divided into as many parts as there are states, first of equal lengths, in later starts at
 * random. Labels are the states of their steps, and the others count for none. Counts of transitions begin with pseudo-counts, so
 * that none is impossible unless the settings forbid it; values of categories and transitions have random factors, since states that
 * begin alike stay so. Values of categories, counts and rates begin with a share of their overall distribution: EM never leaves a zero.
 *
 * If there are categories, every second start is drawn: the probabilities of values have Dirichlet distributions about their overall
 * frequencies, and the transitions sparse ones. All values of a category are equally far from each other, so seeds tell little.
 *
 * If all observations are numbers, every second start is spread: half of the weight of each step is divided among all states, and transitions
 * are drawn as above. Such starts find states that alternate, which starts with persistent states do not reach. */
#ifndef CRD_SEQUENCE_SEQUENCE_STARTS_H
#define CRD_SEQUENCE_SEQUENCE_STARTS_H

#include "sequence/train/step_sample.h"

/* Whether all observations are categories, so that only drawn starts differ much, and many should be tried. */
bool crd_i_sequence_starts_are_blind(const crd_i_training_problem *problem);

/* Start number `start` of a seed. */
CRD_MUST_USE crd_status crd_i_sequence_start(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                             const crd_i_step_sample *sample, uint64_t seed, size_t start,
                                             crd_i_training_model **out, crd_error *error);

/* Gives a state that has no steps those of the sample that are most like the step that the model explains worst, beside the
 * statistics of an E step, and transitions to and from all states. */
CRD_MUST_USE crd_status crd_i_sequence_rescue(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                              const crd_i_step_sample *sample, const crd_hmm *hmm, size_t state,
                                              crd_i_expectation *statistics, crd_error *error);

#endif
