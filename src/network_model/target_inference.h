/* SPDX-License-Identifier: MIT */
/* target_inference.h - exact inference of one node, the target, for many rows. Threads share a junction tree, which is
 * compiled when the first row needs it. If the tree of all nodes would be too large, each row gets its own tree. */
#ifndef CRD_NETWORK_MODEL_TARGET_INFERENCE_H
#define CRD_NETWORK_MODEL_TARGET_INFERENCE_H

#include "network/network_internal.h"

typedef struct crd_i_target_inference crd_i_target_inference;

/* Creates the inference. class_states[k] is the target's state for class k. The network and class_states must outlive
 * *out. */
CRD_MUST_USE crd_status crd_i_target_inference_create(const crd_network *network, uint32_t target,
                                                      const uint32_t *class_states, size_t class_count,
                                                      crd_i_target_inference **out, crd_error *error);
void crd_i_target_inference_destroy(crd_i_target_inference *inference); /* NULL is allowed */

/* Computes for each class the log joint probability of the class and the evidence; -INFINITY for all classes if the
 * evidence is impossible. `states` contains the observed state of each node, or -1. Observed Gaussian nodes have state
 * 0 and their value in `numbers`, which is indexed by node (NULL if there are none), and contribute a density. Returns
 * CRD_ERROR_LIMIT if inference would need too much memory. Threads may call it at the same time. */
CRD_MUST_USE crd_status crd_i_target_inference_ask(crd_i_target_inference *inference, const int32_t *states,
                                                   const double *numbers, double *sums, crd_error *error);
/* Computes the result of crd_i_target_inference_ask with a junction tree for this row only. */
CRD_MUST_USE crd_status crd_i_target_inference_ask_alone(const crd_i_target_inference *inference, const int32_t *states,
                                                         const double *numbers, double *sums, crd_error *error);

#endif
