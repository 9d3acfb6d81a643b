/* SPDX-License-Identifier: MIT */
/* fit_text.h - reports the course of EM or gradient ascent. */
#ifndef CREDENCE_CLI_FIT_TEXT_H
#define CREDENCE_CLI_FIT_TEXT_H

#include "core/report.h"

crd_fit_facts fit_text_facts(const crd_fit *fit);
/* Adds a line such as "EM: 12 steps from the best of 10 starts, log-likelihood -123.45, converged". */
void fit_text_add(string *out, const crd_fit *fit, const crd_settings *settings);
/* Adds a table of the first and the last steps for people. For machines adds all steps, the final value of each start,
 * and the numbers of components that were tried, under "fit". `components` is what components are called, such as
 * "states"; NULL: there is no choice. */
void fit_text_report(crd_result *r, const crd_fit *fit, const char *components);

/* Print notes on standard error: the numbers of components that were tried; the first and the last steps. */
void fit_text_note_choices(const crd_fit *fit, const char *components);
void fit_text_note_steps(const crd_fit *fit);

#endif
