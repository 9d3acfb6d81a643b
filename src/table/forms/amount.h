/* SPDX-License-Identifier: MIT */
/* amount.h - numbers as people write them: digits in groups, signs of currency and percent, negatives in parentheses. */
#ifndef CRD_TABLE_FORMS_AMOUNT_H
#define CRD_TABLE_FORMS_AMOUNT_H

#include <credence/data.h>
#include <credence/number.h>

#include <stdbool.h>

typedef struct crd_i_amount {
    crd_number_class class; /* NONE: it is no amount, and the rest means nothing */
    double number;          /* as written, not divided by 100 */
    bool is_percent;
    int currency; /* its number from 1, the same for a sign and its code; 0: none */
} crd_i_amount;

/* point: what begins the fraction, a point or a comma; the other of both can separate groups of three digits, and so can
 * blanks, apostrophes, and no-break and thin spaces. Without any of these it is a number as crd_i_decimal_parse has it, but
 * for one with a leading zero, which is a code. */
crd_i_amount crd_i_amount_parse(crd_text text, char point);

/* Digits that name something rather than count it: two or more with a leading zero (08123), or so many that a double does
 * not tell them apart (17 or more). */
bool crd_i_is_code(crd_text text);

#endif
