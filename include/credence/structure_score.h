/* SPDX-License-Identifier: MIT */
/* credence/structure_score.h - how well the structure of a network fits rows. */
#ifndef CREDENCE_STRUCTURE_SCORE_H
#define CREDENCE_STRUCTURE_SCORE_H

#include <credence/base.h>
#include <credence/data.h>
#include <credence/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Scores ----
 *
 * Of the structure alone, whose parameters are estimated from the rows: the tables of the network have no effect. Natural
 * logarithms, larger is better; the score is the sum of those of the families, a node and its parents:
 *   loglik  log likelihood at its maximum; the variance of a continuous node is the residual sum of squares divided by
 *           the rows less the coefficients, for each combination of its discrete parents
 *   bic     loglik - log(n) / 2 * parameters, n being the rows
 *   aic     loglik - parameters
 *   bdeu:S  log marginal likelihood under Dirichlet priors of S pseudo-counts in all, spread evenly (1)
 *   k2      the same with one pseudo-count in each cell
 *   bge:S   log marginal likelihood under a normal-Wishart prior with S pseudo-rows (1), of continuous nodes alone
 * The states of a node are the network's, whether or not a row has them. Where cells are missing, a family is scored by the
 * rows that have all of its cells, times n divided by their number. */
typedef struct crd_structure_score crd_structure_score;

/* Reads all rows of a fresh reader, whose columns meet the nodes as in crd_network_bind. CRD_ERROR_SETTING: there is no such
 * score, or not of nodes of these kinds; CRD_ERROR_COLUMN: a node has no column; CRD_ERROR_SCHEMA_DIFFERS: a cell is no state
 * of its node; CRD_ERROR_ARGUMENT: the network has decisions or utilities. */
CRD_API CRD_MUST_USE crd_status crd_structure_score_create(const crd_network *network, crd_reader *reader, crd_text by,
                                                           crd_structure_score **out, crd_error *error);
CRD_API void crd_structure_score_destroy(crd_structure_score *score); /* NULL is fine */

/* -INFINITY where a combination of discrete parents has too few rows for a variance, or there is none left. */
CRD_API double crd_structure_score_total(const crd_structure_score *score);
/* Of a node of the network, by its index: its family's score, and how many free parameters it has. */
CRD_API double crd_structure_score_node(const crd_structure_score *score, size_t node);
CRD_API double crd_structure_score_parameters(const crd_structure_score *score, size_t node);
CRD_API double crd_structure_score_rows(const crd_structure_score *score);

#ifdef __cplusplus
}
#endif
#endif
