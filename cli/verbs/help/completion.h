/* SPDX-License-Identifier: MIT */
/* completion.h - completion of command lines, as a script that the shell runs. */
#ifndef CREDENCE_CLI_COMPLETION_H
#define CREDENCE_CLI_COMPLETION_H

#include <stdio.h>

/* For bash, from version 3.2 on. */
void completion_print_bash(FILE *stream);

#endif
