/* invocation.h - one run of the command: its library context, its arguments, its being interrupted. */
#ifndef CREDENCE_CLI_INVOCATION_H
#define CREDENCE_CLI_INVOCATION_H

#include "options.h"

/* structure.c: what --structure names. */
typedef struct structure structure;

typedef struct invocation {
    crd_context *context;
    arguments arguments;
    structure *structure; /* NULL: none is given */
} invocation;

/* From here on Ctrl-C, SIGTERM and SIGHUP ask the library to stop, unless they are ignored; a second one kills. */
int invocation_begin(invocation *call);
void invocation_end(invocation *call);

bool invocation_interrupted(void);
/* What a shell calls the end by the signal that came: 130 for Ctrl-C. */
int invocation_interrupted_exit(void);

#endif
