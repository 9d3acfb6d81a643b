/* SPDX-License-Identifier: MIT */
/* row_sampler.h - draws the attributes of a row whose class is known. */
#ifndef CRD_QUERY_ROW_SAMPLER_H
#define CRD_QUERY_ROW_SAMPLER_H

#include "math/random.h"

#include <credence/sample.h>

/* Draws a row like crd_sampler_draw, but with the given class. */
void crd_i_sampler_draw_of_class(const crd_sampler *sampler, uint64_t row, size_t class_index, crd_value *values);
/* Returns the random number stream that draws the target of a row. */
crd_i_random crd_i_sampler_random(const crd_sampler *sampler, uint64_t row);

#endif
