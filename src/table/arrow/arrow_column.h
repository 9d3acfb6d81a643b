/* SPDX-License-Identifier: MIT */
/* arrow_column.h - converts a record batch column of any numeric or text type to the buffers that a frame borrows. */
#ifndef CRD_TABLE_ARROW_ARROW_COLUMN_H
#define CRD_TABLE_ARROW_ARROW_COLUMN_H

#include "table/arrow/arrow_cell.h"
#include "table/read/row_batches.h"

/* Checks that a record batch matches a schema: both are structs with the same children, and all children are there. */
CRD_MUST_USE crd_status crd_i_arrow_check_batch(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                                crd_error *error);
CRD_MUST_USE crd_status crd_i_arrow_check_schema(const struct ArrowSchema *schema, crd_error *error);

/* Checks that the array's own buffers can be read for all rows. */
CRD_MUST_USE crd_status crd_i_arrow_check_column(const crd_i_arrow_column *column, crd_i_cell_fault *fault);

/* Converts cells as crd_i_row_batch.convert does; `batch` is the batch's serial. The column must have been checked. */
CRD_MUST_USE crd_status crd_i_arrow_convert(const crd_i_arrow_column *column, uint64_t batch, crd_kind kind,
                                            size_t first, size_t rows, const crd_i_conversion *conversion,
                                            crd_i_column_room *workspace, crd_i_column *into, crd_i_cell_fault *fault);

/* Adds all dictionary values of an indexed column, whether or not a cell has them. The column must have been
 * checked. */
CRD_MUST_USE crd_status crd_i_arrow_add_dictionary(const crd_i_arrow_column *column, const crd_i_conversion *conversion,
                                                   crd_i_dictionary *target_dictionary, crd_i_cell_fault *fault);

/* Converts a fault of the column to an error. */
crd_status crd_i_arrow_report(const crd_i_cell_fault *fault, crd_text name, crd_error *error);

#endif
