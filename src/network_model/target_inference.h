/* SPDX-License-Identifier: MIT */
/* target_inference.h - exact inference of one node, the target, for many rows: a junction tree that threads share,
 * compiled when the first row needs it, or one for a row alone where that of all nodes would be too large. */
#ifndef CRD_NETWORK_MODEL_TARGET_INFERENCE_H
#define CRD_NETWORK_MODEL_TARGET_INFERENCE_H

#include "network/network_internal.h"

typedef struct crd_i_target_inference crd_i_target_inference;

/* The network and class_states, the state of the target that each class is, must outlive it. */
CRD_MUST_USE crd_status crd_i_target_inference_create(const crd_network *network, uint32_t target,
                                                      const uint32_t *class_states, size_t class_count,
                                                      crd_i_target_inference **out, crd_error *error);
void crd_i_target_inference_destroy(crd_i_target_inference *inference); /* NULL is fine */

/* The logarithm of the probability of the states that are known (others are -1) together with each class, a density where
 * Gaussian nodes are known: their states are 0, and their numbers those of `numbers`, by node (NULL where none is known);
 * -INFINITY for all where they cannot be. CRD_ERROR_LIMIT: it would take too much memory. For any thread. */
CRD_MUST_USE crd_status crd_i_target_inference_ask(crd_i_target_inference *inference, const int32_t *states,
                                                   const double *numbers, double *sums, crd_error *error);
/* The same by a tree for this row alone. */
CRD_MUST_USE crd_status crd_i_target_inference_ask_alone(const crd_i_target_inference *inference, const int32_t *states,
                                                         const double *numbers, double *sums, crd_error *error);

#endif
