/* SPDX-License-Identifier: MIT */
/* sequence_starts.h - models from which Baum and Welch's algorithm starts, and states that begin anew.
 *
 * Hidden states begin at steps that are far apart (k-means++), each with the steps that are nearest to it; of a left-to-right
 * topology each sequence is divided into as many parts as there are states, first of equal lengths, in later starts at
 * random. Labels are the states of their steps, and the others count for none. Counts of transitions begin with pseudo-counts, so
 * that none is impossible unless the settings forbid it; values of categories and transitions have random factors, since states that
 * begin alike stay so. */
#ifndef CRD_SEQUENCE_SEQUENCE_STARTS_H
#define CRD_SEQUENCE_SEQUENCE_STARTS_H

#include "sequence/train/step_sample.h"

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
