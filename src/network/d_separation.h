/* SPDX-License-Identifier: MIT */
/* d_separation.h - independence statements implied by the arcs (d-separation). */
#ifndef CRD_NETWORK_D_SEPARATION_H
#define CRD_NETWORK_D_SEPARATION_H

#include "network/network_internal.h"

/* Tests d-separation like crd_network_set_separation, with the second set and the evidence marked by node.
 * `is_given` marks nodes with a known state. `is_hinted` marks nodes with uncertain evidence, which acts like an
 * observed child. NULL means none. Arguments are not checked. Sets *path to NULL if the sets are separated. */
CRD_MUST_USE crd_status crd_i_separation(const crd_network *network, const size_t *a, size_t a_count, const bool *is_b,
                                         const bool *is_given, const bool *is_hinted, size_t **path, size_t *length,
                                         crd_error *error);

/* Finds the shortest path from a to b that shows a and b as common causes of `effect`. Its arcs descend from both
 * ends and meet at `effect` or at an ancestor of it, and avoid given nodes. Sets NULL if there is none. The three
 * nodes must differ. */
CRD_MUST_USE crd_status crd_i_meeting(const crd_network *network, size_t a, size_t b, size_t effect,
                                      const bool *is_given, size_t **path, size_t *length, crd_error *error);

/* ======== Relevant nodes ========
 *
 * The Bayes ball (Shachter 1998) starts at the queried nodes. It moves along arcs in both directions. It passes through
 * an observed node only from parent to parent, and returns from a node's children only if one of them is observed. The
 * visited nodes show which tables are relevant. All others are barren or d-separated. */

/* Finds, by node, whether its table is relevant for the posterior of the nodes `asked` given the nodes `observed`,
 * and whether the ball visits it. The ball visits all nodes that depend on the queried ones given the observed ones.
 * Either output may be NULL. */
CRD_MUST_USE crd_status crd_i_prune(const crd_network *network, const bool *asked, const bool *observed, bool *tables,
                                    bool *reached, crd_error *error);

#endif
