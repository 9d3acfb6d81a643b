/* SPDX-License-Identifier: MIT */
/* family_score.h - decomposable scores of structures. The score of a structure is a sum over families; a family is a
 * node and its parents.
 *
 * Scores are natural logarithms, and larger is better, as in bnlearn. Let n be the weight of all rows, r the number of
 * states of the node, and q the number of combinations of states of its discrete parents, whether or not they occur.
 * n_jk is the weight of the rows with combination j and state k, n_j its sum over k, and a_jk are pseudo-counts with
 * the sum a_j:
 *
 *   loglik   sum_jk n_jk log(n_jk / n_j)
 *   bic      loglik - log(n) / 2 * (r - 1) q   (Schwarz 1978)
 *   aic      loglik - (r - 1) q                (Akaike 1974)
 *   bdeu:S   sum_j [log(Gamma(a_j) / Gamma(a_j + n_j)) + sum_k log(Gamma(a_jk + n_jk) / Gamma(a_jk))]
 *            with a_jk = S / (r q): the log marginal likelihood under Dirichlet priors
 *            (Buntine 1991; Heckerman, Geiger and Chickering 1995)
 *   k2       the log marginal likelihood with a_jk = 1 (Cooper and Herskovits 1992)
 *
 * A numeric node is conditional linear Gaussian (Lauritzen and Wermuth 1989): normal and linear in its numeric parents,
 * with its own coefficients and variance for each of the q combinations j of its discrete parents. With p numeric
 * parents, n_j rows and the residual sum of squares RSS_j,
 *
 *   loglik   sum over rows of log N(x | fitted mean, RSS_j / (n_j - p - 1))
 *
 * and bic and aic count p + 2 parameters for each combination. The score is -INFINITY if a combination has rows, but at
 * most p + 1, or if the parents leave less than 1e-13 of the variance. Parents that are linear in other parents get no
 * coefficient. A numeric column that does not vary scores 0 without parents.
 *
 *   bge:S    the log marginal likelihood under a normal-Wishart prior (Geiger and Heckerman 1994, as corrected by
 *            Kuipers, Moffa and Heckerman 2014), for numeric nodes only. S is the equivalent sample size of the mean
 *            (1 by default). The Wishart prior has N + 2 degrees of freedom with N nodes, and the prior mean is the
 *            mean of the rows. The formula is in gaussian_family.h.
 *
 * A categorical node with a numeric parent scores -INFINITY.
 *
 * Missing values: let n_S be the weight of the rows that are complete in a family, and s_S its score over these rows.
 * If no parent has missing values, the family scores n / n_S s_S. Otherwise families would be compared over different
 * rows, and differences between rows would be mistaken for differences between families. Therefore a parent's gain is
 * computed over the same rows with and without it, and the score is the minimum over the parents (the first one only,
 * if there are more than 8):
 *
 *   s(x | P) = min over p in P of  s(x | P - p) + n / n_S (s_S(x | P) - s_S(x | P - p))
 *
 * So a parent that gains nothing adds nothing. The gain of a parent that is known in a part of the rows is scaled to
 * all rows, so values missing at random do not count against it. The score of a categorical node is at most minus its
 * penalty.
 *
 * A score depends only on the table, the kind of score, the node and the set of parents. Sums over categorical
 * tables are in fixed point, so the order in which tables are counted does not matter. */
#ifndef CRD_STRUCTURE_FAMILY_SCORE_H
#define CRD_STRUCTURE_FAMILY_SCORE_H

#include "base/context.h"
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
    double sample_size; /* equivalent sample size of BDeu and BGe; above 0 */
} crd_i_score;

/* Parses a score: loglik, bic, aic, bdeu, bdeu:S, k2, bge or bge:S. S is 1 by default. Returns CRD_ERROR_SETTING if
 * `text` is not a score or S is out of range. */
CRD_MUST_USE crd_status crd_i_score_parse(crd_text text, crd_i_score *out, crd_error *error);

/* The scores of the families of a table, with a cache. Each object is for one thread at a time; objects created by
 * crd_i_family_scores_share use the same cache. */
typedef struct crd_i_family_scores crd_i_family_scores;

/* Creates scores over a table, which must outlive them. Returns CRD_ERROR_SETTING if the score does not support a
 * column type of the table: BGe supports only numeric columns, BDeu and K2 only categorical columns. */
CRD_MUST_USE crd_status crd_i_family_scores_create(const crd_i_case_table *table, crd_i_score score,
                                                   crd_i_family_scores **out, crd_error *error);
/* Creates scores for another thread, which share the immutable data and the cache. Destroy them before `scores`. */
CRD_MUST_USE crd_status crd_i_family_scores_share(const crd_i_family_scores *scores, crd_i_family_scores **out,
                                                  crd_error *error);
void crd_i_family_scores_destroy(crd_i_family_scores *scores); /* NULL is allowed */

/* Computes the score of a family. Parents are in ascending order. */
CRD_MUST_USE crd_status crd_i_family_score(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                           size_t parent_count, double *score, crd_error *error);
/* Computes for each candidate the score of the node after toggling the arc from the candidate: with it as a parent
 * if it is not a parent, else without it. The table of the node and its parents is counted only once. Returns
 * CRD_ERROR_CANCELLED or CRD_ERROR_DEADLINE if stopped. */
CRD_MUST_USE crd_status crd_i_family_scores_toggle(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                                   size_t parent_count, const uint32_t *candidates, size_t count,
                                                   double *toggled, crd_error *error);
/* Returns whether the cache contains the score of a toggled family. */
bool crd_i_family_scores_know_toggled(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                      size_t parent_count, uint32_t candidate);
/* Stores the score of a toggled family in the cache. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_family_scores_put_toggled(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                                  size_t parent_count, uint32_t candidate, double score);
/* Returns whether the column types allow `parent` as a parent of `node`. */
bool crd_i_family_scores_fit(const crd_i_family_scores *scores, size_t parent, size_t node);
/* Returns how many different families were scored, by all objects that share the cache. At most a million are
 * counted. Call it only while no thread computes scores. */
uint64_t crd_i_family_scores_computed(const crd_i_family_scores *scores);

/* ---- the contribution of a count to a score, in fixed point.
 *
 * Scores of categorical nodes are sums over table entries of a function of the count n: n log n, or log Gamma(a + n)
 * - log Gamma(a). Terms are integer multiples of 2^-shift. Sums of integers do not depend on the order of the terms,
 * so equal families have equal scores however they were counted. The function values are tabulated if there are not
 * too many rows. */

/* The terms of one function: n log n if `pseudo` is 0, else log Gamma(pseudo + n) - log Gamma(pseudo). Immutable. */
typedef struct crd_i_count_terms {
    crd_context *context;
    double pseudo;
    double scale;    /* 2^shift */
    int64_t *values; /* terms of the counts below `size`; NULL: no table */
    size_t size;
} crd_i_count_terms;

/* Returns 2^shift for a table with `rows` rows and pseudo-counts of at least `least_pseudo` (0: no pseudo-counts).
 * Sums of the terms of all rows stay below 2^62. */
double crd_i_count_terms_scale(double rows, double least_pseudo);
/* Initializes the terms for counts up to `rows`. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_count_terms_init(crd_i_count_terms *terms, crd_context *context, double pseudo, double scale,
                                         double rows);
void crd_i_count_terms_clear(crd_i_count_terms *terms); /* terms that are all zero need no clearing */

/* Returns the term of a count beyond the table, in fixed point. */
int64_t crd_i_count_term_far(const crd_i_count_terms *terms, double count);

/* Returns the term of `count` in fixed point. */
static inline int64_t crd_i_count_term(const crd_i_count_terms *terms, size_t count) {
    return count < terms->size ? terms->values[count] : crd_i_count_term_far(terms, (double)count);
}

#endif
