/* SPDX-License-Identifier: MIT */
/* parse_numbers.h - cells of one field, row after row, read as numbers.
 *
 * Nearly all numbers in tables are a sign, some digits and a point among them. Those are read without a decision that
 * depends on how long they are or where the point is, as these are as good as random; the few others are left. */
#ifndef CRD_TABLE_PARSE_PARSE_NUMBERS_H
#define CRD_TABLE_PARSE_PARSE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CRD_I_NUMBER_PARSERS = 64,        /* the most cells at a time */
    CRD_I_NUMBER_PARSERS_PADDING = 32 /* bytes behind the end of a cell that may be looked at */
};

/* The cells: number i is bytes[marks[i * stride] + 1] up to bytes[marks[i * stride + 1] - behind], offsets modulo 2^32.
 */
typedef struct crd_i_number_parsers {
    const char *bytes;
    const uint32_t *marks;
    size_t stride, count;
    char point;      /* begins the fraction of a number */
    uint32_t behind; /* 1: the byte before the mark behind a cell is none of the cell's; else 0 */
} crd_i_number_parsers;

/* A way to read them, made for one kind of processor. */
typedef struct crd_i_number_parser_way {
    const char *name;
    bool (*is_supported)(void);
    /* Writes the number nearest to each cell that is a plain one, and returns a bit for each that is left, the first
     * lowest, whose number is undefined: it has blanks around it, more digits than this way takes or a leading zero
     * before another digit, is missing, is not finite, or no number at all. */
    uint64_t (*read)(const crd_i_number_parsers *cells, double *numbers);
} crd_i_number_parser_way;

/* The ways that were compiled, the fastest first, ended by NULL; and the first that this machine supports. */
extern const crd_i_number_parser_way *const crd_i_number_parser_ways[];
const crd_i_number_parser_way *crd_i_number_parser_way_best(void);

#if defined(__GNUC__) && defined(__x86_64__)
#define CRD_I_NUMBER_PARSERS_AVX2
extern const crd_i_number_parser_way crd_i_number_parser_way_avx2;
#endif
#ifdef __wasm_simd128__
#define CRD_I_NUMBER_PARSERS_SIMD128
extern const crd_i_number_parser_way crd_i_number_parser_way_simd128;
#endif
extern const crd_i_number_parser_way crd_i_number_parser_way_plain;

#endif
