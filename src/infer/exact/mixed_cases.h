/* SPDX-License-Identifier: MIT */
/* mixed_cases.h - cases of a network with Gaussian nodes.
 *
 * The set of nodes that a case observes determines the Gaussian parts and the sets of the junction tree. They are
 * compiled when the first such case occurs, and reused for cases that observe the same nodes. The result depends
 * only on the case. */
#ifndef CRD_INFER_EXACT_MIXED_CASES_H
#define CRD_INFER_EXACT_MIXED_CASES_H

#include "infer/exact/junction_tree.h"

typedef struct crd_i_mixed_cases crd_i_mixed_cases;

/* Creates the cache. `wanted` marks the nodes whose posteriors will be queried. `wanted` and the network must
 * outlive the cache. `memory` is the limit in bytes for one case; 0 means no limit. */
CRD_MUST_USE crd_status crd_i_mixed_cases_create(const crd_network *network, const bool *wanted, double memory,
                                                 crd_i_mixed_cases **out, crd_error *error);
void crd_i_mixed_cases_destroy(crd_i_mixed_cases *cases);

/* Computes the posteriors of the wanted nodes, like crd_i_junction_ask. `numbers` are the values of Gaussian nodes,
 * NaN if unknown. `moments` gets the mean and variance of wanted Gaussian nodes, two numbers per node; it may be
 * NULL. May be called by any thread. */
CRD_MUST_USE crd_status crd_i_mixed_cases_ask(crd_i_mixed_cases *cases, const crd_i_evidence *findings,
                                              const double *numbers, double *posteriors, double *moments,
                                              double *log_evidence, crd_error *error);

#endif
