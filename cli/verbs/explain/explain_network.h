/* SPDX-License-Identifier: MIT */
/* explain_network.h - the verb explain of a network: which evidence moved the answer, and which explain others away. */
#ifndef CREDENCE_CLI_EXPLAIN_NETWORK_H
#define CREDENCE_CLI_EXPLAIN_NETWORK_H

#include "core/invocation.h"
#include "verbs/explain/explain_what_if.h"

/* Explains the posterior of the node of --of (or --target, or `usual`, whose bytes are NULL where none is) given the
 * evidence of --given and --likelihood. `settings` are those that the network was counted under; NULL: its tables are
 * stated. `asked` is of the classifier whose target is the usual node; NULL: there is none. */
int explain_network(const invocation *call, const crd_network *network, crd_text usual, const crd_settings *settings,
                    what_if *if_result);

#endif
