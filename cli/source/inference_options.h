/* SPDX-License-Identifier: MIT */
/* inference_options.h - how a network may be asked, as --memory, --approximate, --always, --draws, --seed and
 * --threads say, and what is said where it cannot be. */
#ifndef CREDENCE_CLI_INFERENCE_OPTIONS_H
#define CREDENCE_CLI_INFERENCE_OPTIONS_H

#include "core/invocation.h"
#include "core/report.h"

int inference_options_read(const invocation *call, crd_inference_options *out);

/* Why a question has no answer, and the option that helps where one does. `asked` says what it would have taken;
 * NULL: that is not known. */
int inference_failed(const invocation *call, const crd_error *error, const crd_inference_result *result);

/* How an answer was estimated; nothing where it is exact. */
void inference_report_estimate(report *r, const crd_inference_result *result);

#endif
