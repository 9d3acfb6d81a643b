/* SPDX-License-Identifier: MIT */
/* progress.h - a line on the terminal that tells how far reading is, once it takes longer than a second. Never in a
 * pipe or a file, nor under --quiet. */
#ifndef CREDENCE_CLI_PROGRESS_H
#define CREDENCE_CLI_PROGRESS_H

#include <credence/credence.h>

/* Has the reader that is opened with these options tell how far it is, where somebody sees it. */
void progress_begin(crd_reader_options *options);
/* The same for work of several steps: which step begins, after so many of all. */
void progress_step(const char *step, size_t done, size_t total);
/* What came of a step: a line that stays, where steps take longer than a second. */
void progress_result(const char *result);
/* Says what is done at the moment, until the line is taken away. */
void progress_say(const char *what);
/* Takes the line away: reading has ended, or something else is written to the terminal. It comes back if reading goes
 * on. */
void progress_erase(void);
/* No line from now on: rows are written to the terminal while others are read. */
void progress_forbid(void);

/* The first of so many processes, whose standard error is no terminal, reports for all: by a line now and then, which
 * extrapolates its own part. */
void progress_by_lines(unsigned processes);

#endif
