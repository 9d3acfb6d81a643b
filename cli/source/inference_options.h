/* SPDX-License-Identifier: MIT */
/* inference_options.h - options of network inference (--memory, --approximate, --draws, --seed and --threads), and its error messages. */
#ifndef CREDENCE_CLI_INFERENCE_OPTIONS_H
#define CREDENCE_CLI_INFERENCE_OPTIONS_H

#include "core/invocation.h"
#include "core/report.h"

int inference_options_read(const invocation *call, crd_inference_options *out);

/* Reports why a query failed, with a hint at the option that helps, if any. `result` contains the memory that the query
 * would have needed; NULL: unknown. Returns the exit status. */
int inference_failed(const invocation *call, const crd_error *error, const crd_inference_result *result);

/* Reports how a result was estimated. Does nothing if it is exact. */
void inference_report_estimate(crd_result *r, const crd_inference_result *result);

#endif
