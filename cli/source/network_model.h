/* SPDX-License-Identifier: MIT */
/* network_model.h - a network as a model that predicts one of its nodes. */
#ifndef CREDENCE_CLI_NETWORK_MODEL_H
#define CREDENCE_CLI_NETWORK_MODEL_H

#include "core/invocation.h"

/* Creates a model from a network file. Its target is the node that --target names, or else the single node that has no
 * column in the rows to be classified (`paths`). */
int network_model_load(const invocation *call, const char *path, const char *const *paths, size_t path_count,
                       crd_model **out);
/* Creates a model from a network. `name` is used in messages. If --target is not given, the target is `usual`; no
 * bytes: there is none. */
int network_model_make(const invocation *call, const crd_network *network, const char *name, crd_text usual,
                       crd_model **out);
/* Replaces a model that is a network by one that predicts the node that --target names. The new model contains the
 * network's tables under the settings of the command line. Does nothing if that node is already the target, or if
 * --target is not given. */
int network_model_turn(const invocation *call, const char *path, crd_model **model);

/* Sets the target of a network model that was learned without a target, if --target is not given: the single node that
 * has no column in the rows of these paths. Does nothing if the model has a target. */
int network_model_find_target(const invocation *call, const char *path, const char *const *paths, size_t path_count,
                              crd_model **model);

/* Returns whether a model contains a specified network instead of one learned from rows. */
bool network_model_is_stated(const crd_model *model);
/* Returns the noun for values that are ignored because they were never seen: "values", or "words" for texts. */
const char *network_model_unseen_items(const crd_classifier *classifier, bool is_one);
/* Returns a description of the values that the model ignores: "never seen in training". The text differs if the model
 * contains a specified network. `model` may be NULL. */
const char *network_model_unseen_words(const crd_model *model);

/* Creates the settings of the command line over the model's own. The caller destroys them, even after a failure. */
int network_model_settings(const invocation *call, const crd_model *model, crd_settings **out);
/* Creates the network of a model, under the settings of the command line over its own. */
int network_model_network(const invocation *call, const char *path, const crd_model *model, crd_network **out);

/* Returns ENDED_FAILED if the path is a network file. Such a file has no counts that a verb could add to or subtract
 * from. */
int network_model_refuse(const invocation *call, const char *path, const char *verb);

#endif
