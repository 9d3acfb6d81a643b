/* SPDX-License-Identifier: MIT */
/* gradient_ascent.h - conjugate gradient ascent on the likelihood of a network's tables.
 *
 * With n the expected counts and w = P(state | parents), d log P(rows) / d w = n / w (Russell, Binder, Koller and Kanazawa
 * 1995). The rows of tables stay distributions by w = exp(u) / sum of exp(u), in which the gradient is
 *     g_v = n_v + a_v - (n + a) w_v.
 * It is taken in the metric of the complete data's Fisher information, z_v = g_v / ((n + a) w_v), without which tables of
 * rare configurations would hardly move, and made conjugate to the direction before (Polak and Ribiere). A line search takes
 * no step that makes the objective less. */
#ifndef CRD_EM_GRADIENT_ASCENT_H
#define CRD_EM_GRADIENT_ASCENT_H

#include "em/fit_run.h"

/* As crd_i_fit_run_em. */
CRD_MUST_USE crd_status crd_i_gradient_ascent(crd_i_fit_run *run, const crd_i_fit_limits *limits,
                                              crd_i_fit_trace *trace, bool *is_converged, crd_error *error);

#endif
