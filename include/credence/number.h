/* SPDX-License-Identifier: MIT */
/* credence/number.h - conversion of numbers to text and back, independent of the locale.
 *
 *   char text[CRD_NUMBER_ROOM];
 *   crd_number_format(0.1, text);                      "0.1"
 *   double x;
 *   crd_number_parse(crd_text_of("1.5e3"), &x);        CRD_NUMBER_FINITE, x is 1500 */
#ifndef CREDENCE_NUMBER_H
#define CREDENCE_NUMBER_H

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The buffer size, including the final NUL, that crd_number_format needs for any value. */
#define CRD_NUMBER_ROOM 32

/* Formats a number as the shortest decimal text that reads back to the same bits. If several texts are equally short,
 * it chooses the one nearest to the value. Values from 1e-4 to below 1e16 are written without an exponent ("0.1", "5",
 * "-0"). Other values have an exponent with a sign and at least two digits ("1e-07", "1.5e+20"). Special values are
 * "inf", "-inf" and "nan". Writes a final NUL and returns the length without it. */
CRD_API size_t crd_number_format(double value, char out[CRD_NUMBER_ROOM]);

/* Formats a number for people, with five significant digits: "0.66667", "1.5e-07", "-" for NaN. Numbers from 1e5 to below
 * 1e15 are written without an exponent. Returns `out`. */
CRD_API const char *crd_number_round(double value, char out[CRD_NUMBER_ROOM]);
/* Formats a count for people, with all of its digits. Returns `out`. */
CRD_API const char *crd_number_count(double value, char out[CRD_NUMBER_ROOM]);

/* The result of crd_number_parse. */
typedef enum crd_number_class {
    CRD_NUMBER_NONE = 0,    /* the text is not a number; *out is unchanged */
    CRD_NUMBER_FINITE = 1,  /* *out is the nearest double; ties go to the even one */
    CRD_NUMBER_INFINITE = 2 /* "inf", "infinity" or too large: *out is infinite, with the sign of the text */
} crd_number_class;

/* Parses the whole text as a number and writes it to *out. A number has an optional sign, digits with at most one
 * decimal point, and an optional exponent. "inf" and "infinity" are accepted in any letter case. Spaces, hexadecimal
 * numbers and "nan" are not numbers. Returns the class of the number. */
CRD_API crd_number_class crd_number_parse(crd_text text, double *out);

#ifdef __cplusplus
}
#endif
#endif
