/* SPDX-License-Identifier: MIT */
/* d_separation.h - what the arcs alone say about independence. */
#ifndef CRD_NETWORK_D_SEPARATION_H
#define CRD_NETWORK_D_SEPARATION_H

#include "network/network_internal.h"

/* As crd_network_set_separation, with the second set marked by node, and so what is known: `is_given` a node's state,
 * `is_hinted` something of it that leaves its state open, which is as if a child of it were given. NULL: none. Nothing
 * is checked. *path is NULL where the sets are separated. */
CRD_MUST_USE crd_status crd_i_separation(const crd_network *network, const size_t *a, size_t a_count, const bool *is_b,
                                         const bool *is_given, const bool *is_hinted, size_t **path, size_t *length,
                                         crd_error *error);

/* The shortest path from a to b whose arcs, going down from both, meet at a node that is `effect` or from which
 * arcs lead to it, none of them through a node that is given: how a and b are both causes of it. NULL: there is none.
 * All three differ. */
CRD_MUST_USE crd_status crd_i_meeting(const crd_network *network, size_t a, size_t b, size_t effect,
                                      const bool *is_given, size_t **path, size_t *length, crd_error *error);

#endif
