/* attribute_weights.h - an exponent on each attribute's density, so that dependent attributes do not say the same twice.
 *
 *   P(class | x) in proportion to P(class) p(x1 | class)^w1 p(x2 | class)^w2 ...
 *
 * The exponents, none below zero, are those under which the classes of rows that were held out are most likely; an
 * attribute whose exponent is 0 is left out. */
#ifndef CRD_FIT_ATTRIBUTE_WEIGHTS_H
#define CRD_FIT_ATTRIBUTE_WEIGHTS_H

#include "fit/held_out.h"

/* One for each attribute, 1 for those whose own density does not count; owned by the caller. Where there are too few
 * rows to hold any out, all are 1. */
CRD_MUST_USE crd_status crd_i_attribute_weights_fit(const crd_classifier *classifier, const crd_i_held_out *inner,
                                                    double **out, crd_error *error);

#endif
