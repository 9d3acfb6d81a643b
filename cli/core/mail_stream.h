/* SPDX-License-Identifier: MIT */
/* mail_stream.h - the message that a mail filter reads from standard input and writes to standard output.
 *
 * A filter must never lose mail. If anything fails, from the command line on, the message is written unchanged, and the
 * exit code makes delivery agents keep it and try again. This state is global to the process, as the two streams
 * are. */
#ifndef CREDENCE_CLI_MAIL_STREAM_H
#define CREDENCE_CLI_MAIL_STREAM_H

#include "core/string_buffer.h"

/* Exit codes of a failed filter: EX_TEMPFAIL of sysexits.h if it passes messages on, otherwise bogofilter's code for
 * errors. */
enum { ENDED_FILTER_FAILED = 75, ENDED_EXIT_CODE_FAILED = 3 };

/* Detects the command line of a filter: predict MODEL --mail - without --format, or with --exit-code. */
void mail_stream_expect(int argc, char **argv);
bool mail_stream_is_expected(void);
/* Returns whether a value has the form "CLASS=-", which a filter rejects. */
bool mail_stream_is_labeled(const char *value);

/* Reads the part of the message that is classified: at most 16 MiB. Returns the exit status of the command on
 * failure. */
int mail_stream_read(crd_text *out);
/* Writes the message with this header field, or unchanged if `header` is empty. */
int mail_stream_pass(crd_context *context, crd_text header);
/* Ends a run whose only result is the exit code. Reads the rest of the message and writes nothing. */
void mail_stream_settle(void);

/* Returns the exit code of the command: `ended`, or the failure code of a filter that has not finished. In the latter
 * case the message is written first. */
int mail_stream_end(int ended);

#endif
