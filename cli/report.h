/* report.h - what the command says on standard error: notes, warnings, errors and what to do about them. */
#ifndef CREDENCE_CLI_REPORT_H
#define CREDENCE_CLI_REPORT_H

#include "memory.h"

/* How the command ends. Functions of the command that can fail return one of these, having said why. */
enum { ENDED_WELL = 0, ENDED_FAILED = 1, ENDED_USAGE = 2 };

/* From now on only errors. */
void report_be_quiet(void);
bool report_is_quiet(void);

/* "credence: ..." */
void report_note(const char *format, ...) CLI_PRINTF(1, 2);
/* "credence: warning: ..." */
void report_warning(const char *format, ...) CLI_PRINTF(1, 2);
/* "credence: hint: ...", after an error. */
void report_hint(const char *format, ...) CLI_PRINTF(1, 2);

/* The data or the operation failed; returns ENDED_FAILED. */
int report_failed(const char *format, ...) CLI_PRINTF(1, 2);
/* The command line is wrong; returns ENDED_USAGE. */
int report_usage(const char *format, ...) CLI_PRINTF(1, 2);

/* The library's error with its place, and the option that helps where one does. Returns ENDED_FAILED, or what a
 * command ends with that was interrupted. */
int report_error(const crd_error *error);
/* The same, of a file that the library was not told the name of. */
int report_error_in(const crd_error *error, const char *path);

#endif
