/* SPDX-License-Identifier: MIT */
/* explain_network.h - the verb explain of a network: which evidence moved the answer, and which explain others away. */
#ifndef CREDENCE_CLI_EXPLAIN_NETWORK_H
#define CREDENCE_CLI_EXPLAIN_NETWORK_H

#include "core/invocation.h"

/* Explains the posterior of the node of --of (or --target, or `usual`, whose bytes are NULL where none is) given the
 * evidence of --given and --likelihood. `settings` are those that the network was counted under; NULL: its tables are
 * stated. */
int explain_network(const invocation *call, const crd_network *network, crd_text usual, const crd_settings *settings);

#endif
