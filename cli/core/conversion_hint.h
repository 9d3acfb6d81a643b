/* SPDX-License-Identifier: MIT */
/* conversion_hint.h - hints for tables in binary or compressed formats. The hint is a command line that converts the
 * file and pipes it into the typed command. */
#ifndef CREDENCE_CLI_CONVERSION_HINT_H
#define CREDENCE_CLI_CONVERSION_HINT_H

#include <credence/all.h>

#include <stdbool.h>

/* Stores the typed command line, from the verb on. The words are not copied. */
void conversion_hint_command(int argc, char **argv);
/* Prints the hint if the error reports that a file has such a format. Returns whether it does. */
bool conversion_hint(const crd_error *error);

#endif
