/* SPDX-License-Identifier: MIT */
/* completion.h - completion of command lines, as a script that the shell runs. */
#ifndef CREDENCE_CLI_COMPLETION_H
#define CREDENCE_CLI_COMPLETION_H

#include "core/verb.h"

#include <stdio.h>

/* For bash, from version 3.2 on. */
void completion_print_bash(FILE *stream);
/* For zsh, as a function that its completion system loads, or that is sourced. */
void completion_print_zsh(FILE *stream);
void completion_print_fish(FILE *stream);

/* ---- What the shells share ---- */

/* Adds what can be typed of a syntax such as "none|m:M|m:M:marginal|CLASS=P", with blanks between: "none m:". */
void completion_add_words(string *out, const char *syntax);
/* Whether a file follows the option. */
bool completion_names_file(const char *name, const char *syntax);
/* Whether operands of the verb are files. */
bool completion_takes_files(const verb *v);

#endif
