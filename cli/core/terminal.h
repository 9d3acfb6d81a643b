/* SPDX-License-Identifier: MIT */
/* terminal.h - whether a descriptor is a terminal, and its width. */
#ifndef CREDENCE_CLI_TERMINAL_H
#define CREDENCE_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Treats no descriptor as a terminal from now on, because another program reads the output and passes it on. */
void terminal_pass_on(void);
bool terminal_is(int descriptor);
/* Returns the width in columns, from COLUMNS or from the terminal; 0: unknown. */
size_t terminal_width(int descriptor);

#endif
