/* decimal.h - numbers in decimal whose fraction does not begin with a point. */
#ifndef CRD_MATH_DECIMAL_H
#define CRD_MATH_DECIMAL_H

#include <credence/number.h>

/* As crd_number_parse, where `point` (a point, a comma) stands between a number's whole part and its fraction. */
crd_number_class crd_i_decimal_parse(crd_text text, char point, double *out);

#endif
