/* SPDX-License-Identifier: MIT */
/* observation_facts.h - summary statistics of the columns of sequences, from one pass over all steps. They are used to
 * standardize sums, to scale distances, and to decide which densities can be estimated from sums. */
#ifndef CRD_SEQUENCE_OBSERVATION_FACTS_H
#define CRD_SEQUENCE_OBSERVATION_FACTS_H

#include "sequence/data/sequences.h"

/* Consecutive steps of a sequence that are treated as a sequence: all of its steps, or a part. */
typedef struct crd_i_segment {
    size_t sequence;
    uint64_t source, target;
} crd_i_segment;

typedef struct crd_i_observed_column {
    crd_kind kind;
    uint64_t present;
    /* Numeric columns: */
    double least, greatest;
    double mean, deviation;                    /* of the values */
    double log_mean, log_deviation;            /* of the logarithms of the positive values */
    bool has_negative, has_zero, has_fraction; /* some value is below 0; 0; not an integer */
    bool has_above_one;
    /* Categorical columns: */
    size_t values;
    double *counts; /* count of each value */
    double differ;  /* probability that two random values differ */
} crd_i_observed_column;

typedef struct crd_i_observation_facts {
    crd_context *context;
    uint64_t steps, labelled; /* all steps, and the labeled steps */
    crd_i_observed_column *columns;
    size_t column_count;
} crd_i_observation_facts;

CRD_MUST_USE crd_status crd_i_observation_facts_create(const crd_sequences *sequences, const crd_i_segment *segments,
                                                       size_t count, crd_i_observation_facts **out, crd_error *error);
void crd_i_observation_facts_destroy(crd_i_observation_facts *facts); /* NULL is allowed */

#endif
