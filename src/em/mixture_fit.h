/* SPDX-License-Identifier: MIT */
/* mixture_fit.h - runs EM for a class mixture: iterations, random initialization, and row subsets for holding out
 * rows. */
#ifndef CRD_EM_MIXTURE_FIT_H
#define CRD_EM_MIXTURE_FIT_H

#include "em/class_mixture.h"

/* EM stops when a step increases the objective by no more than `tolerance` times (its absolute value + 1), or after
 * `most_steps` steps. */
typedef struct crd_i_stopping_rule {
    double tolerance;
    size_t most_steps;
} crd_i_stopping_rule;

/* Result of an EM run. Initialize it to zero with `context` set. The calls below fill it, and crd_i_mixture_fit_clear
 * frees it. */
typedef struct crd_i_mixture_fit {
    crd_context *context;
    double *objectives;      /* after each step: the log likelihood plus the log prior density of the parameters */
    double *log_likelihoods; /* after each step */
    size_t steps, capacity;
    bool is_converged;
    double *statistics; /* expected statistics under the parameters of the last step */
} crd_i_mixture_fit;

void crd_i_mixture_fit_clear(crd_i_mixture_fit *fit);

/* Runs EM from the mixture's current parameters and appends to the steps of `fit`. `known` holds the statistics of rows
 * with known classes, which are added in every step; NULL: none. */
CRD_MUST_USE crd_status crd_i_mixture_fit_run(crd_i_class_mixture *mixture, const crd_i_class_mixture_rows *rows,
                                              const double *known, const crd_i_stopping_rule *stop,
                                              crd_i_mixture_fit *fit, crd_error *error);

/* Initializes the mixture by k-means++ seeding (Arthur and Vassilvitskii 2007). It draws one seed row per class, each
 * with probability proportional to the distance from the nearest earlier seed. Every row is then assigned to the class
 * of its nearest seed, and the M step follows. The draws depend only on `seed` and `stream`. */
CRD_MUST_USE crd_status crd_i_mixture_fit_start(crd_i_class_mixture *mixture, size_t classes,
                                                const crd_i_class_mixture_rows *rows, uint64_t seed, uint64_t stream,
                                                crd_error *error);

/* Copies `count` rows of a table, in the given order. State names are not copied. */
CRD_MUST_USE crd_status crd_i_case_rows(const crd_i_case_table *table, const size_t *rows, size_t count,
                                        crd_i_case_table **out, crd_error *error);

/* Computes the weight of each row in part `which` of `parts` parts. A row of weight w is treated as w copies, which are
 * dealt to the parts in turn. `part` must have table->rows entries. */
void crd_i_mixture_fit_part(const crd_i_case_table *table, size_t parts, size_t which, double *part);

#endif
