/* SPDX-License-Identifier: MIT */
/* parse_numbers_plain.c - parses cells as numbers on any CPU, one by one. */
#include "table/parse/parse_numbers.h"

#include "math/decimal/decimal.h"
#include "table/values/column_format.h"

/* The first byte and the length decide for nearly every cell. */
static inline bool may_be_code(const char *begin, const char *end) {
    bool is_suspect = (*begin == '0' && begin + 1 < end && begin[1] != '.') || end - begin > 15;
    return is_suspect && crd_i_is_code((crd_text){begin, (size_t)(end - begin)});
}

static uint64_t parse_plain_read(const crd_i_number_parsers *cells, double *numbers) {
    const uint32_t *marks = cells->marks;
    uint64_t left = 0;
    for (size_t i = 0; i < cells->count; i++, marks += cells->stride) {
        const char *begin = cells->bytes + (uint32_t)(marks[0] + 1), *end = cells->bytes + (marks[1] - cells->end);
        if (begin == end || may_be_code(begin, end) ||
            crd_i_decimal_parse_padded(begin, end, cells->point, &numbers[i]) != CRD_NUMBER_FINITE)
            left |= UINT64_C(1) << i;
    }
    return left;
}

static bool parse_plain_is_supported(void) {
    return true;
}

const crd_i_number_parser_way crd_i_number_parser_way_plain = {"plain", parse_plain_is_supported, parse_plain_read};
