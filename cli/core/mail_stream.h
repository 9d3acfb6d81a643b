/* SPDX-License-Identifier: MIT */
/* mail_stream.h - the message that a mail filter reads from standard input and writes to standard output.
 *
 * A filter must never lose mail: whatever fails, from the command line on, the message is written as it came, and the exit code
 * is one by which delivery agents keep it and try again. That is state of the process, as the two streams are. */
#ifndef CREDENCE_CLI_MAIL_STREAM_H
#define CREDENCE_CLI_MAIL_STREAM_H

#include "core/string_buffer.h"

/* How a filter ends that failed: EX_TEMPFAIL of sysexits.h where it passes messages on, else what bogofilter ends with. */
enum { ENDED_FILTER_FAILED = 75, ENDED_EXIT_CODE_FAILED = 3 };

/* Looks whether this is the command line of a filter: predict MODEL --mail -, without --format; or of one with --exit-code. */
void mail_stream_expect(int argc, char **argv);
bool mail_stream_is_expected(void);
/* "CLASS=-", which a filter does not take. */
bool mail_stream_is_labelled(const char *value);

/* Reads the message, as far as it is classified by: 16 MiB. Returns how the command ends where that fails. */
int mail_stream_read(crd_text *out);
/* Writes the message with this header field, or as it came where that has no bytes. */
int mail_stream_pass(crd_context *context, crd_text header);
/* The exit code is all that was asked for, and is known: nothing is written. */
void mail_stream_settle(void);

/* What the command ends with: `ended`, or, for a filter that has not come to an end, the code of its failure, once the message
 * is written. */
int mail_stream_end(int ended);

#endif
