/* numerals.c - see numerals.h. */
#include "data/numerals.h"

const crd_i_numeral_way *const crd_i_numeral_ways[] = {
#ifdef CRD_I_NUMERALS_AVX2
    &crd_i_numeral_way_avx2,
#endif
    &crd_i_numeral_way_plain,
    NULL,
};

const crd_i_numeral_way *crd_i_numeral_way_best(void) {
    size_t i = 0;
    while (!crd_i_numeral_ways[i]->is_supported()) i++;
    return crd_i_numeral_ways[i];
}
