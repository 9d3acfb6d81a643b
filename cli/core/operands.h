/* SPDX-License-Identifier: MIT */
/* operands.h - the files of a command line: expands file name patterns, and adds standard input if DATA is omitted. */
#ifndef CREDENCE_CLI_OPERANDS_H
#define CREDENCE_CLI_OPERANDS_H

#include "core/verb.h"

/* Replaces each pattern by the files that match it, sorted, unless a file of exactly that name exists. Adds "-" if DATA
 * is missing and standard input is a pipe or a file, not a terminal. The value of --documents or --mail is added as one
 * operand after the others, followed by further paths, as a shell expands a pattern. A folder is an error, and so is a
 * pattern without matches. */
int operands_complete(const verb *v, arguments *given);

/* Lists the files that the command reads: its operands, and the values of options that name input files. The caller
 * frees *out, not the texts. Returns the number of files. */
size_t inputs_list(const verb *v, const arguments *given, const char ***out);

#endif
