/* SPDX-License-Identifier: MIT */
/* fit_text.h - reports the course of EM or gradient ascent. */
#ifndef CREDENCE_CLI_FIT_TEXT_H
#define CREDENCE_CLI_FIT_TEXT_H

#include "core/report.h"

/* Adds a line such as "EM: 12 steps from the best of 10 starts, log-likelihood -123.45, converged". */
void fit_text_add(string *out, const crd_fit_report *fit, const crd_settings *settings);
/* Adds a table of the first and the last steps for people. For machines adds all steps, and the final value of each
 * start, under "fit". */
void fit_text_report(report *r, const crd_fit_report *fit);

#endif
