/* SPDX-License-Identifier: MIT */
/* examples.h - the tables and networks built into the command; their bytes are made of examples/ when it is built. */
#ifndef CREDENCE_CLI_EXAMPLES_H
#define CREDENCE_CLI_EXAMPLES_H

#include <stddef.h>

typedef struct example {
    const char *name; /* NULL ends the table */
    const char *file; /* the same with the extension that it goes with */
    const unsigned char *bytes;
    size_t length;
} example;

extern const example example_table[];

#endif
