/* SPDX-License-Identifier: MIT */
/* arrow_column.h - a column of a record batch, of any type that has numbers or texts, into what a frame borrows. */
#ifndef CRD_TABLE_ARROW_ARROW_COLUMN_H
#define CRD_TABLE_ARROW_ARROW_COLUMN_H

#include "table/arrow/arrow_cell.h"
#include "table/read/row_batches.h"

/* Whether a record batch and a schema fit together: structs with the same children, which are all there. */
CRD_MUST_USE crd_status crd_i_arrow_check_batch(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                                crd_error *error);
CRD_MUST_USE crd_status crd_i_arrow_check_schema(const struct ArrowSchema *schema, crd_error *error);

/* Whether the array's own buffers can be looked into for all rows; a fault where not. */
CRD_MUST_USE crd_status crd_i_arrow_check_column(const crd_i_arrow_column *column, crd_i_cell_fault *fault);

/* See crd_i_row_batch: `batch` is its serial. The column was checked. */
CRD_MUST_USE crd_status crd_i_arrow_convert(const crd_i_arrow_column *column, uint64_t batch, crd_kind kind,
                                            size_t from, size_t rows, const crd_i_conversion *how,
                                            crd_i_column_room *room, crd_i_column *into, crd_i_cell_fault *fault);

/* Adds all values of the dictionary that an indexed column has, whether or not a cell has them. The column was
 * checked. */
CRD_MUST_USE crd_status crd_i_arrow_add_dictionary(const crd_i_arrow_column *column, const crd_i_conversion *how,
                                                   crd_i_dictionary *to, crd_i_cell_fault *fault);

/* The error that a fault of the column is. */
crd_status crd_i_arrow_report(const crd_i_cell_fault *fault, crd_text name, crd_error *error);

#endif
