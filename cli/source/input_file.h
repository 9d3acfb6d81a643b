/* SPDX-License-Identifier: MIT */
/* input_file.h - what a path of the command line holds: a model, a network, or rows. */
#ifndef CREDENCE_CLI_INPUT_FILE_H
#define CREDENCE_CLI_INPUT_FILE_H

#include "core/invocation.h"

/* Whether a path can be read once only: standard input, a pipe, a device. */
bool input_file_reads_once(const char *path);
/* A path as people know it. */
const char *input_file_name(const char *path);
/* Whether a path holds a model. What can be read once only is not opened, and is a table. */
int input_file_is_model(const invocation *call, const char *path, bool *is_model);
/* Whether a path is a network's file. What can be read once only is recognised where it is the first operand, and kept
 * for its reader; elsewhere it is a table. */
int input_file_is_network(const invocation *call, const char *path, bool *is_network);
/* The network of a path that is one's file; once only, where that can be read once only. */
int input_file_load_network(const invocation *call, const char *path, crd_network **out);

#endif
