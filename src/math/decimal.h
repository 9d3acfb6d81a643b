/* decimal.h - numbers in decimal whose fraction does not begin with a point. */
#ifndef CRD_MATH_DECIMAL_H
#define CRD_MATH_DECIMAL_H

#include <credence/number.h>

/* As crd_number_parse, where `point` (a point, a comma) stands between a number's whole part and its fraction. */
crd_number_class crd_i_decimal_parse(crd_text text, char point, double *out);

/* The same for the bytes from begin to end, where CRD_I_DECIMAL_PADDING bytes behind `end` can be read too, whatever they
 * are. A cell of a table is read without asking how far its words reach. Nothing is written unless it is a number. */
enum { CRD_I_DECIMAL_PADDING = 8 };
crd_number_class crd_i_decimal_parse_padded(const char *begin, const char *end, char point, double *out);

#endif
