/* SPDX-License-Identifier: MIT */
/* show_network.h - the verb show of a network: its size, and each node's parents, states and table. */
#ifndef CREDENCE_CLI_SHOW_NETWORK_H
#define CREDENCE_CLI_SHOW_NETWORK_H

#include "core/invocation.h"

/* `model` is what the network was counted by, under `settings`; NULL where it comes from a file of its own. */
int show_network(const invocation *call, const crd_network *network, const crd_model *model,
                 const crd_settings *settings);
/* The network that a model has counted, under the settings of the command line over its own. */
int show_network_of(const invocation *call, const char *path, const crd_model *model);

#endif
