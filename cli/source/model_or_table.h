/* SPDX-License-Identifier: MIT */
/* model_or_table.h - wherever a verb takes a model, a table with --target does too: it is trained in memory. So does a
 * network's file, of which --target names a node. */
#ifndef CREDENCE_CLI_MODEL_OR_TABLE_H
#define CREDENCE_CLI_MODEL_OR_TABLE_H

#include "core/invocation.h"

/* Says what the path should have been, after it could not be opened as a table. */
void model_or_table_hint(const char *path);

/* The model that the path holds, or that its table or its network makes. A network that was counted without --target
 * has none. */
int model_or_table_open(const invocation *call, const char *path, crd_model **out);
/* The same where it has to have a target, to answer the rows of these paths, or others where there are none. */
int model_or_table_open_to_answer(const invocation *call, const char *path, const char *const *rows, size_t row_paths,
                                  crd_model **out);

/* The model's settings with those of the command line; the caller's. */
int model_or_table_settings(const invocation *call, const crd_model *model, crd_settings **out);
/* The model, which the first operand is, under the settings of the command line, over its own. */
int model_or_table_classifier(const invocation *call, const crd_model *model, crd_classifier **out);

/* Whether the model answers under its own settings: rows, or questions to the network that it is, where it has no
 * target. */
crd_status model_or_table_check_answers(const crd_model *model, crd_error *error);

/* What a verb that answers rows does with a model, once it is there: the row of --given, or those of files. There is no
 * classifier where the model has no target, and need not have one, or is one of sequences. */
typedef int row_answerer(const invocation *call, const crd_model *model, const crd_classifier *classifier,
                         bool from_given);
/* Checks the operands of such a verb, MODEL DATA... or MODEL with --given (or, where no row is needed, MODEL alone),
 * and has it answer. */
int model_or_table_answer(const invocation *call, const char *name, bool needs_row, bool needs_target,
                          row_answerer *answer);

#endif
