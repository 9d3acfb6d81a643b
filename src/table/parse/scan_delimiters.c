/* SPDX-License-Identifier: MIT */
/* scan_delimiters.c - see scan_delimiters.h. */
#include "table/parse/scan_delimiters.h"

const crd_i_marker *const crd_i_markers[] = {
#ifdef CRD_I_MARKS_AVX2
    &crd_i_marker_avx2,
#endif
#ifdef CRD_I_MARKS_SIMD128
    &crd_i_marker_simd128,
#endif
    &crd_i_marker_plain,
    NULL,
};

const crd_i_marker *crd_i_marker_best(void) {
    size_t i = 0;
    while (!crd_i_markers[i]->is_supported()) i++;
    return crd_i_markers[i];
}
