/* SPDX-License-Identifier: MIT */
/* network_or_model.h - whether what stands in the place of MODEL is a network, and the network that it is. */
#ifndef CREDENCE_CLI_NETWORK_OR_MODEL_H
#define CREDENCE_CLI_NETWORK_OR_MODEL_H

#include "core/invocation.h"

/* The network that a network's file holds, or that a model file states or has counted, or that --method network counts
 * from a table with --target or --structure, under the settings of the command line over its own. *out is NULL, and all
 * is well, where the path is neither. *settings, which may be NULL, are those that it was counted under, for the caller
 * to destroy; NULL where its tables are stated. */
int network_or_model_open(const invocation *call, const char *path, crd_network **out, crd_settings **settings);

/* The same where it has to be one, for a verb by its name; of a model of categories that is no network of its own, the one
 * in which the class is the parent of each of them. */
int network_or_model_need(const invocation *call, const char *verb, const char *path, crd_network **out);

#endif
