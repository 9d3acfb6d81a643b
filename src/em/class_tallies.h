/* SPDX-License-Identifier: MIT */
/* class_tallies.h - a model of rows whose classes are known up to probabilities: each row is counted in every class, weighed
 * by the probability of it. */
#ifndef CRD_EM_CLASS_TALLIES_H
#define CRD_EM_CLASS_TALLIES_H

#include "cases/case_table.h"

typedef struct crd_i_class_weights {
    const crd_text *names; /* of classes */
    size_t classes;
    const void *state;
    /* The log probabilities of the classes of the rows from `from` up to below `to`, rows x classes, and by how much each
     * row counts beside its own weight. */
    crd_status (*fill)(const void *state, size_t first, size_t limit, double *logs, double *factors, crd_error *error);
} crd_i_class_weights;

/* A model with the schema, which is taken over and has a target, and the settings. Columns of the schema, but for the
 * target, meet those of the table by name. Probabilities are rounded to multiples of 2^-32 that sum to 1, so that rows are
 * counted as a whole. */
CRD_MUST_USE crd_status crd_i_class_tallies_learn(const crd_i_case_table *table, crd_i_schema *schema,
                                                  const crd_settings *settings, const crd_i_class_weights *weights,
                                                  crd_model **out, crd_error *error);

#endif
