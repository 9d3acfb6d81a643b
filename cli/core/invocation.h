/* SPDX-License-Identifier: MIT */
/* invocation.h - one run of the command: its library context, its arguments, its being interrupted. */
#ifndef CREDENCE_CLI_INVOCATION_H
#define CREDENCE_CLI_INVOCATION_H

#include "core/options.h"

#include <credence/communicator.h>

/* structure_option.c: what --structure names. */
typedef struct structure structure;

/* The first operand where it can be read once only: opened by who looks at it first, for whoever reads it. */
typedef struct first_input {
    crd_input *input; /* NULL: nobody has looked */
    bool is_network;
} first_input;

struct verb;

typedef struct invocation {
    const struct verb *verb;
    crd_context *context;
    arguments arguments;
    structure *structure; /* NULL: none is given */
    first_input *first;
    const crd_communicator *communicator; /* of the processes that run it together; NULL: there is one */
    bool has_all_rows;                    /* each of them reads all rows, rather than a part */
    bool counts_whole_numbers;            /* a table's columns of few whole numbers are categories, value by value */
} invocation;

/* From here on Ctrl-C, SIGTERM and SIGHUP ask the library to stop, unless they are ignored; a second one kills. */
int invocation_begin(invocation *call);
void invocation_end(invocation *call);

/* Whether several processes run it together. */
bool invocation_is_collective(const invocation *call);
/* Whether this process prints and writes what the run makes: of several, the first one does. */
bool invocation_is_root(const invocation *call);

bool invocation_interrupted(void);
/* Whether what was done until somebody interrupted is to be reported. Of several processes it is not: some of them may be gone, with the rows that they had. */
bool invocation_reports_part(const invocation *call);
/* What a shell calls the end by the signal that came: 130 for Ctrl-C. */
int invocation_interrupted_exit(void);
/* Reports the interruption, and returns that end. */
int invocation_end_interrupted(void);
/* Reports that a process of the group does not answer, which is no fault of its own where this one was interrupted. */
int invocation_end_unreachable(unsigned rank);

#endif
