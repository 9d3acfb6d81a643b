/* SPDX-License-Identifier: MIT */
/* export_network.h - writes networks, and models that are networks, in network formats, and networks as models. */
#ifndef CREDENCE_CLI_EXPORT_NETWORK_H
#define CREDENCE_CLI_EXPORT_NETWORK_H

#include "core/invocation.h"

/* Writes the network of the first operand in a format. The operand is a network file, a model, or a table from which
 * a model is trained. */
int export_network(const invocation *call, crd_network_format format);
/* Writes the network of the first operand as a model with these tables. The target is a node of it. */
int export_network_as_model(const invocation *call);

#endif
