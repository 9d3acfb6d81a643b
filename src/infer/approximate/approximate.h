/* SPDX-License-Identifier: MIT */
/* approximate.h - approximate inference, used when exact inference would be too expensive. See
 * docs/networks-approximate.md. */
#ifndef CRD_INFER_APPROXIMATE_APPROXIMATE_H
#define CRD_INFER_APPROXIMATE_APPROXIMATE_H

#include "infer/evidence_query.h"

/* Computes approximate posteriors with the method set in the query options: either one posterior per node or the
 * joint posterior of all nodes. Also fills in `errors`, which may be NULL, and the estimate's diagnostics in
 * `asked`. Returns CRD_ERROR_PROBABILITY, naming the findings, if they are found to contradict each other. Returns
 * CRD_ERROR_NOT_CONVERGED if the contradiction was not detected but no draw is consistent with the findings. */
CRD_MUST_USE crd_status crd_i_approximate(const crd_i_evidence_query *query, const size_t *nodes, size_t count,
                                          bool together, double *answer, double *errors, crd_inference_result *result,
                                          crd_error *error);

#endif
