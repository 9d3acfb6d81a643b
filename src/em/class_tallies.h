/* SPDX-License-Identifier: MIT */
/* class_tallies.h - trains a model on rows whose classes are known only up to probabilities. Each row is counted in
 * every class, weighted by the class's probability: fractional counts, as in the M step of EM. */
#ifndef CRD_EM_CLASS_TALLIES_H
#define CRD_EM_CLASS_TALLIES_H

#include "cases/case_table.h"

typedef struct crd_i_class_weights {
    const crd_text *names; /* names of the classes */
    size_t classes;
    const void *state;
    /* Writes the log probabilities of the classes for the rows from `first` to `limit` - 1, as rows x classes. Also
     * writes for each row the factor that multiplies its own weight. */
    crd_status (*fill)(const void *state, size_t first, size_t limit, double *logs, double *factors, crd_error *error);
} crd_i_class_weights;

/* Creates a model with the given schema and settings, and trains it on all rows of the table. The schema must have a
 * target; the call takes ownership of it, even on failure. The other columns of the schema are matched to the table's
 * columns by name. Probabilities are rounded to multiples of 2^-32 that sum to 1, so the counts of a row sum exactly to
 * its weight. */
CRD_MUST_USE crd_status crd_i_class_tallies_learn(const crd_i_case_table *table, crd_i_schema *schema,
                                                  const crd_settings *settings, const crd_i_class_weights *weights,
                                                  crd_model **out, crd_error *error);

#endif
