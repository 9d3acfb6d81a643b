/* SPDX-License-Identifier: MIT */
/* row_sampler.h - drawing the attributes of a class that is known. */
#ifndef CRD_QUERY_ROW_SAMPLER_H
#define CRD_QUERY_ROW_SAMPLER_H

#include "math/random.h"

#include <credence/sample.h>

/* As crd_sampler_draw, where the class of the row is this one. */
void crd_i_sampler_draw_of_class(const crd_sampler *sampler, uint64_t row, size_t class_index, crd_value *values);
/* The random numbers of the target of a row. */
crd_i_random crd_i_sampler_random(const crd_sampler *sampler, uint64_t row);

#endif
