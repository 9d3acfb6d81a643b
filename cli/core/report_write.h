/* SPDX-License-Identifier: MIT */
/* report_write.h - a report written in the format of an output. */
#ifndef CREDENCE_CLI_REPORT_WRITE_H
#define CREDENCE_CLI_REPORT_WRITE_H

#include "core/report.h"

/* Writes the whole in the format of the output. JSON has a line for each member, or is on one line. */
void report_write(const report *r, output *out);
void report_write_line(const report *r, output *out);
/* Opens what --output names, in a format of `words` (see output_choose_format), writes the report to it where
 * `ended` is ENDED_WELL, and closes it. Destroys the report. Returns how that ended. */
int report_finish(report *r, const invocation *call, const char *words, int ended);
/* Writes the file that --plot names, if it does: the report's pictures. */
int report_write_pictures(const report *r, const invocation *call);

#endif
