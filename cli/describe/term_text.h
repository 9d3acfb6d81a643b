/* SPDX-License-Identifier: MIT */
/* term_text.h - writes a factor of the posterior as a person would on paper. */
#ifndef CREDENCE_CLI_TERM_TEXT_H
#define CREDENCE_CLI_TERM_TEXT_H

#include "core/report.h"

/* Adds "3/9", "(3 + 1·1/3)/(5 + 1)", "density N(21.64, 2.35) at 25", or the reason why there is no factor. Fractions
 * are not reduced. */
void term_text_add(string *out, const crd_term *term);
/* Returns whether the term is a factor of the product, not one that is skipped. */
bool term_text_counts(const crd_term *term);
/* Returns advice for the case that every class has probability 0: a setting that helps, or the reason why none does. */
const char *term_text_zero_reason(const crd_settings *settings);

/* Adds the settings: "smoothing m:1, prior frequency, ...". */
void term_text_add_settings(string *out, const crd_settings *settings);
/* Adds the settings of a classifier. If it has text attributes, adds only the settings that its attributes read. */
void term_text_add_settings_of(string *out, const crd_classifier *classifier);
/* Adds the member "settings". */
void term_text_report_settings(crd_result *r, const crd_settings *settings);

/* Adds the members of a term to the open object. */
void term_text_report(crd_result *r, const crd_term *term);

#endif
