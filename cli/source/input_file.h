/* SPDX-License-Identifier: MIT */
/* input_file.h - detects whether a path of the command line contains a model, a network or rows. */
#ifndef CREDENCE_CLI_INPUT_FILE_H
#define CREDENCE_CLI_INPUT_FILE_H

#include "core/invocation.h"

/* Returns whether a path can be read only once: standard input, a pipe, a device. */
bool input_file_reads_once(const char *path);
/* Returns the path as it is shown in messages. */
const char *input_file_name(const char *path);
/* Detects what a path contains. An operand is inspected once. Input that can be read only once is inspected if it is
 * the first operand, and kept for its reader; it is never a model. Otherwise it counts as rows, and so do documents. */
int input_file_detect(const invocation *call, const char *path, crd_file_kind *kind);
/* Returns what a path contains, as input_file_detect does. A path that cannot be read counts as rows: the code that
 * reads it reports the error. */
crd_file_kind input_file_kind(const invocation *call, const char *path);
/* Loads the network from a network file. Input that can be read only once can be loaded only once. */
int input_file_load_network(const invocation *call, const char *path, crd_network **out);

#endif
