/* SPDX-License-Identifier: MIT */
/* dependence.h - sums over rows that measure which attributes depend on each other within a class. dependence.c
 * accumulates them, dependence_pairs.c evaluates them. */
#ifndef CRD_EXPLAIN_DEPENDENCE_H
#define CRD_EXPLAIN_DEPENDENCE_H

#include "base/dictionary.h"
#include "model/frame_binding.h"

#include <credence/explain.h>

/* Numbers are standardized with the mean and standard deviation of their class, clamped to +-256 standard deviations
 * and rounded to steps of 1/4096. Products of such numbers have few binary digits, so a double adds half a billion of
 * them without rounding. Therefore the sums do not depend on the order of rows, unless row weights have fractions. */
#define CRD_I_STEPS_OF_DEVIATION 4096.0
#define CRD_I_MOST_DEVIATIONS 256.0

/* Indexes into the sums of a pair. Two numeric columns x and y have all of them, in each class. A categorical and a
 * numeric column have the first CRD_I_SUMS_OF_ONE, for each class and value. */
enum {
    CRD_I_SUM_ROWS,
    CRD_I_SUM_X,
    CRD_I_SUM_XX,
    CRD_I_SUMS_OF_ONE,
    CRD_I_SUM_Y = CRD_I_SUMS_OF_ONE,
    CRD_I_SUM_YY,
    CRD_I_SUM_XY,
    CRD_I_SUMS_OF_TWO
};

/* A column that takes part in pairs. */
typedef struct crd_i_paired_column {
    size_t attribute;
    crd_text name; /* borrowed from the summary */
    crd_kind kind;
    crd_i_dictionary *values; /* categorical column: the code of a text is the summary's value index; otherwise NULL */
    double *centres, *scales; /* numeric column: mean and standard deviation in each class; otherwise NULL */
    /* Cells of the current frame. A numeric column uses `numbers`, a categorical column uses `codes`. */
    double *numbers; /* standardized; NaN: missing */
    int32_t *codes;  /* negative: missing */
    size_t numbers_capacity, codes_capacity;
} crd_i_paired_column;

/* A pair of columns and its sums. In a mixed pair, the categorical column is first. The layout of `sums`:
 *
 * - two numeric columns: CRD_I_SUMS_OF_TWO sums for each class;
 * - a categorical and a numeric column: CRD_I_SUMS_OF_ONE sums for each class and value;
 * - two categorical columns: the row weight of each class, first value and second value. */
typedef struct crd_i_column_pair {
    const crd_i_paired_column *first, *second;
    double *sums;
    size_t size;
} crd_i_column_pair;

/* The public object: see credence/explain.h. */
struct crd_dependence {
    crd_context *context;
    crd_summary *summary;
    crd_i_dictionary *classes; /* the code of a text is the summary's class index */
    size_t class_count;
    crd_i_paired_column *columns;
    size_t column_count, attribute_count; /* number of paired columns; number of all attributes that have a type */
    crd_i_column_pair *pairs;
    /* left_out: number of pairs that would need too much memory */
    size_t pair_count, left_out;
    double rows;
    crd_i_binding binding; /* index 0 is the target, index i + 1 is column i */
    int32_t *conditions;   /* class of each row in the current frame; negative: unknown */
    double *weights;
    size_t conditions_capacity, weights_capacity;
};

#endif
