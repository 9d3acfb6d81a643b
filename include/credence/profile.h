/* SPDX-License-Identifier: MIT */
/* credence/profile.h - what the cells of a table's columns are like: counts, extremes, moments, quantiles, frequent values.
 *
 * A profile is made in one pass, by all threads of the reader, in memory that does not grow with the rows: of a number
 * column up to 4,096 distinct values are counted, and beyond that cells of a width of 2^k, so that quantiles become
 * approximate, with an error below that width. It is a function of the multiset of rows. */
#ifndef CREDENCE_PROFILE_H
#define CREDENCE_PROFILE_H

#include <credence/base.h>
#include <credence/data.h>
#include <credence/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_profile crd_profile;

/* Of all rows of a reader that has not begun; row weights count for nothing. most_rows: no further frame is read once
 * so many rows have been, which keeps the time of a glance at a large file short; 0: all rows. No rows is no failure. */
CRD_API CRD_MUST_USE crd_status crd_profile_create(crd_context *context, crd_reader *reader, uint64_t most_rows,
                                                   crd_profile **out, crd_error *error);
CRD_API void crd_profile_destroy(crd_profile *profile);

CRD_API uint64_t crd_profile_rows(const crd_profile *profile);
/* Columns that are not ignored, in the order of the file: attributes, target and weight. */
CRD_API size_t crd_profile_column_count(const crd_profile *profile);

/* What a column looks like beyond its kind, where that may not be what its owner meant. */
typedef enum crd_appearance {
    CRD_APPEARANCE_PLAIN = 0,
    CRD_APPEARANCE_ROW_NUMBER = 1, /* 20 whole numbers or more, all distinct, that fill half of their range: an index */
    CRD_APPEARANCE_IDENTIFIER = 2, /* a category of more than 20 cells, with more values than 90 % of these */
    CRD_APPEARANCE_CODES = 3       /* a number column with few distinct whole numbers, from 2 to 7, each in 10 cells on
                                    * average, that are 0 and 1, or begin above 0: rather labels than counts */
} crd_appearance;

typedef struct crd_column_profile {
    size_t size;
    crd_text name; /* lives as long as the profile */
    crd_kind kind;
    uint64_t present, missing; /* cells */
    uint64_t distinct;         /* values; where is_exact is 0, at least so many */
    int is_exact;              /* distinct and the quantiles are exact */
    double resolution;         /* bound on the error of quantiles that are not */
    /* Numbers; NaN where there is none. The mean is correctly rounded; deviation is the sample standard deviation. */
    double least, greatest, mean, deviation;
    crd_appearance appearance;
} crd_column_profile;

#define CRD_COLUMN_PROFILE_INIT                                                                                        \
    { sizeof(crd_column_profile), {0, 0}, CRD_KIND_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, CRD_APPEARANCE_PLAIN }

CRD_API void crd_profile_column(const crd_profile *profile, size_t column, crd_column_profile *out);
/* Of a number column: the p-quantile, 0 <= p <= 1, with linear interpolation between order statistics (type 7 of
 * Hyndman and Fan, 1996). NaN where there is none. */
CRD_API double crd_profile_quantile(const crd_profile *profile, size_t column, double p);
/* Of a number column: how many cells lie in each of `bins` intervals of equal width from the least number to the greatest,
 * which is in the last; where there is a single number, all are in the first. Cells of approximate columns count by the
 * middles of their intervals. 0: there are no numbers, or their range is no finite number. */
CRD_API int crd_profile_histogram(const crd_profile *profile, size_t column, size_t bins, double *counts);
/* The value of a rank from 0, the most frequent first, equally frequent ones in their order, and in how many cells it
 * is. 0: there is none of that rank, or values are not known one by one. The text lives as long as the profile. */
CRD_API int crd_profile_frequent(const crd_profile *profile, size_t column, uint64_t rank, crd_value *value,
                                 uint64_t *cells);

/* ---- Discretisation: number columns made categories of intervals ---- */

typedef struct crd_discretization {
    size_t size;
    crd_text column; /* bytes NULL: every number column that no other rule names, but for the weight */
    /* "quantile:N"  N intervals with equally many rows, as far as equal numbers allow
     * "width:N"     N intervals of equal width from the least to the greatest number
     * "mdl"         intervals that tell the classes apart, as many as the minimum description length has (Fayyad and
     *               Irani, 1993); the reader needs a target
     * "A:B:..."     these cut points, ascending */
    crd_text rule;
    int is_optional; /* non-zero: a column that is no number is left as it is; else it is CRD_ERROR_COLUMN */
} crd_discretization;

#define CRD_DISCRETIZATION_INIT                                                                                        \
    { sizeof(crd_discretization), {0, 0}, {0, 0}, 0 }

/* The schema of a reader that has not begun, with the cut points that the rules find in all of its rows; rows without a
 * target count for nothing, and row weights do count. Applied to another reader of the same files (crd_schema_apply),
 * frames have the intervals' labels, "<1.5", "[1.5, 3)", ">=3", as values of these columns, and so has a model that learns
 * from them, which then reads numbers as its training did. Cut points are a function of the multiset of rows; those of a
 * column with more than 4,096 distinct numbers are ends of grid cells. CRD_ERROR_SETTING: there is no such rule. */
CRD_API CRD_MUST_USE crd_status crd_discretize(crd_context *context, crd_reader *reader,
                                               const crd_discretization *rules, size_t count, crd_schema **out,
                                               crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
