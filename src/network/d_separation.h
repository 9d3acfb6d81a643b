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

#endif
