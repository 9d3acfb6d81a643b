/* SPDX-License-Identifier: MIT */
/* sample_network.h - the verb sample of a network. */
#ifndef CREDENCE_CLI_SAMPLE_NETWORK_H
#define CREDENCE_CLI_SAMPLE_NETWORK_H

#include "core/invocation.h"

/* Draws rows with a column for each node but utilities, in their order, given the evidence of the command line. */
int sample_network(const invocation *call, const crd_network *network);

#endif
