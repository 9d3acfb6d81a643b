/* SPDX-License-Identifier: MIT */
/* observation_facts.h - what the columns of sequences are like as a whole: what sums are centred about, distances are divided
 * by, and which densities can be estimated from sums of a few powers. Found in one pass over all steps. */
#ifndef CRD_SEQUENCE_OBSERVATION_FACTS_H
#define CRD_SEQUENCE_OBSERVATION_FACTS_H

#include "sequence/data/sequences_internal.h"

/* Steps of a sequence that are learned from as if they were one: all of them, or a part. */
typedef struct crd_i_segment {
    size_t sequence;
    uint64_t source, target;
} crd_i_segment;

typedef struct crd_i_observed_column {
    crd_kind kind;
    uint64_t present;
    /* Of numbers: */
    double least, greatest;
    double mean, deviation;                    /* of the cells */
    double log_mean, log_deviation;            /* of the logarithms of those above 0 */
    bool has_negative, has_zero, has_fraction; /* a cell is below 0; 0; not whole */
    bool has_above_one;
    /* Of categories: */
    size_t values;
    double *counts; /* of each value */
    double differ;  /* the probability that two cells differ */
} crd_i_observed_column;

typedef struct crd_i_observation_facts {
    crd_context *context;
    uint64_t steps, labelled; /* all steps, and those with a label */
    crd_i_observed_column *columns;
    size_t column_count;
} crd_i_observation_facts;

CRD_MUST_USE crd_status crd_i_observation_facts_create(const crd_sequences *sequences, const crd_i_segment *segments,
                                                       size_t count, crd_i_observation_facts **out, crd_error *error);
void crd_i_observation_facts_destroy(crd_i_observation_facts *facts); /* NULL is fine */

#endif
