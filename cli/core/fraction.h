/* SPDX-License-Identifier: MIT */
/* fraction.h - numbers as people type them: 0.25, 2.5e-1, 2/8 or 25%. */
#ifndef CREDENCE_CLI_FRACTION_H
#define CREDENCE_CLI_FRACTION_H

#include "core/string_buffer.h"

/* False where the text is neither a finite number, nor the quotient of two, nor a percentage. */
bool fraction_parse(crd_text text, double *out);

/* Splits name=number at the last '='. False where there is none, no name, or no number behind it. */
bool fraction_assignment(crd_text item, crd_text *name, double *out);

/* The numbers of a list, each as above or, where those may be, infinite; the caller frees them. NULL where one is none.
 */
double *fraction_parse_list(const char *text, size_t *count, bool infinite_too);

#endif
