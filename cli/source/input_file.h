/* SPDX-License-Identifier: MIT */
/* input_file.h - detects whether a path of the command line contains a model, a network or rows. */
#ifndef CREDENCE_CLI_INPUT_FILE_H
#define CREDENCE_CLI_INPUT_FILE_H

#include "core/invocation.h"

/* Returns whether a path can be read only once: standard input, a pipe, a device. */
bool input_file_reads_once(const char *path);
/* Returns the path as it is shown in messages. */
const char *input_file_name(const char *path);
/* Sets *is_model to whether the path is a model file. Input that can be read only once is not opened and counts as a
 * table. */
int input_file_is_model(const invocation *call, const char *path, bool *is_model);
/* Sets *is_network to whether the path is a network file. Input that can be read only once is detected if it is the
 * first operand, and kept for its reader. Otherwise it counts as a table. */
int input_file_is_network(const invocation *call, const char *path, bool *is_network);
/* Loads the network from a network file. Input that can be read only once can be loaded only once. */
int input_file_load_network(const invocation *call, const char *path, crd_network **out);

#endif
