/* SPDX-License-Identifier: MIT */
/* network_model.h - a network as a model that predicts one of its nodes. */
#ifndef CREDENCE_CLI_NETWORK_MODEL_H
#define CREDENCE_CLI_NETWORK_MODEL_H

#include "core/invocation.h"

/* The model that states the network of a file, with the node as target that --target names. Where it names none, that
 * is the one node which the rows to be answered (`paths`) have no column for. */
int network_model_load(const invocation *call, const char *path, const char *const *paths, size_t path_count,
                       crd_model **out);
/* The same of a network, of which `name` speaks: where --target names no node, it is `usual`; no bytes: none is. */
int network_model_make(const invocation *call, const crd_network *network, const char *name, crd_text usual,
                       crd_model **out);
/* Puts a model that answers for another node, the one that --target names, in the place of a model that is a network;
 * it states what that is under the settings of the command line. Does nothing where that is its target already, or none
 * is named. */
int network_model_turn(const invocation *call, const char *path, crd_model **model);

/* The same of a model that was counted without a target, where --target names none either: it answers for the one node
 * which the rows of these paths have no column for. Does nothing where the model has a target. */
int network_model_find_target(const invocation *call, const char *path, const char *const *paths, size_t path_count,
                              crd_model **model);

/* Whether a model states a network, rather than having counted one. */
bool network_model_is_stated(const crd_model *model);
/* What is left out where it was never seen: cells or, of texts, words. */
const char *network_model_unseen_items(const crd_classifier *classifier, bool is_one);
/* What cells are that such a model, or any other, leaves out: "never seen in training". NULL is no such model. */
const char *network_model_unseen_words(const crd_model *model);

/* The settings of the command line over the model's own, for the caller to destroy, also where some cannot be. */
int network_model_settings(const invocation *call, const crd_model *model, crd_settings **out);
/* The network that a model is under the settings of the command line, over its own. */
int network_model_network(const invocation *call, const char *path, const crd_model *model, crd_network **out);

/* ENDED_FAILED where the path is a network's file, which has counted nothing that a verb could add to or take from. */
int network_model_refuse(const invocation *call, const char *path, const char *verb);

#endif
