/* SPDX-License-Identifier: MIT */
/* model_operand.h - opens an operand as a model or as a network, and prepares its use: settings, classifier, rows. A
 * model comes from a model file, from a network file, or from a table on which it is trained. input_file.h detects which. */
#ifndef CREDENCE_CLI_MODEL_OPERAND_H
#define CREDENCE_CLI_MODEL_OPERAND_H

#include "core/invocation.h"

/* ---- Models and networks ---- */

/* Prints a hint at what the path should contain, after it could not be opened as a table. */
void model_operand_hint(const char *path);

/* Loads the model of the path, or creates it from its table or network. A network that was learned without --target has
 * no target. */
int model_operand_open(const invocation *call, const char *path, crd_model **out);
/* Takes over a model that model_operand_open opened and the caller did not use or change. The next call for the path
 * returns it. `model` may be NULL. */
void model_operand_keep(const invocation *call, const char *path, crd_model *model);
/* Opens a model that must have a target, to classify the rows of these paths. `row_paths` may be 0. */
int model_operand_open_to_answer(const invocation *call, const char *path, const char *const *rows, size_t row_paths,
                                 crd_model **out);

/* Opens a network: from a network file, from a model file that contains or has learned one, or from a table with
 * --target or --arcs and --method network. The settings of the command line override the model's own. Sets *out to
 * NULL without failing if the path is none of these. `settings` may be NULL. Otherwise *settings is set to the settings
 * that the tables were estimated with, for the caller to destroy; NULL if the tables were specified. */
int model_operand_open_network(const invocation *call, const char *path, crd_network **out, crd_settings **settings);

/* Opens a network as model_operand_open_network does, and fails if the path is not a network. A model of
 * categories that is not a network becomes the network in which the class is the parent of each attribute. */
int model_operand_need_network(const invocation *call, const char *path, crd_network **out);

/* ---- Settings and answers ---- */

/* Returns the model's settings, overridden by the command line. The caller destroys them. */
int model_operand_settings(const invocation *call, const crd_model *model, crd_settings **out);
/* Creates a classifier for the model of the first operand, with the settings of the command line over the model's
 * own. */
int model_operand_classifier(const invocation *call, const crd_model *model, crd_classifier **out);

/* Checks that the model can predict with its own settings: classes of rows, or, without a target, network queries. */
crd_status model_operand_check_answers(const crd_model *model, crd_error *error);

/* Processes the row of --given, or the rows of files, with a model. `classifier` is NULL if the model has no target and
 * needs none, or if it is a sequence model. */
typedef int row_answerer(const invocation *call, const crd_model *model, const crd_classifier *classifier,
                         bool from_given);
/* Checks the operands of a verb that processes rows: MODEL DATA..., MODEL with --given, or, if no row is needed, MODEL
 * only. Then opens the model and calls `answer`. */
int model_operand_answer(const invocation *call, const char *name, bool needs_row, bool needs_target,
                         row_answerer *answer);

#endif
