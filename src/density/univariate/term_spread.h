/* SPDX-License-Identifier: MIT */
/* term_spread.h - empirical Bayes smoothing of the multinomial text family, from how terms are distributed over the
 * classes.
 *
 * D_t texts contain term t, and D_tc of them belong to class c. Given D_t, the D_tc have a Dirichlet compound
 * multinomial distribution with mean pi and concentration kappa. pi_c is the share of class c in the sum of all D_tc. A
 * term with small kappa occurs in one class, a term with large kappa occurs everywhere. kappa is 1/2, 4, 32 or 256,
 * with probabilities omega. EM (Dempster, Laird and Rubin 1977) estimates omega from all terms:
 *
 *   L_j(t) = Gamma(kappa_j) / Gamma(D_t + kappa_j) prod over c of Gamma(D_tc + kappa_j pi_c) / Gamma(kappa_j pi_c)
 *   r_j(t) = omega_j L_j(t) / sum over i of omega_i L_i(t),     omega_j <- mean over t of r_j(t)
 *
 * Let N_tc be the sum of tf(x) of term t in class c, and N_t, n_c and n its sums over classes, over terms and over
 * both. With rho_c = n_c / n:
 *
 *   theta_tc = sum over j of r_j(t) (N_tc + h_j rho_c) / (N_t + h_j),    h_j = kappa_j / 2
 *   P(t | c) = theta_tc N_t / (n_c Z_c),    Z_c = sum over t of theta_tc N_t / n_c
 *
 * h_j is half of kappa_j on purpose: slightly less smoothing separates the classes best. A class that never had the
 * term has theta_tc = rho_c b(t), where b(t) = sum over j of r_j(t) h_j / (N_t + h_j). With g(t) = sum over j of r_j(t)
 * / (N_t + h_j), the normalization is
 *
 *   Z_c = (sum over t of b(t) N_t) / n + (sum over the terms of c of g(t) N_t N_tc) / n_c. */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_SPREAD_H
#define CRD_DENSITY_UNIVARIATE_TERM_SPREAD_H

#include "density/univariate/term_math.h"

enum { CRD_I_SPREADS = 4 };

/* Returns the number of estimated values. numbers[] contains the sum of g(t) N_t N_tc of each class, the share pi_c of
 * each class, the sum of b(t) N_t, and omega. */
size_t crd_i_term_spread_count(size_t conditions);
/* Estimates numbers[] from all selected terms of the density. */
CRD_MUST_USE crd_status crd_i_term_spread_fit(const crd_i_term_density *density, double *numbers, crd_error *error);

/* The values b(t), g(t) and N_t of a term. crd_i_term_spread_of computes them from the estimated numbers[] and the
 * counts of the term in its classes. */
typedef struct crd_i_term_spread {
    double elsewhere, factor, weight;
} crd_i_term_spread;
crd_i_term_spread crd_i_term_spread_of(const crd_i_term_density *density, const double *numbers,
                                       const crd_i_term_class *classes, size_t count);

#endif
