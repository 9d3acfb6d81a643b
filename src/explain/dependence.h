/* SPDX-License-Identifier: MIT */
/* dependence.h - what is added up of rows to see which attributes depend on each other within a class. */
#ifndef CRD_EXPLAIN_DEPENDENCE_H
#define CRD_EXPLAIN_DEPENDENCE_H

#include "base/dictionary.h"
#include "model/frame_binding.h"

#include <credence/explain.h>

/* Numbers are counted from their class's mean in its deviations, in steps of 1/4096 and up to 256. Products of these
 * have so few digits that a double adds up half a billion of them without rounding: the sums do not depend on the order
 * of rows, unless their weights have fractions. */
#define CRD_I_STEPS_OF_DEVIATION 4096.0
#define CRD_I_MOST_DEVIATIONS 256.0

/* Of two numbers in each class, or of a number for each category in each class. */
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

typedef struct crd_i_paired_column {
    size_t attribute;
    crd_text name; /* the summary's */
    crd_kind kind;
    crd_i_dictionary *values; /* of a category: code = value of the summary */
    double *centres, *scales; /* of a number in each class */
    /* The cells of the latest frame: */
    double *numbers; /* NaN: missing */
    int32_t *codes;  /* negative: missing */
    size_t numbers_capacity, codes_capacity;
} crd_i_paired_column;

/* A number stands behind a category. sums: for two numbers CRD_I_SUMS_OF_TWO a class; for a category and a number
 * CRD_I_SUMS_OF_ONE a class and value; for two categories the rows of each class, value and value. */
typedef struct crd_i_column_pair {
    const crd_i_paired_column *first, *second;
    double *sums;
    size_t size;
} crd_i_column_pair;

struct crd_dependence {
    crd_context *context;
    crd_summary *summary;
    crd_i_dictionary *classes; /* code = class of the summary */
    size_t class_count;
    crd_i_paired_column *columns;
    size_t column_count, attribute_count; /* paired, and all that have a kind */
    crd_i_column_pair *pairs;
    size_t pair_count, left_out;
    double rows;
    crd_i_binding binding; /* of the target, then the columns */
    int32_t *conditions;   /* of the latest frame's rows */
    double *weights;
    size_t conditions_capacity, weights_capacity;
};

#endif
