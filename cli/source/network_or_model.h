/* SPDX-License-Identifier: MIT */
/* network_or_model.h - opens the MODEL operand as a network, if it is one. */
#ifndef CREDENCE_CLI_NETWORK_OR_MODEL_H
#define CREDENCE_CLI_NETWORK_OR_MODEL_H

#include "core/invocation.h"

/* Opens a network: from a network file, from a model file that contains or has learned one, or from a table with
 * --target or --arcs and --method network. The settings of the command line override the model's own. Sets *out to
 * NULL without failing if the path is none of these. `settings` may be NULL. Otherwise *settings is set to the settings
 * that the tables were estimated with, for the caller to destroy; NULL if the tables were specified. */
int network_or_model_open(const invocation *call, const char *path, crd_network **out, crd_settings **settings);

/* Opens a network as network_or_model_open does, and fails if the path is not a network. `verb` is for messages. A
 * model of categories that is not a network becomes the network in which the class is the parent of each attribute. */
int network_or_model_need(const invocation *call, const char *verb, const char *path, crd_network **out);

#endif
