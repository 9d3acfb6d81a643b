/* SPDX-License-Identifier: MIT */
/* progress.h - shows the progress of long work. On a terminal it is one line, after the first second. Elsewhere it is a
 * line every 10 seconds that begins "credence: progress: ". With --quiet there is none. */
#ifndef CREDENCE_CLI_PROGRESS_H
#define CREDENCE_CLI_PROGRESS_H

#include <credence/all.h>

/* Makes the reader that is opened with these options report its progress, if progress is visible. */
void progress_begin(crd_reader_options *options);
/* Reports that a step begins, after `done` of `total` steps. */
void progress_step(const char *step, size_t done, size_t total);
/* Reports progress of work whose parts have known sizes: the current part, the number of finished parts, and the
 * finished share of all work, from 0 to 1. Shows the remaining time. End it with progress_work_end. */
void progress_work(const char *name, size_t done, size_t count, double part);
void progress_work_end(void);
/* Makes library calls with these options show their stages. */
void progress_follow(crd_call_options *options);
/* Prints the result of a step as a line that stays, if the steps have taken longer than a second. */
void progress_result(const char *result);
/* Shows what is being done, until the line is erased. */
void progress_say(const char *description);
/* Erases the line, because reading has ended or something else is written to the terminal. The line comes back if
 * reading continues. */
void progress_erase(void);
/* Suppresses progress from now on, because rows are written to the terminal while others are read. */
void progress_forbid(void);

/* Makes this process report for all `processes`, on a standard error that is not a terminal. It prints a line now and
 * then and extrapolates from its own part. */
void progress_by_lines(unsigned processes);

#endif
