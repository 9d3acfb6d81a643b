/* report.h - what the command says on standard error: notes, warnings, errors and what to do about them. */
#ifndef CREDENCE_CLI_REPORT_H
#define CREDENCE_CLI_REPORT_H

#include "memory.h"

/* How the command ends. Functions of the command that can fail return one of these, having said why. */
enum { ENDED_WELL = 0, ENDED_FAILED = 1, ENDED_USAGE = 2 };

/* From now on only errors. */
void report_be_quiet(void);
bool report_is_quiet(void);

struct option;
/* What hints may name: the options of the verb that runs. */
void report_offer(const struct option *table, bool takes_settings);
/* From now on what the columns are is settled ("the model has", which opens a
 * sentence), and no option says otherwise. */
void report_columns_settled_by(const char *what);
/* Whether an option, or a setting, of the verb has that name and is of use in this situation. */
bool report_offers(const char *name);

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
/* The same, of a network's file, in which a place is a line and a column. */
int report_error_in_network(const crd_error *error);
/* The same, of a file that the library was not told the name of. */
int report_error_in(const crd_error *error, const char *path);

/* Says that the option --name names nothing there is, and what there is: `what` is "column", "attribute" or "class".
 * Returns
 * ENDED_FAILED. */
int report_no_such(const char *name, const char *what, crd_text typed, const crd_text *names, size_t count);

#endif
