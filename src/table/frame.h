/* SPDX-License-Identifier: MIT */
/* frame.h - what a frame is made of. Buffers are laid out as in Arrow, so that they can be borrowed. */
#ifndef CRD_TABLE_FRAME_H
#define CRD_TABLE_FRAME_H

#include "table/column_schema.h"

#include <credence/data.h>

typedef struct crd_i_column {
    crd_text name;                    /* owned by the frame */
    crd_kind kind;                    /* NONE: every cell is missing */
    const uint8_t *validity;          /* NULL, or a set bit (least significant first) for a present cell */
    const double *numbers;            /* NUMBER: NaN is missing; never infinite */
    const int32_t *codes;             /* CATEGORY: negative is missing */
    const crd_text *texts;            /* TEXT: bytes NULL is missing, and so is an empty text */
    bool are_bags;                    /* TEXT: as bags of terms, see text/bag.h */
    crd_i_dictionary *dictionary;     /* CATEGORY: what the codes mean; it may hold more than this frame uses */
    const crd_i_dictionary *declared; /* borrowed: values that are known whether or not a cell has them; NULL: none */
    /* Borrowed: an Arrow column with a dictionary, of which only the values that cells have were taken; NULL: none. */
    const struct ArrowSchema *arrow_schema;
    const struct ArrowArray *arrow_array;
    bool owns_dictionary;
    bool is_constant; /* all cells are as the first, as a reader knows of what rows leave out; false tells nothing */
    void *owned, *owned_bits, *owned_texts; /* buffers to free with the frame, or NULL */
} crd_i_column;

struct crd_frame {
    crd_context *context;
    uint64_t layout; /* a serial that changes whenever the number, names or order of columns does */
    size_t rows;
    crd_i_column *columns;
    size_t column_count, column_capacity;
    crd_i_dictionary *names; /* code = column index: unique names, found at once */
    crd_i_schema *origin;    /* owned: what a reader knew of its columns before the first row; NULL: made by hand */
};

/* Puts a copy of *column at the end under that name; what it owns is the frame's from then on, but still the caller's
 * on failure. A name that is taken, or has a NUL byte, is refused. */
CRD_MUST_USE crd_status crd_i_frame_add(crd_frame *frame, crd_text name, const crd_i_column *column, crd_error *error);

static inline bool crd_i_column_present(const crd_i_column *column, size_t row) {
    if (column->validity != NULL && (column->validity[row >> 3] >> (row & 7) & 1) == 0) return false;
    switch (column->kind) {
    case CRD_KIND_NUMBER: return column->numbers[row] == column->numbers[row];
    case CRD_KIND_CATEGORY: return column->codes[row] >= 0;
    case CRD_KIND_TEXT: return column->texts[row].bytes != NULL && column->texts[row].length > 0;
    case CRD_KIND_NONE: break;
    }
    return false;
}

#endif
