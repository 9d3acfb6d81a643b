/* SPDX-License-Identifier: MIT */
/* credence/structure_score.h - scores how well the structure of a network fits rows. */
#ifndef CREDENCE_STRUCTURE_SCORE_H
#define CREDENCE_STRUCTURE_SCORE_H

#ifndef CRD_EXPERIMENTAL
#error "credence/structure_score.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>
#include <credence/data.h>
#include <credence/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Scores ----
 *
 * A score evaluates only the structure. Its parameters are estimated from the rows, so the tables of the network have
 * no effect. Scores are natural logarithms, and larger is better. The total is the sum of the scores of all families; a
 * family is a node with its parents:
 *   loglik  maximum log likelihood. The variance of a continuous node is the residual sum of squares divided by the
 *           rows minus the number of coefficients, for each combination of its discrete parents.
 *   bic     loglik - log(n) / 2 * parameters, where n is the number of rows (Schwarz 1978)
 *   aic     loglik - parameters (Akaike 1974)
 *   bdeu:S  log marginal likelihood under Dirichlet priors whose S pseudo-counts are spread evenly over the family's
 *           table; S is 1 by default (Heckerman, Geiger and Chickering 1995)
 *   k2      log marginal likelihood under Dirichlet priors with one pseudo-count per entry (Cooper and Herskovits 1992)
 *   bge:S   log marginal likelihood under a normal-Wishart prior with S pseudo-rows, for continuous nodes only; S is 1
 *           by default (Geiger and Heckerman 1994)
 * The states of a node are the network's states, whether or not they occur in a row. If values are missing, a family is
 * scored on the rows that have all of its values. The score is then multiplied by n divided by the number of these
 * rows. */
/* The scores of the families of a network. Read-only. */
typedef struct crd_structure_score {
    void *arena;  /* for the library */
    size_t count; /* number of nodes, with the indices of the network */
    /* The sum of the scores. It is -INFINITY if a combination of discrete parents has too few rows for a variance, or has
     * a variance of 0. */
    double total;
    double rows;        /* total weight of the rows */
    double *nodes;      /* the score of each node's family */
    double *parameters; /* the number of free parameters of each node's family */
} crd_structure_score;

/* Scores the structure of a network on all rows of a reader, in *out. No row of the reader may have been read. Columns
 * are matched with nodes as in crd_network_bind. `by` is the name of the score. Destroy the result with
 * crd_structure_score_destroy.
 *
 * Returns CRD_ERROR_SETTING if the score is unknown or does not support these node types. Returns CRD_ERROR_COLUMN if a
 * node has no column. Returns CRD_ERROR_SCHEMA_DIFFERS if a value is not a state of its node, and CRD_ERROR_ARGUMENT if
 * the network has decision or utility nodes. */
CRD_API CRD_MUST_USE crd_status crd_structure_score_create(const crd_network *network, crd_reader *reader, crd_text by,
                                                           crd_structure_score **out, crd_error *error);
/* Frees the object. `score` may be NULL. */
CRD_API void crd_structure_score_destroy(crd_structure_score *score);

#ifdef __cplusplus
}
#endif
#endif
