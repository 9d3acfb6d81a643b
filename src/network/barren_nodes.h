/* SPDX-License-Identifier: MIT */
/* barren_nodes.h - the part of a network that a query needs, and independence of nodes.
 *
 * The Bayes ball (Shachter 1998) starts at the queried nodes. It moves along arcs in both directions, but passes
 * through an observed node only from parent to parent, and returns from a node's children only if one of them is
 * observed. The visited nodes show which tables are relevant. All others are barren or d-separated. */
#ifndef CRD_NETWORK_BARREN_NODES_H
#define CRD_NETWORK_BARREN_NODES_H

#include "network/network_internal.h"

/* Finds, by node, whether its table is relevant for the posterior of the nodes `asked` given the nodes `observed`,
 * and whether the ball visits it. The ball visits all nodes that depend on the queried ones given the observed ones.
 * Either output may be NULL. */
CRD_MUST_USE crd_status crd_i_prune(const crd_network *network, const bool *asked, const bool *observed, bool *tables,
                                    bool *reached, crd_error *error);

#endif
