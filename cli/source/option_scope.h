/* SPDX-License-Identifier: MIT */
/* option_scope.h - checks options against the kind of the first operand: a model, a network, or neither. The verb's
 * option table (core/options.h) defines the scope of each option. */
#ifndef CREDENCE_CLI_OPTION_SCOPE_H
#define CREDENCE_CLI_OPTION_SCOPE_H

#include "core/invocation.h"

/* Each function returns ENDED_USAGE, after a message, if an option is given that does not apply. */

/* Checks the options for a model file, whose columns are fixed. */
int option_scope_check_model(const invocation *call, const char *path, bool is_network);
/* Checks the options for network queries. The network is a file, which contains its tables, or was learned. */
int option_scope_check_network(const invocation *call, bool is_file);
/* Checks the options for a network file that predicts one of its nodes. */
int option_scope_check_node_model(const invocation *call, const char *path);
/* Checks the options for operands that are not networks. */
int option_scope_check_others(const invocation *call);
/* Checks the options for a sequence model. Returns ENDED_FAILED if the verb does not accept sequence models. */
int option_scope_check_sequences(const invocation *call, const char *path);
/* Checks the options for a table that is read as sequences without a model. */
int option_scope_check_sequence_table(const invocation *call, const char *path);
/* Checks the options for a sequence model file, whose method and states are fixed. */
int option_scope_check_sequence_model(const invocation *call, const char *path);
/* Checks that settings for texts are given only if the model has text columns. */
int option_scope_check_texts(const invocation *call, const char *path, const crd_model *model);
/* Checks the options for a model of rows. */
int option_scope_check_rows(const invocation *call, const char *path);
/* Checks that no settings are given for a network whose tables are specified. */
int option_scope_check_settings(const invocation *call, const char *path);

#endif
