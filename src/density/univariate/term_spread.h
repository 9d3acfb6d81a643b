/* SPDX-License-Identifier: MIT */
/* term_spread.h - how terms spread over the classes: smoothing of the family multinomial by empirical Bayes.
 *
 * Of the D_t texts that have a term, D_tc are of class c. They fall on the classes as a Dirichlet compound multinomial with
 * mean pi, the classes' shares of all sums D_tc, and a concentration kappa: a term of a small one is of one class, a term of
 * a large one is everywhere. It is one of 1/2, 4, 32, 256, with probabilities omega, which EM estimates from all terms:
 *
 *   L_j(t) = Gamma(kappa_j) / Gamma(D_t + kappa_j) prod over c of Gamma(D_tc + kappa_j pi_c) / Gamma(kappa_j pi_c)
 *   r_j(t) = omega_j L_j(t) / sum over i of omega_i L_i(t),     omega_j <- mean over t of r_j(t)
 *
 * With N_tc the sums of tf(x), N_t, n_c and n theirs over classes, terms and both, and rho_c = n_c / n,
 *
 *   theta_tc = sum over j of r_j(t) (N_tc + h_j rho_c) / (N_t + h_j),    h_j = kappa_j / 2
 *   P(t | c) = theta_tc N_t / (n_c Z_c),    Z_c = sum over t of theta_tc N_t / n_c
 *
 * The half is on purpose: classes are told apart best a little under-smoothed. A class that never had the term has theta_tc =
 * rho_c b(t), b(t) = sum over j of r_j(t) h_j / (N_t + h_j), and with g(t) = sum over j of r_j(t) / (N_t + h_j)
 *
 *   Z_c = (sum over t of b(t) N_t) / n + (sum over the terms of c of g(t) N_t N_tc) / n_c. */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_SPREAD_H
#define CRD_DENSITY_UNIVARIATE_TERM_SPREAD_H

#include "density/univariate/term_math.h"

enum { CRD_I_SPREADS = 4 };

/* What is estimated: numbers[], of which the first are the sums over the terms of each class, then its share pi_c, then
 * the sum of b(t) N_t, and omega. */
size_t crd_i_term_spread_count(size_t conditions);
CRD_MUST_USE crd_status crd_i_term_spread_fit(const crd_i_term_density *density, double *numbers, crd_error *error);

/* b(t) and g(t) of a term, and N_t, under what was estimated. */
typedef struct crd_i_term_spread {
    double elsewhere, factor, weight;
} crd_i_term_spread;
crd_i_term_spread crd_i_term_spread_of(const crd_i_term_density *density, const double *numbers,
                                       const crd_i_term_class *classes, size_t count);

#endif
