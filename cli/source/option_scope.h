/* SPDX-License-Identifier: MIT */
/* option_scope.h - options against what the first operand turned out to be: a model, a network, or neither. Where an
 * option applies stands in the verb's table (core/options.h). */
#ifndef CREDENCE_CLI_OPTION_SCOPE_H
#define CREDENCE_CLI_OPTION_SCOPE_H

#include "core/invocation.h"

/* Each is ENDED_USAGE where an option is given that does not apply. */

/* A model file: its columns are settled. */
int option_scope_check_model(const invocation *call, const char *path, bool is_network);
/* A network answers: a file, which states its tables, or one that was counted. */
int option_scope_check_network(const invocation *call, bool is_file);
/* A network's file that predicts one of its nodes. */
int option_scope_check_node_model(const invocation *call, const char *path);
/* No network answers. */
int option_scope_check_others(const invocation *call);
/* A model of sequences answers. ENDED_FAILED where the verb takes none. */
int option_scope_check_sequences(const invocation *call, const char *path);
/* A table is read as sequences, and no model made of it answers. */
int option_scope_check_sequence_table(const invocation *call, const char *path);
/* A model file of sequences: its method and states are settled. */
int option_scope_check_sequence_model(const invocation *call, const char *path);
/* A model of rows answers. */
int option_scope_check_rows(const invocation *call, const char *path);
/* Settings, where tables are stated. */
int option_scope_check_settings(const invocation *call, const char *path);

#endif
