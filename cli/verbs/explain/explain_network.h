/* SPDX-License-Identifier: MIT */
/* explain_network.h - the verb explain for networks: how each finding changed the posterior, and which findings
 * explain
 * others away. */
#ifndef CREDENCE_CLI_EXPLAIN_NETWORK_H
#define CREDENCE_CLI_EXPLAIN_NETWORK_H

#include "core/invocation.h"
#include "verbs/explain/explain_what_if.h"

/* Explains the posterior of the node of --of, else --target, else `usual`, given the evidence of --given and
 * --likelihood. usual.bytes is NULL if there is no usual node. `settings` are the settings of the estimated tables;
 * NULL: the network specifies its tables. `if_result` computes counterfactuals of the classifier whose target is the
 * usual node; NULL: there is none. Returns an exit code. */
int explain_network(const invocation *call, const crd_network *network, crd_text usual, const crd_settings *settings,
                    what_if *if_result);

#endif
