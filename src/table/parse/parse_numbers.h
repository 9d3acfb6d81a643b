/* SPDX-License-Identifier: MIT */
/* parse_numbers.h - parses the cells of one field in consecutive rows as numbers.
 *
 * Nearly all numbers in tables consist of a sign, some digits and a point. These are parsed without branches on the
 * length or the position of the point, which are unpredictable. The few other numbers are left to the caller. */
#ifndef CRD_TABLE_PARSE_PARSE_NUMBERS_H
#define CRD_TABLE_PARSE_PARSE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CRD_I_NUMBER_PARSERS = 64,        /* maximum number of cells per call */
    CRD_I_NUMBER_PARSERS_PADDING = 32 /* number of bytes after the end of a cell that may be read */
};

/* The cells to parse. Cell i begins at bytes[marks[i * stride] + 1] and ends before bytes[marks[i * stride + 1] - end],
 * with offsets modulo 2^32. */
typedef struct crd_i_number_parsers {
    const char *bytes;
    const uint32_t *marks;
    size_t stride, count;
    char point; /* decimal mark */
    /* 1: the byte before the mark after a cell does not belong to the cell (a carriage return); otherwise 0 */
    uint32_t end;
} crd_i_number_parsers;

/* An implementation for one type of processor. */
typedef struct crd_i_number_parser_way {
    const char *name;
    bool (*is_supported)(void);
    /* Stores the nearest double of each plain number. Returns a bit for each cell that it did not parse, the first
     * cell in the lowest bit; these numbers are undefined. Such a cell is surrounded by spaces, has too many digits
     * or a leading zero before another digit, is missing, is not finite, or is not a number. */
    uint64_t (*read)(const crd_i_number_parsers *cells, double *numbers);
} crd_i_number_parser_way;

/* The compiled implementations, fastest first, terminated by NULL; and the first that this machine supports. */
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
