/* SPDX-License-Identifier: MIT */
/* terminal.h - whether a descriptor leads to a terminal, and how wide it is. */
#ifndef CREDENCE_CLI_TERMINAL_H
#define CREDENCE_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* From now on no descriptor counts as a terminal: another program reads the output and passes it on. */
void terminal_pass_on(void);
bool terminal_is(int descriptor);
/* Returns the columns that COLUMNS states, or the terminal has; 0: neither is known. */
size_t terminal_width(int descriptor);

#endif
