/* SPDX-License-Identifier: MIT */
/* factor_loops.c - see factor_loops.h: the list of implementations, and the portable one. */
#include "infer/exact/factor_loops.h"

#define TARGET
#include "infer/exact/factor_loops_kernel.h"

static bool factor_loops_is_supported(void) {
    return true;
}

const crd_i_factor_loops crd_i_factor_loops_plain = {
    "plain", factor_loops_is_supported, times, scale, add, raise_to, sum, dot};

const crd_i_factor_loops *const crd_i_factor_loops_ways[] = {
#ifdef CRD_I_FACTOR_LOOPS_AVX2
    &crd_i_factor_loops_avx2,
#endif
    &crd_i_factor_loops_plain,
    NULL,
};

const crd_i_factor_loops *crd_i_factor_loops_best(void) {
    size_t i = 0;
    while (!crd_i_factor_loops_ways[i]->is_supported()) i++;
    return crd_i_factor_loops_ways[i];
}
