/* explain_network_print.h - what explain found out about a node of a network, for people. */
#ifndef CREDENCE_CLI_EXPLAIN_NETWORK_PRINT_H
#define CREDENCE_CLI_EXPLAIN_NETWORK_PRINT_H

#include "core/output.h"
#include "verbs/explain/explain_network_json.h"

/* Distribution, findings, what they do to each other, and how they are joined with the node. */
int explained_print(output *out, const explained *e, bool all);

#endif
