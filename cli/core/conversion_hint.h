/* SPDX-License-Identifier: MIT */
/* conversion_hint.h - how a table in a format that is not text gets here: the command line that converts it, piped into the
 * one that was typed. */
#ifndef CREDENCE_CLI_CONVERSION_HINT_H
#define CREDENCE_CLI_CONVERSION_HINT_H

#include <credence/credence.h>

#include <stdbool.h>

/* What was typed, from the verb on; it is not copied. */
void conversion_hint_command(int argc, char **argv);
/* Prints the hint where the error is that a file has such a format; whether it is. */
bool conversion_hint(const crd_error *error);

#endif
