/* SPDX-License-Identifier: MIT */
/* progress.h - how far long work is: on a terminal one line, once it takes longer than a second; elsewhere a line every
 * 10 seconds, which begins "credence: progress: ". Nothing under --quiet. */
#ifndef CREDENCE_CLI_PROGRESS_H
#define CREDENCE_CLI_PROGRESS_H

#include <credence/credence.h>

/* Has the reader that is opened with these options tell how far it is, where somebody sees it. */
void progress_begin(crd_reader_options *options);
/* The same for work of several steps: which step begins, after so many of all. */
void progress_step(const char *step, size_t done, size_t total);
/* Work of several parts whose sizes are known: which part is done, after so many of all, and how much of all work is done,
 * from 0 to 1. Shows the time that is left. Ends with progress_work_end. */
void progress_work(const char *name, size_t done, size_t count, double part);
void progress_work_end(void);
/* Has calls of the library with these options show their stages. */
void progress_follow(crd_call_options *options);
/* What came of a step: a line that stays, where steps take longer than a second. */
void progress_result(const char *result);
/* Says what is done at the moment, until the line is taken away. */
void progress_say(const char *description);
/* Takes the line away: reading has ended, or something else is written to the terminal. It comes back if reading goes
 * on. */
void progress_erase(void);
/* No line from now on: rows are written to the terminal while others are read. */
void progress_forbid(void);

/* The first of so many processes, whose standard error is not a terminal, reports for all: by a line now and then, which
 * extrapolates its own part. */
void progress_by_lines(unsigned processes);

#endif
