/* SPDX-License-Identifier: MIT */
/* fraction.h - parses numbers as people type them: 0.25, 2.5e-1, 2/8 or 25%. */
#ifndef CREDENCE_CLI_FRACTION_H
#define CREDENCE_CLI_FRACTION_H

#include "core/string_buffer.h"

/* Parses a number. Returns false if the text is not a finite number, a quotient of two numbers or a percentage. */
bool fraction_parse(crd_text text, double *out);

/* Splits name=number at the last '='. Returns false if there is no '=', if the name is empty, or if no number
 * follows. */
bool fraction_assignment(crd_text item, crd_text *name, double *out);

/* Parses a list of numbers, each as in fraction_parse; with `infinite_too`, infinities are valid too. The caller frees
 * the result. Returns NULL if an item is not a number. */
double *fraction_parse_list(const char *text, size_t *count, bool infinite_too);

#endif
