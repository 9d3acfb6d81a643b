/* SPDX-License-Identifier: MIT */
/* junction_collect.h - draws from the joint posterior of all variables of a junction tree.
 *
 * After messages have been passed to the roots, each column of a clique's table corresponds to a combination of
 * states shared with its parent. The column is proportional to the probabilities of the clique's own variables given
 * these states and all evidence. Drawing clique by clique from the roots down therefore draws from the joint
 * posterior (Dawid 1992). */
#ifndef CRD_INFER_EXACT_JUNCTION_COLLECT_H
#define CRD_INFER_EXACT_JUNCTION_COLLECT_H

#include "infer/exact/junction_tree.h"
#include "math/random.h"

/* Prepares the workspace for draws given the evidence. The workspace keeps the evidence until its next query.
 * Returns CRD_ERROR_PROBABILITY, naming contradictory findings, if the evidence is impossible. */
CRD_MUST_USE crd_status crd_i_junction_draw_begin(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                  crd_error *error);

/* Draws the states of all unobserved nodes, stored by node. Other states are unchanged. Uses one random number for
 * each clique that has something to draw. */
void crd_i_junction_draw(const crd_i_junction_work *work, crd_i_random *random, int32_t *states);

#endif
