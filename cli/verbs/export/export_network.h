/* SPDX-License-Identifier: MIT */
/* export_network.h - networks, and models that are some, in the formats of networks; and networks as models. */
#ifndef CREDENCE_CLI_EXPORT_NETWORK_H
#define CREDENCE_CLI_EXPORT_NETWORK_H

#include "core/invocation.h"

/* The first operand, a network's file, a model or a table that makes one, in a format. */
int export_network(const invocation *call, crd_network_format format);
/* The same as a model that states the network, with a node of it as target. */
int export_network_as_model(const invocation *call);

#endif
