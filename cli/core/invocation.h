/* SPDX-License-Identifier: MIT */
/* invocation.h - one run of the command: its library context, its arguments and its interruption by signals. */
#ifndef CREDENCE_CLI_INVOCATION_H
#define CREDENCE_CLI_INVOCATION_H

#include "core/options.h"

#include <credence/communicator.h>

/* The values of --arcs, --arcs-from and --search (structure_option.c). */
typedef struct structure structure;

/* What is known about the operands, so that each file is inspected once. */
typedef struct operand_files {
    crd_file_kind *kinds; /* one per operand */
    bool *are_known;
    /* The first operand if it can be read only once, such as a pipe. The first code that inspects it opens it, and the
     * code that reads it later continues with the same input. NULL: not inspected. */
    crd_input *input;
    /* The model of the operand `model_path` that some code opened and did not use. NULL: none. */
    crd_model *model;
    const char *model_path;
    bool model_counts_whole_numbers; /* of the invocation that opened it */
} operand_files;

struct verb;

typedef struct invocation {
    const struct verb *verb;
    crd_context *context;
    arguments arguments;
    structure *structure; /* NULL: not specified */
    operand_files *files;
    const crd_communicator *communicator; /* the processes that run the command together; NULL: a single process */
    bool has_all_rows;                    /* each process reads all rows instead of a part */
    bool counts_whole_numbers;            /* integer columns with few distinct values are categorical */
} invocation;

/* Creates the context. From here on, Ctrl-C, SIGTERM and SIGHUP make the library stop, unless they are ignored. A
 * second signal kills the process. */
int invocation_begin(invocation *call);
void invocation_end(invocation *call);

/* Returns whether several processes run the command together. */
bool invocation_is_collective(const invocation *call);
/* Returns whether this process prints and writes the results. If there are several processes, only rank 0 does. */
bool invocation_is_root(const invocation *call);

bool invocation_interrupted(void);
/* Returns whether to report the part of the work that was done before an interruption. This is never the case for
 * several processes: some of them may have ended, and their rows are lost. */
bool invocation_reports_part(const invocation *call);
/* Returns the exit status that a shell uses for the signal: 130 for Ctrl-C. */
int invocation_interrupted_exit(void);
/* Reports the interruption and returns its exit status. */
int invocation_end_interrupted(void);
/* Reports that a process of the group does not respond. If this process was interrupted, reports the interruption
 * instead. Returns the exit status. */
int invocation_end_unreachable(unsigned rank);

#endif
