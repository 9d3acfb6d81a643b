/* SPDX-License-Identifier: MIT */
/* gradient_ascent.h - conjugate gradient ascent on the log posterior of a network's CPTs.
 *
 * With n the expected counts and w = P(state | parents), d log P(rows) / d w = n / w (Russell, Binder, Koller and
 * Kanazawa 1995). The rows of CPTs remain distributions through the parameters u, w = exp(u) / sum of exp(u). With a
 * the pseudo-counts, n. and a. their sums over the states of a row, the gradient in u is
 *
 *   g_v = n_v + a_v - (n. + a.) w_v.
 *
 * The gradient is scaled by the Fisher information of the complete data, z_v = g_v / ((n. + a.) w_v). Without the
 * scaling, the CPT rows of rare parent configurations would hardly move. Successive directions are conjugate (Polak and
 * Ribiere 1969), with restarts if beta is negative:
 *
 *   d = z + beta d_last,   beta = max(0, g (z - z_last) / (g_last z_last))
 *
 * A line search never accepts a step that decreases the objective. */
#ifndef CRD_EM_GRADIENT_ASCENT_H
#define CRD_EM_GRADIENT_ASCENT_H

#include "em/fit_run.h"

/* Runs gradient ascent from the current tables. Parameters and results are as for crd_i_fit_run_em. */
CRD_MUST_USE crd_status crd_i_gradient_ascent(crd_i_fit_run *run, const crd_i_fit_limits *limits,
                                              crd_i_fit_trace *trace, bool *is_converged, crd_error *error);

#endif
