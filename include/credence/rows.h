/* SPDX-License-Identifier: MIT */
/* credence/rows.h - learning from numbers that lie in memory as a matrix, row by row or column by column.
 *
 * The model comes out as from frames with the same rows, to the byte, whatever the number of threads. */
#ifndef CREDENCE_ROWS_H
#define CREDENCE_ROWS_H

#include <credence/base.h>
#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_rows {
    size_t size;
    const double *values;   /* row i begins at values + i * stride; NaN is missing, infinities are refused */
    size_t rows, columns;   /* a column for each attribute of the model, in its order */
    size_t stride;          /* values from one row to the next; 0: as many as columns, or 1 if column_stride is given */
    const int32_t *classes; /* the class of each row, a number below class_count; negative: the row is skipped */
    /* What the numbers of classes mean, each once. A class that no row has is not known by that alone: where it is
     * to be, the model's schema declares it (crd_model_create_from_schema). */
    const crd_text *names;
    size_t class_count;
    unsigned threads; /* that may be used; 0: one for each processor */
    /* How many rows each row stands for: finite, not below zero, whole or not; a row of weight 0 is skipped. They
     * are needed where the model has a weight, and only then (crd_model_set_weight gives it one); its name does not
     * matter. */
    const double *weights;
    size_t column_stride; /* values from one column to the next; 0: 1. Column by column: stride 1 and as many as rows */
    const float *floats;  /* in the place of `values`, which is NULL then: each is taken as the double that it equals */
} crd_rows;

#define CRD_ROWS_INIT                                                                                                  \
    { sizeof(crd_rows), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* A model that has learned nothing, whose attributes are numbers of these names. */
CRD_API CRD_MUST_USE crd_status crd_model_create_for_rows(crd_context *context, const crd_text *attributes,
                                                          size_t attribute_count, crd_text target,
                                                          const crd_settings *settings, crd_model **out,
                                                          crd_error *error);

/* As crd_model_update and crd_model_forget. A failing call changes nothing; where it is a row that fails, the message
 * and the error's line say which, from 1, and the error's field which column. Doubles that lie row by row, without
 * weights, are learned fastest. */
CRD_API CRD_MUST_USE crd_status crd_model_update_rows(crd_model *model, const crd_rows *rows, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_model_forget_rows(crd_model *model, const crd_rows *rows, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
