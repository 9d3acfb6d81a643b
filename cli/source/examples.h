/* SPDX-License-Identifier: MIT */
/* examples.h - the example tables and networks built into the command. The build generates their bytes from
 * examples/. */
#ifndef CREDENCE_CLI_EXAMPLES_H
#define CREDENCE_CLI_EXAMPLES_H

#include <stddef.h>

typedef struct example {
    const char *name; /* NULL ends the table */
    const char *file; /* the name with its file extension */
    const unsigned char *bytes;
    size_t length;
} example;

extern const example example_table[];

#endif
