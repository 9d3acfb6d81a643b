/* SPDX-License-Identifier: MIT */
/* term_text.h - a term of the posterior, written as a person would on paper. */
#ifndef CREDENCE_CLI_TERM_TEXT_H
#define CREDENCE_CLI_TERM_TEXT_H

#include "core/report.h"

/* "3/9", "(3 + 1·1/3)/(5 + 1)", "density N(21.64, 2.35) at 25", or why there is none. Fractions are not reduced. */
void term_text_add(string *out, const crd_term *term);
/* Whether the term is a factor of the product, and not left out of it. */
bool term_text_counts(const crd_term *term);
/* What to know where every class is at zero: what helps, or that nothing does. */
const char *term_text_zero_reason(const crd_settings *settings);

/* "smoothing m:1, prior frequency, ..." */
void term_text_add_settings(string *out, const crd_settings *settings);
/* The same of a classifier: where it has texts, those that its attributes read. */
void term_text_add_settings_of(string *out, const crd_classifier *classifier);
/* The member "settings". */
void term_text_report_settings(report *r, const crd_settings *settings);

/* Its members, in the object that is open. */
void term_text_report(report *r, const crd_term *term);

#endif
