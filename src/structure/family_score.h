/* SPDX-License-Identifier: MIT */
/* family_score.h - decomposable scores of structures: a sum over families, a node and its parents.
 *
 * Natural logarithms, larger is better, as bnlearn has them. n is the weight of all rows, r the states of the node, q the
 * combinations of its discrete parents' states, whether or not a row has them, n_jk the rows of combination j and state k:
 *   loglik   sum_jk n_jk log(n_jk / n_j)
 *   bic      loglik - log(n) / 2 * (r - 1) q
 *   aic      loglik - (r - 1) q
 *   bdeu:S   log marginal likelihood under Dirichlet priors of S / (r q) pseudo-counts in each cell
 *   k2       the same with one pseudo-count in each cell
 * A number is a normal variable, linear in its number parents, with coefficients and a variance of its own for each of the q
 * combinations j of its discrete parents (conditional linear Gaussian): with p number parents and n_j rows
 *   loglik   sum over rows of log N(x | fitted mean, RSS_j / (n_j - p - 1))
 * and p + 2 parameters for each combination in bic and aic. It is -INFINITY where a combination has rows, but no more than p
 * + 1, or the parents leave less than 1e-13 of the variance; parents that are linear in others do without a coefficient. A
 * number that does not vary scores 0 without parents.
 *   bge:S    of numbers alone: log marginal likelihood under a normal-Wishart prior (Geiger and Heckerman 1994, with the
 *            correction of Kuipers, Moffa and Heckerman 2014), S pseudo-rows for the mean (1), N + 2 degrees of freedom with N
 *            nodes, the prior mean that of the rows
 * A category with a number among its parents has no score: -INFINITY.
 *
 * Missing cells: of n_S rows that have all cells of a family, whose score is s_S, a family scores n / n_S s_S where no parent
 * has missing cells. Else families of different rows would be compared, and the differences of rows taken for those of
 * families; so the score is that without a parent, and what this one gains, both terms of which are of the same rows, and the
 * least of these sums over the parents (of more than 8, the first):
 *   s(x | P) = min over p of s(x | P - p) + n / n_S (s_S(x | P) - s_S(x | P - p))
 * So a parent that gains nothing adds nothing, and one that is known in part of the rows gains in proportion to all, so that
 * what is missing at random does not count against it. A category's score is at most minus its penalty.
 *
 * Values are a function of the table, the score, the node and the set of parents: sums are in fixed point where they are over
 * categories, so that no order in which tables were counted shows. */
#ifndef CRD_STRUCTURE_FAMILY_SCORE_H
#define CRD_STRUCTURE_FAMILY_SCORE_H

#include "cases/case_table.h"

typedef enum crd_i_score_kind {
    CRD_I_SCORE_LOGLIK,
    CRD_I_SCORE_BIC,
    CRD_I_SCORE_AIC,
    CRD_I_SCORE_BDEU,
    CRD_I_SCORE_K2,
    CRD_I_SCORE_BGE
} crd_i_score_kind;

typedef struct crd_i_score {
    crd_i_score_kind kind;
    double sample_size; /* pseudo-counts, of BDEU and BGE; above 0 */
} crd_i_score;

/* loglik, bic, aic, bdeu, bdeu:S, k2, bge, bge:S; S is 1 where it is left out. CRD_ERROR_SETTING. */
CRD_MUST_USE crd_status crd_i_score_parse(crd_text text, crd_i_score *out, crd_error *error);

/* The scores of a table's families, cached. For one thread at a time; those that share have the cache in common. */
typedef struct crd_i_family_scores crd_i_family_scores;

/* The table outlives it. CRD_ERROR_SETTING: the score does not take the table's kinds of columns: BGE only numbers, BDEU
 * and K2 only categories. */
CRD_MUST_USE crd_status crd_i_family_scores_create(const crd_i_case_table *table, crd_i_score score,
                                                   crd_i_family_scores **out, crd_error *error);
/* Another one for another thread, with what is immutable in common: destroyed before the first. */
CRD_MUST_USE crd_status crd_i_family_scores_share(const crd_i_family_scores *scores, crd_i_family_scores **out,
                                                  crd_error *error);
void crd_i_family_scores_destroy(crd_i_family_scores *scores); /* NULL is fine */

/* Parents in ascending order. */
CRD_MUST_USE crd_status crd_i_family_score(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                           size_t parent_count, double *score, crd_error *error);
/* For each candidate the score with it among the parents, where it is none of them, or else without it: what changes one
 * arc into the node. Tables are counted on what the parents have in common. CRD_ERROR_CANCELLED, CRD_ERROR_DEADLINE. */
CRD_MUST_USE crd_status crd_i_family_scores_toggle(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                                   size_t parent_count, const uint32_t *candidates, size_t count,
                                                   double *toggled, crd_error *error);
/* Whether the score of one of these is known; and makes it known. false: out of memory. */
bool crd_i_family_scores_know_toggled(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                      size_t parent_count, uint32_t candidate);
CRD_MUST_USE bool crd_i_family_scores_put_toggled(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                                  size_t parent_count, uint32_t candidate, double score);
/* Whether a node may be a parent of another, by their kinds. */
bool crd_i_family_scores_fit(const crd_i_family_scores *scores, size_t parent, size_t node);
/* How many different families were scored, by all that share: at most a million are counted. While no thread scores. */
uint64_t crd_i_family_scores_computed(const crd_i_family_scores *scores);

#endif
