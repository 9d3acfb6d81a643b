/* SPDX-License-Identifier: MIT */
/* normal_mixture.h - selects the number of components of each class's mixture, and the length of their tails, by
 * cross-validation. */
#ifndef CRD_DENSITY_MULTIVARIATE_NORMAL_MIXTURE_H
#define CRD_DENSITY_MULTIVARIATE_NORMAL_MIXTURE_H

#include "density/multivariate/mixture_em.h"

typedef struct crd_i_mixture_tails {
    double degrees; /* degrees of freedom of Student's t, which replaces each component; INFINITY: the normal density */
    double exponent; /* the density is raised to this power */
} crd_i_mixture_tails;

enum { CRD_I_MIXTURE_STEPS = 500 };

#endif
