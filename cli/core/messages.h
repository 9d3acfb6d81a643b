/* SPDX-License-Identifier: MIT */
/* messages.h - lines on standard error: notes, warnings, hints and errors. */
#ifndef CREDENCE_CLI_MESSAGES_H
#define CREDENCE_CLI_MESSAGES_H

#include "core/string_buffer.h"

/* Exit codes of the command. Functions of the command that can fail print the reason and return one of these codes. */
enum { ENDED_WELL = 0, ENDED_FAILED = 1, ENDED_USAGE = 2 };

/* Suppresses all messages except errors from now on. */
void message_be_quiet(void);
bool message_is_quiet(void);

/* Stores messages from now on. Only message_release prints them. Used by processes that would repeat the messages of
 * another process. */
void message_hold(void);
void message_release(void);
/* Returns the messages stored so far. */
crd_text message_held(void);
/* Prints the messages of another process unchanged. */
void message_pass_on(crd_text messages);

/* Sets a function that is called before each message, to clear the progress line on the terminal. */
void message_call_before(void (*callback)(void));

/* Prints "credence: ...". */
void message_note(const char *format, ...) CLI_PRINTF(1, 2);
/* Prints "credence: warning: ...". */
void message_warning(const char *format, ...) CLI_PRINTF(1, 2);
/* Prints "credence: hint: ...", after an error. */
void message_hint(const char *format, ...) CLI_PRINTF(1, 2);

/* Reports that the data or the operation is faulty. Returns ENDED_FAILED. */
int message_failed(const char *format, ...) CLI_PRINTF(1, 2);
/* Reports that the command line is wrong. Returns ENDED_USAGE. */
int message_usage(const char *format, ...) CLI_PRINTF(1, 2);

#endif
