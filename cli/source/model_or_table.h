/* SPDX-License-Identifier: MIT */
/* model_or_table.h - verbs that accept a model also accept a table with --target, on which a model is trained in
 * memory. They also accept a network file, in which --target names a node. */
#ifndef CREDENCE_CLI_MODEL_OR_TABLE_H
#define CREDENCE_CLI_MODEL_OR_TABLE_H

#include "core/invocation.h"

/* Prints a hint at what the path should contain, after it could not be opened as a table. */
void model_or_table_hint(const char *path);

/* Loads the model of the path, or creates it from its table or network. A network that was learned without --target has
 * no target. */
int model_or_table_open(const invocation *call, const char *path, crd_model **out);
/* Takes over a model that model_or_table_open opened and the caller did not use or change. The next call for the path
 * returns it. `model` may be NULL. */
void model_or_table_keep(const invocation *call, const char *path, crd_model *model);
/* Opens a model that must have a target, to classify the rows of these paths. `row_paths` may be 0. */
int model_or_table_open_to_answer(const invocation *call, const char *path, const char *const *rows, size_t row_paths,
                                  crd_model **out);

/* Returns the model's settings, overridden by the command line. The caller destroys them. */
int model_or_table_settings(const invocation *call, const crd_model *model, crd_settings **out);
/* Creates a classifier for the model of the first operand, with the settings of the command line over the model's
 * own. */
int model_or_table_classifier(const invocation *call, const crd_model *model, crd_classifier **out);

/* Checks that the model can predict with its own settings: classes of rows, or, without a target, network queries. */
crd_status model_or_table_check_answers(const crd_model *model, crd_error *error);

/* Processes the row of --given, or the rows of files, with a model. `classifier` is NULL if the model has no target and
 * needs none, or if it is a sequence model. */
typedef int row_answerer(const invocation *call, const crd_model *model, const crd_classifier *classifier,
                         bool from_given);
/* Checks the operands of a verb that processes rows: MODEL DATA..., MODEL with --given, or, if no row is needed, MODEL
 * only. Then opens the model and calls `answer`. */
int model_or_table_answer(const invocation *call, const char *name, bool needs_row, bool needs_target,
                          row_answerer *answer);

#endif
