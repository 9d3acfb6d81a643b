/* pairwise.h - every attribute and every pair of attributes, each to a fitted power.
 *
 *   log P(c | x) = log P(c) + sum over i of w_i log P(x_i | c)
 *                + sum over pairs of v_ij [log P(x_j | c, x_i) - log P(x_j | c)] - log evidence
 *
 * Naive Bayes has w = 1 and v = 0; one whose attributes depend on each other as a tree has v = 1 on the tree's pairs. The
 * exponents here, none below zero, are those under which the classes of rows that were held out are most likely; they
 * begin at naive Bayes, and no structure is searched for: pairs that add nothing stay near zero. */
#ifndef CRD_FIT_PAIRWISE_H
#define CRD_FIT_PAIRWISE_H

#include "density/multivariate/joint_density.h"
#include "fit/held_out.h"

typedef struct crd_i_pairwise crd_i_pairwise;

/* The terms are those of an averaged one-dependence estimator, which it takes over, also when it fails; attributes are
 * those of its columns. The exponents are those of naive Bayes until they are set or fitted. */
CRD_MUST_USE crd_status crd_i_pairwise_create(const crd_classifier *classifier, crd_i_joint *a1de,
                                              const size_t *attributes, crd_i_pairwise **out, crd_error *error);
void crd_i_pairwise_destroy(crd_i_pairwise *pairwise); /* NULL is fine */
size_t crd_i_pairwise_room(const crd_i_pairwise *pairwise);

/* The exponents: of the columns, then of the pairs; crd_i_pairwise_set takes some that were fitted before. */
const double *crd_i_pairwise_exponents(const crd_i_pairwise *pairwise, size_t *count);
void crd_i_pairwise_set(crd_i_pairwise *pairwise, const double *exponents);
CRD_MUST_USE crd_status crd_i_pairwise_fit(crd_i_pairwise *pairwise, const crd_classifier *classifier,
                                           const crd_i_held_out *inner, crd_error *error);

/* How many columns it pairs, and which attribute of the classifier each is. Exponents of pairs come after those of the
 * columns: (0, 1), (0, 2), ... (1, 2), ... */
size_t crd_i_pairwise_columns(const crd_i_pairwise *pairwise, const size_t **attributes);

/* The terms of a row as they are added: of each exponent, all classes. */
void crd_i_pairwise_terms(const crd_i_pairwise *pairwise, const crd_i_one_cell *cells, double *terms, double *room);
/* Adds the terms of a row, whose cells are the classifier's. */
void crd_i_pairwise_add(const crd_i_pairwise *pairwise, const crd_i_one_cell *cells, double *sums, double *room);

#endif
