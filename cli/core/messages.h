/* SPDX-License-Identifier: MIT */
/* messages.h - lines on standard error: notes, warnings, hints and what went wrong. */
#ifndef CREDENCE_CLI_MESSAGES_H
#define CREDENCE_CLI_MESSAGES_H

#include "core/string_buffer.h"

/* How the command ends. Functions of the command that can fail return one of these, having said why. */
enum { ENDED_WELL = 0, ENDED_FAILED = 1, ENDED_USAGE = 2 };

/* From now on only errors. */
void message_be_quiet(void);
bool message_is_quiet(void);

/* From now on messages are kept, and printed by message_release alone: those of a process that is not to print what another
 * one prints as well. */
void message_hold(void);
void message_release(void);
/* What is kept so far. */
crd_text message_held(void);
/* Prints messages of another process as they are. */
void message_pass_on(crd_text messages);

/* Called before each message, to clear the line that it would be appended to. */
void message_call_before(void (*callback)(void));

/* "credence: ..." */
void message_note(const char *format, ...) CLI_PRINTF(1, 2);
/* "credence: warning: ..." */
void message_warning(const char *format, ...) CLI_PRINTF(1, 2);
/* "credence: hint: ...", after an error. */
void message_hint(const char *format, ...) CLI_PRINTF(1, 2);

/* The data or the operation failed; returns ENDED_FAILED. */
int message_failed(const char *format, ...) CLI_PRINTF(1, 2);
/* The command line is wrong; returns ENDED_USAGE. */
int message_usage(const char *format, ...) CLI_PRINTF(1, 2);

#endif
