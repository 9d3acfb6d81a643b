/* slices_plain.c - slicing for every processor: pairs of doubles, which most have, and where not the compiler makes do
 * without. */
#include "math/slices_ways.h"

#ifdef CRD_I_SLICES_PLAIN

#define LANES 2
#define TARGET
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#define ANY(v) ((((v)[0] | (v)[1]) & INT64_MAX) != 0)
#include "math/slices_kernel.h"

static bool is_supported(void) {
    return true;
}

const crd_i_slicer crd_i_slicer_plain = {"plain", is_supported, add};

#endif
