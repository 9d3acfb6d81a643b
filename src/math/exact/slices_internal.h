/* SPDX-License-Identifier: MIT */
/* slices_internal.h - which slicing implementations are compiled. Slicing needs a compiler that rounds to double after
 * every operation and supports vectors. Otherwise, values are added one by one. */
#ifndef CRD_MATH_EXACT_SLICES_INTERNAL_H
#define CRD_MATH_EXACT_SLICES_INTERNAL_H

#include "math/exact/slices.h"

#include <float.h>

#if defined(__GNUC__) && FLT_EVAL_METHOD == 0 && FLT_RADIX == 2 && DBL_MANT_DIG == 53
#define CRD_I_SLICES_PLAIN
extern const crd_i_slicer crd_i_slicer_plain;
#ifdef __x86_64__
#define CRD_I_SLICES_AVX2
extern const crd_i_slicer crd_i_slicer_avx2, crd_i_slicer_avx512;
#endif
#endif

#endif
