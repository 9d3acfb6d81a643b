/* session.h - one run of the command: its library context, its arguments, its being interrupted. */
#ifndef CREDENCE_CLI_SESSION_H
#define CREDENCE_CLI_SESSION_H

#include "options.h"

typedef struct session {
    crd_context *context;
    arguments arguments;
} session;

/* From here on Ctrl-C, SIGTERM and SIGHUP ask the library to stop, unless they are ignored; a second one kills. */
int session_begin(session *s);
void session_end(session *s);

bool session_interrupted(void);
/* What a shell calls the end by the signal that came: 130 for Ctrl-C. */
int session_interrupted_exit(void);

#endif
