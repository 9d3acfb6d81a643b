/* SPDX-License-Identifier: MIT */
/* report_write.h - writes a report in the format of an output. */
#ifndef CREDENCE_CLI_REPORT_WRITE_H
#define CREDENCE_CLI_REPORT_WRITE_H

#include "core/report.h"

/* Writes the report in the format of the output. report_write puts each JSON member on its own line; report_write_line
 * writes JSON on one line. */
void report_write(const crd_result *r, output *out);
void report_write_line(const crd_result *r, output *out);
/* Opens the file that --output names, in a format of `words` (see output_choose_format). Writes the report if `ended`
 * is ENDED_WELL, and closes the file. Destroys the report. Returns the exit status. */
int report_finish(crd_result *r, const invocation *call, const char *words, int ended);
/* Writes the report's pictures to the file that --plot names, if any. */
int report_write_pictures(const crd_result *r, const invocation *call);

#endif
