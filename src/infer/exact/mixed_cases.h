/* SPDX-License-Identifier: MIT */
/* mixed_cases.h - cases of a network with Gaussian nodes.
 *
 * Which nodes a case observes decides how the Gaussian ones fall into parts, and which sets the junction tree needs.
 * That is compiled when the first case needs it, and kept for those that observe the same nodes. An answer is a function
 * of the case alone. */
#ifndef CRD_INFER_EXACT_MIXED_CASES_H
#define CRD_INFER_EXACT_MIXED_CASES_H

#include "infer/exact/junction_tree.h"

typedef struct crd_i_mixed_cases crd_i_mixed_cases;

/* `wanted`: by node, those whose posteriors will be asked; it has to outlive this, as has the network.
 * memory: bytes that one case may take; 0: no limit. */
CRD_MUST_USE crd_status crd_i_mixed_cases_create(const crd_network *network, const bool *wanted, double memory,
                                                 crd_i_mixed_cases **out, crd_error *error);
void crd_i_mixed_cases_destroy(crd_i_mixed_cases *cases);

/* As crd_i_junction_ask, of the nodes wanted; `numbers` are those of Gaussian nodes, by node, NaN where they are not
 * known. `moments` has room for two numbers a node, and gets mean and variance of the Gaussian nodes wanted; NULL: they
 * are not asked for. For any thread. */
CRD_MUST_USE crd_status crd_i_mixed_cases_ask(crd_i_mixed_cases *cases, const crd_i_evidence *findings,
                                              const double *numbers, double *posteriors, double *moments,
                                              double *log_evidence, crd_error *error);

#endif
