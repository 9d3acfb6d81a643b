/* SPDX-License-Identifier: MIT */
/* credence/rows.h - training from numbers in memory, as a row-major or column-major matrix.
 *
 * The model is byte-identical to a model trained from frames with the same rows, for any number of threads. */
#ifndef CREDENCE_ROWS_H
#define CREDENCE_ROWS_H

#include <credence/credence.h>
#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix of numbers with the classes of its rows, which only training needs. Initialize it with CRD_ROWS_INIT. */
typedef struct crd_rows {
    size_t size;
    const double *values; /* row i begins at values + i * stride; NaN is missing, infinite values are rejected */
    size_t rows, columns; /* one column for each attribute of the model, in its order */
    /* Number of values from one row to the next; 0: the number of columns, or 1 if column_stride is set. */
    size_t stride;
    const int32_t *classes; /* the class of each row, a number below class_count; negative: the row is skipped */
    /* The distinct class names, indexed by class number. A class without a row does not become a class of the model by
     * being listed here: declare it in the model's schema (crd_model_create_from_schema). */
    const crd_text *names;
    size_t class_count;
    unsigned threads; /* maximum number of threads; 0: one per CPU core */
    /* The weight of each row: how many rows it represents. A weight is finite, not negative, and need not be an
     * integer. Rows of weight 0 are skipped. Weights are required if the model has a weight, and not allowed otherwise
     * (crd_model_set_weight adds one). The weight's name does not matter. */
    const double *weights;
    /* Number of values from one column to the next; 0: 1. For column-major data, set stride to 1 and this to the number
     * of rows. */
    size_t column_stride;
    /* Instead of `values`, which must be NULL then: each float is used as the double of equal value. */
    const float *floats;
} crd_rows;

#define CRD_ROWS_INIT                                                                                                  \
    { sizeof(crd_rows), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Creates a model in *out that has learned no rows and whose attributes are numeric columns with these names. `target`
 * is the target's name. `settings` may be NULL for the defaults. */
CRD_API CRD_MUST_USE crd_status crd_model_create_for_rows(crd_context *context, const crd_text *attributes,
                                                          size_t attribute_count, crd_text target,
                                                          const crd_settings *settings, crd_model **out,
                                                          crd_error *error);

/* Learns rows in memory: see crd_model_update. A failing call changes nothing. If a row causes the failure, the message
 * and the error's line contain its number, from 1, and the error's field contains the column. Row-major doubles without
 * weights are learned fastest. */
CRD_API CRD_MUST_USE crd_status crd_model_update_rows(crd_model *model, const crd_rows *rows, crd_error *error);
/* Forgets rows in memory: see crd_model_forget. A failing call changes nothing. If a row causes the failure, the
 * message and the error's line contain its number, from 1, and the error's field contains the column. */
CRD_API CRD_MUST_USE crd_status crd_model_forget_rows(crd_model *model, const crd_rows *rows, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
