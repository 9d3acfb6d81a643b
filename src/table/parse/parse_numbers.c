/* SPDX-License-Identifier: MIT */
/* parse_numbers.c - see parse_numbers.h. */
#include "table/parse/parse_numbers.h"

const crd_i_number_parser_way *const crd_i_number_parser_ways[] = {
#ifdef CRD_I_NUMBER_PARSERS_AVX2
    &crd_i_number_parser_way_avx2,
#endif
#ifdef CRD_I_NUMBER_PARSERS_SIMD128
    &crd_i_number_parser_way_simd128,
#endif
    &crd_i_number_parser_way_plain,
    NULL,
};

const crd_i_number_parser_way *crd_i_number_parser_way_best(void) {
    size_t i = 0;
    while (!crd_i_number_parser_ways[i]->is_supported()) i++;
    return crd_i_number_parser_ways[i];
}
