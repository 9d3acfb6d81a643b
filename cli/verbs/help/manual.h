/* SPDX-License-Identifier: MIT */
/* manual.h - the help of the command as manual pages in the man(7) language. */
#ifndef CREDENCE_CLI_MANUAL_H
#define CREDENCE_CLI_MANUAL_H

#include "core/verb.h"

#include <stdio.h>

/* Prints the page credence(1). */
void manual_print(FILE *stream);
/* Prints the page credence-VERB(1). */
void manual_print_verb(FILE *stream, const verb *v);

#endif
