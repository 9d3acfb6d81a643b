/* SPDX-License-Identifier: MIT */
/* factor_loops_avx2.c - implementation for x86 CPUs with AVX2: four cells at a time. */
#include "infer/exact/factor_loops.h"

#include "base/processor.h"

#ifdef CRD_I_FACTOR_LOOPS_AVX2

#define TARGET __attribute__((target("avx2")))
#include "infer/exact/factor_loops_kernel.h"

static bool factor_loops_avx2_is_supported(void) {
    return crd_i_processor_has(CRD_I_PROCESSOR_AVX2);
}

const crd_i_factor_loops crd_i_factor_loops_avx2 = {
    "avx2", factor_loops_avx2_is_supported, times, scale, add, raise_to, sum, dot};

#endif
