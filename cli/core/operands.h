/* SPDX-License-Identifier: MIT */
/* operands.h - the files that a command line means: patterns of names, and standard input where DATA is left out. */
#ifndef CREDENCE_CLI_OPERANDS_H
#define CREDENCE_CLI_OPERANDS_H

#include "core/verb.h"

/* Puts the files that match a pattern, sorted, in its place, unless there is a file of that very name; and - behind
 * operands that lack DATA where standard input is a pipe or a file, which a terminal is not. What --documents or --mail
 * names comes behind them as one operand, and behind that further places, as a shell finds them for a pattern. A folder, and a pattern that matches nothing, is reported. */
int operands_complete(const verb *v, arguments *given);

/* Files that are read: operands, and those of options; *out is the caller's. Returns how many there are. */
size_t inputs_list(const verb *v, const arguments *given, const char ***out);

#endif
