/* SPDX-License-Identifier: MIT */
/* fit_text.h - how EM or gradient ascent went, in a report. */
#ifndef CREDENCE_CLI_FIT_TEXT_H
#define CREDENCE_CLI_FIT_TEXT_H

#include "core/report.h"

/* "EM: 12 steps from the best of 10 starts, log-likelihood -123.45, converged". */
void fit_text_add(string *out, const crd_fit_report *fit, const crd_settings *settings);
/* For people a table of the first and the last steps; for machines all, and what each start came to, under "fit". */
void fit_text_report(report *r, const crd_fit_report *fit);

#endif
