/* SPDX-License-Identifier: MIT */
/* approximate.h - estimates where exact answers would take too much: see docs/networks-approximate.md. */
#ifndef CRD_INFER_APPROXIMATE_APPROXIMATE_H
#define CRD_INFER_APPROXIMATE_APPROXIMATE_H

#include "infer/evidence_query.h"

/* The answer to a question by its options' approximation: posteriors of nodes one after the other, or their joint
 * posterior. errors, which may be NULL, and what asked says of the estimate are filled in too. Findings that are seen
 * to contradict each other are CRD_ERROR_PROBABILITY, naming them; where it could not be seen and no draw agrees with
 * them, it is CRD_ERROR_NOT_CONVERGED. */
CRD_MUST_USE crd_status crd_i_approximate(const crd_i_evidence_query *question, const size_t *nodes, size_t count,
                                          bool together, double *answer, double *errors, crd_inference_result *asked,
                                          crd_error *error);

#endif
