/* SPDX-License-Identifier: MIT */
/* mixture_selection.h - selects the number of components of each class's mixture, and the length of their tails, by
 * cross-validation. */
#ifndef CRD_DENSITY_MULTIVARIATE_MIXTURE_SELECTION_H
#define CRD_DENSITY_MULTIVARIATE_MIXTURE_SELECTION_H

#include "density/multivariate/mixture_em.h"

typedef struct crd_i_mixture_tails {
    double degrees; /* degrees of freedom of Student's t, which replaces each component; INFINITY: the normal density */
    double exponent; /* the density is raised to this power */
} crd_i_mixture_tails;

enum { CRD_I_MIXTURE_STEPS = 500 };

/* Sets counts[class] for each class that has rows, and *tails. Classes have prior probabilities proportional to
 * `totals`. */
CRD_MUST_USE crd_status crd_i_mixture_choose(crd_context *context, const crd_i_mixture_rows *classes,
                                             const double *totals, size_t class_count, const double *shared,
                                             size_t *counts, crd_i_mixture_tails *tails, crd_error *error);

#endif
