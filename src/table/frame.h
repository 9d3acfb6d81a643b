/* SPDX-License-Identifier: MIT */
/* frame.h - the structure of a frame. Buffers have Arrow's layout, so they can be borrowed. */
#ifndef CRD_TABLE_FRAME_H
#define CRD_TABLE_FRAME_H

#include "table/column_schema.h"

#include <credence/data.h>

typedef struct crd_i_column {
    crd_text name;           /* owned by the frame */
    crd_column_type type;    /* NONE: every cell is missing */
    const uint8_t *validity; /* NULL, or a set bit (least significant first) for a present cell */
    const double *numbers;   /* NUMBER: NaN is missing; never infinite */
    const int32_t *codes;    /* CATEGORY: negative is missing */
    const crd_text *texts;   /* TEXT: bytes NULL or an empty text is missing */
    bool are_bags;           /* TEXT: the texts are bags of terms, see text/tokens.h */
    /* CATEGORY: the meaning of the codes; may contain values that this frame does not use */
    crd_i_dictionary *dictionary;
    const crd_i_dictionary *declared; /* borrowed: values that are known whether or not a cell has them; NULL: none */
    /* Borrowed: an Arrow column with a dictionary, of which only the values in cells were copied; NULL: none. */
    const struct ArrowSchema *arrow_schema;
    const struct ArrowArray *arrow_array;
    bool owns_dictionary;
    bool is_constant; /* all cells equal the first, as a reader knows for omitted columns; false: unknown */
    void *owned, *owned_bits, *owned_texts; /* buffers to free with the frame, or NULL */
} crd_i_column;

struct crd_frame {
    crd_context *context;
    uint64_t layout; /* a serial number that changes with the number, names or order of columns */
    size_t rows;
    crd_i_column *columns;
    size_t column_count, column_capacity;
    crd_i_dictionary *names; /* code = column index; names are unique */
    /* owned: the schema that a reader knew before the first row; NULL: the caller built the frame */
    crd_i_schema *origin;
};

/* Appends a copy of *column under this name. The frame takes over what the column owns, except on failure. Rejects a
 * duplicate name and a name with a NUL byte. */
CRD_MUST_USE crd_status crd_i_frame_add(crd_frame *frame, crd_text name, const crd_i_column *column, crd_error *error);

/* Creates a frame with some rows of another frame, which must outlive it: rows[first] .. rows[first + count - 1], or the
 * rows first .. first + count - 1 if `rows` is NULL. */
CRD_MUST_USE crd_status crd_i_frame_select(const crd_frame *frame, const size_t *rows, size_t first, size_t count,
                                           crd_frame **out, crd_error *error);
/* Copies the texts, and the values that occur, into a frame from crd_i_frame_select. It then refers to no other frame.
 * On failure the frame can only be destroyed. */
CRD_MUST_USE crd_status crd_i_frame_own_values(crd_frame *frame, crd_error *error);

static inline bool crd_i_column_present(const crd_i_column *column, size_t row) {
    if (column->validity != NULL && (column->validity[row >> 3] >> (row & 7) & 1) == 0) return false;
    switch (column->type) {
    case CRD_TYPE_NUMERIC: return column->numbers[row] == column->numbers[row];
    case CRD_TYPE_CATEGORICAL: return column->codes[row] >= 0;
    case CRD_TYPE_TEXT: return column->texts[row].bytes != NULL && column->texts[row].length > 0;
    case CRD_TYPE_NONE: break;
    }
    return false;
}

#endif
