/* SPDX-License-Identifier: MIT */
/* sample_network.h - draws rows from a network. */
#ifndef CREDENCE_CLI_SAMPLE_NETWORK_H
#define CREDENCE_CLI_SAMPLE_NETWORK_H

#include "core/invocation.h"

/* Draws rows given the evidence of the command line. They have a column for each node except utilities, in the order
 * of the nodes. */
int sample_network(const invocation *call, const crd_network *network);

#endif
