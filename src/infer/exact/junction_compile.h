/* SPDX-License-Identifier: MIT */
/* junction_compile.h - expected family counts of a network given incomplete cases.
 *
 * The family of a node, the node and its parents, is contained in the clique that its table was multiplied into.
 * After messages have been passed to the roots and back, summing that clique's table over all other variables gives
 * the joint posterior of the family. Weighted sums of these posteriors are the expected sufficient statistics of the
 * CPTs. EM uses them in its M step, and the gradient of the likelihood is computed from them (Lauritzen 1995). */
#ifndef CRD_INFER_EXACT_JUNCTION_COMPILE_H
#define CRD_INFER_EXACT_JUNCTION_COMPILE_H

#include "infer/exact/junction_tree.h"

typedef struct crd_i_family_counter crd_i_family_counter; /* one per thread */

/* Creates a counter. `starts` contains the start of each node's table among the counts. `starts` and the tree must
 * outlive the counter. */
CRD_MUST_USE crd_status crd_i_family_counter_create(const crd_i_junction *junction, const size_t *starts,
                                                    crd_i_family_counter **out, crd_error *error);
void crd_i_family_counter_destroy(crd_i_family_counter *counter); /* accepts NULL */

/* Adds `weight` times the joint family posterior of each wanted node to its counts, which have the layout of its
 * table. Sets the log probability of the evidence. Returns CRD_ERROR_PROBABILITY, without a message, if the evidence
 * is impossible, and CRD_ERROR_LIMIT if the case needs more memory than the tree may use. */
CRD_MUST_USE crd_status crd_i_family_counter_add(crd_i_family_counter *counter, const crd_i_evidence *evidence,
                                                 const bool *wanted, double weight, double *counts,
                                                 double *log_evidence, crd_error *error);

/* Reloads the current table entries of the network. States that were ruled out when the tree was compiled stay ruled
 * out. No workspace may be in use. */
CRD_MUST_USE crd_status crd_i_junction_reload(crd_i_junction *junction, crd_error *error);

#endif
