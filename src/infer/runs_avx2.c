/* runs_avx2.c - runs for x86 processors that have AVX2: four cells at a time. */
#include "infer/runs.h"

#ifdef CRD_I_RUNS_AVX2

#define TARGET __attribute__((target("avx2")))
#include "infer/runs_kernel.h"

static bool is_supported(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}

const crd_i_runs crd_i_runs_avx2 = {"avx2", is_supported, times, scale, add, raise_to, sum, dot};

#endif
