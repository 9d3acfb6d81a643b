/* SPDX-License-Identifier: MIT */
/* amount.h - parses numbers as people write them: digit groups, currency and percent signs, negative numbers in
 * parentheses. */
#ifndef CRD_TABLE_FORMS_AMOUNT_H
#define CRD_TABLE_FORMS_AMOUNT_H

#include <credence/data.h>
#include <credence/number.h>

#include <stdbool.h>

typedef struct crd_i_amount {
    crd_number_class class; /* NONE: not an amount, and the other members are undefined */
    double number;          /* as written, not divided by 100 */
    bool is_percent;
    int currency; /* number of the currency from 1, the same for a sign and its code; 0: none */
} crd_i_amount;

/* Parses an amount. `point` is the decimal mark, a point or a comma. The other of the two can separate groups of
 * three digits, and so can spaces, apostrophes, no-break spaces and thin spaces. A text without any of these is
 * parsed like crd_i_decimal_parse, except that digits with a leading zero are a code. */
crd_i_amount crd_i_amount_parse(crd_text text, char point);

/* Returns whether digits are an identifier rather than a quantity: two or more digits with a leading zero (08123),
 * or 17 or more digits, which a double cannot distinguish. */
bool crd_i_is_code(crd_text text);

#endif
