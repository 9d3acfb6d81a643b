/* SPDX-License-Identifier: MIT */
/* junction_families.h - expected counts of the families of a network, given incomplete cases.
 *
 * The family of a node, itself and its parents, is inside the clique that its table was multiplied into. After messages
 * went to the roots and back, that clique's table added up over all others is the joint posterior of the family. With
 * weights these posteriors are the expected sufficient statistics of the CPTs, which EM maximises and of which the
 * gradient of the likelihood is made (Lauritzen 1995). */
#ifndef CRD_INFER_EXACT_JUNCTION_FAMILIES_H
#define CRD_INFER_EXACT_JUNCTION_FAMILIES_H

#include "infer/exact/junction_tree.h"

typedef struct crd_i_family_counter crd_i_family_counter; /* one a thread */

/* starts: of each node, where its table begins among the counts; it and the tree must outlive the counter. */
CRD_MUST_USE crd_status crd_i_family_counter_create(const crd_i_junction *junction, const size_t *starts,
                                                    crd_i_family_counter **out, crd_error *error);
void crd_i_family_counter_destroy(crd_i_family_counter *counter); /* NULL is fine */

/* Adds `weight` times the joint posterior of the family of each wanted node to its counts, which are laid out as its table,
 * and gives the logarithm of the probability of the evidence. CRD_ERROR_PROBABILITY, without a message: it is impossible;
 * CRD_ERROR_LIMIT: the case needs more memory than the tree was allowed. */
CRD_MUST_USE crd_status crd_i_family_counter_add(crd_i_family_counter *counter, const crd_i_evidence *evidence,
                                                 const bool *wanted, double weight, double *counts,
                                                 double *log_evidence, crd_error *error);

/* Takes in the numbers that the tables of the network have now. States that were ruled out when the tree was compiled
 * stay so. No workspace is in use. */
CRD_MUST_USE crd_status crd_i_junction_reload(crd_i_junction *junction, crd_error *error);

#endif
