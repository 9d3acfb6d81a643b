/* runs.c - see runs.h: the ways there are, and the one for every processor. */
#include "infer/runs.h"

#define TARGET
#include "infer/runs_kernel.h"

static bool is_supported(void) {
    return true;
}

const crd_i_runs crd_i_runs_plain = {"plain", is_supported, times, scale, add, raise_to, sum, dot};

const crd_i_runs *const crd_i_runs_ways[] = {
#ifdef CRD_I_RUNS_AVX2
    &crd_i_runs_avx2,
#endif
    &crd_i_runs_plain,
    NULL,
};

const crd_i_runs *crd_i_runs_best(void) {
    size_t i = 0;
    while (!crd_i_runs_ways[i]->is_supported()) i++;
    return crd_i_runs_ways[i];
}
