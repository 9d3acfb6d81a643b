/* SPDX-License-Identifier: MIT */
/* barren_nodes.h - what a question needs of a network, and which nodes have nothing to do with each other.
 *
 * A ball is rolled from the nodes that are asked (Shachter 1998): it passes along an arc or against it, but not
 * through a node that is observed, unless it came from a parent, and back from a node's children only where one of them
 * is observed. Where it comes by shows which tables count; all others are barren or d-separated. */
#ifndef CRD_NETWORK_BARREN_NODES_H
#define CRD_NETWORK_BARREN_NODES_H

#include "network/network_internal.h"

/* By node: whether its table counts for the posterior of the nodes `asked` where those of `observed` are known, and
 * whether the ball comes by, as it does at all nodes that depend on the asked ones, given the observed. Either may be
 * NULL. */
CRD_MUST_USE crd_status crd_i_prune(const crd_network *network, const bool *asked, const bool *observed, bool *tables,
                                    bool *reached, crd_error *error);

#endif
