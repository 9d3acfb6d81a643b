/* SPDX-License-Identifier: MIT */
/* credence/number.h - numbers to text and back, the same in every locale. */
#ifndef CREDENCE_NUMBER_H
#define CREDENCE_NUMBER_H

#include <credence/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room that crd_number_format always suffices with, its NUL included. */
#define CRD_NUMBER_ROOM 32

/* Writes the shortest decimal that reads back to the same bits, of these the one nearest to the value, ends it with NUL
 * and returns its length. From 1e-4 up to below 1e16 without an exponent ("0.1", "5", "-0"), else with one of at least
 * two digits and its sign ("1e-07", "1.5e+20"); "inf", "-inf", "nan". */
CRD_API size_t crd_number_format(double value, char out[CRD_NUMBER_ROOM]);

typedef enum crd_number_class {
    CRD_NUMBER_NONE = 0,    /* the text is no number */
    CRD_NUMBER_FINITE = 1,  /* *out is the nearest double, ties to even */
    CRD_NUMBER_INFINITE = 2 /* "inf", "infinity" or too large: *out is the infinity */
} crd_number_class;

/* Reads the whole text as a number: optional sign, digits with at most one point, optional
 * exponent; or inf / infinity in any case. No blanks, no hexadecimal, "nan" is no number. */
CRD_API crd_number_class crd_number_parse(crd_text text, double *out);

#ifdef __cplusplus
}
#endif
#endif
