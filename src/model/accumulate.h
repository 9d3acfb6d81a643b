/* SPDX-License-Identifier: MIT */
/* accumulate.h - adds rows of frames to the sufficient statistics (tallies) of a model. */
#ifndef CRD_MODEL_ACCUMULATE_H
#define CRD_MODEL_ACCUMULATE_H

#include "model/model_internal.h"

/* Adds the rows of a frame, with their weights if the schema has a weight. On failure some rows may have been added,
 * so the model must be discarded. */
CRD_MUST_USE crd_status crd_i_accumulate_frame(crd_model *model, const crd_frame *frame, crd_read_facts *facts,
                                               crd_error *error);
/* Adds the rows of one of many frames. Numbers are buffered, so several frames are added together. The model is
 * complete after crd_i_accumulate_flush; until then only these functions may use it. */
CRD_MUST_USE crd_status crd_i_accumulate_buffered(crd_model *model, const crd_frame *frame, crd_read_facts *facts,
                                                  crd_error *error);
CRD_MUST_USE crd_status crd_i_accumulate_flush(crd_model *model, crd_error *error);
/* Returns CRD_ERROR_LIMIT if the tallies of all columns together are too large, which can happen when models are
 * combined. */
CRD_MUST_USE crd_status crd_i_accumulate_check_sizes(const crd_model *model, crd_error *error);

/* ======== Rows with class probabilities ========
 *
 * The M step and the final model of EM learn rows whose classes are known only up to probabilities. Each row is counted
 * in every class, weighted by the class's probability (fractional counts). The probabilities are rounded to multiples
 * of 2^-32 that sum to 1, so rows count as a whole and exact sums stay short. All families are supported. */

typedef struct crd_i_weighted_rows crd_i_weighted_rows; /* used by one thread */

/* Creates a model without rows. Takes ownership of `schema`, which has a target, and of `columns`, a frame without rows
 * that has the other columns of the rows: its columns are matched to the schema by name. `names` are the names of the
 * classes. */
CRD_MUST_USE crd_status crd_i_weighted_rows_create(crd_i_schema *schema, const crd_settings *settings,
                                                   crd_frame *columns, const crd_text *names, size_t classes,
                                                   crd_i_weighted_rows **out, crd_error *error);
void crd_i_weighted_rows_destroy(crd_i_weighted_rows *rows); /* NULL is allowed */

/* Rows, column by column, in the order of the frame. */
typedef struct crd_i_weighted_cells {
    size_t rows;
    const double *const *numbers; /* for each numeric column: its values, NaN if missing */
    const int32_t *const *codes;  /* for each categorical column: its codes, negative if missing */
    const double *weights;        /* one per row; NULL: all 1 */
} crd_i_weighted_cells;

/* Adds rows with the probabilities shares[row * stride + class]. A row whose probabilities are all 0 is ignored. */
CRD_MUST_USE crd_status crd_i_weighted_rows_add(crd_i_weighted_rows *rows, const crd_i_weighted_cells *cells,
                                                const double *shares, size_t stride, crd_error *error);
/* Gets the model of all rows; the caller owns it. No rows can be added afterwards. */
CRD_MUST_USE crd_status crd_i_weighted_rows_model(crd_i_weighted_rows *rows, crd_model **out, crd_error *error);

#endif
