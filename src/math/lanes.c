/* lanes.c - see lanes.h: which way to take. */
#include "math/lanes.h"

const crd_i_lanes *const crd_i_lanes_ways[] = {
#ifdef CRD_I_LANES_AVX2
    &crd_i_lanes_avx2,
#endif
    &crd_i_lanes_plain,
    NULL,
};

const crd_i_lanes *crd_i_lanes_best(void) {
    size_t i = 0;
    while (!crd_i_lanes_ways[i]->is_supported()) i++;
    return crd_i_lanes_ways[i];
}
