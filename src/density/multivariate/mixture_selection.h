/* SPDX-License-Identifier: MIT */
/* mixture_selection.h - how many components the mixtures of the classes have, and how long their tails are, by rows
 * that are held out. */
#ifndef CRD_DENSITY_MULTIVARIATE_MIXTURE_SELECTION_H
#define CRD_DENSITY_MULTIVARIATE_MIXTURE_SELECTION_H

#include "density/multivariate/mixture_em.h"

typedef struct crd_i_mixture_tails {
    double degrees;  /* of Student's t in place of each component; INFINITY: the normal density itself */
    double exponent; /* of the density */
} crd_i_mixture_tails;

enum { CRD_I_MIXTURE_STEPS = 500 };

/* counts[class] of each class that has rows. `totals` are what classes are as frequent as. */
CRD_MUST_USE crd_status crd_i_mixture_choose(crd_context *context, const crd_i_mixture_rows *classes,
                                             const double *totals, size_t class_count, const double *shared,
                                             size_t *counts, crd_i_mixture_tails *tails, crd_error *error);

#endif
