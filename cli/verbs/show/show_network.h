/* SPDX-License-Identifier: MIT */
/* show_network.h - the verb show of a network: its size, and each node's parents, states and table. */
#ifndef CREDENCE_CLI_SHOW_NETWORK_H
#define CREDENCE_CLI_SHOW_NETWORK_H

#include "core/invocation.h"

/* Shows a network. `model` is the model whose counts determine the tables under `settings`; NULL if the network
 * comes from a network file. */
int show_network(const invocation *call, const crd_network *network, const crd_model *model,
                 const crd_settings *settings);
/* Shows the network of a model. Settings on the command line override the model's settings. */
int show_network_of(const invocation *call, const char *path, const crd_model *model);

#endif
