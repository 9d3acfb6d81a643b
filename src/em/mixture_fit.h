/* SPDX-License-Identifier: MIT */
/* mixture_fit.h - EM to its end: steps, restarts, starts, and how rows are held out of it. */
#ifndef CRD_EM_MIXTURE_FIT_H
#define CRD_EM_MIXTURE_FIT_H

#include "em/class_mixture.h"

/* EM stops where a step raises the objective by no more than this part of it, or after so many steps. */
typedef struct crd_i_stopping_rule {
    double tolerance;
    size_t most_steps;
} crd_i_stopping_rule;

/* What a run has reached. Filled by the calls below, emptied by clear, which also takes what is all zero but for the
 * context. */
typedef struct crd_i_mixture_fit {
    crd_context *context;
    double *objectives;      /* after each step: the log likelihood and the log prior density of the parameters */
    double *log_likelihoods; /* after each step */
    size_t steps, capacity;
    bool is_converged;
    double *statistics; /* expected, under the parameters of the last step */
} crd_i_mixture_fit;

void crd_i_mixture_fit_clear(crd_i_mixture_fit *fit);

/* EM from the parameters that the mixture has, appending to the fit's steps. `known`: statistics of rows whose classes are
 * known, which every step adds; NULL: none. */
CRD_MUST_USE crd_status crd_i_mixture_fit_run(crd_i_class_mixture *mixture, const crd_i_class_mixture_rows *rows,
                                              const double *known, const crd_i_stopping_rule *stop,
                                              crd_i_mixture_fit *fit, crd_error *error);

/* A start: as many rows as there are classes, far apart (k-means++, Arthur and Vassilvitskii 2007), and every row in the
 * class of the nearest. Draws depend on seed and stream. */
CRD_MUST_USE crd_status crd_i_mixture_fit_start(crd_i_class_mixture *mixture, size_t classes,
                                                const crd_i_class_mixture_rows *rows, uint64_t seed, uint64_t stream,
                                                crd_error *error);

/* Some rows of a table, in their order. */
CRD_MUST_USE crd_status crd_i_case_rows(const crd_i_case_table *table, const size_t *rows, size_t count,
                                        crd_i_case_table **out, crd_error *error);

/* The weight of each row in one of so many parts of all rows: copies of a row, as many as its weight has whole units, are
 * dealt to the parts in turn. `part` has room for table->rows. */
void crd_i_mixture_fit_part(const crd_i_case_table *table, size_t parts, size_t which, double *part);

#endif
