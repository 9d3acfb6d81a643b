/* SPDX-License-Identifier: MIT */
/* completion.h - command line completion, as a script for the shell. */
#ifndef CREDENCE_CLI_COMPLETION_H
#define CREDENCE_CLI_COMPLETION_H

#include "core/verb.h"

#include <stdio.h>

/* Prints the script for bash 3.2 or later. */
void completion_print_bash(FILE *stream);
/* Prints the script for zsh: a function that its completion system loads, or that can be sourced. */
void completion_print_zsh(FILE *stream);
void completion_print_fish(FILE *stream);

/* ---- What the shells share ---- */

/* Appends the words that can be typed for a syntax, separated by spaces. For example,
 * "none|m:M|m:M:marginal|CLASS=P" gives "none m:". */
void completion_add_words(string *out, const char *syntax);
/* Returns whether the option accepts a file. */
bool completion_names_file(const char *syntax);
/* Returns whether the operands of the verb are files. */
bool completion_takes_files(const verb *v);

#endif
