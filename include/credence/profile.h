/* SPDX-License-Identifier: MIT */
/* credence/profile.h - profiles of a table's columns: counts, minimum and maximum, moments, quantiles, frequent values.
 *
 * A profile needs one pass over the rows, by all threads of the reader, in memory that does not grow with the number of
 * rows. For a numeric column, up to 4,096 distinct values are counted exactly. Further values are counted in bins of
 * width 2^k. Then quantiles are approximate, with an error below the bin width. A profile depends only on the multiset
 * of rows. */
#ifndef CREDENCE_PROFILE_H
#define CREDENCE_PROFILE_H

#ifndef CRD_EXPERIMENTAL
#error "credence/profile.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>
#include <credence/data.h>
#include <credence/result.h>
#include <credence/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A profile of the columns of a table. */
typedef struct crd_profile crd_profile;

/* Creates a profile of the rows of a reader in *out. No row of the reader may have been read. Row weights are ignored.
 * After at least `most_rows` rows have been read, no further frame is read, so that a profile of a large file is fast.
 * 0 means all rows. A table without rows is not an error. Destroy the profile with crd_profile_destroy. */
CRD_API CRD_MUST_USE crd_status crd_profile_create(crd_context *context, crd_reader *reader, uint64_t most_rows,
                                                   crd_profile **out, crd_error *error);
/* Frees the profile. `profile` may be NULL. */
CRD_API void crd_profile_destroy(crd_profile *profile);

/* Returns the number of rows that were read. */
CRD_API uint64_t crd_profile_rows(const crd_profile *profile);
/* Returns the number of columns that are not ignored, in the order of the file: attributes, target and weight. */
CRD_API size_t crd_profile_column_count(const crd_profile *profile);

/* A warning that a column may not be what its type suggests. */
typedef enum crd_appearance {
    CRD_APPEARANCE_PLAIN = 0,
    /* an index: at least 20 integers, all distinct, that fill at least half of their range */
    CRD_APPEARANCE_ROW_NUMBER = 1,
    CRD_APPEARANCE_IDENTIFIER = 2, /* a categorical column with more than 20 values, more than 90 % of them distinct */
    /* labels rather than counts: a numeric column with 2 to 7 distinct integers, which occur 10 times or more on
     * average. They are 0 and 1, or the minimum is above 0. */
    CRD_APPEARANCE_CODES = 3
} crd_appearance;

/* The profile of one column. Initialize it with CRD_COLUMN_PROFILE_INIT. */
typedef struct crd_column_profile {
    size_t size;
    crd_text name; /* valid as long as the profile */
    crd_column_type type;
    uint64_t present, missing; /* number of present and of missing values */
    uint64_t distinct;         /* number of distinct values; a lower bound if is_exact is 0 */
    int is_exact;              /* nonzero: `distinct` and the quantiles are exact */
    double resolution;         /* maximum error of the quantiles if they are not exact */
    /* For numeric columns; NaN if there are no values. The mean is correctly rounded, and `deviation` is the sample
     * standard deviation. */
    double least, greatest, mean, deviation;
    crd_appearance appearance;
} crd_column_profile;

#define CRD_COLUMN_PROFILE_INIT                                                                                        \
    { sizeof(crd_column_profile), {0, 0}, CRD_TYPE_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, CRD_APPEARANCE_PLAIN }

/* Writes the profile of a column to *out. */
CRD_API void crd_profile_column(const crd_profile *profile, size_t column, crd_column_profile *out);
/* Returns the p-quantile of a numeric column, 0 <= p <= 1, with linear interpolation between order statistics (type 7
 * in Hyndman and Fan 1996). Returns NaN if there are no values. */
CRD_API double crd_profile_quantile(const crd_profile *profile, size_t column, double p);
/* Writes the value with a given frequency rank to *value, and the number of its rows to *cells. Rank 0 is the most
 * frequent value; values with equal counts are in ascending order. Returns 0 if no value has that rank, or if values
 * were not counted individually. The text is valid as long as the profile. */
CRD_API int crd_profile_frequent(const crd_profile *profile, size_t column, uint64_t rank, crd_value *value,
                                 uint64_t *cells);

/* Adds the profile to the open object of a result: the number of rows, and an array with an object for each column of
 * the schema: its type and role, missing and distinct values, extremes, quantiles, moments, a histogram of 20 intervals,
 * and its most frequent values. The profile describes all columns of the schema that are not ignored. */
CRD_API void crd_profile_report(const crd_profile *profile, const crd_schema *schema, crd_result *result);

/* ---- Discretization: numeric columns become categorical columns of intervals ---- */

/* A rule that chooses the cut points of one or all numeric columns. Initialize it with CRD_DISCRETIZATION_INIT. */
typedef struct crd_discretization {
    size_t size;
    crd_text column; /* bytes NULL: every numeric column without another rule, except the weight */
    /* "quantile:N"  N intervals with equally many rows, as far as equal numbers allow
     * "width:N"     N intervals of equal width from the minimum to the maximum
     * "mdl"         intervals that separate the classes; the minimum description length determines their number (Fayyad
     *               and Irani 1993). The reader must have a target.
     * "A:B:..."     these cut points, ascending */
    crd_text rule;
    int is_optional; /* nonzero: a column that is not numeric stays unchanged; 0: it is an error, CRD_ERROR_COLUMN */
} crd_discretization;

#define CRD_DISCRETIZATION_INIT                                                                                        \
    { sizeof(crd_discretization), {0, 0}, {0, 0}, 0 }

/* Creates the schema of a reader in *out, with the cut points that the rules find in all of its rows. No row of the
 * reader may have been read. Rows without a target are ignored. Row weights are used. Apply the schema to another
 * reader of the same files with crd_schema_apply. Its frames then contain the labels of intervals, "<1.5", "[1.5, 3)",
 * ">=3", as the values of these columns. A model that learns from them discretizes numbers in the same way.
 *
 * Cut points depend only on the multiset of rows. In a column with more than 4,096 distinct numbers, cut points are
 * bounds of histogram bins. Returns CRD_ERROR_SETTING if a rule is unknown. */
CRD_API CRD_MUST_USE crd_status crd_discretize(crd_context *context, crd_reader *reader,
                                               const crd_discretization *rules, size_t count, crd_schema **out,
                                               crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
