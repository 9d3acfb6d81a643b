/* SPDX-License-Identifier: MIT */
/* junction_sample.h - draws of all variables of a junction tree together, given evidence.
 *
 * After messages went to the roots, a column of a clique's table, which belongs to states of what the clique shares
 * with its parent, is in proportion to the probabilities of its own variables given these states and all evidence. So
 * going back from the roots, clique after clique, draws from the joint posterior itself (Dawid 1992). */
#ifndef CRD_INFER_EXACT_JUNCTION_SAMPLE_H
#define CRD_INFER_EXACT_JUNCTION_SAMPLE_H

#include "infer/exact/junction_tree.h"
#include "math/random.h"

/* Makes the workspace ready for draws given the evidence, which it keeps until it is asked something else. Findings
 * that cannot be are CRD_ERROR_PROBABILITY, and the message names some that contradict each other. */
CRD_MUST_USE crd_status crd_i_junction_draw_begin(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                  crd_error *error);

/* Draws the states of the nodes that are not observed, by node; others are left as they are. Takes one number for each
 * clique that has something to draw. */
void crd_i_junction_draw(const crd_i_junction_work *work, crd_i_random *random, int32_t *states);

#endif
